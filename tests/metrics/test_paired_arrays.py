"""Paired statistics of arrays and of clusters: the same as of lists, and as of the references where those know them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from beholder.metrics.accuracy import share, share_of
from beholder.metrics.agreement import NO_PAIRS, ONE_VALUE, cohen_kappa, kappa_of_cells
from beholder.metrics.paired import paired_difference, paired_scores, sign_flip

Floats = np.ndarray[Any, np.dtype[np.float64]]


def test_kappa_of_cells_is_that_of_both_references_and_of_the_ratings() -> None:
    rng = np.random.default_rng(5)
    for number in range(300):
        both, only_a, only_b, neither = cells = rng.integers(0, (2, 10, 60, 5_000)[number % 4], 4).tolist()
        ours, n = kappa_of_cells(*cells), sum(cells)
        if ours.value is None:
            assert ours.reason == (ONE_VALUE if n else NO_PAIRS)
            assert n in (both, neither)
            continue
        theirs = cohens_kappa([[both, only_a], [only_b, neither]], return_results=False)
        assert ours.items == n
        assert ours.value == pytest.approx(float(theirs), abs=1e-12)
        if number % 4 < 2:
            a = [1] * (both + only_a) + [0] * (only_b + neither)
            b = [1] * both + [0] * only_a + [1] * only_b + [0] * neither
            assert ours.value == pytest.approx(cohen_kappa_score(a, b), abs=1e-12)
            assert ours.value == pytest.approx(cohen_kappa(a, b).value, abs=1e-12)
    with pytest.raises(ValueError, match="negative"):
        kappa_of_cells(1, -1, 0, 0)


def summed(x: Floats, axis: int) -> Floats:
    return np.sum(x, axis=axis)


def test_clusters_flip_as_their_sums_do_in_the_permutation_test_of_scipy() -> None:
    rng = np.random.default_rng(7)
    for _ in range(60):
        clusters = rng.integers(0, 8, int(rng.integers(8, 40)))
        changes = rng.integers(-4, 5, len(clusters)) / 4
        sums = np.array([changes[clusters == one].sum() for one in np.unique(clusters)])
        theirs = stats.permutation_test((sums,), summed, permutation_type="samples", n_resamples=np.inf)
        assert sign_flip(changes, clusters) == pytest.approx(min(1.0, float(theirs.pvalue)), abs=1e-9)


@pytest.mark.parametrize("lean", [0.0, 0.08])
@pytest.mark.parametrize("heavy", [False, True], ids=["alike", "a few clusters weigh most"])
def test_many_sizes_are_drawn_together_as_if_one_by_one(
    monkeypatch: pytest.MonkeyPatch, lean: float, *, heavy: bool
) -> None:
    rng = np.random.default_rng(8)
    changes = rng.normal(lean, 1, 600) * (rng.pareto(1.1, 600) + 1 if heavy else 1)
    together = sign_flip(changes, seed=1)
    monkeypatch.setattr("beholder.metrics.paired._MOST_SIZES", 10**9)
    one_by_one = sign_flip(changes, seed=2)
    # Each p is a share of 10,000: four standard errors of their difference.
    assert together == pytest.approx(one_by_one, abs=4 * math.sqrt(2 * max(one_by_one, 1e-4) / 10_000))


def as_list(scores: Floats) -> list[float | None]:
    return [None if math.isnan(one) else one for one in scores.tolist()]


def test_arrays_are_compared_as_lists_are() -> None:
    rng = np.random.default_rng(10)
    for number in range(40):
        n = int(rng.integers(2, 120))
        a, b = rng.integers(0, 3, (2, n)) / 2 if number % 3 else rng.integers(0, 2, (2, n)).astype(float)
        a[rng.random(n) < 0.1] = np.nan
        clusters = rng.integers(0, max(1, n // (1 + number % 4)), n)
        named = [f"c{cluster}" for cluster in clusters.tolist()]
        assert paired_scores(a, b, clusters, seed=number) == paired_difference(
            as_list(a), as_list(b), named, seed=number
        )
        assert share_of(a, clusters, seed=number) == share(as_list(a), named, seed=number)
        assert share_of(a) == share(as_list(a))


def test_no_answer_at_all_is_no_figure() -> None:
    nothing = np.full(3, np.nan)
    assert paired_scores(nothing, np.ones(3)).failed == 3
    assert share_of(nothing) == share([None, None, None])
    assert share_of(np.empty(0)) == share([])
