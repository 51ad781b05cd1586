"""Measuring turns from pixels: any resampling, canvas and corner colour; what is no turned picture is none."""

from __future__ import annotations

import random

import PIL.Image
import pytest
from PIL import ImageDraw, ImageOps
from PIL.Image import Resampling, Transpose

from beholder.experiments.turned import Original
from beholder.synth.photographs import SHIPPED

PHOTOS = ("astronaut.jpg", "chelsea.jpg", "rocket.jpg")


def photo(name: str) -> PIL.Image.Image:
    return PIL.Image.open(SHIPPED / name).convert("RGB")


@pytest.mark.parametrize("name", PHOTOS)
def test_turned_pictures_are_measured_to_a_degree(name: str) -> None:
    picture, rng = photo(name), random.Random(name)
    original = Original(picture)
    for degrees in (0, 1, 7, 45, 90, 133, 180, 271, 355):
        how = rng.choice([Resampling.NEAREST, Resampling.BILINEAR, Resampling.BICUBIC])
        turned = picture.rotate(-degrees, how, expand=rng.random() < 0.5, fillcolor=rng.choice(["white", "black"]))
        found = original.turn_of(turned)
        assert found is not None
        assert abs((found - degrees + 180) % 360 - 180) <= 1


def test_another_contrast_is_the_same_turn() -> None:
    picture = photo("astronaut.jpg")
    assert Original(picture).turn_of(ImageOps.autocontrast(picture.rotate(-30), cutoff=1)) == 30


OTHERS = [
    ("cropped", lambda picture: picture.crop((40, 40, 240, 240))),
    ("mirrored", lambda picture: picture.transpose(Transpose.FLIP_LEFT_RIGHT)),
    ("smaller", lambda picture: picture.resize((picture.width // 2, picture.height // 2))),
    ("larger", lambda picture: picture.resize((picture.width * 2, picture.height * 2))),
    ("plain", lambda picture: PIL.Image.new("RGB", picture.size, "gray")),
    ("another", lambda picture: photo("chelsea.jpg").resize(picture.size)),
    ("tiny", lambda picture: PIL.Image.new("RGB", (1, 1))),
]


@pytest.mark.parametrize(("name", "change"), OTHERS, ids=[row[0] for row in OTHERS])
def test_what_is_not_turned_is_not_measured(name: str, change) -> None:
    picture = photo("astronaut.jpg")
    assert Original(picture).turn_of(change(picture)) is None


def test_what_looks_the_same_from_all_sides_shows_no_turn() -> None:
    picture = PIL.Image.new("RGB", (200, 200), "white")
    ImageDraw.Draw(picture).ellipse((60, 60, 140, 140), fill="black")
    assert Original(picture).turn_of(picture.rotate(-30, fillcolor="white")) is None
    assert Original(PIL.Image.new("RGB", (9, 5))).turn_of(picture) is None
