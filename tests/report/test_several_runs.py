"""Any number of runs on the same items: each against the first, agreement, and what is not compared."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from beholder.errors import UsageError
from beholder.metrics.paired import holm
from beholder.report import html_runs
from beholder.report.comparison import ItemValue, compare_values
from beholder.report.run_agreement import answers_read
from beholder.report.several_runs import Side, compare_several, gather, side_of_values
from beholder.score import Outcome, Score, ScoredItem


def values(text: str) -> dict[str, ItemValue]:
    """One item a letter: `1` right, `0` wrong, `5` half, `x` failed, `.` not there."""
    worth = {"1": 1.0, "0": 0.0, "5": 0.5, "x": None}
    return {
        f"k{place}": ItemValue(worth[letter], f"c{place}", "ab"[place % 2])
        for place, letter in enumerate(text)
        if letter != "."
    }


def test_each_run_is_compared_with_the_first_and_p_corrected_for_their_number() -> None:
    own = [values(text) for text in ("1" * 6 + "0" * 24, "1" * 16 + "0" * 14, "0" * 30)]
    found = compare_several(own, "strict", intersect=False, names=["a", "b", "c"])
    alone = [compare_values(own[0], one, "strict", intersect=False) for one in own[1:]]
    assert [one.comparison for one in found.against] == alone
    assert [one.holm for one in found.against] == holm([one.paired.p_decides for one in alone])
    assert [one.told_apart for one in found.against] == [1, -1]
    assert [mean.value for mean in found.means] == pytest.approx([0.2, 16 / 30, 0])
    assert (found.n, found.left_out) == (30, 0)


def test_of_two_runs_nothing_is_corrected() -> None:
    found = compare_several([values("10"), values("11")], "strict", intersect=False, names=["a", "b"])
    assert found.against[0].holm is None


def test_agreement_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    texts = ["".join(rng.choice(["0", "1"], 60)) for _ in range(3)]
    found = compare_several([values(text) for text in texts], "s", intersect=False, names=["a", "b", "c"])
    assert [(one.a, one.b) for one in found.agreement] == [(0, 1), (0, 2), (1, 2)]
    for one in found.agreement:
        left, right = texts[one.a], texts[one.b]
        assert one.kappa == pytest.approx(cohen_kappa_score(list(left), list(right)))
        assert one.same == pytest.approx(np.mean([x == y for x, y in zip(left, right, strict=True)]))


def test_the_same_wrong_answer_is_counted_among_what_both_got_wrong() -> None:
    answers = [{"k0": "A", "k1": "B", "k2": "C"}, {"k0": "A", "k1": "D", "k2": "C"}]
    found = compare_several([values("0015"), values("0015")], "s", intersect=False, names=["a", "b"], answers=answers)
    (one,) = found.agreement
    assert (one.n, one.both_wrong_same) == (4, 0.5)  # of the half right item no answer was read


def test_different_items_are_refused_or_left_out() -> None:
    own = [values("110."), values("11.0"), values("1111")]
    with pytest.raises(UsageError, match="--intersect"):
        compare_several(own, "s", intersect=False, names=["a", "b", "c"])
    found = compare_several(own, "s", intersect=True, names=["a", "b", "c"])
    assert (found.n, found.left_out) == (2, 2)
    assert [mean.n for mean in found.means] == [2, 2, 2]
    with pytest.raises(UsageError, match="no item"):
        compare_several([values("11.."), values("..11"), values("1111")], "s", intersect=True, names=["a", "b", "c"])


def test_failed_items_are_in_no_figure() -> None:
    found = compare_several([values("1x0"), values("111")], "s", intersect=False, names=["a", "b"])
    assert (found.means[0].n, found.means[0].failed) == (2, 1)
    assert found.agreement[0].n == 2
    assert found.against[0].comparison.paired.failed == 1


def test_answers_of_several_votes_are_mapped_back_and_the_most_frequent_is_taken() -> None:
    def item(key: str, read: str | None, order: tuple[int, ...] = (), outcome: Outcome = Outcome.SCORED) -> ScoredItem:
        return ScoredItem(index=0, key=key, order=order, scores={"s": Score(0.0, outcome, read)})

    items = [
        item("votes", "1", (1, 0)),
        item("votes", "1", (0, 1)),
        item("votes", "2", (0, 1)),
        item("plain", "B"),
        item("none", None),
        item("failed", "C", outcome=Outcome.FAILED),
    ]
    assert answers_read(items, "s") == {"votes": "2", "plain": "B"}
    assert answers_read(items, "other") == {}


def test_names_tell_runs_of_one_model_apart() -> None:
    assert doctest.testmod(html_runs) == (0, 2)


def side(keys: str, scores: str) -> Side:
    """Items that are named by letters."""
    return side_of_values(
        {key: ItemValue(float(score), key, "c") for key, score in zip(keys, scores, strict=True)}, {"b": "x"}
    )


def test_runs_are_put_side_by_side_whatever_order_they_are_in() -> None:
    found = gather(iter([side("dbac", "1010"), side("abcd", "1111"), side("xbdy", "0101")]))
    assert found.items.keys == ["a", "b", "c", "d"]
    assert found.scores[0].tolist() == [1, 0, 0, 1]
    assert found.scores[1].tolist() == [1, 1, 1, 1]
    assert [one.tolist() for one in found.there] == [[True] * 4, [True] * 4, [False, True, False, True]]
    assert np.isnan(found.scores[2]).tolist() == [True, False, True, False]
    assert found.shared.tolist() == [1, 3]
    assert found.total == 6
    assert [found.lacking(run) for run in range(3)] == [["x", "y"], ["x", "y"], ["a", "c"]]
    assert found.answers[0][1] == found.answers[2][1] != found.answers[0][0] == found.answers[2][0]


def test_a_run_without_items_shares_none() -> None:
    found = gather([side("ab", "11"), side("", "")])
    assert found.shared.tolist() == []
    assert found.lacking(1) == ["a", "b"]
    assert gather([side("", ""), side("ab", "11")]).lacking(0) == ["a", "b"]


def test_categories_that_no_shared_item_is_of_are_not_compared() -> None:
    own = [values("1010"), values("1.1.")]
    found = compare_several(own, "s", intersect=True, names=["a", "b"])
    assert found.n == 2
    assert found.against[0].comparison == compare_values(own[0], own[1], "s", intersect=True)
