"""Outlines of ten everyday things, as everyone knows them: what a star, a mug or an umbrella looks like in black.

Coordinates run from -1 to 1, x to the right and y down. Each thing is in one piece.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

NAMES: dict[str, tuple[str, str]] = {
    "ball": ("ball", "balls"),
    "bottle": ("bottle", "bottles"),
    "fish": ("fish", "fish"),
    "heart": ("heart", "hearts"),
    "house": ("house", "houses"),
    "moon": ("crescent moon", "crescent moons"),
    "mug": ("mug", "mugs"),
    "star": ("star", "stars"),
    "tree": ("tree", "trees"),
    "umbrella": ("umbrella", "umbrellas"),
}
"""Kind → the word for one and for several."""
KINDS = tuple(NAMES)
FINER = 4
"""Outlines are drawn at this many times the size, then averaged."""

Points = tuple[tuple[float, float], ...]
_DISC, _POLYGON = "disc", "polygon"

_STAR: Points = tuple(
    (radius * math.sin(place * math.pi / 5), 0.06 - radius * math.cos(place * math.pi / 5))
    for place in range(10)
    for radius in ((0.98 if place % 2 == 0 else 0.4),)
)
_HEART: Points = tuple(
    (
        0.055 * 16 * math.sin(turn) ** 3,
        -0.055 * (13 * math.cos(turn) - 5 * math.cos(2 * turn) - 2 * math.cos(3 * turn) - math.cos(4 * turn)) - 0.1,
    )
    for turn in (math.tau * place / 60 for place in range(60))
)
_FISH: Points = tuple(
    (0.62 * math.cos(turn) - 0.28, 0.44 * math.sin(turn)) for turn in (math.tau * place / 40 for place in range(40))
)
_DOME: Points = tuple(
    (0.95 * math.cos(turn), 0.05 - 0.85 * math.sin(turn)) for turn in (math.pi * place / 30 for place in range(31))
)

_PARTS: dict[str, tuple[tuple[str, Points, bool], ...]] = {
    # Form, points (of a disc: middle, and radius twice), and whether it is drawn (or taken away).
    "ball": ((_DISC, ((0, 0), (0.86, 0.86)), True),),
    "bottle": (
        (
            _POLYGON,
            (
                (-0.16, -0.98),
                (0.16, -0.98),
                (0.16, -0.45),
                (0.42, -0.12),
                (0.42, 0.98),
                (-0.42, 0.98),
                (-0.42, -0.12),
                (-0.16, -0.45),
            ),
            True,
        ),
    ),
    "fish": (
        (_POLYGON, _FISH, True),
        (_POLYGON, ((0.1, 0), (0.95, -0.55), (0.78, 0), (0.95, 0.55)), True),
    ),
    "heart": ((_POLYGON, _HEART, True),),
    "house": (
        (_POLYGON, ((-0.95, -0.08), (0, -0.92), (0.95, -0.08)), True),
        (_POLYGON, ((-0.68, -0.12), (0.68, -0.12), (0.68, 0.85), (-0.68, 0.85)), True),
        (_POLYGON, ((-0.17, 0.3), (0.17, 0.3), (0.17, 0.86), (-0.17, 0.86)), False),
    ),
    "moon": ((_DISC, ((-0.1, 0), (0.95, 0.95)), True), (_DISC, ((0.4, -0.1), (0.8, 0.8)), False)),
    "mug": (
        (_DISC, ((0.4, 0.02), (0.52, 0.52)), True),
        (_DISC, ((0.4, 0.02), (0.27, 0.27)), False),
        (_POLYGON, ((-0.8, -0.8), (0.4, -0.8), (0.4, 0.85), (-0.8, 0.85)), True),
    ),
    "star": ((_POLYGON, _STAR, True),),
    "tree": (
        (_POLYGON, ((0, -0.98), (0.45, -0.38), (-0.45, -0.38)), True),
        (_POLYGON, ((0, -0.7), (0.6, 0.1), (-0.6, 0.1)), True),
        (_POLYGON, ((0, -0.3), (0.76, 0.6), (-0.76, 0.6)), True),
        (_POLYGON, ((-0.17, 0.55), (0.17, 0.55), (0.17, 0.97), (-0.17, 0.97)), True),
    ),
    "umbrella": (
        (_POLYGON, _DOME, True),
        (_DISC, ((-0.64, 0.12), (0.3, 0.3)), False),
        (_DISC, ((0.64, 0.12), (0.3, 0.3)), False),
        (_POLYGON, ((-0.09, 0), (0.09, 0), (0.09, 0.8), (-0.09, 0.8)), True),
        (_POLYGON, ((-0.09, 0.72), (0.4, 0.72), (0.4, 0.9), (-0.09, 0.9)), True),
    ),
}


@lru_cache(maxsize=4096)
def silhouette(kind: str, side: int, turn: int) -> NDArray[np.uint8]:
    """The thing `side` pixels from -1 to 1, turned clockwise by whole degrees, as coverage from 0 to 255.

    (1.2·side rounded up to even, the same): nothing is cut off at any angle up to 30 degrees. Not to be written to.
    """
    box = 2 * math.ceil(0.6 * side)
    image = Image.new("L", (box * FINER, box * FINER), 0)
    pen = ImageDraw.Draw(image)
    half, middle = side * FINER / 2, box * FINER / 2
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))

    def at(x: float, y: float) -> tuple[float, float]:
        return middle + half * (x * cos - y * sin), middle + half * (x * sin + y * cos)

    for form, points, drawn in _PARTS[kind]:
        shade = 255 if drawn else 0
        if form == _DISC:
            (x, y), (radius, _) = points
            left, top = at(x, y)
            reach = radius * half
            pen.ellipse((left - reach, top - reach, left + reach, top + reach), fill=shade)
        else:
            pen.polygon([at(x, y) for x, y in points], fill=shade)
    mask = np.asarray(image.reduce(FINER), dtype=np.uint8)
    mask.flags.writeable = False
    return mask
