"""What a run has spent: tokens and dollars of the model's requests and of its judges'."""

from __future__ import annotations

import sqlite3

import msgspec

from beholder.store import turns

_QUERY = (
    "SELECT coalesce(sum(json_extract(RECORD, '$.USAGE.prompt_tokens')), 0), "
    "coalesce(sum(json_extract(RECORD, '$.USAGE.completion_tokens')), 0), "
    "sum(json_extract(RECORD, '$.USAGE.cost')), "
    "coalesce(sum(json_extract(RECORD, '$.USAGE.prompt_tokens') > 0 AND json_extract(RECORD, '$.USAGE.cost') IS NULL), "
    "0) FROM TABLE WHERE json_extract(RECORD, '$.CACHED') IS NOT TRUE"
)


class Spent(msgspec.Struct, frozen=True):
    """Tokens in and out, and dollars; `cost` is None if no request has one, `unpriced` counts those without."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    unpriced: int = 0

    def __add__(self, other: Spent) -> Spent:
        known = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Spent(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            sum(known) if known else None,
            self.unpriced + other.unpriced,
        )

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.prompt_tokens + self.completion_tokens


class Spending(msgspec.Struct, frozen=True):
    """What the requests to the model came to, and those to judges. Answers from the cache are in neither."""

    model: Spent
    judges: Spent

    @property
    def total(self) -> Spent:
        """Both."""
        return self.model + self.judges


def spending(db: sqlite3.Connection) -> Spending:
    """What all requests of a run came to, also of attempts that were abandoned."""
    model = _sum(db, "responses", more=" AND json_extract(record, '$.conduct') IS NULL")  # else its turns say it
    if turns.are_kept(db):
        model += _sum(db, "turns")
        model += _sum(db, "turns", usage="probe_usage", cached="probe_cached")
    judges = Spent()
    if db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'judge_calls'").fetchone():
        judges = _sum(db, "judge_calls, json_each(replies) AS reply", record="reply.value")
    return Spending(model, judges)


def _sum(
    db: sqlite3.Connection,
    table: str,
    *,
    record: str = "record",
    usage: str = "usage",
    cached: str = "cached",
    more: str = "",
) -> Spent:
    query = _QUERY
    for word, name in {"RECORD": record, "USAGE": usage, "CACHED": cached, "TABLE": table}.items():
        query = query.replace(word, name)
    return Spent(*db.execute(query + more).fetchone())
