"""Mirrored, turned and cut pictures are found, and different ones are not."""

from __future__ import annotations

import random

import PIL.Image
import PIL.ImageDraw
import pytest
from made_images import embedded, photo, saved

from beholder.images.crops import parts, shows_part
from beholder.images.fingerprint import Fingerprint, fingerprint_of
from beholder.images.load import load
from beholder.images.similar import alike
from beholder.images.variants import VARIANTS, variants

Picture = PIL.Image.Image


def drawing(seed: int) -> Picture:
    """Boxes, discs and lines on a smooth ground: something with corners."""
    rng = random.Random(seed)
    picture = photo(600, 450, seed)
    pen = PIL.ImageDraw.Draw(picture)
    for _ in range(40):
        x, y, size = rng.randrange(560), rng.randrange(410), rng.randrange(12, 90)
        colour = (rng.randrange(256), rng.randrange(256), rng.randrange(256))
        shape = rng.choice((pen.rectangle, pen.ellipse))
        shape((x, y, x + size, y + rng.randrange(12, 90)), fill=colour, outline="black")
    return picture


def print_of(picture: Picture, quality: int = 75) -> Fingerprint:
    return fingerprint_of(load(embedded(saved(picture, "JPEG", quality=quality))), corners=True)


DRAWINGS = [drawing(seed) for seed in range(6)]
PRINTS = [print_of(picture) for picture in DRAWINGS]


@pytest.mark.parametrize("name", VARIANTS)
def test_each_variant_is_found_under_its_name(name: str) -> None:
    for picture, own in zip(DRAWINGS, PRINTS, strict=True):
        laid = print_of(picture.transpose(VARIANTS[name]).resize((400, 420)), 50)
        assert not alike(laid.look, own.look)
        assert [other for other, look in variants(own.small) if alike(look, laid.look)] == [name]


# of width and height: where the part begins, and how much of it is kept
CUTS = [(0.0, 0.0, 0.8), (0.2, 0.2, 0.8), (0.1, 0.05, 0.85), (0.25, 0.15, 0.7)]


@pytest.mark.parametrize(("left", "top", "kept"), CUTS)
def test_a_cut_and_resized_picture_is_found(left: float, top: float, kept: float) -> None:
    cut = []
    for picture in DRAWINGS:
        box = (left * picture.width, top * picture.height, (left + kept) * picture.width, (top + kept) * picture.height)
        part = picture.crop(tuple(map(round, box)))  # type: ignore[arg-type]
        cut.append(print_of(part.resize((round(part.width * 0.9), round(part.height * 0.9)))))
    assert list(parts(cut, PRINTS)) == [(number, number) for number in range(len(DRAWINGS))]
    assert all(shows_part(own, part) for own, part in zip(PRINTS, cut, strict=True))


def test_different_pictures_show_no_part_of_each_other() -> None:
    assert list(parts(PRINTS[:3], PRINTS[3:])) == []


def test_pictures_that_overlap_are_no_parts() -> None:
    picture = DRAWINGS[0]
    left = print_of(picture.crop((0, 0, 400, 450)))
    right = print_of(picture.crop((200, 0, 600, 450)))
    assert not shows_part(left, right)


def test_pictures_without_corners_are_never_parts() -> None:
    flat = print_of(PIL.Image.new("RGB", (300, 200), "white"))
    assert flat.corners == b""
    assert list(parts([flat], [flat, *PRINTS])) == []
    assert list(parts([], PRINTS)) == []
