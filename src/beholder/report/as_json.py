"""Scores and figures as plain data, for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.score import Metric, Metrics, Score, ScoredItem


def scores_object(
    found: Benchmark,
    items: Sequence[ScoredItem],
    metrics: Metrics,
    details: dict[str, Any],
    names: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Everything about scored responses as one JSON object.

    `{benchmark, headline, items: [{index, key, vote?, epoch?, category?, scores: {SCORER: {value, outcome, extracted,
    flags}}}], metrics: {SCORER: {METRIC: {value, n, failed, low, high, …}}}, details}`; items in file (or data) order.
    `names` gives what the user's own file calls an item, by key: then that is its `key` here.
    """
    shown = names or {}
    return {
        "benchmark": found.name,
        "headline": dict(zip(("scorer", "metric"), found.headline_of(metrics), strict=True)),
        "items": [_item(item, shown.get(item.key, item.key), voted=found.answers_shown > 0) for item in items],
        "metrics": {
            scorer: {name: _metric(metric) for name, metric in figures.items()} for scorer, figures in metrics.items()
        },
        "details": details,
    }


def _item(item: ScoredItem, key: str, *, voted: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"index": item.index, "key": key}
    if voted:
        row["vote"] = item.vote
        row["order"] = list(item.order)
    if item.epoch:
        row["epoch"] = item.epoch
    if item.category:
        row["category"] = item.category
    row["scores"] = {name: _score(score) for name, score in item.scores.items()}
    return row


def _score(score: Score) -> dict[str, Any]:
    row: dict[str, Any] = {
        "value": score.value,
        "outcome": score.outcome.value,
        "extracted": score.extracted,
        "flags": list(score.flags),
    }
    if score.span is not None:
        row["span"] = list(score.span)
    if score.reason:
        row["reason"] = score.reason
    if score.owner is not None:
        row["owner"] = score.owner.value
    return row


def _metric(metric: Metric) -> dict[str, Any]:
    row: dict[str, Any] = {
        "value": metric.value,
        "n": metric.n,
        "failed": metric.failed,
        "low": metric.low,
        "high": metric.high,
    }
    for name in ("worst", "best"):
        if getattr(metric, name) is not None:
            row[name] = getattr(metric, name)
    for name in ("interval", "note"):
        if getattr(metric, name):
            row[name] = getattr(metric, name)
    if metric.unit != "share":
        row["unit"] = metric.unit
    return row


def dump(value: Any) -> str:
    """JSON text of plain data and Structs, ASCII only: any terminal and any pipe can take it, lone surrogates too.

    Numbers that JSON cannot hold (NaN, infinities) become null.
    """
    data = msgspec.to_builtins(value)
    try:
        return json.dumps(data, allow_nan=False)
    except ValueError:  # a data set's own NaN or Infinity, which JSON cannot hold
        return json.dumps(_finite(data), allow_nan=False)


def _finite(data: Any) -> Any:
    if isinstance(data, float) and not math.isfinite(data):
        return None
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    return [_finite(value) for value in data] if isinstance(data, list | tuple) else data
