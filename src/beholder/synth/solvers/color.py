"""Colour: each pixel gets the nearest of twelve named colours, and pixels, colours or patches are counted.

Shares and the main colour follow from counts of pixels. Different colours are found in the picture itself, whatever
their names: the most frequent colour takes in what lies close to it, then the most frequent of the rest, and so on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.solvers import GaveUp, Pixels

NAMED = {
    "red": (210, 40, 40),
    "orange": (250, 140, 20),
    "yellow": (250, 220, 50),
    "green": (45, 150, 60),
    "turquoise": (60, 195, 190),
    "blue": (35, 80, 200),
    "purple": (120, 50, 160),
    "pink": (245, 140, 185),
    "brown": (115, 70, 30),
    "grey": (140, 140, 140),
    "black": (25, 25, 30),
    "white": (245, 245, 240),
}
CLOSE = 14
"""Distance in RGB, in grey levels, within which two colours are one shade."""
SMALLEST = 12
"""Pixels of the smallest colour or patch that counts."""

_OPTION = re.compile(r"^([A-J])\. (.{1,40})$", re.MULTILINE)


def solve(pictures: Sequence[Pixels], prompt: str) -> str:
    """The letter of the option that fits the picture best."""
    options: dict[str, str] = {letter: text.strip() for letter, text in _OPTION.findall(prompt)}
    question = prompt.partition("\n")[0]
    if not options:
        raise GaveUp("the question has no options")
    picture = pictures[0]
    if "how many different colours" in question.lower():
        return _nearest(count_colours(picture), options)
    if "largest share" in question:
        return max(sorted(options), key=lambda letter: share(picture, options[letter]))
    asked = next((word for word in re.findall(r"[a-z]+", question) if word in NAMED), None)
    if asked is None:
        raise GaveUp("the question names no colour")
    if "patches" in question:
        return _nearest(count_patches(picture, asked), options)
    return _nearest(100 * share(picture, asked), options)


def share(picture: Pixels, colour: str) -> float:
    """The share of the pixels, 0 to 1, to which the named colour is nearest."""
    return float(_of(picture, colour).mean())


def count_patches(picture: Pixels, colour: str) -> int:
    """How many connected patches there are of the named colour."""
    mask = _of(cv2.medianBlur(picture, 3).astype(np.uint8), colour)
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    return int((stats[1:, cv2.CC_STAT_AREA] >= SMALLEST).sum())


def count_colours(picture: Pixels) -> int:
    """How many different shades there are."""
    packed = picture.astype(np.int64) @ np.array([65536, 256, 1])
    values, counts = np.unique(packed, return_counts=True)
    shades = np.stack([values >> 16, values >> 8 & 255, values & 255], axis=1)
    found = 0
    while len(shades):
        close = ((shades - shades[counts.argmax()]) ** 2).sum(axis=1) <= CLOSE**2
        if counts[close].sum() < SMALLEST:
            break
        found += 1
        shades, counts = shades[~close], counts[~close]
    return found


def _of(picture: Pixels, colour: str) -> NDArray[np.bool_]:
    """Where the named colour is nearer than the other eleven."""
    if colour not in NAMED:
        raise GaveUp(f"no such colour: {colour}")
    # |pixel - colour|² less what is the same for all colours, in whole numbers.
    references = np.array(list(NAMED.values()), dtype=np.float32)
    nearness = picture.reshape(-1, 3).astype(np.float32) @ references.T - (references**2).sum(axis=1) / 2
    nearest = nearness.argmax(axis=1).reshape(picture.shape[:2])
    found: NDArray[np.bool_] = nearest == list(NAMED).index(colour)
    return found


def _nearest(value: float, options: dict[str, str]) -> str:
    numbers = {letter: float(text.rstrip("%")) for letter, text in options.items() if text.rstrip("%").isdigit()}
    if not numbers:
        raise GaveUp("the options are no numbers")
    return min(numbers, key=lambda letter: abs(numbers[letter] - value))
