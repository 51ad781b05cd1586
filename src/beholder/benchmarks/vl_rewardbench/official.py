"""How the authors read and count one judgement: their `cal.py`, bug for bug, as pure functions.

Departures from what a reader would expect, all kept:

- line feeds and asterisks are deleted before reading, so words on two lines join ("Judg\\nment");
- `Therefore` opens a verdict just as `Overall Judgment` does, anywhere in the text;
- after the first opening, the *last* "Answer N is better" wins, even "Answer 1 is better. Answer 2 is
  better in clarity.";
- "much better", "significantly better" and "Judgement" are not read;
- any number other than the rejected answer's counts as agreement, also 3 or 12;
- a text that is missing, or a number of more than 4,300 digits, raises an exception in their code: flagged
  `authors_crash`, value 0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

MOST_DIGITS = 4300
"""Digits that Python's `int` reads by default; one more raises ValueError."""

# Their one pattern, `opening \s*.*\s*-*\s* verdict`, takes cubic time on long runs of blanks. Between opening
# and verdict it allows anything at all (no line feed is left for the dot to refuse), so it equals: the first
# opening, then the last verdict after it. Neighbouring parts of a verdict share no character: linear time.
_OPENINGS = ("overall judgment", "therefore")
_VERDICT = re.compile(r"answer\s*(\d+)\s*is\s*(?:the\s*)?(?:slightly\s*)?better")


class Reading(NamedTuple):
    """What their parser finds in a text.

    `number` is the N of "Answer N is better" or None where nothing matches; `span` the place of that
    verdict in the text as given; `crash` says that their code would raise.
    """

    number: int | None
    span: tuple[int, int] | None = None
    crash: bool = False


def read_verdict(text: str | None) -> Reading:
    """The verdict in a judgement, as `cal.py` reads it. Linear in the length of the text.

    >>> read_verdict("**Overall Judgment:**\\nAnswer 2 is the better answer.").number
    2
    >>> read_verdict("Answer 2 is better.").number is None
    True
    """
    if text is None:
        return Reading(None, crash=True)
    cleaned = _folded(text.replace("\n", "").replace("*", ""))
    openings = [(place, len(word)) for word in _OPENINGS if (place := cleaned.find(word)) >= 0]
    if not openings:
        return Reading(None)
    begin = sum(min(openings))
    last, place = None, len(cleaned)
    while last is None and (place := cleaned.rfind("answer", begin, place)) >= 0:
        last = _VERDICT.match(cleaned, place)
    if last is None:
        return Reading(None)
    start = _place_before_deletion(text, last.start())
    span = (start, _place_before_deletion(text, last.end() - 1) + 1)
    if len(last[1]) > MOST_DIGITS:
        return Reading(None, span, crash=True)
    return Reading(int(last[1]), span)


def rejected_position(random_number: int, ranking: Sequence[int]) -> int:
    """The position (1 or 2) at which the answer that people rejected was shown.

    `ranking[i]` is the rank of stored answer i, 0 for the preferred one. `random_number` 0 means stored
    order; every other value counts as swapped.
    """
    return 1 + list(ranking).index(1 if random_number == 0 else 0)


def agrees(number: int, rejected: int) -> bool:
    """Whether a verdict counts as agreement: any number but the rejected position does."""
    return number != rejected


def _folded(text: str) -> str:
    """The text in lower case, character by character, with the case rules of `re.IGNORECASE`.

    Searching it is twenty times faster than searching with that flag. `re` also takes dotted and dotless
    i for i and long s for s; the dotted capital is the one character that `lower` makes two of.
    """
    return text.replace("\u0130", "i").replace("\u0131", "i").replace("\u017f", "s").lower()


def _place_before_deletion(text: str, place: int) -> int:
    """Where the character at `place` of the cleaned text stands in the text as given."""
    counted = 0
    while deleted := text.count("\n", counted, place + 1) + text.count("*", counted, place + 1):
        counted, place = place + 1, place + deleted
    return place
