"""`beholder audit`: check a published table, or a data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beholder.cli.audit_leaks import leaks
from beholder.cli.options import AsJson, Task

if TYPE_CHECKING:
    from rich.console import Console

    from beholder.audit.table import Audit, Claim

_HELP = {"help_option_names": ["-h", "--help"]}
_ROOMY, _NARROW = 70, 24

app = typer.Typer(
    help="Check a published table, or a data set.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings=_HELP,
)
app.command("leaks", context_settings=_HELP)(leaks)


@app.command("table", context_settings=_HELP)
def table(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV with a header line, figures in percent.")],
    counts: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="CSV `column, n` for a table that is not TIR-Bench's or VL-RewardBench's."),
    ] = None,
    overall: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column that claims the mean (with --counts).")
    ] = None,
    tolerance: Annotated[
        float, typer.Option(metavar="POINTS", min=0, max=100, help="How far a claim may be off by rounding.")
    ] = 0.10,
    as_json: AsJson = False,
) -> None:
    """Does each overall figure of a published table follow from its columns?

    Missing cells are left out and named. Cells that no number of right answers can give are flagged.
    """
    import msgspec

    from beholder.audit.table import audit_table
    from beholder.report.as_json import dump
    from beholder.report.terminal import make_console

    audit = audit_table(file, counts=counts, overall=overall, tolerance=tolerance)
    if as_json:
        typer.echo(dump(msgspec.to_builtins(audit)))
    else:
        _print_table(make_console(), audit, file)


@app.command("data", context_settings=_HELP)
def data(
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK", help="tfq, vl-rewardbench, tir or m3r.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The data: a file, or its folder.")],
    images: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder that image names are relative to.")
    ] = None,
    task: Task = "",
    as_json: AsJson = False,
) -> None:
    """Is a data set whole, are its pictures there, and is its own gold right under every scorer?

    The same as `beholder data check`. The exit code is 1 if a record or a picture cannot be used.
    """
    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.benchmarks.benchmark import LoadOptions
    from beholder.cli.data_check import report

    found = find_benchmark(benchmark)
    found.template_of(task)
    report(found, path, LoadOptions(images=images, task=task), as_json=as_json)


def _print_table(console: Console, audit: Audit, file: Path) -> None:
    from beholder.report.figures import counted
    from beholder.report.terminal import bare_table, cell, say

    title = f"{file.name}: {audit.layout.title}, {counted(len(audit.rows), 'row')}"
    console.print(cell(title, "bold"), soft_wrap=True)
    shown = bare_table("", "claim", "follows", "printed", "micro", "macro", texts=3)
    shown.columns[1].no_wrap = console.width >= _ROOMY and max(map(len, audit.layout.overall)) < _NARROW
    for row in audit.rows:
        for claim in row.claims:
            style = "" if claim.follows else "red"
            figures = (f"{claim.claimed:.1f}", f"{claim.micro:.2f}", f"{claim.macro:.2f}")
            shown.add_row(*(cell(text, style) for text in (row.model, claim.column, _follows(claim), *figures)))
    claimed = any(row.claims for row in audit.rows)
    if claimed:
        console.print(shown)
        console.print()
    off = [row.model for row in audit.rows if not all(claim.follows for claim in row.claims)]
    if off:
        have = (
            "has an overall figure that does not follow" if len(off) == 1 else "have overall figures that do not follow"
        )
        say(console, f"{len(off)} of {counted(len(audit.rows), 'row')} {have}: {', '.join(off)}.", "red")
    else:
        fine = "Every overall figure follows from its columns." if claimed else "No row has an overall figure."
        say(console, fine, "green" if claimed else "yellow")
    for row in audit.rows:
        for one in row.impossible:
            words = f"{row.model}: {one.column} {one.value:g} cannot be a share of {counted(one.n, 'item')} " + (
                f"(nearest {one.nearest[0]:g} and {one.nearest[1]:g})."
            )
            if one.would_follow is not None:
                words += f" With {one.would_follow:g} there the overall figure would follow."
            say(console, words, "yellow")
    if audit.layout.drops and any(row.impossible for row in audit.rows):
        say(console, "Such a figure may be a share of fewer items: the authors leave undecided ones out.", "yellow")
    for row in audit.rows:
        if row.missing:
            say(console, f"{row.model}: {row.claims[0].reason if row.claims else 'no claim'}.", "dim")
    if audit.unread:
        say(console, f"Columns not used: {', '.join(audit.unread)}.", "dim")


def _follows(claim: Claim) -> str:
    """Whether a claim follows, in a few words: a table of eighty columns has no room for more."""
    if claim.follows:
        return f"as {claim.mean}"
    return f"no; as {' and '.join(claim.agrees_with)}" if claim.agrees_with else "no"
