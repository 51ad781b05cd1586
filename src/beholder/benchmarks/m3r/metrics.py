"""The figures of M3R-Bench, each computed from the rows of one scorer. No formula of the paper is public: all are OURS.

Under `strict` and `lenient`: `joint` (all four labels right, over the items whose gold gives all four), `right` (every
label right that was asked for and that the gold gives: the headline of a task for one label), then the figures of each
label (`label_metrics`), `structure`, and `language/NAME` and `origin/NAME`. A None of the gold counts in two ways, and
the name says which: `target_exact` is over metaphors only, `target_exact_all` over all items.

Under `rubric` (`rubric_metrics`) and `slots` (`slot_metrics`) stands what judges said; it is in none of the others.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from beholder.annotation import LABELS, structure_faults
from beholder.benchmarks.benchmark import MetricOptions
from beholder.benchmarks.m3r import rubric_metrics
from beholder.benchmarks.m3r.assumptions import Assumptions, assumptions_of, shipped
from beholder.benchmarks.m3r.label_metrics import Row, confusion, joint, label_figures, of_rows, rows_of, structure
from beholder.benchmarks.m3r.labels import ONLY, is_metaphor
from beholder.benchmarks.m3r.labels import SLOTS as BOTH
from beholder.benchmarks.m3r.slot_metrics import slot_figures
from beholder.score import Metric, Metrics, ScoredItem

STRICT, LENIENT, RUBRIC, SLOTS = "strict", "lenient", "rubric", "slots"


def metrics_under(made: Assumptions) -> Callable[[Sequence[ScoredItem], MetricOptions], Metrics]:
    """The function that makes all figures under these assumptions: scorer name → metric name → figure."""

    def metrics(items: Sequence[ScoredItem], options: MetricOptions) -> Metrics:
        labels = labels_asked(items)
        found: Metrics = {}
        for name in dict.fromkeys(name for item in items for name in item.scores):
            if name in (STRICT, LENIENT):
                found[name] = _of_labels(rows_of(items, name, labels, made.slots), labels, made, options)
            elif name == RUBRIC:
                found[name] = rubric_metrics.metrics(items, options, made)
            else:
                found[name] = slot_figures(rows_of(items, LENIENT, labels, made.slots), name, options)
        return {name: figures for name, figures in found.items() if figures}

    return metrics


def details_under(text: str) -> Callable[..., dict[str, Any]]:
    """The function that makes further plain data under a text of assumptions.

    `confusion`: scorer → sentiment of the gold → what was said → how often. `structure`: scorer → rule → how many
    answers break it. `assumptions`: the first digits of the text's SHA-256, and `ours` or `changed`. The rest is that
    of `rubric_metrics`.
    """
    made = assumptions_of(text)

    def details(items: Sequence[ScoredItem], options: MetricOptions | None = None) -> dict[str, Any]:
        labels = labels_asked(items)
        rows = {name: rows_of(items, name, labels, made.slots) for name in (STRICT, LENIENT)}
        found: dict[str, Any] = {}
        if "sentiment" in labels:
            found["confusion"] = {name: confusion(own) for name, own in rows.items()}
        found["structure"] = {name: _faults(own) for name, own in rows.items()}
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        found["assumptions"] = {"sha256": digest, "whose": "ours" if text == shipped() else "changed"}
        return found | rubric_metrics.details(items, options or MetricOptions(), made)

    return details


def labels_asked(items: Sequence[ScoredItem]) -> tuple[str, ...]:
    """The labels that were asked for, by the flags of the rows: all four, or one."""
    scores = [item.scores[name] for item in items for name in (STRICT, LENIENT) if name in item.scores]
    flags = {flag for score in scores for flag in score.flags}
    return next(((label,) for label in LABELS if ONLY + label in flags), LABELS)


def _of_labels(
    rows: Sequence[Row], labels: Sequence[str], made: Assumptions, options: MetricOptions
) -> dict[str, Metric]:
    if not rows:
        return {}
    whole = any(len(row.right) == len(LABELS) for row in rows)
    figures = {"joint": joint(rows, options)} if whole else {}
    figures["right"] = _right(rows, options)
    figures |= label_figures(rows, labels, made.slots, options)
    if len(labels) > 1:
        figures["structure"] = structure(rows, options)
    return figures | _parts(rows, labels, joint if whole else _right, options)


def _right(rows: Sequence[Row], options: MetricOptions) -> Metric:
    return of_rows(rows, [float(all(row.right.values())) for row in rows], options)


def _parts(
    rows: Sequence[Row],
    labels: Sequence[str],
    mean: Callable[[Sequence[Row], MetricOptions], Metric],
    options: MetricOptions,
) -> dict[str, Metric]:
    """`language/NAME` and `origin/NAME`, and where there are several, each label in them: `language/NAME LABEL`.

    Slots are exact and over metaphors there.
    """
    figures: dict[str, Metric] = {}
    for title, names in (
        ("language", [row.item.category for row in rows]),
        ("origin", [row.item.origin for row in rows]),
    ):
        present = sorted(set(names) - {""})
        for name in present:
            own = [row for row, of in zip(rows, names, strict=True) if of == name]
            shown = {f"{title}/{name}": mean(own, options)}
            for label in labels if len(present) > 1 and len(labels) > 1 else ():
                given = [row for row in own if label in row.right and (label not in BOTH or is_metaphor(row.gold))]
                shown[f"{title}/{name} {label}"] = of_rows(given, [float(row.right[label]) for row in given], options)
            figures |= {place: figure for place, figure in shown.items() if figure.n + figure.failed}
    return figures


def _faults(rows: Sequence[Row]) -> dict[str, int]:
    """Rule of the structure → how many answers break it."""
    return dict(Counter(fault for row in rows if row.said is not None for fault in structure_faults(row.said)))
