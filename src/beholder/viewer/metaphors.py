"""What the page of a sample shows of M3R-Bench: labels, stages with their boxes, what the judges said.

Boxes come from models: only the part that lies in the picture is given, in shares of its sides.
"""

from __future__ import annotations

from collections.abc import Mapping

from beholder.benchmarks.benchmark import Benchmark
from beholder.benchmarks.m3r.assumptions import Assumptions, assumptions_of
from beholder.benchmarks.m3r.labels import gold_of
from beholder.report import metaphor_view
from beholder.report.metaphor_view import first_sentence, stages_of, view_of
from beholder.sample import Response, Sample
from beholder.score import Score
from beholder.viewer.sample_data import Criterion, Judgement, LabelRow, Metaphor, Piece, Rating, Stages
from beholder.viewer.texts import Room, told

PIECES = 100
"""Pieces of evidence of one explanation that are given."""
_LABEL, _PIECE, _STAGE, _QUOTE, _NAME = 500, 4_000, 20_000, 2_000, 200
_KINDS = {"picture": "visual", "text": "textual"}


def gold_stages(sample: Sample, room: Room) -> Stages | None:
    """The explanation that the data gives; None if there is none."""
    return _stages(stages_of(gold_of(sample)), room)


def metaphor_of(
    sample: Sample, response: Response, scores: Mapping[str, Score], found: Benchmark, room: Room
) -> Metaphor:
    """One answer to a metaphor item."""
    made = assumptions_of(found.assumptions)
    view = view_of(sample, response, scores, made)
    return Metaphor(
        labels=[
            LabelRow(
                name=one.name,
                gold=told(one.gold, _LABEL),
                said=told(one.said, _LABEL),
                right=one.right,
                why=told(one.why, 2 * _LABEL),
            )
            for one in view.labels
        ],
        stages=_stages(view.said, room),
        faults=list(view.faults),
        judgements=[_judgement(one, made, room) for one in view.verdicts],
    )


def _stages(stages: metaphor_view.Stages | None, room: Room) -> Stages | None:
    if stages is None:
        return None
    return Stages(
        evidence=[_piece(one, room) for one in stages.evidence[:PIECES]],
        mapping=room.text(stages.mapping, _STAGE),
        sentiment=room.text(stages.sentiment, _STAGE),
    )


def _piece(piece: metaphor_view.Piece, room: Room) -> Piece:
    box = None
    if piece.drawn is not None:
        left, top, width, height = piece.drawn
        box = (_share(left), _share(top), _share(left + width), _share(top + height))
    kind = _KINDS.get(piece.kind, piece.kind)
    return Piece(kind=told(kind, _NAME), text=room.text(piece.text, _PIECE), place=told(piece.place, _NAME), box=box)


def _share(percent: float) -> float:
    return round(min(percent, 100.0) / 100, 6)


def _judgement(verdict: metaphor_view.Verdict, made: Assumptions, room: Room) -> Judgement:
    criteria = []
    for criterion, points in zip(made.criteria, verdict.criteria, strict=False):
        rated = [(question, verdict.ratings[question.id]) for question in criterion.questions]
        ratings = [
            Rating(
                question=told(first_sentence(question.asks), _LABEL),
                answer=told(one.answer, _NAME),
                quote=room.text(one.quote, _QUOTE),
                region=told(one.region, _NAME),
                quote_found=one.quote_found,
            )
            for question, one in rated
        ]
        criteria.append(Criterion(title=told(criterion.title, _NAME), points=points, ratings=ratings))
    return Judgement(
        judge=told(verdict.judge, _NAME),
        points=verdict.points,
        failure=told(verdict.failure, _QUOTE),
        criteria=criteria,
    )
