"""`beholder data check`: everything that can be wrong with a data set, in one report; and what errata change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beholder.cli.options import AsJson, RunsDir, Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from beholder.audit.errata import BothScores, Correction, Overlay
    from beholder.audit.records import DataAudit, Shared
    from beholder.benchmarks.benchmark import Benchmark, LoadOptions
    from beholder.engine.lifecycle import Result

_SHOWN, _FEW = 20, 5


def check(
    benchmark: Annotated[
        str, typer.Argument(metavar="BENCHMARK", help="A benchmark or a data set, such as tfq-full; or the path alone.")
    ],
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="PATH", help="The data: a file, or its folder (default: what was fetched).", show_default=False
        ),
    ] = None,
    images: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder that image names are relative to.")
    ] = None,
    task: Task = "",
    errata: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON or JSON lines of corrected gold (docs/data.md): say what it changes."),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="With --errata: what this run comes to as published, and under the errata."),
    ] = None,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Is a data set whole, are its pictures there, and is its own gold right under every scorer?

    Counts, records that cannot be used, duplicates, ids and pictures that several records have, gold that a scorer does
    not find right, pictures that are missing. Fetched data is compared with what was fetched. The exit code is 1 if a
    record, a picture, a fetched file or a line of the errata cannot be used.
    """
    from beholder.audit.errata import read_errata
    from beholder.audit.layouts import recognise
    from beholder.benchmarks import BENCHMARKS
    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.benchmarks.benchmark import LoadOptions
    from beholder.benchmarks.fetched import fetched_data
    from beholder.benchmarks.published import published
    from beholder.errors import UsageError

    known = published()
    if path is None and benchmark not in known and benchmark not in BENCHMARKS and Path(benchmark).exists():
        path = Path(benchmark)
        benchmark = recognise(path)
    elif path is None and benchmark not in known and "/" in benchmark:
        raise UsageError(f"{benchmark}: there is no such file or folder.")
    found = find_benchmark(known[benchmark].benchmark if benchmark in known else benchmark)
    found.template_of(task)
    corrections = read_errata(errata) if errata is not None else None
    if run is not None and corrections is None:
        raise UsageError("--run goes with --errata FILE. `beholder show` gives the score as published.")
    result = _result(run, runs_dir, found) if run is not None else None
    if path is None and result is not None and Path(result.plan.data).exists():
        path = Path(result.plan.data)
    if path is None:
        path, _ = fetched_data(benchmark, "`beholder data check BENCHMARK PATH`")
    options = LoadOptions(images=images, task=task)
    report(found, path, options, as_json=as_json, corrections=corrections, result=result)


def report(
    found: Benchmark,
    path: Path,
    options: LoadOptions,
    *,
    as_json: bool,
    corrections: Sequence[Correction] | None = None,
    result: Result | None = None,
) -> None:
    """Checks the data, prints what was found, and leaves with the exit code for it."""
    import msgspec

    from beholder.audit.errata import both_scores
    from beholder.audit.fetching import faults
    from beholder.audit.records import audit_records
    from beholder.benchmarks.fetched import read_fetched
    from beholder.cli import exits
    from beholder.report.as_json import dump
    from beholder.report.terminal import make_console, say

    there = read_fetched(path) if path.is_dir() else None
    wrong = faults(path, there) if there is not None else []
    audit = audit_records(found, path, options, corrections)
    both = both_scores(result, corrections or ()) if result is not None else None
    if as_json:
        more: dict[str, Any] = {"benchmark": found.name, "path": str(path), "fetched": None, "scores": None}
        if there is not None:
            more["fetched"] = {"repository": there.repository, "commit": there.commit, "faults": wrong}
        if both is not None and result is not None:
            more["scores"] = {"run": str(result.folder)} | msgspec.to_builtins(both)
        typer.echo(dump(msgspec.to_builtins(audit) | more))
    else:
        console = make_console()
        if there is not None:
            whole = "" if wrong or not there.complete else "; every file is as it was fetched"
            say(console, f"{there.origin}{whole}.", "dim")
            for fault in wrong[:_SHOWN]:
                say(console, f"{fault}. `beholder data fetch {there.data_set}` mends it.", "red")
        _print_audit(console, audit, path)
        if audit.overlay is not None:
            _print_overlay(console, audit.overlay)
        if both is not None and result is not None:
            _print_both(console, found, both, result)
    if audit.broken or wrong:
        raise typer.Exit(exits.BROKEN)


def _result(name: str, runs_dir: Path, found: Benchmark) -> Result:
    """The run, as it stands. `UsageError` if it is of another benchmark."""
    from beholder.cli.finding import find_run
    from beholder.engine import lifecycle
    from beholder.errors import UsageError
    from beholder.store.folder import read_info

    folder = find_run(name, runs_dir)
    info = read_info(folder)
    plan = lifecycle.plan_of(info)
    if plan.benchmark != found.name:
        raise UsageError(f"--run {name}: this is a run of {plan.benchmark}, not of {found.name}.")
    return lifecycle.read_result(folder, info, plan, lifecycle.benchmark_of(info, plan))


def _print_audit(console: Console, audit: DataAudit, path: Path) -> None:
    from beholder.report.figures import count, counted
    from beholder.report.terminal import bare_table, cell, say

    title = f"{path}: {counted(audit.records, 'record')}, {counted(audit.images, 'image')}"
    console.print(cell(title, "bold"), soft_wrap=True)
    if len(audit.categories) > 1:
        sizes = ", ".join(f"{name} {number}" for name, number in sorted(audit.categories.items()))
        say(console, sizes, "dim")
    if len(audit.answers) > 1:
        golds = ", ".join(f"{number:,} {name}" for name, number in audit.answers.items())
        say(console, f"gold: {golds}", "dim")
    for sentence in audit.differences:
        say(console, sentence, "yellow")
    for places in audit.duplicates[:_SHOWN]:
        say(console, f"Same content: {', '.join(places[:5])}", "yellow")
    if len(audit.duplicates) > _SHOWN:
        say(console, f"… and {count(len(audit.duplicates) - _SHOWN)} more.", "yellow")
    _print_shared(console, audit.ids, "id")
    _print_shared(console, audit.pictures, "picture")
    if audit.unusable:
        say(console, f"{counted(len(audit.unusable), 'record')} cannot be used:", "red")
    for bad in audit.unusable[:_SHOWN]:
        say(console, f"{bad.where}: {bad.problem}." + (f" {bad.mend}" if bad.mend else ""), "red")
    if len(audit.unusable) > _SHOWN:
        say(console, f"… and {counted(len(audit.unusable) - _SHOWN, 'more record')}.", "red")
    if audit.stopped:
        say(console, "Reading stopped there: what comes after it was not looked at.", "red")
    for problem in audit.unreadable[:_SHOWN]:
        say(console, f"{problem.where}: {problem.image}: {problem.problem}", "red")
    if len(audit.unreadable) > _SHOWN:
        say(console, f"… and {counted(len(audit.unreadable) - _SHOWN, 'more image')}.", "red")
    console.print()
    if not audit.errata:
        if audit.records:
            say(console, "The gold is right under every scorer.", "green")
        return
    records = counted(len({erratum.where for erratum in audit.errata}), "record")
    say(console, f"Errata: {records} whose own gold a scorer does not find right.", "yellow")
    shown = bare_table("record", "task", "gold", "scorer", "why", "value", texts=5)
    for erratum in audit.errata[:_SHOWN]:
        value = "–" if erratum.value is None else f"{erratum.value:.3g}"
        texts = (erratum.where, erratum.category, erratum.gold, erratum.scorer, erratum.reason, value)
        shown.add_row(*map(cell, texts))
    console.print(shown)
    if len(audit.errata) > _SHOWN:
        say(console, f"… and {count(len(audit.errata) - _SHOWN)} more (--json lists all).", "dim")


def _print_shared(console: Console, shared: Sequence[Shared], what: str) -> None:
    """Ids or pictures that several records have: how many, and the first of them."""
    from beholder.report.figures import counted
    from beholder.report.terminal import say

    if not shared:
        return
    several = "is in several records" if len(shared) == 1 else "are in several records each"
    say(console, f"{counted(len(shared), what)} {several}:", "yellow")
    for one in shared[:_FEW]:
        places = ", ".join(one.places[:5]) + (", …" if len(one.places) > 5 else "")
        name = "" if one.name == one.places[0] else f"{one.name}: "  # an embedded picture has no name of its own
        say(console, f"  {name}{places}", "yellow")
    if len(shared) > _FEW:
        say(console, f"  … and {len(shared) - _FEW:,} more (--json lists all).", "yellow")


def _print_overlay(console: Console, found: Overlay) -> None:
    from beholder.report.figures import counted
    from beholder.report.terminal import bare_table, cell, say

    console.print()
    say(console, f"The errata change {counted(len(found.changes), 'record')}.")
    shown = bare_table("record", "gold", "becomes", "why", "source", texts=5)
    for change in found.changes[:_SHOWN]:
        after = "dropped" if change.drop else change.after
        shown.add_row(*map(cell, (change.where, change.before, after, change.why[:200], change.source[:200])))
    if found.changes:
        console.print(shown)
    if len(found.changes) > _SHOWN:
        say(console, f"… and {len(found.changes) - _SHOWN:,} more (--json lists all).", "dim")
    for sentence in found.unused[:_SHOWN]:
        say(console, f"Not used: {sentence}", "red")
    if len(found.unused) > _SHOWN:
        say(console, f"… and {len(found.unused) - _SHOWN:,} more.", "red")


def _print_both(console: Console, found: Benchmark, both: BothScores, result: Result) -> None:
    """The headline under each scorer, as published and under the errata, side by side."""
    from beholder.report.figures import count, denominator_of, interval_of, value_of
    from beholder.report.terminal import bare_table, cell, say

    scorer, metric = found.headline_of(result.metrics)
    console.print()
    console.print(cell(f"{result.folder}: {metric}, headline by {scorer}", "bold"), soft_wrap=True)
    say(console, f"Of its items: {count(both.changed)} with another gold, {count(both.dropped)} dropped.", "dim")
    shown = bare_table("scorer", "as published", "under the errata", texts=3)
    for name in both.published:
        row = [name]
        for metrics in (both.published, both.corrected):
            figure = metrics.get(name, {}).get(metric)
            row.append("–" if figure is None else f"{value_of(figure)} {interval_of(figure)} {denominator_of(figure)}")
        shown.add_row(*(cell(text, "bold" if name == scorer else "") for text in row))
    console.print(shown)
