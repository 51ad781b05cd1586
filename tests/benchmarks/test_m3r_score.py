"""The scorers of M3R-Bench: labels read strictly and leniently, and what judges say of the slots."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from m3r_rows import GUN, PLAIN, answer, sample, whole_answer
from msgspec import UNSET

from beholder.annotation import Annotation, read_written
from beholder.benchmarks.m3r import BENCHMARK, under
from beholder.benchmarks.m3r.assumptions import shipped
from beholder.engine.scoring import score_with
from beholder.errors import Owner, UsageError
from beholder.sample import Failure, Judged, Response
from beholder.score import Outcome

SCORERS = BENCHMARK.scorers
TASKS = ("joint", "metaphor", "target", "source", "sentiment", "annotate")


def said(text: str, **more: object) -> Response:
    return Response(text=text, finish="stop", **more)  # type: ignore[arg-type]


# gold, labels said, value, flags
JOINT = [
    (GUN, {}, 1, ()),
    (GUN, {"target": "Smoking", "source": "the gun"}, 1, ()),
    (GUN, {"target": "cigarettes"}, 0, ()),
    (GUN, {"sentiment": "neutral"}, 0, ()),
    (GUN, {"metaphor": False, "target": None, "source": None}, 0, ()),
    # T99: no metaphor, but a target and a source
    (GUN, {"metaphor": False}, 0, ("structure", "slots_without_metaphor")),
    (PLAIN, {"target": "smoking", "source": "gun"}, 0, ("structure", "slots_without_metaphor")),
    (PLAIN, {"source": "gun"}, 0, ("structure", "slots_without_metaphor")),
    (GUN, {"target": None}, 0, ("structure", "metaphor_without_slots")),
    (PLAIN, {"metaphor": True}, 0, ("structure", "metaphor_without_slots")),
    (PLAIN, {}, 1, ()),
    (PLAIN, {"sentiment": "negative"}, 0, ()),
]


@pytest.mark.parametrize("scorer", ["strict", "lenient"])
@pytest.mark.parametrize(("gold", "changed", "value", "flags"), JOINT)
def test_a_joint_answer(
    scorer: str, gold: Annotation, changed: dict[str, object], value: int, flags: tuple[str, ...]
) -> None:
    labels = {name: getattr(gold, name) for name in ("metaphor", "target", "source", "sentiment")} | changed
    explanation = {"evidence": [], "mapping": "m", "sentiment": "s"}
    score = SCORERS[scorer](sample(gold), said(answer(**labels, explanation=explanation)))
    assert (score.value, score.outcome, score.flags) == (value, Outcome.SCORED, flags)
    read = read_written(score.extracted)
    assert read is not None
    assert {name: getattr(read, name) for name in labels} == labels


def test_t99_takes_the_yes_or_no_as_given_and_the_slots_as_wrong() -> None:
    from beholder.benchmarks.m3r.assumptions import SlotRules
    from beholder.benchmarks.m3r.labels import right_labels

    contradicting = Annotation(metaphor=False, target="smoking", source="gun", sentiment="negative")
    assert right_labels(contradicting, GUN, SlotRules()) == {
        "metaphor": False,
        "target": False,
        "source": False,
        "sentiment": True,
    }
    assert right_labels(contradicting, PLAIN, SlotRules())["metaphor"] is True


def test_a_box_outside_the_picture_makes_the_slots_wrong_unless_the_assumptions_say_otherwise() -> None:
    piece = {"kind": "visual", "text": "a gun", "box": [0.2, 0.2, 1.5, 0.9]}
    text = answer(
        metaphor=True,
        target="smoking",
        source="gun",
        sentiment="negative",
        explanation={"evidence": [piece], "mapping": "m", "sentiment": "s"},
    )
    score = SCORERS["strict"](sample(GUN), said(text))
    assert (score.value, score.outcome) == (0.0, Outcome.SCORED)
    assert score.flags == ("box_not_share", "structure", "box_outside")
    lax = json.loads(shipped())
    lax["slots"]["spoiled_by"] = ["slots_without_metaphor"]
    again = under(json.dumps(lax)).scorers["strict"](sample(GUN), said(text))
    assert (again.value, again.flags) == (1.0, score.flags)


# task, gold, answer, strict, lenient (None: unparsed)
SINGLE = [
    ("metaphor", GUN, '{"metaphor": "yes"}', 1, 1),
    ("metaphor", GUN, "yes", None, 1),
    ("metaphor", PLAIN, '{"metaphor": "yes"}', 0, 0),
    ("target", GUN, '{"target": "smoking"}', 1, 1),
    ("target", GUN, '{"target": "gun"}', 0, 0),
    ("target", GUN, '{"target": null}', 0, 0),
    ("target", PLAIN, '{"target": null}', 1, 1),
    ("target", PLAIN, '{"target": "None"}', None, 1),
    ("source", GUN, '{"source": "A gun."}', 1, 1),
    ("sentiment", GUN, '{"sentiment": "negative"}', 1, 1),
    ("sentiment", GUN, "Sentiment: negative", None, 1),
    ("sentiment", GUN, '{"sentiment": "positive"}', 0, 0),
    ("target", GUN, whole_answer(GUN), None, 1),
]


@pytest.mark.parametrize(("task", "gold", "text", "strict", "lenient"), SINGLE)
def test_an_answer_to_one_label_alone(
    task: str, gold: Annotation, text: str, strict: int | None, lenient: int | None
) -> None:
    for scorer, value in (("strict", strict), ("lenient", lenient)):
        score = SCORERS[scorer](sample(gold, task), said(text))
        outcome = Outcome.UNPARSED if value is None else Outcome.SCORED
        assert (score.value, score.outcome) == (value or 0, outcome), scorer
        assert f"only_{task}" in score.flags


def test_who_says_no_has_said_that_there_are_no_slots_but_not_in_the_form_asked_for() -> None:
    text = answer(metaphor=False, sentiment="neutral")
    scores = score_with(SCORERS)(sample(PLAIN), said(text))
    assert (scores["strict"].value, scores["strict"].outcome) == (0.0, Outcome.UNPARSED)
    assert "format" in scores["strict"].flags
    assert scores["lenient"].value == 1.0
    read = read_written(scores["lenient"].extracted)
    assert read is not None
    assert (read.target, read.source) == (None, None)


# what is said of the target beside "no", whether it counts as None
BESIDE_NO = [
    ({}, True),
    ({"target": None}, True),
    ({"target": []}, True),
    ({"target": "unknown"}, False),
    ({"target": ["smoking", "drinking"]}, False),
    ({"target": {"en": "smoking"}}, False),
    ({"target": 5}, False),
]


@pytest.mark.parametrize(("target", "none"), BESIDE_NO)
def test_a_slot_that_is_given_and_cannot_be_read_is_not_taken_for_none(target: dict[str, object], none: bool) -> None:
    score = SCORERS["lenient"](sample(PLAIN), said(answer(metaphor=False, source=None, sentiment="neutral", **target)))
    read = read_written(score.extracted)
    assert read is not None
    assert (read.target, score.value) == ((None, 1.0) if none else (UNSET, 0.0))
    assert ("unread_target" in score.flags) is not none


def test_who_says_yes_and_no_slots_has_them_wrong() -> None:
    score = SCORERS["lenient"](sample(GUN), said(answer(metaphor=True, sentiment="negative")))
    assert (score.value, score.outcome) == (0.0, Outcome.SCORED)
    assert score.reason.endswith("Wrong: target, source.")


PARTIAL = [
    (Annotation(sentiment="negative"), 1.0, Outcome.SCORED),
    (Annotation(sentiment="neutral"), 0.0, Outcome.SCORED),
    (Annotation(metaphor=True, sentiment="negative"), 1.0, Outcome.SCORED),
    (Annotation(target="smoking"), 1.0, Outcome.SCORED),
    (Annotation(), None, Outcome.NOT_APPLICABLE),
]


@pytest.mark.parametrize(("gold", "value", "outcome"), PARTIAL)
def test_labels_that_the_gold_does_not_give_are_scored_by_nobody(
    gold: Annotation, value: float | None, outcome: Outcome
) -> None:
    for scorer in ("strict", "lenient"):
        score = SCORERS[scorer](sample(gold), said(whole_answer(GUN)))
        assert (score.value, score.outcome) == (value, outcome)
        assert read_written(score.extracted) is not None, "what was said is kept all the same"


def test_without_the_gold_of_the_label_that_was_asked_for_there_is_no_score() -> None:
    failure = Failure(Owner.PROVIDER, "http_500", "The server failed.")
    for response in (said('{"target": "gun"}'), said("?"), Response(failure=failure)):
        score = SCORERS["lenient"](sample(Annotation(sentiment="negative"), "target"), response)
        assert (score.value, score.outcome) == (None, Outcome.NOT_APPLICABLE)
        assert "only_target" in score.flags


def test_failed_refused_cut_and_unread_answers_are_told_apart() -> None:
    failure = Failure(Owner.PROVIDER, "http_500", "The server failed.")
    responses = [
        (Response(failure=failure), None, Outcome.FAILED),
        (said("I'm sorry, but I can't help with that."), 0.0, Outcome.REFUSED),
        (Response(text='{"metaphor', finish="length"), 0.0, Outcome.TRUNCATED),
        (said("What a picture."), 0.0, Outcome.UNPARSED),
        (said(""), 0.0, Outcome.UNPARSED),
    ]
    for response, value, outcome in responses:
        for scorer in ("strict", "lenient"):
            score = SCORERS[scorer](sample(GUN), response)
            assert (score.value, score.outcome) == (value, outcome)
    assert SCORERS["lenient"](sample(GUN), responses[0][0]).owner is Owner.PROVIDER


def test_labels_that_stand_before_the_cut_are_kept_though_the_answer_is_cut() -> None:
    cut = '{"metaphor": "yes", "target": "smoking", "sour'
    score = SCORERS["lenient"](sample(GUN), Response(text=cut, finish="length"))
    assert (score.value, score.outcome) == (0.0, Outcome.TRUNCATED)
    assert read_written(score.extracted) == Annotation(metaphor=True, target="smoking")
    assert SCORERS["lenient"](sample(GUN), said(cut)).outcome is Outcome.SCORED
    whole = whole_answer(GUN)[:-30]
    score = SCORERS["lenient"](sample(GUN), Response(text=whole, finish="length"))
    assert (score.value, score.outcome) == (1.0, Outcome.SCORED), "only the explanation is cut"


def judged(*verdicts: object) -> tuple[Judged, ...]:
    return tuple(
        Judged("slots", f"judge-{number}", verdict if isinstance(verdict, str) else json.dumps(verdict))
        for number, verdict in enumerate(verdicts)
    )


SAME, OTHER = {"same": True}, {"same": False}
# answer, verdicts, value
SLOTS = [
    ({}, [{"target": SAME, "source": SAME}], 1.0),
    ({}, [{"target": SAME, "source": OTHER}], 0.0),
    ({"source": "gun"}, [{"target": SAME}], 1.0),
    ({"source": None, "metaphor": "?"}, [{"target": SAME}], 0.0),
    ({}, [{"target": SAME, "source": SAME}, {"target": SAME, "source": OTHER}], 0.5),
    ({}, [{"target": {"similarity": 0.9}, "source": {"similarity": 0.4}}], 0.4),
    ({}, [{"target": {"similarity": 0.9}, "source": {"similarity": 0.4}}, {"target": SAME, "source": SAME}], 1.0),
    ({}, ["not JSON", {"target": SAME, "source": SAME}], 1.0),
    ({"metaphor": False}, [{"target": SAME, "source": SAME}], 0.0),
]


@pytest.mark.parametrize(("changed", "verdicts", "value"), SLOTS)
def test_what_judges_say_of_the_slots(changed: dict[str, object], verdicts: list[object], value: float) -> None:
    labels = {"metaphor": True, "target": "tobacco", "source": "a weapon", "sentiment": "negative"} | changed
    score = SCORERS["slots"](sample(GUN), said(answer(**labels), judged=judged(*verdicts)))
    assert (score.value, score.outcome) == (value, Outcome.SCORED)
    assert ("judge_failed" in score.flags) == ("not JSON" in verdicts)


BAD_VERDICTS = [
    "",
    "[]",
    "{}",
    '{"target": true}',
    '{"target": {"same": "yes"}}',
    '{"target": {"similarity": 1.2}}',
    '{"target": {"similarity": NaN}}',
    '{"target": {"similarity": true}}',
    '{"target": {"same": true}, "source": {"similarity": 0.5}}',
    "[" * 5000,
]


@pytest.mark.parametrize("verdict", BAD_VERDICTS)
def test_a_verdict_that_is_none_is_the_judges_failure_and_never_a_score(verdict: str) -> None:
    score = SCORERS["slots"](sample(GUN), said(whole_answer(GUN), judged=judged(verdict)))
    assert (score.value, score.outcome, score.owner) == (None, Outcome.FAILED, Owner.JUDGE)


def test_without_a_judge_of_slots_there_is_no_score() -> None:
    rubric = (Judged("rubric", "judge-0", "{}"),)
    score = SCORERS["slots"](sample(GUN), said(whole_answer(GUN), judged=rubric))
    assert (score.value, score.outcome) == (None, Outcome.NOT_APPLICABLE)


def test_other_assumptions_make_other_scorers() -> None:
    other = under(shipped().replace('"case": true', '"case": false'))
    response = said(whole_answer(Annotation(metaphor=True, target="SMOKING", source="gun", sentiment="negative")))
    assert SCORERS["strict"](sample(GUN), response).value == 1
    assert other.scorers["strict"](sample(GUN), response).value == 0
    assert other.assume is not None
    assert other.assume(shipped()).assumptions == shipped()
    with pytest.raises(UsageError, match="assumptions"):
        other.assume("{}")


@given(st.sampled_from(TASKS), st.text(max_size=200))
def test_no_text_breaks_a_scorer(task: str, text: str) -> None:
    for gold in (GUN, PLAIN, Annotation(target=UNSET, sentiment="neutral")):
        for score in score_with(SCORERS)(sample(gold, task), said(text)).values():
            assert score.outcome is not Outcome.FAILED, score.reason
            assert score.value in (0.0, 1.0, None)
