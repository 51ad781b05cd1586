"""Ink that is paler than full, as it looks on its paper."""

from __future__ import annotations

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""


def mixed(ink: Colour, paper: Colour, share: int) -> Colour:
    """`share` per cent of the ink, the rest paper; in whole numbers."""
    red, green, blue = ((i * share + p * (100 - share)) // 100 for i, p in zip(ink, paper, strict=True))
    return red, green, blue
