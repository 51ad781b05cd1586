"""The one writer of a run: responses become durable in batches, and only then are they scored.

Two threads. The writer takes what is waiting (at most `_BATCH` entries, at most `_LINGER` seconds after the first),
writes it in one transaction and hands the committed entries to the scorer thread; scores come back through the same
queue and are written with a later batch. A kill loses at most the open batch; a fault in a scorer never costs an
answer.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

import msgspec

from beholder.errors import UsageError
from beholder.sample import ImageRef, Response, Sample
from beholder.score import Score
from beholder.store import schema
from beholder.store.cache import ResponseCache
from beholder.store.rows import insert_rows
from beholder.store.squeeze import squeeze
from beholder.store.storable import json_text, storable
from beholder.store.turns import TurnEntry, turn_row

_BATCH = 256
_LINGER = 0.05


class Entry(msgspec.Struct, frozen=True):
    """One response to be journaled: the sample and repetition it answers, and the request as it is recorded.

    `images` are the SHA-256 of the sample's images where they could be read.
    """

    sample: Sample
    vote: int
    epoch: int
    response: Response
    request: bytes = b""
    images: tuple[str, ...] = ()


Scores = dict[str, Score]
Scored = list[tuple[int, Entry, Scores]]
Item = Entry | TurnEntry | Scored
ScoreAll = Callable[[Sample, Response], Scores]


class Journal:
    """Writes one run. Use as a context manager; leaving it waits until everything is committed and scored.

    `on_scored(entry, scores)` is called in the scorer thread after each response has its scores; `warn` takes a line
    for the user. An error in the writer (a full disk) is kept in `error`, stops the writing, and is raised again on
    leaving.
    """

    def __init__(
        self,
        folder: Path,
        scorers: dict[str, str],
        score: ScoreAll,
        *,
        cache: ResponseCache | None = None,
        on_scored: Callable[[Entry, Scores], None] | None = None,
        warn: Callable[[str], None] = print,
        fsync: bool = False,
    ) -> None:
        self._path = folder / "run.db"
        self._score = score
        self._cache = cache
        self._on_scored = on_scored
        self._warn = warn
        self._db = schema.open_to_write(self._path, fsync=fsync)
        try:
            self._scorer_ids = register_scorers(self._db, scorers)
            self._next_id = (self._db.execute("SELECT max(id) FROM responses").fetchone()[0] or 0) + 1
            self._known_samples: set[str] = {row[0] for row in self._db.execute("SELECT key FROM samples")}
        except BaseException:
            self._db.close()
            raise
        self._entries: deque[Item] = deque()
        self._something = threading.Event()
        self._full = threading.Event()
        self._closing = False
        self._committed: queue.SimpleQueue[list[tuple[int, Entry]] | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write_all, name="journal", daemon=True)
        self._scorer = threading.Thread(target=self._score_all, name="scorer", daemon=True)
        self._progress = threading.Condition()
        self.error: BaseException | None = None
        self.waiting = 0
        """Responses given to the journal and not yet committed."""

    def __enter__(self) -> Journal:
        self._writer.start()
        self._scorer.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._closing = True
        self._something.set()
        self._full.set()
        self._writer.join()
        self._committed.put(None)
        self._scorer.join()
        try:
            if self.error is None:
                self._drain_scores()
        except sqlite3.Error as error:
            self.error = error
        finally:
            schema.close_for_good(self._db)
        if self.error is not None and exc_info[0] is None:
            raise self.error

    def put(self, entry: Entry) -> None:
        """Hands over a response. Returns at once; raises the writer's error if it has stopped."""
        if self.error is not None:
            raise self.error
        with self._progress:
            self.waiting += 1
        self._hand_in(entry)

    def put_turn(self, entry: TurnEntry) -> None:
        """Hands over a turn. It is committed no later than the response that comes after it; raises as `put` does."""
        if self.error is not None:
            raise self.error
        self._hand_in(entry)

    def catch_up(self, waiting: int) -> None:
        """Blocks until no more than `waiting` responses are uncommitted, or the writer has stopped with an error."""
        with self._progress:
            self._progress.wait_for(lambda: self.waiting <= waiting or self.error is not None)

    def _hand_in(self, item: Item) -> None:
        """Wakes the writer for the first item of a batch and for a full one, not for each: waking costs more than
        appending. The event loop and the scorer both hand in; the writer clears the event before it takes, so an item
        that finds the event set is taken."""
        self._entries.append(item)
        if not self._something.is_set():
            self._something.set()
        if len(self._entries) >= _BATCH:
            self._full.set()

    def _write_all(self) -> None:
        while True:
            self._something.wait()
            if not self._closing:
                self._full.wait(_LINGER)
            last = self._closing
            self._something.clear()
            self._full.clear()
            batch: list[Entry] = []
            turns: list[TurnEntry] = []
            scored: Scored = []
            while self._entries and len(batch) + len(turns) < _BATCH:
                item = self._entries.popleft()
                if isinstance(item, list):
                    scored.extend(item)
                elif isinstance(item, TurnEntry):
                    turns.append(item)
                else:
                    batch.append(item)
            if self._entries or last:
                self._something.set()  # a batch is bounded: the rest is written next, without waiting for more
            if last and not (batch or turns or scored):
                return
            if self.error is None and (batch or turns or scored):
                try:
                    self._write(batch, turns, scored)
                except Exception as error:  # noqa: BLE001 - kept and raised by `put` and on leaving
                    with self._progress:
                        self.error = error
                        self._progress.notify_all()

    def _write(self, batch: list[Entry], turns: list[TurnEntry], scored: Scored) -> None:
        numbered = list(enumerate(batch, start=self._next_id))
        new_samples = {}
        for entry in batch:
            if entry.sample.key not in self._known_samples:
                new_samples[entry.sample.key] = entry
        db = self._db
        db.execute("BEGIN IMMEDIATE")
        try:
            insert_rows(
                db,
                "INSERT OR IGNORE INTO samples",
                [(key, entry.sample.index, sample_record(entry)) for key, entry in new_samples.items()],
            )
            insert_rows(
                db,
                "INSERT OR IGNORE INTO requests",
                [(entry.response.request_hash, squeeze(entry.request)) for entry in batch if entry.request],
            )
            insert_rows(db, "INSERT OR REPLACE INTO turns", [turn_row(entry) for entry in turns])
            insert_rows(db, "INSERT INTO responses", [response_row(number, entry) for number, entry in numbered])
            self._insert_scores(scored)
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        self._known_samples.update(new_samples)
        self._next_id += len(batch)
        with self._progress:
            self.waiting -= len(batch)
            self._progress.notify_all()
        if batch:
            self._committed.put(numbered)
        # What a conversation led to answers no single request; its turns do.
        answers = [entry.response for entry in batch if entry.response.conduct is None]
        answers += [response for turn in turns for response in turn.responses]
        if answers:
            self._remember(answers)

    def _remember(self, answers: list[Response]) -> None:
        """Puts the answers into the cache. A cache that fails is given up: it must not stop a run."""
        if self._cache is None:
            return
        try:
            self._cache.put(answers)
        except UsageError as error:
            self._cache = None
            self._warn(f"{error} The run goes on without it.")

    def _insert_scores(self, scored: Scored) -> None:
        insert_scores(self._db, self._scorer_ids, [(number, scores) for number, _, scores in scored])

    def _score_all(self) -> None:
        while (batch := self._committed.get()) is not None:
            scored = []
            for number, entry in batch:
                scores = self._score(entry.sample, entry.response)
                scored.append((number, entry, scores))
                if self._on_scored is not None:
                    self._on_scored(entry, scores)
            self._hand_in(scored)

    def _drain_scores(self) -> None:
        """Writes the scores that came in after the writer had stopped taking responses."""
        scored: Scored = []
        while self._entries:
            item = self._entries.popleft()
            if isinstance(item, list):
                scored.extend(item)
        self._write([], [], scored)


def register_scorers(db: sqlite3.Connection, scorers: dict[str, str]) -> dict[str, int]:
    """Records which scorers, with which code, are at work; returns their numbers."""
    db.executemany(
        "INSERT INTO scorers (name, code) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET code = excluded.code",
        scorers.items(),
    )
    return dict(db.execute("SELECT name, id FROM scorers").fetchall())


def insert_scores(db: sqlite3.Connection, scorer_ids: dict[str, int], scored: list[tuple[int, Scores]]) -> None:
    """Inserts (or replaces) the score rows of responses, inside the caller's transaction."""
    insert_rows(
        db,
        "INSERT OR REPLACE INTO scores",
        [
            (
                number,
                scorer_ids[name],
                score.value,
                score.outcome.value,
                storable(score.extracted),
                score.span[0] if score.span else None,
                score.span[1] if score.span else None,
                " ".join(score.flags) or None,
                storable(score.reason) or None,
                score.owner.value if score.owner else None,
            )
            for number, scores in scored
            for name, score in scores.items()
        ],
    )


def sample_record(entry: Entry) -> str:
    """A sample as it is stored: images by the hash of the blob that holds them, or by name alone if there is none.

    Paths of this machine have no business in a file that may be passed on.
    """
    sample = entry.sample
    images = tuple(
        ImageRef(name=ref.name, path=f"sha256:{entry.images[place]}" if place < len(entry.images) else None)
        for place, ref in enumerate(sample.images)
    )
    return json_text(msgspec.structs.replace(sample, images=images))


def response_row(number: int, entry: Entry) -> tuple[object, ...]:
    """A response as a row of the table; the server's body is compressed."""
    response = entry.response
    state = schema.ANSWERED
    if response.failure is not None:
        state = schema.FAILED_RETRYABLE if response.failure.retryable else schema.FAILED
    rest = msgspec.structs.replace(response, text=None, reasoning=None, finish=None, raw=None)
    return (
        number,
        entry.sample.key,
        entry.epoch,
        entry.vote,
        state,
        storable(response.text),
        storable(response.reasoning),
        storable(response.finish),
        json_text(rest),
        squeeze(response.raw) if response.raw else None,
    )
