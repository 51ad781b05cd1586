"""The number that a judge gives as its verdict.

A rating is read only where the judge says that it is one: under its key in a JSON object, after the key in a sentence
(`Score: 4`), in double brackets (`[[4]]`), or as the whole reply. A number out of range is no rating and is never moved
into the range; a number that merely stands in the text (`[ERROR] 429 after 3 tries`) is none either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from beholder.extract.declared import after_revision, ascii_forms
from beholder.extract.extraction import Extraction
from beholder.extract.json_value import find_json
from beholder.extract.think import split_thought

_MARKS = r"[\s*_`$()\[\]\"'~<>]{0,12}"
_LEAD = re.compile(_MARKS)
_VALUE = re.compile(r"([+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?)(?![0-9A-Za-z]|[.,][0-9])")
_SCALE = re.compile(rf"{_MARKS}(?:/|\bout\sof\b|\bof\b)\s?([0-9]{{1,9}}(?:\.[0-9]{{1,9}})?)", re.IGNORECASE)
_PERCENT = re.compile(r"\s?(?:%|percent\b)")
_RANGE = re.compile(r"\s{0,2}(?:[-–~]|\b(?:to|or|and)\b)\s{0,2}[0-9]", re.IGNORECASE)
_TRAIL = re.compile(r"[\s*_`$()\[\]\"'.!。]{0,20}")
_BRACKETS = re.compile(r"\[\[\s{0,3}([^\[\]\n]{1,40})\]\]")


class _Claim(msgspec.Struct, frozen=True, gc=False):
    """A stated rating at `start`..`end`; without a value, `problem` says why it is none."""

    value: float | None
    start: int
    end: int
    problem: str = ""
    final: bool = False


def read_rating(text: str, low: float, high: float, key: str = "score") -> Extraction[float]:
    """The rating in `low`..`high` that a judge's reply gives under `key`.

    In JSON the key may be nested and its case does not matter; a number written as a string counts, flag `repaired`.
    `4/5` counts where 5 is `high` (otherwise `other_scale`), `80%` where `high` is 100. Flags without a value:
    `out_of_range`, `other_scale`, `ambiguous`, `no_rating`.

    >>> read_rating('{"score": 1}', 0, 1).value, read_rating("[[90]]", 0, 1).flags
    (1, ('out_of_range',))
    """
    found = find_json(text)
    if found.span and text[found.span[0]] == "{":
        if found.value is None or "duplicate_key" in found.flags:
            reason = "The judge gives several different verdicts."
            return Extraction(None, span=found.span, flags=("ambiguous",), reason=reason)
        claims, repaired = _in_json(found.value, found.span, high, key)
        if claims:
            flags = tuple(sorted({*found.flags, "repaired"})) if repaired else found.flags
            return _settled(claims, low, high, flags)
    thought = split_thought(text)
    answer = ascii_forms(thought.answer)
    claims = _after_key(answer, high, key) or _in_brackets(answer, high) or _whole_reply(answer, high)
    if any(claim.final for claim in claims):
        claims = [claim for claim in claims if claim.final]
    claims = [claims[position] for position in after_revision(answer, [claim.start for claim in claims])]
    found_in_text = _settled(claims, low, high, ())
    if found_in_text.span is None:
        return found_in_text
    start, end = found_in_text.span
    return msgspec.structs.replace(found_in_text, span=(start + thought.start, end + thought.start))


def _settled(claims: list[_Claim], low: float, high: float, flags: tuple[str, ...]) -> Extraction[float]:
    """The one rating that all claims agree on, if it is in range."""
    if not claims:
        return Extraction(None, flags=("no_rating",), reason="The judge gives no rating.")
    first = claims[0]
    span = (first.start, first.end)
    if len({(claim.value, claim.problem) for claim in claims}) > 1:
        return Extraction(None, span=span, flags=("ambiguous",), reason="The judge gives several different ratings.")
    if first.value is None:
        return Extraction(None, span=span, flags=(first.problem,), reason=_REASONS[first.problem])
    if not low <= first.value <= high:
        reason = f"The rating {first.value:g} is not between {low:g} and {high:g}."
        return Extraction(None, span=span, flags=("out_of_range",), reason=reason)
    return Extraction(first.value, span=span, flags=flags)


_REASONS = {
    "no_rating": "What the judge gives is not a single number.",
    "other_scale": "The judge rates on another scale.",
    "ambiguous": "The judge gives a range.",
}


def _in_json(value: dict[str, Any], span: tuple[int, int], high: float, key: str) -> tuple[list[_Claim], bool]:
    """What stands under the key, and whether a string had to be read as a number."""
    claims: list[_Claim] = []
    repaired = False
    for inner in _under(value, key.casefold()):
        number: float | None = None
        problem = "no_rating"
        if isinstance(inner, str):
            repaired = True
            whole = _whole_reply(ascii_forms(inner), high)
            number, problem = (whole[0].value, whole[0].problem) if whole else (None, problem)
        elif isinstance(inner, int | float) and not isinstance(inner, bool):
            number, problem = (inner, "") if abs(inner) < 1e30 else (None, problem)
        claims.append(_Claim(number, *span, problem))
    return claims, repaired


def _under(value: Any, key: str) -> Iterator[Any]:
    """All values under the key, at any depth (`find_json` bounds it)."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name.casefold() == key:
                yield inner
            else:
                yield from _under(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _under(inner, key)


def _after_key(text: str, high: float, key: str) -> list[_Claim]:
    """Ratings stated as `Score: 4`, `**Final score (0-5):** 4/5`, `a score of 4`."""
    name = re.escape(key).replace("_", r"[_\s-]")
    cue = re.compile(
        rf"(?<![A-Za-z])(final\s{{1,3}})?(?<![A-Za-z]){name}(?![A-Za-z])[*_`\"')\]]{{0,4}}\s{{0,2}}"
        r"(?:\([^()\n]{0,40}\)\s{0,2})?[*_]{0,2}\s{0,2}(?:[:=]|->|→|(?:is|of|was|would\sbe)\b)",
        re.IGNORECASE,
    )
    claims = []
    for match in cue.finditer(text):
        lead = _LEAD.match(text, match.end())
        claim = _read(text, lead.end() if lead else match.end(), high)
        if claim is None:
            continue
        quoted = match.start() > 0 and text[match.start() - 1] in "\"'"
        if quoted and claim.end == len(text):  # JSON cut off, perhaps in the middle of the number
            claim = _Claim(None, claim.start, claim.end, "no_rating")
        claims.append(msgspec.structs.replace(claim, final=match[1] is not None))
    return claims


def _in_brackets(text: str, high: float) -> list[_Claim]:
    """Ratings in the form `[[4]]`."""
    claims = []
    for match in _BRACKETS.finditer(text):
        inner = _whole_reply(match[1], high)
        value, problem = (inner[0].value, inner[0].problem) if inner else (None, "no_rating")
        claims.append(_Claim(value, *match.span(), problem))
    return claims


def _whole_reply(text: str, high: float) -> list[_Claim]:
    """The rating that is all of a text, but for marks around it."""
    lead = _LEAD.match(text)
    claim = _read(text, lead.end() if lead else 0, high)
    if claim is None or not _TRAIL.fullmatch(text, claim.end):
        return []
    return [claim]


def _read(text: str, at: int, high: float) -> _Claim | None:
    """The rating that begins at `at`, with its scale, or None if no number begins there."""
    match = _VALUE.match(text, at)
    if not match:
        return None
    value: float = float(match[1]) if "." in match[1] else int(match[1])
    start, end = match.span()
    if scale := _SCALE.match(text, end):
        fits = float(scale[1]) == high
        return _Claim(value if fits else None, start, scale.end(), "" if fits else "other_scale")
    if percent := _PERCENT.match(text, end):
        return _Claim(value if high == 100 else None, start, percent.end(), "" if high == 100 else "other_scale")
    if joined := _RANGE.match(text, end):
        return _Claim(None, start, joined.end(), "ambiguous")
    return _Claim(value, start, end)
