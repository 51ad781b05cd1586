"""The figures of the scorer `rubric`, and what its judges are worth: how far they agree, and quote what is there.

`rubric` and one figure for each criterion are means over items (shares, 100 points are 1) of the mean over judges;
`rubric/JUDGE` and `CRITERION/JUDGE` are one judge's own. An answer without an explanation counts 0 under every judge.
An item on which all judges failed is outside the mean; `worst` and `best` say how far it could move it (T17). Where a
judge failed on all that it was asked about there is no mean: the blank answers alone would be one of 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from beholder.benchmarks.benchmark import MetricOptions
from beholder.benchmarks.m3r.assumptions import Assumptions
from beholder.benchmarks.m3r.judge_agreement import agreement
from beholder.benchmarks.m3r.mismatch import mismatch
from beholder.benchmarks.m3r.rubric_reply import NO
from beholder.benchmarks.m3r.rubric_score import NOT_JUDGED, Verdicts, criterion_points, rubric_points, verdicts_of
from beholder.metrics.accuracy import share
from beholder.score import Metric, Outcome, ScoredItem

RUBRIC = "rubric"
NO_VERDICT = "no judge gave a verdict"


class Row(msgspec.Struct, frozen=True):
    """An item that the rubric is for, with what its judges said: None where there was nothing to be asked about."""

    item: ScoredItem
    verdicts: Verdicts | None

    @property
    def blank(self) -> bool:
        """Whether it counts 0 without a judge."""
        return self.item.scores[RUBRIC].value == 0 and self.verdicts is None


def rows_of(items: Sequence[ScoredItem], assumptions: Assumptions) -> list[Row]:
    """The items that the rubric is for; none if no judge was asked about any of them."""
    scores = [(item, item.scores[RUBRIC]) for item in items if RUBRIC in item.scores]
    rows = [
        Row(item, verdicts_of(score, assumptions))
        for item, score in scores
        if score.outcome is not Outcome.NOT_APPLICABLE or NOT_JUDGED in score.flags
    ]
    left_out = any(NOT_JUDGED in row.item.scores[RUBRIC].flags for row in rows)
    return [] if left_out and all(row.verdicts is None for row in rows) else rows


def metrics(items: Sequence[ScoredItem], options: MetricOptions, assumptions: Assumptions) -> dict[str, Metric]:
    """Metric name → figure of the scorer `rubric`; empty where nothing is judged."""
    rows = rows_of(items, assumptions)
    if not rows:
        return {}
    names = (RUBRIC, *(criterion.id for criterion in assumptions.criteria))
    figures = {name: _figure(rows, name, None, options, assumptions) for name in names}
    for judge in judges_of(rows):
        figures |= {f"{name}/{judge}": _figure(rows, name, judge, options, assumptions) for name in names}
    return figures


def _figure(
    rows: Sequence[Row], name: str, judge: str | None, options: MetricOptions, assumptions: Assumptions
) -> Metric:
    """The mean of the rubric or a criterion, of one judge or (None) over judges."""
    values: list[float | None] = []
    for row in rows:
        if row.blank or row.verdicts is None:
            values.append(0.0 if row.blank else None)
        elif judge is None:
            values.append(mean_points(row.verdicts, name, assumptions))
        else:
            values.append(_points_of(row.verdicts, judge, name, assumptions))
    clusters = [row.item.cluster for row in rows]
    found = share(values, clusters, seed=options.seed, resamples=options.resamples)
    asked = [value for row, value in zip(rows, values, strict=True) if row.verdicts is not None]
    if asked and all(value is None for value in asked):
        found = Metric(value=None, n=0, failed=len(rows), worst=found.worst, best=found.best, note=NO_VERDICT)
    return msgspec.structs.replace(found, note="; ".join(filter(None, (_judged(found, rows), found.note))))


def _judged(found: Metric, rows: Sequence[Row]) -> str:
    blank = sum(row.blank for row in rows)
    return f"{found.n}/{len(rows)} judged" + (f", {blank} of them 0 without a judge: no explanation" if blank else "")


def judges_of(rows: Sequence[Row]) -> list[str]:
    """The judges, in the order in which they were asked."""
    return list(dict.fromkeys(judge for row in rows for judge in row.verdicts or {}))


def mean_points(verdicts: Verdicts, name: str, assumptions: Assumptions) -> float | None:
    """The mean over judges of the rubric (`rubric`) or of one criterion, 0..1; None if all judges failed."""
    given = [_points_of(verdicts, judge, name, assumptions) for judge in verdicts]
    counted = [value for value in given if value is not None]
    return math.fsum(counted) / len(counted) if counted else None


def _points_of(verdicts: Verdicts, judge: str, name: str, assumptions: Assumptions) -> float | None:
    ratings = verdicts.get(judge)
    if ratings is None:
        return None
    found = rubric_points(ratings, assumptions) if name == RUBRIC else criterion_points(ratings, assumptions)[name]
    return found / 100


def details(items: Sequence[ScoredItem], options: MetricOptions, assumptions: Assumptions) -> dict[str, Any]:
    """`judges` (the mean and quotations of each, their spread and agreement) and `mismatch`; {} without verdicts."""
    rows = rows_of(items, assumptions)
    if not any(row.verdicts for row in rows):
        return {}
    return {
        "judges": {
            "each": {judge: _of_judge(rows, judge, assumptions) for judge in judges_of(rows)},
            **agreement([row.verdicts or {} for row in rows], judges_of(rows), assumptions),
        },
        "mismatch": mismatch([(row.item, _criteria(row, assumptions)) for row in rows], options, assumptions),
    }


def _criteria(row: Row, assumptions: Assumptions) -> dict[str, float] | None:
    """Points of each criterion, 0 to 100, by the mean over judges; None if no judge gave a verdict."""
    found = {}
    for criterion in assumptions.criteria:
        mean = mean_points(row.verdicts, criterion.id, assumptions) if row.verdicts is not None else None
        if mean is None:
            return None
        found[criterion.id] = 100 * mean
    return found


def _of_judge(rows: Sequence[Row], judge: str, assumptions: Assumptions) -> dict[str, Any]:
    asked = [row.verdicts[judge] for row in rows if row.verdicts is not None and judge in row.verdicts]
    given = [ratings for ratings in asked if ratings is not None]
    with_region = {
        question.id for criterion in assumptions.criteria if criterion.region for question in criterion.questions
    }
    quoting = [one for ratings in given for one in ratings.values() if one.quote or one.answer != NO]
    placed = [one for ratings in given for name, one in ratings.items() if name in with_region and one.answer != NO]
    points = [rubric_points(ratings, assumptions) for ratings in given]
    return {
        "mean": math.fsum(points) / len(points) if points else None,
        "judged": len(given),
        "failed": len(asked) - len(given),
        "quotes": len(quoting),
        "quotes_not_found": sum(not one.quote_found for one in quoting),
        "regions": len(placed),
        "regions_missing": sum(not one.region for one in placed),
    }
