"""The files of a site: each answer that its pages will ask for, by the request, and pictures by their hash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import msgspec

from beholder.report.as_json import dump

Params = Mapping[str, str | Sequence[str]]


def request_of(path: str, params: Params | None = None) -> str:
    """The request as the pages ask for it: `requestOf` of web/src/view/source.ts, and `URLSearchParams` below it.

    >>> request_of("api/compare", {"run": ["a b", "c~d"], "scorer": ""})
    'api/compare?run=a+b&run=c%7Ed'
    """
    pairs = [
        (name, one)
        for name, value in (params or {}).items()
        for one in ([value] if isinstance(value, str) else value)
        if one
    ]
    written = "&".join(f"{_encoded(name)}={_encoded(value)}" for name, value in pairs)
    return f"{path}?{written}" if written else path


def _encoded(text: str) -> str:
    sound = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return quote_plus(sound, safe="*").replace("~", "%7E")


class Held(msgspec.Struct, frozen=True):
    """What a site holds of a run: its first `n` samples out of `of`, rows in files of `chunk`."""

    folder: str
    n: int
    of: int
    chunk: int


class Manifest(msgspec.Struct):
    """`data/manifest.json`: request → file, the runs (in `order`), and what the files of pictures end in."""

    files: dict[str, str]
    runs: dict[str, Held]
    order: list[str]
    pictures: dict[str, str]


class Files:
    """Writes into the folder of a site, and keeps count."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = Manifest({}, {}, [], {})
        self.count = self.bytes = 0

    def put(self, name: str, body: bytes) -> None:
        """Writes a file; `name` is ours, with folders in it."""
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(body)
        self.count += 1
        self.bytes += len(body)

    def data(self, name: str, content: Any) -> None:
        """Writes JSON under `data/`."""
        self.put(f"data/{name}", as_bytes(content))

    def answer(self, name: str, content: Any, *requests: str) -> None:
        """Writes an answer, which is that to all these requests."""
        self.data(name, content)
        self.manifest.files |= dict.fromkeys(requests, name)


def as_bytes(content: Any) -> bytes:
    """JSON of anything that a page shows; huge numbers go as they are."""
    try:
        return msgspec.json.encode(content)
    except (UnicodeEncodeError, OverflowError):
        return dump(content).encode()
