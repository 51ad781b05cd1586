"""`beholder list`: the runs, benchmarks and models there are."""

from __future__ import annotations

from pathlib import Path

import typer

from beholder.cli.options import AsJson, RunsDir


def list_runs(as_json: AsJson = False, runs_dir: RunsDir = Path("runs")) -> None:
    """List the runs under --runs-dir, the benchmarks and the kinds of model."""
    from beholder.benchmarks import BENCHMARKS
    from beholder.models import KINDS
    from beholder.report.plain_text import plain
    from beholder.report.run_list import run_rows

    rows = run_rows(runs_dir)
    if as_json:
        import json

        kinds = {"benchmarks": {name: line for name, (_, line) in BENCHMARKS.items()}, "models": KINDS}
        typer.echo(json.dumps({"runs": rows, **kinds}))
        return
    typer.echo("Benchmarks")
    for name, (_, line) in BENCHMARKS.items():
        typer.echo(f"  {name:16} {line}")
    typer.echo("Models (--model)")
    for line in KINDS.values():
        typer.echo(f"  {line}")
    typer.echo(f"Runs in {runs_dir}")
    for row in rows:
        typer.echo("  " + plain(f"{row['name']}  {row['status']:10}  {row['headline']}", one_line=True))
    if not rows:
        typer.echo("  none yet; start one with `beholder run`, or see `beholder demo`")
