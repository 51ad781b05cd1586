"""Finds and reads the JSON files that masks come in, and the images beside them. Kinds are told by content.

Everything is bounded before it is read, and no name in a file leads out of the folders that the user gave.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import msgspec

from beholder.benchmarks.records import Record, image_ref
from beholder.errors import DataError, UsageError

MOST_BYTES = 1 << 30
"""Bytes of one JSON file; COCO's largest has 450 million."""
MOST_FILES = 64
"""JSON files, or folders, of one folder that are looked at."""
IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")
_HEAD = 1 << 16
_NUMBER = re.compile(r"([0-9]{1,18})$")
_SHAPE = "Give a COCO instances, panoptic or results file, or RefCOCO references saved as JSON."

Id = int | str
T = TypeVar("T")


class Kind(StrEnum):
    """What a file holds."""

    INSTANCES = "instances"
    PANOPTIC = "panoptic"
    RESULTS = "results"
    REFERENCES = "references"
    EXPRESSIONS = "expressions"
    CATEGORIES = "categories"
    IMAGES = "images"
    OTHER = "other"


MASKS = (Kind.INSTANCES, Kind.PANOPTIC, Kind.RESULTS)


class ImageInfo(msgspec.Struct, frozen=True):
    """An entry of `images`."""

    id: Id
    file_name: str
    width: int = 0
    height: int = 0


class Category(msgspec.Struct, frozen=True):
    """An entry of `categories`; `isthing` is 0 for what is no object, such as sky, None if the file does not say."""

    id: Id
    name: str
    isthing: int | bool | None = None


_ABSENT = msgspec.Raw()


class _Peek(msgspec.Struct, frozen=True):
    """The fields that tell what a record is."""

    segmentation: msgspec.Raw = _ABSENT
    segments_info: msgspec.Raw = _ABSENT
    sentences: msgspec.Raw = _ABSENT
    sent: msgspec.Raw = _ABSENT
    file_name: msgspec.Raw = _ABSENT
    name: msgspec.Raw = _ABSENT


class JsonFile:
    """One JSON file: what kind it is, and its lists, of which no record is decoded yet."""

    def __init__(self, path: Path) -> None:
        self.path = path
        top = _decode(_bytes(path), path)
        self.lists: dict[str, msgspec.Raw] = top if isinstance(top, dict) else {"": top}
        self.kind = self._kind()

    def _kind(self) -> Kind:
        if "annotations" in self.lists:
            first = self._first("annotations")
            if bytes(first.segments_info):
                return Kind.PANOPTIC
            return Kind.INSTANCES if bytes(first.segmentation) else Kind.OTHER
        if "images" in self.lists:
            return Kind.IMAGES
        if "categories" in self.lists:
            return Kind.CATEGORIES
        first = self._first("predictions" if "predictions" in self.lists else "")
        for seen, kind in (
            (first.segmentation, Kind.RESULTS),
            (first.sentences, Kind.REFERENCES),
            (first.sent, Kind.EXPRESSIONS),
            (first.file_name, Kind.IMAGES),
            (first.name, Kind.CATEGORIES),
        ):
            if bytes(seen):
                return kind
        return Kind.OTHER

    def _first(self, key: str) -> _Peek:
        try:
            records = msgspec.json.decode(self.lists.get(key, b"[]"), type=list[msgspec.Raw])
            return msgspec.json.decode(records[0], type=_Peek) if records else _Peek()
        except msgspec.MsgspecError:
            return _Peek()

    def records(self, key: str, kind: type[T], what: str) -> Iterator[tuple[str, T]]:
        """The records of one list with their places (`file.json, annotation 12`); `DataError` for one of another
        shape."""
        try:
            raws = msgspec.json.decode(self.lists.get(key, b"[]"), type=list[msgspec.Raw])
        except msgspec.MsgspecError as error:
            raise DataError(f"{key or 'the file'} is not a list ({error})", where=self.path.name, mend=_SHAPE) from None
        for number, raw in enumerate(raws, start=1):
            where = f"{self.path.name}, {what} {number}"
            try:
                yield where, msgspec.json.decode(raw, type=kind)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                raise DataError(f"it cannot be read: {error}", where=where, mend="Mend or remove it.") from None

    def main_key(self) -> str:
        """The list that a file of references, expressions, results, categories or images alone holds."""
        return next((key for key in ("", "predictions", "categories", "images") if key in self.lists), "")

    def categories(self) -> dict[Id, Category]:
        """Category by id; empty if the file names none."""
        key = self.main_key() if self.kind is Kind.CATEGORIES else "categories"
        return {record.id: record for _, record in self.records(key, Category, "category")}

    def images(self) -> dict[Id, ImageInfo]:
        """Image by id; empty if the file names none."""
        key = self.main_key() if self.kind is Kind.IMAGES else "images"
        return {record.id: record for _, record in self.records(key, ImageInfo, "image")}


def json_files(folder: Path) -> list[Path]:
    """The JSON files of a folder by name, at most `MOST_FILES`."""
    found = (path for path in _inside(folder) if path.suffix.lower() == ".json" and path.is_file())
    return [path for path in found if not path.name.startswith(".")][:MOST_FILES]


def mentions(path: Path, field: str) -> bool:
    """Whether the field occurs at the beginning of the file: whether it is worth reading whole."""
    try:
        with path.open("rb") as stream:
            return f'"{field}"'.encode() in stream.read(_HEAD)
    except OSError:  # what may not be read is no companion
        return False


def _bytes(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise UsageError(f"{path}: there is no such file.")
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise DataError(f"the file has {size:,} bytes, the limit is {MOST_BYTES:,}", where=path.name)
        return path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise UsageError(f"{path}: cannot be read: {error}.") from error


def _decode(data: bytes, path: Path) -> dict[str, msgspec.Raw] | msgspec.Raw:
    start = data[:4096].lstrip()[:1]
    if path.suffix.lower() in (".p", ".pkl", ".pickle") or data.startswith(b"\x80"):
        raise DataError(
            "this is a pickle, which can run code when it is read",
            where=path.name,
            mend="Save the references as JSON and give that file.",
        )
    try:
        if start == b"{":
            return msgspec.json.decode(data, type=dict[str, msgspec.Raw])
        if start == b"[":
            return msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"this is not valid JSON: {error}", where=path.name, mend="Fetch the file again.") from None
    raise DataError("this holds neither a JSON object nor a JSON list", where=path.name, mend=_SHAPE)


class Folder:
    """A folder of images: they are found by the name in the records, else by the number at the end of their names."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._numbered: dict[int, Path] | None = None

    def find(self, image_id: Id, file_name: str, where: str) -> Path | None:
        """The image's file, or None if it is not there; `DataError` for a name that leaves the folder."""
        if file_name:
            # This refuses addresses and names that lead out of the folder.
            ref = image_ref(Record(where, 0, {}), file_name, self.path)
            if ref.path is not None and _is_file(ref.path):
                return Path(ref.path)
        if self._numbered is None:
            self._numbered = _by_number(self.path)
        return self._numbered.get(number) if (number := _number_of(str(image_id))) is not None else None


def _is_file(path: str) -> bool:
    try:
        return os.path.isfile(path)
    except ValueError:  # a lone surrogate
        return False


def _number_of(name: str) -> int | None:
    found = _NUMBER.search(name[-24:])
    return int(found[1]) if found else None


def _by_number(folder: Path) -> dict[int, Path]:
    found: dict[int, Path] = {}
    for path in _inside(folder):
        number = _number_of(path.stem)
        if number is not None and path.suffix.lower() in IMAGE_SUFFIXES:
            found.setdefault(number, path)
    return found


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:  # a folder that may not be listed holds nothing for us
        return []


def image_folders(annotations: Path, images: Path | None) -> list[Folder]:
    """Where images may be: the given folder and those in it; if none is given, the annotations' folder, those in it
    and those beside it."""
    if images is not None and not images.is_dir():
        raise UsageError(f"{images} is not a folder of images.")
    home = images or (annotations if annotations.is_dir() else annotations.parent)
    places = (home,) if images is not None else (home, home.resolve().parent)
    near = [path for place in places for path in _inside(place) if path.is_dir()]
    return [Folder(path) for path in (home, *near[:MOST_FILES])]


def clean_name(text: str) -> str:
    """A name from a file, fit for a question: one line of printable characters, at most 80."""
    printable = "".join(char if char.isprintable() else " " for char in text[:400])
    return " ".join(printable.split())[:80].strip(" .")
