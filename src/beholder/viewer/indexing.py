"""Makes the index of a run out of its journal, and adds to one what has come since.

Items with a thousand responses at a time are read, judged and written: memory does not grow with the run, and nobody
who writes to the run has to wait for long. Responses that come while an index is made are left to the next time.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from threading import Event

import msgspec

from beholder.errors import UsageError
from beholder.store import schema
from beholder.viewer import index_file
from beholder.viewer.index_file import State
from beholder.viewer.journal_items import of_a_run
from beholder.viewer.library import Opened, stamp_of
from beholder.viewer.run_data import MARKED
from beholder.viewer.taking import Taking

AT_ONCE = 1_000
"""Responses that are read, judged and written together, if no item has more of them."""
_FIRST = 80
"""Those that the first page waits for."""
_MOST_SCORERS = 24
"""Scorers that are looked at; a foreign run may hold any number."""
_MOST_MARKS = 100_000


class StoppedError(Exception):
    """The viewer ends, and what is being made is not needed any more."""


@contextmanager
def reading_run(run: Opened) -> Iterator[sqlite3.Connection]:
    """The journal of a run, to be read; `UsageError` if it is none."""
    file = run.folder / "run.db"
    if file.is_symlink():
        raise UsageError(f"{file} is a link, which no run of ours has. It was not opened.")
    with closing(schema.open_to_read(file)) as db:
        yield db


def build(
    run: Opened,
    place: Path,
    told: Callable[[Path, float | None], None],
    stop: Event,
    turn: AbstractContextManager[object],
) -> None:
    """Makes the whole index, when its turn has come, and puts it into its place.

    `told` is told where it is being made, at once, and from the first items on which share is done. `UsageError` if the
    run cannot be read.
    """
    made, file = index_file.create(place)
    try:
        with closing(file), reading_run(run) as db:
            state = state_of(run, db, searchable=index_file.is_searchable(file))
            index_file.write_state(file, state)
            told(made, None)
            with turn:
                _fill(run, db, file, state, lambda share: told(made, share), stop)
            file.execute("PRAGMA journal_mode=DELETE")
        index_file.install(made, place)
    finally:
        made.unlink(missing_ok=True)  # gone already if all went well


def _fill(
    run: Opened,
    db: sqlite3.Connection,
    file: sqlite3.Connection,
    state: State,
    told: Callable[[float], None],
    stop: Event,
) -> None:
    taking, at_once = Taking(run, db, file, state), _items_at_once(db)
    first = _keys(db, "SELECT key FROM responses ORDER BY id LIMIT ?", min(_FIRST, at_once))
    with _together(file):
        taking.take(first)
    told(0.0)
    done = set(first)
    keys = [key for key in _keys(db, "SELECT key FROM samples ORDER BY position, key") if key not in done]
    for start in range(0, len(keys), at_once):
        _unless(stop)
        with _together(file):
            taking.take(keys[start : start + at_once])
        told((start + 1) / (len(keys) + 1))
    with _together(file):
        index_file.write_state(file, _mark(db, file, state, again=True))


def _items_at_once(db: sqlite3.Connection) -> int:
    """How many items have at most `AT_ONCE` responses together, whichever they are; but one at least."""
    with of_a_run():
        most: int = db.execute(_MOST_RESPONSES).fetchone()[0]
    return max(1, AT_ONCE // most)


_MOST_RESPONSES = "SELECT coalesce(max(n), 1) FROM (SELECT count(*) AS n FROM responses GROUP BY key)"


def _keys(db: sqlite3.Connection, query: str, *values: int) -> list[str]:
    """The keys that a query gives, each once."""
    with of_a_run():
        return list(dict.fromkeys(key for (key,) in db.execute(query, values)))


class Since(msgspec.Struct, frozen=True):
    """What has come since an index was made: the items that have to be taken in anew, and the state of the run now."""

    keys: list[str]
    now: State


def since(run: Opened, db: sqlite3.Connection, file: sqlite3.Connection) -> Since | None:
    """What an index lacks. None if it cannot be added to: the run was scored again, or what failed was asked again.

    Both write run.json or results.json. With more votes, what an item's votes come to may be another.
    """
    state = index_file.read_state(file)
    now = state_of(run, db, searchable=state.searchable)
    same = state.stamps == now.stamps and state.scorers == now.scorers and state.planned == now.planned
    if not same or state.last > now.last:
        return None
    waiting = [number for (number,) in file.execute("SELECT number FROM responses WHERE scored = 0")]
    keys = dict.fromkeys(_keys(db, "SELECT key FROM responses WHERE id > ?", state.last))
    with of_a_run():
        for start in range(0, len(waiting), AT_ONCE):
            keys |= dict.fromkeys(_scored_by_now(db, waiting[start : start + AT_ONCE]))
    return Since(list(keys), msgspec.structs.replace(state, last=now.last))


def _scored_by_now(db: sqlite3.Connection, numbers: Sequence[int]) -> Iterator[str]:
    query = "SELECT key FROM responses r WHERE id IN (GIVEN) AND EXISTS (SELECT 1 FROM scores WHERE response = r.id)"
    return (key for (key,) in db.execute(query.replace("GIVEN", ",".join("?" * len(numbers))), numbers))


def grow(run: Opened, place: Path, told: Callable[[float], None], stop: Event) -> bool:
    """Adds what has come since to the index in its place. False if it cannot be added to, and has to be made anew."""
    with index_file.locked(place), closing(index_file.open_index(place)) as file, reading_run(run) as db:
        lacking = since(run, db, file)
        if lacking is None:
            return False
        before = index_file.read_state(file)
        state = msgspec.structs.replace(lacking.now, changes=before.changes + 1, added=True)
        taking, at_once = Taking(run, db, file, state), _items_at_once(db)
        for done in range(0, len(lacking.keys), at_once):
            _unless(stop)
            told(done / len(lacking.keys))
            with _together(file):
                taking.take(lacking.keys[done : done + at_once])
        with _together(file):
            marked = _mark(db, file, state, again=bool(lacking.keys))
            if lacking.keys or marked.marks != before.marks:
                index_file.write_state(file, marked)
        return True


def state_of(run: Opened, db: sqlite3.Connection, *, searchable: bool) -> State:
    """What an index of the run as it stands now is made from."""
    stamps = [stamp_of(run.folder / name) for name in ("run.json", "results.json")]  # first: what changes later shows
    with of_a_run():
        (last,) = db.execute("SELECT coalesce(max(id), 0) FROM responses").fetchone()
        planned = db.execute(_MOST_VOTES).fetchone()[0] if run.found.answers_shown else 1
        scorers = _scorers(run, db)
    return State(
        format=index_file.FORMAT,
        build=secrets.token_hex(6),
        changes=0,
        stamps=stamps,
        scorers=scorers,
        planned=planned,
        last=last,
        marks="",
        searchable=searchable,
    )


_MOST_VOTES = (
    "SELECT coalesce(max(n), 1) FROM (SELECT count(*) AS n FROM responses r "
    "WHERE EXISTS (SELECT 1 FROM scores WHERE response = r.id) GROUP BY key, epoch)"
)


def _scorers(run: Opened, db: sqlite3.Connection) -> dict[str, str]:
    """The scorers at work in the run: those of the benchmark first, in its order."""
    there: dict[str, str] = dict(db.execute("SELECT name, code FROM scorers"))
    own = [name for name in run.found.scorers if name in there]
    names = [*own, *sorted(there.keys() - set(own))][:_MOST_SCORERS]
    return {name: there[name] for name in names}


def _mark(db: sqlite3.Connection, file: sqlite3.Connection, state: State, *, again: bool) -> State:
    """Flags the items that somebody has marked. Marks come and go without a response; `again`: items were written."""
    query = "SELECT DISTINCT key FROM marks WHERE key IS NOT NULL ORDER BY key LIMIT ?"
    with of_a_run():
        keys = db.execute(query, (_MOST_MARKS,)).fetchall()
        digest = hashlib.blake2b("\0".join(key for (key,) in keys).encode(), digest_size=8).hexdigest()
    if digest != state.marks:
        file.execute("UPDATE items SET flags = flags & ~:bit WHERE flags & :bit", {"bit": MARKED})
    if digest != state.marks or again:
        file.executemany("UPDATE items SET flags = flags | ? WHERE key = ?", [(MARKED, key) for (key,) in keys])
    return msgspec.structs.replace(state, marks=digest)


def _unless(stop: Event) -> None:
    if stop.is_set():
        raise StoppedError


@contextmanager
def _together(file: sqlite3.Connection) -> Iterator[None]:
    """All of it is written, or nothing."""
    file.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        file.execute("ROLLBACK")
        raise
    file.execute("COMMIT")
