"""How a run used its tools, in figures: every conversation diagnosed where they are few, else what the journal counts.

A diagnosis reads the code of every call and takes some milliseconds a conversation; counting takes none.
"""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing

from beholder.engine.lifecycle import Result
from beholder.report.figures import count, percent
from beholder.report.tool_use import tool_use
from beholder.report.trajectory_report import counts_in_words, spaced, use_in_words
from beholder.store import schema, turns

MOST_DIAGNOSED = 100
"""Conversations of a run that are diagnosed for its page: about a second."""

_CONDUCT = (
    "SELECT count(*), avg(turns), max(turns), avg(calls), max(calls), total(calls > 0) FROM ("
    "SELECT json_extract(record, '$.conduct.turns') AS turns, json_extract(record, '$.conduct.calls') AS calls "
    "FROM responses WHERE json_extract(record, '$.conduct') IS NOT NULL)"
)
_ENDED = (
    "SELECT json_extract(record, '$.conduct.ended') AS ended, count(*) FROM responses WHERE ended IS NOT NULL "
    "GROUP BY ended ORDER BY count(*) DESC LIMIT 20"
)
_OUTCOMES = (
    "SELECT json_extract(call.value, '$.outcome') AS outcome, count(*) "
    "FROM turns, json_each(turns.record, '$.observations') AS call "
    "WHERE outcome IS NOT NULL GROUP BY outcome ORDER BY count(*) DESC LIMIT 20"
)


def tool_facts(result: Result) -> list[tuple[str, str]]:
    """The figures as (name, sentence); nothing for a run without tools. Without its rows a run is only counted."""
    settings = result.plan.tools
    if settings is None:
        return []
    head = ("tools", f"{settings.arm.value} ({settings.protocol.value} calls)")
    use = tool_use(result) if 0 < len(result.items) <= MOST_DIAGNOSED else None
    if use is not None:
        return [head, *use_in_words(use)]
    with closing(schema.open_to_read(result.folder / "run.db")) as db:
        return [head, *_counted(db, result.folder.name)]


def _counted(db: sqlite3.Connection, name: str) -> Iterator[tuple[str, str]]:
    n, mean_turns, most_turns, mean_calls, most_calls, used = db.execute(_CONDUCT).fetchone()
    if not n:
        return
    yield "turns", f"mean {mean_turns or 0:.2f}, most {most_turns} a conversation"
    share = f"{percent(used / n)} ({count(int(used))} of {count(n)})"
    yield "calls", f"mean {mean_calls or 0:.2f}, most {most_calls}; {share} of the conversations have one"
    outcomes = db.execute(_OUTCOMES).fetchall() if turns.are_kept(db) else []
    yield "outcomes", counts_in_words({spaced(str(word)): number for word, number in outcomes})
    yield "ended", counts_in_words({spaced(str(word)): number for word, number in db.execute(_ENDED)})
    yield "more", f"beholder show {shlex.quote(name)} diagnoses every call: operations, evidence, causes of errors"
