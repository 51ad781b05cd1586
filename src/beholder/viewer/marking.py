"""Marks from a page into a run: that a scorer is wrong about a response, or in a word what went wrong; and back out."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from beholder.errors import UsageError
from beholder.store import marks, schema
from beholder.store.folder import locked
from beholder.store.storable import storable
from beholder.viewer.library import Library
from beholder.viewer.sample_data import MarkRow
from beholder.viewer.texts import told

LONGEST_NOTE = 2_000
LABEL = "label:"
"""Before a word that says what went wrong, in the place of a scorer: `label:perception`."""
MOST = 500
"""Marks of one item that a page shows, the newest."""
_WORD = re.compile(r"[\w-]{1,40}")
_NAME = 300
_ours = threading.Lock()
"""Two pages may mark at once: one waits for the other, and not in vain."""


def mark(library: Library, run: str, key: str, vote: int, epoch: int, scorer: str, note: str) -> list[MarkRow]:
    """Marks a response, and gives all marks of its item. `scorer` is wrong about it; or `label:` and a word.

    `UsageError` if there is no such scorer or response, or the run cannot be written now.
    """
    opened = library.opened(run)
    label = scorer.removeprefix(LABEL) if scorer.startswith(LABEL) else None
    if label is None and scorer not in opened.found.scorers:
        raise UsageError(
            f"{opened.found.name} has no scorer {scorer[:60]!r}. It has {', '.join(opened.found.scorers)}."
        )
    if label is not None and not _WORD.fullmatch(label):
        raise UsageError("A label is one word of at most 40 letters, such as perception or tool_use.")
    if len(note) > LONGEST_NOTE:
        raise UsageError(f"The note has {len(note):,} characters; at most {LONGEST_NOTE:,} are kept.")
    key, note = storable(key) or "", storable(note) or ""
    created = datetime.now(UTC).isoformat(timespec="seconds")
    made = marks.Mark if label is None else marks.label_mark
    with _writing(opened.folder):
        with closing(schema.open_to_read(opened.folder / "run.db")) as db, schema.told_plainly(opened.folder):
            query = "SELECT 1 FROM responses WHERE key = ? AND vote = ? AND epoch = ?"
            if db.execute(query, (key, vote, epoch)).fetchone() is None:
                raise UsageError(f"The item has no response with vote {vote}, epoch {epoch}.")
        marks.add_mark(opened.folder, key, made(scorer if label is None else label, note, created, vote, epoch))
    return _read(opened.folder, key)


def unmark(library: Library, run: str, key: str, number: int) -> list[MarkRow]:
    """Takes a mark of an item back, and gives those that are left. `UsageError` if it is gone already."""
    opened = library.opened(run)
    key = storable(key) or ""
    with _writing(opened.folder):
        if not marks.take_back(opened.folder, key, number):
            raise UsageError("This mark is no longer there: somebody has taken it back already.")
    return _read(opened.folder, key)


def mark_rows(db: sqlite3.Connection, key: str) -> list[MarkRow]:
    """The marks of an item, oldest first."""
    rows = marks.numbered(db, key, MOST)
    return [
        MarkRow(
            number=number,
            scorer="" if one.label else told(one.scorer, _NAME),
            label=told(one.label, _NAME),
            note=told(one.note, LONGEST_NOTE),
            created=told(one.created, _NAME),
            vote=one.vote,
            epoch=one.epoch,
        )
        for number, one in rows
    ]


def may_mark(folder: Path) -> bool:
    """Whether a run folder can be written by this user. Another process may still hold it when it comes to that."""
    return os.access(folder, os.W_OK) and os.access(folder / "run.db", os.W_OK)


def _read(folder: Path, key: str) -> list[MarkRow]:
    with closing(schema.open_to_read(folder / "run.db")) as db, schema.told_plainly(folder):
        return mark_rows(db, key)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Holds a run folder that can be written; `UsageError` if it cannot."""
    if not may_mark(folder):
        raise UsageError(f"{folder} cannot be written by this user, so nothing can be marked in it.")
    try:
        found = (folder / "run.db").lstat()
    except OSError:
        raise UsageError(f"{folder} holds no run.db.") from None
    if not stat.S_ISREG(found.st_mode):  # a run may be a stranger's: nothing is written where its links lead
        raise UsageError(f"{folder / 'run.db'} is a link or no file, so nothing can be marked in it.")
    with _ours, locked(folder):
        yield
