"""Experiment 3 on conversations made by hand: what was asked, what was seen, what became of each item."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from beholder.benchmarks.tir.rotation import Wanted
from beholder.experiments.costs import Cost
from beholder.experiments.rotation import (
    Contrast,
    Fate,
    RotationRows,
    Tried,
    contrasts,
    fate_of,
    findings,
    tried,
)
from beholder.experiments.rotation_record import published_calls
from beholder.score import Outcome, Score
from beholder.trajectory import CallOutcome, Observation
from made_experiments import bad, code, item, rotate, trajectory

MEASURED = {"p30": 30.0, "p45": 45.0, "montage": None}
TRIED: list[tuple[str, str, Sequence[Observation], Tried]] = [
    ("nothing", "rotate", [], Tried(calls=0, syntax=0, ran=0, turns=())),
    ("clockwise", "rotate", [rotate(30)], Tried(calls=1, syntax=0, ran=1, turns=(30,))),
    ("the other way", "rotate", [rotate(30, "counterclockwise")], Tried(calls=1, syntax=0, ran=1, turns=(330,))),
    ("each from the start", "rotate", [rotate(30), rotate(60, image="image_1")],
     Tried(calls=2, syntax=0, ran=2, turns=(30, 60))),
    ("on and on", "rotate", [rotate(30), rotate(15, image="image_2"), rotate(350, image="image_3")],
     Tried(calls=3, syntax=0, ran=3, turns=(30, 45, 35))),
    ("a picture that is not there", "rotate", [rotate(30, image="image_9")], Tried(calls=1, syntax=0, ran=1, turns=())),
    ("another tool is none of its calls", "python", [rotate(30), bad("", "{'name'}"), code("x", "p45")],
     Tried(calls=1, syntax=0, ran=1, turns=(30, 45))),
    ("no JSON", "rotate", [bad(), rotate(45)], Tried(calls=2, syntax=1, ran=1, turns=(45,))),
    ("an unknown tool is no use of it", "rotate", [bad("turn", "{}", CallOutcome.UNKNOWN_TOOL)],
     Tried(calls=0, syntax=0, ran=0, turns=())),
    ("code, measured", "python", [code("image_1.rotate(-30).show()", "p30", "montage"), code("x", "p45")],
     Tried(calls=2, syntax=0, ran=2, turns=(30, 45))),
    ("code that is no Python", "python", [code("image_1.rotate(", outcome=CallOutcome.ERROR)],
     Tried(calls=1, syntax=1, ran=0, turns=())),
    ("code that raises", "python", [code("1 / 0", outcome=CallOutcome.ERROR)],
     Tried(calls=1, syntax=0, ran=0, turns=())),
    ("code that prints", "python", [code("print(45)")], Tried(calls=1, syntax=0, ran=1, turns=())),
]  # fmt: skip


@pytest.mark.parametrize(("name", "interface", "made", "expected"), TRIED, ids=[row[0] for row in TRIED])
def test_what_a_conversation_shows(name: str, interface: str, made: Sequence[Observation], expected: Tried) -> None:
    assert tried(trajectory(*made), interface, MEASURED.get) == expected


def seen(*turns: float, calls: int = 1, ran: int = 1) -> Tried:
    return Tried(calls=calls, syntax=0, ran=ran, turns=turns)


U45, HALF, NEAR_0 = Wanted(45, (15, 30, 45, 60)), Wanted(180, (165, 180)), Wanted(15, (345, 0, 15, 30))
FATES = [
    ("not used, wrong", seen(calls=0, ran=0), False, U45, Fate.NOT_USED),
    ("not used, right", seen(calls=0, ran=0), True, U45, Fate.NOT_USED),
    ("used, right", seen(30), True, U45, Fate.RIGHT),
    ("no call ran", seen(ran=0), False, U45, Fate.RUNNING),
    ("upright seen", seen(30, 45), False, U45, Fate.ANSWER),
    ("upright to two degrees", seen(47), False, U45, Fate.ANSWER),
    ("not quite upright", seen(48), False, U45, Fate.ANGLE),
    ("another option", seen(30, 60), False, U45, Fate.ANGLE),
    ("the wrong way round", seen(315), False, U45, Fate.DIRECTION),
    ("both ways", seen(315, 45), False, U45, Fate.ANSWER),
    ("180 has no wrong way", seen(180), False, HALF, Fate.ANSWER),
    ("the wrong way is an option of its own", seen(345), False, NEAR_0, Fate.ANGLE),
    ("nothing was turned", seen(), False, U45, Fate.NOT_TOLD),
    ("the right turn is not known", seen(30), False, None, Fate.NOT_TOLD),
]


@pytest.mark.parametrize(("name", "shown", "right", "asked", "fate"), FATES, ids=[row[0] for row in FATES])
def test_what_became_of_an_item(name: str, shown: Tried, right: bool, asked: Wanted | None, fate: Fate) -> None:
    assert fate_of(shown, right, asked) is fate


# what was shown, right, outcome, what became of it
NO_ANSWERS = [
    ("upright seen, then a budget", seen(45), Outcome.UNPARSED, Fate.NO_ANSWER),
    ("never upright, refused", seen(30), Outcome.REFUSED, Fate.NO_ANSWER),
    ("nothing turned, cut short", seen(), Outcome.TRUNCATED, Fate.NO_ANSWER),
    ("no call ran", seen(ran=0), Outcome.UNPARSED, Fate.RUNNING),
    ("not used", seen(calls=0, ran=0), Outcome.UNPARSED, Fate.NOT_USED),
    ("answered", seen(45), Outcome.SCORED, Fate.ANSWER),
]


@pytest.mark.parametrize(("name", "shown", "outcome", "fate"), NO_ANSWERS, ids=[row[0] for row in NO_ANSWERS])
def test_where_nothing_was_answered_nothing_was_answered_wrong(
    name: str, shown: Tried, outcome: Outcome, fate: Fate
) -> None:
    assert fate_of(shown, False, U45, outcome) is fate


def arm(interface: str, prompt: str, values: Sequence[float | None], shown: Sequence[Tried]) -> RotationRows:
    keys = [f"k{number}" for number in range(len(values))]
    return RotationRows(
        name=f"{interface}-{prompt}",
        interface=interface,
        prompt=prompt,
        items=[item(key, value, "rotation_game") for key, value in zip(keys, values, strict=True)],
        costs=[Cost(key, one.calls + 1, one.calls, 10, 1) for key, one in zip(keys, shown, strict=True)],
        seen={key: one for key, value, one in zip(keys, values, shown, strict=True) if value is not None},
        asked=dict.fromkeys(keys, U45),
    )


def test_the_figures_of_an_arm() -> None:
    shown = [seen(45), seen(calls=0, ran=0), seen(calls=0, ran=0), seen(315, calls=3), seen(30, calls=2), seen()]
    found = findings(arm("rotate", "P1", [1, 1, 0, 0, 0, None], shown), "lenient")
    assert (found.score.value, found.score.n, found.score.failed) == (0.4, 5, 1)
    assert found.items == {
        "not used": 2,
        "used, right": 1,
        "running": 0,
        "no answer": 0,
        "angle": 1,
        "direction": 1,
        "answer": 0,
        "not told": 0,
    }
    assert (found.not_used_right, found.failed, found.calls, found.syntax, found.known) == (1, 2, 6, 0, 5)
    assert found.calls_an_item == 6 / 5  # the conversation that failed is in neither number
    assert found.clusters == 6


def test_items_without_an_answer_are_counted_apart() -> None:
    rows = arm("rotate", "P1", [0, 0], [seen(45), seen(45)])
    unread = {"lenient": Score(0.0, Outcome.UNPARSED)}
    items = [msgspec.structs.replace(rows.items[0], scores=unread), rows.items[1]]
    found = findings(msgspec.structs.replace(rows, items=items), "lenient")
    assert (found.items["no answer"], found.items["answer"], found.failed) == (1, 1, 2)


def test_contrasts_hold_one_thing_fixed() -> None:
    wrong, right, shown = [0.0] * 8, [1.0] * 8, [seen(30)] * 8
    arms = [arm("rotate", "P1", wrong, shown), arm("rotate", "P3", right, shown), arm("python", "P1", right, shown)]
    found: dict[str, Contrast] = {one.name: one for one in contrasts(arms, "lenient")}
    assert list(found) == ["code − tool, P1", "P3 − P1, tool"]
    assert all(one.comparison.paired.difference == 1 for one in found.values())
    assert found["P3 − P1, tool"].p_holm == pytest.approx(2 * 2 / 2**8)


def test_the_papers_average_calls() -> None:
    table = published_calls()
    assert "Table 3" in table.source
    assert all(len(row.calls) == len(table.arms) == 6 for row in table.rows)
    own = {row.model: dict(zip(table.arms, row.calls, strict=True)) for row in table.rows}
    assert own["GPT-4.1"]["rotate-P3"] == 4.68
    assert own["o3"]["python-P1"] == 6.05
    assert own["Gemini-2.5-flash"]["python-P2"] is None
