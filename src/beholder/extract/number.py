"""The number that a reply gives as its answer.

`strict` takes a reply that is one plain number and nothing else. `lenient` takes what a careful reader would: it looks
for a declared answer (an `<answer>` tag, `\\boxed{}`, "the answer is"), then for a conclusion ("the total is", "so"),
then for a number that stands alone in bold or on the first or last line, and last for the only number of the reply.
Where two different numbers are left at the step that decides, there is no answer (`ambiguous`): nothing is guessed.

Rules (OUR assumptions; the papers leave them to a model or a library): a unit is ignored and flagged; `5%` is 5 only
for items whose answers are percentages; `5 out of 6` is 5 only for count questions; bounds (`more than 5`) are no
answers; after a change of mind ("wait", "after checking") the later answer replaces the earlier.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import islice

import msgspec

from beholder.extract.declared import (
    Region,
    abstained,
    ascii_forms,
    conclusions,
    declared,
    rejected,
    segments,
    statements,
)
from beholder.extract.extraction import Extraction
from beholder.extract.numerals import MAX_DIGITS, Numeral, number, numerals
from beholder.extract.think import split_thought

_PLAIN_NUMBER = re.compile(r"(<answer>\s*)?([+-]?[0-9]+(?:\.[0-9]+)?)(?(1)\s*</answer>)")
_MOST = 200
_MARKER = re.compile(r"^[ \t]{0,8}([0-9]{1,3})[.)、][ \t]{1,8}(?=\S)", re.MULTILINE)
_BOLD = re.compile(r"\*\*([^*\n]{1,60})\*\*")
_BEFORE_LONE = re.compile(r"[\s*_$`(\\{\[~≈=#>-]*")
_AFTER_LONE = re.compile(r"(?![.)]\s+\w)\W*(?:\w+\W*){0,2}")
_EQUALS = re.compile(
    r"\s{0,3}\$?\s{0,3}(?:[A-Za-z²³%]{1,15}\s{0,3})?[)\]}$]{0,3}\s{0,3}"
    r"(?:=|≈|\\approx|等于|equals\b)[\s$({\[*]{0,5}"
)
_OPERATOR = re.compile(
    r"\s{0,3}(?:[A-Za-z]{1,15}\s{0,3})?[)\]}]{0,3}\s{0,3}"
    r"(?:[-+*/×x÷·{]|\\times|\\cdot|\\div|\bplus\b|\bminus\b|\btimes\b)[\s({\[$]{0,5}"
)
_CLAUSE = re.compile(
    r"\b(?:because|since|as|which|where|given|with|including|consisting|made\sup|so|for)\b|[;(\[]|[.!?]\s|"
    r",\s{0,3}(?!\s|and\b|or\b|$)|因为|由于|其中|包括|[—–]",
    re.IGNORECASE,
)
_OR = re.compile(r"\bor\b|或|\b(?:maybe|perhaps|possibly|alternatively)\W{1,3}(?:\w{1,12}\s){0,3}$", re.IGNORECASE)
_AND_CLAUSE = re.compile(r",\s{0,3}and\s{0,3}$", re.IGNORECASE)
_SAYS_MORE = re.compile(r"\s(?:\w{1,15}\s)?(?:is|are|was|were|has|have|of\s(?:them|these|those))\b", re.IGNORECASE)
_RIVAL = re.compile(
    r"[\s.,;:)\]}$*_]{1,8}(?:or|alternatively|maybe|perhaps|possibly)\b\W{0,3}(?:(?:maybe|perhaps|even|possibly)\s)?"
    r"|[ \t.)$*_]{0,8}\n\s{0,8}",
    re.IGNORECASE,
)
_NO_SUCH = re.compile(  # "there are no apples", for a question that asks how many
    r"\b(?:there\s(?:are|is|were|was)|i\s(?:can\s)?(?:see|count|find)|(?:picture|image|photo|scene)\s(?:shows"
    r"|contains|has))"
    r"(?:\sno|\snot\sany|n't\sany)\s"
    r"(?!(?:doubt|evidence|answer|number|way|reason|information|indication|sign|more|other|one|need)\b)"
    r"[a-z-]{2,20}(?:\s[a-z-]{2,20}){0,2}|\b(?:none|neither)\sof\s(?:them|these|those|the\s[a-z]{2,20})\b",
    re.IGNORECASE,
)

_HOWEVER = re.compile(r"\b(?:but|however|only|just|instead)\b|[.!?]\s", re.IGNORECASE)

_PROBLEMS = {
    "too_large": "The number is too large to be read.",
    "symbolic": "The answer is an expression, not a number.",
    "percent": "The answer is a percentage, and the question does not ask for one.",
    "out_of": "The answer is a part of a whole, and the question does not ask for a count.",
    "ambiguous": "A comma between the digits may be a decimal comma or part of a list.",
    "sign": "A dash before the number may or may not be a minus sign.",
}


def strict(text: str) -> Extraction[float]:
    """The number, if the whole answer after the thinking block is one plain number, bare or in one `<answer>` tag.

    Plain: an optional sign, ASCII digits, at most one decimal point. White space around the whole and inside the tag is
    ignored.
    Flags when there is no value: `too_large`, `format`.
    """
    thought = split_thought(text)
    answer = thought.answer.strip()
    match = _PLAIN_NUMBER.fullmatch(answer)
    if not match:
        return Extraction(None, flags=("format",), reason="The answer is not one plain number.")
    if len(match[2]) > MAX_DIGITS:
        return Extraction(None, flags=("too_large",), reason=_PROBLEMS["too_large"])
    offset = thought.start + len(thought.answer) - len(thought.answer.lstrip())
    return Extraction(number(Fraction(match[2])), span=(offset + match.start(2), offset + match.end(2)))


def lenient(text: str, *, percent: bool = False, count: bool = False) -> Extraction[float]:
    """The number a careful reader would take as the answer; whole numbers are exact `int`s.

    `percent` says that the item's answers are percentages (`5%` is 5), `count` that it asks "how many" (`5 out of 6`
    is 5). Flags with a value: `unit_ignored`, `unclosed_tag`. Flags without: `ambiguous`, `abstained`, `too_large`,
    `symbolic`, `percent`, `out_of`, `sign`, `inexact` (only a bound is given), `withdrawn`, `no_number`.

    >>> lenient("There are 3 rows of 4, so 12 apples.").value, lenient("1 or 5").flags
    (12, ('ambiguous',))
    """
    thought = split_thought(text)
    page = _Page(ascii_forms(thought.answer), percent, count)
    found = _answer(page)
    if found.span is None:
        return found
    start, end = found.span
    return msgspec.structs.replace(found, span=(start + thought.start, end + thought.start))


class _Page:
    """A reply with everything that is looked up in it more than once."""

    def __init__(self, text: str, percent: bool, count: bool) -> None:
        self.text = text
        self.percent = percent
        self.count = count
        self.declared = declared(text)
        self.conclusions = conclusions(text)
        self.stated = statements(text)
        self.markers = _list_markers(text)

    def numerals(self, start: int, end: int) -> list[Numeral]:
        found = numerals(self.text, start, end, percent=self.percent, count=self.count)
        return [n for n in islice(found, _MOST + 1) if n.start not in self.markers and not n.negated]


def _answer(page: _Page) -> Extraction[float]:
    parts = segments(page.text)
    for position in range(len(parts) - 1, -1, -1):
        start, end = parts[position]
        found = _read_segment(page, start, end)
        if found is None:
            continue
        if any(rejected(page.text[a:b]) for a, b in parts[position + 1 :]):
            return Extraction(None, flags=("withdrawn",), reason="The answer is taken back and no other is given.")
        return found
    if place := abstained(page.text):
        return Extraction(None, span=place, flags=("abstained",), reason="The reply says that it has no answer.")
    return Extraction(None, flags=("no_number",), reason="There is no number in the reply.")


def _read_segment(page: _Page, start: int, end: int) -> Extraction[float] | None:
    """The answer of a stretch without changes of mind, or None if it holds no number."""
    regions = [region for region in page.declared if start <= region.start < end]
    if any(region.kind == "final" for region in regions):
        regions = [region for region in regions if region.kind in ("final", "tag")]
    steps = (regions, [region for region in page.conclusions if start <= region.start < end])
    for step in steps:
        readings = [found for region in step if (found := _read_region(page, region, end)) is not None]
        if readings:
            return _agreed(readings)
    alone = [found for a, b in _places(page.text, start, end) if (found := _lone(page, a, b)) is not None]
    if alone:
        return _agreed(alone)
    stated = [region for region in page.stated if start <= region.start < end]
    readings = [found for region in stated if (found := _read_region(page, region, end)) is not None]
    if readings:
        return _agreed(readings)
    numbers = page.numerals(start, end)
    none = _NO_SUCH.search(page.text, start, end) if page.count else None
    if none and not numbers:
        return Extraction(0, span=none.span())
    if none and none.end() < numbers[0].start and not _HOWEVER.search(page.text, none.end(), numbers[0].start):
        return _ambiguous(none.span())  # "There are no cats; the two dogs …": none, or two?
    if numbers and (place := abstained(page.text[start:end])):
        span = (start + place[0], start + place[1])
        return Extraction(None, span=span, flags=("abstained",), reason="The reply says that it has no answer.")
    return _only(_results(page.text, numbers))


def _read_region(page: _Page, region: Region, limit: int) -> Extraction[float] | None:
    end = min(region.end, limit)
    numbers = page.numerals(region.start, end)
    place = abstained(page.text[region.start : end])
    if place and (not numbers or region.start + place[0] < numbers[0].start):
        span = (region.start + place[0], region.start + place[1])
        return Extraction(None, span=span, flags=("abstained",), reason="The reply says that it has no answer.")
    if not numbers and region.kind in ("tag", "box"):
        return Extraction(None, span=(region.start, end), flags=("no_number",), reason="The given answer is no number.")
    if region.kind != "tag":
        numbers = _before_clause(page.text, numbers) + _rivals(page, end)
    found = _only(_results(page.text, numbers))
    if found is not None and not region.closed:
        return msgspec.structs.replace(found, flags=(*found.flags, "unclosed_tag"))
    return found


def _agreed(readings: Sequence[Extraction[float]]) -> Extraction[float]:
    """One reading of several: all that have a value must have the same one."""
    decided = [reading for reading in readings if reading.value is not None]
    if not decided:
        return readings[0]
    if len({reading.value for reading in decided}) > 1:
        return _ambiguous(decided[0].span)
    return decided[0]


def _only(numbers: Sequence[Numeral]) -> Extraction[float] | None:
    """The value that all the numbers share; None without numbers."""
    if not numbers:
        return None
    if len(numbers) > _MOST:
        return _ambiguous((numbers[0].start, numbers[0].end))
    exact = [n for n in numbers if not n.bound]
    if not exact or (len(exact) < len(numbers) and all(n.hedged for n in exact)):  # "at least 3, maybe 4"
        span = (numbers[0].start, numbers[0].end)
        return Extraction(None, span=span, flags=("inexact",), reason="The reply bounds the number without giving it.")
    strong = [n for n in exact if not n.weak] or exact
    first, span = strong[0], (strong[0].start, strong[0].end)
    values = {n.value for n in strong}
    if len(values) > 1 or (first.problem and len(strong) > 1):
        return _ambiguous(span)
    if first.problem:
        return Extraction(None, span=span, flags=(first.problem,), reason=_PROBLEMS[first.problem])
    unit = any(n.unit for n in strong)
    return Extraction(first.value, span=span, flags=("unit_ignored",) if unit else ())


def _ambiguous(span: tuple[int, int] | None) -> Extraction[float]:
    reason = "Two or more different numbers could be the answer."
    return Extraction(None, span=span, flags=("ambiguous",), reason=reason)


def _results(text: str, numbers: Sequence[Numeral]) -> list[Numeral]:
    """The numbers without those that are only the left side of an equation, there or before: `3 + 2 = 5` leaves 5."""
    kept: list[Numeral] = []
    used: set[int | float | None] = set()
    results: set[int] = set()
    dropped = False
    after: Numeral | None = None
    for n in reversed(numbers):
        gap = text[n.end : after.start] if after is not None else ""
        if after is None or len(gap) > 40:
            dropped = False
        elif _EQUALS.fullmatch(gap):
            dropped = n.problem != "symbolic"
            results.add(after.start)
        elif dropped:
            minus = not gap.strip() and text[after.start] == "-"
            dropped = minus or _OPERATOR.fullmatch(gap) is not None
        if dropped:
            used.add(n.value)
        else:
            kept.append(n)
        after = n
    return [n for n in kept[::-1] if n.start in results or n.value not in used]


def _before_clause(text: str, numbers: Sequence[Numeral]) -> list[Numeral]:
    """The numbers up to where the answer's own clause ends: `12, because 3 times 4` leaves 12, `5, 6` leaves both."""
    for position in range(len(numbers) - 1):
        following = numbers[position + 1]
        gap = text[numbers[position].next : following.start]
        clause = _CLAUSE.search(gap) or (_AND_CLAUSE.search(gap) and _SAYS_MORE.match(text, following.next))
        if clause and not _OR.search(gap):
            return list(numbers[: position + 1])
    return list(numbers)


def _rivals(page: _Page, end: int) -> list[Numeral]:
    """A number right after a declared answer that competes with it: "… or 6", or alone on the next line."""
    match = _RIVAL.match(page.text, end)
    if match is None:
        return []
    limit = min(len(page.text), match.end() + 30)
    line = page.text.find("\n", match.end(), limit)
    high = limit if line < 0 else line
    numbers = page.numerals(match.end(), high)
    if not numbers or numbers[0].weak or numbers[0].start - match.end() > 3:
        return []
    ends = line >= 0 or limit == len(page.text)
    alone = ends and len(numbers) == 1 and not page.text[numbers[0].end : high].strip(" .*_$)")
    return numbers[:1] if alone or "\n" not in match[0] else []


def _places(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where an answer may stand alone: in bold, on the first line, on the last line."""
    found = [match.span(1) for match in islice(_BOLD.finditer(text, start, end), _MOST)]
    part = text[start:end]
    head, tail = start + len(part) - len(part.lstrip()), start + len(part.rstrip())
    if head < tail:
        first = text.find("\n", head, tail)
        last = text.rfind("\n", head, tail) + 1
        found += [(head, tail if first < 0 else first), (max(last, head), tail)]
    return [(a, b) for a, b in found if b - a <= 80]


def _lone(page: _Page, start: int, end: int) -> Extraction[float] | None:
    """The number in `start`..`end` if it stands there alone, with two words of unit at most."""
    numbers = page.numerals(start, end)
    if len(numbers) != 1 or numbers[0].weak or numbers[0].bound:
        return None
    one = numbers[0]
    if not _BEFORE_LONE.fullmatch(page.text, start, one.start) or not _AFTER_LONE.fullmatch(page.text, one.end, end):
        return None
    return _only(numbers)


def _list_markers(text: str) -> frozenset[int]:
    """Offsets of the numbers that number a list: `1.`, `2.`, … at the beginnings of lines."""
    found: list[int] = []
    run: list[int] = []
    expected = 1
    for match in _MARKER.finditer(text):
        if int(match[1]) != expected:
            found += run if len(run) > 1 else []
            run, expected = [], 1
        if int(match[1]) == expected:
            run.append(match.start(1))
            expected += 1
    return frozenset(found + (run if len(run) > 1 else []))
