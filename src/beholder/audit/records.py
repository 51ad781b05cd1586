"""Checks a data set before it is trusted: can every record be read, are its pictures there, is its gold right?

The gold is scored against itself under every scorer. Where a scorer does not call it right, no model can score there:
such records are errata, and are listed, never passed over.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec

from beholder.benchmarks.benchmark import Benchmark, LoadOptions
from beholder.engine.scoring import score_with
from beholder.errors import DataError
from beholder.images.load import load
from beholder.sample import Sample
from beholder.score import Outcome


class Erratum(msgspec.Struct, frozen=True):
    """A record whose own gold a scorer does not find right, with what the scorer says of it."""

    where: str
    category: str
    gold: str
    scorer: str
    value: float | None
    reason: str


class Unreadable(msgspec.Struct, frozen=True):
    """A picture that is missing or cannot be used."""

    where: str
    image: str
    problem: str


class Unusable(msgspec.Struct, frozen=True):
    """A record that cannot be used, why, and what to do about it."""

    where: str
    problem: str
    mend: str


class DataAudit(msgspec.Struct, frozen=True):
    """What was found. `categories` counts records; `differences` are sentences about what differs from the public set.

    `records` counts those that can be used; `unusable` lists the others. `stopped` says that the last of these ended
    the reading, so that nothing after it was looked at. `duplicates` lists groups of records with the same content.
    """

    records: int
    images: int
    categories: dict[str, int]
    differences: tuple[str, ...]
    duplicates: tuple[tuple[str, ...], ...]
    unreadable: tuple[Unreadable, ...]
    errata: tuple[Erratum, ...]
    unusable: tuple[Unusable, ...] = ()
    stopped: bool = False

    @property
    def broken(self) -> bool:
        """Whether a record or a picture cannot be used."""
        return bool(self.unusable or self.unreadable)


def audit_records(found: Benchmark, path: Path, options: LoadOptions) -> DataAudit:
    """Reads all records at `path` and checks them; pictures are opened, not decoded.

    Records that cannot be used are listed; a benchmark whose loader does not go on after the first one, and a file that
    breaks off, end the reading there. `UsageError` if there is no such data.
    """
    errors: list[DataError] = []
    samples: list[Sample] = []
    stopped = False
    try:
        samples.extend(found.load(path, msgspec.structs.replace(options, on_error=errors.append)))
    except DataError as error:
        errors.append(error)
        stopped = True
    contents: dict[str, list[str]] = {}
    for sample in samples:
        contents.setdefault(sample.key.rpartition("-")[0], []).append(sample.source)
    unreadable, images = _unreadable(samples)
    return DataAudit(
        records=len(samples),
        images=images,
        categories=dict(Counter(sample.category for sample in samples)),
        differences=tuple(found.notices(samples)) if found.notices is not None and samples else (),
        duplicates=tuple(tuple(places) for places in contents.values() if len(places) > 1),
        unreadable=unreadable,
        errata=tuple(erratum for sample in samples for erratum in errata_of(found, sample)),
        unusable=tuple(Unusable(error.where, error.message, error.mend) for error in errors),
        stopped=stopped,
    )


def errata_of(found: Benchmark, sample: Sample) -> list[Erratum]:
    """What each scorer says of a record's own gold, where that is not "right"."""
    score_all = score_with(found.scorers)
    errata: dict[str, Erratum] = {}
    for response in found.gold(sample):
        for scorer, score in score_all(sample, response).items():
            if score.outcome is Outcome.NOT_APPLICABLE or score.value == 1:
                continue
            said = score.reason or f"It reads {score.extracted!r}."
            gold = response.text or ""
            errata[scorer] = Erratum(sample.source, sample.category, gold[:80], scorer, score.value, said)
    return list(errata.values())


def _unreadable(samples: list[Sample]) -> tuple[tuple[Unreadable, ...], int]:
    problems, count = [], 0
    for sample in samples:
        for ref in sample.images:
            count += 1
            try:
                load(ref)
            except DataError as error:
                problems.append(Unreadable(sample.source, ref.name, error.message))
    return tuple(problems), count
