"""Tables for papers: the headline under each scorer, its parts, and how runs differ from the first one."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from beholder.engine.lifecycle import Result
from beholder.errors import UsageError
from beholder.metrics.paired import SIGNIFICANT, holm_where_tested, told_apart
from beholder.report.comparison import Comparison, compare
from beholder.report.figures import count, counted, interval_of
from beholder.report.html_runs import Runs, side_by_side
from beholder.report.parts import drawn, part_label
from beholder.report.run_differences import plan_differences
from beholder.report.table_formats import Cell, PaperTable
from beholder.score import Metric
from beholder.store.folder import read_info

_STAR, _DASH = "*", "–"


class Compared(msgspec.Struct, frozen=True):
    """A run against the first one on the items that both hold. `found` is None where there is no comparison, and `why`
    says why; `p_holm` is corrected for the number of runs."""

    found: Comparison | None
    p_holm: float | None
    why: str = ""

    @property
    def told_apart(self) -> int:
        """-1, 0 or 1: worse, not told apart, better."""
        return 0 if self.found is None else told_apart(self.found.paired, self.p_holm)


def paper_tables(results: Sequence[Result], names: Sequence[str] = ()) -> list[PaperTable]:
    """The tables of runs of one benchmark; `UsageError` if they are of several, or have no figure to show."""
    runs = of_one_benchmark(results, names)
    compared = against_the_first(runs)
    tables = [_scorers(runs, compared)]
    parts, title = _parts_there(runs)
    if parts:
        tables.append(_by_part(runs, parts, title.lower(), compared))
    return [*tables, _differences(runs, compared)] if runs.several else tables


def printed(figure: Metric | None, *, interval: bool = True) -> str:
    """A figure in percent, without the sign: `62.0 [55.1, 68.4]`; a dash for none.

    >>> printed(Metric(value=0.62, n=50, low=0.551, high=0.684)), printed(None)
    ('62.0 [55.1, 68.4]', '–')
    """
    if figure is None or figure.value is None:
        return _DASH
    value = f"{100 * figure.value:.1f}" if figure.unit == "share" else f"{figure.value:.3g}"
    return f"{value} {interval_of(figure)}".strip() if interval else value


def label(*words: str) -> str:
    """The name of a table's label: letters, digits and hyphens.

    >>> label("tir", "scorers", "a b_c")
    'tir-scorers-a-b-c'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", "-".join(words)).strip("-")[:60]


def of_one_benchmark(results: Sequence[Result], names: Sequence[str]) -> Runs:
    """The runs side by side; `UsageError` if they are of several benchmarks, or if nothing could be scored."""
    benchmarks = {result.found.name for result in results}
    if len(benchmarks) > 1:
        raise UsageError(f"The runs are of {' and '.join(sorted(benchmarks))}. Give runs of one benchmark.")
    if not any(result.metrics for result in results):
        raise UsageError("Nothing could be scored in these runs, so there is no figure to put into a table.")
    return side_by_side(results, names)


def against_the_first(runs: Runs) -> list[Compared]:
    """Each run but the first against it, corrected for their number."""
    made = [_compared(runs, run) for run in range(1, len(runs.results))]
    corrected = holm_where_tested([None if isinstance(one, str) else one.paired.p_decides for one in made])
    return [
        Compared(None, None, one) if isinstance(one, str) else Compared(one, p_holm)
        for one, p_holm in zip(made, corrected, strict=True)
    ]


def _compared(runs: Runs, run: int) -> Comparison | str:
    first, other = runs.results[0], runs.results[run]
    if any(runs.scorer not in item.scores for item in (*first.items, *other.items)):
        return f"not every response has been scored by {runs.scorer}"
    try:
        made = compare(
            first.items,
            other.items,
            runs.scorer,
            voted=runs.found.answers_shown > 0,
            intersect=True,
            names=(runs.names[0], runs.names[run]),
            seed=other.plan.seed,
        )
    except UsageError as error:
        return str(error)
    return made if made.paired.difference is not None else made.paired.note


def _scorers(runs: Runs, compared: Sequence[Compared]) -> PaperTable:
    """A line for each run, a column for each scorer that has the headline's metric."""
    there = [name for name in runs.found.scorers if any(_has(one) for one in runs.figures(runs.metric, name))]
    rows = []
    for run, name in enumerate(runs.names):
        own = runs.figures(runs.metric)[run]
        cells = [
            Cell(
                printed(runs.figures(runs.metric, scorer)[run]),
                _STAR if scorer == runs.scorer and run and compared[run - 1].told_apart else "",
            )
            for scorer in there
        ]
        rows.append([Cell(name), *cells, Cell(_items(own)), Cell("" if own is None else count(own.failed))])
    methods = sorted({one.interval for one in runs.figures(runs.metric) if one is not None and one.interval})
    made = f" ({', '.join(methods)})" if methods else ""
    caption = (
        f"{_title(runs)}: {runs.metric} in percent under each scorer, with 95 % intervals{made}. "
        f"The headline is that by {runs.scorer}; n counts what it is a mean over, failed what has no answer and is in "
        f"no figure.{_star(runs, 'by that scorer')}"
    )
    return PaperTable(
        name=label(runs.found.name, "scorers"),
        title=f"{_title(runs)}: {runs.metric} under each scorer",
        heading=["model", *there, "n", "failed"],
        rows=rows,
        caption=caption,
    )


def _by_part(runs: Runs, parts: Sequence[str], title: str, compared: Sequence[Compared]) -> PaperTable:
    """A line for each part of the headline and one for the whole, a column for each run."""
    rows = []
    for part in [*parts, runs.metric]:
        figures = runs.figures(part)
        whole = part == runs.metric
        shown = part if whole else part_label(runs.metric, part)
        marks = ["", *(_mark(one, shown, whole=whole) for one in compared)]
        cells = [Cell(printed(figure), mark, whole) for figure, mark in zip(figures, marks, strict=True)]
        rows.append([Cell(shown, strong=whole), *cells, Cell(_sizes(figures))])
    labels = {part_label(runs.metric, part) for part in parts}
    tested = any(row.category in labels for one in compared if one.found is not None for row in one.found.categories)
    star = _star(runs, "there", "; parts: Holm over the categories" if tested else "")
    return PaperTable(
        name=label(runs.found.name, "parts"),
        title=f"{_title(runs)}: {title}",
        heading=["part", *runs.names, "n"],
        rows=rows,
        caption=f"{_title(runs)}, {title}, scorer {runs.scorer}: percent, with 95 % intervals.{star}",
    )


def _differences(runs: Runs, compared: Sequence[Compared]) -> PaperTable:
    """A line for each run but the first."""
    rows, notes = [], []
    for name, other, one in zip(runs.names[1:], runs.results[1:], compared, strict=True):
        notes += [f"{name}: {words}" for words in _said(runs.results[0], other, one)]
        if one.found is None:
            rows.append([Cell(name), *[Cell(_DASH)] * 6])
            continue
        paired = one.found.paired
        interval = "" if paired.low is None or paired.high is None else _points(paired.low, paired.high)
        difference = f"{_signed(paired.difference or 0)} {interval}".strip()
        figures = (paired.p_decides, one.p_holm)
        rows.append(
            [
                Cell(name),
                Cell(difference, _STAR if one.told_apart else ""),
                *(Cell(_DASH if p is None else f"{p:.3g}") for p in figures),
                *(Cell(count(number)) for number in (paired.n, len(one.found.gained), len(one.found.lost))),
            ]
        )
    caption = (
        f"{_title(runs)}, scorer {runs.scorer}: differences from {runs.names[0]} in percentage points, item by item, "
        "with 95 % intervals (paired bootstrap; by cluster where items share one). p: exact McNemar for right or "
        f"wrong, a sign-flip test over clusters otherwise; Holm: corrected for their number.{_star(runs, 'there')}"
    )
    return PaperTable(
        name=label(runs.found.name, "differences"),
        title=f"{_title(runs)}: differences from {runs.names[0]}",
        heading=["model", "difference", "p", "p (Holm)", "n", "better on", "worse on"],
        rows=rows,
        caption=caption,
        notes=notes,
    )


def _said(first: Result, other: Result, compared: Compared) -> list[str]:
    """What a reader of a difference must know: what else differs, and what limits it."""
    plans = (read_info(first.folder).plan, read_info(other.folder).plan)
    said = plan_differences(*plans, ("the first run", "this one"), leave_out=("seed", "seed sent to the server"))
    if compared.found is None:
        return [*said, f"no comparison: {compared.why}"]
    paired = compared.found.paired
    left_out = f"{counted(paired.failed, 'item')} left out: no answer on one side" if paired.failed else ""
    return [*said, *filter(None, (left_out, paired.note))]


def _parts_there(runs: Runs) -> tuple[list[str], str]:
    names = [name for name in runs.metric_names() if any(_has(one) for one in runs.figures(name))]
    return drawn(runs.found, runs.metric, names)


def _mark(compared: Compared, part: str, *, whole: bool) -> str:
    """A star where a run differs from the first one, in all or within a category."""
    if whole:
        return _STAR if compared.told_apart else ""
    rows = compared.found.categories if compared.found is not None else []
    row = next((row for row in rows if row.category == part), None)
    return _STAR if row is not None and told_apart(row.paired, row.p_holm) else ""


def _star(runs: Runs, where: str, more: str = "") -> str:
    if not runs.several:
        return ""
    return f" {_STAR} differs from {runs.names[0]} {where} (paired test on the same items, p ≤ {SIGNIFICANT:g}{more})."


def _title(runs: Runs) -> str:
    return runs.found.title.partition(":")[0]


def _has(figure: Metric | None) -> bool:
    return figure is not None and figure.value is not None


def _items(figure: Metric | None) -> str:
    return "" if figure is None else count(figure.n)


def _sizes(figures: Sequence[Metric | None]) -> str:
    sizes = sorted({figure.n for figure in figures if figure is not None})
    return "" if not sizes else count(sizes[0]) if len(sizes) == 1 else f"{count(sizes[0])}–{count(sizes[-1])}"


def _points(low: float, high: float) -> str:
    return f"[{_signed(low)}, {_signed(high)}]"


def _signed(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")
