"""The mismatch of evidence and mapping, the paper's central finding: readings that do not rest on what is seen.

The paper does not say how it is counted. OUR assumption: a criterion is met from `shown_from` points on, and there are
three kinds, each counted among the items that could be of it.

| kind | counted | among |
|---|---|---|
| `mapping_without_evidence` | the visual evidence is not met | items whose mapping is met |
| `evidence_without_mapping` | the mapping is not met | items whose visual evidence is met |
| `right_labels_wrong_mapping` | the mapping is not met | items whose labels are all right (`lenient`) |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from beholder.annotation import Annotation, read_written
from beholder.benchmarks.benchmark import MetricOptions
from beholder.benchmarks.m3r.assumptions import Assumptions
from beholder.benchmarks.m3r.labels import is_metaphor
from beholder.metrics.accuracy import share
from beholder.score import ScoredItem

EVIDENCE, MAPPING = "visual_evidence", "mapping_correctness"

Judged = tuple[ScoredItem, dict[str, float] | None]
"""An item and the points of its criteria, 0 to 100; None where no judge gave a verdict."""


def mismatch(rows: Sequence[Judged], options: MetricOptions, assumptions: Assumptions) -> dict[str, Any]:
    """For each kind `count`, `of`, `share` with its interval, the same among metaphors, and the `keys` of the items.

    `judged` is how many items have a verdict. An item of which several responses were judged counts with each of them.
    Without one of the two criteria in the assumptions there is only a `note`.
    """
    if not {EVIDENCE, MAPPING} <= {criterion.id for criterion in assumptions.criteria}:
        return {"note": f"The assumptions have no criteria {EVIDENCE} and {MAPPING}, so there is nothing to compare."}
    judged = [(item, points) for item, points in rows if points is not None]

    def met(points: dict[str, float], criterion: str) -> bool:
        return points[criterion] >= assumptions.shown_from

    def kind(among: Callable[[ScoredItem, dict[str, float]], bool], unmet: str) -> dict[str, Any]:
        inside = [(item, not met(points, unmet)) for item, points in judged if among(item, points)]
        return _counted(inside, options)

    return {
        "judged": len(judged),
        "shown_from": assumptions.shown_from,
        "mapping_without_evidence": kind(lambda _, points: met(points, MAPPING), EVIDENCE),
        "evidence_without_mapping": kind(lambda _, points: met(points, EVIDENCE), MAPPING),
        "right_labels_wrong_mapping": kind(lambda item, _: _labels_right(item), MAPPING),
    }


def _labels_right(item: ScoredItem) -> bool:
    return "lenient" in item.scores and item.scores["lenient"].value == 1


def _counted(inside: Sequence[tuple[ScoredItem, bool]], options: MetricOptions) -> dict[str, Any]:
    figure = share(
        [float(hit) for _, hit in inside],
        [item.cluster for item, _ in inside],
        seed=options.seed,
        resamples=options.resamples,
    )
    metaphors = [hit for item, hit in inside if is_metaphor(read_written(item.target) or Annotation())]
    return {
        "count": sum(hit for _, hit in inside),
        "of": len(inside),
        "share": figure.value,
        "low": figure.low,
        "high": figure.high,
        "interval": figure.interval,
        "metaphors": {"count": sum(metaphors), "of": len(metaphors)},
        "keys": list(dict.fromkeys(item.key for item, hit in inside if hit)),
    }
