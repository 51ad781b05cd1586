"""What a benchmark tells beyond its metrics, on a terminal: confusion tables and accuracy by number of votes."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from beholder.report.figures import percent
from beholder.report.terminal import bare_table, cell

_MOST_VOTES = 9


def print_details(console: Console, details: dict[str, Any], scorer: str) -> None:
    """Prints what there is; `scorer` is the headline's, whose curve over the number of votes is shown."""
    if "confusion" in details:
        console.print()
        _print_confusion(console, details["confusion"])
    curve = details[scorer].get("accuracy_by_k") if scorer in details else None
    if curve and len(curve) > 1:
        console.print()
        _print_curve(console, curve, details.get("chance", {}), scorer)


def _print_confusion(console: Console, confusion: dict[str, dict[str, dict[str, int]]]) -> None:
    """Scorer → gold → what was read → how often, one line a scorer."""
    golds = next(iter(confusion.values()), {})
    table = bare_table("gold → read", *(f"{gold} → {answer}" for gold, counts in golds.items() for answer in counts))
    for scorer, by_gold in confusion.items():
        table.add_row(cell(scorer), *(str(number) for gold in golds for number in by_gold[gold].values()))
    console.print(table)


def _print_curve(console: Console, curve: list[dict[str, Any]], chance: dict[str, float], scorer: str) -> None:
    """The expected accuracy with the first K votes, for each K: over all items, over decided ones, and a coin's."""
    points = curve[:_MOST_VOTES]
    table = bare_table("votes of an item", *(f"K={point['k']}" for point in points))
    table.add_row(cell(f"{scorer}, all items"), *(percent(point["all"]) for point in points))
    table.add_row(cell(f"{scorer}, decided"), *(percent(point["decided"]) for point in points))
    table.add_row(cell("a coin, all items"), *(percent(chance.get(str(point["k"]))) for point in points), style="dim")
    console.print(table)
