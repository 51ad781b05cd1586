"""Two or more runs on the same items: each against the first, and how far any two agree on which items are right."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, combinations, repeat

import msgspec
import numpy as np
from numpy.typing import NDArray

from beholder.errors import UsageError
from beholder.metrics.accuracy import share_of
from beholder.metrics.intervals import Floats, Integers
from beholder.metrics.paired import align, holm_where_tested, told_apart
from beholder.report.comparison import Comparison, ItemValue, Shared, compare_scores, scores_of, shared_items
from beholder.report.run_agreement import NOT_READ, RunAgreement, agreement_of, numbered
from beholder.score import Metric

MOST_RUNS = 12
Values = Mapping[str, ItemValue]
Answers = Mapping[str, str]
"""Item → the answer that a scorer read in it, in a form in which equal answers are equal."""


class Side(msgspec.Struct, frozen=True):
    """A run's items in columns, in its own order: their scores (NaN: no answer), the names of their clusters and
    categories, and what was read in them (`run_agreement.numbered`)."""

    keys: list[str]
    scores: Floats
    clusters: list[str]
    categories: list[str]
    answers: Integers


class Against(msgspec.Struct, frozen=True):
    """Run number `run` against the first.

    `holm` is the p that decides, corrected for the number of runs; None where there is one only. `told_apart` is the
    sign of a difference that is told apart from none, else 0.
    """

    run: int
    comparison: Comparison
    holm: float | None
    told_apart: int


class Several(msgspec.Struct, frozen=True, kw_only=True):
    """Runs on the same `n` items; `left_out` counts the items that not all have. `means` are over those items."""

    scorer: str
    n: int
    left_out: int
    means: list[Metric]
    against: list[Against]
    agreement: list[RunAgreement]


class Gathered(msgspec.Struct, frozen=True):
    """Runs side by side over the first one's items: for each run its scores of them (NaN: none), the answers read
    (`run_agreement.numbered`) and which of them it has at all. `others` are the items that it has and the first has
    not."""

    items: Shared
    scores: list[Floats]
    answers: list[Integers]
    there: list[NDArray[np.bool_]]
    others: list[frozenset[str]]

    @property
    def total(self) -> int:
        """How many items any of the runs has."""
        return len(self.items.keys) + len(frozenset[str]().union(*self.others))

    @property
    def shared(self) -> Integers:
        """The places of the items that all runs have."""
        return np.flatnonzero(np.logical_and.reduce(self.there))

    def lacking(self, run: int) -> list[str]:
        """The keys of the items that a run lacks and another has."""
        of_first = [self.items.keys[place] for place in np.flatnonzero(~self.there[run]).tolist()]
        return sorted([*of_first, *frozenset[str]().union(*self.others).difference(self.others[run])])


def side_of_values(values: Values, answers: Answers) -> Side:
    """A run's items from what they are worth and what was read in them."""
    own = list(values.values())
    return Side(
        list(values),
        scores_of(own),
        [one.cluster for one in own],
        [one.category for one in own],
        numbered(map(answers.get, values)),
    )


def gather(sides: Iterable[Side]) -> Gathered:
    """Puts runs side by side as they come, at least one; none but the first is held."""
    listed = iter(sides)
    first = next(listed)
    order = np.array(sorted(range(len(first.keys)), key=first.keys.__getitem__), dtype=np.int64)
    keys, clusters, categories = (
        [column[row] for row in order.tolist()] for column in (first.keys, first.clusters, first.categories)
    )
    gathered = Gathered(shared_items(keys, clusters, categories), [], [], [], [])
    del clusters, categories
    for side in chain([first], listed):
        rows, others = order, frozenset[str]()
        if side.keys != first.keys:  # mostly they are: one data set in one order
            places = {key: place for place, key in enumerate(side.keys)}
            rows = np.array([places.get(key, -1) for key in keys], dtype=np.int64)
            others = frozenset(places.keys() - set(keys))
        gathered.scores.append(np.append(side.scores, math.nan)[rows])  # row -1 is what was appended
        gathered.answers.append(np.append(side.answers, NOT_READ)[rows])
        gathered.there.append(rows >= 0)
        gathered.others.append(others)
    return gathered


def compare_several(
    values: Sequence[Values],
    scorer: str,
    *,
    intersect: bool,
    names: Sequence[str],
    answers: Sequence[Answers] = (),
    seed: int = 0,
) -> Several:
    """Compares runs by what their items are worth (`comparison.item_values`).

    Different items are refused unless `intersect`: then those that all runs have are compared. `UsageError` says what
    is missing where.
    """
    for own, name in zip(values[1:], names[1:], strict=True):
        align(values[0], own, intersect=intersect, names=(names[0], name))
    sides = map(side_of_values, values, answers or repeat({}))
    return compare_gathered(gather(sides), scorer, seed=seed)


def compare_gathered(gathered: Gathered, scorer: str, *, seed: int = 0) -> Several:
    """Compares the runs on the items that all of them have. `UsageError` if there is none."""
    rows = gathered.shared
    if not len(rows):
        raise UsageError("There is no item that all of these runs hold.")
    items = _some_items(gathered.items, rows)
    scores = [one[rows] for one in gathered.scores]
    answers = [one[rows] for one in gathered.answers]
    comparisons = [compare_scores(items, scores[0], own, scorer, seed=seed) for own in scores[1:]]
    deciding = [one.paired.p_decides for one in comparisons]
    several = len(comparisons) > 1
    corrected = holm_where_tested(deciding) if several else deciding
    return Several(
        scorer=scorer,
        n=len(rows),
        left_out=gathered.total - len(rows),
        means=[share_of(own, items.clusters, seed=seed) for own in scores],
        against=[
            Against(place, one, p if several else None, told_apart(one.paired, p))
            for place, (one, p) in enumerate(zip(comparisons, corrected, strict=True), start=1)
        ],
        agreement=[agreement_of(a, b, scores, answers) for a, b in combinations(range(len(scores)), 2)],
    )


def _some_items(items: Shared, rows: Integers) -> Shared:
    """These of the items; categories that none of them is of are no more named."""
    if len(rows) == len(items.keys):
        return items
    kept, categories = np.unique(items.categories[rows], return_inverse=True)
    keys = [items.keys[row] for row in rows.tolist()]
    return Shared(keys, items.clusters[rows], categories, [items.named[place] for place in kept.tolist()])
