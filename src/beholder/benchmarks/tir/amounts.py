"""The number that a response to a TIR-Bench question gives, beyond what `beholder.extract.number` reads.

Gauges and thermometers have units, and often two scales; counts come with their parts. Where `number` finds more than
one number, the one in the unit asked for, the one that is called the reading, or the total whose parts add up to it is
the answer. OUR assumption: the paper's extractor is a model.
"""

from __future__ import annotations

import re

from beholder.benchmarks.tir import questions
from beholder.extract import number
from beholder.extract.declared import ascii_forms
from beholder.extract.extraction import Extraction
from beholder.extract.numerals import numerals
from beholder.extract.think import split_thought

_POWER_OF_UNIT = re.compile(r"(?<=[cmk]m|[/0-9 ]m|in|ft)(\s?\}?)\s?\^\s?(?:[23]|\{\s?[23]\s?\})")
_AMOUNT = r"(?<![0-9.,A-Za-z])[+-]?[0-9]{1,9}(?:[.,][0-9]{1,9})?\s?"
_READING = re.compile(
    r"\b(?:readings?|measurement|measured\svalue)\b[^.:=≈\n]{0,80}?(?:\bis\b|\bwas\b|\bwould\sbe\b|=|≈|:|\\approx)"
    r"|读数(?:约|大约)?(?:为|是|:|=|≈)",
    re.IGNORECASE,
)
_STOP = re.compile(r"[.!?](?=\s|$)|[。\n;]")
_MOST_PARTS = 12
_LONGEST = 400
_INTRODUCES = re.compile(
    r":|\(|—|–|\b(?:including|consisting\sof|namely|made\sup\sof|comprising)\b|其中|包括", re.IGNORECASE
)


def amount(text: str, question: str) -> Extraction[float]:
    """The number that a careful reader takes as the answer to the question; flags are those of `number.lenient`."""
    shown = _POWER_OF_UNIT.sub(lambda match: match[1].ljust(len(match[0])), text)
    shown = _in_asked_unit(shown, question)
    percent, count = questions.in_percent(question), questions.counts(question)
    found = number.lenient(shown, percent=percent, count=count)
    if "ambiguous" not in found.flags:
        return found
    if count:
        return with_parts(shown, found)
    return _reading(shown, percent) or found


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
    if total != sum(parts) or not _INTRODUCES.search(answer, named[0].end, named[1].start):
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
        if found.value is not None and found.span is not None:
            offset = thought.start + match.end()
            said.append(Extraction(found.value, (found.span[0] + offset, found.span[1] + offset), found.flags))
    return said[-1] if said and len({one.value for one in said}) == 1 else None


def _in_asked_unit(text: str, question: str) -> str:
    """The text with amounts in other units blanked (same length), if it also gives one in the unit asked for."""
    units = questions.other_units(question)
    if units is None or re.search(rf"{_AMOUNT}(?:{units[0]})", text, re.IGNORECASE) is None:
        return text
    other = rf"(?:\(\s?(?:or|about|approximately|approx\.?|≈|~|equal to)?\s?)?{_AMOUNT}(?:{units[1]})\s?\)?"
    return re.sub(other, lambda match: " " * len(match[0]), text, flags=re.IGNORECASE)
