"""What judge models were asked about responses and what came back: an extractor's readings, a rubric's verdicts.

Several judges may have been asked about the same response, one after the other. Each time another one begins, a new
round begins; the calls of the last round are those that count, and the others stay.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

import msgspec

from beholder.sample import Failure, Response
from beholder.store import schema
from beholder.store.storable import json_text, storable

EXTRACTION = "extraction"
"""The purpose of calls that read the answer out of a response."""


class Asking(msgspec.Struct, frozen=True):
    """Who is asked and how: the purpose, the judge (a model), and the SHA-256 of the prompt's template."""

    purpose: str
    judge: str
    prompt: str


class JudgeCall(msgspec.Struct, frozen=True, kw_only=True):
    """What came of asking about the response in row `response`.

    `answer` is what the judge gave, None with the `failure` that says why not. `replies` holds every response in order;
    it is empty where the judge was not asked because there was nothing to be judged.
    """

    response: int
    answer: str | None = None
    failure: Failure | None = None
    replies: tuple[Response, ...] = ()


def keep(folder: Path, asking: Asking, calls: Iterable[JudgeCall], *, fsync: bool = False) -> None:
    """Writes calls in one transaction; a call replaces an earlier one by the same judge about the same response.

    The scores of these responses are removed: they were given without it. Unless this judge counted already, a new
    round begins: what it said earlier counts again, and all scores are removed. Without calls nothing changes unless
    it said something earlier.
    """
    db = schema.open_to_write(folder / "run.db", fsync=fsync)
    try:
        with schema.told_plainly(folder):
            db.execute("BEGIN IMMEDIATE")
            new = list(calls)
            number = _round_of(db, asking) if new or _has_said(db, asking) else 0
            for call in new:
                db.execute(
                    "INSERT OR REPLACE INTO judge_calls VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        call.response,
                        asking.purpose,
                        asking.judge,
                        asking.prompt,
                        number,
                        storable(call.answer),
                        None if call.failure is None else json_text(call.failure),
                        json_text(call.replies),
                    ),
                )
                db.execute("DELETE FROM scores WHERE response = ?", (call.response,))
            db.execute("COMMIT")
    finally:
        schema.close_for_good(db)


def _has_said(db: sqlite3.Connection, asking: Asking) -> bool:
    query = "SELECT 1 FROM judge_calls WHERE purpose = ? AND judge = ? AND prompt = ? LIMIT 1"
    return db.execute(query, (asking.purpose, asking.judge, asking.prompt)).fetchone() is not None


def _round_of(db: sqlite3.Connection, asking: Asking) -> int:
    """The number of the judge's round: the last one if it is its own, else a new one."""
    own = (asking.purpose, asking.judge, asking.prompt)
    (last,) = db.execute("SELECT max(round) FROM judge_calls WHERE purpose = ?", (asking.purpose,)).fetchone()
    if judge_and_prompt(db, asking.purpose) == (asking.judge, asking.prompt):
        return int(last)
    number = (last or 0) + 1
    db.execute("UPDATE judge_calls SET round = ? WHERE purpose = ? AND judge = ? AND prompt = ?", (number, *own))
    db.execute("DELETE FROM scores")
    return number


def settled(db: sqlite3.Connection, asking: Asking) -> set[int]:
    """The row numbers of the responses about which this judge, asked like this, has nothing more to be asked."""
    if not are_kept(db):
        return set()
    rows = db.execute(
        "SELECT response FROM judge_calls WHERE purpose = ? AND judge = ? AND prompt = ? "
        "AND coalesce(json_extract(failure, '$.retryable'), 0) = 0",
        (asking.purpose, asking.judge, asking.prompt),
    )
    return {number for (number,) in rows}


def judge_and_prompt(db: sqlite3.Connection, purpose: str) -> tuple[str, str] | None:
    """Whose calls count, and by which prompt; None if nobody was asked."""
    if not are_kept(db):
        return None
    row = db.execute(
        "SELECT judge, prompt FROM judge_calls WHERE purpose = ? ORDER BY round DESC LIMIT 1", (purpose,)
    ).fetchone()
    return None if row is None else (row[0], row[1])


def counted(db: sqlite3.Connection, purpose: str) -> dict[str, int]:
    """How many of the calls that count gave an answer (`answered`), `failed`, or may be tried again (`retryable`)."""
    chosen = judge_and_prompt(db, purpose)
    if chosen is None:
        return {"answered": 0, "failed": 0, "retryable": 0}
    rows = db.execute(
        "SELECT count(*) - count(failure), count(failure), coalesce(sum(json_extract(failure, '$.retryable')), 0) "
        "FROM judge_calls WHERE purpose = ? AND judge = ? AND prompt = ?",
        (purpose, *chosen),
    ).fetchone()
    return dict(zip(("answered", "failed", "retryable"), rows, strict=True))


def are_kept(db: sqlite3.Connection) -> bool:
    """Whether the run is of a format that holds judge calls."""
    return db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'judge_calls'").fetchone() is not None
