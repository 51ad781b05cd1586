"""Pixels read, lengths and angles measured, and two pictures compared."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from visual_calls import BLACK, BLUE, RED, call, noise, plain, same, with_box

from beholder.trajectory import CallOutcome


def test_pixels_are_read_where_they_are() -> None:
    done = call(
        "read_pixels", with_box(plain(), (3, 7, 4, 8), (18, 52, 86)), points=[[3, 7], [3.9, 7.9], [4, 7], [40, 30]]
    )
    assert done.text.splitlines() == [
        "Colours in image_1 (40x30 pixels):",
        "(3, 7): rgb(18, 52, 86) #123456",
        "(3, 7): rgb(18, 52, 86) #123456",
        "(4, 7): rgb(255, 255, 255) #ffffff",
        "(39, 29): rgb(255, 255, 255) #ffffff",
    ]
    assert done.pictures == ()


@settings(deadline=None)
@given(st.integers(0, 29), st.integers(0, 19))
def test_pixels_read_are_the_same_in_both_units(column: int, row: int) -> None:
    in_pixels = call("read_pixels", noise(), points=[[column, row]])
    in_fractions = call("read_pixels", noise(), points=[[column / 30, row / 20]], units="fraction")
    assert in_pixels.text == in_fractions.text


MEASURED = [
    ([[0, 0], [30, 20]], "(0, 0) to (30, 20) in image_1: 36.06 pixels (30 right, 20 down)."),
    ([[5, 9], [2, 5]], "(5, 9) to (2, 5) in image_1: 5.00 pixels (3 left, 4 up)."),
    ([[5, 5], [5, 5]], "0.00 pixels"),
    ([[10, 0], [0, 0], [0, 10]], "Angle at (0, 0) between (10, 0) and (0, 10) in image_1: 90.00 degrees;"),
    ([[10, 0], [0, 0], [20, 0]], "0.00 degrees; its arms are 10.00 and 20.00 pixels long."),
    ([[0, 5], [10, 5], [20, 5]], "180.00 degrees"),
    ([[10, 0], [0, 0], [10, 10]], "45.00 degrees"),
    ([[10, 10], [0, 0], [10, 0]], "45.00 degrees"),
    ([[0, 0], [10, 10], [10, 0]], "45.00 degrees"),
]


@pytest.mark.parametrize("points, said", MEASURED)
def test_lengths_and_angles(points: list, said: str) -> None:
    assert said in call("measure", plain(), points=points).text


def test_fractions_are_measured_in_pixels() -> None:
    done = call("measure", plain(), points=[[0, 0], [0.5, 1]], units="fraction")
    assert f"{math.hypot(20, 30):.2f} pixels (20 right, 30 down)" in done.text


REFUSED = [
    ("measure", [[1, 1], [1, 1], [5, 5]], "needs a vertex"),
    ("measure", [[1, 1], [50, 1]], "The point [50, 1] lies outside the picture, which is 40x30 pixels."),
    ("measure", [[0.1, 0.1], [0.5, 0.9]], "were read as pixels"),
    ("read_pixels", [[-1, 0]], "lies outside the picture"),
]


@pytest.mark.parametrize("name, points, wrong", REFUSED)
def test_points_that_measure_nothing_are_an_error(name: str, points: list, wrong: str) -> None:
    done = call(name, plain(), points=points)
    assert done.outcome is CallOutcome.ERROR
    assert wrong in done.text


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.floats(1, 64))
def test_equal_pictures_have_a_black_difference(width: int, height: int, gain: float) -> None:
    done = call("difference", noise(width, height), noise(width, height), gain=gain)
    assert same(done.pictures[0], plain(width, height, BLACK))
    assert done.text.startswith("image_1 and image_2 differ in no pixel.")


def test_a_difference_is_shown_counted_and_placed() -> None:
    one, two = plain(), with_box(with_box(plain(), (10, 5, 20, 15), (245, 255, 255)), (30, 20, 35, 25), BLUE)
    done = call("difference", one, two, gain=3)
    assert sorted(done.pictures[0].getcolors()) == [(25, (255, 255, 0)), (100, (30, 0, 0)), (1075, BLACK)]
    assert done.text == (
        "image_1 and image_2 differ in 125 of 1200 pixels (10.42 %), within [10, 5, 35, 25]; "
        "the largest difference is 255 of 255. Differences are shown 3 times brighter."
    )


def test_small_differences_can_be_left_out() -> None:
    one, two = plain(), with_box(with_box(plain(), (10, 5, 20, 15), (245, 255, 255)), (30, 20, 35, 25), BLUE)
    done = call("difference", one, two, tolerance=10)
    assert sorted(done.pictures[0].getcolors()) == [(25, (255, 255, 0)), (1175, BLACK)]
    assert "differ by more than 10 in 25 of 1200 pixels (2.08 %), within [30, 20, 35, 25]" in done.text


def test_pictures_of_different_sizes_are_not_compared() -> None:
    done = call("difference", plain(40, 30), plain(30, 40, RED))
    assert done.outcome is CallOutcome.ERROR
    assert done.text == (
        "image_1 and image_2 differ in size: 40x30 pixels and 30x40 pixels. Crop or resize one of them first."
    )
