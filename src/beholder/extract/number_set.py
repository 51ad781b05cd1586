"""The set of whole numbers that a reply gives as its answer, such as the numbers of the patches in which two pictures
differ.

`strict` takes a bare list, `[2, 6, 7]` or `2, 6, 7`, or a JSON object with one list, in the frames of `asked`.
`lenient` also reads prose: "patches 2, 6 and 7", "cells 3, 7", `第2、6、7块`, one number a line, statements about
single patches, ranges ("11-15" is 11 to 15). Numbers that nothing makes part of an answer are left out: sizes, picture
numbers, "of 12". The order does not matter and repeated numbers count once (OUR assumption: a set is asked for).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain, islice

import msgspec

from beholder.extract.asked import bare_answer, exact_keyed_list, exact_list
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
from beholder.extract.revision import revisions
from beholder.extract.think import split_thought

Numbers = tuple[int, ...]

LARGEST_SET = 10_000
_LONGEST_RANGE = 400

_NUMBER = re.compile(r"(?<![0-9A-Za-z_.×])[0-9]{1,9}(?![0-9A-Za-z_%×]|\.[0-9])")
_NOUN = (
    r"(?:(?:sub-?)?patch(?:es)?|cells?|tiles?|squares?|blocks?|regions?|boxes|box|pieces?|grids?|areas?|indices|indexes"
    r"|index|positions?|locations?|图块|方块|区块|块|格子|格|编号|序号|区域|位置|索引)"
)
_JOIN = re.compile(
    rf"(?:\s?\([^()\n0-9]{{1,60}}\))?\s{{0,3}}(?:[,、;&]|,?\s?\band\b|和|与|及|以及)?\s{{0,3}}(?:(?:the|{_NOUN}|no\.?)\s{{0,2}}){{0,2}}第?\s{{0,2}}",
    re.IGNORECASE,
)
_LINE_JOIN = re.compile(r"[ \t]{0,8},[ \t\r]{0,8}\n\s{0,40}|\s{0,40}\n\s{0,40},\s{0,40}")
_RANGE = re.compile(r"\s?(?:[-–—~]|\bto\b|\bthrough\b|至|到)\s?", re.IGNORECASE)
_EITHER = re.compile(rf"[\s,\])]{{0,4}}(?:\bor\b|或(?:者)?)\s{{0,2}}(?:{_NOUN}\s{{0,2}})?[\[(]?\s?[0-9]", re.IGNORECASE)
_LEAD = re.compile(
    rf"(?<![A-Za-z]){_NOUN}(?:\s{{1,2}}(?:indices|indexes|index|numbers?|numbered|nos?\.?|ids?|labell?ed))?"
    r"(?:\s{0,2}(?:\b(?:are|is|were|was|include|includes|including|namely|at|with|that|which|differ|changed|affected"
    r"|in)\b|为|是|有|:|=|\(|第|分别|不同|：)){0,5}\s{0,3}$",
    re.IGNORECASE,
)
_SEVERAL_LEAD = re.compile(
    r"\bdiffer(?:s|ences?|ing)?(?:\s{0,2}(?:\b(?:are|in|at|found|list|numbers)\b|:|=)){0,4}\s{0,3}$|(?:不同|差异|区别|不一样)[^0-9\n]{0,8}$",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"\b(?:number|total|count|amount)\s(?:of\s)?(?:the\s|all\s)?$", re.IGNORECASE)
_QUANTITY = re.compile(r"\s{0,2}(?:rows?|columns?|patches|cells|tiles|differences|pictures|images)\b", re.IGNORECASE)
_ORDINAL_AFTER = re.compile(rf"\s{{0,2}}(?:号|个)?(?:{_NOUN}|号|张)", re.IGNORECASE)
_DIFFERS = re.compile(r"\b(?:un)?(?:diff|chang|alter|mismatch)|不同|差异|变化|区别|不一样", re.IGNORECASE)
_SAME = re.compile(
    r"\bno\s(?:\w{1,14}\s){0,2}(?:differ|chang|alter)|\b(?:not|n't|without)\s(?:\w{1,12}\s){0,2}(?:differ|chang|alter)"
    r"|\bunchanged\b|\bidentical\b|\b(?:is|are|looks?|remains?|stays?|the)\s(?:the\s)?same\b|\bmatch(?:es)?\b"
    r"|没有(?:明显)?(?:任何)?(?:不同|差异|变化|区别)|无(?:明显)?(?:差异|变化|不同|区别)|相同|一致|一样",
    re.IGNORECASE,
)
_SAME_TAIL = re.compile(
    r"[\s:=|*_>✓✔✅(–—-]{0,12}(?:the\s)?(?:same|equal|ok(?:ay)?|no\schange|无变化|没变|未变)(?!\w)", re.IGNORECASE
)
_UNCLEAR_TAIL = re.compile(r"[\s:=|*_>–—-]{0,12}(?:[✓✔✅❌✗✘]|yes|no|true|false|是|否)[\s|*_.]{0,12}", re.IGNORECASE)
_LAYOUT = re.compile(
    r"\b(?:row|column|line)s?\s{0,2}[0-9]{0,4}\b|第.{1,3}行|for example|e\.g\.|\bexample\b|例如", re.IGNORECASE
)
_NUMBERED = re.compile(
    r"\b(?:number(?:ed|s|ing)?|from|index(?:ed|es)?|label(?:l?ed|s)?|range|between|编号)[^.\n]{0,12}$", re.IGNORECASE
)
_DENIED = re.compile(
    r"(?:\bnot(?:\sin)?|n't|\bexcept(?:\sfor)?|\bother\sthan|\bunlike|不是|除了)\s?(?:the\s)?$", re.IGNORECASE
)
_KEY = re.compile(r"[\"'][\w ]{1,40}[\"']\s{0,9}:\s{0,9}$")
_EMPTY = re.compile(r"\[\s{0,9}\]")
_LISTED = re.compile(
    rf"^[ \t>|]{{0,9}}(?:[-*•+][ \t]{{1,4}}|[0-9]{{1,3}}[.)][ \t]{{1,4}})?[*_`]{{0,3}}(?:the[ \t])?{_NOUN}[ \t]{{0,3}}"
    r"(?:(?:no\.?|number|index)[ \t])?#?[*_`]{0,2}(?P<number>[0-9]{1,9})(?![0-9]|\.[0-9])"
    rf"(?![ \t]{{0,2}}(?:,|and|or|&|-|–|to|、|和|与|及|或)[ \t]{{0,2}}(?:[a-z]{{1,8}}[ \t]#?|{_NOUN}|第)?[0-9])",
    re.IGNORECASE | re.MULTILINE,
)
_TABLE_HEAD = re.compile(rf"^[ \t]{{0,3}}\|[^\n|]{{0,40}}{_NOUN}[^\n|]{{0,40}}\|", re.IGNORECASE | re.MULTILINE)
_TABLE_ROW = re.compile(r"^[ \t]{0,3}\|[ \t]{0,6}(?P<number>[0-9]{1,9})[ \t]{0,6}\|", re.MULTILINE)
_ROWS = re.compile(r"(?:[ \t>*•+_`-]{0,6}[0-9]{1,9}[ \t.,;_`*]{0,6}(?:\r?\n|$)){2,}")
_NONE = re.compile(
    r"\b(?:there\s(?:are|is)\s|(?:i\s)?(?:can\s)?(?:see|find|found|detect|notice)\s|have\s|show\s)?no\s"
    r"(?:\w{1,14}\s){0,2}(?:differences?|differing\spatches|changes?)\b|\b(?:images|pictures)\sare\s(?:\w{1,14}\s)?"
    r"(?:identical|the\ssame)\b|没有(?:任何)?(?:不同|差异|区别)|(?:完全)?(?:相同|一致)",
    re.IGNORECASE,
)
_TAG, _FINAL, _CUE, _FIRM, _DIFFERING, _LINES, _NAMED, _SINGLE = range(8, 0, -1)
"""What announces a list, strongest first: a tag; "the final answer", a box, a JSON key; "the answer is"; brackets in a
sentence that speaks of differences; "patches 2 and 6 differ"; lines about one patch each; "patches 2 and 6"; one patch.
"""


class _Run(msgspec.Struct, frozen=True, gc=False):
    """Numbers that stand together. `listed`: in brackets; `named`: "patches …"; `either`: "… or 5" follows."""

    start: int
    end: int
    values: tuple[int, ...]
    listed: bool = False
    named: bool = False
    either: bool = False
    rank: int = 0


def strict(text: str) -> Extraction[Numbers]:
    """The numbers, ascending, if the answer is a bare list in one of the frames of `asked`, each number once.

    Flags without a value: `format`, `repeated`.
    """
    bare = bare_answer(text)
    said = None
    if bare is not None:
        said = exact_list(bare.text)
        said = exact_keyed_list(bare.text) if said is None else said
    if bare is None or said is None:
        return Extraction(None, flags=("format",), reason="The answer is not one list of whole numbers.")
    if len(set(said)) < len(said):
        return Extraction(None, span=bare.span, flags=("repeated",), reason="A number stands in the list twice.")
    return Extraction(tuple(sorted(said)), bare.span)


def lenient(text: str) -> Extraction[Numbers]:
    """The numbers, ascending, that a careful reader takes as the answer; an empty tuple where it says "none".

    Flags with a value: `unclosed_tag`, `no_difference` (said in words). Flags without: `ambiguous`, `abstained`,
    `withdrawn`, `no_list`, `unclosed_think`.

    >>> lenient("Image 1 vs image 2: cells 3, 7").value, lenient("They differ in patches 2 and 6 of 12.").value
    ((3, 7), (2, 6))
    """
    exact = strict(text)
    if exact.value is not None:
        return exact
    thought = split_thought(text)
    if not thought.closed:
        return Extraction(None, flags=("unclosed_think",), reason="The thinking never ends.")
    return _answer(ascii_forms(thought.answer)).moved(thought.start)


_OPEN = re.compile(r"\\?\{(?=\s{0,9}[0-9\]])")
_CLOSE = re.compile(r"(?<=[0-9])\s{0,9}\\?\}")


def _readable(text: str) -> str:
    """The text without marks, at the same length; the braces of sets are brackets."""
    text = _OPEN.sub(lambda match: "[".rjust(len(match[0])), text)
    text = _CLOSE.sub(lambda match: "]".rjust(len(match[0])), text)
    return plain(text)


def _answer(text: str) -> Extraction[Numbers]:
    shown = _readable(text)
    regions = declared(text)
    lines, on_lines = _single_lines(shown)
    runs = [run for run in _runs(shown) if run.start not in on_lines]
    others = (*_empty_lists(text, regions), *lines, *_rows(shown))
    candidates = sorted([*_ranked(text, shown, runs, regions), *others], key=_start)
    if not candidates:
        return _nothing(text)
    tags = [region for region in regions if region.kind == "tag"]
    if tags and not any(tag.start <= one.start < tag.end for tag in tags[-1:] for one in candidates):
        return _nothing(text[tags[-1].start : tags[-1].end], tags[-1].start)
    kept = [candidates[position] for position in after_revision(text, [one.start for one in candidates])]
    if any(rejected(text[cut : cut + REACH]) for cut in revisions(text) if cut > kept[-1].start):
        return Extraction(None, flags=("withdrawn",), reason="The answer is taken back and no other is given.")
    best = max(one.rank for one in kept)
    chosen = [one for one in kept if one.rank == best]
    if best == _DIFFERING and all(len(one.values) == 1 for one in chosen):
        chosen = [one for one in kept if one.rank in (_DIFFERING, _LINES)]  # "…, and patch 7 differs as well"
    if best == _NAMED and all(one.named and not one.listed for one in chosen):
        chosen = [
            one for one in kept if one.rank in (_NAMED, _SINGLE)
        ]  # "the hat (patches 2 and 3)", "the dog (patch 7)"
    if any(one.either for one in chosen):
        return _ambiguous(chosen[0])
    sets = {tuple(sorted(set(one.values))) for one in chosen}
    last = chosen[-1]
    span = (last.start, last.end)
    if len(sets) > 1 and best in (_DIFFERING, _LINES, _NAMED, _SINGLE) and not any(one.listed for one in chosen):
        sets = {tuple(sorted({value for one in chosen for value in one.values}))}  # one statement for each patch
        span = (chosen[0].start, max(one.end for one in chosen))
    if len(sets) > 1:
        return _ambiguous(chosen[0])
    region = _region_of(regions, last.start)
    unclosed = region is not None and not region.closed
    return Extraction(sets.pop(), span, ("unclosed_tag",) if unclosed else ())


def _start(run: _Run) -> int:
    return run.start


def _ambiguous(run: _Run) -> Extraction[Numbers]:
    reason = "Two different lists could be the answer."
    return Extraction(None, (run.start, run.end), ("ambiguous",), reason)


def _nothing(text: str, offset: int = 0) -> Extraction[Numbers]:
    """What a stretch at `offset` says that holds no list."""
    if none := _NONE.search(text):
        span = (offset + none.start(), offset + none.end())
        return Extraction((), span, ("no_difference",), "The reply says that nothing differs.")
    if place := abstained(text):
        span = (offset + place[0], offset + place[1])
        return Extraction(None, span, ("abstained",), "The reply says that it has no answer.")
    return Extraction(None, flags=("no_list",), reason="There is no list of numbers in the reply.")


# Finding numbers that stand together -------------------------------------------------------------------------------


def _runs(shown: str) -> Iterator[_Run]:
    """The last runs of numbers in a text; what the words around them make of them is in the flags."""
    matches = list(_NUMBER.finditer(shown))[-4 * LARGEST_SET :]
    groups: list[tuple[int, int, list[int]]] = []
    for match in matches:
        value = int(match[0])
        start, end, values = groups[-1] if groups else (0, 0, [])
        gap = shown[end : match.start()] if groups and match.start() - end <= 90 else ""
        if gap and _RANGE.fullmatch(gap) and values[-1] < value <= values[-1] + _LONGEST_RANGE:
            values += range(values[-1] + 1, value + 1)
        elif gap and (_LINE_JOIN.fullmatch(gap) or ("\n" not in gap and _JOIN.fullmatch(gap))):
            values.append(value)
        else:
            groups.append((match.start(), match.end(), [value]))
            continue
        groups[-1] = (start, match.end(), values)
    for start, end, values in groups[-MOST:]:
        run = _run(shown, start, end, tuple(values[:LARGEST_SET]))
        if run is not None:
            yield run


def _run(shown: str, start: int, end: int, values: Numbers) -> _Run | None:
    before = shown[max(0, start - 60) : start]
    opening = before.rstrip(" \n\t")
    listed = opening.endswith("[") and shown[end : end + 20].lstrip(" ,\n\t").startswith("]")
    lead = _LEAD.search(before.rstrip("[ \n\t") + " " if listed else before)
    named = lead is not None and _TOTAL.search(before[: lead.start()]) is None
    named = named or (opening.endswith("第") and _ORDINAL_AFTER.match(shown, end) is not None)
    named = named or (len(values) > 1 and _SEVERAL_LEAD.search(before) is not None)
    named = named and not (len(values) == 1 and _QUANTITY.match(shown, end))
    if _DENIED.search(before[: lead.start()] if lead else opening.rstrip("[( ")):
        return None
    is_range = len(values) > 2 and values[0] in (0, 1) and "," not in shown[start:end] and "、" not in shown[start:end]
    if is_range and (_NUMBERED.search(before) or re.search(rf"\b{values[-1]}\s[^.\n]{{0,30}}$", before)):
        return None  # "numbered from 1 to 12", "12 patches (1-12)"
    return _Run(start, end, values, listed, named, _EITHER.match(shown, end) is not None)


# Which of them are the answer --------------------------------------------------------------------------------------


def _ranked(text: str, shown: str, runs: Sequence[_Run], regions: Sequence[Region]) -> list[_Run]:
    """The runs that may be the answer, each with the rank of what announces it."""
    starts = [run.start for run in runs]
    ranks = [_own_rank(text, shown, run) for run in runs]
    ends = conclusions(text)
    for region in [*ends, *regions]:
        low, high = bisect_left(starts, region.start), bisect_left(starts, min(region.end, region.start + 20 * REACH))
        if low == high:
            continue
        inside = range(low, high)
        marked = [place for place in inside if runs[place].listed or runs[place].named]
        if region.kind in ("tag", "box"):
            for place in marked or inside:
                ranks[place] = _TAG if region.kind == "tag" else _FINAL
        elif marked or _directly(shown[region.start : starts[low]]):
            rank = {"final": _FINAL, "cue": _CUE}.get(region.kind, _FIRM)
            place = marked[0] if marked else low
            ranks[place] = max(ranks[place], rank if region.kind != "conclusion" or marked else 0)
    return [msgspec.structs.replace(run, rank=rank) for run, rank in zip(runs, ranks, strict=True) if rank]


_LIGHT = re.compile(r"(?:[\s:*_$(\[`]|\bthe\b|\bof\b|\bfollowing\b|\\boxed|\\text){0,12}", re.IGNORECASE)


def _directly(gap: str) -> bool:
    return len(gap) <= 40 and _LIGHT.fullmatch(gap) is not None


def _own_rank(text: str, shown: str, run: _Run) -> int:
    """What the run's own line makes of it: 0 for no answer."""
    line_start = max(shown.rfind("\n", 0, run.start) + 1, run.start - REACH)
    line_end = shown.find("\n", run.end, run.end + REACH)
    line_end = min(len(shown), run.end + REACH) if line_end < 0 else line_end
    before, after = shown[line_start : run.start], shown[run.end : line_end]
    if _KEY.search(text[max(0, run.start - 80) : run.start].rstrip("[ \n\t")) and run.listed:
        return _FINAL
    if not before.strip(" >*•+-[(") and not after.strip(" .,;])") and len(run.values) > 1:
        return _FIRM if run.listed else _NAMED
    sentence = before[max(map(before.rfind, ".;!?。")) + 1 :]
    rest = re.split(r"[.;!?。]", after, maxsplit=1)[0]
    if _SAME.search(sentence) or _SAME.search(rest):
        return 0
    if not (run.listed or run.named) or _LAYOUT.search(sentence):
        return 0
    if _DIFFERS.search(sentence) or _DIFFERS.search(rest):
        return _FIRM if run.listed else _DIFFERING
    return _NAMED if run.listed or len(run.values) > 1 else _SINGLE


def _empty_lists(text: str, regions: Sequence[Region]) -> Iterator[_Run]:
    """`[]`, where it stands alone or is announced."""
    for match in islice(_EMPTY.finditer(text), MOST):
        region = _region_of(regions, match.start())
        if region is not None and region.kind == "tag":
            yield _Run(*match.span(), (), listed=True, rank=_TAG)
        elif region is not None or _KEY.search(text[max(0, match.start() - 80) : match.start()]):
            yield _Run(*match.span(), (), listed=True, rank=_FINAL)
        elif text.strip() == match[0]:
            yield _Run(*match.span(), (), listed=True, rank=_FIRM)


def _region_of(regions: Sequence[Region], at: int) -> Region | None:
    place = bisect_right(regions, at, key=lambda region: region.start) - 1
    return regions[place] if place >= 0 and at < regions[place].end else None


def _single_lines(shown: str) -> tuple[list[_Run], set[int]]:
    """Lines about one patch each, `- Patch 2: a lamp is missing`, taken together; and where all such lines have their
    number."""
    values: list[int] = []
    spans: list[int] = []
    starts: set[int] = set()
    marked = False
    table = _TABLE_ROW.finditer(shown) if _TABLE_HEAD.search(shown) else ()
    for match in islice(chain(_LISTED.finditer(shown), table), LARGEST_SET):
        line_end = shown.find("\n", match.end(), match.end() + REACH)
        line = shown[match.end() : match.end() + REACH if line_end < 0 else line_end]
        starts.add(match.start("number"))
        marked = marked or _UNCLEAR_TAIL.fullmatch(line) is not None
        if not _SAME.search(line) and (_DIFFERS.search(line) or not _SAME_TAIL.match(line)):
            values.append(int(match["number"]))
            spans += [match.start("number"), match.end("number")]
    if not values or marked:
        return [], starts
    return [_Run(min(spans), max(spans), tuple(values), named=True, rank=_LINES)], starts


def _rows(shown: str) -> list[_Run]:
    """An answer, or its end, that is numbers alone, one on each line."""
    found: list[_Run] = []
    for match in islice(_ROWS.finditer(shown), MOST):
        numbers = list(_NUMBER.finditer(shown, match.start(), match.end()))
        if len(numbers) > 1 and not shown[match.end() :].strip():
            values = tuple(int(number[0]) for number in numbers)
            found.append(_Run(numbers[0].start(), numbers[-1].end(), values, rank=_FIRM))
    return found
