"""What the commands of annotation print: how far people are, how far annotators agree, what a release holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from beholder.annotate.agreement import MODEL_PEOPLE, SEEN, Group
from beholder.annotate.items import KeptApart
from beholder.metrics.agreement import Agreement
from beholder.report.figures import counted
from beholder.report.plain_text import plain
from beholder.report.terminal import bare_table, cell, say

_SHOWN = 10
_LONGEST_NAME = 30
_STATES = {
    "adjudicate": "people have to decide (the models do not settle it)",
    "confirm": "the models agree; a person has to confirm",
    "open": "nobody has proposed anything",
    "skipped": "put off",
    "done": "decided",
}


def print_progress(console: Console, title: str, progress: Mapping[str, Any], apart: Sequence[KeptApart]) -> None:
    """How many items are in which state, what each person has done, and the records that are kept apart."""
    console.print(Text(plain(title, one_line=True), "bold"), soft_wrap=True)
    table = bare_table("", "items", "")
    for state, words in _STATES.items():
        if progress[state]:
            table.add_row(cell(state), cell(f"{progress[state]:,}"), cell(words, "dim"))
    table.columns[2].justify = "left"
    console.print(table)
    if progress["people"]:
        people = bare_table("", "saved", "skipped")
        for name, counts in progress["people"].items():
            people.add_row(cell(name), cell(f"{counts['saved']:,}"), cell(f"{counts['skipped']:,}"))
        console.print(people)
    if apart:
        say(console, f"{counted(len(apart), 'record')} kept apart:", "yellow")
        for one in apart[:_SHOWN]:
            say(console, f"  {one.place}: {one.why}", "yellow")
        if len(apart) > _SHOWN:
            say(console, f"  … and {len(apart) - _SHOWN:,} more (--json names them all)", "yellow")


def print_disputes(console: Console, disputes: Sequence[Mapping[str, Any]]) -> None:
    """The items on which people do not agree: {key, item, id, labels} each."""
    if not disputes:
        return
    say(console, f"People do not agree on {counted(len(disputes), 'item')}; a further person settles them:", "yellow")
    for one in disputes[:_SHOWN]:
        say(console, f"  item {one['item']} ({one['id']}): {', '.join(one['labels'])}", "yellow")
    if len(disputes) > _SHOWN:
        say(console, f"  … and {len(disputes) - _SHOWN:,} more (--json names them all)", "yellow")


def print_agreement(console: Console, title: str, groups: Sequence[Group]) -> None:
    """A table for each set of raters, and one line for each model with people. What is not defined says why."""
    console.print(Text(plain(title, one_line=True), "bold"), soft_wrap=True)
    singles = [group for group in groups if group.name.startswith(MODEL_PEOPLE) and group.rows]
    for group in groups:
        if group.name.startswith(MODEL_PEOPLE):
            continue
        console.print()
        if group.reason:
            say(console, f"{group.name}: none, {group.reason}.")
        else:
            _print_group(console, group)
    if singles:
        console.print()
        say(console, "Each model with what people decided (raw agreement; --json has all figures):")
        table = bare_table("", *(row.field for row in singles[0].rows))
        for group in singles:
            name = plain(group.name.removeprefix(MODEL_PEOPLE), one_line=True)
            name = name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}"  # the end tells them apart
            table.add_row(cell(name), *(cell(_shown(row.raw)) for row in group.rows))
        console.print(table)
    console.print()
    say(console, "A label that somebody was not asked is missing there; in `all labels` it is an answer.", "dim")
    if singles:
        say(console, SEEN, "dim")


def _print_group(console: Console, group: Group) -> None:
    say(console, f"{group.about[:1].upper()}{group.about[1:]}:")
    table = bare_table("", "raw", "Krippendorff's α", "items", "Fleiss' κ", "items rated by all")
    for row in group.rows:
        figures = (
            _shown(row.raw),
            _shown(row.alpha),
            f"{row.alpha.items:,}",
            _shown(row.fleiss),
            f"{row.fleiss.items:,}",
        )
        table.add_row(cell(row.field), *map(cell, figures))
    console.print(table)
    for row in group.rows:
        reasons = dict.fromkeys(one.reason for one in (row.raw, row.alpha, row.fleiss) if one.value is None)
        for reason in reasons:
            say(console, f"  {row.field}: – because {reason}", "dim")


def print_release(console: Console, folder: str, facts: Mapping[str, Any]) -> None:
    """What went into a release."""
    left_out = f", {facts['left_out']:,} left out" if facts["left_out"] else ""
    title = f"Release: {folder} ({counted(facts['items'], 'item')}{left_out})"
    console.print(Text(plain(title, one_line=True), "bold"), soft_wrap=True)
    hows = sorted({how for counts in facts["labels"].values() for how in counts})
    table = bare_table("", *hows)
    for name, counts in facts["labels"].items():
        table.add_row(cell(name), *(cell(f"{counts.get(how, 0):,}") for how in hows))
    console.print(table)
    say(console, f"SHA-256 {facts['sha256']}")


def _shown(found: Agreement) -> str:
    return "–" if found.value is None else f"{found.value:.3f}"
