"""Reads which dots of a figure carry which letters, A to F, by comparing what is written with the shipped typefaces."""

from __future__ import annotations

import itertools
from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from beholder.synth.solvers import GaveUp
from beholder.synth.solvers.strokes import SOLID, Mask, Plane
from beholder.synth.typefaces import TYPEFACES, typeface

LETTERS = "ABCDEF"
CELL = (20, 28)
"""Width and height, in pixels, at which letters are compared."""
TALLEST = 0.09
"""The height of a letter as a share of the picture's side, at most."""


class Blob(NamedTuple):
    """A connected piece: its middle, (x, y) from the picture's corner in pixels, its box and its size in pixels."""

    middle: tuple[float, float]
    box: tuple[int, int, int, int]
    size: int


def blobs(mask: Mask, smallest: int) -> list[Blob]:
    """A mask's connected pieces, the largest first."""
    _, _, stats, middles = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    found = [
        Blob((float(x) + 0.5, float(y) + 0.5), (int(box[0]), int(box[1]), int(box[2]), int(box[3])), int(box[4]))
        for box, (x, y) in zip(stats[1:], middles[1:], strict=True)
        if box[4] >= smallest
    ]
    return sorted(found, key=lambda blob: -blob.size)


def lettered_points(dots: Mask, dark: Plane) -> dict[str, tuple[float, float]]:
    """Each letter's point: the middle of the dot that it stands next to.

    `dots` are the lettered points' pixels, `dark` the coverage of what is written. `GaveUp` unless there are six of
    each.
    """
    points = [blob.middle for blob in blobs(dots, 6)[: len(LETTERS)]]
    tallest = TALLEST * dark.shape[0]
    written = [blob for blob in blobs(dark > SOLID, 8) if 5 <= blob.box[3] <= tallest and blob.box[2] <= tallest]
    written = written[: len(LETTERS)]
    if len(points) < len(LETTERS) or len(written) < len(LETTERS):
        raise GaveUp("the picture does not show six points with a letter each")
    likeness = np.array([[_likeness(blob, dark, letter) for letter in LETTERS] for blob in written])
    near = np.array([[np.hypot(*np.subtract(blob.middle, point)) for point in points] for blob in written])
    which = _best(likeness)
    beside = _best(-near)
    return {LETTERS[which[i]]: points[beside[i]] for i in range(len(LETTERS))}


def _best(gains: NDArray[np.float64]) -> tuple[int, ...]:
    """The one-to-one assignment of columns to rows with the greatest sum; six of each, so all are tried."""
    rows = range(len(gains))
    return max(itertools.permutations(rows), key=lambda order: sum(gains[row, order[row]] for row in rows))


def _likeness(blob: Blob, dark: Plane, letter: str) -> float:
    """The correlation with the letter in the typeface that it is most like, less a little for other proportions."""
    left, top, width, height = blob.box
    seen = _centred(dark[top : top + height, left : left + width])
    best = -1.0
    for name in TYPEFACES:
        cell, proportion = _template(name, letter)
        best = max(best, float((seen * cell).sum()) - 0.5 * abs(np.log(width / height / proportion)))
    return best


@lru_cache(maxsize=64)
def _template(name: str, letter: str) -> tuple[Plane, float]:
    """A letter of a typeface brought to `CELL`, and its width over its height."""
    font = typeface(name, 60)
    image = Image.new("L", (120, 120), 0)
    ImageDraw.Draw(image).text((20, 20), letter, fill=255, font=font)
    left, top, right, bottom = image.getbbox() or (0, 0, 1, 1)
    inked: Plane = np.asarray(image, dtype=np.float32)[top:bottom, left:right] / np.float32(255)
    return _centred(inked), (right - left) / (bottom - top)


def _centred(inked: Plane) -> Plane:
    """Brought to `CELL`, with mean 0 and length 1."""
    cell = cv2.resize(np.ascontiguousarray(inked, dtype=np.float32), CELL, interpolation=cv2.INTER_AREA)
    cell = cell - cell.mean()
    return np.asarray(cell / (np.linalg.norm(cell) + 1e-6), dtype=np.float32)
