"""The answers that a model states on its way: read by the benchmark's own `lenient` scorer."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.extract.declared import ascii_forms, declared
from beholder.sample import Response, Sample
from beholder.score import Outcome
from beholder.tools.diagnosis import AnswerReader
from beholder.trajectory import Trajectory

SCORER = "lenient"


class Stated(msgspec.Struct, frozen=True):
    """The answer that a message states, and the one that the probe after it gave; None where there is none."""

    said: str | None = None
    probed: str | None = None


def answer_reader(
    found: Benchmark, sample: Sample, trajectory: Trajectory, order: tuple[int, ...] = ()
) -> AnswerReader | None:
    """Reads the answer out of what was said in a trajectory; None if the benchmark has no `lenient` scorer.

    The last message and the probes are answers, whatever their form. OUR assumption: any other message
    states an answer only where it declares one ("the answer is", a box, a tag): "I turn it by 90 degrees" is none.
    """
    scorer = found.scorers.get(SCORER)
    if scorer is None:
        return None
    answers = {turn.probe for turn in trajectory.turns}
    answers |= {turn.said for turn in trajectory.turns[-1:] if not turn.observations}

    def read(text: str) -> str | None:
        if text not in answers and not declared(ascii_forms(text)):
            return None
        score = scorer(sample, Response(text=text, order=order))
        return score.extracted if score.outcome is Outcome.SCORED else None

    return read


def stated_answers(trajectory: Trajectory, read: AnswerReader | None) -> tuple[Stated, ...]:
    """What each message states, and each probe."""
    if read is None:
        return tuple(Stated() for _ in trajectory.turns)
    return tuple(
        Stated(
            read(turn.said) if turn.said.strip() else None,
            read(turn.probe) if turn.probe is not None else None,
        )
        for turn in trajectory.turns
    )


def judge_of(found: Benchmark, sample: Sample, order: tuple[int, ...] = ()) -> Callable[[str], bool] | None:
    """Whether an answer that `answer_reader` read is right, by the same scorer."""
    scorer = found.scorers.get(SCORER)
    if scorer is None:
        return None
    return lambda answer: scorer(sample, Response(text=answer, order=order)).value == 1
