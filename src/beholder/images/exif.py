"""The orientation tag: which way up the camera was held.

Read here and not by Pillow because Pillow's reader warns about, and in places stops at, the broken EXIF
blocks that real photographs carry. A block that makes no sense means no orientation: the picture is shown as
it is stored.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from typing import Literal

PREFIX = b"Exif\x00\x00"

_ORIENTATION = 0x0112
_SIZES = {1: 1, 3: 2, 4: 4}  # EXIF type -> bytes, for the whole-number types that writers use for this tag
_XMP = re.compile(rb'tiff:Orientation(?:="|>)([0-9])')
_LARGEST_PROFILE = 1 << 20


def orientation(blocks: Iterable[bytes], xmp: bytes = b"") -> int:
    """The orientation, 1 (upright, or not said) to 8: the first block that says it, else the XMP packet."""
    for block in blocks:
        if (value := _from_exif(block)) is not None:
            return value if 1 <= value <= 8 else 1
    found = _XMP.search(xmp)
    value = int(found[1]) if found else 1
    return value if 1 <= value <= 8 else 1


def raw_profile(data: bytes, *, compressed: bool) -> bytes:
    """The EXIF block in a PNG text chunk `Raw profile type exif`: a name, a length and hexadecimal digits in
    lines.

    Empty where the text is not of that form. At most 1 MiB is unpacked.
    """
    if compressed:
        try:
            data = zlib.decompressobj().decompress(data[1:], _LARGEST_PROFILE)
        except zlib.error:
            return b""
    lines = data[:_LARGEST_PROFILE].split(b"\n")
    try:
        return bytes.fromhex(b"".join(lines[3:]).decode("ascii"))
    except ValueError:
        return b""


def _from_exif(block: bytes) -> int | None:
    """The tag's value in the first directory of a TIFF-shaped block; None where there is none to read."""
    tiff = block.removeprefix(PREFIX)
    if tiff[:2] not in (b"II", b"MM"):
        return None
    order: Literal["little", "big"] = "little" if tiff[:2] == b"II" else "big"

    def number(start: int, size: int) -> int:
        return int.from_bytes(tiff[start : start + size], order)

    directory = number(4, 4)
    found = None
    for entry in range(directory + 2, min(directory + 2 + 12 * number(directory, 2), len(tiff) - 11), 12):
        if number(entry, 2) != _ORIENTATION:
            continue
        size = _SIZES.get(number(entry + 2, 2))
        if size is not None and number(entry + 4, 4) == 1:
            found = number(entry + 8, size)
    return found
