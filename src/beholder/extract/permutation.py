"""The order of the pieces that a reply to a jigsaw gives.

The asked format is a JSON list of whole numbers in one `<answer>` tag, `<answer>[4, 1, 3, 2]</answer>`, row by row.
`lenient` also reads bare lists, nested rows, rows split by `;` or line breaks, Markdown tables, LaTeX matrices and
plain numbers in a row. A list that is no permutation of 1..n is still what the model said: it is returned and flagged.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from beholder.extract.declared import REACH, abstained, after_revision, ascii_forms, declared, rejected
from beholder.extract.extraction import Extraction
from beholder.extract.revision import revisions
from beholder.extract.think import split_thought

Order = tuple[int, ...]

LONGEST = 9
"""Digits of one entry; a longer one makes the list `too_large`."""

_JSON_ENTRY = r"-?(?:0|[1-9][0-9]*)"
_DENIED = re.compile(r"(?:\b(?:not|than|instead of)|n't|不是|并非)[\s*`\[(]{0,6}$", re.IGNORECASE)
_W = r"[ \t\r\n]*"
_JSON_LIST = re.compile(rf"<answer>{_W}(\[{_W}(?:{_JSON_ENTRY}{_W}(?:,{_W}{_JSON_ENTRY}{_W})*)?\]){_W}</answer>")
_ENTRY = re.compile(r"(?<![0-9A-Za-z.])-?[0-9]+(?![0-9A-Za-z])(?!\.[0-9])")
_GAP = re.compile(r"(?:[\s,;、|&\[\](){}*_`$]|\\(?:q?quad\b|[\\,; ]))*")
_ROW_LABEL = re.compile(
    r"(?:[-*•]\s)?\b(?:(?:top|middle|bottom|first|second|third|fourth|fifth|sixth|last)\s{1,2}row|row\s{0,2}[0-9]{1,2})"
    r"[*_]{0,2}\s{0,2}(?:[:=]|-\s)|第[一二三四五六1-6]行\s{0,2}:?|\b(?:top|middle|bottom)[*_]{0,2}\s{0,2}[:=]",
    re.IGNORECASE,
)
_MAPPED = re.compile(  # "Position 1: 4", "1→4", "位置1：4"; "Piece 4 → position 1" names the piece first
    r"(?<![0-9A-Za-z.])(?:(?P<piece>pieces?|tiles?|块|拼块)|positions?|pos\.?|slots?|places?|spots?|cells?|位置|第)?"
    r"\s?#?(?P<first>[0-9]{1,4})(?:号|个位置|个)?[)\]]?\s{0,3}"
    r"(?:(?:->|=>|:|=|→|⇒)\s{0,3}|(?:is|gets|holds|goes\s(?:in)?to|belongs\s(?:in|to|at)|放|是|为)\s{1,3}|(?:放|是|为))"
    r"(?:the\s)?(?P<second_name>pieces?|tiles?|positions?|pos\.?|slots?|places?|spots?|cells?|块|拼块|位置|第)?\s?#?"
    r"(?P<second>[0-9]{1,4})(?:号|块)?(?![0-9A-Za-z]|\.[0-9])(?!\s{0,2}(?:->|=>|→|⇒|:|=))",
    re.IGNORECASE,
)
_PLACES = frozenset(("po", "sl", "pl", "sp", "ce", "位置", "第"))
_BETWEEN = re.compile(r"[\s,;、|.()\[\]*•_`-]{0,24}(?:and\s)?", re.IGNORECASE)
_UNMARKED = str.maketrans(dict.fromkeys("*_`", " "))
_ARROW = re.compile(r"(?<=[0-9])\s?(?:->|=>|→|⇒)\s?(?=[0-9])")
_RULE = re.compile(r"^[|: \t-]+$", re.MULTILINE)
_LINK = re.compile(r"(?<=[0-9])(?:-|,?\s{1,2}and\s{1,2}|\s?和\s?)(?=[0-9])")
_FENCE = re.compile(r"```[a-z]*|<br\s{0,2}/?>", re.IGNORECASE)
_Entry = tuple[int, int]


class _Candidate(msgspec.Struct, frozen=True, gc=False):
    """A list in the text. `rank`: 3 in a tag, 2 after "the final answer is", 1 announced or boxed, 0 bare."""

    found: Extraction[Order]
    start: int
    rank: int = 0


def strict(text: str, n_values: int) -> Extraction[Order]:
    """The list, if the answer after the thinking block is `<answer>[…]</answer>` with exactly `n_values` integers.

    Inside the tag the list is JSON. Flag with a value: `not_a_permutation`. Flags without: `format`, `wrong_length`,
    `too_large` (an entry of more than nine digits).
    """
    thought = split_thought(text)
    match = _JSON_LIST.fullmatch(thought.answer.strip())
    if not match:
        reason = "The answer is not a list of whole numbers in one <answer> tag."
        return Extraction(None, flags=("format",), reason=reason)
    entries = [entry.span() for entry in re.finditer(_JSON_ENTRY, match[1])]
    offset = thought.start + len(thought.answer) - len(thought.answer.lstrip())
    return _checked(match[1], entries, n_values).moved(offset + match.start(1))


def lenient(text: str, n_values: int) -> Extraction[Order]:
    """The list of `n_values` numbers that a careful reader would take as the answer.

    Flags with a value: `not_a_permutation`, `unclosed_tag`. Flags without: `wrong_length`, `ambiguous` (two different
    lists and no word that takes the first back), `abstained`, `withdrawn`, `too_large`, `no_list`.

    >>> lenient("[1,2,3],[4,5,6],[7,8,9]", 9).value
    (1, 2, 3, 4, 5, 6, 7, 8, 9)
    >>> lenient("[2,1,3,4] or [2,1,4,3]", 4).flags
    ('ambiguous',)
    """
    thought = split_thought(text)
    return _answer(ascii_forms(thought.answer), n_values).moved(thought.start)


def _readable(text: str) -> str:
    """The text with row labels, table rules and joining words blanked, at the same length."""
    for pattern in (_FENCE, _ROW_LABEL, _RULE, _LINK, _ARROW):
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return text


def _answer(given: str, n_values: int) -> Extraction[Order]:
    text = _readable(given)
    runs = list(_runs(text))
    parts = [part for run in runs for part in _parts(text, run, n_values)]
    parts = sorted([*parts, *_mapped(given.translate(_UNMARKED), n_values)], key=_begin)
    parts = [part for part in parts if not _DENIED.search(text[max(0, _begin(part) - 20) : _begin(part)])]
    candidates = _ranked(text, parts, runs, n_values)
    if not candidates:
        if place := abstained(text):
            return Extraction(None, span=place, flags=("abstained",), reason="The reply says that it has no answer.")
        return _none_found(any(len(run) > 1 for run in runs))
    kept = [candidates[position] for position in after_revision(text, [one.start for one in candidates])]
    if any(rejected(text[cut : cut + REACH]) for cut in revisions(text) if cut > kept[-1].start):
        return Extraction(None, flags=("withdrawn",), reason="The answer is taken back and no other is given.")
    best = max(one.rank for one in kept)
    chosen = [one.found for one in kept if one.rank == best]
    if len({one.value for one in chosen}) > 1:
        reason = "Two different lists could be the answer."
        return Extraction(None, span=chosen[0].span, flags=("ambiguous",), reason=reason)
    return chosen[0]


def _ranked(text: str, parts: list[list[_Entry]], runs: list[list[_Entry]], n_values: int) -> list[_Candidate]:
    """The full lists in text order, each with what announces it; a tag without a full list is a candidate too."""
    starts = [_begin(part) for part in parts]
    run_starts = [run[0][0] for run in runs]
    ranks = [0] * len(parts)
    unclosed: set[int] = set()
    empty: list[_Candidate] = []
    for region in declared(text):
        low = bisect_left(starts, region.start)
        if region.kind == "tag":
            high = bisect_left(starts, region.end)
            ranks[low:high] = [3] * (high - low)
            unclosed.update(range(low, high) if not region.closed else ())
            if low == high:
                inside = runs[bisect_left(run_starts, region.start) : bisect_left(run_starts, region.end)]
                counted = any(len(run) > 1 for run in inside)
                found = msgspec.structs.replace(_none_found(counted), span=(region.start, region.end))
                empty.append(_Candidate(found, region.start, 3))
        elif low < len(starts) and starts[low] < region.start + REACH:
            ranks[low] = max(ranks[low], 2 if region.kind == "final" else 1)
    candidates = []
    for position, part in enumerate(parts):
        found = _checked(text, part, n_values)
        if position in unclosed:
            found = msgspec.structs.replace(found, flags=(*found.flags, "unclosed_tag"))
        candidates.append(_Candidate(found, starts[position], ranks[position]))
    return sorted(candidates + empty, key=lambda one: one.start)


def _none_found(counted: bool) -> Extraction[Order]:
    if counted:
        return Extraction(None, flags=("wrong_length",), reason="No list in the reply has the asked number of values.")
    return Extraction(None, flags=("no_list",), reason="There is no list of numbers in the reply.")


def _checked(text: str, entries: Sequence[_Entry], n_values: int) -> Extraction[Order]:
    """The entries as a tuple, checked for length, size and being a permutation of 1..`n_values`."""
    if n_values < 1:
        raise ValueError(f"A list has at least one value, not {n_values}.")
    if len(entries) != n_values:
        reason = f"The list has {len(entries)} values; {n_values} were asked for."
        return Extraction(None, flags=("wrong_length",), reason=reason)
    start, end = min(entries)[0], max(entries)[1]
    while start and text[start - 1] in "[(":
        start -= 1
    while end < len(text) and text[end] in "])":
        end += 1
    if any(high - low > LONGEST for low, high in entries):
        return Extraction(None, span=(start, end), flags=("too_large",), reason="An entry has too many digits.")
    value = tuple(int(text[low:high]) for low, high in entries)
    flags = () if sorted(value) == list(range(1, n_values + 1)) else ("not_a_permutation",)
    return Extraction(value, span=(start, end), flags=flags)


def _runs(text: str) -> Iterator[list[_Entry]]:
    """Whole numbers with nothing but separators between them."""
    run: list[_Entry] = []
    for match in _ENTRY.finditer(text):
        if run:
            gap = _GAP.match(text, run[-1][1])
            if gap is None or gap.end() != match.start():
                yield run
                run = []
        run.append(match.span())
    if run:
        yield run


def _parts(text: str, run: list[_Entry], n_values: int) -> list[list[_Entry]]:
    """The full lists in a run: the run itself, or its pieces between blank lines, outer brackets or lines."""
    if len(run) <= n_values:
        return [run] if len(run) == n_values else []
    for cuts in (_blank_lines(text, run), _outer_brackets(text, run), _line_breaks(text, run)):
        edges = [0, *cuts, len(run)]
        pieces = [run[low:high] for low, high in pairwise(edges)]
        if all(len(piece) in (1, n_values) for piece in pieces):
            return [piece for piece in pieces if len(piece) == n_values]
    return []


def _begin(part: list[_Entry]) -> int:
    return min(part)[0]


def _mapped(text: str, n_values: int) -> Iterator[list[_Entry]]:
    """The pieces for the positions 1 to `n_values`, where each pair is written out: "Position 1: 4, Position 2: 1, …",
    "1→4, 2→1, …". OUR assumption: in a pair without names the position comes first."""
    rows: list[re.Match[str]] = []
    for match in _MAPPED.finditer(text):
        gap = _BETWEEN.match(text, rows[-1].end()) if rows else None
        if gap is None or gap.end() < match.start() or int(match["first"]) != len(rows) + 1:
            rows = []
        if int(match["first"]) == len(rows) + 1:
            rows.append(match)
        if len(rows) != n_values:
            continue
        if all(row["piece"] and (row["second_name"] or "")[:2].lower() in _PLACES for row in rows):  # where each goes
            places = sorted((int(row["second"]), row.span("first")) for row in rows)
            if [place for place, _ in places] == list(range(1, n_values + 1)):
                yield [span for _, span in places]
        elif not any(row["piece"] for row in rows):
            yield [row.span("second") for row in rows]
        rows = []


def _blank_lines(text: str, run: list[_Entry]) -> list[int]:
    return [i for i in range(1, len(run)) if text.count("\n", run[i - 1][1], run[i][0]) > 1]


def _line_breaks(text: str, run: list[_Entry]) -> list[int]:
    return [i for i in range(1, len(run)) if "\n" in text[run[i - 1][1] : run[i][0]]]


def _outer_brackets(text: str, run: list[_Entry]) -> list[int]:
    """Positions in the run before which all brackets that were open are closed."""
    lead = text[max(0, run[0][0] - 9) : run[0][0]]
    depth = sum(char in "[(" for char in lead[len(lead.rstrip("[( ")) :])
    cuts = []
    for i in range(1, len(run)):
        closed = depth == 0
        for char in text[run[i - 1][1] : run[i][0]]:
            depth += (char in "[(") - (char in "])")
            closed = closed or depth <= 0
            depth = max(depth, 0)
        if closed:
            cuts.append(i)
    return cuts
