"""What annotators settle between them, and what people have to decide."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.annotate.consensus import (
    Consensus,
    Equivalence,
    agrees_with,
    check_agree,
    majority,
    renumbered,
    settle,
    with_equivalences,
)
from beholder.annotation import Annotation, Evidence, Explanation
from beholder.errors import UsageError
from made_projects import literal, metaphor


def same(one: str, other: str) -> bool:
    return one.casefold().removeprefix("the ") == other.casefold().removeprefix("the ")


Y, N = metaphor(), literal()
OTHER = metaphor("health", "weapon")
THIRD = metaphor("death", "bullet")
NOT_SAID = Annotation(metaphor=True, sentiment="negative")
SLOTS_WITHOUT = Annotation(metaphor=False, target="smoking", source="gun", sentiment="neutral")
NO_SLOTS = Annotation(metaphor=True, target=None, source=None, sentiment="negative")
OUTSIDE = msgspec.structs.replace(Y, explanation=Explanation(evidence=(Evidence("visual", "x", (0.0, 0.0, 2.0, 1.0)),)))
MIXED = Annotation(metaphor=True, target="smoking", source="gun", sentiment="mixed")

# what the annotators say; what is settled of metaphor, pair and sentiment (... : not settled); state; a word of why
CASES: list[tuple[str, Sequence[Annotation | None], tuple[object, object, object], str, str]] = [
    ("all agree", [Y] * 5, (True, ("smoking", "gun"), "negative"), "confirm", ""),
    ("all see none", [N] * 5, (False, None, "neutral"), "confirm", ""),
    ("exactly 3 to 2", [Y, Y, Y, N, N], (True, ("smoking", "gun"), "negative"), "confirm", ""),
    ("2 to 3", [Y, Y, N, N, N], (False, None, "neutral"), "confirm", ""),
    ("2 to 2, one failed", [Y, Y, N, N, None], (..., ..., ...), "adjudicate", "metaphor is not settled (votes 2 : 2)"),
    ("3 answers of 5 that agree", [Y, None, Y, None, Y], (True, ("smoking", "gun"), "negative"), "confirm", ""),
    ("2 answers of 5", [Y, None, Y, None, None], (..., ..., ...), "adjudicate", "Only 2 of 5 annotators"),
    ("all failed", [None] * 5, (..., ..., ...), "adjudicate", "Only 0 of 5 annotators"),
    ("pairs 2 to 2 to 1", [Y, Y, OTHER, OTHER, THIRD], (True, ..., "negative"), "adjudicate", "(votes 2 : 2 : 1)"),
    ("pair needs 3 equal", [Y, Y, OTHER, N, N], (True, ..., "negative"), "adjudicate", "(votes 2 : 1)"),
    ("slots agree, not as pairs",
     [metaphor("a", "x"), metaphor("a", "y"), metaphor("b", "x"), N, N],
     (True, ..., "negative"), "adjudicate", "(votes 1 : 1 : 1)"),
    ("equal after normalising",
     [metaphor("smoking", "gun"), metaphor("The Smoking", "Gun"), metaphor("SMOKING", "the gun"), N, N],
     (True, ("SMOKING", "the gun"), "negative"), "confirm", ""),
    ("the usual spelling", [metaphor("The gun", "x"), *[metaphor("gun", "x")] * 2, N, N],
     (True, ("gun", "x"), "negative"), "confirm", ""),
    ("nobody names slots", [NOT_SAID] * 5, (True, ..., "negative"), "adjudicate", "(nobody says)"),
    ("a broken answer's slots do not count", [Y, Y, SLOTS_WITHOUT, N, Y], (True, ("smoking", "gun"), "negative"),
     "confirm", ""),
    ("its metaphor does", [Y, Y, Y, SLOTS_WITHOUT, SLOTS_WITHOUT], (True, ("smoking", "gun"), "negative"),
     "confirm", ""),
    ("metaphor without slots", [Y, Y, NO_SLOTS, N, N], (True, ..., "negative"), "adjudicate", "(votes 2)"),
    ("a box outside spoils no slot", [Y, Y, OUTSIDE, N, N], (True, ("smoking", "gun"), "negative"), "confirm", ""),
    ("slots against no", [SLOTS_WITHOUT] * 3 + [N, N], (False, None, "neutral"), "adjudicate", "and yet 3 or more"),
    ("no only by answers that contradict it", [SLOTS_WITHOUT, SLOTS_WITHOUT, N, THIRD, OTHER], (False, None, "neutral"),
     "adjudicate", "only with answers that name a target or source"),
    ("sentiments 2 2 1",
     [metaphor(sentiment=s) for s in ("positive", "positive", "neutral", "neutral", "negative")],
     (True, ("smoking", "gun"), ...), "adjudicate", "sentiment is not settled (votes 2 : 2 : 1)"),
    ("an unknown sentiment is no vote", [Y, Y, MIXED, MIXED, MIXED], (True, ("smoking", "gun"), ...), "adjudicate",
     "sentiment is not settled (votes 2)"),
]  # fmt: skip


def settled(made: Consensus) -> tuple[object, ...]:
    return tuple(field.value if field.settled else ... for field in made.fields)


@pytest.mark.parametrize(("said", "expected", "state", "why"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_what_is_settled(said: Sequence[Annotation | None], expected: tuple[object, ...], state: str, why: str) -> None:
    made = settle(said, same)
    assert settled(made) == expected
    assert made.state == state
    assert why in " ".join(made.why)
    assert (made.why == ()) == (state == "confirm")


def test_who_said_what_by_number() -> None:
    made = settle([N, Y, None, OTHER, Y, SLOTS_WITHOUT], same)
    assert [(vote.value, vote.who) for vote in made.metaphor.votes] == [(True, (1, 3, 4)), (False, (0, 5))]
    assert [(vote.value, vote.who) for vote in made.pair.votes] == [
        (("smoking", "gun"), (1, 4)),
        (("health", "weapon"), (3,)),
    ]
    assert made.missing == (2,)
    assert made.faults == {5: ("slots_without_metaphor",)}
    assert made.agree == 4  # of 6: a strict majority


def test_labels_hold_what_is_settled_and_nothing_else() -> None:
    assert settle([Y] * 5, same).labels == metaphor()
    assert settle([N] * 5, same).labels == literal()
    assert settle([None] * 5, same).labels == Annotation()
    assert settle([Y, Y, OTHER, N, N], same).labels == Annotation(metaphor=True, sentiment="negative")


THRESHOLDS = [(1, 2), (2, 2), (3, 2), (4, 3), (5, 3), (6, 4), (7, 4)]


@pytest.mark.parametrize(("annotators", "agree"), THRESHOLDS)
def test_the_usual_threshold_is_more_than_half_and_never_one(annotators: int, agree: int) -> None:
    assert majority(annotators) == agree
    check_agree(agree, annotators)
    assert not settle([Y] * (agree - 1) + [None] * (annotators - agree + 1), same).metaphor.settled
    assert settle([Y] * annotators, same).metaphor.settled == (annotators > 1)


@pytest.mark.parametrize(("agree", "annotators"), [(2, 5), (6, 5), (1, 1), (2, 4), (3, 2)])
def test_a_threshold_that_makes_no_sense_is_refused(agree: int, annotators: int) -> None:
    with pytest.raises(UsageError, match="--agree"):
        settle([Y] * annotators, same, agree)


def test_a_higher_threshold() -> None:
    assert settle([Y, Y, Y, Y, N], same, 4).state == "confirm"
    assert settle([Y, Y, Y, N, N], same, 4).state == "adjudicate"


def test_a_judge_proposes_and_settles_nothing() -> None:
    made = settle([Y, Y, OTHER, N, N], same)
    proposed = with_equivalences(made, [Equivalence(("smoking", "gun"), ("health", "weapon"))] * 2)
    assert len(proposed.proposed_equivalences) == 1
    assert msgspec.structs.replace(proposed, proposed_equivalences=()) == made


AGREES: list[tuple[Annotation, Annotation, bool]] = [
    (Y, metaphor("Smoking", "the gun"), True),
    (Y, OTHER, False),
    (Y, N, False),
    (N, N, True),
    (SLOTS_WITHOUT, N, False),
    (Annotation(metaphor=False, sentiment="neutral"), N, True),
    (metaphor(sentiment="positive"), Y, False),
]


@pytest.mark.parametrize(("said", "labels", "expected"), AGREES)
def test_whose_explanation_may_serve_as_a_draft(said: Annotation, labels: Annotation, expected: bool) -> None:
    assert agrees_with(said, labels, same) is expected


voices = st.one_of(
    st.none(),
    st.builds(
        Annotation,
        metaphor=st.sampled_from([True, False, msgspec.UNSET]),
        target=st.sampled_from(["a", "A", "the a", "b", None, msgspec.UNSET, " "]),
        source=st.sampled_from(["x", "X", "y", None, msgspec.UNSET]),
        sentiment=st.sampled_from(["positive", "neutral", "negative", "mixed", msgspec.UNSET]),
    ),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(voices, min_size=1, max_size=7), st.randoms(use_true_random=False))
def test_the_order_of_the_annotators_decides_nothing(said: list[Annotation | None], random: object) -> None:
    order = list(range(len(said)))
    random.shuffle(order)  # type: ignore[attr-defined]
    made = settle(said, same)
    again = settle([said[number] for number in order], same)
    assert again == renumbered(made, order)
    assert again.labels == made.labels


@settings(max_examples=80, deadline=None)
@given(st.lists(voices, min_size=1, max_size=7))
def test_nothing_is_settled_by_too_few_and_votes_are_of_those_who_answered(said: list[Annotation | None]) -> None:
    made = settle(said, same)
    there = {number for number, one in enumerate(said) if one is not None}
    for field in made.fields:
        who = [number for vote in field.votes for number in vote.who]
        assert len(set(who)) == len(who)
        assert set(who) <= there
        if field.settled and field.value is not None:
            assert len(field.votes[0].who) >= made.agree
    if made.state == "confirm":
        assert made.metaphor.settled
        assert made.sentiment.settled
        assert made.metaphor.value is False or made.pair.value is not None


def test_every_way_in_which_five_can_vote_on_the_metaphor() -> None:
    for votes in itertools.product([Y, N, None], repeat=5):
        made = settle(votes, same)
        yes, no = votes.count(Y), votes.count(N)
        assert made.metaphor.value == (True if yes >= 3 else False if no >= 3 else None)
