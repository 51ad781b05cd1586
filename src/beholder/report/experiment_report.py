"""Experiment 1 on a terminal: the arms, what each gains over none, what that supports, what it costs, by task."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from beholder.experiments.costs import Spent
from beholder.experiments.tools import ArmFigures, Gain, Noise, ToolsOutcome
from beholder.report.comparison import CategoryRow, Comparison
from beholder.report.figures import count, interval_of, percent, value_of
from beholder.report.plain_text import plain
from beholder.report.terminal import bare_table, cell, say

_CELLS = "four cells: both right / only the arm / only none / both wrong"
_KEYS_SHOWN = 3
_ROOMY = 100


def print_tools(console: Console, outcome: ToolsOutcome, *, short: bool = False) -> None:
    """Prints experiment 1. `short` leaves out what is by task, by item and by turn."""
    console.print()
    if outcome.title:
        console.print(Text(plain(outcome.title, one_line=True), "bold"), soft_wrap=True)
    console.print(_arms(outcome, console.width))
    for note in outcome.notes:
        say(console, f"note: {note}", "yellow")
    for scorer in outcome.scorers:
        gains = outcome.gains.get(scorer, [])
        if gains:
            console.print()
            console.print(Text(f"Gain over none in points, by {scorer}", "bold"))
            console.print(_gains(gains))
            for sentence in _limits(gains):
                say(console, f"note: {sentence}", "dim")
        if scorer in outcome.noise:
            _print_noise(console, outcome.noise[scorer])
        for gain in gains:
            say(console, f"  → {gain.sentence}", "bold")
    main = outcome.gains.get(outcome.scorers[0], [])
    if not main:
        return
    console.print()
    console.print(Text("Cost of the gain", "bold"))
    for gain in main:
        say(console, f"  {cost_in_words(gain)}")
    if short:
        return
    _print_parts(console, outcome, main, "task", lambda gain: gain.comparison)
    _print_parts(console, outcome, main, "difficulty", lambda gain: gain.by_difficulty)
    _print_turns(console, outcome)
    _print_keys(console, main)


def _arms(outcome: ToolsOutcome, width: int) -> Table:
    headings = [f"{outcome.scorers[0]}", "95 %", *outcome.scorers[1:]]
    table = bare_table("arm", *headings, "n", "turns", "calls", "tokens in", "out", gap=2 if width >= _ROOMY else 1)
    for arm in outcome.arms:
        name = f"{arm.name} ({plain(arm.model, one_line=True, limit=20)})" if _is_other(arm, outcome) else arm.name
        first, *others = (arm.scores[scorer] for scorer in outcome.scorers)
        table.add_row(
            cell(name),
            cell(value_of(first)),
            cell(interval_of(first), "dim"),
            *(cell(value_of(metric)) for metric in others),
            cell(count(first.n) + (f"+{first.failed} failed" if first.failed else "")),
            *_spent_cells(arm.spent),
        )
    return table


def _is_other(arm: ArmFigures, outcome: ToolsOutcome) -> bool:
    return bool(outcome.plain_model) and arm.name == outcome.arms[0].name


def _spent_cells(spent: Spent, sign: str = "") -> list[Text]:
    """Turns, calls, tokens in and out an item."""
    return [
        *(cell(_number(value, f"{sign}.2f")) for value in (spent.turns, spent.calls)),
        *(cell(_number(value, f"{sign},.0f")) for value in (spent.prompt_tokens, spent.completion_tokens)),
    ]


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _gains(gains: Sequence[Gain]) -> Table:
    # the four cells: both right, only the arm, only none, both wrong
    table = bare_table("arm", "gain", "95 %", "gained", "lost", "detectable", "p (Holm)", "four cells", gap=2)
    for gain in gains:
        paired, cells = gain.comparison.paired, None if gain.right_wrong is None else gain.right_wrong.cells
        table.add_row(
            cell(gain.arm),
            cell(points(paired.difference)),
            cell(_interval(gain.comparison), "dim"),
            cell(count(len(gain.comparison.gained))),
            cell(count(len(gain.comparison.lost))),
            cell("–" if gain.comparison.detectable is None else f"{100 * gain.comparison.detectable:.1f}"),
            cell("–" if gain.p_holm is None else f"{gain.p_holm:.3g}"),
            cell(
                "–" if cells is None else f"{cells.both_right}/{cells.only_b}/{cells.only_a}/{cells.both_wrong}",
            ),
        )
    return table


def points(share: float | None) -> str:
    """A difference of shares in percentage points, with its sign.

    >>> points(0.123), points(None)
    ('+12.3', '–')
    """
    return "–" if share is None else f"{100 * share:+.1f}"


def _interval(comparison: Comparison) -> str:
    paired = comparison.paired
    return "" if paired.low is None or paired.high is None else f"[{points(paired.low)}, {points(paired.high)}]"


def _limits(gains: Sequence[Gain]) -> list[str]:
    """What limits the figures, each sentence once."""
    said: dict[str, list[str]] = {_CELLS: [gain.arm for gain in gains]}
    for gain in gains:
        paired, decided = gain.comparison.paired, gain.right_wrong
        if decided is not None and decided.n < paired.n:
            told = f"p and the four cells are about the {count(decided.n)} items of tasks without credit in part"
            said.setdefault(told, []).append(gain.arm)
        for note in filter(None, paired.note.split("; ")):
            said.setdefault(note, []).append(gain.arm)
        if paired.failed:
            said.setdefault(f"{count(paired.failed)} items left out: no answer on one side", []).append(gain.arm)
    return [note if len(arms) == len(gains) else f"{note} ({', '.join(arms)})" for note, arms in said.items()]


def _print_noise(console: Console, noise: Noise) -> None:
    paired = noise.comparison.paired
    if paired.difference is None:
        return
    share = percent(noise.changed / noise.n) if noise.n else "–"
    differs = f"{points(paired.difference)} points {_interval(noise.comparison)}".rstrip()
    changed = f"{count(noise.changed)} of {count(noise.n)} items changed ({share})"
    say(console, f"  Noise: {noise.arm} run again differs by {differs}; {changed}.")


def cost_in_words(gain: Gain) -> str:
    """What an arm costs more than none: for each item, and for each net item gained."""
    words = f"{gain.arm}: {_spent_in_words(gain.more, '+')} an item"
    if gain.a_net_item is None:
        return f"{words}; no net item gained"
    return f"{words}; for each of {gain.net_items:.3g} net items gained {_spent_in_words(gain.a_net_item)}"


def _spent_in_words(spent: Spent, sign: str = "") -> str:
    turns, calls, prompt, completion = (text.plain for text in _spent_cells(spent, sign))
    counted = spent.prompt_tokens is not None or spent.completion_tokens is not None
    return f"{turns} turns, {calls} calls" + (f", tokens {prompt} in, {completion} out" if counted else "")


def _print_parts(
    console: Console,
    outcome: ToolsOutcome,
    gains: Sequence[Gain],
    heading: str,
    part_of: Callable[[Gain], Comparison],
) -> None:
    """Score of none and gain of each arm (with Holm's p), for each category or difficulty."""
    rows: dict[str, dict[str, CategoryRow]] = {}
    for gain in gains:
        for row in part_of(gain).categories:
            rows.setdefault(row.category, {})[gain.arm] = row
    if not rows:
        return
    console.print()
    scorer = outcome.scorers[0]
    console.print(Text(f"By {heading}: score without tools and gain in points (p, Holm), by {scorer}", "bold"))
    table = bare_table(heading, "n", "none", *(gain.arm for gain in gains))
    for name, own in rows.items():
        some = next(iter(own.values())).paired
        table.add_row(
            cell(name or "(none)"),
            cell(str(some.n)),
            cell(percent(some.mean_a)),
            *(cell(_gain_of(own.get(gain.arm))) for gain in gains),
        )
    console.print(table)


def _gain_of(row: CategoryRow | None) -> str:
    if row is None:
        return ""
    p = "" if row.p_holm is None else f" ({row.p_holm:.2g})"
    return f"{points(row.paired.difference)}{p}"


def _print_turns(console: Console, outcome: ToolsOutcome) -> None:
    """Score against turns by task, as in the paper's figure of PyVision's turns."""
    arms = [arm for arm in outcome.arms if any(line.turns > 1 for line in arm.turns)]
    if not arms:
        return
    console.print()
    console.print(Text(f"Mean turns and score ({outcome.scorers[0]}, %) by task", "bold"))
    table = bare_table("task", *(arm.name for arm in arms))
    lines = {arm.name: {line.task: line for line in arm.turns} for arm in arms}
    for task in [line.task for line in arms[0].turns]:
        shown = []
        for arm in arms:
            line = lines[arm.name].get(task)
            score = "–" if line is None or line.score is None else f"{100 * line.score:.1f}"
            shown.append(Text("" if line is None else f"{line.turns:.2f} {score:>6}"))
        table.add_row(cell(task or "(none)"), *shown)
    console.print(table)


def _print_keys(console: Console, gains: Sequence[Gain]) -> None:
    if any(gain.comparison.gained or gain.comparison.lost for gain in gains):
        console.print()
    for gain in gains:
        for word, keys in (("gained", gain.comparison.gained), ("lost", gain.comparison.lost)):
            if keys:
                more = f" and {count(len(keys) - _KEYS_SHOWN)} more" if len(keys) > _KEYS_SHOWN else ""
                console.print(Text(f"{gain.arm} {word} {', '.join(keys[:_KEYS_SHOWN])}{more}", "dim"), soft_wrap=True)
