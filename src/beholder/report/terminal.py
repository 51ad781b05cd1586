"""Results on a terminal: the figures under each scorer, what failed, where the scorers disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from beholder.benchmarks.benchmark import Benchmark
from beholder.report.comparison import Comparison
from beholder.report.figures import count, denominator_of, interval_of, percent, value_of
from beholder.report.plain_text import plain
from beholder.score import Metric, Metrics, ScoredItem

_SHOWN = 5


def cell(text: str, style: str = "") -> Text:
    """A table cell that is never read as markup: names come from data."""
    return Text(plain(text, one_line=True), style=style)


def metrics_table(found: Benchmark, metrics: Metrics, title: str) -> Table:
    """Metrics as rows, scorers as columns; each figure with its interval, and its denominator where it differs."""
    table = Table(title=cell(title), title_justify="left", box=None, pad_edge=False, header_style="bold")
    table.add_column("metric", no_wrap=True)
    for scorer in metrics:
        table.add_column(cell(scorer), justify="right")
    table.add_column("denominator")
    names: dict[str, None] = {}
    for figures in metrics.values():
        names |= dict.fromkeys(figures)
    headline_scorer, headline_metric = found.headline
    for name in names:
        row: list[Text] = [cell(name, "bold" if name == headline_metric else "")]
        shown = [figures.get(name) for figures in metrics.values()]
        denominators = {denominator_of(metric) for metric in shown if metric is not None}
        for scorer, metric in zip(metrics, shown, strict=True):
            headline = name == headline_metric and scorer == headline_scorer
            row.append(_figure(metric, headline=headline, with_n=len(denominators) > 1))
        row.append(cell(denominators.pop() if len(denominators) == 1 else "", "dim"))
        table.add_row(*row)
    return table


def _figure(metric: Metric | None, *, headline: bool, with_n: bool) -> Text:
    if metric is None:
        return Text("")
    text = Text(value_of(metric), style="bold" if headline else "")
    interval = interval_of(metric)
    if interval:
        text.append(f" {interval}", style="dim")
    if with_n:
        text.append(f" ({denominator_of(metric)})", style="dim")
    return text


def headline_sentence(found: Benchmark, metrics: Metrics) -> str:
    """The headline in words, such as `recipe question_accuracy 71.2 % [67.1, 75.0], n=492`."""
    scorer, name = found.headline
    metric = metrics[scorer][name]
    return f"{scorer} {name} {value_of(metric)} {interval_of(metric)}".rstrip() + f", {denominator_of(metric)}"


def notes(metrics: Metrics) -> list[str]:
    """The notes that metrics carry, each once, with where they apply."""
    places: dict[str, list[str]] = {}
    for scorer, figures in metrics.items():
        for name, metric in figures.items():
            if metric.note:
                places.setdefault(metric.note, []).append(f"{scorer} {name}")
    return [
        f"{note} ({', '.join(where[:2])}{f' and {len(where) - 2} more' if len(where) > 2 else ''})"
        for note, where in places.items()
    ]


def disagreements(items: Sequence[ScoredItem], limit: int = _SHOWN) -> tuple[int, list[tuple[ScoredItem, str]]]:
    """How many responses the scorers disagree on, and the first few with each scorer's verdict in words."""
    differing = [item for item in items if len({score.value for score in item.scores.values()}) > 1]
    return len(differing), [(item, verdicts(item)) for item in differing[:limit]]


def verdicts(item: ScoredItem) -> str:
    """Each scorer's verdict on one response, in one line."""
    return ", ".join(
        f"{name}: {'–' if score.value is None else f'{score.value:.3g}'} ({score.outcome.value}"
        f"{'' if score.extracted is None else f', {plain(score.extracted, one_line=True, limit=24)!r}'})"
        for name, score in item.scores.items()
    )


def print_items_summary(console: Console, items: Sequence[ScoredItem]) -> None:
    """Outcomes by scorer, and the responses on which scorers disagree."""
    if not items:
        return
    for scorer in items[0].scores:
        outcomes = Counter(item.scores[scorer].outcome.value for item in items)
        console.print(
            Text(f"{scorer} outcomes: " + ", ".join(f"{name} {count(n)}" for name, n in outcomes.most_common())),
            style="dim",
        )
    number, some = disagreements(items)
    if number:
        console.print(Text(f"The scorers disagree on {count(number)} of {count(len(items))} responses:"))
        for item, words in some:
            vote = f" vote {item.vote}" if item.vote or item.order else ""
            console.print(Text(f"  {plain(item.key, one_line=True)}{vote}: {words}"), style="dim", soft_wrap=True)
        if number > len(some):
            console.print(Text(f"  … and {count(number - len(some))} more"), style="dim")


def print_comparison(console: Console, result: Comparison, names: tuple[str, str]) -> None:
    """A paired comparison: the difference with its interval and test, then by category."""
    paired = result.paired
    a, b = (plain(name, one_line=True) for name in names)
    console.print(Text(f"{b} against {a}, scorer {result.scorer}, {count(paired.n)} items answered by both", "bold"))
    if paired.difference is None:
        console.print(Text(f"  no comparison: {paired.note}"))
        return
    interval = (
        f"[{100 * paired.low:+.1f}, {100 * paired.high:+.1f}] points ({paired.interval})"
        if paired.low is not None and paired.high is not None
        else ""
    )
    console.print(Text(f"  {a}: {percent(paired.mean_a)}   {b}: {percent(paired.mean_b)}"))
    console.print(Text(f"  difference {100 * paired.difference:+.1f} points {interval}"))
    if paired.cells is not None and paired.p is not None:
        cells = paired.cells
        console.print(
            Text(
                f"  both right {cells.both_right}, only {a} {cells.only_a}, only {b} {cells.only_b}, "
                f"both wrong {cells.both_wrong}; exact McNemar p = {paired.p:.3g}"
            )
        )
    console.print(Text(f"  {b} is better on {len(result.gained)} items, worse on {len(result.lost)}"))
    if result.detectable is not None:
        console.print(
            Text(f"  smallest difference found with 80 % power: {100 * result.detectable:.1f} points"),
            style="dim",
        )
    if paired.failed:
        console.print(Text(f"  {paired.failed} items left out: no answer on one side"), style="yellow")
    if paired.note:
        console.print(Text(f"  note: {paired.note}"), style="dim")
    if not result.categories:
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("category")
    for name in (a, b, "difference", "95 % interval", "n", "p (Holm)"):
        table.add_column(cell(name), justify="right")
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
