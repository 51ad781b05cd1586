"""Reads VLMEvalKit's tables of predictions: `MODEL_DATASET.xlsx` or `.tsv`, one row an item.

Columns: `index`, `question`, `answer`, `prediction`, with options in `A`, `B`, … and further ones such as `category`.
A table that its evaluation wrote has `hit` (0 or 1), perhaps `log`; some have `score` and `extracted`. Cells are taken
as they stand, formulas as the text of the formula. A `.pkl` is not read: unpickling runs what is in the file.

The kit writes `Failed to obtain answer via API.` where it got none; here that is a failure.
"""

from __future__ import annotations

import csv
import io
import string
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from beholder.errors import DataError, UsageError
from beholder.peers.peer_log import (
    LONGEST_TEXT,
    MOST_ANSWERS,
    PeerAnswer,
    PeerLog,
    PeerScore,
    a_count,
    a_name,
    a_text,
    failed,
    read_bytes,
    share,
    words_of,
)
from beholder.sample import Response

NAME = "vlmevalkit"
_SCORES = ("hit", "score")
_READ = ("extracted", "extracted_answer", "pred", "log")
_FAILED = "Failed to obtain answer"
_MOST_COLUMNS = 200
_LARGEST_UNPACKED = 2 << 30


def read(file: Path) -> PeerLog:
    """The table in `file`. Errors name file and row."""
    suffix = file.suffix.lower()
    if suffix in (".pkl", ".pickle"):
        raise UsageError(
            f"{file}: a pickle is not read: opening one runs whatever is in it. Give the .xlsx or .tsv of the same "
            "run, or have VLMEvalKit write one (PRED_FORMAT=tsv)."
        )
    if suffix not in (".xlsx", ".tsv"):
        raise UsageError(f"{file}: VLMEvalKit's tables end in .xlsx or .tsv.")
    rows = _workbook(file) if suffix == ".xlsx" else _tabs(file)
    names = [words_of(name) for name in next(rows, ())][:_MOST_COLUMNS]
    missing = [name for name in ("index", "prediction") if name not in names]
    if missing:
        shown = ", ".join(names[:20]) or "none"
        raise DataError(f"there is no column {missing[0]!r}; the columns are: {shown}", where=file.name)
    answers: list[PeerAnswer] = []
    for number, row in enumerate(rows, start=2):
        value = dict(zip(names, row, strict=False))
        if any(cell is not None and cell != "" for cell in value.values()):
            answers.append(_answer(value, f"{file.name}, row {number}", len(answers)))
        if number > MOST_ANSWERS:
            raise UsageError(f"{file}: it holds more than {MOST_ANSWERS:,} rows.")
    if not answers:
        raise DataError("there are no rows in it", where=file.name)
    return PeerLog(
        peer=NAME,
        model=file.stem.partition("_")[0],
        task=file.stem.partition("_")[2],
        answers=answers,
        notes=(
            "VLMEvalKit writes neither its version nor how the model was asked to decode; the model is what the file's "
            "name begins with (--model names it).",
        ),
    )


def _answer(value: dict[str, Any], where: str, place: int) -> PeerAnswer:
    given = value.get("prediction")
    text = _cell(given, "'prediction'", where)
    index = value.get("index")
    if isinstance(index, str) and index.isascii() and index.isdecimal() and len(index) < 16:
        index = int(index)
    read = next((_cell(value[name], f"{name!r}", where)[:2000] for name in _READ if value.get(name)), None)
    # Letters are options only from A on without a gap: `E` alone is a column of somebody else's.
    letters = [letter for letter in string.ascii_uppercase if value.get(letter) not in (None, "")]
    options = letters[: sum(a == b for a, b in zip(letters, string.ascii_uppercase, strict=False))]
    listed = "".join(f"\n{letter}. {_cell(value[letter], letter, where)}" for letter in options)
    return PeerAnswer(
        where=where,
        id=a_name(index, "'index'", where),
        index=a_count(index) if not isinstance(index, str) else place,
        question=_cell(value.get("question"), "'question'", where) + listed,
        gold=_cell(value.get("answer"), "'answer'", where),
        response=failed(text, "request") if text.startswith(_FAILED) else Response(text=text),
        scores={
            name: PeerScore(share(_number(value[name])), words_of(value[name]), read)
            for name in _SCORES
            if value.get(name) not in (None, "")
        },
        record={name: cell for name, cell in value.items() if isinstance(cell, str | int | float)},
    )


def _cell(value: Any, name: str, where: str) -> str:
    """A cell as text; a number as a spreadsheet shows it."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    value = getattr(value, "text", value)  # a formula over several cells is an object of openpyxl's
    return a_text(value if value is None or isinstance(value, str) else str(value), name, where)


def _number(value: Any) -> Any:
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return None


def _tabs(file: Path) -> Iterator[Sequence[Any]]:
    try:
        text = read_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"byte {error.start} is not UTF-8 text", where=file.name, mend="Save it as UTF-8.") from None
    lines = csv.reader(io.StringIO(text, newline=""), dialect="excel-tab")
    csv.field_size_limit(LONGEST_TEXT)
    try:
        yield from lines
    except csv.Error as error:
        raise DataError(f"it cannot be read ({error})", where=f"{file.name}, line {lines.line_num}") from None


def _workbook(file: Path) -> Iterator[Sequence[Any]]:
    """The rows of the first sheet. openpyxl gives a formula as its text and never computes it."""
    try:
        import openpyxl
    except ImportError:
        raise UsageError(f"{file}: reading .xlsx needs openpyxl. Install it: pip install 'beholder[data]'") from None
    import zipfile
    from warnings import catch_warnings, simplefilter

    if not file.is_file():
        raise UsageError(f"{file}: there is no such file.")
    try:
        with zipfile.ZipFile(file) as archive:
            if sum(info.file_size for info in archive.infolist()) > _LARGEST_UNPACKED:
                raise UsageError(f"{file}: it unpacks to more than {_LARGEST_UNPACKED >> 30} GiB.")
        with catch_warnings():
            simplefilter("ignore")  # openpyxl warns of parts of a workbook that nobody reads here
            book = openpyxl.load_workbook(file, read_only=True, data_only=False, keep_links=False)
            try:
                yield from book.worksheets[0].iter_rows(max_col=_MOST_COLUMNS, values_only=True)
            finally:
                book.close()
    except UsageError:
        raise
    except Exception as error:  # noqa: BLE001 - openpyxl raises whatever its parsers do; this is where it is classified
        reason = (str(error).splitlines() or [""])[0][:120] or type(error).__name__
        raise DataError(f"this workbook cannot be read ({reason})", where=file.name, mend="Save it again.") from None
