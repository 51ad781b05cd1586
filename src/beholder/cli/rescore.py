"""`beholder rescore`: apply the scorers as they are now to the answers of a run."""

from __future__ import annotations

from pathlib import Path

import typer

from beholder.cli.options import AllMetrics, AsJson, RunName, RunsDir


def rescore(
    run: RunName, all_metrics: AllMetrics = False, as_json: AsJson = False, runs_dir: RunsDir = Path("runs")
) -> None:
    """Score a run's answers again; no model is called.

    Every journaled answer is scored with the scorers as they are now. Marks stay.
    """
    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.cli.carry_out import exit_code, finish_command
    from beholder.engine import lifecycle, rescoring
    from beholder.report.terminal import make_console
    from beholder.store.folder import find_run, locked, read_info

    console = make_console(stderr=True)
    folder = find_run(run, runs_dir)
    info = read_info(folder)
    plan = lifecycle.plan_of(info)
    found = find_benchmark(plan.benchmark)
    with locked(folder):
        number = rescoring.rescore(folder, found)
        result = lifecycle.finish(folder, info, plan, found)
    console.print(f"Scored {number:,} responses again; no model was called.", style="dim")
    finish_command([result], as_json=as_json, all_metrics=all_metrics)
    raise typer.Exit(exit_code(result))
