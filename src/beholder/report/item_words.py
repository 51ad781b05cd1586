"""An item in words, for a terminal and for pages alike: question, options, gold, how its pictures were sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from beholder.report.annotation_words import in_words
from beholder.sample import ChoiceTarget, ImagePart, PreferenceTarget, Sample, TextPart
from beholder.store import reading


def question_in_words(sample: Sample) -> str:
    """The question with the places of its pictures: `[image 1] Is it red?`."""
    return "".join(
        part.text if isinstance(part, TextPart) else f"[image {part.index + 1}] "
        for part in sample.parts
        if isinstance(part, TextPart | ImagePart)
    )


def options_in_words(sample: Sample) -> list[str]:
    """The options with their letters (`A. cat`); [] where the question itself has them, as in TIR-Bench."""
    question = sample.question
    if len(sample.options) > len(ascii_uppercase) or all(option in question for option in sample.options):
        return []
    return [f"{letter}. {option}" for letter, option in zip(ascii_uppercase, sample.options, strict=False)]


def gold_in_words(sample: Sample) -> str:
    """The gold: labels of an annotation, a stored answer by its number, letters with what they stand for."""
    if isinstance(sample.target, PreferenceTarget):
        return f"stored answer {sample.target.preferred + 1}"
    if isinstance(sample.target, ChoiceTarget):
        meant = [option for option in options_in_words(sample) if option[0] in sample.target.letters]
        if meant:
            return "; ".join(meant)
    return in_words(reading.target_text(sample))


def stored_answers(sample: Sample) -> list[str]:
    """The answers that a comparison is about; [] for another kind of item."""
    responses = sample.metadata.get("responses") if isinstance(sample.target, PreferenceTarget) else None
    return [str(response) for response in responses] if isinstance(responses, list) else []


def order_in_words(order: Sequence[int]) -> str:
    """In which order stored answers were shown; "" where nothing was reordered.

    >>> order_in_words((1, 0))
    'Answer 1 is stored answer 2, Answer 2 is stored answer 1'
    """
    return ", ".join(f"Answer {place + 1} is stored answer {stored + 1}" for place, stored in enumerate(order))


def sent_in_words(record: Mapping[str, Any]) -> str:
    """How a picture went out, from the journal's record of it, which may be anybody's.

    >>> sent_in_words({"width": 4, "height": 3, "format": "PNG", "n_bytes": 99, "reasons": ["colour mode"]})
    'sent as 4x3 PNG, 99 bytes: colour mode'
    """
    noted = record.get("reasons") or record.get("flags")
    changes = "; ".join(map(str, noted)) if isinstance(noted, list) else ""
    return (
        f"sent as {record.get('width')}x{record.get('height')} {record.get('format')}, "
        f"{record.get('n_bytes')} bytes: {changes or 'the published bytes'}"
    )
