"""What goes out for an image: the published bytes, or what a policy forces, with the reason."""

from __future__ import annotations

import base64
import hashlib
import json
from io import BytesIO

import msgspec
import PIL.Image
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_images import animated, embedded, noise, oriented, photo, png, red_left, saved

from beholder.errors import DataError, UsageError
from beholder.images.load import Image, load, pixels
from beholder.images.wire import (
    ANTHROPIC,
    OPENAI_COMPATIBLE,
    QWEN_VL,
    Sent,
    WirePolicy,
    base64_length,
    encode,
    sent_record,
)


def made(picture: PIL.Image.Image, kind: str = "PNG", **options: object) -> Image:
    return load(embedded(saved(picture, kind, **options)))


def bytes_sent(sent: Sent) -> bytes:
    head, _, text = sent.data_url.partition(b",")
    assert head == b"data:image/" + sent.format.lower().encode() + b";base64"
    data = base64.b64decode(text, validate=True)
    assert (hashlib.sha256(data).hexdigest(), len(data)) == (sent.sha256, sent.n_bytes)
    return data


def picture_sent(sent: Sent) -> PIL.Image.Image:
    picture = PIL.Image.open(BytesIO(bytes_sent(sent)))
    picture.load()
    assert (picture.format, picture.size) == (sent.format, (sent.width, sent.height))
    return picture


AS_PUBLISHED = {
    "JPEG": saved(photo(), "JPEG", quality=60),
    "progressive JPEG": saved(photo(), "JPEG", progressive=True),
    "grey JPEG": saved(photo().convert("L"), "JPEG"),
    "JPEG with a profile and upright EXIF": saved(photo(), "JPEG", icc_profile=b"p" * 99, exif=oriented(1)),
    "PNG": saved(photo(), "PNG"),
    "grey PNG": saved(photo().convert("L"), "PNG"),
    "1-bit PNG": saved(photo().convert("1"), "PNG"),
    "palette PNG": saved(photo().convert("P"), "PNG"),
    "opaque RGBA PNG": saved(photo().convert("RGBA"), "PNG"),
    "WebP": saved(photo(), "WEBP"),
    "GIF": saved(photo(), "GIF"),
}


@pytest.mark.parametrize("data", AS_PUBLISHED.values(), ids=AS_PUBLISHED)
def test_published_bytes_go_out_byte_for_byte(data: bytes) -> None:
    image = load(embedded(data))
    sent = encode(image, OPENAI_COMPATIBLE)
    assert bytes_sent(sent) == data
    assert (sent.flags, sent.reasons, sent.image) == ((), (), image.sha256)
    assert (sent.width, sent.height, sent.policy) == (image.width, image.height, "openai-compatible")


FORCED = {
    "CMYK JPEG": (saved(photo().convert("CMYK"), "JPEG"), "JPEG", ("mode_converted", "reencoded")),
    "16-bit PNG": (png(2, 1, 16, 0, b"\0\x12\x34\xff\xff"), "PNG", ("mode_converted", "reencoded")),
    "transparent PNG": (
        saved(PIL.Image.new("RGBA", (4, 4), (9, 9, 9, 0)), "PNG"),
        "PNG",
        ("mode_converted", "reencoded"),
    ),
    "animation": (animated(3), "PNG", ("mode_converted", "first_frame", "reencoded")),
    "BMP": (saved(photo(), "BMP"), "PNG", ("reencoded",)),
    "TIFF": (saved(photo(), "TIFF"), "PNG", ("reencoded",)),
    "turned JPEG": (saved(photo(), "JPEG", exif=oriented(8)), "JPEG", ("exif_applied", "reencoded")),
    "turned PNG": (saved(photo(), "PNG", exif=oriented(2)), "PNG", ("exif_applied", "reencoded")),
}


@pytest.mark.parametrize(("data", "kind", "flags"), FORCED.values(), ids=FORCED)
def test_what_servers_read_differently_is_encoded_anew(data: bytes, kind: str, flags: tuple[str, ...]) -> None:
    image = load(embedded(data))
    sent = encode(image, OPENAI_COMPATIBLE)
    picture = picture_sent(sent)
    assert (sent.format, sent.flags) == (kind, flags)
    assert sent.reasons
    assert (picture.mode, picture.size) == ("RGB", (image.width, image.height))
    assert 0x0112 not in picture.getexif()
    if kind == "PNG":
        assert picture.tobytes() == pixels(image).tobytes()


def test_t43_a_turned_picture_goes_out_upright_unless_the_server_turns_it() -> None:
    image = made(red_left(64, 32), "JPEG", exif=oriented(6))
    top = picture_sent(encode(image, OPENAI_COMPATIBLE)).getpixel((16, 8))
    assert isinstance(top, tuple)
    assert top[0] > 200 > 60 > top[2]
    trusting = WirePolicy(name="turns by itself", apply_exif=False)
    assert bytes_sent(encode(image, trusting)) == image.data
    scaled = encode(image, msgspec.structs.replace(trusting, max_side=32))
    assert (scaled.width, scaled.height) == (16, 32)
    assert scaled.flags == ("exif_applied", "resized", "reencoded")


MIN_28 = WirePolicy(name="at least 28", min_side=28, max_aspect=200)


@pytest.mark.parametrize(
    ("size", "sent_size"),
    [((10, 400), (28, 400)), ((27, 257), (28, 257)), ((5, 5), (28, 28)), ((28, 28), (28, 28))],
)
def test_t41_small_pictures_are_padded_to_the_minimum(size: tuple[int, int], sent_size: tuple[int, int]) -> None:
    image = made(PIL.Image.new("RGB", size, (0, 128, 0)))
    sent = encode(image, MIN_28)
    picture = picture_sent(sent)
    assert picture.size == sent_size
    assert ("padded" in sent.flags) == (size != sent_size)
    assert picture.getpixel((0, 0)) == (0, 128, 0)
    assert picture.getpixel((sent_size[0] - 1, 0)) == ((255, 255, 255) if size[0] < 28 else (0, 128, 0))
    assert bytes_sent(encode(image, OPENAI_COMPATIBLE)) == image.data, "no minimum: sent as is"


def test_t42_an_aspect_above_the_limit_is_refused_with_the_limit_named() -> None:
    image = made(PIL.Image.new("RGB", (4000, 10)))
    with pytest.raises(DataError, match=r"picture: .*4000x10, an aspect of 400; qwen-vl takes at most 200"):
        encode(image, QWEN_VL)
    assert bytes_sent(encode(image, OPENAI_COMPATIBLE)) == image.data
    assert encode(made(PIL.Image.new("RGB", (5600, 28))), QWEN_VL).flags == ()


def test_t45_the_limit_on_bytes_counts_the_base64_text() -> None:
    image = made(noise(1185, 1185))
    assert 4_150_000 < image.n_bytes < 4_300_000
    limit = 5_000_000
    assert image.n_bytes < limit < base64_length(image.n_bytes)
    sent = encode(image, WirePolicy(name="5 MB", max_bytes=limit))
    text = sent.data_url.partition(b",")[2]
    assert len(text) <= limit
    assert "reencoded" in sent.flags
    assert sent.reasons[-1] == f"{base64_length(image.n_bytes):,} bytes as base64, the limit is 5,000,000"
    assert (sent.width, sent.height, sent.format) == (1185, 1185, "JPEG")


def test_a_tight_limit_on_bytes_makes_the_picture_smaller() -> None:
    image = made(noise(200, 100), "JPEG", quality=95)
    sent = encode(image, WirePolicy(name="tight", max_bytes=4_000))
    assert base64_length(len(bytes_sent(sent))) <= 4_000
    assert {"resized", "reencoded"} <= set(sent.flags)
    assert sent.width < 200
    only_png = encode(made(noise(60, 60)), WirePolicy(name="tight", max_bytes=4_000, formats=("PNG",)))
    assert only_png.format == "PNG"
    assert len(only_png.data_url) < 4_100
    with pytest.raises(DataError, match="cannot be made to fit 80 bytes"):
        encode(image, WirePolicy(name="hopeless", max_bytes=80))


def test_t46_many_images_lower_the_limit_on_size() -> None:
    large, small = made(photo(2400, 60)), made(photo(640, 480))
    assert encode(large, ANTHROPIC, n_images=20).flags == ()
    sent = encode(large, ANTHROPIC, n_images=21)
    assert (sent.width, sent.height) == (2000, 50)
    assert sent.flags == ("resized", "reencoded")
    assert sent.reasons == ("2400x60 is above the limits of anthropic on pixels in a request of 21 images",)
    assert encode(small, ANTHROPIC, n_images=21).flags == ()


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 300), st.integers(1, 300), st.integers(0, 200), st.integers(0, 20_000), st.integers(0, 40))
def test_what_is_sent_keeps_to_the_policy(width: int, height: int, side: int, area: int, least: int) -> None:
    least = min(least, side) if side else least
    policy = WirePolicy(name="p", max_side=side, max_pixels=area, min_side=least)
    sent = encode(made(PIL.Image.new("L", (width, height))), policy)
    picture_sent(sent)
    assert not side or max(sent.width, sent.height) <= side
    assert min(sent.width, sent.height) >= least
    assert not area or "padded" in sent.flags or sent.width * sent.height <= area
    assert ("reencoded" in sent.flags) == bool(sent.flags)
    assert bool(sent.flags) == bool(sent.reasons)


@pytest.mark.parametrize("policy", [OPENAI_COMPATIBLE, ANTHROPIC, QWEN_VL, WirePolicy(name="s", max_side=20)])
def test_the_same_image_and_policy_give_the_same_bytes(policy: WirePolicy) -> None:
    for data in (saved(photo(), "JPEG", exif=oriented(3)), saved(photo().convert("CMYK"), "JPEG")):
        assert encode(load(embedded(data, "a")), policy) == encode(load(embedded(data, "b")), policy)


def test_the_record_of_what_was_sent_is_small_and_plain() -> None:
    record = sent_record(encode(made(photo(), "JPEG", exif=oriented(6)), OPENAI_COMPATIBLE))
    assert json.loads(json.dumps(record)) == record
    assert record["flags"] == ["exif_applied", "reencoded"]
    assert set(record) == {f for f in Sent.__struct_fields__ if f not in ("prefix", "base64")}
    assert len(json.dumps(record)) < 600


def test_a_policy_must_make_sense() -> None:
    for wrong in ({"formats": ("GIF",)}, {"jpeg_quality": 100}, {"min_side": 50, "max_side": 20}):
        with pytest.raises(UsageError, match="Wire policy 'w'"):
            WirePolicy(name="w", **wrong)  # type: ignore[arg-type]


def test_a_picture_that_cannot_be_encoded_is_the_datas_fault() -> None:
    image = made(PIL.Image.new("1", (70_000, 1)))
    with pytest.raises(DataError, match="70000x1 cannot be encoded as JPEG"):
        encode(image, WirePolicy(name="j", formats=("JPEG",)))


def test_repr_does_not_print_the_bytes() -> None:
    assert len(repr(encode(made(noise(80, 80)), OPENAI_COMPATIBLE))) < 200
