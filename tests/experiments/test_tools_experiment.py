"""Experiment 1 on rows made by hand: gain, noise, what it supports, what it costs."""

from __future__ import annotations

import io

import msgspec
import numpy as np
import pytest
from rich.console import Console

from beholder.experiments.costs import Whole
from beholder.experiments.tools import Gain, ToolsOutcome, tools_outcome
from beholder.experiments.verdicts import Noise, Repeat, Verdict, floor_of, sentence_on, verdict_on
from beholder.metrics.intervals import wilson
from beholder.metrics.paired import SIGNIFICANT, Paired
from beholder.report.comparison import Comparison
from beholder.report.experiment_report import cost_in_words, print_tools
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
    arms = [rows("python", after, turns=3, tokens=100)]
    return tools_outcome(plain, arms, repeat, ["lenient"], partial_credit=("jigsaw",))


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
    assert gain.sentence.startswith("python: the gain of 37.5 points exceeds the noise floor of the repeat of python (")
    assert [arm.name for arm in found.arms] == ["none", "python", "python-again"]
    assert (found.plain_model, found.notes, found.repeat) == ("", [], Repeat.MEASURED)


def test_equal_runs_leave_as_much_noise_as_so_many_items_allow_and_equal_arms_no_gain() -> None:
    found = outcome(MIXED, MIXED, MIXED)
    assert (found.noise["lenient"].floor, found.noise["lenient"].changed) == (wilson(0, 40)[1], 0)
    gain = only(found)
    assert (gain.verdict, gain.a_net_item, gain.net_items) == (Verdict.UNDECIDED, None, 0)
    assert "is not told apart from none" in gain.sentence


NO_NOISE = [
    (None, Repeat.NOT_ASKED_FOR, "no repeat was asked for, so its noise is not known."),
    (("python", None), Repeat.NOT_BEGUN, "the repeat has not begun, so its noise is not known yet."),
]


@pytest.mark.parametrize(("repeat", "state", "words"), NO_NOISE, ids=[row[1].value for row in NO_NOISE])
def test_a_repeat_that_is_not_there_is_said(repeat: tuple[str, None] | None, state: Repeat, words: str) -> None:
    found = tools_outcome(rows("none", WRONG), [rows("python", RIGHT)], repeat, ["lenient"])
    assert (found.noise, found.repeat, len(found.arms)) == ({}, state, 2)
    assert only(found).sentence.endswith(words)


def test_tools_can_harm() -> None:
    gain = only(outcome(RIGHT, MIXED, MIXED))
    assert (gain.verdict, gain.net_items, gain.a_net_item) == (Verdict.LOSS, -20, None)
    assert gain.sentence == (
        "python: the model does worse than without tools, by 50.0 points, which exceeds the noise floor of the repeat "
        "of python (8.8 points: none of 40 items changed)."
    )


def test_items_without_an_answer_are_left_out() -> None:
    gain = only(outcome({**WRONG, "k00": None}, RIGHT))
    assert (gain.comparison.paired.n, gain.comparison.paired.failed, gain.net_items) == (39, 1, 39)


def test_credit_in_part_keeps_its_task_out_of_the_four_cells() -> None:
    part = {f"x{number}": 0.5 for number in range(4)}
    gain = only(outcome({**WRONG, **part}, {**RIGHT, **part}))
    assert gain.comparison.paired.n == 44
    assert gain.comparison.paired.p is None
    assert gain.right_wrong is not None
    assert (gain.right_wrong.n, gain.right_wrong.p) == (40, pytest.approx(2 / 2**40))
    assert gain.p_holm == gain.comparison.paired.p_flips == pytest.approx(2 / 2**40)  # over all items
    assert gain.verdict is Verdict.SUPPORTED
    assert only(outcome(part, part)).right_wrong is None


def test_the_benchmark_names_the_tasks_with_credit_in_part_not_the_values() -> None:
    part = {f"x{number}": 1.0 for number in range(4)}  # by chance, all of them right or wrong
    gain = only(outcome({**WRONG, **part}, {**RIGHT, **part}))
    assert gain.right_wrong is not None
    assert gain.right_wrong.n == 40


FEW = [
    ("two items", {"x0": 0.0, "x1": 0.25}, {"x0": 0.5, "x1": 1.0}, 0.5),
    ("three items", {"x0": 0.0, "x1": 0.25, "x2": 0.0}, {"x0": 0.5, "x1": 1.0, "x2": 1.0}, 0.25),
    ("three alike", {"x0": 0.0, "x1": 0.0, "x2": 0.0}, {"x0": 0.5, "x1": 0.5, "x2": 0.5}, 0.25),
    ("five right", {f"k{n}": 0.0 for n in range(5)}, {f"k{n}": 1.0 for n in range(5)}, 0.0625),
]


@pytest.mark.parametrize(("name", "before", "after", "p"), FEW, ids=[row[0] for row in FEW])
def test_a_few_items_support_nothing(name: str, before: dict, after: dict, p: float) -> None:
    gain = only(outcome(before, after))
    assert (gain.verdict, gain.a_net_item) == (Verdict.UNDECIDED, None)
    assert gain.p_holm == pytest.approx(p)
    assert gain.comparison.detectable is None or gain.comparison.detectable <= 1


@pytest.mark.slow
def test_the_chance_of_a_false_verdict_in_any_arm_is_bounded_where_credit_is_in_part() -> None:
    """Three arms that are no better than none, two of forty items with credit in part: the family-wise error."""
    rng = np.random.default_rng(4)
    false = 0
    for _ in range(200):
        drawn = [
            {key: float(rng.random() < 0.5) for key in KEYS} | {f"x{n}": float(rng.choice([0.25, 0.5])) for n in (0, 1)}
            for _ in range(4)
        ]
        arms = [rows(name, values) for name, values in zip("abc", drawn[1:], strict=True)]
        found = tools_outcome(rows("none", drawn[0]), arms, None, ["lenient"], partial_credit=("jigsaw",))
        false += any(gain.verdict in (Verdict.SUPPORTED, Verdict.LOSS) for gain in found.gains["lenient"])
    assert false / 200 <= 0.06


def test_by_category_and_by_difficulty() -> None:
    part = {f"x0{number}": 0.0 for number in range(4)}
    gain = only(outcome({**WRONG, **part}, {**RIGHT, **part}))
    told = [(row.category, row.paired.n, row.n_gained, row.n_lost) for row in gain.comparison.categories]
    assert told == [("jigsaw", 4, 0, 0), ("maze", 40, 40, 0)]
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


def comparison(
    difference: float | None, low: float | None = None, high: float | None = None, *, changed: bool = True
) -> Comparison:
    paired = Paired(difference=difference, mean_a=0.5, mean_b=0.5, n=26, low=low, high=high)
    gained = ["k00"] if changed else []
    return Comparison(scorer="lenient", paired=paired, categories=[], gained=gained, lost=[], detectable=0.1)


VERDICTS = [
    ("nothing in common", comparison(None), None, None, Verdict.NOTHING),
    ("above 0 and the floor", comparison(0.2, 0.1, 0.3), 0.01, 0.05, Verdict.SUPPORTED),
    ("above 0, no repeat", comparison(0.2, 0.1, 0.3), 0.01, None, Verdict.SUPPORTED),
    ("above 0, no test", comparison(0.2, 0.1, 0.3), None, 0.05, Verdict.UNDECIDED),
    ("p just significant", comparison(0.2, 0.1, 0.3), SIGNIFICANT, 0.05, Verdict.SUPPORTED),
    ("just as large as the floor", comparison(0.2, 0.1, 0.3), 0.01, 0.2, Verdict.WITHIN_NOISE),
    ("the interval reaches 0", comparison(0.2, 0.0, 0.4), 0.01, 0.0, Verdict.UNDECIDED),
    ("the test does not reject", comparison(0.2, 0.1, 0.3), 2 * SIGNIFICANT, 0.0, Verdict.UNDECIDED),
    ("below 0", comparison(-0.2, -0.3, -0.1), 0.01, 0.1, Verdict.LOSS),
    ("below 0, no repeat", comparison(-0.2, -0.3, -0.1), 0.01, None, Verdict.LOSS),
    ("below 0, within the floor", comparison(-0.2, -0.3, -0.1), 0.01, 0.5, Verdict.WITHIN_NOISE),
    ("below 0, as large as the floor", comparison(-0.2, -0.3, -0.1), 0.01, 0.2, Verdict.WITHIN_NOISE),
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
    (comparison(0.0, changed=False), wilson(0, 26)[1]),
]


@pytest.mark.parametrize(("found", "floor"), FLOORS)
def test_the_noise_floor_is_the_farther_end_of_the_interval(found: Comparison, floor: float | None) -> None:
    assert floor_of(found) == floor


NOISE = Noise(arm="both", repeat="both-again", comparison=comparison(0.01), changed=2, n=26, floor=0.05)
SENTENCES = [
    (0.3, Verdict.SUPPORTED, NOISE, "a: the gain of 30.0 points exceeds the noise floor of the repeat of both (5.0"),
    (0.04, Verdict.WITHIN_NOISE, NOISE, "a: the gain of 4.0 points does not exceed the noise floor of the repeat"),
    (-0.03, Verdict.WITHIN_NOISE, NOISE, "a: the loss of 3.0 points does not exceed the noise floor of the repeat"),
    (-0.03, Verdict.LOSS, None, "a: the model does worse than without tools, by 3.0 points; no repeat was asked for"),
    (-0.03, Verdict.UNDECIDED, NOISE, "a: the difference of -3.0 points is not told apart from none; a difference und"),
]  # fmt: skip


@pytest.mark.parametrize(("difference", "verdict", "noise", "words"), SENTENCES)
def test_sentences(difference: float, verdict: Verdict, noise: Noise | None, words: str) -> None:
    assert sentence_on("a", comparison(difference), verdict, noise, Repeat.NOT_ASKED_FOR).startswith(words)


def test_what_so_few_items_cannot_show_is_said() -> None:
    found = msgspec.structs.replace(comparison(0.5), detectable=None)
    said = sentence_on("a", found, Verdict.UNDECIDED, None, Repeat.NOT_ASKED_FOR)
    assert said == "a: the difference of +50.0 points is not told apart from none; so few items could show none."


def test_the_score_without_tools_is_over_all_its_items() -> None:
    before = {f"k{n}": 0.0 for n in range(4)} | {"x0": 1.0, "x1": None}
    plain = rows("none", before)
    arms = [rows("a", {"k0": 1.0, "x0": 1.0}), rows("b", before)]
    found = tools_outcome(plain, arms, None, ["lenient"])
    told = {name: (one.value, one.n, one.failed) for name, one in found.arms[0].by_task.items()}
    assert told == {"maze": (0.0, 4, 0), "jigsaw": (1.0, 1, 1)}
    assert [row.paired.n for row in found.gains["lenient"][0].comparison.categories] == [1, 1]
    assert [row.paired.failed for row in found.gains["lenient"][1].comparison.categories] == [1, 0]


def test_a_gain_that_is_not_supported_has_no_price() -> None:
    gain = only(outcome(MIXED, {**MIXED, "k00": 1.0}))
    assert (gain.verdict, gain.net_items, gain.a_net_item) == (Verdict.UNDECIDED, 1, None)
    assert cost_in_words(gain).endswith("no gain is supported that it would have bought")


def test_the_outcome_is_plain_data() -> None:
    told = msgspec.to_builtins(outcome(MIXED, MOSTLY, OTHERWISE))
    assert told["gains"]["lenient"][0]["verdict"] == "supported"
    assert told["noise"]["lenient"]["changed"] == 10


def test_tables_fit_80_columns_whatever_there_is_to_tell() -> None:
    """Two scorers, another model without tools, failures, a repeat, large numbers, credit in part."""
    before = {f"{'kx'[n % 2]}{n:04}": None if n % 50 == 0 else float(n % 4 == 0) for n in range(1215)}
    after = {key: None if n % 70 == 0 else float(n % 3 > 0) for n, key in enumerate(before)}
    whole = Whole(12_345_678, 1_234_567, 12, 3, 40)
    plain = msgspec.structs.replace(
        rows("none", before, model="openai/a-model-of-a-long-name", tokens=12_345), whole=whole
    )
    arms = [rows(name, after, turns=14, tokens=123_456) for name in ("visual", "python", "both")]
    again = rows("both-again", after, turns=14, tokens=123_456)
    found = tools_outcome(plain, arms, ("both", again), ["strict", "lenient"], partial_credit=("jigsaw",))
    sink = io.StringIO()
    print_tools(Console(file=sink, width=80, highlight=False, markup=False), found)
    lines = sink.getvalue().splitlines()
    assert [line for line in lines if len(line) > 80 and " gained " not in line and " lost " not in line] == []
    starts = [line.split()[0] for line in lines if line.strip()]
    for arm, times in (("both-again", 2), ("visual", 2 + 2 * 2)):  # scores, what it took; gain and cells by each scorer
        assert starts.count(arm) >= times, sink.getvalue()
    assert "none (openai/a-model-of-a" in sink.getvalue()
    assert "12,345,678 tokens in" in " ".join(sink.getvalue().split())
    assert "(12 failed responses, 3 abandoned attempts, 40 answers from the cache not counted)" in " ".join(
        starts_of(lines)
    )


def starts_of(lines: list[str]) -> list[str]:
    return [" ".join(line.split()) for line in lines]
