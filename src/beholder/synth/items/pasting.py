"""Laying shapes and cut-outs over a picture: how large, where, and how they look on it."""

from __future__ import annotations

import math
import random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_TRIES = 24
_CELL = 4
"""Pixels a side of the cells in which room is looked for."""
_INSIDE, _OVER = 40, 24
"""Places tried at each size: inside the picture, then up to a third over its edge."""
_SMALLEST = 1.5
"""Per cent of the picture under which nothing is laid down."""


class Sprite(NamedTuple):
    """Something to be pasted: its mask (mode L), a point well inside it, and its mask without holes if it has any."""

    mask: Image.Image
    anchor: tuple[float, float]
    unpierced: Image.Image | None = None


class Pasted(NamedTuple):
    """Where a sprite came to lie: its cover of each pixel (0 to 255) and its box."""

    cover: NDArray[np.uint8]
    box: tuple[int, int, int, int]

    @property
    def pixels(self) -> int:
        return int(np.count_nonzero(self.cover >= 128))


def fit(sprite: Sprite, shape: tuple[int, ...], share: float, rng: random.Random) -> Pasted:
    """The sprite scaled and laid down so that it covers `share` per cent of the picture, as nearly as it can be."""
    height, width = shape[0], shape[1]
    wanted = share / 100 * height * width
    inside = int(np.count_nonzero(np.asarray(sprite.mask) >= 128))
    scale = math.sqrt(wanted / inside)
    # Rather near the edges than in the middle: that leaves the most room in one piece for what else there is.
    across, down = ((1 - math.cos(math.pi * rng.random())) / 2 for _ in range(2))
    best = _lay(sprite, scale, (across, down), (width, height))
    for _ in range(_TRIES):
        if abs(best.pixels - wanted) <= 0.002 * height * width:
            break
        scale *= min(2.0, max(0.5, math.sqrt(wanted / max(1, best.pixels))))
        best = _lay(sprite, scale, (across, down), (width, height))
    return best


def _lay(sprite: Sprite, scale: float, where: tuple[float, float], size: tuple[int, int]) -> Pasted:
    """The sprite at that scale: wholly inside the picture where there is room, else its anchor about the middle."""
    spans = []
    for side, place, length, anchor in zip(size, where, sprite.mask.size, sprite.anchor, strict=True):
        long = max(1, round(length * scale))
        room = side - long - 4
        start = 2 + round(place * room) if room >= 0 else round(side * (0.4 + 0.2 * place) - anchor * scale)
        spans.append((start, start + long))
    (left, right), (top, bottom) = spans
    cover = Image.new("L", size)
    paste(cover, sprite.mask, (left, top, right, bottom))
    return Pasted(np.asarray(cover), (left, top, right, bottom))


class Room:
    """What of a picture is still free, in cells of a few pixels: whole numbers, so no rounding decides a place."""

    def __init__(self, size: tuple[int, int]) -> None:
        self._size = size
        self._taken: NDArray[np.bool_] = _cells(np.zeros((size[1], size[0]), dtype=np.bool_))

    def take(self, sprite: Sprite, box: tuple[int, int, int, int]) -> None:
        """Nothing will be laid over the sprite, into its holes or nearer than a cell to it."""
        cover = Image.new("L", self._size)
        paste(cover, sprite.unpierced or sprite.mask, box)
        wide: NDArray[np.bool_] = np.pad(_cells(np.asarray(cover) > 0), 1)
        for down in range(3):
            for across in range(3):
                near = wide[down : down + self._taken.shape[0], across : across + self._taken.shape[1]]
                np.logical_or(self._taken, near, out=self._taken)

    def find(self, sprite: Sprite, share: float, rng: random.Random, *, over: bool) -> Pasted | None:
        """The sprite where there is room, with about `share` per cent of the picture or the most that was found.

        None if there is room for next to nothing. It may run over the edge of the picture if `over`.
        """
        solid = (sprite.unpierced or sprite.mask).reduce(_CELL)
        # Hardly any shape fills more than this of what is free.
        share = min(share, 60 * float(1 - self._taken.mean()))
        inside = int(np.count_nonzero(np.asarray(sprite.mask) >= 128))
        while share >= _SMALLEST:
            scale = math.sqrt(share / 100 * self._size[0] * self._size[1] / inside)
            wide, high = max(1, round(solid.width * scale)), max(1, round(solid.height * scale))
            wanted = np.asarray(solid.resize((wide, high), Image.Resampling.BOX)) > 0
            corner = self._corner(wanted, rng, over=over)
            if corner is not None:
                left, top = corner[0] * _CELL, corner[1] * _CELL
                box = (left, top, left + wide * _CELL, top + high * _CELL)
                cover = Image.new("L", self._size)
                paste(cover, sprite.mask, box)
                self.take(sprite, box)
                return Pasted(np.asarray(cover), box)
            share *= 0.88
        return None

    def _corner(self, wanted: NDArray[np.bool_], rng: random.Random, *, over: bool) -> tuple[int, int] | None:
        """The left and top of a free place for these cells."""
        (high, wide), (rows, columns) = wanted.shape, self._taken.shape
        for turn in range(_INSIDE + _OVER * over):
            out_down, out_across = (high // 3, wide // 3) if turn >= _INSIDE else (0, 0)
            down, across = rows - high + 2 * out_down + 1, columns - wide + 2 * out_across + 1
            if down < 1 or across < 1:
                continue
            top, left = int(rng.random() * down) - out_down, int(rng.random() * across) - out_across
            there: NDArray[np.bool_] = self._taken[max(0, top) : top + high, max(0, left) : left + wide]
            seen = wanted[max(0, -top) :, max(0, -left) :][: there.shape[0], : there.shape[1]]
            if not (there & seen).any():
                return left, top
        return None


def _cells(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which cells hold a pixel of the mask."""
    height, width = (-(-side // _CELL) for side in mask.shape)
    whole = np.zeros((height * _CELL, width * _CELL), dtype=np.bool_)
    whole[: mask.shape[0], : mask.shape[1]] = mask
    return np.asarray(whole.reshape(height, _CELL, width, _CELL).any(axis=(1, 3)), dtype=np.bool_)


def paste(onto: Image.Image, image: Image.Image, box: tuple[int, int, int, int]) -> None:
    """Pastes the image scaled to the box; only what lies inside is ever scaled."""
    left, top, right, bottom = max(box[0], 0), max(box[1], 0), min(box[2], onto.width), min(box[3], onto.height)
    if left >= right or top >= bottom:
        return
    x, y = image.width / (box[2] - box[0]), image.height / (box[3] - box[1])
    part = ((left - box[0]) * x, (top - box[1]) * y, (right - box[0]) * x, (bottom - box[1]) * y)
    onto.paste(image.resize((right - left, bottom - top), Image.Resampling.BILINEAR, box=part), (left, top))


def visible(cover: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    """Top, bottom, left and right of what is covered."""
    rows, columns = np.flatnonzero(cover.any(axis=1)), np.flatnonzero(cover.any(axis=0))
    return int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1


def blend(below: NDArray[np.uint8], above: NDArray[np.uint8], cover: NDArray[np.uint8], through: float) -> None:
    """Lays `above` over `below`, in place, where it covers (0 to 255); a part `through` of `below` shines through."""
    opaque = [level * round(1000 * (1 - through)) // 1000 for level in range(256)]
    onto = Image.fromarray(below)
    onto.paste(Image.fromarray(above), mask=Image.fromarray(cover).point(opaque))
    below[:] = np.asarray(onto)


def edge(mask: NDArray[np.bool_], width: int) -> NDArray[np.bool_]:
    """The pixels of the mask that lie within `width` of its border; the border of the picture is none."""
    inner = mask.copy()
    for _ in range(width):
        padded = np.pad(inner, 1, mode="edge")
        inner = inner & padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]
    return mask & ~inner
