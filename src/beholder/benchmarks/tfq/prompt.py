"""What is asked of the model, and what a blind guesser would say.

The wording is ours: the authors' prompt asks for the same (look, think about what the image implies, answer
in tags), but figures made with other words are not comparable with theirs. `--prompt FILE` puts another
template in its place.
"""

from __future__ import annotations

import random

from beholder.errors import UsageError
from beholder.sample import BooleanTarget, ImagePart, Part, Response, Sample, TextPart

STATEMENT, IMAGE = "{statement}", "<image>"

TEMPLATE = """\
Look at the image and decide whether the statement about it is true or false. The statement may be about \
what can be seen, or about what the image means or implies.

First think it over inside <think> and </think>: say what the image shows, what it implies, and whether the \
statement agrees with that. Then give your decision inside <answer> and </answer>: only the letter T if the \
statement is true, or only the letter F if it is false.

Statement: {statement}"""


def prompt(sample: Sample, template: str, order: tuple[int, ...] = ()) -> tuple[Part, ...]:
    """The parts to send: the template with the statement in the place of `{statement}`.

    Images that open the sample go to `<image>` in the template, or to the front if there is none; images
    inside the statement stay where they are. Nothing inside a statement is taken for a placeholder. `order`
    is not used. Raises `UsageError` if the template does not hold `{statement}` exactly once, or `<image>`
    more than once.
    """
    check_template(template)
    images, statement = _split_parts(sample.parts)
    before, after = template.split(STATEMENT)
    parts: list[Part] = [TextPart(before), *statement, TextPart(after)]
    if IMAGE not in template:
        return _joined([*images, *parts])
    place = 0 if IMAGE in before else len(parts) - 1
    left, right = (before if place == 0 else after).split(IMAGE)
    parts[place : place + 1] = [TextPart(left), *images, TextPart(right)]
    return _joined(parts)


def check_template(template: str) -> None:
    """Raises `UsageError` if a prompt template lacks its placeholder or has one too many."""
    if template.count(STATEMENT) != 1:
        raise UsageError(
            f"The prompt template must hold {STATEMENT} exactly once, where the statement goes;"
            f" it holds it {template.count(STATEMENT)} times."
        )
    if template.count(IMAGE) > 1:
        raise UsageError(f"The prompt template may hold {IMAGE} once; it holds it {template.count(IMAGE)} times.")


def guess(sample: Sample, rng: random.Random) -> str:
    """A coin toss in the format that the prompt asks for."""
    return f"<answer>{rng.choice('TF')}</answer>"


def gold(sample: Sample) -> list[Response]:
    """What a perfect model would say in the format that the prompt asks for."""
    assert isinstance(sample.target, BooleanTarget)
    letter = "T" if sample.target.value else "F"
    return [Response(text=f"<think>This follows from the image.</think><answer>{letter}</answer>", finish="stop")]


def _split_parts(parts: tuple[Part, ...]) -> tuple[list[Part], list[Part]]:
    """The images that open the question, and the rest without the blank text in between."""
    images: list[Part] = []
    for place, part in enumerate(parts):
        if isinstance(part, ImagePart):
            images.append(part)
        elif part.text.strip():
            return images, [TextPart(part.text.lstrip()), *parts[place + 1 :]]
    return images, []


def _joined(parts: list[Part]) -> tuple[Part, ...]:
    """The same parts with neighbouring texts made one and empty ones left out."""
    joined: list[Part] = []
    for part in parts:
        if isinstance(part, TextPart) and joined and isinstance(joined[-1], TextPart):
            joined[-1] = TextPart(joined[-1].text + part.text)
        elif not isinstance(part, TextPart) or part.text:
            joined.append(part)
    return tuple(joined)
