"""Filling the database and the pictures of a new annotation project."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path

import msgspec

from beholder.annotate import project_db
from beholder.annotate.items import OPEN, Annotator, KeptApart, NewItem
from beholder.errors import DataError, UsageError
from beholder.images import load as images
from beholder.report.plain_text import plain
from beholder.sample import ImageRef
from beholder.store.folder import write_atomically
from beholder.store.storable import json_text, storable

IMAGES = "images"
LONGEST_RECORD = 1 << 20
"""Bytes of one record as JSON."""
_CONFIRM = "The models agree; a person has to confirm it."


def build(
    folder: Path, records: Iterable[NewItem], annotators: Sequence[Annotator], apart: Iterable[KeptApart]
) -> None:
    """Makes the database and stores the pictures. `apart` is read after the records, whose reading may add to it.

    `UsageError` if nothing can be written, if no item is left, or if people have decided here already. A folder that
    held nothing before holds nothing after an error.
    """
    unfinished = folder / f".{project_db.FILE}.{os.getpid()}"
    was_there = folder.exists()
    was_empty = not (folder.is_dir() and any(folder.iterdir()))
    try:
        _check_undecided(folder)
        (folder / IMAGES).mkdir(parents=True, exist_ok=True)
        db = project_db.create(unfinished)
        try:
            with project_db.writing(db):
                _fill(db, folder, records, annotators, apart)
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            db.execute("PRAGMA journal_mode=DELETE")  # one plain file, which can be renamed
        finally:
            db.close()
        _check_undecided(folder)  # again: it may have been long
        unfinished.replace(folder / project_db.FILE)
        was_empty = False
    except (OSError, sqlite3.Error) as error:
        raise UsageError(f"No project can be made in {folder} ({getattr(error, 'strerror', None) or error}).") from None
    finally:
        for left in folder.glob(f"{unfinished.name}*"):
            left.unlink()
        if was_empty:
            shutil.rmtree(folder / IMAGES, ignore_errors=True)
            if not was_there:
                with suppress(OSError):
                    folder.rmdir()


def _check_undecided(folder: Path) -> None:
    """Refuses to put a new database where people have decided: project.json alone may have been lost."""
    path = folder / project_db.FILE
    if not path.is_file():
        return
    with closing(project_db.open_to_write(path)) as db:
        decided = db.execute("SELECT count(*) FROM decisions").fetchone()[0]
    if decided:
        raise UsageError(f"{path} holds decisions of people, but its project.json is gone. Restore it from a copy.")


def write_info(path: Path, info: msgspec.Struct) -> None:
    """Writes project.json in one step."""
    write_atomically(path, msgspec.json.format(msgspec.json.encode(info), indent=2))


def _fill(
    db: sqlite3.Connection,
    folder: Path,
    records: Iterable[NewItem],
    annotators: Sequence[Annotator],
    apart: Iterable[KeptApart],
) -> None:
    rows = [(number, storable(one.name), storable(one.run)) for number, one in enumerate(annotators)]
    db.executemany("INSERT INTO annotators VALUES (?, ?, ?)", rows)
    unusable: list[KeptApart] = []
    seen: set[str] = set()
    for record in records:
        try:
            if record.key in seen:
                raise DataError("another record has the same key", where=record.where or record.key)
            _insert(db, folder, record, len(seen))
            seen.add(record.key)
        except DataError as error:
            unusable.append(apart_of(error, record.key))
    unusable = [*apart, *unusable]
    if not seen:
        some = f" ({unusable[0].place}: {unusable[0].why})" if unusable else ""
        raise UsageError(f"No record can be annotated{some}. Correct the data.")
    lines = [
        (number, plain(one.place, one_line=True, limit=300), plain(one.why, one_line=True, limit=1_000))
        for number, one in enumerate(unusable)
    ]
    db.executemany("INSERT INTO kept_apart VALUES (?, ?, ?)", lines)


def _insert(db: sqlite3.Connection, folder: Path, record: NewItem, position: int) -> None:
    told = json_text(record.record)
    if len(told) > LONGEST_RECORD:
        raise DataError(f"the record has {len(told):,} bytes, at most {LONGEST_RECORD:,} are taken", where=record.where)
    pictures = [store_picture(folder, ref, record.where) for ref in record.images]
    db.executemany(
        "INSERT OR IGNORE INTO images VALUES (?, ?, ?, ?, ?)",
        [(one.sha256, one.mime, one.width, one.height, one.n_bytes) for one in pictures],
    )
    made = record.consensus
    why = "" if made is None else " ".join(made.why) or _CONFIRM
    db.execute(
        "INSERT INTO items (key, position, title, record, images, state, why, consensus, draft, drafted_by) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            record.key,
            position,
            plain(record.title, one_line=True, limit=120),
            told,
            json_text([picture.sha256 for picture in pictures]),
            OPEN if made is None else made.state,
            why,
            json_text(made) if made is not None else None,
            json_text(record.draft),
            record.drafted_by,
        ),
    )
    db.executemany(
        "INSERT INTO proposals VALUES (?, ?, ?, ?, ?)",
        [
            (record.key, one.annotator, json_text(one.value), one.missing, " ".join(one.faults))
            for one in record.proposals
        ],
    )


def store_picture(folder: Path, ref: ImageRef, where: str) -> images.Image:
    """Stores a picture under the hash of its bytes. Raises `DataError` if it cannot be read."""
    try:
        found = images.load(ref)
    except DataError as error:
        raise DataError(str(error), where=where) from None
    path = folder / IMAGES / found.sha256
    if not path.is_file() or path.stat().st_size != found.n_bytes:
        write_atomically(path, found.data)
    return found


def apart_of(error: DataError, place: str = "") -> KeptApart:
    """A record that cannot be used, from what was said of it."""
    where = error.where or place
    return KeptApart(where or "a record", str(error).removeprefix(f"{where}: "))
