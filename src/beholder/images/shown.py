"""A picture in a form that every browser shows."""

from __future__ import annotations

from io import BytesIO

from beholder.errors import DataError
from beholder.images.decode import read_header
from beholder.images.header import MIME, Damaged
from beholder.images.load import load, pixels
from beholder.sample import ImageRef

SHOWN_AS_THEY_ARE = frozenset({"JPEG", "PNG", "WEBP", "GIF"})
"""Formats that go to the browser byte for byte, under the type that their own bytes show; others go as PNG."""


def as_shown(data: bytes) -> tuple[bytes, str]:
    """The bytes that a browser is given, and their MIME type. `DataError` if they are no picture that can be read.

    Others (BMP, TIFF) are made PNG, upright, within the limits on what is decoded. SVG is none: it is a program.
    """
    try:
        kind = read_header(data).format
    except Damaged as error:
        raise DataError(str(error), where="picture") from None
    if kind in SHOWN_AS_THEY_ARE:
        return data, MIME[kind]
    upright = pixels(load(ImageRef(name="picture", data=data)))
    written = BytesIO()
    upright.save(written, "PNG")
    return written.getvalue(), MIME["PNG"]
