from __future__ import annotations

import time

import numpy as np
import pytest
from scipy import stats

from beholder.metrics.intervals import (
    cluster_bootstrap,
    cluster_bootstrap_means,
    cluster_bootstrap_ratios,
    cluster_bootstrap_totals,
    cluster_count,
    wilson,
)


@pytest.mark.parametrize("n", [1, 2, 7, 50, 1250, 14099, 10**6])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_wilson_against_scipy(n: int, level: float) -> None:
    for successes in sorted({0, 1, n // 3, n // 2, n - 1, n}):
        reference = stats.binomtest(successes, n).proportion_ci(level, method="wilson")
        assert wilson(successes, n, level) == pytest.approx((reference.low, reference.high), abs=1e-12)


def test_wilson_at_the_ends() -> None:
    assert wilson(0, 0) == (None, None)
    assert wilson(0, 5)[0] == 0.0
    assert wilson(5, 5)[1] == 1.0
    assert wilson(5, 5)[0] == pytest.approx(0.5655, abs=1e-4)


@pytest.mark.parametrize("successes, n, level", [(6, 5, 0.95), (-1, 5, 0.95), (1, -1, 0.95), (1, 5, 0.0), (1, 5, 1.0)])
def test_wilson_refuses(successes: int, n: int, level: float) -> None:
    with pytest.raises(ValueError):
        wilson(successes, n, level)


def test_wilson_covers() -> None:
    n, p = 40, 0.85
    counts = np.random.default_rng(1).binomial(n, p, size=4000)
    covered = np.mean([low <= p <= high for low, high in (wilson(int(k), n) for k in counts)])
    assert 0.93 <= covered <= 0.97


def clustered(seed: int, clusters: int = 60, *, partial: bool = False) -> tuple[np.ndarray, list[str], list[str]]:
    """Values with a cluster effect, their clusters, and strata that hold whole clusters."""
    rng = np.random.default_rng(seed)
    values, names, strata = [], [], []
    for cluster in range(clusters):
        ability = rng.beta(2, 2)
        size = int(rng.integers(1, 8))
        values.extend(rng.beta(2, 2, size) * ability if partial else rng.random(size) < ability)
        names.extend([f"image {cluster}"] * size)
        strata.extend(["ab"[cluster % 2]] * size)
    return np.array(values, dtype=float), names, strata


def mean_of(values: np.ndarray):
    return lambda weights: float(values @ weights / weights.sum())


@pytest.mark.parametrize("partial", [False, True], ids=["right/wrong", "partial credit"])
@pytest.mark.parametrize("stratified", [False, True], ids=["plain", "stratified"])
def test_fast_path_agrees_with_the_general_one(partial: bool, stratified: bool) -> None:
    values, names, strata = clustered(3, partial=partial)
    by = strata if stratified else None
    general = cluster_bootstrap(mean_of(values), names, by, seed=1, resamples=4000)
    fast = cluster_bootstrap_means(values, names, by, seed=2, resamples=4000)
    assert fast == pytest.approx(general, abs=0.012)


def test_both_ways_of_drawing_agree() -> None:
    # 400 rows with 3 kinds draw counts of kinds; a tiny jitter makes every row its own kind and draws rows.
    rng = np.random.default_rng(0)
    values = rng.choice([0.0, 0.5, 1.0], size=400)
    jittered = values + rng.random(400) * 1e-9
    kinds = cluster_bootstrap_means(values, seed=1, resamples=4000)
    rows = cluster_bootstrap_means(jittered, seed=1, resamples=4000)
    assert kinds == pytest.approx(rows, abs=0.006)
    error = values.std() / 20
    assert kinds == pytest.approx((values.mean() - 1.96 * error, values.mean() + 1.96 * error), abs=0.006)


def test_clusters_widen_the_interval() -> None:
    values = np.repeat([0.0, 1.0] * 25, 20)  # 50 images, 20 equal answers each: 50 observations, not 1,000
    names = [str(row // 20) for row in range(1000)]
    alone = cluster_bootstrap_means(values, seed=0)
    together = cluster_bootstrap_means(values, names, seed=0)
    ratio = (together[1] - together[0]) / (alone[1] - alone[0])
    assert ratio == pytest.approx(20**0.5, rel=0.12)


def test_strata_narrow_the_interval() -> None:
    values = np.array([0.0] * 50 + [1.0] * 50)
    strata = ["hard"] * 50 + ["easy"] * 50
    assert cluster_bootstrap_means(values, None, strata, seed=0) == (0.5, 0.5)
    low, high = cluster_bootstrap_means(values, None, None, seed=0)
    assert high - low > 0.15


def test_a_cluster_in_two_strata_is_never_torn_apart() -> None:
    names = ["x", "x", "y", "y", "z", "w"]
    strata = ["a", "b", "a", "b", "a", "a"]
    seen = []

    def statistic(weights: np.ndarray) -> float:
        seen.append(weights.copy())
        return 0.0

    cluster_bootstrap(statistic, names, strata, seed=0, resamples=50)
    table = np.array(seen)
    assert (table[:, 0] == table[:, 1]).all()
    assert (table[:, 2] == table[:, 3]).all()
    assert (table[:, 0] + table[:, 2] == 2).all()  # x and y touch the same strata and replace each other
    assert (table[:, 4] + table[:, 5] == 2).all()
    assert len({tuple(row) for row in seen}) == 9


@pytest.mark.parametrize("partial", [False, True], ids=["right/wrong", "partial credit"])
def test_order_of_rows_and_names_of_clusters_do_not_matter(partial: bool) -> None:
    values, names, strata = clustered(5, partial=partial)
    expected = cluster_bootstrap_means(values, names, strata, seed=7)
    general = cluster_bootstrap(mean_of(values), names, strata, seed=7, resamples=200)
    for shuffle in range(5):
        order = np.random.default_rng(shuffle).permutation(len(values))
        moved = [names[i] for i in order]
        by = [strata[i] for i in order]
        assert cluster_bootstrap_means(values[order], moved, by, seed=7) == expected
        renamed = [name[::-1] for name in moved]
        assert cluster_bootstrap_means(values[order], renamed, by, seed=7) == expected
        again = cluster_bootstrap(mean_of(values[order]), moved, by, seed=7, resamples=200)
        assert again == pytest.approx(general, abs=1e-12)


def test_the_seed_decides() -> None:
    values, names, _ = clustered(8, partial=True)
    first = cluster_bootstrap_means(values, names, seed=1)
    assert cluster_bootstrap_means(values, names, seed=1) == first
    assert cluster_bootstrap_means(values, names, seed=2) != first
    assert cluster_bootstrap_means(values, names, seed=-1) != first  # any whole number is a seed
    assert cluster_bootstrap_means(values, names, seed=2**64 - 1) != first


def test_ratio_where_the_denominator_varies() -> None:
    rng = np.random.default_rng(2)
    decided = rng.random(500) < 0.6
    right = decided & (rng.random(500) < 0.7)
    interval = cluster_bootstrap_ratios(right, decided, seed=0, resamples=4000)
    p, n = right.sum() / decided.sum(), decided.sum()
    error = (p * (1 - p) / n) ** 0.5
    assert interval == pytest.approx((p - 1.96 * error, p + 1.96 * error), abs=0.008)


DEGENERATE = [
    ("no rows", [], []),
    ("one row", [1.0], ["a"]),
    ("one cluster", [1.0, 0.0, 1.0], ["a", "a", "a"]),
]


@pytest.mark.parametrize("values, names", [case[1:] for case in DEGENERATE], ids=[case[0] for case in DEGENERATE])
def test_no_interval(values: list[float], names: list[str]) -> None:
    assert cluster_bootstrap_means(values, names, seed=0) == (None, None)
    assert cluster_bootstrap(lambda weights: 1.0, names, seed=0) == (None, None)


def test_no_resamples_no_interval() -> None:
    assert cluster_bootstrap_means([1, 0, 1], seed=0, resamples=0) == (None, None)


def test_rows_without_a_cluster_stand_alone() -> None:
    assert cluster_count(["", "", "a", "a"], 4) == 3
    assert cluster_bootstrap_means([1, 0, 1, 0], [""] * 4, seed=0) == cluster_bootstrap_means([1, 0, 1, 0], seed=0)


def test_undefined_draws() -> None:
    # One decided item of two: a quarter of the draws have none, and the tails are unknown.
    assert cluster_bootstrap_ratios([1, 0], [1, 0], seed=0) == (None, None)
    # Nine of ten decided: no draw without one.
    assert cluster_bootstrap_ratios([1] * 5 + [0] * 5, [1] * 9 + [0], seed=0)[0] is not None
    assert cluster_bootstrap(lambda weights: float("nan"), ["a", "b"], seed=0) == (None, None)


REFUSED = [
    ("infinite value", {"columns": [[np.inf], [0.0]]}),
    ("nan", {"columns": [[np.nan], [0.0]]}),
    ("one-dimensional", {"columns": [1.0, 0.0]}),
    ("clusters too short", {"clusters": ["a"]}),
    ("strata too short", {"strata": ["a"]}),
    ("level", {"level": 1.5}),
    ("resamples", {"resamples": -1}),
]


@pytest.mark.parametrize("change", [case[1] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_bootstrap_refuses(change: dict) -> None:
    arguments = {"columns": [[1.0], [0.0]], "statistic": lambda totals: totals[:, 0], "seed": 0} | change
    with pytest.raises(ValueError):
        cluster_bootstrap_totals(**arguments)


def test_cluster_bootstrap_covers() -> None:
    rng = np.random.default_rng(11)
    covered = 0
    trials = 400
    for trial in range(trials):
        ability = rng.beta(3, 2, size=60)  # mean 0.6
        sizes = rng.integers(1, 6, size=60)
        names = [str(cluster) for cluster in np.repeat(np.arange(60), sizes)]
        values = (rng.random(sizes.sum()) < np.repeat(ability, sizes)).astype(float)
        low, high = cluster_bootstrap_means(values, names, seed=trial, resamples=400)
        covered += low <= 0.6 <= high
    assert 0.91 <= covered / trials <= 0.98


def test_speed_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    rows = 14_099
    names = [str(row // 7) for row in range(rows)]
    right = rng.random(rows) < 0.6
    partial = rng.random(rows)
    lines = []
    for label, values, clusters in (
        ("right/wrong, 2,015 clusters", right, names),
        ("right/wrong, single", right, None),
        ("partial credit, 2,015 clusters", partial, names),
        ("partial credit, single", partial, None),
    ):
        start = time.perf_counter()
        low, high = cluster_bootstrap_means(values, clusters, seed=0, resamples=1000)
        lines.append(f"{label}: {time.perf_counter() - start:.3f} s")
        assert low < np.mean(values) < high
    with capsys.disabled():
        print("\n14,099 rows, 1,000 resamples: " + "; ".join(lines))
