"""Closed shapes to be counted in `symbolic`: a polygon's corners, nested shapes, overlapping circles.

Each `plan_…` lays a figure out with exactly the count asked for, or returns None if this draw of lots leaves too little
room; each `draw_…` draws what the plan says, and nothing else that is dark.
"""

from __future__ import annotations

import math
import random

import msgspec

from beholder.synth.inks import Colour
from beholder.synth.items.figure import (
    INKS,
    Figure,
    Point,
    away,
    between,
    corner,
    distance_to_segment,
    rounded,
    shade,
    tint,
)


class Room(msgspec.Struct, frozen=True):
    """What a level asks of a figure: the side of the picture, the least distance between things that must be told
    apart (pixels), the least angle by which lines must differ (degrees), the stroke's width (pixels), and how much
    darker than the paper the strokes are (1 = full ink)."""

    side: int
    apart: float
    angle: float
    width: float
    strength: float


class Corners(msgspec.Struct, frozen=True, tag_field="kind", tag="corners"):
    """A simple polygon. No corner is within `bend` degrees of straight, no side shorter than `shortest` pixels."""

    points: tuple[Point, ...]
    bend: float
    shortest: float


class Nested(msgspec.Struct, frozen=True, tag_field="kind", tag="nested"):
    """Shapes of `sides` equal sides (0: circles), outermost first: centre, radius to the corners, turn in radians.

    From each outline to the next inner one there are at least `gap` pixels everywhere, middle to middle.
    """

    sides: int
    centres: tuple[Point, ...]
    radii: tuple[float, ...]
    turns: tuple[float, ...]
    gap: float


class Circles(msgspec.Struct, frozen=True, tag_field="kind", tag="circles"):
    """Circles: centre and radius. No two come within `gap` pixels of touching without crossing."""

    centres: tuple[Point, ...]
    radii: tuple[float, ...]
    gap: float


SHARPEST = 26.0
"""Degrees of a polygon's sharpest corner: a sharper one looks like a line."""
SHAPES = {0: "circles", 3: "triangles", 4: "squares", 5: "pentagons", 6: "hexagons"}


def plan_corners(count: int, room: Room, rng: random.Random) -> Corners | None:
    """A polygon around a point, or along a line, whose corners are moved in and out until all of them are clear."""
    frame = _star(count, room, rng) if rng.random() < 0.5 else _range(count, room, rng)
    heights = [rng.random() for _ in range(count)]
    for _ in range(250):
        points = [between(*frame[i], heights[i]) for i in range(count)]
        bad = [i for i in range(count) if not _clear(points[i - 1], points[i], points[(i + 1) % count], room)]
        if not bad:
            break
        moved = (rng.choice(bad) + rng.choice((-1, 0, 0, 1))) % count
        heights[moved] = rng.random()
    else:
        return None
    points = [rounded(point) for point in points]
    for i in range(count):
        for k in range(i + 1, count + i - 1):
            if distance_to_segment(points[i], points[k % count], points[(k + 1) % count]) < room.apart * 0.6:
                return None
    return Corners(tuple(points), bend=room.angle, shortest=room.apart)


def _clear(before: Point, at: Point, after: Point, room: Room) -> bool:
    return math.dist(at, after) >= room.apart and SHARPEST <= corner(before, at, after) <= 180 - room.angle


def _star(count: int, room: Room, rng: random.Random) -> list[tuple[Point, Point]]:
    """Spokes around a centre: each corner lies on its own, so sides cannot cross."""
    start, stretch, turn = rng.uniform(0, math.tau), rng.uniform(0.72, 1), rng.uniform(0, math.tau)
    reach = room.side * 0.46
    least = rng.uniform(0.28, 0.45)
    spokes = []
    for i in range(count):
        angle = start + (i + rng.uniform(-0.32, 0.32)) * math.tau / count
        ends = []
        for radius in (least * reach, reach):
            x, y = math.cos(angle) * radius, math.sin(angle) * radius * stretch
            ends.append(_turned((x, y), turn, room.side / 2))
        spokes.append((ends[0], ends[1]))
    return spokes


def _range(count: int, room: Room, rng: random.Random) -> list[tuple[Point, Point]]:
    """Spans above and below a line, like hills and their reflection; the first and last corner lie at its ends."""
    turn, half = rng.uniform(0, math.tau), room.side * 0.44
    upper = (count - 2) // 2 + (rng.randrange(2) if count % 2 else 0)
    reach = room.side * 0.27
    near = room.apart * 0.5
    spans: list[tuple[Point, Point]] = [((-half, -reach / 3), (-half, reach / 3))]
    for sign, number in ((-1, upper), (1, count - 2 - upper)):
        steps = [(i + 1 + rng.uniform(-0.25, 0.25)) / (number + 1) for i in range(number)]
        side: list[tuple[Point, Point]] = [
            ((half * (2 * step - 1), sign * near), (half * (2 * step - 1), sign * reach)) for step in steps
        ]
        if sign > 0:
            spans.append(((half, -reach / 3), (half, reach / 3)))
        spans += side if sign < 0 else side[::-1]
    middle = room.side / 2
    return [(_turned(near_end, turn, middle), _turned(far_end, turn, middle)) for near_end, far_end in spans]


def _turned(point: Point, turn: float, middle: float) -> Point:
    x, y = point
    return middle + x * math.cos(turn) - y * math.sin(turn), middle + x * math.sin(turn) + y * math.cos(turn)


def draw_corners(figure: Figure, plan: Corners, room: Room, paper: Colour, rng: random.Random) -> None:
    """Outline only, tinted with an outline, or solid."""
    ink = tint(shade(rng.choice(INKS), rng), paper, room.strength)
    style = rng.choice(("outline", "tinted", "solid"))
    if style != "outline":
        figure.polygon(plan.points, ink if style == "solid" else tint(ink, paper, rng.uniform(0.1, 0.22)))
    if style != "solid":
        figure.line(plan.points, ink, room.width, closed=True)


def outline(sides: int, centre: Point, radius: float, turn: float) -> list[Point]:
    """The corners of an equal-sided shape."""
    return [away(centre, turn + i * math.tau / sides, radius) for i in range(sides)]


def margin_inside(sides: int, outer: tuple[Point, float, float], inner: tuple[Point, float, float]) -> float:
    """The least distance from the inner outline to the outer one; below 0 if it sticks out. Each is (centre, radius,
    turn)."""
    (centre, radius, turn), (inner_centre, inner_radius, inner_turn) = outer, inner
    if sides == 0:
        return radius - inner_radius - math.dist(centre, inner_centre)
    apothem = radius * math.cos(math.pi / sides)
    farthest = -math.inf
    for side in range(sides):
        angle = turn + (side + 0.5) * math.tau / sides
        x, y = math.cos(angle), math.sin(angle)
        for u, v in outline(sides, inner_centre, inner_radius, inner_turn):
            farthest = max(farthest, (u - centre[0]) * x + (v - centre[1]) * y)
    return apothem - farthest


def plan_nested(count: int, room: Room, rng: random.Random, sides: int) -> Nested | None:
    """Shapes one in the other, each turned and moved off the middle as far as the gap to the one around it allows."""
    flat = 1.0 if sides == 0 else math.cos(math.pi / sides)
    gap = room.width + max(4.0, room.apart * 0.2)
    apothem = room.side * rng.uniform(0.43, 0.465) * flat
    spare = apothem - 10 - gap * (count - 1)
    if spare < 0:
        return None
    weights = [rng.uniform(0.2, 1) for _ in range(count)]
    unit = spare * rng.uniform(0.6, 0.95) / sum(weights)
    middle = room.side / 2
    shapes: list[tuple[Point, float, float]] = [
        ((middle, middle), round(apothem / flat, 2), round(rng.uniform(0, math.tau), 4))
    ]
    twist = rng.choice((0.0, 0.12, 0.3, 0.6))
    for weight in weights[1:]:
        apothem -= gap + unit * weight
        centre, _, turn = shapes[-1]
        off, direction, more = unit * weight * rng.uniform(0.2, 0.9), rng.uniform(0, math.tau), rng.uniform(-1, 1)
        for share in (1.0, 0.6, 0.35, 0.2, 0.1, 0.0):
            place = rounded(away(centre, direction, off * share))
            shape = (place, round(apothem / flat, 2), round(turn + more * twist * share, 4))
            if margin_inside(sides, shapes[-1], shape) >= gap - 0.05:
                break
        shapes.append(shape)
    centres, radii, turns = zip(*shapes, strict=True)
    return Nested(sides, centres, radii, turns, gap=round(gap - 0.1, 2))


def draw_nested(figure: Figure, plan: Nested, room: Room, paper: Colour, rng: random.Random) -> None:
    """One ink or many, with or without tinted rings between the outlines."""
    inks = [shade(rng.choice(INKS), rng)] if rng.random() < 0.5 else [shade(ink, rng) for ink in INKS]
    tinted = rng.random() < 0.5
    for centre, radius, turn in zip(plan.centres, plan.radii, plan.turns, strict=True):
        ink = tint(rng.choice(inks), paper, room.strength)
        fill = tint(ink, paper, rng.uniform(0.05, 0.22))
        if plan.sides == 0:
            if tinted:
                figure.dot(centre, radius, fill)
            figure.ring(centre, radius, ink, room.width)
        else:
            points = outline(plan.sides, centre, radius, turn)
            if tinted:
                figure.polygon(points, fill)
            figure.line(points, ink, room.width, closed=True)


def plan_circles(count: int, room: Room, rng: random.Random) -> Circles | None:
    """Circles of many sizes; each after the first crosses at least one before it."""
    gap = max(6.0, room.apart * 0.3)
    circles: list[tuple[Point, float]] = []
    for _ in range(400):
        radius = round(room.side * rng.uniform(0.08, 0.21), 2)
        low, high = radius + 10, room.side - radius - 10
        centre = rounded((rng.uniform(low, high), rng.uniform(low, high)))
        if _fits_in(centre, radius, circles, gap):
            circles.append((centre, radius))
            if len(circles) == count:
                centres, radii = zip(*circles, strict=True)
                return Circles(centres, radii, gap=round(gap, 2))
    return None


def _fits_in(centre: Point, radius: float, circles: list[tuple[Point, float]], gap: float) -> bool:
    crosses = not circles
    for other, size in circles:
        distance = math.dist(centre, other)
        if min(abs(distance - radius - size), abs(distance - abs(radius - size))) < gap or distance < 2 * gap:
            return False
        crosses |= abs(radius - size) < distance < radius + size
    return crosses


def draw_circles(figure: Figure, plan: Circles, room: Room, paper: Colour, rng: random.Random) -> None:
    """Outlines in one ink."""
    ink = tint(shade(rng.choice(INKS), rng), paper, room.strength)
    for centre, radius in zip(plan.centres, plan.radii, strict=True):
        figure.ring(centre, radius, ink, room.width)
