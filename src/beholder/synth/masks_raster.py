"""Masks as COCO stores them: run lengths, plain or packed into text, and polygons.

Run lengths go down the columns, from the left, and begin with pixels outside the object. Packed, each number is
written in groups of five bits, lowest first, a character (48 + group) each, with the sixth bit set where another group
follows; from the third number on it is the difference from the last but one that is stored. (The format of the COCO
API's `rleToString`.) Every function raises `ValueError` with a plain reason for what is no such mask.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

Mask = NDArray[np.bool_]
"""(height, width), True where the object is."""

LONGEST_NUMBER = 7
"""Characters of one packed number: 34 bits, beyond any picture that is read."""
MOST_POINTS = 100_000
"""Corners of all polygons of one object."""
_FINEST = 4
_MOST_FINE_PIXELS = 40_000_000


def unpack_counts(packed: str) -> list[int]:
    """The run lengths that the text holds.

    >>> unpack_counts("52203")
    [5, 2, 2, 2, 5]
    """
    counts: list[int] = []
    number = length = 0
    for char in packed:
        group = ord(char) - 48
        if not 0 <= group < 64:
            raise ValueError(f"the run lengths hold the character {char!a}")
        number |= (group & 31) << 5 * length
        length += 1
        if length > LONGEST_NUMBER:
            raise ValueError("the run lengths hold a number that is too long")
        if group & 32:
            continue
        if group & 16:
            number -= 1 << 5 * length
        counts.append(number + counts[-2] if len(counts) > 2 else number)
        number = length = 0
    if length:
        raise ValueError("the run lengths are cut short")
    return counts


def checked_counts(counts: Sequence[int], height: int, width: int) -> NDArray[np.int64]:
    """The run lengths as an array, if they fill the picture and no more."""
    if any(not 0 <= count <= height * width for count in counts):
        raise ValueError("a run length is negative or longer than the picture")
    runs = np.array(counts, dtype=np.int64)
    if int(runs.sum()) != height * width:
        raise ValueError(f"the run lengths cover {int(runs.sum()):,} pixels, the picture has {height * width:,}")
    return runs


def mask_of_counts(counts: Sequence[int], height: int, width: int) -> Mask:
    """The mask that run lengths describe."""
    runs = checked_counts(counts, height, width)
    inside = np.arange(len(runs)) % 2 == 1
    return np.repeat(inside, runs).reshape(width, height).T


def largest_piece(mask: Mask) -> Mask:
    """The largest connected piece of a mask, in its shape; of equally large ones the uppermost.

    Pixels that meet at a corner are connected. A mask without a pixel is returned as it is.
    """
    height, width = mask.shape
    padded = np.zeros((height, width + 2), dtype=np.int8)
    padded[:, 1:-1] = mask
    steps = np.diff(padded.ravel(), prepend=np.int8(0))
    first, after = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    if not len(first):
        return mask
    owner = np.array(_owners((first // (width + 2)).tolist(), first.tolist(), after.tolist(), width + 2))
    kept = owner == np.bincount(owner, weights=after - first).argmax()
    steps[first[~kept]] = steps[after[~kept]] = 0
    piece: Mask = steps.cumsum(dtype=np.int8).reshape(height, width + 2)[:, 1:-1] > 0
    return piece


def _owners(rows: list[int], first: list[int], after: list[int], stride: int) -> list[int]:
    """For each run of pixels, in reading order, the first run that it is connected with."""
    owner = list(range(len(rows)))

    def of(run: int) -> int:
        while owner[run] != run:
            owner[run] = owner[owner[run]]
            run = owner[run]
        return run

    above = here = 0
    while here < len(rows):
        apart = rows[here] - rows[above]
        if apart != 1:
            above, here = (above + 1, here) if apart > 1 else (above, here + 1)
            continue
        if first[above] + stride <= after[here] and first[here] <= after[above] + stride:
            low, high = sorted((of(above), of(here)))
            owner[high] = low
        if after[above] + stride <= after[here]:
            above += 1
        else:
            here += 1
    return [of(run) for run in range(len(rows))]


def mask_of_polygons(polygons: Sequence[Sequence[float]], height: int, width: int) -> Mask:
    """The pixels of which at least half lies in any of the polygons.

    A polygon is a list x, y, x, y, … of at least three corners in pixels from the upper left corner of the picture.
    """
    corners = [_corners(polygon, height, width) for polygon in polygons]
    if sum(len(points) for points in corners) > MOST_POINTS:
        raise ValueError(f"the polygons have more than {MOST_POINTS:,} corners")
    mask = np.zeros((height, width), dtype=np.bool_)
    if not corners:
        return mask
    every = np.concatenate(corners)
    left, top = (int(low) for low in np.floor(every.min(axis=0)))
    right, bottom = (int(high) + 1 for high in np.floor(every.max(axis=0)))
    finest = _FINEST
    while finest > 1 and (right - left) * (bottom - top) * finest**2 > _MOST_FINE_PIXELS:
        finest -= 1
    fine = Image.new("L", ((right - left) * finest, (bottom - top) * finest))
    draw = ImageDraw.Draw(fine)
    for points in corners:
        # Pillow counts from the middle of its pixels.
        shifted = (points - (left, top)) * finest - 0.5
        draw.polygon([(float(x), float(y)) for x, y in shifted], fill=255)
    inside = np.asarray(fine.reduce(finest)) >= 128
    x0, y0, x1, y1 = max(left, 0), max(top, 0), min(right, width), min(bottom, height)
    mask[y0:y1, x0:x1] = inside[y0 - top : y1 - top, x0 - left : x1 - left]
    return mask


def area_of_polygons(polygons: Sequence[Sequence[float]]) -> float:
    """The sum of the polygons' areas in pixels (where they overlap it counts twice)."""
    total = 0.0
    for polygon in polygons:
        x, y = np.array(polygon[0::2], dtype=float), np.array(polygon[1::2], dtype=float)
        total += abs(float(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))) / 2
    return total


def _corners(polygon: Sequence[float], height: int, width: int) -> NDArray[np.float64]:
    if len(polygon) < 6 or len(polygon) % 2:
        raise ValueError(f"a polygon needs at least three corners, x and y each, and has {len(polygon)} numbers")
    points = np.array(polygon, dtype=np.float64).reshape(-1, 2)
    if not np.isfinite(points).all():
        raise ValueError("a polygon has a corner that is no number")
    # A corner outside the picture is drawn just outside it: Pillow must not be sent far away.
    return np.clip(points, (-1.0, -1.0), (width + 1.0, height + 1.0))
