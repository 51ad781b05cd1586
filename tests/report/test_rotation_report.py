"""Experiment 3 as it is printed: figures stand with what limits them."""

from __future__ import annotations

import io
from collections.abc import Sequence

import msgspec
import pytest
from rich.console import Console

from beholder.benchmarks.tir.rotation import Wanted
from beholder.cli.experiment_rotation import _items_in_words
from beholder.experiments.costs import Cost
from beholder.experiments.rotation import RotationOutcome, RotationRows, Tried, contrasts, findings
from beholder.experiments.rotation_record import published_calls
from beholder.report.rotation_report import print_rotation
from beholder.score import Outcome, Score
from made_experiments import item

ITEMS = 12


def arm(interface: str, prompt: str, right: int, photographs: int, *, unread: int = 0) -> RotationRows:
    """So many items, the first ones right, the last ones without an answer; each made one call that went astray."""
    items = []
    for number in range(ITEMS):
        one = item(f"k{number}", float(number < right), "rotation_game")
        one = msgspec.structs.replace(one, cluster=f"photo {number % photographs}")
        if number >= ITEMS - unread:
            one = msgspec.structs.replace(one, scores={"lenient": Score(0.0, Outcome.UNPARSED)})
        items.append(one)
    keys = [one.key for one in items]
    return RotationRows(
        name=f"{interface}-{prompt}",
        interface=interface,
        prompt=prompt,
        items=items,
        costs=[Cost(key, 3, 2, 10, 1) for key in keys],
        seen={key: Tried(calls=1, syntax=0, ran=1, turns=(30,)) for key in keys},
        asked=dict.fromkeys(keys, Wanted(45, (30, 45))),
    )


def printed(arms: Sequence[RotationRows]) -> str:
    outcome = RotationOutcome(
        scorer="lenient",
        arms=[findings(one, "lenient") for one in arms],
        contrasts=contrasts(arms, "lenient"),
        published=published_calls(),
    )
    console = Console(file=io.StringIO(), width=80)
    print_rotation(console, outcome)
    out = console.file.getvalue()  # type: ignore[attr-defined]
    return " ".join(out.split())


def test_figures_of_few_photographs_say_so() -> None:
    said = printed([arm("rotate", "P1", 3, 5), arm("python", "P1", 8, 5)])
    assert said.count("note: only 5 clusters: the interval is too narrow") == 2, "scores, and contrasts"
    assert "note: p is that of a sign-flip test over photographs" in said
    assert "McNemar" not in said, "it takes items as independent"


def test_figures_of_independent_items_have_no_such_notes() -> None:
    said = printed([arm("rotate", "P1", 3, ITEMS), arm("python", "P1", 8, ITEMS)])
    assert "sign-flip" not in said
    assert "note: p is exact McNemar" in said


def test_a_note_about_one_arm_names_it() -> None:
    said = printed([arm("rotate", "P1", 3, ITEMS), arm("python", "P1", 8, 5)])
    assert "only 5 clusters: the interval is too narrow (code P1)" in said


def test_calls_an_item_are_those_of_the_interface() -> None:
    said = printed([arm("rotate", "P1", 3, ITEMS)])
    assert "tool P1 25.0 % [8.9, 53.2] 12 1.00 0 3 9" in said
    assert "this experiment 1.00" in said


def test_items_without_an_answer_have_a_column() -> None:
    lines = printed([arm("rotate", "P1", 3, ITEMS, unread=4)])
    assert "arm failed never ran no answer angle direction answer not told syntax calls" in lines
    assert "tool P1 9 0 4 5 0 0 0 0 12" in lines


@pytest.mark.parametrize(
    ("items", "photographs", "words"),
    [(75, 5, "75 items of 5 photographs"), (3, 1, "3 items of 1 photograph"), (1, 1, "1 item"), (80, 80, "80 items")],
)
def test_items_in_words(items: int, photographs: int, words: str) -> None:
    assert _items_in_words(items, photographs) == words
