"""Numbers drawn from a built-in 5 × 7 dot font: the same pixels on every machine, whatever fonts it has."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

_DOTS = {
    "0": (0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110),
    "1": (0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110),
    "2": (0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111),
    "3": (0b01110, 0b10001, 0b00001, 0b00110, 0b00001, 0b10001, 0b01110),
    "4": (0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010),
    "5": (0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110),
    "6": (0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110),
    "7": (0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000),
    "8": (0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110),
    "9": (0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100),
}
_SCALE = 2
_PAD = 2


@cache
def number_mask(number: int) -> NDArray[np.bool_]:
    """Where the dots of a number are: (height, width), with a margin. A digit is 10 × 14 pixels."""
    columns: list[NDArray[np.bool_]] = []
    for place, digit in enumerate(str(number)):
        rows = [[bool(line >> (4 - column) & 1) for column in range(5)] for line in _DOTS[digit]]
        if place:
            columns.append(np.zeros((7, 1), dtype=np.bool_))
        columns.append(np.array(rows, dtype=np.bool_))
    dots = np.concatenate(columns, axis=1)
    scaled = dots.repeat(_SCALE, axis=0).repeat(_SCALE, axis=1)
    return np.pad(scaled, _PAD)


def draw_number(pixels: NDArray[np.uint8], number: int) -> None:
    """Writes the number in white on black into the upper left corner of `pixels` (height, width, 3), in place."""
    mask = number_mask(number)
    corner = pixels[: mask.shape[0], : mask.shape[1]]
    corner[:] = 0
    corner[mask[: corner.shape[0], : corner.shape[1]]] = 255
