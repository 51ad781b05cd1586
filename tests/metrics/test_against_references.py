"""Statistics on hundreds of random tables, against scipy, statsmodels and scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from beholder.metrics.agreement import cohen_kappa
from beholder.metrics.intervals import cluster_bootstrap_means, wilson
from beholder.metrics.paired import (
    holm,
    mcnemar_exact,
    minimum_detectable_effect,
    paired_difference,
    sign_flip,
)

TABLES = range(200)


def runs(seed: int, most: int = 80) -> tuple[np.ndarray, np.ndarray]:
    """Right and wrong answers of two runs that agree more or less."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, most))
    first = rng.integers(0, 2, n)
    second = np.where(rng.random(n) < rng.random(), first, rng.integers(0, 2, n))
    return first, second


def test_exact_mcnemar_is_that_of_statsmodels() -> None:
    for seed in TABLES:
        a, b = runs(seed)
        table = [[int(np.sum((a == x) & (b == y))) for y in (1, 0)] for x in (1, 0)]
        ours = paired_difference(a.tolist(), b.tolist())
        assert ours.cells is not None
        cells = ours.cells
        assert [[cells.both_right, cells.only_a], [cells.only_b, cells.both_wrong]] == table
        assert ours.p == pytest.approx(mcnemar(table, exact=True).pvalue, rel=1e-9), seed
        assert ours.difference == pytest.approx(float(b.mean() - a.mean()), abs=1e-12)


def test_mcnemar_of_large_counts_is_the_binomial_test() -> None:
    rng = np.random.default_rng(7)
    for only_a, only_b in rng.integers(0, 5_000, (60, 2)).tolist():
        theirs = stats.binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
        assert mcnemar_exact(only_a, only_b) == pytest.approx(theirs, rel=1e-7, abs=1e-300)


def test_holm_is_that_of_statsmodels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gc.collect", lambda: 0)  # theirs calls it each time, which is all that takes long
    rng = np.random.default_rng(8)
    for seed in TABLES:
        ps = np.round(rng.random(int(rng.integers(1, 40))) ** 3, 2 if seed % 2 else 12)  # with ties
        assert holm(ps.tolist()) == pytest.approx(multipletests(ps, method="holm")[1].tolist())


def test_wilson_is_that_of_statsmodels() -> None:
    rng = np.random.default_rng(9)
    for n in rng.integers(1, 3_000, len(TABLES)).tolist():
        hits = int(rng.integers(0, n + 1))
        assert wilson(hits, n) == pytest.approx(proportion_confint(hits, n, method="wilson"), abs=1e-9)


def test_kappa_is_that_of_scikit_learn() -> None:
    compared = 0
    for seed in TABLES:
        a, b = runs(seed)
        ours = cohen_kappa(a.tolist(), b.tolist()).value
        if ours is not None:
            compared += 1
            assert ours == pytest.approx(cohen_kappa_score(a, b), abs=1e-12), seed
    assert compared > 150


def test_sign_flips_of_few_items_are_the_exact_permutation_test() -> None:
    rng = np.random.default_rng(10)
    for _ in range(40):
        changes = np.round(rng.normal(0.3, 1, int(rng.integers(2, 9))), 2)
        changes[rng.random(len(changes)) < 0.2] = 0
        theirs = stats.permutation_test(
            (changes,), lambda x: abs(x.sum()), permutation_type="samples", n_resamples=np.inf, alternative="greater"
        )
        assert sign_flip(changes.tolist()) == pytest.approx(theirs.pvalue, abs=1e-9)


def test_sign_flips_of_many_items_are_near_the_permutation_test() -> None:
    rng = np.random.default_rng(11)
    for seed in range(4):
        changes = rng.normal(0.15, 1, 120)
        theirs = stats.permutation_test(
            (changes,),
            lambda x, axis: np.abs(x.sum(axis=axis)),
            permutation_type="samples",
            n_resamples=9_999,
            alternative="greater",
            vectorized=True,
            rng=np.random.default_rng(seed),
        ).pvalue
        spread = 4 * math.sqrt(2 * max(theirs, 1e-3) / 9_999)
        assert sign_flip(changes.tolist(), seed=seed) == pytest.approx(theirs, abs=spread)


def test_the_paired_bootstrap_is_near_that_of_scipy() -> None:
    for seed in range(6):
        rng = np.random.default_rng(100 + seed)
        changes = rng.choice([-1.0, 0.0, 0.5, 1.0], 150, p=[0.1, 0.5, 0.2, 0.2])
        low, high = cluster_bootstrap_means(changes, None, seed=seed, resamples=4_000)
        theirs = stats.bootstrap(
            (changes,), np.mean, method="percentile", n_resamples=4_000, rng=np.random.default_rng(seed)
        ).confidence_interval
        assert low is not None
        assert high is not None
        width = theirs.high - theirs.low
        assert low == pytest.approx(theirs.low, abs=0.08 * width)
        assert high == pytest.approx(theirs.high, abs=0.08 * width)


@pytest.mark.parametrize(("n", "discordant"), [(200, 0.3), (500, 0.2), (1_000, 0.1)])
def test_the_detectable_difference_is_found_four_times_in_five(n: int, discordant: float) -> None:
    effect = minimum_detectable_effect(n, discordant=discordant)
    assert effect is not None
    rng = np.random.default_rng(n)
    better, worse = (discordant + effect) / 2, (discordant - effect) / 2
    draws = rng.multinomial(n, [better, worse, 1 - discordant], size=1_500)
    found = np.mean([mcnemar_exact(int(lost), int(gained)) <= 0.05 for gained, lost, _ in draws])
    assert 0.74 < found < 0.86  # the exact test is a little more careful than the formula's normal one
