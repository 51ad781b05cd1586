"""What a benchmark tells beyond its metrics, on a terminal: confusion tables and accuracy by number of votes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine.plan import Plan
from beholder.report.figures import percent
from beholder.report.metaphor_report import print_metaphors
from beholder.report.published_report import print_extraction, print_published
from beholder.report.terminal import bare_table, cell
from beholder.score import Metrics

_MOST_VOTES = 9


def print_details(
    console: Console,
    details: dict[str, Any],
    found: Benchmark,
    metrics: Metrics,
    judges: Mapping[str, int] | None = None,
    plan: Plan | None = None,
    places: Mapping[str, int] | None = None,
) -> None:
    """Prints what there is: of a curve over the number of votes, that of the headline's scorer.

    `judges` says which models read answers out of how many responses; `plan` is the run's, None for a file. `places`
    are the positions of a run's items by key: with them, items are named by their positions.
    """
    scorer = found.headline_of(metrics)[0]
    if "extraction" in details:
        console.print()
        print_extraction(console, details["extraction"], judges or {})
    official = found.headline[0]
    if "published" in details and found.headline_of(metrics) == found.headline:
        console.print()
        print_published(console, details["published"], metrics[official], official, plan, judges)
    if "assumptions" in details:
        print_metaphors(console, details, scorer, places or {})
    elif "confusion" in details:
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
