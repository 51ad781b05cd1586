"""What M3R-Bench tells beyond its figures, on a report page: the mismatch, the judges, sentiments, the structure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from beholder.report.figures import count, counted
from beholder.report.html_runs import Runs, named, text
from beholder.report.metaphor_report import (
    FAULTS,
    agreement_rows,
    assumptions_in_words,
    judge_rows,
    mismatch_rows,
)

_LISTED = 200
"""Keys of one kind of mismatch that a page lists."""


def metaphors(runs: Runs) -> str:
    """A part for each run that tells of metaphors; empty for other benchmarks."""
    told = [run for run, result in enumerate(runs.results) if "assumptions" in result.details]
    if not told:
        return ""
    parts = ["<h2>Metaphors: evidence and mapping</h2>"]
    for run in told:
        details = runs.results[run].details
        own = [_mismatch(details), _judges(details), _sentiments(details, runs.scorer), _faults(details, runs.scorer)]
        title = f"<h3>{named(runs, run)}</h3>" if runs.several else ""
        parts += [title, *own, f'<p class="note">{text(assumptions_in_words(details["assumptions"]))}</p>']
    return "".join(parts)


def _mismatch(details: dict[str, Any]) -> str:
    mismatch = details.get("mismatch")
    if mismatch is None:
        return '<p class="note">No judge was asked about the explanations (--judge).</p>'
    if "note" in mismatch:
        return f'<p class="note">{text(mismatch["note"])}</p>'
    rows = mismatch_rows(mismatch)
    listed = "".join(
        f"<details><summary>{text(title)}: {counted(len(keys), 'item')}</summary>"
        f'<p class="note">{", ".join(f"<code>{text(key)}</code>" for key in keys[:_LISTED])}{_more(keys)}</p></details>'
        for title, *_, keys in rows
        if keys
    )
    judged = counted(mismatch["judged"], "response")
    said = f"{judged} judged; a criterion is met from {mismatch['shown_from']:g} points on."
    heads = ("evidence–mapping mismatch", "items", "share", "95 %", "metaphors")
    return _table(heads, [row[:5] for row in rows]) + f'<p class="note">{text(said)}</p>{listed}'


def _more(keys: Sequence[str]) -> str:
    return f" and {count(len(keys) - _LISTED)} more" if len(keys) > _LISTED else ""


def _judges(details: dict[str, Any]) -> str:
    judges = details.get("judges")
    if judges is None:
        return ""
    found = _table(("judge of the rubric", "points", "judged", "quotes not there"), judge_rows(judges))
    rows = agreement_rows(judges)
    if not rows:
        return found
    heads = ("judges agree", "points apart", "raw", "alpha", "alpha of points", "weighted kappa")
    return found + _table(heads, rows)


def _sentiments(details: dict[str, Any], scorer: str) -> str:
    confusion = details.get("confusion", {}).get(scorer)
    if not confusion:
        return ""
    said = next(iter(confusion.values()))
    rows = [(gold, *(count(number) for number in counts.values())) for gold, counts in confusion.items()]
    return _table((f"sentiment: gold by said ({scorer})", *said), rows)


def _faults(details: dict[str, Any], scorer: str) -> str:
    faults = details["structure"].get(scorer)
    if not faults:
        return ""
    rows = [(FAULTS.get(name, name), count(number)) for name, number in faults.items()]
    return _table((f"rule of the structure that is broken ({scorer})", "answers"), rows)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    first, *others = heads
    heading = f'<th scope="col" class="run">{text(first)}</th>'
    heading += "".join(f'<th scope="col">{text(head)}</th>' for head in others)
    lines = "".join(
        f'<tr><th scope="row">{text(row[0])}</th>{"".join(f"<td>{text(value)}</td>" for value in row[1:])}</tr>'
        for row in rows
    )
    return (
        f'<div class="wide" tabindex="0"><table><thead><tr>{heading}</tr></thead><tbody>{lines}</tbody></table></div>'
    )
