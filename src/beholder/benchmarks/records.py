"""Reading the records of a data set or a result file: JSON lists, JSON lines and Parquet.

Every record comes with its place (`data.jsonl, line 12`), so that an error about its content can name it.
JSON lines and Parquet are streamed: memory does not grow with the file. A JSON list is read whole, but
decoded record by record.

JSON is read by msgspec; what msgspec refuses is tried again with the standard library, because that is what
most files were written with and it allows more (`NaN`, lone surrogates such as `"\\ud83d"`).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar, overload

import msgspec

from beholder.errors import DataError, UsageError
from beholder.sample import ImageRef

T = TypeVar("T")

LINE_SUFFIXES = (".jsonl", ".ndjson")
SUFFIXES = (".json", *LINE_SUFFIXES, ".parquet")
LONGEST_LINE = 256 * 1024 * 1024
"""Bytes of one JSON line; a longer one is an error: a file without line ends must not fill the memory."""
PARQUET_BATCH = 64
"""Rows decoded at a time: a row may embed images of several megabytes."""
_NOT_DATA = {"beholder-data.json", "manifest.json", "dataset_info.json", "dataset_infos.json", "state.json"}
_SHARD = re.compile(r"-(\d{5})-of-(\d{5})$")
_ADDRESS = re.compile(r"data:|[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:[/\\]")
_BOM = b"\xef\xbb\xbf"


class Record(msgspec.Struct, frozen=True):
    """One record of a file.

    `where` names file and place, counted from 1 (`data.json, record 12` or `data.jsonl, line 12`).
    `index` is the position among the records of the whole data set, from 0.
    """

    where: str
    index: int
    value: dict[str, Any]


def read_records(path: Path) -> Iterator[Record]:
    """The records at `path`: a JSON, JSONL or Parquet file, or a folder that holds exactly one such data set.

    Raises `UsageError` at once if there is no such data, `DataError` while reading: a record that is not an
    object, malformed JSON or Parquet, text that is not UTF-8 (a byte order mark is accepted), a file without
    records.
    """
    return _numbered(data_files(path))


def data_files(path: Path) -> tuple[Path, ...]:
    """The files that `path` stands for, in reading order: one file, or all Parquet shards of a data set.

    A folder's data set lies in it or in its `data` folder. Raises `UsageError` if there is none or more than
    one, `DataError` if shards (`test-00001-of-00004.parquet`) are missing.
    """
    if path.is_dir():
        return _files_of_folder(path)
    if not path.exists():
        raise UsageError(f"{path}: there is no such file or folder.")
    if not path.is_file():
        raise UsageError(f"{path}: this is not a regular file. Save the data as a file and give its path.")
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{path}: cannot tell the format by the name. Known endings: {', '.join(SUFFIXES)}.")
    return (path,)


def file_digest(path: Path) -> str:
    """The SHA-256, in hex, of the data at `path`: of the one file, or of its shards joined in order."""
    digest = hashlib.sha256()
    for file in data_files(path):
        try:
            with file.open("rb") as stream:
                while block := stream.read(1 << 20):
                    digest.update(block)
        except OSError as error:
            raise _unreadable(file, error) from error
    return digest.hexdigest()


@overload
def require(record: Record, column: str, types: type[T]) -> T: ...
@overload
def require(record: Record, column: str, types: tuple[type[Any], ...]) -> Any: ...
def require(record: Record, column: str, types: type[Any] | tuple[type[Any], ...]) -> Any:
    """The value of a column that must be there and be of one of `types` (True and False are no numbers here).

    Raises `DataError` that names the record and the column; for a missing column also those that are there.
    """
    wanted = types if isinstance(types, tuple) else (types,)
    if column not in record.value:
        shown = ", ".join(_short(name) for name in list(record.value)[:20]) or "none"
        raise DataError(f"there is no column {column!r}; the columns are: {shown}", where=record.where)
    value = record.value[column]
    if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
        needed = " or ".join(dict.fromkeys(_KINDS.get(kind, kind.__name__) for kind in wanted))
        raise DataError(f"column {column!r} must be {needed} but is {kind_of(value)}", where=record.where)
    return value


def optional_text(record: Record, column: str) -> str:
    """The text of a column that may be missing or null (both give ""); any other type is a `DataError`."""
    return "" if record.value.get(column) is None else require(record, column, str)


def identifier(record: Record, column: str) -> str:
    """An id, written as text or as a number; "" where it is missing or null."""
    return "" if record.value.get(column) is None else str(require(record, column, (str, int, float)))


def image_ref(record: Record, value: Any, folder: Path) -> ImageRef:
    """The image that a record names or embeds.

    `value` is a path relative to `folder`, encoded bytes, or a struct `{bytes, path}` as Parquet files hold
    them (bytes win). The file is not opened. A path that leaves the folder is a `DataError`: data sets are
    not trusted to choose which files of this computer go to a model.
    """
    name = value
    if isinstance(value, dict):
        name, data = value.get("path"), value.get("bytes")
        if isinstance(data, bytes) and data:
            return ImageRef(name=name if isinstance(name, str) and name else record.where, data=data)
    if isinstance(value, bytes) and value:
        return ImageRef(name=record.where, data=value)
    if not isinstance(name, str) or not name:
        shown = "empty" if not value or isinstance(value, dict) else kind_of(value)
        raise DataError(
            f"an image must be a path or embedded bytes but is {shown}",
            where=record.where,
            mend="Put the image's path or bytes into the record.",
        )
    if _ADDRESS.match(name):
        raise DataError(
            f"the image {_short(name)} is an address, not a file",
            where=record.where,
            mend="Download the images and name the files.",
        )
    if "\0" in name or _ABSOLUTE.match(name) or (".." in name and ".." in re.split(r"[/\\]", name)):
        raise DataError(
            f"the image path {_short(name)} leaves the image folder",
            where=record.where,
            mend="Write image paths relative to the data file, or to the folder given by --images.",
        )
    return ImageRef(name=name, path=os.path.join(folder, name))


def kind_of(value: Any) -> str:
    """What a JSON value is, in words for a message."""
    if value is None:
        return "null"
    return _KINDS.get(type(value), type(value).__name__)


_KINDS: dict[type[Any], str] = {
    str: "text",
    bool: "true/false",
    int: "a number",
    float: "a number",
    list: "a list",
    tuple: "a list",
    dict: "an object",
    bytes: "bytes",
}


def _short(text: str, limit: int = 60) -> str:
    return repr(text if len(text) <= limit else text[:limit] + "…")


def _unreadable(file: Path, error: OSError) -> UsageError:
    return UsageError(f"{file}: cannot be read: {error.strerror or error}.")


def _files_of_folder(folder: Path) -> tuple[Path, ...]:
    sets: dict[str, list[Path]] = {}
    for place in (folder, folder / "data"):
        if not place.is_dir():
            continue
        for file in sorted(place.iterdir()):
            suffix = file.suffix.lower()
            if suffix not in SUFFIXES or file.name.startswith(".") or file.name in _NOT_DATA or not file.is_file():
                continue
            name = _SHARD.sub("", file.stem) if suffix == ".parquet" else file.stem
            sets.setdefault(str(file.relative_to(folder).with_name(name + suffix)), []).append(file)
    if not sets:
        raise UsageError(f"{folder}: this folder holds no data file ({', '.join(SUFFIXES)}), nor does its data folder.")
    if len(sets) > 1:
        names = ", ".join(list(sets)[:6])
        raise UsageError(f"{folder}: this folder holds {len(sets)} data sets ({names}). Give the path of one file.")
    files = next(iter(sets.values()))
    _all_shards_there(files)
    return tuple(files)


def _all_shards_there(files: list[Path]) -> None:
    shards = [found for file in files if (found := _SHARD.search(file.stem))]
    if shards and len(files) != int(shards[0][2]):
        raise DataError(
            f"{len(files)} of {int(shards[0][2])} shards are there",
            where=files[0].name,
            mend="Download the missing shards, or give the path of one shard to read it alone.",
        )


def _numbered(files: tuple[Path, ...]) -> Iterator[Record]:
    index = 0
    for file in files:
        for where, value in _read_file(file):
            if not isinstance(value, dict):
                raise DataError(f"a record must be an object but is {kind_of(value)}", where=where)
            yield Record(where, index, value)
            index += 1
    if index == 0:
        raise DataError("there are no records in it", where=files[0].name, mend="Check that this is the right file.")


def _read_file(file: Path) -> Iterator[tuple[str, Any]]:
    if file.suffix.lower() == ".parquet":
        return _read_parquet(file)
    if file.suffix.lower() in LINE_SUFFIXES or _opening(file) == b"{":
        return _read_lines(file)
    return _read_list(file)


def _opening(file: Path) -> bytes:
    """The first byte that is not white space: `{` in a .json file means one record a line."""
    try:
        with file.open("rb") as stream:
            return stream.read(4096).removeprefix(_BOM).lstrip()[:1]
    except OSError as error:
        raise _unreadable(file, error) from error


def _read_lines(file: Path) -> Iterator[tuple[str, Any]]:
    number = 0
    try:
        with file.open("rb") as stream:
            while line := stream.readline(LONGEST_LINE):
                number += 1
                where = f"{file.name}, line {number}"
                if len(line) == LONGEST_LINE:
                    raise DataError(f"the line is longer than {LONGEST_LINE >> 20} MiB", where=where)
                if number == 1:
                    line = _without_mark(line, file)
                if line.strip():
                    yield where, _decode(line, where, mend=_LINES if number == 1 else _RECORD)
    except OSError as error:
        raise _unreadable(file, error) from error


def _without_mark(data: bytes, file: Path) -> bytes:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError("the text is UTF-16", where=file.name, mend="Save the file as UTF-8.")
    return data.removeprefix(_BOM)


_RECORD = "Mend or remove this record."
_LINES = "A .json file holds a list of objects, a .jsonl file one object a line."


def _decode(data: bytes | msgspec.Raw, where: str, *, mend: str = _RECORD) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError):
        pass  # the standard library decides, see above
    try:
        return json.loads(bytes(data).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _not_utf8(error, where) from error
    except (ValueError, RecursionError) as error:
        raise _not_json(error, where, mend) from error


def _not_utf8(error: UnicodeDecodeError, where: str) -> DataError:
    return DataError(f"byte {error.start} is not UTF-8 text", where=where, mend="Save the file as UTF-8.")


def _not_json(error: Exception, where: str, mend: str = _RECORD) -> DataError:
    if isinstance(error, json.JSONDecodeError):
        message = f"this is not valid JSON: {error.msg.lower()} at character {error.pos}"
        return DataError(message, where=where, mend=mend)
    reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
    return DataError(f"this JSON cannot be read: {reason}", where=where, mend=mend)


def _read_list(file: Path) -> Iterator[tuple[str, Any]]:
    try:
        data = _without_mark(file.read_bytes(), file)
    except OSError as error:
        raise _unreadable(file, error) from error
    if not data.strip():
        raise DataError("the file is empty", where=file.name, mend="Check that this is the right file.")
    try:
        items = msgspec.json.decode(data, type=list[msgspec.Raw])
    except (msgspec.DecodeError, ValueError, RecursionError):
        yield from _read_list_slowly(data, file)
        return
    for number, item in enumerate(items, start=1):
        where = f"{file.name}, record {number}"
        yield where, _decode(item, where)


_SPACE = re.compile(r"[ \t\n\r]*")


def _read_list_slowly(data: bytes, file: Path) -> Iterator[tuple[str, Any]]:
    """A list that msgspec refuses, element by element, so that the element that is wrong can be named."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(error, file.name) from error
    decoder = json.JSONDecoder()
    place = _skip(text, 0)
    if text[place : place + 1] != "[":
        raise DataError(
            "this is not a list of records",
            where=file.name,
            mend=_LINES,
        )
    place, number = _skip(text, place + 1), 0
    more = text[place : place + 1] != "]"
    while more:
        number += 1
        where = f"{file.name}, record {number}"
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            raise _not_json(error, where) from error
        yield where, value
        place = _skip(text, place)
        more = text[place : place + 1] == ","
        if more:
            place = _skip(text, place + 1)
        elif text[place : place + 1] != "]":
            raise DataError(
                "the list breaks off or lacks a comma after this record",
                where=where,
                mend="Get the whole file.",
            )
    if text[place + 1 :].strip():
        raise DataError("there is text after the end of the list", where=file.name, mend="Remove it.")


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _read_parquet(file: Path) -> Iterator[tuple[str, Any]]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise UsageError(
            f"{file.name}: reading Parquet needs pyarrow. Install it with: pip install 'beholder[data]'"
        ) from error
    number = 0
    try:
        with parquet.ParquetFile(file, pre_buffer=False) as table:
            for batch in table.iter_batches(batch_size=PARQUET_BATCH):
                for row in batch.to_pylist():
                    number += 1
                    yield f"{file.name}, record {number}", row
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        first_line = (str(error).splitlines() or ["no reason given"])[0][:200]
        raise DataError(
            f"this Parquet file cannot be read: {first_line}",
            where=file.name if number == 0 else f"{file.name}, after record {number}",
            mend="Download it again.",
        ) from error
