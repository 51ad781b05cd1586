"""Conversations with tools on a terminal: one turn by turn, and the figures of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from beholder.report.figures import count, counted, percent
from beholder.report.plain_text import plain
from beholder.report.terminal import bare_table, cell, say
from beholder.report.tool_use import Spread, ToolUse
from beholder.report.trajectory_view import (
    ShownCall,
    ShownTurn,
    View,
    answers_in_words,
    cost_in_words,
    outcome_in_words,
)
from beholder.sample import Usage
from beholder.tools.tally import Rate
from beholder.trajectory import CallOutcome, Ended, Trajectory

LONGEST = 2000
"""Characters of one text that are shown; `--json` has the whole."""
_LONGEST_LINE = 300
_TASKS = 30
ENDINGS = {
    Ended.ANSWERED: "the model answered",
    Ended.TURNS: "the budget of turns was used up",
    Ended.TOKENS: "the budget of tokens was used up",
    Ended.SECONDS: "the time was used up",
    Ended.REPEATS: "the same call came too often",
    Ended.MALFORMED: "too many calls in a row could not be used",
    Ended.CONTEXT: "it grew longer than the server takes",
    Ended.FAILED: "a request failed",
}
"""Why a conversation ended, in words."""


def print_trajectory(console: Console, view: View, abandoned: Sequence[Trajectory] = ()) -> None:
    """Prints a conversation: each turn with its calls and what they brought, why it ended, attempts that were lost.

    The text of the last turn, where it is the answer, is left to whoever prints the response.
    """
    _line(console, view.summary, "bold")
    for shown in view.turns:
        _print_turn(console, shown, last=shown is view.turns[-1], ended=view.trajectory.ended)
    cost = cost_in_words(view.diagnosis)
    ending = ending_in_words(view) + (f"; {cost}" if cost else "")
    _line(console, ending, "" if view.trajectory.ended is Ended.ANSWERED else "yellow")
    if answers := answers_in_words(view):
        _line(console, f"answers on the way: {answers}", "bold")
    for words in (", ".join(map(spaced, view.diagnosis.flags)), cause_in_words(view)):
        if words:
            _line(console, words, "yellow")
    for attempt in abandoned:
        _line(console, abandoned_in_words(attempt), "dim")


def ending_in_words(view: View) -> str:
    """Why it ended: `ended: the model answered`."""
    ended = view.trajectory.ended
    return f"ended: {ENDINGS[ended] if ended is not None else 'the process was stopped'}"


def abandoned_in_words(attempt: Trajectory) -> str:
    """An attempt that came to nothing, with its turns and its cost, in a line."""
    usages = [usage for turn in attempt.turns for usage in (turn.usage, turn.probe_usage)]
    spent = _tokens_in_words(usages)
    turns = counted(len(attempt.turns), "turn")
    return f"attempt {attempt.attempt + 1} was abandoned after {turns}{f', {spent}' if spent else ''}"


def spaced(word: str) -> str:
    """A flag as words.

    >>> spaced("no_new_evidence")
    'no new evidence'
    """
    return word.replace("_", " ")


def call_labels(call: ShownCall) -> list[str]:
    """What there is to know about a call besides its outcome, in a few words each."""
    labels = [spaced(flag) for flag in call.flags]
    if call.answer_changed is not None:
        labels.append("answer changed" if call.answer_changed else "answer unchanged")
    return labels


def cause_in_words(view: View) -> str:
    """What the failure is put down to by the record, and by a person."""
    diagnosis = view.diagnosis
    words = [f"put down to {spaced(diagnosis.attribution)}: {diagnosis.why}"] if diagnosis.attribution else []
    if diagnosis.label is not None:
        note = f" ({diagnosis.label.note})" if diagnosis.label.note else ""
        words.append(f"labelled by a person: {spaced(diagnosis.label.label)}{note}")
    return "; ".join(words)


def _print_turn(console: Console, shown: ShownTurn, *, last: bool, ended: Ended | None) -> None:
    turn = shown.turn
    facts = [
        f"turn {shown.number}",
        f"{turn.latency:.1f} s" if turn.latency is not None else "",
        _tokens_in_words([turn.usage]),
        "from cache" if turn.cached else "",
        f"left out of the request: {_listed(shown.evicted)}" if shown.evicted else "",
    ]
    _line(console, " · ".join(filter(None, facts)), "dim")
    if turn.reasoning:
        _block(console, f"reasoning: {turn.reasoning}", "dim italic", indent=2)
    if last and ended is Ended.ANSWERED and not shown.calls:
        _line(console, "the answer, below", "dim", indent=2)
    else:
        if turn.said.strip():
            _block(console, turn.said.strip("\n"), indent=2)
        if shown.stated.said is not None:
            _line(console, f"states the answer {_short(shown.stated.said)}", "cyan", indent=2)
    for call in shown.calls:
        _print_call(console, call)
    if turn.probe is not None:
        read = f" (read as {_short(shown.stated.probed)})" if shown.stated.probed is not None else ""
        _block(console, f"asked for its answer so far{read}: {turn.probe.strip()}", "cyan", indent=2)


def _print_call(console: Console, call: ShownCall) -> None:
    head = f"[{call.number}] {plain(call.tool, one_line=True, limit=80) or '(a call that cannot be read)'}"
    if call.code is None and call.arguments:
        head += f" {plain(call.arguments, one_line=True, limit=_LONGEST_LINE)}"
    labels = call_labels(call)
    tail = outcome_in_words(call.outcome) + (f" [{', '.join(labels)}]" if labels else "")
    tail += f" · {call.seconds:.2f} s" if call.seconds >= 0.005 else ""
    style = "" if call.outcome is CallOutcome.EXECUTED else "yellow"
    _line(console, f"{head} {tail}", style, indent=2)
    if call.code is not None:
        _block(console, call.code.strip("\n"), "cyan", indent=6, mark="│ ")
    if call.text.strip():
        _block(console, call.text, indent=6)
    for picture in call.pictures:
        size = f", {picture.size} pixels" if picture.size else ""
        words = f"new picture {picture.name}{size}, SHA-256 {plain(picture.sha256 or '')[:12]}…"
        _line(console, words, "dim", indent=6)


def _line(console: Console, text: str, style: str = "", *, indent: int = 0) -> None:
    console.print(Text(" " * indent + plain(text, one_line=True)), style=style, soft_wrap=True)


def _block(console: Console, text: str, style: str = "", *, indent: int, mark: str = "") -> None:
    """Lines of text, each indented; a long one is cut, and its length is told."""
    cleaned = plain(text, limit=LONGEST)
    lines = [" " * indent + mark + line for line in cleaned.split("\n")]
    if len(text) > LONGEST:
        lines.append(" " * indent + f"({count(len(text))} characters; --json shows all)")
    console.print(Text("\n".join(lines)), style=style, soft_wrap=True)


def _short(text: str) -> str:
    return plain(text, one_line=True, limit=80)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _tokens_in_words(usages: Sequence[Usage]) -> str:
    prompt = sum(usage.prompt_tokens or 0 for usage in usages)
    completion = sum(usage.completion_tokens or 0 for usage in usages)
    return f"{count(prompt)} tokens in, {count(completion)} out" if prompt or completion else ""


def print_tool_use(console: Console, use: ToolUse) -> None:
    """Prints how a run used its tools: a few lines, and each task's score against its turns."""
    console.print()
    console.print(Text(f"Tools: {use.arm} ({use.protocol} calls)", "bold"), soft_wrap=True)
    for name, words in use_in_words(use):
        console.print(Text(f"  {name:<13}{plain(words, one_line=True)}"), soft_wrap=True)
    if len(use.tasks) < 2:
        return
    table = bare_table("score against turns", "turns", f"{use.scorer}", "n")
    for row in use.tasks[:_TASKS]:
        task = plain(row.task, one_line=True, limit=40) or "(none)"
        table.add_row(cell(task), f"{row.turns:.2f}", percent(row.score), count(row.n))
    console.print(table)
    if len(use.tasks) > _TASKS:
        say(console, f"… and {count(len(use.tasks) - _TASKS)} more tasks", "dim")


def use_in_words(use: ToolUse) -> list[tuple[str, str]]:
    """The figures as (name, sentence); what did not happen is left out."""
    tally = use.tally
    calls = {spaced(word): number for word, number in tally.outcomes.items() if number}
    causes = {spaced(word): number for word, number in tally.attributions.items() if word != "unknown"}
    endings = {spaced(word): number for word, number in tally.ended.items()}
    new = f"{_share(tally.new_image)} of the calls that ran brought a new picture"
    if tally.no_new_evidence.of:
        new += f"; {_share(tally.no_new_evidence)} of those with pictures brought nothing new"
    said = [
        ("turns", f"{spread_in_words(use.turns)} a conversation"),
        ("calls", f"{spread_in_words(use.calls)}; {_share(use.used)} of the conversations have one"),
        ("outcomes", counts_in_words(calls)),
        ("evidence", new if tally.calls else ""),
        ("answer", f"changed after {_share(tally.changed)} of the calls where it is known" if tally.changed.of else ""),
        ("operations", counts_in_words(tally.operations, most=8)),
        ("ended", counts_in_words(endings) + (f"; {_share(use.budget)} by a budget" if use.budget.count else "")),
        ("errors", f"put down to {counts_in_words(causes)}" if causes else ""),
        ("labels", counts_in_words({spaced(word): number for word, number in tally.labels.items()})),
        ("abandoned", _abandoned(use)),
    ]
    return [(name, words) for name, words in said if words]


def _abandoned(use: ToolUse) -> str:
    lost = use.abandoned
    if not lost.attempts:
        return ""
    tokens = f"{count(lost.prompt_tokens)} tokens in, {count(lost.completion_tokens)} out"
    return f"{counted(lost.attempts, 'attempt')} with {counted(lost.turns, 'turn')}, {tokens}"


def spread_in_words(spread: Spread) -> str:
    """`mean 2.41, median 2, most 9`."""
    return f"mean {spread.mean:.2f}, median {spread.median:g}, most {count(spread.most)}"


def counts_in_words(counts: dict[str, int], most: int = 20) -> str:
    """`crop 12, rotate 3 and 4 others`, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda one: -one[1])
    words = ", ".join(f"{plain(name, one_line=True, limit=40)} {count(number)}" for name, number in ordered[:most])
    more = len(ordered) - most
    return f"{words} and {counted(more, 'other')}" if more > 0 else words


def _share(rate: Rate) -> str:
    return f"{percent(rate.share)} ({count(rate.count)} of {count(rate.of)})"
