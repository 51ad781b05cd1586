"""`beholder list`: the runs and experiments, benchmarks, models and families of items there are."""

from __future__ import annotations

from pathlib import Path

import typer

from beholder.cli.options import AsJson, RunsDir


def list_runs(as_json: AsJson = False, runs_dir: RunsDir = Path("runs")) -> None:
    """List benchmarks, models, families of items and runs."""
    from beholder.benchmarks import BENCHMARKS, own
    from beholder.models import KINDS
    from beholder.report.experiment_list import experiment_rows
    from beholder.report.figures import counted
    from beholder.report.plain_text import plain
    from beholder.report.run_list import run_rows
    from beholder.store.folder import resume_command
    from beholder.synth.families import FAMILIES

    rows, experiments, mine = run_rows(runs_dir), experiment_rows(runs_dir), own.listed()
    if as_json:
        import json

        kinds = {
            "benchmarks": {name: line for name, (_, line) in BENCHMARKS.items()},
            "own_benchmarks": mine,
            "models": KINDS,
            "families": {name: family.asks for name, family in FAMILIES.items()},
        }
        typer.echo(json.dumps({"runs": rows, "experiments": experiments, **kinds}))
        return
    typer.echo("Benchmarks")
    for name, (_, line) in BENCHMARKS.items():
        typer.echo(f"  {name:14}  {line}")
    for name, place in mine.items():
        typer.echo(f"  {plain(name, one_line=True):14}  your own: {plain(place, one_line=True)}")
    typer.echo("\nModels (--model)")
    for line in KINDS.values():
        how, _, what = line.partition(": ")
        typer.echo(f"  {how:14}  {what}")
    typer.echo("  path/to/file.py:Class  a model of your own (docs/own-benchmark.md)")
    typer.echo("\nFamilies of fresh items (beholder synth)")
    for family in FAMILIES.values():
        typer.echo(f"  {family.task:15} {family.asks}")
    typer.echo(f"\nRuns in {plain(str(runs_dir), one_line=True)}, oldest first")
    names = [plain(row["name"], one_line=True) for row in rows]
    width = min(max(map(len, names), default=0), 60)
    for name, row in zip(names, rows, strict=True):
        typer.echo(f"  {name:{width}}  {row['status']:10}  {plain(row['headline'], one_line=True)}")
    stopped = [name for name, row in zip(names, rows, strict=True) if row["status"] == "stopped"]
    if stopped:
        typer.echo(
            f"A stopped run was killed before it ended. Continue it with: {resume_command(runs_dir / stopped[-1])}"
        )
    if not rows:
        begin = "yet; start one with `beholder run`, or see `beholder demo`"
        typer.echo(f"  none {'but those of the experiments' if experiments else begin}")
    if experiments:
        typer.echo("\nExperiments, oldest first; `beholder experiment show NAME` shows one, and NAME/ARM is a run")
    for row in experiments:
        there = [f"{row['complete']} of {counted(len(row['arms']), 'arm')} complete"] if row["arms"] else []
        facts = [plain(fact, one_line=True, limit=80) for fact in (row["name"], row["kind"], row["model"], *there)]
        typer.echo("  " + "  ".join(filter(None, facts)))
