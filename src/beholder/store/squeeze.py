"""Compressing the small pieces of a journal."""

from __future__ import annotations

import zlib

_SMALL = 8192


def squeeze(data: bytes) -> bytes:
    """The bytes as a zlib stream.

    zlib's usual tables take a quarter of a megabyte, and setting them up costs six times as much as compressing an
    answer of 500 bytes. Small data gets small tables; any zlib reads the result.

    >>> zlib.decompress(squeeze(b"a short answer")) == b"a short answer"
    True
    """
    if len(data) > _SMALL:
        return zlib.compress(data, 1)
    packer = zlib.compressobj(1, zlib.DEFLATED, 12, 4)
    return packer.compress(data) + packer.flush()
