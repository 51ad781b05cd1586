"""The authors' scoring of TFQ answers, bug for bug (MetaphorStar, arXiv 2602.10575, public evaluation code).

The answer is, in this order:

1. what stands in the last `<answer>…</answer>`, trimmed, whatever it is (even nothing);
2. else the `T` or `F` right after the first `Answer:` that has one, even if a word starts with it
   (`Answer: The …`);
3. else the last stand-alone `T` or `F`, be it the `T` of `T-shirt`;
4. else none.

It is right if it is not empty and equals the gold after lower-casing both; the gold is not trimmed. There
is no other reading: `True` and `T.` are wrong. A response that is not text makes the authors' code stop
with an error; here it counts 0 with the flag `authors_crash`.

Everything is linear in the length of the text (a plain `<answer>(.*?)</answer>` is not, where tags stay
open).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from beholder.sample import BooleanTarget, Response, Sample
from beholder.score import Outcome, Score

OPEN, CLOSE = "<answer>", "</answer>"
_AFTER_ANSWER = re.compile(r"Answer:\s*([TF])")
_STAND_ALONE = re.compile(r"\b[TF]\b")


class Reading(NamedTuple):
    """An answer as the authors' code reads it: text[start:end] trimmed, and the rule (1-3) that found it."""

    answer: str
    start: int
    end: int
    rule: int


def read_answer(text: str) -> Reading | None:
    """What the authors' code reads out of a response, or None.

    >>> read_answer("<answer>F</answer> wait <answer> t </answer>").answer
    't'
    >>> read_answer("Answer: True").answer, read_answer("The answer is False.")
    ('T', None)
    """
    tagged = _last_tagged(text)
    if tagged is not None:
        start, end = tagged
        return Reading(text[start:end].strip(), start, end, 1)
    found = _AFTER_ANSWER.search(text)
    if found:
        return Reading(found[1], found.start(1), found.end(1), 2)
    last = None
    for found in _STAND_ALONE.finditer(text):
        last = found
    return Reading(last[0], last.start(), last.end(), 3) if last else None


def is_right(answer: str | None, gold: str) -> bool:
    """The authors' comparison: not empty, and equal to the gold (as it is written) without regard to case."""
    return bool(answer) and answer is not None and answer.lower() == gold.lower()


def official(sample: Sample, response: Response) -> Score:
    """The authors' verdict. What they count as an empty answer (none, or an empty tag) is `unparsed`."""
    if response.failure:
        return Score(None, Outcome.FAILED, owner=response.failure.owner, reason=response.failure.message)
    if response.text is None:
        return Score(
            0.0,
            Outcome.UNPARSED,
            flags=("authors_crash",),
            reason="There is no text; the authors' code would stop here.",
        )
    reading = read_answer(response.text)
    if reading is None:
        return Score(0.0, Outcome.UNPARSED, reason="No tag, no `Answer:` and no stand-alone T or F.")
    span = (reading.start, reading.end)
    if not reading.answer:
        return Score(0.0, Outcome.UNPARSED, extracted="", span=span, reason="The last answer tag is empty.")
    right = is_right(reading.answer, gold_as_written(sample))
    return Score(float(right), Outcome.SCORED, reading.answer, span, _FLAGS[reading.rule], _REASONS[reading.rule])


_FLAGS: dict[int, tuple[str, ...]] = {1: (), 2: ("after_answer",), 3: ("bare_letter",)}
_REASONS = {
    1: "Read from the last answer tag.",
    2: "Read after the first `Answer:` that T or F follows.",
    3: "Read from the last stand-alone T or F.",
}


def gold_as_written(sample: Sample) -> str:
    """The gold as the data gives it (`T`, `f`, ` T`); the authors compare with exactly that."""
    written = sample.metadata.get("gold")
    if isinstance(written, str):
        return written
    return "T" if isinstance(sample.target, BooleanTarget) and sample.target.value else "F"


def _last_tagged(text: str) -> tuple[int, int] | None:
    """Where the content of the last complete tag pair lies; pairs do not overlap, the first close ends a
    pair.

    If no close follows an open tag, none follows a later one either: so one pass is enough.
    """
    last = None
    place = 0
    while (opening := text.find(OPEN, place)) >= 0:
        start = opening + len(OPEN)
        end = text.find(CLOSE, start)
        if end < 0:
            break
        last = (start, end)
        place = end + len(CLOSE)
    return last
