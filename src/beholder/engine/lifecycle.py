"""The life of a run folder: begun, continued, finished; and scored again at any time."""

from __future__ import annotations

import asyncio
import contextlib
import platform
import sqlite3
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

import beholder
from beholder.benchmarks import benchmark as find_benchmark
from beholder.benchmarks.benchmark import Benchmark, MetricOptions
from beholder.engine import run as engine
from beholder.engine.plan import Plan, differences, digest, remake_plan
from beholder.engine.retry import RetryPolicy
from beholder.engine.scoring import score_with, scorer_code
from beholder.engine.watch import Watch
from beholder.errors import UsageError
from beholder.models.model import Model
from beholder.score import Metrics, ScoredItem
from beholder.store import folder as folders
from beholder.store import reading, schema
from beholder.store.cache import ResponseCache
from beholder.store.journal import insert_scores

_PACKAGES = ("aiohttp", "msgspec", "numpy", "pillow")
_WRITE_AT_ONCE = 1000


class EngineOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a run is carried out; none of it changes what is asked."""

    concurrency: int = 64
    retries: RetryPolicy = RetryPolicy()
    cache: Path | None = None
    fsync: bool = False
    drain: float = 30.0


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A run as it stands: counts, rows, figures. `metrics` is empty when nothing could be scored.

    `complete` is True when every planned response is there and none is waiting for a resume.
    """

    folder: Path
    model: str
    found: Benchmark
    plan: Plan
    tally: reading.Tally
    items: list[ScoredItem]
    metrics: Metrics
    details: dict[str, Any]
    complete: bool
    ending: engine.Ending = engine.Ending.FINISHED
    message: str = ""


def begin(plan: Plan, model: Model, settings: dict[str, Any], runs_dir: Path, *, fsync: bool = False) -> Path:
    """Makes the folder of a new run. `settings` is what a resume needs besides the plan (endpoint, options)."""
    identity = plan.identity(model.identity())
    now = datetime.now(UTC)
    info = folders.RunInfo(
        format=schema.FORMAT,
        plan=identity,
        plan_hash=digest(identity),
        settings={"plan": msgspec.to_builtins(plan), "model": model.name, **settings},
        environment=environment(),
        created=now.isoformat(timespec="seconds"),
    )
    name = folders.new_folder_name(plan.benchmark, model.name, now.astimezone())
    return folders.create_run(runs_dir, name, info, fsync=fsync)


def environment() -> dict[str, Any]:
    """Versions of what made the run."""
    return {
        "beholder": beholder.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: metadata.version(name) for name in _PACKAGES},
        "command": Path(sys.argv[0]).name,
    }


def plan_of(info: folders.RunInfo) -> Plan:
    """The plan that run.json holds."""
    try:
        return msgspec.convert(info.settings["plan"], Plan)
    except (KeyError, msgspec.ValidationError) as error:
        raise UsageError(f"run.json holds no plan that this Beholder can read ({error}).") from None


def check_same_plan(info: folders.RunInfo, plan: Plan, model: Model) -> None:
    """Refuses to continue a run with another plan, naming each difference."""
    identity = remake_plan(plan).identity(model.identity())
    if digest(identity) != info.plan_hash:
        named = differences(info.plan, identity) or ["the plan hash"]
        raise UsageError(
            "This run was made with another plan: " + "; ".join(named) + ". Start a new run, or restore what it used."
        )


async def carry_out(
    folder: Path,
    plan: Plan,
    model: Model,
    options: EngineOptions,
    make_watch: Callable[[int, int], Watch],
) -> Result:
    """Asks what is missing in a run folder, scores it, and brings run.json and results.json up to date."""
    found = find_benchmark(plan.benchmark)
    info = folders.read_info(folder)
    with folders.locked(folder):
        db = schema.open_to_write(folder / "run.db", fsync=options.fsync)
        try:
            reading.forget_retryable(db)
            skip = reading.done(db)
        finally:
            db.close()
        cache = ResponseCache(options.cache) if options.cache is not None else None
        _set_status(folder, info, "running")
        ended = False
        try:
            job = engine.Job(
                plan=plan,
                found=found,
                model=model,
                folder=folder,
                skip=skip,
                cache=cache,
                retries=options.retries,
                concurrency=options.concurrency,
                fsync=options.fsync,
                drain=options.drain,
            )
            ending, message = await engine.execute(job, make_watch(plan.n_asks, len(skip)))
            ended = ending is engine.Ending.FINISHED
        except sqlite3.OperationalError as error:
            raise UsageError(
                f"{folder} cannot be written ({error}). Free some space and run `beholder resume {folder}`."
            ) from None
        except OSError as error:
            raise UsageError(
                f"{error.filename or folder} cannot be written or read ({error.strerror}). "
                f"Mend that and run `beholder resume {folder}`."
            ) from None
        finally:
            if cache is not None:
                cache.close()
            await model.close()
            if not ended:
                with contextlib.suppress(OSError):  # a full disk: the error that is on its way says so
                    _set_status(folder, info, "incomplete")
        return await asyncio.to_thread(finish, folder, info, plan, found, ending, message)


def finish(
    folder: Path,
    info: folders.RunInfo,
    plan: Plan,
    found: Benchmark,
    ending: engine.Ending = engine.Ending.FINISHED,
    message: str = "",
) -> Result:
    """Scores what has no scores yet, computes the figures, and writes results.json and the status."""
    score_missing(folder, found)
    result = read_result(folder, info, plan, found, ending, message)
    info.finished = datetime.now(UTC).isoformat(timespec="seconds")
    _set_status(folder, info, "complete" if result.complete else "incomplete")
    summary = {
        "benchmark": found.name,
        "model": result.model,
        "complete": result.complete,
        "tally": result.tally,
        "metrics": result.metrics,
        "details": result.details,
    }
    folders.write_atomically(folder / "results.json", msgspec.json.format(msgspec.json.encode(summary), indent=1))
    return result


def read_result(
    folder: Path,
    info: folders.RunInfo,
    plan: Plan,
    found: Benchmark,
    ending: engine.Ending = engine.Ending.FINISHED,
    message: str = "",
) -> Result:
    """The figures of a run, from its journal alone."""
    db = schema.open_to_read(folder / "run.db")
    try:
        tally = reading.tally(db, len(found.scorers))
        items = reading.scored_items(db)
    finally:
        db.close()
    possible = any(score.value is not None for item in items for score in item.scores.values())
    metrics = found.metrics(items, MetricOptions(seed=plan.seed)) if possible else {}
    details = found.details(items) if possible and found.details is not None else {}
    return Result(
        folder=folder,
        model=str(info.settings.get("model", "")),
        found=found,
        plan=plan,
        tally=tally,
        items=items,
        metrics=metrics,
        details=details,
        complete=possible and tally.retryable == 0 and tally.answered + tally.failed == plan.n_asks,
        ending=ending,
        message=message,
    )


def score_missing(folder: Path, found: Benchmark) -> int:
    """Scores the responses that lack a scorer's verdict (a run killed between answer and score). Returns how many."""
    return _score(folder, found, unscored_by=len(found.scorers))


def rescore(folder: Path, found: Benchmark) -> int:
    """Scores every response again with the code as it is now. No model is called. Returns how many."""
    return _score(folder, found, unscored_by=0)


def _score(folder: Path, found: Benchmark, *, unscored_by: int) -> int:
    score_all = score_with(found.scorers)
    db = schema.open_to_write(folder / "run.db")
    try:
        db.execute("BEGIN IMMEDIATE")
        for name, code in scorer_code(found).items():
            db.execute(
                "INSERT INTO scorers (name, code) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET code = excluded.code",
                (name, code),
            )
        ids = dict(db.execute("SELECT name, id FROM scorers").fetchall())
        if unscored_by == 0:
            db.execute("DELETE FROM scores")
            db.executemany("DELETE FROM scorers WHERE name = ?", [(name,) for name in ids if name not in found.scorers])
        count = 0
        reader = schema.open_to_read(folder / "run.db")
        sample = None
        batch = []
        for stored in reading.responses(reader, unscored_by=unscored_by):
            if sample is None or sample.key != stored.key:
                sample = reading.sample(reader, stored.key)
            assert sample is not None
            batch.append((stored.number, score_all(sample, stored.response)))
            if len(batch) == _WRITE_AT_ONCE:
                insert_scores(db, ids, batch)
                count += len(batch)
                batch = []
        insert_scores(db, ids, batch)
        count += len(batch)
        reader.close()
        db.execute("COMMIT")
    finally:
        schema.close_for_good(db)
    return count


def _set_status(folder: Path, info: folders.RunInfo, status: str) -> None:
    info.status = status
    folders.write_info(folder, info)
