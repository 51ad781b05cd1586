"""The folder of a fetched data set: where it lies, and the file in it that says what it holds and where from."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from beholder.benchmarks.published import NOT_PUBLIC, published
from beholder.errors import UsageError

MANIFEST = "beholder-data.json"
"""What makes a folder that of a fetched data set."""
VARIABLE = "BEHOLDER_DATA"
DEFAULT = Path("data")
_FORMAT = 1


class FetchedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file as it came: its name relative to the folder, with `/`; its size and SHA-256."""

    name: str
    bytes: int
    sha256: str


class Unpacked(msgspec.Struct, frozen=True, kw_only=True):
    """What came out of an archive: how many files, and how many bytes all together."""

    archive: str
    files: int
    bytes: int


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """`beholder-data.json`. `commit` is "" where a copy was made from a folder that does not tell it.

    `complete` is False while a fetch is at work or was broken off; `commit` is already what the next one keeps to.
    `fetched` is the day and time at which it was complete (UTC); `records` is None where nobody could count them.
    """

    data_set: str
    benchmark: str
    repository: str
    commit: str
    licence: str
    complete: bool = False
    fetched: str = ""
    records: int | None = None
    files: tuple[FetchedFile, ...] = ()
    unpacked: Unpacked | None = None
    format: int = _FORMAT

    @property
    def origin(self) -> str:
        """Where it is from, in a few words."""
        return f"{self.repository} at {self.commit[:12]}" if self.commit else f"{self.repository}, commit not known"


def folder_of(name: str) -> Path:
    """Where the data set of that name lies: in the folder that `BEHOLDER_DATA` names, or in `./data`."""
    return Path(os.environ.get(VARIABLE) or DEFAULT) / name


def read_fetched(folder: Path) -> Fetched | None:
    """What the folder says of itself, None if no data set was fetched into it. `UsageError` if that cannot be read."""
    file = folder / MANIFEST
    try:
        found = msgspec.json.decode(file.read_bytes(), type=Fetched)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read ({error}). Fetch the data anew into another folder.") from None
    if found.format > _FORMAT:
        raise UsageError(f"{file} was written by a newer Beholder (format {found.format}). Upgrade Beholder.")
    return found


def write_fetched(folder: Path, fetched: Fetched) -> None:
    """Writes it whole or not at all."""
    temporary = folder / f".{MANIFEST}.{os.getpid()}"
    temporary.write_bytes(msgspec.json.format(msgspec.json.encode(fetched), indent=1) + b"\n")
    temporary.replace(folder / MANIFEST)


def fetched_data(name: str, given_by: str = "--data") -> tuple[Path, Fetched]:
    """The folder of a data set that was fetched, and what it holds. `UsageError` names the command that fetches it.

    `given_by` says how the command takes the path of other data.
    """
    folder = folder_of(name)
    found = read_fetched(folder)
    if found is None:
        mend = f"Give its path with {given_by}, or get it with `beholder data fetch {name}`."
        if name not in published():
            mend = f"Give its path with {given_by}. {NOT_PUBLIC.get(name, '')}".rstrip()
        raise UsageError(f"No data is given, and none was fetched into {folder}. {mend}")
    if not found.complete:
        raise UsageError(f"{folder} is not complete yet. `beholder data fetch {name}` goes on with it.")
    return folder, found
