"""Results on a terminal: the headline first, then every figure under each scorer, what failed, and what to know."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from beholder.benchmarks.benchmark import Benchmark
from beholder.report.annotation_words import in_words
from beholder.report.figures import bounds_of, count, denominator_of, interval_of, value_of
from beholder.report.plain_text import plain
from beholder.score import Metric, Metrics, Outcome, Score, ScoredItem

_SHOWN = 5
_LONGEST_LABEL = 40
_ROOMY = 96
_PAIRED = ("_all", "_decided")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def make_console(*, stderr: bool = False, file: TextIO | None = None) -> Console:
    """A console that takes text as it is: nothing in it is markup, an emoji code or something to colour."""
    return Console(stderr=stderr, file=file, highlight=False, markup=False, emoji=False)


def cell(text: str, style: str = "") -> Text:
    """A table cell that is never read as markup: names come from data."""
    return Text(plain(text, one_line=True), style=style)


def say(console: Console, text: str, style: str = "") -> None:
    """One paragraph of plain text, wrapped by words where it is too long."""
    console.print(Text(plain(text), style=style))


def bare_table(*headings: str, texts: int = 1, gap: int = 2) -> Table:
    """A table without lines: the first `texts` columns are text, the others are figures."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, gap, 0, 0))
    for number, heading in enumerate(headings):
        table.add_column(cell(heading), justify="left" if number < texts else "right", overflow="fold")
    return table


def print_metrics(console: Console, found: Benchmark, metrics: Metrics, title: str, *, every: bool = False) -> None:
    """The headline metric under each scorer, the other metrics as a table, what failed, and the notes.

    With `every`, each figure of each scorer has a line of its own, with interval, denominator and bounds.
    """
    console.print(Text(plain(title, one_line=True), "bold"), soft_wrap=True)
    if every:
        console.print(_every_figure(metrics))
    else:
        _print_headline(console, found, metrics)
        console.print(_overview(found, metrics, gap=2 if console.width >= _ROOMY else 1))
        _print_bounds(console, found, metrics)
    for note in notes(metrics):
        say(console, f"note: {note}", "dim")


def _print_headline(console: Console, found: Benchmark, metrics: Metrics) -> None:
    """The headline metric under each scorer, each with interval, denominator and bounds."""
    scorer, metric = found.headline_of(metrics)
    console.print(cell(f"{metric} [95 % interval], headline by {scorer}"))
    width = max(map(len, metrics), default=0)
    for name, figures in metrics.items():
        if metric in figures:
            figure = figures[metric]
            words = f"  {name:{width}} {value_of(figure):>7} {interval_of(figure):15} {denominator_of(figure)}"
            console.print(Text(words, "bold" if name == scorer else ""), soft_wrap=True)


def _overview(found: Benchmark, metrics: Metrics, gap: int) -> Table:
    """One line for each metric but the headline; the parts of a metric (`NAME/PART`) are indented under it."""
    scorer, headline = found.headline_of(metrics)
    table = bare_table("", *metrics, f"{scorer} 95 %", "n", gap=gap)
    names = [name for name in dict.fromkeys(name for own in metrics.values() for name in own) if name != headline]
    parts: dict[str, list[str]] = {}
    previous = headline
    for name in names:
        base, slash, _ = name.partition("/")
        if slash:
            parts.setdefault(base, []).append(name)
            continue
        if previous.endswith(_PAIRED) and not name.endswith(_PAIRED):
            table.add_row()
        table.add_row(cell(name), *_row(metrics, scorer, name))
        previous = name
    for base, own in parts.items():
        table.add_row(cell(f"{base}:", "dim"))
        for name in own:
            part = plain(name.partition("/")[2], one_line=True, limit=_LONGEST_LABEL)
            table.add_row(Text(f"  {part}"), *_row(metrics, scorer, name))
    return table


def _row(metrics: Metrics, scorer: str, name: str) -> list[Text]:
    """A metric's value under each scorer, its interval under the headline's scorer, its denominator."""
    shown = [figures.get(name) for figures in metrics.values()]
    own = metrics[scorer].get(name) if scorer in metrics else None
    return [
        *(cell("" if metric is None else value_of(metric)) for metric in shown),
        cell("" if own is None else interval_of(own), "dim"),
        cell(_denominators([metric for metric in shown if metric is not None]), "dim"),
    ]


def _denominators(shown: Sequence[Metric]) -> str:
    """The denominator, or the smallest and the largest where the scorers differ in it."""
    sizes = sorted({metric.n for metric in shown})
    return f"{sizes[0]}–{sizes[-1]}" if len(sizes) > 1 else str(sizes[0])


def _every_figure(metrics: Metrics) -> Table:
    any_failed = any(metric.failed for figures in metrics.values() for metric in figures.values())
    bounds = ("failed", "if wrong, right") if any_failed else ()
    table = bare_table("metric", "scorer", "value", "95 %", "n", *bounds, texts=2)
    for name in dict.fromkeys(name for figures in metrics.values() for name in figures):
        label = plain(name, one_line=True, limit=2 * _LONGEST_LABEL)
        for scorer, figures in metrics.items():
            if name in figures:
                metric = figures[name]
                row = [label, scorer, value_of(metric), interval_of(metric), count(metric.n)]
                row += [count(metric.failed), bounds_of(metric)] if any_failed else []
                table.add_row(*map(cell, row))
                label = ""
    return table


def _print_bounds(console: Console, found: Benchmark, metrics: Metrics) -> None:
    """How far the failed responses could move the figures of the headline's scorer."""
    scorer, headline = found.headline_of(metrics)
    moved = [
        f"{name} {bounds_of(metric)}"
        for name, metric in metrics.get(scorer, {}).items()
        if bounds_of(metric) and name != headline
    ]
    if moved:
        say(console, f"{scorer}, if each failed one counted 0 or 1: {'; '.join(moved)}", "yellow")


def notes(metrics: Metrics) -> list[str]:
    """The notes that metrics carry, each once, with the metrics (and scorers) that it is about.

    Notes that differ in one number only (`only 3 clusters …`, `only 2 clusters …`) are one note.
    """
    found: dict[str, dict[tuple[str, ...], dict[str, list[str]]]] = {}
    for scorer, figures in metrics.items():
        for name, metric in figures.items():
            for note in filter(None, metric.note.split("; ")):
                numbers = tuple(_NUMBER.findall(note))
                shape = _NUMBER.sub("\0", note)
                found.setdefault(shape, {}).setdefault(numbers, {}).setdefault(name, []).append(scorer)
    said = []
    for shape, variants in found.items():
        differing = [place for place, values in enumerate(zip(*variants, strict=True)) if len(set(values)) > 1]
        if len(variants) > 1 and len(differing) == 1:
            said.append(_one_note(shape, variants, differing[0], len(metrics)))
        else:
            said += [
                f"{_filled(shape, numbers)} ({_places(names, len(metrics))})" for numbers, names in variants.items()
            ]
    return said


def _one_note(shape: str, variants: dict[tuple[str, ...], dict[str, list[str]]], place: int, scorers: int) -> str:
    numbers = list(next(iter(variants)))
    if all("." in variant[place] for variant in variants):  # a level of its own for each metric: list them
        numbers[place] = ", ".join(
            f"{variant[place]} ({_places(names, scorers)})" for variant, names in variants.items()
        )
        return _filled(shape, numbers)
    ordered = sorted((variant[place] for variant in variants), key=lambda number: (len(number), number))
    numbers[place] = f"{ordered[0]} to {ordered[-1]}"
    names: dict[str, list[str]] = {}
    for variant in variants.values():
        for name, who in variant.items():
            names.setdefault(name, []).extend(who)
    return f"{_filled(shape, numbers)} ({_places(names, scorers)})"


def _filled(shape: str, numbers: Iterable[str]) -> str:
    filling = iter(numbers)
    return "".join(next(filling) if char == "\0" else char for char in shape)


def _places(names: dict[str, list[str]], scorers: int) -> str:
    """The first metrics that a note is about; the scorers are named where it is not about all of them."""
    places = [
        name if len(set(who)) == scorers else f"{' and '.join(dict.fromkeys(who))} {name}"
        for name, who in names.items()
    ]
    more = f" and {len(places) - 3} more" if len(places) > 3 else ""
    return ", ".join(places[:3]) + more


def print_items_summary(
    console: Console, items: Sequence[ScoredItem], look: str = "", others: Collection[str] = ()
) -> None:
    """Outcomes by scorer, and the responses on which scorers disagree. `look` is a command that shows one of them;
    `others` are scorers of another question than the rest."""
    if not items:
        return
    scorers = list(items[0].scores)
    counts = {scorer: Counter(item.scores[scorer].outcome for item in items) for scorer in scorers}
    present = [outcome for outcome in Outcome if any(counts[scorer][outcome] for scorer in scorers)]
    table = bare_table("responses", *(outcome.value for outcome in present))
    for scorer in scorers:
        table.add_row(cell(scorer), *(cell(count(counts[scorer][outcome])) for outcome in present))
    console.print()
    console.print(table)
    number, some = disagreements(items, others=others)
    if not number:
        return
    console.print()
    say(console, f"The scorers disagree on {count(number)} of {count(len(items))} responses:")
    for item, words in some:
        vote = f", vote {item.vote}" if item.order else ""
        console.print(Text(f"  {plain(item.key, one_line=True)}{vote}: {words}"), style="dim", soft_wrap=True)
    if number > len(some):
        console.print(Text(f"  … and {count(number - len(some))} more"), style="dim")
    if look:
        console.print(Text(f"  Look at one: {plain(look, one_line=True)}"), style="dim", soft_wrap=True)


def disagreements(
    items: Sequence[ScoredItem], limit: int = _SHOWN, *, others: Collection[str] = ()
) -> tuple[int, list[tuple[ScoredItem, str]]]:
    """How many responses the scorers disagree on, and the first few with each scorer's verdict in words.

    `others` are scorers of another question than the rest (`Benchmark.other_questions`); they are left out.
    """
    differing = [item for item in items if disagree(item, others)]
    return len(differing), [(item, verdicts(item, others)) for item in differing[:limit]]


def disagree(item: ScoredItem, others: Collection[str] = ()) -> bool:
    """Whether two scorers of the same question that could judge a response give it different values."""
    return are_different(item.scores, others)


def are_different(scores: Mapping[str, Score], others: Collection[str] = ()) -> bool:
    """The same of the scores alone."""
    own = [score for name, score in scores.items() if name not in others]
    return len({score.value for score in own if score.outcome is not Outcome.NOT_APPLICABLE}) > 1


def verdicts(item: ScoredItem, others: Collection[str] = ()) -> str:
    """Each scorer's verdict on one response, in one line."""
    return " · ".join(f"{name} {verdict(score)}" for name, score in item.scores.items() if name not in others)


def verdict(score: Score) -> str:
    """A score in a few words: `1 'T'`, `0 unparsed`, `– failed`."""
    value = "–" if score.value is None else f"{score.value:.3g}"
    outcome = "" if score.outcome is Outcome.SCORED else f" {score.outcome.value}"
    read = "" if not score.extracted else f" {plain(in_words(score.extracted), one_line=True, limit=24)!r}"
    return f"{value}{outcome}{read}"
