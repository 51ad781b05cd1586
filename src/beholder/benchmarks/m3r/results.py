"""Result files of M3R-Bench, in a form of our own, because the paper names none.

Each record (JSON lines, a JSON list, Parquet) is one of our data records, gold and all, with what was answered: either
`response`, the text of the model as it came, or `prediction`, an object with the fields of a record (`metaphor`,
`target`, `source`, `sentiment`, `explanation`). A `response` of null is an answer without text. A prediction had no
format to keep, so it is put into the form that the prompt asks for: `true` becomes "yes", and stages that the
explanation lacks, or has as null, are blank. `task` may name one of the tasks where one label alone was asked for, in
every record the same. Images need not be there. Plain lines with `key` and `response` are not read here; they need
`--data`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from beholder.benchmarks.benchmark import Answered
from beholder.benchmarks.m3r.data import NAME, make_sample
from beholder.benchmarks.m3r.labels import JOINT, SINGLE
from beholder.benchmarks.records import Record, kind_of, read_records
from beholder.errors import DataError
from beholder.sample import KeyMaker, Response

RESPONSE, PREDICTION, TASK = "response", "prediction", "task"
_ADDED = (RESPONSE, PREDICTION, TASK)


def read_results(path: Path) -> Iterator[Answered]:
    """The answered items of a result file, in file order.

    `DataError` names a record that has no answer or two, another task than those before, or gold that cannot be used.
    """
    make_key = KeyMaker(NAME)
    first = None
    for record in read_records(path):
        first = _task(record) if first is None else first
        if _task(record) != first:
            problem = f"the task is {_task(record) or JOINT}, but that of the records before is {first or JOINT}"
            raise DataError(problem, where=record.where, mend="Put the answers to each task into a file of their own.")
        gold = Record(record.where, record.index, {k: v for k, v in record.value.items() if k not in _ADDED})
        sample = make_sample(gold, make_key, None, first)
        yield Answered(record.index, sample, Response(text=_text(record)))


def _task(record: Record) -> str:
    task = record.value.get(TASK)
    if task in (None, "", JOINT):
        return ""
    if task not in SINGLE:
        known = ", ".join((JOINT, *SINGLE))
        raise DataError(f"the task {str(task)[:40]!r} is not known", where=record.where, mend=f"Known: {known}.")
    return str(task)


def _text(record: Record) -> str | None:
    """The answer as text; of a prediction, in the form that the prompt asks for."""
    there = [name for name in (RESPONSE, PREDICTION) if name in record.value]
    if len(there) != 1:
        columns = ", ".join(repr(name[:40]) for name in list(record.value)[:20])
        problem = "there is both a response and a prediction" if there else f"there is no answer; it has {columns}"
        raise DataError(problem, where=record.where, mend="Give either `response` (text) or `prediction` (an object).")
    said: Any = record.value[there[0]]
    if there[0] == RESPONSE:
        if said is not None and not isinstance(said, str):
            raise DataError(f"the response must be text but is {kind_of(said)}", where=record.where)
        return said
    if not isinstance(said, dict):
        raise DataError(f"the prediction must be an object but is {kind_of(said)}", where=record.where)
    return json.dumps(_as_asked(said, joint=not _task(record)), ensure_ascii=False)


def _as_asked(prediction: dict[str, Any], *, joint: bool) -> dict[str, Any]:
    """A prediction in the form that the prompt asks for. What else does not fit it is the scorers' to judge."""
    said = dict(prediction)
    if isinstance(said.get("metaphor"), bool):
        said["metaphor"] = "yes" if said["metaphor"] else "no"
    told = said.get("explanation") or {}
    if joint and isinstance(told, dict):
        given = {stage: text for stage, text in told.items() if text is not None}
        said["explanation"] = {"evidence": [], "mapping": "", "sentiment": ""} | given
    return said
