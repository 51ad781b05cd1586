"""Agreement of raters, against reference implementations on random ratings and against figures worked out by hand."""

from __future__ import annotations

import random
from collections.abc import Hashable
from typing import Any

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as reference_fleiss

from beholder.metrics.agreement import (
    NO_PAIRS,
    ONE_VALUE,
    Agreement,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    raw_agreement,
)

LEVELS = ("nominal", "ordinal", "interval", "ratio")


def drawn(seed: int, *, missing: float) -> list[list[int | None]]:
    """2 to 6 raters, 3 to 60 items, 2 to 6 values, more or less alike."""
    rng = random.Random(seed)
    raters, items, values = rng.randint(2, 6), rng.randint(3, 60), rng.randint(2, 6)
    truth = [rng.randrange(values) for _ in range(items)]
    slips = rng.random()
    rows: list[list[int | None]] = []
    for _ in range(raters):
        row = [rng.randrange(values) if rng.random() < slips else one for one in truth]
        rows.append([None if rng.random() < missing else one for one in row])
    return rows


def as_array(ratings: list[list[int | None]]) -> Any:
    return np.array([[np.nan if value is None else value for value in row] for row in ratings], dtype=float)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("missing", [0.0, 0.3, 0.7])
def test_alpha_is_that_of_the_reference(level: Any, missing: float) -> None:
    compared = 0
    for seed in range(40):
        ratings = drawn(seed, missing=missing)
        ours = krippendorff_alpha(ratings, level)
        if ours.value is None:
            continue
        theirs = krippendorff.alpha(reliability_data=as_array(ratings), level_of_measurement=level)
        assert ours.value == pytest.approx(theirs, abs=1e-9)
        compared += 1
    assert compared > 30


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_cohens_kappa_is_that_of_the_reference(weights: Any) -> None:
    compared = 0
    for seed in range(120):
        a, b = drawn(seed, missing=0.2)[:2]
        ours = cohen_kappa(a, b, weights)
        both = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
        if ours.value is None:
            assert len({value for pair in both for value in pair}) <= 1
            continue
        theirs = cohen_kappa_score(*zip(*both, strict=True), weights=weights, labels=range(6))
        assert ours.value == pytest.approx(theirs, abs=1e-9)
        assert ours.items == len(both)
        compared += 1
    assert compared > 100


def test_fleiss_kappa_is_that_of_the_reference() -> None:
    for seed in range(60):
        ratings = drawn(seed, missing=0.0)
        columns = zip(*ratings, strict=True)
        table = np.array([[column.count(value) for value in range(6)] for column in columns])
        assert fleiss_kappa(ratings).value == pytest.approx(reference_fleiss(table), abs=1e-9)


def test_fleiss_kappa_asks_for_as_many_ratings_not_for_the_same_raters() -> None:
    by_whom = [["a", None, "b", "b", None], ["a", "b", None, "a", None], [None, "b", "b", None, None]]
    same = fleiss_kappa(by_whom)
    assert same.items == 4
    assert same.value == fleiss_kappa([["a", "b", "b", "b"], ["a", "b", "b", "a"]]).value
    uneven = fleiss_kappa([["a", "a", "b"], ["a", "b", "b"], ["a", None, "b"]])
    assert uneven.value is None
    assert "2 to 3 ratings" in uneven.reason


def test_raw_agreement_counts_pairs() -> None:
    ratings = [["a", "a", "b", None], ["a", "b", None, "c"], ["a", "b", None, None]]
    # Item 1: 3 of 3 pairs; item 2: 1 of 3; items 3 and 4 have a single rating.
    assert raw_agreement(ratings) == Agreement(4 / 6, 2)


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        ([], NO_PAIRS),
        ([["a", "b"]], NO_PAIRS),
        ([[], []], NO_PAIRS),
        ([["a", None], [None, "b"]], NO_PAIRS),
        ([[None, None], [None, None]], NO_PAIRS),
        ([["a", "a"], ["a", "a"]], ONE_VALUE),
    ],
)
def test_what_is_not_defined_has_a_reason_and_no_value(ratings: list[list[Hashable]], reason: str) -> None:
    assert fleiss_kappa(ratings).reason == reason
    found = krippendorff_alpha(ratings, "nominal")
    assert (found.value, found.reason) == (None, reason)
    if len(ratings) == 2:
        pair = cohen_kappa(ratings[0], ratings[1])
        assert (pair.value, pair.reason) == (None, reason)
    assert raw_agreement(ratings).value == (1.0 if reason == ONE_VALUE else None)


@pytest.mark.parametrize("level", LEVELS)
def test_one_value_is_undefined_at_every_level(level: Any) -> None:
    assert krippendorff_alpha([[2, 2, None], [2, 2, 2]], level) == Agreement(None, 2, ONE_VALUE)
    assert cohen_kappa([0.1 + 0.2] * 3, [0.1 + 0.2] * 3, "quadratic") == Agreement(None, 3, ONE_VALUE)


def test_ratings_may_be_any_values_where_only_equality_counts() -> None:
    words = [["gun", ("t", "s"), True], ["gun", ("t", "s"), False]]
    numbers = [[1, 2, 3], [1, 2, 4]]
    assert raw_agreement(words) == raw_agreement(numbers)
    assert krippendorff_alpha(words, "nominal") == krippendorff_alpha(numbers, "nominal")
    assert krippendorff_alpha([["b", "a"], ["c", "a"]], "ordinal") == krippendorff_alpha([[1, 0], [2, 0]], "ordinal")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: raw_agreement([["a"], ["a", "b"]]), "one entry for each item"),
        (lambda: krippendorff_alpha([["a", "b"], ["a", "c"]], "interval"), "numbers"),
        (lambda: krippendorff_alpha([[float("inf"), 1], [1, 1]], "interval"), "finite"),
        (lambda: krippendorff_alpha([[-1, 1], [1, 1]], "ratio"), "below 0"),
        (lambda: cohen_kappa(["a", "b"], ["a", "c"], "linear"), "numbers"),
        (lambda: cohen_kappa([1], [1, 2]), "shorter|longer"),
    ],
)
def test_ratings_that_make_no_sense_are_refused(wrong: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        wrong()
