"""Records that a run leaves out because they cannot be used: asked for, told, and kept in run.json."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from beholder.benchmarks.benchmark import Benchmark
    from beholder.errors import DataError

_SHOWN, _KEPT = 20, 1000

KeepApart = Annotated[
    bool,
    typer.Option(
        "--keep-apart",
        help="Leave out records that cannot be used, and list them (m3r, tir); otherwise no run begins.",
        rich_help_panel="What to ask",
    ),
]


def check_reads_on(found: Benchmark) -> None:
    """`UsageError` for a benchmark whose data is read to its first bad record and no further."""
    from beholder.errors import UsageError

    if not found.reads_on:
        raise UsageError(f"{found.name} has no --keep-apart: mend or remove the records that cannot be used.")


@contextmanager
def saying_how_to_go_on(found: Benchmark, keep_apart: bool) -> Iterator[None]:
    """Adds to an error about a record how to see all of them, and how to run without them."""
    from beholder.errors import DataError, UsageError

    try:
        yield
    except DataError as error:
        if keep_apart or not found.reads_on:
            raise
        command = f"`beholder audit data {found.name} PATH` lists all such records, --keep-apart leaves them out."
        raise UsageError(f"{error} {command}") from None


def tell_apart(errors: Sequence[DataError], console: Console) -> list[dict[str, Any]]:
    """Prints one line for each of the first records that are left out; what run.json keeps of them, at most 1,000."""
    from beholder.report.figures import count, counted
    from beholder.report.terminal import say

    say(console, f"{counted(len(errors), 'record')} kept apart, not asked about:", "yellow")
    for error in errors[:_SHOWN]:
        say(console, f"  {error}", "yellow")
    if len(errors) > _SHOWN:
        say(console, f"  … and {count(len(errors) - _SHOWN)} more (run.json has them).", "yellow")
    return [{"where": one.where, "problem": one.message, "mend": one.mend} for one in errors[:_KEPT]]
