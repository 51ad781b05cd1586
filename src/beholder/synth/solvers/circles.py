"""Finds circles drawn as outlines that cross each other.

Every stroke pixel votes for the centres that it may belong to, and a circle counts if there is ink all along its rim.
"""

from __future__ import annotations

import itertools
import math

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.solvers.strokes import SOLID, Plane, stroke_width

SMALLEST, LARGEST = 0.06, 0.25
"""Radii looked for, as shares of the picture's side."""
BIN = 2
"""Pixels of a step in the votes, of centres and radii alike."""
ENOUGH_VOTES = 0.3
"""The share of a full rim's votes that makes a centre worth a look."""
WHOLE = 0.96
"""The share of the rim that must be inked."""
SAMPLES = 240
CANDIDATES = 400

Circle = tuple[float, float, float]
"""Centre x, centre y, radius."""


def find_circles(inked: Plane) -> list[Circle]:
    """The circles in a picture's strokes."""
    mask = inked > SOLID
    votes, radii = _votes(inked, mask)
    full = (radii * math.tau * stroke_width(inked) / 2).astype(np.float32)
    scores = votes / full[:, None, None]
    scores = np.stack([cv2.boxFilter(layer, cv2.CV_32F, (3, 3), normalize=False) for layer in scores])
    rim = np.asarray(cv2.distanceTransform((~mask).astype(np.uint8), cv2.DIST_L2, 5), dtype=np.float32)
    found: list[Circle] = []
    for layer, row, column in _peaks(scores):
        first = ((column + 0.5) * BIN, (row + 0.5) * BIN, float(radii[layer]))
        if any(_same(first, known, 3.5) for known in found):
            continue
        circle = _fitted(first, mask)
        if circle is None or _inked_share(circle, rim) < WHOLE:
            continue
        if not any(_same(circle, known, 3.5) for known in found):
            found.append(circle)
    return found


def _votes(inked: Plane, mask: NDArray[np.bool_]) -> tuple[Plane, NDArray[np.float64]]:
    """Votes, (radius, row, column) in bins, and the bins' radii."""
    side = max(mask.shape)
    across = cv2.Sobel(inked, cv2.CV_32F, 1, 0)
    down = cv2.Sobel(inked, cv2.CV_32F, 0, 1)
    # The structure tensor: the direction across the stroke, the same on both of its flanks.
    xx, yy, xy = (cv2.GaussianBlur(product, (0, 0), 1.5) for product in (across**2, down**2, across * down))
    normal = 0.5 * np.arctan2(2 * xy, xx - yy)
    rows, columns = np.nonzero(mask)
    # Every other pixel, as on a chessboard, says as much in half the time.
    rows, columns = (places[(rows + columns) % 2 == 0] for places in (rows, columns))
    sine, cosine = np.sin(normal[rows, columns]), np.cos(normal[rows, columns])
    radii = np.arange(SMALLEST * side, LARGEST * side, BIN)
    height, width = mask.shape[0] // BIN + 1, mask.shape[1] // BIN + 1
    votes = np.zeros((len(radii), height, width), dtype=np.float32)
    for layer, radius in enumerate(radii):
        for sign in (-radius, radius):
            x = ((columns + sign * cosine) / BIN).astype(np.int64)
            y = ((rows + sign * sine) / BIN).astype(np.int64)
            inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
            flat = np.bincount(y[inside] * width + x[inside], minlength=height * width)
            votes[layer] += flat.reshape(height, width)
    return votes, radii


def _peaks(scores: Plane) -> list[tuple[int, int, int]]:
    """The places with the most votes, best first."""
    layers, rows, columns = np.nonzero(scores > ENOUGH_VOTES)
    padded = np.pad(scores, 1)
    here = scores[layers, rows, columns]
    steps = itertools.product(range(3), repeat=3)
    highest = np.max([padded[layers + i, rows + j, columns + k] for i, j, k in steps], axis=0, initial=0)
    layers, rows, columns = (places[here >= highest] for places in (layers, rows, columns))
    order = np.argsort(-scores[layers, rows, columns], kind="stable")[:CANDIDATES]
    return [(int(layers[i]), int(rows[i]), int(columns[i])) for i in order]


def _fitted(circle: Circle, mask: NDArray[np.bool_]) -> Circle | None:
    """The circle moved onto the ink near its rim by least squares, three times."""
    angles = np.arange(SAMPLES) * (math.tau / SAMPLES)
    offsets = np.arange(-5, 5.5, 0.5)
    for reach in (5.0, 3.0, 2.0):
        x, y, radius = circle
        steps = offsets[np.abs(offsets) <= reach]
        along = radius + steps[:, None]
        columns = np.rint(x + along * np.cos(angles)).astype(np.int64)
        rows = np.rint(y + along * np.sin(angles)).astype(np.int64)
        inside = (rows >= 0) & (columns >= 0) & (rows < mask.shape[0]) & (columns < mask.shape[1])
        hit = np.zeros(rows.shape, dtype=bool)
        hit[inside] = mask[rows[inside], columns[inside]]
        # Each ray's ink, taken together: its middle is where the stroke runs.
        weight = hit.sum(axis=0)
        seen = weight > 0
        if seen.sum() < SAMPLES * 0.6:
            return None
        middle = radius + (hit * steps[:, None]).sum(axis=0)[seen] / weight[seen]
        u, v = x + middle * np.cos(angles[seen]), y + middle * np.sin(angles[seen])
        system = np.column_stack([2 * u, 2 * v, np.ones(len(u))])
        (centre_x, centre_y, rest), *_ = np.linalg.lstsq(system, u**2 + v**2, rcond=None)
        square = rest + centre_x**2 + centre_y**2
        if square <= 0:
            return None
        circle = (float(centre_x), float(centre_y), math.sqrt(square))
    return circle


def _inked_share(circle: Circle, rim: Plane) -> float:
    """The share of points on the rim with ink no more than a pixel away."""
    x, y, radius = circle
    angles = np.arange(SAMPLES) * (math.tau / SAMPLES)
    columns = np.clip(np.rint(x + radius * np.cos(angles)).astype(np.int64), 0, rim.shape[1] - 1)
    rows = np.clip(np.rint(y + radius * np.sin(angles)).astype(np.int64), 0, rim.shape[0] - 1)
    return float((rim[rows, columns] <= 1.0).mean())


def _same(circle: Circle, other: Circle, near: float) -> bool:
    return max(abs(a - b) for a, b in zip(circle, other, strict=True)) < near
