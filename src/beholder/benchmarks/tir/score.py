"""Our own scorers of TIR-Bench: `strict` and `lenient` (what each reads is in `answers`).

| target | value |
|---|---|
| letters | 1 if they are the gold's letters, all of them and no others |
| number | 1 if equal after normalisation: `2.50` is 2.5, `5/2` is 2.5; no tolerance |
| place | 1 if row and column are right |
| set of patches | intersection over union; flag `exact` where the sets are the same |
| arrangement | share of places that have the right piece |
| yes or no | 1 if it is the right one; "true" is yes |
| text of OCR | 1 if it is the whole answer (`strict`), or in it as whole words (`lenient`); case as printed |
| other text | 1 if it is the answer as a whole; case, outer punctuation and an article do not count |

TIR-Bench's text scores arrangements by intersection over union; its code, and the random-guess figure it reports,
count places, and so do we. No list is mended: with another number of entries than the puzzle has pieces it is unparsed.
A list of the right length that repeats or misses numbers is scored as it stands, flag `not_a_permutation`; saying one
number everywhere earns 1/n², exactly what chance earns.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

import msgspec

from beholder.benchmarks.tir import answers
from beholder.benchmarks.tir.answers import Answer, written
from beholder.extract import short_text
from beholder.extract.extraction import Extraction
from beholder.extract.outcome import settle
from beholder.extract.passage import find_text, same_text
from beholder.extract.yes_no import AFFIRMS
from beholder.sample import (
    BooleanTarget,
    ChoiceTarget,
    NumberSetTarget,
    NumberTarget,
    OrderedListTarget,
    PlaceTarget,
    Response,
    Sample,
    TextTarget,
)
from beholder.score import Outcome, Score

NOT_A_PERMUTATION = "not_a_permutation"
_LONGEST_SHOWN = 200


def strict(sample: Sample, response: Response) -> Score:
    """Reads the bare answer in the form that the item asks for, and nothing else."""
    found = answers.strict(sample, response)
    if isinstance(sample.target, TextTarget):
        equal = same_text if answers.is_passage(sample) else short_text.same
        right = isinstance(found.value, str) and equal(found.value, sample.target.text)
        return _text(sample, response, found, found.span if right else None)
    return _judged(sample, response, found)


def lenient(sample: Sample, response: Response) -> Score:
    """Reads what a careful human reader would."""
    found = answers.lenient(sample, response)
    if isinstance(sample.target, TextTarget) and not answers.is_passage(sample):
        exact = strict(sample, response)
        if exact.value == 1:
            return exact
        right = isinstance(found.value, str) and short_text.same(found.value, sample.target.text)
        return _text(sample, response, found, found.span if right else None)
    if isinstance(sample.target, TextTarget):
        at = find_text(found.value, sample.target.text) if isinstance(found.value, str) else None
        offset = found.span[0] if found.span is not None else 0
        return _text(sample, response, found, None if at is None else (offset + at[0], offset + at[1]))
    return _judged(sample, response, found)


def _judged(sample: Sample, response: Response, found: Extraction[Answer]) -> Score:
    outcome, flags, reason = settle(response, found)
    if outcome is Outcome.FAILED:
        return _failed(response, flags, reason)
    if outcome is not Outcome.SCORED or found.value is None:
        return Score(0.0, outcome, span=found.span, flags=flags, reason=reason)
    value, more, why = _value(sample, found.value)
    flags = tuple(dict.fromkeys((*flags, *more)))
    return Score(value, outcome, written(found.value), found.span, flags, reason or why)


def _value(sample: Sample, said: Answer) -> tuple[float, tuple[str, ...], str]:
    """The value of an answer, with flags and a reason that go with it."""
    target = sample.target
    if isinstance(target, ChoiceTarget):
        return float(said == target.letters), (), ""
    if isinstance(target, NumberTarget) and isinstance(said, int | float):
        return float(_equal(said, target)), (), ""
    if isinstance(target, BooleanTarget) and isinstance(said, str):
        return float((said in AFFIRMS) == target.value), (), ""
    if isinstance(target, PlaceTarget):
        return float(said == (target.row, target.column)), (), ""
    if isinstance(target, NumberSetTarget) and isinstance(said, tuple):
        ours, gold = set(said), set(target.values)
        common, either = len(ours & gold), len(ours | gold)
        reason = f"{common} of the {either} patches that answer or gold name are in both."
        return common / either if either else 1.0, ("exact",) if ours == gold else (), reason
    if isinstance(target, OrderedListTarget) and isinstance(said, tuple):
        gold_order = target.values
        if len(said) != len(gold_order):
            raise ValueError(f"the extractor read {len(said)} numbers where {len(gold_order)} were asked for")
        right = sum(a == b for a, b in zip(said, gold_order, strict=True))
        flags = () if sorted(said) == sorted(gold_order) else (NOT_A_PERMUTATION,)
        return right / len(gold_order), flags, f"{right} of {len(gold_order)} pieces are in their place."
    raise TypeError(f"{type(said).__name__} is no answer to {type(target).__name__}.")


def _equal(said: float, target: NumberTarget) -> bool:
    """Whether a number is the gold's, with no tolerance: as decimals where the gold is written as one."""
    try:
        return Decimal(repr(said)) == Decimal(target.written.strip())
    except InvalidOperation:  # "1/2", "3,000", "31%"
        return said == answers.gold_number(target)


def _text(sample: Sample, response: Response, found: Extraction[Answer], at: tuple[int, int] | None) -> Score:
    """The score of text that was found at `at`, or not. A text that is a refusal or no answer at all is not scored."""
    visible = found.value
    if at is None:
        found = msgspec.structs.replace(found, value=None)
    outcome, flags, reason = settle(response, found)
    if outcome is Outcome.FAILED:
        return _failed(response, flags, reason)
    if at is not None and outcome is Outcome.SCORED:
        return Score(1.0, outcome, (response.text or "")[slice(*at)], at, flags, "The text is there.")
    if outcome is Outcome.UNPARSED and isinstance(visible, str) and "abstained" not in flags:
        shown = visible[:_LONGEST_SHOWN]
        return Score(0.0, Outcome.SCORED, shown, found.span, flags, "The text is not there.")
    return Score(0.0, outcome, flags=flags, reason=reason)


def _failed(response: Response, flags: tuple[str, ...], reason: str) -> Score:
    owner = response.failure.owner if response.failure else None
    return Score(None, Outcome.FAILED, flags=flags, reason=reason, owner=owner)
