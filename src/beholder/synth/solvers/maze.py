"""Walks each string of moves through a drawn maze: finds the walls, the cells and the balls, and reads the options.

1. The page is the colour of the picture's corner; the maze is all that differs from it. The wall's colour is that of
   the maze's rim, the floor's the most frequent other one.
2. The number of cells a side is the one whose lattice points are all wall and whose cells' middles are all floor, with
   the red ball in the middle of the first cell.
3. Between two cells there is a wall if the middle of their border has the wall's colour.
4. Each option is walked from the red ball's cell. If none arrives at the green ball, the option without moves is right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.solvers import GaveUp, Pixels

Floats = NDArray[np.float64]

_OPTION = re.compile(r"^([A-J])\. (.+)$", re.MULTILINE)
_STEPS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
_MOST_CELLS = 100
_LEAST_SCORE = 0.6
"""Share of wall at the lattice points less that in the middles of the cells: 1 in a sharp picture of a maze."""
_APART = 24
"""Grey levels, in the channel that differs most, from which on a pixel is not page."""


def solve(pictures: Sequence[Pixels], prompt: str) -> str:
    """The letter of the string that leads from the red ball to the green ball, or of the option that none does.

    `GaveUp` if the picture shows no maze with two balls, the question has no such options, or two strings succeed.
    """
    options = [(str(option[1]), str(option[2])) for option in _OPTION.finditer(prompt)]
    strings = [(letter, text) for letter, text in options if set(text) <= set(_STEPS)]
    others = [letter for letter, text in options if not set(text) <= set(_STEPS)]
    if not pictures or not strings:
        raise GaveUp("no picture, or no strings of moves among the options")
    walls, start, goal = _read(pictures[0])
    right = [letter for letter, moves in strings if _succeeds(walls, start, goal, moves)]
    if len(right) == 1:
        return right[0]
    if right or len(others) != 1:
        raise GaveUp(f"{len(right)} strings succeed")
    return others[0]


def _succeeds(walls: Floats, start: tuple[int, int], goal: tuple[int, int], moves: str) -> bool:
    """`walls[2r + 1, 2c + 1]` is the middle of a cell, the places between those of two cells their border."""
    row, column = start
    for move in moves:
        down, right = _STEPS[move]
        y, x = 2 * row + 1 + down, 2 * column + 1 + right
        # The rim is wall, so a walk never gets further out than that.
        if walls[y, x] > 0.5:
            return False
        row, column = row + down, column + right
    return (row, column) == goal


def _read(picture: Pixels) -> tuple[Floats, tuple[int, int], tuple[int, int]]:
    """How much wall there is at each place of the lattice (2n + 1 a side, 0 to 1), and the cells of the two balls."""
    planes = np.ascontiguousarray(picture.transpose(2, 0, 1)).astype(np.int16)
    page = planes[:, 0, 0]
    differs = _distance(planes, page) > _APART
    red = _middle(planes[0] - planes[1:].max(axis=0))
    green = _middle(planes[1] - planes[::2].max(axis=0))
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    if not len(rows):
        raise GaveUp("an empty page")
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    # The first pixels may be a mixture of page and wall, in a picture that was scaled.
    rim = planes[:, (top + bottom) // 2, left : left + 3].T
    board = planes[:, top:bottom, left:right]
    from_wall = _distance(board, max(rim, key=lambda colour: int(np.abs(colour - page).max())))
    rest = board[:, from_wall > 60]
    if not rest.size:
        raise GaveUp("nothing but walls")
    from_floor = _distance(board, np.median(rest, axis=1).astype(np.int16))
    wall = (from_wall < from_floor).astype(np.float64)
    for ball in (red, green):
        _wipe(wall, ball[0] - top, ball[1] - left, ball[2])
    return _lattice(wall, red[0] - top, red[1] - left, green[0] - top, green[1] - left)


def _distance(planes: NDArray[np.int16], colour: NDArray[np.int16]) -> NDArray[np.int16]:
    """How far each pixel is from a colour, in the channel that differs most; (3, height, width) to (height, width)."""
    return np.asarray(np.abs(planes - colour[:, None, None]).max(axis=0))


def _middle(excess: NDArray[np.int16]) -> tuple[float, float, float]:
    """The middle (row, column) and the radius of the largest spot with a clear excess of one colour."""
    count, _, stats, centres = cv2.connectedComponentsWithStats((excess > 60).astype(np.uint8))
    if count < 2:
        raise GaveUp("no ball of that colour")
    largest = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    radius = float((stats[largest, cv2.CC_STAT_AREA] / np.pi) ** 0.5)
    return float(centres[largest][1]), float(centres[largest][0]), radius


def _wipe(wall: Floats, row: float, column: float, radius: float) -> None:
    """A ball stands on the floor, whatever its edge and its gleam look like."""
    reach = radius + 1
    wall[max(0, int(row - reach)) : int(row + reach) + 1, max(0, int(column - reach)) : int(column + reach) + 1] = 0


def _lattice(
    wall: Floats, red_y: float, red_x: float, green_y: float, green_x: float
) -> tuple[Floats, tuple[int, int], tuple[int, int]]:
    height, width = wall.shape
    thick = _thickness(wall)
    reach = max(1, int(thick * 0.6))
    soft: Floats = np.asarray(cv2.blur(wall, (reach, reach), borderType=cv2.BORDER_REPLICATE), dtype=np.float64)
    best, best_score = 0, 0.0
    for n in range(2, _MOST_CELLS + 1):
        cell = (width - thick) / n
        if cell < thick + 1 or abs(thick / 2 + cell / 2 - red_x) > 0.3 * cell:
            continue
        places = _sampled(soft, n, thick)
        score = float(places[::2, ::2].mean() - places[1::2, 1::2].mean())
        if score > best_score:
            best, best_score = n, score
    if best_score < _LEAST_SCORE:
        raise GaveUp("no lattice of cells")
    cell_y, cell_x = (height - thick) / best, (width - thick) / best
    start = int((red_y - thick / 2) / cell_y), int((red_x - thick / 2) / cell_x)
    goal = int((green_y - thick / 2) / cell_y), int((green_x - thick / 2) / cell_x)
    if not all(0 <= place < best for place in (*start, *goal)):
        raise GaveUp("a ball outside the maze")
    places = _sampled(soft, best, thick)
    places[0], places[-1], places[:, 0], places[:, -1] = 1, 1, 1, 1
    return places, start, goal


def _thickness(wall: Floats) -> float:
    """How thick the rim is: the pixels from the left side to the first floor, in the lower quartile of rows."""
    floor = wall < 0.5
    first = np.where(floor.any(axis=1), floor.argmax(axis=1), wall.shape[1])
    return float(max(1, np.percentile(first, 25)))


def _sampled(soft: Floats, n: int, thick: float) -> Floats:
    """The share of wall around each place of the lattice of n × n cells, (2n + 1, 2n + 1), from the blurred walls."""
    height, width = soft.shape
    along = np.arange(2 * n + 1) / (2 * n)
    ys = np.clip(thick / 2 + along * (height - thick), 0, height - 1).astype(np.intp)
    xs = np.clip(thick / 2 + along * (width - thick), 0, width - 1).astype(np.intp)
    return np.asarray(soft[np.ix_(ys, xs)])
