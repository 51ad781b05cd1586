"""A picture mirrored and turned, as its look is: made from the small grey copy, so that no file is read again."""

from __future__ import annotations

from collections.abc import Iterator

import PIL.Image

from beholder.images.fingerprint import SMALL
from beholder.images.similar import Look, look_of

_TURNS = PIL.Image.Transpose
VARIANTS: dict[str, PIL.Image.Transpose] = {
    "mirrored": _TURNS.FLIP_LEFT_RIGHT,
    "upside down, mirrored": _TURNS.FLIP_TOP_BOTTOM,
    "turned 90°": _TURNS.ROTATE_270,  # Pillow turns against the clock
    "turned 180°": _TURNS.ROTATE_180,
    "turned 270°": _TURNS.ROTATE_90,
    "turned 90°, mirrored": _TURNS.TRANSPOSE,
    "turned 270°, mirrored": _TURNS.TRANSVERSE,
}
"""The seven ways to lay a picture down other than as it is; degrees are clockwise."""


def variants(small: bytes) -> Iterator[tuple[str, Look]]:
    """The look of each variant of a picture, from its 32x32 grey values (`Fingerprint.small`)."""
    picture = PIL.Image.frombytes("L", (SMALL, SMALL), small)
    for name, turn in VARIANTS.items():
        yield name, look_of(picture.transpose(turn))
