"""Shapes cut from coloured paper: what they are called, their outlines, and the paper."""

from __future__ import annotations

import math
import random
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (226, 24, 44),
    "orange": (255, 128, 0),
    "yellow": (255, 226, 0),
    "green": (0, 170, 60),
    "turquoise": (0, 205, 200),
    "blue": (20, 60, 220),
    "purple": (140, 30, 190),
    "pink": (255, 90, 180),
}
KINDS = ("disc", "square", "triangle", "hexagon", "star", "heart", "cross", "arrow")
PATTERNS = ("plain", "striped", "checked", "dotted")
ALIKE = frozenset({"disc", "square", "hexagon"})
"""Kinds that are hard to tell apart once their outlines are irregular."""


class Look(NamedTuple):
    """A shape by what can be named: kind, one or two colours, pattern."""

    kind: str
    colours: tuple[str, ...]
    pattern: str

    @property
    def name(self) -> str:
        pattern = "" if self.pattern == "plain" else f" {self.pattern}"
        return f"{' and '.join(self.colours)}{pattern} {self.kind}"


def _radius(kind: str, angle: float) -> float:
    """How far the outline of a kind is from its middle in a direction (radians; 0 is up)."""
    turn = angle % math.tau
    if kind == "disc":
        return 0.85
    if kind in ("square", "triangle", "hexagon"):
        corners = {"square": 4, "triangle": 3, "hexagon": 6}[kind]
        wedge = math.tau / corners
        turn += wedge / 2 if kind == "square" else 0
        return math.cos(wedge / 2) / math.cos(turn % wedge - wedge / 2)
    if kind == "star":
        # From a point at 1 straight to a notch at 0.48.
        part = abs((turn + math.pi / 5) % (math.tau / 5) - math.pi / 5)
        return 0.48 * math.sin(math.pi / 5) / (0.48 * math.sin(math.pi / 5 - part) + math.sin(part))
    if kind == "cross":
        side = turn % (math.pi / 2)
        near = min(side, math.pi / 2 - side)
        return 1 / math.cos(near) if near < math.atan(0.32) else 0.32 / math.sin(near)
    raise ValueError(f"{kind} is drawn by its corners")


_HEART = [
    (16 * math.sin(t) ** 3, -13 * math.cos(t) + 5 * math.cos(2 * t) + 2 * math.cos(3 * t) + math.cos(4 * t))
    for t in (math.tau * step / 120 for step in range(120))
]
_ARROW = [(0, -1), (0.8, -0.05), (0.34, -0.05), (0.34, 0.95), (-0.34, 0.95), (-0.34, -0.05), (-0.8, -0.05)]


@lru_cache(maxsize=len(KINDS))
def outline(kind: str) -> tuple[tuple[float, float], ...]:
    """The outline of a kind as many points around (0, 0), none farther than about 1."""
    if kind == "heart":
        return tuple((x / 17, (y + 2) / 17) for x, y in _HEART)
    if kind == "arrow":
        ends = zip(_ARROW, _ARROW[1:] + _ARROW[:1], strict=True)
        return tuple((a[0] + (b[0] - a[0]) * t / 12, a[1] + (b[1] - a[1]) * t / 12) for a, b in ends for t in range(12))
    around = (math.tau * step / 120 for step in range(120))
    return tuple((math.sin(angle) * _radius(kind, angle), -math.cos(angle) * _radius(kind, angle)) for angle in around)


def paper(look: Look, size: tuple[int, int], rng: random.Random) -> NDArray[np.uint8]:
    """Paper in the colours and the pattern of a look, (height, width, 3)."""
    x, y = np.arange(size[0])[None, :], np.arange(size[1])[:, None]
    wide = rng.randint(9, 16)
    across, down = rng.choice(((1, 0), (0, 1), (1, 1), (1, -1)))
    if look.pattern == "striped":
        second = (across * x + down * y) // wide % 2
    elif look.pattern == "checked":
        second = (x // wide + y // wide) % 2
    elif look.pattern == "dotted":
        right, low = x % (2 * wide) - wide, y % (2 * wide) - wide
        second = (2 * (right**2 + low**2) < wide**2).astype(int)
    else:
        second = np.zeros((1, 1), dtype=int)
    colours = np.array([COLOURS[name] for name in look.colours], dtype=np.uint8)
    sheet: NDArray[np.uint8] = colours.take(np.broadcast_to(second, (size[1], size[0])), axis=0)
    return sheet
