"""Spot the difference: a program compares the versions patch by patch; what it shows can be judged by eye too."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from beholder.synth.programs.eyes import closer, look, parts_of
from beholder.synth.programs.plan import Brought, Case, Step, newest, printed, program
from beholder.synth.solvers import Pixels

_GRID = re.compile(r"(\d{1,2}) rows and (\d{1,2}) columns")
SHARE = 0.25 * 70 / (600 * 480)
"""Of a version's pixels: fewer that differ are no difference."""
PAIR = "first, second = np.asarray(image_1), np.asarray(image_2)"
HALVES = "first, second = _halves(np.asarray(image_1))"
COMPARE = """
import cv2

{versions}
# Bring both to the same brightness, then mark what still differs clearly.
apart = second.astype(np.int16) - first
apart -= np.median(apart, axis=(0, 1)).astype(np.int16)
differs = cv2.blur(np.abs(apart).max(axis=2).astype(np.float32), (3, 3)) > 18
rows, columns = {rows}, {columns}
height, width = differs.shape
least = max(3, 0.25 * 70 / (600 * 480) * height * width)
found = []
for row in range(rows):
    for column in range(columns):
        # A few pixels next to the lines do not count.
        top, bottom = round(row * height / rows) + 3, round((row + 1) * height / rows) - 3
        left, right = round(column * width / columns) + 3, round((column + 1) * width / columns) - 3
        if differs[top:bottom, left:right].sum() >= least:
            found.append(row * columns + column + 1)
Image.fromarray((differs * 255).astype(np.uint8)).show()
print("result:", ", ".join(map(str, found)) or "none")
"""


def next_step(case: Case, brought: Sequence[Brought]) -> Step | None:
    grid = _GRID.search(case.question)
    if grid is None or len(brought) >= (1 if case.python else len(case.own)):
        return None
    if not case.python:
        return closer(case, case.own[len(brought)], 2)
    said = "I will lay one version over the other and mark what differs in each patch."
    if len(case.own) > 1:
        return program(said, COMPARE.format(versions=PAIR, rows=grid[1], columns=grid[2]))
    main = COMPARE.format(versions=HALVES, rows=grid[1], columns=grid[2])
    return program(said, main, "spot_difference._halves")


def answer(case: Case, brought: Sequence[Brought]) -> str | None:
    if not case.python:
        wholes = [parts_of([call], 2) for call in brought if len(call.views) == 4]
        if len(wholes) != len(case.own):
            return None
        return look("spot_difference", [whole for whole in wholes if whole is not None], case.question)
    result, views, grid = printed(brought), newest(brought), _GRID.search(case.question)
    if result is None and views and grid is not None:
        result = _marked(views[0].picture, int(grid[1]), int(grid[2]))
    if result is None or not result[0].isdigit():
        return None
    return str(len(result.split(","))) if "how many patches" in case.question else result


def _marked(mask: Pixels, rows: int, columns: int) -> str:
    """The numbers of the patches in which white is seen."""
    height, width = mask.shape[:2]
    white = mask.astype(np.float32).mean(axis=2) / 255
    found = []
    for place in range(rows * columns):
        row, column = divmod(place, columns)
        patch = white[
            round(row * height / rows) + 1 : round((row + 1) * height / rows) - 1,
            round(column * width / columns) + 1 : round((column + 1) * width / columns) - 1,
        ]
        if patch.sum() >= SHARE * white.size:
            found.append(place + 1)
    return ", ".join(map(str, found)) or "none"
