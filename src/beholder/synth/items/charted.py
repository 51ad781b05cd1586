"""Figures of `math` on squared ground: a curve between axes, a polygon whose corners are grid points.

Each `plan_…` is told the right number and lays the figure out so that it is exact, or returns None if this draw of lots
does not fit.
"""

from __future__ import annotations

import math
import random

import msgspec

from beholder.synth.inks import Colour
from beholder.synth.items.figure import INKS, Figure, Point, corner, shade, tint
from beholder.synth.items.lettered_points import BLUE, DARK, RED, Sheet, draw_clutter
from beholder.synth.items.measured import polygon_area
from beholder.synth.typefaces import TYPEFACES

UNITS = 9
"""Units that each axis is long."""
LOWEST = -1
"""Where the y axis begins."""


class Wave(msgspec.Struct, frozen=True):
    """The function y = level + slope·x + swing·sin(pace·x + phase)."""

    level: float
    slope: float
    swing: float
    pace: float
    phase: float

    def at(self, x: float) -> float:
        """Its value."""
        return self.level + self.slope * x + self.swing * math.sin(self.pace * x + self.phase)

    def steepness(self, x: float) -> float:
        """Its derivative."""
        return self.slope + self.swing * self.pace * math.cos(self.pace * x + self.phase)


class Curve(msgspec.Struct, frozen=True, tag_field="kind", tag="curve"):
    """A red curve, maybe a blue one, and where y is to be read off the red one.

    The x axis runs from `first` over `UNITS` units, the y axis from `LOWEST`; they cross in (0, 0), which is at
    `origin` in the picture; a unit is `unit` pixels.
    """

    red: Wave
    blue: Wave | None
    x: float
    first: int
    unit: float
    origin: Point


class GridArea(msgspec.Struct, frozen=True, tag_field="kind", tag="grid_area"):
    """A polygon by its corners in grid units; (0, 0) of the grid is at `origin`, a unit is `pitch` pixels."""

    corners: tuple[tuple[int, int], ...]
    pitch: float
    origin: Point


def plan_curve(value: float, sheet: Sheet, rng: random.Random, x: float, first: int) -> Curve | None:
    """A curve that passes exactly through (x, value), not steeply, and stays between the axes' ends."""
    red = _wave(value, x, first, rng)
    if red is None:
        return None
    blue = None
    if sheet.clutter >= 2:
        blue = _wave(rng.uniform(0, 7), first + UNITS / 2, first, rng)
    unit = (sheet.side - 64) / (UNITS + 0.6)
    left, bottom = 30 + unit * 0.2, sheet.side - 34 - unit * 0.2
    origin = (round(left - first * unit, 2), round(bottom + LOWEST * unit, 2))
    return Curve(red, blue, x, first, round(unit, 4), origin)


def _wave(value: float, x: float, first: int, rng: random.Random) -> Wave | None:
    wave = Wave(0, rng.uniform(-0.6, 0.6), rng.uniform(0.4, 2.4), rng.uniform(0.5, 1.3), rng.uniform(0, math.tau))
    wave = msgspec.structs.replace(wave, level=value - wave.at(x))
    heights = [wave.at(first + step / 8) for step in range(UNITS * 8 + 1)]
    if min(heights) < LOWEST + 0.2 or max(heights) > LOWEST + UNITS - 0.2 or abs(wave.steepness(x)) > 1:
        return None
    return wave


def draw_curve(figure: Figure, plan: Curve, sheet: Sheet, paper: Colour, rng: random.Random) -> None:
    """Axes with arrows, ticks and numbers, on squared paper or plain; curves on top."""
    ink, (x0, y0), unit = tint(DARK, paper, sheet.strength), plan.origin, plan.unit
    if rng.random() < 0.6:
        figure.grid(unit, tint((120, 140, 175), paper, 0.22), plan.origin)
    left, right = x0 + (plan.first - 0.2) * unit, x0 + (plan.first + UNITS + 0.35) * unit
    bottom, top = y0 - (LOWEST - 0.2) * unit, y0 - (LOWEST + UNITS + 0.35) * unit
    for start, end in (((left, y0), (right, y0)), ((x0, bottom), (x0, top))):
        figure.line((start, end), ink, 1.7)
    figure.polygon(((right + 5, y0), (right - 5, y0 - 4), (right - 5, y0 + 4)), ink)
    figure.polygon(((x0, top - 5), (x0 - 4, top + 5), (x0 + 4, top + 5)), ink)
    face, size = rng.choice(TYPEFACES), sheet.letters * 0.62
    for step in range(plan.first, plan.first + UNITS + 1):
        if step:
            place = x0 + step * unit
            figure.line(((place, y0 - 5), (place, y0 + 5)), ink, 1.5, round_ends=False)
            figure.text((place, y0 + 8 + size * 0.6), str(step), ink, face, size)
    for step in range(LOWEST, LOWEST + UNITS + 1):
        if step:
            place = y0 - step * unit
            figure.line(((x0 - 5, place), (x0 + 5, place)), ink, 1.5, round_ends=False)
            figure.text((x0 - 9 - size * 0.5, place), str(step), ink, face, size)
    figure.text((right - 2, y0 - 13), "x", ink, face, sheet.letters * 0.75)
    figure.text((x0 + 13, top + 4), "y", ink, face, sheet.letters * 0.75)
    for wave, colour in ((plan.blue, BLUE), (plan.red, RED)):
        if wave is not None:
            xs = [plan.first + UNITS * step / 180 for step in range(181)]
            points = [(x0 + x * unit, y0 - wave.at(x) * unit) for x in xs]
            figure.line(points, tint(shade(colour, rng, 10), paper, sheet.strength), sheet.width)


def plan_grid_area(area: float, sheet: Sheet, rng: random.Random) -> GridArea | None:
    """A polygon around a point, with corners on grid points, of exactly that area."""
    cells = 16
    pitch = round((sheet.side - 20) / cells, 2)
    for _ in range(60):
        count = rng.randint(4, 8)
        reach = math.sqrt(area / (count / 2 * math.sin(math.tau / count))) * rng.uniform(0.95, 1.45)
        start = rng.uniform(0, math.tau)
        corners: list[tuple[int, int]] = []
        for i in range(count):
            angle = start + (i + rng.uniform(-0.25, 0.25)) * math.tau / count
            radius = reach * rng.uniform(0.5, 1)
            corners.append((round(math.cos(angle) * radius), round(math.sin(angle) * radius)))
        if polygon_area(corners) == area and _clear_around(corners):
            xs, ys = zip(*corners, strict=True)
            if max(xs) - min(xs) > cells - 2 or max(ys) - min(ys) > cells - 2:
                continue
            right = rng.randint(1 - min(xs), cells - 1 - max(xs))
            down = rng.randint(1 - min(ys), cells - 1 - max(ys))
            return GridArea(tuple((x + right, y + down) for x, y in corners), pitch, (10.0, 10.0))
    return None


def _clear_around(corners: list[tuple[int, int]]) -> bool:
    """If the corners go once around (0, 0) in order, none of them straight on and none a spike."""
    for i, at in enumerate(corners):
        before, after = corners[i - 1], corners[(i + 1) % len(corners)]
        if at in (before, after) or at[0] * after[1] - at[1] * after[0] <= 0:
            return False
        if not 20 <= corner(before, at, after) <= 165:
            return False
    return True


def draw_grid_area(figure: Figure, plan: GridArea, sheet: Sheet, paper: Colour, rng: random.Random) -> None:
    """The polygon tinted, the grid over it, its outline on top."""
    draw_clutter(figure, sheet, paper, rng)
    ink = tint(shade(rng.choice(INKS), rng), paper, sheet.strength)
    points = [(plan.origin[0] + x * plan.pitch, plan.origin[1] + y * plan.pitch) for x, y in plan.corners]
    figure.polygon(points, tint(ink, paper, rng.uniform(0.1, 0.2)))
    figure.grid(plan.pitch, tint((110, 125, 150), paper, 0.38 * sheet.strength), plan.origin)
    figure.line(points, ink, sheet.width, closed=True)
