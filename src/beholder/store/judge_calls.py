"""What judge models were asked about responses and what came back: an extractor's readings, a rubric's verdicts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

import msgspec

from beholder.sample import Failure, Response
from beholder.store import schema
from beholder.store.journal import json_text, storable

EXTRACTION = "extraction"
"""The purpose of calls that read the answer out of a response."""


class JudgeCall(msgspec.Struct, frozen=True, kw_only=True):
    """One question put to a judge about the response in row `response`.

    `judge` is the model, `prompt` the SHA-256 of the prompt's template. `answer` is what it gave, None with the
    `failure` that says why not. `replies` holds every response in order; it is empty where the judge was not asked
    because there was nothing to be judged.
    """

    response: int
    purpose: str
    judge: str
    prompt: str
    answer: str | None = None
    failure: Failure | None = None
    replies: tuple[Response, ...] = ()


def keep(folder: Path, calls: Iterable[JudgeCall]) -> None:
    """Writes calls in one transaction; a call replaces an earlier one of the same purpose about the same response.

    The responses' scores are removed: they were given without it.
    """
    db = schema.open_to_write(folder / "run.db")
    try:
        with schema.told_plainly(folder):
            db.execute("BEGIN IMMEDIATE")
            for call in calls:
                db.execute(
                    "INSERT OR REPLACE INTO judge_calls VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (
                        call.response,
                        call.purpose,
                        call.judge,
                        call.prompt,
                        storable(call.answer),
                        None if call.failure is None else json_text(call.failure),
                        json_text(call.replies),
                    ),
                )
                db.execute("DELETE FROM scores WHERE response = ?", (call.response,))
            db.execute("COMMIT")
    finally:
        schema.close_for_good(db)


def settled(db: sqlite3.Connection, purpose: str, judge: str, prompt: str) -> set[int]:
    """The row numbers of the responses about which this judge, asked like this, has nothing more to be asked."""
    rows = db.execute(
        "SELECT response FROM judge_calls WHERE purpose = ? AND judge = ? AND prompt = ? "
        "AND coalesce(json_extract(failure, '$.retryable'), 0) = 0",
        (purpose, judge, prompt),
    )
    return {number for (number,) in rows}


def to_be_retried(db: sqlite3.Connection) -> int:
    """How many calls failed in a way that asking again may mend."""
    if not are_kept(db):
        return 0
    query = "SELECT count(*) FROM judge_calls WHERE json_extract(failure, '$.retryable')"
    return int(db.execute(query).fetchone()[0])


def judges(db: sqlite3.Connection) -> dict[str, int]:
    """Judge → about how many responses it was asked."""
    if not are_kept(db):
        return {}
    return dict(db.execute("SELECT judge, count(*) FROM judge_calls GROUP BY judge ORDER BY judge"))


def are_kept(db: sqlite3.Connection) -> bool:
    """Whether the run is of a format that holds judge calls."""
    return db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'judge_calls'").fetchone() is not None
