"""What the bytes of an image say about it, read without decoding a pixel.

The readers of one format each (`jpeg`, `png`, `gif`, `webp`) return a `Header` or raise `Damaged`. They walk
the file's own structure to its end, which finds a file that was cut short for a few microseconds, where
decoding the picture costs milliseconds. BMP and TIFF have no such end: `load`
decodes them once.
"""

from __future__ import annotations

import msgspec

MIME = {
    "JPEG": "image/jpeg",
    "PNG": "image/png",
    "WEBP": "image/webp",
    "GIF": "image/gif",
    "BMP": "image/bmp",
    "TIFF": "image/tiff",
}
"""The formats that can be read, with their MIME types."""

EXTENSIONS = {
    "jpg": "JPEG",
    "jpeg": "JPEG",
    "jpe": "JPEG",
    "jfif": "JPEG",
    "png": "PNG",
    "webp": "WEBP",
    "gif": "GIF",
    "bmp": "BMP",
    "tif": "TIFF",
    "tiff": "TIFF",
}

CUT_SHORT = "the file is cut short"


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What was read: sizes are in pixels as stored, before any EXIF rotation.

    `mode` is Pillow's word (`L`, `RGB`, `CMYK`, `P`, `LA`, `RGBA`, `1`, `I;16`) except that 16-bit colour,
    which Pillow has no word for, is `RGB;16`, `RGBA;16` and `LA;16`. `alpha`: some pixels may be transparent.
    `frames` is 1 for a still picture. `orientation` is the EXIF value, 1 to 8. `complete` is False where the
    structure alone does not prove that the whole picture is there, so that it must be decoded once to know.
    """

    format: str
    width: int
    height: int
    mode: str
    alpha: bool = False
    frames: int = 1
    orientation: int = 1
    complete: bool = True


class Damaged(Exception):
    """The bytes are not a usable image; the text says why. Becomes a `DataError` with the file's name."""


_MAGIC = (
    (b"\xff\xd8\xff", "JPEG"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"BM", "BMP"),
    (b"II*\x00", "TIFF"),
    (b"MM\x00*", "TIFF"),
)

_STRANGERS = (
    (
        b"version https://git-lfs",
        "a Git LFS pointer, not the image itself (fetch the files with `git lfs pull`)",
    ),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "gzip-compressed data"),
    (b"\x00\x00\x00\x0cJXL ", "a JPEG XL image, which is not supported"),
    (b"\xff\x0a", "a JPEG XL image, which is not supported"),
    (b"\x00\x00\x00\x0cjP", "a JPEG 2000 image, which is not supported"),
    (b"data:image/", "a data URL as text, not the image itself"),
)


def sniff(data: bytes) -> str:
    """The format of the bytes, one of `MIME`; the name of the file plays no part.

    Raises `Damaged` saying what the bytes look like instead: an error page and an LFS pointer need different
    mends.
    """
    for magic, name in _MAGIC:
        if data.startswith(magic):
            return name
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WEBP"
    raise Damaged(_stranger(data))


def _stranger(data: bytes) -> str:
    if not data:
        return "the file is empty (0 bytes)"
    for magic, what in _STRANGERS:
        if data.startswith(magic):
            return f"this is {what}"
    if data[4:8] == b"ftyp":
        return "this is a HEIC, AVIF or video file, which is not supported"
    start = data[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return "this is an HTML page, not an image (often the error page of a failed download)"
    if start.startswith((b"<?xml", b"<svg", b"<error")):
        return "this is an XML or SVG text, not a pixel image"
    if start.startswith((b"{", b"[")):
        return "this is a JSON text, not an image"
    if any(magic.startswith(data) for magic, _ in _MAGIC):
        return f"{CUT_SHORT} after {len(data)} bytes"
    return "the bytes are of no image format that can be read (" + ", ".join(MIME) + ")"
