"""What M3R-Bench tells beyond its figures, on a terminal: sentiments, the structure, the mismatch, the judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from beholder.report.figures import count, counted, percent
from beholder.report.terminal import bare_table, cell, say

MISMATCHES = {
    "mapping_without_evidence": "mapping met, visual evidence not",
    "evidence_without_mapping": "visual evidence met, mapping not",
    "right_labels_wrong_mapping": "labels right, mapping not met",
}
FAULTS = {
    "slots_without_metaphor": "a target or source without a metaphor",
    "metaphor_without_slots": "a metaphor without target or source",
    "box_outside": "a box that is no part of the picture",
}
_SHOWN, _SHOWN_PLACES = 3, 16


def print_metaphors(
    console: Console, details: Mapping[str, Any], scorer: str, places: Mapping[str, int] | None = None
) -> None:
    """Prints what there is; of what scorers of labels read, that of `scorer`.

    `places` are positions of items by key: an item is named by its position where that is known, else by its key.
    """
    confusion = details.get("confusion", {}).get(scorer)
    if confusion:
        console.print()
        _print_confusion(console, confusion, scorer)
    faults = details["structure"].get(scorer, {})
    if faults:
        words = ", ".join(f"{FAULTS.get(name, name)} {count(number)}" for name, number in faults.items())
        say(console, f"Answers that break a rule of the structure ({scorer}): {words}.", "yellow")
    if "mismatch" in details:
        console.print()
        _print_mismatch(console, details["mismatch"], places or {})
    if "judges" in details:
        console.print()
        _print_judges(console, details["judges"])
    console.print()
    say(console, assumptions_in_words(details["assumptions"]), "dim" if whose(details) == "ours" else "yellow")


def whose(details: Mapping[str, Any]) -> str:
    """`ours` or `changed`: whose assumptions the figures were made under."""
    return str(details["assumptions"]["whose"])


def assumptions_in_words(assumptions: Mapping[str, Any]) -> str:
    """One sentence on the choices that the figures rest on."""
    what = "ours" if assumptions["whose"] == "ours" else "changed ones, not ours"
    return (
        "The paper's formulas, prompts, judge and scale are not public; these figures rest on assumptions "
        f"({what}, SHA-256 {assumptions['sha256']}…)."
    )


def mismatch_rows(mismatch: Mapping[str, Any]) -> list[tuple[str, str, str, str, str, list[str]]]:
    """For each kind: (what it is, how many of how many, share, interval, how many metaphors among them, keys)."""
    rows = []
    for kind, title in MISMATCHES.items():
        if kind not in mismatch:
            continue
        own = mismatch[kind]
        interval = "" if own["low"] is None else f"[{100 * own['low']:.1f}, {100 * own['high']:.1f}]"
        metaphors = own["metaphors"]
        rows.append(
            (
                title,
                f"{count(own['count'])} of {count(own['of'])}",
                percent(own["share"]),
                interval,
                f"{count(metaphors['count'])} of {count(metaphors['of'])}",
                list(own["keys"]),
            )
        )
    return rows


def judge_rows(judges: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """For each judge: (its name, mean points, responses judged and failed, quotations that are not there)."""
    rows = []
    for name, own in judges["each"].items():
        mean = "–" if own["mean"] is None else f"{own['mean']:.1f}"
        failed = f", {count(own['failed'])} failed" if own["failed"] else ""
        quotes = f"{count(own['quotes_not_found'])} of {count(own['quotes'])}"
        rows.append((name, mean, f"{count(own['judged'])}{failed}", quotes))
    return rows


def agreement_rows(judges: Mapping[str, Any]) -> list[tuple[str, str, str, str, str, str]]:
    """For each criterion: (its id, mean difference in points, raw agreement, alpha of answers, of points, kappas)."""
    rows = []
    for criterion, own in judges.get("agreement", {}).items():
        difference = judges["spread"][criterion]["difference"]
        answers = own["answers"]
        kappas = ", ".join(_number(kappa.get("value")) for kappa in answers["kappa"])
        rows.append(
            (
                criterion,
                "–" if difference is None else f"{difference:.1f}",
                percent(answers["raw"].get("value")),
                _number(answers["alpha"].get("value")),
                _number(own["points"]["alpha"].get("value")),
                kappas,
            )
        )
    return rows


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _print_confusion(console: Console, confusion: Mapping[str, Mapping[str, int]], scorer: str) -> None:
    said = next(iter(confusion.values()))
    table = bare_table(f"sentiment: gold by said ({scorer})", *said)
    for gold, counts in confusion.items():
        table.add_row(cell(gold), *(cell(count(number)) for number in counts.values()))
    console.print(table)


def _print_mismatch(console: Console, mismatch: Mapping[str, Any], places: Mapping[str, int]) -> None:
    if "note" in mismatch:
        say(console, str(mismatch["note"]), "dim")
        return
    table = bare_table("evidence–mapping mismatch", "items", "", "95 %", "metaphors")
    listed = []
    for title, number, share, interval, metaphors, keys in mismatch_rows(mismatch):
        table.add_row(*map(cell, (title, number, share, interval, metaphors)))
        if keys:
            listed.append(f"{title}: {_named(keys, places)}")
    console.print(table)
    for line in listed:
        say(console, line, "dim")
    judged = counted(mismatch["judged"], "response")
    say(console, f"{judged} judged; a criterion is met from {mismatch['shown_from']:g} points on", "dim")


def _named(keys: Sequence[str], places: Mapping[str, int]) -> str:
    """`items 3, 8, 12`, or keys."""
    known = all(key in places for key in keys)
    shown = _SHOWN_PLACES if known else _SHOWN
    names = [str(place) for place in sorted(places[key] for key in keys)] if known else keys
    more = f" and {count(len(keys) - shown)} more" if len(keys) > shown else ""
    return f"{'items ' if known else ''}{', '.join(names[:shown])}{more}"


def _print_judges(console: Console, judges: Mapping[str, Any]) -> None:
    table = bare_table("judge of the rubric", "points", "judged", "quotes not there")
    for row in judge_rows(judges):
        table.add_row(*map(cell, row))
    console.print(table)
    rows = agreement_rows(judges)
    if rows:
        console.print()
        table = bare_table("judges agree", "apart", "raw", "alpha", "alpha, points", "kappa")
        for criterion in rows:
            table.add_row(*map(cell, criterion))
        console.print(table)
        say(
            console, "apart: points between two judges; alpha: Krippendorff's; kappa: Cohen's, quadratic weights", "dim"
        )
