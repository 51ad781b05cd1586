"""How far rubric judges agree: on the answers to questions, on the points of criteria, on the whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import msgspec

from beholder.benchmarks.m3r.assumptions import Assumptions
from beholder.benchmarks.m3r.rubric_reply import NO, PARTLY, YES
from beholder.benchmarks.m3r.rubric_score import Verdicts, criterion_points, rubric_points
from beholder.metrics.agreement import cohen_kappa, krippendorff_alpha, raw_agreement

_RANK = {NO: 0, PARTLY: 1, YES: 2}


def agreement(verdicts: Sequence[Verdicts], judges: Sequence[str], assumptions: Assumptions) -> dict[str, Any]:
    """`spread` and `agreement` over items that at least two judges judged; {} with fewer than two judges.

    `spread`, for the rubric and each criterion, in points (0 to 100): `difference`, the mean over items of the mean
    absolute difference of two judges, and `deviation`, the mean over items of the standard deviation over the judges
    (n - 1). `agreement`, for each criterion: `answers` over its questions' answers (no, partly, yes), with raw
    agreement, Krippendorff's alpha (ordinal) and, for each two judges, quadratic weighted kappa; `points` with alpha
    (interval) over the criterion's points.
    """
    if len(judges) < 2:
        return {}
    spread = {"rubric": _spread([_numbers(one, judges, assumptions, "") for one in verdicts])}
    found = {}
    for criterion in assumptions.criteria:
        points = [_numbers(one, judges, assumptions, criterion.id) for one in verdicts]
        spread[criterion.id] = _spread(points)
        answers = [
            [_rank(one, judge, question.id) for one in verdicts for question in criterion.questions] for judge in judges
        ]
        by_pair = {
            (a, b): cohen_kappa(answers[judges.index(a)], answers[judges.index(b)], "quadratic")
            for a, b in combinations(judges, 2)
        }
        found[criterion.id] = {
            "answers": {
                "raw": _plain(raw_agreement(answers)),
                "alpha": _plain(krippendorff_alpha(answers, "ordinal")),
                "kappa": [{"judges": list(pair), **_plain(kappa)} for pair, kappa in by_pair.items()],
            },
            "points": {"alpha": _plain(krippendorff_alpha(list(zip(*points, strict=True)), "interval"))},
        }
    return {"spread": spread, "agreement": found}


def _plain(figure: msgspec.Struct) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(figure).items() if name != "reason" or value}


def _rank(verdicts: Verdicts, judge: str, question: str) -> int | None:
    ratings = verdicts.get(judge)
    return None if ratings is None else _RANK[ratings[question].answer]


def _numbers(verdicts: Verdicts, judges: Sequence[str], assumptions: Assumptions, criterion: str) -> list[float | None]:
    """The points of each judge, for one criterion or, with "", for the rubric."""
    found: list[float | None] = []
    for judge in judges:
        ratings = verdicts.get(judge)
        if ratings is None:
            found.append(None)
        elif criterion:
            found.append(criterion_points(ratings, assumptions)[criterion])
        else:
            found.append(rubric_points(ratings, assumptions))
    return found


def _spread(points: Sequence[Sequence[float | None]]) -> dict[str, Any]:
    rated = [given for row in points if len(given := [one for one in row if one is not None]) > 1]
    differences, deviations = [], []
    for given in rated:
        pairs = [abs(a - b) for a, b in combinations(given, 2)]
        differences.append(math.fsum(pairs) / len(pairs))
        mean = math.fsum(given) / len(given)
        deviations.append(math.sqrt(math.fsum((one - mean) ** 2 for one in given) / (len(given) - 1)))
    return {
        "difference": math.fsum(differences) / len(rated) if rated else None,
        "deviation": math.fsum(deviations) / len(rated) if rated else None,
        "items": len(rated),
    }
