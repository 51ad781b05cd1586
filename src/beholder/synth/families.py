"""The thirteen families by TIR-Bench's task names. A plain table of import paths: listing them loads none."""

from __future__ import annotations

import difflib
import importlib
from types import ModuleType
from typing import NamedTuple

from beholder.errors import UsageError


class Family(NamedTuple):
    """One family: its task name, what the paper calls it, one line on what is asked."""

    task: str
    title: str
    asks: str


FAMILIES: dict[str, Family] = {
    family.task: family
    for family in (
        Family("color", "Color VQA", "share of a colour, number of coloured regions, dominant colour of a photograph"),
        Family("refcoco", "Proportion VQA", "share of the picture that a named object covers"),
        Family("symbolic", "Symbolic Reasoning", "vertices, intersections, nested shapes, lines"),
        Family("math", "Math", "drawn geometry that needs a measurement or an auxiliary line"),
        Family("word_search", "Word Search", "count or place of a letter or digit in a dense grid"),
        Family("ocr", "Rotated OCR", "text that stands on its side or upside down"),
        Family("maze", "Maze", "which string of moves leads out of the maze, if any"),
        Family("contrast", "Low-Light VQA", "a question about a scene that is nearly black"),
        Family("instrument", "Instrument Reading", "clock, gauge, thermometer, ruler, scale"),
        Family("spot_difference", "Spot the Difference", "which patches of two pictures differ"),
        Family("jigsaw", "Jigsaw", "the order of the shuffled pieces of a photograph"),
        Family("visual_search", "Visual Search", "a small target in a large scene of distractors"),
        Family("rotation_game", "Rotation", "by how many degrees a photograph was turned"),
    )
}
"""Task name → family, in the order of TIR-Bench's Table 1."""

ALIASES = {
    "proportion": "refcoco",
    "low_light": "contrast",
    "lowlight": "contrast",
    "rotation": "rotation_game",
    "rotated_ocr": "ocr",
    "spot_the_difference": "spot_difference",
}


ALL = "all"
"""Stands for every family."""


def family(name: str) -> Family:
    """The family of that name or alias; `UsageError` suggests the nearest names if there is none."""
    task = plain_name(name)
    if task not in FAMILIES:
        near = difflib.get_close_matches(task, [ALL, *FAMILIES, *ALIASES], n=3, cutoff=0.5)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"There is no family {name!r}.{hint} Known: {ALL}, {', '.join(FAMILIES)}.")
    return FAMILIES[task]


def plain_name(name: str) -> str:
    """What people write (`Low-Light`) as the code writes it (`contrast`), whether or not there is such a family."""
    task = name.lower().replace("-", "_").replace(" ", "_")
    return ALIASES.get(task, task)


def items_of(task: str) -> ModuleType:
    """The module that makes a task's items: it holds `make`. `UsageError` for a name that is no task."""
    return importlib.import_module(f"beholder.synth.items.{_known(task)}")


def solver_of(task: str) -> ModuleType:
    """The module that solves a task's items: it holds `solve`, and `glance` where a single look needs another way.

    `UsageError` for a name that is no task.
    """
    return importlib.import_module(f"beholder.synth.solvers.{_known(task)}")


def _known(task: str) -> str:
    # The packages hold other modules too, and a name may come from a file: only a task becomes an import.
    if task not in FAMILIES:
        raise UsageError(f"There is no task {task[:40]!r}. Known: {', '.join(FAMILIES)}.")
    return task
