"""Several votes on one item: tallies, majorities, what fewer votes would have given, and position bias.

A vote is a model's verdict on which of two stored answers is better. By the time it gets here it has been
mapped back from the place where an answer was shown ("Answer 1") to the stored answer; only `Vote` keeps the
place, because position bias is about it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum

import msgspec

from beholder.metrics.accuracy import share
from beholder.score import Metric, Outcome, Score


class Tally(msgspec.Struct, frozen=True):
    """How the votes on one item fell. `unread`: an answer came but no verdict could be read in it (also
    refusals and cut answers). `failed`: no answer came. A tally has no order, so nothing computed from it
    can depend on one.
    """

    right: int = 0
    wrong: int = 0
    tie: int = 0
    unread: int = 0
    failed: int = 0

    @property
    def answered(self) -> int:
        """The votes that came back."""
        return self.right + self.wrong + self.tie + self.unread

    @property
    def total(self) -> int:
        """All votes that were asked for: K."""
        return self.answered + self.failed


class Decision(StrEnum):
    """What the votes on one item decide."""

    RIGHT = "right"
    WRONG = "wrong"
    TIE = "tie"
    UNREAD = "unread"
    NO_MAJORITY = "no_majority"
    FAILED = "failed"


def tally(scores: Iterable[Score]) -> Tally:
    """Counts one scorer's scores of one item's votes.

    Raises ValueError for a score that is no verdict: partial credit, or a scorer that does not apply.

    >>> tally([Score(1.0, Outcome.SCORED), Score(0.0, Outcome.UNPARSED), Score(0.0, Outcome.SCORED)])
    Tally(right=1, wrong=1, tie=0, unread=1, failed=0)
    """
    counts = Counter(map(_verdict, scores))
    return Tally(**counts)


def majority(votes: Tally) -> Decision:
    """The verdict that more than half of all K votes gave: right, wrong, tie ("equally good") or unread.

    K counts every vote asked for, as in the VL-RewardBench authors' code, which counts an unreadable vote in
    the total. So of three votes "first", unreadable and "second", none has more than half: `no_majority`.
    Where votes failed and could still make a majority, the item is `failed`: undecided, and no answer of the
    model.

    >>> str(majority(Tally(right=3, wrong=2))), str(majority(Tally(right=1, wrong=1, unread=1)))
    ('right', 'no_majority')
    >>> str(majority(Tally(right=3, failed=2))), str(majority(Tally(right=2, wrong=1, failed=2)))
    ('right', 'failed')
    """
    if votes.total == 0:
        raise ValueError("an item without votes decides nothing")
    named = {
        Decision.RIGHT: votes.right,
        Decision.WRONG: votes.wrong,
        Decision.TIE: votes.tie,
        Decision.UNREAD: votes.unread,
    }
    for decision, count in named.items():
        if 2 * count > votes.total:
            return decision
    if votes.failed and 2 * (max(named.values()) + votes.failed) > votes.total:
        return Decision.FAILED
    return Decision.NO_MAJORITY


def majority_of_answered(votes: Tally) -> Decision:
    """The majority among the votes that came back; `failed` if none did.

    So the VL-RewardBench authors' code counts: a request that failed never enters their result file, and is
    in no K. It makes an item of one right and four failed votes right.

    >>> str(majority_of_answered(Tally(right=1, failed=4))), str(majority_of_answered(Tally(failed=5)))
    ('right', 'failed')
    """
    if votes.answered == 0:
        return Decision.FAILED
    return majority(msgspec.structs.replace(votes, failed=0))


class VotesPoint(msgspec.Struct, frozen=True):
    """Expected accuracy with `k` votes an item.

    `all`: over all items, where no majority is wrong. `decided`: expected right items / expected decided
    (right or wrong) items, None if no item can be decided. `items` had at least k answered votes; `left_out`
    had fewer.
    """

    k: int
    all: float | None
    decided: float | None
    items: int
    left_out: int


def expected_decision(votes: Tally, k: int) -> tuple[float, float]:
    """The chances that k of the item's answered votes, drawn without replacement, decide right and decide
    wrong.

    Of N votes R are right; the number of right ones among k drawn is hypergeometric, so the chance of a
    majority is Σ_{r > k/2} C(R, r)·C(N-R, k-r) / C(N, k), computed in whole numbers. This is the mean over
    every subset: no shuffling, no luck. Failed votes are no votes.

    >>> expected_decision(Tally(right=2, wrong=1), 1)
    (0.6666666666666666, 0.3333333333333333)
    >>> expected_decision(Tally(right=2, wrong=1), 2)  # two votes agree in one of three pairs
    (0.3333333333333333, 0.0)
    """
    if not 1 <= k <= votes.answered:
        raise ValueError(f"k must be in 1..{votes.answered}, the votes answered: got {k}")
    subsets = math.comb(votes.answered, k)

    def chance(count: int) -> float:
        others = votes.answered - count
        wins = sum(math.comb(count, r) * math.comb(others, k - r) for r in range(k // 2 + 1, min(count, k) + 1))
        return wins / subsets

    return chance(votes.right), chance(votes.wrong)


def expected_accuracy_by_k(tallies: Iterable[Tally], ks: Sequence[int]) -> list[VotesPoint]:
    """The accuracy that fewer votes would have given, for each k, odd or even, averaged over all subsets of
    the votes.

    `decided` is a ratio of expectations, not the expectation of the ratio: the share that a long series of
    such runs, pooled, would show. An item with fewer than k answered votes is left out of that k, and
    counted; points with different `items` speak of different items.

    >>> points = expected_accuracy_by_k([Tally(right=2, wrong=1)], [1, 2, 3])
    >>> [(point.k, round(point.all, 3), round(point.decided, 3)) for point in points]
    [(1, 0.667, 0.667), (2, 0.333, 1.0), (3, 1.0, 1.0)]
    """
    kinds = Counter(tallies)
    points = []
    for k in ks:
        if k < 1:
            raise ValueError(f"k must be at least 1: got {k}")
        fit = {kind: count for kind, count in kinds.items() if kind.answered >= k}
        chances = [(*expected_decision(kind, k), count) for kind, count in fit.items()]
        right = math.fsum(chance * count for chance, _, count in chances)
        wrong = math.fsum(chance * count for _, chance, count in chances)
        items = sum(fit.values())
        points.append(
            VotesPoint(
                k=k,
                all=right / items if items else None,
                decided=right / (right + wrong) if right + wrong else None,
                items=items,
                left_out=kinds.total() - items,
            )
        )
    return points


def chance_accuracy(k: int) -> float:
    """The accuracy over all items of a judge that tosses a fair coin for each of k votes.

    One half for odd k; less for even k, where the coin can fall evenly, and no majority is wrong. Over
    decided items only it is always 0.5.

    >>> chance_accuracy(5), chance_accuracy(2), chance_accuracy(4)
    (0.5, 0.25, 0.3125)
    """
    if k < 1:
        raise ValueError(f"k must be at least 1: got {k}")
    wins: int = sum(math.comb(k, r) for r in range(k // 2 + 1, k + 1))
    return float(wins / 2**k)


class Vote(msgspec.Struct, frozen=True):
    """One answered vote, with the place that was chosen.

    `position` is 1 or 2 (the place of the answer called better), 0 for "equally good", None if no verdict
    could be read. `order` is the order in which the stored answers were shown: (0, 1), or (1, 0); () means
    (0, 1). `cluster` groups items for intervals; empty: the item is its own cluster.
    """

    item: str
    position: int | None
    order: tuple[int, ...] = ()
    cluster: str = ""


class Bias(msgspec.Struct, frozen=True):
    """How much a judge follows the place of an answer instead of the answer.

    `first`: share of the votes for a place that went to the place shown first; 0.5 for a judge without bias
    if the orders are random, 1 for one that always says "Answer 1". `flips`: among items with a preferred
    answer in both orders, the share where the preferred stored answer changes with the order. Of these
    flips, `stayed_first` preferred the first place both times and `stayed_second` the second. `consistency`:
    mean over items with at least two votes read (places and ties) of the share of them that agree with the
    item's most common verdict. Even a coin is consistent to a degree: 0.75 with two votes an item, 0.69 with
    five. `ties` and `unread` count votes.
    """

    first: Metric
    flips: Metric
    consistency: Metric
    stayed_first: int
    stayed_second: int
    ties: int
    unread: int


def position_bias(votes: Iterable[Vote], *, seed: int = 0, resamples: int = 1000) -> Bias:
    """Measures position bias on answered votes (leave failed ones out).

    Intervals redraw items, or their clusters. The preferred answer of an item in one order is the stored
    answer that more of its votes in that order chose; with equal numbers there is none. Raises ValueError for
    a place or an order that two answers cannot have.

    >>> always_first = [Vote(item, 1, order) for item in "ij" for order in ((0, 1), (1, 0))]
    >>> bias = position_bias(always_first)
    >>> bias.first.value, bias.flips.value, bias.stayed_first, bias.consistency.value
    (1.0, 1.0, 2, 0.5)
    """
    cast = list(votes)
    placed = [vote for vote in cast if vote.position in (1, 2)]
    items: dict[str, list[Vote]] = {}
    for vote in cast:
        _check_vote(vote)
        if vote.position is not None:
            items.setdefault(vote.item, []).append(vote)

    flips: list[float] = []
    flip_clusters: list[str] = []
    stayed: Counter[int] = Counter()
    agreement: list[float] = []
    agreement_clusters: list[str] = []
    for item, own in items.items():
        cluster = _cluster(own[0])
        straight, swapped = (_preferred(own, is_swapped=swap) for swap in (False, True))
        if straight is not None and swapped is not None:
            flips.append(float(straight != swapped))
            flip_clusters.append(cluster)
            if straight != swapped:
                stayed[straight] += 1  # stored answer 0 stands first in the straight order
        if len(own) > 1:
            agreement.append(max(Counter(map(_stored, own)).values()) / len(own))
            agreement_clusters.append(cluster)
        if any(_cluster(vote) != cluster for vote in own):
            raise ValueError(f"the votes of item {item!r} name different clusters")

    return Bias(
        first=share(
            [float(vote.position == 1) for vote in placed],
            [_cluster(vote) for vote in placed],
            seed=seed,
            resamples=resamples,
        ),
        flips=share(flips, flip_clusters, seed=seed, resamples=resamples),
        consistency=share(agreement, agreement_clusters, seed=seed, resamples=resamples),
        stayed_first=stayed[0],
        stayed_second=stayed[1],
        ties=sum(vote.position == 0 for vote in cast),
        unread=sum(vote.position is None for vote in cast),
    )


def _verdict(score: Score) -> str:
    if score.outcome is Outcome.SCORED and score.value in (0, 1):
        return "right" if score.value else "wrong"
    if score.outcome in (Outcome.UNPARSED, Outcome.REFUSED, Outcome.TRUNCATED):
        return "unread"
    if score.outcome in (Outcome.TIE, Outcome.FAILED):
        return str(score.outcome)
    raise ValueError(f"a vote is right, wrong, tied, unread or failed, not {score.outcome} with value {score.value}")


def _check_vote(vote: Vote) -> None:
    if vote.position not in (None, 0, 1, 2) or vote.order not in ((), (0, 1), (1, 0)):
        raise ValueError(f"item {vote.item!r}: no place {vote.position} in order {vote.order} of two answers")


def _cluster(vote: Vote) -> str:
    # The prefixes keep an item and a cluster of the same name apart.
    return f"cluster {vote.cluster}" if vote.cluster else f"item {vote.item}"


def _stored(vote: Vote) -> int | None:
    """The stored answer that the vote prefers, 0 or 1; None for a tie."""
    if not vote.position:
        return None
    return (vote.order or (0, 1))[vote.position - 1]


def _preferred(votes: Sequence[Vote], *, is_swapped: bool) -> int | None:
    counts = Counter(_stored(vote) for vote in votes if (vote.order == (1, 0)) is is_swapped)
    if counts[0] == counts[1]:
        return None
    return 0 if counts[0] > counts[1] else 1
