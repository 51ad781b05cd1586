"""What a question of the rotation task asks for: the turn that sets the picture upright, and the angles to choose from.

The sense ("clockwise") and the options are read out of the prompt's text; which option is right is read off the gold.
So this is for judging what was done with a picture, never for answering.
"""

from __future__ import annotations

import re

import msgspec

from beholder.benchmarks.tir.questions import options_of
from beholder.sample import ChoiceTarget, Sample

TASK = "rotation_game"
"""The category of these items."""
NEAR = 2.0
"""Degrees within which a turn is the right one. Options lie 5 or more apart; pictures are measured to a degree."""
_DEGREES = re.compile(r"(-?\d{1,3}(?:\.\d{1,3})?)\s*(?:°|deg)", re.IGNORECASE | re.ASCII)
_COUNTER = re.compile(r"\b(?:counter|anti)[- ]?clockwise\b", re.IGNORECASE)
_CLOCKWISE = re.compile(r"\bclockwise\b", re.IGNORECASE)


class Wanted(msgspec.Struct, frozen=True):
    """What a question asks for: the turn that makes the picture upright and all options, in degrees clockwise from 0
    to 360."""

    upright: float
    options: tuple[float, ...]

    @property
    def wrong_way(self) -> float | None:
        """The right angle turned the other way round. None where that is an option of its own (to turn by it may be a
        trial of that option), and where both ways come to the same (180 degrees)."""
        other = -self.upright % 360
        ambiguous = near(other, self.upright) or any(near(other, option) for option in self.options)
        return None if ambiguous else other


def wanted(sample: Sample) -> Wanted | None:
    """What the question asks for; None where it is no choice of angles, or does not say in which sense."""
    sign = sense_of(sample.question)
    if sign is None or not isinstance(sample.target, ChoiceTarget):
        return None
    angles = angles_of(sample.question)
    right = angles.get(sample.target.letters)
    return None if right is None else Wanted(sign * right % 360, tuple(sign * angle % 360 for angle in angles.values()))


def upright_turn(sample: Sample) -> float | None:
    """By how many degrees clockwise the picture of a rotation item has to be turned; None for any other item, and where
    the other way round is no clear mistake (see `Wanted.wrong_way`)."""
    asked = wanted(sample) if sample.category == TASK else None
    return asked.upright if asked is not None and asked.wrong_way is not None else None


def sense_of(question: str) -> int | None:
    """1 where turns are asked for clockwise, -1 where counter-clockwise; None where the question names none or both."""
    bare = _COUNTER.sub("", question)
    senses = {sign for sign, found in ((-1, _COUNTER.search(question)), (1, _CLOCKWISE.search(bare))) if found}
    return senses.pop() if len(senses) == 1 else None


def angles_of(question: str) -> dict[str, float]:
    """Letter → degrees of the options that state an angle, with their sign as written.

    >>> angles_of("Turn it by? A. 90° B. 45 degrees")
    {'A': 90.0, 'B': 45.0}
    """
    stated = {letter: _DEGREES.search(text) for letter, text in options_of(question).items()}
    return {letter: float(found[1]) for letter, found in stated.items() if found}


def near(one: float, other: float) -> bool:
    """Whether two turns are the same to within `NEAR` degrees."""
    return abs((one - other + 180) % 360 - 180) <= NEAR
