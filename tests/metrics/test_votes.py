from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.errors import Owner
from beholder.metrics.accuracy import share
from beholder.metrics.votes import (
    Decision,
    Tally,
    Vote,
    chance_accuracy,
    expected_accuracy_by_k,
    expected_decision,
    majority,
    position_bias,
    tally,
)
from beholder.score import Outcome, Score
from beholder.seeds import rng_for

RIGHT, WRONG = Score(1.0, Outcome.SCORED), Score(0.0, Outcome.SCORED)
TIE, UNREAD = Score(0.0, Outcome.TIE), Score(0.0, Outcome.UNPARSED)
FAILED = Score(None, Outcome.FAILED, owner=Owner.PROVIDER)
SCORES = {"R": RIGHT, "W": WRONG, "T": TIE, "U": UNREAD, "F": FAILED}

DECISIONS = [
    ("R", "right"),
    ("W", "wrong"),
    ("T", "tie"),
    ("U", "unread"),
    ("F", "failed"),
    ("RUW", "no_majority"),  # T29
    ("RRRWW", "right"),
    ("WWWRR", "wrong"),
    ("RW", "no_majority"),  # even K: half is not a majority
    ("RRWW", "no_majority"),
    ("RRRW", "right"),
    ("RRWWU", "no_majority"),
    ("RWUUU", "unread"),
    ("RRUUU", "unread"),
    ("RRTTT", "tie"),
    ("RRTTW", "no_majority"),
    ("RRTUU", "no_majority"),
    ("RRRFF", "right"),  # the failed ones cannot change it
    ("WWWFF", "wrong"),
    ("RRWFF", "failed"),  # they can
    ("RRWWF", "failed"),
    ("RWTUF", "no_majority"),  # one more vote gives nobody three of five
    ("FFFFF", "failed"),
]


@pytest.mark.parametrize("votes, expected", DECISIONS, ids=[case[0] for case in DECISIONS])
def test_majority_in_any_order(votes: str, expected: str) -> None:
    orders = set(itertools.permutations(votes))
    assert {str(majority(tally(SCORES[vote] for vote in order))) for order in orders} == {expected}


def test_majority_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError):
        majority(Tally())


def test_tally_counts_every_outcome() -> None:
    scores = [
        RIGHT,
        RIGHT,
        WRONG,
        TIE,
        UNREAD,
        Score(0.0, Outcome.REFUSED),
        Score(0.0, Outcome.TRUNCATED),
        FAILED,
    ]
    votes = tally(scores)
    assert votes == Tally(right=2, wrong=1, tie=1, unread=3, failed=1)
    assert (votes.answered, votes.total) == (7, 8)


@pytest.mark.parametrize("score", [Score(0.5, Outcome.SCORED), Score(None, Outcome.NOT_APPLICABLE)])
def test_tally_refuses_what_is_no_vote(score: Score) -> None:
    with pytest.raises(ValueError):
        tally([score])


TALLIES = st.builds(
    Tally,
    right=st.integers(0, 4),
    wrong=st.integers(0, 4),
    tie=st.integers(0, 2),
    unread=st.integers(0, 2),
    failed=st.integers(0, 2),
)


def decisions_of_all_subsets(votes: Tally, k: int) -> list[Decision]:
    cast = "R" * votes.right + "W" * votes.wrong + "T" * votes.tie + "U" * votes.unread
    return [majority(tally(SCORES[vote] for vote in subset)) for subset in itertools.combinations(cast, k)]


@settings(deadline=None, max_examples=40)
@given(st.lists(TALLIES, min_size=1, max_size=3), st.integers(1, 7))
def test_curve_against_every_subset(tallies: list[Tally], k: int) -> None:
    fit = [votes for votes in tallies if votes.answered >= k]
    right = wrong = 0.0
    for votes in fit:
        decisions = decisions_of_all_subsets(votes, k)
        chances = [decisions.count(kind) / len(decisions) for kind in (Decision.RIGHT, Decision.WRONG)]
        assert expected_decision(votes, k) == pytest.approx(chances)
        right, wrong = right + chances[0], wrong + chances[1]
    (point,) = expected_accuracy_by_k(tallies, [k])
    assert (point.k, point.items, point.left_out) == (k, len(fit), len(tallies) - len(fit))
    assert point.all == (pytest.approx(right / len(fit)) if fit else None)
    assert point.decided == (pytest.approx(right / (right + wrong)) if right + wrong else None)


def test_curve_with_all_votes_is_the_majority() -> None:
    tallies = [Tally(3, 2), Tally(2, 3), Tally(2, 2, 0, 1), Tally(5), Tally(0, 0, 0, 5)]
    decided = [majority(votes) for votes in tallies]
    (point,) = expected_accuracy_by_k(tallies, [5])
    assert point.all == decided.count(Decision.RIGHT) / 5
    assert point.decided == pytest.approx(2 / 3)


def test_curve_of_many_votes_is_exact() -> None:
    (point,) = expected_accuracy_by_k([Tally(right=600, wrong=400)], [999])
    assert point.all == 1.0


@pytest.mark.parametrize("k", [0, -1])
def test_curve_refuses_no_votes(k: int) -> None:
    with pytest.raises(ValueError):
        expected_accuracy_by_k([Tally(1)], [k])
    with pytest.raises(ValueError):
        expected_decision(Tally(1), k)
    with pytest.raises(ValueError):
        chance_accuracy(k)


@pytest.mark.parametrize("k", range(1, 9))
def test_chance_against_every_fall_of_the_coins(k: int) -> None:
    falls = list(itertools.product([0, 1], repeat=k))
    assert chance_accuracy(k) == sum(2 * sum(fall) > k for fall in falls) / len(falls)


def test_t82_a_judge_that_always_says_answer_1() -> None:
    items, k = 200, 5
    preferred = {item: item % 3 == 0 for item in range(items)}  # True: the second stored answer is better
    votes, tallies = [], []
    stood_first = 0
    for item in range(items):
        orders = [rng_for(7, str(item), vote, "order").choice([(0, 1), (1, 0)]) for vote in range(k)]
        votes.extend(Vote(str(item), 1, order) for order in orders)
        right = sum(order[0] == preferred[item] for order in orders)
        stood_first += right > k / 2
        tallies.append(tally(RIGHT if order[0] == preferred[item] else WRONG for order in orders))
    accuracy = share([float(majority(votes_of) is Decision.RIGHT) for votes_of in tallies])
    assert accuracy.value == stood_first / items
    bias = position_bias(votes)
    assert (bias.first.value, bias.first.n, bias.first.interval) == (1.0, 1000, "wilson over clusters")
    assert bias.flips.value == 1.0
    assert (bias.stayed_first, bias.stayed_second) == (bias.flips.n, 0)
    assert 150 < bias.flips.n < items  # some items happen to be shown in one order only


def test_a_judge_that_sees_only_the_answers() -> None:
    # The better stored answer is i % 2; shown in its own order ("()" too) it stands at place i % 2 + 1.
    votes = [
        Vote(str(i), i % 2 + 1 if order != (1, 0) else 2 - i % 2, order)
        for i in range(40)
        for order in ((0, 1), (1, 0), ())
    ]
    bias = position_bias(votes)
    assert (bias.flips.value, bias.flips.n, bias.consistency.value) == (0.0, 40, 1.0)
    assert bias.first.value == pytest.approx(0.5)


BIASES = [
    # votes (item, position, order); first share, placed, flips, items in both orders, stayed first, second
    ("nothing", [], (None, 0, None, 0, 0, 0)),
    ("one order only", [("a", 1, (0, 1)), ("a", 2, (0, 1))], (0.5, 2, None, 0, 0, 0)),
    ("stays first", [("a", 1, (0, 1)), ("a", 1, (1, 0))], (1.0, 2, 1.0, 1, 1, 0)),
    ("stays second", [("a", 2, (0, 1)), ("a", 2, (1, 0))], (0.0, 2, 1.0, 1, 0, 1)),
    ("follows the answer", [("a", 2, (0, 1)), ("a", 1, (1, 0))], (0.5, 2, 0.0, 1, 0, 0)),
    ("split", [("a", 1, (0, 1)), ("a", 2, (0, 1)), ("a", 1, (1, 0))], (2 / 3, 3, None, 0, 0, 0)),
    (
        "ties, unread: no place",
        [("a", 0, (0, 1)), ("a", None, (1, 0)), ("a", 1, ())],
        (1.0, 1, None, 0, 0, 0),
    ),
    ("two items do not mix", [("a", 1, (0, 1)), ("b", 1, (1, 0))], (1.0, 2, None, 0, 0, 0)),
]


@pytest.mark.parametrize("rows, expected", [case[1:] for case in BIASES], ids=[case[0] for case in BIASES])
def test_position_bias(rows: list[tuple], expected: tuple) -> None:
    bias = position_bias([Vote(*row) for row in rows])
    found = (
        bias.first.value,
        bias.first.n,
        bias.flips.value,
        bias.flips.n,
        bias.stayed_first,
        bias.stayed_second,
    )
    assert found == pytest.approx(expected)


def test_consistency_ties_and_unread() -> None:
    votes = [Vote("a", position) for position in (1, 1, 2, 0, None)] + [
        Vote("b", 2),
        Vote("c", None),
        Vote("c", 0),
    ]
    bias = position_bias(votes)
    assert (bias.consistency.value, bias.consistency.n) == (
        0.5,
        1,
    )  # 2 of 4 read votes of a; b and c have one each
    assert (bias.ties, bias.unread) == (2, 2)


@pytest.mark.parametrize(
    "votes",
    [
        [Vote("a", 3)],
        [Vote("a", -1)],
        [Vote("a", 1, (0, 0))],
        [Vote("a", 1, (0, 1, 2))],
        [Vote("a", 1, (), "x"), Vote("a", 1, (), "y")],
    ],
)
def test_impossible_votes_are_refused(votes: list[Vote]) -> None:
    with pytest.raises(ValueError):
        position_bias(votes)


def test_order_of_votes_does_not_matter() -> None:
    draw = random.Random(3)
    votes = [
        Vote(f"i{draw.randrange(60)}", draw.choice([0, 1, 1, 2, None]), draw.choice([(0, 1), (1, 0)]))
        for _ in range(400)
    ]
    expected = position_bias(votes, seed=1)
    assert expected.first.low < expected.first.value < expected.first.high
    for _ in range(4):
        draw.shuffle(votes)
        assert position_bias(votes, seed=1) == expected
