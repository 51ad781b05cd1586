"""`beholder compare`: runs on the same items, with paired statistics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from beholder.cli.options import AsJson, RunsDir


def compare(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN…", help="The run to compare against, then one or more that may be better."),
    ],
    scorer: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which scorer (default: the benchmark's headline).")
    ] = None,
    intersect: Annotated[
        bool, typer.Option("--intersect", help="Compare only the items that all of the runs hold.")
    ] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the bootstrap.")] = 0,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Compare runs item by item, with paired statistics.

    Each run is compared with the first, on the headline's scorer unless --scorer says otherwise: a difference is that
    run minus the first. `beholder view` shows the same, with the items that were gained and lost.
    """
    import contextlib

    import msgspec

    from beholder.cli.finding import find_run
    from beholder.engine import lifecycle
    from beholder.errors import UsageError
    from beholder.report.as_json import dump
    from beholder.report.comparison import headline_scorer, item_values
    from beholder.report.comparison_report import print_agreement, print_comparison, print_several
    from beholder.report.html_runs import called, run_names
    from beholder.report.run_agreement import answers_read
    from beholder.report.run_differences import run_notes, side_of
    from beholder.report.several_runs import MOST_RUNS, compare_several
    from beholder.report.terminal import make_console
    from beholder.store import reading, schema
    from beholder.store.folder import read_info
    from beholder.store.spending import spending

    if not 2 <= len(runs) <= MOST_RUNS:
        raise UsageError(f"compare takes 2 to {MOST_RUNS} runs, not {len(runs)}.")
    folders = [find_run(name, runs_dir) for name in runs]
    infos = [read_info(folder) for folder in folders]
    plans = [lifecycle.plan_of(info) for info in infos]
    for name, plan in zip(runs[1:], plans[1:], strict=True):
        if plan.benchmark != plans[0].benchmark:
            raise UsageError(
                f"{runs[0]} ran {plans[0].benchmark}, {name} ran {plan.benchmark}. Compare runs of one benchmark."
            )
    found = lifecycle.benchmark_of(infos[0], plans[0])
    if scorer is not None and scorer not in found.scorers:
        raise UsageError(f"--scorer: {found.name} has no scorer {scorer!r}. It has {', '.join(found.scorers)}.")
    items, sides, spent = [], [], []
    for folder, info, plan in zip(folders, infos, plans, strict=True):
        with contextlib.closing(schema.open_to_read(folder / "run.db")) as db:
            items.append(reading.scored_items(db))
            sides.append(side_of(folder, info, plan, db, lifecycle.benchmark_of(info, plan)))
            spent.append(spending(db).total)
    chosen = scorer or headline_scorer(found, [item for own in items for item in own])
    models = [str(info.settings.get("model", run)) for info, run in zip(infos, runs, strict=True)]
    arms = [plan.tools.arm.value if plan.tools is not None else "" for plan in plans]
    names = run_names(called(list(zip(models, arms, strict=True))))
    result = compare_several(
        [item_values(own, chosen, voted=found.answers_shown > 0) for own in items],
        chosen,
        intersect=intersect,
        names=names,
        answers=[answers_read(own, chosen) for own in items],
        seed=seed,
    )
    notes = {place: run_notes(sides[0], sides[place], chosen) for place in range(1, len(sides))}
    first = result.against[0].comparison
    if as_json:
        told = msgspec.to_builtins(result) | {"names": names, "spent": msgspec.to_builtins(spent)}
        if len(runs) == 2:  # as flat as it can be where there is one pair only
            told |= msgspec.to_builtins(first)
        typer.echo(dump(told | {"notes": notes[1] if len(runs) == 2 else notes}))
        return
    console = make_console()
    if len(runs) == 2:
        print_comparison(console, first, (names[0], names[1]), notes[1], means=result.means)
        print_agreement(console, result, spent)
    else:
        print_several(console, result, names, notes, spent)
