"""The turns of conversations with tools: kept one by one as they end, read back as trajectories.

A sample whose process was killed begins again at turn 1, because the state of its tools is gone; what the abandoned
attempt said and cost stays.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import msgspec

from beholder.errors import UsageError
from beholder.sample import Conduct, Response
from beholder.store.squeeze import squeeze
from beholder.store.storable import json_text
from beholder.trajectory import Ended, Trajectory, Turn

_turn_decoder = msgspec.json.Decoder(Turn)

Place = tuple[str, int, int]
"""(key, epoch, vote)."""


class TurnEntry(msgspec.Struct, frozen=True):
    """One turn of a conversation with tools: journaled when the model has spoken, and again when its calls are done.

    `attempt` is the attempt at the sample and `turn` the turn's number, both from 0; `raw` is the server's body.
    `responses` are those that the turn took, for the cache.
    """

    key: str
    epoch: int
    vote: int
    attempt: int
    turn: int
    record: Turn
    raw: bytes | None = None
    responses: tuple[Response, ...] = ()


class Abandoned(msgspec.Struct, frozen=True):
    """Attempts that came to nothing, because a process was killed or a request failed and the sample began again.

    Tokens are those of turns that did not come from the cache.
    """

    attempts: int = 0
    turns: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Spent(msgspec.Struct, frozen=True):
    """What the turns of a run cost: tokens of turns that did not come from the cache, with their probes.

    What was `abandoned` is in it.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    abandoned: Abandoned = Abandoned()


def turn_row(entry: TurnEntry) -> tuple[object, ...]:
    """A turn as a row of the table."""
    place = (entry.key, entry.epoch, entry.vote, entry.attempt, entry.turn)
    return (*place, json_text(entry.record), squeeze(entry.raw) if entry.raw else None)


def are_kept(db: sqlite3.Connection) -> bool:
    """Whether the run is of a format that holds turns."""
    return db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'turns'").fetchone() is not None


def next_attempts(db: sqlite3.Connection) -> dict[Place, int]:
    """The number of the next attempt at each (key, epoch, vote) that has turns already; for others it is 0."""
    if not are_kept(db):
        return {}
    rows = db.execute("SELECT key, epoch, vote, max(attempt) + 1 FROM turns GROUP BY key, epoch, vote")
    return {(key, epoch, vote): attempt for key, epoch, vote, attempt in rows}


def trajectory(db: sqlite3.Connection, place: Place, conduct: Conduct) -> Trajectory:
    """The turns of the attempt that led to a response."""
    query = "SELECT record FROM turns WHERE key = ? AND epoch = ? AND vote = ? AND attempt = ? ORDER BY turn"
    turns = tuple(_turn(record) for (record,) in db.execute(query, (*place, conduct.attempt)))
    return Trajectory(turns, _ended(conduct.ended), conduct.attempt)


def abandoned(db: sqlite3.Connection, place: Place, conduct: Conduct | None) -> list[Trajectory]:
    """The attempts at a sample that came to nothing; `conduct` is that of the response, None if there is none."""
    if not are_kept(db):
        return []
    query = (
        "SELECT attempt, record FROM turns WHERE key = ? AND epoch = ? AND vote = ? AND attempt != ? "
        "ORDER BY attempt, turn"
    )
    found: dict[int, list[Turn]] = {}
    for attempt, record in db.execute(query, (*place, -1 if conduct is None else conduct.attempt)):
        found.setdefault(attempt, []).append(_turn(record))
    return [Trajectory(tuple(turns), None, attempt) for attempt, turns in found.items()]


def trajectories(db: sqlite3.Connection) -> Iterator[tuple[Place, Trajectory]]:
    """The trajectory of every response that has one, in data order."""
    if not are_kept(db):
        return
    query = (
        "SELECT r.key, r.epoch, r.vote, json_extract(r.record, '$.conduct') FROM responses r "
        "JOIN samples s ON s.key = r.key WHERE json_extract(r.record, '$.conduct') IS NOT NULL "
        "ORDER BY s.position, r.epoch, r.vote"
    )
    for key, epoch, vote, told in db.execute(query).fetchall():
        try:
            conduct = msgspec.json.decode(told, type=Conduct)
        except msgspec.DecodeError as error:
            raise _damaged(error) from None
        yield (key, epoch, vote), trajectory(db, (key, epoch, vote), conduct)


def spent(db: sqlite3.Connection) -> Spent:
    """What all turns cost."""
    if not are_kept(db):
        return Spent()
    prompt, completion = db.execute(
        "SELECT coalesce(sum(prompt), 0), coalesce(sum(completion), 0) FROM ("
        "SELECT json_extract(record, '$.usage.prompt_tokens') AS prompt, "
        "json_extract(record, '$.usage.completion_tokens') AS completion FROM turns "
        "WHERE json_extract(record, '$.cached') IS NOT TRUE UNION ALL "
        "SELECT json_extract(record, '$.probe_usage.prompt_tokens'), "
        "json_extract(record, '$.probe_usage.completion_tokens') FROM turns "
        "WHERE json_extract(record, '$.probe_cached') IS NOT TRUE)"
    ).fetchone()
    lost = db.execute(
        "SELECT count(DISTINCT t.key || ' ' || t.epoch || ' ' || t.vote || ' ' || t.attempt), count(*), "
        "coalesce(sum(json_extract(t.record, '$.usage.prompt_tokens')) FILTER (WHERE PAID), 0), "
        "coalesce(sum(json_extract(t.record, '$.usage.completion_tokens')) FILTER (WHERE PAID), 0) FROM turns t "
        "LEFT JOIN responses r ON r.key = t.key AND r.epoch = t.epoch AND r.vote = t.vote "
        "WHERE coalesce(json_extract(r.record, '$.conduct.attempt'), -1) != t.attempt".replace(
            "PAID", "json_extract(t.record, '$.cached') IS NOT TRUE"
        )
    ).fetchone()
    return Spent(prompt, completion, Abandoned(*lost))


def _turn(record: str) -> Turn:
    try:
        return _turn_decoder.decode(record)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _damaged(error) from None


def _ended(word: str) -> Ended:
    try:
        return Ended(word)
    except ValueError as error:
        raise _damaged(error) from None


def _damaged(error: Exception) -> UsageError:
    return UsageError(f"The run's turns cannot be read ({error}). Use another copy of the run.")
