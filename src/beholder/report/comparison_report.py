"""Comparisons on a terminal: differences with their intervals and tests, by category; agreement; what runs cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from beholder.metrics.paired import Paired
from beholder.report.comparison import Comparison
from beholder.report.figures import count, denominator_of, dollars, interval_of, percent, value_of
from beholder.report.paired_tables import deciding_test, p_value, points, points_interval
from beholder.report.plain_text import plain
from beholder.report.several_runs import Against, Several
from beholder.report.terminal import bare_table, cell, say
from beholder.score import Metric
from beholder.store.spending import Spent


def print_comparison(
    console: Console,
    result: Comparison,
    names: tuple[str, str],
    notes: Sequence[str] = (),
    *,
    means: Sequence[Metric] = (),
    by_category: bool = True,
) -> None:
    """Prints how the second run differs from the first, in all and by category.

    `notes` are what else differs between the runs; `means` are each run's own over the items that both hold.
    """
    paired = result.paired
    title = f"B against A, scorer {result.scorer}, {count(paired.n)} items answered by both"
    console.print(Text(title, "bold"), soft_wrap=True)
    for place, (name, mean) in enumerate(zip(names, (paired.mean_a, paired.mean_b), strict=True)):
        own = f"  {_alone(means[place], paired)}" if means else ""
        console.print(Text(f"  {'AB'[place]}  {percent(mean):>7}  {plain(name, one_line=True)}{own}"), soft_wrap=True)
    for sentence in notes:
        say(console, f"  note: {plain(sentence, one_line=True)}", "yellow")
    if paired.difference is None:
        say(console, f"  no comparison: {paired.note}")
        return
    interval = f" {points_interval(paired)} ({paired.interval})" if paired.interval else ""
    console.print(Text(f"  difference {points(paired.difference)} points{interval}", "bold"))
    if paired.cells is not None and paired.p is not None:
        cells = paired.cells
        say(
            console,
            f"  both right {cells.both_right}, only A {cells.only_a}, only B {cells.only_b}, "
            f"both wrong {cells.both_wrong}; exact McNemar p = {p_value(paired.p)}",
        )
    if paired.p_flips is not None:
        say(console, f"  {deciding_test(paired)} p = {p_value(paired.p_flips)}")
    say(console, f"  B is better on {count(len(result.gained))} items, worse on {count(len(result.lost))}")
    if result.detectable is not None:
        say(console, f"  smallest difference found with 80 % power: {100 * result.detectable:.1f} points", "dim")
    if paired.failed:
        say(console, f"  {count(paired.failed)} items left out: no answer on one side", "yellow")
    if paired.note:
        say(console, f"  note: {paired.note}", "dim")
    if not result.categories or not by_category:
        return
    table = bare_table("category", "A", "B", "difference", "95 %", "n", "p (Holm)", "won", "lost")
    for row in result.categories:
        paired = row.paired
        table.add_row(
            cell(row.category or "(none)"),
            percent(paired.mean_a),
            percent(paired.mean_b),
            points(paired.difference),
            points_interval(paired),
            count(paired.n),
            p_value(row.p_holm),
            count(row.n_gained),
            count(row.n_lost),
        )
    console.print(table)


def _alone(mean: Metric, paired: Paired) -> str:
    """A run's own interval, and its own mean where it has answers that the other has not."""
    if mean.n == paired.n:
        return interval_of(mean)
    return f"(alone {value_of(mean)} {interval_of(mean)}, {denominator_of(mean)})".replace(" ,", ",")


def print_several(
    console: Console,
    result: Several,
    names: Sequence[str],
    notes: Mapping[int, Sequence[str]],
    spent: Sequence[Spent],
) -> None:
    """Prints how each run differs from the first, and how far any two agree. `notes` are those of each against it."""
    letters = [chr(ord("A") + place) for place in range(len(names))]
    title = f"Against A, scorer {result.scorer}, {count(result.n)} items"
    console.print(Text(title, "bold"), soft_wrap=True)
    table = bare_table("", "run", "mean", "against A", "95 %", "p (Holm)", "better", "worse", texts=2)
    for place, (letter, name, mean) in enumerate(zip(letters, names, result.means, strict=True)):
        row = [letter, plain(name, one_line=True, limit=24), value_of(mean)]
        if place:
            row += _against(result.against[place - 1])
        table.add_row(*map(cell, [*row, *[""] * (8 - len(row))]))
    console.print(table)
    say(
        console, "* told apart from A by exact McNemar, or sign flips over clusters; p is corrected for the runs", "dim"
    )
    print_agreement(console, result, spent)
    about: dict[str, list[str]] = {}
    for place, sentences in notes.items():
        for sentence in sentences:
            about.setdefault(sentence, []).append(letters[place])
    for sentence, whom in about.items():
        say(console, f"  note ({', '.join(whom)}): {plain(sentence, one_line=True)}", "yellow")


def _against(one: Against) -> list[str]:
    """A run's difference from the first in points, its interval and p, and on how many items it is better and worse."""
    paired = one.comparison.paired
    return [
        f"{points(paired.difference)}{'*' if one.told_apart else ''}",
        points_interval(paired),
        "" if one.holm is None else f"{one.holm:.2g}",
        count(len(one.comparison.gained)),
        count(len(one.comparison.lost)),
    ]


def print_agreement(console: Console, result: Several, spent: Sequence[Spent]) -> None:
    """How far the runs agree on which items are right, and what they cost."""
    for one in result.agreement:
        if one.same is None:
            continue
        pair = f"{chr(ord('A') + one.a)} and {chr(ord('A') + one.b)}"
        beyond = "" if one.kappa is None else f", beyond chance (kappa) {one.kappa:.2f}"
        wrong = (
            ""
            if one.both_wrong_same is None
            else f"; where both are wrong, {percent(one.both_wrong_same)} of {count(one.both_wrong)} say the same"
        )
        say(console, f"  {pair} agree on {percent(one.same)} of {count(one.n)} items{beyond}{wrong}", "dim")
    if result.left_out:
        say(console, f"  {count(result.left_out)} items are left out: not all of the runs hold them", "yellow")
    for place, (own, mean) in enumerate(zip(spent, result.means, strict=True)):
        if own.cost is not None:
            more = f" and {count(own.unpriced)} requests without a price" if own.unpriced else ""
            letter = chr(ord("A") + place)
            say(
                console,
                f"  {letter} scores {value_of(mean)} for {dollars(own.cost)}{more}, {count(own.tokens)} tokens",
                "dim",
            )
