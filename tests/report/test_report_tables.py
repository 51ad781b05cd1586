"""The tables of figures, and the notes under them: each said once, with where it applies."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rich.console import Console

from beholder.benchmarks import benchmark
from beholder.report.as_json import dump
from beholder.report.details_report import print_details
from beholder.report.terminal import disagreements, notes, print_items_summary, print_metrics, verdict
from beholder.score import Metric, Metrics, Outcome, Score, ScoredItem

TFQ = benchmark("tfq")


def printed(metrics: Metrics, *, width: int = 100, every: bool = False) -> list[str]:
    sink = io.StringIO()
    print_metrics(Console(file=sink, width=width, markup=False, highlight=False), TFQ, metrics, "Title", every=every)
    return sink.getvalue().splitlines()


def noted(**by_metric: str) -> dict[str, Metric]:
    return {name: Metric(value=0.5, n=4, note=note) for name, note in by_metric.items()}


NOTES: list[tuple[str, Metrics, list[str]]] = [
    ("none", {"a": noted(x="")}, []),
    ("once for all scorers", {"a": noted(x="few"), "b": noted(x="few")}, ["few (x)"]),
    ("of one scorer", {"a": noted(x="few"), "b": noted(x="")}, ["few (a x)"]),
    ("many places", {"a": noted(p="few", q="few", r="few", s="few", t="few")}, ["few (p, q, r and 2 more)"]),
    ("two in one", {"a": noted(x="few; odd", y="odd")}, ["few (x)", "odd (x, y)"]),
    ("a count that differs", {"a": noted(x="only 3 groups", y="only 12 groups")}, ["only 3 to 12 groups (x, y)"]),
    ("a level that differs", {"a": noted(x="chance 0.1", y="chance 0.25")}, ["chance 0.1 (x), 0.25 (y)"]),
    (
        "two numbers that differ",
        {"a": noted(x="1 of 2", y="3 of 4")},
        ["1 of 2 (x)", "3 of 4 (y)"],
    ),
    ("huge numbers", {"a": noted(x="n 1" + "0" * 5000, y="n 20")}, ["n 20 to 1" + "0" * 5000 + " (x, y)"]),
]


@pytest.mark.parametrize(("metrics", "expected"), [row[1:] for row in NOTES], ids=[row[0] for row in NOTES])
def test_notes_are_said_once_with_their_places(metrics: Metrics, expected: list[str]) -> None:
    assert notes(metrics) == expected


def figures(**more: Metric) -> dict[str, Metric]:
    return {"question_accuracy": Metric(value=0.5, n=8, low=0.2, high=0.8, worst=0.5, best=0.5), **more}


def test_the_headline_stands_first_with_every_scorer() -> None:
    lines = printed({name: figures() for name in ("recipe", "official", "strict", "lenient")})
    assert lines[0] == "Title"
    assert lines[1] == "question_accuracy [95 % interval], headline by recipe"
    assert [line.split() for line in lines[2:6]] == [
        [name, "50.0", "%", "[20.0,", "80.0]", "n=8"] for name in ("recipe", "official", "strict", "lenient")
    ]


def test_failures_move_bounds_and_are_named() -> None:
    failed = Metric(value=0.5, n=6, failed=2, worst=0.375, best=0.625)
    lines = printed({"recipe": {"question_accuracy": failed, "empty_rate": failed}})
    assert lines[2].endswith("n=6, 2 failed (37.5 to 62.5 % if those were wrong or right)")
    assert "recipe, if each failed one counted 0 or 1: empty_rate 37.5 to 62.5 %" in lines
    every = printed({"recipe": {"question_accuracy": failed}}, every=True)
    assert every[1].split()[-5:] == ["n", "failed", "if", "wrong,", "right"]
    assert every[2].split() == ["question_accuracy", "recipe", "50.0", "%", "6", "2", "37.5", "to", "62.5", "%"]


def test_parts_of_a_metric_stand_together_under_it() -> None:
    one = Metric(value=1.0, n=1)
    own = figures(**{"question_accuracy/[b]": one, "other": one, "question_accuracy/a/b": one})
    rows = [line.rstrip() for line in printed({"recipe": own})][3:]
    assert [row.split()[0] for row in rows] == ["recipe", "other", "question_accuracy:", "[b]", "a/b"]
    assert rows[3].startswith("  [b] ")


def test_different_denominators_are_a_range() -> None:
    own = {name: figures(answered_true=Metric(value=0.5, n=n)) for name, n in (("recipe", 7), ("strict", 3))}
    assert printed(own)[-1].split()[-1] == "3–7"


def test_the_widest_table_fits_80_columns() -> None:
    """Four scorers, the longest metric name of VL-RewardBench, denominators of four digits that differ."""
    own = {
        name: figures(hallucination_decided=Metric(value=1.0, n=n, low=0.51, high=1.0))
        for name, n in (("recipe", 4966), ("official", 4966), ("strict", 4966), ("lenient", 5622))
    }
    last = printed(own, width=80)[-1]
    assert last.split()[-1] == "4966–5622"
    assert last.count("100.0 %") == 4


def test_a_scorer_that_lacks_a_metric_has_an_empty_cell() -> None:
    lines = printed({"recipe": figures(), "strict": figures(extra=Metric(value=0.25, n=2))})
    assert lines[-1].split() == ["extra", "25.0", "%", "2"]


def item(*values: float, key: str = "k") -> ScoredItem:
    scores = {
        name: Score(value, Outcome.SCORED, extracted="T\x1b[2J") for name, value in zip("ab", values, strict=True)
    }
    return ScoredItem(index=0, key=key, scores=scores)


def test_scorers_of_another_question_do_not_disagree() -> None:
    rows = [item(1, 0, key="k0"), item(1, 1, key="k1")]
    assert disagreements(rows, others=("b",)) == (0, [])
    sink = io.StringIO()
    print_items_summary(Console(file=sink, width=100), rows, "beholder show X KEY", ("b",))
    assert "disagree" not in sink.getvalue()
    assert verdict(Score(1, Outcome.SCORED, extracted='{"metaphor":false}')) == "1 'metaphor no'"


def test_disagreements_are_counted_and_some_are_shown() -> None:
    rows = [item(1, 0, key=f"k{number}") for number in range(9)] + [item(1, 1), item(0, 0)]
    number, some = disagreements(rows)
    assert number == 9
    assert [one.key for one, _ in some] == ["k0", "k1", "k2", "k3", "k4"]
    sink = io.StringIO()
    print_items_summary(Console(file=sink, width=100), rows, "beholder show X KEY")
    text = sink.getvalue()
    assert "The scorers disagree on 9 of 11 responses:" in text
    assert "  k0: a 1 'T' · b 0 'T'" in text
    assert "… and 4 more" in text
    assert "Look at one: beholder show X KEY" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (Score(1.0, Outcome.SCORED, extracted="T"), "1 'T'"),
        (Score(0.125, Outcome.SCORED), "0.125"),
        (Score(0.0, Outcome.UNPARSED, extracted=""), "0 unparsed"),
        (Score(0.0, Outcome.TIE), "0 tie"),
        (Score(None, Outcome.FAILED), "– failed"),
        (Score(None, Outcome.NOT_APPLICABLE), "– n/a"),
    ],
)
def test_a_verdict_in_words(score: Score, words: str) -> None:
    assert verdict(score) == words


def test_details_of_both_kinds() -> None:
    sink = io.StringIO()
    console = Console(file=sink, width=100)
    details: dict[str, Any] = {
        "confusion": {"recipe": {"T": {"T": 3, "F": 1, "none": 2}, "F": {"T": 0, "F": 4, "none": 5}}},
        "recipe": {"accuracy_by_k": [{"k": 1, "all": 0.5, "decided": 0.6}, {"k": 2, "all": 0.25, "decided": None}]},
        "chance": {"1": 0.5, "2": 0.25},
    }
    print_details(console, details, TFQ, {})
    lines = [line.split() for line in sink.getvalue().splitlines() if line.strip()]
    assert lines[1] == ["recipe", "3", "1", "2", "0", "4", "5"]
    assert lines[2][-2:] == ["K=1", "K=2"]
    assert lines[3] == ["recipe,", "all", "items", "50.0", "%", "25.0", "%"]
    assert lines[4] == ["recipe,", "decided", "60.0", "%", "–"]
    assert lines[5][-4:] == ["50.0", "%", "25.0", "%"]
    printed_before = sink.getvalue()
    print_details(console, {}, TFQ, {})
    assert sink.getvalue() == printed_before


def test_json_holds_any_text_and_no_number_that_json_lacks() -> None:
    text = dump({"a": float("nan"), "b": [float("inf"), 1.5], "c": "\ud83d\x1b", "d": {"e": (1, None)}})
    assert text.isascii()
    assert json.loads(text) == {"a": None, "b": [None, 1.5], "c": "\ud83d\x1b", "d": {"e": [1, None]}}
