"""Two runs on the same items: differences, exact tests, corrections for many tests, and what could be
detected.

Two models that answer the same items share the items' difficulty. Comparing item by item removes it;
comparing two separate intervals does not, and hides differences that are there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Generic, TypeVar

import msgspec
import numpy as np

from beholder.errors import UsageError
from beholder.metrics.accuracy import NO_SPREAD, few_clusters
from beholder.metrics.intervals import Clusters, Floats, Integers, cluster_bootstrap_means, cluster_codes

A = TypeVar("A")
B = TypeVar("B")

SIGNIFICANT = 0.05
"""A p of at most this is called significant, everywhere."""
CLUSTERED = "McNemar's p takes clustered items as independent and may be too small"
_FLIPS = 9_999
"""Random assignments of signs that `sign_flip` draws; with the one that was seen they are 10,000."""
_MOST_SUMS = 1 << 16
"""As many sums of flipped differences `sign_flip` weighs exactly."""
_MOST_SIZES, _LARGEST = 256, 100
"""With more sizes than the first, `sign_flip` draws the second number of them one by one, and all smaller ones
together."""
_BLOCK = 1 << 20  # draws held in memory at once


class Cells(msgspec.Struct, frozen=True):
    """The four-fold table of two runs on right/wrong items: counts of items."""

    both_right: int
    only_a: int
    only_b: int
    both_wrong: int


class Paired(msgspec.Struct, frozen=True, kw_only=True):
    """How run b differs from run a on the items that both answered.

    `difference` = `mean_b` - `mean_a` (positive: b is better), with its 95 % interval `low`..`high`. `n`
    counts the pairs, `failed` those left out because one side or both have no answer. `cells` and `p` (exact
    McNemar, two-sided) are set where all scores are 0 or 1. `p_flips` is that of `sign_flip` over clusters, set where
    McNemar's test does not hold: a score gives credit in part, or items share clusters. `note` says what limits the
    figures.
    """

    difference: float | None
    mean_a: float | None
    mean_b: float | None
    n: int
    failed: int = 0
    low: float | None = None
    high: float | None = None
    interval: str = ""
    cells: Cells | None = None
    p: float | None = None
    p_flips: float | None = None
    note: str = ""

    @property
    def p_decides(self) -> float | None:
        """The p of the test that holds for these scores; None only if there is no pair."""
        return self.p if self.p_flips is None else self.p_flips


def paired_difference(
    a: Sequence[float | None],
    b: Sequence[float | None],
    clusters: Clusters | None = None,
    *,
    seed: int = 0,
    resamples: int = 1000,
) -> Paired:
    """The mean of the item-wise differences b - a, with a percentile interval that redraws clusters of pairs.

    A pair where either side is None is left out and counted in `failed`. McNemar's test takes items as
    independent; if items share clusters its p may be too small, and the note says so: `p_flips` is the one that holds.

    >>> result = paired_difference([1, 1, 0, 0, 1, 0], [1, 1, 1, 1, 0, None])
    >>> round(result.difference, 3), result.n, result.failed, result.p
    (0.2, 5, 1, 1.0)
    >>> result.cells
    Cells(both_right=2, only_a=1, only_b=2, both_wrong=0)
    """
    if len(a) != len(b) or (clusters is not None and len(clusters) != len(a)):
        raise ValueError("both sides and the clusters need one entry for each item")
    left, right = _with_nan(a), _with_nan(b)
    codes = None if clusters is None else cluster_codes(clusters, len(left))[0]
    return paired_scores(left, right, codes, seed=seed, resamples=resamples)


def _with_nan(scores: Sequence[float | None]) -> Floats:
    if not all(score is None or math.isfinite(score) for score in scores):
        raise ValueError("scores must be finite numbers, or None where there was no answer")
    return np.array([math.nan if score is None else score for score in scores], dtype=np.float64)


def paired_scores(
    a: Floats, b: Floats, clusters: Integers | None = None, *, seed: int = 0, resamples: int = 1000
) -> Paired:
    """`paired_difference` of arrays, with NaN where there is no answer: for runs of many items.

    >>> paired_scores(np.array([1.0, 0.0, np.nan]), np.array([1.0, 1.0, 0.0])).difference
    0.5
    """
    known = ~(np.isnan(a) | np.isnan(b))
    failed = len(a) - int(known.sum())
    if failed == len(a):
        return Paired(difference=None, mean_a=None, mean_b=None, n=0, failed=failed, note="no item has both answers")
    left, right = a[known], b[known]
    codes, groups = cluster_codes(None if clusters is None else clusters[known], len(left))
    n, change, notes = len(left), right - left, []
    names = None if groups == n else codes

    low, high = cluster_bootstrap_means(change, names, seed=seed, resamples=resamples)
    method = "paired bootstrap" if groups == n else "paired cluster bootstrap"
    if low is None or high is None:
        notes.append("no interval: too few clusters or resamples")
    elif math.isclose(low, high, rel_tol=0, abs_tol=1e-12):
        low = high = None
        notes.append(NO_SPREAD)
    elif few := few_clusters(groups):
        notes.append(few)

    cells = p = None
    if np.isin(left, (0, 1)).all() and np.isin(right, (0, 1)).all():
        cells = Cells(
            both_right=int(np.sum((left == 1) & (right == 1))),
            only_a=int(np.sum(change == -1)),
            only_b=int(np.sum(change == 1)),
            both_wrong=int(np.sum((left == 0) & (right == 0))),
        )
        p = mcnemar_exact(cells.only_a, cells.only_b)
        if groups < n:
            notes.append(CLUSTERED)
    holds = p is not None and groups == n
    return Paired(
        difference=math.fsum(change.tolist()) / n,
        mean_a=math.fsum(left.tolist()) / n,
        mean_b=math.fsum(right.tolist()) / n,
        n=n,
        failed=failed,
        low=low,
        high=high,
        interval="" if low is None else method,
        cells=cells,
        p=p,
        p_flips=None if holds else sign_flip(change, names, seed=seed),
        note="; ".join(notes),
    )


def told_apart(paired: Paired, p: float | None) -> int:
    """The sign of a difference that is told apart from none, 0 if it is not.

    `p` is the one that decides, corrected where there are several: it must be at most `SIGNIFICANT`, and 0 must lie
    outside the interval, where there is one. Never the interval alone: of two or three items it says nothing.

    >>> told_apart(paired_difference([0.0] * 9, [1.0] * 9), 0.004)
    1
    """
    if paired.difference is None or p is None or p > SIGNIFICANT:
        return 0
    low, high = paired.low, paired.high
    if low is None or high is None:
        low = high = paired.difference
    return (low > 0) - (high < 0)


def sign_flip(changes: Sequence[float] | Floats, clusters: Clusters | None = None, *, seed: int = 0) -> float:
    """The two-sided p of a paired sign-flip (permutation) test: whether item-wise differences lean to one side.

    If neither run is better, a cluster's differences could as well have had the other sign, all together: p is the
    share of all ways to give the clusters' sums a sign whose total is at least as far from 0 as the one that was seen
    (Good, Permutation, Parametric and Bootstrap Tests of Hypotheses, 2005, ch. 3). Clusters whose sum is 0 carry no
    information; with k others p is at least 2 / 2^k. It is exact where the clusters are few or their sums take few
    sizes. Else 9,999 random assignments are drawn, and p is (hits + 1) / (draws + 1). Where there are more than 256
    sizes, clusters of the largest 100 get their signs one by one; the sum of all others, none of which weighs much, is
    drawn from the normal distribution that has its variance. With each item its own cluster and differences of -1, 0
    and 1 it is exact McNemar. No differences at all: p = 1.

    >>> sign_flip([0.5, 0.25, 1.0, 0.0])  # 2 of 2^3
    0.25
    >>> sign_flip([0.5, 0.25, 1.0, 0.5], ["a", "a", "b", "b"])
    0.5
    """
    codes, groups = cluster_codes(clusters, len(changes))
    totals = np.bincount(codes, weights=np.asarray(changes, dtype=np.float64), minlength=groups)
    # Rounded, so that 1/3 + 1/3 and 2/3 are one size. Clusters of one size differ only in how many keep their sign.
    sizes, counts = np.unique(np.round(np.abs(totals), 9), return_counts=True)
    sizes, counts = sizes[sizes > 0], counts[sizes > 0]
    if not len(sizes):
        return 1.0
    at_least = abs(math.fsum(totals.tolist())) - 1e-6 * float(sizes.max())
    if math.prod(int(count) + 1 for count in counts) <= _MOST_SUMS:
        sums_of, chances = np.zeros(1), np.ones(1)
        for size, count in zip(sizes, counts, strict=True):
            sums_of = np.add.outer(sums_of, size * (2 * np.arange(count + 1) - count)).ravel()
            chances = np.multiply.outer(chances, _coin_tosses(int(count))).ravel()
        return min(1.0, math.fsum(chances[np.abs(sums_of) >= at_least]))
    rng, hits, spread = np.random.default_rng(seed % 2**64), 0, 0.0
    if len(sizes) > _MOST_SIZES:
        spread = math.sqrt(float(counts[:-_LARGEST] @ sizes[:-_LARGEST] ** 2))
        sizes, counts = sizes[-_LARGEST:], counts[-_LARGEST:]
    step = max(1, _BLOCK // len(sizes))
    for start in range(0, _FLIPS, step):
        draws = min(step, _FLIPS - start)
        flipped = (2 * rng.binomial(counts, 0.5, size=(draws, len(counts))) - counts) @ sizes
        if spread:
            flipped += rng.normal(0, spread, draws)
        hits += int(np.sum(np.abs(flipped) >= at_least))
    return (hits + 1) / (_FLIPS + 1)


def _coin_tosses(n: int) -> list[float]:
    """The chances of 0 to n heads of n fair coins."""
    whole = math.lgamma(n + 1) - n * math.log(2)
    return [math.exp(whole - math.lgamma(heads + 1) - math.lgamma(n - heads + 1)) for heads in range(n + 1)]


def mcnemar_exact(b: int, c: int) -> float:
    """The two-sided exact McNemar p of `b` items that only one run got right and `c` that only the other did.

    If neither run is better, each discordant item is a coin toss; p is the chance that b + c tosses fall at
    least as unevenly: min(1, 2·P(X <= min(b, c))) with X binomial(b + c, 1/2) (McNemar, Psychometrika 12,
    1947, in its exact form). Concordant items carry no information. No discordant item: p = 1. Good to 8
    digits for a million items.

    >>> round(mcnemar_exact(18, 6), 4)
    0.0227
    >>> mcnemar_exact(0, 0)
    1.0
    """
    if b < 0 or c < 0:
        raise ValueError(f"counts must not be negative: got {b} and {c}")
    n, k = b + c, min(b, c)
    if 2 * k >= n - 1:  # the middle of the distribution: twice the tail is 1 or more
        return 1.0
    # In units of the largest term P(X = k), each further term is the one before times i / (n - i + 1) < 1.
    largest = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2)
    term = total = 1.0
    for i in range(k, 0, -1):
        term *= i / (n - i + 1)
        total += term
        if term < 1e-17 * total:
            break
    return min(1.0, 2 * math.exp(largest + math.log(total)))


def holm(pvalues: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values, in the order given: rejecting those below α keeps the chance of
    any false rejection under α, whatever the dependence between the tests (Holm, Scandinavian Journal of
    Statistics 6, 1979).

    The i-th smallest of m is multiplied by m - i + 1; none may be smaller than the one before it, or larger
    than 1.

    >>> holm([0.01, 0.04, 0.03, 0.5])
    [0.04, 0.09, 0.09, 0.5]
    """
    if not all(0 <= p <= 1 for p in pvalues):
        raise ValueError("p-values must be in 0..1")
    adjusted = [0.0] * len(pvalues)
    floor = 0.0
    for rank, place in enumerate(sorted(range(len(pvalues)), key=pvalues.__getitem__)):
        floor = max(floor, min(1.0, (len(pvalues) - rank) * pvalues[place]))
        adjusted[place] = floor
    return adjusted


def minimum_detectable_effect(
    n: int,
    *,
    discordant: float | None = None,
    sd: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
) -> float | None:
    """The smallest true difference that `n` independent pairs would show as significant with the given power.

    Give either `sd`, the standard deviation of the item-wise differences: then it is (z_{1-α/2} +
    z_power)·sd/√n; or `discordant`, the share of right/wrong items on which the runs differ: then it is
    Connor's formula for McNemar's test, n·δ² = (z_{1-α/2}·√d + z_power·√(d - δ²))² solved for δ (Biometrics
    43, 1987, 207-211). None if not even a difference as large as the discordant share itself, the largest
    possible one, would show.

    >>> round(minimum_detectable_effect(1250, discordant=0.2), 4)
    0.0354
    >>> minimum_detectable_effect(20, discordant=0.1) is None
    True
    >>> round(minimum_detectable_effect(100, sd=0.4), 3)
    0.112
    """
    if n < 1 or not 0.5 <= power < 1 or not 0 < alpha < 1:
        raise ValueError("n must be at least 1, power in 0.5..1 and alpha between 0 and 1")
    if (discordant is None) == (sd is None):
        raise ValueError("give either the discordant share or the standard deviation")
    z_alpha, z_power = NormalDist().inv_cdf(1 - alpha / 2), NormalDist().inv_cdf(power)
    if sd is not None:
        if not 0 <= sd < math.inf:
            raise ValueError(f"a standard deviation is a finite number, 0 or more: got {sd}")
        return (z_alpha + z_power) * sd / math.sqrt(n)
    assert discordant is not None
    if not 0 <= discordant <= 1:
        raise ValueError(f"the discordant share must be in 0..1: got {discordant}")
    inner = n + z_power**2 - z_alpha**2
    if inner < 0 or discordant == 0:
        return None
    effect = math.sqrt(discordant) * (z_alpha * math.sqrt(n) + z_power * math.sqrt(inner)) / (n + z_power**2)
    return effect if effect <= discordant else None


def holm_where_tested(pvalues: Sequence[float | None]) -> list[float | None]:
    """`holm` over the tests that were made; None stays None.

    >>> holm_where_tested([0.01, None, 0.04])
    [0.02, None, 0.04]
    """
    adjusted = iter(holm([p for p in pvalues if p is not None]))
    return [None if p is None else next(adjusted) for p in pvalues]


class Aligned(msgspec.Struct, Generic[A, B], frozen=True):
    """Two runs item by item: `keys` in sorted order with the values beside them; `only_a`, `only_b` were
    left out."""

    keys: list[str]
    a: list[A]
    b: list[B]
    only_a: list[str]
    only_b: list[str]


def align(
    a: Mapping[str, A],
    b: Mapping[str, B],
    *,
    intersect: bool = False,
    names: tuple[str, str] = ("the first run", "the second run"),
) -> Aligned[A, B]:
    """Puts the items of two runs side by side.

    Runs with different items cannot be compared without saying so: unless `intersect` is set, a key that one
    side lacks is a `UsageError` that names the first few and how many there are. Having no item in common is
    always one.

    >>> align({"x": 1, "y": 0}, {"y": 1, "x": 1}).keys
    ['x', 'y']
    >>> align({"x": 1, "y": 0}, {"y": 1}, intersect=True).only_a
    ['x']
    """
    shared = sorted(a.keys() & b.keys())
    only_a, only_b = sorted(a.keys() - b.keys()), sorted(b.keys() - a.keys())
    missing = "; ".join(
        f"{_count(len(keys))} of {here} missing in {there}: {_some(keys)}"
        for keys, here, there in ((only_a, *names), (only_b, *names[::-1]))
        if keys
    )
    if not shared:
        raise UsageError(f"The runs have no item in common ({missing or 'both are empty'}).")
    if missing and not intersect:
        raise UsageError(
            f"The runs do not hold the same items: {missing}. "
            f"Use --intersect to compare the {_count(len(shared))} they share."
        )
    return Aligned(shared, [a[key] for key in shared], [b[key] for key in shared], only_a, only_b)


def _count(items: int) -> str:
    return "1 item" if items == 1 else f"{items} items"


def _some(keys: Sequence[str], shown: int = 3) -> str:
    # Keys may come from a user's file: one line, no control characters, not too long.
    some = [ascii(key) if len(key) <= 40 else ascii(key[:40]) + "…" for key in keys[:shown]]
    return ", ".join(some) + (", …" if len(keys) > shown else "")
