"""Solves `math` from the pixels: lines are fitted to red and blue strokes, areas counted, axes and letters read.

The question says what is asked. The answer is the lettered point, or the option, nearest to what is measured.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.solvers import GaveUp, Pixels
from beholder.synth.solvers.point_letters import lettered_points
from beholder.synth.solvers.ruled import read_curve, squares_inside
from beholder.synth.solvers.strokes import SOLID, Mask, Plane, grown, inks, largest_piece, stroke_width

Point = tuple[float, float]
OPTION = re.compile(r"^([A-J])\. (-?\d{1,6}(?:\.\d{1,6})?)", re.MULTILINE)
SIDE = re.compile(r"blue side of the triangle is (\d{1,4}) cm")
PLACE = re.compile(r"at x = (-?\d{1,4}(?:\.\d{1,4})?)")
FAINT = 0.12
"""Coverage below which a pixel's colour is not to be trusted."""


class Line(NamedTuple):
    """A straight stroke: its middle, its direction (of length 1) and its length in pixels."""

    middle: Point
    direction: Point
    length: float


def solve(pictures: Sequence[Pixels], prompt: str) -> str:
    """The letter of the right point or option. `GaveUp` without a known question or the things that it is about."""
    if not pictures:
        raise GaveUp("there is no picture")
    picture = pictures[0]
    for words, find in POINTS.items():
        if words in prompt:
            return find(Seen(picture))
    value = measure(picture, prompt)
    options = [(letter, float(number)) for letter, number in OPTION.findall(prompt)]
    if not options:
        raise GaveUp("the question offers no numbers")
    return str(min(options, key=lambda option: abs(option[1] - value))[0])


def measure(picture: Pixels, prompt: str) -> float:
    """The number that the question asks for."""
    side, place = SIDE.search(prompt), PLACE.search(prompt)
    if "How large is the angle" in prompt:
        return angle(Seen(picture))
    if "How many times as long" in prompt:
        seen = Seen(picture)
        return path_length(seen.stroke("red")) / path_length(seen.stroke("blue"))
    if "How many times as large" in prompt:
        seen = Seen(picture)
        return float((seen.stroke("red") > SOLID).sum() / (seen.stroke("blue") > SOLID).sum())
    if side is not None:
        seen = Seen(picture)
        base = seen.line("blue")
        return distance(base, seen.dot("red")) / base.length * int(side[1])
    if place is not None:
        return read_curve(picture, float(place[1]))
    if "square of the grid" in prompt:
        return squares_inside(picture)
    raise GaveUp("no such question is known")


class Seen:
    """A picture taken apart by colour."""

    def __init__(self, picture: Pixels) -> None:
        self._inks = inks(picture)

    def stroke(self, colour: str) -> Plane:
        """The coverage of the largest connected thing in that colour; full ink is 1."""
        inked = self._inks[colour]
        piece = largest_piece(inked > SOLID)
        # Pixels at its rim count for the part of them that is inked.
        return np.where(grown(piece, 1.5) & (inked > FAINT), inked, 0).astype(np.float32)

    def dot(self, colour: str) -> Point:
        """The middle of it."""
        inked = self.stroke(colour)
        rows, columns = np.nonzero(inked)
        weights = inked[rows, columns]
        return _mean(columns, weights), _mean(rows, weights)

    def line(self, colour: str) -> Line:
        """The straight stroke in that colour."""
        inked = self.stroke(colour)
        rows, columns = np.nonzero(inked)
        weights = inked[rows, columns]
        x, y = _mean(columns, weights), _mean(rows, weights)
        spread = np.cov(np.stack([columns + 0.5 - x, rows + 0.5 - y]), aweights=weights, ddof=0)
        values, vectors = np.linalg.eigh(spread)
        # A stroke of even width has a variance along it of its length squared over twelve.
        length = math.sqrt(12 * max(0.0, float(values[1])))
        if length < 1:
            raise GaveUp(f"nothing {colour} is long enough for a line")
        return Line((x, y), (float(vectors[0, 1]), float(vectors[1, 1])), length)

    def points(self) -> dict[str, Point]:
        """The lettered points."""
        dots: Mask = np.maximum(self._inks["green"], self._inks["purple"]) > SOLID
        return lettered_points(dots, self._inks["dark"])

    def nearest(self, place: Point) -> str:
        """The letter of the point nearest to a place."""
        points = self.points()
        return min(points, key=lambda letter: math.dist(points[letter], place))


def _mean(places: NDArray[np.int64], weights: Plane) -> float:
    if len(places) == 0:
        raise GaveUp("something that the question names is not in the picture")
    return float((places + 0.5) @ weights / weights.sum())


def path_length(inked: Plane) -> float:
    """The length in pixels of a thin stroke, bends and all: half of the way around it, less its two ends."""
    outlines, _ = cv2.findContours((inked > SOLID).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    around = max(cv2.arcLength(cv2.approxPolyDP(outline, 1.2, True), True) for outline in outlines)
    # The outline goes through the middles of the outermost pixels: half a pixel is missing on every side.
    return float(around / 2 + 2 - stroke_width(inked))


def distance(line: Line, point: Point) -> float:
    """From a point to a line carried on without end, in pixels."""
    x, y = point[0] - line.middle[0], point[1] - line.middle[1]
    return abs(x * line.direction[1] - y * line.direction[0])


def meeting(one: Line, other: Line) -> Point:
    """Where two lines meet, carried on as far as need be."""
    (a, b), (c, d) = one.direction, other.direction
    cross = a * d - b * c
    if abs(cross) < 1e-6:
        raise GaveUp("the lines are parallel")
    x, y = other.middle[0] - one.middle[0], other.middle[1] - one.middle[1]
    share = (x * d - y * c) / cross
    return one.middle[0] + a * share, one.middle[1] + b * share


def angle(seen: Seen) -> float:
    """The angle in degrees whose sides the red and the blue stroke lie on."""
    red, blue = seen.line("red"), seen.line("blue")
    x, y = meeting(red, blue)
    turn = math.atan2(red.middle[1] - y, red.middle[0] - x) - math.atan2(blue.middle[1] - y, blue.middle[0] - x)
    degrees = math.degrees(turn) % 360
    return min(degrees, 360 - degrees)


def find_mirrored(seen: Seen) -> str:
    """The point nearest to the red dot's mirror image in the blue line."""
    (x, y), axis = seen.dot("red"), seen.line("blue")
    along = (x - axis.middle[0]) * axis.direction[0] + (y - axis.middle[1]) * axis.direction[1]
    foot = (axis.middle[0] + along * axis.direction[0], axis.middle[1] + along * axis.direction[1])
    return seen.nearest((2 * foot[0] - x, 2 * foot[1] - y))


def find_turned(seen: Seen) -> str:
    """The point nearest to where the red dot comes by half a turn about the blue one."""
    (x, y), (u, v) = seen.dot("red"), seen.dot("blue")
    return seen.nearest((2 * u - x, 2 * v - y))


def find_passed(seen: Seen) -> str:
    """The point nearest to the line through the red segment."""
    line, points = seen.line("red"), seen.points()
    return min(points, key=lambda letter: distance(line, points[letter]))


def find_met(seen: Seen) -> str:
    """The point nearest to where the lines through the red and the blue segment meet."""
    return seen.nearest(meeting(seen.line("red"), seen.line("blue")))


POINTS: dict[str, Callable[[Seen], str]] = {
    "is the mirror image": find_mirrored,
    "by 180 degrees": find_turned,
    "Through which of the lettered points": find_passed,
    "At which of the lettered points": find_met,
}
"""What a question for a lettered point says → how it is found."""
