from __future__ import annotations

import pytest

from beholder.metrics.table import follows_from

SIZES = [183, 749, 318]

CASES = [
    # id, counts, groups, claimed, follows, possible, words of the reason
    ("T33", SIZES, [81.5, 94.2, 60.4], 76.3, (), True, "does not follow from full counts"),
    ("micro", SIZES, [81.5, 94.2, 60.4], 83.7, ("micro",), True, "micro"),
    ("macro", SIZES, [81.5, 94.2, 60.4], 78.7, ("macro",), True, "macro"),
    ("equal sizes", [10, 10], [40.0, 60.0], 50.0, ("micro", "macro"), True, "micro and macro"),
    ("rounding at the edge", [1, 1], [50.0, 50.0], 50.1, ("micro", "macro"), True, "follows"),
    ("beyond rounding", [1, 1], [50.0, 50.0], 50.2, (), False, "outside the range"),
    ("below every group", SIZES, [81.5, 94.2, 60.4], 60.2, (), False, "outside the range"),
    ("lowest group alone", SIZES, [81.5, 94.2, 60.4], 60.4, (), True, "items were dropped"),
]


@pytest.mark.parametrize(
    "counts, groups, claimed, follows, possible, words",
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_follows_from(
    counts: list[int],
    groups: list[float],
    claimed: float,
    follows: tuple[str, ...],
    possible: bool,
    words: str,
) -> None:
    check = follows_from(counts, groups, claimed)
    assert check.follows == follows
    assert check.possible is possible
    assert words in check.reason


def test_t33_figures() -> None:
    check = follows_from(SIZES, [81.5, 94.2, 60.4], 76.3)
    assert (round(check.micro, 1), round(check.macro, 1)) == (83.7, 78.7)


def test_tolerance_is_in_the_unit_of_the_table() -> None:
    assert follows_from([1, 3], [0.2, 0.4], 0.351, tolerance=0.0005).follows == ()
    assert follows_from([1, 3], [0.2, 0.4], 0.3504, tolerance=0.0005).follows == ("micro",)


@pytest.mark.parametrize(
    "counts, groups, claimed, tolerance",
    [
        ([], [], 1.0, 0.1),
        ([1], [1.0, 2.0], 1.0, 0.1),
        ([0, 1], [1.0, 2.0], 1.0, 0.1),
        ([1], [float("nan")], 1.0, 0.1),
        ([1], [1.0], float("inf"), 0.1),
        ([1], [1.0], 1.0, -0.1),
    ],
)
def test_refuses(counts: list[int], groups: list[float], claimed: float, tolerance: float) -> None:
    with pytest.raises(ValueError):
        follows_from(counts, groups, claimed, tolerance)
