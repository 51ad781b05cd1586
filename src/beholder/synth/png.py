"""Writes PNG files whose bytes depend on the pixels and on zlib only.

An image library may choose other filters, chunks or levels from one version to the next; generated puzzles
must be the same bytes again. The fixed choices here also cost half the time of a library's adaptive ones.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GREY, _RGB = 0, 2
_UP = 2
"""The filter "up" of the PNG specification (section 9.2): each byte less the one above it."""


def encode_png(pixels: NDArray[np.uint8], *, grainy: bool = False) -> bytes:
    """The pixels, (height, width, 3) RGB, as a PNG of three chunks: header, data, end. No metadata of any
    kind.

    A picture without colour is stored as grey, a third of the size. `grainy` says that the pixels are a photograph's
    or noisy: nothing in them repeats, and not looking for repeats saves a third of the time and some bytes.
    """
    height, width, _ = pixels.shape
    grey = bool((pixels[..., 0] == pixels[..., 1]).all() and (pixels[..., 1] == pixels[..., 2]).all())
    lines = pixels[..., 0] if grey else pixels.reshape(height, width * 3)
    filtered = np.empty((height, lines.shape[1] + 1), dtype=np.uint8)
    filtered[:, 0] = _UP
    filtered[0, 1:] = lines[0]
    np.subtract(lines[1:], lines[:-1], out=filtered[1:, 1:])
    header = struct.pack(">IIBBBBB", width, height, 8, _GREY if grey else _RGB, 0, 0, 0)
    strategy = zlib.Z_RLE if grainy else zlib.Z_DEFAULT_STRATEGY
    packer = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, strategy)
    body = packer.compress(filtered.data) + packer.flush()
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
