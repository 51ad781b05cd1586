"""Carrying runs out for a command: models one after the other, the progress line, the figures, the exit code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from beholder.benchmarks.benchmark import Benchmark
    from beholder.engine.lifecycle import Result
    from beholder.engine.plan import Plan
    from beholder.models.model import Model
    from beholder.score import Metrics
    from beholder.store.judge_calls import Counted


async def check_all(models: list[Model]) -> None:
    """Fails with `UsageError` if a model cannot be reached at all."""
    import asyncio

    await asyncio.gather(*(one.check() for one in models))


async def run_all(
    plan: Plan,
    models: list[Model],
    options: Any,
    settings_of: Callable[[Model], dict[str, Any]],
    runs_dir: Path,
    console: Console,
    on_result: Callable[[Result], None],
) -> list[Result]:
    """One model after the other on one plan; each result is handed to `on_result` as soon as it is there.

    `settings_of` gives what run.json keeps so that a run can be resumed. Ctrl-C ends them all. A refused key ends those
    that would use the same key at the same endpoint.
    """
    import contextlib

    from beholder.engine.run import Ending
    from beholder.models.served import service_of
    from beholder.report.plain_text import plain

    results: list[Result] = []
    refused = False
    async with contextlib.AsyncExitStack() as stack:
        for one in models:
            stack.push_async_callback(one.close)
        for judge in options.judges:
            stack.push_async_callback(judge.close)
        for one in models:
            if refused and service_of(one.name) is not None:
                words = f"{one.name} was not run: the endpoint has refused the API key."
                console.print(plain(words, one_line=True), style="yellow", soft_wrap=True)
                continue
            results.append(await run_one(plan, one, options, settings_of(one), runs_dir, console))
            on_result(results[-1])
            if results[-1].ending is Ending.INTERRUPTED:
                break
            refused = refused or results[-1].ending is Ending.REFUSED_KEY
    return results


async def run_one(
    plan: Plan, model: Model, options: Any, settings: dict[str, Any], runs_dir: Path, console: Console
) -> Result:
    """One model on one plan, in a new folder."""
    from beholder.engine import lifecycle
    from beholder.report.plain_text import plain

    folder = lifecycle.begin(plan, model, settings, runs_dir, fsync=options.fsync)
    console.print(f"Run folder: {plain(str(folder), one_line=True)}", style="dim", soft_wrap=True)
    return await carry_out_with_progress(folder, plan, model, options, console)


async def carry_out_with_progress(folder: Path, plan: Plan, model: Model, options: Any, console: Console) -> Result:
    """Carries a run out under a live progress line."""
    import contextlib

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.engine import lifecycle
    from beholder.engine.watch import Watch
    from beholder.report.progress import ProgressLine

    found = find_benchmark(plan.benchmark)
    with contextlib.ExitStack() as stack:

        def make_watch(total: int, before: int) -> Watch:
            watch = Watch(
                total,
                before,
                (found.second_headline or found.headline)[0],
                label=found.live_label,
                say=lambda text: console.print(text, style="yellow", soft_wrap=True),
            )
            stack.enter_context(ProgressLine(watch, console, model.name))
            return watch

        return await lifecycle.carry_out(folder, plan, model, options, make_watch)


def finish_command(
    results: list[Result], *, as_json: bool, all_metrics: bool = False, more: dict[str, Any] | None = None
) -> None:
    """Prints what came of the runs: tables for a person, one object for a program. `more` goes into that of one run."""
    from beholder.report.as_json import dump, scores_object
    from beholder.report.run_report import print_result, result_summary
    from beholder.report.terminal import make_console

    if as_json:
        objects = [
            scores_object(result.found, result.items, result.metrics, result.details) | result_summary(result)
            for result in results
        ]
        typer.echo(dump(objects[0] | (more or {}) if len(objects) == 1 else {"runs": objects}))
        return
    output = make_console()
    for result in results:
        print_result(output, result, every=all_metrics)


def lacks_headline(found: Benchmark, metrics: Metrics) -> bool:
    """Whether there is no figure of the benchmark's own headline: if a judge was asked for it, it was in vain."""
    scorer, metric = found.headline
    figure = metrics.get(scorer, {}).get(metric)
    return figure is None or figure.value is None


def all_in_vain(judged: Sequence[Counted]) -> bool:
    """Whether the judges of some purpose were asked and gave not one verdict: there is no figure of theirs."""
    purposes = {one.purpose for one in judged}
    given = {one.purpose for one in judged if one.answered}
    return bool(purposes - given)


def exit_code(result: Result) -> int:
    """The exit code that a run's ending deserves."""
    from beholder.cli import exits
    from beholder.engine.run import Ending

    if result.ending is Ending.INTERRUPTED:
        return exits.INTERRUPTED
    if result.complete:
        unread = bool(result.judges) and lacks_headline(result.found, result.metrics)
        in_vain = unread or all_in_vain(result.judged)
        return exits.NO_SCORE if in_vain else exits.DONE
    if result.tally.answered == 0 and result.ending not in (Ending.REFUSED_KEY, Ending.BUDGET):
        return exits.NO_SCORE
    return exits.INCOMPLETE
