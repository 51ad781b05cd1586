"""Lines to be counted in `symbolic`: where two coloured lines cross, single segments, regions between lines.

Each `plan_…` lays a figure out with exactly the count asked for, or returns None if this draw of lots leaves too little
room; each `draw_…` draws what the plan says, and nothing else that is dark.
"""

from __future__ import annotations

import itertools
import math
import random

import msgspec

from beholder.synth.inks import Colour
from beholder.synth.items.counted_shapes import Room, outline
from beholder.synth.items.figure import (
    INKS,
    Figure,
    Point,
    angle_between,
    away,
    between,
    crossing,
    distance_to_segment,
    rounded,
    shade,
    tint,
)


class Crossings(msgspec.Struct, frozen=True, tag_field="kind", tag="crossings"):
    """Two chains of straight strokes, the second drawn over the first, in two named colours.

    Crossing points are at least `apart` pixels from each other, cross at `angle` degrees or more, and no corner or end
    of one line comes nearer to the other than `clear` pixels.
    """

    colours: tuple[str, str]
    lines: tuple[tuple[Point, ...], tuple[Point, ...]]
    apart: float
    angle: float
    clear: float


class Segments(msgspec.Struct, frozen=True, tag_field="kind", tag="segments"):
    """Straight segments, each by its two ends. Every end is at least `clear` pixels from every other segment."""

    ends: tuple[tuple[Point, Point], ...]
    clear: float
    angle: float


class Regions(msgspec.Struct, frozen=True, tag_field="kind", tag="regions"):
    """A circle (`sides` 0) or square cut by straight lines from edge to edge.

    Crossing points and the lines' ends are at least `apart` pixels from each other.
    """

    sides: int
    centre: Point
    radius: float
    turn: float
    chords: tuple[tuple[Point, Point], ...]
    apart: float
    angle: float


NAMED: dict[str, Colour] = {
    "red": (208, 38, 42),
    "blue": (38, 78, 205),
    "green": (28, 140, 62),
    "orange": (232, 126, 18),
    "purple": (132, 48, 165),
}
PAIRS = (("red", "blue"), ("green", "purple"), ("blue", "orange"), ("red", "green"), ("orange", "purple"))


def crossings_of(first: tuple[Point, ...], second: tuple[Point, ...]) -> list[tuple[Point, float]]:
    """The points where two chains cross, with the angle between them there."""
    found = []
    for a, b in itertools.pairwise(first):
        for c, d in itertools.pairwise(second):
            point = crossing(a, b, c, d)
            if point is not None:
                found.append((point, angle_between(a, b, c, d)))
    return found


def plan_crossings(count: int, room: Room, rng: random.Random, colours: tuple[str, str]) -> Crossings | None:
    """Two lines run side by side along a band or around a ring and change sides exactly `count` times."""
    steps = count + rng.randint(1, 3)
    swaps = set(rng.sample(range(steps), count))
    ring = rng.random() < (0.35 if count <= 6 else 0.75)
    start, turn = rng.choice((-1, 1)), rng.uniform(0, math.tau)
    middle, reach = room.side / 2, room.side * 0.47
    drift = [rng.uniform(-1, 1) for _ in range(steps + 1)]
    pair: tuple[list[Point], list[Point]] = ([], [])
    clear = room.apart * 0.45
    side = start
    for step in range(steps + 1):
        half = rng.uniform(0.6, 1.6) * room.apart
        for line, sign in zip(pair, (side, -side), strict=True):
            along = step + rng.uniform(-0.2, 0.2)
            if ring:
                radius = reach * (0.74 + 0.12 * drift[step]) + sign * half * 0.8
                point = away((middle, middle), turn + along * 5.6 / steps, min(radius, reach))
            else:
                x = (2 * along / steps - 1) * reach * 0.94
                y = drift[step] * reach * 0.35 + sign * half
                point = away(away((middle, middle), turn, x), turn + math.pi / 2, y)
            line.append(rounded(point))
        if step in swaps:
            side = -side
    lines = (tuple(pair[0]), tuple(pair[1]))
    plan = Crossings(colours, lines, apart=room.apart, angle=room.angle, clear=round(clear, 2))
    return plan if _told_apart(plan, count, room) else None


def _told_apart(plan: Crossings, count: int, room: Room) -> bool:
    found = crossings_of(*plan.lines)
    if len(found) != count or any(angle < plan.angle for _, angle in found):
        return False
    if any(math.dist(p, q) < plan.apart for (p, _), (q, _) in itertools.combinations(found, 2)):
        return False
    for line, other in (plan.lines, plan.lines[::-1]):
        for point in line:
            if not all(8 <= place <= room.side - 8 for place in point):
                return False
            if any(distance_to_segment(point, a, b) < plan.clear for a, b in itertools.pairwise(other)):
                return False
    return True


def draw_crossings(figure: Figure, plan: Crossings, room: Room, paper: Colour, rng: random.Random) -> None:
    """Both lines in their own colour and width, with round joints."""
    for name, line in zip(plan.colours, plan.lines, strict=True):
        figure.line(line, tint(shade(NAMED[name], rng, 10), paper, room.strength), room.width)


def plan_segments(count: int, room: Room, rng: random.Random) -> Segments | None:
    """Segments thrown down at random, those that would be mistaken left out."""
    clear = max(10.0, room.apart * 0.5)
    chosen: list[tuple[Point, Point]] = []
    for _ in range(1500):
        length = room.side * rng.uniform(0.16, 0.5)
        start = (rng.uniform(16, room.side - 16), rng.uniform(16, room.side - 16))
        end = rounded(away(start, rng.uniform(0, math.tau), length))
        start = rounded(start)
        if all(16 <= place <= room.side - 16 for place in end) and all(
            _single(start, end, a, b, clear, room.angle) for a, b in chosen
        ):
            chosen.append((start, end))
            if len(chosen) == count:
                return Segments(tuple(chosen), clear=round(clear, 2), angle=room.angle)
    return None


def _single(start: Point, end: Point, a: Point, b: Point, clear: float, angle: float) -> bool:
    if min(distance_to_segment(start, a, b), distance_to_segment(end, a, b)) < clear:
        return False
    if min(distance_to_segment(a, start, end), distance_to_segment(b, start, end)) < clear:
        return False
    return crossing(start, end, a, b) is None or angle_between(start, end, a, b) >= angle


def draw_segments(figure: Figure, plan: Segments, room: Room, paper: Colour, rng: random.Random) -> None:
    """All in one ink."""
    ink = tint(shade(rng.choice(INKS), rng), paper, room.strength)
    for ends in plan.ends:
        figure.line(ends, ink, room.width)


def plan_regions(count: int, room: Room, rng: random.Random, sides: int) -> Regions | None:
    """Lines from edge to edge: each makes one region more, and one more for every line that it crosses."""
    centre = (room.side / 2, room.side / 2)
    radius = round(room.side * rng.uniform(0.42, 0.46), 2)
    turn = round(rng.uniform(0, math.tau), 4)
    edge = outline(sides, centre, radius, turn) if sides else []
    chords: list[tuple[Point, Point]] = []
    marks: list[Point] = []
    regions = 1
    for _ in range(300):
        start, end = (rounded(_on_edge(edge, centre, radius, rng)) for _ in range(2))
        if math.dist(start, end) < radius * 0.8:
            continue
        points = [crossing(start, end, a, b) for a, b in chords]
        new = [start, end, *(point for point in points if point is not None)]
        if regions + len(new) - 1 > count:
            continue
        if any(
            point is not None and angle_between(start, end, *chord) < room.angle
            for chord, point in zip(chords, points, strict=True)
        ):
            continue
        if any(math.dist(p, q) < room.apart for p in new for q in marks):
            continue
        if any(math.dist(p, q) < room.apart for p, q in itertools.combinations(new, 2)):
            continue
        if any(math.dist(p, q) < room.apart for p in (start, end) for q in edge):
            continue
        if _along_edge(start, end, edge, room):
            continue
        if any(_skims(start, end, a, b, room) for a, b in chords):
            continue
        chords.append((start, end))
        marks += new
        regions += len(new) - 1
        if regions == count:
            return Regions(sides, centre, radius, turn, tuple(chords), apart=room.apart, angle=room.angle)
    return None


def _along_edge(start: Point, end: Point, edge: list[Point], room: Room) -> bool:
    """If a line runs along the edge that it starts or ends at, or leaves it too flatly."""
    sides = [(edge[i - 1], edge[i]) for i in range(len(edge))]
    touched = [side for side in sides if min(distance_to_segment(point, *side) for point in (start, end)) < 1]
    return any(angle_between(start, end, *side) < room.angle for side in touched)


def _skims(start: Point, end: Point, a: Point, b: Point, room: Room) -> bool:
    """If an end of one line comes close to the other."""
    near = room.apart * 0.6
    return (
        min(
            distance_to_segment(start, a, b),
            distance_to_segment(end, a, b),
            distance_to_segment(a, start, end),
            distance_to_segment(b, start, end),
        )
        < near
    )


def _on_edge(edge: list[Point], centre: Point, radius: float, rng: random.Random) -> Point:
    if not edge:
        return away(centre, rng.uniform(0, math.tau), radius)
    side = rng.randrange(len(edge))
    return between(edge[side - 1], edge[side], rng.random())


def draw_regions(figure: Figure, plan: Regions, room: Room, paper: Colour, rng: random.Random) -> None:
    """Lines and edge in one ink."""
    ink = tint(shade(rng.choice(INKS), rng), paper, room.strength)
    inside = tint(shade((150, 160, 190), rng, 60), paper, rng.uniform(0, 0.3))
    if plan.sides == 0:
        figure.dot(plan.centre, plan.radius, inside)
        figure.ring(plan.centre, plan.radius, ink, room.width)
    else:
        edge = outline(plan.sides, plan.centre, plan.radius, plan.turn)
        figure.polygon(edge, inside)
        figure.line(edge, ink, room.width, closed=True)
    for chord in plan.chords:
        figure.line(chord, ink, room.width)
