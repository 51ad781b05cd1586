"""A short answer in words, such as a colour or a name, compared as a whole and not looked for in the reply.

The answer is the whole reply, what stands in its last tag or box, what follows "the answer is", or its last line. Case,
white space, outer punctuation and an article do not count (`fold`).
"""

from __future__ import annotations

import re

from beholder.extract.asked import bare_answer
from beholder.extract.choice_words import DESCRIBED
from beholder.extract.declared import abstained, ascii_forms, declared
from beholder.extract.extraction import Extraction
from beholder.extract.markup import is_blank, plain
from beholder.extract.option_text import fold
from beholder.extract.think import split_thought

_LONGEST = 200
_CUE_END = re.compile(r"[,;]?\s(?:because|since|as|which|rather\sthan|instead\sof)\b|;|\s[—–-]\s|\s\(", re.IGNORECASE)


def strict(text: str) -> Extraction[str]:
    """The bare answer in one of the frames of `asked`, as it is written. Flag without a value: `format`."""
    bare = bare_answer(text)
    if bare is None:
        return Extraction(None, flags=("format",), reason="There is no bare answer.")
    return Extraction(bare.text, bare.span)


def lenient(text: str) -> Extraction[str]:
    """The words that a careful reader takes for the answer, without marks around them.

    Flags without a value: `ambiguous`, `abstained`, `empty`, `unclosed_think`, `no_answer`. With one: `unclosed_tag`.

    >>> lenient("It has four legs.\\n\\nThe answer is **a dog**.").value, lenient("It is red.").value
    ('a dog', 'red')
    """
    thought = split_thought(text)
    answer = thought.answer
    if not thought.closed or is_blank(answer):
        flag = "empty" if thought.closed else "unclosed_think"
        return Extraction(None, flags=(flag,), reason="There is no text outside the thinking.")
    shown = plain(ascii_forms(answer))
    regions = declared(answer)
    given = [region for region in regions if region.kind in ("tag", "box")]
    if given:
        found = _stretch(shown, given[-1].start, given[-1].end)
        flags = () if given[-1].closed else ("unclosed_tag",)
        return Extraction(found.value, found.span, (*found.flags, *flags), found.reason).moved(thought.start)
    final = [region for region in regions if region.kind == "final"] or regions
    said = [_clause(shown, region.start, region.end) for region in final]
    said = [one for one in said if one.value is not None]
    if said:
        if len({fold(one.value or "") for one in said}) > 1:
            return Extraction(None, flags=("ambiguous",), reason="The text gives more than one answer.")
        return said[-1].moved(thought.start)
    if place := abstained(shown):
        span = (thought.start + place[0], thought.start + place[1])
        return Extraction(None, span, ("abstained",), "The text says that no answer can be given.")
    stripped = len(shown.rstrip())
    start = shown.rfind("\n", 0, stripped) + 1
    described = DESCRIBED.match(shown.lower(), start) if stripped - start < _LONGEST else None
    return _stretch(shown, described.end() if described else start, stripped).moved(thought.start)


def same(said: str, gold: str) -> bool:
    """Whether two answers are the same but for what readers do not compare (`option_text.fold`)."""
    return said.split() == gold.split() or (bool(fold(gold)) and fold(said) == fold(gold))


def _clause(shown: str, start: int, end: int) -> Extraction[str]:
    cut = _CUE_END.search(shown, start, end)
    return _stretch(shown, start, cut.start() if cut else end)


def _stretch(shown: str, start: int, end: int) -> Extraction[str]:
    """What is shown between two offsets, without the marks around it; None if that is nothing, or too long."""
    raw = shown[start:end]
    core = raw.strip().strip(":=").strip(" \t\r\n\"'").rstrip(".。!")
    if not core.strip() or len(core) > _LONGEST:
        return Extraction(None, flags=("no_answer",), reason="There is no short answer in the reply.")
    at = start + raw.index(core)
    return Extraction(core, (at, at + len(core)))
