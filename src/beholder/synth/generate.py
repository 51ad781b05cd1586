"""Which items to make, from what, and the making itself, in one process or several."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
from collections.abc import Container, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import NamedTuple

import msgspec

from beholder.errors import DataError, UsageError
from beholder.seeds import seed_for
from beholder.synth.families import ALL, FAMILIES, family, items_of, plain_name
from beholder.synth.item import DEFAULT_LEVEL, LEVELS, Item, Sources
from beholder.synth.masks import read_masks
from beholder.synth.masks_files import json_files
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

    def read(self, *, check: bool = True) -> Sources:
        """The sources; `UsageError` or `DataError` if there are none or they cannot be read.

        Unless `check` is false, each photograph of the user is read once and all bad ones are named (`Photos.check`).
        The photographs of masks, which may be a hundred thousand, are not: a bad one is told when it is drawn.
        """
        if self.photos is None:
            photos = shipped_photos()
        else:
            photos = photos_in(self.photos)
            if check:
                photos.check()
        masks = () if self.masks is None else read_masks(self.masks, self.mask_images)
        return Sources(photos, masks)

    def digests(self, sources: Sources | None = None, drawn: Container[str] = ()) -> dict[str, str]:
        """SHA-256 of the files that items are made from: `photos/NAME`, `masks/NAME`, `masked/PATH`, `mask/PATH`.

        That is every photograph, the annotations, and of the masked photographs (and the files that hold their masks)
        those that `drawn` holds by key or by name: there may be a hundred thousand. PATH is relative to the folder of
        images that was given, else to that of the annotations. `sources` are those of `read`, to spare reading them
        again; a photograph that was read for them is not read again either.
        """
        sources = sources or self.read()
        photos = sources.photos
        found = {f"photos/{photo.name}": photos.digest(place) for place, photo in enumerate(photos.items)}
        if self.masks is None:
            return found
        annotations = json_files(self.masks) if self.masks.is_dir() else [self.masks]
        home = self.mask_images or (self.masks if self.masks.is_dir() else self.masks.parent)
        files = {f"masks/{path.name}": path for path in annotations}
        for mask in sources.masks:
            path = Path(mask.image.path or "")
            key = _key("masked", path, home)
            if key in drawn or mask.image.name in drawn:
                files[key] = path
                if mask.file:
                    files[_key("mask", Path(mask.file), home)] = Path(mask.file)
        return found | {key: _digest(path) for key, path in files.items()}


SHIPPED = SourcePaths()


def draws_for(names: Sequence[str], n: int, seed: int, levels: Sequence[int] = (DEFAULT_LEVEL,)) -> list[Draw]:
    """`n` draws of each family named (`all`: every one), levels in turn.

    Item i of a family depends on the seed, i and its level, not on `n` or on which other families are made. Levels
    share no draws: item i of level 1 has nothing to do with item i of level 5.
    `UsageError` for an unknown family or level, or none to make.
    """
    if n < 1:
        raise UsageError(f"The number of items must be at least 1, not {n}.")
    if not levels or any(level not in LEVELS for level in levels):
        raise UsageError(f"The difficulty must be 1 to 5, not {', '.join(map(str, levels)) or 'none'}.")
    tasks = dict.fromkeys(
        task for name in names for task in (FAMILIES if plain_name(name) == ALL else [family(name).task])
    )
    numbered = [(task, number, levels[number % len(levels)]) for task in tasks for number in range(n)]
    return [Draw(task, seed_for(seed, task, "item", number, level), level) for task, number, level in numbered]


def make_item(draw: Draw, sources: Sources) -> Item:
    """The item of one draw."""
    item = items_of(draw.task).make(draw.seed, draw.level, sources)
    assert isinstance(item, Item)
    return item


def make_items(
    draws: Sequence[Draw], paths: SourcePaths = SHIPPED, *, jobs: int = 1, sources: Sources | None = None
) -> Iterator[Item]:
    """The items in the order of their draws, made by `jobs` processes.

    `sources` are those of `paths.read()`, to spare reading them again. With more than one job a script that calls this
    needs `if __name__ == "__main__":` around the call, as processes that Python starts import it. `UsageError` if such
    a process is ended from outside; otherwise what the makers raise.
    """
    sources = sources or paths.read()  # photographs that are missing, cut short or too small are told before any work
    if jobs <= 1 or len(draws) < 2 * jobs:
        for draw in draws:
            yield make_item(draw, sources)
        return
    context = multiprocessing.get_context("spawn")  # a fork would copy threads that we know nothing of
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(paths,)) as pool:
        try:
            yield from pool.map(_make_here, draws, chunksize=4)
        except BrokenProcessPool:
            raise UsageError("A process that made items was ended, perhaps for want of memory; use --jobs 1.") from None
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


_here: list[Sources] = []


def _begin(paths: SourcePaths) -> None:
    _here[:] = [paths.read(check=False)]  # they were checked before this process was started


def _make_here(draw: Draw) -> Item:
    return make_item(draw, _here[0])


def _key(kind: str, path: Path, home: Path) -> str:
    inside = os.path.relpath(path, home).replace(os.sep, "/")
    # A file name may be no valid text; manifests must be.
    return f"{kind}/{inside}".encode("utf-8", "backslashreplace").decode()


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as fault:
        raise DataError(
            f"it cannot be read ({fault.strerror or fault})", where=path.name, mend="Give another folder."
        ) from fault
