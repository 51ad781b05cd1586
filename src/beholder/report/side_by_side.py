"""Several runs on the same data in one table: a line for each part of the headline, a column for each model."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from beholder.engine.lifecycle import Result
from beholder.report.figures import interval_of, value_of
from beholder.report.plain_text import plain
from beholder.report.terminal import bare_table, cell, say
from beholder.score import Metric


def print_side_by_side(console: Console, results: Sequence[Result]) -> None:
    """The headline and its parts by task (`task/NAME`), for each run under the same scorer.

    The scorer is the headline's, or what stands in for it where one of the runs has no such figure.
    """
    found = results[0].found
    chosen = {found.headline_of(result.metrics) for result in results}
    scorer, metric = chosen.pop() if len(chosen) == 1 else found.second_headline or found.headline
    own = [result.metrics.get(scorer, {}) for result in results]
    table = bare_table(f"{scorer}", *(plain(result.model, one_line=True, limit=24) for result in results), "n")
    names = [name for name in dict.fromkeys(name for figures in own for name in figures) if name.startswith("task/")]
    for name in names:
        shown = [figures.get(name) for figures in own]
        table.add_row(cell(name.partition("/")[2]), *(cell(_value(one)) for one in shown), cell(_sizes(shown), "dim"))
    table.add_row()
    whole = [figures.get(metric) for figures in own]
    table.add_row(cell(metric, "bold"), *(cell(_value(one), "bold") for one in whole), cell(_sizes(whole), "dim"))
    intervals = ("" if one is None else interval_of(one) for one in whole)
    table.add_row(cell("95 %", "dim"), *(cell(words, "dim") for words in intervals), cell(""))
    console.print(table)
    say(console, "Shares of full credit in percent; a figure of a single task rests on few items.", "dim")


def _value(metric: Metric | None) -> str:
    return "" if metric is None else value_of(metric)


def _sizes(metrics: Sequence[Metric | None]) -> str:
    sizes = sorted({metric.n for metric in metrics if metric is not None})
    return "" if not sizes else str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]}–{sizes[-1]}"
