"""What the tests of the authors' TIR-Bench scorer share: questions, and stand-ins for math-verify."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from beholder.benchmarks.tir.official import Record

NINE = ("maze", "color", "rotation_game", "refcoco", "visual_search", "symbolic", "math", "contrast", "instrument")
COLOURS = "Which colour is it? A. Red B. Blue C. Green D. Black"
SHARES = "How much of the image is it?\nA: 15%\nB: 23%\nC: 31%\nD: 39%"
PLAIN = "How many?\nA. 7\nB. 8\nC. 9\nD. 10"
STARS = ("*" * 9, "**B**", " B\n", "Extracted answer: B", "Extracted answer: **B** ")
CRASH = ("authors_crash",)


def no(answer: str, gold: str) -> bool:
    return False


def yes(answer: str, gold: str) -> bool:
    return True


def not_asked(answer: str, gold: str) -> bool:
    raise AssertionError(f"math-verify was asked about {answer!r} and {gold!r}")


def record_of(entry: dict[str, Any]) -> Record:
    """The record of an entry of the authors' result file."""
    about = entry["metadata"] if "metadata" in entry else entry.get("meta_data")
    return Record(
        task=entry["task"] if "task" in entry else entry.get("category", UNSET),
        answer=entry.get("answer", UNSET),
        prompt=entry.get("prompt", UNSET),
        model_response=entry.get("model_response", UNSET),
        extracted=entry.get("extracted_answer", UNSET),
        image_1=entry.get("image_1", UNSET),
        difficulty=about.get("difficulty", UNSET) if isinstance(about, dict) else UNSET,
        question_id=entry.get("question_id", UNSET),
    )


ORDER = "[4, 1, 8, 9, 3, 6, 2, 7, 5]"
