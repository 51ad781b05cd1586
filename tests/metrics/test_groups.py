from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.metrics.accuracy import share
from beholder.metrics.groups import all_or_nothing

CASES = [
    ("T77: three of four right", [1, 1, 1, 0], "aaaa", {"value": 0.0, "n": 1, "failed": 0}),
    ("two images, three of four right", [1, 1, 1, 0], "aabb", {"value": 0.5, "n": 2}),
    ("interleaved rows", [1, 1, 1, 0], "abab", {"value": 0.5, "n": 2}),
    ("partial credit is not right", [1, 0.99], "aa", {"value": 0.0, "n": 1}),
    ("undecided", [1, None, 1], "aab", {"value": 1.0, "n": 1, "failed": 1, "worst": 0.5, "best": 1.0}),
    ("already wrong", [0, None, 1], "aab", {"value": 0.5, "n": 2, "failed": 0}),
    ("all failed", [None, None], "aa", {"value": None, "n": 0, "failed": 1}),
    ("no rows", [], "", {"value": None, "n": 0, "failed": 0}),
]


@pytest.mark.parametrize("values, groups, expected", [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_all_or_nothing(values: list[float | None], groups: str, expected: dict[str, object]) -> None:
    metric = all_or_nothing(values, list(groups))
    assert {name: getattr(metric, name) for name in expected} == expected


# values, groups, sizes → figures and the number of incomplete groups that the note names
SIZED = [
    ("two of three right", [1, 1], "aa", {"a": 3}, {"value": None, "n": 0, "failed": 1, "worst": 0, "best": 1}, 1),
    ("two of three, one wrong", [1, 0], "aa", {"a": 3}, {"value": None, "n": 0, "failed": 1}, 1),
    ("all there", [1, 1, 1], "aaa", {"a": 3}, {"value": 1.0, "n": 1, "failed": 0}, 0),
    ("one whole, one not", [1, 1, 1], "aab", {"a": 2, "b": 2}, {"value": 1.0, "n": 1, "failed": 1, "worst": 0.5}, 1),
    ("failed and not there", [1, None], "aa", {"a": 3}, {"value": None, "failed": 1}, 1),
    ("not named: complete", [1, 1], "ab", {"a": 2}, {"value": 1.0, "n": 1, "failed": 1}, 1),
    ("no row at all", [1], "a", {"a": 1, "b": 4}, {"value": 1.0, "n": 1, "failed": 0}, 0),
    ("more rows than expected", [1, 1], "aa", {"a": 1}, {"value": 1.0, "n": 1, "failed": 0}, 0),
    ("no sizes", [1, 1], "aa", None, {"value": 1.0, "n": 1, "failed": 0}, 0),
]


@pytest.mark.parametrize(
    "values, groups, sizes, expected, incomplete", [case[1:] for case in SIZED], ids=[case[0] for case in SIZED]
)
def test_a_group_that_is_not_all_there(
    values: list[float | None],
    groups: str,
    sizes: dict[str, int] | None,
    expected: dict[str, object],
    incomplete: int,
) -> None:
    metric = all_or_nothing(values, list(groups), sizes=sizes)
    assert {name: getattr(metric, name) for name in expected} == expected
    assert (f"{incomplete} of {len(set(groups))} groups are incomplete" in metric.note) is bool(incomplete)
    assert ("incomplete" in metric.note) is bool(incomplete)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.sampled_from([0.0, 1.0, None]), min_size=1, max_size=6), st.integers(0, 3))
def test_an_incomplete_group_moves_no_value(values: list[float | None], absent: int) -> None:
    """Else a selection that cuts groups would count the wrong ones among them and not the right ones."""
    whole = all_or_nothing([1.0, *values], ["whole", *["a"] * len(values)])
    sized = all_or_nothing([1.0, *values], ["whole", *["a"] * len(values)], sizes={"a": len(values) + absent})
    expected = (1.0, 1, 1) if absent else (whole.value, whole.n, whole.failed)
    assert (sized.value, sized.n, sized.failed) == expected


def test_t77_item_accuracy_beside_group_accuracy() -> None:
    assert share([1, 1, 1, 0]).value == 0.75
    assert all_or_nothing([1, 1, 1, 0], ["image"] * 4).value == 0.0


def test_rows_without_a_group_are_left_out_and_named() -> None:
    metric = all_or_nothing([1, 0, 1, 0], ["a", "", "a", ""])
    assert (metric.value, metric.n) == (1.0, 1)
    assert "2 rows without a group are left out" in metric.note


def test_groups_are_redrawn_by_their_cluster() -> None:
    values = [1, 1, 0, 0] * 30
    groups = [str(row // 2) for row in range(120)]
    assert all_or_nothing(values, groups).interval == "wilson"
    assert all_or_nothing(values, groups, groups).interval == "wilson"
    # Four groups a source, two of them right: no draw differs. Five: three of one kind and two of the other.
    even = [f"s{row // 8}" for row in range(120)]
    assert all_or_nothing(values, groups, even).interval == ""
    uneven = [f"s{row // 10}" for row in range(120)]
    assert all_or_nothing(values, groups, uneven).interval == "cluster bootstrap"


def test_a_group_in_two_clusters_joins_them() -> None:
    values, groups = [1, 1, 0, 1], ["a", "a", "b", "c"]
    joined = all_or_nothing(values, groups, ["x", "y", "x", "y"])
    assert joined.note == "no interval: all items are in one cluster"
    assert all_or_nothing(values, groups, ["x", "x", "x", "y"]).interval == "cluster bootstrap"


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError):
        all_or_nothing([1, 0], ["a"])
    with pytest.raises(ValueError):
        all_or_nothing([1, 0], ["a", "a"], ["x"])


ROWS = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0, None]), st.sampled_from("abc")), min_size=1, max_size=7)


@settings(deadline=None, max_examples=150)
@given(ROWS, st.randoms(use_true_random=False))
def test_bounds_hold_every_way_the_failed_could_have_gone(rows, random) -> None:
    values, groups = [row[0] for row in rows], [row[1] for row in rows]
    metric = all_or_nothing(values, groups)
    outcomes = []
    for filled in itertools.product([0.0, 1.0], repeat=values.count(None)):
        fill = iter(filled)
        complete = [next(fill) if value is None else value for value in values]
        outcomes.append(all_or_nothing(complete, groups).value)
    assert min(outcomes) == pytest.approx(metric.worst)
    assert max(outcomes) == pytest.approx(metric.best)

    order = list(range(len(rows)))
    random.shuffle(order)
    assert all_or_nothing([values[i] for i in order], [groups[i] for i in order]) == metric
