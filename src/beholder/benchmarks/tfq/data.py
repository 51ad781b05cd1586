"""TFQ-Bench data: one row is one statement about one image, with the answer T or F.

Public layout (`MING-ZCH/TFQ-Bench-Full`, `-Lite`): `images` (a list), `problem` (opens with `<image>`),
`answer`. It has neither image ids nor question ids. Read are Parquet files with embedded images, and JSON
or JSONL with image paths. Also understood, where present: `image` (a single one), `id`, `Image_URL`,
`category`, `difficulty`.

What belongs to one image, for the all-or-nothing score:

- with an `Image_URL` column: rows with the same value, as the authors group; a missing value is the value "";
- without it: consecutive rows with the same images (same bytes if embedded, else the same paths). This is
  OUR assumption. The source images are not distinct (166 images of II-Bench occur two or three times), so
  grouping by content over the whole file would merge records that the authors keep apart; two such records
  in direct succession are still merged here.

Intervals treat all rows that show the same images as one cluster, wherever they stand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from beholder.benchmarks.benchmark import LoadOptions
from beholder.benchmarks.records import (
    Record,
    data_files,
    identifier,
    image_ref,
    kind_of,
    optional_text,
    read_records,
    require,
)
from beholder.benchmarks.tfq.categories import CategoryFile, category_of
from beholder.errors import DataError, UsageError
from beholder.images.references import split_references
from beholder.sample import BooleanTarget, ImageRef, KeyMaker, Part, Sample, TextPart

NAME = "tfq"
FULL_ROWS, LITE_ROWS, TRAINING_ROWS, LITE_TRAINING_ROWS = 14_099, 492, 13_607, 984


def load(path: Path, options: LoadOptions) -> Iterator[Sample]:
    """The samples at `path`, in file order. Raises `UsageError` or `DataError`, see `read_records`.

    The gold is kept as written in `metadata["gold"]`; `metadata` also says how the row was grouped
    (`grouping`: `image_url` or `consecutive`) and where its category is from (`category_from`: `file`,
    `column` or `tagger`).
    """
    categories = CategoryFile(options.categories) if options.categories else None
    folder = options.images or data_files(path)[0].parent
    if not folder.is_dir():
        raise UsageError(f"{folder}: the image folder is not there.")
    records = read_records(path)
    return _samples(records, folder, categories)


def read_gold(record: Record, column: str) -> str:
    """The gold as written; `DataError` unless it is T or F (either case, white space around it allowed)."""
    written = record.value.get(column)
    if column in record.value and (not isinstance(written, str) or written.strip().upper() not in ("T", "F")):
        shown = kind_of(written) if not isinstance(written, str) else repr(written[:40])
        raise DataError(
            f"column {column!r} must be T or F but is {shown}",
            where=record.where,
            mend="Write T or F, or remove the record.",
        )
    return require(record, column, str)


def is_true(gold: str) -> bool:
    """The truth value of a gold that `read_gold` let pass."""
    return gold.strip().upper() == "T"


def notices(samples: Iterable[Sample] | int) -> list[str]:
    """What the user must know about this data, in plain sentences. A number means the number of rows."""
    rows, others = (samples, []) if isinstance(samples, int) else _counted(samples)
    notes = []
    if rows == FULL_ROWS:
        notes.append(
            f"{TRAINING_ROWS:,} of the {FULL_ROWS:,} rows of TFQ-Bench-Full are the authors' training set"
            f" (TFQ-Data-Full); only TFQ-Bench-Lite ({LITE_ROWS} rows) is held out."
        )
    elif rows in (TRAINING_ROWS, LITE_TRAINING_ROWS):
        notes.append(f"{rows:,} rows is the size of a training set of the authors, not of a benchmark.")
    return notes + others


def _counted(samples: Iterable[Sample]) -> tuple[int, list[str]]:
    """How many samples there are and what they tell, in one pass: there may be too many to hold."""
    rows = 0
    grouped = consecutive = tagged = False
    for sample in samples:
        rows += 1
        grouped = grouped or bool(sample.group)
        consecutive = consecutive or sample.metadata.get("grouping") == "consecutive"
        tagged = tagged or sample.metadata.get("category_from") == "tagger"
    notes = []
    if rows > 1 and not grouped:
        notes.append("No row has an Image_URL: all rows form one group, as in the authors' code.")
    if consecutive:
        notes.append(
            "The data names no image per row; consecutive rows with the same image form a group"
            " (our assumption), so group accuracy may differ from the authors'."
        )
    if tagged:
        notes.append("The categories perception and implication are from our keyword rules, not from the authors.")
    return rows, notes


def _samples(records: Iterator[Record], folder: Path, categories: CategoryFile | None) -> Iterator[Sample]:
    make_key = KeyMaker(NAME)
    shown = _Images(folder)
    for record in records:
        images, identity = shown.of(record)
        problem, gold = require(record, "problem", str), read_gold(record, "answer")
        parts = _parts(record, problem, len(images))
        key, record_id = make_key(problem, gold.strip().upper(), identity), identifier(record, "id")
        by_url = "Image_URL" in record.value
        category, category_from = category_of(
            categories,
            optional_text(record, "category"),
            problem,
            key=key,
            record_id=record_id,
            index=record.index,
        )
        yield Sample(
            key=key,
            index=record.index,
            benchmark=NAME,
            images=images,
            parts=parts,
            target=BooleanTarget(is_true(gold)),
            category=category,
            difficulty=identifier(record, "difficulty"),
            group=optional_text(record, "Image_URL") if by_url else f"images {shown.run}",
            cluster=identity,
            record_id=record_id,
            source=record.where,
            metadata={
                "gold": gold,
                "grouping": "image_url" if by_url else "consecutive",
                "category_from": category_from,
            },
        )
    if categories is not None:
        categories.check_used()


def _parts(record: Record, problem: str, images: int) -> tuple[Part, ...]:
    try:
        parts = split_references(problem, images)
    except DataError as error:
        raise DataError(error.message, where=record.where, mend=error.mend) from error
    if not any(isinstance(part, TextPart) and part.text.strip() for part in parts):
        raise DataError("the statement is empty", where=record.where, mend="Remove the record.")
    return parts


class _Images:
    """The images of the rows, one after the other. Rows that repeat the images before share their bytes and
    hash.

    `run` counts the runs of consecutive rows with the same images, from 1.
    """

    def __init__(self, folder: Path) -> None:
        self.run = 0
        self._folder = folder
        self._images: tuple[ImageRef, ...] = ()
        self._identity = ""

    def of(self, record: Record) -> tuple[tuple[ImageRef, ...], str]:
        """The images of a record and their identity: the hash of embedded bytes, else the path as written."""
        images = tuple(image_ref(record, value, self._folder) for value in _image_values(record))
        if _same(images, self._images):
            return self._images, self._identity
        self._images = images
        self._identity = "\n".join(_identity(image) for image in images)
        self.run += 1
        return images, self._identity


def _image_values(record: Record) -> list[Any]:
    value = record.value
    if "images" not in value and "image" in value:
        return [value["image"]]
    images: list[Any] = require(record, "images", list)
    if not images:
        raise DataError(
            "there is no image", where=record.where, mend="A statement cannot be judged blind: add the image."
        )
    return images


def _identity(image: ImageRef) -> str:
    return hashlib.sha256(image.data).hexdigest() if image.data is not None else image.name


def _same(images: tuple[ImageRef, ...], others: tuple[ImageRef, ...]) -> bool:
    """Whether two rows show the same: equal bytes where embedded (whatever their names), else equal paths."""
    return len(images) == len(others) and all(
        a.data == b.data and a.path == b.path for a, b in zip(images, others, strict=True)
    )
