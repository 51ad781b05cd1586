"""Crop, rotate, flip and resize, against pixels that are known."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from visual_calls import BLACK, BLUE, GREEN, RED, WHITE, call, noise, plain, same, with_box

from beholder.tools.visual import call_visual
from beholder.trajectory import CallOutcome

CORNER = with_box(plain(40, 30), (0, 0, 4, 4), RED)
"""White, 40x30, its upper left corner red."""


def test_a_crop_shows_what_is_in_the_box() -> None:
    picture = noise()
    done = call("crop", picture, box=[3, 2, 13, 9])
    assert same(done.pictures[0], picture.crop((3, 2, 13, 9)))
    assert done.text == "Cut [3, 2, 13, 9] (pixels) out of image_1. Result: 10x7 pixels."
    assert done.flags == ()


def test_zoom_enlarges_the_piece() -> None:
    done = call("crop", with_box(plain(), (10, 10, 20, 20), BLUE), box=[10, 10, 20, 20], zoom=3)
    assert same(done.pictures[0], plain(30, 30, BLUE))
    assert done.text.endswith("out of image_1, enlarged 3 times. Result: 30x30 pixels.")


T55 = [
    ("[NaN, 0, 1, 1]", CallOutcome.MALFORMED, (), "NaN is not a number"),
    ("[5, 5, 5, 5]", CallOutcome.ERROR, (), "The box [5, 5, 5, 5] is empty"),
    ("[-10, -10, 20, 20]", CallOutcome.EXECUTED, ("clamped",), "was cut to it. Cut [0, 0, 20, 20] (pixels)"),
    ("[0, 0, 1e9, 1e9]", CallOutcome.EXECUTED, ("clamped",), "was cut to it. Cut [0, 0, 40, 30] (pixels)"),
    ("[0.1, 0.2, 0.5, 1]", CallOutcome.ERROR, ("suspect_units",), 'say "units": "fraction"'),
    ('[0.1, 0.2, 0.5, 1], "units": "fraction"', CallOutcome.EXECUTED, (), "Cut [4, 6, 20, 30] (pixels)"),
]


@pytest.mark.parametrize("box, outcome, flags, said", T55)
def test_boxes_that_models_write(box: str, outcome: CallOutcome, flags: tuple[str, ...], said: str) -> None:
    done = call_visual("crop", f'{{"box": {box}}}', [CORNER])
    assert (done.outcome, done.flags) == (outcome, flags)
    assert said in done.text
    assert len(done.pictures) == (1 if outcome is CallOutcome.EXECUTED else 0)


CORNER_AFTER = [
    (0, "clockwise", (40, 30), (1, 1)),
    (90, "clockwise", (30, 40), (28, 1)),
    (180, "clockwise", (40, 30), (38, 28)),
    (270, "clockwise", (30, 40), (1, 38)),
    (90, "counterclockwise", (30, 40), (1, 38)),
    (180, "counterclockwise", (40, 30), (38, 28)),
    (270, "counterclockwise", (30, 40), (28, 1)),
    (360, "counterclockwise", (40, 30), (1, 1)),
]


@pytest.mark.parametrize("degrees, direction, size, red_at", CORNER_AFTER)
def test_a_quarter_turn_goes_the_way_that_was_said(
    degrees: int, direction: str, size: tuple[int, int], red_at: tuple[int, int]
) -> None:
    done = call("rotate", CORNER, degrees=degrees, direction=direction)  # T88
    turned = done.pictures[0]
    assert turned.size == size
    assert turned.getpixel(red_at) == RED
    assert sorted(turned.getcolors()) == [(16, RED), (1184, WHITE)]
    assert done.text == f"Rotated image_1 by {degrees} degrees {direction}. Result: {size[0]}x{size[1]} pixels."


@pytest.mark.parametrize("direction", ["clockwise", "counterclockwise"])
def test_a_slanted_turn_goes_the_way_that_was_said_and_keeps_the_corners(direction: str) -> None:
    # A red dot above and right of the middle of 80x80: turned by 45 degrees, it is right of it, or above.
    picture = with_box(with_box(plain(80, 80, BLUE), (55, 15, 65, 25), RED), (0, 0, 3, 3), GREEN)
    done = call("rotate", picture, degrees=45, direction=direction, fill="black")
    turned = done.pictures[0]
    half, reach = turned.width / 2, 20 * 2**0.5
    red = (half + reach, half) if direction == "clockwise" else (half, half - reach)
    assert turned.getpixel((round(red[0]), round(red[1]))) == RED
    assert 113 <= turned.width <= 115
    assert turned.getpixel((0, 0)) == BLACK
    assert any(green > 200 and red < 60 for _, (red, green, _) in turned.getcolors(100_000)), "the corner was cut off"
    assert done.text.endswith("Nothing was cut off; the new corners are black.")


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.sampled_from(["clockwise", "counterclockwise"]))
def test_four_quarter_turns_are_none(width: int, height: int, direction: str) -> None:
    picture = turned = noise(width, height)
    for _ in range(4):
        turned = call("rotate", turned, degrees=90, direction=direction).pictures[0]
    assert same(turned, picture)


@pytest.mark.parametrize("arguments", ['{"degrees": 90}', '{"degrees": -90, "direction": "clockwise"}'])
def test_a_turn_without_a_direction_or_with_two_is_malformed(arguments: str) -> None:
    assert call_visual("rotate", arguments, [CORNER]).outcome is CallOutcome.MALFORMED


def test_a_flip_swaps_the_sides_that_were_said() -> None:
    assert call("flip", CORNER, swap="left_right").pictures[0].getpixel((39, 0)) == RED
    assert call("flip", CORNER, swap="top_bottom").pictures[0].getpixel((0, 29)) == RED
    assert call("flip", CORNER, swap="top_bottom").text.startswith("Mirrored image_1: top and bottom are swapped.")


SIZES = [
    ({"width": 20}, (20, 15)),
    ({"height": 90}, (120, 90)),
    ({"width": 20, "height": 30}, (20, 30)),
    ({"factor": 0.5}, (20, 15)),
    ({"factor": 0.01}, (1, 1)),
]


@pytest.mark.parametrize("asked, size", SIZES)
def test_resize_gives_the_size_asked_for(asked: dict, size: tuple[int, int]) -> None:
    done = call("resize", CORNER, **asked)
    assert done.pictures[0].size == size
    assert f"from 40x30 pixels to {size[0]}x{size[1]} pixels." in done.text
    assert ("The shape changed" in done.text) == (size in [(20, 30), (1, 1)])


REFUSED = [
    ("resize", {}, "Give width, height, both, or factor."),
    ("resize", {"width": 5, "factor": 2}, "not both"),
    ("resize", {"width": 4096, "height": 4096}, "at most 4096 pixels a side and 16 million pixels in all"),
    ("resize", {"height": 4000}, "The result would be 5333x4000 pixels"),
    ("crop", {"box": [0, 0, 40, 512], "zoom": 32, "image": "image_2"}, "The result would be 1280x16384 pixels"),
    ("rotate", {"degrees": 45, "direction": "clockwise", "image": "image_3"}, "The result would be"),
]


@pytest.mark.parametrize("name, arguments, wrong", REFUSED)
def test_what_is_too_large_or_unclear_is_an_error(name: str, arguments: dict, wrong: str) -> None:
    pictures = [CORNER, plain(40, 4096), plain(4000, 3000)]
    done = call_visual(name, json.dumps(arguments), pictures)
    assert done.outcome is CallOutcome.ERROR
    assert wrong in done.text
    assert done.pictures == ()
