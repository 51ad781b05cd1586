"""Corrections of published gold, laid over the data: what they change, and what a run comes to with and without them.

The published score stays what it is. A correction never goes into a run folder: it is applied to copies, each time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from beholder.benchmarks.benchmark import Benchmark, MetricOptions
from beholder.benchmarks.records import Record, read_records
from beholder.benchmarks.tfq.data import is_true, read_gold
from beholder.benchmarks.tir.data import target_of
from beholder.benchmarks.vl_rewardbench.data import ranking
from beholder.engine.lifecycle import Result
from beholder.engine.rescoring import scored_by_other_code
from beholder.engine.scoring import score_with
from beholder.errors import DataError, UsageError
from beholder.sample import BooleanTarget, PreferenceTarget, Sample
from beholder.score import Metrics, Score
from beholder.store import reading, schema

_FIELDS = {"key", "record_id", "gold", "drop", "why", "source"}


class Correction(msgspec.Struct, frozen=True, kw_only=True):
    """One line of an errata file: another gold for a record, or that it is dropped. `where` is its place in the file.

    `key` or `record_id` names the record; with both, both must fit. `why` and `source` are a person's words.
    """

    where: str
    key: str = ""
    record_id: str = ""
    gold: Any = None
    drop: bool = False
    why: str = ""
    source: str = ""

    def fits(self, sample: Sample) -> bool:
        """Whether it is about this record."""
        return self.key in ("", sample.key) and self.record_id in ("", sample.record_id)


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What a correction does to a record: its gold before and after ("" if it is dropped)."""

    where: str
    key: str
    record_id: str
    before: str
    after: str
    drop: bool
    why: str
    source: str


class Overlay(msgspec.Struct, frozen=True, kw_only=True):
    """What an errata file does to a data set. `unused` says of each correction that does nothing why that is so."""

    changes: tuple[Change, ...]
    unused: tuple[str, ...]


class BothScores(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run as published, and under the corrections that are about its items (`changed`, `dropped`)."""

    changed: int
    dropped: int
    published: Metrics
    corrected: Metrics


def read_errata(file: Path) -> tuple[Correction, ...]:
    """The corrections of a JSON list or JSON lines. `DataError` names a line that is none of them."""
    return tuple(_correction(record) for record in read_records(file))


def overlay(found: Benchmark, samples: Sequence[Sample], corrections: Iterable[Correction]) -> Overlay:
    """What corrections change in a data set. `DataError` for a gold that the benchmark cannot have."""
    used, unused = _matched(found, samples, corrections)
    changes = (
        Change(
            where=sample.source,
            key=sample.key,
            record_id=sample.record_id,
            before=reading.target_text(sample),
            after="" if other is None else reading.target_text(other),
            drop=other is None,
            why=one.why,
            source=one.source,
        )
        for one, sample, other in used
    )
    return Overlay(changes=tuple(changes), unused=tuple(unused))


def corrected(found: Benchmark, sample: Sample, correction: Correction) -> Sample:
    """The sample with the corrected gold in place of its own. `DataError` names the line whose gold cannot be used."""
    change = _GOLD.get(found.name)
    if change is None:
        raise UsageError(f"Errata are known for {', '.join(_GOLD)}, not for {found.name}.")
    return change(sample, Record(correction.where, 0, {"gold": correction.gold}))


def both_scores(result: Result, corrections: Sequence[Correction]) -> BothScores:
    """A run's figures with and without corrections. `UsageError` if other code scored it."""
    found, plan = result.found, result.plan
    changed: dict[str, Sample] = {}
    dropped: dict[str, Sample] = {}
    scores: dict[tuple[str, int, int], dict[str, Score]] = {}
    score_all = score_with(found.scorers)
    with contextlib.closing(schema.open_to_read(result.folder / "run.db")) as db:
        if scored_by_other_code(db, found):
            raise UsageError(f"{result.folder} was scored by another version. Run `beholder rescore` on it first.")
        for _, sample, other in _matched(found, list(reading.samples(db)), corrections)[0]:
            if other is None:
                dropped[sample.key] = sample
                continue
            changed[sample.key] = other
            for stored in reading.responses(db, key=sample.key):
                scores[stored.key, stored.epoch, stored.vote] = score_all(other, stored.response)
    sizes = dict(plan.group_sizes) if plan.group_sizes is not None else None
    for sample in dropped.values():
        if sizes is not None and sample.group in sizes:
            sizes[sample.group] -= 1
    items = [
        msgspec.structs.replace(
            item, scores=scores[item.key, item.epoch, item.vote], target=reading.target_text(changed[item.key])
        )
        if item.key in changed
        else item
        for item in result.items
        if item.key not in dropped
    ]
    possible = any(score.value is not None for item in items for score in item.scores.values())
    options = MetricOptions(seed=plan.seed, group_sizes=sizes, votes=plan.votes)
    return BothScores(
        changed=len(changed),
        dropped=len(dropped),
        published=result.metrics,
        corrected=found.metrics(items, options) if possible else {},
    )


def _matched(
    found: Benchmark, samples: Sequence[Sample], corrections: Iterable[Correction]
) -> tuple[list[tuple[Correction, Sample, Sample | None]], list[str]]:
    """Each correction that changes a record, with the record before and after (None: dropped); why others do not."""
    used: list[tuple[Correction, Sample, Sample | None]] = []
    unused: list[str] = []
    ids: dict[str, list[Sample]] = {}
    for sample in samples:
        for name in {sample.key, sample.record_id} - {""}:
            ids.setdefault(name, []).append(sample)
    seen: dict[str, str] = {}
    for one in corrections:
        fitting = [sample for sample in ids.get(one.key or one.record_id, ()) if one.fits(sample)]
        if len(fitting) != 1:
            several = f"{len(fitting)} records have that id: give the key"
            unused.append(f"{one.where}: {several if fitting else 'no record has that key or id'}.")
            continue
        (sample,) = fitting
        if sample.key in seen:
            unused.append(f"{one.where}: {seen[sample.key]} corrects the same record.")
            continue
        seen[sample.key] = one.where
        other = None if one.drop else corrected(found, sample, one)
        if other is not None and reading.target_text(other) == reading.target_text(sample):
            unused.append(f"{one.where}: {sample.source} has that gold already.")
            continue
        used.append((one, sample, other))
    return used, unused


def _correction(record: Record) -> Correction:
    mend = "A line is {key or record_id, gold or drop: true, why, source}."
    value = record.value
    strange = set(value) - _FIELDS
    if strange:
        raise DataError(f"there is no field {min(strange)[:40]!r}", where=record.where, mend=mend)
    texts = {name: value[name] for name in ("key", "why", "source") if value.get(name) is not None}
    if not all(isinstance(text, str) for text in texts.values()) or not isinstance(value.get("drop", False), bool):
        raise DataError("key, why and source must be text, and drop true or false", where=record.where, mend=mend)
    identity, gold, drop = value.get("record_id"), value.get("gold"), value.get("drop", False)
    if isinstance(identity, bool) or not isinstance(identity, str | int | None):
        raise DataError("record_id must be text or a number", where=record.where, mend=mend)
    if not texts.get("key") and identity in (None, ""):
        raise DataError("it does not say which record it is about", where=record.where, mend=mend)
    if (gold is None) is not drop:
        raise DataError("it must have either a gold or drop: true", where=record.where, mend=mend)
    name = "" if identity is None else str(identity)
    return Correction(where=record.where, record_id=name, gold=gold, drop=drop, **texts)


def _tfq(sample: Sample, record: Record) -> Sample:
    gold = read_gold(record, "gold")
    return msgspec.structs.replace(
        sample, target=BooleanTarget(is_true(gold)), metadata=sample.metadata | {"gold": gold}
    )


def _vl_rewardbench(sample: Sample, record: Record) -> Sample:
    order = ranking(record, "gold")
    metadata = sample.metadata | {"human_ranking": list(order)}
    return msgspec.structs.replace(sample, target=PreferenceTarget(preferred=order.index(0)), metadata=metadata)


def _tir(sample: Sample, record: Record) -> Sample:
    gold = record.value["gold"]
    if not isinstance(gold, str | int | float | list) or isinstance(gold, bool):
        raise DataError("'gold' must be text, a number or a list", where=record.where)
    written = str(gold) if isinstance(gold, list) else gold
    about = {"difficulty": sample.metadata["n"]} if "n" in sample.metadata else {}
    target = target_of(record, sample.category, sample.question, written, about)
    return msgspec.structs.replace(sample, target=target, metadata=sample.metadata | {"answer": written})


_GOLD: dict[str, Callable[[Sample, Record], Sample]] = {"tfq": _tfq, "vl-rewardbench": _vl_rewardbench, "tir": _tir}
"""Benchmark → how a record gets another gold, in the form that its data has it."""
