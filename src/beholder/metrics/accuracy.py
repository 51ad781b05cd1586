"""Shares and means of scores, each with its denominator, its interval and its bounds.

A score is a number in 0..1, or None when there was no answer to score (`failed`). A failed item is never
counted as an answer: it is outside `n`, it is counted in `failed`, and `worst` and `best` say how far it
could move the figure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from beholder.metrics.intervals import (
    FEW_CLUSTERS,
    NO_INTERVAL,
    Clusters,
    Floats,
    Integers,
    Interval,
    cluster_bootstrap_means,
    cluster_bootstrap_totals,
    cluster_count,
    wilson,
)
from beholder.score import Metric

NO_SPREAD = "no interval: the resamples do not differ"
ONE_CLUSTER = "no interval: all items are in one cluster"
NOTHING_SCORED = "nothing could be scored"


def share(
    values: Sequence[float | None],
    clusters: Sequence[str] | None = None,
    *,
    counted: Sequence[bool] | None = None,
    seed: int = 0,
    resamples: int = 1000,
) -> Metric:
    """The mean of the scores that exist.

    `counted` marks the rows that belong to the denominator at all; a row that is not counted is in neither
    `n` nor `failed` (the authors' decided-only accuracy of VL-RewardBench drops items in this way). `worst`
    is the mean if every failed item were wrong, which is right / all; `best` if every failed item were
    right.

    The interval is Wilson's when all scores are 0 or 1 and no two share a cluster, and a percentile
    bootstrap over clusters otherwise. When all scores are alike the bootstrap cannot move; then right/wrong
    scores get Wilson's interval with the clusters as the outcomes (`wilson over clusters`: as if each
    cluster were one observation), and other scores get none. It speaks of other items of the same kind, not
    of asking the model again (see `noise`).

    Raises ValueError for a score outside 0..1.

    >>> metric = share([1, 1, 0, 0, 0, 0, None, None])
    >>> round(metric.value, 3), metric.n, metric.failed, metric.worst, metric.best, metric.interval
    (0.333, 6, 2, 0.25, 0.5, 'wilson')
    """
    _check_lengths(len(values), clusters, counted)
    keep = [value is not None and (counted is None or counted[row]) for row, value in enumerate(values)]
    inside = len(values) if counted is None else sum(map(bool, counted))
    scores = _scores([value for value, kept in zip(values, keep, strict=True) if kept])
    names = None if clusters is None else [n for n, kept in zip(clusters, keep, strict=True) if kept]
    return _share(scores, inside - len(scores), names, seed, resamples)


def share_of(scores: Floats, clusters: Integers | None = None, *, seed: int = 0, resamples: int = 1000) -> Metric:
    """`share` of an array, with NaN where there was no answer; `clusters` numbers the rows' clusters.

    >>> metric = share_of(np.array([1.0, 0.0, np.nan]))
    >>> metric.value, metric.n, metric.failed
    (0.5, 2, 1)
    """
    _check_lengths(len(scores), clusters)
    known = ~np.isnan(scores)
    names = None if clusters is None else clusters[known]
    return _share(_scores(scores[known]), len(scores) - int(known.sum()), names, seed, resamples)


def _share(scores: Floats, failed: int, clusters: Clusters | None, seed: int, resamples: int) -> Metric:
    inside = len(scores) + failed
    if inside == 0:
        return Metric(value=None, n=0, note=NOTHING_SCORED)
    total = math.fsum(scores.tolist())
    worst, best = total / inside, (total + failed) / inside
    if len(scores) == 0:
        return Metric(value=None, n=0, failed=failed, worst=worst, best=best, note=NOTHING_SCORED)
    (low, high), interval, note = mean_interval(scores, clusters, seed=seed, resamples=resamples)
    return Metric(
        value=total / len(scores),
        n=len(scores),
        failed=failed,
        low=low,
        high=high,
        worst=worst,
        best=best,
        interval=interval,
        note=note,
    )


def rate(hits: int, n: int, *, failed: int = 0) -> Metric:
    """A share known only by its counts: `hits` of `n` independent items, with Wilson's interval.

    For rows that share clusters use `share`, which sees the rows.

    >>> metric = rate(3, 12)
    >>> metric.value, round(metric.low, 3), round(metric.high, 3)
    (0.25, 0.089, 0.532)
    """
    if failed < 0:
        raise ValueError(f"failed must not be negative: got {failed}")
    low, high = wilson(hits, n)
    inside = n + failed
    return Metric(
        value=hits / n if n else None,
        n=n,
        failed=failed,
        low=low,
        high=high,
        worst=hits / inside if inside else None,
        best=(hits + failed) / inside if inside else None,
        interval="wilson" if n else "",
        note="" if n else NOTHING_SCORED,
    )


def macro(
    values: Sequence[float | None],
    categories: Sequence[str],
    clusters: Sequence[str] | None = None,
    *,
    counted: Sequence[bool] | None = None,
    seed: int = 0,
    resamples: int = 1000,
) -> Metric:
    """The mean of the categories' means: each category weighs the same, however many items it has.

    `counted` is as in `share`. A category that has rows but no score leaves the figure undefined (`value`
    None, the category named in `note`): leaving it out would silently answer another question. The bootstrap
    redraws clusters within each category. `n` and `failed` count items.

    >>> metric = macro([1, 1, 1, 0, 0, 1], ["a", "a", "a", "b", "b", "b"])
    >>> round(metric.value, 4), metric.n
    (0.6667, 6)
    """
    _check_lengths(len(values), clusters, counted, categories)
    names = sorted(set(categories))
    if not names:
        return Metric(value=None, n=0, note=NOTHING_SCORED)
    kept = [value is not None and (counted is None or counted[row]) for row, value in enumerate(values)]
    lost = [value is None and (counted is None or counted[row]) for row, value in enumerate(values)]
    scores = _scores([v if v is not None and k else 0.0 for v, k in zip(values, kept, strict=True)])
    place = {name: number for number, name in enumerate(names)}
    codes = np.array([place[name] for name in categories])

    by_category = [scores[(codes == number) & np.array(kept)] for number in range(len(names))]
    sums = [math.fsum(part) for part in by_category]
    counts = [len(part) for part in by_category]
    failed = np.bincount(codes, weights=np.array(lost, dtype=np.float64), minlength=len(names)).astype(int).tolist()
    base = Metric(
        value=None,
        n=sum(counts),
        failed=sum(failed),
        worst=_mean_of_shares(sums, [n + f for n, f in zip(counts, failed, strict=True)]),
        best=_mean_of_shares(
            [s + f for s, f in zip(sums, failed, strict=True)],
            [n + f for n, f in zip(counts, failed, strict=True)],
        ),
    )
    empty = [name for name, n in zip(names, counts, strict=True) if n == 0]
    if empty:
        return msgspec.structs.replace(base, note=f"no item of {empty[0]!r} could be scored")

    # One column of sums and one of counts for each category; rows outside `kept` weigh nothing.
    columns = np.zeros((len(values), 2 * len(names)))
    rows = np.arange(len(values))
    columns[rows, codes] = scores
    columns[rows, len(names) + codes] = kept
    interval = cluster_bootstrap_totals(
        columns,
        lambda totals: np.mean(totals[:, : len(names)] / totals[:, len(names) :], axis=1),
        clusters,
        categories,
        seed=seed,
        resamples=resamples,
    )
    bounds, method, note = _named(interval, "stratified cluster bootstrap")
    return msgspec.structs.replace(
        base,
        value=math.fsum(s / n for s, n in zip(sums, counts, strict=True)) / len(names),
        low=bounds[0],
        high=bounds[1],
        interval=method,
        note=note,
    )


def mean_interval(scores: Floats, clusters: Clusters | None, *, seed: int, resamples: int) -> tuple[Interval, str, str]:
    """The interval that fits the data (rules in `share`), its name, and a note where there is none.

    >>> mean_interval(np.array([1.0, 1.0, 1.0]), ["a", "a", "b"], seed=0, resamples=1000)[1]
    'wilson over clusters'
    """
    groups = cluster_count(clusters, len(scores))
    binary = bool(np.isin(scores, (0.0, 1.0)).all())
    if binary and groups == len(scores):
        return wilson(int(scores.sum()), len(scores)), "wilson", ""
    if groups < 2:
        return NO_INTERVAL, "", ONE_CLUSTER
    if binary and scores.min() == scores.max():
        return wilson(groups if scores[0] else 0, groups), "wilson over clusters", ""
    interval = cluster_bootstrap_means(scores, clusters, seed=seed, resamples=resamples)
    bounds, method, note = _named(interval, "bootstrap" if groups == len(scores) else "cluster bootstrap")
    return bounds, method, note or few_clusters(groups)


def few_clusters(groups: int) -> str:
    """The note for a bootstrap over few clusters; empty if there are enough."""
    return f"only {groups} clusters: the interval is too narrow" if groups < FEW_CLUSTERS else ""


def _named(interval: Interval, method: str) -> tuple[Interval, str, str]:
    """A bootstrap without width has seen nothing: say so instead of printing false certainty."""
    low, high = interval
    if low is None or high is None:
        return NO_INTERVAL, "", "no interval: too few clusters or resamples"
    if math.isclose(low, high, rel_tol=0, abs_tol=1e-12):
        return NO_INTERVAL, "", NO_SPREAD
    return interval, method, ""


def _scores(values: Sequence[float | None] | Floats) -> Floats:
    scores = np.array(values, dtype=np.float64)
    if not ((scores >= 0) & (scores <= 1)).all():  # NaN fails both
        raise ValueError("scores must be numbers in 0..1, or None where there was no answer")
    return scores


def _mean_of_shares(sums: Sequence[float], counts: Sequence[int]) -> float | None:
    if not all(counts):
        return None
    return math.fsum(s / n for s, n in zip(sums, counts, strict=True)) / len(counts)


def _check_lengths(rows: int, *columns: Sequence[object] | Integers | None) -> None:
    for column in columns:
        if column is not None and len(column) != rows:
            raise ValueError(f"{rows} scores but {len(column)} entries beside them")
