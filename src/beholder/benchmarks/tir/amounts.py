"""The number that a response to a TIR-Bench question gives, beyond what `beholder.extract.number` reads.

Gauges and thermometers have units, and often two scales; counts come with their parts. Where `number` finds more than
one number, the one in the unit asked for, the one that is called the reading, or the total whose parts add up to it is
the answer. OUR assumption: the paper's extractor is a model.
"""

from __future__ import annotations

import re
from itertools import pairwise

from beholder.benchmarks.tir import questions
from beholder.extract import number
from beholder.extract.declared import ascii_forms
from beholder.extract.extraction import Extraction
from beholder.extract.numerals import Numeral, numerals
from beholder.extract.think import split_thought

_POWER_OF_UNIT = re.compile(r"(?<=[cmk]m|[/0-9 ]m|in|ft)(\s?\}?)\s?\^\s?(?:[23]|\{\s?[23]\s?\})")
_AMOUNT = r"(?<![0-9.,A-Za-z])[+-]?[0-9]{1,9}(?:[.,][0-9]{1,9})?\s?"
_READING = re.compile(
    r"\b(?:readings?|measurement|measured\svalue)\b[^.:=≈\n]{0,80}?(?:\bis\b|\bwas\b|\bwould\sbe\b|=|≈|:|\\approx)"
    r"|读数(?:约|大约)?(?:为|是|:|=|≈)",
    re.IGNORECASE,
)
_COMMA = re.compile(r"\s?(?:,|、)?\s?(?:and|和)?\s?")
_ASKS_TIMES = re.compile(
    r"\b(?:how\smany\stimes|how\soften|occurrences?|number\sof\stimes|how\smany\s['\"]?[0-9])|(?:多少|几)次|出现",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:\b(?:digits?|numbers?|numerals?|figures?|characters?|symbols?|words?|times\sdoes|times\sis|many|of)|数字|字符|数)\s?"
    r"(?:the\s)?['\"“‘「]?([0-9]{1,9})(?![0-9]|[.,][0-9])",
    re.IGNORECASE,
)
_TIMES = re.compile(r"\s{0,2}(?:times\b(?!\s?[0-9]|\sas\b)|occurrences?\b|instances?\b|次)", re.IGNORECASE)
_THING = re.compile(
    r"(?:\b(?:digits?|numbers?|numerals?|characters?|symbols?|of)|数字|字符|数)\s?(?:the\s)?['\"“‘「*`]{0,3}$",
    re.IGNORECASE,
)
_IS_SOMEWHERE = re.compile(
    r"['\"”’」*`]{0,3}(?:'?s\b|\s?(?:appears?|occurs?|shows?\sup|(?:is|are|was|can\sbe|does|do)\s(?:not\s)?(?:found|present|seen|there"
    r"|repeated|appear|occur)|出现|有|在|一共|共|总共))",
    re.IGNORECASE,
)
_ONCE = re.compile(r"(?<!more than )(?<!at least )\b(?:only\s|exactly\s|just\s)?(once|twice|thrice)\b", re.IGNORECASE)
_SIZE = re.compile(
    r"[0-9]{1,4}\s?(?:[x×]|by|乘)\s?[0-9]{1,4}|[0-9]{1,4}[\s-](?:rows?|columns?|characters|letters|cells|digits)\b|[0-9]{1,4}\s?[行列]",
    re.IGNORECASE,
)
_STOP = re.compile(r"[.!?](?=\s|$)|[。\n;]")
_MOST_PARTS = 12
_LONGEST = 400
_MANY = 200
_INTRODUCES = re.compile(
    r":|\(|—|–|\b(?:including|consisting\sof|namely|made\sup\sof|comprising)\b|其中|包括", re.IGNORECASE
)


def amount(text: str, question: str, percent: bool | None = None) -> Extraction[float]:
    """The number that a careful reader takes as the answer to the question; flags are those of `number.lenient`.

    `percent` says that answers are percentages; None: if the question says so.
    """
    shown = _POWER_OF_UNIT.sub(lambda match: match[1].ljust(len(match[0])), text)
    shown = _in_asked_unit(shown, question)
    percent = questions.in_percent(question) if percent is None else percent
    count = questions.counts(question)
    if _ASKS_TIMES.search(ascii_forms(question)):
        shown = _without_named(shown, question)
    found = number.lenient(shown, percent=percent, count=count)
    if "no_number" in found.flags and _ASKS_TIMES.search(ascii_forms(question)):
        return _once_or_twice(shown) or found
    if "ambiguous" not in found.flags:
        return found
    if count:
        return _times(shown) or with_parts(shown, found)
    return _reading(shown, percent) or _of_asked_scale(shown, question) or found


def _without_named(text: str, question: str) -> str:
    """The text with numbers blanked (same length) that the question names as what is counted: "the digit 6 appears".

    Where such a number is the only one and nothing says that it is the thing, it is the answer.
    """
    names = {match[1].lstrip("0") or "0" for match in _NAMED.finditer(ascii_forms(question))}
    shown = ascii_forms(text)
    found = list(re.finditer(r"(?<![0-9.])(?<![0-9],)[0-9]{1,9}(?![0-9]|[.,][0-9])", shown))
    named = [
        match for match in found if (match[0].lstrip("0") or "0") in names and not _TIMES.match(shown, match.end())
    ]
    if not named:
        return text
    starts = {match.start() for match in named}
    others = len(named) > _MANY or any(
        not one.weak for one in numerals(shown, 0, len(shown)) if one.start not in starts
    )
    pieces, at = [], 0
    for match in named:
        called = _THING.search(shown, max(0, match.start() - 24), match.start())
        if others or called or _IS_SOMEWHERE.match(shown, match.end()):
            pieces += [text[at : match.start()], " " * len(match[0])]
            at = match.end()
    return "".join(pieces) + text[at:]


def _times(text: str) -> Extraction[float] | None:
    """The N of "N times", if no other number of the answer can be a count: sizes and a list in brackets cannot."""
    thought = split_thought(text)
    shown = ascii_forms(thought.answer)
    if len(shown) > _LONGEST or _ONCE.search(shown):
        return None
    shown = _SIZE.sub(lambda match: " " * len(match[0]), shown)
    found = [one for one in numerals(shown, 0, len(shown), count=True) if not one.weak]
    said = [one for one in found if _TIMES.match(shown, one.end)]
    if len(said) != 1 or said[0].value is None or said[0].bound or said[0].negated:
        return None
    if len(found) > 1 and not (found[0] is said[0] and _BRACKET.match(shown, _after_times(shown, said[0]))):
        return None
    span = (thought.start + said[0].start, thought.start + said[0].end)
    return Extraction(said[0].value, span, ("unit_ignored",))


_BRACKET = re.compile(
    r"(?:\sin\sthe\s(?:grid|figure|image|picture|puzzle|table))?\s?[:(]\s?(?:\(|at|in|rows?|第|\[)", re.IGNORECASE
)


def _after_times(shown: str, one: Numeral) -> int:
    match = _TIMES.match(shown, one.end)
    return match.end() if match else one.end


def _once_or_twice(text: str) -> Extraction[float] | None:
    thought = split_thought(text)
    said = list(_ONCE.finditer(thought.answer))
    values = {("once", "twice", "thrice").index(match[1].lower()) + 1 for match in said}
    before = [thought.answer[max(0, match.start() - 12) : match.start()] for match in said]
    denied = any(re.search(r"\b(?:not|never)\s{1,2}(?:even\s)?\Z|n't\s\Z", words) for words in before)
    if len(values) != 1 or denied or re.search(r"\bor\b", thought.answer):
        return None
    span = (thought.start + said[-1].start(1), thought.start + said[-1].end(1))
    return Extraction(values.pop(), span)


def _of_asked_scale(text: str, question: str) -> Extraction[float] | None:
    """The number that the scale asked for shows: "the Celsius scale shows 22, the Fahrenheit scale shows 72"."""
    units = questions.other_units(question)
    if units is None:
        return None
    thought = split_thought(text)
    shown = ascii_forms(thought.answer)
    verb = r"(?:\s(?:scale|side|reading|value|one))?\s?(?:shows|reads|is|says|indicates|:|=)\s?"
    about = r"(?:about\s|approximately\s|around\s|≈\s?)?"
    number_alone = r"([+-]?[0-9]{1,9}(?:\.[0-9]{1,9})?)(?![0-9]|[.,][0-9]|\s?(?:-|–|to|or)\s?[0-9])"
    pattern = rf"(?<![A-Za-z])(?<![0-9])(?<![0-9]\s)(?:{units[0]}){verb}{about}{number_alone}"
    said = list(re.finditer(pattern, shown, re.IGNORECASE))
    if len({match[1] for match in said}) != 1:
        return None
    found = number.strict(said[-1][1])
    span = (thought.start + said[-1].start(1), thought.start + said[-1].end(1))
    return Extraction(found.value, span)


def with_parts(text: str, found: Extraction[float]) -> Extraction[float]:
    """`found`, or where it is ambiguous the total of a short answer that names it first and then the parts.

    >>> text = "There are 4 vehicles: 2 cars, 1 truck and 1 bus."
    >>> with_parts(text, number.lenient(text)).value
    4
    """
    thought = split_thought(text)
    answer = ascii_forms(thought.answer)
    if "ambiguous" not in found.flags or len(answer) > _LONGEST:
        return found
    named = [one for one in numerals(answer, 0, len(answer), count=True) if not one.weak]
    if not 3 <= len(named) <= _MOST_PARTS or any(one.value is None or one.bound or one.negated for one in named):
        return found
    total, *parts = [one.value or 0 for one in named]
    listed = total == len(parts) == len(set(parts)) and all(
        _COMMA.fullmatch(answer, one.end, after.start) for one, after in pairwise(named[1:])
    )
    if not (listed or total == sum(parts)) or not _INTRODUCES.search(answer, named[0].end, named[1].start):
        return found
    span = (thought.start + named[0].start, thought.start + named[0].end)
    return Extraction(total, span, ("unit_ignored",) if named[0].unit else ())


def _reading(text: str, percent: bool) -> Extraction[float] | None:
    """The number that is called the reading, if all that are called so agree."""
    thought = split_thought(text)
    shown = ascii_forms(thought.answer)
    said: list[Extraction[float]] = []
    for match in list(_READING.finditer(shown))[-_MOST_PARTS:]:
        stop = _STOP.search(shown, match.end(), match.end() + _LONGEST)
        end = stop.start() if stop else min(len(shown), match.end() + _LONGEST)
        found = number.lenient(shown[match.end() : end], percent=percent)
        if found.value is not None:
            said.append(found.moved(thought.start + match.end()))
    return said[-1] if said and len({one.value for one in said}) == 1 else None


def _in_asked_unit(text: str, question: str) -> str:
    """The text with amounts in other units blanked (same length), if it also gives one in the unit asked for."""
    units = questions.other_units(question)
    if units is None or re.search(rf"{_AMOUNT}(?:{units[0]})", text, re.IGNORECASE) is None:
        return text
    other = rf"(?:\(\s?(?:or|about|approximately|approx\.?|≈|~|equal to)?\s?)?{_AMOUNT}(?:{units[1]})\s?\)?"
    return re.sub(other, lambda match: " " * len(match[0]), text, flags=re.IGNORECASE)
