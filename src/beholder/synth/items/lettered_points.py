"""Figures of `math` that ask for one of six lettered points: a mirror image, a half turn, a line carried on, a meeting.

Each `plan_…` is told which letter is right and lays the points out so that it is, or returns None if this draw of lots
leaves too little room. The wrong points lie around the right one at random and not in a ring about it: the middle of
the cluster says nothing.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from beholder.synth.inks import Colour
from beholder.synth.items.figure import (
    Figure,
    Point,
    angle_between,
    away,
    between,
    distance_to_segment,
    meeting,
    rounded,
    shade,
    tint,
)
from beholder.synth.typefaces import TYPEFACES

RED: Colour = (208, 38, 42)
BLUE: Colour = (38, 78, 205)
OTHERS: tuple[Colour, ...] = ((28, 140, 62), (132, 48, 165))
"""Green and purple: the dots of lettered points."""
DARK: Colour = (28, 28, 32)
GREY: Colour = (165, 168, 175)
POINTS = 6
MARGIN = 30
"""Pixels that points stay away from the picture's edge."""


class Sheet(msgspec.Struct, frozen=True):
    """What a level asks of a figure: side of the picture, least distance between lettered points, how far points beside
    a line are from it, stroke width and em of the letters, all in pixels; the number of grey strokes under the figure;
    how dark the figure is (1 = full ink); how far an angle's sides stay from its corner (pixels); bends in a path."""

    side: int
    apart: float
    beside: float
    width: float
    letters: float
    clutter: int
    strength: float
    gaps: tuple[float, float]
    bends: tuple[int, int]


class Lettered(msgspec.Struct, frozen=True, tag_field="kind"):
    """Six lettered points, A to F, and what they are judged by.

    `red` and `blue` hold one point (a dot) or two (a segment). Exactly one of `points` is right, to a hundredth of a
    pixel; `margin` is how far in pixels every other one is from being right. `labels` are the middles of the letters.
    """

    red: tuple[Point, ...]
    blue: tuple[Point, ...]
    points: tuple[Point, ...]
    labels: tuple[Point, ...]
    margin: float


class Mirror(Lettered, frozen=True, tag="mirror"):
    """Right is the mirror image of the red point in the blue line."""


class HalfTurn(Lettered, frozen=True, tag="half_turn"):
    """Right is where the red point comes by half a turn about the blue point."""


class Extension(Lettered, frozen=True, tag="extension"):
    """Right is the point on the line through the red segment; the others are at least `margin` beside it."""


class Meeting(Lettered, frozen=True, tag="meeting"):
    """Right is where the lines through the red and the blue segment meet."""


Kind = TypeVar("Kind", Mirror, HalfTurn, Extension, Meeting)
Pointed = Mirror | HalfTurn | Extension | Meeting
Plan = Callable[[int, Sheet, random.Random], Pointed | None]


def plan_mirror(place: int, sheet: Sheet, rng: random.Random) -> Pointed | None:
    """Which point is the mirror image of the red point in the blue line?"""
    middle, angle = _near_middle(sheet, rng), rng.uniform(0, math.tau)
    half = sheet.side * rng.uniform(0.26, 0.4)
    axis = (rounded(away(middle, angle, half)), rounded(away(middle, angle, -half)))
    foot = between(*axis, rng.uniform(0.2, 0.8))
    source = rounded(away(foot, angle + math.pi / 2, sheet.side * rng.uniform(0.13, 0.32) * rng.choice((-1, 1))))
    return _around(mirrored(source, *axis), place, Mirror, (source,), axis, sheet, rng)


def mirrored(point: Point, a: Point, b: Point) -> Point:
    """The mirror image of a point in the line ab."""
    abx, aby = b[0] - a[0], b[1] - a[1]
    share = ((point[0] - a[0]) * abx + (point[1] - a[1]) * aby) / (abx * abx + aby * aby)
    foot = between(a, b, share)
    return between(point, foot, 2.0)


def plan_half_turn(place: int, sheet: Sheet, rng: random.Random) -> Pointed | None:
    """To which point does the red point come by half a turn about the blue point?"""
    centre = rounded(_near_middle(sheet, rng))
    source = rounded(away(centre, rng.uniform(0, math.tau), sheet.side * rng.uniform(0.18, 0.38)))
    return _around(between(source, centre, 2.0), place, HalfTurn, (source,), (centre,), sheet, rng)


def plan_meeting(place: int, sheet: Sheet, rng: random.Random) -> Pointed | None:
    """At which point do the red and the blue segment meet when they are carried on?"""
    right = (rng.uniform(0.15, 0.85) * sheet.side, rng.uniform(0.15, 0.85) * sheet.side)
    segments = []
    for _ in range(2):
        angle, gap = rng.uniform(0, math.tau), sheet.side * rng.uniform(0.14, 0.3)
        segments.append(
            (
                rounded(away(right, angle, gap)),
                rounded(away(right, angle, gap + sheet.side * rng.uniform(0.16, 0.36))),
            )
        )
    red, blue = segments
    if angle_between(*red, *blue) < 38:
        return None
    shares = meeting(*red, *blue)
    if shares is None:
        return None
    return _around(between(*red, shares[0]), place, Meeting, red, blue, sheet, rng)


def plan_extension(place: int, sheet: Sheet, rng: random.Random) -> Pointed | None:
    """Which point does the red segment meet when it is carried on? The others lie beside its line, in even steps."""
    start, angle = _near_middle(sheet, rng), rng.uniform(0, math.tau)
    start = away(start, angle, -sheet.side * 0.3)
    segment = (rounded(start), rounded(away(start, angle, sheet.side * rng.uniform(0.16, 0.3))))
    angle = math.atan2(segment[1][1] - segment[0][1], segment[1][0] - segment[0][0])
    rank = rng.randrange(POINTS)
    points = [
        away(
            away(segment[1], angle, sheet.side * rng.uniform(0.1, 0.6)),
            angle + math.pi / 2,
            (step - rank) * sheet.beside,
        )
        for step in range(POINTS)
    ]
    right = points.pop(rank)
    rng.shuffle(points)
    points.insert(place, right)
    return _finished(points, Extension, segment, (), sheet.beside, sheet, rng)


def _near_middle(sheet: Sheet, rng: random.Random) -> Point:
    return rng.uniform(0.38, 0.62) * sheet.side, rng.uniform(0.38, 0.62) * sheet.side


def _around(
    right: Point,
    place: int,
    kind: type[Kind],
    red: tuple[Point, ...],
    blue: tuple[Point, ...],
    sheet: Sheet,
    rng: random.Random,
) -> Kind | None:
    """The right point and five others in a disc that holds it somewhere."""
    reach = sheet.apart * 2.1
    middle = away(right, rng.uniform(0, math.tau), reach * math.sqrt(rng.random()))
    points = [right]
    for _ in range(80):
        point = away(middle, rng.uniform(0, math.tau), reach * math.sqrt(rng.random()))
        if all(math.dist(point, other) >= sheet.apart for other in points):
            points.append(point)
            if len(points) == POINTS:
                break
    else:
        return None
    points[0], points[place] = points[place], points[0]
    return _finished(points, kind, red, blue, sheet.apart, sheet, rng)


def _finished(
    points: Sequence[Point],
    kind: type[Kind],
    red: tuple[Point, ...],
    blue: tuple[Point, ...],
    margin: float,
    sheet: Sheet,
    rng: random.Random,
) -> Kind | None:
    """The figure with its letters, if everything is in the picture and nothing lies on anything else."""
    points = [rounded(point) for point in points]
    given = [*red, *blue]
    if not all(MARGIN <= value <= sheet.side - MARGIN for point in points for value in point):
        return None
    if not all(12 <= value <= sheet.side - 12 for point in given for value in point):
        return None
    strokes = [(part[0], part[-1]) for part in (red, blue) if part]
    if any(distance_to_segment(point, *stroke) < 24 for point in points for stroke in strokes):
        return None
    if any(math.dist(p, q) < sheet.apart - 0.1 for i, p in enumerate(points) for q in points[:i]):
        return None
    labels = place_labels(points, strokes, sheet, rng)
    if labels is None:
        return None
    return kind(red, blue, tuple(points), tuple(labels), margin=round(margin - 0.1, 2))


def dot_radius(sheet: Sheet) -> float:
    """The radius of a lettered point's dot, in pixels."""
    return 2.6 + sheet.width * 0.6


def place_labels(
    points: Sequence[Point], strokes: Sequence[tuple[Point, Point]], sheet: Sheet, rng: random.Random
) -> list[Point] | None:
    """A place for each point's letter: next to it, clear of strokes, of other letters and of the other points."""
    size = sheet.letters
    own = dot_radius(sheet) + 0.53 * size + 3
    labels: list[Point] = []
    for i, point in enumerate(points):
        first = rng.uniform(0, math.tau)
        for turn in range(12):
            label = rounded(away(point, first + turn * math.tau / 12, own))
            if (
                all(0.7 * size <= value <= sheet.side - 0.7 * size for value in label)
                and all(math.dist(label, other) >= own + 7 for k, other in enumerate(points) if k != i)
                and all(math.dist(label, other) >= 1.15 * size for other in labels)
                and all(distance_to_segment(label, *stroke) >= 0.53 * size + sheet.width + 5 for stroke in strokes)
            ):
                labels.append(label)
                break
        else:
            return None
    return labels


def draw_clutter(figure: Figure, sheet: Sheet, paper: Colour, rng: random.Random) -> None:
    """Pale strokes and circles under the figure, as left over from another drawing."""
    grey = tint(GREY, paper, sheet.strength * 0.75)
    for _ in range(sheet.clutter):
        place = (rng.uniform(0, sheet.side), rng.uniform(0, sheet.side))
        if rng.random() < 0.35:
            figure.ring(place, sheet.side * rng.uniform(0.08, 0.35), grey, 1.5)
        else:
            angle, half = rng.uniform(0, math.tau), sheet.side * rng.uniform(0.1, 0.45)
            figure.line((away(place, angle, half), away(place, angle, -half)), grey, 1.5)


def draw_lettered(figure: Figure, plan: Lettered, sheet: Sheet, paper: Colour, rng: random.Random) -> None:
    """Red and blue, a dot for a point and a stroke for a segment; lettered dots in a third colour."""
    draw_clutter(figure, sheet, paper, rng)
    for colour, part in ((BLUE, plan.blue), (RED, plan.red)):
        mixed = tint(shade(colour, rng, 10), paper, sheet.strength)
        if len(part) == 2:
            figure.line(part, mixed, sheet.width)
        elif part:
            figure.dot(part[0], dot_radius(sheet) + 0.8, mixed)
    dots = tint(shade(rng.choice(OTHERS), rng, 10), paper, sheet.strength)
    ink, face = tint(DARK, paper, sheet.strength), rng.choice(TYPEFACES)
    for letter, point, label in zip("ABCDEF", plan.points, plan.labels, strict=True):
        figure.dot(point, dot_radius(sheet), dots)
        figure.text(label, letter, ink, face, sheet.letters)
