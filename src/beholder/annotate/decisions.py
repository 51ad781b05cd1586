"""The decisions of a project in its database: what holds, what held before it, and everything that happened.

A decision belongs to an item and a person (`person` is "" where all share one). Its revisions count from 1. Every one
of them stays: an undo is a revision too, which restores an older one.
"""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from typing import Any

import msgspec

from beholder.annotate.forms import Value
from beholder.annotate.items import UNDO, Decision
from beholder.annotate.project_db import decoded

_HELD = (
    "SELECT revision, author, action, value, note, in_force, restores FROM decisions "
    "WHERE key = ? AND person = ? AND action <> 'refused' ORDER BY revision DESC LIMIT 1"
)
_AT = (
    "SELECT revision, author, action, value, note, in_force, restores FROM decisions "
    "WHERE key = ? AND person = ? AND action <> 'refused' AND revision = ?"
)
_LATEST = (
    "d.action <> 'refused' AND d.revision = "
    "(SELECT max(revision) FROM decisions WHERE key = d.key AND person = d.person AND action <> 'refused')"
)
_QUEUE = (
    "SELECT i.key, i.position, i.title, i.state, i.why, coalesce(d.in_force, ''), coalesce(d.revision, 0) FROM items i "
    "LEFT JOIN decisions d ON d.key = i.key AND d.person = ? AND LATEST ORDER BY i.position"
).replace("LATEST", _LATEST)
# An undo restores what somebody decided before: `m` is where that was made, and by whom.
_MADE = (
    "JOIN decisions m ON m.key = d.key AND m.person = d.person AND m.action <> 'refused' "
    "AND m.revision = coalesce(d.restores, d.revision)"
)
_TALLY = "SELECT d.key, m.author, d.in_force FROM decisions d MADE WHERE LATEST AND d.in_force <> ''".replace(
    "MADE", _MADE
).replace("LATEST", _LATEST)
_IN_FORCE = (
    "SELECT d.key, d.person, m.author, m.time, d.in_force, d.value, d.note, m.revision FROM decisions d MADE "
    "JOIN items i ON i.key = d.key WHERE LATEST AND d.in_force <> '' ORDER BY i.position, d.person"
)
_IN_FORCE = _IN_FORCE.replace("MADE", _MADE).replace("LATEST", _LATEST)


class Held(msgspec.Struct, frozen=True):
    """A revision of a decision. `value` is JSON text; `in_force` is what holds after it: `save`, `skip` or "".

    `restores` is the revision that an undo went back to, 0 for the state before anybody had decided.
    """

    revision: int
    author: str
    action: str
    value: str
    note: str
    in_force: str
    restores: int | None

    @property
    def made_at(self) -> int:
        """The revision at which what holds was decided."""
        return self.restores or 0 if self.action == UNDO else self.revision


class InForce(msgspec.Struct, frozen=True):
    """The decision that holds for an item: of a person, or of all (`person` is ""). `action` is `save` or `skip`.

    `author`, `time` and `revision` are those of its making, also where an undo went back to it.
    """

    key: str
    person: str
    author: str
    time: str
    action: str
    value: Value
    note: str
    revision: int


def held(db: sqlite3.Connection, key: str, person: str) -> Held | None:
    """The last revision; None if nobody has done anything yet."""
    row = db.execute(_HELD, (key, person)).fetchone()
    return Held(*row) if row else None


def before(db: sqlite3.Connection, key: str, person: str, revision: int) -> Held | None:
    """The decision that held just before the one made at `revision`; None if there was none."""
    row = db.execute(_AT, (key, person, revision - 1)).fetchone()
    if row is None:
        return None
    earlier = Held(*row)
    if earlier.made_at == earlier.revision:
        return earlier
    row = db.execute(_AT, (key, person, earlier.made_at)).fetchone()
    return Held(*row) if row else None


def add(db: sqlite3.Connection, key: str, person: str, made: Held) -> None:
    """Adds a line to the history, with the time of now."""
    db.execute(
        "INSERT INTO decisions (key, person, author, time, action, in_force, value, note, revision, restores) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            key,
            person,
            made.author,
            datetime.now(UTC).isoformat(timespec="milliseconds"),
            made.action,
            made.in_force,
            made.value,
            made.note,
            made.revision,
            made.restores,
        ),
    )


def in_force(db: sqlite3.Connection) -> list[InForce]:
    """Every decision that holds, in the order of the data; what was undone to nothing has none."""
    return [
        InForce(key, person, author, time, action, decoded(value, Value), note, revision)
        for key, person, author, time, action, value, note, revision in db.execute(_IN_FORCE)
    ]


def tally(db: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """(key, author, `save` or `skip`) of every decision that holds, in no order: for counting, without the values."""
    return db.execute(_TALLY).fetchall()


def queue(db: sqlite3.Connection, person: str) -> list[Any]:
    """(key, position, title, state, why, in force, revision) of every item, in the order of the data."""
    return db.execute(_QUEUE, (person,)).fetchall()


def history(db: sqlite3.Connection, key: str, person: str | None) -> tuple[Decision, ...]:
    """All that happened to an item, oldest first; of one person, or of everybody (None)."""
    rows = db.execute(
        "SELECT author, time, action, value, note, revision, restores FROM decisions "
        "WHERE key = ? AND (? IS NULL OR person = ?) ORDER BY id",
        (key, person, person),
    )
    return tuple(
        Decision(author, time, action, decoded(value, Value), note, revision, restores)
        for author, time, action, value, note, revision, restores in rows
    )
