"""What becomes of an item from the scores of its responses: a letter and a value for each scorer, and some flags.

Values are those of `report.comparison.item_values`, by the same code. Equal scores are judged once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import msgspec

from beholder.metrics.votes import Decision
from beholder.report.comparison import epoch_decision, item_value
from beholder.report.html_facts import bucket
from beholder.report.run_agreement import mapped_back
from beholder.report.terminal import are_different
from beholder.score import Outcome, Score
from beholder.viewer.run_data import BUCKETS, LETTERS, PARTLY, RIGHT, WRONG

NO_SCORE = "-"
_LETTER = dict(zip(BUCKETS, LETTERS, strict=True))
_OF_DECISION = {Decision.RIGHT: RIGHT, Decision.WRONG: WRONG, Decision.TIE: "tie", Decision.FAILED: "failed"}
"""No majority is wrong, as in the figures; and what could not be read is named by how it could not."""

Verdict = tuple[float | None, str]
"""A score's value and outcome."""


class Read(msgspec.Struct, frozen=True, gc=False):
    """What one scorer said of a response, with the answer that it read."""

    verdict: Verdict
    answer: str | None


class Judged(msgspec.Struct, frozen=True, gc=False):
    """A response with what its scorers said; `order` is that in which stored answers were shown."""

    epoch: int
    order: tuple[int, ...]
    scores: Mapping[str, Read]


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """How the items of a run are judged: `planned` is K, the most votes that an item has in any epoch; with `voted`
    they become one majority verdict; `others` are scorers of another question; `leading` are the headline's scorer
    and what stands in for it."""

    scorers: tuple[str, ...]
    leading: tuple[str, ...]
    others: tuple[str, ...]
    planned: int
    voted: bool


def standing(responses: Sequence[Judged], scorer: str, rules: Rules) -> tuple[str, float | None]:
    """An item's letter (of `LETTERS`) and value under one scorer; `-` and None while no response has its score."""
    epochs: dict[int, list[Verdict]] = {}
    for one in responses:
        if scorer in one.scores:
            epochs.setdefault(one.epoch, []).append(one.scores[scorer].verdict)
    if not epochs:
        return NO_SCORE, None
    return _standing(tuple(tuple(votes) for votes in epochs.values()), scorer, rules.planned, rules.voted)


@lru_cache(maxsize=20_000)
def _standing(
    epochs: tuple[tuple[Verdict, ...], ...], scorer: str, planned: int, voted: bool
) -> tuple[str, float | None]:
    scores = [[Score(value, Outcome(outcome)) for value, outcome in votes] for votes in epochs]
    value = item_value(scores, scorer, planned, voted=voted)
    words = {bucket(score) for votes in scores for score in votes}
    if voted:
        words = {_in_a_word(epoch_decision(votes, scorer, planned), words) for votes in scores}
    if len(words) > 1:
        words = {"failed" if value is None else RIGHT if value == 1 else WRONG if value == 0 else PARTLY}
    return _LETTER[words.pop()], value


def _in_a_word(decision: Decision, buckets: set[str]) -> str:
    if decision is Decision.UNREAD:
        unread = buckets & {"unparsed", "refused", "truncated"}
        return unread.pop() if len(unread) == 1 else "unparsed"
    return _OF_DECISION.get(decision, WRONG)


def do_disagree(response: Judged, others: tuple[str, ...]) -> bool:
    """Whether two scorers of the same question give a response different values."""
    return _do_disagree(tuple((name, read.verdict) for name, read in response.scores.items()), others)


@lru_cache(maxsize=20_000)
def _do_disagree(said: tuple[tuple[str, Verdict], ...], others: tuple[str, ...]) -> bool:
    return are_different({name: Score(value, Outcome(outcome)) for name, (value, outcome) in said}, others)


def leading_scorer(responses: Iterable[Judged], rules: Rules) -> str | None:
    """The headline's scorer, or what stands in for it where it cannot judge these responses."""
    there = [name for name in rules.leading if name in rules.scorers]
    for name in there:
        if all(one.scores[name].verdict[1] != Outcome.NOT_APPLICABLE for one in responses if name in one.scores):
            return name
    return there[0] if there else None


def is_split(responses: Sequence[Judged], scorer: str, *, by_answer: bool) -> bool:
    """Whether the votes or epochs of an item do not agree: one scorer gives them different verdicts, or, `by_answer`,
    reads different answers in them. Failed responses say nothing."""
    said = set()
    for one in responses:
        read = one.scores.get(scorer)
        if read is not None and read.verdict[1] != Outcome.FAILED:
            said.add((read.verdict, answer_of(one, scorer) if by_answer else None))
    return len(said) > 1


def answer_of(response: Judged, scorer: str) -> str | None:
    """What a scorer read in a response, by the stored answers where these were shown in another order."""
    read = response.scores.get(scorer)
    if read is None or read.answer is None or read.verdict[1] == Outcome.FAILED:
        return None
    return mapped_back(read.answer, response.order)


def common_answer(responses: Iterable[Judged], scorer: str) -> str | None:
    """The answer that a scorer read most often in an item's responses, of equals the first; None if it read none."""
    answers = [answer for one in responses if (answer := answer_of(one, scorer)) is not None]
    if len(answers) < 2:
        return answers[0] if answers else None
    return Counter(answers).most_common(1)[0][0]
