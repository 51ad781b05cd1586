"""Tone curves: how the photographs of two items are made to differ in light and contrast."""

from __future__ import annotations

from functools import lru_cache

Curve = tuple[float, float, float]
"""Gamma, contrast and brightness: at 1, 1 and 0 every tone stays as it is. Brightness is in grey levels of 255."""


@lru_cache(maxsize=64)
def tone_table(curve: Curve) -> tuple[int, ...]:
    """What each of the 256 tones becomes: first by gamma, then by contrast about the middle grey, then by brightness.

    >>> tone_table((1.0, 1.0, 10.0))[:3]
    (10, 11, 12)
    """
    gamma, contrast, brightness = curve
    levels = ((255 * (level / 255) ** gamma - 128) * contrast + 128 + brightness for level in range(256))
    return tuple(min(255, max(0, round(level))) for level in levels)
