"""`beholder rescore`: apply the scorers as they are now to the answers of a run."""

from __future__ import annotations

from pathlib import Path

import typer

from beholder.cli.options import AsJson, RunName, RunsDir


def rescore(run: RunName, as_json: AsJson = False, runs_dir: RunsDir = Path("runs")) -> None:
    """Score every journaled answer again with the present scorers. No model is called."""
    from rich.console import Console

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.cli.run import exit_code, finish_command
    from beholder.engine import lifecycle
    from beholder.store.folder import find_run, locked, read_info

    console = Console(stderr=True, highlight=False, markup=False)
    folder = find_run(run, runs_dir)
    info = read_info(folder)
    plan = lifecycle.plan_of(info)
    found = find_benchmark(plan.benchmark)
    with locked(folder):
        number = lifecycle.rescore(folder, found)
        result = lifecycle.finish(folder, info, plan, found)
    console.print(f"Scored {number:,} responses again; no model was called.", style="dim")
    finish_command([result], console, as_json=as_json)
    raise typer.Exit(exit_code(result))
