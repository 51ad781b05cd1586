"""Does an evaluation stand in training data: which of its pictures and texts, and so which of its items.

Also listed is what is there several times within one side: pictures that came from several files or records, though
they are the same (TFQ-Bench's images are not distinct: what is held out by records is not held out by picture). Rules
and bounds are OURS: `leak_pictures` and `leak_texts` say them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from beholder.audit.duplicates import BYTES
from beholder.audit.leak_pictures import Gallery, Same, Shown, between, within
from beholder.audit.leak_sides import Item, Place, read_side
from beholder.audit.leak_texts import text_leaks
from beholder.audit.picture_cache import PictureCache
from beholder.audit.records import Unusable
from beholder.errors import DataError, UsageError
from beholder.store.folder import write_atomically

LISTED, LONGEST = 20, 500
"""Items that are named where a picture has many; characters of a text that are kept to be shown."""
Watch = Callable[[str, int], None]
"""Told which side is read (`train`, `eval`), and how many pictures of it have been looked at."""


class Named(msgspec.Struct, frozen=True):
    """A picture of one side: its name, the files or records that it came from and the items that show it.

    `items` counts the items, `keys` names the first of them; `sha256` is of its bytes.
    """

    picture: str
    sha256: str
    origins: tuple[str, ...]
    items: int
    keys: tuple[str, ...]


class PictureLeak(msgspec.Struct, frozen=True):
    """A picture of the evaluation that the training data shows too."""

    how: str
    eval: Named
    train: Named


class TextFound(msgspec.Struct, frozen=True):
    """A text of the evaluation that stands in the training data; `share` is of its runs of three words."""

    how: str
    share: float
    eval: str
    train: str
    eval_text: str
    train_text: str


class Copies(msgspec.Struct, frozen=True):
    """One picture that a side has several times: under several names, or again under other bytes (`how`)."""

    how: str
    pictures: tuple[Named, ...]


class Lost(msgspec.Struct, frozen=True):
    """A picture that cannot be looked at."""

    item: str
    picture: str
    problem: str


class SideFacts(msgspec.Struct, frozen=True):
    """What a side holds: items, distinct pictures by bytes, pictures there several times, and what cannot be used.

    `texts` counts the items with a text, `bare` those with neither picture nor text: nothing of them was compared.
    """

    items: int
    pictures: int
    texts: int
    bare: int
    copies: tuple[Copies, ...]
    unreadable: tuple[Lost, ...]
    unusable: tuple[Unusable, ...]


class Leaks(msgspec.Struct, frozen=True):
    """What was found. `by_kind` counts items of the evaluation by how their picture or text leaks, each once a kind.

    `touched` are the keys of the items with a leak, `unknown` those of the others that have a picture that could not be
    looked at, or neither picture nor text, `clean` all the rest. `both` counts items whose picture and text leak,
    `picture_only` those whose picture leaks and whose text is another one. `uncompared` counts texts that are too short
    or all a template's.
    """

    train: SideFacts
    eval: SideFacts
    transforms: bool
    by_kind: dict[str, int]
    both: int
    picture_only: int
    text_only: int
    touched: tuple[str, ...]
    unknown: tuple[str, ...]
    clean: tuple[str, ...]
    pictures: tuple[PictureLeak, ...]
    texts: tuple[TextFound, ...]
    uncompared: int
    hashed: int

    @property
    def found(self) -> bool:
        return bool(self.touched)

    @property
    def unseen(self) -> bool:
        """Whether something of either side could not be looked at."""
        return any(side.unreadable or side.unusable or side.bare for side in (self.train, self.eval))

    @property
    def share(self) -> float:
        """Of the evaluation's items, those with a leak."""
        return len(self.touched) / self.eval.items


class _Side:
    """One side as it is read: its gallery, the keys, names and texts of its items."""

    def __init__(self, gallery: Gallery) -> None:
        self.gallery = gallery
        self.keys: list[str] = []
        self.names: list[str] = []
        self.texts = 0
        self.bare: list[int] = []
        self.unusable: list[Unusable] = []

    def read(self, places: Sequence[Place]) -> Iterator[str]:
        """The texts of the items, in order; they are not held here. `UsageError` if there is nothing to compare."""
        for item in self.gallery.through(self._items(places)):
            if item.text.strip():
                self.texts += 1
            elif not item.pictures:
                self.bare.append(len(self.keys))
            self.keys.append(item.key)
            self.names.append(item.name)
            yield item.text
        if len(self.bare) == len(self.keys):
            raise UsageError(self._nothing(", ".join(str(place.path) for place in places)))

    def _nothing(self, paths: str) -> str:
        if self.keys:
            return f"{paths}: no picture and no text in the columns that are looked at (docs/leaks.md). Rename them."
        first = f" The first: {self.unusable[0].where}: {self.unusable[0].problem}." if self.unusable else ""
        return f"{paths}: no item of it can be used.{first} Mend the data."

    def _items(self, places: Sequence[Place]) -> Iterator[Item]:
        for place in places:
            yield from read_side(place, self._lost)

    def _lost(self, error: DataError) -> None:
        self.unusable.append(Unusable(error.where, error.message, error.mend))

    def named(self, shown: Shown) -> Named:
        return Named(
            shown.name,
            shown.print.sha256,
            tuple(shown.origins)[:LISTED],
            len(shown.items),
            tuple(self.names[item] for item in shown.items[:LISTED]),
        )

    def facts(self) -> SideFacts:
        lost = self.gallery.unreadable
        return SideFacts(
            len(self.keys),
            len(self.gallery.shown),
            self.texts,
            len(self.bare),
            tuple(self._copies()),
            tuple(Lost(self.names[one.item], one.name, one.problem) for one in lost),
            tuple(self.unusable),
        )

    def _copies(self) -> Iterator[Copies]:
        """Pictures with several origins, and those that are another one under other bytes."""
        shown = self.gallery.shown
        again: dict[int, list[Same]] = {}
        for same in within(shown):
            again.setdefault(same.other, []).append(same)
        for number, one in enumerate(shown):
            if number in again:
                others = [shown[same.one] for same in again[number]]
                yield Copies(again[number][0].how, tuple(self.named(each) for each in (one, *others)))
            elif len(one.origins) > 1:
                yield Copies(BYTES, (self.named(one),))


def find_leaks(
    train: Sequence[Place],
    evaluation: Place,
    cache: PictureCache,
    *,
    transforms: bool = False,
    watch: Watch = lambda side, seen: None,
) -> Leaks:
    """Reads both sides and compares them. `UsageError` if there is nothing at a place, or nothing to compare on a side.

    With `transforms`, mirrored and turned pictures and cut ones are looked for too; that needs OpenCV.
    """
    if transforms:
        from beholder.images.crops import check_opencv

        check_opencv()
    ours = _Side(Gallery(cache, corners=transforms, watch=partial(watch, "eval")))
    theirs = _Side(Gallery(cache, corners=transforms, watch=partial(watch, "train")))
    ours_texts = list(ours.read([evaluation]))
    texts = text_leaks(ours_texts, theirs.read(train))
    their_texts = _texts_of(train, {leak.train for leak in texts.leaks})
    same = between(ours.gallery.shown, theirs.gallery.shown, transforms=transforms)
    kinds: dict[int, set[str]] = {}
    for one in same:
        for item in ours.gallery.shown[one.one].items:
            kinds.setdefault(item, set()).add(one.how)
    by_picture, by_text = set(kinds), {leak.text for leak in texts.leaks}
    by_kind = Counter(how for hows in kinds.values() for how in hows)
    by_kind.update(f"text: {leak.how}" for leak in texts.leaks)
    touched = by_picture | by_text
    unknown = {one.item for one in ours.gallery.unreadable}.union(ours.bare) - touched
    return Leaks(
        train=theirs.facts(),
        eval=ours.facts(),
        transforms=transforms,
        by_kind=dict(by_kind.most_common()),
        both=len(by_picture & by_text),
        picture_only=len(by_picture - by_text),
        text_only=len(by_text - by_picture),
        touched=tuple(ours.keys[item] for item in sorted(touched)),
        unknown=tuple(ours.keys[item] for item in sorted(unknown)),
        clean=tuple(key for item, key in enumerate(ours.keys) if item not in touched | unknown),
        pictures=tuple(
            PictureLeak(one.how, ours.named(ours.gallery.shown[one.one]), theirs.named(theirs.gallery.shown[one.other]))
            for one in same
        ),
        texts=tuple(
            TextFound(
                leak.how,
                leak.share,
                ours.names[leak.text],
                theirs.names[leak.train],
                ours_texts[leak.text][:LONGEST],
                their_texts.get(leak.train, ""),
            )
            for leak in texts.leaks
        ),
        uncompared=texts.templates + texts.short,
        hashed=ours.gallery.hashed + theirs.gallery.hashed,
    )


def _texts_of(places: Sequence[Place], wanted: set[int]) -> dict[int, str]:
    """The texts of some items, as numbered over all places; read again, so that the others need not be held."""
    if not wanted:
        return {}
    items = (item for place in places for item in read_side(place, lambda error: None))
    return {number: item.text[:LONGEST] for number, item in enumerate(items) if number in wanted}


def write_keys(keys: Sequence[str], file: Path, what: str) -> None:
    """Writes keys, one a line, for `run --ids`. Keys that are no line of text are left out."""
    lines = [key for key in keys if key == key.encode("utf-8", "replace").decode().strip() and _is_line(key)]
    write_atomically(file, "".join(f"{line}\n" for line in (f"# {what}", *lines)).encode())


def _is_line(key: str) -> bool:
    return not key.startswith("#") and len(key.splitlines()) == 1


def pictures_again(places: Sequence[Place], wanted: set[str]) -> Iterator[tuple[str, bytes]]:
    """(SHA-256, bytes) of the wanted pictures, read again, each once. Those that are gone or changed are left out."""
    from beholder.images.load import load

    missing = set(wanted)
    for place in places:
        for item in read_side(place, lambda error: None):
            for ref in item.pictures:
                if not missing:
                    return
                try:
                    image = load(ref)
                except DataError:
                    continue
                if image.sha256 in missing:
                    missing.discard(image.sha256)
                    yield image.sha256, image.data
