"""How much and what: histograms of tokens, seconds and turns over the responses of a run, and bars of their outcomes.

By SQL over the journal, one pass each: 157,201 responses take about a third of a second together.
"""

from __future__ import annotations

import bisect
import itertools
import math
import sqlite3
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from beholder.errors import UsageError
from beholder.score import Outcome
from beholder.store import schema
from beholder.viewer.run_data import BUCKETS, PARTLY, RIGHT, WRONG, Bar, Histogram

MOST_BINS = 24
LOOKED_AT = 20_000
"""Responses that a distribution is made of at least, where there are so many."""
_WIDE = 30
"""From this ratio of the largest to the smallest value on, the bins widen with the values."""
_STEPS = (1, 1.5, 2, 3, 5, 7)
"""Edges of widening bins within each power of ten."""
_LEAST, _LARGEST = 1e-6, 1e12
"""Of a value that has a bin of its own, and of one that is taken for one: a journal may be a stranger's."""

_AT_ONCE = 500
_LONGEST_RECORD = 100_000
"""Characters; a record of ours has some hundreds. So what a stranger's run makes this hold is bounded."""


class _Usage(msgspec.Struct, frozen=True, gc=False):
    prompt_tokens: Any = None
    completion_tokens: Any = None


class _Conduct(msgspec.Struct, frozen=True, gc=False):
    turns: Any = None
    seconds: Any = None


class _Record(msgspec.Struct, frozen=True, gc=False):
    """What is needed of a response's record; of what type it is, is looked at below."""

    usage: _Usage = _Usage()
    latency: Any = None
    conduct: _Conduct = _Conduct()


_RECORDS = msgspec.json.Decoder(list[_Record])


def histograms(db: sqlite3.Connection) -> list[Histogram]:
    """The distributions of what is known of the answers; nothing where nothing is.

    Of a large run one response in so many is looked at, and the titles say so. Records are decoded many at a time,
    which is quicker than SQLite's own functions.
    """
    (n,) = db.execute("SELECT count(*) FROM responses").fetchone()
    every = max(1, n // LOOKED_AT)
    of_them = f", one response in {every}" if every > 1 else ""
    query = "SELECT record FROM responses WHERE state = ? AND id % ? = 0 AND length(record) <= ?"
    cursor = db.execute(query, (schema.ANSWERED, every, _LONGEST_RECORD))
    prompt, answer, latency, turns, seconds = values = [array("d") for _ in range(5)]
    while rows := cursor.fetchmany(_AT_ONCE):
        try:
            records = _RECORDS.decode(f"[{','.join(record for (record,) in rows)}]")
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
            raise UsageError(f"The run's responses cannot be read ({error}). Use another copy of the run.") from None
        prompt.extend(_amounts(one.usage.prompt_tokens for one in records))
        answer.extend(_amounts(one.usage.completion_tokens for one in records))
        latency.extend(_amounts(one.latency for one in records))
        turns.extend(_amounts(one.conduct.turns for one in records))
        seconds.extend(_amounts(one.conduct.seconds for one in records))
    named = zip(values, _NAMES, strict=True)
    return [histogram(title + of_them, unit, kept) for kept, (title, unit) in named if len(kept) and max(kept) > 0]


def _amounts(values: Iterable[Any]) -> list[float]:
    """Those of the values that are amounts; a journal may be a stranger's and hold anything."""
    return [value for value in values if value is not None and type(value) in (int, float) and 0 <= value <= _LARGEST]


_NAMES = (
    ("Prompt tokens", "tokens"),
    ("Answer tokens", "tokens"),
    ("Seconds to the answer", "s"),
    ("Turns", "turns"),
    ("Seconds a conversation", "s"),
)


def histogram(title: str, unit: str, values: Iterable[float]) -> Histogram:
    """The distribution of at least one value, none of them negative.

    >>> made = histogram("Turns", "turns", [1, 2, 2, 4])
    >>> made.edges, made.counts, made.median, made.p90
    ([1.0, 2.0, 3.0, 4.0, 5.0], [1, 2, 0, 1], 2.0, 4.0)
    """
    ordered = np.sort(np.fromiter(values, dtype=float))
    n = len(ordered)
    edges = edges_for(ordered, whole=unit != "s")
    places = [0, *np.searchsorted(ordered, edges[1:-1]).tolist(), n]
    return Histogram(
        title=title,
        unit=unit,
        edges=edges,
        counts=[end - start for start, end in itertools.pairwise(places)],
        n=n,
        median=float(ordered[(n - 1) // 2] + ordered[n // 2]) / 2,
        p90=float(ordered[math.ceil(0.9 * n) - 1]),
        most=float(ordered[-1]),
    )


def edges_for(ordered: NDArray[np.float64], *, whole: bool) -> list[float]:
    """Round edges around ascending values, at most `MOST_BINS` bins; the last bin holds its upper edge too.

    Few whole numbers have a bin each; values that span more than a decade and a half have bins that widen.
    """
    low, high = float(ordered[0]), float(ordered[-1])
    if whole and high - low < MOST_BINS:
        return [float(edge) for edge in range(math.floor(low), math.floor(high) + 2)]
    positive = max(_LEAST, float(ordered[np.searchsorted(ordered, 0, side="right")]))
    if high / positive >= _WIDE:
        edges = _widening(positive, high, whole=whole)
        return edges if edges[0] <= low else [0.0, *edges]
    step = _round_step((high - low or high) / (MOST_BINS - 2), whole=whole)
    places = range(math.floor(low / step), math.floor(high / step) + 2)
    return [float(f"{step * place:.10g}") for place in places]


def _widening(low: float, high: float, *, whole: bool) -> list[float]:
    """1, 1.5, 2, 3, 5, 7, 10, …; fewer of them where they would be too many."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 2)
    for steps in (_STEPS, (1, 2, 5), (1,)):
        edges = [float(f"{step * 10.0**decade:.6g}") for decade in decades for step in steps]
        edges = [edge for edge in edges if not whole or edge == int(edge)]
        first = max(0, bisect.bisect_right(edges, low) - 1)
        last = bisect.bisect_right(edges, high)
        if last - first < MOST_BINS - 1:
            break
    return edges[first : last + 1]


def _round_step(least: float, *, whole: bool) -> float:
    """The smallest of 1, 2, 5, 10, … times a power of ten that is at least that."""
    power = 10.0 ** math.floor(math.log10(least))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * (1 - 1e-9))
    return max(1.0, step) if whole else step


class Came(NamedTuple):
    """How many responses came to something under one scorer, how many of them have a value, and its sum."""

    responses: int
    judged: int
    total: float


_WORDS = {outcome.value: 10 + place for place, outcome in enumerate(Outcome)}
_CASE = " ".join(f"WHEN '{word}' THEN {code}" for word, code in _WORDS.items() if word != Outcome.SCORED)
_OUTCOMES = (
    "SELECT scorer, CASE outcome WHEN 'scored' THEN CASE value WHEN 1 THEN 1 WHEN 0 THEN 0 ELSE 2 END "  # noqa: S608
    f"{_CASE} END AS code, count(*), count(value), total(value) FROM scores GROUP BY scorer * 100 + code"
)
_BUCKET = {1: RIGHT, 0: WRONG, 2: PARTLY} | {code: word for word, code in _WORDS.items()}


def outcomes(db: sqlite3.Connection, scorers: Sequence[str]) -> dict[str, dict[str, Came]]:
    """What the responses came to under each scorer, as `report.html_facts.bucket` says it of one; no zeros."""
    names = dict(db.execute("SELECT id, name FROM scorers").fetchall())
    found: dict[str, dict[str, Came]] = {}
    for scorer, code, *came in db.execute(_OUTCOMES):
        if code in _BUCKET:
            found.setdefault(names.get(scorer, ""), {})[_BUCKET[code]] = Came(*came)
    return {
        scorer: {bucket: found[scorer][bucket] for bucket in BUCKETS if bucket in found[scorer]}
        for scorer in scorers
        if scorer in found
    }


def bars(came: Mapping[str, Mapping[str, Came]]) -> list[Bar]:
    """The outcomes as bars."""
    return [
        Bar(scorer=scorer, counts={bucket: one.responses for bucket, one in own.items()})
        for scorer, own in came.items()
    ]
