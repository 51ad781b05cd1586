"""JPEG: segments up to the first scan, and the end marker (ITU-T T.81, annex B)."""

from __future__ import annotations

from collections.abc import Iterator

from beholder.images import exif
from beholder.images.header import CUT_SHORT, Damaged, Header

_SOI, _EOI, _SOS, _COM = 0xD8, 0xD9, 0xDA, 0xFE
_APP0, _APP1, _APP14, _APP15 = 0xE0, 0xE1, 0xEE, 0xEF
_STANDALONE = frozenset((0x01, _SOI, *range(0xD0, 0xD8)))
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # C4, C8 and CC are tables, not frames
_READABLE = frozenset((0xC0, 0xC1, 0xC2))  # baseline, extended, progressive, all Huffman-coded
_MODES = {1: "L", 3: "RGB", 4: "CMYK"}
_XMP_PREFIX = b"http://ns.adobe.com/xap/1.0/\x00"
_END = b"\xff\xd9"
_MOST_SEGMENTS = 10_000


def read(data: bytes) -> Header:
    """Size, colour mode and orientation. Raises `Damaged`, also where no end marker follows the first scan.

    Without that marker decoders differ: some fill what is missing with grey, some refuse, some do not care.
    `complete` is False where there are stray bytes between segments.
    """
    frame = b""
    blocks: list[bytes] = []
    xmp = b""
    end = previous = 2
    clean = True
    for marker, start, end in _segments(data):
        clean = clean and start == previous
        previous = end
        if marker in _FRAMES and not frame:
            frame = data[start + 1 : end]
        elif marker == _APP1:
            body = data[start + 4 : end]
            if body.startswith(exif.PREFIX):
                blocks.append(body)
            elif body.startswith(_XMP_PREFIX):
                xmp = xmp or body
    if len(frame) < 9:
        raise Damaged("the JPEG does not say how large the picture is")
    width, height, mode = _frame(frame)
    if not data.endswith(_END) and data.find(_END, end) < 0:
        raise Damaged(f"{CUT_SHORT}: the JPEG has no end marker")
    return Header(
        format="JPEG",
        width=width,
        height=height,
        mode=mode,
        orientation=exif.orientation(blocks, xmp),
        complete=clean,
    )


def bare(data: bytes) -> bytes:
    """The same picture without comments and application data, all but JFIF and the Adobe colour mark.

    This is what the decoder is given: EXIF, ICC profiles, second pictures and vendors' blocks are never
    parsed.
    """
    kept = [data[:2]]
    end = 2
    for marker, start, end in _segments(data):
        if marker == _COM or (_APP0 < marker <= _APP15 and marker != _APP14):
            continue
        kept.append(data[start:end])
    kept.append(data[end:])
    return b"".join(kept)


def _segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """(marker, start of its FF byte, end) of each segment up to and with the first scan's header.

    Bytes between segments are skipped, as decoders do. The walk stops after 10,000 steps.
    """
    position = 2
    for _ in range(_MOST_SEGMENTS):
        position = data.find(b"\xff", position)
        if position < 0 or position + 4 > len(data):
            raise Damaged(f"{CUT_SHORT}: the JPEG ends before its picture begins")
        marker = data[position + 1]
        if marker in (0x00, 0xFF):
            position += 1
            continue
        if marker in _STANDALONE:
            position += 2
            continue
        if marker == _EOI:
            raise Damaged("the JPEG ends before its picture begins")
        length = int.from_bytes(data[position + 2 : position + 4], "big")
        end = position + 2 + length
        if length < 2:
            raise Damaged("a segment of the JPEG has an impossible length")
        if end > len(data):
            raise Damaged(f"{CUT_SHORT}: the JPEG ends before its picture begins")
        yield marker, position, end
        if marker == _SOS:
            return
        position = end
    raise Damaged("the JPEG has more than 10,000 segments before its picture")


def _frame(frame: bytes) -> tuple[int, int, str]:
    """(width, height, mode) from a frame header that starts at its marker byte."""
    kind, precision, components = frame[0], frame[3], frame[8]
    height, width = int.from_bytes(frame[4:6], "big"), int.from_bytes(frame[6:8], "big")
    if kind not in _READABLE:
        raise Damaged(f"this kind of JPEG (SOF{kind - 0xC0}: lossless, arithmetic or hierarchical) is not supported")
    if precision != 8:
        raise Damaged(f"this is a {precision}-bit JPEG, which is not supported")
    if components not in _MODES:
        raise Damaged(f"the JPEG has {components} colour components")
    return width, height, _MODES[components]
