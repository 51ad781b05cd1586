"""A leaderboard as a table for a paper, and as CSV."""

from __future__ import annotations

from beholder.report.paper_csv import OF_FIGURE, shares, written
from beholder.report.paper_tables import label, printed
from beholder.report.table_formats import Cell, PaperTable
from beholder.viewer.compare_data import BoardRow, Leaderboard

COLUMNS = (
    "rank",
    "rank_best",
    "rank_worst",
    "name",
    "run",
    "source",
    "date",
    "benchmark",
    "scorer",
    "metric",
    *OF_FIGURE,
    "marks",
)
"""Of the CSV: a figure a line, the parts of a line after it (their ranks are empty)."""


def board_table(board: Leaderboard) -> PaperTable:
    """The lines by rank, each with what is marked on it; the notes below."""
    rows = [
        [
            Cell(ranks_of(row)),
            Cell(row.name, ",".join(map(str, row.marks))),
            Cell(printed(row.figure)),
            Cell(f"{row.figure.n:,}"),
            *(Cell(printed(row.parts.get(part), interval=False)) for part in board.parts),
        ]
        for row in board.rows
    ]
    caption = (
        f"{board.title}: {board.metric} by {board.scorer} in percent, with 95 % intervals. The ranks in brackets "
        "cannot be told apart from a line's own. Numbers behind a name: see the notes."
    )
    return PaperTable(
        name=label(board.benchmark, "leaderboard", board.scorer, board.metric),
        title=f"{board.title}: {board.metric} by {board.scorer}",
        heading=["rank", "model", board.metric, "n", *board.parts],
        rows=rows,
        caption=caption,
        texts=2,
        notes=board.notes,
    )


def board_csv(board: Leaderboard) -> str:
    """The lines as CSV (columns: `COLUMNS`)."""
    rows = []
    for row in board.rows:
        named = {"name": row.name, "run": row.run, "source": row.source, "date": row.date}
        named |= {"benchmark": board.benchmark, "scorer": board.scorer}
        ranked = {"rank": row.rank, "rank_best": row.best, "rank_worst": row.worst}
        marks = " ".join(map(str, row.marks))
        rows.append({**named, **ranked, "metric": board.metric, **shares(row.figure), "marks": marks})
        rows += [{**named, "metric": part, **shares(figure), "marks": marks} for part, figure in row.parts.items()]
    return written(rows, COLUMNS)


def ranks_of(row: BoardRow) -> str:
    """A line's rank and the range that cannot be told apart: `2 [1–4]`, or the rank alone."""
    return str(row.rank) if row.best == row.worst else f"{row.rank} [{row.best}–{row.worst}]"
