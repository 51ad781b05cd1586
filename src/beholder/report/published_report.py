"""A published table beside one's own figures, and how an extractor's readings agree with ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from beholder.engine.plan import Plan
from beholder.report.comparable import differences, verdict
from beholder.report.figures import count, percent, value_of
from beholder.report.terminal import bare_table, cell, say
from beholder.score import Metric


def print_published(
    console: Console,
    published: Mapping[str, Any],
    figures: Mapping[str, Metric],
    scorer: str,
    plan: Plan | None = None,
    judges: Mapping[str, int] | None = None,
) -> None:
    """The chosen rows of a published table, for the tasks that are there with all of their items, and what differs.

    `figures` are one's own under `scorer`; the overall line is there only if all tasks are. `plan` is the run's, None
    for answers from a file; `judges` says who read the answers.
    """
    rows = [row for row in published["rows"] if row["model"] in published["beside"]]
    if not published["complete"]:
        names = ", ".join(published["partial"]) or "none"
        say(console, f"No task has as many items as the published one, so no published figure fits ({names}).", "dim")
        return
    table = bare_table(f"task ({scorer})", "this run", *(row["model"] for row in rows))
    for task in published["complete"]:
        own = figures.get(f"task/{task}")
        shown = ["" if own is None else value_of(own), *(_percent(row["tasks"].get(task)) for row in rows)]
        table.add_row(*map(cell, (task, *shown)))
    if all(task in published["complete"] for row in rows for task in row["tasks"]):
        own = figures.get("all")
        table.add_row(
            *map(cell, ("all", "" if own is None else value_of(own), *(_percent(row["all"]) for row in rows)))
        )
    console.print(table)
    say(console, f"Published: {published['source']}. {published['note']}", "dim")
    found = differences(plan, judges or {}, published, figures, scorer)
    say(console, verdict(found), "yellow" if found else "green")


def print_extraction(console: Console, agreement: Mapping[str, int], judges: Mapping[str, int]) -> None:
    """How often the extractor read what our own extraction reads, and who the extractor was."""
    compared = agreement["compared"]
    who = " and ".join(f"{name} ({count(number)})" for name, number in judges.items()) or "the file"
    same = f"{percent(agreement['same_text'] / compared)} with the same text"
    value = f"{percent(agreement['same_value'] / compared)} with the same official value"
    unread = f"; it read nothing in {count(agreement['unread_by_us'])}" if agreement["unread_by_us"] else ""
    words = f"Answers read by {who}; of {count(compared)}, our own extraction agrees on {same}, {value}{unread}."
    say(console, words, "dim")


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f} %"
