"""Reads round faces: the face's outline is an ellipse, and its marks tell from where it is seen.

The face is a circle seen from an angle. Its outline gives the picture of the circle up to a motion of the circle onto
itself, which has three degrees of freedom: a turn, and where the circle's middle seems to be. These are fitted to the
marks, which stand at equal angles. After that, angles about the true middle can be read off the picture.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.solvers import GaveUp, Pixels
from beholder.synth.solvers.instrument_marks import (
    CUTS,
    FEWEST_MARKS,
    calm_regions,
    contrast,
    outline,
    peaks,
    without_doubles,
)

Floats = NDArray[np.float64]

FINE = 2880
"""Angles around a face."""
RING = (0.905, 0.94)
"""Where all marks are, in shares of the face's radius."""
NEEDLE = (0.28, 0.56)
HOUR_BAND = (0.24, 0.42)
MINUTE_BAND = (0.5, 0.64)
OFF = 0.25
"""How far from its place a mark may be, in steps between marks."""


class Dial(NamedTuple):
    """A face with numbered marks: `matrix` takes (x, y, 1) of the unit disc to the picture, the first mark stands at
    the angle `first` (radians clockwise from the disc's top), `count` steps between marks are `step` each."""

    matrix: Floats
    first: float
    step: float
    steps: int


def find_face(picture: Pixels, *, straighten: bool) -> Floats:
    """(3, 3): the unit disc to the face's ellipse, without a turn; to a circle if it is not to be straightened."""
    best, best_area = None, 0.0
    for region in calm_regions(picture, (0.5, 0.42, 0.58, 0.36, 0.64), (0.5, 0.42, 0.6, 0.36, 0.68)):
        points = outline(region)
        if len(points) < 60:
            continue
        ellipse = cv2.fitEllipse(points)
        area = math.pi * ellipse[1][0] * ellipse[1][1] / 4
        filled = float(cv2.contourArea(points))
        if area > best_area and abs(filled / area - 1) < 0.03 and min(ellipse[1]) > 0.6 * max(ellipse[1]):
            best, best_area = ellipse, area
    if best is None:
        raise GaveUp("no round face in the picture")
    (x, y), (one, other), turn = best
    if not straighten:
        one = other = (one + other) / 2
    radians = math.radians(turn)
    turned = np.array([[math.cos(radians), -math.sin(radians)], [math.sin(radians), math.cos(radians)]])
    matrix = np.eye(3)
    matrix[:2, :2] = turned @ np.diag([one / 2, other / 2]) @ turned.T
    matrix[:2, 2] = x, y
    return matrix


def unrolled(picture: Pixels, matrix: Floats, band: tuple[float, float], rows: int) -> NDArray[np.uint8]:
    """The face's colours at `FINE` angles (columns) clockwise from the top, at radii in the band, (rows, FINE, 3)."""
    angles = np.arange(FINE) * 2 * math.pi / FINE
    radii = np.linspace(band[0], band[1], rows)[:, None]
    points = np.stack([radii * np.sin(angles), -radii * np.cos(angles), np.ones((rows, FINE))])
    x, y, depth = np.tensordot(matrix, points, axes=1)
    at = ((x / depth).astype(np.float32), (y / depth).astype(np.float32))
    colours = cv2.remap(picture, *at, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(colours, dtype=np.uint8)


def boost(x: float, y: float) -> Floats:
    """(3, 3): the motion of the unit disc onto itself, as a projective map, that shifts its middle towards (x, y)."""
    speed = x * x + y * y
    if speed < 1e-12:
        return np.eye(3)
    gamma = 1 / math.sqrt(1 - speed)
    toward = np.array([x, y])
    moved = np.eye(3)
    moved[:2, :2] += (gamma - 1) * np.outer(toward, toward) / speed
    moved[:2, 2] = moved[2, :2] = gamma * toward
    moved[2, 2] = gamma
    return moved


def find_dial(picture: Pixels, *, full: bool, straighten: bool) -> Dial:
    """The face and its marks. `full`: they go all the way round, so the gap between them tells nothing."""
    matrix = find_face(picture, straighten=straighten)
    ring = unrolled(picture, matrix, RING, 6).mean(axis=0)
    signal = contrast(ring, FINE // 45, around=True)
    best: tuple[float, Dial] | None = None
    for cut in CUTS:
        angles = peaks(signal, cut, FINE // 15, around=True) * 2 * math.pi / FINE
        fitted = _fit(np.sort(angles % (2 * math.pi)), full=full, straighten=straighten)
        if fitted is not None and (best is None or fitted[0] < best[0]):
            shift, (_, first, step, count) = fitted[0], fitted[1]
            best = (shift, Dial(matrix @ fitted[1].matrix, first, step, count))
            if shift < 0.08:
                break
    if best is None or (straighten and best[0] > OFF):
        raise GaveUp("no even marks around the face")
    return best[1]


def _fit(angles: Floats, *, full: bool, straighten: bool) -> tuple[float, Dial] | None:
    """Numbers the marks and fits the motion of the disc to them; with how far they are off at most, in steps."""
    if len(angles) < FEWEST_MARKS:
        return None
    gaps = np.diff(np.concatenate((angles, angles[:1] + 2 * math.pi)))
    angles = np.unwrap(np.roll(angles, -int(np.argmax(gaps)) - 1))
    angles = without_doubles(angles)
    if full:
        angles = np.append(angles, angles[0] + 2 * math.pi)
    gaps = np.diff(angles)
    numbers = np.concatenate(([0], np.cumsum(np.maximum(1, np.rint(gaps / float(np.median(gaps)))))))
    count = int(numbers[-1])
    step = float(angles[-1] - angles[0]) / count
    radius = sum(RING) / 2

    def expected(numbers: Floats, unknown: Floats) -> Floats:
        along = unknown[2] + numbers * (step if full else unknown[3])
        points = np.stack([radius * np.sin(along), -radius * np.cos(along), np.ones_like(along)])
        seen = boost(unknown[0], unknown[1]) @ points
        return np.asarray(np.arctan2(seen[0], -seen[1]))

    unknown = np.array([0.0, 0.0, angles[0]] if full else [0.0, 0.0, angles[0], step])
    if straighten:
        for _ in range(2):
            unknown = _least_squares(partial(expected, numbers), angles, unknown)
            if not np.isfinite(unknown).all() or math.hypot(unknown[0], unknown[1]) > 0.4:
                return None
            # A smear that was taken for a mark must not count in the second round.
            good = np.abs(_wrapped(angles - expected(numbers, unknown))) < OFF * step
            if good.all() or good.sum() < FEWEST_MARKS or good.mean() < 0.9:
                break
            angles, numbers = angles[good], numbers[good]
    step = step if full else float(unknown[3])
    off = float(np.abs(_wrapped(angles - expected(numbers, unknown))).max()) / step
    return off, Dial(boost(float(unknown[0]), float(unknown[1])), float(unknown[2]), step, count)


def _least_squares(expected: Callable[[Floats], Floats], seen: Floats, unknown: Floats) -> Floats:
    for _ in range(8):
        base = expected(unknown)
        slopes = np.stack(
            [_wrapped(expected(unknown + nudge) - base) / 1e-5 for nudge in np.eye(len(unknown)) * 1e-5],
            axis=1,
        )
        better, *_ = np.linalg.lstsq(slopes, _wrapped(seen - base), rcond=None)
        unknown = unknown + np.asarray(better)
        if math.hypot(unknown[0], unknown[1]) > 0.6:
            break
    return unknown


def _wrapped(angles: Floats) -> Floats:
    turned: Floats = (angles + math.pi) % (2 * math.pi) - math.pi
    return turned


def rays(picture: Pixels, dial: Dial, band: tuple[float, float]) -> Floats:
    """How much what stands at each angle differs from the face all along the band, (FINE,): high on a hand only."""
    colours = unrolled(picture, dial.matrix, band, 14)
    # Two hands side by side may cover a third of a quarter turn, but not half.
    reach = FINE // 8
    wide = np.concatenate((colours[:, -reach:], colours, colours[:, :reach]), axis=1)
    usual = np.median(
        np.lib.stride_tricks.sliding_window_view(wide, 2 * reach + 1, axis=1)[:, ::16, :, ::16], axis=-1
    ).repeat(16, axis=1)
    differing = np.abs(colours.astype(float) - usual).max(axis=2)
    least: Floats = np.percentile(differing, 25, axis=0)
    return least


def runs(signal: Floats, cut: float) -> list[tuple[float, float]]:
    """(Middle, width) in radians of each run of angles where the signal is over the cut."""
    over = signal > cut
    if over.all() or not over.any():
        return []
    shift = int(np.argmin(over))
    over, signal = np.roll(over, -shift), np.roll(signal, -shift)
    edges = np.diff(np.concatenate(([0], over.astype(np.int8), [0])))
    turn = 2 * math.pi / FINE
    found = []
    for start, end in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True):
        weights = signal[start:end]
        middle = float((np.arange(start, end) * weights).sum() / weights.sum()) + shift
        found.append((middle * turn, float(end - start) * turn))
    return found


def pointer_angle(picture: Pixels, dial: Dial) -> float:
    """The angle of a gauge's only pointer, in radians."""
    signal = rays(picture, dial, NEEDLE)
    if signal.max() < 8:
        raise GaveUp("no pointer on the face")
    strongest = int(np.argmax(signal)) * 2 * math.pi / FINE
    found = runs(signal, 0.5 * float(signal.max()))
    return min(found, key=lambda run: abs(float(_wrapped(np.array(run[0] - strongest)))))[0]


def turn_from_top(dial: Dial, long_every: int) -> float:
    """The angle of the mark that stands for the top: of every `long_every`-th, counted from one that is long, the
    nearest to the top."""
    return min(
        (dial.first + dial.step * number for number in range(0, dial.steps, long_every)),
        key=lambda angle: abs(float(_wrapped(np.array(angle)))),
    )


def with_long_mark_first(picture: Pixels, dial: Dial) -> tuple[Dial, int]:
    """The dial counted from a long mark, and how many steps there are between long marks."""
    inner = contrast(unrolled(picture, dial.matrix, (0.845, 0.862), 3).mean(axis=0), FINE // 30, around=True)
    at = np.rint((dial.first + dial.step * np.arange(dial.steps)) * FINE / (2 * math.pi)).astype(int)
    strength = np.max([inner[(at + off) % FINE] for off in range(-3, 4)], axis=0)
    best, best_every, best_score = 0, 1, -1.0
    for every in (2, 4, 5, 10):
        if dial.steps % every or dial.steps // every < 4:
            continue
        means = [float(strength[start::every].mean()) for start in range(every)]
        start = int(np.argmax(means))
        others = float(np.delete(strength.reshape(-1, every), start, axis=1).mean())
        score = (means[start] - others) * math.sqrt(dial.steps / every)
        if score > best_score:
            best, best_every, best_score = start, every, score
    return dial._replace(first=dial.first + best * dial.step), best_every


def read_clock(picture: Pixels, *, straighten: bool) -> int:
    """Minutes after 12."""
    dial = find_dial(picture, full=True, straighten=straighten)
    if dial.steps not in (12, 60):
        raise GaveUp(f"a clock with {dial.steps} marks")
    if dial.steps == 60:
        dial, every = with_long_mark_first(picture, dial)
        every = 5
    else:
        every = 1
    top = turn_from_top(dial, every)
    outer = rays(picture, dial, MINUTE_BAND)
    hands = runs(outer, 0.4 * float(outer.max()))
    if outer.max() < 8 or not hands:
        raise GaveUp("no hands on the face")
    minute_angle = max(hands, key=lambda run: run[1])[0]
    minute = round(float((minute_angle - top) % (2 * math.pi)) / (2 * math.pi) * 60) % 60
    inner = rays(picture, dial, HOUR_BAND)
    filled = (inner > 0.4 * float(np.percentile(inner, 99.5))).astype(float)
    half = round(3.2 / 360 * FINE)
    wide = np.concatenate((filled[-half:], filled, filled[:half]))
    share = np.convolve(wide, np.ones(2 * half + 1) / (2 * half + 1), mode="valid")

    def stands(hour: int) -> float:
        return top + (hour + minute / 60) * math.pi / 6

    def support(hour: int) -> float:
        return float(share[round(stands(hour) / (2 * math.pi) * FINE) % FINE])

    hidden = min(range(12), key=lambda hour: abs(float(_wrapped(np.array(stands(hour) - minute_angle)))))
    free = max((hour for hour in range(12) if hour != hidden), key=support)
    return (free if support(free) > 0.6 else hidden) * 60 + minute


def read_pointer(picture: Pixels, *, full: bool, straighten: bool) -> tuple[float, int]:
    """Where the pointer stands, as a share of the whole scale, and how many steps between marks the scale has."""
    dial = find_dial(picture, full=full, straighten=straighten)
    if full:
        dial, every = with_long_mark_first(picture, dial)
        first = turn_from_top(dial, every)
    else:
        first = dial.first
    angle = pointer_angle(picture, dial)
    whole = dial.step * dial.steps
    along = (angle - first) % (2 * math.pi)
    if not full and along > whole + dial.step:
        along -= 2 * math.pi
    return along / whole, dial.steps
