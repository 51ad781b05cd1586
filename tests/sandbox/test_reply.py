"""Replies as a model could forge them: read within bounds, or refused before anything is decoded."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import Any

import PIL.Image
import pytest

from beholder.sandbox.limits import SandboxLimits
from beholder.sandbox.reply import Forged, Head, Stale, read_head, read_pictures

LIMITS = SandboxLimits(pictures=2, picture_bytes=1000, picture_side=50, picture_pixels=2000, pictures_pixels=3000)


def encoded(width: int, height: int, kind: str = "PNG", **options: Any) -> bytes:
    buffer = BytesIO()
    PIL.Image.new("RGB", (width, height), "red").save(buffer, kind, **options)
    return buffer.getvalue()


def claiming(width: int, height: int) -> bytes:
    """A PNG whose header says another size than its pixels have."""
    data = encoded(4, 4)
    head = b"IHDR" + struct.pack(">II", width, height) + data[24:29]
    return data[:12] + head + struct.pack(">I", zlib.crc32(head)) + data[33:]


HEADS = [
    (b'{"id":"me","outcome":"ok","pictures":[]}', Head("me", "ok", [])),
    (b'{"id":"me","outcome":"memory","pictures":[1,1000]}', Head("me", "memory", [1, 1000])),
    (b'{"id":"you","outcome":"ok","pictures":[]}', Stale),
    (b'{"id":"","outcome":"ok","pictures":[]}', Stale),
    (b'{"id":"me","outcome":"ok","pictures":[0]}', Forged),
    (b'{"id":"me","outcome":"ok","pictures":[1001]}', Forged),
    (b'{"id":"me","outcome":"ok","pictures":[-5]}', Forged),
    (b'{"id":"me","outcome":"ok","pictures":[1e9]}', Forged),
    (b'{"id":"me","outcome":"ok","pictures":[99999999999999999999999999]}', Forged),
    (b'{"id":"me","outcome":"ok","pictures":["7"]}', Forged),
    (b'{"id":"me","outcome":"ok","pictures":[1,1,1]}', Forged),
    (b'{"id":"me","outcome":"fine","pictures":[]}', Forged),
    (b'{"id":"me","outcome":"ok","pictures":[],"text":"more"}', Forged),
    (b'{"id":"me","outcome":"ok"}', Forged),
    (b'{"id":7,"outcome":"ok","pictures":[]}', Forged),
    (b'{"id":"me","outcome":"ok","pictures":[]} {}', Forged),
    (b'{"ready": "3.11"}', Forged),
    (b"", Forged),
    (b"null", Forged),
    (b"[" * 4000, Forged),
    (b'{"id":"\xff","outcome":"ok","pictures":[]}', Forged),
    (b"\x80\x04\x95pickle", Forged),
]


@pytest.mark.parametrize(("line", "expected"), HEADS)
def test_heads(line: bytes, expected: Head | type[Forged]) -> None:
    if isinstance(expected, Head):
        assert read_head(line, "me", LIMITS) == expected
    else:
        with pytest.raises(expected):
            read_head(line, "me", LIMITS)


PICTURES = [
    ("one", [encoded(40, 50)], [(40, 50)]),
    ("two", [encoded(30, 40), encoded(40, 30)], [(30, 40), (40, 30)]),
    ("too many pixels together", [encoded(40, 40), encoded(40, 40)], "together"),
    ("too many pixels", [encoded(50, 50)], "limit is 2,000"),
    ("too wide", [encoded(51, 5)], "50 pixels a side"),
    ("claims to be enormous", [claiming(2**31 - 1, 2**31 - 1)], "limit is 2,000"),
    ("claims to be empty", [claiming(0, 4)], "0x4"),
    ("claims more than it has", [claiming(40, 40)], "cannot be used"),
    ("JPEG", [encoded(4, 4, "JPEG")], "not a PNG"),
    ("no picture", [b"hello"], "not a PNG"),
    ("cut short", [encoded(40, 40)[:-20]], "cut short"),
    ("nothing in it", [b"\x89PNG\r\n\x1a\n"], "cannot be used"),
]


@pytest.mark.parametrize(("data", "expected"), [row[1:] for row in PICTURES], ids=[row[0] for row in PICTURES])
def test_pictures(data: list[bytes], expected: list[tuple[int, int]] | str) -> None:
    if isinstance(expected, str):
        with pytest.raises(Forged, match=expected):
            read_pictures(data, LIMITS)
    else:
        read = read_pictures(data, LIMITS)
        assert [picture.size for picture in read] == expected
        assert {picture.mode for picture in read} == {"RGB"}


def test_an_animation_is_refused() -> None:
    still = PIL.Image.new("RGB", (4, 4))
    buffer = BytesIO()
    still.save(buffer, "PNG", save_all=True, append_images=[PIL.Image.new("RGB", (4, 4), "red")])
    with pytest.raises(Forged, match="animation"):
        read_pictures([buffer.getvalue()], LIMITS)
