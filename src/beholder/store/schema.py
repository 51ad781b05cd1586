"""The tables of a run's database, and opening one: ours to write, or somebody's to read without trusting it."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from beholder.errors import UsageError

FORMAT = 3
"""Version of the run folder. A higher one was written by a newer Beholder and is not opened."""

_PATIENCE = 30.0
_PATIENCE_WITH_READERS = 2.0

TABLES: dict[str, str] = {
    "samples": "key TEXT PRIMARY KEY, position INTEGER NOT NULL, record TEXT NOT NULL",
    "requests": "hash TEXT PRIMARY KEY, record BLOB NOT NULL",
    "responses": (
        "id INTEGER PRIMARY KEY, key TEXT NOT NULL, epoch INTEGER NOT NULL, vote INTEGER NOT NULL, "
        "state INTEGER NOT NULL, text TEXT, reasoning TEXT, finish TEXT, record TEXT NOT NULL, raw BLOB, "
        "UNIQUE (key, epoch, vote)"
    ),
    "scorers": "id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, code TEXT NOT NULL",
    "scores": (
        "response INTEGER NOT NULL, scorer INTEGER NOT NULL, value REAL, outcome TEXT NOT NULL, extracted TEXT, "
        "span_start INTEGER, span_end INTEGER, flags TEXT, reason TEXT, owner TEXT, PRIMARY KEY (response, scorer)"
    ),
    "marks": "key TEXT, epoch INTEGER, vote INTEGER, scorer TEXT, note TEXT, created TEXT",
    "judge_calls": (
        "response INTEGER NOT NULL, purpose TEXT NOT NULL, judge TEXT NOT NULL, prompt TEXT NOT NULL, "
        "round INTEGER NOT NULL, answer TEXT, failure TEXT, replies TEXT NOT NULL, "
        "PRIMARY KEY (response, purpose, judge, prompt)"
    ),
    "turns": (
        "key TEXT NOT NULL, epoch INTEGER NOT NULL, vote INTEGER NOT NULL, attempt INTEGER NOT NULL, "
        "turn INTEGER NOT NULL, record TEXT NOT NULL, raw BLOB, PRIMARY KEY (key, epoch, vote, attempt, turn)"
    ),
}
_WITHOUT_ROWID = frozenset({"samples", "requests", "scores", "judge_calls", "turns"})
_SINCE = {"judge_calls": 2, "turns": 3}
"""Tables that older formats lack; a run that is written to gets them."""

ANSWERED, FAILED, FAILED_RETRYABLE = 0, 1, 2
"""`responses.state`: an answer; a failure that asking again cannot mend; a failure that a resume asks again."""

_NETWORK_FILESYSTEMS = frozenset(
    {
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "lustre",
        "gpfs",
        "beegfs",
        "afs",
        "9p",
        "ceph",
        "glusterfs",
        "fuse.sshfs",
    }
)


def create(path: Path, *, fsync: bool) -> sqlite3.Connection:
    """A new, empty run database."""
    connection = _connect(path, fsync=fsync)
    with _closed_on_error(connection), connection:
        for name in TABLES:
            connection.execute(_definition(name))
        connection.execute(f"PRAGMA user_version={FORMAT}")
    return connection


def open_to_write(path: Path, *, fsync: bool = False) -> sqlite3.Connection:
    """A run database of our own making, to continue. Its schema is checked first."""
    open_to_read(path).close()
    connection = _connect(path, fsync=fsync)
    with _closed_on_error(connection):
        _bring_up_to_date(connection)
    return connection


def open_to_read(path: Path) -> sqlite3.Connection:
    """Any run.db, read only and not trusted: no schema function runs, and only our tables may be in it."""
    if not path.is_file():
        raise UsageError(f"{path.parent} holds no run.db. Give the folder that `beholder run` printed.")
    # A log that needs folding in can only be read where its index can be written.
    settled = not path.with_name(path.name + "-wal").exists() and not os.access(path.parent, os.W_OK)
    mode = "mode=ro&immutable=1" if settled else "mode=ro"
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True, check_same_thread=False)
        with _closed_on_error(connection):
            connection.execute("PRAGMA trusted_schema=OFF")
            connection.execute("PRAGMA query_only=ON")
            _check_schema(connection, path)
    except sqlite3.Error as error:
        raise UsageError(f"{path} cannot be read as a run database ({error}).") from None
    return connection


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Adds the tables that a run of an older format lacks."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == FORMAT:
        return
    connection.execute("BEGIN IMMEDIATE")
    for name, since in _SINCE.items():
        if since > version:
            connection.execute(_definition(name))
    connection.execute(f"PRAGMA user_version={FORMAT}")
    connection.execute("COMMIT")


def _check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Raises `UsageError` unless a database holds our tables, word for word, and nothing else."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > FORMAT:
        raise UsageError(f"{path} was written by a newer Beholder (format {version}). Upgrade Beholder to open it.")
    objects = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall()
    foreign = [
        f"{kind} {name}"
        for kind, name, table, _ in objects
        if not (kind == "table" and name in TABLES) and not (kind == "index" and name == f"sqlite_autoindex_{table}_1")
    ]
    definitions = {name: sql for kind, name, _, sql in objects if kind == "table"}
    expected = [name for name in TABLES if _SINCE.get(name, 1) <= max(version, 1)]
    wrong = [name for name in expected if definitions.get(name) != _definition(name)]
    foreign += [f"table {name}" for name in definitions.keys() & TABLES.keys() - set(expected)]
    if foreign or wrong:
        what = ", ".join(foreign[:3] + [f"table {name}" for name in wrong[:3]])
        raise UsageError(f"{path} is not a run database of Beholder's: unexpected {what}. It was not opened.")


@contextlib.contextmanager
def _closed_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


@contextlib.contextmanager
def told_plainly(folder: Path) -> Iterator[None]:
    """Turns SQLite's errors (a full disk, a damaged file, a lock) into one line that names the run."""
    try:
        yield
    except sqlite3.Error as error:
        raise UsageError(
            f"{folder / 'run.db'} cannot be read or written ({error}). Free some space if the disk is full; "
            "otherwise use another copy of the run."
        ) from None


def close_for_good(connection: sqlite3.Connection) -> None:
    """Closes a writer and leaves one plain file: no write-ahead log, which a read-only folder could not open.

    Whoever reads right now, as the viewer does for moments, is waited for a while. If that does not help, the log
    stays, complete, and the next writer folds it in.
    """
    last = time.monotonic() + _PATIENCE_WITH_READERS
    try:
        while True:
            try:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                connection.execute("PRAGMA journal_mode=DELETE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > last:
                    return
                time.sleep(0.01)
            else:
                return
    finally:
        connection.close()


def _connect(path: Path, *, fsync: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=30)
    with _closed_on_error(connection):
        connection.execute("PRAGMA trusted_schema=OFF")
        choose_journal(connection, path.parent)
        connection.execute(f"PRAGMA synchronous={'FULL' if fsync else 'NORMAL'}")
    return connection


def choose_journal(connection: sqlite3.Connection, folder: Path) -> None:
    """A write-ahead log; on network file systems, which lack the shared memory that it needs, the rollback journal.

    Two processes may turn to the log at once. One of them is refused then, whatever its connection's time-out (SQLite
    does not wait where both could wait for each other), so it is tried again for half a minute.
    """
    mode = "DELETE" if is_network_filesystem(folder) else "WAL"
    last = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute(f"PRAGMA journal_mode={mode}")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > last:
                raise
            time.sleep(0.02)
        else:
            return


def _definition(table: str) -> str:
    """The statement that makes a table. STRICT: a column holds what its type says, also in somebody else's file."""
    options = "WITHOUT ROWID, STRICT" if table in _WITHOUT_ROWID else "STRICT"
    return f"CREATE TABLE {table} ({TABLES[table]}) {options}"


def is_network_filesystem(folder: Path, mounts: str | None = None) -> bool:
    """Whether a folder lies on a file system shared over a network. `mounts` is the text of /proc/mounts.

    >>> is_network_filesystem(Path("/data/runs"), "host:/x /data nfs4 rw 0 0\\n/dev/a / ext4 rw 0 0")
    True
    """
    if mounts is None:
        try:
            mounts = Path("/proc/mounts").read_text(errors="replace")
        except OSError:
            return False  # not Linux: SQLite's own checks have to do
    best = ("", "")
    place = str(folder.resolve())
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ")
        inside = place == point or place.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best[0]):
            best = (point, fields[2])
    return best[1] in _NETWORK_FILESYSTEMS
