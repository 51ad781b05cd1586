"""All four scorers on one table of responses; the gold is T in every row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.benchmarks.tfq import BENCHMARK
from beholder.benchmarks.tfq.score import thought_flags
from beholder.errors import Owner
from beholder.sample import BooleanTarget, Failure, Response, Sample, Usage
from beholder.score import Outcome, Score

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("tfq_answers.json").read_text("utf-8"))
GOLD_T = Sample(
    key="k", index=0, benchmark="tfq", images=(), parts=(), target=BooleanTarget(True), metadata={"gold": "T"}
)
GOLD_F = Sample(
    key="k",
    index=0,
    benchmark="tfq",
    images=(),
    parts=(),
    target=BooleanTarget(False),
    metadata={"gold": "F"},
)


def response(case: dict[str, Any]) -> Response:
    return Response(text=case["text"], reasoning=case.get("reasoning"), finish=case.get("finish"))


def verdict(score: Score) -> str:
    if score.outcome is Outcome.SCORED:
        return "right" if score.value == 1 else "wrong"
    assert score.value == 0
    return str(score.outcome)


def table(scorer: str) -> Any:
    rows = [case for case in CASES if case[scorer] is not None]
    return pytest.mark.parametrize("case", rows, ids=[case["id"] for case in rows])


@pytest.mark.parametrize("scorer", ["official", "recipe"])
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_code_of_others(case: dict[str, Any], scorer: str) -> None:
    score = BENCHMARK.scorers[scorer](GOLD_T, response(case))
    assert [score.extracted, verdict(score)] == case[scorer]
    wanted = case.get(f"{scorer}_flags")
    assert wanted is None or list(score.flags) == wanted


@table("strict")
def test_strict(case: dict[str, Any]) -> None:
    check_ours("strict", case)


@table("lenient")
def test_lenient(case: dict[str, Any]) -> None:
    check_ours("lenient", case)


def check_ours(scorer: str, case: dict[str, Any]) -> None:
    right, wrong = (BENCHMARK.scorers[scorer](gold, response(case)) for gold in (GOLD_T, GOLD_F))
    if case[scorer] in ("T", "F"):
        assert (right.extracted, right.outcome) == (case[scorer], Outcome.SCORED)
        assert (right.value, wrong.value) == ((1, 0) if case[scorer] == "T" else (0, 1))
    else:
        assert (right.extracted, str(right.outcome), right.value) == (None, case[scorer], 0)
        assert (wrong.extracted, wrong.outcome, wrong.value) == (None, right.outcome, 0)
    assert set(case.get(f"{scorer}_flags", ())) <= set(right.flags)


def test_a_failure_is_no_answer_under_any_scorer() -> None:
    failed = Response(failure=Failure(owner=Owner.PROVIDER, kind="timeout", message="no reply in 60 s"))
    for scorer in BENCHMARK.scorers.values():
        score = scorer(GOLD_T, failed)
        assert (score.value, score.outcome, score.owner) == (None, Outcome.FAILED, Owner.PROVIDER)
        assert score.reason == "no reply in 60 s"


def test_empty_text_at_the_limit_is_truncated() -> None:
    """T24: nothing visible, all tokens spent."""
    spent = Response(text="", finish="length", max_tokens=64, usage=Usage(completion_tokens=64))
    assert BENCHMARK.scorers["strict"](GOLD_T, spent).outcome is Outcome.TRUNCATED
    assert BENCHMARK.scorers["lenient"](GOLD_T, spent).outcome is Outcome.TRUNCATED


THOUGHTS = [
    ("<think>a</think><answer>T</answer>", None, ()),
    ("<answer>T</answer>", None, ("no_think",)),
    ("<think>never closed <answer>T</answer>", None, ("no_think",)),
    ("<think></think><answer>T</answer>", None, ("empty_think",)),
    ("<think> \n</think><answer>T</answer>", None, ("empty_think",)),
    ("the open tag is in the template</think><answer>T</answer>", None, ()),
    ("</think><answer>T</answer>", None, ("empty_think",)),
    ("<answer>T</answer>", "in its own channel", ()),
    ("<answer>T</answer>", " \n", ("no_think",)),
    (None, None, ("no_think",)),
]


@pytest.mark.parametrize(("text", "reasoning", "flags"), THOUGHTS)
def test_thought_flags(text: str | None, reasoning: str | None, flags: tuple[str, ...]) -> None:
    given_response = Response(text=text, reasoning=reasoning)
    assert thought_flags(given_response) == flags
    assert set(flags) <= set(BENCHMARK.scorers["strict"](GOLD_T, given_response).flags)


def test_a_missing_thought_does_not_change_the_value() -> None:
    scores = [
        BENCHMARK.scorers["strict"](GOLD_T, Response(text=thought + "<answer>T</answer>"))
        for thought in ("", "<think></think>", "<think>a</think>")
    ]
    assert [score.value for score in scores] == [1, 1, 1]
    assert [score.flags for score in scores] == [("no_think",), ("empty_think",), ()]


PIECES = [
    "<answer>",
    "</answer>",
    "<think>",
    "</think>",
    "T",
    "F",
    "true",
    "Answer:",
    " ",
    "\n",
    ".",
    "\ud800",
    "\0",
]


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join) | st.text(max_size=60), st.booleans())
@settings(deadline=None, max_examples=300)
def test_any_text_gets_a_sound_score_from_every_scorer(text: str, gold: bool) -> None:
    given_response = Response(text=text)
    for scorer in BENCHMARK.scorers.values():
        score = scorer(GOLD_T if gold else GOLD_F, given_response)
        assert score == scorer(GOLD_T if gold else GOLD_F, given_response)
        assert score.value in (0, 1)
        assert score.value == 0 or score.outcome is Outcome.SCORED
        assert score.span is None or 0 <= score.span[0] <= score.span[1] <= len(text)


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join) | st.text(max_size=60))
@settings(deadline=None, max_examples=300)
def test_recipe_values_are_those_of_its_code(text: str) -> None:
    start = text.find("<answer>") + len("<answer>")
    answer = text[start : text.find("</answer>")].strip().upper()
    score = BENCHMARK.scorers["recipe"](GOLD_T, Response(text=text))
    assert (score.extracted, score.value) == (answer, float(answer == "T"))


DOCS = Path(__file__).parents[2] / "docs" / "tfq.md"
CUT = " (cut by the limit)"


def documented() -> list[list[str]]:
    """The rows of the table in the docs: the response and one cell for each scorer."""
    table = DOCS.read_text("utf-8").split("<!-- checked by", 1)[1].split("\n\n", 1)[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| `")]
    return [row for row in rows if row[0] != "response"]


def cell(score: Score) -> str:
    if score.outcome is not Outcome.SCORED:
        return str(score.outcome)
    return f"`{score.extracted}` {'✓' if score.value else '✗'}"


def test_the_table_in_the_docs_is_true() -> None:
    rows = documented()
    assert len(rows) > 10
    for text, *cells in rows:
        cut = text.endswith(CUT)
        shown = Response(text=text.removesuffix(CUT).strip("`"), finish="length" if cut else "stop")
        assert [cell(scorer(GOLD_T, shown)) for scorer in BENCHMARK.scorers.values()] == cells, text
