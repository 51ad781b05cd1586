"""The vocabulary of plans: the case, what earlier calls brought, the next step."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from beholder.synth.families import FAMILIES
from beholder.synth.programs.inline import script
from beholder.synth.solvers import Pixels

PYTHON = "python"
_RESULT = re.compile(r"^\W{0,4}result: ([^\n]{1,400})$", re.MULTILINE)
_OPTION = re.compile(r"^([A-J])\. ([^\n]{1,2000})$", re.MULTILINE)
_NUMBER = re.compile(r"-?\d{1,6}(?:\.\d{1,6})?")


class View(NamedTuple):
    """A picture as it is seen at a glance, its name in the conversation, and its full width and height."""

    picture: Pixels
    name: str
    size: tuple[int, int]


class Brought(NamedTuple):
    """What one call brought: the text of the observation, and those of its pictures that were not there before."""

    text: str
    views: tuple[View, ...]


class Case(NamedTuple):
    """What is asked and may be used: the question as the data gives it, the user's whole message, the item's own
    pictures, and the names of the tools."""

    question: str
    message: str
    own: tuple[View, ...]
    tools: frozenset[str]

    @property
    def python(self) -> bool:
        """Whether programs may be written."""
        return PYTHON in self.tools


class Step(NamedTuple):
    """One call, and what is said before it."""

    said: str
    tool: str
    arguments: dict[str, Any]


class Plan(Protocol):
    """A family's module."""

    def next_step(self, case: Case, brought: Sequence[Brought]) -> Step | None: ...

    def answer(self, case: Case, brought: Sequence[Brought]) -> str | None: ...


def plan_of(task: str) -> Plan:
    """The plan of a family; `KeyError` for a name that is none."""
    plan: Plan = importlib.import_module(f"beholder.synth.programs.{FAMILIES[task].task}")
    return plan


def program(said: str, main: str, *entries: str, without: frozenset[str] = frozenset()) -> Step:
    """A call of the Python tool: the solvers' functions that `main` needs (`entries`), then `main`."""
    code = (script(*entries, without=without) + "\n\n" if entries else "") + main.strip() + "\n"
    for used, line in (("np.", "import numpy as np"), ("Image.", "from PIL import Image")):
        if used in main and line not in code:
            code = f"{line}\n{code}"
    return Step(said, PYTHON, {"code": code})


def printed(brought: Sequence[Brought]) -> str | None:
    """What the newest line `result: …` says; None if no program printed one."""
    results = [found for call in brought for found in _RESULT.findall(call.text)]
    return str(results[-1]).strip() if results else None


def newest(brought: Sequence[Brought]) -> tuple[View, ...]:
    """The pictures of the latest call that brought any."""
    return next((call.views for call in reversed(brought) if call.views), ())


def options_of(question: str) -> dict[str, str]:
    """The lettered options of a question."""
    return {str(letter): str(text).strip() for letter, text in _OPTION.findall(question)}


def nearest_option(question: str, value: float) -> str | None:
    """The letter of the option whose number is nearest; None if no option starts with a number."""
    numbers = {
        letter: float(number[0])
        for letter, text in options_of(question).items()
        if (number := _NUMBER.match(text)) is not None
    }
    return min(numbers, key=lambda letter: (abs(numbers[letter] - value), numbers[letter]), default=None)


def number(text: str | None) -> float | None:
    """The number that a printed result is, None if it is none."""
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None
