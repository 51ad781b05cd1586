"""All-or-nothing accuracy: a group of questions counts only if every one of them is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from beholder.metrics.accuracy import share
from beholder.score import Metric


def all_or_nothing(
    values: Sequence[float | None],
    groups: Sequence[str],
    clusters: Sequence[str] | None = None,
    *,
    sizes: Mapping[str, int] | None = None,
    seed: int = 0,
    resamples: int = 1000,
) -> Metric:
    """The share of groups in which every question is right (score 1; partial credit is not right).

    The TFQ authors count an image only if all of its questions are answered correctly. A group with a failed
    question is undecided and counts in `failed`, unless another of its questions is already wrong: then it
    is wrong whatever the missing answer would have been. `n` and `failed` count groups.

    `sizes` says how many questions a group has. A group with fewer rows than that is incomplete (a selection, an
    interrupted run) and counts in `failed` whatever its rows say: to count only the incomplete groups that are already
    wrong would pull the value down. `note` says how many there are. A group that `sizes` does not name, and every
    group without `sizes`, is taken to be complete. A group without any row is in no figure.

    Rows without a group name are left out and counted in `note`: together they are no group (the authors'
    code makes one of them), and alone they would make the metric easier. Groups that share a cluster are
    redrawn together; a group whose rows lie in several clusters joins these clusters.

    >>> metric = all_or_nothing([1, 1, 1, 0, 1, 1], ["a", "a", "a", "a", "b", "b"])
    >>> metric.value, metric.n
    (0.5, 2)
    >>> all_or_nothing([1, None, 0, None], ["a", "a", "b", "b"]).failed
    1
    >>> all_or_nothing([1, 1, 1, 1], ["a", "a", "b", "b"], sizes={"a": 3, "b": 2}).failed
    1
    """
    if len(groups) != len(values) or (clusters is not None and len(clusters) != len(values)):
        raise ValueError(f"{len(values)} scores, {len(groups)} groups: each row needs its own")
    scores: dict[str, list[float | None]] = {}
    for value, group in zip(values, groups, strict=True):
        if group:
            scores.setdefault(group, []).append(value)
    names = list(scores)
    incomplete = {name for name in names if len(scores[name]) < (sizes or {}).get(name, 0)}
    verdicts = [None if name in incomplete else _verdict(scores[name]) for name in names]
    cluster_of = None if clusters is None else _cluster_of_groups(groups, clusters)
    metric = share(
        verdicts,
        None if cluster_of is None else [cluster_of[name] for name in names],
        seed=seed,
        resamples=resamples,
    )
    notes = [metric.note]
    if incomplete:
        notes.append(f"{len(incomplete)} of {len(names)} groups are incomplete and not counted")
    if ungrouped := sum(not group for group in groups):
        notes.append(f"{ungrouped} rows without a group are left out")
    return msgspec.structs.replace(metric, note="; ".join(filter(None, notes)))


def _verdict(scores: Sequence[float | None]) -> float | None:
    if any(score is not None and score < 1 for score in scores):
        return 0.0
    return None if None in scores else 1.0


def _cluster_of_groups(groups: Sequence[str], clusters: Sequence[str]) -> dict[str, str]:
    """Each group's cluster: groups that are linked, directly or through others, by a cluster name get one
    name."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        parent.setdefault(name, name)
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for group, cluster in zip(groups, clusters, strict=True):
        if group and cluster:
            parent[root(f"group {group}")] = root(f"cluster {cluster}")
    return {group: root(f"group {group}") for group in groups if group}
