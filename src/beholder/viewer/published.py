"""The published table beside a run, and whether the two can be compared."""

from __future__ import annotations

from typing import Any

import msgspec

from beholder.engine.lifecycle import Result
from beholder.report.comparable import differences, verdict
from beholder.viewer.run_data import Published, PublishedRow

MOST_ROWS = 300
MOST_PARTS = 100
ALL = "all"
"""The part that is the whole."""


class _Line(msgspec.Struct):
    """A row as a benchmark's details hold it: percentages."""

    model: str
    all: float | None
    tasks: dict[str, float | None]


class _Protocol(msgspec.Struct):
    prompt_sha256: str
    temperature: float
    max_tokens: int
    extractor: str
    scorer: str


class _Table(msgspec.Struct):
    """`details["published"]`, as far as it is needed; it may be a stranger's."""

    source: str
    rows: list[_Line]
    complete: list[str]
    partial: list[str]
    protocol: _Protocol


def published_beside(result: Result, scorer: str) -> Published | None:
    """The table that the run's details hold; None if there is none, or none that can be read."""
    given: Any = result.details.get("published")
    try:
        table = msgspec.convert(given, _Table)
    except msgspec.ValidationError:
        return None
    differing = differences(
        result.plan, result.judges, msgspec.to_builtins(table), result.metrics.get(scorer, {}), scorer
    )
    return Published(
        source=table.source[:1_000],
        comparable=not differing,
        verdict=verdict(differing),
        differences=differing,
        rows=[_row(line) for line in table.rows[:MOST_ROWS]],
    )


def _row(line: _Line) -> PublishedRow:
    parts = {ALL: line.all, **dict(list(line.tasks.items())[:MOST_PARTS])}
    shares = {name[:200]: None if value is None else value / 100 for name, value in parts.items()}
    return PublishedRow(model=line.model[:200], parts=shares)
