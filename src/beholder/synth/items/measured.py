"""Figures of `math` that ask for a number: an angle, a ratio of lengths or of areas, the height of a triangle.

Each `plan_…` is told the right number and lays the figure out so that it is exact to well below a tenth of a pixel, or
returns None if this draw of lots does not fit the picture.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence

import msgspec

from beholder.synth.inks import Colour
from beholder.synth.items.figure import (
    Figure,
    Point,
    away,
    between,
    segments_apart,
    shade,
    tint,
)
from beholder.synth.items.lettered_points import BLUE, DARK, RED, Sheet, draw_clutter

EDGE = 16
"""Pixels that a figure stays away from the picture's edge."""
APART = 14
"""Pixels between strokes that do not touch."""


class Angle(msgspec.Struct, frozen=True, tag_field="kind", tag="angle"):
    """Two segments, each from the end nearer to the angle's corner, and that corner, in the picture or not."""

    red: tuple[Point, Point]
    blue: tuple[Point, Point]
    corner: Point


class Lengths(msgspec.Struct, frozen=True, tag_field="kind", tag="lengths"):
    """Two paths that do not touch."""

    red: tuple[Point, ...]
    blue: tuple[Point, ...]


class Shape(msgspec.Struct, frozen=True):
    """A polygon, or a disc (no points)."""

    points: tuple[Point, ...]
    centre: Point
    radius: float


class Areas(msgspec.Struct, frozen=True, tag_field="kind", tag="areas"):
    """Two filled shapes that do not touch; `radius` of a polygon is that of a circle around it."""

    red: Shape
    blue: Shape


class Height(msgspec.Struct, frozen=True, tag_field="kind", tag="height"):
    """A triangle by its blue side and its red corner, and how many centimetres the blue side stands for."""

    base: tuple[Point, Point]
    top: Point
    centimetres: int


def _finely(point: Point) -> Point:
    """To ten thousandths of a pixel: the number asked for stays exact."""
    return round(point[0], 4), round(point[1], 4)


def placed(points: list[Point], sheet: Sheet, rng: random.Random) -> list[Point] | None:
    """The points moved, not turned, to a random place where all of them are in the picture."""
    xs, ys = zip(*points, strict=True)
    room = sheet.side - 2 * EDGE
    if max(xs) - min(xs) > room or max(ys) - min(ys) > room:
        return None
    right = rng.uniform(EDGE - min(xs), sheet.side - EDGE - max(xs))
    down = rng.uniform(EDGE - min(ys), sheet.side - EDGE - max(ys))
    return [(x + right, y + down) for x, y in points]


def plan_angle(degrees: float, sheet: Sheet, rng: random.Random) -> Angle | None:
    """Two segments whose lines meet at that angle."""
    first = rng.uniform(0, math.tau)
    second = first + math.radians(degrees) * rng.choice((-1, 1))
    low, high = sheet.gaps
    if high > 0:
        # The sides of a sharp angle begin farther out, where they are clearly apart.
        more = max(0.0, (APART + 0.5) / math.sin(math.radians(min(degrees, 90))) - low)
        low, high = low + more, high + more
    ends = []
    for angle in (first, second):
        gap = rng.uniform(low, high)
        ends += [away((0, 0), angle, gap), away((0, 0), angle, gap + sheet.side * rng.uniform(0.2, 0.42))]
    moved = placed(ends, sheet, rng)
    if moved is None:
        return None
    right, down = moved[0][0] - ends[0][0], moved[0][1] - ends[0][1]
    if high > 0 and segments_apart(moved[0], moved[1], moved[2], moved[3]) < APART:
        return None
    a, b, c, d = (_finely(point) for point in moved)
    return Angle((a, b), (c, d), _finely((right, down)))


def plan_lengths(ratio: float, sheet: Sheet, rng: random.Random) -> Lengths | None:
    """A red path so many times as long as the blue one."""
    longer = sheet.side * rng.uniform(0.6, 0.8)
    red = longer if ratio >= 1 else longer * ratio
    paths = []
    for length in (red, red / ratio):
        path = placed(_path(length, rng.randint(*sheet.bends), rng), sheet, rng)
        if path is None:
            return None
        paths.append([_finely(point) for point in path])
        strokes = list(itertools.pairwise(paths[-1]))
        if any(segments_apart(*p, *q) < APART for p, q in itertools.combinations(strokes, 2) if p[1] != q[0]):
            return None
    if any(segments_apart(*p, *q) < APART for p in itertools.pairwise(paths[0]) for q in itertools.pairwise(paths[1])):
        return None
    return Lengths(tuple(paths[0]), tuple(paths[1]))


def _path(length: float, bends: int, rng: random.Random) -> list[Point]:
    """A path of that length from (0, 0) with clear bends and no very short part."""
    shares = [rng.uniform(0.6, 1.4) for _ in range(bends + 1)]
    angle = rng.uniform(0, math.tau)
    points = [(0.0, 0.0)]
    for share in shares:
        points.append(away(points[-1], angle, length * share / sum(shares)))
        angle += math.radians(rng.uniform(35, 100)) * rng.choice((-1, 1))
    return points


def plan_areas(ratio: float, sheet: Sheet, rng: random.Random) -> Areas | None:
    """A red shape of so many times the area of the blue one."""
    kinds = [_unit_shape(rng) for _ in range(2)]
    units = [_area(points, radius) for points, radius in kinds]
    # Both scaled from their unit size so that the areas are in the ratio and the wider shape fits.
    scale = (1.0, math.sqrt(units[0] / units[1] / ratio))
    widest = max(radius * factor for (_, radius), factor in zip(kinds, scale, strict=True))
    unit = sheet.side * rng.uniform(0.2, 0.27) / widest
    shapes = []
    for (points, radius), factor in zip(kinds, scale, strict=True):
        reach = radius * factor * unit
        low, high = reach + EDGE, sheet.side - reach - EDGE
        centre = (round(rng.uniform(low, high), 2), round(rng.uniform(low, high), 2))
        moved = tuple(_finely((centre[0] + x * factor * unit, centre[1] + y * factor * unit)) for x, y in points)
        shapes.append(Shape(moved, centre, round(reach, 4)))
    red, blue = shapes
    if math.dist(red.centre, blue.centre) < red.radius + blue.radius + 10 or min(red.radius, blue.radius) < 24:
        return None
    return Areas(red, blue)


def _unit_shape(rng: random.Random) -> tuple[list[Point], float]:
    """The corners of a turned shape about (0, 0) and the radius of a circle around it; no corners: a disc."""
    turn = rng.uniform(0, math.tau)
    match rng.randrange(6):
        case 0:
            return [], 1.0
        case 1:
            half, other = 1.0, rng.uniform(0.45, 1)
            corners = [(half, other), (-half, other), (-half, -other), (half, -other)]
        case 2:
            a, b = rng.uniform(0.35, 0.65), rng.uniform(0.35, 0.65)
            corners = [(-1, -1), (1, -1), (1, 2 * a - 1), (2 * b - 1, 2 * a - 1), (2 * b - 1, 1), (-1, 1)]
        case 3:
            corners = [away((0, 0), i * math.tau / 10, 1 if i % 2 else 0.5) for i in range(10)]
        case _:
            count = rng.choice((3, 4, 5, 6))
            corners = [away((0, 0), (i + rng.uniform(-0.22, 0.22)) * math.tau / count, 1) for i in range(count)]
    cosine, sine = math.cos(turn), math.sin(turn)
    turned = [(x * cosine - y * sine, x * sine + y * cosine) for x, y in corners]
    return turned, max(math.hypot(*corner) for corner in turned)


def _area(points: list[Point], radius: float) -> float:
    return polygon_area(points) if points else math.pi * radius * radius


def polygon_area(points: Sequence[tuple[float, float]]) -> float:
    """The area inside a simple polygon (the shoelace formula)."""
    double: float = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, [*points[1:], points[0]], strict=True))
    return abs(double) / 2


def plan_height(height: float, sheet: Sheet, rng: random.Random, centimetres: int) -> Height | None:
    """A triangle with a height of so many centimetres upon a side of `centimetres`."""
    base = sheet.side * rng.uniform(0.3, 0.55)
    tall = base * height / centimetres
    if not sheet.side * 0.11 <= tall <= sheet.side * 0.7:
        return None
    angle = rng.uniform(0, math.tau)
    foot = rng.uniform(-0.35, 1.35) if sheet.clutter else rng.uniform(0.15, 0.85)
    ends = [(0.0, 0.0), away((0, 0), angle, base)]
    top = away(between(ends[0], ends[1], foot), angle + math.pi / 2, tall)
    moved = placed([*ends, top], sheet, rng)
    if moved is None:
        return None
    a, b, c = (_finely(point) for point in moved)
    return Height((a, b), c, centimetres)


def draw_measured(
    figure: Figure, plan: Angle | Lengths | Areas | Height, sheet: Sheet, paper: Colour, rng: random.Random
) -> None:
    """Red and blue as the question names them; strokes end squarely where they are measured."""
    draw_clutter(figure, sheet, paper, rng)
    red, blue = (tint(shade(colour, rng, 10), paper, sheet.strength) for colour in (RED, BLUE))
    match plan:
        case Angle() | Lengths():
            figure.line(plan.blue, blue, sheet.width, round_ends=False)
            figure.line(plan.red, red, sheet.width, round_ends=False)
        case Areas():
            for shape, colour in ((plan.red, red), (plan.blue, blue)):
                if shape.points:
                    figure.polygon(shape.points, colour)
                else:
                    figure.dot(shape.centre, shape.radius, colour)
        case Height():
            ink = tint(DARK, paper, sheet.strength)
            figure.polygon((*plan.base, plan.top), tint((225, 180, 90), paper, rng.uniform(0, 0.25)))
            figure.line((plan.base[0], plan.top, plan.base[1]), ink, sheet.width)
            figure.line(plan.base, blue, sheet.width + 1, round_ends=False)
            figure.dot(plan.top, 3 + sheet.width, red)
