"""Reads what experiment 3 needs out of the run folders of its arms: conversations, pictures, questions."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from importlib import resources

import msgspec
import PIL.Image

from beholder.benchmarks.tir.rotation import Wanted, wanted
from beholder.engine.lifecycle import Result
from beholder.errors import DataError
from beholder.experiments.costs import costs_of
from beholder.experiments.rotation import PublishedCalls, RotationRows, Tried, tried
from beholder.experiments.turned import Original
from beholder.images.load import load, pixels
from beholder.sample import ImageRef
from beholder.store import reading, schema, turns
from beholder.store.folder import Blobs


class Turns:
    """Measures pictures against the items' own, each original prepared and each pair measured once for all arms."""

    def __init__(self) -> None:
        self._originals: dict[str, Original | None] = {}
        self._measured: dict[tuple[str, str], int | None] = {}

    def turn(self, own: str, sha256: str, blobs: Blobs) -> int | None:
        """By how many degrees clockwise a picture is the item's own turned; None if it is not, or the run has no copy.

        Both are named by the SHA-256 of their files.
        """
        if own not in self._originals:
            picture = _picture(own, blobs)
            self._originals[own] = Original(picture) if picture is not None else None
        original = self._originals[own]
        if original is None:
            return None
        if (own, sha256) not in self._measured:
            picture = _picture(sha256, blobs)
            self._measured[own, sha256] = None if picture is None else original.turn_of(picture)
        return self._measured[own, sha256]


def rows_of(name: str, interface: str, prompt: str, result: Result, measured: Turns) -> RotationRows:
    """What one arm holds. A conversation that failed shows nothing: neither its calls nor its cost is counted."""
    costs = costs_of(result.folder)
    ended_well = {one.key for one in costs}
    blobs = Blobs(result.folder)
    seen: dict[str, Tried] = {}
    asked: dict[str, Wanted | None] = {}
    with contextlib.closing(schema.open_to_read(result.folder / "run.db")) as db:
        own: dict[str, Sequence[ImageRef]] = {}
        for sample in reading.samples(db):
            asked[sample.key] = wanted(sample)
            own[sample.key] = sample.images
        for (key, _, _), trajectory in turns.trajectories(db):
            if key in ended_well:
                seen[key] = tried(trajectory, interface, _turn_in(own.get(key, ()), blobs, measured))
    return RotationRows(
        name=name, interface=interface, prompt=prompt, items=result.items, costs=costs, seen=seen, asked=asked
    )


def _turn_in(own: Sequence[ImageRef], blobs: Blobs, measured: Turns) -> Callable[[str], float | None]:
    """Measures pictures against the item's own; nothing is measured where the item has not exactly one."""
    kind, _, digest = (own[0].path or "").partition(":") if len(own) == 1 else ("", "", "")
    return lambda sha256: measured.turn(digest, sha256, blobs) if kind == "sha256" else None


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
