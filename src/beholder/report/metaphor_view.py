"""One answer to an M3R-Bench item as a reader wants it: gold and answer side by side, and what each judge said.

Pure: from a sample, a response and its scores to plain data, which a terminal and a page draw. What is shown as read is
what `lenient` read. Boxes come from models: what can be drawn of one is given apart from what was said.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import UNSET

from beholder.annotation import (
    BOX_OUTSIDE,
    LABELS,
    METAPHOR_WITHOUT_SLOTS,
    SLOTS_WITHOUT_METAPHOR,
    TEXTUAL,
    VISUAL,
    Annotation,
    Box,
    Evidence,
    Explanation,
    is_inside,
    read_written,
    structure_faults,
)
from beholder.benchmarks.m3r.assumptions import Assumptions
from beholder.benchmarks.m3r.labels import SLOTS, asked, gold_of, right_labels, slots_count, task_of
from beholder.benchmarks.m3r.mismatch import EVIDENCE, MAPPING
from beholder.benchmarks.m3r.rubric import PURPOSE
from beholder.benchmarks.m3r.rubric_reply import Rating, Ratings
from beholder.benchmarks.m3r.rubric_score import criterion_points, rubric_points, verdicts_of
from beholder.benchmarks.m3r.score import read_verdict
from beholder.benchmarks.m3r.slots import normalised
from beholder.report.annotation_words import label_in_words
from beholder.sample import Judged, Response, Sample
from beholder.score import Score

_SENTENCES = {
    SLOTS_WITHOUT_METAPHOR: "It says that there is no metaphor, and yet names a target or source; they count as wrong.",
    METAPHOR_WITHOUT_SLOTS: "It says that there is a metaphor without a target or a source; both count as wrong.",
    BOX_OUTSIDE: "A box is no part of the picture.",
}


class Label(msgspec.Struct, frozen=True):
    """One of the four labels in words. `right` is None where it was not asked for or the gold does not give it.

    `why` says what was compared, and what judges said of it.
    """

    name: str
    gold: str
    said: str
    right: bool | None
    why: str = ""


class Piece(msgspec.Struct, frozen=True):
    """One piece of evidence, numbered from 1. `place` is the box in words, "" without one.

    `drawn` is the part of the box that lies in the picture, in percent (left, top, width, height); None where nothing
    of it does.
    """

    number: int
    kind: str
    text: str
    place: str = ""
    drawn: tuple[float, float, float, float] | None = None


class Stages(msgspec.Struct, frozen=True):
    """The three stages of an explanation."""

    evidence: tuple[Piece, ...]
    mapping: str
    sentiment: str


class Verdict(msgspec.Struct, frozen=True):
    """What a rubric judge said: points from 0 to 100 of the rubric and of each criterion, and its answers.

    Without a verdict `points` is None, `criteria` and `ratings` are empty, and `failure` says why; `retryable` whether
    a resume asks again.
    """

    judge: str
    points: float | None
    criteria: tuple[float, ...]
    ratings: Ratings
    failure: str = ""
    retryable: bool = False


class View(msgspec.Struct, frozen=True):
    """All of it. `gold` and `said` are None where there is no explanation; `unread` where nothing was read at all.

    `faults` are broken rules of the structure in sentences, `kinds` the kinds of mismatch (`benchmarks.m3r.mismatch`),
    `differ` whether two judges answered a question of the rubric differently.
    """

    labels: tuple[Label, ...]
    gold: Stages | None
    said: Stages | None
    unread: bool
    faults: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    kinds: tuple[str, ...]
    differ: bool

    @property
    def failed(self) -> bool:
        """Whether a judge failed on it."""
        return any(one.failure for one in self.verdicts)


def view_of(sample: Sample, response: Response, scores: Mapping[str, Score], made: Assumptions) -> View:
    """What there is to see of one answer, under these assumptions."""
    gold = gold_of(sample)
    said = read_written(scores["lenient"].extracted) if "lenient" in scores else None
    verdicts = _verdicts(response, scores, made)
    given = [one.ratings for one in verdicts if one.ratings]
    return View(
        labels=_labels(sample, response, said, made),
        gold=stages_of(gold),
        said=stages_of(said),
        unread=said is None,
        faults=tuple(_SENTENCES[fault] for fault in (structure_faults(said) if said is not None else ())),
        verdicts=verdicts,
        kinds=_kinds(given, scores, made),
        differ=any(len({one[name].answer for one in given}) > 1 for name in (given[0] if given else ())),
    )


def stages_of(annotation: Annotation | None) -> Stages | None:
    """The stages of the explanation; None if there is none, or nothing in it."""
    told = annotation.explanation if annotation is not None else UNSET
    if not isinstance(told, Explanation) or told.blank:
        return None
    pieces = (_piece(number, one) for number, one in enumerate(told.evidence, start=1))
    return Stages(tuple(pieces), told.mapping.strip(), told.sentiment.strip())


def _piece(number: int, piece: Evidence) -> Piece:
    kind = {VISUAL: "picture", TEXTUAL: "text"}.get(piece.kind, piece.kind)
    if piece.box is None:
        return Piece(number, kind, piece.text.strip())
    visible = drawn(piece.box)
    fault = "; cannot be drawn" if visible is None else "" if is_inside(piece.box) else "; reaches outside the picture"
    left, top, right, bottom = (f"{100 * side:.3g}" for side in piece.box)
    return Piece(
        number, kind, piece.text.strip(), f"left {left}, top {top}, right {right}, bottom {bottom} %{fault}", visible
    )


def drawn(box: Box) -> tuple[float, float, float, float] | None:
    """The part of a box that lies in the picture, in percent of its sides: left, top, width, height.

    None if no part of it does. A side that is no number at all counts as outside.

    >>> drawn((0.5, -1.0, 7.0, 0.25)), drawn((0.5, 0.5, 0.5, 1.0)), drawn((0.0, 0.0, float("nan"), 1.0))
    ((50.0, 0.0, 50.0, 25.0), None, None)
    """
    if any(side != side for side in box):  # NaN alone is not itself
        return None
    left, top, right, bottom = (100 * min(max(side, 0.0), 1.0) for side in box)
    if right <= left or bottom <= top:
        return None
    return (round(left, 2), round(top, 2), round(right - left, 2), round(bottom - top, 2))


def _labels(sample: Sample, response: Response, said: Annotation | None, made: Assumptions) -> tuple[Label, ...]:
    gold, wanted = gold_of(sample), asked(task_of(sample))
    right = right_labels(said, gold, made.slots) if response.failure is None else {}
    found = []
    for name in LABELS:
        ours, theirs = getattr(gold, name), UNSET if said is None else getattr(said, name)
        if name not in wanted or (ours is UNSET and theirs is UNSET):
            continue
        why = [_compared(name, said, gold, made)] if name in right and name in SLOTS else []
        if name in SLOTS:
            why += _judged_same(response, name)
        gold_word = "(not given)" if ours is UNSET else label_in_words(ours)
        found.append(Label(name, gold_word, label_in_words(theirs), right.get(name), "; ".join(filter(None, why))))
    return tuple(found)


def _compared(name: str, said: Annotation | None, gold: Annotation, made: Assumptions) -> str:
    """What was compared, where it is not what is written; why a slot counts as wrong whatever it says."""
    ours, theirs = getattr(gold, name), UNSET if said is None else getattr(said, name)
    if said is not None and not slots_count(said, made.slots) and theirs is not UNSET:
        return "counts as wrong: the answer breaks a rule of the structure"
    if not isinstance(ours, str) or not isinstance(theirs, str) or ours == theirs:
        return ""
    pair = normalised(ours, made.slots), normalised(theirs, made.slots)
    if pair[0] == pair[1]:
        return f"the same as “{pair[0]}”"
    return f"compared as “{pair[0]}” and “{pair[1]}”" if pair != (ours, theirs) else ""


def _judged_same(response: Response, slot: str) -> list[str]:
    """What judges or an embedding said of a slot."""
    told = []
    for one in response.judged:
        verdict = (read_verdict(one) or {}).get(slot) if one.purpose == "slots" else None
        if verdict is not None and "same" in verdict:
            told.append(f"{one.judge}: {'the same' if verdict['same'] else 'not the same'}")
        elif verdict is not None:
            told.append(f"{one.judge}: similarity {float(verdict['similarity']):.2f}")
    return told


def _verdicts(response: Response, scores: Mapping[str, Score], made: Assumptions) -> tuple[Verdict, ...]:
    """What each rubric judge said. A verdict that the scorer does not count is a failure here too."""
    counted = (verdicts_of(scores["rubric"]) if "rubric" in scores else None) or {}
    found: list[Verdict] = []
    for one in response.judged:
        if one.purpose != PURPOSE or (one.answer == "" and one.failure is None):
            continue
        ratings = counted.get(one.judge)
        if ratings is None:
            passing = one.failure is not None and one.failure.retryable
            found.append(Verdict(one.judge, None, (), {}, _failure(one), passing))
        else:
            by_criterion = criterion_points(ratings, made)
            found.append(Verdict(one.judge, rubric_points(ratings, made), tuple(by_criterion.values()), ratings))
    return tuple(found)


def _failure(one: Judged) -> str:
    if one.failure is None:
        return "failed (owner judge): its verdict does not answer what the assumptions ask."
    return f"failed (owner {one.failure.owner.value}, {one.failure.kind}): {one.failure.message}"


def _kinds(given: list[Ratings], scores: Mapping[str, Score], made: Assumptions) -> tuple[str, ...]:
    """The kinds of mismatch of an answer, by the mean over its judges."""
    if not given or not {EVIDENCE, MAPPING} <= {criterion.id for criterion in made.criteria}:
        return ()
    each = [criterion_points(ratings, made) for ratings in given]
    met = {name: sum(one[name] for one in each) / len(each) >= made.shown_from for name in (EVIDENCE, MAPPING)}
    labels_right = "lenient" in scores and scores["lenient"].value == 1
    fits = {
        "mapping_without_evidence": met[MAPPING] and not met[EVIDENCE],
        "evidence_without_mapping": met[EVIDENCE] and not met[MAPPING],
        "right_labels_wrong_mapping": labels_right and not met[MAPPING],
    }
    return tuple(kind for kind, so in fits.items() if so)


def first_sentence(asks: str) -> str:
    """A question of the rubric without what its answers mean.

    >>> first_sentence("Is it there? partly: a detail is not.")
    'Is it there?'
    """
    question, mark, _ = asks.partition("?")
    return question + mark


def quote_in_words(rating: Rating) -> str:
    """What a judge quotes for an answer, where it saw that, and whether the quotation is real."""
    quote = f"“{rating.quote}”" if rating.quote else "(no quotation)"
    place = f" · {rating.region}" if rating.region else ""
    return quote + place + ("" if rating.quote_found else " · not in the explanation")
