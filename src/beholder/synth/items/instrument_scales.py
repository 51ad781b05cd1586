"""What the instruments measure: ranges and units, and how finely a level divides them.

Values are whole numbers of tenths of the unit, so that no rounding decides an answer.
"""

from __future__ import annotations

import random

import msgspec


class Range(msgspec.Struct, frozen=True):
    """A printed scale from `low` to `high` in steps of `major` between the numbered marks; tenths of `unit`."""

    what: str
    unit: str
    low: int
    high: int
    major: int


class Scale(msgspec.Struct, frozen=True):
    """A range whose numbered steps are cut into `divisions`. Readings are `step` apart: a mark's distance, or half of
    it (`halves`). Tenths of the unit."""

    range: Range
    divisions: int
    halves: bool

    @property
    def mark(self) -> int:
        """Tenths of the unit between neighbouring marks."""
        return self.range.major // self.divisions

    @property
    def step(self) -> int:
        return self.mark // 2 if self.halves else self.mark

    @property
    def marks(self) -> int:
        """How many steps between marks the scale has."""
        return (self.range.high - self.range.low) // self.mark

    @property
    def majors(self) -> int:
        return (self.range.high - self.range.low) // self.range.major

    @property
    def readings(self) -> int:
        """How many steps between readings the scale has."""
        return (self.range.high - self.range.low) // self.step

    @property
    def decimals(self) -> bool:
        """Whether readings are written with one decimal place."""
        return self.step % 10 != 0 or self.range.low % 10 != 0

    def share(self, value: int) -> float:
        """Where a value is on the scale, from 0 to 1."""
        return (value - self.range.low) / (self.range.high - self.range.low)

    def text(self, value: int) -> str:
        """A reading as it is asked for: a whole number, or with one decimal place."""
        return written(value) if self.decimals else str(value // 10)


def written(tenths: int) -> str:
    """Tenths with one decimal place.

    >>> written(-5), written(120)
    ('-0.5', '12.0')
    """
    sign = "-" if tenths < 0 else ""
    return f"{sign}{abs(tenths) // 10}.{abs(tenths) % 10}"


def label(tenths: int) -> str:
    """Tenths as a dial prints them: a decimal only where it is needed."""
    return str(tenths // 10) if tenths % 10 == 0 else written(tenths)


GAUGES = (
    Range("pressure gauge", "kPa", 0, 1600, 200),
    Range("pressure gauge", "kPa", 0, 1000, 100),
    Range("pressure gauge", "bar", 0, 100, 10),
    Range("pressure gauge", "bar", 0, 160, 20),
    Range("pressure gauge", "psi", 0, 1000, 100),
    Range("pressure gauge", "psi", 0, 3000, 500),
    Range("pressure gauge", "MPa", 0, 400, 50),
    Range("speedometer", "km/h", 0, 2000, 200),
    Range("speedometer", "mph", 0, 1200, 100),
    Range("voltmeter", "V", 0, 3000, 500),
    Range("voltmeter", "V", 0, 150, 10),
    Range("ammeter", "A", 0, 300, 50),
    Range("ammeter", "A", 0, 600, 100),
    Range("humidity gauge", "%", 0, 1000, 100),
    Range("dial thermometer", "°C", -300, 500, 100),
    Range("dial thermometer", "°C", 0, 1200, 200),
    Range("flow meter", "L/min", 0, 600, 100),
)
SCALES = (
    Range("kitchen scale", "g", 0, 10000, 1000),
    Range("kitchen scale", "g", 0, 5000, 500),
    Range("kitchen scale", "g", 0, 20000, 2000),
    Range("kitchen scale", "g", 0, 50000, 5000),
    Range("kitchen scale", "kg", 0, 100, 10),
    Range("kitchen scale", "kg", 0, 120, 10),
    Range("kitchen scale", "lb", 0, 200, 20),
    Range("kitchen scale", "oz", 0, 160, 10),
    Range("letter scale", "g", 0, 2500, 250),
    Range("letter scale", "g", 0, 1000, 100),
)
THERMOMETERS = (
    Range("thermometer", "°C", -200, 500, 100),
    Range("thermometer", "°C", -300, 500, 100),
    Range("thermometer", "°C", 0, 1000, 100),
    Range("thermometer", "°C", -100, 400, 100),
    Range("thermometer", "°C", 340, 420, 10),
    Range("thermometer", "°C", 0, 600, 100),
    Range("thermometer", "°F", 0, 1200, 200),
    Range("thermometer", "°F", -200, 1200, 200),
    Range("thermometer", "°F", 200, 1200, 100),
    Range("thermometer", "°F", 0, 1000, 100),
)
DIVISIONS = {1: (2,), 2: (2, 4, 5), 3: (5, 10), 4: (4, 5), 5: (10,)}
HALVES = {1: False, 2: False, 3: False, 4: True, 5: True}
MOST_MARKS = {
    "gauge": {1: 40, 2: 50, 3: 80, 4: 60, 5: 110},
    "scale": {1: 40, 2: 50, 3: 80, 4: 60, 5: 110},
    "thermometer": {1: 30, 2: 40, 3: 60, 4: 50, 5: 90},
}
FEWEST_MARKS = 10


CONVERTED_STEPS = 5
"""Marks to a numbered step on a thermometer's other side."""


def converted(scale: Scale) -> tuple[list[tuple[int, float]], str]:
    """The same temperatures in the other unit: (value, share of the scale) of each mark, and the unit. The first mark
    is a numbered one."""
    low, high = scale.range.low, scale.range.high
    if scale.range.unit == "°C":
        unit, ends = "°F", (low * 9 / 5 + 320, high * 9 / 5 + 320)
    else:
        unit, ends = "°C", ((low - 320) * 5 / 9, (high - 320) * 5 / 9)
    major = next(step for step in (20, 50, 100, 200, 500) if (ends[1] - ends[0]) / step <= 9)
    mark = major // CONVERTED_STEPS
    first = -int(-ends[0] // major) * major
    values = range(first, int(ends[1]) + 1, mark)
    return [(value, (value - ends[0]) / (ends[1] - ends[0])) for value in values], unit


def draw_scale(kind: str, ranges: tuple[Range, ...], level: int, rng: random.Random) -> Scale:
    """A scale as fine as the level says; every one whose readings come out in whole tenths is as likely."""
    fitting = [
        scale
        for chosen in ranges
        for divisions in DIVISIONS[level]
        if chosen.major % (divisions * (2 if HALVES[level] else 1)) == 0
        and FEWEST_MARKS <= (scale := Scale(chosen, divisions, HALVES[level])).marks <= MOST_MARKS[kind][level]
    ]
    return rng.choice(fitting)
