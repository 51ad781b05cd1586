"""What M3R-Bench tells beyond its figures, on a report page: the mismatch, the judges, sentiments, the structure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from beholder.annotation import LABELS
from beholder.report.figures import count, counted, interval_of, value_of
from beholder.report.html_runs import Runs, named, text
from beholder.report.judged_report import failed_lines
from beholder.report.metaphor_report import (
    FAULTS,
    MISMATCHES,
    agreement_rows,
    assumptions_in_words,
    judge_rows,
    mismatch_rows,
)
from beholder.score import Metric

FILTERS = {
    **MISMATCHES,
    "structure": "a rule of the structure is broken",
    "differ": "judges differ",
    "failed": "a judge failed",
    **{f"wrong_{label}": f"{label} wrong" for label in LABELS},
}
"""What a reader can filter answers by."""
TOLD = (*MISMATCHES, "structure", "differ", "failed")
"""Those that an answer is marked with; wrong labels stand in its table."""
_LISTED = 200
"""Items of one kind of mismatch that a page lists."""


def rubrics(runs: Runs) -> list[list[Any]]:
    """The rubric of each run, for the page's script; empty for other benchmarks."""
    if not runs.found.assumptions:
        return []
    # Imported here: M3R-Bench needs packages that runs of other benchmarks do without.
    from beholder.report.html_metaphor_samples import rubric_object

    return [rubric_object(result.found) for result in runs.results]


def metaphors(runs: Runs, samples: Sequence[dict[str, Any]] = ()) -> str:
    """A part for each run that tells of metaphors; empty for other benchmarks. `samples` are those that the page holds:
    items are named by their position, and lead to them."""
    held = {str(sample["k"]) for sample in samples}
    told = [run for run, result in enumerate(runs.results) if "assumptions" in result.details]
    if not told:
        return ""
    parts = ["<h2>Metaphors: evidence and mapping</h2>"]
    for run in told:
        result = runs.results[run]
        details, places = result.details, {item.key: item.index for item in result.items}
        own = [
            _mismatch(details, places, held),
            _criteria(result.metrics.get("rubric", {})),
            _judges(details),
            _sentiments(details, runs.scorer),
            _faults(details, runs.scorer),
        ]
        own += [f'<p class="warn">{text(line)}</p>' for line in failed_lines(result.items)]
        title = f"<h3>{named(runs, run)}</h3>" if runs.several else ""
        parts += [title, *own, f'<p class="note">{text(assumptions_in_words(details["assumptions"]))}</p>']
    return "".join(parts)


def _mismatch(details: dict[str, Any], places: Mapping[str, int], held: Collection[str]) -> str:
    mismatch = details.get("mismatch")
    if mismatch is None:
        return '<p class="note">No judge was asked about the explanations (--judge).</p>'
    if "note" in mismatch:
        return f'<p class="note">{text(mismatch["note"])}</p>'
    rows = mismatch_rows(mismatch)
    listed = "".join(
        f"<details><summary>{text(title)}: {counted(len(keys), 'item')}</summary>"
        f'<p class="items">{", ".join(_item(key, places, held) for key in keys[:_LISTED])}{_more(keys)}</p></details>'
        for title, *_, keys in rows
        if keys
    )
    judged = counted(mismatch["judged"], "response")
    said = f"{judged} judged; a criterion is met from {mismatch['shown_from']:g} points on."
    heads = ("evidence–mapping mismatch", "items", "share", "95 %", "metaphors")
    return _table(heads, [row[:5] for row in rows]) + f'<p class="note">{text(said)}</p>{listed}'


def _item(key: str, places: Mapping[str, int], held: Collection[str]) -> str:
    place = places.get(key)
    if place is None:
        return f"<code>{text(key)}</code>"
    return f'<a href="#item-{place}">{place}</a>' if key in held else str(place)


def _criteria(figures: Mapping[str, Metric]) -> str:
    """The rubric and its criteria: the mean over judges with its interval, then each judge's own."""
    whole = [name for name in figures if "/" not in name]
    judges = list(dict.fromkeys(name.partition("/")[2] for name in figures if "/" in name))
    if not whole:
        return ""
    rows = [
        (name, _with_interval(figures[name]), *(_with_interval(figures.get(f"{name}/{judge}")) for judge in judges))
        for name in whole
    ]
    return _table(("rubric, 100 points are 100 %", "mean over judges", *judges), rows)


def _with_interval(metric: Metric | None) -> str:
    return "–" if metric is None else f"{value_of(metric)} {interval_of(metric)}".strip()


def _more(keys: Sequence[str]) -> str:
    return f" and {count(len(keys) - _LISTED)} more" if len(keys) > _LISTED else ""


def _judges(details: dict[str, Any]) -> str:
    judges = details.get("judges")
    if judges is None:
        return ""
    found = _table(("judge of the rubric", "points", "judged", "quotes not there"), judge_rows(judges))
    found += (
        '<p class="note">Points of a judge are over what it judged; the shares above also count an answer without an '
        "explanation, as 0.</p>"
    )
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
