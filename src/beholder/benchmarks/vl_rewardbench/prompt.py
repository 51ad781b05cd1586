"""What the judge is asked: the image, the question, two answers in the drawn order, and how to end.

The wording is ours. Like the authors' prompt it names four criteria, asks for reasons first and for the
sentence `Overall Judgment: Answer X is better.` last, and offers no tie. The image comes before the text
(theirs comes after).
"""

from __future__ import annotations

import random
import re

from beholder.errors import UsageError
from beholder.sample import ImagePart, Part, PreferenceTarget, Response, Sample, TextPart

TEMPLATE = """\
You are comparing two answers to a question about the image.

Question:
{question}

Answer 1:
{answer_1}

Answer 2:
{answer_2}

Compare the answers on these criteria, one after the other, and give your reasons:
1. Accuracy: does what the answer says agree with the image and with the facts?
2. Completeness: does it cover everything that the question asks for?
3. Clarity: is it easy to follow?
4. Relevance: does it stay with the question?

Judge the content only: neither the order of the answers nor their length is a reason.
You must choose one of them.
End with one line in exactly this form, with 1 or 2 in place of X:
Overall Judgment: Answer X is better."""

PLACEHOLDERS = ("question", "answer_1", "answer_2")
_PLACEHOLDER = re.compile(r"\{(question|answer_1|answer_2)\}")


def prompt(sample: Sample, template: str, order: tuple[int, ...]) -> tuple[Part, ...]:
    """The parts to send: the images, then the template filled in.

    `order[p]` is the stored index of the answer shown at position p; empty means stored order. The
    template is filled in one pass, so braces and placeholders inside the data stay plain text. Raises
    `UsageError` if the template lacks a placeholder, `ValueError` if `order` is no order of two answers.
    """
    order = order or (0, 1)
    if sorted(order) != [0, 1]:
        raise ValueError(f"an order of two answers is (0, 1) or (1, 0), not {order}")
    missing = [name for name in PLACEHOLDERS if "{" + name + "}" not in template]
    if missing:
        names = ", ".join("{" + name + "}" for name in missing)
        raise UsageError(f"The prompt template lacks {names}. Add it where the text belongs.")
    responses = sample.metadata["responses"]
    values = {
        "question": sample.question,
        "answer_1": responses[order[0]],
        "answer_2": responses[order[1]],
    }
    text = _PLACEHOLDER.sub(lambda found: values[found[1]], template)
    return (*(ImagePart(index) for index in range(len(sample.images))), TextPart(text))


def guess(sample: Sample, rng: random.Random) -> str:
    """What a judge that sees nothing would write: one of the two verdicts, each as often as the other."""
    return f"Overall Judgment: Answer {1 if rng.random() < 0.5 else 2} is better."


def gold(sample: Sample) -> list[Response]:
    """What a perfect judge would say: once for each order of the two answers."""
    assert isinstance(sample.target, PreferenceTarget)
    preferred = sample.target.preferred
    return [
        Response(text=f"Overall Judgment: Answer {order.index(preferred) + 1} is better.", order=order, finish="stop")
        for order in ((0, 1), (1, 0))
    ]
