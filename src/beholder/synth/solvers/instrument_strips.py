"""Reads straight scales: the instrument's plate is straightened, and its marks numbered along it."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.solvers import GaveUp, Pixels
from beholder.synth.solvers.instrument_marks import (
    Row,
    best_row,
    calm_regions,
    ink,
    number_at,
    outline,
    straight_row,
)

Floats = NDArray[np.float64]

STEEP = 6.0
"""Grey levels a column of the straightened picture: what changes less is glare or a pattern of the table."""
FINER = 1.6
"""How many pixels the straightened picture has for each pixel of the given one."""


def find_plate(picture: Pixels, *, straighten: bool) -> Floats:
    """The corners of the largest four-sided region, clockwise from the upper left, (4, 2); the box about it if it is
    not to be straightened."""
    best: Floats | None = None
    best_area = 0.0
    across = (0.5, 0.45, 0.55, 0.4, 0.6, 0.33, 0.67, 0.25, 0.75)
    for region in calm_regions(picture, across, (0.5, 0.55, 0.6, 0.65, 0.4, 0.3)):
        points = outline(region)
        corners = _corners(points)
        area = float(cv2.contourArea(points))
        if corners is None or area < best_area:
            continue
        if abs(cv2.contourArea(corners.astype(np.float32)) / area - 1) < 0.06:
            best, best_area = corners, area
    if best is None:
        raise GaveUp("no four-sided plate in the picture")
    if not straighten:
        (left, top), (right, bottom) = best.min(axis=0), best.max(axis=0)
        best = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    return best


def _corners(points: NDArray[np.int32]) -> Floats | None:
    """Where straight lines along the four sides of an outline meet, clockwise from the upper left."""
    rough = cv2.boxPoints(cv2.minAreaRect(points)).astype(float)
    rough = rough[np.argsort(np.arctan2(*(rough - rough.mean(axis=0)).T[::-1]))]
    upper_left = int(np.argmin(rough.sum(axis=1)))
    rough = np.roll(rough, -upper_left, axis=0)
    flat = points[:, 0].astype(float)
    sides = []
    for one, other in zip(rough, np.roll(rough, -1, axis=0), strict=True):
        toward = other - one
        length = math.hypot(*toward)
        if length < 20:
            return None
        toward = toward / length
        along = (flat - one) @ toward / length
        aside = np.abs((flat - one) @ np.array([-toward[1], toward[0]]))
        near = flat[(along > 0.12) & (along < 0.88) & (aside < 0.14 * length + 8) & (aside < 60)]
        near = near[_nearest_layer(near, one, toward)]
        if len(near) < 10:
            return None
        dx, dy, x, y = cv2.fitLine(near.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
        sides.append((float(dx), float(dy), float(x), float(y)))
    corners = [_meet(sides[place - 1], sides[place]) for place in range(4)]
    return np.array(corners)


def _nearest_layer(points: Floats, one: Floats, toward: Floats) -> NDArray[np.bool_]:
    """Which points belong to the side itself, not to the opposite one: those nearer to it than 0.3 of the spread."""
    aside = (points - one) @ np.array([-toward[1], toward[0]])
    if not len(aside):
        return np.zeros(0, dtype=bool)
    return np.asarray(np.abs(aside) <= np.abs(aside).min() + 30)


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> tuple[float, float]:
    turn = one[0] * other[1] - one[1] * other[0]
    if abs(turn) < 1e-9:
        return 0.0, 0.0
    reach = ((other[2] - one[2]) * other[1] - (other[3] - one[3]) * other[0]) / turn
    return one[2] + reach * one[0], one[3] + reach * one[1]


def straightened(picture: Pixels, corners: Floats, above: float) -> tuple[NDArray[np.uint8], float, float]:
    """The plate seen from the front with a strip `above` it (a share of its height); and its width and height there."""
    wide = FINER * (math.dist(corners[0], corners[1]) + math.dist(corners[3], corners[2])) / 2
    high = FINER * (math.dist(corners[0], corners[3]) + math.dist(corners[1], corners[2])) / 2
    over = above * high
    flat = np.array([[0, over], [wide, over], [wide, over + high], [0, over + high]], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(flat, corners.astype(np.float32))
    size = (round(wide), round(over + high))
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    front = cv2.warpPerspective(picture, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(front, dtype=np.uint8), wide, high


def read_thermometer(picture: Pixels, side: str, *, straighten: bool) -> tuple[float, int]:
    """Where the column ends, as a share of the scale, and how many steps between marks it has. `side`: "left", "right"
    or "" (the thermometer has one scale)."""
    front, _, high = straightened(picture, find_plate(picture, straighten=straighten), 0.0)
    rows, columns = front.shape[:2]
    plate = np.median(front.reshape(-1, 3), axis=0)
    bulb = np.abs(front[round(0.9 * rows) : round(0.95 * rows)].astype(float) - plate).max(axis=2)
    inside = bulb[:, round(0.25 * columns) : round(0.75 * columns)].mean(axis=0)
    dark = np.flatnonzero(inside > 0.5 * inside.max())
    tube = float(dark.mean()) + round(0.25 * columns)
    candidates: list[Row] = []
    for way in (1, -1):
        if side and (way > 0) != (side == "right"):
            continue
        for reach in (0.026, 0.03, 0.034, 0.038, 0.042):
            start = round(tube + way * reach * high - 0.004 * high)
            band = front[:, max(0, start) : start + max(2, round(0.008 * high))]
            if band.shape[1] == 0:
                continue
            signal = ink(band.mean(axis=1), rows // 20, plate)
            signal[: round(0.06 * rows)] = signal[round(0.87 * rows) :] = 0
            row = straight_row(signal, rows // 12)
            if row is not None:
                candidates.append(row)
    row = best_row(candidates)
    if row is None:
        raise GaveUp("no even marks beside the tube")
    count = int(row.numbers[-1])
    return 1 - number_at(row, _column_end(front, tube, high)) / count, count


def _column_end(front: NDArray[np.uint8], tube: float, high: float) -> float:
    """Where along the tube the colour changes most."""
    half = max(1, round(0.005 * high))
    line = front[:, round(tube) - half : round(tube) + half + 1].astype(float).mean(axis=1)
    span = max(3, round(0.012 * high))
    sums = np.cumsum(np.concatenate((np.zeros((1, 3)), line)), axis=0)
    at = np.arange(span, len(line) - span)
    step = np.abs(sums[at + span] - 2 * sums[at] + sums[at - span]).sum(axis=1)
    step[(at < 0.1 * len(line)) | (at > 0.84 * len(line))] = 0
    top = int(np.argmax(step))
    near = slice(max(0, top - span // 2), top + span // 2 + 1)
    # The change lies between rows: the middle of the peak, less half a row.
    return float((at[near] * step[near]).sum() / step[near].sum()) - 0.5


def read_ruler(picture: Pixels, *, straighten: bool) -> tuple[float, int]:
    """How long what lies on the ruler is, as a share of its scale, and how many steps between marks it has."""
    above = 1.25
    front, wide, high = straightened(picture, find_plate(picture, straighten=straighten), above)
    edge = above * high
    plate = np.median(front[round(edge) :].reshape(-1, 3), axis=0)
    candidates = []
    for depth in (0.08, 0.1, 0.12, 0.14):
        band = front[round(edge + (depth - 0.03) * high) : round(edge + (depth + 0.03) * high)]
        signal = ink(band.mean(axis=0), round(wide / 25), plate)
        inset = round(0.012 * wide)
        signal[:inset] = signal[-inset:] = 0
        row = straight_row(signal, round(wide / 15))
        if row is not None:
            candidates.append(row)
    row = best_row(candidates)
    if row is None:
        raise GaveUp("no even marks along the edge")
    start, end = _ends(front, edge, high)
    count = int(row.numbers[-1])
    return (number_at(row, end) - number_at(row, start)) / count, count


def _ends(front: NDArray[np.uint8], edge: float, high: float) -> tuple[float, float]:
    """The left and right end of what lies above the edge, in columns: its first and last upright edge.

    Glare is soft and the table's pattern faint, so only outlines are steep.
    """
    band = front[round(edge - 0.72 * high) : round(edge - 0.05 * high)]
    slopes = cv2.Sobel(cv2.blur(band, (1, 5)), cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    steep = np.abs(cv2.GaussianBlur(slopes, (0, 0), 0.8)).max(axis=2)
    steep[:, :3] = steep[:, -3:] = 0
    cut = max(STEEP, 0.12 * float(steep.max()), 4.5 * float(np.median(steep)))
    count, labels, stats, _ = cv2.connectedComponentsWithStats((steep > cut).astype(np.uint8), connectivity=8)
    parts = [part for part in range(1, count) if stats[part][cv2.CC_STAT_HEIGHT] >= 4]
    if not parts:
        raise GaveUp("nothing lies on the ruler")
    first = min(parts, key=lambda part: int(stats[part][cv2.CC_STAT_LEFT]))
    last = max(parts, key=lambda part: int(stats[part][cv2.CC_STAT_LEFT] + stats[part][cv2.CC_STAT_WIDTH]))
    return _side(steep, labels == first, leftmost=True), _side(steep, labels == last, leftmost=False)


def _side(steep: NDArray[np.float32], part: NDArray[np.bool_], *, leftmost: bool) -> float:
    """The column where the outermost few columns of a part are steepest."""
    columns = np.flatnonzero(part.any(axis=0))
    outer = columns[:7] if leftmost else columns[-7:]
    rows = part[:, outer].any(axis=1)
    weights = (steep[rows][:, outer] ** 2).sum(axis=0)
    return float((outer * weights).sum() / weights.sum())
