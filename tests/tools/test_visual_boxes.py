"""Coordinates: what is clamped, what is refused, and which units they are in."""

from __future__ import annotations

import doctest
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.tools import boxes
from beholder.tools.boxes import Placed, Refused, check_point_units, pixel_at, place_box, place_points

SIZE = (100, 80)
PLACED = [
    ((0, 0, 100, 80), (0, 0, 100, 80), False),
    ((10, 20, 30, 40), (10, 20, 30, 40), False),
    ((9.6, 20.4, 30.4, 39.6), (10, 20, 30, 40), False),
    ((0, 0, 100.4, 80.4), (0, 0, 100, 80), False),
    ((0, 0, 2, 1), (0, 0, 2, 1), False),
    ((-10, -10, 20, 20), (0, 0, 20, 20), True),  # T55
    ((0, 0, 1e9, 1e9), (0, 0, 100, 80), True),  # T55
    ((99, 79, 101, 81), (99, 79, 100, 80), True),
]


@pytest.mark.parametrize("given_box, box, clamped", PLACED)
def test_a_box_is_rounded_and_cut_to_the_picture(given_box: tuple, box: tuple, clamped: bool) -> None:
    placed = place_box(given_box, "pixels", SIZE)
    assert placed.box == box
    assert placed.flags == (("clamped",) if clamped else ())
    assert ("was cut to it" in placed.note) == clamped


REFUSED = [
    ((5, 5, 5, 5), "pixels", "is empty", ()),  # T55
    ((20, 5, 10, 9), "pixels", "needs left < right and top < bottom", ()),
    ((100, 0, 120, 10), "pixels", "lies outside the picture, which is 100x80 pixels", ()),
    ((-9, -9, 0, 0), "pixels", "lies outside the picture", ()),
    ((10.1, 10, 10.4, 20), "pixels", "holds less than one pixel", ()),
    ((0.1, 0.1, 0.5, 0.5), "pixels", 'say "units": "fraction"', ("suspect_units",)),  # T55
    ((0, 0, 1, 1), "pixels", "all of them lie within the first pixel", ("suspect_units",)),
    ((10, 10, 50, 50), "fraction", 'say "units": "pixels"; the picture is 100x80', ("suspect_units",)),
    ((0.5, 0.5, 0.5, 0.9), "fraction", "is empty", ()),
    ((1.1, 0, 1.5, 1), "fraction", "lies outside", ()),
    ((0, 0, 1e13, 5), "pixels", "are too large", ()),
]


@pytest.mark.parametrize("given_box, units, wrong, flags", REFUSED)
def test_a_box_that_shows_nothing_or_is_in_doubt_is_refused(
    given_box: tuple, units: str, wrong: str, flags: tuple
) -> None:
    with pytest.raises(Refused) as refused:
        place_box(given_box, units, SIZE)
    assert wrong in str(refused.value)
    assert refused.value.flags == flags


def test_a_picture_of_one_pixel_has_a_box_of_one_pixel() -> None:
    assert place_box((0, 0, 1, 1), "pixels", (1, 1)) == Placed((0, 0, 1, 1))


def test_fractions_that_reach_outside_a_little_are_cut() -> None:
    placed = place_box((-0.1, 0.5, 1.2, 1), "fraction", SIZE)
    assert (placed.box, placed.flags) == ((0, 40, 100, 80), ("clamped",))


sides = st.integers(2, 5000)


@settings(deadline=None)
@given(sides, sides, st.data())
def test_fractions_and_pixels_agree(width: int, height: int, data: st.DataObject) -> None:
    left = data.draw(st.integers(0, width - 2))
    top = data.draw(st.integers(0, height - 2))
    box = (left, top, data.draw(st.integers(left + 2, width)), data.draw(st.integers(top + 1, height)))
    shares = tuple(value / (width, height)[place % 2] for place, value in enumerate(box))
    assert place_box(shares, "fraction", (width, height)) == Placed(box) == place_box(box, "pixels", (width, height))
    corner = [
        place_points([point], units, (width, height))[0]
        for point, units in ((box[:2], "pixels"), (shares[:2], "fraction"))
    ]
    assert pixel_at(corner[0], (width, height)) == pixel_at(corner[1], (width, height)) == box[:2]


number = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-3, 120).map(float)


@settings(deadline=None)
@given(st.tuples(number, number, number, number), st.sampled_from(["pixels", "fraction"]))
def test_a_box_that_is_not_refused_lies_in_the_picture(given_box: tuple, units: str) -> None:
    try:
        left, top, right, bottom = place_box(given_box, units, SIZE).box
    except Refused as refused:
        left, top, right, bottom = 0, 0, 1, 1
        assert len(str(refused)) < 300  # noqa: PT017
    assert 0 <= left < right <= 100
    assert 0 <= top < bottom <= 80


POINTS_IN_DOUBT = [
    ([(0.5, 0.5)], "pixels", True),
    ([(0, 0), (0.5, 1)], "pixels", True),
    ([(0, 0), (1, 1)], "pixels", False),
    ([(0.5, 0.5), (30, 2)], "pixels", False),
    ([(0.5, 0.5)], "fraction", False),
    ([(0.5, 0.5), (30, 2)], "fraction", True),
]


@pytest.mark.parametrize("points, units, doubtful", POINTS_IN_DOUBT)
def test_points_in_doubt_are_refused(points: list, units: str, doubtful: bool) -> None:
    flags: tuple[str, ...] = ()
    try:
        check_point_units(points, units, SIZE)
    except Refused as refused:
        flags = refused.flags
    assert flags == (("suspect_units",) if doubtful else ())


def test_points_outside_are_refused_and_the_far_borders_count_to_the_last_pixel() -> None:
    assert place_points([(100, 80)], "pixels", SIZE) == place_points([(1, 1)], "fraction", SIZE) == [(100, 80)]
    assert pixel_at((100, 80), SIZE) == (99, 79)
    assert pixel_at((9.9, 0), SIZE) == (9, 0)
    with pytest.raises(Refused, match="lies outside the picture, which is 100x80 pixels"):
        place_points([(5, 5), (101, 5)], "pixels", SIZE)


def test_the_examples_hold() -> None:
    assert doctest.testmod(boxes).failed == 0


def test_units_are_told_in_the_schema() -> None:
    from beholder.tools.visual import VISUAL_TOOLS

    with_units = [name for name, tool in VISUAL_TOOLS.items() if "units" in json.dumps(tool.spec.parameters)]
    assert with_units == ["crop", "read_pixels", "measure", "draw"]
