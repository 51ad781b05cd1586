"""Low light: brightens the picture, cuts it at every tone, and names what stands out by its outline.

`solve` averages the noise away and stretches what is left to the full range first. `glance` takes the picture as it is:
it tells apart only tones an eighth of the full range apart, as one does who does not brighten a black picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.silhouettes import KINDS, NAMES, silhouette
from beholder.synth.solvers import GaveUp, Pixels

Grey = NDArray[np.float32]

PATCH = 48
FILLED = 0.3
"""Share of a patch that every outline is scaled to cover."""
TURNS = range(-24, 25, 4)
ALIKE = 0.82
"""Least overlap (shared area by joint area) with the nearest silhouette."""
SMALLEST, LARGEST = 0.0009, 0.016
"""Areas of things, in shares of the picture."""
STEPS = 22
"""Tones that a brightened picture is cut at."""
SHARP = 0.66
"""Share of the difference to the background that must be crossed within a few pixels of the outline."""
_OPTION = re.compile(r"^([A-J])\. ([a-z ]{1,20})$", re.MULTILINE)
_HOW_MANY = re.compile(r"How many ([a-z ]{1,20}) are there in the (?:(left|right|upper|lower) half of the )?picture\?")
_NEAREST = re.compile(r"nearest to the (left|right|top|bottom) edge")


class Seen(NamedTuple):
    """One thing: kind, middle (pixels), and how well it fits its silhouette."""

    kind: str
    x: float
    y: float
    fit: float


def solve(pictures: Sequence[Pixels], prompt: str) -> str:
    """The number or letter asked for. Raises `GaveUp` if nothing is found or the question is not understood."""
    grey = pictures[0].astype(np.float32).mean(axis=2)
    calm = cv2.GaussianBlur(grey, (0, 0), 1.3)
    low, high = (float(value) for value in np.percentile(calm, (1, 99.9)))
    bright = np.clip((calm - low) / max(high - low, 1e-3), 0, 1).astype(np.float32)
    return _answer(_things(bright, np.linspace(0.04, 0.96, STEPS)), prompt, grey.shape)


def glance(pictures: Sequence[Pixels], prompt: str) -> str:
    """As `solve`, but without brightening or smoothing, at eight tones of the full range."""
    grey = pictures[0].astype(np.float32).mean(axis=2) / 255
    return _answer(_things(grey, np.arange(1, 8) / 8), prompt, grey.shape)


def _answer(things: list[Seen], prompt: str, shape: tuple[int, ...]) -> str:
    if not things:
        raise GaveUp("nothing stands out in the picture")
    height, width = shape[0], shape[1]
    if asked := _HOW_MANY.search(prompt):
        kind = _kind(asked[1])
        return str(sum(thing.kind == kind and _inside(thing, asked[2] or "", width, height) for thing in things))
    options = {_kind(name): str(letter) for letter, name in _OPTION.findall(prompt)}
    offered = [thing for thing in things if thing.kind in options]
    if not offered:
        raise GaveUp("none of the options is in the picture")
    if nearest := _NEAREST.search(prompt):
        # There is one of each: where two were seen, the better fit is it.
        once = {thing.kind: thing for thing in sorted(offered, key=lambda thing: thing.fit)}
        return options[min(once.values(), key=lambda thing: _to_edge(thing, nearest[1], width, height)).kind]
    kinds = [thing.kind for thing in offered]
    return options[max(options, key=kinds.count)]


def _inside(thing: Seen, half: str, width: int, height: int) -> bool:
    if half in ("left", "right"):
        return (thing.x < width / 2) == (half == "left")
    return not half or (thing.y < height / 2) == (half == "upper")


def _to_edge(thing: Seen, side: str, width: int, height: int) -> float:
    return {"left": thing.x, "right": width - thing.x, "top": thing.y, "bottom": height - thing.y}[side]


def _kind(name: str) -> str:
    for kind, words in NAMES.items():
        if name in words:
            return kind
    raise GaveUp(f"an unknown kind: {name}")


def _things(grey: Grey, cuts: Iterable[float]) -> list[Seen]:
    """What stands out at any of the cuts and looks like a silhouette; of overlapping finds the best."""
    found: list[tuple[Seen, tuple[int, int, int, int]]] = []
    for cut in cuts:
        _, labels, stats, _ = cv2.connectedComponentsWithStats((grey > cut).astype(np.uint8), connectivity=4)
        for part in _candidates(np.asarray(stats, dtype=np.int32), grey.shape):
            left, top, wide, high = (int(value) for value in stats[part][:4])
            mask = (labels[top : top + high, left : left + wide] == part).astype(np.uint8)
            kind, fit = _named(mask)
            if fit >= ALIKE and _sharp(grey, mask, left, top, cut):
                seen = Seen(kind, left + wide / 2, top + high / 2, fit)
                found.append((seen, (left, top, left + wide, top + high)))
    kept: list[tuple[Seen, tuple[int, int, int, int]]] = []
    for seen, box in sorted(found, key=lambda find: -find[0].fit):
        if all(_apart(box, other) for _, other in kept):
            kept.append((seen, box))
    return [seen for seen, _ in kept]


def _candidates(stats: NDArray[np.int32], shape: tuple[int, ...]) -> list[int]:
    """The regions that have a thing's size and proportions and do not touch the border."""
    left, top, wide, high, area = stats.T
    fitting = (left > 0) & (top > 0) & (left + wide < shape[1]) & (top + high < shape[0])
    share = area / (shape[0] * shape[1])
    fitting &= (share > SMALLEST) & (share < LARGEST) & (np.maximum(wide, high) <= 3.5 * np.minimum(wide, high))
    fitting[0] = False
    return [int(part) for part in np.flatnonzero(fitting)]


def _apart(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def _sharp(grey: Grey, mask: NDArray[np.uint8], left: int, top: int, cut: float) -> bool:
    """Whether the tone falls steeply at the outline, as it does not at a blurred blot of light."""
    reach = 7
    height, width = mask.shape
    rows = slice(max(0, top - reach), min(grey.shape[0], top + height + reach))
    columns = slice(max(0, left - reach), min(grey.shape[1], left + width + reach))
    wide = np.zeros((rows.stop - rows.start, columns.stop - columns.start), np.uint8)
    wide[top - rows.start : top - rows.start + height, left - columns.start : left - columns.start + width] = mask
    near = cv2.dilate(wide, np.ones((5, 5), np.uint8))
    far = cv2.dilate(near, np.ones((9, 9), np.uint8))
    core = cv2.erode(wide, np.ones((5, 5), np.uint8))
    if not core.any():
        return True
    about = grey[rows, columns]
    inside, outside = float(about[core > 0].mean()), float(about[(far > 0) & (near == 0)].mean())
    rim_in = cv2.erode(wide, np.ones((3, 3), np.uint8)) - core
    rim_out = near - cv2.dilate(wide, np.ones((3, 3), np.uint8))
    fall = float(about[rim_in > 0].mean()) - float(about[rim_out > 0].mean())
    return fall > SHARP * (inside - outside)


@lru_cache(maxsize=1)
def _silhouettes() -> tuple[NDArray[np.float32], NDArray[np.float32], tuple[str, ...]]:
    """Every silhouette at every turn as a row of 0 and 1; the rows' areas and kinds."""
    rows, kinds = [], []
    for kind in KINDS:
        for turn in TURNS:
            rows.append(_patch((silhouette(kind, 64, turn) > 127).astype(np.uint8)))
            kinds.append(kind)
    known = np.array(rows, dtype=np.float32)
    return known, known.sum(axis=1), tuple(kinds)


def _patch(mask: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The outline moved to the middle of a patch and scaled to a given area, as a row of 0 and 1."""
    y, x = np.nonzero(mask)
    scale = PATCH * (FILLED / len(x)) ** 0.5
    matrix = np.array(
        [[scale, 0, PATCH / 2 - scale * (x.mean() + 0.5)], [0, scale, PATCH / 2 - scale * (y.mean() + 0.5)]]
    )
    patch = cv2.warpAffine(mask.astype(np.float32), matrix, (PATCH, PATCH), flags=cv2.INTER_LINEAR)
    return (patch > 0.5).ravel().astype(np.float32)


def _named(mask: NDArray[np.uint8]) -> tuple[str, float]:
    """The kind whose silhouette an outline overlaps best, and how well."""
    known, areas, kinds = _silhouettes()
    patch = _patch(mask)
    shared = known @ patch
    overlap = shared / (areas + patch.sum() - shared)
    best = int(np.argmax(overlap))
    return kinds[best], float(overlap[best])
