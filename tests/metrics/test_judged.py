from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beholder.metrics.judged import judged_mean


def test_t17_three_of_ten_not_judged() -> None:
    mean = judged_mean([1, 1, 1, 0, 0, 1, 0, None, None, None])
    assert mean.value == pytest.approx(4 / 7)
    assert (mean.n, mean.failed, mean.note) == (7, 3, "7/10 judged")
    assert (mean.worst, mean.best) == (0.4, 0.7)


def test_t16_nothing_judged_is_no_score() -> None:
    mean = judged_mean([None] * 4)
    assert mean.value is None
    assert (mean.n, mean.failed, mean.worst, mean.best, mean.note) == (0, 4, 0.0, 1.0, "0/4 judged")


def test_no_items() -> None:
    mean = judged_mean([])
    assert (mean.value, mean.n, mean.failed, mean.worst, mean.best) == (None, 0, 0, None, None)


def test_all_judged() -> None:
    mean = judged_mean([0.25, 0.75])
    assert (mean.value, mean.worst, mean.best, mean.note) == (0.5, 0.5, 0.5, "2/2 judged")


@pytest.mark.parametrize("value", [-0.1, 1.1, 90, float("nan"), float("inf")])
def test_a_value_out_of_range_is_an_error(value: float) -> None:
    with pytest.raises(ValueError, match=r"0\.\.1"):
        judged_mean([0.5, value])


@given(st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=30), st.integers())
def test_bounds_hold_and_order_does_not_matter(values: list[float | None], seed: int) -> None:
    mean = judged_mean(values)
    shuffled = values[:]
    random.Random(seed).shuffle(shuffled)
    assert judged_mean(shuffled) == mean
    assert mean.n + mean.failed == len(values)
    assert mean.worst is not None
    assert mean.best is not None
    assert 0 <= mean.worst <= mean.best <= 1
    if mean.value is not None:
        assert mean.worst - 1e-12 <= mean.value <= mean.best + 1e-12
