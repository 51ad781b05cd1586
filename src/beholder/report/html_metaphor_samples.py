"""Answers to M3R-Bench items as plain data, for the page's script: labels, stages with boxes, what judges said.

Boxes come from models: only the part that lies in the picture is handed to the page, as numbers from 0 to 100.
"""

from __future__ import annotations

from typing import Any

from beholder.benchmarks.benchmark import Benchmark
from beholder.benchmarks.m3r.assumptions import Assumptions, assumptions_of
from beholder.benchmarks.m3r.labels import gold_of
from beholder.report.html_texts import line, shown
from beholder.report.metaphor_view import Stages, Verdict, View, first_sentence, stages_of, view_of
from beholder.sample import Response, Sample
from beholder.score import Score

PIECES = 24
"""Pieces of evidence of one explanation that a page holds. The others are counted."""
_STAGE, _PIECE, _LABEL, _QUOTE = 4_000, 600, 200, 300


def rubric_object(found: Benchmark) -> list[Any]:
    """The criteria of a run with their questions: [title, [[id, question], …]], …"""
    return [
        [line(criterion.title, 80), [[one.id, line(first_sentence(one.asks), 300)] for one in criterion.questions]]
        for criterion in assumptions_of(found.assumptions).criteria
    ]


def gold_object(sample: Sample) -> dict[str, Any]:
    """The stages of the gold; {} without an explanation."""
    return _stages(stages_of(gold_of(sample)))


def metaphor_object(sample: Sample, response: Response, scores: dict[str, Score], found: Benchmark) -> dict[str, Any]:
    """One answer. Keys are short, for there may be thousands; `metaphor.js` reads them.

    `l` the labels [name, gold, said, right (1, 0; -1 not compared), why], `st` the stages, `w` broken rules, `j` the
    judges, `f` what it can be filtered by.
    """
    made = assumptions_of(found.assumptions)
    view = view_of(sample, response, scores, made)
    row: dict[str, Any] = {
        "l": [
            [
                one.name,
                line(one.gold, _LABEL),
                line(one.said, _LABEL),
                -1 if one.right is None else int(one.right),
                line(one.why, 2 * _LABEL),
            ]
            for one in view.labels
        ],
        "f": _filters(view),
    }
    optional = {
        "st": _stages(view.said),
        "w": list(view.faults),
        "j": [_verdict(one, made) for one in view.verdicts],
    }
    return row | {key: value for key, value in optional.items() if value}


def _stages(stages: Stages | None) -> dict[str, Any]:
    if stages is None:
        return {}
    pieces = [[one.kind, line(one.text, _PIECE), one.place, list(one.drawn or ())] for one in stages.evidence[:PIECES]]
    row = {
        "e": pieces,
        "m": shown(stages.mapping, {}, _STAGE)[0],
        "s": shown(stages.sentiment, {}, _STAGE)[0],
        "more": len(stages.evidence) - len(pieces),
    }
    return {key: value for key, value in row.items() if value}


def _verdict(one: Verdict, made: Assumptions) -> dict[str, Any]:
    """`n` who, `x` why it failed; else `p` points, `c` points of each criterion, `a` answers in the rubric's order."""
    if one.points is None:
        return {"n": line(one.judge, 120), "x": line(one.failure, 400)}
    ids = [question.id for criterion in made.criteria for question in criterion.questions]
    ratings = [one.ratings[name] for name in ids]
    return {
        "n": line(one.judge, 120),
        "p": f"{one.points:.1f}",
        "c": [f"{points:.1f}" for points in one.criteria],
        "a": [
            [each.answer, line(each.quote, _QUOTE), line(each.region, 80), int(each.quote_found)] for each in ratings
        ],
    }


def _filters(view: View) -> list[str]:
    """Which of `html_metaphors.FILTERS` an answer fits."""
    fits = {
        **{f"wrong_{one.name}": one.right is False for one in view.labels},
        **dict.fromkeys(view.kinds, True),
        "structure": bool(view.faults),
        "differ": view.differ,
        "failed": view.failed,
    }
    return [name for name, so in fits.items() if so]
