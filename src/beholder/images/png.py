"""PNG: the chunks, to the end chunk (PNG specification, third edition, sections 5 and 11)."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from beholder.images import exif
from beholder.images.header import CUT_SHORT, Damaged, Header

_COLOUR = {0: "L", 2: "RGB", 3: "P", 4: "LA", 6: "RGBA"}
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_PICTURE = frozenset((b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"))
_TEXT = frozenset((b"tEXt", b"zTXt", b"iTXt"))
_PROFILE = b"Raw profile type exif\x00"
_XMP = b"XML:com.adobe.xmp\x00\x00"  # the second NUL: not compressed
_MOST_CHUNKS = 200_000


def read(data: bytes) -> Header:
    """Size, colour mode, transparency, frames and orientation.

    The checksums of the chunks that make the picture are verified (a download with a hole has the right
    length and the wrong bytes). One transparent colour of a 16-bit picture is not honoured: its `alpha` is
    False. Raises `Damaged` also where the end chunk is missing.
    """
    depth, colour = 8, 2
    width = height = 0
    frames = 1
    blocks: list[bytes] = []
    profiles: list[bytes] = []
    xmp = b""
    seen: set[bytes] = set()
    whole = memoryview(data)
    for name, start, end in _chunks(data):
        if not seen:
            width, height, depth, colour = _ihdr(name, data[start:end])
        seen.add(name)
        if name in _PICTURE:
            if zlib.crc32(whole[start - 4 : end]) != int.from_bytes(data[end : end + 4], "big"):
                raise Damaged(f"the PNG is damaged: the checksum of its {name.decode('ascii')} chunk is wrong")
        elif name == b"acTL":
            frames = max(1, int.from_bytes(data[start : start + 4], "big"))
        elif name == b"eXIf":
            blocks.append(data[start:end])
        elif name in _TEXT and data.startswith(_PROFILE, start):
            profiles.append(exif.raw_profile(data[start + len(_PROFILE) : end], compressed=name == b"zTXt"))
        elif name == b"iTXt" and data.startswith(_XMP, start):
            xmp = xmp or data[start:end]
    if b"IDAT" not in seen:
        raise Damaged("the PNG holds no picture (no IDAT chunk)")
    if colour == 3 and b"PLTE" not in seen:
        raise Damaged("the PNG has lost its palette (no PLTE chunk)")
    return Header(
        format="PNG",
        width=width,
        height=height,
        mode=_mode(colour, depth),
        alpha=colour in (4, 6) or (b"tRNS" in seen and depth < 16),
        frames=frames,
        orientation=exif.orientation(blocks + profiles, xmp),
    )


def bare(data: bytes) -> bytes:
    """The same picture with only the chunks that make it: no text, profile, EXIF, animation."""
    kept = [data[start - 8 : end + 4] for name, start, end in _chunks(data) if name in _PICTURE]
    return data[:8] + b"".join(kept)


def grey_transparency(data: bytes) -> int | None:
    """The transparent grey level of a greyscale PNG on the scale 0 to 255 of the decoded picture, or None.

    Pillow leaves the level on the file's own scale (0 to 15 at 4 bits) while it stretches the pixels.
    """
    depth, colour = data[24], data[25]
    if colour != 0 or depth == 16:
        return None
    for name, start, end in _chunks(data):
        if name == b"tRNS" and end - start >= 2:
            highest = (1 << depth) - 1
            return (int.from_bytes(data[start : start + 2], "big") & highest) * 255 // highest
        if name == b"IDAT":
            break
    return None


def _chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """(name, start, end) of each chunk's content, up to and with IEND."""
    position = 8
    for _ in range(_MOST_CHUNKS):
        start = position + 8
        name = data[position + 4 : start]
        end = start + int.from_bytes(data[position : position + 4], "big")
        if len(name) == 4 and not name.isalpha():
            raise Damaged("the PNG is damaged: a chunk has an impossible name")
        if end + 4 > len(data):
            raise Damaged(f"{CUT_SHORT}: the PNG ends without its end chunk (IEND)")
        yield name, start, end
        if name == b"IEND":
            return
        position = end + 4
    raise Damaged("the PNG has more than 200,000 chunks")


def _ihdr(name: bytes, body: bytes) -> tuple[int, int, int, int]:
    """(width, height, bits per channel, colour type)."""
    if name != b"IHDR" or len(body) != 13:
        raise Damaged("the PNG does not begin with its header chunk (IHDR)")
    depth, colour = body[8], body[9]
    if depth not in _DEPTHS.get(colour, ()) or body[10] or body[11] or body[12] > 1:
        raise Damaged("the header of the PNG has impossible values")
    return int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big"), depth, colour


def _mode(colour: int, depth: int) -> str:
    if depth == 16:
        return "I;16" if colour == 0 else f"{_COLOUR[colour]};16"
    return "1" if (colour, depth) == (0, 1) else _COLOUR[colour]
