"""Solves `symbolic` from the pixels: each kind of count by plain means, with what the picture itself tells about scale.

The question says what to count. Corners are read off the traced outline, crossings where two colours touch, nested
shapes and regions as pieces of paper between the strokes, segments by their free ends, circles by voting for centres
and checking the rim (see `circles`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.solvers import GaveUp, Pixels
from beholder.synth.solvers.circles import find_circles
from beholder.synth.solvers.strokes import (
    SOLID,
    coloured,
    coverage,
    disc,
    grown,
    inside_of,
    pieces,
    stroke_width,
)

OPTION = re.compile(r"^([A-J])\. (\d{1,4})$", re.MULTILINE)
COLOURS = re.compile(r"the ([a-z]{1,12}) line and the ([a-z]{1,12}) line")
SMALLEST = 10
"""Pixels of a piece of paper that counts: fewer are gaps in a joint."""
CLOSEST = 11.0
"""Pixels between two corners that are not one."""
FLATTEST = 2.7
"""Pixels by which a corner stands out from the line between its neighbours, at least."""


def solve(pictures: Sequence[Pixels], prompt: str) -> str:
    """The letter of the option nearest to what is counted. `GaveUp` without options, a known question or a figure."""
    options = [(letter, int(number)) for letter, number in OPTION.findall(prompt)]
    if not options or not pictures:
        raise GaveUp("the question offers no numbers, or there is no picture")
    counted = count(pictures[0], prompt)
    # The smaller number wins a tie: a thing is overlooked more easily than seen where there is none.
    return str(min(options, key=lambda option: (abs(option[1] - counted), option[1]))[0])


def count(picture: Pixels, prompt: str) -> int:
    """What the question asks to count."""
    colours = COLOURS.search(prompt)
    if colours is not None:
        return count_crossings(picture, (colours[1], colours[2]))
    if "corners" in prompt:
        return count_corners(picture)
    if "segments" in prompt:
        return count_segments(picture)
    if "nested" in prompt or "regions" in prompt:
        # The paper around the figure is a piece too; each nested outline makes one more.
        return len(pieces(coverage(picture) <= SOLID, SMALLEST)) - 1
    if "circles" in prompt:
        return len(find_circles(coverage(picture)))
    raise GaveUp("no such question is known")


def count_crossings(picture: Pixels, colours: tuple[str, str]) -> int:
    """Places where strokes of both colours are within a stroke's width of each other."""
    one, other = coloured(picture, colours)
    # Far enough to join the two ends of the lower stroke over the upper one.
    reach = stroke_width(coverage(picture)) / 2 + 1.4
    return len(pieces(grown(one, reach) & grown(other, reach), 3, diagonal=True))


def count_segments(picture: Pixels) -> int:
    """Half the number of free ends: there, a small disc holds half as much ink as further along."""
    inked = coverage(picture)
    inked[inked < SOLID / 2] = 0
    width = stroke_width(inked)
    radius = min(9.0, 2.5 * width + 2)
    around = cv2.filter2D(inked, -1, disc(radius), borderType=cv2.BORDER_CONSTANT)
    ends = (inked > SOLID) & (around < 0.72 * 2 * radius * width)
    return round(len(pieces(ends, 2, diagonal=True)) / 2)


def count_corners(picture: Pixels) -> int:
    """Corners of the outline, traced and straightened."""
    inside = inside_of(coverage(picture) > SOLID).astype(np.uint8)
    outlines, _ = cv2.findContours(inside, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not outlines:
        raise GaveUp("the picture shows no polygon")
    traced = max(outlines, key=cv2.contourArea)
    corners = cv2.approxPolyDP(traced, picture.shape[0] / 270, True)[:, 0].astype(np.float64)
    return len(_clear_corners(_merged(corners)))


def _merged(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """The corners with those that lie close together made one, the closest first: a thick stroke has round joints."""
    while len(corners) > 3:
        sides = np.hypot(*(np.roll(corners, -1, axis=0) - corners).T)
        shortest = int(np.argmin(sides))
        if sides[shortest] >= CLOSEST:
            break
        following = (shortest + 1) % len(corners)
        corners[shortest] = (corners[shortest] + corners[following]) / 2
        corners = np.delete(corners, following, axis=0)
    return corners


def _clear_corners(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """The corners without those that hardly stand out from the line between their neighbours, the flattest first."""
    while len(corners) > 3:
        before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
        (x, y), (u, v) = (after - before).T, (corners - before).T
        heights = np.abs(x * v - y * u) / np.maximum(np.hypot(x, y), 1)
        flattest = int(np.argmin(heights))
        if heights[flattest] >= FLATTEST:
            break
        corners = np.delete(corners, flattest, axis=0)
    return corners
