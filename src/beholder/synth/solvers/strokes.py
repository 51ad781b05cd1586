"""Strokes on paper: what is drawn and what is not, how thick, in which colour, and the pieces it parts the paper into.

Pictures are RGB, (height, width, 3); masks are boolean and coverages float32 in 0 to 1, both (height, width).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.solvers import GaveUp, Pixels

Mask = NDArray[np.bool_]
Plane = NDArray[np.float32]

SOLID = 0.42
"""How dark a pixel must be to belong to a stroke, as a share of full ink: pale lines and tints lie far below."""
FAINTEST = 40.0
"""Levels from the paper that even the palest ink of a figure has."""
DIRECTIONS: dict[str, tuple[int, int, int]] = {
    "red": (208, 38, 42),
    "blue": (38, 78, 205),
    "green": (28, 140, 62),
    "orange": (232, 126, 18),
    "purple": (132, 48, 165),
    "dark": (28, 28, 32),
}
"""Where each colour lies, seen from the paper."""


def paper_of(picture: Pixels) -> NDArray[np.float32]:
    """The colour of the paper: the middle one of the pixels along the edge."""
    edge = np.concatenate([picture[:3].reshape(-1, 3), picture[-3:].reshape(-1, 3), picture[:, 0], picture[:, -1]])
    return np.asarray(np.median(edge, axis=0), dtype=np.float32)


def coverage(picture: Pixels) -> Plane:
    """How much of each pixel is inked: 0 for paper, 1 for full ink. `GaveUp` on an empty sheet."""
    apart = np.abs(picture.astype(np.float32) - paper_of(picture)).max(axis=2)
    darkest = np.partition(apart.ravel(), -(apart.size // 400))[-(apart.size // 400) :]
    full = float(darkest.mean())
    if full < FAINTEST:
        raise GaveUp("nothing is drawn in the picture")
    return np.asarray(np.clip(apart / full, 0, 1), dtype=np.float32)


def coloured(picture: Pixels, names: tuple[str, str]) -> tuple[Mask, Mask]:
    """The strokes in each of two named colours."""
    apart = paper_of(picture) - picture.astype(np.float32)
    inked = coverage(picture) > SOLID
    likeness = []
    for name in names:
        if name not in DIRECTIONS:
            raise GaveUp(f"no colour is known by the name {name!r}")
        direction = 255.0 - np.asarray(DIRECTIONS[name], dtype=np.float32)
        likeness.append(apart @ (direction / np.linalg.norm(direction)))
    return inked & (likeness[0] >= likeness[1]), inked & (likeness[1] > likeness[0])


def inks(picture: Pixels) -> dict[str, Plane]:
    """The coverage by each of the inks red, blue, green, purple and dark; 1 is the full ink of that colour."""
    paper = paper_of(picture)
    apart = paper - picture.astype(np.float32)
    inked = coverage(picture)
    names = ("red", "blue", "green", "purple", "dark")
    directions = np.stack([paper - np.asarray(DIRECTIONS[name], dtype=np.float32) for name in names])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    likeness = apart @ directions.T
    nearest = likeness.argmax(axis=2)
    planes = {}
    for place, name in enumerate(names):
        strength = np.where(nearest == place, np.maximum(likeness[..., place], 0), 0)
        solid = strength[(strength > 0) & (inked > SOLID)]
        full = float(np.quantile(solid, 0.95)) if solid.size else 1.0
        planes[name] = np.asarray(np.clip(strength / full, 0, 1) * (solid.size > 0), dtype=np.float32)
    return planes


def largest_piece(mask: Mask) -> Mask:
    """The largest connected piece of a mask. `GaveUp` if the mask is empty."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    if len(stats) < 2:
        raise GaveUp("something that the question names is not in the picture")
    return np.asarray(labels == 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA])))


def inside_of(inked: Mask) -> Mask:
    """All that the strokes enclose, and the strokes themselves: what a flood from the picture's corner leaves dry."""
    sheet = inked.astype(np.uint8)
    cv2.floodFill(sheet, np.zeros((sheet.shape[0] + 2, sheet.shape[1] + 2), dtype=np.uint8), (0, 0), 1)
    return np.asarray((sheet == 0) | inked)


def pieces(mask: Mask, smallest: int, *, diagonal: bool = False) -> list[int]:
    """The sizes in pixels of a mask's connected pieces, those below `smallest` left out."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8 if diagonal else 4)
    return [int(size) for size in stats[1:, cv2.CC_STAT_AREA] if size >= smallest]


def stroke_width(inked: Plane) -> float:
    """The mean width of the strokes in pixels: their area over half the length of their outline."""
    mask = (inked > SOLID).astype(np.uint8)
    outlines, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    length = sum(cv2.arcLength(outline, True) for outline in outlines) / 2
    if length == 0:
        raise GaveUp("the picture shows no strokes")
    return float(inked[mask > 0].sum()) / length


def disc(radius: float) -> Plane:
    """A round brush, 1 inside and 0 outside."""
    reach = int(np.ceil(radius))
    across = np.arange(-reach, reach + 1)
    return np.asarray(across[:, None] ** 2 + across**2 <= radius**2, dtype=np.float32)


def grown(mask: Mask, radius: float) -> Mask:
    """The mask, thicker by `radius` pixels on every side."""
    return np.asarray(cv2.dilate(mask.astype(np.uint8), disc(radius).astype(np.uint8)) > 0)
