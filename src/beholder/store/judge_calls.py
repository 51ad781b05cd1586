"""What judges were asked about responses and what came back: an extractor's readings, a rubric's verdicts.

Any number of judges may have been asked about the same response. Those of one round count together: the calls of a
purpose's last round are what counts, and the others stay. A new round begins when a judge speaks that is to count
without one of those that do; so a run says by itself whose verdicts its scores rest on.
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
"""The purpose of calls that read the answer out of a response. One extractor counts at a time."""


class Asking(msgspec.Struct, frozen=True):
    """Who is asked and how: the purpose, the judge (a model or a rule), and the SHA-256 of what it is asked."""

    purpose: str
    judge: str
    prompt: str


class JudgeCall(msgspec.Struct, frozen=True, kw_only=True):
    """What came of asking about the response in row `response`.

    `answer` is what the judge gave, None with the `failure` that says why not. `replies` holds every response in order;
    it is empty where no model was asked: there was nothing to be judged, or the judge is a rule.
    """

    response: int
    answer: str | None = None
    failure: Failure | None = None
    replies: tuple[Response, ...] = ()


class Counted(msgspec.Struct, frozen=True):
    """How many verdicts of a judge count, how often it failed, and how many of these failures may be tried again."""

    purpose: str
    judge: str
    answered: int
    failed: int
    retryable: int


def keep(
    folder: Path,
    asking: Asking,
    calls: Iterable[JudgeCall],
    *,
    together: tuple[Asking, ...] = (),
    fsync: bool = False,
) -> None:
    """Writes calls in one transaction; a call replaces an earlier one by the same judge about the same response.

    The scores of these responses are removed: they were given without it. Unless this judge counted already, what it
    said earlier counts again, and all scores are removed. `together` are all judges of this purpose that count at the
    same time (default: this one alone); if another one counted before, a new round begins with what they said earlier.
    Without calls nothing changes unless this judge said something earlier.
    """
    db = schema.open_to_write(folder / "run.db", fsync=fsync)
    try:
        with schema.told_plainly(folder):
            db.execute("BEGIN IMMEDIATE")
            new = list(calls)
            number = _round_of(db, asking, {asking, *together}) if new or has_said(db, asking) else 0
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


def has_said(db: sqlite3.Connection, asking: Asking) -> bool:
    """Whether there is any call of this judge, asked like this."""
    if not are_kept(db):
        return False
    query = "SELECT 1 FROM judge_calls WHERE purpose = ? AND judge = ? AND prompt = ? LIMIT 1"
    return db.execute(query, (asking.purpose, asking.judge, asking.prompt)).fetchone() is not None


def _round_of(db: sqlite3.Connection, asking: Asking, together: set[Asking]) -> int:
    """The number of the judge's round: the last one if nobody else is in it, else a new one, with what all said."""
    present = counting(db, asking.purpose)
    number = last_rounds(db).get(asking.purpose, 0)
    if asking in present and present <= together:
        return number
    beginning = not present or not present <= together
    number += beginning
    for one in together if beginning else {asking}:
        own = (one.purpose, one.judge, one.prompt)
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


def last_rounds(db: sqlite3.Connection) -> dict[str, int]:
    """Purpose → the round whose calls count; empty if nobody was asked."""
    if not are_kept(db):
        return {}
    return dict(db.execute("SELECT purpose, max(round) FROM judge_calls GROUP BY purpose").fetchall())


def counting(db: sqlite3.Connection, purpose: str) -> set[Asking]:
    """Whose calls count, and by which prompt; empty if nobody was asked."""
    number = last_rounds(db).get(purpose)
    if number is None:
        return set()
    query = "SELECT DISTINCT purpose, judge, prompt FROM judge_calls WHERE purpose = ? AND round = ?"
    return {Asking(*row) for row in db.execute(query, (purpose, number))}


def counted(db: sqlite3.Connection) -> list[Counted]:
    """What there is of each judge that counts, by purpose and name."""
    rows: list[Counted] = []
    for purpose, number in sorted(last_rounds(db).items()):
        found = db.execute(
            "SELECT judge, count(*) - count(failure), count(failure), "
            "coalesce(sum(json_extract(failure, '$.retryable')), 0) FROM judge_calls WHERE purpose = ? AND round = ? "
            "GROUP BY judge, prompt ORDER BY judge, prompt",
            (purpose, number),
        )
        rows += [Counted(purpose, *row) for row in found]
    return rows


def are_kept(db: sqlite3.Connection) -> bool:
    """Whether the run is of a format that holds judge calls."""
    return db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'judge_calls'").fetchone() is not None
