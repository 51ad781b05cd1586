"""`beholder demo`: fresh items of all families, three baselines through the real engine, their comparison, a report.

It ends with experiment 1, what tools are worth, on a few of the items.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beholder.cli.options import MaxConnections, RunsDir

if TYPE_CHECKING:
    from rich.console import Console

    from beholder.engine.lifecycle import Result
    from beholder.engine.plan import Plan

BASELINES = ("random", "static", "classical")
WITH_TOOLS = "classical-tools"
FEW = 4
"""Items of each family that the experiment takes."""


def demo(
    n: Annotated[int, typer.Option("--n", metavar="N", min=1, help="How many items of each of the 13 families.")] = 8,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the items.")] = 2026,
    model: Annotated[
        list[str] | None, typer.Option("--model", "-m", metavar="KIND/NAME", help="A real model to add, openai/NAME.")
    ] = None,
    base_url: Annotated[str | None, typer.Option(metavar="URL", help="Where that model is served.")] = None,
    photos: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Folder of your own photographs.")] = None,
    max_connections: MaxConnections = 16,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Make fresh items, run three baselines, compare, report.

    The items are of all 13 TIR-Bench families; the baselines are `random` (blind), `static` (one glance) and
    `classical` (may change the picture). With --model and --base-url, your model answers them too. The experiment at
    the end sets `static` against `classical-tools`, which writes Python, on 4 items of each family.
    """
    import asyncio
    import shlex

    from rich.text import Text

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.cli.carry_out import check_all, run_all
    from beholder.cli.endpoint import settings_of
    from beholder.engine.lifecycle import EngineOptions
    from beholder.engine.pace import MOST
    from beholder.engine.plan import make_plan
    from beholder.engine.selection import Selection
    from beholder.models import make_model
    from beholder.models.endpoint import Endpoint
    from beholder.models.served import CHAT
    from beholder.report.html_report import write_html
    from beholder.report.side_by_side import print_side_by_side
    from beholder.report.terminal import make_console

    console = make_console()
    found = find_benchmark("tir")
    url = base_url or CHAT.address()
    endpoint = None
    if url is not None and model:
        endpoint = Endpoint(base_url=url, max_connections=max_connections or MOST)
    models = [make_model(name, found, seed=seed, endpoint=endpoint) for name in (*BASELINES, *(model or []))]

    asyncio.run(check_all(models))
    folder = fresh_items(runs_dir, n, seed, photos, console)
    plan = make_plan(
        found,
        folder,
        images=None,
        categories=None,
        template=None,
        sampling=found.sampling,
        votes=None,
        epochs=1,
        order="random",
        seed=seed,
        selection=Selection(),
    )
    options = EngineOptions(concurrency=max_connections, cache=runs_dir / ".cache.db")
    settings: dict[str, Any] = {"max_retries": 7, "max_connections": max_connections or "auto", "cache": True}
    if endpoint is not None:
        settings["endpoint"] = settings_of(endpoint)
    results = asyncio.run(
        run_all(
            plan,
            models,
            options,
            lambda _: settings,
            runs_dir,
            console,
            on_result=lambda result: _one_line(console, result),
        )
    )
    if len(results) < len(models) or not all(result.metrics for result in results):
        raise typer.Exit(1)
    console.print()
    print_side_by_side(console, results)
    _compare(console, results, seed)
    report = write_html(results, results[-1].folder / "report.html")
    experiment = tools_on_a_few(plan, runs_dir, max_connections, console)
    console.print()
    for line in (
        f"See them all:   beholder view {shlex.quote(str(runs_dir))}",
        f"Report:         {report}",
        *([f"Experiment:     beholder experiment show {experiment}"] if experiment is not None else []),
        "Look closer:    beholder show latest      and      beholder show latest 0",
        "Your own model: make demo MODEL=openai/NAME BASE_URL=http://localhost:8000/v1",
        f"           or:  beholder run tir --data {folder} --model openai/NAME --base-url http://localhost:8000/v1",
    ):
        console.print(Text(line), soft_wrap=True)


def tools_on_a_few(plan: Plan, runs_dir: Path, max_connections: int, console: Console) -> Path | None:
    """Experiment 1 on the first items of each family: `static` without tools, `classical-tools` with Python, twice.

    Returns its folder; None, with a word why, where no sandbox runs.
    """
    import asyncio

    from rich.text import Text

    from beholder.cli.experiment_arms import Reach, begin_experiment, carry_on, exit_code
    from beholder.cli.experiment_tools import outcome_of, tools_experiment
    from beholder.engine.lifecycle import EngineOptions
    from beholder.errors import UsageError
    from beholder.experiments.experiment import read
    from beholder.report.experiment_report import print_tools
    from beholder.tools.settings import Arm, ToolSettings

    console.print()
    console.print("What are tools worth? static answers at once, classical-tools writes Python first.", style="bold")
    few = first_of_each(plan, FEW)
    settings = {"max_retries": 7, "max_connections": max_connections or "auto", "cache": True}
    arms = {"none": None, "python": ToolSettings(arm=Arm.PYTHON)}
    experiment = tools_experiment(few, list(arms), arms, WITH_TOOLS, "static", settings, repeat=True)
    reach = Reach(None, EngineOptions(concurrency=max_connections, cache=runs_dir / ".cache.db"))
    try:
        folder = begin_experiment(experiment, WITH_TOOLS, reach, runs_dir, console)
    except UsageError as error:
        console.print(Text(f"Left out: {error}", "yellow"), soft_wrap=True)
        return None
    results = asyncio.run(carry_on(folder, experiment, reach, console))
    if exit_code(experiment, results):
        raise typer.Exit(1)
    by_name = {arm.name: result for arm, result in zip(experiment.arms, results, strict=True)}
    print_tools(console, outcome_of(folder, read(folder), by_name), short=True)
    return folder


def first_of_each(plan: Plan, number: int) -> Plan:
    """The plan over the first so many items of each category."""
    from collections import Counter

    import msgspec

    from beholder.engine.selection import Selection

    taken: Counter[str] = Counter()
    keys = []
    for sample in plan.samples():
        taken[sample.category] += 1
        if taken[sample.category] <= number:
            keys.append(sample.key)
    return msgspec.structs.replace(plan, selection=Selection(ids=tuple(keys)), n_samples=len(keys))


def _one_line(console: Console, result: Result) -> None:
    from beholder.report.figures import count
    from beholder.report.plain_text import plain

    tally = result.tally
    words = f"{plain(result.model, one_line=True)}: {count(tally.answered)} answered, {count(tally.failed)} failed"
    console.print(words, style="dim", soft_wrap=True)


def _compare(console: Console, results: list[Result], seed: int) -> None:
    """Every model against the one before it: what a look adds to a guess, and changing the picture to a look."""
    from beholder.report.comparison import compare, headline_scorer
    from beholder.report.comparison_report import print_comparison

    for before, after in itertools.pairwise(results):
        names = (before.model, after.model)
        scorer = headline_scorer(before.found, [*before.items, *after.items])
        console.print()
        compared = compare(before.items, after.items, scorer, voted=False, intersect=True, names=names, seed=seed)
        print_comparison(console, compared, names, by_category=False)


def fresh_items(runs_dir: Path, n: int, seed: int, photos: Path | None, console: Console) -> Path:
    """The data set of a demo, made unless it is there already."""
    from beholder.cli.fresh_items import made_once
    from beholder.synth.generate import draws_for

    return made_once(f"demo-tir-{n}-{seed}", draws_for(["all"], n, seed), photos, runs_dir, console)
