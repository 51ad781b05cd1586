"""The life of a run folder: begun, continued, finished; and scored again at any time."""

from __future__ import annotations

import asyncio
import contextlib
import platform
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import beholder
from beholder.benchmarks import benchmark as find_benchmark
from beholder.benchmarks.benchmark import Benchmark, MetricOptions
from beholder.engine import run as engine
from beholder.engine.budget import UNLIMITED, Limits, Purse
from beholder.engine.interrupt import Interrupts
from beholder.engine.judge import Judge
from beholder.engine.judges_of_run import have_judged, lacks_verdicts
from beholder.engine.pace import AUTO, USUAL, Pace
from beholder.engine.plan import Plan, differences, digest, remake_plan
from beholder.engine.rescoring import rescore, score_missing, scored_by_other_code
from beholder.engine.retry import RetryPolicy
from beholder.engine.scoring import scorer_code
from beholder.engine.watch import Watch
from beholder.errors import UsageError
from beholder.models.model import Model
from beholder.models.prices import Price
from beholder.models.served import service_of
from beholder.score import Metrics, ScoredItem
from beholder.store import folder as folders
from beholder.store import judge_calls, reading, schema, turns
from beholder.store.cache import ResponseCache
from beholder.store.spending import Spending, spending

if TYPE_CHECKING:
    from beholder.sandbox.pool import SandboxPool
    from beholder.tools.settings import ToolSettings

_PACKAGES = ("aiohttp", "msgspec", "numpy", "pillow")


class EngineOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a run is carried out; none of it changes what is asked.

    `concurrency` is how many items are asked about at once; AUTO (0): as many as the model's server takes.
    `prices` are those of the models, by name; `limits` is what the run may spend.
    """

    concurrency: int = 64
    retries: RetryPolicy = RetryPolicy()
    cache: Path | None = None
    fsync: bool = False
    drain: float = 30.0
    judges: tuple[Judge, ...] = ()
    prices: dict[str, Price] = {}
    limits: Limits = UNLIMITED


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A run as it stands: counts, rows, figures. `metrics` is empty when nothing could be scored.

    `complete` is True when every planned response is there and none is waiting for a resume or for a judge; `unjudged`
    when it is judges that a resume has still to ask. `judges` says which extractor read the answers of how many
    responses, `judged` what there is of every other judge.
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
    spending: Spending
    unjudged: bool = False
    ending: engine.Ending = engine.Ending.FINISHED
    message: str = ""
    judges: dict[str, int] = {}
    judged: tuple[judge_calls.Counted, ...] = ()


def begin(
    plan: Plan, model: Model, settings: dict[str, Any], runs_dir: Path, *, fsync: bool = False, name: str = ""
) -> Path:
    """Makes the folder of a new run. `settings` is what a resume needs besides the plan (endpoint, options).

    `name` is the folder's name; "" makes one of the time, the benchmark and the model.
    """
    identity = plan.identity(model.identity())
    now = datetime.now(UTC)
    info = folders.RunInfo(
        format=schema.FORMAT,
        plan=identity,
        plan_hash=digest(identity),
        settings={"plan": msgspec.to_builtins(plan), "model": model.name, **settings},
        environment=environment(plan.benchmark, getattr(model, "packages", ())),
        created=now.isoformat(timespec="seconds"),
    )
    name = name or folders.new_folder_name(plan.benchmark, model.name, now.astimezone())
    return folders.create_run(runs_dir, name, info, fsync=fsync)


def environment(benchmark: str, of_model: Sequence[str] = ()) -> dict[str, Any]:
    """Versions of what made the run, of the packages that decide its scores, and of those that run the model here."""
    deciding = find_benchmark(benchmark).deciding_packages
    return {
        "beholder": beholder.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: metadata.version(name) for name in (*_PACKAGES, *deciding, *of_model)},
        "command": Path(sys.argv[0]).name,
    }


def plan_of(info: folders.RunInfo) -> Plan:
    """The plan that run.json holds."""
    try:
        return msgspec.convert(info.settings["plan"], Plan)
    except (KeyError, msgspec.ValidationError) as error:
        raise UsageError(f"run.json holds no plan that this Beholder can read ({error}).") from None


def benchmark_of(info: folders.RunInfo, plan: Plan) -> Benchmark:
    """The benchmark of a run, under the assumptions that run.json names, if it names any."""
    found = find_benchmark(plan.benchmark)
    text = info.settings.get("assumptions")
    if text is None:
        return found
    if not isinstance(text, str):
        raise UsageError("run.json holds assumptions that are not text. Use another copy of the run.")
    return found.assuming(text)


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
    """Asks what is missing in a run folder, scores it, and brings run.json and results.json up to date.

    Ctrl-C is in good hands all the while: see `Interrupts`.
    """
    info = folders.read_info(folder)
    found = benchmark_of(info, plan)
    with folders.locked(folder):
        skip, attempts, stale = _what_is_there(folder, found, fsync=options.fsync)
        watch = make_watch(plan.n_asks, len(skip))
        async with contextlib.AsyncExitStack() as stack:
            interrupts = stack.enter_context(Interrupts(watch.say))
            stack.push_async_callback(model.close)
            cache = ResponseCache(options.cache) if options.cache is not None else None
            if cache is not None:
                stack.callback(cache.close)
            pace = pace_for(options.concurrency, model)
            concurrency = pace.most if pace is not None else options.concurrency or USUAL
            sandboxes = await open_sandboxes(plan.tools, concurrency, watch.say)
            if sandboxes is not None:
                stack.push_async_callback(sandboxes.close)
            _set_status(folder, info, "running")
            purse = purse_of(folder, options.limits)
            job = engine.Job(
                plan=plan,
                found=found,
                model=model,
                folder=folder,
                skip=skip,
                cache=cache,
                retries=options.retries,
                concurrency=concurrency,
                pace=pace,
                fsync=options.fsync,
                drain=options.drain,
                sandboxes=sandboxes,
                price=options.prices.get(model.name),
                purse=purse,
                attempts=attempts,
            )
            ended = False
            try:
                with _told_plainly(folder):
                    ending, message = await engine.execute(job, watch, interrupts)
                    if options.judges and ending is engine.Ending.FINISHED:
                        ending, message = await have_judged(folder, plan, options.judges, watch.say, interrupts, purse)
                    if stale:
                        watch.say("The scorers have changed since this run began; all of its answers are scored again.")
                    result = await asyncio.to_thread(finish, folder, info, plan, found, ending, message, again=stale)
                ended = True
            finally:
                if not ended:
                    with contextlib.suppress(OSError):  # a full disk: the error that is on its way says so
                        _set_status(folder, info, "incomplete")
            return result


def pace_for(concurrency: int, model: Model) -> Pace | None:
    """What decides how many items are asked about at once; None where a number does, or nothing is to be overrun: a
    fake, or a model that runs here and takes what it can hold."""
    return Pace() if concurrency == AUTO and service_of(model.name) is not None else None


async def open_sandboxes(
    settings: ToolSettings | None, concurrency: int, say: Callable[[str], None]
) -> SandboxPool | None:
    """The pool of sandboxes that the tools of a run need, tried out; None if they need none.

    `say` is told if the user chose to have no protection. `UsageError` if no sandbox works here.
    """
    if settings is None or not settings.needs_sandbox:
        return None
    from beholder.sandbox.backends import backend
    from beholder.sandbox.pool import SandboxPool
    from beholder.sandbox.unprotected import WARNING

    if settings.sandbox == "none":
        say(WARNING)
    pool = SandboxPool(backend(settings.sandbox), concurrency=concurrency)
    await pool.start()
    return pool


async def judge_again(
    folder: Path,
    info: folders.RunInfo,
    plan: Plan,
    judges: Sequence[Judge],
    settings: dict[str, Any],
    say: Callable[[str], None],
    limits: Limits = UNLIMITED,
) -> Result:
    """Has other judges look at the answers of a run, and scores them all again. The model is not asked.

    `settings` is what run.json keeps of the judges.
    """
    found = benchmark_of(info, plan)
    with Interrupts(say) as interrupts, _told_plainly(folder):
        info.settings.update(settings)
        _set_status(folder, info, "incomplete")
        purse = purse_of(folder, limits)
        ending, message = await have_judged(folder, plan, judges, say, interrupts, purse)
        return await asyncio.to_thread(finish, folder, info, plan, found, ending, message, again=True)


def purse_of(folder: Path, limits: Limits) -> Purse | None:
    """What a run may still spend: its limits, less what it has spent; None without limits."""
    if limits == UNLIMITED:
        return None
    with contextlib.closing(schema.open_to_read(folder / "run.db")) as db, schema.told_plainly(folder):
        spent = spending(db).total
    return Purse(limits, cost=spent.cost or 0.0, tokens=spent.tokens)


def _what_is_there(
    folder: Path, found: Benchmark, *, fsync: bool
) -> tuple[set[turns.Place], dict[turns.Place, int], bool]:
    """(key, epoch, vote) of what is not asked again; the number of the next attempt at what was begun; and whether
    scores were made by other code.
    """
    db = schema.open_to_write(folder / "run.db", fsync=fsync)
    try:
        with schema.told_plainly(folder):
            reading.forget_retryable(db)
            return reading.done(db), turns.next_attempts(db), scored_by_other_code(db, found)
    finally:
        db.close()


@contextlib.contextmanager
def _told_plainly(folder: Path) -> Iterator[None]:
    """A disk that fails is told in one line that says how to go on."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        place = getattr(error, "filename", None) or folder
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"{place} cannot be written or read ({reason}). Free some space or mend the disk, "
            f"and run `{folders.resume_command(folder)}`."
        ) from None


def finish(
    folder: Path,
    info: folders.RunInfo,
    plan: Plan,
    found: Benchmark,
    ending: engine.Ending = engine.Ending.FINISHED,
    message: str = "",
    *,
    again: bool = False,
) -> Result:
    """Scores what has no scores yet (or all, `again`), computes the figures, and writes results.json and the status."""
    if again:
        rescore(folder, found)
    else:
        score_missing(folder, found)
    result = read_result(folder, info, plan, found, ending, message)
    info.finished = datetime.now(UTC).isoformat(timespec="seconds")
    _set_status(folder, info, "complete" if result.complete else "incomplete")
    summary = {
        "benchmark": found.name,
        "model": result.model,
        "complete": result.complete,
        "headline": found.headline_of(result.metrics),
        "tally": result.tally,
        "spending": result.spending,
        "scorer_code": scorer_code(found),  # by which the figures are known for those of the scores that are there
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
        counted = judge_calls.counted(db)
        spent = spending(db)
    finally:
        db.close()
    complete = tally.retryable == 0 and tally.answered + tally.failed == plan.n_asks
    lacking = complete and lacks_verdicts(folder, info.settings, found)
    if lacking and not message:
        message = f"Some responses have still to be judged: `{folders.resume_command(folder)}` goes on with that."
    possible = any(score.value is not None for item in items for score in item.scores.values())
    options = MetricOptions(seed=plan.seed, group_sizes=plan.group_sizes, votes=plan.votes)
    metrics = found.metrics(items, options) if possible else {}
    details = found.details(items, options) if possible and found.details is not None else {}
    return Result(
        folder=folder,
        model=str(info.settings.get("model", "")),
        found=found,
        plan=plan,
        tally=tally,
        items=items,
        metrics=metrics,
        details=details,
        complete=possible and complete and not lacking,
        spending=spent,
        unjudged=lacking,
        ending=ending,
        message=message,
        judges={one.judge: one.answered for one in counted if one.purpose == judge_calls.EXTRACTION},
        judged=tuple(one for one in counted if one.purpose != judge_calls.EXTRACTION),
    )


def _set_status(folder: Path, info: folders.RunInfo, status: str) -> None:
    info.status, info.format = status, schema.FORMAT  # whoever writes the database brings it up to date
    folders.write_info(folder, info)
