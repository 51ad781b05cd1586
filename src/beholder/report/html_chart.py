"""A chart of shares with their intervals, a row for each part and a mark for each run, as inline SVG.

Positions are percentages and sizes are pixels, so that a row is as wide as the screen and its text stays readable.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from beholder.report.figures import denominator_of, interval_of, value_of
from beholder.report.html_runs import COLOURS, MARKS, text
from beholder.report.plain_text import plain
from beholder.score import Metric

STEP = 18
"""Pixels for each run of a row; as high as a line of the figures beside it."""
_TICKS = (0, 25, 50, 75, 100)
_LONGEST_LABEL = 120


def chart(rows: Sequence[tuple[str, Sequence[Metric | None]]], names: Sequence[str], title: str) -> str:
    """A chart of `rows`: (name, one figure a run). Whiskers are the 95 % intervals; the numbers stand at the right.

    `names` are the runs'. Empty text if there is nothing to draw. Whoever cannot see it is told `title`.
    """
    drawn = [(name, figures) for name, figures in rows if any(_drawable(metric) for metric in figures)]
    if not drawn:
        return ""
    parts = [f'<div class="chart" role="img" aria-label="{text(title)}">', _axis()]
    parts += [_row(name, figures, names) for name, figures in drawn]
    return "".join([*parts, "</div>"])


def mark(run: int) -> str:
    """The mark of a run's number: a shape around (0, 0) in the run's colour."""
    kind, style = MARKS[run % len(MARKS)], f'class="run{run % COLOURS}"'
    if kind == "circle":
        return f'<circle {style} r="4.6"/>'
    if kind == "square":
        return f'<rect {style} x="-4" y="-4" width="8" height="8"/>'
    return f'<path {style} d="{"M0-5.4 5.4 0 0 5.4-5.4 0Z" if kind == "diamond" else "M0-5 5 4-5 4Z"}"/>'


def _drawable(metric: Metric | None) -> bool:
    return metric is not None and metric.value is not None and metric.unit == "share"


def _axis() -> str:
    ticks = "".join(f'<text x="{tick}%" y="12">{tick}</text>' for tick in _TICKS)
    return f'<div class="row"><div></div><svg class="plot" height="{STEP}">{ticks}</svg><div></div></div>'


def _row(name: str, figures: Sequence[Metric | None], names: Sequence[str]) -> str:
    grid = "".join(f'<line class="grid" x1="{tick}%" x2="{tick}%" y2="100%"/>' for tick in _TICKS)
    marks, values = [], []
    for run, metric in enumerate(figures):
        if metric is None or not _drawable(metric):
            values.append("<span>–</span>")
            continue
        marks.append(_figure(metric, run, STEP * (run + 0.5), names[run] if len(figures) > 1 else ""))
        values.append(f"<span>{100 * (metric.value or 0):.1f}</span>")
    shown = text(plain(name, one_line=True, limit=_LONGEST_LABEL)) or "(none)"
    return (
        f'<div class="row"><div class="name">{shown}</div>'
        f'<svg class="plot" height="{STEP * len(figures)}">{grid}{"".join(marks)}</svg>'
        f'<div class="values">{"".join(values)}</div></div>'
    )


def _figure(metric: Metric, run: int, y: float, name: str) -> str:
    """One run's mark with its whisker; a pointer that rests on it is told the whole figure."""
    told = " ".join(filter(None, (value_of(metric), interval_of(metric), denominator_of(metric))))
    whisker = ""
    if metric.low is not None and metric.high is not None:
        ends = f'x1="{_place(metric.low)}" x2="{_place(metric.high)}"'
        whisker = f'<line class="whisker run{run % COLOURS}" {ends} y1="{y:g}" y2="{y:g}"/>'
    title = f"{text(name)}: {escape(told)}" if name else escape(told)
    at = f'<svg x="{_place(metric.value or 0)}" y="{y:g}">{mark(run)}</svg>'
    return f"<g><title>{title}</title>{whisker}{at}</g>"


def _place(value: float) -> str:
    return f"{100 * min(1.0, max(0.0, value)):.4g}%"
