"""Experiment 2 on a terminal: each condition against `full`, by scorer and by task, and what that supports."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from beholder.experiments.evidence import PLACEBO, SOURCE
from beholder.experiments.evidence_findings import ArmFindings, Evidence, Findings
from beholder.report.figures import count, counted, interval_of, percent, value_of
from beholder.report.paired_tables import Row, cells_table, limits, p_value, points, points_interval
from beholder.report.plain_text import plain
from beholder.report.terminal import bare_table, cell, say

_SHORT = {SOURCE: "source", PLACEBO: "placebo", "no-images": "no-img", "no-text": "no-txt"}
_LONGEST_TASK = 18


def print_evidence(console: Console, found: Evidence) -> None:
    """Prints the tables, then what they support."""
    console.print()
    console.print(Text(plain(f"Evidence: {found.title}", one_line=True), "bold"), soft_wrap=True)
    for words in _about_the_items(found):
        say(console, f"  {words}", "dim")
    for sentence in found.notes:
        say(console, f"  note: {plain(sentence, one_line=True)}", "yellow")
    for table in found.tables:
        if not table.unstated or found.n_stated:
            _print_table(console, table)
    if len(found.tasks) > 1:
        _print_tasks(console, found)
    _print_conduct(console, found)
    console.print()
    for sentence in found.sentences:
        say(console, f"• {sentence}")
    if not found.sentences:
        say(console, "Nothing to compare yet.", "dim")


def _about_the_items(found: Evidence) -> Iterable[str]:
    yield f"{counted(found.n_conversations, 'conversation')} about {counted(found.n_items, 'item')} are replayed"
    for reason, number in found.left_out.items():
        yield f"left out: {counted(number, 'item')} ({plain(reason, one_line=True, limit=60)})"
    if found.without_partner:
        yield f"not in `swapped`: {counted(found.without_partner, 'item')} without a partner in the category"
    if found.swapped:
        same = f"{count(found.same_target)} of {counted(found.swapped, 'item')}"
        yield f"under `swapped`, {same} got observations of one with the same right answer"
    of_all = f"{count(found.n_stated)} of {counted(found.n_items, 'item')}"
    yield f"a turn that is kept states the answer already in {of_all}"
    if found.both_answers:
        share = percent(found.same_answers / found.both_answers)
        yield f"`full` gives the source run's answer in {share} of {counted(found.both_answers, 'conversation')}"


def _print_table(console: Console, table: Findings) -> None:
    what = "without those whose answer is stated on the way" if table.unstated else "all items"
    console.print()
    console.print(Text(f"By {table.scorer}, {what} ({count(table.n_items)})", "bold"), soft_wrap=True)
    shown = bare_table("arm", "value", "95 %", "n", "changed", "vs full", "95 %", "p (Holm)", gap=1)
    for arm in table.arms:
        shown.add_row(*map(cell, _row(arm)))
    console.print(shown)
    rows = [Row(arm.name, arm.against_full, arm.right_wrong) for arm in table.arms if arm.against_full is not None]
    if rows:
        console.print(cells_table(rows, "full"))
    for sentence in limits(rows):
        say(console, f"note: {sentence}", "dim")


def _row(arm: ArmFindings) -> list[str]:
    row = [arm.name, value_of(arm.accuracy), interval_of(arm.accuracy), count(arm.accuracy.n)]
    row.append("" if arm.changed is None else count(arm.changed))
    if arm.against_full is None:
        return [*row, "", "", ""]
    paired = arm.against_full.paired
    return [*row, points(paired.difference), points_interval(paired), p_value(arm.p_holm)]


def _print_tasks(console: Console, found: Evidence) -> None:
    names = list(found.tasks[0].accuracies)
    console.print()
    console.print(Text(f"By task, {found.tables[0].scorer}", "bold"), soft_wrap=True)
    table = bare_table("task", *(_SHORT.get(name, name) for name in names), "n", gap=1)
    for row in found.tasks:
        name = plain(row.category or "(none)", one_line=True, limit=_LONGEST_TASK)
        values = (row.accuracies[arm] for arm in names)
        table.add_row(cell(name), *(cell("–" if one is None else f"{100 * one:.0f} %") for one in values), str(row.n))
    console.print(table)
    failed = [
        f"{row.category or '(none)'} {name} {count(number)}"
        for row in found.tasks
        for name, number in row.failed.items()
        if number
    ]
    if failed:
        say(console, f"note: failed, and in no figure: {plain(', '.join(failed), one_line=True)}", "yellow")


def _print_conduct(console: Console, found: Evidence) -> None:
    for name, own in found.conduct.items():
        if own.turns is not None and own.calls is not None:
            words = f"{name}: {own.turns:.1f} turns and {own.calls:.1f} calls on average"
            say(console, f"{words} in {counted(own.n, 'conversation')}", "dim")
