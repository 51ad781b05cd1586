"""Unpacking a published archive of pictures: only plain files, only into one folder, only so much."""

from __future__ import annotations

import os
import stat
import zipfile
from pathlib import Path, PurePosixPath

from beholder.benchmarks.fetched import Unpacked
from beholder.errors import DataError

PICTURES = "data"
"""The folder that the records' picture names begin with."""
MOST_FILES = 50_000
MOST_BYTES = 16 << 30
"""OUR bounds on what may come out of one archive: twenty times what any published one holds."""
MOST_TIMES = 200
"""How many times larger than in the archive a file may become; pictures hardly shrink."""
_BLOCK = 1 << 20
_LEFT_OUT = ("__MACOSX", ".DS_Store")
_MEND = "Fetch the data anew; if it is the same again, tell its authors."


def unpack(archive: Path, folder: Path) -> Unpacked:
    """Unpacks a ZIP archive of pictures into `folder/data`, over what lies there.

    Members lie under `data/` in the archive or directly in it. `DataError` for an archive that is damaged or encrypted,
    and for one that would write elsewhere, holds links, or grows beyond the bounds; what is counted are the bytes that
    come out, not those that it declares.
    """
    files = total = 0
    try:
        with zipfile.ZipFile(archive) as opened:
            members = [(info, _place(archive, info)) for info in opened.infolist()]
            wanted = [(info, place) for info, place in members if place is not None]
            if len(wanted) > MOST_FILES:
                raise DataError(f"the archive holds more than {MOST_FILES:,} files", where=archive.name, mend=_MEND)
            if len({place for _, place in wanted}) < len(wanted):
                raise DataError("the archive holds two files of one name", where=archive.name, mend=_MEND)
            for info, place in wanted:
                target = folder / PICTURES / place
                target.parent.mkdir(parents=True, exist_ok=True)
                total += _write(archive, opened, info, target, MOST_BYTES - total)
                files += 1
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise DataError(f"the archive cannot be unpacked ({error})", where=archive.name, mend=_MEND) from None
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        raise DataError("a file and a folder of the archive have one name", where=archive.name, mend=_MEND) from None
    return Unpacked(archive=archive.name, files=files, bytes=total)


def unpacked_in(folder: Path) -> tuple[int, int]:
    """How many files, with how many bytes, lie in the folder of pictures."""
    files = [path for path in (folder / PICTURES).rglob("*") if path.is_file() and not path.is_symlink()]
    return len(files), sum(path.stat().st_size for path in files)


def _place(archive: Path, info: zipfile.ZipInfo) -> Path | None:
    """Where a member goes, relative to the folder of pictures; None for a folder and for what a file manager adds."""
    name, kind = info.filename, info.external_attr >> 16
    parts = PurePosixPath(name).parts
    if name.startswith("/") or ".." in parts or any(char in name for char in "\\:\0"):
        raise DataError(f"the archive would write {name[:60]!r} outside its folder", where=archive.name, mend=_MEND)
    if stat.S_IFMT(kind) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise DataError(f"{name[:60]!r} in the archive is no plain file", where=archive.name, mend=_MEND)
    if info.is_dir() or any(part in _LEFT_OUT for part in parts):
        return None
    inside = parts[1:] if parts[0] == PICTURES and len(parts) > 1 else parts
    return Path(*inside)


def _write(archive: Path, opened: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path, room: int) -> int:
    """Writes one member, counting as it goes; returns its bytes."""
    room = min(room, max(info.compress_size, 1) * MOST_TIMES + _BLOCK)
    temporary = target.with_name(f".{target.name[:100]}.{os.getpid()}")
    written = 0
    try:
        with opened.open(info) as source, temporary.open("wb") as sink:
            while block := source.read(_BLOCK):
                written += len(block)
                if written > room:
                    raise DataError(
                        f"{info.filename[:60]!r} in the archive grows beyond all bounds", where=archive.name, mend=_MEND
                    )
                sink.write(block)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    return written
