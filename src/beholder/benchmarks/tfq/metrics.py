"""The figures of TFQ-Bench, each computed from the rows of one scorer.

`question_accuracy` is the share of right answers over all questions (the founding recipe's figure).
`group_accuracy` is the share of images of which every question is right: the only accuracy that the
authors' script prints, and what their tables report. Beside them stand what could fake them: no answer at
all (`empty_rate`) and leaning to one side (`answered_true` next to `gold_true`; `true_accuracy`,
`false_accuracy`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from beholder.benchmarks.benchmark import MetricOptions
from beholder.metrics.accuracy import share
from beholder.metrics.groups import all_or_nothing
from beholder.score import Metric, Metrics, Outcome, Score, ScoredItem

MOST_CATEGORIES = 40
"""More categories than this are pooled: a column of free text is no category."""
OTHER = "(other)"

_EMPTY = (Outcome.UNPARSED, Outcome.REFUSED, Outcome.TRUNCATED)
_NO_URL = "no Image_URL: all rows form one group, as in the authors' code"


def metrics(items: Sequence[ScoredItem], options: MetricOptions) -> Metrics:
    """Scorer name → metric name → figure.

    Intervals redraw whole clusters (rows that show the same image). With several epochs a group is one image
    in one epoch and one vote; the epochs and votes of an image stay in one cluster. With `options.group_sizes` a
    group whose rows are not all there is undecided, unless one of them is already wrong.
    """
    names = dict.fromkeys(name for item in items for name in item.scores)
    everything = _Rows(items)
    found: Metrics = {}
    for name in names:
        scored = [item for item in items if name in item.scores]
        rows = everything if len(scored) == len(items) else _Rows(scored)
        found[name] = _of_scorer(rows, [item.scores[name] for item in scored], options)
    return found


def details(items: Sequence[ScoredItem], options: MetricOptions | None = None) -> dict[str, Any]:
    """`confusion`: scorer → gold (`T`, `F`) → how often `T`, `F` or neither (`none`) was said.

    Failed rows are not counted. The options change nothing here.
    """
    names = dict.fromkeys(name for item in items for name in item.scores)
    return {"confusion": {name: _confusion(items, name) for name in names}}


def said(score: Score) -> str:
    """What was answered: `T`, `F`, or `none` if nothing, or nothing that is T or F, was read."""
    answer = (score.extracted or "").strip().upper() if score.outcome is Outcome.SCORED else ""
    return answer if answer in ("T", "F") else "none"


def _confusion(items: Sequence[ScoredItem], name: str) -> dict[str, dict[str, int]]:
    counts = Counter(
        (item.target, said(score))
        for item in items
        if (score := item.scores.get(name)) is not None and score.value is not None
    )
    return {gold: {answer: counts[gold, answer] for answer in ("T", "F", "none")} for gold in ("T", "F")}


class _Rows:
    """What the figures need of the rows apart from the scores, and which rows each part of them counts."""

    def __init__(self, items: Sequence[ScoredItem]) -> None:
        self.clusters = [item.cluster for item in items]
        # The epoch keeps repetitions apart, and gives rows without a name a group as the authors' code does.
        self.groups = [f"{item.epoch}.{item.vote} {item.group}" for item in items]
        self.group_in_data = dict(zip(self.groups, (item.group for item in items), strict=True))
        self.named_groups = any(item.group for item in items)
        self.gold_true = [item.target == "T" for item in items]
        self.parts: dict[str, list[int]] = {
            "true_accuracy": [row for row, true in enumerate(self.gold_true) if true],
            "false_accuracy": [row for row, true in enumerate(self.gold_true) if not true],
        }
        for prefix, labels in (
            ("", [item.category for item in items]),
            ("difficulty ", [item.difficulty for item in items]),
        ):
            for label, rows in sorted(_by_label(labels).items()):
                self.parts[f"question_accuracy/{prefix}{label}"] = rows


def _of_scorer(rows: _Rows, scores: Sequence[Score], options: MetricOptions) -> dict[str, Metric]:
    values = [score.value for score in scores]
    answers = [said(score) for score in scores]

    def part(figures: Sequence[float | None], of: Sequence[int] | None = None) -> Metric:
        clusters = rows.clusters
        if of is not None:
            figures, clusters = [figures[row] for row in of], [clusters[row] for row in of]
        return share(figures, clusters, seed=options.seed, resamples=options.resamples)

    def scored(tests: Sequence[bool]) -> list[float | None]:
        """1 or 0 for each row by its test, None where there was no answer to test."""
        return [None if value is None else float(test) for value, test in zip(values, tests, strict=True)]

    answered = [row for row, answer in enumerate(answers) if answer != "none"]
    figures = {
        "question_accuracy": part(values),
        "group_accuracy": _group_accuracy(rows, values, options),
        "empty_rate": part(scored([score.outcome in _EMPTY for score in scores])),
        "answered_true": _without_bounds(part([float(answer == "T") for answer in answers], answered)),
        "gold_true": _without_bounds(part(scored(rows.gold_true))),
    }
    return figures | {name: part(values, of) for name, of in rows.parts.items()}


def _group_accuracy(rows: _Rows, values: Sequence[float | None], options: MetricOptions) -> Metric:
    known = options.group_sizes
    metric = all_or_nothing(
        values,
        rows.groups,
        rows.clusters,
        sizes=None if known is None else {name: known.get(group, 1) for name, group in rows.group_in_data.items()},
        seed=options.seed,
        resamples=options.resamples,
    )
    if len(values) > 1 and not rows.named_groups:
        metric = msgspec.structs.replace(metric, note="; ".join(filter(None, (metric.note, _NO_URL))))
    return metric


def _without_bounds(metric: Metric) -> Metric:
    """For shares that are no score: "if all the failed ones were right" has no meaning for them."""
    return msgspec.structs.replace(metric, worst=None, best=None)


def _by_label(labels: Sequence[str]) -> dict[str, list[int]]:
    """The rows of each label; rows without one are left out, and the rarer of too many labels are pooled."""
    rows: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        if label:
            rows.setdefault(label, []).append(row)
    if len(rows) <= MOST_CATEGORIES:
        return rows
    by_size = sorted(rows, key=lambda label: (-len(rows[label]), label))
    kept = {label: rows[label] for label in by_size[: MOST_CATEGORIES - 1]}
    return kept | {OTHER: sorted(row for label in by_size[MOST_CATEGORIES - 1 :] for row in rows[label])}
