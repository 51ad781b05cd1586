"""When two targets, or two sources, count as the same, and how much of one is in the other.

No formula of the paper is public, so all of this is OUR assumption; `SlotRules` of the assumptions switches parts of it
off. A slot of None says that there is none.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from beholder.benchmarks.m3r.assumptions import SlotRules
from beholder.errors import UsageError

if TYPE_CHECKING:
    from opencc import OpenCC

# Its version decides scores and is recorded with every run, so that it must be there whatever the items' language.
if find_spec("opencc") is None:
    raise UsageError("M3R-Bench compares Chinese words with opencc. Install it: pip install 'beholder[m3r]'")

ARTICLES = frozenset(("a", "an", "the"))
_HAN = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = _HAN + r"\u3040-\u30ff"  # kana are written without blanks too
_HAN_RUN = re.compile(f"[{_HAN}]+")
_BLANK_IN_UNSPACED = re.compile(rf"(?<=[{_UNSPACED}])\s+|\s+(?=[{_UNSPACED}])")
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|[^\w\s]")
_INSIDE_WORDS = frozenset("'’")


def same(a: str | None, b: str | None, rules: SlotRules) -> bool:
    """Whether two slots are the same after `normalised`. None is the same as None only.

    >>> same("The low-carbon life", "low carbon life", SlotRules()), same("氣候", "气候", SlotRules())
    (True, True)
    """
    if a is None or b is None:
        return a is b
    return a == b or normalised(a, rules) == normalised(b, rules)


def token_f1(a: str | None, b: str | None, rules: SlotRules) -> float:
    """The F1 of the words that two slots share, each as often as it comes; of Chinese and Japanese, of the characters.

    Two slots of None are alike (1), None and words are not (0).

    >>> round(token_f1("a polluted river", "the river", SlotRules()), 3), token_f1(None, None, SlotRules())
    (0.667, 1.0)
    """
    if a is None or b is None:
        return float(a is b)
    ours, theirs = tokens(a, rules), tokens(b, rules)
    shared = (Counter(ours) & Counter(theirs)).total()
    if not ours or not theirs:
        return float(same(a, b, rules))
    return 2 * shared / (len(ours) + len(theirs))


def tokens(text: str, rules: SlotRules) -> list[str]:
    """The words of a slot after `normalised`; each Chinese or Japanese character is one."""
    return _TOKEN.findall(normalised(text, rules))


def normalised(text: str, rules: SlotRules) -> str:
    """A slot without what does not count: Unicode forms (NFKC), invisible characters and blanks, and by the rules case,
    articles, punctuation and the variants of Chinese characters (traditional becomes simplified).

    Where only articles or punctuation stand, they are kept: "?" and "!" are not the same.
    """
    text = unicodedata.normalize("NFKC", text)
    text = "".join(char for char in text if unicodedata.category(char) != "Cf")
    if rules.chinese_variants:
        text = _HAN_RUN.sub(lambda run: _converter().convert(run[0]), text)
    if rules.case:
        text = unicodedata.normalize("NFKC", text.casefold())
    if rules.punctuation:
        text = _without_punctuation(text) or text
    words = text.split()
    if rules.articles:
        words = [word for word in words if word.lower() not in ARTICLES] or words
    return _BLANK_IN_UNSPACED.sub("", " ".join(words))


def _without_punctuation(text: str) -> str:
    """Punctuation parts words as a blank does, but for an apostrophe, which stands inside of one."""
    kept = ("" if char in _INSIDE_WORDS else " " if _is_punctuation(char) else char for char in text)
    return "".join(kept).strip()


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char).startswith("P")


@cache
def _converter() -> OpenCC:
    """Made at the first Chinese words: it reads dictionaries."""
    from opencc import OpenCC

    return OpenCC("t2s")
