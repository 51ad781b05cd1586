"""Where the data of each benchmark is published, under which licence, and what should be in it: a table of facts.

The table is `published.json`. A revision or a digest that nobody has seen is null there, never a guess.
"""

from __future__ import annotations

import difflib
from functools import cache
from importlib import resources

import msgspec

from beholder.errors import UsageError

NOT_PUBLIC = {
    "m3r": "M3R-Bench's data is not public. `beholder example` writes a small set of ours, and `beholder import "
    "metaphor` makes one of the public sets that it was built from.",
    "hvqr": "HVQR's data is not among those that can be fetched yet.",
}
"""Names that one would look for, and why they cannot be fetched."""


class Published(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One published data set.

    `repository` is a data set on the Hugging Face hub; `revision` the commit to take, None where none is known: then
    the first fetch takes what is there and keeps to it (OUR way). `files` are patterns of the names of the files that
    make up the data; each must be there. `archive` is the one of them that holds the pictures, "" if the records do.
    `bytes` is the size of the data as its card tells it, None where it does not; `records` and `images` are counted as
    the card counts; `categories` says how many records each has. `sha256` gives digests of files that are known.
    """

    name: str
    benchmark: str
    title: str
    repository: str
    files: tuple[str, ...]
    licence: str
    records: int
    revision: str | None = None
    archive: str = ""
    bytes: int | None = None
    images: int | None = None
    categories: dict[str, int] = {}
    sha256: dict[str, str] = {}
    note: str = ""


class _Table(msgspec.Struct, frozen=True):
    read: str
    note: str
    data_sets: tuple[Published, ...]


@cache
def published() -> dict[str, Published]:
    """All of them, by name, in the order in which they are shown."""
    table = msgspec.json.decode(resources.files(__package__).joinpath("published.json").read_bytes(), type=_Table)
    return {one.name: one for one in table.data_sets}


def data_set(name: str) -> Published:
    """The data set of that name. `UsageError` says why there is none, or names the nearest."""
    found = published().get(name)
    if found is not None:
        return found
    if name in NOT_PUBLIC:
        raise UsageError(NOT_PUBLIC[name])
    near = difflib.get_close_matches(name.lower().replace("_", "-"), published(), n=3, cutoff=0.4)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    raise UsageError(f"There is no data set {name[:40]!r} to fetch.{hint} Known: {', '.join(published())}.")


def nearest(benchmark: str, records: int) -> Published | None:
    """Which published data set of a benchmark this many records would be: the one of that size, else the first one.

    None for a benchmark whose data is not published.
    """
    own = [one for one in published().values() if one.benchmark == benchmark]
    return next((one for one in own if one.records == records), next(iter(own), None))
