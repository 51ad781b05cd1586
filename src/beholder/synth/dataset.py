"""Writes generated items as a data set in the public TIR-Bench layout, and makes a written one again.

    TIR-Bench.json          a list of records: id, task, prompt, answer, image_1, image_2, meta_data
    data/TASK/00000.png     the pictures, numbered in the order of the task's records; pairs end in _left and _right
    manifest.json           what was drawn for each item, and the SHA-256 of each file

`meta_data` holds TIR-Bench's `difficulty` and, beyond TIR-Bench, `synthetic` (true), `level`, and `photo` where the
item shares a photograph with others: such items are not independent, and intervals need to know.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import PIL

import beholder
from beholder.errors import DataError, UsageError
from beholder.synth.families import FAMILIES
from beholder.synth.generate import SHIPPED, Draw, SourcePaths, make_items
from beholder.synth.item import LEVELS, Item, Sources

RECORDS, MANIFEST = "TIR-Bench.json", "manifest.json"
LAYOUT = 3
"""Version of the manifest. A generator that would draw otherwise from the same seed must raise it."""


class Made(msgspec.Struct, frozen=True):
    """One item in the manifest: how to draw it again, its files with their SHA-256, and what was drawn for it."""

    id: int
    task: str
    seed: int
    level: int
    files: dict[str, str]
    certificate: dict[str, Any]


class Manifest(msgspec.Struct, frozen=True):
    """What a written data set is made of.

    `records` is the SHA-256 of the record file; `sources` those of the files that items were made from
    (`SourcePaths.digests`).
    """

    layout: int
    beholder: str
    pillow: str
    records: str
    sources: dict[str, str]
    items: tuple[Made, ...]


def write_dataset(draws: Sequence[Draw], out: Path, paths: SourcePaths = SHIPPED, *, jobs: int = 1) -> Path:
    """Makes the items of `draws` and writes them to the new folder `out`, which it returns.

    Everything is written under a hidden temporary name beside it, which is renamed at the end: `out` is whole or is not
    there. `jobs` processes make items; the bytes do not depend on how many. `UsageError` if `out` already holds
    something, cannot be written, or there is nothing to make; otherwise what the makers raise.
    """
    _free(draws, out)
    return _made(draws, out, paths, paths.read(), jobs)


def _free(draws: Sequence[Draw], out: Path) -> None:
    """`UsageError` unless there is something to make and `out` is free for it."""
    if not draws:
        raise UsageError("There are no items to make.")
    with _writing(out):
        taken = out.exists() and (not out.is_dir() or any(out.iterdir()))
    if taken:
        raise UsageError(f"{out} is there already. Give the name of a new folder.")


def _made(draws: Sequence[Draw], out: Path, paths: SourcePaths, sources: Sources, jobs: int) -> Path:
    with _new_folder(out) as folder:
        made, records = _write(draws, make_items(draws, paths, jobs=jobs, sources=sources), folder, out)
        drawn = {str(item.certificate.get("source") or "") for item in made} - {""}
        manifest = Manifest(
            layout=LAYOUT,
            beholder=beholder.__version__,
            pillow=PIL.__version__,
            records=hashlib.sha256(records).hexdigest(),
            sources=paths.digests(sources, drawn),
            items=tuple(made),
        )
        with _writing(out):
            (folder / RECORDS).write_bytes(records)
            (folder / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
    return out


def remake(manifest: Path, out: Path, paths: SourcePaths = SHIPPED, *, jobs: int = 1) -> Path:
    """Makes the data set of a manifest again, from its seeds and the sources alone, and checks each file.

    `paths` must name the photographs and masks that were used, if they were not the shipped ones. `DataError` if the
    manifest cannot be read, a source is another, or a picture comes out with other bytes (as another version of zlib or
    Pillow may cause); then `out` is not there.
    """
    made = read_manifest(manifest)
    draws = [Draw(item.task, item.seed, item.level) for item in made.items]
    _free(draws, out)
    sources = paths.read()
    now = paths.digests(sources, made.sources)
    if now != made.sources:
        changed = sorted(name for name in now.keys() | made.sources.keys() if now.get(name) != made.sources.get(name))
        raise DataError(
            f"the photographs or masks are not those that were used ({', '.join(changed[:3])})",
            where=manifest.name,
            mend="Give --photos and --masks as they were given before.",
        )
    _made(draws, out, paths, sources, jobs)
    again = read_manifest(out / MANIFEST)
    for before, after in zip(made.items, again.items, strict=True):
        if before != after:
            what = f"item {before.id} ({before.task}) comes out with other bytes"
            break
    else:
        if made.records == again.records:
            return out
        what = f"{RECORDS} comes out with other bytes"
    shutil.rmtree(out)
    raise DataError(
        what,
        where=manifest.name,
        mend=f"Use the versions that wrote it: Beholder {made.beholder}, Pillow {made.pillow}.",
    )


def read_manifest(path: Path) -> Manifest:
    """The manifest at `path`; `UsageError` if it is not there, `DataError` if it is not one."""
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise UsageError(f"{path} cannot be read: {fault.strerror or fault}.") from fault
    try:
        layout = msgspec.json.decode(data, type=_Layout).layout
        made = msgspec.json.decode(data, type=Manifest) if layout == LAYOUT else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise DataError(
            f"this is not a manifest ({fault})", where=path.name, mend=f"Give the {MANIFEST} of a generated folder."
        ) from fault
    if made is None:
        raise DataError(
            f"the manifest has layout {layout}; this version makes layout {LAYOUT}",
            where=path.name,
            mend="Use the Beholder that wrote it.",
        )
    for place, item in enumerate(made.items):
        if item.task in FAMILIES and item.level in LEVELS and 0 <= item.seed < 2**64:
            continue
        if item.task not in FAMILIES:
            what = f"no task {item.task[:40]!r}"
        else:
            what = f"no level {item.level}" if item.level not in LEVELS else "no such seed"
        raise DataError(
            f"there is {what}", where=f"{path.name}, item {place}", mend="Give the manifest as it was written."
        )
    return made


def is_intact(folder: Path, draws: Sequence[Draw]) -> bool:
    """Whether a folder holds, unchanged, the data set that `write_dataset` makes of these draws."""

    def digest(file: str) -> str:
        return hashlib.sha256((folder / file).read_bytes()).hexdigest()

    try:
        made = read_manifest(folder / MANIFEST)
        same = [Draw(item.task, item.seed, item.level) for item in made.items] == list(draws)
        files = [pair for item in made.items for pair in item.files.items()]
        return same and digest(RECORDS) == made.records and all(digest(file) == sha for file, sha in files)
    except (DataError, UsageError, OSError):
        return False


class _Layout(msgspec.Struct, frozen=True):
    layout: int


def _write(draws: Sequence[Draw], items: Iterable[Item], folder: Path, out: Path) -> tuple[list[Made], bytes]:
    """Writes the pictures; what the manifest says of each item, and the text of the record file."""
    made: list[Made] = []
    records: list[bytes] = []
    numbers: dict[str, int] = {}
    for index, (draw, item) in enumerate(zip(draws, items, strict=True)):
        number = numbers.setdefault(item.task, 0)
        numbers[item.task] += 1
        pictures = dict(zip(picture_names(item, number), item.pictures, strict=True))
        with _writing(out):
            (folder / "data" / item.task).mkdir(parents=True, exist_ok=True)
            for name, picture in pictures.items():
                (folder / name).write_bytes(picture)
        records.append(msgspec.json.encode(record_of(item, index, list(pictures))))
        files = {name: hashlib.sha256(picture).hexdigest() for name, picture in pictures.items()}
        made.append(Made(index, item.task, draw.seed, draw.level, files, item.certificate))
    return made, b"[\n" + b",\n".join(records) + b"\n]\n"


def picture_names(item: Item, number: int) -> list[str]:
    """Where the pictures of a task's item of that number lie in the folder."""
    ends = ("",) if len(item.pictures) == 1 else ("_left", "_right")
    return [f"data/{item.task}/{number:05d}{end}{item.suffix}" for end in ends]


def record_of(item: Item, index: int, names: Sequence[str]) -> dict[str, Any]:
    """The record of an item in the TIR-Bench layout."""
    about: dict[str, Any] = {"difficulty": item.difficulty, "synthetic": True, "level": item.certificate["level"]}
    if item.cluster:
        about["photo"] = item.cluster
    return {
        "id": index,
        "task": item.task,
        "prompt": item.prompt,
        "answer": item.answer,
        "image_1": names[0],
        "image_2": names[1] if len(names) > 1 else None,
        "meta_data": about,
    }


@contextmanager
def _writing(out: Path) -> Iterator[None]:
    """Around the writing alone: other faults of the system, while items are made, must not pass for faults of `out`."""
    try:
        yield
    except OSError as fault:
        raise UsageError(f"{out} cannot be written: {fault.strerror or fault}.") from fault


@contextmanager
def _new_folder(out: Path) -> Iterator[Path]:
    """A folder to write in that becomes `out` if all goes well and is removed otherwise."""
    folder = out.parent / f".{out.name}.{secrets.token_hex(4)}.partial"
    with _writing(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir()
    try:
        yield folder
        with _writing(out):
            if out.exists():
                out.rmdir()
            os.rename(folder, out)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
