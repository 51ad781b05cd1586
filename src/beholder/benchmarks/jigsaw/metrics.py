"""The figures of the jigsaw benchmark.

`position_accuracy` is the mean share of places with the right piece, `solved` the share of puzzles that are
right entirely; both also for each size (`position_accuracy/3x3`). Chance gives each place the right piece
once in n² times, whatever else is answered. Intervals redraw photographs, for puzzles cut from one photograph
are not independent.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from beholder.benchmarks.benchmark import MetricOptions
from beholder.metrics.accuracy import share
from beholder.score import Metric, Metrics, ScoredItem


def metrics(items: Sequence[ScoredItem], options: MetricOptions) -> Metrics:
    """Scorer name → metric name → figure, for each scorer that any row has a score of."""
    names = dict.fromkeys(name for item in items for name in item.scores)
    return {name: _of_scorer([item for item in items if name in item.scores], name, options) for name in names}


def chance(category: str) -> float | None:
    """What a random arrangement of that size scores on average: 1/n². None for a category that is no size.

    >>> round(chance("3x3"), 3)
    0.111
    """
    n, _, other = category.partition("x")
    return 1 / int(n) ** 2 if n == other and n.isascii() and n.isdigit() and len(n) < 4 and int(n) else None


def _of_scorer(items: Sequence[ScoredItem], name: str, options: MetricOptions) -> dict[str, Metric]:
    figures = _pair(items, name, options, "")
    for category in sorted({item.category for item in items if item.category}):
        rows = [item for item in items if item.category == category]
        figures |= _pair(rows, name, options, f"/{category}")
    return figures


def _pair(items: Sequence[ScoredItem], name: str, options: MetricOptions, suffix: str) -> dict[str, Metric]:
    values = [item.scores[name].value for item in items]
    solved = [None if value is None else float(value == 1) for value in values]
    clusters = [item.cluster for item in items]

    def figure(of: Sequence[float | None]) -> Metric:
        return share(of, clusters, seed=options.seed, resamples=options.resamples)

    return {
        f"position_accuracy{suffix}": _with_chance(figure(values), items),
        f"solved{suffix}": figure(solved),
    }


def _with_chance(metric: Metric, items: Sequence[ScoredItem]) -> Metric:
    """The figure with the chance level in its note: the mean of 1/n² over the same rows."""
    levels = [chance(item.category) for item in items]
    known = [level for level in levels if level is not None]
    if not known or len(known) < len(levels):
        return metric
    note = f"a random arrangement scores {sum(known) / len(known):.3f}"
    return msgspec.structs.replace(metric, note="; ".join(filter(None, (metric.note, note))))
