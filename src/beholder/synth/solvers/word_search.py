"""Reads a grid of characters and answers what the question asks of it.

Ink is told from paper by its distance from the paper's lightness. Rows and columns follow from the one distance at
which the pieces of ink repeat; what lies in one cell is one character. It is compared with the shipped typefaces'
characters of the kind that the question names; for the odd one out, with the other cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.solvers import GaveUp, Pixels
from beholder.synth.solvers.glyphs import Floats, shape_of, templates, turned, unlikeness
from beholder.synth.typefaces import TYPEFACES

ALPHABETS = ("ABCDEFGHJKLMNOPQRSTUVWXYZ", "abcdefghkmnopqrstuvwxyz", "0123456789")
TARGET = re.compile(r"(?:letter|digit|word|number) ([A-Za-z]{1,5}|[0-9]{1,5})\b")
TILTS = (0, -6, 6)
"""Degrees by which characters are expected to be tilted."""
CLOSEST, WIDEST = 10, 90
"""Pixels between neighbours, at least and at most."""
SPECK = 3
"""Pixels of ink that a piece has at least."""


class Cells(NamedTuple):
    """The characters found: their rows and columns from 0, and the ink of each, from 0 to 1."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    crops: list[Floats]


def solve(pictures: Sequence[Pixels], prompt: str) -> str:
    """The count, or `[row, column]`; `GaveUp` if there is no grid, or the question names no target it knows."""
    cells = _cells(_ink(pictures[0]))
    if "the different one" in prompt:
        return _place(cells, _odd_one(cells.crops))
    named = TARGET.search(prompt)
    if named is None:
        raise GaveUp("the question names no character to look for")
    target = named[1]
    alphabet = next((alphabet for alphabet in ALPHABETS if set(target) <= set(alphabet)), "")
    if not alphabet:
        raise GaveUp(f"the grid cannot hold {target}")
    costs = _by_character(unlikeness(cells.crops, templates(alphabet, TILTS)), alphabet)
    if "How many" in prompt:
        return str(int((costs.argmin(axis=1) == alphabet.index(target)).sum()))
    return _place(cells, _start(cells, costs[:, [alphabet.index(character) for character in target]], costs))


def _ink(picture: Pixels) -> Floats:
    """How much ink is at each pixel, from 0 to 1: the distance from the commonest lightness."""
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    paper = int(np.bincount(grey.ravel(), minlength=256).argmax())
    distance = cv2.absdiff(grey, np.full_like(grey, paper))
    level, _ = cv2.threshold(distance, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    if level < 8:
        raise GaveUp("the picture shows no ink")
    # Stripes of the paper lie under half the level; inks of several colours all count as full.
    low, high = level * 0.5, level * 1.5
    return np.asarray(np.clip((distance.astype(np.float32) - low) / (high - low), 0, 1), dtype=np.float32)


def _cells(ink: Floats) -> Cells:
    boxes = cv2.connectedComponentsWithStats((ink > 0.5).astype(np.uint8), connectivity=8)[2]
    kept = np.flatnonzero(boxes[:, cv2.CC_STAT_AREA] >= SPECK)
    kept = kept[(kept > 0) & (boxes[kept, cv2.CC_STAT_WIDTH] < ink.shape[1] // 4)]
    if len(kept) < 9:
        raise GaveUp("the picture shows no grid of characters")
    middles = boxes[kept, :2] + boxes[kept, 2:4] / 2
    places = np.stack([_steps(middles[:, axis]) for axis in (0, 1)], axis=1)
    rows, columns, crops = [], [], []
    for place in sorted({(int(row), int(column)) for column, row in places}):
        inside = boxes[kept[(places[:, 1] == place[0]) & (places[:, 0] == place[1])]]
        left, top = inside[:, 0].min(), inside[:, 1].min()
        right, bottom = (inside[:, 0] + inside[:, 2]).max(), (inside[:, 1] + inside[:, 3]).max()
        rows.append(place[0])
        columns.append(place[1])
        crops.append(ink[top:bottom, left:right])
    return Cells(np.array(rows), np.array(columns), crops)


def _steps(middles: NDArray[np.float64]) -> NDArray[np.int64]:
    """For each middle, which row or column it is in, from 0.

    The distance between rows is the longest at which the middles repeat nearly as well as at any: turned into angles,
    they point the same way.
    """
    distances = np.arange(CLOSEST, WIDEST, 0.05)
    pointing = np.abs(np.exp(2j * np.pi * middles[None, :] / distances[:, None]).mean(axis=1))
    best = distances[np.flatnonzero(pointing >= 0.93 * pointing.max())]
    # Of the distances that near the longest one, the best.
    near = distances >= 0.9 * best[-1]
    distance = distances[near][pointing[near].argmax()]
    phase = np.angle(np.exp(2j * np.pi * middles / distance).mean()) / (2 * np.pi) * distance
    steps = np.rint((middles - phase) / distance).astype(np.int64)
    return np.asarray(steps - steps.min())


def _by_character(costs: Floats, alphabet: str) -> Floats:
    """The costs of each character in its best tilt and typeface, (cells, characters of the alphabet).

    A grid has one typeface or two: the others are left out.
    """
    by_face = costs.reshape(len(costs), len(TYPEFACES), -1, len(alphabet)).min(axis=2)
    fit = by_face.min(axis=2)
    first = int(fit.sum(axis=0).argmin())
    second = int(np.minimum(fit, fit[:, [first]]).sum(axis=0).argmin())
    return np.asarray(by_face[:, [first, second]].min(axis=1), dtype=np.float32)


def _odd_one(crops: list[Floats]) -> int:
    """The cell least like the others' middle, however this is tilted, in shape, height and width."""
    shapes = np.stack([shape_of(crop) for crop in crops])
    usual = [turned(np.median(shapes, axis=0), tilt) for tilt in (-8, -4, 0, 4, 8)]
    alike = (shapes @ np.stack(usual).T).max(axis=1)
    sizes = np.array([crop.shape for crop in crops], dtype=np.float32)
    apart = 1 - alike + 0.5 * np.abs(np.log(sizes / np.median(sizes, axis=0))).sum(axis=1)
    return int(apart.argmax())


def _start(cells: Cells, wanted: Floats, costs: Floats) -> int:
    """The cell where the target fits best; `wanted` is the cost of each of its characters in each cell."""
    extra = wanted - costs.min(axis=1, keepdims=True)
    at = {place: cell for cell, place in enumerate(zip(cells.rows.tolist(), cells.columns.tolist(), strict=True))}
    best, chosen = np.inf, -1
    for (row, column), cell in at.items():
        run = [at.get((row, column + step), -1) for step in range(wanted.shape[1])]
        if -1 not in run:
            total = float(sum(extra[place, step] for step, place in enumerate(run)))
            if total < best:
                best, chosen = total, cell
    if chosen < 0:
        raise GaveUp("no row is long enough for the word")
    return chosen


def _place(cells: Cells, cell: int) -> str:
    return f"[{int(cells.rows[cell]) + 1}, {int(cells.columns[cell]) + 1}]"
