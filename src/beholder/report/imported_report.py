"""What another tool said of the answers of an imported run, beside what our scorers say, on a terminal and as data."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from beholder.benchmarks.benchmark import Benchmark
from beholder.peers.differences import Compared, Difference, compared
from beholder.peers.importing import Source, Theirs, read_kept, source_of
from beholder.report.figures import count, counted, percent
from beholder.report.plain_text import plain
from beholder.report.terminal import say
from beholder.store import schema
from beholder.store.folder import RunInfo

SHOWN = 20
_LONGEST = 160


def compare_theirs(folder: Path, found: Benchmark, leading: str, scorer: str = "") -> list[Compared]:
    """Each score of the other tool beside one of ours (`compared`); empty for a run that was not imported."""
    kept = read_kept(folder)
    if kept is None:
        return []
    with contextlib.closing(schema.open_to_read(folder / "run.db")) as db, schema.told_plainly(folder):
        return compared(db, found, kept, scorer, leading)


def imported_object(info: RunInfo, tables: Sequence[Compared]) -> dict[str, Any]:
    """What `--json` adds for an imported run; nothing for any other."""
    source = source_of(info)
    return {} if source is None else {"imported": {"source": source, "compared": list(tables)}}


def print_theirs(console: Console, info: RunInfo, tables: Sequence[Compared]) -> None:
    """Their means beside ours, and the first answers on which the two differ; nothing for a run of our own."""
    source = source_of(info)
    if source is None:
        return
    console.print()
    if not tables:
        say(console, f"{source.peer} recorded no score of its own.", "dim")
    for table in tables:
        means = (
            f"{source.peer} {percent(table.their_mean)}, ours {percent(table.our_mean)} "
            f"over the {counted(table.n, 'answer')} that both score"
            if table.their_mean is not None and table.our_mean is not None
            else "no answer that both score"
        )
        title = (
            f"{plain(table.scorer, one_line=True, limit=80)} of {source.peer} beside our {table.our_scorer}: {means}"
        )
        say(console, title, "bold")
        for line in _asides(source, table):
            say(console, line, "dim")
        shown = table.differences[:SHOWN]
        if shown:
            say(console, f"{counted(len(table.differences), 'answer')} scored differently:", "yellow")
        for one in shown:
            _print_difference(console, source.peer, one)
        if len(table.differences) > SHOWN:
            say(console, f"  … and {count(len(table.differences) - SHOWN)} more (--json lists all).", "yellow")
        if not shown:
            say(console, "No answer is scored differently.", "dim")


def _asides(source: Source, table: Compared) -> list[str]:
    said = []
    if table.theirs_only:
        said.append(f"{counted(table.theirs_only, 'answer')} scored by {source.peer} alone: there is no value of ours.")
    if table.ours_only:
        said.append(f"{counted(table.ours_only, 'answer')} scored by us alone: {source.peer} gives no value in 0..1.")
    return said


def _print_difference(console: Console, peer: str, one: Difference) -> None:
    place = "".join(f", {name} {number}" for name, number in (("epoch", one.epoch), ("vote", one.vote)) if number)
    gold = f"gold {_short(one.our_gold)}"
    if one.their_gold and one.their_gold != one.our_gold:
        gold += f" (theirs {_short(one.their_gold)})"
    say(console, f"  item {one.index}{place}, {one.key[:12]}…: {gold}")
    read = f", read {_short(one.theirs.answer)}" if one.theirs.answer else ""
    why = f" · {_short(one.theirs.explanation)}" if one.theirs.explanation else ""
    say(console, f"    {peer}: {_short(one.theirs.written) or 'no value'}{read}{why}", "dim")
    value = "no value" if one.ours.value is None else f"{one.ours.value:g}"
    ours = f", read {_short(one.ours.extracted)}" if one.ours.extracted else ""
    reason = f" · {_short(one.ours.reason)}" if one.ours.reason else ""
    others = f" (as theirs: our {', '.join(one.agreeing)})" if one.agreeing else ""
    say(console, f"    ours: {value}, {one.ours.outcome.value}{ours}{reason}{others}", "dim")


def _short(text: str) -> str:
    return plain(text, one_line=True, limit=_LONGEST)


def their_words(folder: Path, key: str | None = None) -> dict[tuple[str, int, int], list[str]]:
    """A line for each score that the tool gave an answer (to that item alone, with `key`), by key, epoch and vote.

    Empty for a run of our own.
    """
    kept = read_kept(folder)
    if kept is None:
        return {}
    wanted = (one for one in kept.items if key is None or one.key == key)
    return {(one.key, one.epoch, one.vote): _words(kept.peer, one) for one in wanted}


def their_item(folder: Path, key: str) -> dict[str, Any]:
    """What `--json` adds for one item of an imported run: what the tool recorded of its answers; nothing for any other
    run."""
    kept = read_kept(folder)
    if kept is None:
        return {}
    return {"imported": {"peer": kept.peer, "items": [one for one in kept.items if one.key == key]}}


def print_their_item(console: Console, folder: Path, key: str) -> None:
    """What the tool said of one item's answers, below what we say of them; nothing for a run of our own."""
    for lines in their_words(folder, key).values():
        for line in lines:
            say(console, line, "dim")


def _words(peer: str, one: Theirs) -> list[str]:
    repeated = f" of repetition {one.vote or one.epoch}" if one.vote or one.epoch else ""
    return [
        f"{_short(peer)}'s {_short(name)}{repeated}: {_short(score.written) or 'no value'}"
        + (f", read {_short(score.answer)}" if score.answer is not None else "")
        for name, score in one.scores.items()
    ]
