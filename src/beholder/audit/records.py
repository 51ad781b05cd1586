"""Checks a data set before it is trusted: can every record be read, are its pictures there, is its gold right?

The gold is scored against itself under every scorer. Where a scorer does not call it right, no model can score there:
such records are errata, and are listed, never passed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from beholder.audit.errata import Correction, Overlay, overlay
from beholder.benchmarks.benchmark import Benchmark, LoadOptions
from beholder.benchmarks.published import nearest
from beholder.engine.scoring import score_with
from beholder.errors import DataError
from beholder.images.load import load
from beholder.sample import BooleanTarget, ChoiceTarget, ImageRef, PreferenceTarget, Sample
from beholder.score import Outcome
from beholder.store.reading import target_text


class Erratum(msgspec.Struct, frozen=True):
    """A record whose own gold a scorer does not find right, with what the scorer says of it."""

    where: str
    category: str
    gold: str
    scorer: str
    value: float | None
    reason: str
    key: str = ""


class Shared(msgspec.Struct, frozen=True):
    """What several records have in common: an id, or a picture (by the name that the first of them has for it)."""

    name: str
    places: tuple[str, ...]


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
    the reading, so that nothing after it was looked at. `duplicates` lists groups of records with the same content,
    `ids` records with one id, `pictures` records with one picture (by its bytes; where records come in groups about a
    picture, those in different groups). `answers` counts what the gold is, where that is one of a few; `overlay` is
    what an errata file changes.
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
    ids: tuple[Shared, ...] = ()
    pictures: tuple[Shared, ...] = ()
    answers: dict[str, int] = {}
    overlay: Overlay | None = None

    @property
    def broken(self) -> bool:
        """Whether a record, a picture or a correction cannot be used."""
        return bool(self.unusable or self.unreadable or (self.overlay is not None and self.overlay.unused))


def audit_records(
    found: Benchmark, path: Path, options: LoadOptions, corrections: Sequence[Correction] | None = None
) -> DataAudit:
    """Reads all records at `path` and checks them; pictures are opened, not decoded. The gold is that of the data.

    Records that cannot be used are listed; a benchmark whose loader does not go on after the first one, and a file that
    breaks off, end the reading there. `UsageError` if there is no such data.
    """
    errors: list[DataError] = []
    samples: list[Sample] = []
    pictures = _Pictures(grouped=found.grouped)
    stopped = False
    try:
        for sample in found.load(path, msgspec.structs.replace(options, on_error=errors.append)):
            pictures.look(sample)
            samples.append(_without_bytes(sample))
    except DataError as error:
        errors.append(error)
        stopped = True
    contents: dict[str, list[str]] = {}
    for sample in samples:
        contents.setdefault(sample.key.rpartition("-")[0], []).append(sample.source)
    return DataAudit(
        records=len(samples),
        images=pictures.count,
        categories=dict(Counter(sample.category for sample in samples)),
        differences=tuple(_differences(found, samples)),
        duplicates=tuple(tuple(places) for places in contents.values() if len(places) > 1),
        unreadable=tuple(pictures.unreadable),
        errata=tuple(erratum for sample in samples for erratum in errata_of(found, sample)),
        unusable=tuple(Unusable(error.where, error.message, error.mend) for error in errors),
        stopped=stopped,
        ids=_repeated_ids(samples),
        pictures=pictures.shared(),
        answers=_answers(samples),
        overlay=overlay(found, samples, corrections) if corrections is not None else None,
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
            errata[scorer] = Erratum(sample.source, sample.category, gold[:80], scorer, score.value, said, sample.key)
    return list(errata.values())


def _differences(found: Benchmark, samples: list[Sample]) -> Iterator[str]:
    """What the benchmark says of the data, and how many records the published set has, where that does not."""
    if not samples:
        return
    said = found.notices(samples) if found.notices is not None else []
    yield from said
    whole = nearest(found.name, len(samples))
    if whole is not None and len(samples) != whole.records and not whole.categories:
        yield f"{len(samples):,} records; {whole.title} has {whole.records:,} as published."


def _answers(samples: list[Sample]) -> dict[str, int]:
    """How often the gold is what, most frequent first, where it is true or false, letters, or one of two answers."""
    counts: Counter[str] = Counter()
    for sample in samples:
        if isinstance(sample.target, PreferenceTarget):
            counts["second answer" if sample.target.preferred else "first answer"] += 1
        elif isinstance(sample.target, BooleanTarget | ChoiceTarget):
            counts[target_text(sample)] += 1
    return dict(counts.most_common())


def _repeated_ids(samples: list[Sample]) -> tuple[Shared, ...]:
    places: dict[str, list[str]] = {}
    for sample in samples:
        if sample.record_id:
            places.setdefault(sample.record_id, []).append(sample.source)
    return tuple(Shared(name, tuple(found)) for name, found in places.items() if len(found) > 1)


def _without_bytes(sample: Sample) -> Sample:
    """The sample without its embedded pictures: those of a whole data set do not fit into memory."""
    if all(ref.data is None for ref in sample.images):
        return sample
    images = tuple(msgspec.structs.replace(ref, data=None) for ref in sample.images)
    return msgspec.structs.replace(sample, images=images)


class _Pictures:
    """Opens every picture: those that cannot be used, how many there are, and those that several records share."""

    def __init__(self, *, grouped: bool) -> None:
        self.count = 0
        self.unreadable: list[Unreadable] = []
        self._grouped = grouped
        self._names: dict[str, str] = {}
        self._places: dict[str, dict[str, str]] = {}  # digest → record or group → where it is first shown
        self._last: tuple[ImageRef, str] | None = None

    def look(self, sample: Sample) -> None:
        """Opens the pictures of a record."""
        for ref in sample.images:
            self.count += 1
            try:
                digest = self._digest(ref)
            except DataError as error:
                self.unreadable.append(Unreadable(sample.source, ref.name, error.message))
                continue
            self._names.setdefault(digest, ref.name)
            own = sample.group if self._grouped else sample.key
            self._places.setdefault(digest, {}).setdefault(own, sample.source)

    def shared(self) -> tuple[Shared, ...]:
        """The pictures that several records, or groups of records, have."""
        return tuple(
            Shared(self._names[digest], tuple(places.values()))
            for digest, places in self._places.items()
            if len(places) > 1
        )

    def _digest(self, ref: ImageRef) -> str:
        """SHA-256 of the bytes; not read again for the record after, which often shows the same."""
        if self._last is None or self._last[0] is not ref:
            self._last = (ref, load(ref).sha256)
        return self._last[1]
