"""Rows of the files that sources come in: CSV, xlsx (the first sheet), and what `benchmarks.records` reads.

CSV is read as UTF-8 (with or without a mark) or, where it is not, as GB 18030, which Chinese spreadsheets write; bytes
that are neither become U+FFFD, and whoever uses the row has to refuse it.
"""

from __future__ import annotations

import csv
import io
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from beholder.benchmarks.records import SUFFIXES, Record, read_records
from beholder.errors import DataError, UsageError

LARGEST = 256 << 20
"""Bytes of a table, and of an xlsx file's parts once unpacked; a larger one is none of these sources."""
SURPLUS = ""
"""The name in a row of the cells that stand beyond the header: whoever uses the row has to refuse it."""


def read_rows(path: Path, needs: Sequence[tuple[str, ...]]) -> Iterator[Record]:
    """The rows that hold anything, by the names of the header. Cells of CSV and xlsx are text, empty ones "".

    Each of `needs` is a column by any of its names. `UsageError` where the file cannot be read or lacks one of them,
    `DataError` where it breaks off.
    """
    kind = path.suffix.lower()
    if not path.is_file():
        raise UsageError(f"{path}: there is no such file.")
    if kind in SUFFIXES:
        return _checked(path, read_records(path), needs)
    if kind not in (".csv", ".xlsx"):
        raise UsageError(
            f"{path}: cannot tell the format by the name. Known endings: .csv, .xlsx, {', '.join(SUFFIXES)}."
        )
    if path.stat().st_size > LARGEST:
        raise UsageError(f"{path} is larger than {LARGEST >> 20} MiB: this is no table of a source.")
    lines = _csv_lines(path) if kind == ".csv" else _sheet_lines(path)
    return _by_name(path, lines, needs)


def column_of(path: Path, there: Sequence[str], names: tuple[str, ...]) -> str:
    """The column that goes by one of these names; `UsageError` where there is none."""
    found = next((name for name in names if name in there), None)
    if found is None:
        shown = ", ".join(repr(name[:40]) for name in there[:20]) or "none"
        raise UsageError(f"{path}: there is no column {' or '.join(map(repr, names))}; the columns are: {shown}.")
    return found


def _checked(path: Path, records: Iterator[Record], needs: Sequence[tuple[str, ...]]) -> Iterator[Record]:
    for record in records:
        if record.index == 0:
            for names in needs:
                column_of(path, list(record.value), names)
        yield record


def _by_name(path: Path, lines: Iterator[tuple[int, list[str]]], needs: Sequence[tuple[str, ...]]) -> Iterator[Record]:
    _, header = next(lines, (0, []))
    names = [name.strip() for name in header]
    for wanted in needs:
        column_of(path, [name for name in names if name], wanted)
    for index, (number, line) in enumerate(lines):
        where = f"{path.name}, line {number}"
        row: dict[str, Any] = {}
        for place, name in enumerate(names):
            if name:
                row.setdefault(name, line[place] if place < len(line) else "")
        if any(text.strip() for text in line[len(names) :]):
            row[SURPLUS] = line[len(names) :]
        yield Record(where, index, row)


def _csv_lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """(number of the first line of the file that it stands on, cells) of each row that holds anything."""
    reader = csv.reader(io.StringIO(_decoded(path), newline=""), strict=True)
    last = 0
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield last + 1, cells
            last = reader.line_num
    except csv.Error as error:
        raise DataError(
            f"this is not CSV ({error})", where=f"{path.name}, line {last + 1}", mend="Quote it right."
        ) from error


def _decoded(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}.") from error
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UsageError(f"{path}: the text is UTF-16. Save it as UTF-8.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("gb18030", "replace")


def _sheet_lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    try:
        import openpyxl
    except ImportError as error:
        raise UsageError(
            f"{path.name}: reading xlsx needs openpyxl. Install it with: pip install 'beholder[data]'"
        ) from error
    try:
        with zipfile.ZipFile(path) as parts:
            unpacked = sum(part.file_size for part in parts.infolist())
        if unpacked > LARGEST:
            raise ValueError(f"it unpacks to {unpacked >> 20:,} MiB")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions that are of no interest here
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            rows = [[_cell_text(value) for value in row] for row in book.worksheets[0].iter_rows(values_only=True)]
            book.close()
    except Exception as error:
        # A damaged or hostile archive raises almost any class; each of them means the same.
        reason = (str(error).splitlines() or [type(error).__name__])[0][:120]
        raise UsageError(f"{path}: this xlsx file cannot be read ({reason}). Save it again, or as CSV.") from error
    return ((number, row) for number, row in enumerate(rows, start=1) if any(cell.strip() for cell in row))


def _cell_text(value: Any) -> str:
    """A cell as it would be written in CSV: a whole number without a point."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
