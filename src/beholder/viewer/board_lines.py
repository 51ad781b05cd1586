"""Which runs and which published figures stand on a board, what the lines are called, and what stands beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from beholder.benchmarks import BENCHMARKS
from beholder.benchmarks import benchmark as find_benchmark
from beholder.benchmarks.tables import Line, Table, figure_of
from beholder.report.figures import counted
from beholder.report.parts import drawn, part_label, parts_of
from beholder.report.plain_text import plain
from beholder.score import Metric
from beholder.viewer.board_runs import BoardRun
from beholder.viewer.run_data import Fact

MOST_RUNS = 100
"""Runs on one board: the newest. Every two of them are tested."""
MOST_LEFT_OUT = 100
"""Runs of which a board says why they are not on it."""
MOST_PARTS = 40
_NOT_THERE = ("running", "stopped")
_GENERATED = (
    "its items were generated, which are not put beside published figures; `beholder leaderboard --no-published` has it"
)


class Stands(NamedTuple):
    """A run that stands on a board, with its figure there."""

    run: BoardRun
    figure: Metric


class PublishedLine(NamedTuple):
    """A published line that stands on a board, with its figure there."""

    table: Table
    line: Line
    figure: Metric


class Part(NamedTuple):
    """A metric that stands beside the board's own."""

    label: str
    scorer: str
    metric: str


def sorted_out(
    runs: Sequence[BoardRun], scorer: str, metric: str, *, beside_published: bool
) -> tuple[list[Stands], list[Fact]]:
    """The runs that stand on a board with their figures, and why others do not.

    Generated items are never put beside published figures: that would be another benchmark under the same name.
    """
    stands: list[Stands] = []
    left_out, older = [], 0
    for run in runs:
        figure = run.figure(scorer, metric)
        if run.status in _NOT_THERE:
            ended = "it goes on" if run.status == "running" else "it was stopped before its end: `beholder resume` it"
            left_out.append(Fact(run.id, ended))
        elif figure is None:
            left_out.append(Fact(run.id, _why_not(run, scorer, metric)))
        elif run.generated and beside_published:
            left_out.append(Fact(run.id, _GENERATED))
        elif len(stands) == MOST_RUNS:
            older += 1
        else:
            stands.append(Stands(run, figure))
    if len(left_out) > MOST_LEFT_OUT:
        more = counted(len(left_out) - MOST_LEFT_OUT, "older run")
        left_out[MOST_LEFT_OUT:] = [Fact(more, "for reasons like these")]
    if older:
        left_out.append(Fact(counted(older, "older run"), f"a board holds the newest {MOST_RUNS} that have the figure"))
    return stands, left_out


def _why_not(run: BoardRun, scorer: str, metric: str) -> str:
    elsewhere = f"; it has {run.headline[1]} by {run.headline[0]}" if run.headline is not None else ""
    if not run.metrics:
        return "it has no figures yet"
    return plain(f"no figure {metric} by {scorer}{elsewhere}", one_line=True, limit=300)


def published_lines(
    known: Sequence[Table], benchmark: str, scorer: str, metric: str
) -> tuple[list[PublishedLine], list[Fact]]:
    """The published lines of a board, and which tables have none for it, and why.

    A table whose scorer is not known stands under the scorer of the benchmark's headline, with a mark.
    """
    lines, left_out = [], []
    for table in known:
        under = table.scorer or find_benchmark(benchmark).headline[0]
        here = [
            PublishedLine(table, line, figure)
            for line in table.rows
            if under == scorer and (figure := figure_of(table, line, metric)) is not None
        ]
        lines += here
        if not here:
            left_out.append(Fact(table.source, f"its figures are {', '.join(table.metrics[:3])} by {under}"))
        elif len(here) < len(table.rows):
            missing = counted(len(table.rows) - len(here), "line")
            left_out.append(Fact(table.source, f"{missing} without a figure {metric}"))
    return lines, left_out


def board_parts(
    benchmark: str, scorer: str, metric: str, stands: Sequence[Stands], lines: Sequence[PublishedLine]
) -> list[Part]:
    """The metrics that stand beside the board's own: what it is made of, or what the benchmark draws."""
    if "/" in metric:
        return []
    names = [name for run, _ in stands for name in run.metrics.get(scorer, {})]
    known = {one.table.name: one.table for one in lines}.values()
    names += [name for table in sorted(known, key=lambda table: -len(table.rows)) for name in table.metrics]
    there = list(dict.fromkeys(names))
    found = drawn(find_benchmark(benchmark), metric, there)[0] if benchmark in BENCHMARKS else parts_of(metric, there)
    return [Part(part_label(metric, name), scorer, name) for name in found if name != metric][:MOST_PARTS]


def called(runs: Sequence[BoardRun]) -> list[str]:
    """What to call runs so that they can be told apart: the model and its tools, then the time, at last the run."""
    bare = [", ".join([run.model or "(no name)", *([f"{run.tools} tools"] if run.tools else [])]) for run in runs]
    times = [run.created.replace("T", " ") for run in runs]
    told = [
        bare,
        [f"{name}, {time[:16]}" for name, time in zip(bare, times, strict=True)],
        [f"{name}, {time[:19]}" for name, time in zip(bare, times, strict=True)],
        [f"{name}, {run.id}" for name, run in zip(bare, runs, strict=True)],
    ]
    return [
        next((names[place] for names in told if names.count(names[place]) == 1), told[-1][place])
        for place in range(len(runs))
    ]
