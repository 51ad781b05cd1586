"""How far several raters agree on the same items: people, models or judges.

`ratings` holds one row for each rater and in it one entry for each item: any hashable value, or None where that rater
did not rate that item (so "there is none", where that is an answer, must be written as some other value). An item
counts only where at least two raters rated it. Agreement that is not defined on the ratings is None with a reason,
never a number that looks like one: kappa and alpha compare with chance, and chance has nothing to work with where
everybody always says the same.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Literal["linear", "quadratic"]

NO_PAIRS = "no item was rated by two raters"
ONE_VALUE = "all ratings are the same value: there is nothing that chance could get wrong"


class Agreement(msgspec.Struct, frozen=True, omit_defaults=True):
    """One coefficient. 1 is perfect; 0 is what chance gives (raw agreement knows no chance); below 0 is worse.

    `value` is None where the coefficient is not defined, and `reason` says why. `items` counts those that two or more
    raters rated.
    """

    value: float | None
    items: int
    reason: str = ""


def raw_agreement(ratings: Sequence[Sequence[Hashable]]) -> Agreement:
    """The share of equal pairs among all pairs of ratings of the same item, 0..1.

    An item with more ratings has more pairs, and weighs more.

    >>> raw_agreement([["a", "a", "b"], ["a", "b", None]])
    Agreement(value=0.5, items=2, reason='')
    """
    items = _rated(ratings)
    if not items:
        return Agreement(None, 0, NO_PAIRS)
    pairs = sum(len(item) * (len(item) - 1) for item in items)
    return Agreement(sum(_equal_pairs(item) for item in items) / pairs, len(items))


def cohen_kappa(a: Sequence[Hashable], b: Sequence[Hashable], weights: Weights | None = None) -> Agreement:
    """Cohen's kappa of two raters, over the items that both rated: 1 - Σ w·o / Σ w·e.

    o is the share of items with a pair of values, e the share that the two raters' own frequencies would give, and w
    what the pair costs: 1 if the values differ (Cohen, Educational and Psychological Measurement 20, 1960, 37-46), or
    |x - y| (`linear`) or (x - y)² (`quadratic`; Cohen, Psychological Bulletin 70, 1968, 213-220). With weights the
    values must be numbers: those of an ordered scale are its places, 0, 1, 2, ….

    >>> round(cohen_kappa([0, 1, 2, 2], [0, 2, 2, 2], "quadratic").value, 4)
    0.8333
    """
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    if not pairs:
        return Agreement(None, 0, NO_PAIRS)
    n = len(pairs)
    left, right = Counter(x for x, _ in pairs), Counter(y for _, y in pairs)
    if weights is None:
        observed = sum(x != y for x, y in pairs) / n
        expected = 1 - sum(count * right[value] for value, count in left.items()) / n**2
    else:
        power = 1 if weights == "linear" else 2
        xs, ys = _numbers([x for x, _ in pairs]), _numbers([y for _, y in pairs])
        observed = float(np.mean(np.abs(xs - ys) ** power))
        expected = _mean_distance(xs, ys, power)
    if len(left.keys() | right.keys()) == 1:
        return Agreement(None, n, ONE_VALUE)
    return Agreement(1 - observed / expected, n)


def kappa_of_cells(both: int, only_a: int, only_b: int, neither: int) -> Agreement:
    """`cohen_kappa` of two raters who say yes or no, from the counts of items to which both, one or neither said yes.

    >>> kappa_of_cells(20, 5, 10, 15).value
    0.4
    """
    n = both + only_a + only_b + neither
    if min(both, only_a, only_b, neither) < 0:
        raise ValueError("counts must not be negative")
    if n == 0:
        return Agreement(None, 0, NO_PAIRS)
    if n in (both, neither):
        return Agreement(None, n, ONE_VALUE)
    yes_a, yes_b = both + only_a, both + only_b
    by_chance = yes_a * yes_b + (n - yes_a) * (n - yes_b)
    return Agreement((n * (both + neither) - by_chance) / (n * n - by_chance), n)


def fleiss_kappa(ratings: Sequence[Sequence[Hashable]]) -> Agreement:
    """Fleiss' kappa of any number of raters: (P - Pe) / (1 - Pe).

    P is the mean over items of the share of equal pairs of ratings, Pe = Σ p², with p the share of all ratings that a
    value has (Fleiss, Psychological Bulletin 76, 1971, 378-382). It is defined only where each item has the same number
    of ratings, whoever gave them; items that nobody rated do not count. Otherwise it is None: `krippendorff_alpha` with
    the level `nominal` takes missing ratings.

    >>> fleiss_kappa([["a", "b", "b"], ["a", "b", "b"], ["a", "b", "a"]]).value
    0.55
    """
    by_item = [item for item in _items(ratings) if item]
    sizes = {len(item) for item in by_item}
    items = [item for item in by_item if len(item) > 1]
    if not items:
        return Agreement(None, 0, NO_PAIRS)
    if len(sizes) > 1:
        reason = f"items have {min(sizes)} to {max(sizes)} ratings: Fleiss' kappa needs the same number for each"
        return Agreement(None, len(items), reason)
    raters = sizes.pop()
    totals = Counter(value for item in items for value in item)
    if len(totals) == 1:
        return Agreement(None, len(items), ONE_VALUE)
    n = len(items)
    agreed = sum(_equal_pairs(item) for item in items) / (n * raters * (raters - 1))
    by_chance = sum(count**2 for count in totals.values()) / (n * raters) ** 2
    return Agreement((agreed - by_chance) / (1 - by_chance), n)


def krippendorff_alpha(ratings: Sequence[Sequence[Hashable]], level: Level) -> Agreement:
    """Krippendorff's alpha of any number of raters, with missing ratings: 1 - D_o / D_e.

    D_o is the mean squared difference δ² within items (each of an item's m ratings against its m - 1 others), D_e the
    same over all ratings of items that have at least two. δ² of two values is 0 if they are equal, and else 1
    (`nominal`), the squared difference of their mean ranks among all ratings (`ordinal`), (x - y)² (`interval`) or
    ((x - y) / (x + y))² (`ratio`; no value below 0). Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011.
    `interval` and `ratio` need numbers, `ordinal` values that can be ordered.

    >>> round(krippendorff_alpha([[1, 2, 3, None], [1, 2, 4, 5]], "interval").value, 4)
    0.878
    """
    items = _rated(ratings)
    if not items:
        return Agreement(None, 0, NO_PAIRS)
    totals = Counter(value for item in items for value in item)
    if len(totals) == 1:
        return Agreement(None, len(items), ONE_VALUE)
    n = sum(totals.values())
    if level == "nominal":
        within = sum((len(item) ** 2 - _squares(Counter(item))) / (len(item) - 1) for item in items)
        among = (n**2 - _squares(totals)) / (n - 1)
        return Agreement(1 - within / among, len(items))
    distances = _ratio_distances if level == "ratio" else _squared_distances
    place = _mean_ranks(totals) if level == "ordinal" else dict(zip(totals, _numbers(list(totals)), strict=True))
    scaled = [np.array([place[value] for value in item]) for item in items]
    within = math.fsum(distances(item) / (len(item) - 1) for item in scaled)
    among = distances(np.concatenate(scaled)) / (n - 1)
    return Agreement(1 - within / among, len(items))


def _items(ratings: Sequence[Sequence[Hashable]]) -> list[list[Hashable]]:
    """For each item its ratings, without the missing ones. `ValueError` if raters have different numbers of items."""
    if len({len(row) for row in ratings}) > 1:
        raise ValueError("each rater must have one entry for each item, None where there is no rating")
    return [[value for value in column if value is not None] for column in zip(*ratings, strict=True)]


def _rated(ratings: Sequence[Sequence[Hashable]]) -> list[list[Hashable]]:
    """The ratings of each item that has two or more."""
    return [item for item in _items(ratings) if len(item) > 1]


def _equal_pairs(item: list[Hashable]) -> int:
    """How many ordered pairs of an item's ratings are equal."""
    return _squares(Counter(item)) - len(item)


def _squares(counts: Counter[Hashable]) -> int:
    return sum(count**2 for count in counts.values())


def _numbers(values: Sequence[Hashable]) -> Floats:
    if not all(isinstance(value, int | float) for value in values):
        raise ValueError("this coefficient needs ratings that are numbers")
    numbers = np.array(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError("ratings must be finite numbers")
    return numbers


def _mean_distance(xs: Floats, ys: Floats, power: int) -> float:
    """The mean of |x - y|^power over all pairs of an x and a y."""
    values, counts = np.unique(ys, return_counts=True)
    distances = np.abs(xs[:, None] - values[None, :]) ** power
    return float(distances.sum(axis=0) @ counts) / (len(xs) * len(ys))


def _mean_ranks(totals: Counter[Hashable]) -> dict[Hashable, float]:
    """For each value, the mean rank of its ratings among all, so that the differences are those of ordinal alpha."""
    ranks: dict[Hashable, float] = {}
    below = 0
    for value in sorted(totals):  # type: ignore[type-var]  # a TypeError tells who gave what cannot be ordered
        ranks[value] = below + totals[value] / 2
        below += totals[value]
    return ranks


def _squared_distances(values: Floats) -> float:
    """The sum of (x - y)² over all ordered pairs: twice their number times the sum of squares about the mean."""
    return 2 * len(values) * math.fsum((values - values.mean()) ** 2)


def _ratio_distances(values: Floats) -> float:
    """The sum of ((x - y) / (x + y))² over all ordered pairs; two zeros do not differ."""
    if (values < 0).any():
        raise ValueError("ratings on a ratio scale are not below 0")
    distinct, counts = np.unique(values, return_counts=True)
    sums = distinct[:, None] + distinct[None, :]
    ratios = np.divide(distinct[:, None] - distinct[None, :], sums, out=np.zeros_like(sums), where=sums > 0)
    return float(np.einsum("i,ij,j->", counts.astype(np.float64), ratios**2, counts.astype(np.float64)))
