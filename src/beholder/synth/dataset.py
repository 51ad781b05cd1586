"""Writes generated items as a data set in the public TIR-Bench layout, and makes a written one again.

    jigsaw.jsonl          one record a line: id, task, prompt, answer, image_1, image_2, meta_data
    data/jigsaw/*.png     the pictures, numbered in the order of the records
    manifest.json         what was drawn for each item, and the SHA-256 of each file

`meta_data` holds TIR-Bench's `difficulty` (the size n) and, beyond TIR-Bench, `photo`: items cut from one
photograph are not independent, and intervals need to know.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import PIL

import beholder
from beholder.errors import DataError, UsageError
from beholder.sample import KeyMaker, OrderedListTarget, Sample, TextPart
from beholder.synth.jigsaw import Certificate, make, sample_of
from beholder.synth.photographs import Photos, photos_in, shipped_photos

RECORDS, MANIFEST = "jigsaw.jsonl", "manifest.json"
LAYOUT = 1
"""Version of the manifest. A generator that would draw otherwise from the same seed must raise it."""


class Made(msgspec.Struct, frozen=True):
    """One item in the manifest: its picture's path and SHA-256, and what was drawn for it."""

    id: str
    file: str
    sha256: str
    certificate: Certificate


class Manifest(msgspec.Struct, frozen=True):
    """What a written data set is made of. `records` is the SHA-256 of the record file."""

    family: str
    layout: int
    beholder: str
    pillow: str
    records: str
    items: tuple[Made, ...]


def write_dataset(samples: Iterable[Sample], out: Path) -> Path:
    """Writes samples of `jigsaw.generate` to the new folder `out` and returns it.

    Everything is written under a hidden temporary name beside it, which is renamed at the end: `out` is whole
    or is not there. Samples are taken one at a time. `UsageError` if `out` already holds something, cannot be
    written, or there are no samples.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already. Give the name of a new folder.")
    try:
        with _new_folder(out) as folder:
            _write(samples, folder)
    except OSError as fault:
        raise UsageError(f"{out} cannot be written: {fault.strerror or fault}.") from fault
    return out


def remake(manifest: Path, out: Path, photos_dir: Path | None = None) -> Path:
    """Makes the data set of a manifest again, from its seeds and the photographs alone, and checks each file.

    `photos_dir` is needed if the photographs were not the shipped ones. `DataError` if the manifest cannot be
    read, a photograph is missing or another, or a picture comes out with other bytes (as another version of
    zlib may cause); then nothing is written to `out`.
    """
    made = read_manifest(manifest)
    photos = shipped_photos() if photos_dir is None else photos_in(photos_dir)
    write_dataset(_made_again(made, photos, manifest.name), out)
    digest = hashlib.sha256((out / RECORDS).read_bytes()).hexdigest()
    if digest != made.records:
        shutil.rmtree(out)
        raise DataError(
            f"{RECORDS} comes out with other bytes",
            where=manifest.name,
            mend=f"Use Beholder {made.beholder}, which wrote it.",
        )
    return out


def read_manifest(path: Path) -> Manifest:
    """The manifest at `path`; `UsageError` if it is not there, `DataError` if it is not one."""
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise UsageError(f"{path} cannot be read: {fault.strerror or fault}.") from fault
    try:
        made = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise DataError(
            f"this is not a manifest ({fault})", where=path.name, mend=f"Give the {MANIFEST} of a generated folder."
        ) from fault
    if (made.family, made.layout) != ("jigsaw", LAYOUT):
        raise DataError(
            f"the manifest is of {made.family!r}, layout {made.layout}; this version makes 'jigsaw', layout {LAYOUT}",
            where=path.name,
            mend=f"Use Beholder {made.beholder}, which wrote it.",
        )
    return made


def _made_again(made: Manifest, photos: Photos, name: str) -> Iterator[Sample]:
    make_key = KeyMaker("jigsaw")
    for index, item in enumerate(made.items):
        drawn = item.certificate
        place = photos.place(drawn.photo)
        where = f"{name}, item {item.id}"
        if photos.digest(place) != drawn.photo_digest:
            raise DataError(
                f"the photograph {drawn.photo!r} is not the one that was used",
                where=where,
                mend="Give the folder of photographs that was used before.",
            )
        puzzle = make(drawn.seed, drawn.n, photos, photo=place)
        if hashlib.sha256(puzzle.png).hexdigest() != item.sha256 or puzzle.certificate != drawn:
            raise DataError(
                "the picture comes out with other bytes",
                where=where,
                mend=f"Use the versions that wrote it: Beholder {made.beholder}, Pillow {made.pillow}.",
            )
        yield sample_of(puzzle, index, make_key)


def _write(samples: Iterable[Sample], folder: Path) -> None:
    items: list[Made] = []
    digest = hashlib.sha256()
    (folder / "data" / "jigsaw").mkdir(parents=True)
    with (folder / RECORDS).open("wb") as records:
        for sample in samples:
            picture = sample.images[0]
            if picture.data is None or "certificate" not in sample.metadata:
                raise UsageError(f"{sample.source}: only generated samples can be written.")
            line = msgspec.json.encode(record_of(sample)) + b"\n"
            digest.update(line)
            (folder / picture.name).write_bytes(picture.data)
            records.write(line)
            items.append(
                Made(
                    id=sample.record_id,
                    file=picture.name,
                    sha256=hashlib.sha256(picture.data).hexdigest(),
                    certificate=msgspec.convert(sample.metadata["certificate"], Certificate),
                )
            )
    if not items:
        raise UsageError("There are no samples to write.")
    manifest = Manifest(
        family="jigsaw",
        layout=LAYOUT,
        beholder=beholder.__version__,
        pillow=PIL.__version__,
        records=digest.hexdigest(),
        items=tuple(items),
    )
    (folder / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")


def record_of(sample: Sample) -> dict[str, Any]:
    """The record of a generated sample in the TIR-Bench layout."""
    assert isinstance(sample.target, OrderedListTarget)
    return {
        "id": sample.record_id,
        "task": "jigsaw",
        "prompt": "".join(part.text for part in sample.parts if isinstance(part, TextPart)),
        "answer": str(list(sample.target.values)),
        "image_1": sample.images[0].name,
        "image_2": None,
        "meta_data": {"difficulty": sample.metadata["n"], "photo": sample.cluster},
    }


@contextmanager
def _new_folder(out: Path) -> Iterator[Path]:
    """A folder to write in that becomes `out` if all goes well and is removed otherwise."""
    out.parent.mkdir(parents=True, exist_ok=True)
    folder = out.parent / f".{out.name}.{secrets.token_hex(4)}.partial"
    folder.mkdir()
    try:
        yield folder
        if out.exists():
            out.rmdir()
        os.rename(folder, out)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
