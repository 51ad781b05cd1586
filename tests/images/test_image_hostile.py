"""Whatever the bytes: `load`, `pixels`, `encode` and `thumbnail` give a result or a DataError."""

from __future__ import annotations

import contextlib
import struct
import time
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_images import animated, chunk, embedded, oriented, photo, png, saved

from beholder.errors import DataError
from beholder.images import exif
from beholder.images.load import Limits, load, pixels
from beholder.images.thumbnail import thumbnail
from beholder.images.wire import ANTHROPIC, QWEN_VL, encode

LIMITS = Limits(max_pixels=4_000_000)
SEEDS = [
    saved(photo(), "JPEG", exif=oriented(6)),
    saved(photo(), "JPEG", progressive=True, icc_profile=b"icc" * 50),
    saved(photo(), "PNG", exif=oriented(5)),
    saved(photo().convert("P"), "PNG", transparency=3),
    saved(photo(), "WEBP", exif=oriented(3)),
    saved(photo().convert("RGBA"), "WEBP", lossless=True),
    saved(photo(), "GIF"),
    animated(4),
    animated(3, "WEBP"),
    saved(photo(), "BMP"),
    saved(photo(), "TIFF", exif=oriented(7)),
    saved(photo(), "TIFF", compression="tiff_lzw"),
]
MAGIC = [
    b"\xff\xd8\xff",
    b"\x89PNG\r\n\x1a\n",
    b"GIF89a",
    b"BM",
    b"II*\0",
    b"MM\0*",
    b"RIFF\x40\0\0\0WEBP",
    b"",
]


def use(data: bytes) -> None:
    """All that a run does with an image."""
    try:
        image = load(embedded(data), LIMITS)
    except DataError:
        return
    assert image.width * image.height <= LIMITS.max_pixels
    for step in (pixels, lambda i: encode(i, QWEN_VL), lambda i: encode(i, ANTHROPIC, 30), thumbnail):
        with contextlib.suppress(DataError):
            step(image)


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(MAGIC), st.binary(max_size=400))
def test_random_bytes(magic: bytes, rest: bytes) -> None:
    use(magic + rest)


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from(SEEDS),
    st.lists(st.tuples(st.integers(0, 1 << 16), st.integers(0, 255)), min_size=1, max_size=6),
    st.integers(0, 200),
)
def test_files_with_changed_bytes(data: bytes, changes: list[tuple[int, int]], header_only: int) -> None:
    changed = bytearray(data)
    span = min(len(data), header_only or len(data))
    for place, value in changes:
        changed[place % span] = value
    use(bytes(changed))


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(SEEDS), st.data())
def test_files_with_a_piece_missing(data: bytes, draw: st.DataObject) -> None:
    start = draw.draw(st.integers(0, len(data)))
    end = draw.draw(st.integers(start, len(data)))
    use(data[:start] + data[end:])


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(["JPEG", "PNG", "WEBP"]), st.binary(max_size=300), st.booleans())
def test_exif_garbage_never_costs_the_picture(kind: str, garbage: bytes, with_head: bool) -> None:
    block = b"Exif\0\0" + (b"MM\0*\0\0\0\x08" if with_head else b"") + garbage
    image = load(embedded(saved(photo(), kind, exif=block)))
    assert 1 <= image.exif_orientation <= 8
    assert sorted(pixels(image).size) == [48, 64]


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=200), st.binary(max_size=100))
def test_the_orientation_is_always_one_to_eight(block: bytes, xmp: bytes) -> None:
    assert 1 <= exif.orientation([b"II*\0" + block], b"tiff:Orientation>" + xmp) <= 8
    assert isinstance(exif.raw_profile(block, compressed=True), bytes)
    assert isinstance(exif.raw_profile(block, compressed=False), bytes)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 90), st.integers(1, 90), st.sampled_from(["JPEG", "PNG", "WEBP", "GIF"]), st.booleans())
def test_sizes_agree_with_what_is_decoded(width: int, height: int, kind: str, special: bool) -> None:
    options = {"JPEG": {"progressive": special}, "WEBP": {"lossless": special}}.get(kind, {})
    image = load(embedded(saved(photo(width, height), kind, **options)))
    assert (image.width, image.height) == (width, height) == pixels(image).size


def jpeg_of_segments(count: int) -> bytes:
    return b"\xff\xd8" + b"\xff\xfe\0\2" * count


MANY = {
    "JPEG of tiny segments": jpeg_of_segments(1_000_000),
    "JPEG of fill bytes": b"\xff\xd8" + b"\xff" * 4_000_000,
    "PNG of tiny chunks": png(1, 1, 8, 0, b"\0\0", *[b"\0\0\0\0teXt\0\0\0\0"] * 300_000),
    "GIF of tiny blocks": b"GIF89a\1\0\1\0\0\0\0\x21\xfe" + b"\1x" * 2_000_000 + b"\0\x3b",
    "GIF of nothing": b"GIF89a\1\0\1\0\0\0\0" + b"\0" * 4_000_000,
    "WebP of tiny chunks": b"RIFF" + struct.pack("<I", 8 * 300_000 + 4) + b"WEBP" + b"none\0\0\0\0" * 300_000,
    "PNG text that unpacks to much": png(
        1,
        1,
        8,
        0,
        b"\0\0",
        chunk(b"zTXt", b"Raw profile type exif\0\0" + zlib.compress(bytes(50_000_000))),
    )
    + b"",
}


@pytest.mark.parametrize("data", MANY.values(), ids=MANY)
def test_a_hostile_structure_costs_little(data: bytes) -> None:
    start = time.process_time()
    use(data)
    assert time.process_time() - start < 20  # what grows with the square takes minutes here


def test_a_bomb_inside_a_modest_header_is_not_decoded() -> None:
    """A second frame header that says another size than the first must not reach the pixels."""
    data = saved(photo(), "JPEG")
    start = data.index(b"\xff\xc0")
    frame = data[start : start + 19]
    big = frame[:5] + b"\xff\xff\xff\xff" + frame[9:]
    image = load(embedded(data[:start] + frame + big + data[start + 19 :]))
    with pytest.raises(DataError, match=r"cannot be decoded|its header says"):
        pixels(image)
