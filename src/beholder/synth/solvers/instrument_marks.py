"""Finds evenly spaced marks in a line of colours, numbers them, and finds the shapes that instruments have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.solvers import Pixels

Floats = NDArray[np.float64]

CUTS = (0.5, 0.4, 0.62, 0.3)
"""How much of the contrast of its strongest neighbour a mark must have; tried in this order."""
FEWEST_MARKS = 6
CALM = 5.0
"""Grey levels a pixel: a steeper change is an edge, not glare or shading."""
TOLERANCE = 0.3
"""How far from its place a mark may lie, in distances between marks."""


class Row(NamedTuple):
    """Marks along a line: where each is, its number from 0 (some may be missing), and how far they are off their
    places on average, in distances between marks."""

    places: Floats
    numbers: NDArray[np.int64]
    off: float


def contrast(line: Floats, window: int, *, around: bool) -> Floats:
    """How much each of (n, 3) colours differs from the middle colour of those within `window`, (n,).

    `around`: the line closes on itself.
    """
    reach = window // 2
    wide = np.pad(line, ((reach, reach), (0, 0)), mode="wrap" if around else "edge")
    views = np.lib.stride_tricks.sliding_window_view(wide, 2 * reach + 1, axis=0)
    # Every fourth neighbour is enough for the middle one.
    usual = np.median(views[..., ::4], axis=-1)
    differing: Floats = np.abs(line - usual).max(axis=1)
    return differing


def ink(line: Floats, window: int, ground: Floats) -> Floats:
    """How much each of (n, 3) colours differs from the ground about it, (n,).

    Marks may cover half of a fine scale, so the ground is not the usual colour there: it is taken as the lightest of
    those within `window` if the instrument's `ground` (3,) is lighter than the line on average, else the darkest.
    """
    grey = line.mean(axis=1)
    sign = 1.0 if ground.mean() > grey.mean() else -1.0
    row = (sign * grey)[None].astype(np.float32)
    size = np.ones((1, window | 1))
    lightest = cv2.blur(cv2.dilate(row, size), (window | 1, 1), borderType=cv2.BORDER_REPLICATE)
    differing: Floats = np.maximum(lightest - row, 0)[0].astype(float)
    return differing


def peaks(signal: Floats, cut: float, reach: int, *, around: bool) -> Floats:
    """The middles of the runs where the signal exceeds `cut` times its greatest value within `reach`."""
    wide = np.pad(signal, reach, mode="wrap" if around else "edge")
    greatest = cv2.dilate(wide[None].astype(np.float32), np.ones((1, 2 * reach + 1)))[0, reach:-reach]
    over = signal > cut * np.maximum(greatest, 0.25 * signal.max())
    if over.all() or not over.any():
        return np.zeros(0)
    shift = int(np.argmin(over)) if around else 0
    over, signal = np.roll(over, -shift), np.roll(signal, -shift)
    edges = np.diff(np.concatenate(([0], over.astype(np.int8), [0])))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    places = [
        float((np.arange(start, end) * signal[start:end]).sum() / signal[start:end].sum()) + shift
        for start, end in zip(starts, ends, strict=True)
    ]
    return np.array(places)


def straight_row(signal: Floats, reach: int) -> Row | None:
    """The evenly spaced marks along a straight line whose contrast is given; the best of several cuts."""
    rows = [row for cut in CUTS if (row := _numbered(peaks(signal, cut, reach, around=False))) is not None]
    return best_row(rows)


def best_row(rows: Iterable[Row]) -> Row | None:
    """The row with the most marks among those that are regular; the earliest of equals."""
    regular = [row for row in rows if row.off < 0.12]
    return max(regular, key=lambda row: len(row.places) - 60 * row.off, default=None)


def without_doubles(places: Floats) -> Floats:
    """Increasing places without those that lie too close to another: of two, the one that is less in step goes."""
    usual = float(np.median(np.diff(places)))
    kept = [float(places[0])]
    for place in places[1:]:
        gap = (float(place) - kept[-1]) / usual
        if gap >= 0.5:
            kept.append(float(place))
        elif len(kept) > 1:
            older, newer = ((at - kept[-2]) / usual for at in (kept[-1], float(place)))
            if abs(newer - round(newer)) < abs(older - round(older)):
                kept[-1] = float(place)
    return np.array(kept)


def _numbered(places: Floats) -> Row | None:
    if len(places) < FEWEST_MARKS:
        return None
    places = without_doubles(places)
    gaps = np.diff(places)
    usual = float(np.median(gaps))
    numbers = np.concatenate(([0], np.cumsum(np.rint(gaps / usual)))).astype(np.int64)
    curve = projective(numbers.astype(float), places)
    off = float(np.abs(curve - places).max()) / usual
    return Row(places, numbers, off)


def projective(numbers: Floats, places: Floats) -> Floats:
    """The places that a parabola through all marks gives them: even spacing seen slightly from the side."""
    return np.asarray(np.polyval(np.polyfit(numbers, places, 2), numbers))


def number_at(row: Row, place: float) -> float:
    """The number, between marks too, that belongs to a place."""
    return float(np.polyval(np.polyfit(row.places, row.numbers, 2), place))


def calm_regions(picture: Pixels, across: Iterable[float], down: Iterable[float]) -> list[NDArray[np.uint8]]:
    """Regions without edges about some points (shares of the width and height), as masks (height, width) of 0 and 255,
    that do not reach the picture's border."""
    height, width = picture.shape[:2]
    smooth = cv2.GaussianBlur(cv2.medianBlur(np.ascontiguousarray(picture), 3), (0, 0), 1.1)
    slope_x, slope_y = (cv2.Sobel(smooth, cv2.CV_32F, *way, ksize=3, scale=1 / 8) for way in ((1, 0), (0, 1)))
    calm = (np.maximum(np.abs(slope_x), np.abs(slope_y)).max(axis=2) < CALM).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(calm, connectivity=4)
    chosen = {int(labels[int(y * height), int(x * width)]) for y in down for x in across} - {0}
    found = []
    for label in sorted(chosen):
        left, top, wide, high, area = (int(value) for value in stats[label])
        inside = left > 0 and top > 0 and left + wide < width and top + high < height
        if inside and area > 0.03 * width * height:
            # An edge takes two pixels on either side.
            region = cv2.dilate((labels == label).astype(np.uint8) * 255, np.ones((5, 5), np.uint8))
            found.append(np.asarray(region, dtype=np.uint8))
    return found


def outline(region: NDArray[np.uint8]) -> NDArray[np.int32]:
    """The points along the border of a region's convex hull, (n, 1, 2)."""
    contours, _ = cv2.findContours(region, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    hull = cv2.convexHull(max(contours, key=len))
    filled = np.zeros_like(region)
    cv2.fillConvexPoly(filled, hull, (255,))
    around, _ = cv2.findContours(filled, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    points: NDArray[np.int32] = np.asarray(max(around, key=len), dtype=np.int32)
    return points
