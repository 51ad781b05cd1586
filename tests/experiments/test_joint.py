"""Joint or alone, on rows made by hand: which items count for a label, what is told apart, what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from beholder.annotation import LABELS, Annotation, Evidence, Explanation, written
from beholder.benchmarks.m3r.assumptions import SlotRules
from beholder.experiments.costs import Cost
from beholder.experiments.joint import ALL_FOUR, JOINT, Finding, JointArm, JointOutcome, Price, joint_outcome
from beholder.metrics.paired import mcnemar_exact
from beholder.score import Outcome, Score, ScoredItem

BOMB = Annotation(metaphor=True, target="cigarette", source="bomb", sentiment="negative")
CUP = Annotation(metaphor=False, target=None, source=None, sentiment="neutral")
GOLDS = [BOMB] * 12 + [CUP] * 12
FAILED = "failed"
Said = Annotation | str | None
"""What was said of an item; None: it could not be read; `FAILED`: there was no answer."""


def alone(label: str, said: Annotation) -> Annotation:
    """What is said of one label alone."""
    return Annotation(**{label: getattr(said, label)})


def but(gold: Annotation, **labels: object) -> Annotation:
    return msgspec.structs.replace(gold, **labels)


def arm(name: str, said: Sequence[Said], golds: Sequence[Annotation] = GOLDS, tokens: int | None = 100) -> JointArm:
    items = []
    for number, (one, gold) in enumerate(zip(said, golds, strict=True)):
        if one == FAILED:
            score = Score(None, Outcome.FAILED)
        elif isinstance(one, Annotation):
            score = Score(0.0, Outcome.SCORED, extracted=written(one))
        else:
            score = Score(0.0, Outcome.UNPARSED)
        items.append(ScoredItem(index=number, key=f"k{number:02}", scores={"lenient": score}, target=written(gold)))
    costs = [
        Cost(item.key, 1, 0, tokens, None if tokens is None else tokens // 10)
        for item, one in zip(items, said, strict=True)
        if one != FAILED
    ]
    return JointArm(name=name, title=name, items=items, costs=costs)


def outcome(joint: Sequence[Said], golds: Sequence[Annotation] = GOLDS, **single: Sequence[Said]) -> JointOutcome:
    """The five arms; a label that is not given is right everywhere when it is asked for alone."""
    arms = {JOINT: arm(JOINT, joint, golds, 300)}
    for label in LABELS:
        arms[label] = arm(label, single.get(label, [alone(label, gold) for gold in golds]), golds)
    return joint_outcome(arms, "lenient", SlotRules())


def found_of(found: JointOutcome, label: str) -> Finding:
    return next(one for one in found.labels if one.label == label)


def test_what_is_told_apart_is_corrected_for_four_labels() -> None:
    wrong = but(BOMB, target="ashtray")
    found = outcome(GOLDS, target=[alone("target", wrong)] * 10 + [alone("target", gold) for gold in GOLDS[10:]])
    target = found_of(found, "target")
    assert target.joint.value == 1.0
    assert target.alone.value == pytest.approx(2 / 12)
    assert target.comparison.paired.difference == pytest.approx(10 / 12)
    assert target.p_holm == pytest.approx(4 * mcnemar_exact(0, 10))
    assert target.better == 1
    assert "asked jointly, the model does better" in target.sentence
    assert [found_of(found, label).better for label in LABELS] == [0, 1, 0, 0]
    assert found.sentence == (
        "With this model and these prompts asking jointly does better on target and all four together; "
        "no difference is told apart from none on metaphor, source and sentiment."
    )


def test_alone_can_be_better() -> None:
    found = outcome([but(gold, sentiment="positive") for gold in GOLDS])
    sentiment = found_of(found, "sentiment")
    assert (sentiment.better, sentiment.comparison.paired.difference) == (-1, -1.0)
    assert "asking alone does better on sentiment and all four together" in found.sentence
    assert found.whole is not None
    assert found.whole.better == -1


def test_a_difference_that_is_not_told_apart_says_what_could_be_missed() -> None:
    joint = [but(BOMB, source="gun")] * 2 + GOLDS[2:]
    source = found_of(outcome(joint), "source")
    assert source.better == 0
    assert source.sentence.startswith(
        "source: 83.3 % jointly, 100.0 % alone; the difference is not told apart from none"
    )
    assert found_of(outcome(GOLDS), "source").sentence.endswith("right on the very same items.")


def test_slots_count_over_metaphors_and_stand_over_all_items_beside() -> None:
    found = outcome([but(gold, target="x") if gold is CUP else gold for gold in GOLDS])
    assert found_of(found, "target").joint.value == 1.0
    assert found_of(found, "target").comparison.paired.n == 12
    beside = {one.label: one for one in found.every_item}
    assert set(beside) == {"target", "source"}
    assert beside["target"].joint.value == 0.5
    assert beside["target"].comparison.paired.n == 24
    assert beside["target"].p_holm is None
    # T99: a target without a metaphor spoils both slots of the joint answer, whatever the source
    assert beside["source"].joint.value == 0.5


SIDES = [
    ("failed jointly", [FAILED, *GOLDS[1:]], {}, 23, 1, 1.0),
    ("failed alone", GOLDS, {"metaphor": [FAILED, *(alone("metaphor", gold) for gold in GOLDS[1:])]}, 23, 1, 1.0),
    ("not read", [None, *GOLDS[1:]], {}, 24, 0, 23 / 24),
]


@pytest.mark.parametrize(
    ("joint", "single", "n", "failed", "share"), [row[1:] for row in SIDES], ids=[r[0] for r in SIDES]
)
def test_no_answer_is_left_out_and_an_unread_one_is_wrong(
    joint: Sequence[Said], single: dict[str, Any], n: int, failed: int, share: float
) -> None:
    found = outcome(joint, **single)
    paired = found_of(found, "metaphor").comparison.paired
    assert (paired.n, paired.failed) == (n, failed)
    assert paired.mean_b == pytest.approx(share)
    assert found.whole is not None
    assert (found.whole.comparison.paired.n, found.whole.comparison.paired.failed) == (n, failed)


def test_all_four_alone_takes_all_four_arms() -> None:
    single = {
        "target": [alone("target", but(BOMB, target="x"))] + [alone("target", gold) for gold in GOLDS[1:]],
        "sentiment": [alone("sentiment", gold) for gold in GOLDS[:-1]] + [Annotation(sentiment="negative")],
    }
    whole = outcome(GOLDS, **single).whole
    assert whole is not None
    assert (whole.label, whole.joint.value) == (ALL_FOUR, 1.0)
    assert whole.alone.value == pytest.approx(22 / 24)


def test_a_label_that_the_gold_lacks_takes_the_item_out() -> None:
    golds = [*GOLDS[:-4], *[Annotation(metaphor=False, target=None, source=None)] * 4]
    found = outcome(GOLDS, golds)
    assert found_of(found, "sentiment").comparison.paired.n == 20
    assert found_of(found, "metaphor").comparison.paired.n == 24
    assert found.whole is not None
    assert found.whole.comparison.paired.n == 20


def test_answers_that_contradict_each_other() -> None:
    single: dict[str, Any] = {
        # says "no metaphor" of the first two, though it names a target and a source for them
        "metaphor": [Annotation(metaphor=False)] * 2 + [alone("metaphor", gold) for gold in GOLDS[2:]],
        "source": [alone("source", gold) for gold in GOLDS[:-1]] + [None],
    }
    joint = [*GOLDS[:-2], but(CUP, target="x"), CUP]
    found = outcome(joint, **single).contradictions
    assert found is not None
    assert (found.n, found.joint, found.alone) == (23, 1, 2)


def test_only_answers_with_all_labels_can_contradict_themselves() -> None:
    found = outcome([but(CUP, target="x"), but(CUP, target="x", source=UNSET), *GOLDS[2:]]).contradictions
    assert found is not None
    assert (found.n, found.joint) == (23, 1)


def test_a_box_outside_of_the_picture_is_no_fault_of_the_labels() -> None:
    piece = Evidence("visual", "a fuse", (10.0, 20.0, 300.0, 400.0))
    boxed = but(BOMB, explanation=Explanation((piece,), "m", "s"))
    found = outcome([boxed] * 12 + GOLDS[12:])
    assert [one.joint.value for one in found.labels] == [1.0] * 4
    assert found.whole is not None
    assert found.whole.joint.value == 1.0


def test_price() -> None:
    found = outcome(GOLDS)
    assert found.price_joint == Price(1, 300, 30)
    assert found.price_alone == Price(4, 400, 40)
    assert [cost.answered for cost in found.arms] == [24] * 5
    unknown = {JOINT: arm(JOINT, GOLDS, tokens=None)} | {
        label: arm(label, [alone(label, gold) for gold in GOLDS], tokens=None if label == "source" else 100)
        for label in LABELS
    }
    assert joint_outcome(unknown, "lenient", SlotRules()).price_alone == Price(4, None, None)


def test_arms_that_have_not_begun_are_left_out() -> None:
    both = {JOINT: arm(JOINT, GOLDS), "metaphor": arm("metaphor", [alone("metaphor", gold) for gold in GOLDS])}
    some = joint_outcome(both, "lenient", SlotRules())
    assert [one.label for one in some.labels] == ["metaphor"]
    assert (some.whole, some.contradictions, some.price_alone) == (None, None, None)
    for arms in ({JOINT: both[JOINT]}, {"metaphor": both["metaphor"]}, {}):
        nothing = joint_outcome(arms, "lenient", SlotRules())
        assert nothing.labels == []
        assert nothing.sentence.startswith("Nothing can be compared yet")


def test_nothing_is_told_of_a_label_that_no_item_has_on_both_sides() -> None:
    found = outcome([CUP] * 3, [CUP] * 3)
    assert [one.label for one in found.labels] == ["metaphor", "sentiment"]
