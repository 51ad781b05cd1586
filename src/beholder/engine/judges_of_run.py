"""The judges of a run: those that run.json names, and having them look at what the model has answered."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from beholder.benchmarks.benchmark import Benchmark, JudgeTask
from beholder.engine.budget import Purse
from beholder.engine.interrupt import Interrupts
from beholder.engine.judge import Judge, asking_of, task_of
from beholder.engine.judging import has_to_ask, judge_run
from beholder.engine.plan import Plan
from beholder.engine.replay import picture
from beholder.engine.run import Ending
from beholder.errors import AuthError, DataError, UsageError
from beholder.sample import ImageRef, Sample
from beholder.store import folder as folders
from beholder.store import judge_calls, schema
from beholder.store.judge_calls import EXTRACTION, Asking


def named_judges(settings: dict[str, Any], found: Benchmark) -> list[tuple[JudgeTask, Asking]]:
    """The judges that run.json names, each with its task, as far as the benchmark has one for it."""
    extractor, judges = settings.get("extractor"), settings.get("judges")
    rows = [{**extractor, "purpose": EXTRACTION}] if isinstance(extractor, dict) else []
    rows += [row for row in judges if isinstance(row, dict)] if isinstance(judges, list) else []
    named = []
    for row in rows:
        task = task_of(found, str(row.get("purpose", "")))
        if task is not None:
            name, template = str(row.get("model", "")), str(row.get("template", ""))
            named.append((task, asking_of(task, name, template, found.assumptions)))
    return named


def lacks_verdicts(folder: Path, settings: dict[str, Any], found: Benchmark) -> bool:
    """Whether a judge that run.json names has still to be asked something, or what it said does not count yet."""
    named = named_judges(settings, found)
    if not named:
        return False
    with closing(schema.open_to_read(folder / "run.db")) as db:
        if any(_others_count(db, asking.purpose, [one for _, one in named]) for _, asking in named):
            return True
    return any(has_to_ask(folder, task, asking) for task, asking in named)


def _others_count(db: sqlite3.Connection, purpose: str, named: Sequence[Asking]) -> bool:
    """Whether judges count that are not named, although one that is named has said something."""
    own = {one for one in named if one.purpose == purpose}
    return not judge_calls.counting(db, purpose) <= own and any(judge_calls.has_said(db, one) for one in own)


async def have_judged(
    folder: Path,
    plan: Plan,
    judges: Sequence[Judge],
    say: Callable[[str], None],
    interrupts: Interrupts,
    purse: Purse | None = None,
) -> tuple[Ending, str]:
    """Has the judges look, one after the other, at what they have not judged yet; why that stopped, with a line for the
    user. A judge that fails or whose key is refused does not stop the others; a `purse` that is used up stops all."""
    again = f"`{folders.resume_command(folder)}`"
    pictures = RunPictures(folder, plan)
    told: list[str] = []
    for judge in judges:
        purpose = judge.task.purpose
        together = [other.asking for other in judges if other.task.purpose == purpose]
        try:
            done = await judge_run(folder, judge, say, interrupts, together=together, pictures=pictures.of, purse=purse)
        except AuthError as error:  # not `REFUSED_KEY`: that is about the model, and would stop others at its endpoint
            told.append(f"The {judge.told} refused the key: {str(error).rstrip('.')}. Mend it and run {again}.")
            continue
        if done.interrupted and purse is not None and purse.reason:
            return Ending.BUDGET, purse.told(folders.resume_command(folder))
        if done.interrupted:
            what = "answers were read" if purpose == EXTRACTION else "responses were judged"
            return Ending.INTERRUPTED, f"Not all {what}. Continue with {again}."
        told.append(done.told(judge, again))
    return Ending.FINISHED, " ".join(filter(None, told))


class RunPictures:
    """The pictures of a run's samples, for judges that see them: the run's own copies, else those of its data.

    A run whose model was a fake has no copies; then nobody has seen the pictures before, and those that are in the data
    now are the ones.
    """

    def __init__(self, folder: Path, plan: Plan) -> None:
        self._blobs = folders.Blobs(folder)
        self._plan = plan
        self._lock = threading.Lock()
        self._in_data: dict[str, tuple[ImageRef, ...]] | None = None

    def of(self, sample: Sample) -> tuple[ImageRef, ...]:
        """Pictures that can be loaded. `DataError` if one is neither in the run nor in the data. Called in threads."""
        copies = [self._copy(ref) for ref in sample.images]
        whole = tuple(one for one in copies if one is not None)
        if len(whole) == len(copies):
            return whole
        found = self._of_data().get(sample.key)
        if found is None:
            raise DataError(
                f"the pictures of item {sample.key} are neither in the run nor in {self._plan.data}",
                mend="Put the data back where it was",
            )
        return found

    def _copy(self, ref: ImageRef) -> ImageRef | None:
        kind, _, sha256 = (ref.path or "").partition(":")
        if kind != "sha256":
            return None
        try:
            return msgspec.structs.replace(ref, path=None, data=picture(self._blobs, sha256))
        except DataError:
            return None

    def _of_data(self) -> dict[str, tuple[ImageRef, ...]]:
        with self._lock:
            if self._in_data is None:
                try:
                    self._in_data = {sample.key: sample.images for sample in self._plan.samples()}
                except (DataError, UsageError):  # the data is gone, or no longer what it was
                    self._in_data = {}
            return self._in_data
