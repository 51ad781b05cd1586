"""The published table beside a run, and whether the two can be compared.

Where a benchmark's own details hold a table (TIR-Bench on its public set), whether it can is known for sure. Else the
largest of the published tables of the benchmark stands there with what is known to differ; of what is not published
nobody can say that it is the same, so it never counts as comparable.
"""

from __future__ import annotations

from typing import Any

import msgspec

from beholder.benchmarks.tables import Line, Table, tables_of
from beholder.engine.lifecycle import Result
from beholder.report.comparable import differences, verdict
from beholder.viewer.board_marks import against_table, of_table
from beholder.viewer.board_runs import BoardRun
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


def published_beside(result: Result, scorer: str, metric: str, run: BoardRun | None) -> Published | None:
    """The table that the run's details hold, or one of the benchmark's; None if nothing is published."""
    return _in_details(result, scorer) or _of_benchmark(result, scorer, metric, run)


def _in_details(result: Result, scorer: str) -> Published | None:
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


def _of_benchmark(result: Result, scorer: str, metric: str, run: BoardRun | None) -> Published | None:
    table = max(tables_of(result.found.name), key=lambda one: len(one.rows), default=None)
    if table is None:
        return None
    differing = _different(table, result, scorer, metric, run)
    return Published(
        source=of_table(table),
        comparable=False,
        verdict=verdict(differing),
        differences=differing,
        rows=[_line(line) for line in table.rows],
    )


def _different(table: Table, result: Result, scorer: str, metric: str, run: BoardRun | None) -> list[str]:
    said = []
    if not table.scorer:
        said.append("which scorer of ours the published figures correspond to is not known")
    elif table.scorer != scorer:
        said.append(f"the scorer is {scorer}, not {table.scorer}")
    if metric not in table.sizes:
        said.append(f"“{metric}” is not published, but {', '.join(table.metrics)}")
    figure = result.metrics.get(scorer, {}).get(metric)
    if run is not None and figure is not None and (words := against_table(run, figure, metric, table)):
        said.append(words)
    return [*said, *(f"published: {words}" for words in table.measured)]


def _line(line: Line) -> PublishedRow:
    shares: dict[str, float | None] = {name.removeprefix("task/"): value / 100 for name, value in line.figures.items()}
    return PublishedRow(model=line.model, parts=shares)
