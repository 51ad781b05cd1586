"""The file of an index: SQLite of ours in the cache folder, one a run. Anything wrong with it, and it is made anew.

Several servers may have the same file open. It is made under a name of its own and renamed into place; whoever
renames or adds to one holds its lock; and a reader's connection stays with the file that it opened.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import secrets
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec

from beholder.viewer.cache import sweep

FORMAT = 1
"""Raised with every change of what a file holds: files of another format are made anew."""
ADDED = 1 << 40
"""Rows of `words` from this number on are those of single responses that came later: ADDED + the response's number."""

_TABLES = """
CREATE TABLE state (record TEXT NOT NULL);
CREATE TABLE items (
  id INTEGER PRIMARY KEY, position INTEGER NOT NULL, key TEXT NOT NULL UNIQUE, letters TEXT NOT NULL,
  category INTEGER NOT NULL, difficulty INTEGER NOT NULL, flags INTEGER NOT NULL, cluster TEXT NOT NULL
);
CREATE TABLE texts (
  item INTEGER PRIMARY KEY, name TEXT NOT NULL, question TEXT NOT NULL, gold TEXT NOT NULL, answer TEXT NOT NULL,
  pictures INTEGER NOT NULL, picture TEXT
);
CREATE TABLE verdicts (
  scorer INTEGER NOT NULL, item INTEGER NOT NULL, value REAL, answer TEXT, PRIMARY KEY (scorer, item)
) WITHOUT ROWID;
CREATE TABLE responses (number INTEGER PRIMARY KEY, item INTEGER NOT NULL, scored INTEGER NOT NULL);
CREATE INDEX unscored ON responses (number) WHERE scored = 0;
CREATE TABLE names (kind TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (kind, number));
"""
_WORDS = "CREATE VIRTUAL TABLE words USING fts5(text, content='', columnsize=0, tokenize='trigram')"
_OLDEST_TRIGRAM = (3, 34, 0)
_WAIT = 30.0
_ABANDONED_DAYS = 1


class State(msgspec.Struct, kw_only=True):
    """What a file was made from. `stamps` are those of run.json and results.json: where they have changed, scores may
    have, and the file is made anew. `scorers` are name → hash of the code, in the order of the letters; `last` is the
    largest response number that is in, `planned` is K. `added`: some words are those of single responses (`ADDED`).
    `build` and `changes` together tell one content from another.
    """

    format: int
    build: str
    changes: int
    stamps: list[str]
    scorers: dict[str, str]
    planned: int
    last: int
    marks: str
    searchable: bool
    added: bool = False


def place_of_index(cache: Path, folder: Path, created: str) -> Path:
    """Where the index of a run folder lies."""
    identity = f"{folder.resolve()}\0{created}".encode("utf-8", "surrogateescape")
    return cache / "indexes" / f"{hashlib.blake2b(identity, digest_size=16).hexdigest()}.index"


def create(place: Path) -> tuple[Path, sqlite3.Connection]:
    """A new file beside its place, empty but for its tables; nobody else knows it."""
    place.parent.mkdir(exist_ok=True, mode=0o700)
    made = place.with_name(f"{place.stem}.{os.getpid()}-{secrets.token_hex(4)}.new")
    db = _connect(made)
    db.execute("PRAGMA journal_mode=MEMORY")  # a file that breaks off is never used
    db.execute("PRAGMA synchronous=OFF")
    db.execute("PRAGMA cache_size=-8000")
    db.executescript(_TABLES)
    if _has_trigrams():
        db.execute(_WORDS)
    made.chmod(0o600)
    return made, db


def open_index(place: Path) -> sqlite3.Connection:
    """A file that is there. `sqlite3.Error` if there is none, or none that can be read."""
    return _connect(place, mode="rw")


def is_used(place: Path) -> None:
    """Keeps a file from being swept."""
    with contextlib.suppress(OSError):
        os.utime(place)


def install(made: Path, place: Path) -> None:
    """Puts a finished file into its place."""
    with locked(place):
        os.replace(made, place)
        place.with_name(f"{place.name}-journal").unlink(missing_ok=True)  # of the file that was there


@contextlib.contextmanager
def locked(place: Path) -> Iterator[None]:
    """Holds the place of an index for one writer; another one waits."""
    lock = os.open(place.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.utime(lock)  # one that is used is not swept
        yield
    finally:
        os.close(lock)


def read_state(db: sqlite3.Connection) -> State:
    """What a file was made from; `sqlite3.DatabaseError` if it is none of this format."""
    try:
        (record,) = db.execute("SELECT record FROM state").fetchone()
        state = msgspec.json.decode(record, type=State)
    except (TypeError, ValueError, msgspec.DecodeError) as error:
        raise sqlite3.DatabaseError(f"no state ({error})") from None
    if state.format != FORMAT:
        raise sqlite3.DatabaseError(f"format {state.format}")
    return state


def write_state(db: sqlite3.Connection, state: State) -> None:
    """Replaces the state, inside the caller's transaction if there is one."""
    db.execute("DELETE FROM state")
    db.execute("INSERT INTO state VALUES (?)", (msgspec.json.encode(state).decode(),))


def sweep_indexes(cache: Path) -> None:
    """Deletes indexes that nobody has looked at for a month, and those that broke off."""
    sweep(cache / "indexes", "*.index")
    sweep(cache / "indexes", "*.lock")
    sweep(cache / "indexes", "*.new*", days=_ABANDONED_DAYS)


def is_searchable(db: sqlite3.Connection) -> bool:
    """Whether a file has the table of words: this machine's SQLite may not know how to make it."""
    return db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'words'").fetchone() is not None


def _connect(place: Path, mode: str = "rwc") -> sqlite3.Connection:
    uri = f"{place.resolve().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, check_same_thread=False, isolation_level=None, timeout=_WAIT)


def _has_trigrams() -> bool:
    if sqlite3.sqlite_version_info < _OLDEST_TRIGRAM:
        return False
    with contextlib.closing(sqlite3.connect(":memory:")) as db, contextlib.suppress(sqlite3.OperationalError):
        db.execute(_WORDS)
        return True
    return False
