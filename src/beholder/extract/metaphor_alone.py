"""The answer to the question for one label alone, where it is given in a word or a few and without a name before it."""

from __future__ import annotations

import re

from beholder.extract import metaphor_words as words
from beholder.extract.declared import abstained, declared
from beholder.extract.markup import plain
from beholder.extract.metaphor_prose import slot_of
from beholder.extract.metaphor_tree import Said

_IS = re.compile(
    r"\b(?:is|are|was|were|shows?|depicts?|compares?|represents?|symboli[sz]es|uses?|has|have|can|cannot|i)\b|是|比作|表示|象征|图片|图像"
)
_LONGEST_WORDS, _LONGEST_SLOT = 8, 80
_FEW_WORDS, _LONGEST_FEELING = 3, 40
_NO_SLOT = ("yes", "no", "true", "false", "是", "否")
_SEVERAL_SENTENCES = re.compile(r"[{}\[\]?？]|[.!。！]\s?\w")


def bare_slot(text: str) -> Said | None:
    """The target or source where a reply is nothing else: a few words on one line, or in a tag or box."""
    start, end = _given(text)
    core = text[start:end].strip().lstrip(":=").strip()
    if "\\" in core:
        core = " ".join(plain(core).split())
    low = words.simple(plain(core).strip().lower())
    if not core or len(core) > _LONGEST_SLOT or "\n" in core or low.strip(" .!。") in _NO_SLOT:
        return None
    sentence = len(low.split()) > _LONGEST_WORDS or _IS.search(low) or _SEVERAL_SENTENCES.search(core)
    if words.slot_words(core) is not None and (sentence or abstained(low)):
        return None
    return Said(words.TARGET, slot_of(core), start, end)


def _given(text: str) -> tuple[int, int]:
    """Where the answer stands: in the last tag or box, after the last "the answer is", or anywhere."""
    regions = declared(text)
    framed = [region for region in regions if region.kind in ("tag", "box")]
    announced = [region for region in regions if region.kind in ("cue", "final")]
    last = framed[-1:] or announced[-1:]
    return (last[0].start, last[0].end) if last else (0, len(text))


def bare_feeling(text: str) -> Said | None:
    """The sentiment where a reply is nothing else, or in a tag, a box, after "the answer is", or on its last line."""
    start, end = _given(text)
    if (start, end) != (0, len(text)):
        return Said(words.SENTIMENT, words.feeling_word(text[start:end]), start, end)
    stripped = text.rstrip()
    last = stripped.rfind("\n") + 1
    first = stripped.find("\n") if "\n" in stripped else len(stripped)
    for start, end in ((0, len(stripped)), (0, first), (last, len(stripped))):
        few = len(text[start:end].split()) <= _FEW_WORDS and end - start <= _LONGEST_FEELING
        if few and any(char.isalpha() for char in text[start:end]):
            value = words.feeling_word(text[start:end])
            if isinstance(value, str):
                return Said(words.SENTIMENT, value, start, end)
    return None
