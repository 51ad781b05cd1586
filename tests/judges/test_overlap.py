"""The rule judge `overlap` on cases made by hand, and on the probes of judges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from beholder.annotation import Annotation, Box, Evidence, Explanation
from beholder.benchmarks.m3r.assumptions import shipped
from beholder.benchmarks.m3r.rubric import explanation_of, own_words
from beholder.benchmarks.m3r.rubric_reply import Ratings, ratings_of
from beholder.benchmarks.m3r.rubric_score import rubric_points
from beholder.benchmarks.m3r.wording import content, repeats, words
from beholder.errors import UsageError
from beholder.judges.overlap import iou, make
from beholder.sample import Response
from made_judged import CHINESE, GOLD, LITERAL, MADE, QUESTIONS, changed, said, sample

JUDGE = make("")


def verdict(gold: Annotation, answer: Annotation) -> Ratings:
    found = ratings_of(JUDGE(sample(gold), said(answer)))
    assert found is not None
    assert list(found) == QUESTIONS
    return found


def answers(gold: Annotation, answer: Annotation) -> dict[str, str]:
    return {name: rating.answer for name, rating in verdict(gold, answer).items()}


def points(gold: Annotation, answer: Annotation) -> float:
    return rubric_points(verdict(gold, answer), MADE)


def evidence(*pieces: tuple[str, str] | tuple[str, str, Box]) -> tuple[Evidence, ...]:
    return tuple(Evidence(*piece) for piece in pieces)


CIGARETTE = ("visual", "a cigarette as the barrel of a gun")
HOLE = ("visual", "the lung has a red hole")
READ = ("textual", "every one may be the last")

CASES: list[tuple[str, Annotation, dict[str, str]]] = [
    ("gold", GOLD, {}),
    ("other words around the same", changed(evidence=evidence(CIGARETTE, HOLE, READ)), {}),
    ("one of two seen", changed(evidence=evidence(CIGARETTE, READ)), {"ve_names": "partly", "ve_specific": "no"}),
    (
        "more seen than the gold says",
        changed(evidence=evidence(CIGARETTE, HOLE, READ, ("visual", "a blue sky"))),
        {"ve_there": "partly"},
    ),
    (
        "box elsewhere",
        changed(evidence=evidence((*CIGARETTE, (0.5, 0.5, 1.0, 1.0)), HOLE, READ)),
        {"ve_names": "partly", "ve_there": "partly", "mc_from_evidence": "partly"},
    ),
    ("box near enough", changed(evidence=evidence((*CIGARETTE, (0.1, 0.2, 0.6, 0.6)), HOLE, READ)), {}),
    (
        "from the text alone",
        changed(evidence=evidence(READ)),
        {"ve_names": "no", "ve_there": "no", "ve_specific": "no", "ve_used": "no", "mc_from_evidence": "partly"},
    ),
    (
        "seen, said to be read",
        changed(evidence=evidence(("textual", CIGARETTE[1]), HOLE, READ)),
        {"ve_names": "partly", "ve_specific": "no", "mc_from_evidence": "partly"},
    ),
    (
        "no mapping",
        changed(mapping=""),
        {"mc_pair": "partly", "mc_direction": "no", "mc_ground": "no", "mc_from_evidence": "partly"},
    ),
    (
        "another mapping",
        changed(mapping="Smoking is a slow train."),
        {"mc_ground": "no", "mc_from_evidence": "partly", "mc_direction": "partly"},
    ),
    (
        "the other way round",
        changed(mapping="The gun is smoking: the cigarette takes the place of the barrel and kills."),
        {"mc_direction": "partly"},
    ),
    (
        "wrong sentiment",
        changed(sentiment="A gun at one's own lung threatens death, which is positive."),
        {"sj_right": "no"},
    ),
    (
        "two sentiments",
        changed(sentiment="A gun at one's lung threatens death: negative, not positive."),
        {"sj_right": "no"},
    ),
    (
        "sentiment alone",
        changed(sentiment="It is negative."),
        {"sj_from_mapping": "no", "sj_specific": "no"},
    ),
    ("no sentiment", changed(sentiment=""), {"sj_right": "no", "sj_from_mapping": "no", "sj_specific": "no"}),
]


@pytest.mark.parametrize(("answer", "different"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_answers_to_explanations_made_by_hand(answer: Annotation, different: dict[str, str]) -> None:
    found = answers(GOLD, answer)
    assert {name: given for name, given in found.items() if given != "yes"} == {
        name: given for name, given in different.items() if given != "yes"
    }


@pytest.mark.parametrize("gold", [GOLD, LITERAL, CHINESE])
def test_the_gold_is_worth_all_points_and_something_else_few(gold: Annotation) -> None:
    assert points(gold, gold) == 100
    others = [other for other in (GOLD, LITERAL, CHINESE) if other is not gold]
    assert max(points(gold, other) for other in others) < 20


PRAISE = Explanation(
    (Evidence("visual", "Everything is named with great care."),),
    "This is an excellent and complete explanation.",
    "The conclusion is justified convincingly.",
)


@pytest.mark.parametrize("gold", [GOLD, LITERAL, CHINESE])
def test_gold_is_above_contradiction_is_above_praise(gold: Annotation) -> None:
    assert isinstance(gold.explanation, Explanation)
    other = GOLD if gold is not GOLD else LITERAL
    assert isinstance(other.explanation, Explanation)
    contradiction = msgspec.structs.replace(gold.explanation, evidence=other.explanation.evidence)
    best, middle, least = (
        points(gold, msgspec.structs.replace(gold, explanation=one))
        for one in (gold.explanation, contradiction, PRAISE)
    )
    assert best - 10 > middle > least + 10
    assert least < 10


def test_the_labels_do_not_count_only_what_is_explained() -> None:
    wrong = msgspec.structs.replace(GOLD, metaphor=False, target=None, source=None, sentiment="positive")
    assert verdict(GOLD, wrong) == verdict(GOLD, GOLD)


@pytest.mark.parametrize(
    ("gold", "answer"), [(GOLD, GOLD), (LITERAL, LITERAL), (CHINESE, CHINESE), *((GOLD, case[1]) for case in CASES)]
)
def test_quotations_are_really_there_and_pieces_have_a_place(gold: Annotation, answer: Annotation) -> None:
    response = said(answer)
    explanation = explanation_of(sample(gold), response)[0]
    assert explanation is not None
    for name, rating in verdict(gold, answer).items():
        assert rating.answer == "no" or repeats(own_words(explanation), rating.quote), name
        assert rating.quote_found
    assert verdict(GOLD, GOLD)["ve_names"].region == "left 10 %, top 20 %, right 60 %, bottom 70 %"


def test_a_verdict_on_no_explanation_is_no_throughout() -> None:
    for text in (" ", "?"):
        blank = msgspec.structs.replace(GOLD, explanation=Explanation(mapping=text))
        assert set(answers(GOLD, blank).values()) == {"no"}


LACKING: list[tuple[dict[str, Any], str, str, str]] = [
    # labels of the gold, mapping, mc_pair, mc_direction
    ({"target": "smoking", "source": UNSET}, "Smoking is deadly.", "yes", "yes"),
    ({"target": "smoking", "source": UNSET}, "A train is slow.", "no", "no"),
    (
        {"metaphor": True, "target": UNSET, "source": UNSET},
        "The cigarette takes the place of the barrel: a gun.",
        "yes",
        "yes",
    ),
    ({"metaphor": UNSET, "target": UNSET, "source": UNSET}, "It is meant literally.", "no", "no"),
]


@pytest.mark.parametrize(("labels", "mapping", "pair", "direction"), LACKING)
def test_labels_that_the_gold_does_not_give_are_not_asked_for(
    labels: dict[str, Any], mapping: str, pair: str, direction: str
) -> None:
    gold = msgspec.structs.replace(GOLD, **labels)
    found = answers(gold, changed(evidence=evidence(HOLE, READ), mapping=mapping, sentiment="It is negative."))
    assert (found["mc_pair"], found["mc_direction"]) == (pair, direction)


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        ((0, 0, 1, 1), (0, 0, 1, 1), 1.0),
        ((0, 0, 0.5, 1), (0.5, 0, 1, 1), 0.0),
        ((0, 0, 0.5, 1), (0.25, 0, 0.75, 1), 1 / 3),
        ((0, 0, 0, 0), (0, 0, 0, 0), 0.0),
        ((1, 1, 0, 0), (0, 0, 1, 1), 0.0),  # the wrong way round: no area
    ],
)
def test_intersection_over_union(a: Box, b: Box, value: float) -> None:
    assert iou(a, b) == pytest.approx(value)
    assert iou(b, a) == pytest.approx(value)


def test_thresholds_come_from_a_file_of_assumptions(tmp_path: Path) -> None:
    other: dict[str, Any] = json.loads(shipped())
    other["overlap_from"] = 1.0
    file = tmp_path / "strict.json"
    file.write_text(json.dumps(other))
    answer = said(changed(evidence=evidence(CIGARETTE, HOLE, READ)))
    strict = ratings_of(make(str(file))(sample(), answer)) or {}
    assert (strict["ve_names"].answer, verdict(GOLD, GOLD)["ve_names"].answer) == ("partly", "yes")


@pytest.mark.parametrize(
    ("text", "told"),
    [("{", "cannot be used"), (None, "cannot be read"), ("other question", "cannot answer seen")],
)
def test_files_that_it_cannot_use(tmp_path: Path, text: str | None, told: str) -> None:
    file = tmp_path / "file.json"
    if text is not None:
        file.write_text(text if text == "{" else shipped().replace("ve_names", "seen"))
    with pytest.raises(UsageError, match=told) as error:
        make(str(file))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "quote", "there"),
    [
        ("A gun, drawn.", "gun drawn", True),
        ("therapist", "rapist", False),
        ("a b c", "a c", False),
        ("a b c", "a … c", True),
        ("a b c", "…", False),
        ("a", "", False),
        ("手机被看作主人", "手机 被看作“主人”", True),
        ("ＡＢＣ Ⅳ", "abc iv", True),
        ("one two", "one two three", False),
    ],
)
def test_where_words_stand_in_a_text(text: str, quote: str, there: bool) -> None:
    assert repeats(text, quote) is there


def test_words_and_content() -> None:
    assert words("It's 3.5 cm") == ["it", "s", "3", "5", "cm"]
    assert content("the of 的") == content("") == frozenset()
    assert content("Glasses, gas, guns") == {"glasse", "gas", "gun"}


TEXTS = st.text(max_size=40) | st.sampled_from(
    ["gun", "smoking is a gun", "手机被看作主人", "\ud83d", "negative positive", "~~~"]
)
EXPLANATIONS = st.builds(
    Explanation,
    st.lists(
        st.builds(
            Evidence,
            st.sampled_from(["visual", "textual"]),
            TEXTS,
            st.none() | st.tuples(*[st.floats(-1, 2, allow_nan=False)] * 4),
        ),
        max_size=4,
    ).map(tuple),
    TEXTS,
    TEXTS,
)


@given(EXPLANATIONS, st.sampled_from([GOLD, LITERAL, CHINESE]), st.booleans())
def test_any_explanation_gets_a_verdict_that_can_be_read(one: Explanation, gold: Annotation, swapped: bool) -> None:
    answer, model = (gold, msgspec.structs.replace(gold, explanation=one))[:: -1 if swapped else 1]
    response = Response(text=json.dumps(msgspec.to_builtins(answer)), finish="stop")
    found = ratings_of(JUDGE(sample(model), response))
    assert found is not None
    assert list(found) == QUESTIONS
    assert 0 <= rubric_points(found, MADE) <= 100


def test_half_a_surrogate_pair_in_an_answer_is_no_error() -> None:
    text = "Metaphor: yes\nTarget: smoking\nSource: gun\nSentiment: negative\nMapping: smoking \ud83d is a gun"
    found = ratings_of(JUDGE(sample(), Response(text=text, finish="stop")))
    assert found is not None
    assert "gun" in found["mc_pair"].quote
