"""What of a picture is kept to find it again: digests, its look, and a small grey copy of it."""

from __future__ import annotations

import hashlib

import msgspec
import PIL.Image

from beholder.images.load import Image, pixels
from beholder.images.similar import Look, look_of

SMALL = 32
"""Pixels on each side of the small grey copy."""


class Fingerprint(msgspec.Struct, frozen=True):
    """`sha256` is of the file's bytes, `pixels` of size and upright RGB pixels, both in hexadecimal.

    `small` holds 32x32 grey values, row by row, whatever the picture's shape; `width` and `height` are in pixels,
    upright. `corners` are the picture's marked points (`images.crops`), empty where nobody asked for them.
    """

    sha256: str
    pixels: str
    look: Look
    small: bytes
    width: int
    height: int
    corners: bytes = b""


def fingerprint_of(image: Image, *, corners: bool = False) -> Fingerprint:
    """The fingerprint of a loaded picture; `corners` also marks its points. `DataError` if it cannot be decoded."""
    picture = pixels(image)
    digest = hashlib.sha256(b"%d %d " % picture.size + picture.tobytes()).hexdigest()
    grey = picture.convert("L")
    small = grey.resize((SMALL, SMALL), PIL.Image.Resampling.LANCZOS).tobytes()
    marked = b""
    if corners:
        from beholder.images.crops import corners_of

        marked = corners_of(grey)
    return Fingerprint(image.sha256, digest, look_of(picture), small, *picture.size, marked)
