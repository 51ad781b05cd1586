"""One portable file of a run, and opening one that came from somewhere else."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import zipfile
import zlib
from contextlib import closing
from pathlib import Path

from beholder.errors import UsageError
from beholder.store import schema
from beholder.store.folder import Blobs

_MEMBER = re.compile(r"run\.json|run\.db|results\.json|imported\.json|blobs/[0-9a-f]{2}/[0-9a-f]{64}")
_UNPACKED_LIMIT = 64 << 30
_MOST_TIMES, _ANYWAY = 100, 16 << 20
"""A run's database packs to a tenth or so and its images not at all; what grows a hundredfold is a trap."""
_UNREADABLE = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError)
"""What `zipfile` raises for an archive that is damaged, encrypted (`RuntimeError`) or of an unknown method."""


def pack(run: Path, target: Path) -> tuple[int, int]:
    """Writes the run folder into one zip file, under a temporary name first.

    Returns its size in bytes, and how many images were left out because they are no longer what the run saw.

    The database is copied with SQLite's own backup, so that a run that is being written gives a consistent copy.
    """
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    snapshot = target.with_name(f".{target.name}.{os.getpid()}.db")
    blobs, changed = Blobs(run), 0
    try:
        with closing(schema.open_to_read(run / "run.db")) as source, closing(sqlite3.connect(snapshot)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            archive.write(run / "run.json", "run.json")
            archive.write(snapshot, "run.db")
            for name in ("results.json", "imported.json"):
                if (run / name).is_file():
                    archive.write(run / name, name)
            for blob in sorted((run / "blobs").glob("??/*")):
                name = f"blobs/{blob.parent.name}/{blob.name}"
                if not _MEMBER.fullmatch(name):
                    continue
                data = blobs.read(blob.name)
                if data is None:
                    changed += 1
                else:  # images are compressed already
                    archive.writestr(name, data, compress_type=zipfile.ZIP_STORED)
        temporary.replace(target)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{target} cannot be written ({reason}). Choose another --out.") from None
    finally:
        temporary.unlink(missing_ok=True)
        snapshot.unlink(missing_ok=True)
    return target.stat().st_size, changed


def unpack(archive_path: Path, folder: Path) -> Path:
    """Unpacks a packed run into a new folder. Only the files that a run can have are taken, by their exact names."""
    try:
        with zipfile.ZipFile(archive_path) as archive:
            members = archive.infolist()
            strange = [member.filename for member in members if not _MEMBER.fullmatch(member.filename)]
            if strange or not {"run.json", "run.db"} <= {member.filename for member in members}:
                raise UsageError(f"{archive_path} is not a packed run (unexpected {strange[:1] or 'contents'}).")
            if len({member.filename for member in members}) < len(members):
                raise UsageError(f"{archive_path} is not a packed run (a file is in it twice).")
            size, packed_size = sum(m.file_size for m in members), sum(m.compress_size for m in members)
            if size > min(_UNPACKED_LIMIT, _MOST_TIMES * packed_size + _ANYWAY):
                raise UsageError(
                    f"{archive_path} would unpack to {size:,} bytes, too many for its own size. Not opened."
                )
            for member in members:
                target = folder / member.filename
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as source, target.open("wb") as sink:
                    shutil.copyfileobj(source, sink, 1 << 20)
    except _UNREADABLE as error:
        raise UsageError(f"{archive_path} cannot be read as a packed run ({error}).") from None
    (folder / "blobs").mkdir(exist_ok=True)
    return folder
