"""Ranks with intervals: which places in a table the data can tell apart.

A rank that comes from figures alone pretends to know an order. Here every two lines are tested, the p-values of all
pairs are corrected together (Holm), and a line's rank lies between 1 + the number of lines that are significantly
better and the number of lines that are not significantly worse. As the chance of any false difference among all pairs
is at most 5 %, all these intervals hold the true ranks at once with at least 95 % (Al Mohamad, Goeman and van Zwet,
Biometrics 78, 2022, 238-247, who use Tukey's test in the same way; Mogstad, Romano, Shaikh and Wilhelm, Review of
Economic Studies 91, 2024, 476-518). A line that is tied in truth with others has the true ranks of all of them.

The tests may be of any kind: `paired_test` on the same items, else `independent_p`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import msgspec
import numpy as np

from beholder.metrics.intervals import Floats, Integers
from beholder.metrics.paired import SIGNIFICANT, holm_where_tested, mcnemar_exact, sign_flip

FEW = 16
"""Up to so many clusters that differ `sign_flip` is exact."""
MOST_EXACT = 1_000_000
"""Items of two shares up to which they are compared exactly."""
_Z = NormalDist().inv_cdf(0.975)


class Estimate(msgspec.Struct, frozen=True):
    """A figure in 0..1 over `n` items, with its standard error; None if the items are right or wrong, independently.

    Where partial credit is given and nothing else is known, None is safe: no scores in 0..1 of that mean spread more.
    """

    value: float
    n: int
    error: float | None = None

    @property
    def variance(self) -> float:
        """That of the figure. For right/wrong items with one right and one wrong added, so that 0 and 1 keep a spread
        (Agresti and Caffo, The American Statistician 54, 2000, 280-288)."""
        if self.error is not None:
            return self.error**2
        share = (self.value * self.n + 1) / (self.n + 2)
        return share * (1 - share) / (self.n + 2)


class PairTest(msgspec.Struct, frozen=True):
    """A test of line `b` against line `a` (places in a table): its `difference` (b minus a) and p, None if there is no
    test of the two."""

    a: int
    b: int
    difference: float
    p: float | None


class Standing(msgspec.Struct, frozen=True):
    """A line's place: `rank` by figure (equal figures share one), and the ranks `best` to `worst` that cannot be told
    apart from it."""

    rank: int
    best: int
    worst: int


def standings(values: Sequence[float], tests: Sequence[PairTest]) -> list[Standing]:
    """The places of lines with these figures, the largest first. `tests` hold each pair of lines at most once.

    Two lines without a test, or whose test gives no p, are never told apart. The interval always holds the rank by
    figure, also where a paired test leans the other way than the figures do (which may rest on other items).

    >>> tests = [PairTest(0, 1, -0.4, 0.001), PairTest(0, 2, -0.5, 0.001), PairTest(1, 2, -0.1, 0.2)]
    >>> standings([0.9, 0.5, 0.4], tests)
    [Standing(rank=1, best=1, worst=1), Standing(rank=2, best=2, worst=3), Standing(rank=3, best=2, worst=3)]
    """
    lines = len(values)
    if len({frozenset((test.a, test.b)) for test in tests}) < len(tests):
        raise ValueError("two tests of the same pair of lines")
    better, worse = [0] * lines, [0] * lines
    corrected = holm_where_tested([test.p for test in tests])
    for test, p in zip(tests, corrected, strict=True):
        if p is None or p > SIGNIFICANT or test.difference == 0:
            continue
        winner, loser = (test.b, test.a) if test.difference > 0 else (test.a, test.b)
        better[loser] += 1
        worse[winner] += 1
    found = []
    for line, value in enumerate(values):
        rank = 1 + sum(other > value for other in values)
        found.append(Standing(rank, min(rank, 1 + better[line]), max(rank, lines - worse[line])))
    return found


def paired_test(a: Floats, b: Floats, clusters: Integers | None = None) -> tuple[float, float | None]:
    """The mean difference b - a over the same items, and its two-sided p; 0 and None if no item has both answers.

    `a` and `b` hold a score for each item, NaN where there is none; `clusters` numbers the items' clusters, None if
    each is its own. The test is that of `paired_difference`: exact McNemar for right/wrong items, else the sign-flip
    test over clusters, exact for up to `FEW` that differ. For more it is its limit: under random signs the sum of the
    clusters' sums s has the variance Σ s², and is taken as normal. The draws of `sign_flip` give no p below 0.0001, and
    with hundreds of pairs Holm asks for smaller ones.

    >>> paired_test(np.array([1.0, 1, 0, 0, np.nan]), np.array([1.0, 1, 1, 1, 0]))
    (0.5, 0.5)
    """
    known = ~(np.isnan(a) | np.isnan(b))
    if not known.any():
        return 0.0, None
    left, right = a[known], b[known]
    change = right - left
    difference = math.fsum(change) / len(change)
    if clusters is None and np.isin(left, (0, 1)).all() and np.isin(right, (0, 1)).all():
        return difference, mcnemar_exact(int(np.sum(change < 0)), int(np.sum(change > 0)))
    sums = change if clusters is None else np.bincount(clusters[known], weights=change)
    sums = sums[np.abs(sums) > 1e-9]
    if len(sums) <= FEW:
        return difference, sign_flip(sums.tolist())
    return difference, math.erfc(abs(math.fsum(sums)) / math.sqrt(2 * math.fsum(sums**2)))


def independent_p(a: Estimate, b: Estimate) -> float | None:
    """The two-sided p of two figures over different items being equal; None if one of them has no spread to speak of.

    Two shares of right items: Fisher's exact test, up to `MOST_EXACT` items its limit, the two-proportion z-test with
    the pooled share. Else the difference over the root of the summed variances. Of figures over the *same* items it is
    usually too large, as these share what is hard in them: it then says too rarely that two lines differ, never too
    often.

    >>> round(independent_p(Estimate(0.62, 50), Estimate(0.28, 50)), 5)
    0.00118
    >>> independent_p(Estimate(1.0, 20), Estimate(1.0, 50))
    1.0
    """
    if min(a.n, b.n) < 1:
        return None
    if a.value == b.value:
        return 1.0
    if a.error is not None or b.error is not None:
        variance = a.variance + b.variance
    elif a.n + b.n <= MOST_EXACT:
        return fisher_exact(round(a.value * a.n), a.n, round(b.value * b.n), b.n)
    else:
        pooled = (a.value * a.n + b.value * b.n) / (a.n + b.n)
        variance = pooled * (1 - pooled) * (1 / a.n + 1 / b.n)
    if variance <= 0:
        return None
    return math.erfc(abs(a.value - b.value) / math.sqrt(2 * variance))


def fisher_exact(x: int, n: int, y: int, m: int) -> float:
    """The two-sided p of `x` right of `n` and `y` right of `m` other items: twice the smaller tail, at most 1.

    With x + y given, x is hypergeometric if both are right equally often (Fisher, Journal of the Royal Statistical
    Society 98, 1935, 39-82). The z-test's p is far too small where few items meet many: 3 right of 20 against 24 of
    1,215 is 0.00008 by it, and 0.017 here, and a table of hundreds of pairs finds such pairs by chance.

    >>> round(fisher_exact(3, 20, 24, 1215), 4)
    0.0166
    """
    if x * m > y * n:
        x, n, y, m = y, m, x, n
    right = x + y
    # In units of the largest term P(x), each further one is the one before times a factor below 1: x is below its mean.
    largest = _log_choose(n, x) + _log_choose(m, y) - _log_choose(n + m, right)
    term = total = 1.0
    for i in range(x, max(0, right - m), -1):
        term *= i * (m - right + i) / ((n - i + 1) * (right - i + 1))
        total += term
        if term < 1e-12 * total:
            break
    return min(1.0, 2 * math.exp(largest + math.log(total)))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def error_of_interval(low: float, high: float) -> float:
    """The standard error that a 95 % interval speaks of: half its width over 1.96."""
    return (high - low) / (2 * _Z)
