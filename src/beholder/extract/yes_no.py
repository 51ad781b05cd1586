"""Answers to questions that ask for yes or no, or for true or false: the word that the reply gives as its answer.

`strict` takes the bare word, in any case, in the frames of `asked`. `lenient` also reads "Yes, …" at the beginning,
"the answer is no", a last line `**No**`, "so yes", `是的` and `不是`, and what `true_false` takes for a judgement ("the
statement is false"). OUR assumption: for one of the two kinds of question the other kind's words are read as well.
"""

from __future__ import annotations

import re

from beholder.extract import true_false
from beholder.extract.asked import bare_answer
from beholder.extract.claims import MOST, Claim, standing
from beholder.extract.declared import abstained, declared
from beholder.extract.distance import distanced
from beholder.extract.extraction import Extraction
from beholder.extract.markup import is_blank, plain
from beholder.extract.revision import revisions
from beholder.extract.think import split_thought

AFFIRMS = frozenset(("Yes", "True"))
"""The values that say yes; the others are `No` and `False`."""

_WORDS = {"yes": "Yes", "no": "No", "true": "True", "false": "False"}
_WORDS |= dict.fromkeys(("是", "是的", "对", "对的", "有"), "Yes") | dict.fromkeys(
    ("否", "不是", "不", "不对", "没有"), "No"
)
_WORD = rf"({'|'.join(sorted(_WORDS, key=len, reverse=True))})"
_WHOLE = re.compile(rf"\W{{0,20}}{_WORD}\W{{0,20}}")
_LINE = re.compile(rf"^[ \t>*•(\[-]{{0,9}}{_WORD}[ \t.!。)\]\r]{{0,9}}$", re.MULTILINE)
_OPENS = re.compile(rf"\W{{0,20}}{_WORD}(?:\s{{0,3}}(?:[,.;:!\n,。—–]|-\s)|\s(?:because|since|as)\b)")
_SAID = re.compile(
    r"\b(?:answer|response|conclusion|verdict)\b(?:\s[a-z]{1,12}){0,6}?\s{0,3}"
    r"(?:(?:is|would be|should be|must be)\b\s{0,3}:?|[:=])"
    r"[\s(\[]{0,6}"
    rf"{_WORD}(?![\w-])(?!\s(?:doubt|longer|more|way|less|or|and|one|matter)\b|\s?/)"
    rf"|\b(?:so|therefore|thus|hence),?\s(?:the answer is\s|it is\s)?{_WORD}(?=\s{{0,3}}(?:[.,!\n]|\Z))"
    rf"|\b(?:wait|actually|correction|sorry)\s?[,:.!]\s?(?:the answer is\s|it is\s)?{_WORD}(?=\s{{0,3}}(?:[.,!\n]|\Z))"
    rf"|答案(?:应该|应)?(?:是|为|:){{1,2}}\s{{0,3}}{_WORD}(?=\W|\Z)"
)
_TAKES_BACK = re.compile(r"\W{0,9}(?:or\b|/)")


def strict(text: str) -> Extraction[str]:
    """`Yes`, `No`, `True` or `False`, if the answer is that word, in any case, in a frame of `asked`."""
    bare = bare_answer(text)
    word = bare.text.lower() if bare is not None else ""
    if bare is None or word not in ("yes", "no", "true", "false"):
        return Extraction(None, flags=("format",), reason="The answer is not yes or no, true or false alone.")
    return Extraction(_WORDS[word], bare.span)


def lenient(text: str) -> Extraction[str]:
    """The word that a careful reader takes for the answer; which of the two pairs it is from is as the reply says.

    Flags without a value: `ambiguous`, `withdrawn`, `abstained`, `empty`, `unclosed_think`. With one: `unclosed_tag`.

    >>> lenient("No. Yes would need a crossing.").value, lenient("There is no doubt: a dog.").value
    ('No', None)
    """
    exact = strict(text)
    if exact.value is not None:
        return exact
    thought = split_thought(text)
    if not thought.closed or is_blank(thought.answer):
        flag = "empty" if thought.closed else "unclosed_think"
        return Extraction(None, flags=(flag,), reason="There is no text outside the thinking.")
    low = plain(thought.answer).lower()
    given = [region for region in declared(thought.answer) if region.kind in ("tag", "box")]
    if given:
        last = given[-1]
        found = _read(low[last.start : last.end]).moved(thought.start + last.start)
        if found.span is None or last.closed:
            return found
        return Extraction(found.value, found.span, (*found.flags, "unclosed_tag"), found.reason)
    found = _read(low).moved(thought.start)
    if found.span is not None or found.flags:
        return found
    judged = true_false.lenient(text)
    value = None if judged.value is None else str(judged.value)
    return Extraction(value, judged.span, judged.flags, judged.reason)


def _read(low: str) -> Extraction[str]:
    """The answer in plain text in lower case."""
    whole = _WHOLE.fullmatch(low) if len(low) < 60 else None
    if whole is not None:
        return Extraction(_WORDS[whole[1]], whole.span(1))
    claims: dict[int, Claim[bool]] = {}
    words: dict[int, str] = {}
    opening = _OPENS.match(low)
    matches = [*([opening] if opening else []), *list(_SAID.finditer(low))[-MOST:], *list(_LINE.finditer(low))[-MOST:]]
    for match in matches:
        start, end = match.span(match.lastindex or 0)
        if _TAKES_BACK.match(low, end) or (match is not opening and distanced(low, start)):
            continue
        words[start] = _WORDS[low[start:end]]
        claims[start] = Claim(words[start] in AFFIRMS, start, end)
    stands, undecided = standing(low, [claims[start] for start in sorted(claims)])
    if undecided:
        return Extraction(None, flags=("ambiguous",), reason="The text says both yes and no.")
    if stands is not None and any(cut > stands.end for cut in revisions(low)):
        return Extraction(None, flags=("withdrawn",), reason="The answer is taken back and no other is given.")
    if stands is not None:
        return Extraction(words[stands.start], (stands.start, stands.end))
    if abstained(low):
        return Extraction(None, flags=("abstained",), reason="The text says that no answer can be given.")
    return Extraction(None, reason="The text does not say yes or no.")
