"""WebP: the RIFF container and its chunks (WebP container and lossless specifications, RFC 6386)."""

from __future__ import annotations

from beholder.images import exif
from beholder.images.header import CUT_SHORT, Damaged, Header

_MOST_CHUNKS = 200_000
_ALPHA = 0x10


def read(data: bytes) -> Header:
    """Size, transparency, frames and orientation. Raises `Damaged`, also where the file ends too early."""
    end = 8 + _number(data, 4, 4)
    if end > len(data):
        raise Damaged(f"{CUT_SHORT}: the WebP says it has {end:,} bytes, there are {len(data):,}")
    canvas: tuple[int, int, bool] | None = None
    picture: tuple[int, int, bool] | None = None
    frames = 0
    alpha = False
    blocks: list[bytes] = []
    xmp = b""
    position = 12
    for _ in range(_MOST_CHUNKS):
        if position + 8 > end:
            break
        name, size = data[position : position + 4], _number(data, position + 4, 4)
        body, position = position + 8, position + 8 + size + (size & 1)
        if body + size > end:
            raise Damaged(f"{CUT_SHORT}: a chunk of the WebP runs past its end")
        if name == b"VP8X" and canvas is None and size >= 10:
            canvas = (
                _number(data, body + 4, 3) + 1,
                _number(data, body + 7, 3) + 1,
                bool(data[body] & _ALPHA),
            )
        elif name in (b"VP8 ", b"VP8L") and picture is None:
            picture = _picture(name, data[body : body + min(size, 10)])
        elif name == b"ANMF":
            frames += 1
        elif name == b"ALPH":
            alpha = True
        elif name == b"EXIF":
            blocks.append(data[body : body + size])
        elif name == b"XMP ":
            xmp = xmp or data[body : body + size]
    else:
        raise Damaged("the WebP has more than 200,000 chunks")
    if picture is None and not frames:
        raise Damaged("the WebP holds no picture")
    width, height, transparent = canvas or picture or (0, 0, False)
    transparent = transparent or alpha
    return Header(
        format="WEBP",
        width=width,
        height=height,
        mode="RGBA" if transparent else "RGB",
        alpha=transparent,
        frames=max(1, frames),
        orientation=exif.orientation(blocks, xmp),
    )


def _picture(name: bytes, start: bytes) -> tuple[int, int, bool]:
    """(width, height, may be transparent) from the first bytes of a picture chunk."""
    if name == b"VP8 ":
        if len(start) < 10 or start[3:6] != b"\x9d\x01\x2a":
            raise Damaged("the picture in the WebP does not begin as it must")
        return _number(start, 6, 2) & 0x3FFF, _number(start, 8, 2) & 0x3FFF, False
    if len(start) < 5 or start[0] != 0x2F:
        raise Damaged("the picture in the WebP does not begin as it must")
    bits = _number(start, 1, 4)
    return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, bool(bits >> 28 & 1)


def _number(data: bytes, start: int, size: int) -> int:
    return int.from_bytes(data[start : start + size], "little")
