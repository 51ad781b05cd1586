"""Reads instruments: what the scale runs from and to is in the question, everything else in the picture.

`solve` straightens the picture first (it works out from where the instrument is seen); `glance` takes it as seen from
the front.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from beholder.synth.solvers import GaveUp, Pixels
from beholder.synth.solvers.instrument_dials import read_clock, read_pointer
from beholder.synth.solvers.instrument_strips import read_ruler, read_thermometer

_NUMBER = r"(-?\d{1,6}(?:\.\d)?)"
_RUNS = re.compile(rf"scale runs from {_NUMBER} to {_NUMBER} ")
_TURN = re.compile(rf"a full turn clockwise is {_NUMBER} ")
_NUMBERED = re.compile(rf"numbered from 0 to {_NUMBER} (cm|inches)")
_SIDE = re.compile(r"Its (left|right) scale")
_OPTION = re.compile(r"^([A-J])\. (-?\d{1,6}(?:\.\d)?|\d{1,2}:\d\d)(?: |$)", re.MULTILINE)
_PARTS = {"millimetres": 10, "quarters of an inch": 4, "eighths of an inch": 8, "sixteenths of an inch": 16}
HALF_DAY = 720


class _Asked(NamedTuple):
    """What a question about a scale says: its ends, and whether readings halfway between marks are possible."""

    low: float
    high: float
    halves: bool

    def reading(self, share: float, count: int) -> float:
        """The possible reading nearest to a share of a scale with `count` steps between marks."""
        count = 2 * count if self.halves else count
        return self.low + (self.high - self.low) * round(share * count) / count


def solve(pictures: Sequence[Pixels], prompt: str) -> str:
    """The reading, or the letter of the nearest option. Raises `GaveUp` if the instrument cannot be made out."""
    return _solve(pictures, prompt, straighten=True)


def glance(pictures: Sequence[Pixels], prompt: str) -> str:
    """As `solve`, but the picture is taken as it is: seen from the front and upright."""
    return _solve(pictures, prompt, straighten=False)


def _solve(pictures: Sequence[Pixels], prompt: str, *, straighten: bool) -> str:
    picture = pictures[0]
    options = _OPTION.findall(prompt)
    if "shows a clock" in prompt:
        minutes = read_clock(picture, straighten=straighten)
        if options:
            return str(min(options, key=lambda option: _minutes_apart(_minutes(option[1]), minutes))[0])
        return f"{minutes // 60 or 12}{minutes % 60:02d}"
    reading = _scale_reading(picture, prompt, straighten=straighten)
    if options:
        return str(min(options, key=lambda option: abs(float(option[1]) - reading))[0])
    return f"{reading:.1f}" if "decimal" in prompt else str(round(reading))


def _scale_reading(picture: Pixels, prompt: str, *, straighten: bool) -> float:
    halves = "halfway" in prompt
    if turn := _TURN.search(prompt):
        asked = _Asked(0.0, float(turn[1]), halves)
        return asked.reading(*read_pointer(picture, full=True, straighten=straighten))
    if numbered := _NUMBERED.search(prompt):
        parts = next((parts for name, parts in _PARTS.items() if f"in {name}?" in prompt), None)
        if parts is None:
            raise GaveUp("the question asks for an unknown unit")
        asked = _Asked(0.0, float(numbered[1]) * parts, halves)
        return asked.reading(*read_ruler(picture, straighten=straighten))
    runs = _RUNS.search(prompt)
    if runs is None:
        raise GaveUp("the question does not say what the scale runs from and to")
    asked = _Asked(float(runs[1]), float(runs[2]), halves)
    if "thermometer. " in prompt and "The column" in prompt:
        side = _SIDE.search(prompt)
        return asked.reading(*read_thermometer(picture, side[1] if side else "", straighten=straighten))
    return asked.reading(*read_pointer(picture, full=False, straighten=straighten))


def _minutes(text: str) -> int:
    hour, _, minute = text.partition(":")
    return int(hour) % 12 * 60 + int(minute or 0)


def _minutes_apart(one: int, other: int) -> int:
    return min((one - other) % HALF_DAY, (other - one) % HALF_DAY)
