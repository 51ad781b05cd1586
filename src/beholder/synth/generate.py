"""Which items to make, from what, and the making itself, in one process or several."""

from __future__ import annotations

import hashlib
import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import msgspec

from beholder.errors import DataError, UsageError
from beholder.seeds import seed_for
from beholder.synth.families import FAMILIES, family, items_of
from beholder.synth.item import DEFAULT_LEVEL, LEVELS, Item, Sources
from beholder.synth.masks import read_masks
from beholder.synth.photographs import photos_in, shipped_photos


class Draw(NamedTuple):
    """One item to be made: it follows from these three and the sources."""

    task: str
    seed: int
    level: int


class SourcePaths(msgspec.Struct, frozen=True):
    """Where photographs and masks come from.

    `photos` is a folder (None: the shipped ones); `masks` is an annotation file, `mask_images` the folder of its
    images (None: beside it).
    """

    photos: Path | None = None
    masks: Path | None = None
    mask_images: Path | None = None

    def read(self) -> Sources:
        """The sources; `UsageError` or `DataError` if there are none or they cannot be read."""
        photos = shipped_photos() if self.photos is None else photos_in(self.photos)
        masks = () if self.masks is None else read_masks(self.masks, self.mask_images)
        return Sources(photos, masks)

    def digests(self) -> dict[str, str]:
        """SHA-256 of every file that items may be made from, by name."""
        sources = self.read()
        found = {photo.name: _digest(Path(photo.ref.path or "")) for photo in sources.photos.items}
        if self.masks is not None:
            found[f"masks: {self.masks.name}"] = _digest(self.masks)
        files = {mask.image.path: f"masked: {mask.image.name}" for mask in sources.masks if mask.image.path}
        files |= {mask.file: f"mask: {Path(mask.file).name}" for mask in sources.masks if mask.file}
        return found | {name: _digest(Path(path)) for path, name in files.items()}


SHIPPED = SourcePaths()


def draws_for(names: Sequence[str], n: int, seed: int, levels: Sequence[int] = (DEFAULT_LEVEL,)) -> list[Draw]:
    """`n` draws of each family named (`all`: every one), levels in turn.

    Item i of a family depends on the seed, its number and the levels, not on `n` or on which other families are made.
    `UsageError` for an unknown family or level, or none to make.
    """
    if n < 1:
        raise UsageError(f"The number of items must be at least 1, not {n}.")
    if not levels or any(level not in LEVELS for level in levels):
        raise UsageError(f"The difficulty must be 1 to 5, not {', '.join(map(str, levels)) or 'none'}.")
    tasks = list(FAMILIES) if "all" in names else list(dict.fromkeys(family(name).task for name in names))
    return [
        Draw(task, seed_for(seed, task, "item", number), levels[number % len(levels)])
        for task in tasks
        for number in range(n)
    ]


def make_item(draw: Draw, sources: Sources) -> Item:
    """The item of one draw."""
    item = items_of(draw.task).make(draw.seed, draw.level, sources)
    assert isinstance(item, Item)
    return item


def make_items(draws: Sequence[Draw], paths: SourcePaths = SHIPPED, *, jobs: int = 1) -> Iterator[Item]:
    """The items in the order of their draws, made by `jobs` processes."""
    sources = paths.read()  # what cannot be read is said before anything is made
    if jobs <= 1 or len(draws) < 2 * jobs:
        for draw in draws:
            yield make_item(draw, sources)
        return
    context = multiprocessing.get_context("spawn")  # a fork would copy threads that we know nothing of
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(paths,)) as pool:
        try:
            yield from pool.map(_make_here, draws, chunksize=4)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


_here: list[Sources] = []


def _begin(paths: SourcePaths) -> None:
    _here[:] = [paths.read()]


def _make_here(draw: Draw) -> Item:
    return make_item(draw, _here[0])


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as fault:
        raise DataError(
            f"it cannot be read ({fault.strerror or fault})", where=path.name, mend="Give another folder."
        ) from fault
