"""What a model is asked: the record's own question, then its pictures. TIR-Bench adds nothing to either."""

from __future__ import annotations

import random
import re

from beholder.benchmarks.tir.questions import options_of
from beholder.errors import UsageError
from beholder.sample import (
    ChoiceTarget,
    Extracted,
    ImagePart,
    NumberSetTarget,
    NumberTarget,
    OrderedListTarget,
    Part,
    PlaceTarget,
    Response,
    Sample,
    TextPart,
    TextTarget,
)

IMAGE, QUESTION = "<image>", "{question}"

TEMPLATE = QUESTION
"""The protocol of the paper (zero-shot, the data set's prompt only). A user's own template holds `{question}`, and may
hold `<image>`, the place of the pictures (default: at the end)."""

_WORDS = ("OPEN", "EXIT", "SALE", "HOTEL", "STOP", "CAFE", "PARK", "TAXI")


def prompt(sample: Sample, template: str, order: tuple[int, ...] = ()) -> tuple[Part, ...]:
    """The parts to send: the question in the template, then the pictures, unless `<image>` places them.

    Text before pictures is how TIR-Bench asks. `order` is not used: no stored answers are shown. `UsageError` if the
    template lacks `{question}` or places the pictures more than once.
    """
    if template.count(IMAGE) > 1 or QUESTION not in template:
        raise UsageError(f"A prompt template of tir holds {QUESTION}, and {IMAGE} at most once.")
    own = sample.question
    pictures = [ImagePart(place) for place in range(len(sample.images))]
    before, _, after = template.partition(IMAGE)
    parts: list[Part] = [TextPart(before.replace(QUESTION, own)), *pictures, TextPart(after.replace(QUESTION, own))]
    return tuple(part for part in parts if not isinstance(part, TextPart) or part.text)


def guess(sample: Sample, rng: random.Random) -> str:
    """A blind answer of the kind that the item asks for. It looks at the kind of the target, never at its value.

    OUR assumption where the item names no options: whole numbers 0 to 20, places within 10 × 10, words of a short list.
    """
    question = sample.question
    match sample.target:
        case ChoiceTarget(several=several):
            letters = list(options_of(question)) or list("ABCD")
            count = rng.randint(1, len(letters)) if several else 1
            return "".join(sorted(rng.sample(letters, count)))
        case OrderedListTarget():
            numbers = list(range(1, sample.metadata["n"] ** 2 + 1))
            rng.shuffle(numbers)
            return str(numbers)
        case NumberTarget():
            return str(rng.randint(0, 20))
        case PlaceTarget():
            return str([rng.randint(1, 10), rng.randint(1, 10)])
        case NumberSetTarget():
            patches = _patches(question)
            return str(sorted(rng.sample(range(1, patches + 1), rng.randint(1, min(4, patches)))))
        case _:
            return rng.choice(_WORDS)


def _patches(question: str) -> int:
    """How many patches the question's grid has (`n is 4 and m is 3`, `4 rows and 3 columns`); 12 if it does not say."""
    found = re.search(r"\bn is (\d{1,2}) and m is (\d{1,2})\b|\b(\d{1,2}) rows and (\d{1,2}) columns\b", question)
    sides = [int(side) for side in found.groups() if side] if found else []
    return max(1, sides[0] * sides[1]) if len(sides) == 2 else 12


def gold(sample: Sample) -> list[Response]:
    """What a perfect model would say, in the barest form, with the record's own answer as the extracted one."""
    written = str(sample.metadata["answer"])
    match sample.target:
        case ChoiceTarget(letters=text) | NumberTarget(written=text) | TextTarget(text=text):
            said = text
        case PlaceTarget(row=row, column=column):
            said = str([row, column])
        case NumberSetTarget(values=values) | OrderedListTarget(values=values):
            said = str(list(values))
        case _:
            said = written
    return [Response(text=said, finish="stop", extracted=Extracted(written, "gold"))]
