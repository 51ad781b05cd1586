"""One record of a public source in our terms, or why it cannot be used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from beholder.annotation import Annotation
from beholder.benchmarks.m3r.data import language_of
from beholder.benchmarks.m3r.records import text_of
from beholder.benchmarks.m3r.sources.tables import SURPLUS
from beholder.benchmarks.records import Record, image_ref
from beholder.errors import DataError
from beholder.sample import ImageRef

_LOST = "\N{REPLACEMENT CHARACTER}"
_SHEET_ERRORS = frozenset({"#name?", "#ref!", "#value!", "#n/a", "#div/0!", "#null!", "#num!"})
_SPLITS = {"train": "train", "val": "val", "valid": "val", "dev": "val", "test": "test"}


class SourceRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record as its source gives it. An empty `text`, or no `image`, means that the source has none.

    `name` is the source's own word for the item, `metadata` plain facts that are no labels of ours, `record` the row.
    """

    origin: str
    name: str
    where: str
    text: str
    image: ImageRef | None
    language: str
    annotation: Annotation
    record: dict[str, Any]
    split: str = ""
    metadata: dict[str, Any] = {}


class Unusable(msgspec.Struct, frozen=True):
    """A record that cannot be used: one line that says why, with place and mend, and the row as it was read."""

    origin: str
    name: str
    where: str
    problem: str
    mend: str
    record: dict[str, Any]


def each(
    origin: str, rows: Iterable[Record], name: Callable[[Record], str], make: Callable[[Record], SourceRecord]
) -> Iterator[SourceRecord | Unusable]:
    """Each row as `make` makes a record of it; a row of which it says `DataError` is unusable."""
    for row in rows:
        try:
            _check_cells(row)
            made: SourceRecord | Unusable = make(row)
        except DataError as error:
            made = Unusable(origin, name(row), row.where, error.message, error.mend, row.value)
        yield made


def cell(row: Record, *columns: str) -> str:
    """The text of the first of these columns that the row has, without outer blanks; "" where there is none."""
    column = next((column for column in columns if column in row.value), None)
    return "" if column is None else text_of(row.value[column], row.where, column).strip()


def shown_text(row: Record, column: str) -> str:
    """The text of an item. What a spreadsheet shows in place of a text that it took for a formula is none."""
    text = cell(row, column)
    return "" if text.lower() in _SHEET_ERRORS else text


def picture(row: Record, name: str, images: Path) -> ImageRef | None:
    """The picture of that name in the folder; None where the row names none.

    An address, or a name that leaves the folder, is a `DataError`.
    """
    return image_ref(row, name, images) if name else None


def split_of(path: Path) -> str:
    """The split that a file's name ends in (`EN_test.csv`); "" where it names none."""
    return _SPLITS.get(path.stem.lower().replace("-", "_").rpartition("_")[2], "")


def language_by_name(path: Path, text: str) -> str:
    """The language that a file's name begins with (`EN_train.csv`, `ZH.csv`), or that of the text's script."""
    word = path.stem.lower().replace("-", "_").partition("_")[0]
    return {"en": "en", "cn": "zh", "zh": "zh"}.get(word) or language_of(text)


def _check_cells(row: Record) -> None:
    """`DataError` for a row that was parted or decoded wrongly."""
    if SURPLUS in row.value:
        raise DataError("it has more cells than the header", where=row.where, mend="Quote cells that hold commas.")
    lost = next((name for name, value in row.value.items() if isinstance(value, str) and _LOST in value), None)
    if lost is not None:
        raise DataError(
            f"a character in column {lost[:40]!r} cannot be read",
            where=row.where,
            mend="Mend the cell, or save the file as UTF-8.",
        )
