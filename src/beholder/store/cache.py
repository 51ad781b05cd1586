"""Answers by request hash, across runs: the same question to the same model is never paid for twice."""

from __future__ import annotations

import json
import sqlite3
import threading
import zlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from beholder.errors import UsageError
from beholder.sample import Response
from beholder.store.rows import insert_rows
from beholder.store.schema import choose_journal
from beholder.store.squeeze import squeeze

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Response)


class ResponseCache:
    """A SQLite file of answers. The key is the hash of the whole request (with vote and epoch); failures are not kept.

    Reads come from any thread (each has its own connection); writes come from the journal's thread only.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._local = threading.local()
        self._open: list[sqlite3.Connection] = []
        # A thread whose task was cancelled works on: closing a connection under its hands would end the process.
        self._lock = threading.Lock()
        self._closed = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = self._connection()
            choose_journal(connection, path.parent)
            connection.execute(
                "CREATE TABLE IF NOT EXISTS answers (hash TEXT PRIMARY KEY, response BLOB) WITHOUT ROWID"
            )
        except (OSError, sqlite3.Error) as error:
            self.close()
            raise UsageError(
                f"{path} cannot be used as the response cache ({error}). Delete it, or run with --no-cache."
            ) from None

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(self._path, isolation_level=None, timeout=30, check_same_thread=False)
            self._open.append(connection)
            connection.execute("PRAGMA trusted_schema=OFF")
            connection.execute("PRAGMA synchronous=NORMAL")
            self._local.connection = connection
        return connection

    def get(self, request_hash: str) -> Response | None:
        """The answer given earlier, marked `cached`; None if there is none or it cannot be read any more."""
        try:
            with self._lock:
                if self._closed:
                    return None
                query = "SELECT response FROM answers WHERE hash = ?"
                row = self._connection().execute(query, (request_hash,)).fetchone()
            if row is None:
                return None
            response = _decoded(zlib.decompress(row[0]))
        except (sqlite3.Error, zlib.error, msgspec.DecodeError, ValueError, TypeError):
            return None  # damaged, or written by another version: asking again is always right
        return msgspec.structs.replace(response, cached=True)

    def put(self, responses: Iterable[Response]) -> None:
        """Keeps answers; the first one for a request stays. `UsageError` if the file cannot be written any more."""
        rows = [
            (response.request_hash, squeeze(_encoded(response)))
            for response in responses
            if response.failure is None and not response.cached
        ]
        if rows:
            try:
                with self._lock:
                    if self._closed:
                        return
                    connection = self._connection()
                    connection.execute("BEGIN IMMEDIATE")
                    insert_rows(connection, "INSERT OR IGNORE INTO answers", rows)
                    connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise UsageError(
                    f"{self._path} cannot be written ({error}). Free some space, or delete it if it is damaged; "
                    "then continue with `beholder resume`."
                ) from None

    def close(self) -> None:
        """Closes every thread's connection. A thread that comes late finds nothing and keeps nothing."""
        with self._lock:
            self._closed = True
            for connection in self._open:
                connection.close()
            self._open.clear()


def _encoded(response: Response) -> bytes:
    """MessagePack; or JSON, which can hold what MessagePack refuses: half a surrogate pair, as some servers send it."""
    try:
        return _encoder.encode(response)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(response)).encode()


def _decoded(data: bytes) -> Response:
    if data.startswith(b"{"):
        return msgspec.convert(json.loads(data), Response)
    return _decoder.decode(data)
