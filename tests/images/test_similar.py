"""Pictures that look the same are found whatever was done to the file, and different ones are not."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import PIL.Image
import PIL.ImageDraw
import pytest
from made_images import embedded, oriented, photo, saved

from beholder.images.load import load, pixels
from beholder.images.similar import Look, Looks, alike, distance, look_of, perceptual_hash

Picture = PIL.Image.Image


def again(data: bytes) -> Picture:
    return pixels(load(embedded(data)))


def disc(radius: int) -> Picture:
    """A symmetric drawing: half of its frequencies are zero but for rounding."""
    picture = PIL.Image.new("RGB", (300, 300), "white")
    PIL.ImageDraw.Draw(picture).ellipse((150 - radius, 150 - radius, 150 + radius, 150 + radius), fill="navy")
    return picture


PICTURES = [*(photo(320, 240, seed) for seed in range(6)), disc(60), disc(140)]
CHANGES: dict[str, Callable[[Picture], Picture]] = {
    "JPEG 85": lambda picture: again(saved(picture, "JPEG", quality=85)),
    "JPEG 30": lambda picture: again(saved(picture, "JPEG", quality=30)),
    "half size": lambda picture: picture.resize((picture.width // 2, picture.height // 2)),
    "twice the size": lambda picture: picture.resize((picture.width * 2, picture.height * 2)),
    "another shape": lambda picture: picture.resize((200, 200)),
    "a palette": lambda picture: again(saved(picture.quantize(64, method=PIL.Image.Quantize.FASTOCTREE), "GIF")),
    "grey": lambda picture: picture.convert("L").convert("RGB"),
    "WebP": lambda picture: again(saved(picture, "WEBP", quality=60)),
    "turned, and EXIF turns it back": lambda picture: again(
        saved(picture.transpose(PIL.Image.Transpose.ROTATE_90), "JPEG", quality=90, exif=oriented(6))
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_copy_looks_the_same(change: Callable[[Picture], Picture]) -> None:
    for picture in PICTURES:
        assert alike(look_of(picture), look_of(change(picture)))


def test_different_pictures_do_not() -> None:
    looks = [look_of(picture) for picture in PICTURES]
    assert not any(alike(one, other) for one, other in itertools.combinations(looks, 2))


def test_what_is_not_found_as_the_page_says() -> None:
    picture = PICTURES[0]
    mirrored = picture.transpose(PIL.Image.Transpose.FLIP_LEFT_RIGHT)
    cut = picture.crop((64, 48, 320, 240))
    assert not any(alike(look_of(picture), look_of(other)) for other in (mirrored, cut))


@pytest.mark.parametrize("colour", ["white", "black", (90, 120, 30)])
def test_flat_pictures_have_no_look(colour: str | tuple[int, int, int]) -> None:
    flat = look_of(PIL.Image.new("RGB", (50, 40), colour))
    assert flat.flat
    assert not alike(flat, flat)
    looks = Looks()
    looks.add(0, flat)
    assert looks.find(flat) == []


def test_near_hashes_of_pictures_that_do_not_correlate_are_not_alike() -> None:
    look = look_of(PICTURES[0])
    other = Look(look.hash ^ 0b111, bytes(reversed(look.grey)))
    assert distance(look.hash, other.hash) == 3
    assert not alike(look, other)


def test_the_hash_has_63_bits() -> None:
    assert all(0 < perceptual_hash(picture) < 1 << 64 for picture in PICTURES)


def test_looks_find_every_near_hash_and_nothing_else() -> None:
    """Any seven bits leave one band of eight untouched."""
    look = look_of(PICTURES[0])
    looks = Looks()
    spread = [sum(1 << (8 * band + 1) for band in range(bits)) for bits in range(9)]  # one bit in each of so many bands
    for number, bits in enumerate(spread):
        looks.add(number, Look(look.hash ^ bits, look.grey))
    assert looks.find(look) == list(range(8))
