"""How a run used its tools, in figures: turns and calls, outcomes, endings, what was new, what it cost."""

from __future__ import annotations

import contextlib
import sqlite3
import statistics
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine.lifecycle import Result
from beholder.report.stated_answers import Stated, answer_reader, judge_of, stated_answers
from beholder.sample import Sample
from beholder.score import Score
from beholder.store import marks, reading, schema, turns
from beholder.store.turns import Abandoned
from beholder.tools.attribution import attributed
from beholder.tools.diagnosis import BUDGETS, Diagnosis, ErrorLabel, diagnose
from beholder.tools.tally import Rate, Tally, TaskTurns, score_against_turns, tally
from beholder.trajectory import Trajectory


class Spread(msgspec.Struct, frozen=True):
    """Counts of conversations: their mean, median and largest."""

    mean: float
    median: float
    most: int


class ToolUse(msgspec.Struct, frozen=True, kw_only=True):
    """A run with tools.

    A conversation is one response: item × vote × epoch; those whose last request failed are among them. `used` are the
    conversations with a call, `budget` those that a budget ended. `tasks` sets the mean score under `scorer` (the
    headline's) against the mean number of turns, fewest turns first.
    """

    arm: str
    protocol: str
    scorer: str
    conversations: int
    turns: Spread
    calls: Spread
    used: Rate
    budget: Rate
    tally: Tally
    tasks: tuple[TaskTurns, ...]
    abandoned: Abandoned


def tool_use(result: Result) -> ToolUse | None:
    """The figures of a run; None if it had no tools, or none of its conversations has ended."""
    settings = result.plan.tools
    if settings is None:
        return None
    scorer = result.found.headline_of(result.metrics)[0]
    items = {(item.key, item.epoch, item.vote): item for item in result.items}
    diagnoses: list[Diagnosis] = []
    rows: list[tuple[str, int, float | None]] = []
    with contextlib.closing(schema.open_to_read(result.folder / "run.db")) as db:
        labels = _labels(marks.all_marks(db))
        for place, sample, trajectory in _conversations(db):
            item = items.get(place)
            scores = item.scores if item is not None else {}
            order = item.order if item is not None else ()
            diagnosis = diagnosis_of(result.found, sample, trajectory, scores, order)
            diagnoses.append(msgspec.structs.replace(diagnosis, label=labels.get(place)))
            value = scores[scorer].value if scorer in scores else None
            rows.append((sample.category, len(trajectory.turns), value))
        lost = turns.spent(db).abandoned
    if not diagnoses:
        return None
    return ToolUse(
        arm=settings.arm.value,
        protocol=settings.protocol.value,
        scorer=scorer,
        conversations=len(diagnoses),
        turns=_spread([one.turns for one in diagnoses]),
        calls=_spread([len(one.calls) for one in diagnoses]),
        used=_rate(sum(bool(one.calls) for one in diagnoses), len(diagnoses)),
        budget=_rate(sum(one.ended in BUDGETS for one in diagnoses), len(diagnoses)),
        tally=tally(diagnoses),
        tasks=score_against_turns(rows),
        abandoned=lost,
    )


class Conversation(msgspec.Struct, frozen=True):
    """What the journal holds of the talk that led to one response: the trajectory with its diagnosis, None if there is
    none yet; the answers that were stated, turn by turn; and the attempts that came to nothing."""

    trajectory: Trajectory | None
    diagnosis: Diagnosis | None
    stated: tuple[Stated, ...] = ()
    abandoned: tuple[Trajectory, ...] = ()


def conversation_of(
    db: sqlite3.Connection,
    found: Benchmark,
    sample: Sample,
    stored: reading.StoredResponse,
    scores: Mapping[str, Score],
) -> Conversation | None:
    """The conversation of a stored response; None if it came without tools."""
    if not turns.are_kept(db):
        return None
    place, conduct = (stored.key, stored.epoch, stored.vote), stored.response.conduct
    lost = tuple(turns.abandoned(db, place, conduct))
    if conduct is None:
        return Conversation(None, None, abandoned=lost) if lost else None
    trajectory, order = turns.trajectory(db, place, conduct), stored.response.order
    diagnosis = diagnosis_of(found, sample, trajectory, scores, order)
    label = _labels([(stored.key, mark) for mark in marks.marks(db, stored.key)]).get(place)
    diagnosis = msgspec.structs.replace(diagnosis, label=label)
    stated = stated_answers(trajectory, answer_reader(found, sample, trajectory, order))
    return Conversation(trajectory, diagnosis, stated, lost)


def diagnosis_of(
    found: Benchmark,
    sample: Sample,
    trajectory: Trajectory,
    scores: Mapping[str, Score],
    order: tuple[int, ...] = (),
) -> Diagnosis:
    """The diagnosis of a conversation whose response has these scores; `order` is that of the answers as shown.

    The headline's scorer says what is right, or the one that stands in for it. Only full credit is right, only none is
    wrong.
    """
    upright = found.upright_turn(sample) if found.upright_turn is not None else None
    diagnosis = diagnose(trajectory, answer_reader(found, sample, trajectory, order), upright=upright)
    deciding = [found.headline[0], *(found.second_headline or ())[:1]]
    values = [scores[name].value for name in deciding if name in scores and scores[name].value is not None]
    right = values[0] == 1 if values and values[0] in (0, 1) else None
    return attributed(diagnosis, trajectory, final_right=right, is_right=judge_of(found, sample, order))


def _labels(marked: Sequence[tuple[str, marks.Mark]]) -> dict[turns.Place, ErrorLabel]:
    """The last label that somebody gave to each response."""
    return {(key, mark.epoch, mark.vote): ErrorLabel(mark.label, note=mark.note) for key, mark in marked if mark.label}


def _conversations(db: sqlite3.Connection) -> Iterator[tuple[turns.Place, Sample, Trajectory]]:
    sample: Sample | None = None
    for place, trajectory in turns.trajectories(db):
        if sample is None or sample.key != place[0]:
            sample = reading.sample(db, place[0])
        if sample is not None:
            yield place, sample, trajectory


def _spread(values: Sequence[int]) -> Spread:
    return Spread(statistics.fmean(values), statistics.median(values), max(values))


def _rate(count: int, of: int) -> Rate:
    return Rate(count, of, count / of if of else None)
