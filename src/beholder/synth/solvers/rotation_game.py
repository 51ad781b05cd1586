"""By how many degrees a picture was turned, judged by its straight lines: in most scenes many are level or upright.

`solve` turns the picture back by each option in turn and adds two views of it: how much of the edges runs along rows
and columns for a long way, and how much of the gradient points along the axes. It knows nothing of what the picture
shows, so that it is wrong where the longest lines are neither level nor upright (the boards of a table seen askew).
It cannot tell up from down or sideways either; options within less than 90° of each other do not ask that of it.
`glance` leaves the picture as it is and takes the second view only, from the directions that its gradients have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.solvers import GaveUp, Pixels

Grey = NDArray[np.float32]

SMALLEST = 40
"""Pixels a side: below that there are no lines to speak of."""
RUN = 0.2
"""Share of the picture's side over which edges in a line are added up."""
SPREAD = 6.0
"""Degrees by which a gradient may miss an axis and still count for it, in part."""
FLAT = 8.0
"""Gradients far below this (grey levels, Sobel) count little: they are grain."""
OPTION = re.compile(r"^([A-J])[.:)] {0,4}(\d{1,3}) {0,4}°", re.MULTILINE)


def solve(pictures: Sequence[Pixels], prompt: str) -> str:
    """The letter of the option that, undone, leaves most edges level or upright.

    `GaveUp` if the prompt holds no options in degrees, or the picture is too small or plain.
    """
    letters, degrees = _options(prompt)
    grey, weight = _round_part(pictures)
    angles, strength = _gradients(_blurred(grey, 1.5), weight)
    soft = _blurred(grey, 1.0)
    runs = np.array([_runs(_turned_clockwise(soft, turn), weight) for turn in degrees])
    aligned = np.array([_aligned(angles, strength, turn) for turn in degrees])
    return letters[int(np.argmax(_standard(runs) + _standard(aligned)))]


def glance(pictures: Sequence[Pixels], prompt: str) -> str:
    """The letter of the option that fits the directions of the gradients best. Raises as `solve` does."""
    letters, degrees = _options(prompt)
    grey, weight = _round_part(pictures)
    angles, strength = _gradients(_blurred(grey, 1.5), weight)
    aligned = np.array([_aligned(angles, strength, turn) for turn in degrees])
    return letters[int(np.argmax(_standard(aligned)))]


def _options(prompt: str) -> tuple[list[str], list[int]]:
    found = OPTION.findall(prompt)
    if len(found) < 2:
        raise GaveUp("the question holds no options in degrees")
    return [letter for letter, _ in found], [int(degrees) for _, degrees in found]


def _round_part(pictures: Sequence[Pixels]) -> tuple[Grey, Grey]:
    """The middle square in grey, and how far each pixel is to count: 1 well inside the round part, 0 outside.

    The ground is what the corners show; the round part reaches as far out as whole rings show something else.
    """
    if not pictures or min(pictures[0].shape[:2]) < SMALLEST:
        raise GaveUp("there is no picture, or it is too small")
    height, width = pictures[0].shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    square = np.ascontiguousarray(pictures[0][top : top + side, left : left + side])
    ground = np.median(square[[0, 0, -1, -1], [0, -1, 0, -1]].astype(np.float32), axis=0)
    other = np.abs(square.astype(np.float32) - ground).max(axis=2) > 14
    steps = np.arange(side, dtype=np.float32) - (side - 1) / 2
    radius = np.hypot(steps[:, None], steps[None, :])
    ring = radius.astype(np.int64).ravel()
    share = np.bincount(ring, other.ravel()) / np.bincount(ring)
    inside = np.flatnonzero(share[: side // 2] > 0.97)
    reach = max(float(inside[-1]) if len(inside) else 0.0, 0.42 * side)
    weight = np.clip((reach - 0.015 * side - radius) / (0.03 * side), 0, 1).astype(np.float32)
    return cv2.cvtColor(square, cv2.COLOR_RGB2GRAY).astype(np.float32), weight


def _blurred(grey: Grey, spread: float) -> Grey:
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), spread), dtype=np.float32)


def _gradients(grey: Grey, weight: Grey) -> tuple[Grey, Grey]:
    """The direction of each pixel's gradient in degrees, clockwise from right, and its weighted strength."""
    across, down = cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)
    return np.degrees(np.arctan2(down, across)), np.hypot(across, down) * weight


def _aligned(angles: Grey, strength: Grey, turn: int) -> float:
    """How much of the gradient would point along an axis after a clockwise turn."""
    miss = (angles + turn + 45) % 90 - 45
    return float((strength * np.exp(-((miss / SPREAD) ** 2))).sum())


def _turned_clockwise(grey: Grey, turn: int) -> Grey:
    side = grey.shape[0]
    # OpenCV, too, turns counter-clockwise for positive angles.
    matrix = cv2.getRotationMatrix2D(((side - 1) / 2, (side - 1) / 2), -turn, 1.0)
    return np.asarray(cv2.warpAffine(grey, matrix, (side, side), flags=cv2.INTER_LINEAR), dtype=np.float32)


def _runs(grey: Grey, weight: Grey) -> float:
    """How strongly edges run along columns and rows, added up over long stretches so that grain cancels out."""
    across, down = cv2.Sobel(grey, cv2.CV_32F, 1, 0) * weight, cv2.Sobel(grey, cv2.CV_32F, 0, 1) * weight
    # The root keeps one sharp border from outweighing all that is fainter.
    tame = np.sqrt(np.hypot(across, down) + FLAT)
    run = max(3, round(RUN * grey.shape[0]))
    upright = cv2.boxFilter(across / tame, -1, (1, run))
    level = cv2.boxFilter(down / tame, -1, (run, 1))
    return float((upright**2).sum() + (level**2).sum())


def _standard(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The scores about their mean, in standard deviations, so that two views of them can be added."""
    spread = float(scores.std())
    if spread <= 0:
        raise GaveUp("the picture shows no edges")
    return np.asarray((scores - scores.mean()) / spread)
