"""`beholder leaderboard`: runs and published figures in one table, with ranks that hold."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beholder.cli.options import AsJson, RunsDir

if TYPE_CHECKING:
    from rich.console import Console

    from beholder.viewer.compare_data import Leaderboard

_BESIDE_PARTS, _PART = 84, 11
"""Columns of the terminal that a board takes without its parts, and that a part takes."""


class Form(StrEnum):
    """How a leaderboard is written."""

    TABLE = "table"
    MARKDOWN = "md"
    CSV = "csv"
    LATEX = "latex"


def leaderboard(
    runs: Annotated[
        Path | None,
        typer.Argument(metavar="[RUNS_DIR]", help="A folder of runs (default: --runs-dir).", show_default=False),
    ] = None,
    benchmark: Annotated[
        str, typer.Option(metavar="NAME", help="Which benchmark (default: that of the newest run).")
    ] = "",
    scorer: Annotated[
        str, typer.Option(metavar="NAME", help="Which scorer (default: that of the benchmark's headline).")
    ] = "",
    metric: Annotated[str, typer.Option(metavar="NAME", help="Which metric (default: the headline).")] = "",
    form: Annotated[
        Form, typer.Option("--format", metavar="NAME", help="table; or for a paper: md, csv or latex.")
    ] = Form.TABLE,
    no_published: Annotated[bool, typer.Option("--no-published", help="Leave out the published tables.")] = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Rank runs and published figures under one scorer and metric.

    Ranks come with the range that the data cannot tell apart. A line that was measured otherwise than the others
    carries the numbers of notes that say how; what cannot stand on the board is listed with why.
    """
    from beholder.benchmarks.tables import tables
    from beholder.errors import UsageError
    from beholder.report.as_json import dump
    from beholder.report.table_formats import latex, markdown
    from beholder.report.terminal import make_console
    from beholder.viewer.board_tables import board_csv, board_table
    from beholder.viewer.leaderboard import board_with
    from beholder.viewer.library import Library

    if runs is not None and not runs.is_dir():
        raise UsageError(f"{runs} is no folder. Give a folder of runs.")
    library = Library(runs or runs_dir)
    try:
        board = board_with(library, () if no_published else tables(), benchmark, scorer, metric)
    finally:
        library.close()
    if as_json:
        typer.echo(dump(board))
    elif form is Form.CSV:
        typer.echo(board_csv(board), nl=False)
    elif form is Form.TABLE:
        _print(make_console(), board)
    else:
        table = board_table(board)
        typer.echo(latex([table]) if form is Form.LATEX else markdown([table]), nl=False)


def _print(console: Console, board: Leaderboard) -> None:
    from beholder.report.figures import interval_of, value_of
    from beholder.report.plain_text import plain
    from beholder.report.terminal import bare_table, cell, say
    from beholder.viewer.board_tables import ranks_of

    title = plain(f"{board.title}: {board.metric} by {board.scorer}", one_line=True)
    console.print(cell(title, "bold"), soft_wrap=True)
    parts = board.parts if console.width >= _BESIDE_PARTS + _PART * len(board.parts) else []
    table = bare_table("rank", "", board.metric, "95 %", "n", *parts, "notes", texts=2)
    for row in board.rows:
        figures = [value_of(row.figure), interval_of(row.figure), f"{row.figure.n:,}"]
        figures += [value_of(row.parts[part]) if part in row.parts else "–" for part in parts]
        name = plain(row.name, one_line=True, limit=60) + (f" ({row.date or 'published'})" if row.source else "")
        style = "" if row.run else "dim"
        marks = " ".join(map(str, row.marks))
        table.add_row(*(cell(text, style) for text in (ranks_of(row), name, *figures, marks)))
    console.print(table)
    if board.parts and not parts:
        say(console, f"Its {len(board.parts)} parts are in --format csv, md or latex, and in --json.", "dim")
    for number, note in enumerate(board.notes, 1):
        say(console, f"{number}  {plain(note, one_line=True)}", "dim")
    if board.left_out:
        say(console, "Not on this board:")
    for fact in board.left_out:
        say(console, f"  {plain(fact.name, one_line=True)}: {plain(fact.words, one_line=True)}", "dim")
