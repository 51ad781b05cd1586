"""How far runs agree: against scikit-learn, and on tables small enough to count by hand."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, cohen_kappa_score

from beholder.report import run_agreement
from beholder.report.run_agreement import NOT_READ, RunAgreement, agreement_of, numbered

# scores of both runs (x: no answer), their answers (.: none read), the agreement: n, same, kappa, share, both wrong
TABLES = [
    ("both always right", "111", "111", "ABC", "ABC", (3, 1.0, None, None, 0)),
    ("one is half right", "1110", "11h0", "ABCD", "ABXD", (4, 0.75, 0.5, 1.0, 1)),
    ("failed items are left out", "1x00", "110x", "ABCD", "XBCD", (2, 1.0, 1.0, 1.0, 1)),
    ("nobody answered the same item", "1x", "x1", "AB", "AB", (0, None, None, None, 0)),
    ("the same and another wrong answer", "1000", "1000", "ABCD", "ABCE", (4, 1.0, 1.0, 2 / 3, 3)),
    ("answers that were not read", "1000", "1000", "AB..", "AC.D", (4, 1.0, 1.0, 0.0, 1)),
    ("no answers at all", "100", "100", "...", "...", (3, 1.0, 1.0, None, 0)),
    ("two answers cannot differ where both are wrong", "1000", "1000", "TFTF", "TFTF", (4, 1.0, 1.0, None, 3)),
]


def scores(text: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([{"1": 1.0, "0": 0.0, "h": 0.5, "x": np.nan}[letter] for letter in text])


def answers(text: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return numbered(None if letter == "." else letter for letter in text)


@pytest.mark.parametrize(("name", "a", "b", "said_a", "said_b", "wanted"), TABLES, ids=[row[0] for row in TABLES])
def test_agreement(
    name: str,
    a: str,
    b: str,
    said_a: str,
    said_b: str,
    wanted: tuple[int, float | None, float | None, float | None, int],
) -> None:
    found = agreement_of(0, 1, [scores(a), scores(b)], [answers(said_a), answers(said_b)])
    n, same, kappa, share, both_wrong = wanted
    assert (found.n, found.same, found.both_wrong) == (n, same, both_wrong)
    assert found.kappa == (None if kappa is None else pytest.approx(kappa))
    assert found.both_wrong_same == (None if share is None else pytest.approx(share))


def test_random_runs_agree_as_scikit_learn_says() -> None:
    for seed in range(100):
        rng = np.random.default_rng(seed)
        both = rng.integers(0, 3, (3, int(rng.integers(4, 200)))) / 2
        both[rng.random(both.shape) < 0.1] = np.nan
        nothing = [np.full(both.shape[1], NOT_READ)] * 3
        found = agreement_of(1, 2, list(both), nothing)
        known = ~np.isnan(both[1:]).any(axis=0)
        left, right = both[1:, known] == 1
        assert (found.a, found.b, found.n) == (1, 2, int(known.sum()))
        assert found.same == pytest.approx(accuracy_score(left, right))
        if found.kappa is not None:
            assert found.kappa == pytest.approx(cohen_kappa_score(left, right), abs=1e-12)


def test_equal_answers_have_equal_numbers_and_none_has_its_own() -> None:
    found = numbered(["A", None, "A", "", "B"]).tolist()
    assert found[0] == found[2]
    assert found[1] == NOT_READ
    assert len(set(found)) == 4
    assert RunAgreement(0, 1, 0, None, None, None) == agreement_of(0, 1, [scores("")] * 2, [answers("")] * 2)


def test_the_examples_are_right() -> None:
    assert doctest.testmod(run_agreement) == (0, 1)
