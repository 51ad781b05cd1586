"""Bringing a published data set into a folder: from the hub or from a copy, checked file by file, counted at the end.

Which commit a folder keeps to is written into it before the first byte comes, so that a fetch that was broken off goes
on with the same data, whatever its authors do meanwhile.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from beholder.audit import hub
from beholder.audit.unpacking import PICTURES, unpack, unpacked_in
from beholder.benchmarks.fetched import MANIFEST, Fetched, FetchedFile, read_fetched, write_fetched
from beholder.benchmarks.published import Published
from beholder.benchmarks.records import read_records
from beholder.errors import BeholderError, DataError, UsageError

Say = Callable[[str], None]
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SPARE = 64 << 20
"""Bytes of a disk that a fetch leaves free."""


def look(published: Published, revision: str) -> hub.Offer:
    """What the hub holds of a data set at a revision, cut down to the files that are its data.

    `UsageError` if one of them is not there.
    """
    offer = hub.ask(published.repository, revision)
    wanted = tuple(file for file in offer.files if _is_wanted(published, file.name))
    _check_all_there(published, [file.name for file in wanted], f"{offer.repository} at {offer.commit[:12]}")
    for file in wanted:
        hub.check_name(file.name)
    return msgspec.structs.replace(offer, files=wanted)


def begun(published: Published, folder: Path) -> Fetched | None:
    """What was fetched into a folder already; None if it is new or empty. `UsageError` if it holds something else."""
    there = read_fetched(folder)
    if there is None:
        if folder.is_dir() and any(folder.iterdir()):
            raise UsageError(f"{folder} holds something else. Give another folder with --out.")
        return None
    if there.data_set != published.name:
        raise UsageError(f"{folder} holds the data set {there.data_set[:40]}. Give another folder with --out.")
    return there


def faults(folder: Path, there: Fetched) -> list[str]:
    """What is wrong with a folder that should be whole: files that are missing or are not what was fetched."""
    found = []
    for file in there.files:
        hub.check_name(file.name)
        path = folder / file.name
        if not path.is_file():
            found.append(f"{file.name} is missing")
        elif path.stat().st_size != file.bytes or hub.sha256_of(path) != file.sha256:
            found.append(f"{file.name} has been changed")
    if there.unpacked is not None and unpacked_in(folder) != (there.unpacked.files, there.unpacked.bytes):
        found.append(f"{PICTURES}/ is not what {there.unpacked.archive} holds")
    return found


def fetch(published: Published, offer: hub.Offer, folder: Path, say: Say) -> Fetched:
    """Brings all files of an offer into the folder, unpacks the archive, counts the records.

    Files that are there and whole are kept, parts are gone on with. `BeholderError` says in one line why it cannot go
    on; what has come stays for the next call. `say` is told what is done, in plain sentences.
    """
    _make_folder(folder)
    begin = Fetched(
        data_set=published.name,
        benchmark=published.benchmark,
        repository=offer.repository,
        commit=offer.commit,
        licence=offer.licence or published.licence,
    )
    missing = sum(file.bytes for file in offer.files if not (folder / file.name).is_file())
    _check_room(folder, missing)
    write_fetched(folder, begin)
    come: list[FetchedFile] = []
    for file in offer.files:
        path = folder / file.name
        sha256 = hub.sha256_of(path) if path.is_file() else ""
        if not sha256 or not hub.is_the_one(path, file, sha256):
            sha256 = hub.download(offer, file, folder)
        if published.sha256.get(file.name, sha256) != sha256:
            raise DataError("it is not the file that was published: its SHA-256 is another", where=file.name)
        come.append(FetchedFile(name=file.name, bytes=file.bytes, sha256=sha256))
    return _completed(published, begin, tuple(come), folder, say)


def copy(published: Published, source: Path, folder: Path, say: Say) -> Fetched:
    """The same from a folder that holds the files: a mirror, a snapshot of the hub's cache, a folder fetched elsewhere.

    Where that folder tells what was fetched into it, each file is checked against it, and its commit is kept.
    `UsageError` if a file is missing there.
    """
    told = read_fetched(source)
    if told is not None and told.data_set != published.name:
        raise UsageError(f"--from {source} holds the data set {told.data_set[:40]}, not {published.name}.")
    if not source.is_dir():
        raise UsageError(f"--from {source}: there is no such folder.")
    names = sorted(path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file())
    wanted = [name for name in names if _is_wanted(published, name) and not name.startswith(".")]
    _check_all_there(published, wanted, str(source))
    known = {file.name: file.sha256 for file in told.files} if told is not None else dict(published.sha256)
    _make_folder(folder)
    begin = Fetched(
        data_set=published.name,
        benchmark=published.benchmark,
        repository=published.repository,
        commit=told.commit if told is not None else _commit_of_snapshot(source),
        licence=told.licence if told is not None else published.licence,
    )
    _check_room(folder, sum((source / name).stat().st_size for name in wanted if not (folder / name).is_file()))
    write_fetched(folder, begin)
    come = []
    for name in wanted:
        hub.check_name(name)
        part, target = folder / hub.PARTS / "copy", folder / name
        for parent in (part.parent, target.parent):
            parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, part)
        sha256 = hub.sha256_of(part)
        if known.get(name, sha256) != sha256:
            part.unlink()
            raise DataError("it is not the file that was published or fetched: its SHA-256 is another", where=name)
        part.replace(target)
        come.append(FetchedFile(name=name, bytes=target.stat().st_size, sha256=sha256))
    return _completed(published, begin, tuple(come), folder, say)


def counted(published: Published, there: Fetched) -> str:
    """What is to be said of the number of records: that it is the published one, or that it is not."""
    if there.records is None:
        return "The records were not counted: that needs pip install 'beholder[data]'."
    if there.records == published.records:
        return f"{there.records:,} records, as published."
    return f"{there.records:,} records; {published.title} has {published.records:,} as published."


def _completed(published: Published, begin: Fetched, files: tuple[FetchedFile, ...], folder: Path, say: Say) -> Fetched:
    unpacked = None
    if published.archive:
        say(f"Unpacking {published.archive} …")
        unpacked = unpack(folder / published.archive, folder)
    done = msgspec.structs.replace(
        begin,
        files=files,
        unpacked=unpacked,
        records=_count(published, folder, files),
        complete=True,
        fetched=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    shutil.rmtree(folder / hub.PARTS, ignore_errors=True)
    write_fetched(folder, done)
    return done


def _count(published: Published, folder: Path, files: tuple[FetchedFile, ...]) -> int | None:
    """How many records the files hold; None if nothing here reads Parquet. `DataError` if they are no such files."""
    total = 0
    for file in files:
        if file.name == published.archive:
            continue
        if not file.name.endswith(".parquet"):
            total += sum(1 for _ in read_records(folder / file.name))
            continue
        try:
            from pyarrow import ArrowException, parquet
        except ImportError:
            return None
        try:
            with parquet.ParquetFile(folder / file.name) as table:
                total += table.metadata.num_rows
        except (ArrowException, OSError, ValueError) as error:
            reason = (str(error).splitlines() or ["no reason given"])[0][:200]
            raise DataError(f"this Parquet file cannot be read: {reason}", where=file.name) from None
    return total


def _is_wanted(published: Published, name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in published.files)


def _check_all_there(published: Published, names: list[str], where: str) -> None:
    for pattern in published.files:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise UsageError(f"{where} holds no {pattern}, which {published.title} is made of.")


def _commit_of_snapshot(source: Path) -> str:
    """The hub's cache names a snapshot by its commit."""
    place = source.resolve()
    return place.name if place.parent.name == "snapshots" and _COMMIT.fullmatch(place.name) else ""


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot be made ({error.strerror}). Give another folder with --out.") from None


def _check_room(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if needed + _SPARE > free:
        raise UsageError(
            f"{folder}: {needed >> 20:,} MiB are to come, but only {free >> 20:,} MiB are free. Free some, or give "
            "another folder with --out."
        )


def newest(published: Published) -> str | None:
    """The commit that the hub has now, None if it cannot be asked."""
    try:
        return hub.ask(published.repository, hub.NEWEST).commit
    except BeholderError:
        return None


__all__ = ["MANIFEST", "Say", "begun", "copy", "counted", "faults", "fetch", "look", "newest"]
