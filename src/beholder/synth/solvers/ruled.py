"""Reads figures on ruled ground: a curve's height between axes, the area of a polygon in grid squares."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.solvers import GaveUp, Pixels
from beholder.synth.solvers.strokes import SOLID, Plane, coverage, inks, inside_of, paper_of

FAINTEST_LINE = 6.0
"""Levels from the paper of the palest grid line."""


def read_curve(picture: Pixels, x: float) -> float:
    """The height of the red curve at `x`, on axes that cross in (0, 0) and whose ticks are 1 apart."""
    planes = inks(picture)
    dark, red = planes["dark"], planes["red"]
    row, column = _line_at(dark.sum(axis=1)), _line_at(dark.sum(axis=0))
    unit = _tick_distance(dark, row, column)
    place = column + x * unit
    columns = np.arange(max(0, round(place) - 3), min(dark.shape[1], round(place) + 3))
    weights = np.where(red[:, columns] > SOLID / 2, red[:, columns], 0)
    full = weights.sum(axis=0)
    if (full > 0).sum() < 2:
        raise GaveUp("the red curve does not come to that place")
    heights = ((np.arange(len(red)) + 0.5) @ weights)[full > 0] / full[full > 0]
    _, start = np.polyfit(columns[full > 0] + 0.5 - place, heights, 1)
    return float((row - start) / unit)


def _line_at(sums: NDArray[np.float32]) -> float:
    """The middle of the strongest line across a profile."""
    peak = int(np.argmax(sums))
    if sums[peak] <= 0:
        raise GaveUp("no axis is to be seen")
    around = np.arange(max(0, peak - 2), min(len(sums), peak + 3))
    weights = np.maximum(sums[around] - 0.3 * sums[peak], 0)
    return float((around + 0.5) @ weights / weights.sum())


def _tick_distance(dark: Plane, row: float, column: float) -> float:
    """Pixels between ticks, from those above the x axis and to the right of the y axis: the numbers are elsewhere."""
    above, beside = round(row) - 4, round(column) + 3
    if above < 0 or beside + 1 >= dark.shape[1]:
        raise GaveUp("the axes lie at the picture's edge")
    distances = [
        _even_distance(dark[above : above + 1].mean(axis=0), column),
        _even_distance(dark[:, beside : beside + 1].mean(axis=1), row),
    ]
    return float(np.mean(distances))


def _even_distance(profile: NDArray[np.float32], start: float) -> float:
    """The even distance at which a profile has marks, counted from `start`."""
    marks = _marks(profile, SOLID)
    if len(marks) < 3:
        raise GaveUp("no even marks are to be seen")
    first = float(np.median(np.diff(marks)))
    steps = np.rint((marks - start) / first)
    even = (np.abs(marks - start - steps * first) < 0.2 * first) & (steps != 0)
    if not even.any():
        raise GaveUp("no even marks are to be seen")
    return float((marks - start)[even] @ steps[even] / (steps[even] @ steps[even]))


def _marks(profile: NDArray[np.float32], least: float) -> NDArray[np.float64]:
    """The middles of the stretches in which a profile is above `least`."""
    above = np.concatenate([[False], profile > least, [False]])
    edges = np.flatnonzero(above[1:] != above[:-1])
    return np.array(
        [
            (np.arange(a, b) + 0.5) @ profile[a:b] / profile[a:b].sum()
            for a, b in zip(edges[::2], edges[1::2], strict=True)
        ]
    )


def squares_inside(picture: Pixels) -> float:
    """The area inside the outline, measured to the middle of its stroke, in squares of the grid."""
    apart = np.abs(picture.astype(np.float32) - paper_of(picture)).max(axis=2)
    # Along a grid line nearly all pixels are inked; elsewhere a good part is paper, whatever else is drawn.
    sides = []
    for axis in (0, 1):
        profile = np.asarray(np.quantile(apart, 0.15, axis=axis), dtype=np.float32)
        marks = _marks(profile, max(FAINTEST_LINE, 0.35 * float(profile.max())))
        if len(marks) < 3:
            raise GaveUp("no grid is to be seen")
        steps = np.rint((marks - marks[0]) / np.median(np.diff(marks)))
        sides.append(float(np.polyfit(steps, marks, 1)[0]))
    inked = coverage(picture) > SOLID
    outer = inside_of(inked)
    _, _, stats, _ = cv2.connectedComponentsWithStats((outer & ~inked).astype(np.uint8), connectivity=4)
    if len(stats) < 2:
        raise GaveUp("nothing on the grid is closed")
    inner = int(stats[1:, cv2.CC_STAT_AREA].max())
    return (int(outer.sum()) + inner) / 2 / (sides[0] * sides[1])
