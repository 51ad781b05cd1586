"""Reads jigsaw records in the public TIR-Bench layout: a folder written by `beholder.synth.dataset`, or its
JSONL.

Columns: `id`, `task` (`jigsaw`), `prompt`, `answer` (`"[4, 1, 8, …]"` or a JSON list), `image_1` (path
relative to the file), `meta_data` (older name: `metadata`) with `difficulty`, the size n. `photo` in
`meta_data`, which only generated data have, names the photograph a puzzle was cut from; without it each
puzzle is its own cluster.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from beholder.benchmarks.benchmark import LoadOptions
from beholder.benchmarks.records import Record, data_files, identifier, image_ref, read_records, require
from beholder.errors import DataError, UsageError
from beholder.sample import ImagePart, KeyMaker, OrderedListTarget, Sample, TextPart

NAME = "jigsaw"
RECORDS = "jigsaw.jsonl"
SIZES = range(2, 21)
"""Pieces a side that a record may claim; TIR-Bench and the generator have 3 to 6."""


def load(path: Path, options: LoadOptions) -> Iterator[Sample]:
    """The samples at `path`, in file order: the folder, or the record file itself.

    `UsageError` if there is no such data, `DataError` naming file and record for a record that cannot be
    used: a missing column, another task, an answer that does not hold each number from 1 to n² once.
    """
    file = path / RECORDS if (path / RECORDS).is_file() else data_files(path)[0]
    folder = options.images or file.parent
    if not folder.is_dir():
        raise UsageError(f"{folder}: the image folder is not there.")
    return _samples(read_records(file), folder)


def notices(samples: Iterable[Sample] | int) -> list[str]:
    """What the user must know about this data."""
    notes = ["These puzzles were generated: figures are not comparable with the jigsaw task of TIR-Bench."]
    if not isinstance(samples, int):
        photos = Counter(sample.cluster for sample in samples)
        if len(photos) < photos.total():
            notes.append(f"The {photos.total():,} puzzles are cut from {len(photos):,} photographs.")
    return notes


def _samples(records: Iterator[Record], folder: Path) -> Iterator[Sample]:
    make_key = KeyMaker(NAME)
    for record in records:
        task = require(record, "task", str)
        if task != "jigsaw":
            raise DataError(
                f"column 'task' must be 'jigsaw' but is {task[:40]!r}",
                where=record.where,
                mend="Keep only the jigsaw records.",
            )
        n, photo = _meta_data(record)
        answer = _answer(record, n)
        prompt = require(record, "prompt", str)
        image = image_ref(record, require(record, "image_1", str), folder)
        yield Sample(
            key=make_key(prompt, str(list(answer)), image.name),
            index=record.index,
            benchmark=NAME,
            images=(image,),
            parts=(TextPart(prompt), ImagePart(0)),
            target=OrderedListTarget(answer),
            category=f"{n}x{n}",
            difficulty=str(n),
            cluster=photo or image.name,
            record_id=identifier(record, "id"),
            source=record.where,
            metadata={"n": n},
        )


def _meta_data(record: Record) -> tuple[int, str]:
    """The size n and the photograph's name ("" where the record names none)."""
    column = "metadata" if "meta_data" not in record.value and "metadata" in record.value else "meta_data"
    meta: dict[str, Any] = require(record, column, dict)
    n, photo = meta.get("difficulty"), meta.get("photo")
    if isinstance(n, bool) or not isinstance(n, int) or n not in SIZES:
        raise DataError(
            f"'difficulty' in column {column!r} must be the number of pieces a side, {SIZES[0]} to {SIZES[-1]},"
            f" but is {str(n)[:40]!r}",
            where=record.where,
            mend="Write the size there, 3 for a 3×3 puzzle.",
        )
    return n, photo if isinstance(photo, str) else ""


def _answer(record: Record, n: int) -> tuple[int, ...]:
    written = require(record, "answer", (str, list))
    if isinstance(written, str):
        inside = written.strip()
        if inside.startswith("[") and inside.endswith("]"):
            inside = inside[1:-1]
        if re.fullmatch(r"[\s\d,]+", inside, re.ASCII) is None:
            raise _bad_answer(record, n, f"is {written[:40]!r}")
        numbers = re.findall(r"\d+", inside)
        written = [int(number) if len(number) < 9 else 0 for number in numbers]
    if len(written) != n * n:
        raise _bad_answer(record, n, f"has {len(written)} entries")
    if any(isinstance(number, bool) or not isinstance(number, int) for number in written):
        raise _bad_answer(record, n, "holds something other than whole numbers")
    if sorted(written) != list(range(1, n * n + 1)):
        raise _bad_answer(record, n, "misses or repeats some")
    return tuple(written)


def _bad_answer(record: Record, n: int, what: str) -> DataError:
    return DataError(
        f"column 'answer' of a {n}×{n} puzzle must list each number from 1 to {n * n} once but {what}",
        where=record.where,
        mend="Mend the answer or the difficulty.",
    )
