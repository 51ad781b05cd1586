"""Which of many pairs of picture and text are the same pair, though files, sizes or spellings differ.

OUR rules, as the paper only says that duplicates across its sources were removed:

- The picture is the same where the bytes are (`bytes`), or the upright pixels (`pixels`), or the look (`look`,
  `images.similar`).
- The text is the same where letters and digits are, without case, after Unicode NFKC; or where four fifths of the
  pairs of neighbouring characters are shared (Dice); or where nine tenths of the shorter text's are in the longer one:
  sources read the text off the same picture, each with its own mistakes and omissions.
- Both the same: a duplicate. The one that comes first stays. The same picture with another text is another item (the
  same picture is captioned again and again); both stay, and it is listed with the first for a person to look at.

An item is compared with those that stayed, not with those removed, so that no chain of small changes removes anything.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from beholder.images.similar import Look, Looks

BYTES, PIXELS, LOOK = "bytes", "pixels", "look"
SIMILAR = 0.8
CONTAINED = 0.9
SHORTEST_PART = 6
"""Letters and digits that a text must have to count as a part of another one."""
COMPARED = 50
"""Items that stayed with one picture and other texts that a further one with it is compared with, the first ones."""


class Pictured(msgspec.Struct, frozen=True):
    """A pair of picture and text. `sha256` is of the file's bytes, `pixels` of size and upright RGB pixels."""

    sha256: str
    pixels: str
    look: Look
    text: str


class Match(msgspec.Struct, frozen=True):
    """Item number `item` has the picture of the earlier item `of`; `how` says by what (`bytes`, `pixels`, `look`).

    With `same_text` it is a duplicate.
    """

    item: int
    of: int
    how: str
    same_text: bool


def matches(items: Iterable[Pictured]) -> Iterator[Match]:
    """For each item, in order, the duplicate that it is, or the first one with its picture and another text.

    Items are numbered from 0. Pictures are found by digests and by bands of their hash, so that the time grows with the
    number of items and not with its square; of those with one picture and other texts, `COMPARED` are compared.
    """
    stayed: dict[int, Pictured] = {}
    shown: dict[str, int] = {}  # digest of bytes or pixels → the first item that stayed with them
    alike: dict[int, list[int]] = {}  # such a first item → all that stayed with its bytes or pixels
    looks = Looks()
    for number, item in enumerate(items):
        own = shown.get(item.sha256, shown.get(item.pixels))
        first = sorted({*looks.find(item.look), *(() if own is None else (own,))})
        earlier = sorted(of for one in first for of in alike[one][:COMPARED])
        twin = next((of for of in earlier if same_text(stayed[of].text, item.text)), None)
        if twin is not None:
            yield Match(number, twin, _how(item, stayed[twin]), same_text=True)
            continue
        if earlier:
            yield Match(number, earlier[0], _how(item, stayed[earlier[0]]), same_text=False)
        stayed[number] = item
        if own is None:
            looks.add(number, item.look)
        alike.setdefault(number if own is None else own, []).append(number)
        for digest in (item.sha256, item.pixels):
            shown.setdefault(digest, number if own is None else own)


def same_text(one: str, other: str) -> bool:
    """Whether two texts count as the same text of one picture.

    >>> same_text("Stuck in the wrong job!", "stuck in the  WRONG job"), same_text("same fuel", "free your joints")
    (True, False)
    """
    first, second = plain_text(one), plain_text(other)
    if not first or not second:
        return first == second and (bool(first) or one.split() == other.split())
    if first == second:
        return True
    pairs, others = _neighbours(first), _neighbours(second)
    shared, sizes = (pairs & others).total(), sorted((pairs.total(), others.total()))
    if 2 * shared >= SIMILAR * sum(sizes) > 0:
        return True
    return min(len(first), len(second)) >= SHORTEST_PART and shared >= CONTAINED * sizes[0]


def plain_text(text: str) -> str:
    """Letters and digits of a text, small, after NFKC."""
    return "".join(char for char in unicodedata.normalize("NFKC", text).casefold() if char.isalnum())


def _how(one: Pictured, other: Pictured) -> str:
    """By what two pictures are the same; the surest is named."""
    if one.sha256 == other.sha256:
        return BYTES
    return PIXELS if one.pixels == other.pixels else LOOK


@lru_cache(maxsize=4096)
def _neighbours(text: str) -> Counter[str]:
    return Counter(text[place : place + 2] for place in range(len(text) - 1))
