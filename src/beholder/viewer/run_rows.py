"""The list of runs, from run.json and results.json alone; a line is made again only when its run has changed."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

import beholder
from beholder.benchmarks import BENCHMARKS
from beholder.errors import UsageError
from beholder.report.plain_text import plain
from beholder.report.run_list import Results, read_results, status_of
from beholder.score import Metric
from beholder.store import schema
from beholder.store.folder import RunInfo, read_info
from beholder.viewer.library import Library, version_of
from beholder.viewer.run_data import Cost, Figure, RunList, RunRow

LONGEST_NAME = 200
"""Characters of what a run calls itself, its model and its benchmark."""
LONGEST_NOTE = 1_000
RUNNING, STOPPED, DAMAGED = "running", "stopped", "damaged"
_MOST = 2**53 - 1
"""The largest whole number that a page can hold."""


class _Tools(msgspec.Struct):
    arm: str = ""


class _Replayed(msgspec.Struct):
    n_asks: int = 0


class _Asked(msgspec.Struct):
    """What the list needs of a plan."""

    n_samples: int = 0
    votes: int = 1
    epochs: int = 1
    tools: _Tools | None = None
    replay: _Replayed | None = None


def run_list(library: Library) -> RunList:
    """All runs of a library, newest first."""
    # By the folder and not by the name: a run may go while they are read.
    rows = [run_row(run, folder, version_of(folder)) for run, folder in library.folders().items()]
    name = library.runs_dir.resolve().name
    return RunList(folder=_short(name), runs=rows, beholder=beholder.__version__)


def run_row(run: str, folder: Path, version: str) -> RunRow:
    """The line of one run. One that cannot be read is `damaged`, and says why."""
    row = _row(run, folder, version)
    if row.status == RUNNING and _is_stopped(folder):
        return msgspec.structs.replace(row, status=STOPPED, version=f"{version}-{STOPPED}")
    return row


def current_version(library: Library, run: str) -> str:
    """What changes whenever a run does: its files, or whether the process that wrote them is still there."""
    return run_row(run, library.folder(run), library.version(run)).version


@lru_cache(maxsize=5_000)
def _row(run: str, folder: Path, version: str) -> RunRow:
    try:
        info = read_info(folder)
    except UsageError as error:
        return _damaged(run, folder, version, str(error))
    asked, results = _asked(info), read_results(folder)
    experiment = run.rpartition("/")[0]
    imported = info.settings.get("imported")
    row = RunRow(
        id=run,
        version=version,
        benchmark=_short(info.plan.get("benchmark")),
        title=_title(info.plan.get("benchmark")),
        model=_short(info.settings.get("model")),
        status=_short(info.status),
        created=_short(info.created),
        items=_whole(asked.n_samples),
        planned=_whole(asked.replay.n_asks if asked.replay is not None else _product(asked)),
        tools=_short(asked.tools.arm) if asked.tools is not None else "",
        experiment=_short(experiment),
        imported=_short(imported.get("peer")) if isinstance(imported, dict) else "",
    )
    if results is not None:
        row = _with_results(row, results)
    return _with_progress(row, folder) if row.status == RUNNING else row


def _damaged(run: str, folder: Path, version: str, message: str) -> RunRow:
    said = plain(message.replace(str(folder), folder.name), one_line=True, limit=300)
    return RunRow(id=run, version=version, benchmark="", title="", model="", status=DAMAGED, created="", message=said)


def _with_results(row: RunRow, results: Results) -> RunRow:
    leading = results.leading
    tally, spent = results.tally, results.spending.total if results.spending is not None else None
    figure = results.figure(*leading) if leading is not None else None
    other = "strict" if leading is not None and leading[0] == "lenient" else "lenient"
    beside = results.figure(other, leading[1]) if leading is not None else None
    return msgspec.structs.replace(
        row,
        headline=_figure(leading, figure),
        beside=_figure((other, leading[1]), beside) if leading is not None and leading[0] != other else None,
        asked=_whole(tally.answered + tally.failed + tally.retryable) if tally is not None else -1,
        failed=_whole(tally.failed + tally.retryable) if tally is not None else -1,
        cost=Cost(dollars=spent.cost, unpriced=_whole(spent.unpriced)) if spent and spent.cost is not None else None,
    )


def _with_progress(row: RunRow, folder: Path) -> RunRow:
    """A run that goes on: how many responses are there already, which its results.json cannot know."""
    with suppress(UsageError, sqlite3.Error), closing(schema.open_to_read(folder / "run.db")) as db:
        (asked,) = db.execute("SELECT count(*) FROM responses").fetchone()
        return msgspec.structs.replace(row, asked=asked, failed=-1)
    return row


def _figure(where: tuple[str, str] | None, metric: Metric | None) -> Figure | None:
    if where is None or metric is None or metric.value is None:
        return None
    return Figure(scorer=_short(where[0]), metric=_short(where[1]), figure=shown(metric))


def shown(metric: Metric) -> Metric:
    """A figure with its texts cut and its counts within what a page can hold."""
    return msgspec.structs.replace(
        metric,
        n=_whole(metric.n),
        failed=_whole(metric.failed),
        interval=_short(metric.interval),
        unit=_short(metric.unit),
        note=cut(metric.note, LONGEST_NOTE),
    )


def _asked(info: RunInfo) -> _Asked:
    try:
        return msgspec.convert(info.settings.get("plan"), _Asked)
    except (msgspec.ValidationError, RecursionError):
        return _Asked()


def _product(asked: _Asked) -> int:
    return asked.n_samples * asked.votes * asked.epochs


def _title(benchmark: Any) -> str:
    """What a benchmark is called; one that is not ours by its name: it is not loaded for that."""
    known = BENCHMARKS.get(benchmark) if isinstance(benchmark, str) else None
    return known[1].partition(":")[0] if known is not None else _short(benchmark)


def _is_stopped(folder: Path) -> bool:
    try:
        return status_of(folder, _GOES_ON) == STOPPED
    except OSError:
        return True  # the folder has just gone


_GOES_ON = RunInfo(format=1, plan={}, plan_hash="", settings={}, environment={}, created="", status=RUNNING)


def _short(text: Any) -> str:
    """A text as it came, cut; pages show by themselves what in it cannot be seen."""
    return cut(text, LONGEST_NAME) if isinstance(text, str) else ""


def cut(text: str, most: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _whole(number: int) -> int:
    return max(0, min(number, _MOST))
