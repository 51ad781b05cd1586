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
    import contextlib

    import msgspec

    from beholder.cli.finding import find_run
    from beholder.engine import lifecycle
    from beholder.errors import UsageError
    from beholder.report.as_json import dump
    from beholder.report.comparison import compare as compare_items
    from beholder.report.comparison import headline_scorer
    from beholder.report.comparison_report import print_comparison
    from beholder.report.run_differences import run_notes, side_of
    from beholder.report.terminal import make_console
    from beholder.store import reading, schema
    from beholder.store.folder import read_info

    folders = [find_run(name, runs_dir) for name in (a, b)]
    infos = [read_info(folder) for folder in folders]
    plans = [lifecycle.plan_of(info) for info in infos]
    if plans[0].benchmark != plans[1].benchmark:
        raise UsageError(f"{a} ran {plans[0].benchmark}, {b} ran {plans[1].benchmark}. Compare runs of one benchmark.")
    found = lifecycle.benchmark_of(infos[0], plans[0])
    if scorer is not None and scorer not in found.scorers:
        raise UsageError(f"--scorer: {found.name} has no scorer {scorer!r}. It has {', '.join(found.scorers)}.")
    items, sides = [], []
    for folder, info, plan in zip(folders, infos, plans, strict=True):
        with contextlib.closing(schema.open_to_read(folder / "run.db")) as db:
            items.append(reading.scored_items(db))
            sides.append(side_of(folder, info, plan, db, lifecycle.benchmark_of(info, plan)))
    chosen = scorer or headline_scorer(found, items[0] + items[1])
    names = (str(infos[0].settings.get("model", a)), str(infos[1].settings.get("model", b)))
    if names[0] == names[1]:
        names = (f"{names[0]} (A)", f"{names[1]} (B)")
    result = compare_items(
        items[0], items[1], chosen, voted=found.answers_shown > 0, intersect=intersect, names=names, seed=seed
    )
    notes = run_notes(sides[0], sides[1], chosen)
    if as_json:
        typer.echo(dump(msgspec.to_builtins(result) | {"notes": notes}))
    else:
        print_comparison(make_console(), result, names, notes)
