"""Experiment 3 on a terminal and as a figure: interface × prompt, what failed at what, calls beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from beholder.experiments.rotation import FAILED, Contrast, Fate, RotationFindings, RotationOutcome
from beholder.experiments.rotation_prompts import INTERFACES, PROMPTS
from beholder.metrics.paired import CLUSTERED, Paired
from beholder.report.experiment_chart import grouped_bars
from beholder.report.experiment_report import points
from beholder.report.figures import count, counted, interval_of, value_of
from beholder.report.plain_text import plain
from beholder.report.terminal import bare_table, cell, say

WORDS = {"rotate": "tool", "python": "code"}
_FAILURES = {fate: "never ran" if fate is Fate.RUNNING else fate.value for fate in FAILED}


def print_rotation(console: Console, outcome: RotationOutcome) -> None:
    """Prints experiment 3."""
    console.print()
    if outcome.title:
        console.print(Text(plain(outcome.title, one_line=True), "bold"), soft_wrap=True)
    _print_scores(console, outcome)
    _print_failures(console, outcome)
    _print_contrasts(console, outcome.contrasts)
    _print_calls(console, outcome)


def rotation_figure(outcome: RotationOutcome) -> str:
    """The scores as grouped bars, a group for each prompt; an SVG."""
    scores = {(arm.interface, arm.prompt): arm.score for arm in outcome.arms}
    figures = [[scores.get((interface, prompt)) for interface in INTERFACES] for prompt in PROMPTS]
    return grouped_bars(PROMPTS, [WORDS[name] for name in INTERFACES], figures, outcome.title or "Rotation")


def _name(arm: RotationFindings) -> str:
    return f"{WORDS.get(arm.interface, arm.interface)} {arm.prompt}"


def _print_scores(console: Console, outcome: RotationOutcome) -> None:
    headings = ("95 %", "n", "calls/item", "not used", "used, right", "used, failed")
    table = bare_table("arm", outcome.scorer, *headings, gap=1)
    for arm in outcome.arms:
        table.add_row(
            cell(_name(arm)),
            cell(value_of(arm.score)),
            cell(interval_of(arm.score), "dim"),
            cell(count(arm.score.n)),
            cell(_calls(arm.calls_an_item)),
            cell(_not_used(arm)),
            cell(count(arm.items[Fate.RIGHT])),
            cell(count(arm.failed)),
        )
    console.print(table)
    _say_notes(console, [(_name(arm), arm.score.note) for arm in outcome.arms])
    lost = sum(arm.score.failed for arm in outcome.arms)
    if lost:
        say(console, f"note: {counted(lost, 'response')} failed and are in no figure", "yellow")


def _say_notes(console: Console, notes: Sequence[tuple[str, str]]) -> None:
    """What limits the figures, each sentence once, with the rows that it is about unless it is about all."""
    said: dict[str, list[str]] = {}
    for name, note in notes:
        for sentence in filter(None, note.split("; ")):
            said.setdefault(sentence, []).append(name)
    for sentence, names in said.items():
        about = "" if len(names) == len(notes) else f" ({'; '.join(names)})"
        say(console, f"note: {sentence}{about}", "yellow")


def _not_used(arm: RotationFindings) -> str:
    right = f" ({count(arm.not_used_right)} right)" if arm.not_used_right else ""
    return f"{count(arm.items[Fate.NOT_USED])}{right}"


def _print_failures(console: Console, outcome: RotationOutcome) -> None:
    console.print()
    console.print(Text("Used and failed, by what it failed at (items); syntax errors among all calls", "bold"))
    table = bare_table("arm", "failed", *(_FAILURES[fate] for fate in FAILED), "syntax", "calls", gap=1)
    for arm in outcome.arms:
        told = (count(arm.items[fate]) for fate in FAILED)
        shown = (count(arm.failed), *told, count(arm.syntax), count(arm.calls))
        table.add_row(cell(_name(arm)), *map(cell, shown))
    console.print(table)
    say(
        console,
        "no answer: none that can be read, as after a budget or a refusal; angle: never seen upright; direction: "
        "turned right, but the other way; answer: seen upright, answered otherwise; not told: no picture that it got "
        "is its own picture turned",
        "dim",
    )
    if any(arm.known == 0 for arm in outcome.arms):
        say(console, "note: the right turn does not follow from these questions, so angles are not told", "yellow")


def _print_contrasts(console: Console, contrasts: list[Contrast]) -> None:
    if not contrasts:
        return
    console.print()
    table = bare_table("contrast", "points", "95 %", "p (Holm)", "gained", "lost", "n")
    for one in contrasts:
        paired = one.comparison.paired
        interval = "" if paired.low is None else f"[{points(paired.low)}, {points(paired.high)}]"
        table.add_row(
            cell(one.name),
            cell(points(paired.difference)),
            cell(interval, "dim"),
            cell("–" if one.p_holm is None else f"{one.p_holm:.3g}"),
            cell(count(len(one.comparison.gained))),
            cell(count(len(one.comparison.lost))),
            cell(count(paired.n)),
        )
    console.print(table)
    _say_notes(console, [(one.name, _limits(one.comparison.paired)) for one in contrasts])


def _limits(paired: Paired) -> str:
    """Which test p is of, what limits the figures, and how many items are in none of them."""
    test = "p is exact McNemar" if paired.p_flips is None else "p is that of a sign-flip test over photographs"
    notes = [note for note in paired.note.split("; ") if note and note != CLUSTERED]
    left_out = [f"{counted(paired.failed, 'item')} left out: no answer on one side"] if paired.failed else []
    return "; ".join([test, *notes, *left_out])


def _print_calls(console: Console, outcome: RotationOutcome) -> None:
    """Average calls of these runs above those of the paper."""
    published = outcome.published
    own = {arm.name: arm.calls_an_item for arm in outcome.arms}
    console.print()
    console.print(Text("Average calls an item, beside the paper's", "bold"))
    headings = [f"{WORDS[name.partition('-')[0]]} {name.partition('-')[2]}" for name in published.arms]
    table = bare_table("model", *headings)
    table.add_row(cell("this experiment", "bold"), *(cell(_calls(own.get(name)), "bold") for name in published.arms))
    for row in published.rows:
        table.add_row(cell(row.model), *(cell(_calls(calls)) for calls in row.calls))
    console.print(table)
    say(console, f"{published.source}. Its prompts are not public; ours are in our own words.", "dim")


def _calls(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
