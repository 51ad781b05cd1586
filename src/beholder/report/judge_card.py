"""The card of a judge: what it made of each probe, and whether that is what must come of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from rich.console import Console

from beholder.judges.probes import Finding
from beholder.metrics.intervals import FEW_CLUSTERS
from beholder.report.figures import counted
from beholder.report.terminal import bare_table, cell, say

_STATES = {True: "pass", False: "FAIL", None: "–"}


def print_card(console: Console, judge: str, findings: Sequence[Finding], items: int) -> None:
    """One line for each probe: mean points with interval, difference with interval, what was expected, pass or fail."""
    say(console, f"{judge} on {counted(items, 'item')}, points of 100 [95 % interval]", "bold")
    table = bare_table("probe", "mean", "differs by", "from", "expected", "", gap=1)
    for one in findings:
        style = "bold" if one.passed is False else ""
        difference = _figure(one.difference, one.difference_low, one.difference_high, "+") if one.against else ""
        table.add_row(
            cell(one.probe, style),
            cell(_figure(one.mean, one.low, one.high)),
            cell(difference),
            cell(one.against),
            cell(one.expected),
            cell(_STATES[one.passed] + ("?" if one.sure is False else ""), style),
        )
    console.print(table)
    for one in findings:
        say(console, f"{one.probe}: {one.title}", "dim")
    failed, asked = sum(one.failed for one in findings), sum(one.n + one.failed for one in findings)
    if failed:
        say(console, f"The judge failed on {failed:,} of {counted(asked, 'explanation')}; they are in no figure.")
    if any(one.sure is False for one in findings):
        say(console, "?: the interval reaches over the bound, so more items may turn it", "dim")
    if items < FEW_CLUSTERS:
        say(console, f"note: with only {items} items an interval is too narrow", "dim")
    say(console, in_a_word(findings))


def in_a_word(findings: Sequence[Finding]) -> str:
    """How many probes the judge passes, and the names of the others."""
    measured = [one for one in findings if one.passed is not None]
    wrong = [one.probe for one in measured if not one.passed]
    told = f"{len(measured) - len(wrong)} of {counted(len(measured), 'probe')} passed"
    told += f"; not: {', '.join(wrong)}" if wrong else ""
    without = [one.probe for one in findings if one.passed is None]
    told += f"; not measured: {', '.join(without)}" if without else ""
    return f"{told}. The bounds are ours (docs/m3r.md)."


def card_object(judge: str, findings: Sequence[Finding], items: int, assumptions: str) -> dict[str, Any]:
    """The card as plain data. `assumptions` is the SHA-256 of the assumptions' text."""
    measured = [one for one in findings if one.passed is not None]
    return {
        "judge": judge,
        "items": items,
        "assumptions": assumptions,
        "passed": all(one.passed for one in measured) if measured else None,
        "probes": [msgspec.to_builtins(one) for one in findings],
    }


def _figure(value: float | None, low: float | None, high: float | None, sign: str = "") -> str:
    if value is None:
        return "–"
    interval = f" [{low:{sign}.1f}, {high:{sign}.1f}]" if low is not None and high is not None else ""
    return f"{value:{sign}.1f}{interval}"
