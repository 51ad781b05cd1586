"""What people say of a run's samples: that a scorer is wrong here, or what went wrong in a conversation."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec

from beholder.store import schema

_LABEL = "label:"
_MARK = "coalesce(scorer, ''), coalesce(note, ''), coalesce(created, ''), coalesce(vote, 0), coalesce(epoch, 0)"
"""What a mark is made of. A run may be anybody's, and the table allows for less."""


class Mark(msgspec.Struct, frozen=True):
    """A person's note on one response. Kept beside the scores, never in place of one, and untouched by a rescore.

    `scorer` is the scorer that is wrong about it; or `label_mark` made it, and it says with a word what went wrong.
    """

    scorer: str
    note: str
    created: str
    vote: int
    epoch: int

    @property
    def label(self) -> str:
        """The word for what went wrong; "" of a mark on a scorer."""
        return self.scorer.removeprefix(_LABEL) if self.scorer.startswith(_LABEL) else ""

    @property
    def told(self) -> str:
        """What the mark says, in a few words."""
        said = f"labelled {self.label}" if self.label else f"{self.scorer} is wrong here"
        return f"{said} (vote {self.vote}, epoch {self.epoch})" + (f": {self.note}" if self.note else "")


def label_mark(word: str, note: str, created: str, vote: int, epoch: int) -> Mark:
    """A mark that says with a word what went wrong, such as `perception`."""
    return Mark(_LABEL + word, note, created, vote, epoch)


def marks(db: sqlite3.Connection, key: str) -> list[Mark]:
    """The marks on one sample, oldest first."""
    rows = db.execute(f"SELECT {_MARK} FROM marks WHERE key = ? ORDER BY rowid", (key,))  # noqa: S608 - ours
    return [Mark(*row) for row in rows]


def numbered(db: sqlite3.Connection, key: str, most: int) -> list[tuple[int, Mark]]:
    """The newest marks on one sample with their numbers (`take_back`), oldest first."""
    query = f"SELECT rowid, {_MARK} FROM marks WHERE key = ? ORDER BY rowid DESC LIMIT ?"  # noqa: S608 - ours
    return [(number, Mark(*rest)) for number, *rest in reversed(db.execute(query, (key, most)).fetchall())]


def all_marks(db: sqlite3.Connection) -> list[tuple[str, Mark]]:
    """(sample key, mark) of a run, oldest first."""
    rows = db.execute(f"SELECT coalesce(key, ''), {_MARK} FROM marks ORDER BY rowid")  # noqa: S608 - ours
    return [(key, Mark(*rest)) for key, *rest in rows]


def add_mark(run: Path, key: str, mark: Mark) -> None:
    """Keeps a mark."""
    _write(
        run,
        "INSERT INTO marks VALUES (?, ?, ?, ?, ?, ?)",
        (key, mark.epoch, mark.vote, mark.scorer, mark.note, mark.created),
    )


def take_back(run: Path, key: str, number: int) -> bool:
    """Removes the mark of that number from a sample; False if it has none such."""
    return _write(run, "DELETE FROM marks WHERE rowid = ? AND key = ?", (number, key)) > 0


def _write(run: Path, statement: str, values: tuple[object, ...]) -> int:
    """Carries one statement out; how many rows it changed."""
    db = schema.open_to_write(run / "run.db")
    try:
        with schema.told_plainly(run):
            return db.execute(statement, values).rowcount
    finally:
        schema.close_for_good(db)
