"""Pictures with known pixels, and calls of visual tools written as a test likes them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import PIL.Image
from PIL.Image import Image

from beholder.tools.tool import ToolResult
from beholder.tools.visual import call_visual

RED, GREEN, BLUE, WHITE, BLACK = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0)


def noise(width: int = 30, height: int = 20, seed: int = 0) -> Image:
    """A picture in which no two parts look alike."""
    values = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return PIL.Image.fromarray(values)


def plain(width: int = 40, height: int = 30, color: tuple[int, int, int] = WHITE) -> Image:
    return PIL.Image.new("RGB", (width, height), color)


def with_box(picture: Image, box: tuple[int, int, int, int], color: tuple[int, int, int]) -> Image:
    """The picture with a filled box; [left, top, right, bottom], the last two not included."""
    marked = picture.copy()
    marked.paste(color, box)
    return marked


def call(name: str, *pictures: Image, **arguments: Any) -> ToolResult:
    return call_visual(name, json.dumps(arguments), pictures)


def same(one: Image, two: Image) -> bool:
    return one.mode == two.mode and one.size == two.size and one.tobytes() == two.tobytes()
