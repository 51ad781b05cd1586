"""One answer to an M3R-Bench item on a terminal: labels and stages of gold and answer, and what the judges said."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from beholder.benchmarks.m3r.assumptions import Assumptions
from beholder.report.metaphor_report import MISMATCHES
from beholder.report.metaphor_view import Label, Stages, Verdict, View, first_sentence, quote_in_words
from beholder.report.plain_text import plain
from beholder.report.terminal import cell, say

_MARKS = {True: ("✓", "green"), False: ("✗", "red"), None: ("–", "dim")}
_LONGEST = 2000
_TEXT = 4000


def print_metaphor(console: Console, view: View, made: Assumptions, again: Callable[[bool], str]) -> None:
    """Prints a view. `again` says how a missing verdict can be had, by whether the failure may pass."""
    console.print()
    if view.unread:
        say(console, "  Nothing could be read as an answer.", "red")
    console.print(_labels(view.labels))
    for sentence in view.faults:
        say(console, f"  ! {sentence}", "yellow")
    if view.gold is not None or view.said is not None:
        console.print()
        console.print(_stages(view.gold, view.said))
    for kind in view.kinds:
        say(console, f"  mismatch, by the mean over judges: {MISMATCHES[kind]}", "yellow")
    if view.verdicts:
        console.print()
        _print_verdicts(console, view, made, again)


def _labels(labels: Sequence[Label]) -> Table:
    table = _grid("", "label", "gold", "answer", "")
    for one in labels:
        mark, style = _MARKS[one.right]
        table.add_row(
            Text(f"  {mark}", style), cell(one.name), _words(one.gold), _words(one.said), _words(one.why, "dim")
        )
    return table


def _stages(gold: Stages | None, said: Stages | None) -> Table:
    """Gold and answer side by side, stage by stage."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0), expand=True)
    table.add_column("  stage", width=11)
    for heading in ("gold", "answer"):
        table.add_column(heading, ratio=1, overflow="fold")
    table.add_row("  evidence", _evidence(gold), _evidence(said))
    for name in ("mapping", "sentiment"):
        table.add_row(f"  {name}", *(_stage(one, name) for one in (gold, said)))
    return table


def _evidence(stages: Stages | None) -> Text:
    found = Text()
    for piece in stages.evidence if stages is not None else ():
        found.append(f"{piece.number} {piece.kind}: ", "dim")
        found.append(plain(piece.text, one_line=True, limit=_LONGEST))
        found.append(f" ({piece.place})\n" if piece.place else "\n", "dim")
    found.rstrip()
    return found if found else Text("(none)", "dim")


def _stage(stages: Stages | None, name: str) -> Text:
    text = str(getattr(stages, name)) if stages is not None else ""
    return Text(plain(text, limit=_TEXT)) if text else Text("(none)", "dim")


def _print_verdicts(console: Console, view: View, made: Assumptions, again: Callable[[bool], str]) -> None:
    """The points of each judge, then each question with what every judge answered."""
    for number, one in enumerate(view.verdicts, start=1):
        told = f"judge {number}, {plain(one.judge, one_line=True, limit=_LONGEST)}"
        if one.points is not None:
            say(console, f"{told}: {one.points:.1f} points", "bold")
        else:
            say(console, f"{told}: {plain(one.failure, one_line=True, limit=_LONGEST)}", "red")
            console.print(Text(f"  {plain(again(one.retryable), one_line=True)}", "dim"), soft_wrap=True)
    given = [(number, one) for number, one in enumerate(view.verdicts, start=1) if one.points is not None]
    if view.differ:
        say(console, "The judges differ in an answer.", "yellow")
    for place, criterion in enumerate(made.criteria if given else ()):
        own = ", ".join(f"{one.criteria[place]:.1f}" for _, one in given)
        say(console, f"{criterion.title}: {own}", "bold")
        for question in criterion.questions:
            asks = plain(f"{question.id}: {first_sentence(question.asks)}", one_line=True, limit=_LONGEST)
            console.print(Padding(Text(asks, "dim"), (0, 0, 0, 2)))
            console.print(_answers(given, question.id))


def _answers(given: Sequence[tuple[int, Verdict]], question: str) -> Table:
    """A line for each answer, with the judges that gave it."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for column in (4, 8, None):
        table.add_column(width=column, overflow="fold")
    lines: dict[tuple[str, str], list[int]] = {}
    for number, one in given:
        rating = one.ratings[question]
        lines.setdefault((rating.answer, quote_in_words(rating)), []).append(number)
    for (answer, quote), judges in lines.items():
        table.add_row(
            "", cell(answer, "bold"), cell(f"{', '.join(map(str, judges))}: {quote}" if len(given) > 1 else quote)
        )
    return table


def _grid(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _words(text: str, style: str = "") -> Text:
    return Text(plain(text, one_line=True, limit=_LONGEST), style)
