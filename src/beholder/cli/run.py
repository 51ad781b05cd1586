"""`beholder run`: evaluate one or more models on a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beholder.cli.options import AllMetrics, AsJson, ExtraBody, FSync, Header, MaxConnections, MaxRetries, RunsDir

if TYPE_CHECKING:
    from rich.console import Console

    from beholder.engine.lifecycle import Result
    from beholder.engine.plan import Plan
    from beholder.models.model import Model

_WHAT = "What to ask"
_HOW = "How the model decodes"
_WHERE = "How to reach the model"


def run_benchmark(
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK", help="tfq, vl-rewardbench or jigsaw.")],
    model: Annotated[
        list[str],
        typer.Option("--model", "-m", metavar="KIND/NAME", help="openai/NAME, random, constant/TEXT, …; repeatable."),
    ],
    data: Annotated[
        Path,
        typer.Option("--data", "-d", metavar="PATH", help="The data: a Parquet, JSON or JSONL file, or its folder."),
    ],
    images: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder that image names are relative to (default: beside the data).",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only the first N items.", rich_help_panel=_WHAT)
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=VALUE",
            help="Only items where a field has a value (or !=VALUE), such as category=general; repeatable.",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    ids: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Only items whose key or record id is a line of FILE.", rich_help_panel=_WHAT
        ),
    ] = None,
    prompt: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File that replaces our prompt template.", rich_help_panel=_WHAT),
    ] = None,
    categories: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON or CSV that gives items a category.", rich_help_panel=_WHAT),
    ] = None,
    votes: Annotated[
        int | None,
        typer.Option(
            metavar="K", min=1, max=1000, help="Judgements of each item (VL-RewardBench: 5).", rich_help_panel=_WHAT
        ),
    ] = None,
    order: Annotated[
        str,
        typer.Option(metavar="MODE", help="Order of shown answers: random or balanced.", rich_help_panel=_WHAT),
    ] = "random",
    epochs: Annotated[
        int,
        typer.Option(metavar="R", min=1, max=1000, help="Repeat the whole run R times.", rich_help_panel=_WHAT),
    ] = 1,
    temperature: Annotated[
        float | None, typer.Option(metavar="T", min=0, help="Sampling temperature.", rich_help_panel=_HOW)
    ] = None,
    top_p: Annotated[
        float | None, typer.Option(metavar="P", min=0, max=1, help="Nucleus sampling.", rich_help_panel=_HOW)
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Longest answer, in tokens.", rich_help_panel=_HOW)
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Seed of every random choice; also sent to the server, one for each vote.",
            rich_help_panel=_HOW,
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Such as http://localhost:8000/v1 (or OPENAI_BASE_URL).", rich_help_panel=_WHERE
        ),
    ] = None,
    api_key_env: Annotated[
        str,
        typer.Option(metavar="NAME", help="Environment variable that holds the API key.", rich_help_panel=_WHERE),
    ] = "OPENAI_API_KEY",
    header: Header = None,
    extra_body: ExtraBody = None,
    proxy: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="HTTP proxy (default: the usual environment variables).", rich_help_panel=_WHERE
        ),
    ] = None,
    ca_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="PEM file of certificates to trust.", rich_help_panel=_WHERE),
    ] = None,
    max_connections: MaxConnections = 64,
    max_retries: MaxRetries = 7,
    timeout: Annotated[
        float,
        typer.Option(metavar="S", min=0.1, help="Seconds to wait for an answer to begin.", rich_help_panel=_WHERE),
    ] = 600.0,
    connect_timeout: Annotated[
        float, typer.Option(metavar="S", min=0.1, help="Seconds to wait for a connection.", rich_help_panel=_WHERE)
    ] = 10.0,
    max_tokens_field: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Name of the token limit on the wire (some servers: max_completion_tokens).",
            rich_help_panel=_WHERE,
        ),
    ] = "max_tokens",
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Reuse answers given to the very same request.")
    ] = True,
    accept: Annotated[
        bool, typer.Option("--accept", help="Accept that the data file has changed since the last run.")
    ] = False,
    fsync: FSync = False,
    all_metrics: AllMetrics = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Evaluate one or more models on a benchmark.

    Each model gets a run folder, which `beholder resume` can continue and `beholder show` opens. `beholder list` names
    the benchmarks and the kinds of model.
    """
    import asyncio

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.benchmarks.orders import MODES
    from beholder.cli import exits
    from beholder.cli.endpoint import default_base_url, make_endpoint, settings_of
    from beholder.engine.lifecycle import EngineOptions
    from beholder.engine.plan import make_plan
    from beholder.engine.retry import RetryPolicy
    from beholder.engine.selection import Selection, parse_condition, read_ids
    from beholder.errors import UsageError
    from beholder.models import make_model
    from beholder.report.plain_text import plain
    from beholder.report.terminal import make_console
    from beholder.sample import Sampling
    from beholder.store.cache import ResponseCache
    from beholder.store.pins import check_pin

    console = make_console(stderr=True)
    found = find_benchmark(benchmark)
    if order not in MODES:
        raise UsageError(f"--order {order!r} is not known. Choose {' or '.join(MODES)}.")
    url = base_url or default_base_url()
    endpoint = None
    if url is not None:
        endpoint = make_endpoint(
            base_url=url,
            key_variable=api_key_env,
            headers=header or [],
            extra_body=extra_body,
            proxy=proxy,
            ca_file=ca_file,
            max_connections=max_connections,
            timeout=timeout,
            connect_timeout=connect_timeout,
            max_tokens_field=max_tokens_field,
        )
    run_seed = seed if seed is not None else 0
    models = [make_model(name, found, seed=run_seed, endpoint=endpoint) for name in model]
    template = read_template(prompt) if prompt is not None else None
    selection = Selection(
        limit=limit,
        where=tuple(parse_condition(text) for text in where or []),
        ids=read_ids(ids) if ids is not None else (),
    )
    sampling = Sampling(
        temperature=temperature if temperature is not None else found.sampling.temperature,
        top_p=top_p if top_p is not None else found.sampling.top_p,
        max_tokens=max_tokens if max_tokens is not None else found.sampling.max_tokens,
        seed=seed,
    )
    options = EngineOptions(
        concurrency=max_connections,
        retries=RetryPolicy(attempts=max_retries + 1),
        cache=runs_dir / ".cache.db" if cache else None,
        fsync=fsync,
    )

    asyncio.run(check_all(models))  # before the data is read: a wrong URL shows at once
    plan = make_plan(
        found,
        data,
        images=images,
        categories=categories,
        template=template,
        sampling=sampling,
        votes=votes,
        epochs=epochs,
        order=order,
        seed=run_seed,
        selection=selection,
    )
    check_pin(runs_dir, data, plan.data_sha256, accept=accept)
    if options.cache is not None:
        ResponseCache(options.cache).close()  # a damaged one shows before a folder is made
    for sentence in found.notices(plan.n_samples) if found.notices is not None else []:
        console.print(plain(sentence, one_line=True), style="yellow", soft_wrap=True)
    settings: dict[str, Any] = {"max_retries": max_retries, "max_connections": max_connections, "cache": cache}
    if endpoint is not None:
        settings["endpoint"] = settings_of(endpoint)
    results = asyncio.run(run_all(plan, models, options, settings, runs_dir, console))
    finish_command(results, as_json=as_json, all_metrics=all_metrics)
    codes = [exit_code(result) for result in results]
    raise typer.Exit(max(codes, default=exits.DONE))


def read_template(file: Path) -> str:
    """The user's own prompt template."""
    from beholder.errors import UsageError

    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--prompt {file} cannot be read ({error}).") from None


async def check_all(models: list[Model]) -> None:
    """Fails with `UsageError` if a model cannot be reached at all."""
    import asyncio

    await asyncio.gather(*(one.check() for one in models))


async def run_all(
    plan: Plan, models: list[Model], options: Any, settings: dict[str, Any], runs_dir: Path, console: Console
) -> list[Result]:
    """One model after the other on one plan; Ctrl-C ends them all."""
    import contextlib

    from beholder.engine.run import Ending

    results: list[Result] = []
    async with contextlib.AsyncExitStack() as stack:
        for one in models:
            stack.push_async_callback(one.close)
        for one in models:
            results.append(await run_one(plan, one, options, settings, runs_dir, console))
            if results[-1].ending is Ending.INTERRUPTED:
                break
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

    headline = find_benchmark(plan.benchmark).headline[0]
    with contextlib.ExitStack() as stack:

        def make_watch(total: int, before: int) -> Watch:
            watch = Watch(total, before, headline, say=lambda text: console.print(text, style="yellow", soft_wrap=True))
            stack.enter_context(ProgressLine(watch, console, model.name))
            return watch

        return await lifecycle.carry_out(folder, plan, model, options, make_watch)


def finish_command(results: list[Result], *, as_json: bool, all_metrics: bool = False) -> None:
    """Prints what came of the runs: tables for a person, one object for a program."""
    from beholder.report.as_json import dump, scores_object
    from beholder.report.run_report import print_result, result_summary
    from beholder.report.terminal import make_console

    if as_json:
        objects = [
            scores_object(result.found, result.items, result.metrics, result.details) | result_summary(result)
            for result in results
        ]
        typer.echo(dump(objects[0] if len(objects) == 1 else {"runs": objects}))
        return
    output = make_console()
    for result in results:
        print_result(output, result, every=all_metrics)


def exit_code(result: Result) -> int:
    """The exit code that a run's ending deserves."""
    from beholder.cli import exits
    from beholder.engine.run import Ending

    if result.ending is Ending.INTERRUPTED:
        return exits.INTERRUPTED
    if result.complete:
        return exits.DONE
    if result.tally.answered == 0 and result.ending is not Ending.REFUSED_KEY:
        return exits.NO_SCORE
    return exits.INCOMPLETE
