"""Reads one side of a leak check, training or evaluation data: its items with their texts and their pictures.

A side is a benchmark's data, any JSON, JSON lines or Parquet file whose records name or embed pictures, or a folder of
pictures. What a file is follows from the columns of its first record (`LAYOUTS`), unless a benchmark is named.

Of other records, the pictures are in the columns `images` and `image` (also `image_1`, `image_2`, …), the text in
`PLAIN`, or, of a conversation (`messages`, `conversations`), what its users say: OUR choice, as the question is what
must not have been trained on. Pictures that a conversation shows in its parts are taken too. The records stream:
pictures that they embed are not held.

A file that cannot be read to its end is refused: of what lies behind, nothing would be known.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import LoadOptions
from beholder.benchmarks.records import Record, data_files, image_ref, read_records
from beholder.errors import DataError, UsageError
from beholder.images.header import EXTENSIONS
from beholder.sample import ImageRef

LAYOUTS: dict[str, frozenset[str]] = {
    "tfq": frozenset({"images", "problem", "answer"}),
    "vl-rewardbench": frozenset({"query", "response", "human_ranking"}),
    "tir": frozenset({"task", "prompt", "image_1"}),
}
"""Benchmark → the columns by which its data is recognised."""
PLAIN = ("problem", "question", "query", "prompt", "instruction", "statement", "text")
_PICTURES = re.compile(r"images?(?:_\d{1,3})?")
_TALK = ("messages", "conversations")
_USERS = frozenset({"user", "human"})
OnError = Callable[[DataError], None]


class Place(msgspec.Struct, frozen=True):
    """Where a side is: its path, the benchmark that it is said to be ("": recognised), the folder of its images."""

    path: Path
    benchmark: str = ""
    images: Path | None = None


class Item(msgspec.Struct, frozen=True):
    """One item. `key` is what `run --ids` takes, `name` what a person knows it by, `source` file and record.

    `origins` tells, for each picture, which file or record it came from: pictures with the same origin are one.
    """

    key: str
    name: str
    text: str
    pictures: tuple[ImageRef, ...]
    origins: tuple[str, ...]


def read_side(place: Place, on_error: OnError) -> Iterator[Item]:
    """The items at a place, in order; what cannot be used is told to `on_error`.

    `UsageError` if there is nothing there, `DataError` where a file breaks off.
    """
    if not place.benchmark and _is_folder_of_pictures(place.path):
        return _pictures(place.path, on_error)
    name = place.benchmark or recognised(place.path)
    return _samples(place, name, on_error) if name else _records(place, on_error)


def recognised(path: Path) -> str:
    """The benchmark whose columns the data has, "" if it is none that is known."""
    for record in read_records(path):
        return next((name for name, columns in LAYOUTS.items() if columns <= record.value.keys()), "")
    return ""


def _is_folder_of_pictures(path: Path) -> bool:
    if not path.is_dir():
        return False
    try:
        data_files(path)
    except UsageError:
        return next(_pictures(path, lambda error: None), None) is not None
    return False


def _pictures(folder: Path, on_error: OnError) -> Iterator[Item]:
    """Every picture under a folder, by its name in it; links to folders are not followed."""

    def closed(error: OSError) -> None:
        message = f"the folder cannot be read: {error.strerror or error}"
        on_error(DataError(message, where=str(error.filename), mend="Check its permissions."))

    for where, folders, files in os.walk(folder, onerror=closed):
        folders.sort()
        for link in filter(os.path.islink, (os.path.join(where, name) for name in folders)):
            on_error(DataError("a link to a folder is not followed", where=link, mend="Give the folder itself too."))
        for file in sorted(files):
            if file.rpartition(".")[2].lower() in EXTENSIONS:
                path = os.path.join(where, file)
                name = os.path.relpath(path, folder)
                yield Item(name, name, "", (ImageRef(name, path=path),), (path,))


def _samples(place: Place, name: str, on_error: OnError) -> Iterator[Item]:
    found = benchmark(name)
    for sample in found.load(place.path, LoadOptions(images=place.images, on_error=on_error)):
        group = sample.group if found.grouped and sample.group else sample.key
        origins = tuple(ref.path or f"{group} {number}" for number, ref in enumerate(sample.images))
        yield Item(sample.key, sample.record_id or sample.source, sample.question, sample.images, origins)


def _records(place: Place, on_error: OnError) -> Iterator[Item]:
    folder = place.images or data_files(place.path)[0].parent
    for record in read_records(place.path):
        try:
            item = _item(record, folder)
        except DataError as error:
            on_error(error)
        else:
            yield item


def _item(record: Record, folder: Path) -> Item:
    value = record.value
    given = [one for name in value if _PICTURES.fullmatch(name) for one in _listed(value[name])]
    shown = (part["image"] for turn in _turns(value) for part in _parts(turn) if _is_picture(part))
    refs = tuple(image_ref(record, one, folder) for one in (*given, *shown))
    named = value.get("key", value.get("id"))
    name = str(named) if isinstance(named, str | int) else record.where
    origins = tuple(ref.path or f"{record.where} {number}" for number, ref in enumerate(refs))
    return Item(name, name, _text(value), refs, origins)


def _listed(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def _text(value: dict[str, Any]) -> str:
    plain = next((said for name in PLAIN if isinstance(said := value.get(name), str) and said.strip()), None)
    if plain is not None:
        return plain.replace("<image>", " ")
    asked = (turn for turn in _turns(value) if turn.get("role", turn.get("from")) in _USERS)
    said = (part.get("text") if isinstance(part, dict) else part for turn in asked for part in _parts(turn))
    return "\n".join(one for one in said if isinstance(one, str)).replace("<image>", " ")


def _turns(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name in (*_TALK, "prompt"):
        if isinstance(value.get(name), list):
            yield from (turn for turn in value[name] if isinstance(turn, dict))


def _parts(turn: dict[str, Any]) -> list[Any]:
    return _listed(turn.get("content", turn.get("value")))


def _is_picture(part: Any) -> bool:
    """`{"type": "image", "image": …}`; without the last one it stands for a picture of the record's column."""
    return isinstance(part, dict) and part.get("type") == "image" and part.get("image") is not None
