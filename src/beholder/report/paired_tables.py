"""Differences between paired arms, as the experiments print them: points, the four cells, which test decided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from rich.table import Table

from beholder.metrics.paired import CLUSTERED, Paired
from beholder.report.comparison import Comparison
from beholder.report.figures import count, counted
from beholder.report.terminal import bare_table, cell


class Row(msgspec.Struct, frozen=True):
    """One arm: how it differs, and the same over the items that are right or wrong, None where there are none."""

    arm: str
    comparison: Comparison
    right_wrong: Paired | None


def points(share: float | None) -> str:
    """A difference of shares in percentage points, with its sign.

    >>> points(0.123), points(None)
    ('+12.3', '–')
    """
    return "–" if share is None else f"{100 * share:+.1f}"


def points_interval(paired: Paired) -> str:
    """The interval of a difference in percentage points, or an empty text."""
    return "" if paired.low is None or paired.high is None else f"[{points(paired.low)}, {points(paired.high)}]"


def p_value(p: float | None) -> str:
    """A p in three digits, or a dash.

    >>> p_value(0.01234), p_value(None)
    ('0.0123', '–')
    """
    return "–" if p is None else f"{p:.3g}"


def deciding_test(paired: Paired) -> str:
    """The name of the test that decides; "" if there is no pair."""
    if paired.p_decides is None:
        return ""
    return "exact McNemar" if paired.p_flips is None else "sign-flip test over clusters"


def cells_table(rows: Iterable[Row], before: str) -> Table:
    """The four cells of right and wrong items with the exact McNemar p, and what the arm's comparison would find."""
    headings = ("n", "both right", f"only {before}", "only arm", "both wrong", "McNemar", "detectable")
    table = bare_table("", *headings, gap=1)
    for row in rows:
        own, least = row.right_wrong, row.comparison.detectable
        cells = None if own is None else own.cells
        counts = ["–"] * 4 if cells is None else [*map(count, msgspec.structs.astuple(cells))]
        both, only_before, only_arm, neither = counts
        shown = [row.arm, "–" if own is None else count(own.n), both, only_before, only_arm, neither]
        shown += [p_value(None if own is None else own.p), "–" if least is None else f"{100 * least:.1f}"]
        table.add_row(*map(cell, shown))
    return table


def limits(rows: Sequence[Row]) -> list[str]:
    """What limits the figures of these rows, each sentence once, with the arms that it is about if not all."""
    said: dict[str, list[str]] = {}
    for row in rows:
        for sentence in _limits(row.comparison, row.right_wrong):
            said.setdefault(sentence, []).append(row.arm)
    return [words if len(arms) == len(rows) else f"{words} ({', '.join(arms)})" for words, arms in said.items()]


def _limits(comparison: Comparison, right_wrong: Paired | None) -> Iterable[str]:
    paired = comparison.paired
    if paired.p_flips is not None:
        yield "p is that of a sign-flip test over clusters of items, for credit in part or shared pictures"
    elif paired.p is not None:
        yield "p is exact McNemar"
    if right_wrong is None:
        yield "no task is only right or wrong: no four cells"
    elif right_wrong.n < paired.n:
        yield f"the four cells are about the {counted(right_wrong.n, 'item')} of tasks without credit in part"
    if comparison.detectable is None and (comparison.gained or comparison.lost):
        yield "detectable: none that so few items could show"
    yield from (note for note in paired.note.split("; ") if note and note != CLUSTERED)
    if right_wrong is not None and CLUSTERED in right_wrong.note:
        yield CLUSTERED
    if paired.failed:
        yield f"{counted(paired.failed, 'item')} left out: no answer on one side"
