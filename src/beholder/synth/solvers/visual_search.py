"""Finds the sign that the question names by its colour, shape and edge, and reads its mark under magnification.

Every patch of the named colour that is small and compact enough to be a sign's inside is compared with the outline of
each shape, and what surrounds it with the colours of edges. The best is cut out, enlarged and compared with each
option. `glance` reads the mark at the size that the picture has, without cutting out and enlarging; on a large scene
that was shrunk there is little left of a sign to be found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from beholder.synth.solvers import GaveUp, Pixels
from beholder.synth.typefaces import TYPEFACES, typeface

Mask = NDArray[np.bool_]
Values = NDArray[np.float32]

HUES = {"red": (-14, 12), "orange": (20, 38), "green": (126, 166), "blue": (206, 242), "purple": (262, 306)}
"""Degrees of the colour circle, wider than the names need: compression blurs small signs."""
VIVID, BRIGHT = 95, 60
"""Least saturation and brightness (0 to 255) of a sign's inside."""
LIGHT = {"white": (250, 250, 250), "yellow": (252, 226, 60), "light blue": (110, 220, 245)}
DARK = {"black": (18, 18, 18)}
GREY = np.array([0.3, 0.59, 0.11], dtype=np.float32)
SMALLEST, LARGEST = 4, 60
"""Pixels a side of the inside of a sign."""
EDGE_COUNTS = 1.5
"""How much a full edge of the right colour counts, where a perfect shape counts 1."""
COVERED = 0.42
"""Least share of a sign's inside that is of its colour. Marks cover a third; but where a red inside meets a yellow edge
there is an orange line around it, which is no sign.
"""
GRID = 32
"""Outlines and letters are compared on a grid of so many cells a side, stretched to fill it."""
ENLARGED = 6
CORNERS = {
    "circle": [(1.0, 5.0 * step) for step in range(72)],
    "square": [(1.0, 45.0 + 90 * step) for step in range(4)],
    "diamond": [(1.0, 90.0 * step) for step in range(4)],
    "triangle": [(1.0, 90.0 + 120 * step) for step in range(3)],
    "star": [(1.0 if step % 2 == 0 else 0.59, 90.0 + 36 * step) for step in range(10)],
}
"""Corners as (distance from the middle, degrees counter-clockwise from right)."""
PROPORTIONS = {"circle": 1.0, "square": 1.0, "diamond": 1.0, "triangle": 1.155, "star": 1.05}
"""Width over height."""
TURNS = {"right": 0, "up": 1, "left": 2, "down": 3}
ARROW = [(1.0, 0.0), (0.05, 0.95), (0.05, 0.36), (-0.95, 0.36), (-0.95, -0.36), (0.05, -0.36), (0.05, -0.95)]

NAMED = re.compile(r"\ban? (\w{1,9}) (\w{1,9}) with a (white|yellow|light blue) edge\. ([A-Z][^?\n]{1,80})\?")
OPTION = re.compile(r"^([A-J])[.:)] {0,4}([^\n]{1,20})$", re.MULTILINE)


def solve(pictures: Sequence[Pixels], prompt: str) -> str:
    """The letter of the option that the named sign carries.

    `GaveUp` if the question is of another kind, or nothing in the picture looks like a sign of that colour.
    """
    return _answer(pictures, prompt, ENLARGED)


def glance(pictures: Sequence[Pixels], prompt: str) -> str:
    """The same from the picture as it is, nothing cut out or enlarged. Raises as `solve` does."""
    return _answer(pictures, prompt, 1)


def _answer(pictures: Sequence[Pixels], prompt: str, enlarge: int) -> str:
    named = NAMED.search(prompt)
    options = OPTION.findall(prompt)
    if named is None or named[1] not in HUES or named[2] not in CORNERS or len(options) < 2 or not pictures:
        raise GaveUp("the question names no sign that could be looked for")
    colour, shape, edge, question = named.groups()
    texts = [text for _, text in options]
    x, y, inside = find(pictures[0], colour, shape, edge)
    height, width = inside.shape
    sign = pictures[0][y : y + height, x : x + width]
    if enlarge > 1:
        size = (width * enlarge, height * enlarge)
        sign = np.asarray(cv2.resize(sign, size, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
        inside = cv2.resize(inside.astype(np.float32), size, interpolation=cv2.INTER_LINEAR) > 0.5
    likeness = _likeness(sign, inside, question, texts)
    return str(options[int(np.argmax(likeness))][0])


def find(picture: Pixels, colour: str, shape: str, edge: str) -> tuple[int, int, Mask]:
    """Left and top of the inside of the sign that is most like the one named, and which pixels there belong to it.

    `GaveUp` if no patch of that colour could be a sign's inside.
    """
    best, found = -1.0, None
    for x, y, inside in _patches(_coloured(picture, colour)):
        height, width = inside.shape
        if min(x, y) < 3 or x + width + 3 > picture.shape[1] or y + height + 3 > picture.shape[0]:
            continue
        score = _fits(inside, shape)
        if score + EDGE_COUNTS > best:
            around = picture[y - 3 : y + height + 3, x - 3 : x + width + 3]
            score += EDGE_COUNTS * _edge_fits(around, np.pad(inside, 3), edge)
            if score > best:
                best, found = score, (x, y, inside)
    if found is None:
        raise GaveUp(f"nothing {colour} in the picture is as small and compact as a sign")
    return found


def _patches(coloured: Pixels) -> Iterator[tuple[int, int, Mask]]:
    """Left, top and pixels of each connected patch that could be a sign's inside, holes filled.

    A mark may cut an inside in two, so that patches are looked for a second time with a pixel's width more. Where the
    edge is narrow that may join an inside with what lies beyond.
    """
    for wider in (0, 1):
        joined = cv2.dilate(coloured, np.ones((3, 3), np.uint8)) if wider else coloured
        _, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=4)
        across, down = stats[:, 2] - 2 * wider, stats[:, 3] - 2 * wider
        shorter, longer = np.minimum(across, down), np.maximum(across, down)
        likely = (shorter >= SMALLEST) & (longer <= LARGEST) & (longer <= 1.6 * shorter)
        likely &= stats[:, 4] >= 0.25 * across * down
        for label in np.flatnonzero(likely[1:]) + 1:
            x, y = (int(value) + wider for value in stats[label, :2])
            box = np.s_[y : y + int(down[label]), x : x + int(across[label])]
            patch = (labels[box] == label) & (coloured[box] > 0)
            inside = _filled(patch)
            if patch.sum() >= COVERED * inside.sum():
                yield x, y, inside


def _coloured(picture: Pixels, colour: str) -> Pixels:
    """255 where the picture has that colour, vivid, else 0."""
    tones = cv2.cvtColor(picture, cv2.COLOR_RGB2HSV)
    lowest, highest = (degrees // 2 for degrees in HUES[colour])
    mask = cv2.inRange(tones, np.array([max(lowest, 0), VIVID, BRIGHT]), np.array([highest, 255, 255]))
    if lowest < 0:
        mask = cv2.bitwise_or(
            mask, cv2.inRange(tones, np.array([180 + lowest, VIVID, BRIGHT]), np.array([180, 255, 255]))
        )
    return np.asarray(mask, dtype=np.uint8)


def _filled(patch: Mask) -> Mask:
    """The patch without holes: marks leave holes in a sign's inside, and cracks where they come near its border."""
    width = max(3, min(patch.shape) // 4)
    pad = np.pad(patch.astype(np.uint8), width)
    closed = cv2.morphologyEx(pad, cv2.MORPH_CLOSE, np.ones((width, width), np.uint8))
    contours, _ = cv2.findContours(closed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    cracks = np.zeros(pad.shape, dtype=np.uint8)
    cv2.drawContours(cracks, contours, -1, 1, cv2.FILLED)
    # Closing also fills what is hollow between points: take from it only what lies well inside.
    depth = cv2.distanceTransform(cracks, cv2.DIST_L2, 3) > 0.08 * min(patch.shape)
    contours, _ = cv2.findContours(pad | depth.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros(pad.shape, dtype=np.uint8)
    cv2.drawContours(filled, contours, -1, 1, cv2.FILLED)
    return filled[width:-width, width:-width].astype(np.bool_)


def _fits(inside: Mask, shape: str) -> float:
    """How much more the patch is like that shape than like any other, -1 to 1, and is as wide for its height."""
    cells = cv2.resize(inside.astype(np.float32), (GRID, GRID), interpolation=cv2.INTER_AREA)
    overlap = {}
    for name in CORNERS:
        outline = _outline(name)
        overlap[name] = float(np.minimum(cells, outline).sum() / np.maximum(cells, outline).sum())
        stretched = abs(inside.shape[1] / inside.shape[0] / PROPORTIONS[name] - 1)
        overlap[name] -= max(0.0, stretched - 0.1)
    other = max(value for name, value in overlap.items() if name != shape)
    return overlap[shape] + min(0.0, overlap[shape] - other)


@lru_cache(maxsize=8)
def _outline(shape: str) -> Values:
    """How much of each cell of the grid the shape covers, stretched to fill it."""
    corners = np.array(
        [(reach * np.cos(np.deg2rad(turn)), -reach * np.sin(np.deg2rad(turn))) for reach, turn in CORNERS[shape]]
    )
    corners -= corners.min(axis=0)
    corners *= (8 * GRID - 1) / corners.max(axis=0)
    large = np.zeros((8 * GRID, 8 * GRID), dtype=np.uint8)
    cv2.fillPoly(large, [np.rint(corners).astype(np.int32)], 255)
    return np.asarray(
        cv2.resize(large.astype(np.float32) / 255, (GRID, GRID), interpolation=cv2.INTER_AREA), np.float32
    )


def _edge_fits(around: Pixels, inside: Mask, edge: str) -> float:
    """How surely the patch has an edge of that colour, 0 to 1: by the pixels that touch it, or by the next outwards.

    Which of the two show the edge unmixed with its neighbours depends on where the pixels fall.
    """
    wanted = list(LIGHT).index(edge)
    within, surest = inside.astype(np.uint8), 0.0
    for _ in range(2):
        reached = cv2.dilate(within, np.ones((3, 3), np.uint8))
        colours = around[(reached > 0) & (within == 0)].astype(np.float32)
        light = colours @ GREY > 140  # not the dark rim
        off = np.stack([np.abs(colours - np.array(shade)).sum(axis=1) for shade in LIGHT.values()], axis=1)
        agree = (off.argmin(axis=1) == wanted) & (off[:, wanted] < 90) & light
        surest = max(surest, float(agree.sum() / max(1.0, 0.8 * light.sum(), 0.4 * len(light))))
        within = np.asarray(reached, dtype=np.uint8)
    return min(1.0, surest)


def _likeness(sign: Pixels, inside: Mask, question: str, texts: list[str]) -> list[float]:
    """How much the mark is like each option."""
    colours = sign.astype(np.float32)
    if "dot in its middle" in question:
        return _dot_likeness(colours, inside, texts)
    body = np.median(colours[inside], axis=0)
    # Marks are white, or black where white is not plain enough: on the lightest of the colours.
    ink = np.array(DARK["black"] if body @ GREY > 130 else LIGHT["white"], dtype=np.float32)
    way = ink - body
    mark = np.clip((colours - body) @ way / (way @ way), 0, 1).astype(np.float32)
    # At the border, colours mix with those of the edge.
    depth = cv2.distanceTransform(np.pad(inside.astype(np.uint8), 1), cv2.DIST_L2, 5)[1:-1, 1:-1]
    mark[depth <= 0.07 * min(inside.shape)] = 0
    if "How many" in question:
        return _count_likeness(mark, inside, texts)
    top, bottom, left, right = _box(mark > 0.5)
    mark = mark[top:bottom, left:right]
    if "direction" in question:
        return [_alike(mark, [_arrow(TURNS[text])]) if text in TURNS else -2.0 for text in texts]
    return [_alike(mark, [_letter(text[:1], name) for name in TYPEFACES]) for text in texts]


def _box(mask: Mask) -> tuple[int, int, int, int]:
    """Top, bottom, left and right of what is set; the whole if nothing is."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return 0, mask.shape[0], 0, mask.shape[1]
    return int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1


def _alike(mark: Values, templates: list[Values]) -> float:
    """Correlation of the mark with the most similar template, less for other proportions."""
    cells = cv2.resize(mark, (GRID, GRID), interpolation=cv2.INTER_LINEAR)
    best = -2.0
    for template in templates:
        stretched = cv2.resize(template, (GRID, GRID), interpolation=cv2.INTER_AREA)
        alike = _correlation(np.asarray(cells), np.asarray(stretched))
        widths = (mark.shape[1] / mark.shape[0], template.shape[1] / template.shape[0])
        best = max(best, alike - 0.3 * abs(float(np.log(widths[0] / widths[1]))))
    return best


def _correlation(one: NDArray[Any], other: NDArray[Any]) -> float:
    """From -1 to 1; 0 if one of them is the same all over."""
    one, other = one - one.mean(), other - other.mean()
    size = float(np.sqrt((one * one).sum() * (other * other).sum()))
    return float((one * other).sum()) / size if size > 0 else 0.0


@lru_cache(maxsize=256)
def _letter(text: str, name: str) -> Values:
    font = typeface(name, 64)
    canvas = Image.new("L", (128, 128))
    ImageDraw.Draw(canvas).text((32, 24), text, fill=255, font=font)
    values = (np.asarray(canvas) / 255).astype(np.float32)
    top, bottom, left, right = _box(values > 0.5)
    return values[top:bottom, left:right]


@lru_cache(maxsize=4)
def _arrow(quarter_turns: int) -> Values:
    canvas = np.zeros((128, 128), dtype=np.uint8)
    cv2.fillPoly(canvas, [np.array([(64 + 60 * x, 64 + 60 * y) for x, y in ARROW], dtype=np.int32)], 1)
    top, bottom, left, right = _box(canvas > 0)
    return np.ascontiguousarray(np.rot90(canvas[top:bottom, left:right], quarter_turns)).astype(np.float32)


def _dot_likeness(colours: Values, inside: Mask, texts: list[str]) -> list[float]:
    """How near the middle of the sign is to each colour."""
    weights = inside.astype(np.float32)
    steps = [np.arange(side, dtype=np.float32) for side in inside.shape]
    y, x = (weights.sum(axis=1) @ steps[0]) / weights.sum(), (weights.sum(axis=0) @ steps[1]) / weights.sum()
    reach = max(0.12 * inside.shape[1], 0.8)
    middle = np.hypot(steps[0][:, None] - y, steps[1][None, :] - x) <= reach
    seen = np.median(colours[middle], axis=0)
    known = LIGHT | DARK
    return [-float(np.abs(seen - np.array(known[text])).sum()) if text in known else -1e6 for text in texts]


def _count_likeness(mark: Values, inside: Mask, texts: list[str]) -> list[float]:
    """How near the number of separate dots is to each option."""
    peak = float(mark.max())
    _, _, stats, _ = cv2.connectedComponentsWithStats((mark > max(0.5 * peak, 0.2)).astype(np.uint8), connectivity=4)
    dots = int((stats[1:, 4] >= 0.004 * inside.sum()).sum())
    return [-abs(dots - int(text)) if text.isdecimal() else -1e6 for text in texts]
