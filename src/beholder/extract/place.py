"""The place in a grid that a reply gives as its answer: (row, column), both counted from 1.

`strict` takes `[5, 6]` in the frames of `asked`. `lenient` also reads "row 5, column 6", "column 6, row 5", "5th row,
6th column", `第5行，第6列`, `(5, 6)`, `{"row": 5, "column": 6}`, and `5 and 6` where it stands alone. OUR assumption:
two numbers without names are row and column in this order, as the questions ask. A place that is said to be counted
from 0 is moved by one; one that is counted from the bottom or from the right is not read.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

import msgspec

from beholder.extract.asked import bare_answer
from beholder.extract.claims import MOST
from beholder.extract.declared import (
    REACH,
    Region,
    abstained,
    after_revision,
    ascii_forms,
    conclusions,
    declared,
    rejected,
)
from beholder.extract.extraction import Extraction
from beholder.extract.markup import plain
from beholder.extract.number_words import HAN, WORDS, han_value, words_value
from beholder.extract.revision import revisions
from beholder.extract.think import split_thought

Place = tuple[int, int]

_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth"),
    *("nineteenth", "twentieth"),
)
_STRICT = re.compile(r"\[[ \t]*(0|[1-9][0-9]{0,5})[ \t]*,[ \t]*(0|[1-9][0-9]{0,5})[ \t]*\]")
_DIGITS = r"[0-9]{1,6}(?![0-9]|\.[0-9])"
_AXIS = (
    r"(?<![A-Za-z])(?:(?P<row{n}>rows?)|(?P<column{n}>columns?|cols?))\b\.?(?:\s{{1,2}}(?:number|no\.?|index|count|#))?"
    r"\s{{0,3}}(?:(?:is|was|=|:|-|\(|\[|at)\s{{0,3}}){{0,3}}"
)
_NAMED = re.compile(
    rf"{_AXIS.format(n=1)}(?P<after>{_DIGITS}|(?:{WORDS})|(?:{'|'.join(_ORDINALS)})\b)"
    rf"|(?<![0-9A-Za-z.])(?P<before>[0-9]{{1,6}}\s?(?:st|nd|rd|th)\b|(?:{'|'.join(_ORDINALS)})\b)\s{{1,3}}"
    r"(?:(?P<row2>row)|(?P<column2>column|col))\b"
    rf"|第?\s{{0,3}}(?P<han>{_DIGITS}|{HAN})\s{{0,3}}(?:(?P<row3>行)|(?P<column3>列))"
    rf"|(?:(?P<row4>行)|(?P<column4>列))(?:数|号)?\s{{0,2}}(?:为|是|:|=)\s{{0,2}}(?P<named>{_DIGITS})"
    rf"|(?<![A-Za-z0-9])(?P<row5>R)(?P<r>{_DIGITS})(?=[ ,]{{0,2}}C[0-9])|(?<![A-Za-z])(?P<column5>C)(?P<c>{_DIGITS})",
    re.IGNORECASE,
)
_GAP = re.compile(
    r"(?:[\s,;:.()\[\]/&|+、-]|\b(?:and|at|in|of|the|on|is|it|its|from|top|left|to|down|across|counting|located|position"
    r"|under|with|,)\b|和|与|的|在|位于|处|从|上|下|左|右|往|数|向|是|以及|及){0,20}",
    re.IGNORECASE,
)
_FROM_FAR_END = re.compile(
    r"[\s,()]{0,3}(?:counting\s|counted\s)?(?:from|starting\sat)\s(?:the\s)?(?:very\s)?(?:bottom|right)\b"
    r"|[\s,()]{0,3}\(?从(?:下|右|底)",
    re.IGNORECASE,
)
_FAR_BEFORE = re.compile(
    r"(?:倒数|从(?:下|右)\S{0,6}|\bfrom\s(?:the\s)?(?:bottom|right)\W{0,3}|\blast\s)$", re.IGNORECASE
)
_PAIR = re.compile(rf"[\[(]\s{{0,4}}({_DIGITS})\s{{0,3}}[,;]\s{{0,3}}({_DIGITS})\s{{0,4}}[\])]")
_ALONE = re.compile(
    r"[\s\[({:*_$>`\"'=-]{0,20}(?:\\(?:boxed|text|left)\s?)?[\s\[({]{0,5}"
    rf"({_DIGITS})\s{{0,3}}(?:[,;、]|,?\s?\band\b|和|与|及|\s)\s{{0,3}}({_DIGITS})[\s\])}}.。*_$`\"'\\]{{0,20}}",
    re.IGNORECASE,
)
_CELL = r"[ \t]{0,6}\|[ \t]{0,6}"
_TABLE = re.compile(
    rf"\|[ \t]{{0,6}}(?:(row)|col(?:umn)?){_CELL}(?:row|col(?:umn)?){_CELL}[\r]?\n[|: \t-]{{3,60}}\r?\n"
    rf"{_CELL}([0-9]{{1,6}}){_CELL}([0-9]{{1,6}}){_CELL}(?!\s{{0,3}}\|)",
    re.IGNORECASE,
)
_SWAPPED = re.compile(
    r"\bcol(?:umn)?s?\s?[,/]\s?rows?\b[\s)\]=:is]{0,8}$|列\s?[,、]\s?行[\s)\]=:是为]{0,6}$", re.IGNORECASE
)
_SWAPPED_AFTER = re.compile(
    r"[\s,]{0,3}(?:(?:in|as)\s(?:the\s)?(?:form|format|order)?\s?(?:of\s)?)?[(\[]?\s?(?:columns?|cols?)\s?[,/]\s?rows?\b"
    r"|\s{0,2}\(?列\s?[,、]\s?行",
    re.IGNORECASE,
)
_FROM_ZERO = re.compile(
    r"\b(?:0|zero)[-\s]?(?:index|based)|\b(?:index|count|number|start)\w*\s(?:starts?\s|starting\s|begin\w*\s)?(?:at|from|with)\s"
    r"(?:0|zero)\b|从\s?[0零]\s?开始|[0零]\s?起",
    re.IGNORECASE,
)
_FROM_ONE = re.compile(
    r"\b(?:1|one)[-\s]?(?:index|based)|\bnot\s(?:0|zero)|\bfrom\s(?:1|one)\b|从\s?[1一]\s?开始", re.IGNORECASE
)
_OTHER_AXES = re.compile(r"\bx\s?,\s?y\b[^.\n]{0,10}$", re.IGNORECASE)
_EXAMPLE = re.compile(r"\b(?:for example|e\.g\.|such as|like|example)\b[^.\n]{0,20}$|例如[^。\n]{0,10}$", re.IGNORECASE)
_MEANS = re.compile(r"[\s,)]{0,3}(?:means|would mean|represents|stands for|indicates|代表|表示)", re.IGNORECASE)
_MEANT = re.compile(r"(?:\bmeans|\brepresents|\bstands\sfor|\bindicates|代表|表示)\s?(?:the\s)?$", re.IGNORECASE)
_DENIED = re.compile(
    r"(?:\b(?:not|than|instead\sof)(?:\s(?:in|at))?|n't|不是|并非)[\s*`\[(]{0,6}(?:第|the\s)?$", re.IGNORECASE
)
_OR = re.compile(r"[\s,)\]]{0,4}(?:\bor\b|或)", re.IGNORECASE)
_RANKS = {"tag": 8, "final": 6, "box": 6, "cue": 4, "conclusion": 2}
_ALONE_RANK = 2


class _Candidate(msgspec.Struct, frozen=True, gc=False):
    """A place in the text. `named`: its row and column are called so."""

    start: int
    end: int
    place: Place
    named: bool = False
    rank: int = 0


def strict(text: str) -> Extraction[Place]:
    """The place, if the answer is `[row, column]` in one of the frames of `asked`. Flag without a value: `format`."""
    bare = bare_answer(text)
    match = _STRICT.fullmatch(bare.text) if bare is not None else None
    if bare is None or match is None:
        return Extraction(None, flags=("format",), reason="The answer is not two whole numbers in brackets.")
    return Extraction((int(match[1]), int(match[2])), bare.span)


def lenient(text: str) -> Extraction[Place]:
    """The place that a careful reader takes as the answer.

    Flag with a value: `unclosed_tag`. Flags without: `ambiguous`, `abstained`, `withdrawn`, `no_place`,
    `unclosed_think`.

    >>> lenient("It is in column 6, row 5.").value, lenient("12, 5, 6").value
    ((5, 6), None)
    """
    exact = strict(text)
    if exact.value is not None:
        return exact
    thought = split_thought(text)
    if not thought.closed:
        return Extraction(None, flags=("unclosed_think",), reason="The thinking never ends.")
    return _answer(ascii_forms(thought.answer)).moved(thought.start)


def _answer(text: str) -> Extraction[Place]:
    regions = declared(text)
    candidates = _candidates(text, plain(text), regions)
    tags = [region for region in regions if region.kind == "tag"]
    if tags and not any(tags[-1].start <= one.start < tags[-1].end for one in candidates):
        return _none(text[tags[-1].start : tags[-1].end], tags[-1].start)
    if not candidates:
        return _none(text, 0)
    kept = [candidates[position] for position in after_revision(text, [one.start for one in candidates])]
    if any(rejected(text[cut : cut + REACH]) for cut in revisions(text) if cut > kept[-1].start):
        return Extraction(None, flags=("withdrawn",), reason="The answer is taken back and no other is given.")
    best = max(one.rank for one in kept)
    chosen = [one for one in kept if one.rank == best]
    last = chosen[-1]
    span = (last.start, last.end)
    if len({one.place for one in chosen}) > 1:
        return Extraction(None, span, ("ambiguous",), "Two different places could be the answer.")
    at = bisect_right(regions, last.start, key=lambda region: region.start) - 1
    unclosed = at >= 0 and not regions[at].closed
    return Extraction(last.place, span, ("unclosed_tag",) if unclosed else ())


def _none(text: str, offset: int) -> Extraction[Place]:
    if found := abstained(text):
        span = (offset + found[0], offset + found[1])
        return Extraction(None, span, ("abstained",), "The reply says that it has no answer.")
    return Extraction(None, flags=("no_place",), reason="There is no row and column in the reply.")


def _candidates(text: str, shown: str, regions: Sequence[Region]) -> list[_Candidate]:
    """The places in text order, each with the rank of what announces it."""
    alone = list(_standing_alone(text, shown, regions))
    covered = {one.start for one in alone}
    bracketed = [one for one in _bracketed(shown) if one.start not in covered]
    found = sorted([*_named(shown), *bracketed, *alone], key=lambda one: one.start)
    starts = [one.start for one in found]
    ranks = [one.rank + one.named for one in found]
    for region in [*conclusions(text), *regions]:
        low = bisect_left(starts, region.start)
        high = bisect_left(starts, region.end)
        inside = range(low, high) if region.kind in ("tag", "box") else range(low, min(high, low + 1))
        for place in inside:
            ranks[place] = max(ranks[place], _RANKS[region.kind])
            if place + 1 < len(found) and _OR.match(shown, found[place].end) and region.kind not in ("tag", "box"):
                ranks[place + 1] = max(ranks[place + 1], _RANKS[region.kind])
    return [msgspec.structs.replace(one, rank=rank) for one, rank in zip(found, ranks, strict=True)]


def _named(shown: str) -> Iterator[_Candidate]:
    """A row and a column that stand together, in either order."""
    for table in islice(_TABLE.finditer(shown), MOST):
        cells = (int(table[2]), int(table[3]))
        yield _Candidate(table.start(2), table.end(3), cells if table[1] else cells[::-1], named=True)
    matches = list(_NAMED.finditer(shown))[-2 * MOST :]
    used = -1
    for first, second in pairwise(matches):
        gap = shown[first.end() : second.start()]
        if first.start() < used or _is_row(first) == _is_row(second) or len(gap) > 60 or not _GAP.fullmatch(gap):
            continue
        row, column = (first, second) if _is_row(first) else (second, first)
        place = (_value(row), _value(column))
        before = shown[max(0, first.start() - 24) : first.start()]
        far = _FROM_FAR_END.match(shown, second.end()) or _FAR_BEFORE.search(before) or _FAR_BEFORE.search(gap)
        unmeant = _DENIED.search(before) or _MEANT.search(before) or _MEANS.match(shown, second.end())
        if place[0] is None or place[1] is None or far or unmeant:
            continue
        used = second.end()
        yield _Candidate(
            first.start(), second.end(), _from_one(shown, first.start(), used, (place[0], place[1])), named=True
        )


def _is_row(match: re.Match[str]) -> bool:
    return any(match[f"row{kind}"] for kind in (1, 2, 3, 4, 5))


def _value(match: re.Match[str]) -> int | None:
    parts = (match[name] for name in ("after", "before", "han", "named", "r", "c"))
    written = next(part for part in parts if part).lower()
    digits = written.rstrip("sthndr ")
    if digits.isdigit():
        return int(digits)
    if written in _ORDINALS:
        return _ORDINALS.index(written) + 1
    return words_value(written) if written.isascii() else han_value(written)


def _bracketed(shown: str) -> Iterator[_Candidate]:
    for match in islice(_PAIR.finditer(shown), 10 * MOST):
        before = shown[max(0, match.start() - 40) : match.start()]
        unmeant = (_EXAMPLE, _DENIED, _OTHER_AXES)
        if any(pattern.search(before) for pattern in unmeant) or _MEANS.match(shown, match.end()):
            continue
        place = (int(match[1]), int(match[2]))
        swapped = _SWAPPED.search(before) or _SWAPPED_AFTER.match(shown, match.end())
        yield _Candidate(*match.span(), _from_one(shown, *match.span(), place[::-1] if swapped else place))


def _standing_alone(text: str, shown: str, regions: Sequence[Region]) -> Iterator[_Candidate]:
    """Two numbers that are all of the answer, of its last line, or of a region that announces an answer."""
    stripped = len(shown.rstrip())
    stretches = [(shown.rfind("\n", 0, stripped) + 1, stripped)]
    stretches += [(region.start, min(region.end, region.start + 120)) for region in regions]
    for start, end in dict.fromkeys(stretches):
        match = _ALONE.fullmatch(text, start, end) if end - start <= 120 else None
        if match is not None and not _DENIED.search(shown, max(0, match.start(1) - 20), match.start(1)):
            place = (int(match[1]), int(match[2]))
            before = shown[max(0, match.start(1) - 40) : match.start(1)]
            after = match.end(2) + (shown[match.end(2) : match.end(2) + 1] in ("]", ")"))
            swapped = _SWAPPED.search(before.rstrip("([ ")) or _SWAPPED_AFTER.match(shown, after)
            place = _from_one(shown, match.start(1), match.end(2), place[::-1] if swapped else place)
            yield _Candidate(match.start(1), match.end(2), place, rank=_ALONE_RANK)


def _from_one(shown: str, start: int, end: int, place: Place) -> Place:
    """The place counted from 1, where its own line says that it is counted from 0: "row 4, column 5 (0-indexed)"."""
    low = max(shown.rfind("\n", 0, start) + 1, start - 60)
    line_end = shown.find("\n", end, end + 40)
    after = shown[end : end + 40 if line_end < 0 else line_end].split(". ")[0]
    before = shown[low:start].rpartition(". ")[2]
    near = f"{before} | {after}"
    if not _FROM_ZERO.search(near) or _FROM_ONE.search(near):
        return place
    return place[0] + 1, place[1] + 1
