"""A figure of grouped bars with their intervals, as one SVG: inline in a page, or a file of its own.

As the paper's Figure 3 sets accuracies side by side: a group for each prompt, a bar for each interface. Colours differ
in lightness too, so that they can be told apart in grey and by colour-blind eyes; every bar has its number.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from beholder.report.figures import denominator_of, interval_of, value_of
from beholder.report.plain_text import plain
from beholder.score import Metric

COLOURS = ("#1f5fbf", "#e69f00", "#0b7a75", "#c9a2c9")
"""Dark and light in turn."""
_HEIGHT, _TOP, _BOTTOM, _LEFT, _RIGHT = 300, 40, 44, 44, 12
_BAR, _GAP = 42, 34
_TICKS = (0, 25, 50, 75, 100)
_FONT = 'font-family="system-ui, sans-serif" font-size="12"'
_LONGEST_NAME = 40


def grouped_bars(
    groups: Sequence[str], series: Sequence[str], figures: Sequence[Sequence[Metric | None]], title: str
) -> str:
    """The figure: `figures` has a row for each group with a figure for each series, shares of 0 to 1; None is a gap.

    Whiskers are the 95 % intervals. The text takes the colour of its surroundings. Whoever cannot see the figure is
    told the title and, bar by bar, the figures.
    """
    width = _LEFT + _RIGHT + len(groups) * (len(series) * _BAR + _GAP)
    width = max(width, _LEFT + _RIGHT + 90 * len(series))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {_HEIGHT}" width="{width}" height="{_HEIGHT}" '
        f'role="img" aria-label="{_text(title)}" fill="currentColor" {_FONT}><title>{_text(title)}</title>'
    ]
    parts += [_tick(tick, width) for tick in _TICKS]
    parts += [_legend(number, name) for number, name in enumerate(series)]
    for group, (name, own) in enumerate(zip(groups, figures, strict=True)):
        left = _LEFT + _GAP / 2 + group * (len(series) * _BAR + _GAP)
        middle = left + len(series) * _BAR / 2
        parts.append(f'<text x="{middle:g}" y="{_HEIGHT - _BOTTOM + 20}" text-anchor="middle">{_text(name)}</text>')
        for number, metric in enumerate(own):
            parts.append(_bar(metric, number, left + number * _BAR, f"{name}, {series[number]}"))
    return "".join([*parts, "</svg>"])


def _y(share: float) -> float:
    return round(_HEIGHT - _BOTTOM - min(1.0, max(0.0, share)) * (_HEIGHT - _TOP - _BOTTOM), 1)


def _tick(tick: int, width: int) -> str:
    y = _y(tick / 100)
    line = f'<line x1="{_LEFT}" x2="{width - _RIGHT}" y1="{y:g}" y2="{y:g}" stroke="currentColor" stroke-opacity=".2"/>'
    return f'{line}<text x="{_LEFT - 6}" y="{y + 4:g}" text-anchor="end">{tick}</text>'


def _legend(number: int, name: str) -> str:
    x = _LEFT + 90 * number
    square = f'<rect x="{x}" y="8" width="12" height="12" fill="{COLOURS[number % len(COLOURS)]}"/>'
    return f'{square}<text x="{x + 17}" y="18">{_text(name)}</text>'


def _bar(metric: Metric | None, number: int, left: float, name: str) -> str:
    """A bar with its whisker and its number; a pointer that rests on it is told the whole figure."""
    middle, foot = left + _BAR / 2, _HEIGHT - _BOTTOM
    if metric is None or metric.value is None:
        return f'<text x="{middle:g}" y="{foot - 4}" text-anchor="middle">–</text>'
    told = " ".join(filter(None, (value_of(metric), interval_of(metric), denominator_of(metric))))
    top = _y(metric.value)
    bar = (
        f'<rect x="{left + 3:g}" y="{top:g}" width="{_BAR - 6}" height="{foot - top:g}" '
        f'fill="{COLOURS[number % len(COLOURS)]}"/>'
    )
    whisker, highest = "", top
    if metric.low is not None and metric.high is not None:
        low, highest = _y(metric.low), _y(metric.high)
        whisker = (
            f'<path d="M{middle:g} {low:g}V{highest:g}M{middle - 5:g} {low:g}h10M{middle - 5:g} {highest:g}h10" '
            'stroke="currentColor" stroke-width="1.4" fill="none"/>'
        )
    number_shown = (
        f'<text x="{middle:g}" y="{min(top, highest) - 5:g}" text-anchor="middle">{100 * metric.value:.0f}</text>'
    )
    return f"<g><title>{_text(name)}: {escape(told)}</title>{bar}{whisker}{number_shown}</g>"


def _text(words: str) -> str:
    return escape(plain(words, one_line=True, limit=4 * _LONGEST_NAME), quote=True)
