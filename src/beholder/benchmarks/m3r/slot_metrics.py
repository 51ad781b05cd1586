"""Figures of what judges or an embedding say of target and source, each kept apart from the exact ones.

All are over the metaphors of the gold. Judges are not asked where nothing is to be asked: an answer with the gold's own
words is the same, and one without the slot is not. Such slots count here as they do under `lenient`, also where a judge
failed on the other one, so that the denominator is that of `target_exact`. OUR assumption.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from beholder.benchmarks.benchmark import MetricOptions
from beholder.benchmarks.m3r.equivalence import verdict_of
from beholder.benchmarks.m3r.label_metrics import Row, noted
from beholder.benchmarks.m3r.labels import SLOTS, is_metaphor
from beholder.metrics.accuracy import share
from beholder.score import Metric, Outcome

Verdicts = dict[str, dict[str, dict[str, Any]]]
"""Judge → slot → what it says."""
KINDS = {"same": "judged", "similarity": "similarity"}
"""Word of a verdict → what its figures are called."""


def slot_figures(rows: Sequence[Row], scorer: str, options: MetricOptions) -> dict[str, Metric]:
    """`target_judged`, `source_judged`, `slots_judged` (both), `target_similarity`, `source_similarity`: those of which
    anybody said anything; with several judges also `NAME/JUDGE`.

    `rows` are those of a scorer of labels; what judges said is in the score of `scorer` of the same items.
    """
    own = [row for row in rows if is_metaphor(row.gold) and any(slot in row.right for slot in SLOTS)]
    said = [verdicts_of(row, scorer) for row in own]
    figures: dict[str, Metric] = {}
    for word, name in KINDS.items():
        judges = sorted({judge for one in said for judge, verdict in one.items() if _says(verdict, word)})
        groups = [("", judges), *((f"/{judge}", [judge]) for judge in judges if len(judges) > 1)] if judges else []
        for ending, among in groups:
            for slot in (*SLOTS, "slots") if word == "same" else SLOTS:  # of two similarities a mean would say nothing
                wanted = SLOTS if slot == "slots" else (slot,)
                figure = _figure(own, said, wanted, word, among, options)
                if figure is not None:
                    figures[f"{slot}_{name}{ending}"] = figure
    return figures


def verdicts_of(row: Row, scorer: str) -> Verdicts:
    """What each judge said of an answer; empty where nobody was asked. What the scorer would not have written, as a
    foreign run may hold it, is no verdict."""
    score = row.item.scores[scorer]
    try:
        found = json.loads(score.extracted) if score.outcome is Outcome.SCORED and score.extracted else {}
    except (ValueError, RecursionError):
        return {}
    said = {judge: verdict_of(one) for judge, one in found.items()} if isinstance(found, dict) else {}
    return {judge: verdict for judge, verdict in said.items() if verdict is not None}


def _figure(
    rows: Sequence[Row],
    said: Sequence[Verdicts],
    wanted: Sequence[str],
    word: str,
    judges: Sequence[str],
    options: MetricOptions,
) -> Metric | None:
    """The mean over the rows whose gold gives the wanted slots; None if there is none."""
    places = [place for place, row in enumerate(rows) if all(slot in row.right for slot in wanted)]
    if not places:
        return None
    values = [_value(rows[place], said[place], wanted, word, judges) for place in places]
    unasked = sum(_without_judges(rows[place], wanted) is not None for place in places)
    figure = share(values, [rows[place].cluster for place in places], seed=options.seed, resamples=options.resamples)
    note = f"{unasked:,} decided without a judge: the gold's own words, or no slot at all" if unasked else ""
    return noted(figure, note)


def _value(row: Row, said: Verdicts, wanted: Sequence[str], word: str, judges: Sequence[str]) -> float | None:
    """The mean over the judges that gave a verdict, each the least of its slots; None if one is needed and none did."""
    decided = _without_judges(row, wanted)
    if row.failed or decided is not None:
        return decided
    values = []
    for judge in judges:
        parts = [_of_slot(row, said.get(judge, {}), slot, word) for slot in wanted]
        if None not in parts:
            values.append(min(part for part in parts if part is not None))
    return sum(values) / len(values) if values else None


def _without_judges(row: Row, wanted: Sequence[str]) -> float | None:
    """What the wanted slots are worth together, where no judge is needed for that; None where one is, or all failed."""
    if row.failed:
        return None
    if row.said is None or not row.slots_count:
        return 0.0
    plain = [_without_judge(row, slot) for slot in wanted]
    return 0.0 if 0.0 in plain else None if None in plain else 1.0


def _says(verdict: dict[str, dict[str, Any]], word: str) -> bool:
    return any(word in said for said in verdict.values())


def _of_slot(row: Row, verdict: dict[str, dict[str, Any]], slot: str, word: str) -> float | None:
    return float(verdict[slot][word]) if word in verdict.get(slot, {}) else _without_judge(row, slot)


def _without_judge(row: Row, slot: str) -> float | None:
    """1 for the gold's own words, 0 where no slot is said; None for other words, of which only a judge can tell."""
    if row.right[slot]:
        return 1.0
    return None if isinstance(getattr(row.said, slot), str) else 0.0
