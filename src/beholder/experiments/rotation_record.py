"""Reads what experiment 3 needs out of the run folders of its arms: conversations, pictures, questions."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from importlib import resources

import msgspec
import PIL.Image

from beholder.engine.lifecycle import Result
from beholder.errors import DataError
from beholder.experiments.costs import costs_of
from beholder.experiments.rotation import PublishedCalls, RotationRows, Tried, Wanted, tried, wanted
from beholder.experiments.turned import Original
from beholder.images.load import load, pixels
from beholder.sample import ImageRef
from beholder.store import reading, schema, turns
from beholder.store.folder import Blobs


class Originals:
    """The pictures of the items, each prepared once for all arms, by the SHA-256 of its file."""

    def __init__(self) -> None:
        self._known: dict[str, Original | None] = {}

    def get(self, sha256: str, blobs: Blobs) -> Original | None:
        """The picture of that hash; None if the run has no copy that can be read."""
        if sha256 not in self._known:
            picture = _picture(sha256, blobs)
            self._known[sha256] = Original(picture) if picture is not None else None
        return self._known[sha256]


def rows_of(name: str, interface: str, prompt: str, result: Result, originals: Originals) -> RotationRows:
    """What one arm holds."""
    blobs = Blobs(result.folder)
    seen: dict[str, Tried] = {}
    asked: dict[str, Wanted | None] = {}
    with contextlib.closing(schema.open_to_read(result.folder / "run.db")) as db:
        own: dict[str, Sequence[ImageRef]] = {}
        for sample in reading.samples(db):
            asked[sample.key] = wanted(sample)
            own[sample.key] = sample.images
        for (key, _, _), trajectory in turns.trajectories(db):
            seen[key] = tried(trajectory, interface, _turn_in(own.get(key, ()), blobs, originals))
    costs = costs_of(result.folder)
    return RotationRows(
        name=name, interface=interface, prompt=prompt, items=result.items, costs=costs, seen=seen, asked=asked
    )


def _turn_in(own: Sequence[ImageRef], blobs: Blobs, originals: Originals) -> Callable[[str], float | None]:
    """Measures pictures against the item's own; nothing is measured where the item has not exactly one."""
    kind, _, digest = (own[0].path or "").partition(":") if len(own) == 1 else ("", "", "")
    measured: dict[str, float | None] = {}

    def turn_of(sha256: str) -> float | None:
        original = originals.get(digest, blobs) if kind == "sha256" else None
        if original is None:
            return None
        if sha256 not in measured:
            picture = _picture(sha256, blobs)
            measured[sha256] = None if picture is None else original.turn_of(picture)
        return measured[sha256]

    return turn_of


def _picture(sha256: str, blobs: Blobs) -> PIL.Image.Image | None:
    try:
        data = blobs.read(sha256)
        return None if data is None else pixels(load(ImageRef(name=sha256[:12], data=data)))
    except (DataError, ValueError):  # no hash, or no picture: a run from elsewhere may hold anything
        return None


def published_calls() -> PublishedCalls:
    """The paper's average calls, with their source."""
    file = resources.files("beholder.experiments") / "published_calls.json"
    return msgspec.json.decode(file.read_bytes(), type=PublishedCalls)
