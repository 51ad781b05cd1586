"""The thirteen tasks of TIR-Bench: names, sizes, and what kind of value their scorer gives."""

from __future__ import annotations

from typing import NamedTuple


class Task(NamedTuple):
    """One task. `n` is its size in the public set (Table 1); `binary` is False where answers get partial credit."""

    title: str
    n: int
    binary: bool = True


TASKS: dict[str, Task] = {
    "color": Task("Color VQA", 100),
    "refcoco": Task("Proportion VQA", 120),
    "symbolic": Task("Symbolic Reasoning", 50),
    "math": Task("Math", 120),
    "word_search": Task("Word Search", 100),
    "ocr": Task("Rotated OCR", 60),
    "maze": Task("Maze", 120),
    "contrast": Task("Low-Light VQA", 50),
    "instrument": Task("Instrument Reading", 80),
    "spot_difference": Task("Spot the Difference", 100, binary=False),
    "jigsaw": Task("Jigsaw", 120, binary=False),
    "visual_search": Task("Visual Search", 120),
    "rotation_game": Task("Rotation", 75),
}
"""Code name → task, in the order of Table 1 (arXiv 2511.01833). The paper's text says 100 mazes, its table 120."""

ITEMS = sum(task.n for task in TASKS.values())
"""1,215."""
PAIRS = 40
"""Spot-the-difference items of the public set that show two pictures."""
