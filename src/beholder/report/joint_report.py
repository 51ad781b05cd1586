"""The experiment "joint or alone" on a terminal and as a figure: each label both ways, all four, what it costs."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from beholder.experiments.joint import Finding, JointOutcome, Price
from beholder.report.experiment_chart import grouped_bars
from beholder.report.figures import count, counted, value_of
from beholder.report.paired_tables import Row, limits, p_value, points, points_interval
from beholder.report.plain_text import plain
from beholder.report.terminal import bare_table, cell, say

CAVEAT = (
    "OUR experiment, not one of the paper. The joint question also asks for an explanation and is answered in one "
    "request: the whole ways of asking are compared, once each, and the model's own noise is not measured."
)


def print_joint(console: Console, outcome: JointOutcome) -> None:
    """Prints the experiment."""
    console.print()
    if outcome.title:
        console.print(Text(plain(outcome.title, one_line=True), "bold"), soft_wrap=True)
    tested = [*outcome.labels, *([outcome.whole] if outcome.whole is not None else [])]
    if tested or outcome.every_item:
        console.print(_shares(outcome))
        say(console, "target, source: over the metaphors of the gold; [all]: over all items, untested", "dim")
        if outcome.whole is not None:
            say(console, "p of labels: corrected for their number (Holm); of all four: its own", "dim")
        console.print()
        console.print(_cells(tested))
        rows = [Row(one.label, one.comparison, one.comparison.paired) for one in tested]
        for sentence in limits(rows):
            say(console, f"note: {sentence}", "dim")
    console.print()
    console.print(Text("What an item took, on average", "bold"))
    console.print(_costs(outcome))
    lost = sum(arm.failed for arm in outcome.arms)
    if lost:
        say(
            console,
            f"note: {counted(lost, 'response')} failed and {'is' if lost == 1 else 'are'} in no figure",
            "yellow",
        )
    _print_contradictions(console, outcome)
    console.print()
    for one in tested:
        say(console, f"  → {one.sentence}", "bold")
    say(console, outcome.sentence)
    say(console, CAVEAT, "dim")


def joint_figure(outcome: JointOutcome) -> str:
    """The shares as grouped bars, a group for each label and one for all four; an SVG."""
    shown = [*outcome.labels, *([outcome.whole] if outcome.whole is not None else [])]
    figures = [[one.joint, one.alone] for one in shown]
    return grouped_bars([one.label for one in shown], ["joint", "alone"], figures, outcome.title or "Joint or alone")


def _shares(outcome: JointOutcome) -> Table:
    table = bare_table("label", "joint", "alone", "joint − alone", "95 %", "p", "n", gap=1)
    whole = [outcome.whole] if outcome.whole is not None else []
    for one in [*outcome.labels, *whole]:
        _add(table, one.label, one)
    for one in outcome.every_item:
        _add(table, f"{one.label} [all]", one)
    return table


def _add(table: Table, name: str, one: Finding) -> None:
    paired = one.comparison.paired
    table.add_row(
        cell(name),
        cell(value_of(one.joint)),
        cell(value_of(one.alone)),
        cell(points(paired.difference)),
        cell(points_interval(paired), "dim"),
        cell(p_value(one.p_holm)),
        cell(count(paired.n)),
    )


def _cells(findings: Sequence[Finding]) -> Table:
    """The four cells of right and wrong items, and the smallest difference that so many items would find."""
    table = bare_table("label", "both right", "only joint", "only alone", "both wrong", "detectable", gap=1)
    for one in findings:
        cells, least = one.comparison.paired.cells, one.comparison.detectable
        counts = (
            ["–"] * 4
            if cells is None
            else [count(number) for number in (cells.both_right, cells.only_b, cells.only_a, cells.both_wrong)]
        )
        table.add_row(*map(cell, [one.label, *counts, "–" if least is None else f"{100 * least:.1f}"]))
    return table


def _costs(outcome: JointOutcome) -> Table:
    table = bare_table("arm", "requests", "tokens in", "out", "answered", gap=2)
    for arm in outcome.arms:
        own = Price(1, arm.spent.prompt_tokens, arm.spent.completion_tokens)
        table.add_row(cell(arm.name), *_price(own), cell(count(arm.answered)))
    if outcome.price_alone is not None:
        table.add_row(cell("all four alone", "bold"), *_price(outcome.price_alone), cell(""))
    return table


def _price(price: Price) -> list[Text]:
    requests, *tokens = msgspec.structs.astuple(price)
    return [cell(count(requests)), *(cell("–" if value is None else f"{value:,.0f}") for value in tokens)]


def _print_contradictions(console: Console, outcome: JointOutcome) -> None:
    found = outcome.contradictions
    if found is None or not found.n:
        return
    say(
        console,
        f"Of {counted(found.n, 'item')} with all five answers read, labels contradict each other in "
        f"{count(found.joint)} asked jointly and {count(found.alone)} asked alone.",
    )
