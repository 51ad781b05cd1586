"""The pictures of both sides, each once, and which of them are the same picture, however it was saved.

How two pictures are the same, the surest first: `bytes`; `pixels` (upright, as EXIF says); `look` (`images.similar`:
re-encoded, resized, converted); and, where asked for, one of `images.variants` (mirrored, turned), or `crop`
(`images.crops`: one shows a part of the other).
"""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

import msgspec

from beholder.audit.duplicates import BYTES, LOOK, PIXELS
from beholder.audit.leak_sides import Item
from beholder.audit.picture_cache import PictureCache, file_facts
from beholder.errors import DataError
from beholder.images.fingerprint import Fingerprint, fingerprint_of
from beholder.images.load import load
from beholder.images.similar import Looks
from beholder.sample import ImageRef

CROP = "crop"
_AT_ONCE = 4
"""Pictures in work for each thread: what a file embeds is not held for longer."""
_KEPT_AT_ONCE = 200
PAIRED = 20
"""Pictures of the training data that are named for one of the evaluation, the surest ones."""

_Found = Fingerprint | DataError | Future[Fingerprint]


class Shown(msgspec.Struct, frozen=True):
    """One distinct picture of a side: its fingerprint, its name, and the numbers of the items that show it.

    `origins` are the files or records that it came from: more than one for a picture that is there several times.
    """

    print: Fingerprint
    name: str
    items: list[int]
    origins: dict[str, str]


class Unreadable(msgspec.Struct, frozen=True):
    """A picture that cannot be looked at, and the number of its item."""

    item: int
    name: str
    problem: str


class Same(msgspec.Struct, frozen=True):
    """Pictures number `one` and `other` (of one list or two) are the same, by `how`."""

    one: int
    other: int
    how: str


class Gallery:
    """Collects the distinct pictures of a side from its items, as they stream by, in threads."""

    def __init__(self, cache: PictureCache, *, corners: bool, watch: Callable[[int], None] = lambda seen: None) -> None:
        self.shown: list[Shown] = []
        self.unreadable: list[Unreadable] = []
        self.hashed = 0
        self._cache, self._corners, self._watch = cache, corners, watch
        self._places: dict[str, int] = {}  # SHA-256 → place in `shown`
        self._known: dict[str, _Found] = {}
        self._fresh: list[tuple[str | None, str, Fingerprint]] = []
        self._last: tuple[ImageRef, str] | None = None
        self._seen = 0

    def through(self, items: Iterator[Item]) -> Iterator[Item]:
        """The items, without their pictures' bytes, once their pictures have been looked at."""
        threads = os.cpu_count() or 1
        with ThreadPoolExecutor(threads) as pool:
            waiting: deque[tuple[int, Item, list[_Found]]] = deque()
            for number, item in enumerate(items):
                waiting.append((number, item, [self._found(ref, pool) for ref in item.pictures]))
                while len(waiting) > _AT_ONCE * threads:
                    yield self._settled(*waiting.popleft())
            while waiting:
                yield self._settled(*waiting.popleft())
        self._cache.keep(self._fresh, corners=self._corners)

    def _found(self, ref: ImageRef, pool: ThreadPoolExecutor) -> _Found:
        """The fingerprint, what is wrong, or who is at it: each picture is decoded once."""
        name = self._name(ref)
        if name not in self._known:
            held = (
                self._cache.of_file(ref.path, corners=self._corners)
                if ref.path is not None
                else self._cache.of_bytes(name, corners=self._corners)
            )
            self._known[name] = held or pool.submit(self._looked_at, ref)
        return self._known[name]

    def _name(self, ref: ImageRef) -> str:
        """By what a picture is known here: its path, or the SHA-256 of its bytes."""
        if ref.path is not None:
            return f"file {ref.path}"
        if self._last is None or self._last[0] is not ref:  # the rows of one picture share it
            self._last = (ref, hashlib.sha256(ref.data or b"").hexdigest())
        return self._last[1]

    def _looked_at(self, ref: ImageRef) -> Fingerprint:
        facts = file_facts(ref.path) if ref.path is not None else ""
        found = fingerprint_of(load(ref), corners=self._corners)
        self._fresh.append((ref.path, facts, found))  # appending is atomic
        return found

    def _settled(self, number: int, item: Item, prints: list[_Found]) -> Item:
        for ref, origin, begun in zip(item.pictures, item.origins, prints, strict=True):
            found = begun if not isinstance(begun, Future) else _result(begun)
            name = self._name(ref)
            if self._known[name] is begun:
                self._known[name] = found
                self.hashed += isinstance(begun, Future)
            if isinstance(found, DataError):
                self.unreadable.append(Unreadable(number, ref.name, found.message))
            else:
                self._show(number, ref, origin, found)
        self._seen += len(prints)
        self._watch(self._seen)
        if len(self._fresh) >= _KEPT_AT_ONCE:
            fresh = self._fresh[:_KEPT_AT_ONCE]
            del self._fresh[:_KEPT_AT_ONCE]
            self._cache.keep(fresh, corners=self._corners)
        bare = tuple(ImageRef(ref.name, path=ref.path) for ref in item.pictures)
        return msgspec.structs.replace(item, pictures=bare)

    def _show(self, number: int, ref: ImageRef, origin: str, found: Fingerprint) -> None:
        place = self._places.setdefault(found.sha256, len(self.shown))
        if place == len(self.shown):
            self.shown.append(Shown(found, ref.name, [], {}))
        shown = self.shown[place]
        if not shown.items or shown.items[-1] != number:
            shown.items.append(number)
        shown.origins.setdefault(origin, ref.name)


def between(ones: Sequence[Shown], others: Sequence[Shown], *, transforms: bool) -> list[Same]:
    """Pairs of a picture of the first side and one of the second that are the same, each with the surest how.

    `PAIRED` at most for a picture of the first side, and those of which one is a part of the other.
    """
    found: dict[tuple[int, int], str] = {}
    looks, digests = _index(others)
    for number, one in enumerate(ones):
        own: dict[int, str] = {}
        for how, digest in ((BYTES, one.print.sha256), (PIXELS, one.print.pixels)):
            for other in digests.get(digest, ()):
                own.setdefault(other, how)
        for other in looks.find(one.print.look):
            own.setdefault(other, LOOK)
        if transforms:
            from beholder.images.variants import variants

            for name, look in variants(one.print.small):
                for other in looks.find(look):
                    own.setdefault(other, name)
        found.update(((number, other), how) for other, how in islice(own.items(), PAIRED))
    if transforms:
        from beholder.images.crops import parts

        for pair in parts([one.print for one in ones], [other.print for other in others]):
            found.setdefault(pair, CROP)
    return [Same(one, other, how) for (one, other), how in sorted(found.items())]


def within(shown: Sequence[Shown]) -> list[Same]:
    """Each picture of a side that is there again under other bytes, with the first one that is the same."""
    looks, first = Looks(), dict[str, int]()
    found: list[Same] = []
    for number, one in enumerate(shown):
        pixel = first.get(one.print.pixels)
        alike = looks.find(one.print.look)
        if pixel is not None or alike:
            of = pixel if pixel is not None else alike[0]
            found.append(Same(number, of, PIXELS if pixel is not None else LOOK))
        else:
            looks.add(number, one.print.look)
        first.setdefault(one.print.pixels, number)
    return found


def _result(begun: Future[Fingerprint]) -> Fingerprint | DataError:
    try:
        return begun.result()
    except DataError as error:
        return error


def _index(shown: Sequence[Shown]) -> tuple[Looks, dict[str, list[int]]]:
    looks, digests = Looks(), dict[str, list[int]]()
    for number, one in enumerate(shown):
        looks.add(number, one.print.look)
        digests.setdefault(one.print.sha256, []).append(number)
        digests.setdefault(one.print.pixels, []).append(number)
    return looks, digests
