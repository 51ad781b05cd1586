"""Finds the patches in which two versions of a picture differ.

1. The question tells the rows and columns, and whether patches are to be listed or counted. One picture is split into
   its two halves: the gap between them is the one that makes the halves most alike.
2. The second version is brought to the brightness of the first by the median difference of each channel.
3. What differs clearly, smoothed over 3 × 3 pixels, and not next to a line, is counted in each patch.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.solvers import GaveUp, Pixels

_GRID = re.compile(r"(\d{1,2}) rows and (\d{1,2}) columns")
_WIDEST_GAP = 60
_CLEAR = 18.0
"""Grey levels, in the channel that differs most. Grain and JPEG stay below, a change is stronger at its core."""
_SHARE = 0.25
"""Of the pixels of the smallest change: fewer do not make a difference."""
_SMALLEST = 70 / (600 * 480)


def solve(pictures: Sequence[Pixels], prompt: str) -> str:
    """The numbers of the differing patches in ascending order, such as "3, 7", or how many there are, as asked.

    `GaveUp` if the question names no grid, the pictures are no pair, or no patch differs.
    """
    grid = _GRID.search(prompt)
    if not grid or not pictures:
        raise GaveUp("no picture, or no rows and columns in the question")
    rows, columns = int(grid[1]), int(grid[2])
    first, second = (pictures[0], pictures[1]) if len(pictures) > 1 else _halves(pictures[0])
    if (
        first.shape != second.shape
        or not rows
        or not columns
        or first.shape[0] < 4 * rows
        or first.shape[1] < 4 * columns
    ):
        raise GaveUp("the two versions cannot be laid over each other")
    amount = _amounts(first, second, rows, columns)
    found = [place + 1 for place in np.flatnonzero(amount >= max(3.0, _SHARE * _SMALLEST * first[..., 0].size))]
    if not found:
        raise GaveUp("no patch differs")
    return str(len(found)) if "how many patches" in prompt else ", ".join(map(str, found))


def _halves(picture: Pixels) -> tuple[Pixels, Pixels]:
    width = picture.shape[1]
    sides = [(width - gap) // 2 for gap in range(_WIDEST_GAP) if (width - gap) % 2 == 0 and width - gap >= 8]
    if not sides:
        raise GaveUp("the picture is too narrow for two versions")
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY).astype(np.int16)[::3]

    def unlike(side: int) -> float:
        return float(np.abs(grey[:, :side] - grey[:, width - side :]).mean())

    side = min(sides, key=unlike)
    return picture[:, :side], picture[:, width - side :]


def _amounts(first: Pixels, second: Pixels, rows: int, columns: int) -> NDArray[np.float64]:
    """How many pixels differ clearly in each patch, row by row."""
    one, other = (np.ascontiguousarray(version.transpose(2, 0, 1)).astype(np.int16) for version in (first, second))
    apart = other - one
    apart -= np.median(apart[:, ::2, ::2], axis=(1, 2)).astype(np.int16)[:, None, None]
    strength = cv2.blur(np.abs(apart).max(axis=0).astype(np.float32), (3, 3))
    differs = strength > _CLEAR
    height, width = differs.shape
    amounts = []
    for row in range(rows):
        for column in range(columns):
            top, bottom = (round(edge * height / rows) for edge in (row, row + 1))
            left, right = (round(edge * width / columns) for edge in (column, column + 1))
            amounts.append(np.count_nonzero(differs[top + 3 : bottom - 3, left + 3 : right - 3]))
    return np.array(amounts, dtype=np.float64)
