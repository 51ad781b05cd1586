"""Figures of the four labels, from what was said and the gold, row by row.

Failed rows are outside every denominator, answers that could not be read are wrong in all of them, and a label that the
gold of a row does not give takes the row out of that label's figures; the note says how many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from msgspec import UNSET

from beholder.annotation import LABELS, SENTIMENTS, Annotation, read_written, structure_faults
from beholder.benchmarks.benchmark import MetricOptions
from beholder.benchmarks.m3r.assumptions import SlotRules
from beholder.benchmarks.m3r.labels import SLOTS, is_metaphor, right_labels, slots_count
from beholder.benchmarks.m3r.slots import token_f1
from beholder.metrics.accuracy import NO_SPREAD, NOTHING_SCORED, few_clusters, share
from beholder.metrics.intervals import Floats, cluster_bootstrap_totals, cluster_count
from beholder.score import Metric, Outcome, ScoredItem

OVER_METAPHORS = "over the metaphors of the gold, where None is wrong"
OVER_ALL = "over all items: where the gold has None, saying so is right"
NO_INTERVAL = "no interval: too few clusters or resamples"


class Row(msgspec.Struct, frozen=True):
    """One answer beside its gold. `said` is None where nothing could be read; `failed`: there was no answer at all.

    `right` says it for each label that was asked for and that the gold gives; `slots_count` is False where the
    structure of the answer makes its target and source wrong, whatever they say.
    """

    item: ScoredItem
    said: Annotation | None
    gold: Annotation
    failed: bool
    right: dict[str, bool]
    slots_count: bool

    @property
    def cluster(self) -> str:
        return self.item.cluster or self.item.key


def rows_of(items: Sequence[ScoredItem], scorer: str, labels: Sequence[str], rules: SlotRules) -> list[Row]:
    """The rows that a scorer of labels could judge; `labels` are those that were asked for."""
    rows = []
    for item in items:
        score = item.scores[scorer]
        if score.outcome is Outcome.NOT_APPLICABLE:
            continue
        said = read_written(score.extracted)
        gold = read_written(item.target) or Annotation()
        right = {label: value for label, value in right_labels(said, gold, rules).items() if label in labels}
        counts = said is not None and slots_count(said, rules)
        rows.append(Row(item, said, gold, score.value is None, right, counts))
    return rows


def label_figures(
    rows: Sequence[Row], labels: Sequence[str], rules: SlotRules, options: MetricOptions
) -> dict[str, Metric]:
    """The figures of each of `labels` that the gold of any row gives; those over all items (`NAME_all`) come last."""
    figures: dict[str, Metric] = {}
    for label in labels:
        given = [row for row in rows if label in row.right]
        if not given:
            continue
        if label in SLOTS:
            own = _slot(given, label, rules, options)
        else:
            own = _identification(given, options) if label == "metaphor" else _sentiment(given, options)
        lacking = len(rows) - len(given)
        note = f"{lacking:,} without a gold {label} left out" if lacking else ""
        figures |= {name: noted(figure, note) for name, figure in own.items()}
    both = [row for row in rows if set(SLOTS) <= set(row.right)]
    if both:
        figures |= _both_slots(both, options)
    last = [name for name in figures if name.endswith("_all")]
    return {name: figure for name, figure in figures.items() if name not in last} | {
        name: figures[name] for name in last
    }


def joint(rows: Sequence[Row], options: MetricOptions) -> Metric:
    """The share of answers with all four labels right, over the items whose gold gives all four."""
    whole = [row for row in rows if set(row.right) == set(LABELS)]
    figure = of_rows(whole, [float(all(row.right.values())) for row in whole], options)
    lacking = len(rows) - len(whole)
    return noted(figure, f"{lacking:,} without all four gold labels left out" if lacking else "")


def structure(rows: Sequence[Row], options: MetricOptions) -> Metric:
    """The share of the answers that could be read which break a rule of the structure: lower is better."""
    read = [row for row in rows if row.said is not None]
    broken = [float(bool(structure_faults(row.said))) for row in read if row.said is not None]
    figure = of_rows(read, broken, options)
    return noted(figure, "a share of the answers that could be read, the lower the better")


def of_rows(rows: Sequence[Row], values: Sequence[float], options: MetricOptions) -> Metric:
    """The mean of one value a row; those of failed rows are not looked at."""
    return share(
        [None if row.failed else value for row, value in zip(rows, values, strict=True)],
        [row.cluster for row in rows],
        seed=options.seed,
        resamples=options.resamples,
    )


def noted(figure: Metric, note: str) -> Metric:
    """The same figure with one more note; "" adds none."""
    return msgspec.structs.replace(figure, note="; ".join(filter(None, (figure.note, note))))


def confusion(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    """Sentiment of the gold → sentiment that was said, or `none` → how often; failed rows are not counted."""
    counts = {gold: dict.fromkeys((*SENTIMENTS, "none"), 0) for gold in SENTIMENTS}
    for row in rows:
        if isinstance(row.gold.sentiment, str) and not row.failed:
            counts[row.gold.sentiment][sentiment_said(row)] += 1
    return counts


def sentiment_said(row: Row) -> str:
    """The sentiment that was said; `none` if none could be read."""
    return row.said.sentiment if row.said is not None and isinstance(row.said.sentiment, str) else "none"


def _identification(rows: Sequence[Row], options: MetricOptions) -> dict[str, Metric]:
    """Accuracy, and precision, recall and F1 of "there is a metaphor". An unread answer has not said so."""
    found = [row.said is not None and row.said.metaphor is True for row in rows]
    there = [row.gold.metaphor is True for row in rows]
    hit = [float(a and b) for a, b in zip(found, there, strict=True)]
    called = [place for place in range(len(rows)) if found[place]]
    metaphors = [place for place in range(len(rows)) if there[place]]
    precision = of_rows([rows[place] for place in called], [hit[place] for place in called], options)
    failed = sum(row.failed for row in rows)  # what they would have called it nobody knows, so there are no bounds
    precision = msgspec.structs.replace(precision, failed=failed, worst=None, best=None)
    columns = np.array([hit, found, there], dtype=np.float64).T
    return {
        "metaphor_accuracy": of_rows(rows, [float(row.right["metaphor"]) for row in rows], options),
        "metaphor_precision": noted(precision, "" if called else "no answer finds a metaphor"),
        "metaphor_recall": of_rows([rows[place] for place in metaphors], [hit[place] for place in metaphors], options),
        "metaphor_f1": _from_totals(rows, columns, _f1, options),
    }


def _slot(rows: Sequence[Row], slot: str, rules: SlotRules, options: MetricOptions) -> dict[str, Metric]:
    figures = {}
    for ending, own, note in _conventions(rows):
        exact = [float(row.right[slot]) for row in own]
        shared = [_token_f1(row, slot, rules) for row in own]
        figures[f"{slot}_exact{ending}"] = noted(of_rows(own, exact, options), note)
        figures[f"{slot}_f1{ending}"] = noted(of_rows(own, shared, options), note)
    return figures


def _both_slots(rows: Sequence[Row], options: MetricOptions) -> dict[str, Metric]:
    return {
        f"slots_exact{ending}": noted(
            of_rows(own, [float(all(row.right[slot] for slot in SLOTS)) for row in own], options), note
        )
        for ending, own, note in _conventions(rows)
    }


def _conventions(rows: Sequence[Row]) -> list[tuple[str, list[Row], str]]:
    """The two ways to count a None of the gold: (ending of the name, the rows that count, the note)."""
    metaphors = [row for row in rows if is_metaphor(row.gold)]
    return [("", metaphors, OVER_METAPHORS), ("_all", list(rows), OVER_ALL)]


def _token_f1(row: Row, slot: str, rules: SlotRules) -> float:
    said = UNSET if row.said is None else getattr(row.said, slot)
    if row.said is None or said is UNSET or not row.slots_count:
        return 0.0
    return token_f1(said, getattr(row.gold, slot), rules)


def _sentiment(rows: Sequence[Row], options: MetricOptions) -> dict[str, Metric]:
    columns = np.zeros((len(rows), 3 * len(SENTIMENTS)))
    for place, row in enumerate(rows):
        for number, name in enumerate(SENTIMENTS):
            said, gold = sentiment_said(row) == name, row.gold.sentiment == name
            columns[place, 3 * number : 3 * number + 3] = said and gold, said, gold
    absent = [name for name in SENTIMENTS if all(row.gold.sentiment != name or row.failed for row in rows)]
    macro_f1 = _from_totals(rows, columns, _mean_f1, options)
    note = f"mean of {len(SENTIMENTS) - len(absent)} sentiments: the gold has no {' and no '.join(absent)}"
    return {
        "sentiment_accuracy": of_rows(rows, [float(row.right["sentiment"]) for row in rows], options),
        "sentiment_macro_f1": noted(macro_f1, note if 0 < len(absent) < len(SENTIMENTS) else ""),
    }


def _f1(totals: Floats) -> Floats:
    """From (hits, said, gold): 2 hits / (said + gold), which is F1; NaN where neither says so once."""
    f1: Floats = 2 * totals[:, 0] / (totals[:, 1] + totals[:, 2])
    return f1


def _mean_f1(totals: Floats) -> Floats:
    """The mean F1 of the classes that the gold has, from (hits, said, gold) of each class; NaN if it has none."""
    hits, said, gold = totals[:, 0::3], totals[:, 1::3], totals[:, 2::3]
    f1 = np.where(gold > 0, 2 * hits / np.maximum(said + gold, 1), 0.0)
    mean: Floats = f1.sum(axis=1) / (gold > 0).sum(axis=1)
    return mean


def _from_totals(
    rows: Sequence[Row], columns: Floats, statistic: Callable[[Floats], Floats], options: MetricOptions
) -> Metric:
    """A figure of the totals of some columns over the rows that did not fail, with a cluster bootstrap."""
    kept = np.array([not row.failed for row in rows], dtype=bool)
    clusters = [row.cluster for row in rows if not row.failed]
    n, failed = len(clusters), len(rows) - len(clusters)
    table = columns[kept]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(statistic(table.sum(axis=0, keepdims=True))[0])
    if not np.isfinite(value):
        return Metric(value=None, n=n, failed=failed, note=NOTHING_SCORED)
    low, high = cluster_bootstrap_totals(table, statistic, clusters, seed=options.seed, resamples=options.resamples)
    if low is None or high is None or high - low < 1e-12:
        note = NO_INTERVAL if low is None else NO_SPREAD
        return Metric(value=value, n=n, failed=failed, note=note)
    groups = cluster_count(clusters, n)
    name = "bootstrap" if groups == n else "cluster bootstrap"
    return Metric(value=value, n=n, failed=failed, low=low, high=high, interval=name, note=few_clusters(groups))
