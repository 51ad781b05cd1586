"""Inserting many rows with few statements."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

_PARAMETERS = 30_000
"""SQLite takes 32,766 parameters in one statement."""


def insert_rows(db: sqlite3.Connection, insert: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Runs `insert` (such as `INSERT INTO responses`) for all rows, many rows to a statement.

    `executemany` gives the interpreter lock away once for each row, and the event loop and the feeders fight for it
    each time; a statement of many rows gives it away once.
    """
    if not rows:
        return
    width = len(rows[0])
    at_once = _PARAMETERS // width
    for start in range(0, len(rows), at_once):
        part = rows[start : start + at_once]
        marks = ",".join(["(" + ",".join("?" * width) + ")"] * len(part))
        db.execute(f"{insert} VALUES {marks}", [value for row in part for value in row])
