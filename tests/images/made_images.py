"""Images made on the spot, as the tests need them."""

from __future__ import annotations

import random
import struct
import zlib
from io import BytesIO
from typing import Any

import PIL.Image

from beholder.sample import ImageRef

RED, BLUE = (254, 0, 0), (0, 0, 254)


def photo(width: int = 64, height: int = 48, seed: int = 0) -> PIL.Image.Image:
    """A smooth picture with a little noise, so that each encoder has something to do."""
    rng = random.Random(seed)
    small = PIL.Image.frombytes("RGB", (8, 6), rng.randbytes(8 * 6 * 3))
    return small.resize((width, height), PIL.Image.Resampling.BICUBIC)


def noise(width: int, height: int, seed: int = 0) -> PIL.Image.Image:
    return PIL.Image.frombytes("RGB", (width, height), random.Random(seed).randbytes(width * height * 3))


def red_left(width: int = 64, height: int = 32) -> PIL.Image.Image:
    picture = PIL.Image.new("RGB", (width, height), BLUE)
    picture.paste(RED, (0, 0, width // 2, height))
    return picture


def saved(picture: PIL.Image.Image, kind: str, **options: Any) -> bytes:
    buffer = BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def oriented(value: int) -> PIL.Image.Exif:
    exif = PIL.Image.Exif()
    exif[0x0112] = value
    exif[0x010F] = "a camera"
    return exif


def animated(frames: int, kind: str = "GIF", size: tuple[int, int] = (8, 8)) -> bytes:
    pictures = [PIL.Image.new("RGB", size, (i * 80 % 256, 200 - i * 30 % 200, 90)) for i in range(frames)]
    return saved(pictures[0], kind, save_all=True, append_images=pictures[1:], duration=20)


def gif_of_frames(frames: int) -> bytes:
    """A 1x1 GIF with any number of frames; by hand, as 10,000 frames take Pillow seconds."""
    frame = b"\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00" + b"\x02\x02\x44\x01\x00"
    return b"GIF89a\x01\x00\x01\x00\x80\x00\x00" + b"\x00\x00\x00\xff\xff\xff" + frame * frames + b"\x3b"


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(width: int, height: int, depth: int, colour: int, rows: bytes, *extra: bytes) -> bytes:
    """A PNG of the given header; `rows` are filtered scan lines, `extra` chunks come before the picture."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    body = chunk(b"IHDR", header) + b"".join(extra) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def embedded(data: bytes, name: str = "picture") -> ImageRef:
    return ImageRef(name, data=data)
