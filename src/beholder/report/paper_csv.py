"""Every figure of runs as CSV, a figure a line, for tables that one makes oneself."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from beholder.engine.lifecycle import Result
from beholder.peers.exporting import safe_cell
from beholder.report.html_runs import Runs
from beholder.report.paper_tables import Compared, against_the_first, of_one_benchmark
from beholder.score import Metric

OF_FIGURE = ("value", "low", "high", "interval", "n", "failed", "worst", "best", "unit")
"""The columns of one figure; shares are in 0..1."""
COLUMNS = (
    "kind",
    "run",
    "model",
    "benchmark",
    "scorer",
    "metric",
    *OF_FIGURE,
    "against",
    "test",
    "p",
    "p_holm",
    "told_apart",
    "note",
)
"""Of the CSV. `kind` is `figure` or `difference`."""


def csv_of(results: Sequence[Result], names: Sequence[str] = ()) -> str:
    """Every figure of every run in a line of its own, then the differences from the first run (columns: `COLUMNS`).

    Numbers are plain; a text that a spreadsheet could take for a formula begins with an apostrophe.
    """
    runs = of_one_benchmark(results, names)
    return written([*_figure_rows(runs), *_difference_rows(runs, against_the_first(runs))], COLUMNS)


def written(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> str:
    """CSV with a header line; what a row lacks is empty."""
    sink = io.StringIO()
    lines = csv.writer(sink, lineterminator="\r\n")
    lines.writerow(columns)
    for row in rows:
        lines.writerow(["" if row.get(name) is None else safe_cell(row[name]) for name in columns])
    return sink.getvalue()


def shares(figure: Metric) -> dict[str, Any]:
    """A figure as the columns of a CSV hold it."""
    return {name: getattr(figure, name) for name in OF_FIGURE}


def _figure_rows(runs: Runs) -> Iterator[dict[str, Any]]:
    for name, result in zip(runs.names, runs.results, strict=True):
        for scorer, figures in result.metrics.items():
            for metric, figure in figures.items():
                yield {
                    "kind": "figure",
                    "run": name,
                    "model": result.model,
                    "benchmark": runs.found.name,
                    "scorer": scorer,
                    "metric": metric,
                    **shares(figure),
                    "note": figure.note,
                }


def _difference_rows(runs: Runs, compared: Sequence[Compared]) -> Iterator[dict[str, Any]]:
    for name, result, one in zip(runs.names[1:], runs.results[1:], compared, strict=True):
        row: dict[str, Any] = {"kind": "difference", "run": name, "model": result.model, "benchmark": runs.found.name}
        row |= {"scorer": runs.scorer, "metric": runs.metric, "against": runs.names[0], "note": one.why}
        if one.found is not None:
            paired = one.found.paired
            row |= {
                "value": paired.difference,
                "low": paired.low,
                "high": paired.high,
                "interval": paired.interval,
                "n": paired.n,
                "failed": paired.failed,
                "unit": "share",
                "test": "mcnemar" if paired.p_flips is None else "sign flips",
                "p": paired.p_decides,
                "p_holm": one.p_holm,
                "told_apart": one.told_apart,
                "note": paired.note,
            }
        yield row
