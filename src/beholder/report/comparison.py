"""Two runs on the same items: one value for each item from each side, then the paired statistics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.metrics.paired import (
    Paired,
    align,
    holm,
    minimum_detectable_effect,
    paired_difference,
)
from beholder.metrics.votes import Decision, majority, majority_of_answered, tally
from beholder.score import Outcome, Score, ScoredItem


class ItemValue(msgspec.Struct, frozen=True):
    """One item's value under one scorer: the mean over epochs of its score, or of its majority verdict (1 or 0).

    None if every response failed, or if failed votes leave every majority open.
    """

    value: float | None
    cluster: str
    category: str


class CategoryRow(msgspec.Struct, frozen=True):
    """The difference within one category; `p_holm` is corrected for the number of categories."""

    category: str
    paired: Paired
    p_holm: float | None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """How run b differs from run a under one scorer, over all items and by category.

    `gained` are the keys that b improves on, `lost` those it falls back on. `detectable` is the smallest true
    difference that a comparison of this size finds with 80 % power; items of one cluster are not independent, and
    their differences are summed before the spread is taken.
    """

    scorer: str
    paired: Paired
    categories: list[CategoryRow]
    gained: list[str]
    lost: list[str]
    detectable: float | None


def headline_scorer(found: Benchmark, items: Sequence[ScoredItem]) -> str:
    """The headline's scorer, or what stands in for it where it could not judge every one of these responses."""
    scorer = found.headline[0]
    judged = all(item.scores[scorer].outcome is not Outcome.NOT_APPLICABLE for item in items if scorer in item.scores)
    return scorer if judged or found.headline_without_extractor is None else found.headline_without_extractor[0]


def item_values(items: Sequence[ScoredItem], scorer: str, *, voted: bool) -> dict[str, ItemValue]:
    """One value for each sample key. With `voted`, the K votes of an epoch become one majority verdict first.

    K is the most votes that any item has in any epoch; votes that an item lacks count in K like failed ones.
    """
    scores: dict[str, dict[int, list[Score]]] = defaultdict(lambda: defaultdict(list))
    facts: dict[str, ScoredItem] = {}
    for item in items:
        scores[item.key][item.epoch].append(item.scores[scorer])
        facts.setdefault(item.key, item)
    planned = max((len(votes) for epochs in scores.values() for votes in epochs.values()), default=0)
    # The authors' result file holds no failed request: under their scorer such votes are not in K.
    in_k = None if scorer == "official" else planned
    values = {}
    for key, epochs in scores.items():
        means = [mean for votes in epochs.values() if (mean := _epoch_value(votes, in_k, voted=voted)) is not None]
        value = sum(means) / len(means) if means else None
        values[key] = ItemValue(value, facts[key].cluster or key, facts[key].category)
    return values


def _epoch_value(votes: list[Score], planned: int | None, *, voted: bool) -> float | None:
    """The value of one epoch's votes; `planned` is K, None if only the votes that came back are in K."""
    if voted:
        counted = tally(votes)
        if planned is None:
            decision = majority_of_answered(counted)
        else:
            decision = majority(msgspec.structs.replace(counted, failed=planned - counted.answered))
        return None if decision is Decision.FAILED else float(decision is Decision.RIGHT)
    answered = [score.value for score in votes if score.value is not None]
    return sum(answered) / len(answered) if answered else None


def compare(
    a: Sequence[ScoredItem],
    b: Sequence[ScoredItem],
    scorer: str,
    *,
    voted: bool,
    intersect: bool,
    names: tuple[str, str] = ("A", "B"),
    seed: int = 0,
    resamples: int = 1000,
) -> Comparison:
    """The paired comparison of two runs. Different item sets are refused unless `intersect`."""
    aligned = align(
        item_values(a, scorer, voted=voted),
        item_values(b, scorer, voted=voted),
        intersect=intersect,
        names=names,
    )
    left, right = aligned.a, aligned.b
    clusters = [value.cluster for value in left]
    paired = paired_difference(
        [value.value for value in left],
        [value.value for value in right],
        clusters,
        seed=seed,
        resamples=resamples,
    )
    rows: dict[str, list[int]] = defaultdict(list)
    for row, value in enumerate(left):
        rows[value.category].append(row)
    by_category = [
        (
            category,
            paired_difference(
                [left[row].value for row in members],
                [right[row].value for row in members],
                [clusters[row] for row in members],
                seed=seed,
                resamples=resamples,
            ),
        )
        for category, members in sorted(rows.items())
        if len(rows) > 1
    ]
    tested = [result.p for _, result in by_category if result.p is not None]
    corrected = iter(holm(tested))
    aligned_cluster = dict(zip(aligned.keys, clusters, strict=True))
    changes = [
        (key, (theirs.value or 0.0) - (ours.value or 0.0))
        for key, ours, theirs in zip(aligned.keys, left, right, strict=True)
        if ours.value is not None and theirs.value is not None
    ]
    return Comparison(
        scorer=scorer,
        paired=paired,
        categories=[
            CategoryRow(category, result, next(corrected) if result.p is not None else None)
            for category, result in by_category
        ],
        gained=[key for key, change in changes if change > 0],
        lost=[key for key, change in changes if change < 0],
        detectable=_detectable([(aligned_cluster[key], change) for key, change in changes]),
    )


def _detectable(changes: list[tuple[str, float]]) -> float | None:
    """The detectable difference from (cluster, difference) of each item.

    The variance of the mean of n differences d_i in G clusters is taken as G / (G - 1) · Σ_g (Σ_{i in g} (d_i - d̄))² /
    n² (the cluster-robust estimate of Cameron and Miller, Journal of Human Resources 50, 2015, for a mean). With each
    item its own cluster, it is sd² / n.
    """
    n = len(changes)
    sums: dict[str, float] = defaultdict(float)
    mean = sum(change for _, change in changes) / max(n, 1)
    for cluster, change in changes:
        sums[cluster] += change - mean
    if len(sums) < 2:
        return None
    variance = len(sums) / (len(sums) - 1) * sum(total**2 for total in sums.values()) / n**2
    sd = (n * variance) ** 0.5  # of independent items that would leave the mean as uncertain
    return minimum_detectable_effect(n, sd=sd) if sd > 1e-12 else None
