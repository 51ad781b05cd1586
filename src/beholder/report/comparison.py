"""Two runs on the same items: one value for each item from each side, then the paired statistics."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec
import numpy as np

from beholder.benchmarks.benchmark import Benchmark
from beholder.metrics.intervals import Floats, Integers
from beholder.metrics.paired import (
    SIGNIFICANT,
    Paired,
    align,
    holm_where_tested,
    minimum_detectable_effect,
    paired_scores,
)
from beholder.metrics.votes import Decision, majority, majority_of_answered, tally
from beholder.score import Outcome, Score, ScoredItem

MOST_CATEGORIES = 1_000
"""Runs with more of them are compared in all only: a stranger's items may each have a category of their own."""


class ItemValue(msgspec.Struct, frozen=True):
    """One item's value under one scorer: the mean over epochs of its score, or of its majority verdict (1 or 0).

    None if every response failed, or if failed votes leave every majority open.
    """

    value: float | None
    cluster: str
    category: str


class Shared(msgspec.Struct, frozen=True):
    """Items that runs share, in the order of their keys: the number of each one's cluster, and that of its category
    among the `named` ones, which are sorted."""

    keys: list[str]
    clusters: Integers
    categories: Integers
    named: list[str]


class CategoryRow(msgspec.Struct, frozen=True):
    """The difference within one category; `p_holm` is corrected for the number of categories. `n_gained` and `n_lost`
    count the items that improved and that fell back."""

    category: str
    paired: Paired
    p_holm: float | None
    n_gained: int = 0
    n_lost: int = 0


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """How run b differs from run a under one scorer, over all items and by category, where there is more than one and
    at most `MOST_CATEGORIES`.

    `gained` are the keys that b improves on, `lost` those it falls back on. `detectable` is the smallest true
    difference that the deciding test finds with 80 % power in a comparison of this size: by Connor's formula where
    McNemar's test decides, else from the spread of the clusters' sums. None where there is no spread, where not even
    100 points would show, and where p cannot be small whatever happens.
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
    return scorer if judged or found.second_headline is None else found.second_headline[0]


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
    values = {}
    for key, epochs in scores.items():
        value = item_value(epochs.values(), scorer, planned, voted=voted)
        values[key] = ItemValue(value, facts[key].cluster or key, facts[key].category)
    return values


def item_value(epochs: Iterable[Sequence[Score]], scorer: str, planned: int, *, voted: bool) -> float | None:
    """The value of one item from its scores under one scorer, epoch by epoch; `planned` is K."""
    means = [mean for votes in epochs if (mean := _epoch_value(votes, scorer, planned, voted=voted)) is not None]
    return sum(means) / len(means) if means else None


def epoch_decision(votes: Sequence[Score], scorer: str, planned: int) -> Decision:
    """What the votes of one epoch decide; `planned` is K, and votes that are not there count in it like failed ones."""
    counted = tally(votes)
    if scorer == "official":  # the authors' result file holds no failed request: such votes are not in K
        return majority_of_answered(counted)
    return majority(msgspec.structs.replace(counted, failed=planned - counted.answered))


def _epoch_value(votes: Sequence[Score], scorer: str, planned: int, *, voted: bool) -> float | None:
    if voted:
        decision = epoch_decision(votes, scorer, planned)
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
    return compare_values(
        item_values(a, scorer, voted=voted),
        item_values(b, scorer, voted=voted),
        scorer,
        intersect=intersect,
        names=names,
        seed=seed,
        resamples=resamples,
    )


def compare_values(
    a: Mapping[str, ItemValue],
    b: Mapping[str, ItemValue],
    scorer: str,
    *,
    intersect: bool,
    names: tuple[str, str] = ("A", "B"),
    seed: int = 0,
    resamples: int = 1000,
) -> Comparison:
    """`compare` of what the items of each run are worth (`item_values`)."""
    aligned = align(a, b, intersect=intersect, names=names)
    shared = shared_items(aligned.keys, [one.cluster for one in aligned.a], [one.category for one in aligned.a])
    left, right = scores_of(aligned.a), scores_of(aligned.b)
    return compare_scores(shared, left, right, scorer, seed=seed, resamples=resamples)


def shared_items(keys: list[str], clusters: Sequence[str], categories: Sequence[str]) -> Shared:
    """The items of these keys, with the names of the clusters and categories that a run has of them."""
    numbers: dict[str, int] = {}
    codes = np.array([numbers.setdefault(name, len(numbers)) for name in clusters], dtype=np.int64)
    named = sorted(set(categories))
    places = {name: place for place, name in enumerate(named)}
    return Shared(keys, codes, np.array([places[name] for name in categories], dtype=np.int64), named)


def scores_of(values: Sequence[ItemValue]) -> Floats:
    """The values as an array, NaN where every response failed."""
    return np.array([math.nan if one.value is None else one.value for one in values], dtype=np.float64)


def compare_scores(
    items: Shared, a: Floats, b: Floats, scorer: str, *, seed: int = 0, resamples: int = 1000
) -> Comparison:
    """The paired comparison of two runs' scores of the same items, in their order; NaN where there is no answer."""

    def paired_of(rows: Integers) -> Paired:
        return paired_scores(a[rows], b[rows], items.clusters[rows], seed=seed, resamples=resamples)

    paired = paired_of(np.arange(len(a)))
    several = 1 < len(items.named) <= MOST_CATEGORIES
    by_category = [paired_of(rows) for rows in _rows_by_category(items)] if several else []
    change = b - a
    gained, lost = np.flatnonzero(change > 0), np.flatnonzero(change < 0)  # NaN is neither
    n_gained, n_lost = (
        np.bincount(items.categories[rows], minlength=len(items.named)).tolist() for rows in (gained, lost)
    )
    corrected = holm_where_tested([result.p_decides for result in by_category])
    known = ~np.isnan(change)
    return Comparison(
        scorer=scorer,
        paired=paired,
        categories=[
            CategoryRow(items.named[place], result, p_holm, n_gained=n_gained[place], n_lost=n_lost[place])
            for place, (result, p_holm) in enumerate(zip(by_category, corrected, strict=True))
        ],
        gained=[items.keys[row] for row in gained.tolist()],
        lost=[items.keys[row] for row in lost.tolist()],
        detectable=_detectable(paired, change[known], items.clusters[known]),
    )


def _rows_by_category(items: Shared) -> list[Integers]:
    """Which rows each category has, by its number."""
    order = np.argsort(items.categories, kind="stable")
    return np.split(order, np.cumsum(np.bincount(items.categories, minlength=len(items.named)))[:-1])


def right_wrong(
    a: Sequence[ScoredItem],
    b: Sequence[ScoredItem],
    scorer: str,
    partial_credit: Collection[str],
    *,
    voted: bool,
    names: tuple[str, str] = ("A", "B"),
    seed: int = 0,
) -> Paired | None:
    """The comparison over the items that are right or wrong: all but those of the categories in `partial_credit`.

    It has the four cells and the exact McNemar p (not where an item is a mean over epochs). None if there are none.
    """
    left, right = ([item for item in items if item.category not in partial_credit] for items in (a, b))
    if not {item.key for item in left} & {item.key for item in right}:
        return None
    return compare(left, right, scorer, voted=voted, intersect=True, names=names, seed=seed).paired


def with_difficulties(items: Sequence[ScoredItem]) -> list[ScoredItem]:
    """The same rows with the difficulty as the category."""
    return [msgspec.structs.replace(item, category=item.difficulty) for item in items]


def _detectable(paired: Paired, changes: Floats, clusters: Integers) -> float | None:
    """The detectable difference, in 0..1, for the test that decides."""
    _, codes = np.unique(clusters, return_inverse=True)
    groups = int(codes.max(initial=-1)) + 1
    if 2 / 2 ** min(groups, 1_000) > SIGNIFICANT:
        return None  # even if all clusters lean to one side
    if paired.p_flips is None:
        return minimum_detectable_effect(paired.n, discordant=np.count_nonzero(changes) / paired.n)
    found = _by_spread(changes, codes, groups)
    return found if found is not None and found <= 1 else None


def _by_spread(changes: Floats, codes: Integers, groups: int) -> float | None:
    """The detectable difference from the difference of each item and the number of its cluster, 0..groups-1.

    The variance of the mean of n differences d_i in G clusters is taken as G / (G - 1) · Σ_g (Σ_{i in g} (d_i - d̄))² /
    n² (the cluster-robust estimate of Cameron and Miller, Journal of Human Resources 50, 2015, for a mean). With each
    item its own cluster, it is sd² / n.
    """
    n = len(changes)
    if groups < 2:
        return None
    sums = np.bincount(codes, weights=changes - math.fsum(changes.tolist()) / n, minlength=groups)
    variance = groups / (groups - 1) * float(sums @ sums) / n**2
    sd = math.sqrt(n * variance)  # of independent items that would leave the mean as uncertain
    return minimum_detectable_effect(n, sd=sd) if sd > 1e-12 else None
