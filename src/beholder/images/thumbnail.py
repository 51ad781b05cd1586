"""Small pictures for reports."""

from __future__ import annotations

from io import BytesIO

import PIL.Image

from beholder.errors import DataError, UsageError
from beholder.images.load import Image, pixels

_LARGEST = 4096


def thumbnail(image: Image, side: int = 256) -> bytes:
    """A WebP of the image, upright, shape kept, neither side above `side` pixels (1 to 4096), never enlarged.

    The same image and side give the same bytes (with the same version of Pillow): nothing of the file's name,
    time or metadata goes in. Raises `DataError` where the image cannot be decoded.
    """
    if not 1 <= side <= _LARGEST:
        raise UsageError(f"A thumbnail's side must be 1 to {_LARGEST} pixels, not {side}.")
    picture = pixels(image)
    picture.thumbnail((side, side), PIL.Image.Resampling.LANCZOS)
    buffer = BytesIO()
    try:
        picture.save(buffer, "WEBP", quality=80, method=2)
    except (OSError, ValueError, MemoryError) as error:
        raise DataError("no thumbnail can be made", where=image.name) from error
    return buffer.getvalue()
