"""Where a reply says that its answer comes: tags, boxes, "the answer is", conclusions, and changes of mind.

Offsets are into the text that is given. Everything here is linear in the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

import msgspec

from beholder.extract.markup import answer_tags, is_blank
from beholder.extract.revision import revisions

_DIGIT_ZEROS = (0x660, 0x6F0, 0x966, 0xFF10, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6)
_FORMS: dict[int, str] = {zero + digit: str(digit) for zero in _DIGIT_ZEROS for digit in range(10)}
_FORMS |= {0xFF01 + i: chr(0x21 + i) for i in range(0x5E) if not 0xFF10 <= 0xFF01 + i <= 0xFF19}
_FORMS |= {ord(mark): "-" for mark in "−‐‑﹣"} | {ord("﹪"): "%", ord("￥"): "¥", ord("’"): "'"}

REACH = 300
"""How many characters after "the answer is" are looked at."""

MOST_CUES = 500
"""A reply that announces its answer more often than this is read from its end."""

_REJECTION = re.compile(
    r"\b(?:is|was|seems|that's|this's|it's)\s(?:wrong|incorrect|mistaken|not\s(?:right|correct))"
    r"|\bisn't\s(?:right|correct)|是错|错了|不正确",
    re.IGNORECASE,
)
_ABSTAINED = re.compile(
    r"\b(?:unknown|undetermined|n/a|no\s(?:valid\s)?answer|not\s(?:be\s)?(?:determined|visible)|"
    r"(?:not\senough|insufficient)\sinformation|(?:do\snot|don't)\sknow|"
    r"(?:cannot|can't|can\snot|unable\sto|impossible\sto)\s(?:be\s)?"
    r"(?:determined?|tell|told|say|answer(?:ed)?|count(?:ed)?|see|know))\b"
    r"|无法(?:确定|判断|回答|得知|看清)|不知道|没有答案",
    re.IGNORECASE,
)
_BRACE = re.compile(r"\\(?:boxed|fbox)\s{0,3}\{|\\[{}]|[{}]")
_ANSWER_CUE = re.compile(
    r"(?:\b(final|corrected|revised|updated)\s{1,3})?\banswers?\b[*_`\"')\]]{0,4}\s{0,3}"
    r"(?:(?:to|for)\s[^.:=\n]{0,80}?\s)?"
    r"(?:(?:is|are|was|would\sbe|should\sbe|must\sbe|will\sbe|comes\sto)\b|:|=|->|→)"
    r"|^[ \t]{0,3}(?:#{1,6}|\*\*)[ \t]{0,3}(final[ \t])?answer[*:]{0,3}[ \t]{0,3}$"
    r"|(最终|最后的?)?答案[*_]{0,2}\s{0,2}(?:应该|应当|应)?(?:是|为|:|=|等于|(?=[0-9*\[]))",
    re.IGNORECASE | re.MULTILINE,
)
_CONCLUSION = re.compile(
    r"\b(?:therefore|thus|hence|so|consequently|in\sconclusion|overall|in\ssummary|totall?ing|"
    r"which\s(?:makes|gives))\b"
    r"|\btotal(?:\s(?:number|count))?(?:\sof\b|(?:\sof\s[^.,:=\n]{0,60}?)?\s(?:is|are|was|comes\sto)\b)"
    r"|\b(?:sum|result|count)\s(?:is\b|=)|(?<!in\s)\b(?:result|count|sum|total)\s?[*]{0,2}[:=]"
    r"|因此|所以|总共|一共|共有|共计|合计|总计|综上|(?:总数|结果)(?:是|为|:)",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"\b(?:value|number|amount|height|width|length|distance|area|angle|perimeter|volume|price|cost|age|score|rate"
    r"|average|mean|"
    r"median|difference|percentage)\b[^.,:;=\n]{0,60}?\s(?:is|was|are|were|equals)\b",
    re.IGNORECASE,
)
_ALTOGETHER = re.compile(r"\b(?:in\stotal|altogether|in\sall)\b", re.IGNORECASE)
_CLAUSE_START = re.compile(r"[.!?,;:\n](?![0-9])")
_LEAD = re.compile(r"[\s*_#>:`\"=-]{0,40}")
_SENTENCE_END = re.compile(r"[.!?](?=[\s*_\"')$]|$)|[。\n]|</?answer")
_NUMBER_RUN = re.compile(r"[0-9.,]*")


class Region(msgspec.Struct, frozen=True):
    """A stretch of text in which an answer is declared.

    `kind` is `tag`, `box`, `cue` ("the answer is"), `final` ("the final answer is") or `conclusion` ("therefore").
    `closed` is False for a tag that is opened and never closed. `cue` is where the announcing words begin (for a tag:
    where its content begins).
    """

    start: int
    end: int
    kind: str
    cue: int
    closed: bool = True


def ascii_forms(text: str) -> str:
    """The text with full-width forms, foreign digits and minus signs as ASCII: same length, same offsets.

    >>> ascii_forms("答案：１２，−５％")
    '答案:12,-5%'
    """
    return text.translate(_FORMS)


def segments(text: str) -> list[tuple[int, int]]:
    """The text cut at each revising word, in order; a later segment replaces the earlier ones."""
    cuts = [0, *revisions(text), len(text)]
    return [(a, b) for a, b in pairwise(cuts) if a < b]


def after_revision(text: str, starts: list[int]) -> list[int]:
    """Which of the answers that begin at `starts` (ascending) were not taken back by a later one: their positions.

    >>> after_revision("5. Wait, 6", [0, 9])
    [1]
    """
    if len(starts) < 2:
        return list(range(len(starts)))
    cuts = revisions(text)
    last = bisect_right(cuts, starts[-1])
    floor = cuts[last - 1] if last else 0
    return [position for position, start in enumerate(starts) if start >= floor]


def rejected(text: str) -> bool:
    """Whether a text says that what was just answered is wrong."""
    return _REJECTION.search(text) is not None


def abstained(text: str) -> tuple[int, int] | None:
    """Where a text says that it has no answer ("unknown", "cannot determine", "无法确定"), or None."""
    match = _ABSTAINED.search(text)
    return match.span() if match else None


def declared(text: str) -> list[Region]:
    """All regions in which `text` (already in `ascii_forms`) declares an answer, in order of their start."""
    found = [*_tags(text), *_boxes(text), *_cues(text, _ANSWER_CUE)]
    return sorted(found, key=lambda region: region.start)


def conclusions(text: str) -> list[Region]:
    """Regions with a conclusion ("therefore …", "… in total"): weaker than what `declared` finds, in order of start."""
    found = [*_cues(text, _CONCLUSION), *_totals(text)]
    return sorted(found, key=lambda region: region.start)


def statements(text: str) -> list[Region]:
    """Regions after a quantity that is said to be something ("the value in 2020 is …"): weaker than conclusions."""
    return list(_cues(text, _STATED))


def _tags(text: str) -> Iterator[Region]:
    for tag in answer_tags(text):
        if not is_blank(text[tag.start : tag.end]):
            yield Region(tag.start, tag.end, "tag", tag.start, tag.closed)


def _boxes(text: str) -> Iterator[Region]:
    """The contents of outermost `\\boxed{…}`; a box that is never closed does not count."""
    stack: list[tuple[int, int, bool]] = []
    found: list[Region] = []
    for match in _BRACE.finditer(text):
        mark = match[0]
        if mark == "}" and stack:
            cue, start, is_box = stack.pop()
            if is_box:
                while found and found[-1].cue > cue:
                    found.pop()
                found.append(Region(start, match.start(), "box", cue))
        elif mark == "{" or len(mark) > 2:
            stack.append((match.start(), match.end(), len(mark) > 2))
    return iter(found[-MOST_CUES:])


def _totals(text: str) -> Iterator[Region]:
    """The clause that ends in "in total"; if it holds no digit or word before that, the sentence that follows."""
    for match in list(_ALTOGETHER.finditer(text))[-MOST_CUES:]:
        low = max(0, match.start() - 60)
        breaks = [cut.end() for cut in _CLAUSE_START.finditer(text, low, match.start())]
        start = breaks[-1] if breaks else low
        clause = text[start : match.start()]
        if len(clause.split()) > 1 or any(char.isdigit() for char in clause):
            yield Region(start, match.start(), "conclusion", start)
        else:
            end = _SENTENCE_END.search(text, match.end(), match.end() + REACH)
            stop = end.start() if end else min(len(text), match.end() + REACH)
            yield Region(match.end(), stop, "conclusion", match.start())


def _cues(text: str, pattern: re.Pattern[str]) -> Iterator[Region]:
    """The sentence after each cue. A cue inside the region of an earlier one cuts the earlier one short."""
    matches = list(pattern.finditer(text))[-MOST_CUES:]
    for position, match in enumerate(matches):
        lead = _LEAD.match(text, match.end())
        start = lead.end() if lead else match.end()
        end_match = _SENTENCE_END.search(text, start, start + REACH)
        end = end_match.start() if end_match else min(len(text), start + REACH)
        if not end_match:
            run = _NUMBER_RUN.match(text, end)
            end = run.end() if run else end
        if position + 1 < len(matches):
            end = min(end, matches[position + 1].start())
        # The lead may hold a minus sign, so the region begins right after the cue.
        if match.end() < end:
            kind = "conclusion" if pattern is not _ANSWER_CUE else "final" if any(match.groups()) else "cue"
            yield Region(match.end(), end, kind, match.start())
