"""Pictures taken apart in a grid and put together again; lines and boxes drawn."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from visual_calls import BLACK, BLUE, GREEN, RED, WHITE, call, noise, plain, same, with_box

from beholder.tools import visual_layout
from beholder.trajectory import CallOutcome

QUARTERS = with_box(with_box(with_box(plain(4, 4, BLACK), (0, 0, 2, 2), RED), (2, 0, 4, 2), GREEN), (0, 2, 2, 4), BLUE)
"""4x4: red and green above, blue and black below."""


def test_a_split_goes_row_by_row() -> None:
    done = call("split_grid", QUARTERS, rows=2, columns=2)
    assert [tile.getcolors() for tile in done.pictures] == [[(4, color)] for color in (RED, GREEN, BLUE, BLACK)]
    assert done.text.splitlines() == [
        "Split image_1 into 2 rows and 2 columns, row by row from the upper left:",
        "tile 1: [0, 0, 2, 2]",
        "tile 2: [2, 0, 4, 2]",
        "tile 3: [0, 2, 2, 4]",
        "tile 4: [2, 2, 4, 4]",
    ]


def test_tiles_fill_the_places_in_the_order_given() -> None:
    done = call("arrange_tiles", QUARTERS, rows=2, columns=2, order=[4, 1, 2, 3])
    arranged = done.pictures[0]
    assert [arranged.getpixel(at) for at in ((0, 0), (3, 0), (0, 3), (3, 3))] == [BLACK, RED, GREEN, BLUE]
    assert done.text == (
        "Arranged the tiles of image_1 in 2 rows and 2 columns, in the order [4, 1, 2, 3]. Result: 4x4 pixels."
    )


grids = st.tuples(st.integers(1, 4), st.integers(1, 4))


@settings(deadline=None)
@given(st.integers(4, 40), st.integers(4, 40), grids)
def test_arranging_the_tiles_of_a_split_gives_the_picture_back(width: int, height: int, grid: tuple[int, int]) -> None:
    picture = noise(width, height)
    tiles = call("split_grid", picture, rows=grid[0], columns=grid[1]).pictures
    names = [f"image_{number}" for number in range(2, 2 + len(tiles))]
    done = call("arrange_tiles", picture, *tiles, rows=grid[0], columns=grid[1], images=names)
    assert same(done.pictures[0], picture)


@settings(deadline=None)
@given(grids, st.data())
def test_an_order_is_undone_by_its_inverse(grid: tuple[int, int], data: st.DataObject) -> None:
    rows, columns = grid
    picture = noise(columns * 5, rows * 4)
    order = data.draw(st.permutations(range(1, rows * columns + 1)))
    inverse = [order.index(number) + 1 for number in range(1, rows * columns + 1)]
    once = call("arrange_tiles", picture, rows=rows, columns=columns, order=order).pictures[0]
    assert same(call("arrange_tiles", once, rows=rows, columns=columns, order=inverse).pictures[0], picture)


def test_pictures_of_several_sizes_stand_in_a_grid_with_white_margins() -> None:
    done = call(
        "arrange_tiles", plain(2, 2, RED), plain(4, 1, BLUE), plain(1, 3, GREEN), rows=2, columns=2,
        images=["image_1", "image_2", "image_3"], order=[3, 1, 2],
    )  # fmt: skip
    grid = done.pictures[0]
    assert grid.size == (6, 4)
    assert [grid.getpixel(at) for at in ((0, 0), (4, 0), (0, 3), (1, 0), (5, 3))] == [GREEN, RED, BLUE, WHITE, WHITE]
    assert "white margins" in done.text


REFUSED = [
    ("arrange_tiles", {"rows": 2, "columns": 2}, "Give order, the numbers 1 to 4"),
    ("arrange_tiles", {"rows": 2, "columns": 2, "order": [1, 2, 3]}, "it has 3 numbers; missing: 4."),
    ("arrange_tiles", {"rows": 2, "columns": 2, "order": [1, 2, 3, 3]}, "it has 4 numbers; missing: 4."),
    ("arrange_tiles", {"rows": 2, "columns": 2, "order": [0, 1, 2, 3]}, "missing: 4."),
    ("arrange_tiles", {"rows": 2, "columns": 2, "order": [1, 2, 3, 4, 5]}, "it has 5 numbers."),
    ("arrange_tiles", {"rows": 1, "columns": 1, "images": ["image_1"] * 2}, "2 pictures do not fit into 1 places"),
    ("arrange_tiles", {"rows": 1, "columns": 2, "images": ["image_1", "image_7"]}, "There is no picture 'image_7'."),
    ("split_grid", {"rows": 5, "columns": 1}, "The picture is 4x4 pixels; it has no 5 rows and 1 columns."),
    ("split_grid", {"rows": 5, "columns": 4, "image": "image_2"}, "That would make 20 pictures; at most 16"),
    ("split_grid", {"rows": 4, "columns": 4, "image": "image_3"}, "The results would have 16008000 pixels; at most"),
    ("arrange_tiles", {"rows": 1, "columns": 2, "images": ["image_3"] * 2}, "The result would be 8004x4000 pixels"),
    ("draw", {}, "Give lines, boxes, or both."),
    ("draw", {"boxes": [[1, 1, 1, 1]]}, "is empty"),
    ("draw", {"lines": [[5, 5, 9, 9]]}, "The line [5, 5, 9, 9] lies outside the picture, which is 4x4 pixels."),
    ("draw", {"lines": [[-1, 3, 3, 9]]}, "lies outside the picture"),
    ("draw", {"lines": [[0.1, 0.1, 0.9, 0.9]]}, "were read as pixels"),
    ("draw", {"lines": [[0, 0, 3, 3]], "color": "invisible"}, "There is no colour 'invisible'."),
]


@pytest.mark.parametrize("name, arguments, wrong", REFUSED)
def test_what_cannot_be_laid_out_or_drawn_is_an_error(name: str, arguments: dict, wrong: str) -> None:
    done = call(name, QUARTERS, plain(), plain(4002, 4000), **arguments)
    assert done.outcome is CallOutcome.ERROR
    assert wrong in done.text
    assert done.pictures == ()


def test_a_line_and_a_box_are_drawn_where_they_were_asked_for() -> None:
    picture = plain(40, 30)
    done = call("draw", picture, lines=[[0, 20, 39, 20]], boxes=[[5, 5, 15, 12]], color="blue", width=1)
    drawn = done.pictures[0]
    assert sorted(drawn.getcolors()) == [(40 + 30, BLUE), (1200 - 70, WHITE)]
    assert [drawn.getpixel(at) for at in ((0, 20), (39, 20), (5, 5), (14, 11))] == [BLUE] * 4
    assert [drawn.getpixel(at) for at in ((0, 19), (15, 12), (6, 6), (4, 5))] == [WHITE] * 4
    assert done.text == "Drew on a copy of image_1 in blue, 1 wide: line [0, 20, 39, 20], box [5, 5, 15, 12]."
    assert same(picture, plain(40, 30)), "the picture itself must not change"


def test_marks_that_reach_outside_are_cut_and_keep_their_direction() -> None:
    done = call("draw", plain(40, 30), lines=[[-10, -10, 1e9, 1e9]], width=1)
    assert [done.pictures[0].getpixel((place, place)) for place in range(30)] == [RED] * 30
    assert done.flags == ("clamped",)
    assert done.text.startswith("1 of the lines reached outside the picture (40x30 pixels) and were cut to it.")
    assert "line [0, 0, 30, 30]" in done.text


def test_fractions_and_pixels_draw_the_same() -> None:
    one = call("draw", plain(40, 30), lines=[[0, 0, 20, 30]], boxes=[[10, 15, 40, 30]])
    two = call("draw", plain(40, 30), lines=[[0, 0, 0.5, 1]], boxes=[[0.25, 0.5, 1, 1]], units="fraction")
    assert same(one.pictures[0], two.pictures[0])
    assert one.text == two.text


def test_the_examples_hold() -> None:
    assert doctest.testmod(visual_layout).failed == 0
