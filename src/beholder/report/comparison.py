"""Two runs on the same items: one value for each item from each side, then the paired statistics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from beholder.metrics.paired import (
    Paired,
    align,
    holm,
    minimum_detectable_effect,
    paired_difference,
)
from beholder.metrics.votes import Decision, majority, tally
from beholder.score import Score, ScoredItem


class ItemValue(msgspec.Struct, frozen=True):
    """One item's value under one scorer: the mean over epochs of its score, or of its majority verdict (1 or 0).

    None if every response failed.
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
    difference that a comparison of this size finds with 80 % power.
    """

    scorer: str
    paired: Paired
    categories: list[CategoryRow]
    gained: list[str]
    lost: list[str]
    detectable: float | None


def item_values(items: Sequence[ScoredItem], scorer: str, *, voted: bool) -> dict[str, ItemValue]:
    """One value for each sample key. With `voted`, the K votes of an epoch become one majority verdict first."""
    scores: dict[str, dict[int, list[Score]]] = defaultdict(lambda: defaultdict(list))
    facts: dict[str, ScoredItem] = {}
    for item in items:
        scores[item.key][item.epoch].append(item.scores[scorer])
        facts.setdefault(item.key, item)
    values = {}
    for key, epochs in scores.items():
        means = [mean for votes in epochs.values() if (mean := _epoch_value(votes, voted=voted)) is not None]
        value = sum(means) / len(means) if means else None
        values[key] = ItemValue(value, facts[key].cluster or key, facts[key].category)
    return values


def _epoch_value(votes: list[Score], *, voted: bool) -> float | None:
    if voted:
        counted = tally(votes)
        if counted.answered == 0:
            return None
        # A failed vote is no vote: the majority is taken among those that came back.
        decision = majority(msgspec.structs.replace(counted, failed=0))
        return 1.0 if decision is Decision.RIGHT else 0.0
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
        detectable=_detectable([change for _, change in changes]),
    )


def _detectable(changes: list[float]) -> float | None:
    n = len(changes)
    if n < 2:
        return None
    mean = sum(changes) / n
    sd = (sum((change - mean) ** 2 for change in changes) / (n - 1)) ** 0.5
    return minimum_detectable_effect(n, sd=sd) if sd > 0 else None
