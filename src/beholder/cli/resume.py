"""`beholder resume`: continue a run, asking only for what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from beholder.cli.options import AllMetrics, AsJson, ExtraBody, FSync, Header, RunName, RunsDir


def resume(
    run: RunName,
    base_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Only needed if the run's URL held credentials; another URL is refused."),
    ] = None,
    header: Header = None,
    extra_body: ExtraBody = None,
    proxy: Annotated[str | None, typer.Option(metavar="URL", help="Another HTTP proxy.")] = None,
    max_connections: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=4096, help="Requests in flight at once.")
    ] = None,
    max_retries: Annotated[int | None, typer.Option(metavar="N", min=0, max=100, help="Retries of a request.")] = None,
    fsync: FSync = False,
    all_metrics: AllMetrics = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Continue a run, asking only for what is missing.

    For a run that was stopped or killed, or whose failures may succeed now.
    """
    import asyncio

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.cli.endpoint import endpoint_again
    from beholder.cli.run import carry_out_with_progress, exit_code, finish_command
    from beholder.engine.lifecycle import EngineOptions, Result, check_same_plan, plan_of
    from beholder.engine.retry import RetryPolicy
    from beholder.models import make_model
    from beholder.report.terminal import make_console
    from beholder.store.folder import find_run, read_info

    console = make_console(stderr=True)
    folder = find_run(run, runs_dir)
    info = read_info(folder)
    plan = plan_of(info)
    found = find_benchmark(plan.benchmark)
    settings = info.settings
    endpoint = None
    if "endpoint" in settings:
        endpoint = endpoint_again(
            settings["endpoint"],
            base_url=base_url,
            headers=header or [],
            extra_body=extra_body,
            proxy=proxy,
            max_connections=max_connections,
        )
    retries = max_retries if max_retries is not None else settings["max_retries"]
    options = EngineOptions(
        concurrency=max_connections or settings["max_connections"],
        retries=RetryPolicy(attempts=retries + 1),
        cache=folder.resolve().parent / ".cache.db" if settings["cache"] else None,
        fsync=fsync,
    )

    async def run_on() -> Result:
        model = make_model(settings["model"], found, seed=plan.seed, endpoint=endpoint)
        try:
            check_same_plan(info, plan, model)
            await model.check()
        except BaseException:
            await model.close()
            raise
        return await carry_out_with_progress(folder, plan, model, options, console)

    result = asyncio.run(run_on())
    finish_command([result], as_json=as_json, all_metrics=all_metrics)
    raise typer.Exit(exit_code(result))
