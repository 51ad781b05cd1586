"""`beholder compare`: two runs on the same items, with paired statistics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from beholder.cli.options import AsJson, RunsDir


def compare(
    a: Annotated[str, typer.Argument(metavar="RUN_A", help="The run to compare against.")],
    b: Annotated[str, typer.Argument(metavar="RUN_B", help="The run that may be better.")],
    scorer: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which scorer (default: the benchmark's headline).")
    ] = None,
    intersect: Annotated[bool, typer.Option("--intersect", help="Compare only the items that both runs hold.")] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the bootstrap.")] = 0,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Compare two runs item by item, with paired statistics.

    The difference is RUN_B minus RUN_A, on the headline's scorer unless --scorer says otherwise.
    """
    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.engine import lifecycle
    from beholder.errors import UsageError
    from beholder.report.as_json import dump
    from beholder.report.comparison import compare as compare_items
    from beholder.report.comparison_report import print_comparison
    from beholder.report.terminal import make_console
    from beholder.store import reading, schema
    from beholder.store.folder import find_run, read_info

    infos = [read_info(find_run(name, runs_dir)) for name in (a, b)]
    plans = [lifecycle.plan_of(info) for info in infos]
    if plans[0].benchmark != plans[1].benchmark:
        raise UsageError(f"{a} ran {plans[0].benchmark}, {b} ran {plans[1].benchmark}. Compare runs of one benchmark.")
    found = find_benchmark(plans[0].benchmark)
    chosen = scorer or found.headline[0]
    if chosen not in found.scorers:
        raise UsageError(f"--scorer: {found.name} has no scorer {chosen!r}. It has {', '.join(found.scorers)}.")
    sides = []
    for name in (a, b):
        db = schema.open_to_read(find_run(name, runs_dir) / "run.db")
        sides.append(reading.scored_items(db))
        db.close()
    names = (str(infos[0].settings.get("model", a)), str(infos[1].settings.get("model", b)))
    if names[0] == names[1]:
        names = (f"{names[0]} (A)", f"{names[1]} (B)")
    result = compare_items(
        sides[0], sides[1], chosen, voted=found.answers_shown > 0, intersect=intersect, names=names, seed=seed
    )
    if as_json:
        typer.echo(dump(result))
    else:
        print_comparison(make_console(), result, names)
