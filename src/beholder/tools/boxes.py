"""Coordinates as a model gives them, turned into pixels of a picture.

(0, 0) is the upper left corner, x runs right and y runs down. A box is [left, top, right, bottom]; it holds the pixels
from `left` up to but not including `right`, so that [0, 0, width, height] is the whole picture. Values are pixels, or
shares of the picture's width and height where the call says `"units": "fraction"`. The two are never mixed silently:
pixel values that are plainly fractions are an error (flag `suspect_units`) rather than a result. Read as pixels they
mean at most one pixel, which shows nothing, and to read them as fractions would be to guess what was meant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from beholder.errors import BeholderError

CLAMPED = "clamped"
"""Flag of a call whose box reached outside the picture and was cut to it."""
SUSPECT_UNITS = "suspect_units"
"""Flag of a call whose coordinates look like fractions where pixels were said, or like pixels where fractions were."""

_MOST_FRACTION = 2.0
"""Fractions beyond this, either way, can only be pixels; smaller ones are boxes that reach outside a little."""

_FARTHEST = 1e12
"""No coordinate lies beyond this; sums and products of them stay far from the ends of floating point."""

Size = tuple[int, int]
"""(width, height) in pixels."""
Box = tuple[int, int, int, int]
"""(left, top, right, bottom) in pixels, inside the picture, with at least one pixel in it."""
Point = tuple[float, float]
"""(x, y) in pixels."""

BoxGiven = tuple[float, float, float, float]
PointGiven = tuple[float, float]
Units = Annotated[
    Literal["pixels", "fraction"],
    Meta(description='What the coordinates are: "pixels", or "fraction" of the width and height (0 to 1).'),
]


class Refused(BeholderError):
    """The call was understood but cannot be carried out. The text is for the model, `flags` for the observation."""

    def __init__(self, message: str, *flags: str) -> None:
        self.flags = flags
        super().__init__(message)


class Placed(msgspec.Struct, frozen=True):
    """A box in pixels of its picture, with flags, and a note for the model if it was cut (else empty)."""

    box: Box
    flags: tuple[str, ...] = ()
    note: str = ""

    @property
    def size(self) -> Size:
        """(width, height) of the box."""
        return self.box[2] - self.box[0], self.box[3] - self.box[1]


def place_box(given: BoxGiven, units: str, size: Size) -> Placed:
    """The box in whole pixels (sides rounded to the nearest pixel border), cut to the picture where it reaches outside.

    Raises `Refused` if nothing is in the box, or if its units are in doubt.

    >>> place_box((-10, -10, 20, 20), "pixels", (100, 80)).box
    (0, 0, 20, 20)
    >>> place_box((0.25, 0.5, 0.75, 1), "fraction", (100, 80)).box
    (25, 40, 75, 80)
    """
    if given[0] >= given[2] or given[1] >= given[3]:
        raise Refused(f"The box {listed(given)} is empty: it needs left < right and top < bottom.")
    _check_units(given, units, size, doubtful=all(0 <= value <= 1 for value in given) and max(size) > 1)
    left, top, right, bottom = (_scaled(value, units, size[place % 2]) for place, value in enumerate(given))
    if left >= size[0] or top >= size[1] or right <= 0 or bottom <= 0:
        raise Refused(f"The box {listed(given)} lies outside the picture, which is {sized(size)}.")
    wanted = (round(left), round(top), round(right), round(bottom))
    box = (max(0, wanted[0]), max(0, wanted[1]), min(size[0], wanted[2]), min(size[1], wanted[3]))
    if box[0] >= box[2] or box[1] >= box[3]:
        raise Refused(f"The box {listed(given)} holds less than one pixel of the picture, which is {sized(size)}.")
    if box == wanted:
        return Placed(box)
    note = f"The box {listed(given)} reached outside the picture ({sized(size)}) and was cut to it."
    return Placed(box, (CLAMPED,), note)


def place_points(given: Sequence[PointGiven], units: str, size: Size) -> list[Point]:
    """The points in pixels, unrounded. Raises `Refused` if one lies outside the picture or the units are in doubt."""
    check_point_units(given, units, size)
    points = [scale_point(point, units, size) for point in given]
    for point, (x, y) in zip(given, points, strict=True):
        if not (0 <= x <= size[0] and 0 <= y <= size[1]):
            raise Refused(f"The point {listed(point)} lies outside the picture, which is {sized(size)}.")
    return points


def check_point_units(given: Sequence[PointGiven], units: str, size: Size) -> None:
    """Raises `Refused` if points said to be pixels all lie within the first one, or fractions far beyond the picture.

    Unlike those of a box, the values 0 and 1 are believed if all are such: [0, 0] and [1, 1] are good points.
    """
    values = [value for point in given for value in point]
    inside = all(0 <= value <= 1 for value in values) and not all(value.is_integer() for value in map(float, values))
    _check_units(values, units, size, doubtful=inside and max(size) > 1)


def scale_point(given: PointGiven, units: str, size: Size) -> Point:
    """The point in pixels, wherever it lies."""
    return _scaled(given[0], units, size[0]), _scaled(given[1], units, size[1])


def pixel_at(point: Point, size: Size) -> tuple[int, int]:
    """Column and row of the pixel that a point of the picture lies in; the far borders count to the last pixel."""
    return min(math.floor(point[0]), size[0] - 1), min(math.floor(point[1]), size[1] - 1)


def listed(values: Sequence[float]) -> str:
    """Coordinates as a model writes them.

    >>> listed((0, 2.5, 1e9, 100.0))
    '[0, 2.5, 1e+09, 100]'
    """
    return "[" + ", ".join(f"{value:.6g}" for value in values) + "]"


def sized(size: Size) -> str:
    """A size for a reader: `400x300 pixels`."""
    return f"{size[0]}x{size[1]} pixels"


def _scaled(value: float, units: str, length: int) -> float:
    # Rounded, so that 1/3 of 300 is pixel 100 and not a hair before it.
    return round(value * length, 6) if units == "fraction" else value


def _check_units(given: Sequence[float], units: str, size: Size, *, doubtful: bool) -> None:
    if any(abs(value) > _FARTHEST for value in given):
        raise Refused(f"The coordinates {listed(given)} are too large; the picture is {sized(size)}.")
    if units == "pixels" and doubtful:
        raise Refused(
            f"The coordinates {listed(given)} were read as pixels, and all of them lie within the first pixel. "
            f'If they are fractions of the picture, say "units": "fraction". The picture is {sized(size)}.',
            SUSPECT_UNITS,
        )
    if units == "fraction" and any(abs(value) > _MOST_FRACTION for value in given):
        raise Refused(
            f"The coordinates {listed(given)} were said to be fractions, which run from 0 to 1. "
            f'If they are pixels, say "units": "pixels"; the picture is {sized(size)}.',
            SUSPECT_UNITS,
        )
