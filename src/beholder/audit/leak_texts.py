"""Which texts of an evaluation stand in training data: word for word, or in long runs of the same words.

OUR rules; 13 words in a row are what contamination checks of language models mostly take, the rest is ours to choose:

- Words are runs of letters and digits, without case, after Unicode NFKC; each Chinese or Japanese character is a word.
- `same`: all words are the same, in order, and there are at least `SHORTEST`.
- `run`: `LONG` words in a row stand in both texts.
- `most`: of the evaluation's runs of `SHORT` words, `SHARE` stand in one training text. It finds short statements, and
  longer ones of which a word was changed.
- What stands everywhere is nobody's: a run of words in more than a hundredth of the texts of either side (and in more
  than `ANYWAY` of them) is a template's, such as the prompt's own words, and is not counted; nor is a long run of which
  most short ones are a template's. So is a whole question that so many items of the evaluation ask.

The evaluation's texts are held, as hashes of their runs; those of the training data stream by.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

SAME, RUN, MOST = "same", "run", "most"
LONG, SHORT, SHORTEST = 13, 3, 3
SHARE = 0.8
COMMON, ANYWAY = 0.01, 3
HELD = 50
"""Training texts that are kept for one run of words, the first ones."""
LONGEST = 200_000
"""Characters of a text that are read."""
_CJK = "\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORDS = re.compile(f"[{_CJK}]|(?:(?![{_CJK}])[^\\W_])+")


class TextLeak(msgspec.Struct, frozen=True):
    """Text number `text` of the evaluation stands in training text number `train`; `how` and `share` say how much."""

    text: int
    train: int
    how: str
    share: float


class TextLeaks(msgspec.Struct, frozen=True):
    """What was found, one leak for a text of the evaluation at most, the surest.

    `templates` are the evaluation's texts in which everything is a template's, and `short` those that are too short to
    compare: nothing is known of these.
    """

    leaks: tuple[TextLeak, ...]
    templates: int
    short: int


def words(text: str) -> list[str]:
    """The words of a text.

    >>> words("The Lamp's light, 节约用水!")
    ['the', 'lamp', 's', 'light', '节', '约', '用', '水']
    """
    return _WORDS.findall(unicodedata.normalize("NFKC", text[:LONGEST]).casefold())


def text_leaks(texts: Sequence[str], train: Iterable[str]) -> TextLeaks:
    """The texts of an evaluation that stand in training texts; both are numbered from 0, in order."""
    held = _Held(texts)
    for number, text in enumerate(train):
        held.meet(number, words(text))
    return held.leaks()


class _Held:
    """The evaluation's texts by their runs of words, and what of them was met in the training data."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._same: dict[bytes, list[int]] = {}  # all words → the texts that have just these
        self._runs: list[tuple[list[bytes], list[bytes]]] = []  # of each text, the long and the short ones, in order
        owners: Counter[bytes] = Counter()
        self._short = 0
        for number, text in enumerate(texts):
            own = words(text)
            self._runs.append((_runs(own, LONG), _runs(own, SHORT)))
            self._short += len(own) < SHORTEST
            if len(own) >= SHORTEST:
                known = self._same.setdefault(_digest(own), [])
                if not known:
                    owners.update({*self._runs[-1][0], *self._runs[-1][1]})
                known.append(number)
        often = max(ANYWAY, COMMON * len(texts))
        self._asked_often = {text for same in self._same.values() if len(same) > often for text in same}
        most = max(ANYWAY, COMMON * len(self._same))
        self._templates = {run for run, count in owners.items() if count > most}
        self._met: dict[bytes, list[int]] = {run: [] for run in owners.keys() - self._templates}
        self._times: Counter[bytes] = Counter()
        self._equal: dict[int, int] = {}
        self._seen: set[bytes] = set()

    def meet(self, number: int, own: list[str]) -> None:
        """Looks at a training text; one that was met already, word for word, is passed over."""
        if len(own) < SHORTEST or (digest := _digest(own)) in self._seen:
            return
        self._seen.add(digest)
        for text in self._same.get(digest, ()):
            self._equal.setdefault(text, number)
        for run in self._met.keys() & {*_runs(own, LONG), *_runs(own, SHORT)}:
            self._times[run] += 1
            if len(self._met[run]) < HELD:
                self._met[run].append(number)

    def leaks(self) -> TextLeaks:
        most = max(ANYWAY, COMMON * len(self._seen))
        self._templates |= {run for run, times in self._times.items() if times > most}
        found, templates = [], 0
        for text in range(len(self._runs)):
            leak = self._leak(text)
            if leak is not None:
                found.append(leak)
            elif self._all_template(text):
                templates += 1
        return TextLeaks(tuple(found), templates, self._short)

    def _leak(self, text: int) -> TextLeak | None:
        if text in self._asked_often:
            return None
        if text in self._equal:
            return TextLeak(text, self._equal[text], SAME, 1.0)
        long, short = self._own(text)
        met = Counter(number for run in sorted(short) for number in self._met[run])
        whole = Counter(number for run in sorted(long) for number in self._met[run])
        if whole:  # of those with such a run, the one that shares most
            train = min(whole, key=lambda number: (-met[number], number))
            return TextLeak(text, train, RUN, _rounded(met[train], len(short)))
        if met:
            train = min(met, key=lambda number: (-met[number], number))
            if met[train] >= SHARE * len(short):
                return TextLeak(text, train, MOST, _rounded(met[train], len(short)))
        return None

    def _all_template(self, text: int) -> bool:
        return text in self._asked_often or (bool(self._runs[text][1]) and not self._own(text)[1])

    def _own(self, text: int) -> tuple[set[bytes], set[bytes]]:
        """The long and the short runs of a text that are not a template's."""
        long, short = self._runs[text]
        own = [run not in self._templates for run in short]
        inside = LONG - SHORT + 1
        kept = (place for place in range(len(long)) if 2 * sum(own[place : place + inside]) > inside)
        return {long[place] for place in kept} - self._templates, set(short) - self._templates


def _rounded(shared: int, runs: int) -> float:
    return round(shared / runs, 3) if runs else 1.0


def _runs(own: list[str], length: int) -> list[bytes]:
    return [_digest(own[start : start + length]) for start in range(len(own) - length + 1)]


def _digest(own: Sequence[str]) -> bytes:
    return hashlib.blake2b("\0".join(own).encode("utf-8", "surrogatepass"), digest_size=8).digest()
