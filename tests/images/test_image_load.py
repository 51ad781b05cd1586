"""Reading published images: what is accepted, what it is said to be, and what its pixels are."""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from io import BytesIO
from pathlib import Path

import PIL.Image
import pytest
from made_images import (
    BLUE,
    RED,
    animated,
    chunk,
    embedded,
    gif_of_frames,
    noise,
    oriented,
    photo,
    png,
    red_left,
    saved,
)
from PIL import ImageChops, ImageOps

from beholder.errors import DataError
from beholder.images.load import Limits, load, pixels
from beholder.sample import ImageRef

FORMATS = {
    "jpeg": (saved(photo(), "JPEG"), "JPEG", "image/jpeg", "RGB"),
    "jpeg-progressive": (saved(photo(), "JPEG", progressive=True), "JPEG", "image/jpeg", "RGB"),
    "jpeg-grey": (saved(photo().convert("L"), "JPEG"), "JPEG", "image/jpeg", "L"),
    "jpeg-cmyk": (saved(photo().convert("CMYK"), "JPEG"), "JPEG", "image/jpeg", "CMYK"),
    "jpeg-icc": (saved(photo(), "JPEG", icc_profile=b"\0" * 70_000), "JPEG", "image/jpeg", "RGB"),
    "png": (saved(photo(), "PNG"), "PNG", "image/png", "RGB"),
    "png-grey": (saved(photo().convert("L"), "PNG"), "PNG", "image/png", "L"),
    "png-1-bit": (saved(photo().convert("1"), "PNG"), "PNG", "image/png", "1"),
    "png-palette": (saved(photo().convert("P"), "PNG"), "PNG", "image/png", "P"),
    "png-alpha": (saved(photo().convert("RGBA"), "PNG"), "PNG", "image/png", "RGBA"),
    "png-grey-alpha": (saved(photo().convert("LA"), "PNG"), "PNG", "image/png", "LA"),
    "png-16-bit": (png(2, 1, 16, 0, b"\0\x12\x34\xff\xff"), "PNG", "image/png", "I;16"),
    "png-16-bit-colour": (png(1, 1, 16, 2, b"\0" + bytes(6)), "PNG", "image/png", "RGB;16"),
    "png-icc": (saved(photo(), "PNG", icc_profile=b"\1" * 5000), "PNG", "image/png", "RGB"),
    "webp": (saved(photo(), "WEBP"), "WEBP", "image/webp", "RGB"),
    "webp-lossless": (saved(photo(), "WEBP", lossless=True), "WEBP", "image/webp", "RGB"),
    "webp-alpha": (
        saved(PIL.Image.new("RGBA", (9, 7), (1, 2, 3, 90)), "WEBP"),
        "WEBP",
        "image/webp",
        "RGBA",
    ),
    "gif": (saved(photo(), "GIF"), "GIF", "image/gif", "P"),
    "bmp": (saved(photo(), "BMP"), "BMP", "image/bmp", "RGB"),
    "tiff": (saved(photo(), "TIFF", compression="tiff_lzw"), "TIFF", "image/tiff", "RGB"),
}


@pytest.mark.parametrize(("data", "kind", "mime", "mode"), FORMATS.values(), ids=FORMATS)
def test_an_image_is_described_from_its_bytes(data: bytes, kind: str, mime: str, mode: str) -> None:
    image = load(embedded(data))
    with PIL.Image.open(BytesIO(data)) as opened:
        assert (image.width, image.height) == opened.size
    assert (image.format, image.mime, image.mode) == (kind, mime, mode)
    assert (image.sha256, image.n_bytes) == (hashlib.sha256(data).hexdigest(), len(data))
    assert image.data == data
    assert image.exif_orientation == 1
    assert image.flags == (("alpha",) if mode in ("RGBA", "LA") else ())
    shown = pixels(image)
    assert (shown.mode, shown.size) == ("RGB", (image.width, image.height))


@pytest.mark.parametrize("name", ["jpeg", "png", "webp-lossless", "bmp", "tiff", "jpeg-progressive"])
def test_pixels_are_those_of_the_picture(name: str) -> None:
    difference = ImageChops.difference(pixels(load(embedded(FORMATS[name][0]))), photo())
    assert max(high for _, high in difference.getextrema()) <= (40 if "jpeg" in name else 0)


GREY_RAMP = bytes([0, 0x00, 0x00, 0x80, 0xFF, 0xFF, 0xFF])
WHITE = (255, 255, 255)
COLOURS = {
    "T39 CMYK JPEG": (saved(PIL.Image.new("CMYK", (8, 8), (0, 255, 255, 0)), "JPEG"), [(254, 0, 0)]),
    "T39 16-bit grey PNG, high byte": (
        png(3, 1, 16, 0, GREY_RAMP),
        [(0, 0, 0), (128, 128, 128), WHITE],
    ),
    "16-bit colour PNG": (png(1, 1, 16, 2, b"\0\xfe\x01\x80\x02\x00\x03"), [(0xFE, 0x80, 0x00)]),
    "16-bit PNG with one transparent colour": (
        png(1, 1, 16, 2, b"\0\xfe\x01\x80\x02\x00\x03", chunk(b"tRNS", b"\xfe\x01\x80\x02\x00\x03")),
        [(0xFE, 0x80, 0x00)],
    ),
    "T39 palette PNG with alpha, over white": (
        png(
            3,
            1,
            8,
            3,
            b"\0\0\1\2",
            chunk(b"PLTE", b"\xff\0\0\0\xff\0\0\0\xff"),
            chunk(b"tRNS", b"\xff\0\x80"),
        ),
        [(255, 0, 0), WHITE, (127, 127, 255)],
    ),
    "T39 LA, over white": (png(2, 1, 8, 4, b"\0\x10\xff\x10\x00"), [(16, 16, 16), WHITE]),
    "RGBA, over white": (png(2, 1, 8, 6, b"\0\1\2\3\xff\1\2\3\0"), [(1, 2, 3), WHITE]),
    "16-bit RGBA, over white": (
        png(2, 1, 16, 6, b"\0" + b"\x10\x00" * 3 + b"\xff\xff" + bytes(8)),
        [(16, 16, 16), WHITE],
    ),
    "T39 1-bit": (png(2, 1, 1, 0, b"\0\x80"), [WHITE, (0, 0, 0)]),
    "1-bit with black transparent": (png(2, 1, 1, 0, b"\0\x80", chunk(b"tRNS", b"\0\0")), [WHITE, WHITE]),
    "4-bit grey with one level transparent": (
        png(2, 1, 4, 0, b"\0\x5a", chunk(b"tRNS", b"\0\x05")),
        [WHITE, (170, 170, 170)],
    ),
    "RGB with one colour transparent": (
        png(2, 1, 8, 2, b"\0\1\2\3\4\5\6", chunk(b"tRNS", b"\0\1\0\2\0\3")),
        [WHITE, (4, 5, 6)],
    ),
    "big-endian 16-bit TIFF": (
        saved(PIL.Image.frombytes("I;16B", (2, 1), b"\x12\x34\xab\xcd"), "TIFF"),
        [(0x12,) * 3, (0xAB,) * 3],
    ),
}


@pytest.mark.parametrize(("data", "colours"), COLOURS.values(), ids=COLOURS)
def test_every_colour_mode_becomes_rgb(data: bytes, colours: list[tuple[int, int, int]]) -> None:
    shown = pixels(load(embedded(data)))
    assert shown.mode == "RGB"
    for x, colour in enumerate(colours):
        found = shown.getpixel((x, 0))
        assert isinstance(found, tuple)
        assert all(abs(a - b) <= 1 for a, b in zip(found, colour, strict=True)), found


def test_t43_a_picture_held_sideways_is_seen_upright() -> None:
    image = load(embedded(saved(red_left(64, 32), "JPEG", exif=oriented(6), quality=95)))
    assert (image.width, image.height, image.exif_orientation) == (32, 64, 6)
    assert "exif_applied" in image.flags
    shown = pixels(image)
    assert shown.size == (32, 64)
    for place, colour in (((16, 8), RED), ((16, 56), BLUE)):
        found = shown.getpixel(place)
        assert isinstance(found, tuple)
        assert all(abs(a - b) <= 3 for a, b in zip(found, colour, strict=True))


@pytest.mark.parametrize("value", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_orientation_agrees_with_pillow(kind: str, value: int) -> None:
    data = saved(photo(40, 24), kind, exif=oriented(value), **({"lossless": True} if kind == "WEBP" else {}))
    image = load(embedded(data))
    with PIL.Image.open(BytesIO(data)) as opened:
        expected = ImageOps.exif_transpose(opened).convert("RGB")
    assert image.exif_orientation == value
    assert (image.width, image.height) == expected.size
    assert ImageChops.difference(pixels(image), expected).getbbox() is None


TIFF_HEAD = b"MM\0*\0\0\0\x08"
ENTRY = struct.pack(">HHIHH", 0x0112, 3, 1, 6, 0)
XMP = b'<x tiff:Orientation="8"/>'
RAW_PROFILE = b"\nexif\n      36\n" + (b"Exif\0\0" + TIFF_HEAD + b"\0\1" + ENTRY + b"\0\0\0\0").hex().encode() + b"\n"
ORIENTATIONS = {
    "in XMP only": ("JPEG", {"xmp": XMP}, 8),
    "EXIF before XMP": ("JPEG", {"xmp": XMP, "exif": oriented(3)}, 3),
    "value beyond 8": ("JPEG", {"exif": oriented(9)}, 1),
    "value 0": ("JPEG", {"exif": oriented(0)}, 1),
    "value 0, XMP ignored": ("JPEG", {"xmp": XMP, "exif": oriented(0)}, 1),
    "no tag": ("JPEG", {"exif": b"Exif\0\0" + TIFF_HEAD + b"\0\0"}, 1),
    "not EXIF inside": ("JPEG", {"exif": b"Exif\0\0" + b"garbage" * 9}, 1),
    "directory beyond the block": ("JPEG", {"exif": b"Exif\0\0MM\0*\xff\xff\xff\xff"}, 1),
    "more entries than bytes": ("JPEG", {"exif": b"Exif\0\0" + TIFF_HEAD + b"\xff\xff" + ENTRY}, 6),
    "XMP in WebP": ("WEBP", {"xmp": XMP}, 8),
}


@pytest.mark.parametrize(("kind", "options", "value"), ORIENTATIONS.values(), ids=ORIENTATIONS)
def test_orientation_is_read_where_it_makes_sense(kind: str, options: dict[str, bytes], value: int) -> None:
    assert load(embedded(saved(photo(), kind, **options))).exif_orientation == value


def test_orientation_in_a_png_text_profile_and_xmp() -> None:
    rows = b"\0\1\2\3" * 2
    text = chunk(b"zTXt", b"Raw profile type exif\0\0" + zlib.compress(RAW_PROFILE))
    plain = chunk(b"tEXt", b"Raw profile type exif\0" + RAW_PROFILE)
    xmp = chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + XMP)
    broken = chunk(b"zTXt", b"Raw profile type exif\0\0not zlib")
    assert load(embedded(png(1, 2, 8, 2, rows, text))).exif_orientation == 6
    assert load(embedded(png(1, 2, 8, 2, rows, plain))).exif_orientation == 6
    assert load(embedded(png(1, 2, 8, 2, rows, xmp))).exif_orientation == 8
    assert load(embedded(png(1, 2, 8, 2, rows, broken))).exif_orientation == 1


def test_t44_the_name_does_not_decide_the_format(tmp_path: Path) -> None:
    path = tmp_path / "x.jpg"
    path.write_bytes(saved(photo(), "PNG"))
    image = load(ImageRef("x.jpg", path=str(path)))
    assert (image.mime, image.flags) == ("image/png", ("misnamed",))


def test_a_file_and_its_embedded_bytes_are_the_same_image(tmp_path: Path) -> None:
    data = saved(photo(), "JPEG")
    path = tmp_path / "a.jpg"
    path.write_bytes(data)
    assert load(ImageRef("a", path=str(path))) == load(ImageRef("a", data=data))


def test_oddities_that_decoders_pass_over_are_passed_over() -> None:
    jpeg, gif = saved(photo(), "JPEG"), saved(photo(), "GIF")
    oddities = {
        "a maker's data behind a JPEG": jpeg + b"a maker's own data" * 20,
        "stray bytes between the segments": jpeg[:20] + b"\0\0\0" + jpeg[20:],
        "fill bytes between the segments": jpeg[:20] + b"\xff\xff" + jpeg[20:],
        "a GIF without its trailer": gif[:-1],
        "a second trailer": gif + b"\x3b",
        "zeros behind a PNG": saved(photo(), "PNG") + bytes(500),
        "zeros behind a WebP": saved(photo(), "WEBP") + bytes(500),
    }
    for name, data in oddities.items():
        image = load(embedded(data))
        assert pixels(image).size == (64, 48), name


def test_a_jpeg_with_stray_bytes_is_decoded_once_to_be_sure() -> None:
    jpeg = saved(photo(), "JPEG")
    table = jpeg.index(b"\xff\xc4") + 5
    spoilt = jpeg[:table] + b"\xff" * 16 + jpeg[table + 16 :]
    with pytest.raises(DataError, match="cannot be decoded"):
        load(embedded(spoilt[:20] + b"\0\0\0" + spoilt[20:]))
    with pytest.raises(DataError, match="cannot be decoded"):
        pixels(load(embedded(spoilt)))


def test_animations_are_flagged_and_show_their_first_frame() -> None:
    for kind in ("GIF", "PNG", "WEBP"):
        data = animated(3, kind)
        image = load(embedded(data))
        assert "animated" in image.flags, kind
        assert pixels(image).size == (8, 8)


def test_repr_does_not_print_the_bytes() -> None:
    image = load(embedded(saved(noise(80, 80), "PNG")))
    assert len(repr(image)) < 200
    assert "80x80" in repr(image)


BOMB = png(60_000, 60_000, 1, 0, b"\0")
WHOLE_JPEG, WHOLE_PNG = saved(photo(), "JPEG"), saved(photo(), "PNG")
REFUSED = {
    "T40 empty": (b"", "0 bytes"),
    "T40 HTML": (b"\n<!DOCTYPE html><html><body>404</body></html>", "HTML page"),
    "T40 JPEG cut at 60 %": (WHOLE_JPEG[: len(WHOLE_JPEG) * 6 // 10], "cut short"),
    "JPEG filled up with zeros": (
        WHOLE_JPEG[: len(WHOLE_JPEG) * 6 // 10].ljust(len(WHOLE_JPEG), b"\0"),
        "no end marker",
    ),
    "only the magic": (b"\xff\xd8\xff", "cut short"),
    "half the magic": (b"\x89PNG", "cut short after 4 bytes"),
    "Git LFS pointer": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
        "Git LFS pointer",
    ),
    "SVG": (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "SVG"),
    "JSON": (b'{"error": "not found"}', "JSON"),
    "HEIC": (b"\0\0\0\x18ftypheic" + bytes(20), "HEIC"),
    "text": (b"hello, world", "no image format"),
    "bomb": (BOMB, "60000x60000 pixels, the limit is 89,478,485"),
    "10,000 frames": (gif_of_frames(10_000), "animation of 10,000 frames, the limit is 1,000"),
    "APNG declaring 4 billion frames": (
        png(1, 1, 8, 0, b"\0\0", chunk(b"acTL", b"\xff" * 8)),
        "animation of 4,294,967,295 frames",
    ),
    "no pixels": (png(0, 5, 8, 0, b"\0"), "0x5 pixels"),
    "PNG with a wrong checksum": (
        WHOLE_PNG.replace(b"IDAT", b"IDAT\1", 1)[: len(WHOLE_PNG)],
        "checksum|cut short",
    ),
    "PNG with a hole": (WHOLE_PNG[:200] + bytes(50) + WHOLE_PNG[250:], "checksum of its IDAT"),
    "PNG without a picture": (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", b"\0\0\0\1\0\0\0\1\x08\0\0\0\0") + chunk(b"IEND", b""),
        "no IDAT",
    ),
    "PNG without its palette": (png(1, 1, 8, 3, b"\0\0"), "palette"),
    "PNG of 3 bits": (png(1, 1, 3, 0, b"\0\0"), "impossible values"),
    "GIF without a picture": (b"GIF89a\1\0\1\0\0\0\0\x3b", "no picture"),
    "WebP without a picture": (b"RIFF\x04\0\0\0WEBP", "no picture"),
    "TIFF of noise": (b"II*\0" + b"\xfe" * 100, "cannot be decoded"),
    "BMP of noise": (b"BM" + b"\xfe" * 100, "cannot be decoded"),
    "float TIFF": (saved(PIL.Image.new("F", (2, 2)), "TIFF"), "32-bit"),
    "12-bit JPEG": (WHOLE_JPEG.replace(b"\xff\xc0\0\x11\x08", b"\xff\xc0\0\x11\x0c"), "12-bit"),
    "arithmetic JPEG": (WHOLE_JPEG.replace(b"\xff\xc0\0\x11", b"\xff\xc9\0\x11"), "SOF9"),
}


@pytest.mark.parametrize(("data", "says"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_used_is_refused_in_one_line(data: bytes, says: str) -> None:
    with pytest.raises(DataError, match=says) as caught:
        load(embedded(data, "dog.png"))
    assert str(caught.value).startswith("dog.png: ")
    assert "\n" not in str(caught.value)
    assert caught.value.mend


WHOLE = {name: data for name, (data, *_) in FORMATS.items()} | {"gif-animated": animated(6)}


@pytest.mark.parametrize("tenth", range(10))
@pytest.mark.parametrize("name", WHOLE)
def test_t40_a_file_cut_anywhere_is_found(name: str, tenth: int) -> None:
    data = WHOLE[name]
    with pytest.raises(DataError):
        load(embedded(data[: len(data) * tenth // 10]))


def test_limits_are_the_callers() -> None:
    data = saved(photo(64, 48), "PNG")
    for limits, says in (
        (Limits(max_bytes=100), "the limit is 100"),
        (Limits(max_pixels=64 * 48 - 1), "the limit is 3,071"),
    ):
        with pytest.raises(DataError, match=says):
            load(embedded(data), limits)
    assert load(embedded(data), Limits(max_bytes=len(data), max_pixels=64 * 48)).width == 64


def test_t49_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^images/9\.png: the image file .*9\.png does not exist\. "):
        load(ImageRef("images/9.png", path=str(tmp_path / "9.png")))


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("folder", "is a folder"),
        ("link", "is a folder"),
        ("loop", "cannot be read"),
        ("pipe", "not a regular file"),
        ("file/below", "does not exist"),
        ("big", "the limit is"),
        ("n" * 300, "cannot be read"),
        ("nul\0name.png", "cannot be a file name"),
        ("surrogate\ud800.png", "cannot be a file name"),
        ("dangling", "does not exist"),
    ],
)
def test_paths_that_lead_to_no_file(tmp_path: Path, path: str, says: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "big").open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    with pytest.raises(DataError, match=says) as caught:
        load(ImageRef("", path=f"{tmp_path}/{path}"))
    str(caught.value).encode("utf-8")  # fit for a terminal and a journal
    assert "\0" not in str(caught.value)


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: object, flags: int) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("beholder.images.load.os.open", refuse)
    with pytest.raises(DataError, match="may not be read"):
        load(ImageRef("a.png", path=str(tmp_path / "a.png")))


def test_a_reference_gives_a_path_or_bytes() -> None:
    for ref in (ImageRef("a"), ImageRef("a", path="a.png", data=b"x")):
        with pytest.raises(DataError, match="either a path or the bytes"):
            load(ref)


def test_names_from_the_data_cannot_speak_to_the_terminal() -> None:
    with pytest.raises(DataError) as caught:
        load(embedded(b"", "\x1b[2Jgone\n" + "x" * 5000))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400
