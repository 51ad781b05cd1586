"""Reads one side of a leak check, training or evaluation data: its items with their texts and their pictures.

A side is a benchmark's data, any JSON, JSON lines or Parquet file whose records name or embed pictures, or a folder of
pictures. What a file is follows from the columns of its first record (`LAYOUTS`), unless a benchmark is named.

Of other records, the pictures are in the columns `images` and `image` (also `image_1`, `image_2`, …), the text in
`PLAIN`, or, of a conversation (`messages`, `conversations`), what its users say: OUR choice, as the question is what
must not have been trained on. The records stream: pictures that they embed are not held.
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
    """The items at a place, in order; records that cannot be used are told to `on_error`, as far as one can go on.

    `UsageError` if there is nothing there.
    """
    if not place.benchmark and _is_folder_of_pictures(place.path):
        return _pictures(place.path)
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
        return next(_pictures(path), None) is not None
    return False


def _pictures(folder: Path) -> Iterator[Item]:
    """Every picture under a folder, by its name in it; links to folders are not followed."""
    for where, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(files):
            if file.rpartition(".")[2].lower() in EXTENSIONS:
                path = os.path.join(where, file)
                name = os.path.relpath(path, folder)
                yield Item(name, name, "", (ImageRef(name, path=path),), (path,))


def _samples(place: Place, name: str, on_error: OnError) -> Iterator[Item]:
    found = benchmark(name)
    try:
        for sample in found.load(place.path, LoadOptions(images=place.images, on_error=on_error)):
            group = sample.group if found.grouped and sample.group else sample.key
            origins = tuple(ref.path or f"{group} {number}" for number, ref in enumerate(sample.images))
            yield Item(sample.key, sample.record_id or sample.source, sample.question, sample.images, origins)
    except DataError as error:
        on_error(error)


def _records(place: Place, on_error: OnError) -> Iterator[Item]:
    folder = place.images or data_files(place.path)[0].parent
    try:
        for record in read_records(place.path):
            try:
                yield _item(record, folder)
            except DataError as error:
                on_error(error)
    except DataError as error:
        on_error(error)


def _item(record: Record, folder: Path) -> Item:
    value = record.value
    given = [one for name in value if _PICTURES.fullmatch(name) for one in _listed(value[name])]
    refs = tuple(image_ref(record, one, folder) for one in given)
    named = value.get("key", value.get("id"))
    name = str(named) if isinstance(named, str | int) else record.where
    origins = tuple(ref.path or f"{record.where} {number}" for number, ref in enumerate(refs))
    return Item(name, name, _text(value), refs, origins)


def _listed(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def _text(value: dict[str, Any]) -> str:
    plain = next((value[name] for name in PLAIN if isinstance(value.get(name), str)), None)
    if plain is not None:
        return str(plain).replace("<image>", " ")
    said: list[Any] = []
    for name in (*_TALK, "prompt"):
        for turn in value[name] if isinstance(value.get(name), list) else ():
            if isinstance(turn, dict) and turn.get("role", turn.get("from")) in _USERS:
                content = turn.get("content", turn.get("value"))
                parts = content if isinstance(content, list) else [content]
                said += [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "\n".join(one for one in said if isinstance(one, str)).replace("<image>", " ")
