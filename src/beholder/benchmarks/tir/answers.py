"""Reads the answer to a TIR-Bench item out of a response, with rules and no model.

What is looked for follows from the item: the *type* of its target (never the value), the options and the wording of the
question. A letter is a `str` ("B", "CD" where several may be chosen), a number an `int` or `float`, a place (row,
column), a set of patches ascending, an arrangement in its order, yes or no a word, and for OCR the visible text itself.

`strict` takes the bare answer in the form that the item asks for, alone, in one `<answer>` tag, or behind `Answer:` on
the last line (`beholder.extract.asked`). `lenient` takes what a careful reader would. The public questions ask for no
frame; which frames `strict` takes is OUR assumption.
"""

from __future__ import annotations

import re
from decimal import Decimal
from string import ascii_uppercase

from beholder.benchmarks.tir import questions
from beholder.benchmarks.tir.amounts import amount
from beholder.benchmarks.tir.letters import one_letter, several_letters
from beholder.extract import choice, number, number_set, passage, permutation, place, short_text, yes_no
from beholder.extract.asked import bare_answer, exact_list
from beholder.extract.declared import ascii_forms
from beholder.extract.extraction import Extraction
from beholder.extract.outcome import CUT
from beholder.sample import (
    BooleanTarget,
    ChoiceTarget,
    NumberSetTarget,
    NumberTarget,
    OrderedListTarget,
    PlaceTarget,
    Response,
    Sample,
    TextPart,
    TextTarget,
)

Answer = str | int | float | tuple[int, ...]

LETTERS = "ABCDEFGHIJ"
"""The letters of a choice whose options the prompt does not list: those that the authors' scorer knows."""


def strict(sample: Sample, response: Response) -> Extraction[Answer]:
    """The answer in exactly the form that the item asks for (see the module); `TypeError` for a target of no TIR task.

    Flags without a value: `format`, and for lists `repeated`, `wrong_length`. With one: `not_a_permutation`.
    """
    text = response.text or ""
    match sample.target:
        case ChoiceTarget():
            return _strict_choice(sample, text)
        case NumberTarget():
            return _strict_number(sample, text)
        case PlaceTarget():
            return _as_answer(place.strict(text))
        case NumberSetTarget():
            return _as_answer(number_set.strict(text))
        case OrderedListTarget():
            return _strict_arrangement(text, _pieces(sample))
        case BooleanTarget():
            return _as_answer(yes_no.strict(text))
        case TextTarget():
            return _as_answer(short_text.strict(text))
    raise TypeError(f"{type(sample.target).__name__} is no target of TIR-Bench.")


def lenient(sample: Sample, response: Response) -> Extraction[Answer]:
    """The answer that a careful reader takes; `TypeError` for a target of no TIR task.

    Flags are those of the extractors; `option_text` says that an option was given by its text instead of its letter.
    """
    text = response.text or ""
    match sample.target:
        case ChoiceTarget():
            return _lenient_choice(sample, response)
        case NumberTarget():
            return _lenient_number(sample, text)
        case PlaceTarget():
            return _as_answer(place.lenient(text))
        case NumberSetTarget():
            return _as_answer(number_set.lenient(text))
        case OrderedListTarget():
            exact = _strict_arrangement(text, _pieces(sample))
            return exact if exact.value is not None else _as_answer(permutation.lenient(text, _pieces(sample)))
        case BooleanTarget():
            return _as_answer(yes_no.lenient(text))
        case TextTarget():
            return _as_answer(passage.visible(text) if is_passage(sample) else short_text.lenient(text))
    raise TypeError(f"{type(sample.target).__name__} is no target of TIR-Bench.")


def deterministic(sample: Sample, response: Response) -> str | None:
    """What `lenient` reads, written as the authors' extractor is shown to write it, for the authors' matcher.

    "B", "CD", "4", "11.1", "[3, 6]", "[2, 6, 7, 11]", "4, 1, 8, …"; for OCR, which the authors do not extract, the
    visible text. None where nothing was read.
    """
    if response.failure is not None:
        return None
    said = lenient(sample, response).value
    if said is None:
        return None
    if isinstance(sample.target, OrderedListTarget) and isinstance(said, tuple):
        return ", ".join(map(str, said))
    return written(said)


def written(answer: Answer) -> str:
    """An answer as text: numbers without exponent, lists and places as JSON lists.

    >>> written("CD"), written(1e-07), written((3, 6))
    ('CD', '0.0000001', '[3, 6]')
    """
    if isinstance(answer, str):
        return answer
    if isinstance(answer, tuple):
        return str(list(answer))
    return format(Decimal(repr(answer)), "f")


def question_of(sample: Sample) -> str:
    """The question's text."""
    return "".join(part.text for part in sample.parts if isinstance(part, TextPart))


def is_passage(sample: Sample) -> bool:
    """Whether the gold is text to be found in the answer: in Rotated OCR, and nowhere else."""
    return sample.metadata.get("task") == "ocr"


def _pieces(sample: Sample) -> int:
    pieces: int = sample.metadata["n"] ** 2
    return pieces


def _as_answer(
    found: Extraction[str] | Extraction[float] | Extraction[tuple[int, ...]] | Extraction[tuple[int, int]],
) -> Extraction[Answer]:
    return Extraction(found.value, found.span, found.flags, found.reason)


def _joined(found: Extraction[tuple[str, ...]]) -> Extraction[Answer]:
    value = None if found.value is None else "".join(found.value)
    return Extraction(value, found.span, found.flags, found.reason)


# Letters -----------------------------------------------------------------------------------------------------------


def _letters(sample: Sample) -> str:
    return ascii_uppercase[: len(sample.options)] or LETTERS


def _strict_choice(sample: Sample, text: str) -> Extraction[Answer]:
    assert isinstance(sample.target, ChoiceTarget)
    if not sample.target.several:
        return _as_answer(choice.strict(text, _letters(sample)))
    found = choice.strict_multi(text, _letters(sample))
    if found.span is not None and "," in text[slice(*found.span)] and questions.written_together(question_of(sample)):
        return Extraction(None, flags=("format",), reason="The letters are to be written together.")
    return _joined(found)


def _lenient_choice(sample: Sample, response: Response) -> Extraction[Answer]:
    assert isinstance(sample.target, ChoiceTarget)
    text, letters = response.text or "", _letters(sample)
    options = dict(zip(letters, sample.options, strict=False))
    if sample.target.several:
        return _joined(several_letters(text, letters, options))
    cut = (response.finish or "").lower() in CUT
    return _as_answer(one_letter(text, letters, options, count=questions.counts(question_of(sample)), cut=cut))


# Numbers and lists -------------------------------------------------------------------------------------------------


def _strict_number(sample: Sample, text: str) -> Extraction[Answer]:
    bare = bare_answer(text)
    found = _exact_number(bare.text, _percent(sample)) if bare is not None else None
    if bare is None or found is None or found.value is None:
        reason = found.reason if found is not None else "The answer is not one plain number."
        return Extraction(None, flags=found.flags if found is not None else ("format",), reason=reason)
    asked = questions.decimals(question_of(sample))
    places = len(bare.text.rstrip("% ").partition(".")[2])
    if asked is not None and places > asked:  # with fewer it is the same number
        reason = f"The number has {places} decimal places; {asked} are asked for."
        return Extraction(None, bare.span, ("format",), reason)
    return Extraction(found.value, bare.span)


def _lenient_number(sample: Sample, text: str) -> Extraction[Answer]:
    percent = _percent(sample)
    exact = _exact_number(bare.text, percent) if (bare := bare_answer(text)) is not None else None
    if bare is not None and exact is not None and exact.value is not None:
        return Extraction(exact.value, bare.span)
    return _as_answer(amount(text, question_of(sample), percent))


_OTHER_FORMS = re.compile(
    r"[-+]?(?:[0-9]{1,9}/[1-9][0-9]{0,8}|[0-9]{1,3}(?:,[0-9]{3}){1,9}(?:\.[0-9]{1,30})?)|[-+]?[0-9]{1,30}(?:\.[0-9]{1,30})?\s?%"
)


def _exact_number(core: str, percent: bool) -> Extraction[float]:
    """A bare number: plain, `1/2`, `3,000`, and `31%` where answers are percentages."""
    shown = ascii_forms(core) if core.startswith("−") else core
    if _OTHER_FORMS.fullmatch(shown) is None:
        return number.strict(shown)
    found = number.lenient(shown, percent=percent)
    return Extraction(found.value, found.span, found.flags if found.value is None else (), found.reason)


def _percent(sample: Sample) -> bool:
    """Whether answers are percentages: the question says so, or the gold is written with the sign (OUR assumption: that
    is part of the item's type, which the public data have no column for)."""
    written = isinstance(sample.target, NumberTarget) and sample.target.written.rstrip().endswith("%")
    return written or questions.in_percent(question_of(sample))


def gold_number(target: NumberTarget) -> float | None:
    """The gold's value, in whatever form the record writes it; None if it is no number."""
    return _exact_number(target.written.strip(), percent=True).value


def _strict_arrangement(text: str, pieces: int) -> Extraction[Answer]:
    bare = bare_answer(text)
    said = exact_list(bare.text) if bare is not None else None
    if bare is None or said is None:
        return Extraction(None, flags=("format",), reason="The answer is not one list of whole numbers.")
    if len(said) != pieces:
        reason = f"The list has {len(said)} values; {pieces} were asked for."
        return Extraction(None, bare.span, ("wrong_length",), reason)
    flags = () if sorted(said) == list(range(1, pieces + 1)) else ("not_a_permutation",)
    return Extraction(said, bare.span, flags)
