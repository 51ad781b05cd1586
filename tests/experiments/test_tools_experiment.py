"""Experiment 1 on rows made by hand: gain, noise, what it supports, what it costs."""

from __future__ import annotations

import msgspec
import pytest

from beholder.experiments.tools import SIGNIFICANT, Gain, ToolsOutcome, Verdict, floor_of, tools_outcome, verdict_on
from beholder.metrics.paired import Paired
from beholder.report.comparison import Comparison
from made_experiments import rows

KEYS = [f"k{number:02}" for number in range(40)]
WRONG = dict.fromkeys(KEYS, 0.0)
RIGHT = dict.fromkeys(KEYS, 1.0)
MIXED = {key: float(number % 2) for number, key in enumerate(KEYS)}
MOSTLY = {key: float(number % 8 != 0) for number, key in enumerate(KEYS)}
OTHERWISE = {key: float(number % 8 != 1) for number, key in enumerate(KEYS)}


def outcome(before: dict, after: dict, again: dict | None = None, **more) -> ToolsOutcome:
    plain = rows("none", before, **{"tokens": 10, "model": "m"} | more)
    repeat = None if again is None else ("python", rows("python-again", again, turns=3, tokens=100))
    return tools_outcome(plain, [rows("python", after, turns=3, tokens=100)], repeat, ["lenient"])


def only(found: ToolsOutcome) -> Gain:
    (gain,) = found.gains["lenient"]
    return gain


def test_a_gain_with_its_cells_items_cost_and_noise() -> None:
    found = outcome(MIXED, MOSTLY, OTHERWISE)
    gain, noise = only(found), found.noise["lenient"]
    cells = gain.comparison.paired.cells
    assert cells is not None
    assert (cells.both_right, cells.only_a, cells.only_b, cells.both_wrong) == (20, 0, 15, 5)
    assert gain.right_wrong == gain.comparison.paired
    assert (len(gain.comparison.gained), gain.comparison.lost) == (15, [])
    assert gain.comparison.paired.difference == pytest.approx(0.375)
    assert (gain.net_items, gain.p_holm) == (15.0, gain.comparison.paired.p)
    assert (gain.more.turns, gain.more.prompt_tokens, gain.more.completion_tokens) == (2.0, 90.0, 9.0)
    assert gain.a_net_item is not None
    assert gain.a_net_item.prompt_tokens == pytest.approx(90 * 40 / 15)
    assert (noise.arm, noise.repeat, noise.changed, noise.n) == ("python", "python-again", 10, 40)
    assert noise.comparison.paired.difference == 0
    assert noise.floor is not None
    assert 0.05 < noise.floor < 0.25
    assert gain.verdict is Verdict.SUPPORTED
    assert gain.sentence.startswith(
        "python: the gain of +37.5 points exceeds the noise floor of the repeat of python ("
    )
    assert [arm.name for arm in found.arms] == ["none", "python", "python-again"]
    assert (found.plain_model, found.notes) == ("", [])


def test_equal_runs_have_no_noise_and_equal_arms_no_gain() -> None:
    found = outcome(MIXED, MIXED, MIXED)
    assert (found.noise["lenient"].floor, found.noise["lenient"].changed) == (0, 0)
    gain = only(found)
    assert (gain.verdict, gain.a_net_item, gain.net_items) == (Verdict.UNDECIDED, None, 0)
    assert "is not told apart from none" in gain.sentence


def test_no_repeat_is_said() -> None:
    found = outcome(WRONG, RIGHT)
    assert found.noise == {}
    assert only(found).sentence.endswith("no repeat was made, so its noise is not known.")


def test_tools_can_harm() -> None:
    gain = only(outcome(RIGHT, MIXED, MIXED))
    assert (gain.verdict, gain.net_items, gain.a_net_item) == (Verdict.LOSS, -20, None)
    assert gain.sentence == "python: the model does worse than without tools, by -50.0 points."


def test_items_without_an_answer_are_left_out() -> None:
    gain = only(outcome({**WRONG, "k00": None}, RIGHT))
    assert (gain.comparison.paired.n, gain.comparison.paired.failed, gain.net_items) == (39, 1, 39)


def test_credit_in_part_keeps_its_task_out_of_the_four_cells() -> None:
    part = {f"x{number}": 0.5 for number in range(4)}
    gain = only(outcome({**WRONG, **part}, {**RIGHT, **part}))
    assert gain.comparison.paired.n == 44
    assert gain.comparison.paired.p is None
    assert gain.right_wrong is not None
    assert (gain.right_wrong.n, gain.right_wrong.p, gain.p_holm) == (40, gain.p_holm, gain.right_wrong.p)
    assert gain.verdict is Verdict.SUPPORTED  # by the interval alone
    assert only(outcome(part, part)).right_wrong is None


def test_by_category_and_by_difficulty() -> None:
    part = {f"x0{number}": 0.0 for number in range(4)}
    gain = only(outcome({**WRONG, **part}, {**RIGHT, **part}))
    assert [(row.category, row.paired.n) for row in gain.comparison.categories] == [("jigsaw", 4), ("maze", 40)]
    by_difficulty = {row.category: row.paired.difference for row in gain.by_difficulty.categories}
    assert len(by_difficulty) == 10
    assert by_difficulty["9"] == 1
    assert by_difficulty["0"] == pytest.approx(4 / 5)


def test_holm_corrects_for_the_number_of_tool_arms() -> None:
    few = {key: float(number < 6) for number, key in enumerate(KEYS)}
    arms = [rows("visual", few, turns=2), rows("python", RIGHT, turns=2)]
    found = tools_outcome(rows("none", WRONG), arms, None, ["lenient", "strict"])
    assert list(found.gains) == ["lenient", "strict"]
    visual, python = found.gains["lenient"]
    assert visual.p_holm == visual.comparison.paired.p == pytest.approx(2 / 2**6)
    assert python.p_holm == pytest.approx(2 * 2 / 2**40)


def test_another_model_without_tools_is_named() -> None:
    found = outcome(WRONG, RIGHT, model="static")
    assert found.plain_model == "static"
    assert "answered by another model, static" in found.notes[0]


def test_arms_that_have_not_begun_are_left_out() -> None:
    assert tools_outcome(rows("none", MIXED), [], None, ["lenient"]).gains == {"lenient": []}
    alone = tools_outcome(None, [rows("python", MIXED)], None, ["lenient"])
    assert (alone.gains, alone.noise, len(alone.arms)) == ({}, {}, 1)
    assert (
        only(
            tools_outcome(rows("none", {"k00": 1.0}), [rows("p", {"k00": 1.0, "k01": 0.0})], None, ["lenient"])
        ).more.items
        == 1
    )
    apart = tools_outcome(rows("none", {"k00": 1.0}), [rows("p", {"k01": 0.0})], None, ["lenient"])
    assert apart.gains == {"lenient": []}


def test_score_against_turns_by_task() -> None:
    (line,) = outcome(MIXED, MOSTLY).arms[1].turns
    assert (line.task, line.n, line.turns, line.score) == ("maze", 40, 3.0, 0.875)


def comparison(difference: float | None, low: float | None = None, high: float | None = None) -> Comparison:
    paired = Paired(difference=difference, mean_a=0.5, mean_b=0.5, n=10, low=low, high=high)
    return Comparison(scorer="lenient", paired=paired, categories=[], gained=[], lost=[], detectable=0.1)


VERDICTS = [
    ("nothing in common", comparison(None), None, None, Verdict.NOTHING),
    ("above 0 and the floor", comparison(0.2, 0.1, 0.3), 0.01, 0.05, Verdict.SUPPORTED),
    ("above 0, no repeat", comparison(0.2, 0.1, 0.3), 0.01, None, Verdict.SUPPORTED),
    ("above 0, credit in part", comparison(0.2, 0.1, 0.3), None, 0.05, Verdict.SUPPORTED),
    ("just as large as the floor", comparison(0.2, 0.1, 0.3), 0.01, 0.2, Verdict.WITHIN_NOISE),
    ("the interval reaches 0", comparison(0.2, 0.0, 0.4), 0.01, 0.0, Verdict.UNDECIDED),
    ("the test does not reject", comparison(0.2, 0.1, 0.3), 2 * SIGNIFICANT, 0.0, Verdict.UNDECIDED),
    ("below 0", comparison(-0.2, -0.3, -0.1), 0.01, 0.5, Verdict.LOSS),
    ("below 0, not tested as such", comparison(-0.2, -0.3, -0.1), 0.2, 0.5, Verdict.UNDECIDED),
    ("all items changed alike", comparison(1.0), 0.001, 0.0, Verdict.SUPPORTED),
    ("all items changed alike, few", comparison(1.0), 0.5, 0.0, Verdict.UNDECIDED),
    ("no interval and no test", comparison(0.3), None, 0.0, Verdict.UNDECIDED),
]


@pytest.mark.parametrize(("name", "found", "p", "floor", "verdict"), VERDICTS, ids=[row[0] for row in VERDICTS])
def test_verdicts(name: str, found: Comparison, p: float | None, floor: float | None, verdict: Verdict) -> None:
    assert verdict_on(found, p, floor) is verdict


FLOORS = [
    (comparison(None), None),
    (comparison(-0.04), 0.04),
    (comparison(0.01, -0.03, 0.05), 0.05),
    (comparison(-0.01, -0.06, 0.04), 0.06),
]


@pytest.mark.parametrize(("found", "floor"), FLOORS)
def test_the_noise_floor_is_the_farther_end_of_the_interval(found: Comparison, floor: float | None) -> None:
    assert floor_of(found) == floor


def test_the_outcome_is_plain_data() -> None:
    told = msgspec.to_builtins(outcome(MIXED, MOSTLY, OTHERWISE))
    assert told["gains"]["lenient"][0]["verdict"] == "supported"
    assert told["noise"]["lenient"]["changed"] == 10
