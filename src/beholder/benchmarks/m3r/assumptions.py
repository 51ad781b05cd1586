"""What is OURS to choose in M3R-Bench, because the paper's formulas, judge prompt and scale are not public to us.

All of it stands in `assumptions.json` beside this file; `--assumptions FILE` puts another file of the same form in its
place, and a run keeps the text that it was scored under.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Annotated, Literal

import msgspec

from beholder.errors import UsageError

Points = Annotated[float, msgspec.Meta(ge=0, le=100)]
_Id = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]{0,39}$")]
_Words = Annotated[str, msgspec.Meta(pattern=r"\S")]
_TAKEN = ("rubric",)
"""What a figure of the whole rubric is called, so that no criterion can be."""


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question of a criterion, answered yes, partly or no. `asks` tells the judge what to look for."""

    id: _Id
    asks: _Words


class Criterion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the three things that an explanation is judged by: the mean of its questions' points, 0 to 100.

    `weight`, over the sum of all weights, is its share in the mean over criteria. `region` says that a quoted piece
    must come with a place in the picture.
    """

    id: _Id
    title: _Words
    questions: Annotated[tuple[Question, ...], msgspec.Meta(min_length=3, max_length=5)]
    weight: Annotated[float, msgspec.Meta(ge=0.001, le=1000)] = 1.0
    region: bool = False


Fault = Literal["slots_without_metaphor", "metaphor_without_slots", "box_outside"]


class SlotRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What does not count when a target or source is compared with the gold (after Unicode NFKC).

    `spoiled_by` names the faults of an answer's structure (`beholder.annotation`) by which its target and source count
    as wrong, whatever they say, and with them the joint answer.
    """

    case: bool = True
    articles: bool = True
    punctuation: bool = True
    chinese_variants: bool = True
    spoiled_by: tuple[Fault, ...] = ("slots_without_metaphor", "metaphor_without_slots", "box_outside")


class Answers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Points of a question for each of its answers."""

    yes: Points = 100.0
    partly: Points = 50.0
    no: Points = 0.0


class Assumptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every choice of ours that decides a figure of M3R-Bench.

    `shown_from` is the number of points from which on a criterion counts as met, for the mismatch of evidence and
    mapping. `overlap_from` is the share of the gold's words that evidence must repeat to count as found, for the rule
    judge, and `overlap_box` the intersection over union that a box must reach.
    """

    criteria: Annotated[tuple[Criterion, ...], msgspec.Meta(min_length=1)]
    answers: Answers = Answers()
    slots: SlotRules = SlotRules()
    shown_from: Points = 50.0
    overlap_from: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    overlap_box: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5


def shipped() -> str:
    """The text of our own choices."""
    return resources.files(__package__).joinpath("assumptions.json").read_text(encoding="utf-8")


@cache
def assumptions_of(text: str) -> Assumptions:
    """The choices that a text makes; `UsageError` names what cannot be used."""
    try:
        made = msgspec.json.decode(text, type=Assumptions)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise UsageError(f"The file of assumptions cannot be used ({error}). Begin with a copy of ours.") from None
    ids = [criterion.id for criterion in made.criteria]
    ids += [question.id for criterion in made.criteria for question in criterion.questions]
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if taken := [one for one in ids if one in _TAKEN]:
        raise UsageError(f"The file of assumptions uses the id {taken[0]}, which has a meaning here. Give it another.")
    if twice:
        raise UsageError(f"The file of assumptions uses an id twice: {', '.join(twice)}. Give each its own.")
    return made
