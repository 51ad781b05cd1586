"""The typefaces that items are lettered with. They ship with the package: the same seed gives the same pixels."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PIL import ImageFont

FOLDER = Path(__file__).parent / "fonts"
TYPEFACES = ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSerif", "DejaVuSansMono")
"""All hold the printable ASCII characters and the degree sign. Origins and terms: `synth/fonts/LICENSES.md`."""


@lru_cache(maxsize=256)
def typeface(name: str, size: int) -> ImageFont.FreeTypeFont:
    """The typeface of that name at `size` pixels an em."""
    return ImageFont.truetype(FOLDER / f"{name}.ttf", size, layout_engine=ImageFont.Layout.BASIC)
