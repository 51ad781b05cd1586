"""Metaphor items, answers and verdicts for the tests of the rubric."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from beholder.annotation import Annotation, Evidence, Explanation, written
from beholder.benchmarks.m3r.assumptions import assumptions_of, shipped
from beholder.errors import Owner
from beholder.sample import (
    Failure,
    ImagePart,
    ImageRef,
    Judged,
    MetaphorTarget,
    Response,
    Sample,
    TextPart,
)
from beholder.score import Outcome, Score, ScoredItem

MADE = assumptions_of(shipped())
QUESTIONS = [question.id for criterion in MADE.criteria for question in criterion.questions]

GOLD = Annotation(
    metaphor=True,
    target="smoking",
    source="gun",
    sentiment="negative",
    explanation=Explanation(
        evidence=(
            Evidence("visual", "a lit cigarette in place of the barrel of a gun", (0.1, 0.2, 0.6, 0.7)),
            Evidence("visual", "a red hole in the lung", (0.7, 0.5, 0.9, 0.8)),
            Evidence("textual", "every one may be the last"),
        ),
        mapping="Smoking is seen as a gun: the cigarette takes the place of the barrel and kills who uses it.",
        sentiment="A gun at one's own lung threatens death, so the sentiment is negative.",
    ),
)
LITERAL = Annotation(
    metaphor=False,
    target=None,
    source=None,
    sentiment="neutral",
    explanation=Explanation(
        evidence=(Evidence("visual", "a wooden table with four chairs"), Evidence("textual", "table, 80 euros")),
        mapping="The text names the price of the table that is shown; it is meant literally.",
        sentiment="An offer with a price takes no side: neutral.",
    ),
)
CHINESE = Annotation(
    metaphor=True,
    target="手机",
    source="主人",
    sentiment="negative",
    explanation=Explanation(
        evidence=(
            Evidence("visual", "长着两条腿的手机走在前面，手里牵着绳子"),
            Evidence("textual", "是谁在带着谁走"),
        ),
        mapping="手机处在遛狗的主人的位置：手机被看作主人，控制着使用它的人。",
        sentiment="人像宠物一样被牵着，失去了自由，情感是消极的。",
    ),
)


def sample(gold: Annotation = GOLD, key: str = "item-0", **fields: Any) -> Sample:
    return Sample(
        key=key,
        index=fields.pop("index", 0),
        benchmark="m3r",
        images=(ImageRef("a.png", path="a.png"),),
        parts=(ImagePart(0), TextPart(fields.pop("text", "Every one may be the last."))),
        target=MetaphorTarget(gold),
        cluster=fields.pop("cluster", key),
        metadata={"language": "en", "task": fields.pop("task", "joint")},
        **fields,
    )


def said(annotation: Annotation, **fields: Any) -> Response:
    return Response(text=as_model(annotation), finish="stop", **fields)


def as_model(annotation: Annotation) -> str:
    """An annotation in the form that the prompt asks for."""
    found: dict[str, Any] = json.loads(written(annotation))
    if "metaphor" in found:
        found["metaphor"] = "yes" if found["metaphor"] else "no"
    return json.dumps(found, ensure_ascii=False)


def changed(**fields: Any) -> Annotation:
    """The gold with another explanation."""
    assert GOLD.explanation is not UNSET
    return msgspec.structs.replace(GOLD, explanation=msgspec.structs.replace(GOLD.explanation, **fields))


def answers(visual: str = "yes", mapping: str = "yes", sentiment: str = "yes") -> str:
    """A verdict that answers all questions of a criterion alike."""
    by_criterion = dict(zip((criterion.id for criterion in MADE.criteria), (visual, mapping, sentiment), strict=True))
    return json.dumps(
        {
            question.id: {"answer": by_criterion[criterion.id]}
            for criterion in MADE.criteria
            for question in criterion.questions
        }
    )


def judged(answer: str | None, judge: str = "a") -> Judged:
    failure = None if answer is not None else Failure(Owner.JUDGE, "timeout", "no answer in time", retryable=True)
    return Judged("rubric", judge, answer, failure)


def row(
    place: int, rubric: Score, lenient: float | None = 1.0, gold: Annotation = GOLD, cluster: str = ""
) -> ScoredItem:
    outcome = Outcome.SCORED if lenient is not None else Outcome.FAILED
    return ScoredItem(
        index=place,
        key=f"k{place}",
        cluster=cluster or f"c{place}",
        target=written(gold),
        scores={"lenient": Score(lenient, outcome), "rubric": rubric},
    )


def scored(verdicts: Sequence[Judged], gold: Annotation = GOLD) -> Score:
    from beholder.benchmarks.m3r.rubric_score import score_rubric

    return score_rubric(MADE)(sample(gold), said(gold, judged=tuple(verdicts)))
