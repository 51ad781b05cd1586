"""The tables of an annotation project, and opening its database: durable, and checked if it comes from elsewhere."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from beholder.errors import UsageError
from beholder.store.schema import choose_journal

T = TypeVar("T")

FILE = "project.db"
FORMAT = 1

TABLES: dict[str, str] = {
    # `state`: adjudicate, confirm or open; `why`: sentences; `record`, `images`, `consensus` and `draft` are JSON
    "items": (
        "key TEXT PRIMARY KEY, position INTEGER NOT NULL UNIQUE, title TEXT NOT NULL, record TEXT NOT NULL, "
        "images TEXT NOT NULL, state TEXT NOT NULL, why TEXT NOT NULL, consensus TEXT, draft TEXT NOT NULL, "
        "drafted_by INTEGER"
    ),
    "images": (
        "sha256 TEXT PRIMARY KEY, mime TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, "
        "n_bytes INTEGER NOT NULL"
    ),
    "annotators": "number INTEGER PRIMARY KEY, name TEXT NOT NULL, run TEXT NOT NULL",
    "proposals": (
        "key TEXT NOT NULL, annotator INTEGER NOT NULL, value TEXT NOT NULL, missing TEXT NOT NULL, "
        "faults TEXT NOT NULL, PRIMARY KEY (key, annotator)"
    ),
    # `person` is "" where all share one decision; `in_force`: what holds after it (save, skip, or "" for nothing);
    # `restores`: the revision that an undo went back to. A refused row keeps what was not saved, and changes nothing.
    "decisions": (
        "id INTEGER PRIMARY KEY, key TEXT NOT NULL, person TEXT NOT NULL, author TEXT NOT NULL, time TEXT NOT NULL, "
        "action TEXT NOT NULL, in_force TEXT NOT NULL, value TEXT NOT NULL, note TEXT NOT NULL, "
        "revision INTEGER NOT NULL, restores INTEGER"
    ),
    "kept_apart": "position INTEGER PRIMARY KEY, place TEXT NOT NULL, why TEXT NOT NULL",
}
_INDEXES = (
    "CREATE UNIQUE INDEX one_decision_a_revision ON decisions (key, person, revision) WHERE action <> 'refused'",
    "CREATE INDEX all_of_an_item ON decisions (key)",
)


def create(path: Path) -> sqlite3.Connection:
    """A new, empty database of a project."""
    connection = _connect(path)
    with _closed_on_error(connection):
        connection.execute("BEGIN")
        for name in TABLES:
            connection.execute(_definition(name))
        for index in _INDEXES:
            connection.execute(index)
        connection.execute(f"PRAGMA user_version={FORMAT}")
        connection.execute("COMMIT")
    return connection


def open_to_write(path: Path) -> sqlite3.Connection:
    """The database of a project. `UsageError` if it is not what a Beholder writes."""
    if not path.is_file():
        raise UsageError(f"{path.parent} holds no {FILE}: it is not an annotation project, or is not finished yet.")
    try:
        connection = _connect(path)
        with _closed_on_error(connection):
            _check_schema(connection, path)
    except sqlite3.Error as error:
        raise UsageError(f"{path} cannot be read as the database of a project ({error}).") from None
    return connection


def decoded(text: str, kind: type[T]) -> T:
    """JSON of the database as that type. `UsageError` if it is something else: the file may be somebody else's."""
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise UsageError(f"The project's database is damaged ({error}). Use another copy of it.") from None


@contextlib.contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """A transaction that no other process or connection can write beside; rolled back on any error.

    `UsageError` says that nothing was written: a full disk, or somebody else who does not let go.
    """
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if isinstance(error, sqlite3.Error):
            raise UsageError(
                f"Nothing was saved: the project's database cannot be written ({error}). Free some space and try again."
            ) from None
        raise


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=30)
    with _closed_on_error(connection):
        connection.execute("PRAGMA trusted_schema=OFF")
        choose_journal(connection, path.parent)
        connection.execute("PRAGMA synchronous=FULL")  # a save that was answered survives a power loss
    return connection


def _check_schema(connection: sqlite3.Connection, path: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > FORMAT:
        raise UsageError(f"{path} was written by a newer Beholder (format {version}). Upgrade Beholder to open it.")
    expected = {_definition(name) for name in TABLES} | set(_INDEXES)
    found = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")}
    if found != expected:
        raise UsageError(f"{path} is not the database of an annotation project of Beholder's. It was not opened.")


def _definition(table: str) -> str:
    return f"CREATE TABLE {table} ({TABLES[table]}) STRICT"


@contextlib.contextmanager
def _closed_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise
