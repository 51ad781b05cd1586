"""Scored rows of TIR-Bench, made by hand for the tests of its figures."""

from __future__ import annotations

from typing import Any

from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import MetricOptions
from beholder.benchmarks.tir.metrics import metrics
from beholder.errors import Owner
from beholder.score import Metric, Outcome, Score, ScoredItem

TIR = benchmark("tir")
OPTIONS = MetricOptions(seed=1, resamples=200)
NOT_READ = Score(None, Outcome.NOT_APPLICABLE)
FAILED = Score(None, Outcome.FAILED, owner=Owner.JUDGE)
NINE = (4, 1, 8, 9, 3, 6, 2, 7, 5)


def scored(value: float, extracted: str | None = None) -> Score:
    return Score(value, Outcome.SCORED, extracted)


def row(
    task: str, number: int = 0, *, difficulty: str = "", target: str = "", split: str = "", **scores: Score
) -> ScoredItem:
    named = {name.replace("det", "official(det)"): score for name, score in scores.items()}
    return ScoredItem(
        index=number,
        key=f"{task}{number}",
        scores=named,
        cluster=f"{task}{number}.png",
        category=task,
        difficulty=difficulty,
        target=target,
        split=split,
    )


def rows(task: str, *values: float | None, **more: Any) -> list[ScoredItem]:
    """One row for each value, under `lenient`; None is a failure."""
    return [
        row(task, number, lenient=FAILED if value is None else scored(value), **more)
        for number, value in enumerate(values)
    ]


def figures(items: list[ScoredItem], scorer: str = "lenient") -> dict[str, Metric]:
    return metrics(items, OPTIONS)[scorer]


# values by task; micro and macro mean
