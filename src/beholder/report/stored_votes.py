"""Votes on an item with stored answers: which of them each scorer's votes prefer, and what they come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from beholder.metrics.votes import Decision
from beholder.report.comparison import epoch_decision
from beholder.report.item_words import stored_answers
from beholder.sample import PreferenceTarget, Response, Sample
from beholder.score import Outcome, Score

if TYPE_CHECKING:
    from beholder.report.item_report import Judged


class Votes(msgspec.Struct, frozen=True):
    """The votes under one scorer: for each stored answer, for none of them, and failed ones.

    `decision` says in words what they come to, epoch by epoch; "" where they cannot be counted.
    """

    scorer: str
    each: tuple[int, ...]
    neither: int
    failed: int
    decision: str


def stored_choice(score: Score, response: Response) -> int | None:
    """Which stored answer (from 0) a vote prefers: the place it names, mapped back by the order that was shown."""
    places = {str(place + 1): stored for place, stored in enumerate(response.order)}
    return places.get(score.extracted or "") if score.outcome is Outcome.SCORED else None


def votes_of(sample: Sample, responses: Sequence[Judged], planned: int) -> list[Votes]:
    """A row for each scorer; [] without stored answers, or with one response only. `planned` is K, votes an epoch."""
    answers = stored_answers(sample)
    if len(responses) < 2 or not answers:
        return []
    rows = []
    for scorer in responses[0].scores:
        counts: Counter[object] = Counter()
        epochs: dict[int, list[Score]] = {}
        for judged in responses:
            score = judged.scores.get(scorer)
            if score is not None:
                failed = score.outcome is Outcome.FAILED
                counts["failed" if failed else stored_choice(score, judged.response)] += 1
                epochs.setdefault(judged.epoch, []).append(score)
        each = tuple(counts[place] for place in range(len(answers)))
        told = [_decision(sample, scores, scorer, planned) for scores in epochs.values()]
        named = [f"epoch {epoch}: {words}" for epoch, words in zip(epochs, told, strict=True)]
        decision = told[0] if len(told) == 1 else "; ".join(named) if all(told) else ""
        rows.append(Votes(scorer, each, counts[None], counts["failed"], decision))
    return rows


def _decision(sample: Sample, scores: Sequence[Score], scorer: str, planned: int) -> str:
    """`right: stored answer 2`, or why there is no majority."""
    try:
        decision = epoch_decision(scores, scorer, planned)
    except ValueError:  # partial credit is no vote
        return ""
    target = sample.target
    if decision in (Decision.RIGHT, Decision.WRONG) and isinstance(target, PreferenceTarget):
        answers = stored_answers(sample)
        other = {0: 1, 1: 0}.get(target.preferred, -1) if len(answers) == 2 else -1
        named = target.preferred if decision is Decision.RIGHT else other
        return f"{decision.value}: stored answer {named + 1}" if named >= 0 else decision.value
    return _WORDS[decision]


_WORDS = {
    Decision.RIGHT: "right",
    Decision.WRONG: "wrong",
    Decision.TIE: "a tie: most call both equally good",
    Decision.UNREAD: "no verdict can be read in most",
    Decision.NO_MAJORITY: "no majority",
    Decision.FAILED: "open: votes that failed could decide it",
}
