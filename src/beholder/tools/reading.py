"""The tool that reads text in a picture (OCR), with RapidOCR: the extra `ocr`.

Its models come with the package; nothing is fetched. What it reads depends on the version installed, which a run that
offers this tool should record.
"""

from __future__ import annotations

import importlib
import threading
from functools import cache
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from beholder.tools.boxes import BoxGiven, Placed, Units, listed, place_box, sized
from beholder.tools.tool import ToolResult
from beholder.tools.visual_bounds import ImageName, Pictures, check_size, picture_named

MOST_LINES = 200
LONGEST_LINE = 500

_ONE_AT_A_TIME = threading.Lock()


class Ocr(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `ocr`."""

    box: Annotated[BoxGiven, Meta(description="Reads only in [left, top, right, bottom].")] | None = None
    units: Units = "pixels"
    image: ImageName = "image_1"


def ocr(asked: Ocr, pictures: Pictures) -> ToolResult:
    """The lines of text that are found, with their places in the named picture and how sure the reader is."""
    picture = picture_named(asked.image, pictures)
    whole = Placed((0, 0, *picture.size))
    placed = whole if asked.box is None else place_box(asked.box, asked.units, picture.size)
    check_size(placed.size)
    found = _read(np.ascontiguousarray(np.asarray(picture.crop(placed.box))[..., ::-1]))
    where = f"{listed(placed.box)} of {asked.image} ({sized(picture.size)})"
    lines = [placed.note] if placed.note else []
    count = "1 line" if len(found) == 1 else f"{len(found)} lines"
    lines.append(f"Text found in {where}, {count}:" if found else f"No text was found in {where}.")
    for corners, text, sure in found[:MOST_LINES]:
        left, top = placed.box[0] + corners[:, 0].min(), placed.box[1] + corners[:, 1].min()
        right, bottom = placed.box[0] + corners[:, 0].max(), placed.box[1] + corners[:, 1].max()
        place = listed([round(float(value)) for value in (left, top, right, bottom)])
        lines.append(f"{place} {float(sure):.2f} {text[:LONGEST_LINE]}")
    if len(found) > MOST_LINES:
        lines.append(f"({len(found) - MOST_LINES} more lines are left out; read a smaller box.)")
    return ToolResult(text="\n".join(lines), flags=placed.flags)


def _read(pixels: Any) -> list[tuple[Any, str, float]]:
    """(corners, text, confidence) of each line in a picture of blue, green and red, in the reader's order."""
    with _ONE_AT_A_TIME:
        found = _reader()(pixels)
    if found.txts is None:
        return []
    return list(zip(found.boxes, found.txts, found.scores, strict=True))


@cache
def _reader() -> Any:
    return importlib.import_module("rapidocr").RapidOCR(params={"Global.log_level": "error"})
