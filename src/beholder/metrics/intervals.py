"""Confidence intervals: Wilson for independent right/wrong answers, a cluster bootstrap for everything else.

Items that share an image or a source are not independent: a model that misreads one picture misses all of
its questions together. The bootstrap here therefore redraws whole clusters, never single rows. Two
conventions hold in every function of this folder: `clusters=None` makes each row its own cluster, and so
does an empty name, for that row alone (rows of unknown origin must not collapse into one cluster). An array
of whole numbers stands for names that were numbered before: equal numbers, one cluster.

Everything is a function of its arguments, the seed included: the generator is
`numpy.random.default_rng(seed)`, made anew in each call. NumPy keeps its streams stable within a release
series, so the last digits of an interval may move when NumPy does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Clusters = Sequence[str] | Integers
Interval = tuple[float | None, float | None]
"""(low, high); (None, None) where the data cannot say how far the figure would move."""

NO_INTERVAL: Interval = (None, None)
FEW_CLUSTERS = 20
"""With fewer clusters than this a percentile interval is too narrow; metrics say so in their note."""
DEFINED_SHARE = 0.95
"""A bootstrap with a smaller share of defined resamples has unknown tails: it gives no interval."""
_BLOCK = 1 << 20  # draws held in memory at once: 8 MB of indices


def wilson(successes: int, n: int, level: float = 0.95) -> Interval:
    """The Wilson score interval of a share of `n` independent yes/no outcomes.

    It holds all shares p that a z-test would not reject, |p̂ - p| <= z·sqrt(p(1-p)/n); so, unlike p̂ ± z·se,
    it stays inside 0..1 and keeps a width when all outcomes are equal (Wilson, JASA 22, 1927, 209-212). No
    outcomes, no interval.

    >>> [round(bound, 4) for bound in wilson(8, 10)]
    [0.4902, 0.9433]
    >>> wilson(0, 0)
    (None, None)
    """
    _check_level(level)
    if n < 0 or not 0 <= successes <= n:
        raise ValueError(f"successes must be in 0..n: got {successes} of {n}")
    if n == 0:
        return NO_INTERVAL
    z = NormalDist().inv_cdf((1 + level) / 2)
    p = successes / n
    scale = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / scale
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / scale
    # At the ends the algebra is exact and the floats are not.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return low, high


def cluster_bootstrap(
    statistic: Callable[[Integers], float],
    clusters: Sequence[str],
    strata: Sequence[str] | None = None,
    *,
    seed: int,
    resamples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """The percentile interval of any statistic, re-run on resamples of whole clusters.

    Each resample draws as many clusters as there are, with replacement (within each stratum when `strata` is
    given), and calls `statistic` with one weight for each row, in row order: how often that row was drawn
    (0, 1, 2, …). The bounds are the (1-level)/2 and (1+level)/2 quantiles of the results (Efron and
    Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13). A result of NaN means "not defined on this
    draw" and is left out; if more than 5 % of the draws are undefined there is no interval.

    A cluster that has rows in several strata is drawn together with the clusters that touch the same strata.
    A stratum with a single cluster does not vary. No rows, a single cluster, or `resamples=0`: no interval.
    With fewer than about 20 clusters a percentile interval is too narrow; read it as a lower bound of the
    uncertainty.

    Rows may come in any order, if the statistic does not care: clusters are drawn in the order of their
    names. Where the statistic is a function of column totals, `cluster_bootstrap_totals` gives the same
    interval much faster.

    >>> right = np.array([1, 1, 0, 0, 1, 0])
    >>> accuracy = lambda weight: float(right @ weight / weight.sum())
    >>> cluster_bootstrap(accuracy, ["a", "a", "b", "b", "c", "c"], seed=0)
    (0.0, 1.0)
    """
    codes, count = cluster_codes(clusters, len(clusters))
    _check(level, resamples, len(clusters), strata)
    if count < 2 or resamples == 0:
        return NO_INTERVAL
    members = _clusters_by_stratum(codes, count, strata)
    rng = _generator(seed)
    replicates = np.empty(resamples)
    drawn = np.zeros(count, dtype=np.int64)
    for resample in range(resamples):
        for stratum in members:
            picks = rng.integers(0, len(stratum), size=len(stratum))
            drawn[stratum] = np.bincount(picks, minlength=len(stratum))
        replicates[resample] = statistic(drawn[codes])
    return _percentiles(replicates, level)


def cluster_bootstrap_totals(
    columns: ArrayLike,
    statistic: Callable[[Floats], Floats],
    clusters: Clusters | None = None,
    strata: Sequence[str] | None = None,
    *,
    seed: int,
    resamples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """`cluster_bootstrap` for a statistic that depends on the rows only through the totals of some columns.

    `columns` has the shape (rows, m) and finite entries; `statistic` maps totals of the shape (resamples, m)
    to (resamples,) and may return NaN where it is not defined. Means, ratios and averages of category means
    are all of this kind. Clusters with equal totals are interchangeable, so it is enough to draw how many of
    each kind come up; a resample then costs as much as there are kinds, not rows. The result depends only on
    what the clusters hold, not on their names or on the order of the rows.

    >>> right, asked = [1, 1, 0, 0, 1, 0], [1] * 6
    >>> rows = np.array([right, asked]).T
    >>> cluster_bootstrap_totals(rows, lambda t: t[:, 0] / t[:, 1], ["a", "a", "b", "b", "c", "c"], seed=0)
    (0.0, 1.0)
    """
    table = np.asarray(columns, dtype=np.float64) + 0.0  # adding turns -0.0 into 0.0
    if table.ndim != 2:
        raise ValueError(f"columns must have the shape (rows, m): got {table.shape}")
    if not np.isfinite(table).all():
        raise ValueError("columns must be finite numbers")
    _check(level, resamples, len(table), strata)
    codes, count = cluster_codes(clusters, len(table))
    if count < 2 or resamples == 0:
        return NO_INTERVAL
    sums = _sums_by_cluster(table, codes, count)
    rng = _generator(seed)
    totals = np.zeros((resamples, table.shape[1]))
    for stratum in _clusters_by_stratum(codes, count, strata):
        totals += _resampled_totals(sums[stratum], resamples, rng)
    with np.errstate(divide="ignore", invalid="ignore"):
        replicates = np.asarray(statistic(totals), dtype=np.float64)
    return _percentiles(replicates, level)


def cluster_bootstrap_means(
    values: ArrayLike,
    clusters: Clusters | None = None,
    strata: Sequence[str] | None = None,
    *,
    seed: int,
    resamples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """The interval of a mean over rows: each row weighs the same, whole clusters are redrawn.

    >>> cluster_bootstrap_means([1, 1, 0, 0, 1, 0], ["a", "a", "b", "b", "c", "c"], seed=0)
    (0.0, 1.0)
    >>> cluster_bootstrap_means([1, 0], ["a", "a"], seed=0)  # one cluster says nothing about other clusters
    (None, None)
    """
    column = np.asarray(values, dtype=np.float64)
    return cluster_bootstrap_ratios(
        column, np.ones_like(column), clusters, strata, seed=seed, resamples=resamples, level=level
    )


def cluster_bootstrap_ratios(
    numerators: ArrayLike,
    denominators: ArrayLike,
    clusters: Clusters | None = None,
    strata: Sequence[str] | None = None,
    *,
    seed: int,
    resamples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """The interval of Σ numerators / Σ denominators, such as right / decided, where the denominator varies
    too.

    >>> cluster_bootstrap_ratios([1, 1, 0, 0], [1, 1, 1, 0], seed=0)
    (0.0, 1.0)
    """
    columns = np.stack([np.asarray(numerators, np.float64), np.asarray(denominators, np.float64)], axis=1)
    return cluster_bootstrap_totals(
        columns,
        lambda totals: totals[:, 0] / totals[:, 1],
        clusters,
        strata,
        seed=seed,
        resamples=resamples,
        level=level,
    )


def cluster_count(clusters: Clusters | None, rows: int) -> int:
    """How many clusters `rows` rows fall into.

    >>> cluster_count(["a", "a", "", ""], 4), cluster_count(None, 4)
    (3, 4)
    """
    return cluster_codes(clusters, rows)[1]


def cluster_codes(clusters: Clusters | None, rows: int) -> tuple[Integers, int]:
    """The number of each row's cluster, 0..count-1, and the count: named clusters in the order of their names, then
    the unnamed.

    >>> cluster_codes(["b", "a", "", "b"], 4)
    (array([1, 0, 2, 1]), 3)
    """
    if clusters is None:
        return np.arange(rows), rows
    if len(clusters) != rows:
        raise ValueError(f"{rows} rows but {len(clusters)} cluster names")
    if isinstance(clusters, np.ndarray):
        kinds, dense = np.unique(clusters, return_inverse=True)
        return dense.reshape(-1), len(kinds)
    numbers = {name: number for number, name in enumerate(sorted(set(clusters) - {""}))}
    count = len(numbers)
    codes = np.empty(rows, dtype=np.int64)
    for row, name in enumerate(clusters):
        if name:
            codes[row] = numbers[name]
        else:
            codes[row] = count
            count += 1
    return codes, count


def _clusters_by_stratum(codes: Integers, count: int, strata: Sequence[str] | None) -> list[Integers]:
    """For each stratum, in the order of the names, the numbers of its clusters.

    The stratum of a cluster is the set of strata that its rows lie in, so that a cluster is never torn apart.
    """
    if strata is None:
        return [np.arange(count)]
    touched: list[set[str]] = [set() for _ in range(count)]
    for code, stratum in zip(codes.tolist(), strata, strict=True):
        touched[code].add(stratum)
    members: dict[tuple[str, ...], list[int]] = {}
    for cluster, names in enumerate(touched):
        members.setdefault(tuple(sorted(names)), []).append(cluster)
    return [np.array(members[names], dtype=np.int64) for names in sorted(members)]


def _sums_by_cluster(table: Floats, codes: Integers, count: int) -> Floats:
    """Column totals of each cluster, the same to the last bit whatever the order of the rows."""
    if not (table == np.rint(table)).all():
        # Whole numbers add up exactly; other sums depend on the order of the terms: fix it.
        order = np.lexsort(table.T)
        table, codes = table[order], codes[order]
    sums = [np.bincount(codes, weights=column, minlength=count) for column in table.T]
    return np.stack(sums, axis=1)


def _resampled_totals(sums: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Totals, shape (resamples, m), of as many clusters as `sums` has rows, drawn with replacement."""
    ordered, starts = _kinds(sums)
    kinds, frequency = ordered[starts], np.diff(starts, append=len(sums))
    clusters = len(sums)
    if len(kinds) * 8 <= clusters:
        counts = rng.multinomial(clusters, frequency / clusters, size=resamples)
        # einsum and not @: a threaded BLAS may add in another order on another machine.
        product: Floats = np.einsum("rk,km->rm", counts.astype(np.float64), kinds)
        return product
    # Nearly every cluster is of its own kind: drawing the clusters themselves is cheaper.
    totals = np.empty((resamples, sums.shape[1]))
    alike = (ordered == ordered[0]).all(axis=0)
    step = max(1, _BLOCK // clusters)
    for start in range(0, resamples, step):
        stop = min(start + step, resamples)
        picks = rng.integers(0, clusters, size=(stop - start, clusters))
        for column, is_alike in enumerate(alike):
            # What all clusters have alike, such as one row each, need not be looked up.
            totals[start:stop, column] = ordered[:, column].sum() if is_alike else ordered[:, column][picks].sum(axis=1)
    return totals


def _kinds(sums: Floats) -> tuple[Floats, Integers]:
    """The rows in lexical order, and where in them each kind of row begins."""
    ordered = sums[np.lexsort(sums.T[::-1])]
    begins = np.ones(len(ordered), dtype=np.bool_)
    begins[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return ordered, np.flatnonzero(begins)


def _percentiles(replicates: Floats, level: float) -> Interval:
    defined = replicates[np.isfinite(replicates)]
    if len(defined) == 0 or len(defined) < DEFINED_SHARE * len(replicates):
        return NO_INTERVAL
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed % 2**64)  # NumPy refuses negative seeds


def _check(level: float, resamples: int, rows: int, strata: Sequence[str] | None) -> None:
    _check_level(level)
    if resamples < 0:
        raise ValueError(f"resamples must not be negative: got {resamples}")
    if strata is not None and len(strata) != rows:
        raise ValueError(f"{rows} rows but {len(strata)} stratum names")


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1: got {level}")
