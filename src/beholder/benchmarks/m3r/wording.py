"""Words of explanations, to look for quotations and to compare two texts: OUR rules, for English and Chinese alike."""

from __future__ import annotations

import re
import unicodedata

_CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
_RUN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_EMPTY_WORDS = """
a an the this that these those it its he she they them his her their i we you your our my one some any each all
every yes give
is are was were be been being am do does did has have had can could will would may might must shall should
of in on at to for from by with without as into onto over under about like than then so and or but not no nor if
which who whom whose what when where why how there here also only just very too more most much many such both
picture image photo photograph text caption explanation evidence metaphor mapping sentiment show shows shown seen
see sees say says said make makes made mean means
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_EMPTY_CJK = re.compile(
    "[的了着是在有和与及而也就都把被将对为于以这那其之一个]|图片|图中|画面|文字|文本|隐喻|情感|说明|表示|表明|显示"
)


def words(text: str) -> list[str]:
    """The words of a text in lower case and compatibility forms, without punctuation; each Chinese character is one.

    >>> words("The “gun” is SMOKING, 香烟。")
    ['the', 'gun', 'is', 'smoking', '香', '烟']
    """
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def repeats(text: str, quote: str) -> bool:
    """Whether the words of a quotation stand in a text, one after the other; "…" may leave some out.

    Case, blanks, punctuation and quotation marks do not count. A quotation without words is in no text.
    """
    rest = f" {' '.join(words(text))} "
    pieces = [piece for part in re.split(r"…|\.\.\.+", quote) if (piece := words(part))]
    for piece in pieces:
        _, found, rest = rest.partition(f" {' '.join(piece)} ")
        if not found:
            return False
        rest = f" {rest}"
    return bool(pieces)


def content(text: str) -> frozenset[str]:
    """The words that say something of their own: no articles, auxiliaries and the like, no plural s; of Chinese, pairs
    of characters that stand side by side.

    >>> sorted(content("The guns are smoking")), sorted(content("一支香烟"))
    (['gun', 'smoking'], ['支香', '香烟'])
    """
    found: set[str] = set()
    for run in _RUN.findall(unicodedata.normalize("NFKC", text).casefold()):
        if re.match(f"[{_CJK}]", run):
            parts = _EMPTY_CJK.split(run)
            pairs = {part[at : at + 2] for part in parts for at in range(len(part) - 1)}
            found |= pairs if len(run) > 1 else set(parts[0])
        elif run not in _EMPTY:
            found.add(run[:-1] if len(run) > 3 and run.endswith("s") and not run.endswith("ss") else run)
    return frozenset(found)


def covered(gold: frozenset[str], said: frozenset[str]) -> float:
    """The share of the gold's words that are said, 0..1; 1 where the gold has none."""
    return len(gold & said) / len(gold) if gold else 1.0
