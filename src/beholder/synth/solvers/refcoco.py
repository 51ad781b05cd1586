"""Proportion: finds the object by the colours that its name says and counts its pixels.

Paper over a photograph has its own colour plus at most a third of the photograph's, so each pixel lies in a small cube
of colours. Among the connected pieces of that colour the one is taken whose outline is most like the named kind. A
cut-out whose name says no colour is looked for by its white edge, or, without one, is not found.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.solvers import GaveUp, Pixels

PAPER = {
    "red": (226, 24, 44),
    "orange": (255, 128, 0),
    "yellow": (255, 226, 0),
    "green": (0, 170, 60),
    "turquoise": (0, 205, 200),
    "blue": (20, 60, 220),
    "purple": (140, 30, 190),
    "pink": (255, 90, 180),
}
SMALLEST = 0.008
"""The share of the picture that a piece must have to be the object."""
UNLIKE, RAGGED = 1.5, 3.0
"""What being unlike the named kind, and being ragged, weigh against size."""
WHITE = 222
_OPTION = re.compile(r"^([A-J])\. (\d{1,3})%$", re.MULTILINE)
_NAME = re.compile(r"covered by the ([^?\n]{1,120})\?")
_CUT_OUT = "the pasted cut-out of "

Mask = NDArray[np.bool_]


def solve(pictures: Sequence[Pixels], prompt: str) -> str:
    """The letter of the value nearest to the share of the pixels that the object was found to have."""
    options: dict[str, int] = {letter: int(value) for letter, value in _OPTION.findall(prompt)}
    name = _NAME.search(prompt)
    if not options or (name is None and _CUT_OUT not in prompt):
        raise GaveUp("the question names no object or no values")
    found = _edged(pictures[0]) if name is None else find(pictures[0], name[1])
    share = 100 * float(found.mean())
    return min(sorted(options), key=lambda letter: abs(options[letter] - share))


def find(picture: Pixels, name: str) -> Mask:
    """The pixels of the named shape; `GaveUp` if it is not found."""
    words = name.split()
    colours = [word for word in words if word in PAPER]
    if not colours:
        raise GaveUp("the name of the object says no colour")
    pieces = [piece for through in (0.02, 0.1, 0.18, 0.26) for piece in _pieces(picture, colours, through)]
    if not pieces:
        raise GaveUp("there is nothing of that colour")
    return max(pieces, key=lambda piece: _likeness(piece, words[-1]))


def _pieces(picture: Pixels, colours: list[str], through: float) -> list[Mask]:
    """Connected pieces that show all of the colours, with their edges."""
    masks = [_paper(picture, colour, through) for colour in colours]
    joined = np.any(masks, axis=0).astype(np.uint8)
    if len(colours) > 1:
        joined = cv2.morphologyEx(joined, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    joined = cv2.morphologyEx(joined, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=4)
    pieces = []
    for label in range(1, count):
        area = int(stats[label, cv2.CC_STAT_AREA])
        piece = labels == label
        if area >= SMALLEST * piece.size and all(piece[mask].sum() > 0.15 * area for mask in masks):
            grown = cv2.dilate(piece.astype(np.uint8), np.ones((5, 5), np.uint8))
            pieces.append(grown > 0)
    return pieces


def _paper(picture: Pixels, colour: str, through: float) -> Mask:
    """Where a pixel may be paper of that colour with a part `through` of anything in it."""
    paper = np.array(PAPER[colour], dtype=np.float64)
    slack = 14 + 80 * through
    low, high = paper * (1 - through) - slack, paper * (1 - through) + 255 * through + slack
    inside: Mask = cv2.inRange(picture, low, high) > 0
    return inside


def _likeness(piece: Mask, kind: str) -> float:
    """How like the outline of a piece is to that of the named kind; a larger piece is likelier, other things equal.

    What runs over into the photograph, or is broken by it, is ragged: its borders are long for its size.
    """
    template = _template(kind)
    contour, wanted = _outline(piece), _outline(template)
    unlike = cv2.matchShapes(contour, wanted, cv2.CONTOURS_MATCH_I2, 0) + 4 * abs(_fill(contour) - _fill(wanted))
    ragged = max(0.0, _border(piece) / _border(template) - 1)
    return math.log(float(piece.mean())) - UNLIKE * float(unlike) - RAGGED * ragged


def _border(piece: Mask) -> float:
    """The length of all borders of a piece for the length around its convex hull."""
    contours, _ = cv2.findContours(piece.astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    largest = max(contours, key=cv2.contourArea)
    return sum(cv2.arcLength(line, True) for line in contours) / max(1.0, cv2.arcLength(cv2.convexHull(largest), True))


def _fill(contour: NDArray[np.int32]) -> float:
    """The part of its convex hull that an outline encloses."""
    return float(cv2.contourArea(contour) / max(1.0, cv2.contourArea(cv2.convexHull(contour))))


def _outline(piece: Mask) -> NDArray[np.int32]:
    contours, _ = cv2.findContours(piece.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return np.asarray(max(contours, key=cv2.contourArea), dtype=np.int32)


def _template(kind: str) -> Mask:
    """A picture of the kind, 200 pixels wide."""
    image = np.zeros((220, 220), dtype=np.uint8)
    if kind == "disc":
        cv2.circle(image, (110, 110), 95, 1, -1)
    elif kind == "heart":
        cv2.circle(image, (70, 80), 42, 1, -1)
        cv2.circle(image, (150, 80), 42, 1, -1)
        cv2.fillPoly(image, [np.array([(33, 100), (110, 80), (187, 100), (110, 200)], dtype=np.int32)], 1)
    elif kind == "cross":
        image[10:210, 78:142] = 1
        image[78:142, 10:210] = 1
    elif kind == "arrow":
        corners = [(110, 10), (195, 105), (144, 105), (144, 210), (76, 210), (76, 105), (25, 105)]
        cv2.fillPoly(image, [np.array(corners, dtype=np.int32)], 1)
    else:
        count, inner = {"star": (5, 0.48), "triangle": (3, 0.5), "square": (4, math.sqrt(0.5))}.get(kind, (6, 0.866))
        points = [
            (110 + 95 * r * math.sin(math.pi * step / count), 110 - 95 * r * math.cos(math.pi * step / count))
            for step in range(2 * count)
            for r in ((1.0, inner)[step % 2],)
        ]
        cv2.fillPoly(image, [np.array(points, dtype=np.int32)], 1)
    return image > 0


def _edged(picture: Pixels) -> Mask:
    """What a closed white line encloses, the largest such area; the border of the picture may close it."""
    white = (picture.min(axis=2) >= WHITE).astype(np.uint8)
    thick = cv2.morphologyEx(white, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8))
    line = cv2.dilate(cv2.subtract(white, cv2.dilate(thick, np.ones((5, 5), np.uint8))), np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(1 - line, connectivity=4)
    order = sorted(range(1, count), key=lambda label: -int(stats[label, cv2.CC_STAT_AREA]))
    if len(order) < 2:
        raise GaveUp("no closed white line")
    # The background is what meets the border of the picture most.
    rim = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
    outside = max(order[:8], key=lambda label: int((rim == label).sum()))
    inside = next((label for label in order if label != outside), None)
    if inside is None or stats[inside, cv2.CC_STAT_AREA] < SMALLEST * labels.size:
        raise GaveUp("nothing is enclosed by a white line")
    grown = cv2.dilate((labels == inside).astype(np.uint8), np.ones((7, 7), np.uint8))
    return grown > 0
