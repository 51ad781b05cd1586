"""Fingerprints of pictures that were looked at before, in one SQLite file, so that a second look is quick.

A file is known by its path, its size, and when its content and its entry were last changed; its fingerprint, and that
of an embedded picture, by the SHA-256 of its bytes. A file that was written a moment ago is looked at again next time:
it may yet change within what the file system takes for one moment.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import PIL

from beholder.errors import UsageError
from beholder.images.fingerprint import Fingerprint

FILE = "pictures.db"
MADE_BY = f"1 Pillow {PIL.__version__}"
"""What fingerprints depend on besides the bytes; those of another make are not used."""
_MOMENT = 2.0
"""Seconds that a file must have been as it is for its facts to be kept: file systems count time as coarsely."""
_decoder = msgspec.msgpack.Decoder(Fingerprint)


def usual_folder() -> Path:
    """Where caches of a user live: `$XDG_CACHE_HOME/beholder`, or `~/.cache/beholder`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "beholder"


class PictureCache:
    """The file in a folder. Used by one thread; several processes may use it at once. `UsageError` if it cannot be."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self._path, isolation_level=None, timeout=30)
            self._db.execute("PRAGMA trusted_schema=OFF")
            self._db.execute("PRAGMA synchronous=OFF")  # it may be lost
            self._db.execute("CREATE TABLE IF NOT EXISTS files (path BLOB PRIMARY KEY, facts TEXT, sha256 TEXT)")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS prints (sha256 TEXT, made_by TEXT, corners INTEGER, record BLOB, "
                "PRIMARY KEY (sha256, made_by, corners))"
            )
        except (OSError, sqlite3.Error) as error:
            raise self._broken(error) from None

    def of_file(self, path: str, *, corners: bool) -> Fingerprint | None:
        """The fingerprint of a file that is as it was when it was looked at; None if it is not known."""
        facts = file_facts(path)
        if not facts:
            return None
        rows = self._rows("SELECT sha256 FROM files WHERE path = ? AND facts = ?", (_key(path), facts))
        return self.of_bytes(rows[0][0], corners=corners) if rows else None

    def of_bytes(self, sha256: str, *, corners: bool) -> Fingerprint | None:
        """The fingerprint of a picture with these bytes."""
        query = "SELECT record FROM prints WHERE sha256 = ? AND made_by = ? AND corners >= ? ORDER BY corners"
        for (record,) in self._rows(query, (sha256, MADE_BY, int(corners))):
            try:
                return _decoder.decode(record)
            except (msgspec.DecodeError, TypeError):
                return None  # damaged: it is made again
        return None

    def keep(self, seen: Sequence[tuple[str | None, str, Fingerprint]], *, corners: bool) -> None:
        """Keeps fingerprints, each with the path of its file (None: embedded) and its facts before it was read."""
        try:
            self._db.execute("BEGIN")
            for path, facts, found in seen:
                row = (found.sha256, MADE_BY, int(corners), msgspec.msgpack.encode(found))
                self._db.execute("INSERT OR REPLACE INTO prints VALUES (?, ?, ?, ?)", row)
                if path is not None and facts:
                    known = (_key(path), facts, found.sha256)
                    self._db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", known)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._broken(error) from None

    def close(self) -> None:
        self._db.close()

    def _rows(self, query: str, values: tuple[object, ...]) -> list[Any]:
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise self._broken(error) from None

    def _broken(self, error: Exception) -> UsageError:
        return UsageError(f"{self._path} cannot be used ({error}). Delete it, or give another --cache.")


def file_facts(path: str) -> str:
    """Size and times of change of a file as text, "" if there is none or it was changed a moment ago."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return ""
    if time.time() - found.st_mtime < _MOMENT:
        return ""
    # The time of the content can be set (`cp -p`, `touch -r`), that of the entry cannot.
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


def _key(path: str) -> bytes:
    """Names of files need not be UTF-8."""
    return os.fsencode(os.path.abspath(path))
