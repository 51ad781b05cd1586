"""Carrying the arms of an experiment out, one after the other, and showing what came of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import typer

if TYPE_CHECKING:
    from rich.console import Console

    from beholder.engine.lifecycle import EngineOptions, Result
    from beholder.experiments.experiment import Arm, Experiment
    from beholder.models.endpoint import Endpoint
    from beholder.models.model import Model

KINDS: dict[str, str] = {
    "tools": "beholder.cli.experiment_tools",
    "evidence": "beholder.cli.experiment_evidence",
    "rotation": "beholder.cli.experiment_rotation",
    "joint": "beholder.cli.experiment_joint",
}
"""Kind of experiment → the module that knows it. It has two functions: `outcome_of(folder, experiment, results)` makes
a Struct of what the arms (name → result, those that are begun) support, `print_outcome(console, outcome)` shows it. It
may have `figure_of(outcome)`, an SVG that is kept in the folder."""
FIGURE = "figure.svg"


class Reach(msgspec.Struct, frozen=True):
    """How models are reached this time and arms carried out: the same for all, but that an arm whose settings say that
    the response cache is not to be used really asks."""

    endpoint: Endpoint | None
    options: EngineOptions


async def check_experiment(experiment: Experiment, reach: Reach) -> None:
    """Tries out what the arms need before anything is written: models, extractor, tools, sandbox. `UsageError` if one
    of them does not work here."""
    import contextlib

    from beholder.cli.carry_out import check_all
    from beholder.cli.judges import check
    from beholder.cli.tools_options import check_sandbox
    from beholder.models.capabilities import check_needs

    async with contextlib.AsyncExitStack() as stack:
        models = {arm.model: _model(arm, reach.endpoint) for arm in experiment.arms}
        for model in models.values():
            stack.push_async_callback(model.close)
        await check_all(list(models.values()))
        await check(reach.options.judges)
        for arm in experiment.arms:
            check_needs(arm.model, models[arm.model].capabilities, arm.plan.needs)
            arm.plan.identity({})  # tells the model of its tools: a missing extra shows itself
        tools = [arm.plan.tools for arm in experiment.arms if arm.plan.tools is not None]
        for settings in {one.sandbox: one for one in tools if one.needs_sandbox}.values():
            await check_sandbox(settings)


async def carry_on(
    folder: Path, experiment: Experiment, reach: Reach, console: Console, heading: str | None = None
) -> list[Result]:
    """Begins the arms that are missing, continues those that are incomplete, reads the others. Returns the results in
    the order of the arms. Whatever ends one arm early (Ctrl-C, a refused key, a hopeless server) ends the experiment.

    `heading` is what is said before an arm is asked, in place of its number and its title.
    """
    from beholder.cli.judges import close
    from beholder.engine.run import Ending
    from beholder.experiments.experiment import is_begun
    from beholder.report.plain_text import plain
    from beholder.store.folder import locked

    results: list[Result] = []
    total = len(experiment.arms)
    try:
        with locked(folder):
            for number, arm in enumerate(experiment.arms, start=1):
                result = _finished(folder / arm.name) if is_begun(folder, arm) else None
                if result is None:
                    words = heading or f"Arm {number} of {total}, {arm.name}: {arm.title}"
                    console.print(plain(words, one_line=True), style="dim", soft_wrap=True)
                    result = await _carry_out(folder, arm, reach, console)
                results.append(result)
                if result.ending is not Ending.FINISHED:
                    break
    finally:
        await close(reach.options.judges)
    return results


def _finished(run: Path) -> Result | None:
    from beholder.cli.resume import as_it_stands
    from beholder.engine.lifecycle import benchmark_of, plan_of
    from beholder.store.folder import read_info

    info = read_info(run)
    plan = plan_of(info)
    return as_it_stands(run, info, plan, benchmark_of(info, plan))


async def _carry_out(folder: Path, arm: Arm, reach: Reach, console: Console) -> Result:
    from beholder.cli.carry_out import carry_out_with_progress
    from beholder.cli.endpoint import stored_settings
    from beholder.cli.resume import at_first_address, note_address
    from beholder.engine.lifecycle import check_same_plan
    from beholder.experiments.experiment import begin_arm, is_begun
    from beholder.store.folder import read_info

    run = folder / arm.name
    settings = stored_settings(arm.settings | {"model": arm.model}, folder)
    endpoint = reach.endpoint if settings.needs_endpoint else None
    # A server that has moved since serves the same model: the plan keeps the address that it began with.
    as_planned = _model(arm, at_first_address(settings, endpoint))
    try:
        if not is_begun(folder, arm):
            begin_arm(folder, arm, as_planned, fsync=reach.options.fsync)
        info = read_info(run)
        check_same_plan(info, arm.plan, as_planned)
    finally:
        await as_planned.close()
    if endpoint is not None:
        note_address(run, stored_settings(info.settings, run), endpoint)
    model = _model(arm, endpoint)
    options = reach.options if settings.cache else msgspec.structs.replace(reach.options, cache=None)
    return await carry_out_with_progress(run, arm.plan, model, options, console)


def _model(arm: Arm, endpoint: Endpoint | None) -> Model:
    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.models import make_model

    return make_model(arm.model, find_benchmark(arm.plan.benchmark), seed=arm.plan.seed, endpoint=endpoint)


def begin_experiment(experiment: Experiment, model: str, reach: Reach, runs_dir: Path, console: Console) -> Path:
    """Tries out what a new experiment needs, and makes its folder, which it returns. `model` is for its name."""
    import asyncio

    from beholder.experiments.experiment import create
    from beholder.report.plain_text import plain
    from beholder.store.cache import ResponseCache

    asyncio.run(check_experiment(experiment, reach))
    if reach.options.cache is not None:
        ResponseCache(reach.options.cache).close()  # a damaged one shows before a folder is made
    folder = create(runs_dir, experiment, model)
    console.print(f"Experiment folder: {plain(str(folder), one_line=True)}", style="dim", soft_wrap=True)
    return folder


def carry_on_and_show(folder: Path, reach: Reach, console: Console, *, as_json: bool) -> int:
    """Carries on with an experiment until it is complete or stops, shows what there is, and gives the exit code."""
    import asyncio

    from beholder.experiments.experiment import read
    from beholder.report.plain_text import plain

    experiment = read(folder)
    results = asyncio.run(carry_on(folder, experiment, reach, console))
    for result in results:
        if result.message:
            words = _about_the_experiment(result, folder)
            console.print(plain(words, one_line=True), style="red", soft_wrap=True)
    show(folder, experiment, as_json=as_json, keep=True)
    return exit_code(experiment, results)


def _about_the_experiment(result: Result, folder: Path) -> str:
    """What an arm says of its ending, with the command that continues the whole experiment."""
    from beholder.experiments.experiment import resume_command
    from beholder.store.folder import resume_command as of_run

    return result.message.replace(of_run(result.folder), resume_command(folder))


def exit_code(experiment: Experiment, results: list[Result]) -> int:
    """130 if it was interrupted, 3 if no arm has a score, 4 if an arm is missing or incomplete, else 0."""
    from beholder.cli import carry_out, exits

    codes = [carry_out.exit_code(result) for result in results]
    if exits.INTERRUPTED in codes:
        return exits.INTERRUPTED
    if codes and set(codes) == {exits.NO_SCORE}:
        return exits.NO_SCORE
    return exits.INCOMPLETE if any(codes) or len(codes) < len(experiment.arms) else exits.DONE


def show(folder: Path, experiment: Experiment, *, as_json: bool, keep: bool = False) -> None:
    """Prints what the arms support: tables for a person, one object for a program. `keep` writes the figure."""
    import importlib

    from beholder.errors import UsageError
    from beholder.experiments.experiment import missing, read_arms, resume_command
    from beholder.report.as_json import dump
    from beholder.report.plain_text import plain
    from beholder.report.terminal import make_console, say
    from beholder.store.folder import write_atomically

    if experiment.kind not in KINDS:
        raise UsageError(
            f"{folder} is an experiment of an unknown kind, {experiment.kind[:40]!r}. Upgrade Beholder to open it."
        )
    kind: Any = importlib.import_module(KINDS[experiment.kind])
    results = read_arms(folder, experiment)
    outcome = kind.outcome_of(folder, experiment, results)
    if keep and hasattr(kind, "figure_of"):
        write_atomically(folder / FIGURE, kind.figure_of(outcome).encode())
    lacking = list(missing(experiment, results))
    resume = resume_command(folder) if lacking else None
    if as_json:
        facts = _facts(folder, experiment, results)
        typer.echo(dump(facts | {"missing": lacking, "resume": resume, "outcome": msgspec.to_builtins(outcome)}))
        return
    console = make_console()
    kind.print_outcome(console, outcome)
    console.print()
    console.print(f"Folder: {plain(str(folder), one_line=True)}", soft_wrap=True)
    if (folder / FIGURE).is_file():
        console.print(f"Figure: {plain(str(folder / FIGURE), one_line=True)}", soft_wrap=True)
    if resume is not None:
        say(console, f"Incomplete: {'; '.join(lacking)}.", "yellow")
        console.print(f"Continue with: {plain(resume, one_line=True)}", style="yellow", soft_wrap=True)


def _facts(folder: Path, experiment: Experiment, results: dict[str, Result]) -> dict[str, Any]:
    """What `--json` says of an experiment of any kind."""
    arms = []
    for arm in experiment.arms:
        facts = {"name": arm.name, "title": arm.title, "model": arm.model, "folder": str(folder / arm.name)}
        result = results.get(arm.name)
        begun = {"complete": result.complete, "tally": result.tally} if result is not None else {"complete": False}
        arms.append(facts | {"facts": arm.facts, "begun": result is not None} | begun)
    return {
        "kind": experiment.kind,
        "folder": str(folder),
        "created": experiment.created,
        "asked": experiment.asked,
        "arms": arms,
    }
