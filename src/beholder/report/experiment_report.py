"""Experiment 1 on a terminal: the arms, what each gains over none, what that supports, what it costs, by task."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from beholder.experiments.costs import Spent
from beholder.experiments.tools import ArmFigures, Gain, ToolsOutcome
from beholder.experiments.verdicts import Noise, Repeat, Verdict
from beholder.report.comparison import CategoryRow, Comparison
from beholder.report.figures import count, counted, interval_of, percent, value_of
from beholder.report.paired_tables import Row, cells_table, limits, p_value, points, points_interval
from beholder.report.plain_text import plain
from beholder.report.terminal import bare_table, cell, say
from beholder.score import Metric

__all__ = ["cost_in_words", "points", "print_tools"]

_KEYS_SHOWN = 3
_LONGEST_PART = 18
_ROOMY = 100


def print_tools(console: Console, outcome: ToolsOutcome, *, short: bool = False) -> None:
    """Prints experiment 1. `short` leaves out what is by task, by item and by turn."""
    console.print()
    if outcome.title:
        console.print(Text(plain(outcome.title, one_line=True), "bold"), soft_wrap=True)
    console.print(_arms(outcome, console.width))
    console.print()
    console.print(Text("What an item took, on average", "bold"))
    console.print(_spending(outcome))
    for note in outcome.notes:
        say(console, f"note: {note}", "yellow")
    for scorer in outcome.scorers:
        gains = outcome.gains.get(scorer, [])
        if gains:
            console.print()
            console.print(Text(f"Gain over none in points, by {scorer}", "bold"))
            rows = [Row(gain.arm, gain.comparison, gain.right_wrong) for gain in gains]
            console.print(_gains(gains, console.width))
            console.print(cells_table(rows, "none"))
            for sentence in limits(rows):
                say(console, f"note: {sentence}", "dim")
        _print_noise(console, outcome.noise.get(scorer), outcome.repeat)
        for gain in gains:
            say(console, f"  → {gain.sentence}", "bold")
    main = outcome.gains.get(outcome.scorers[0], [])
    if not main:
        return
    console.print()
    console.print(Text("Cost of the gain", "bold"))
    for gain in main:
        say(console, f"  {cost_in_words(gain)}")
    say(console, f"  Spent in all, also on what failed: {'; '.join(_whole_in_words(arm) for arm in outcome.arms)}.")
    if short:
        return
    plain_arm = outcome.arms[0]
    _print_parts(console, outcome, main, "task", plain_arm.by_task, lambda gain: gain.comparison)
    _print_parts(console, outcome, main, "difficulty", plain_arm.by_difficulty, lambda gain: gain.by_difficulty)
    _print_turns(console, outcome)
    _print_keys(console, main)


def _arms(outcome: ToolsOutcome, width: int) -> Table:
    some_failed = any(arm.scores[outcome.scorers[0]].failed for arm in outcome.arms)
    headings = [outcome.scorers[0], "95 %", *outcome.scorers[1:], "n", *(["failed"] if some_failed else [])]
    table = bare_table("arm", *headings, gap=_gap(width))
    for arm in outcome.arms:
        name = f"{arm.name} ({plain(arm.model, one_line=True, limit=20)})" if _is_other(arm, outcome) else arm.name
        first, *others = (arm.scores[scorer] for scorer in outcome.scorers)
        table.add_row(
            cell(name),
            cell(value_of(first)),
            cell(interval_of(first), "dim"),
            *(cell(value_of(metric)) for metric in others),
            cell(count(first.n)),
            *([cell(count(first.failed))] if some_failed else []),
        )
    return table


def _spending(outcome: ToolsOutcome) -> Table:
    table = bare_table("arm", "turns", "calls", "tokens in", "out")
    for arm in outcome.arms:
        table.add_row(cell(arm.name), *_spent_cells(arm.spent))
    return table


def _gap(width: int) -> int:
    return 2 if width >= _ROOMY else 1


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


def _gains(gains: Sequence[Gain], width: int) -> Table:
    table = bare_table("arm", "gain", "95 %", "p (Holm)", "n", "gained", "lost", "verdict", gap=_gap(width))
    for gain in gains:
        comparison = gain.comparison
        table.add_row(
            cell(gain.arm),
            cell(points(comparison.paired.difference)),
            cell(points_interval(comparison.paired), "dim"),
            cell(p_value(gain.p_holm)),
            cell(count(comparison.paired.n)),
            cell(count(len(comparison.gained))),
            cell(count(len(comparison.lost))),
            cell(gain.verdict.value),
        )
    return table


def _print_noise(console: Console, noise: Noise | None, repeat: Repeat) -> None:
    if noise is None:
        asked = "no arm is run twice" if repeat is Repeat.NOT_ASKED_FOR else "the repeat has nothing to compare yet"
        say(console, f"  Noise: not measured; {asked}.")
        return
    paired = noise.comparison.paired
    if paired.difference is None or noise.floor is None:
        say(console, f"  Noise: not measured; {noise.arm} and its repeat share no answered item.")
        return
    differs = f"{points(paired.difference)} points {points_interval(paired)}".rstrip()
    changed = f"{count(noise.changed)} of {counted(noise.n, 'item')} changed ({percent(noise.changed / noise.n)})"
    floor = f"floor {100 * noise.floor:.1f} points"
    why = "" if noise.changed else ", the upper end of what none changed allows"
    say(console, f"  Noise: {noise.arm} run again differs by {differs}; {changed}; {floor}{why}.")


def cost_in_words(gain: Gain) -> str:
    """What an arm costs more than none: for each item, and, where a gain is supported, for each net item gained."""
    words = f"{gain.arm}: {_spent_in_words(gain.more, '+')} an item"
    if gain.verdict is not Verdict.SUPPORTED or gain.a_net_item is None:
        return f"{words}; no gain is supported that it would have bought"
    return f"{words}; for each of {gain.net_items:.3g} net items gained {_spent_in_words(gain.a_net_item)}"


def _whole_in_words(arm: ArmFigures) -> str:
    whole = arm.whole
    if whole is None:
        return f"{arm.name}: not known"
    more = [
        counted(whole.failed, "failed response") if whole.failed else "",
        counted(whole.abandoned, "abandoned attempt") if whole.abandoned else "",
        f"{counted(whole.cached, 'answer')} from the cache not counted" if whole.cached else "",
    ]
    told = f" ({', '.join(filter(None, more))})" if any(more) else ""
    if not whole.prompt_tokens and not whole.completion_tokens:
        return f"{arm.name}: no tokens counted{told}"
    return f"{arm.name}: {count(whole.prompt_tokens)} tokens in, {count(whole.completion_tokens)} out{told}"


def _spent_in_words(spent: Spent, sign: str = "") -> str:
    turns, calls, prompt, completion = (text.plain for text in _spent_cells(spent, sign))
    counted = spent.prompt_tokens is not None or spent.completion_tokens is not None
    return f"{turns} turns, {calls} calls" + (f", tokens {prompt} in, {completion} out" if counted else "")


def _print_parts(
    console: Console,
    outcome: ToolsOutcome,
    gains: Sequence[Gain],
    heading: str,
    without: dict[str, Metric],
    part_of: Callable[[Gain], Comparison],
) -> None:
    """For each category or difficulty: the score of none over all its items and the gain of each arm (with Holm's p);
    then what each arm gained and lost, of the items that both answered."""
    rows: dict[str, dict[str, CategoryRow]] = {name: {} for name in without}
    for gain in gains:
        for row in part_of(gain).categories:
            rows.setdefault(row.category, {})[gain.arm] = row
    if not rows:
        return
    arms = [gain.arm for gain in gains]
    scores = bare_table(heading, "n", "none", *arms, gap=_gap(console.width))
    items = bare_table(heading, *arms, gap=_gap(console.width))
    for name, own in rows.items():
        label = plain(name or "(none)", one_line=True, limit=_LONGEST_PART)
        score = without.get(name)
        shown = ["–", "–"] if score is None else [count(score.n), value_of(score)]
        scores.add_row(*map(cell, (label, *shown, *(_gain_of(own.get(arm)) for arm in arms))))
        items.add_row(*map(cell, (label, *(_items_of(own.get(arm)) for arm in arms))))
    console.print()
    scorer = outcome.scorers[0]
    console.print(Text(f"By {heading}: score without tools and gain in points (p, Holm), by {scorer}", "bold"))
    console.print(scores)
    failed = ", ".join(f"{name or '(none)'} {count(one.failed)}" for name, one in without.items() if one.failed)
    if failed:
        say(console, f"note: failed without tools, and in no figure: {plain(failed, one_line=True)}", "yellow")
    console.print()
    console.print(Text(f"By {heading}: items gained/lost of those that both answered (+ left out: failed)", "bold"))
    console.print(items)


def _gain_of(row: CategoryRow | None) -> str:
    if row is None:
        return ""
    p = "" if row.p_holm is None else f" ({row.p_holm:.2g})"
    return f"{points(row.paired.difference)}{p}"


def _items_of(row: CategoryRow | None) -> str:
    if row is None:
        return ""
    failed = f" + {count(row.paired.failed)}" if row.paired.failed else ""
    return f"{count(row.n_gained)}/{count(row.n_lost)} of {count(row.paired.n)}{failed}"


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
