"""A paired comparison on a terminal: the difference with its interval and test, then by category."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from beholder.report.comparison import Comparison
from beholder.report.figures import count, percent
from beholder.report.plain_text import plain
from beholder.report.terminal import bare_table, cell, say


def print_comparison(
    console: Console,
    result: Comparison,
    names: tuple[str, str],
    notes: Sequence[str] = (),
    *,
    by_category: bool = True,
) -> None:
    """Prints how the second run differs from the first, in all and by category.

    `notes` are what else differs between the runs.
    """
    paired = result.paired
    title = f"B against A, scorer {result.scorer}, {count(paired.n)} items answered by both"
    console.print(Text(title, "bold"), soft_wrap=True)
    for letter, name, mean in zip("AB", names, (paired.mean_a, paired.mean_b), strict=True):
        console.print(Text(f"  {letter}  {percent(mean):>7}  {plain(name, one_line=True)}"), soft_wrap=True)
    for sentence in notes:
        say(console, f"  note: {plain(sentence, one_line=True)}", "yellow")
    if paired.difference is None:
        say(console, f"  no comparison: {paired.note}")
        return
    interval = (
        f" [{100 * paired.low:+.1f}, {100 * paired.high:+.1f}] ({paired.interval})"
        if paired.low is not None and paired.high is not None
        else ""
    )
    console.print(Text(f"  difference {100 * paired.difference:+.1f} points{interval}", "bold"))
    if paired.cells is not None and paired.p is not None:
        cells = paired.cells
        say(
            console,
            f"  both right {cells.both_right}, only A {cells.only_a}, only B {cells.only_b}, "
            f"both wrong {cells.both_wrong}; exact McNemar p = {paired.p:.3g}",
        )
    if paired.p_flips is not None:
        say(console, f"  sign-flip test over clusters p = {paired.p_flips:.3g}")
    say(console, f"  B is better on {count(len(result.gained))} items, worse on {count(len(result.lost))}")
    if result.detectable is not None:
        say(console, f"  smallest difference found with 80 % power: {100 * result.detectable:.1f} points", "dim")
    if paired.failed:
        say(console, f"  {count(paired.failed)} items left out: no answer on one side", "yellow")
    if paired.note:
        say(console, f"  note: {paired.note}", "dim")
    if not result.categories or not by_category:
        return
    table = bare_table("category", "A", "B", "difference", "95 % interval", "n", "p (Holm)")
    for row in result.categories:
        own = row.paired
        low_high = "" if own.low is None or own.high is None else f"[{100 * own.low:+.1f}, {100 * own.high:+.1f}]"
        table.add_row(
            cell(row.category or "(none)"),
            percent(own.mean_a),
            percent(own.mean_b),
            "–" if own.difference is None else f"{100 * own.difference:+.1f}",
            low_high,
            str(own.n),
            "" if row.p_holm is None else f"{row.p_holm:.3g}",
        )
    console.print(table)
