"""A comparison of two runs against arithmetic done by hand."""

from __future__ import annotations

import io
import math

import msgspec
import pytest
from rich.console import Console

from beholder.errors import Owner, UsageError
from beholder.metrics.paired import SIGNIFICANT, Cells, minimum_detectable_effect
from beholder.report import comparison
from beholder.report.comparison import compare, item_values, right_wrong
from beholder.report.comparison_report import print_comparison
from beholder.score import Outcome, Score, ScoredItem


def scored(value: float | None) -> Score:
    if value is None:
        return Score(None, Outcome.FAILED, owner=Owner.PROVIDER)
    return Score(value, Outcome.SCORED, extracted="x")


def items(*values: float | None, categories: str = "") -> list[ScoredItem]:
    """One item for each value; `categories` gives each its letter."""
    return [
        ScoredItem(
            index=number,
            key=f"k{number}",
            scores={"recipe": scored(value)},
            category=categories[number] if categories else "",
        )
        for number, value in enumerate(values)
    ]


def votes(key: str, *values: float | None, epoch: int = 0) -> list[ScoredItem]:
    return [
        ScoredItem(index=0, key=key, vote=vote, epoch=epoch, scores={"recipe": scored(value)})
        for vote, value in enumerate(values)
    ]


def test_the_difference_and_the_four_cells() -> None:
    result = compare(
        items(1, 1, 0, 0, 1, 0, 1, 0), items(1, 0, 1, 1, 1, 0, 1, 1), "recipe", voted=False, intersect=False
    )
    paired = result.paired
    assert paired.cells is not None
    assert (paired.cells.both_right, paired.cells.only_a, paired.cells.only_b, paired.cells.both_wrong) == (3, 1, 3, 1)
    assert paired.mean_a == 4 / 8
    assert paired.mean_b == 6 / 8
    assert paired.difference == 2 / 8
    # Exact McNemar, two-sided: 2 · P(X <= 1 | 4, 1/2) = 2 · (1 + 4) / 16.
    assert paired.p == pytest.approx(10 / 16)
    assert result.gained == ["k2", "k3", "k7"]
    assert result.lost == ["k1"]
    # McNemar decides: of eight items that differ in half, Connor's formula finds no difference at all.
    assert result.detectable is None


def test_the_detectable_difference_is_that_of_the_test_that_decides() -> None:
    a, b = [0.0] * 40 + [1.0] * 40, [1.0] * 12 + [0.0] * 28 + [1.0] * 36 + [0.0] * 4
    right_or_wrong = compare(items(*a), items(*b), "recipe", voted=False, intersect=False)
    assert right_or_wrong.detectable == minimum_detectable_effect(80, discordant=16 / 80)
    in_part = compare(items(*a, 0.5), items(*b, 0.5), "recipe", voted=False, intersect=False)
    # (z 0.975 + z 0.8) · sd / sqrt(n), with 12 differences of 1, 4 of -1 and 65 of 0 about their mean.
    sd = math.sqrt((16 - 81 * (8 / 81) ** 2) / 80)
    assert in_part.detectable == pytest.approx((1.959964 + 0.841621) * sd / 9, rel=1e-3)
    assert in_part.paired.p is None
    assert in_part.paired.p_decides == pytest.approx(right_or_wrong.paired.p)  # the flips of sixteen ones


def test_no_difference_beyond_all_points_is_called_detectable() -> None:
    a, b = items(0, 0, 0, 1, 1, 1), items(1, 1, 1, 0, 0, 0.25)
    assert compare(a, b, "recipe", voted=False, intersect=False).detectable is None  # the spread would say 120 points


def test_so_few_items_that_p_cannot_be_small_have_no_detectable_difference() -> None:
    for number, shown in ((5, False), (6, True)):
        a, b = items(*[0.0] * number), items(*[1.0] * number)
        result = compare(a, b, "recipe", voted=False, intersect=False)
        assert (result.detectable is not None, (result.paired.p_decides or 0) <= SIGNIFICANT) == (shown, shown)
        in_part = compare(a, items(*[0.5] * (number - 1), 0.75), "recipe", voted=False, intersect=False)
        assert (in_part.detectable is not None, (in_part.paired.p_decides or 0) <= SIGNIFICANT) == (shown, shown)


def clustered(*values: float, size: int) -> list[ScoredItem]:
    """Items in clusters of `size` neighbours."""
    return [msgspec.structs.replace(item, cluster=f"c{item.index // size}") for item in items(*values)]


def test_the_detectable_difference_grows_when_clusters_stand_or_fall_together() -> None:
    a, b = [0.0] * 40, [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0] * 5
    alone, together = (
        compare(clustered(*a, size=size), clustered(*b, size=size), "recipe", voted=False, intersect=False).detectable
        for size in (1, 4)
    )
    assert alone is not None
    assert together is not None
    # Ten clusters of four equal items are ten observations: (z 0.975 + z 0.8) · sqrt(10 · 0.25 / 9) / sqrt(10).
    assert together == pytest.approx((1.959964 + 0.841621) * math.sqrt(0.25 / 9), rel=1e-3)
    assert alone == minimum_detectable_effect(40, discordant=0.5)
    assert together > 1.5 * alone


def test_one_cluster_tells_no_detectable_difference() -> None:
    a, b = clustered(0, 0, 0, 0, size=4), clustered(1, 0, 1, 0, size=4)
    assert compare(a, b, "recipe", voted=False, intersect=False).detectable is None


def test_t83_b_18_c_6_of_220() -> None:
    a = [1.0] * 6 + [0.0] * 18 + [1.0] * 100 + [0.0] * 96
    b = [0.0] * 6 + [1.0] * 18 + [1.0] * 100 + [0.0] * 96
    paired = compare(items(*a), items(*b), "recipe", voted=False, intersect=False).paired
    assert paired.n == 220
    assert paired.p == pytest.approx(0.0227, abs=5e-5)


def test_partial_credit_has_no_cells() -> None:
    result = compare(items(0.25, 0.5, 1), items(0.5, 0.5, 0.75), "recipe", voted=False, intersect=False)
    assert result.paired.cells is None
    assert result.paired.p is None
    assert result.paired.p_decides == pytest.approx(1.0)  # of +0.25 and -0.25 no way is farther from 0
    assert result.paired.difference == pytest.approx(0)
    assert (result.gained, result.lost) == (["k0"], ["k2"])


def test_failed_items_are_left_out_on_both_sides_and_counted() -> None:
    result = compare(items(1, None, 0, 1), items(1, 1, None, 0), "recipe", voted=False, intersect=False)
    assert (result.paired.n, result.paired.failed) == (2, 2)
    assert result.paired.difference == -0.5
    assert (result.gained, result.lost) == ([], ["k3"])


def test_categories_are_corrected_by_holm() -> None:
    a = items(*[0.0] * 6, *[1.0] * 6, categories="xxxxxxyyyyyy")
    b = items(*[1.0] * 6, *[1.0] * 5, 0.0, categories="xxxxxxyyyyyy")
    rows = compare(a, b, "recipe", voted=False, intersect=False).categories
    assert [(row.category, row.paired.n) for row in rows] == [("x", 6), ("y", 6)]
    assert rows[0].paired.p == pytest.approx(2 / 64)
    assert rows[0].p_holm == pytest.approx(2 * 2 / 64), "the smallest of two is doubled"
    assert rows[1].p_holm == pytest.approx(1.0)
    assert [(row.n_gained, row.n_lost) for row in rows] == [(6, 0), (0, 1)]


def test_the_items_that_are_right_or_wrong_are_named_by_their_task() -> None:
    a = items(0, 0, 0, 0.5, 1, categories="xxxyy")
    b = items(1, 1, 1, 1, 1, categories="xxxyy")
    paired = right_wrong(a, b, "recipe", ["y"], voted=False)
    assert paired is not None
    assert (paired.n, paired.cells, paired.p) == (3, Cells(0, 0, 3, 0), pytest.approx(0.25))
    assert right_wrong(a, b, "recipe", ["x", "y"], voted=False) is None
    mixed = right_wrong(a, b, "recipe", [], voted=False)
    assert mixed is not None
    assert (mixed.n, mixed.cells, mixed.p) == (5, None, None)


def test_more_categories_than_anybody_reads_are_not_compared_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for most, number in ((3, 3), (2, 0)):
        monkeypatch.setattr(comparison, "MOST_CATEGORIES", most)
        result = compare(
            items(1, 0, 1, categories="abc"), items(1, 1, 0, categories="abc"), "recipe", voted=False, intersect=False
        )
        assert len(result.categories) == number
        assert (result.gained, result.lost) == (["k1"], ["k2"])


def test_one_category_makes_no_table() -> None:
    assert compare(items(1, 0), items(1, 1), "recipe", voted=False, intersect=False).categories == []


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((1, 1, 0), 1.0),
        ((1, 0, 0), 0.0),
        ((1, 1, 0, 0), 0.0),
        ((1, None, None), None),
        ((1, 0, None), None),
        ((None, None), None),
    ],
    ids=["majority", "minority", "even", "one came, two could still decide", "one each, one failed", "none"],
)
def test_votes_become_one_majority_verdict(values: tuple[float | None, ...], expected: float | None) -> None:
    assert item_values(votes("k", *values), "recipe", voted=True)["k"].value == expected


def test_epochs_are_averaged() -> None:
    rows = [*votes("k", 1, 1, 0), *votes("k", 0, 0, 1, epoch=1)]
    assert item_values(rows, "recipe", voted=True)["k"].value == 0.5
    assert item_values(rows, "recipe", voted=False)["k"].value == pytest.approx((2 / 3 + 1 / 3) / 2)


def test_t38_other_items_are_an_error_that_names_them() -> None:
    a, b = items(1, 0, 1), items(1, 0)
    with pytest.raises(UsageError, match="k2"):
        compare(a, b, "recipe", voted=False, intersect=False)
    assert compare(a, b, "recipe", voted=False, intersect=True).paired.n == 2
    with pytest.raises(UsageError):
        compare(items(1), votes("other", 1), "recipe", voted=False, intersect=True)


def test_the_same_seed_gives_the_same_interval() -> None:
    a, b = items(*[0.0, 1.0] * 20), items(*[1.0, 1.0, 0.0] * 13, 1.0)
    first, second = (compare(a, b, "recipe", voted=False, intersect=False, seed=4).paired for _ in range(2))
    assert (first.low, first.high) == (second.low, second.high)
    assert first.low is not None
    assert first.high is not None
    assert first.difference is not None
    assert first.low <= first.difference <= first.high


def test_printing_says_direction_test_and_what_was_left_out() -> None:
    a, b = items(1, None, 0, 1, categories="[x]y"), items(1, 1, 1, 0, categories="[x]y")
    result = compare(a, b, "recipe", voted=False, intersect=False)
    sink = io.StringIO()
    print_comparison(Console(file=sink, width=100), result, ("base\x1b[2J", "[bold]new[/bold]"))
    text = sink.getvalue()
    assert "\x1b" not in text
    assert "[bold]new[/bold]" in text
    assert "difference +0.0 points" in text
    assert "both right 1, only A 1, only B 1, both wrong 0; exact McNemar p = 1" in text
    assert "1 items left out: no answer on one side" in text
    assert {line.split()[0] for line in text.splitlines()[-4:]} == {"[", "]", "x", "y"}
