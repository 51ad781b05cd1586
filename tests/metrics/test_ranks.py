"""Ranks with intervals: hand-made tables, other packages' tests, and whether the intervals hold the true ranks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportions_ztest

from beholder.metrics.intervals import wilson
from beholder.metrics.paired import paired_difference
from beholder.metrics.ranks import (
    Estimate,
    PairTest,
    Standing,
    error_of_interval,
    fisher_exact,
    independent_p,
    paired_test,
    standings,
)


def pairs_of(values: list[float], p_of: dict[tuple[int, int], float | None]) -> list[PairTest]:
    return [PairTest(a, b, values[b] - values[a], p) for (a, b), p in p_of.items()]


# figures; p of pairs; (rank, best, worst) of each line
TABLES: list[tuple[list[float], dict[tuple[int, int], float | None], list[tuple[int, int, int]]]] = [
    ([], {}, []),
    ([0.4], {}, [(1, 1, 1)]),
    # nothing is told apart: every rank may be any
    ([0.5, 0.6, 0.4], {(0, 1): 0.3, (0, 2): 0.9, (1, 2): 0.06}, [(2, 1, 3), (1, 1, 3), (3, 1, 3)]),
    # the first is told from the third alone
    ([0.9, 0.7, 0.5], {(0, 1): 0.3, (0, 2): 0.001, (1, 2): 0.3}, [(1, 1, 2), (2, 1, 3), (3, 2, 3)]),
    # 0.02 is no longer small among three tests, 0.01 is
    ([0.9, 0.7, 0.5], {(0, 1): 0.02, (0, 2): 0.01, (1, 2): 0.04}, [(1, 1, 1), (2, 2, 2), (3, 3, 3)]),
    ([0.9, 0.7, 0.5], {(0, 1): 0.026, (0, 2): 0.016, (1, 2): 0.9}, [(1, 1, 2), (2, 1, 3), (3, 2, 3)]),
    # equal figures share a rank
    ([0.5, 0.5, 0.1], {(0, 1): 1.0, (0, 2): 1e-9, (1, 2): 1e-9}, [(1, 1, 2), (1, 1, 2), (3, 3, 3)]),
    # pairs without a test, or without a p, are never told apart, and do not count among the tests
    ([0.9, 0.1, 0.5], {(0, 1): 0.04, (0, 2): None}, [(1, 1, 2), (3, 2, 3), (2, 1, 3)]),
]


@pytest.mark.parametrize(("values", "p_of", "expected"), TABLES, ids=range(len(TABLES)))
def test_tables_made_by_hand(
    values: list[float], p_of: dict[tuple[int, int], float | None], expected: list[tuple[int, int, int]]
) -> None:
    assert standings(values, pairs_of(values, p_of)) == [Standing(*one) for one in expected]


def test_an_interval_holds_the_rank_by_figure_where_the_test_leans_the_other_way() -> None:
    assert standings([0.6, 0.5], [PairTest(0, 1, 0.2, 0.001)]) == [Standing(1, 1, 2), Standing(2, 1, 2)]


def test_a_pair_is_tested_once() -> None:
    with pytest.raises(ValueError, match="two tests"):
        standings([0.6, 0.5], [PairTest(0, 1, 0.1, 0.5), PairTest(1, 0, -0.1, 0.5)])


@pytest.mark.parametrize(
    "counts",
    [
        (31, 50, 14, 50),
        (900, 1215, 860, 1215),
        (0, 40, 9, 60),
        (40, 40, 55, 60),
        (3, 20, 24, 1215),
        (24, 1215, 3, 20),
        (0, 1, 1, 1),
        (80_000, 157_201, 79_000, 157_201),
        (0, 90_000, 90_000, 90_000),
    ],
)
def test_shares_are_compared_exactly(counts: tuple[int, int, int, int]) -> None:
    x, n, y, m = counts
    tails = stats.hypergeom(n + m, x + y, n)
    expected = min(1.0, 2 * min(tails.cdf(x), tails.sf(x - 1)))
    assert fisher_exact(x, n, y, m) == pytest.approx(expected, rel=1e-5)
    assert independent_p(Estimate(x / n, n), Estimate(y / m, m)) == fisher_exact(x, n, y, m)


def test_shares_of_a_million_items_are_compared_as_statsmodels_does() -> None:
    expected = proportions_ztest([400_500, 399_000], [800_000, 800_000])[1]
    p = independent_p(Estimate(0.500625, 800_000), Estimate(0.49875, 800_000))
    assert p == pytest.approx(expected, rel=1e-9)
    assert fisher_exact(400_500, 800_000, 399_000, 800_000) == pytest.approx(expected, rel=0.01)


def test_figures_with_an_error_are_compared_by_it() -> None:
    expected = 2 * stats.norm.sf(0.1 / np.hypot(0.03, 0.04))
    found = independent_p(Estimate(0.5, 99, error=0.03), Estimate(0.6, 99, error=0.04))
    assert found == pytest.approx(expected, rel=1e-9)
    against_share = independent_p(Estimate(0.5, 99, error=0.03), Estimate(1.0, 50))
    spread = np.sqrt(51 / 52 * (1 / 52) / 52)
    assert against_share == pytest.approx(2 * stats.norm.sf(0.5 / np.hypot(0.03, spread)), rel=1e-9)


@pytest.mark.parametrize(
    ("a", "b", "p"),
    [
        (Estimate(1.0, 20), Estimate(1.0, 50), 1.0),
        (Estimate(0.3, 20, error=0.0), Estimate(0.3, 50, error=0.0), 1.0),
        (Estimate(0.3, 20, error=0.0), Estimate(0.4, 50, error=0.0), None),
        (Estimate(0.3, 0), Estimate(0.4, 50), None),
    ],
)
def test_where_there_is_no_spread(a: Estimate, b: Estimate, p: float | None) -> None:
    assert independent_p(a, b) == p


def test_the_error_of_an_interval() -> None:
    low, high = wilson(500, 1000)
    assert low is not None
    assert high is not None
    assert error_of_interval(low, high) == pytest.approx(np.sqrt(0.25 / 1000), rel=0.01)


# items, in how many clusters, whether there is credit in part, how far b is ahead
PAIRS = [
    (200, 200, False, 0.1),
    (200, 200, False, 0.0),
    (40, 10, False, 0.2),
    (12, 12, True, 0.2),
    (400, 100, False, 0.05),
    (400, 400, True, 0.04),
]


@pytest.mark.parametrize(("n", "groups", "partial", "ahead"), PAIRS)
def test_the_paired_test_is_the_one_of_comparisons(n: int, groups: int, partial: bool, ahead: float) -> None:
    rng = np.random.default_rng(n + groups)
    a, b = (rng.random(n) < 0.5).astype(float), (rng.random(n) < 0.5 + ahead).astype(float)
    if partial:
        a, b = a * rng.random(n), b * rng.random(n)
    a[3] = np.nan
    clusters = np.arange(n) % groups
    named = [f"c{number}" for number in clusters]
    expected = paired_difference([None if np.isnan(x) else x for x in a], b.tolist(), named, resamples=0)
    difference, p = paired_test(a, b, clusters if groups < n else None)
    assert difference == pytest.approx(expected.difference)
    exact = (groups == n and not partial) or groups <= 16
    assert p == pytest.approx(expected.p_decides, abs=1e-9 if exact else 0.02)


def test_a_paired_test_of_many_clusters_has_a_p_that_survives_hundreds_of_pairs() -> None:
    a, b = np.zeros(400), np.linspace(0.3, 0.9, 400)
    assert paired_difference(a.tolist(), b.tolist(), resamples=0).p_decides == pytest.approx(0.0001)
    difference, p = paired_test(a, b)
    assert difference == pytest.approx(0.6)
    assert p is not None
    assert p < 1e-9


def test_a_pair_without_a_common_answer_has_no_p() -> None:
    nothing = np.full(3, np.nan)
    assert paired_test(nothing, np.ones(3)) == (0.0, None)
    assert paired_test(np.ones(3), np.ones(3)) == (0.0, 1.0)


TRUTHS = [[0.5] * 6, [0.3, 0.5, 0.5, 0.5, 0.52, 0.8], [0.1, 0.3, 0.5, 0.7, 0.9]]


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("truth", TRUTHS, ids=["all equal", "some equal", "far apart"])
def test_all_true_ranks_are_inside_at_least_95_times_in_100(truth: list[float], paired: bool) -> None:
    """Models that answer 150 items each; in the paired case the same ones, which some find hard together."""
    rng, n, times, inside = np.random.default_rng(7), 150, 200, 0
    for _ in range(times):
        hard = rng.normal(size=n)[:, None] if paired else rng.normal(size=(n, len(truth)))
        own = 0.6 * hard + 0.8 * rng.normal(size=(n, len(truth)))
        right = (own < stats.norm.ppf(truth)).astype(float)
        values = right.mean(axis=0).tolist()
        tests = []
        for a, b in itertools.combinations(range(len(truth)), 2):
            if paired:
                p = paired_test(right[:, a], right[:, b])[1]
            else:
                p = independent_p(Estimate(values[a], n), Estimate(values[b], n))
            tests.append(PairTest(a, b, values[b] - values[a], p))
        inside += all(
            one.best <= 1 + sum(other > own for other in truth) and one.worst >= sum(other >= own for other in truth)
            for one, own in zip(standings(values, tests), truth, strict=True)
        )
    assert inside >= 0.92 * times  # 95 % less two standard errors of 200 trials
    if truth == TRUTHS[2]:
        assert [one.rank for one in standings(values, tests)] == [5, 4, 3, 2, 1]
        assert all(one.best == one.worst for one in standings(values, tests))


def test_lines_of_few_items_beside_many_are_told_apart_no_more_often_than_promised() -> None:
    """Twenty lines of 1,215 items and ten of 20, all right on 2 % of them: by the z-test 8 % of tables were wrong."""
    rng, sizes, times, inside = np.random.default_rng(1), [1215] * 20 + [20] * 10, 100, 0
    for _ in range(times):
        values = [rng.binomial(n, 0.02) / n for n in sizes]
        estimates = [Estimate(value, n) for value, n in zip(values, sizes, strict=True)]
        tests = [
            PairTest(a, b, values[b] - values[a], independent_p(estimates[a], estimates[b]))
            for a, b in itertools.combinations(range(len(sizes)), 2)
        ]
        inside += all(one.best == 1 and one.worst == len(sizes) for one in standings(values, tests))
    assert inside >= 0.96 * times
