from __future__ import annotations

import numpy as np
import pytest

from beholder.metrics.noise import Noise, between_within


def test_balanced_by_hand() -> None:
    # Item means 1, 0.5, 0; MSW = 0.5 / 3; MSB = 2 * (0.25 + 0 + 0.25) / 2 = 0.5; between = (0.5 - 1/6) / 2.
    noise = between_within([[1, 1], [1, 0], [0, 0]])
    assert noise.mean == 0.5
    assert noise.within == pytest.approx(1 / 6)
    assert noise.between == pytest.approx(1 / 6)
    assert noise.se_mean == pytest.approx((0.25 / 3) ** 0.5)
    assert noise.se_mean**2 == pytest.approx(noise.between / 3 + noise.within / 6)
    assert noise.se_epochs == pytest.approx((noise.within / 6) ** 0.5)
    assert (noise.items, noise.scores, noise.failed) == (3, 6, 0)


@pytest.mark.parametrize("unbalanced", [False, True])
def test_recovers_known_variances(unbalanced: bool) -> None:
    rng = np.random.default_rng(0)
    items = 4000
    truth = rng.normal(0.5, 0.2, items)
    rows = [rng.normal(mean, 0.1, int(rng.integers(1, 6)) if unbalanced else 4).tolist() for mean in truth]
    noise = between_within(rows)
    assert noise.between == pytest.approx(0.04, rel=0.06)
    assert noise.within == pytest.approx(0.01, rel=0.06)


def test_standard_error_against_simulated_benchmarks() -> None:
    rng = np.random.default_rng(1)
    means, errors = [], []
    for _ in range(300):
        ability = rng.beta(2, 2, 80)
        noise = between_within((rng.random((80, 3)) < ability[:, None]).astype(float).tolist())
        means.append(noise.mean)
        errors.append(noise.se_mean)
    assert np.mean(errors) == pytest.approx(np.std(means), rel=0.12)


def test_epochs_error_against_asking_again() -> None:
    rng = np.random.default_rng(2)
    ability = rng.beta(2, 2, 80)
    runs = [between_within((rng.random((80, 3)) < ability[:, None]).astype(float).tolist()) for _ in range(300)]
    assert np.mean([run.se_epochs for run in runs]) == pytest.approx(np.std([run.mean for run in runs]), rel=0.12)


UNKNOWN = [
    ("nothing", [], Noise(None, None, None, None, None, 0, 0, 0)),
    ("all failed", [[None], [None, None], []], Noise(None, None, None, None, None, 0, 0, 3)),
    ("one item once", [[1]], Noise(1.0, None, None, None, None, 1, 1, 0)),
    ("one item twice", [[1, 0]], Noise(0.5, None, 0.5, None, 0.5, 1, 2, 0)),
    ("one epoch", [[1], [0]], Noise(0.5, None, None, 0.5, None, 2, 2, 0)),
    ("a failed epoch", [[1, None], [0, 0]], Noise(0.5, 0.5, 0.0, 0.5, 0.0, 2, 3, 1)),
]


@pytest.mark.parametrize("rows, expected", [case[1:] for case in UNKNOWN], ids=[case[0] for case in UNKNOWN])
def test_what_the_data_cannot_tell_is_none(rows: list, expected: Noise) -> None:
    noise = between_within(rows)
    for name in Noise.__struct_fields__:
        assert getattr(noise, name) == pytest.approx(getattr(expected, name)), name


def test_pure_run_noise_leaves_nothing_between_items() -> None:
    noise = between_within([[1, 0], [0, 1], [1, 0]])
    assert (noise.between, noise.within) == (0.0, 0.5)


def test_order_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    rows = [rng.random(int(rng.integers(1, 5))).tolist() for _ in range(50)]
    expected = between_within(rows)
    shuffled = [list(rng.permutation(row)) for row in rows]
    rng.shuffle(rows)
    for other in (rows, shuffled):
        noise = between_within(other)
        for name in Noise.__struct_fields__:
            assert getattr(noise, name) == pytest.approx(getattr(expected, name), rel=1e-12)


def test_refuses_what_is_no_number() -> None:
    with pytest.raises(ValueError):
        between_within([[float("nan")]])
