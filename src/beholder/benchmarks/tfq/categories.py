"""Which category each item belongs to: from the user's file, from the data, or from our keyword tagger."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import msgspec

from beholder.benchmarks.tfq.tagger import tag
from beholder.errors import UsageError

_HEADINGS = ("key", "id", "index")


class CategoryFile:
    """The user's `--categories FILE`: a map from a sample's key, its id or its index (from 0) to a category.

    A JSON object (`{"12": "implication"}`), or a CSV file of two columns, with or without the heading
    `key,category` (`id,category`, `index,category`). Without a heading an item is looked up by key, then by
    id, and by index if the data has no ids. Raises `UsageError` if the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._by, self._categories = _read(path)
        self._used = 0

    def category(self, *, key: str, record_id: str, index: int) -> str:
        """The category of an item, "" if the file does not name it."""
        names = {"key": key, "id": record_id, "index": str(index)}
        wanted = [names[self._by]] if self._by else [key, record_id or str(index)]
        for name in wanted:
            if name in self._categories:
                self._used += 1
                return self._categories[name]
        return ""

    def check_used(self) -> None:
        """Raises `UsageError` if no item was named in the file: then its names are of another kind."""
        if not self._used:
            example = next(iter(self._categories))
            raise UsageError(
                f"{self._path}: none of its {len(self._categories)} names (such as {example[:40]!r}) is the"
                " key, id or index of an item. Use the keys or ids of the data, or the index counted from 0."
            )


def category_of(file: CategoryFile | None, column: str, statement: str, **names: str | int) -> tuple[str, str]:
    """The category and where it is from (`file`, `column`, `tagger`). A file, where given, decides alone."""
    if file is not None:
        found = file.category(key=str(names["key"]), record_id=str(names["record_id"]), index=int(names["index"]))
        return found, "file"
    if column:
        return column, "column"
    return tag(statement), "tagger"


def _read(path: Path) -> tuple[str, dict[str, str]]:
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8 text. Save it as UTF-8.") from error
    by, categories = _read_csv(text, path) if path.suffix.lower() == ".csv" else ("", _read_json(text, path))
    if not categories:
        raise UsageError(f"{path}: names no category. It must map keys, ids or indexes to categories.")
    return by, categories


def _read_json(text: str, path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(text, type=dict[str, str])
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise UsageError(
            f'{path}: must be a JSON object such as {{"12": "implication"}}, or a .csv file: {error}.'
        ) from error


def _read_csv(text: str, path: Path) -> tuple[str, dict[str, str]]:
    by = ""
    categories: dict[str, str] = {}
    try:
        for number, row in enumerate(csv.reader(io.StringIO(text, newline="")), start=1):
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if len(cells) != 2:
                raise UsageError(f"{path}, row {number}: must have 2 columns (name, category) but has {len(cells)}.")
            if not categories and not by and cells[0].lower() in _HEADINGS:
                by = cells[0].lower()
                continue
            if categories.setdefault(cells[0], cells[1]) != cells[1]:
                raise UsageError(f"{path}, row {number}: {cells[0]!r} is named a second time with another category.")
    except csv.Error as error:
        raise UsageError(f"{path}: is not valid CSV: {error}.") from error
    return by, categories
