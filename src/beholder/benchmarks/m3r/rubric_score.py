"""The scorer `rubric`: what judges' answers to the rubric's questions come to (all of it OUR assumption).

A question is worth the points of its answer (`yes` 100, `partly` 50, `no` 0 unless the assumptions say otherwise), a
criterion the mean of its questions, the rubric the weighted mean of its criteria, and an item the mean over the judges
that gave a verdict. A judge that failed is left out of the mean and never counts as a score.
"""

from __future__ import annotations

import math

import msgspec

from beholder.benchmarks.m3r.assumptions import Answers, Assumptions
from beholder.benchmarks.m3r.labels import JOINT, task_of
from beholder.benchmarks.m3r.rubric import PURPOSE, explanation_of, is_judged
from beholder.benchmarks.m3r.rubric_reply import Ratings, is_verdict, ratings_of
from beholder.errors import Owner
from beholder.sample import Judged, Response, Sample
from beholder.score import Outcome, Score, Scorer

NO_GOLD, OTHER_TASK = "no_gold_explanation", "no_explanation_asked"
NOT_JUDGED, JUDGE_FAILED = "not_judged", "judge_failed"

Verdicts = dict[str, Ratings | None]
"""Judge → what it answered; None if it failed."""

_decoder = msgspec.json.Decoder(Verdicts)


def score_rubric(assumptions: Assumptions) -> Scorer:
    """The scorer under these assumptions.

    `n/a` for an item that is not judged (no gold explanation, another task) and where no judge was asked. An answer
    without an explanation is worth 0 and no judge is asked about it (T19); so is one that cannot be read. `failed`,
    owner judge, where all judges failed. `extracted` is the verdicts by judge, as JSON.
    """

    def rubric(sample: Sample, response: Response) -> Score:
        if task_of(sample) != JOINT:
            return Score(None, Outcome.NOT_APPLICABLE, flags=(OTHER_TASK,), reason="No explanation is judged here.")
        if not is_judged(sample):
            return Score(None, Outcome.NOT_APPLICABLE, flags=(NO_GOLD,), reason="There is no gold explanation.")
        explanation, outcome, flags, reason = explanation_of(sample, response)
        if outcome is Outcome.FAILED:
            owner = response.failure.owner if response.failure else None
            return Score(None, outcome, flags=flags, reason=reason, owner=owner)
        if explanation is None:
            return Score(0.0, outcome, flags=flags, reason=reason)
        judged = [one for one in response.judged if one.purpose == PURPOSE]
        if not judged:
            return Score(None, Outcome.NOT_APPLICABLE, flags=(NOT_JUDGED,), reason="No judge was asked.")
        return _mean_of(judged, assumptions)

    return rubric


def _mean_of(judged: list[Judged], assumptions: Assumptions) -> Score:
    verdicts: Verdicts = {}
    reasons = []
    for one in judged:
        ratings, reason = _verdict(one, assumptions)
        verdicts[one.judge] = ratings
        reasons += [f"{one.judge}: {reason}"] if ratings is None else []
    written = msgspec.json.encode(verdicts).decode()
    given = [rubric_points(ratings, assumptions) for ratings in verdicts.values() if ratings is not None]
    flags = (JUDGE_FAILED,) if reasons else ()
    if not given:
        return Score(None, Outcome.FAILED, written, flags=flags, reason=" ".join(reasons), owner=Owner.JUDGE)
    return Score(math.fsum(given) / len(given) / 100, Outcome.SCORED, written, flags=flags, reason=" ".join(reasons))


def _verdict(one: Judged, assumptions: Assumptions) -> tuple[Ratings | None, str]:
    """A judge's answers to the questions of these assumptions; or None, with the reason."""
    if one.failure is not None:
        return None, one.failure.message
    ratings = ratings_of(one.answer)
    if ratings is None:
        return None, "Its verdict cannot be read."
    asked = _questions(assumptions)
    missing = [name for name in asked if name not in ratings]
    if missing:
        return None, f"It was not asked {', '.join(missing)}, which the assumptions now ask."
    return {name: ratings[name] for name in asked}, ""


def verdicts_of(score: Score, assumptions: Assumptions | None = None) -> Verdicts | None:
    """The verdicts that a score of this scorer holds; None where no judge was asked.

    Scores may come from a foreign run: what the scorer would not have written is no verdict, and with `assumptions`
    nor is one that leaves a question of theirs open.
    """
    try:
        found = _decoder.decode(score.extracted) if score.extracted else None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    if found is None:
        return None
    asked = _questions(assumptions) if assumptions is not None else []
    return {
        judge: ratings if ratings is not None and is_verdict(ratings) and ratings.keys() >= set(asked) else None
        for judge, ratings in found.items()
    }


def _questions(assumptions: Assumptions) -> list[str]:
    return [question.id for criterion in assumptions.criteria for question in criterion.questions]


def criterion_points(ratings: Ratings, assumptions: Assumptions) -> dict[str, float]:
    """Points of each criterion, 0 to 100."""
    return {
        criterion.id: math.fsum(
            points(ratings[question.id].answer, assumptions.answers) for question in criterion.questions
        )
        / len(criterion.questions)
        for criterion in assumptions.criteria
    }


def rubric_points(ratings: Ratings, assumptions: Assumptions) -> float:
    """Points of the whole rubric, 0 to 100: the weighted mean of the criteria."""
    by_criterion = criterion_points(ratings, assumptions)
    weights = {criterion.id: criterion.weight for criterion in assumptions.criteria}
    total = math.fsum(weights[name] * value for name, value in by_criterion.items())
    return min(100.0, total / math.fsum(weights.values()))


def points(answer: str, worth: Answers) -> float:
    """Points of one answer."""
    return {"yes": worth.yes, "partly": worth.partly, "no": worth.no}[answer]
