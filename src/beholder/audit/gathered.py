"""Puts metaphor data of several sources together: each pair of picture and text once, and nothing lost.

As the paper describes for M3R-Bench: duplicates across the sources, damaged and incomplete items are removed. What is
removed is kept apart with the reason and the record as it was read, so that a person can look at it.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from beholder.annotation import LABELS, Annotation
from beholder.audit.duplicates import Match, Pictured, matches, plain_text
from beholder.benchmarks.m3r.sources import read_source
from beholder.benchmarks.m3r.sources.record import SourceRecord, Unusable
from beholder.errors import DataError
from beholder.images.load import load, pixels
from beholder.images.similar import look_of
from beholder.sample import ImageRef

UNUSABLE, NO_TEXT, NO_IMAGE, DAMAGED, DUPLICATE = "unusable", "no_text", "no_image", "damaged", "duplicate"
REASONS = (UNUSABLE, NO_TEXT, NO_IMAGE, DAMAGED, DUPLICATE)
"""Why an item is kept apart: a label or cell of it cannot be read, it is incomplete (2), damaged, or a duplicate."""
Watch = Callable[[int, int], None]
"""Told how many records have been looked at, and of how many."""


class Given(msgspec.Struct, frozen=True):
    """A file of a source, and the folder with its pictures."""

    source: str
    path: Path
    images: Path


class Kept(msgspec.Struct, frozen=True):
    """An item that is taken over. `format` is of its picture, as `images.load` recognises it."""

    id: str
    record: SourceRecord
    image: ImageRef
    sha256: str
    format: str


class Apart(msgspec.Struct, frozen=True, omit_defaults=True):
    """An item that is not taken over, why, and the record as it was read.

    For a duplicate, `duplicate_of` is the item that stays and `how` tells what of the pictures is the same; `conflicts`
    gives the labels on which they differ (what stays, what is kept apart), `adds` those that only this one has.
    """

    id: str
    origin: str
    where: str
    reason: str
    problem: str
    mend: str
    record: dict[str, Any]
    duplicate_of: str = ""
    how: str = ""
    conflicts: dict[str, tuple[Any, Any]] = {}
    adds: dict[str, Any] = {}


class SamePicture(msgspec.Struct, frozen=True):
    """Two items that both stay, with one picture and different texts; a person may think otherwise."""

    id: str
    of: str
    how: str


class Gathered(msgspec.Struct, frozen=True):
    """What became of the records of all sources: `counts` has a line for each file, in their order."""

    kept: tuple[Kept, ...]
    apart: tuple[Apart, ...]
    same_picture: tuple[SamePicture, ...]
    counts: tuple[Counter[str], ...]

    @property
    def broken(self) -> bool:
        """Whether anything could not be used; a duplicate could."""
        return any(one.reason != DUPLICATE for one in self.apart)


class _Candidate(msgspec.Struct, frozen=True):
    file: int
    item: Kept
    pictured: Pictured


def gather(files: Sequence[Given], watch: Watch = lambda looked_at, records: None) -> Gathered:
    """Reads all files and their pictures, these in threads. Of duplicates the one stays whose file is given first.

    `watch` is told of each record that was looked at. `UsageError` for an unknown source and for a file that is none of
    its own, `DataError` for one that breaks off.
    """
    counts = tuple(Counter[str]() for _ in files)
    candidates: list[_Candidate] = []
    apart: list[Apart] = []
    for number, found in _looked_at(files, watch):
        counts[number]["read"] += 1
        if isinstance(found, _Candidate):
            candidates.append(found)
        else:
            counts[number][found.reason] += 1
            apart.append(found)
    removed: set[int] = set()
    same_picture = []
    for match in matches(one.pictured for one in candidates):
        one, other = candidates[match.item], candidates[match.of]
        if match.same_text:
            removed.add(match.item)
            counts[one.file][DUPLICATE] += 1
            apart.append(_duplicate(one.item, other.item, match))
        else:
            same_picture.append(SamePicture(one.item.id, other.item.id, match.how))
    stayed = [one for number, one in enumerate(candidates) if number not in removed]
    for one in stayed:
        counts[one.file]["kept"] += 1
    return Gathered(tuple(one.item for one in stayed), tuple(apart), tuple(same_picture), counts)


def conflicts(kept: Annotation, other: Annotation) -> dict[str, tuple[Any, Any]]:
    """Labels that both give and on which they differ: (what `kept` says, what `other` says).

    Targets and sources are the same where their letters and digits are, without case.
    """
    found = {}
    for label in LABELS:
        ours, theirs = getattr(kept, label), getattr(other, label)
        if UNSET not in (ours, theirs) and _comparable(ours) != _comparable(theirs):
            found[label] = (ours, theirs)
    return found


def _looked_at(files: Sequence[Given], watch: Watch) -> Iterator[tuple[int, _Candidate | Apart]]:
    """Each record, with the number of its file: whole and with its picture looked at, or why not."""
    named = list(_named(files))
    with ThreadPoolExecutor(os.cpu_count()) as threads:  # decoding and hashing leave the interpreter free
        looks = threads.map(lambda one: _looked(*one), named)
        for count, ((number, _, _), looked) in enumerate(zip(named, looks, strict=True), start=1):
            watch(count, len(named))
            yield number, looked


def _named(files: Sequence[Given]) -> Iterator[tuple[int, str, SourceRecord | Unusable]]:
    """Each record, with the number of its file and an id of its own."""
    used: Counter[str] = Counter()
    for number, given in enumerate(files):
        for record in read_source(given.source, given.path, given.images):
            name = record.name if record.name.startswith(f"{record.origin}/") else f"{record.origin}/{record.name}"
            used[name] += 1
            identity = name if used[name] == 1 else f"{name}#{used[name]}"
            yield number, identity, record


def _looked(file: int, identity: str, record: SourceRecord | Unusable) -> _Candidate | Apart:
    if isinstance(record, Unusable):
        return Apart(
            identity, record.origin, record.where, UNUSABLE, record.problem, record.mend, _plain(record.record)
        )
    if record.image is None:
        return _apart(identity, record, NO_IMAGE, "it names no picture", "Add the picture.")
    if record.image.path is not None and not os.path.exists(record.image.path):
        problem = f"its picture {record.image.name[:80]!r} is not in the folder"
        return _apart(identity, record, NO_IMAGE, problem, "Put it there, or give its folder with --images.")
    if not record.text.strip():
        return _apart(identity, record, NO_TEXT, "it has no text", "Add the text.")
    try:
        image = load(record.image)
        picture = pixels(image)
    except DataError as error:
        return _apart(identity, record, DAMAGED, error.message, error.mend)
    digest = hashlib.sha256(b"%d %d " % picture.size + picture.tobytes()).hexdigest()
    pictured = Pictured(image.sha256, digest, look_of(picture), record.text)
    return _Candidate(file, Kept(identity, record, record.image, image.sha256, image.format), pictured)


def _apart(identity: str, record: SourceRecord, reason: str, problem: str, mend: str) -> Apart:
    return Apart(identity, record.origin, record.where, reason, problem, mend, _plain(record.record))


def _duplicate(item: Kept, stays: Kept, match: Match) -> Apart:
    ours, theirs = stays.record.annotation, item.record.annotation
    adds = {
        label: getattr(theirs, label)
        for label in (*LABELS, "explanation")
        if getattr(ours, label) is UNSET and getattr(theirs, label) is not UNSET
    }
    return Apart(
        item.id,
        item.record.origin,
        item.record.where,
        DUPLICATE,
        f"it is {stays.id} again: the same text, and a picture with the same {match.how}",
        "",
        _plain(item.record.record),
        duplicate_of=stays.id,
        how=match.how,
        conflicts=conflicts(ours, theirs),
        adds=adds,
    )


def _comparable(label: Any) -> Any:
    return (plain_text(label) or label) if isinstance(label, str) else label


def _plain(value: Any) -> Any:
    """A record as JSON can hold it: embedded pictures become their hash and size."""
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, bytes):
        return {"sha256": hashlib.sha256(value).hexdigest(), "bytes": len(value)}
    return value if value is None or isinstance(value, str | int | float) else str(value)
