"""Figures over many diagnosed trajectories: rates, operations, and for each task its score against its turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from beholder.tools.diagnosis import CallDiagnosis, Diagnosis
from beholder.trajectory import CallOutcome


class Rate(msgspec.Struct, frozen=True):
    """`count` out of `of`; `share` is their quotient, None where there is nothing to divide by."""

    count: int
    of: int
    share: float | None


class TaskTurns(msgspec.Struct, frozen=True):
    """One task: how many trajectories, their mean number of turns, and their mean score over the `scored` ones.

    As in the paper's figure of PyVision's turns. OUR assumption: a turn is a message of the model, and the final answer
    is one of them. `score` is None where nothing was scored.
    """

    task: str
    n: int
    turns: float
    score: float | None
    scored: int


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """Many trajectories.

    The four counts of calls: `chosen` (a tool that there is; out of the calls with a name that was looked at), `valid`
    (its arguments fit; out of the calls whose arguments were looked at), `executed` (run to its end), `changed` (the
    answer after it is another one; out of the calls where both answers are known). `new_image` is out of the calls that
    ran, `no_new_evidence` out of those that brought pictures, the other rates out of all calls.
    `mean_turns` is None if there is no trajectory. `operations` counts the calls that ask for each, run or not;
    `outcomes` has every outcome; `ended`, `flags` and `attributions` count trajectories ("unknown" where it is None),
    `labels` those that a person labelled, by their words.
    """

    trajectories: int
    calls: int
    mean_turns: float | None
    chosen: Rate
    valid: Rate
    executed: Rate
    changed: Rate
    new_image: Rate
    no_new_evidence: Rate
    repeated: Rate
    outcomes: dict[str, int]
    operations: dict[str, int]
    ended: dict[str, int]
    flags: dict[str, int]
    attributions: dict[str, int]
    labels: dict[str, int]


def tally(diagnoses: Sequence[Diagnosis]) -> Tally:
    """The figures over all calls of all trajectories."""
    calls = [call for diagnosis in diagnoses for call in diagnosis.calls]
    ran = [call for call in calls if call.executed]
    outcomes = Counter(call.outcome for call in calls)
    return Tally(
        trajectories=len(diagnoses),
        calls=len(calls),
        mean_turns=_mean([diagnosis.turns for diagnosis in diagnoses]),
        chosen=_rate(
            call.outcome != CallOutcome.UNKNOWN_TOOL
            for call in calls
            if call.chosen and call.outcome != CallOutcome.NOT_RUN
        ),
        valid=_rate(call.valid for call in calls if call.valid is not None),
        executed=_rate(call.executed for call in calls),
        changed=_rate(call.answer_changed for call in calls if call.answer_changed is not None),
        new_image=_rate(call.image_differs is True for call in ran),
        no_new_evidence=_rate(not call.image_differs for call in calls if call.image_differs is not None),
        repeated=_rate(call.repeated for call in calls),
        outcomes={outcome.value: outcomes[outcome] for outcome in CallOutcome},
        operations=operations_used(calls),
        ended=_counts(diagnosis.ended.value if diagnosis.ended else "unknown" for diagnosis in diagnoses),
        flags=_counts(flag for diagnosis in diagnoses for flag in diagnosis.flags),
        attributions=_counts(diagnosis.attribution or "unknown" for diagnosis in diagnoses),
        labels=_counts(diagnosis.label.label for diagnosis in diagnoses if diagnosis.label is not None),
    )


def operations_used(calls: Iterable[CallDiagnosis]) -> dict[str, int]:
    """How many calls use each operation, the most frequent first."""
    return _counts(operation for call in calls for operation in call.operations)


def score_against_turns(rows: Iterable[tuple[str, int, float | None]]) -> tuple[TaskTurns, ...]:
    """A line for each task, fewest turns first, from rows of (task, turns, score; None if it was not scored).

    >>> [(one.task, one.turns, one.score) for one in score_against_turns([("maze", 8, 0.0), ("maze", 9, 1.0)])]
    [('maze', 8.5, 0.5)]
    """
    by_task: dict[str, list[tuple[int, float | None]]] = {}
    for task, turns, score in rows:
        by_task.setdefault(task, []).append((turns, score))
    lines = []
    for task, own in by_task.items():
        scores = [score for _, score in own if score is not None]
        turns_of_task = [turns for turns, _ in own]
        lines.append(TaskTurns(task, len(own), sum(turns_of_task) / len(own), _mean(scores), len(scores)))
    return tuple(sorted(lines, key=lambda line: (line.turns, line.task)))


def _rate(holds: Iterable[bool]) -> Rate:
    all_of_them = list(holds)
    count = sum(all_of_them)
    return Rate(count, len(all_of_them), count / len(all_of_them) if all_of_them else None)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _counts(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items(), key=lambda one: (-one[1], one[0])))
