"""Reading a run back: rows for metrics, responses for rescoring, one item for a reader."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from sys import intern
from typing import Any, TypeVar

import msgspec

from beholder.annotation import written
from beholder.errors import Owner, UsageError
from beholder.sample import (
    BooleanTarget,
    ChoiceTarget,
    Extracted,
    Failure,
    Judged,
    MetaphorTarget,
    NumberSetTarget,
    NumberTarget,
    OrderedListTarget,
    PlaceTarget,
    PreferenceTarget,
    Response,
    Sample,
    TextTarget,
)
from beholder.score import Outcome, Score, ScoredItem
from beholder.store import judge_calls, schema, turns

T = TypeVar("T")

_sample_decoder = msgspec.json.Decoder(Sample)
_response_decoder = msgspec.json.Decoder(Response)
_failure_decoder = msgspec.json.Decoder(Failure)
_order_decoder = msgspec.json.Decoder(tuple[int, ...])
_RESPONSES = (
    "SELECT r.id, r.key, r.epoch, r.vote, r.text, r.reasoning, r.finish, r.record, r.raw "
    "FROM responses r JOIN samples s ON s.key = r.key {which} ORDER BY s.position, r.epoch, r.vote"
)
_ALL, _OF_SAMPLE, _NUMBERED = "", "WHERE r.key = :key", "WHERE r.id IN (SELECT value FROM json_each(:numbers))"
_PAID = "json_extract(record, '$.cached') IS NOT TRUE AND json_extract(record, '$.conduct') IS NULL"
_LONGEST = 256 << 20
"""Bytes of one record once unpacked. What we write stays far below; a foreign file may hold anything."""


class StoredResponse(msgspec.Struct, frozen=True):
    """A response as it lies in the journal, with its place (`key`, `epoch`, `vote`) and its row number."""

    number: int
    key: str
    epoch: int
    vote: int
    response: Response


class Tally(msgspec.Struct, frozen=True):
    """What a run holds: responses by state, tokens, retries.

    Tokens are those that this run spent: an answer from the cache was paid for by an earlier one. `cut` counts the
    answers that used up the token limit. Where tools were used, tokens are those of all turns, also of the `abandoned`
    attempts: a process was killed, or a request failed, and the sample began again.
    """

    answered: int
    failed: int
    retryable: int
    unscored: int
    prompt_tokens: int
    completion_tokens: int
    attempts: int
    cached: int
    cut: int
    abandoned: int = 0


def samples(db: sqlite3.Connection) -> Iterator[Sample]:
    """All samples that have a response, in data order."""
    for (record,) in _rows(db, "SELECT record FROM samples ORDER BY position"):
        yield _decoded(_sample_decoder, record)


def sample(db: sqlite3.Connection, key: str) -> Sample | None:
    """One sample by key."""
    row = db.execute("SELECT record FROM samples WHERE key = ?", (key,)).fetchone()
    return _decoded(_sample_decoder, row[0]) if row else None


def find_keys(db: sqlite3.Connection, name: str, limit: int = 10) -> list[str]:
    """Keys that begin with `name`, or of samples whose record id is `name`, or whose position is that number."""
    starts = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    rows = db.execute("SELECT key FROM samples WHERE key LIKE ? ESCAPE '\\' LIMIT ?", (starts, limit)).fetchall()
    if not rows and name.isdecimal() and len(name) < 19:  # longer ones are beyond SQLite's whole numbers
        rows = db.execute("SELECT key FROM samples WHERE position = ?", (int(name),)).fetchall()
    if not rows:
        return [found.key for found in samples(db) if found.record_id == name][:limit]
    return [row[0] for row in rows]


def done(db: sqlite3.Connection) -> set[tuple[str, int, int]]:
    """(key, epoch, vote) of every response that a resume does not ask again."""
    rows = db.execute("SELECT key, epoch, vote FROM responses WHERE state != ?", (schema.FAILED_RETRYABLE,))
    return set(rows.fetchall())


def forget_retryable(db: sqlite3.Connection) -> int:
    """Removes the failures that a resume tries again, with their scores. Returns how many.

    These are the provider's retryable ones, and those of the data: an image may have been mended, and looking costs no
    request.
    """
    db.execute("BEGIN IMMEDIATE")
    query = (
        "SELECT id FROM responses WHERE state = :retryable "
        "OR (state = :failed AND json_extract(record, '$.failure.owner') = 'data')"
    )
    doomed = list(_rows(db, query, {"retryable": schema.FAILED_RETRYABLE, "failed": schema.FAILED}))
    db.executemany("DELETE FROM scores WHERE response = ?", doomed)
    db.executemany("DELETE FROM responses WHERE id = ?", doomed)
    # Written anew with the next response: a mended image has to show in the sample's record too.
    db.execute("DELETE FROM samples WHERE key NOT IN (SELECT key FROM responses)")
    db.execute("COMMIT")
    return len(doomed)


def response_numbers(db: sqlite3.Connection, *, fewer_scores_than: int | None = None) -> list[int]:
    """The row numbers, in data order, of all responses, or of those that have fewer scores than that."""
    rows = _rows(
        db,
        "SELECT r.id FROM responses r JOIN samples s ON s.key = r.key "
        "WHERE (:fewer IS NULL OR (SELECT count(*) FROM scores WHERE response = r.id) < :fewer) "
        "ORDER BY s.position, r.epoch, r.vote",
        {"fewer": fewer_scores_than},
    )
    return [row[0] for row in rows]


def scorer_codes(db: sqlite3.Connection) -> dict[str, str]:
    """Scorer name → the hash of the code that made the run's scores; empty before the first score."""
    return dict(_rows(db, "SELECT name, code FROM scorers WHERE id IN (SELECT DISTINCT scorer FROM scores)"))


def responses(
    db: sqlite3.Connection,
    *,
    key: str | None = None,
    numbers: Sequence[int] | None = None,
    with_raw: bool = False,
) -> Iterator[StoredResponse]:
    """Responses in data order: all, those of one sample (`key`), or those with these row numbers.

    What judges said of them is with them, as far as it counts.
    """
    rounds = judge_calls.last_rounds(db)
    # One query for each: a condition that may be switched off would have every row looked at.
    which = _OF_SAMPLE if key is not None else _NUMBERED if numbers is not None else _ALL
    values = {"key": key, "numbers": None if numbers is None else str(list(numbers))}
    rows = _rows(db, _RESPONSES.format(which=which), values)
    for number, found_key, epoch, vote, text, reasoning, finish, record, raw in rows:
        extracted, judged = _said_of(db, number, rounds) if rounds else (None, ())
        response = msgspec.structs.replace(
            _decoded(_response_decoder, record),
            text=text,
            reasoning=reasoning,
            finish=finish,
            raw=_inflated(raw) if raw and with_raw else None,
            extracted=extracted,
            judged=judged,
        )
        yield StoredResponse(number, found_key, epoch, vote, response)


def _said_of(
    db: sqlite3.Connection, number: int, rounds: dict[str, int]
) -> tuple[Extracted | None, tuple[Judged, ...]]:
    """What judges said of a response, as far as it counts: `rounds` are the last ones."""
    extracted: Extracted | None = None
    judged: list[Judged] = []
    query = "SELECT purpose, judge, round, answer, failure FROM judge_calls WHERE response = ? ORDER BY 1, 2, prompt"
    for purpose, judge, of_round, answer, text in _rows(db, query, (number,)):
        if of_round != rounds.get(purpose):
            continue
        failure = None if text is None else _decoded(_failure_decoder, text)
        if purpose == judge_calls.EXTRACTION:
            extracted = Extracted(answer, judge, failure)
        else:
            judged.append(Judged(purpose, judge, answer, failure))
    return extracted, tuple(judged)


def request_record(db: sqlite3.Connection, request_hash: str) -> bytes | None:
    """The request as it was sent (images by hash), or None if the model was a local one."""
    row = db.execute("SELECT record FROM requests WHERE hash = ?", (request_hash,)).fetchone()
    return _inflated(row[0]) if row else None


def scores_of(db: sqlite3.Connection, number: int) -> dict[str, Score]:
    """All scores of one response."""
    rows = db.execute(
        "SELECT n.name, c.value, c.outcome, c.extracted, c.span_start, c.span_end, c.flags, c.reason, c.owner "
        "FROM scores c JOIN scorers n ON n.id = c.scorer WHERE c.response = ? ORDER BY n.id",
        (number,),
    )
    return {row[0]: _score(*row[1:]) for row in rows}


def scored_items(db: sqlite3.Connection) -> list[ScoredItem]:
    """One row for each (key, epoch, vote), in data order; equal sets of scores are shared to keep the list small."""
    facts: dict[str, tuple[int, str, str, str, str, str, str, str, str]] = {}
    for found in samples(db):
        facts[found.key] = (
            found.index,
            found.key,
            # shared texts: thousands of samples have the same category, group and cluster
            intern(found.group),
            intern(found.cluster),
            intern(found.category),
            intern(found.difficulty),
            intern(target_text(found)),
            intern(found.split),
            intern(origin_of(found)),
        )
    names = dict(db.execute("SELECT id, name FROM scorers").fetchall())
    shared_score: dict[tuple[Any, ...], Score] = {}
    shared_set: dict[tuple[int, ...], dict[str, Score]] = {}
    items: list[ScoredItem] = []

    def finish(place: tuple[str, int, int], order: tuple[int, ...], scores: dict[int, Score]) -> None:
        identity = tuple(x for scorer, score in scores.items() for x in (scorer, id(score)))
        named = shared_set.setdefault(identity, {names[scorer]: score for scorer, score in scores.items()})
        index, key, group, cluster, category, difficulty, target, split, origin = facts[place[0]]
        items.append(
            ScoredItem(
                index=index,
                key=key,
                epoch=place[1],
                vote=place[2],
                scores=named,
                group=group,
                cluster=cluster,
                category=category,
                difficulty=difficulty,
                order=order,
                target=target,
                split=split,
                origin=origin,
            )
        )

    rows = _rows(
        db,
        "SELECT r.key, r.epoch, r.vote, json_extract(r.record, '$.order'), c.scorer, c.value, c.outcome, c.extracted, "
        "c.flags, c.owner FROM responses r JOIN samples s ON s.key = r.key JOIN scores c ON c.response = r.id "
        "ORDER BY s.position, r.epoch, r.vote, c.scorer",
    )
    current: tuple[str, int, int] | None = None
    order: tuple[int, ...] = ()
    scores: dict[int, Score] = {}
    for key, epoch, vote, order_text, scorer, value, outcome, extracted, flags, owner in rows:
        place = (key, epoch, vote)
        if place != current:
            if current is not None:
                finish(current, order, scores)
            current, scores = place, {}
            order = _decoded(_order_decoder, order_text) if order_text else ()
        content = (value, outcome, extracted, flags, owner)
        score = shared_score.get(content)
        if score is None:
            score = shared_score[content] = _score(value, outcome, extracted, None, None, flags, None, owner)
        scores[scorer] = score
    if current is not None:
        finish(current, order, scores)
    return items


def origin_of(found: Sample) -> str:
    """Which collection a sample came from, "" where its data does not say."""
    return str(found.metadata.get("origin", ""))


def target_text(found: Sample) -> str:
    """The gold as text, for tables and confusion counts."""
    match found.target:
        case BooleanTarget(value=value):
            return "T" if value else "F"
        case PreferenceTarget(preferred=preferred):
            return str(preferred)
        case OrderedListTarget(values=values) | NumberSetTarget(values=values):
            return str(list(values))
        case ChoiceTarget(letters=text) | NumberTarget(written=text) | TextTarget(text=text):
            return text
        case PlaceTarget(row=row, column=column):
            return str([row, column])
        case MetaphorTarget(annotation=annotation):
            return written(annotation)


def tally(db: sqlite3.Connection, n_scorers: int) -> Tally:
    """Counts of what the run holds."""
    states = dict(_rows(db, "SELECT state, count(*) FROM responses GROUP BY state"))
    ((*totals,),) = _rows(
        db,
        "SELECT coalesce(sum(json_extract(record, '$.usage.prompt_tokens')) FILTER (WHERE PAID), 0), "
        "coalesce(sum(json_extract(record, '$.usage.completion_tokens')) FILTER (WHERE PAID), 0), "
        "coalesce(sum(coalesce(json_extract(record, '$.attempts'), 1)), 0), "
        "coalesce(sum(coalesce(json_extract(record, '$.cached'), 0)), 0), "
        "coalesce(sum(finish IN ('length', 'max_tokens') OR coalesce(json_extract(record, '$.usage.completion_tokens') "
        ">= json_extract(record, '$.max_tokens'), 0)), 0) FROM responses".replace("PAID", _PAID),
    )
    ((scored,),) = _rows(
        db,
        "SELECT count(*) FROM (SELECT response FROM scores GROUP BY response HAVING count(*) >= ?)",
        (n_scorers,),
    )
    turned = turns.spent(db)
    return Tally(
        answered=states.get(schema.ANSWERED, 0),
        failed=states.get(schema.FAILED, 0),
        retryable=states.get(schema.FAILED_RETRYABLE, 0),
        unscored=sum(states.values()) - scored,
        prompt_tokens=totals[0] + turned.prompt_tokens,
        completion_tokens=totals[1] + turned.completion_tokens,
        attempts=totals[2],
        cached=totals[3],
        cut=totals[4],
        abandoned=turned.abandoned.attempts,
    )


def _score(
    value: float | None,
    outcome: str,
    extracted: str | None,
    span_start: int | None,
    span_end: int | None,
    flags: str | None,
    reason: str | None,
    owner: str | None,
) -> Score:
    try:
        known, known_owner = Outcome(outcome), Owner(owner) if owner else None
    except ValueError as error:
        raise _damaged(error) from None
    if value is not None and not 0 <= value <= 1:  # no scorer gives that, and sums of it could run over
        raise _damaged(ValueError(f"a score of {value:g}"))
    return Score(
        value=value,
        outcome=known,
        extracted=extracted,
        span=(span_start, span_end) if span_start is not None and span_end is not None else None,
        flags=tuple(flags.split()) if flags else (),
        reason=reason or "",
        owner=known_owner,
    )


def _rows(db: sqlite3.Connection, query: str, values: dict[str, Any] | tuple[Any, ...] = ()) -> Iterator[Any]:
    try:
        # `yield from` would close the cursor of a reader that gives up, perhaps after its database.
        for row in db.execute(query, values):  # noqa: UP028
            yield row
    except sqlite3.Error as error:
        raise _damaged(error) from None


def _decoded(decoder: msgspec.json.Decoder[T], record: str) -> T:
    try:
        return decoder.decode(record)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _damaged(error) from None


def _inflated(data: bytes) -> bytes:
    try:
        unpacker = zlib.decompressobj()
        unpacked = unpacker.decompress(data, _LONGEST)
    except zlib.error as error:
        raise _damaged(error) from None
    if not unpacker.eof:
        raise _damaged(ValueError("a record breaks off or is too long"))
    return unpacked


def _damaged(error: Exception) -> UsageError:
    return UsageError(f"The run's database cannot be read ({error}). Use another copy of the run.")
