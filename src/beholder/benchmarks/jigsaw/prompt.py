"""What a model is asked about a jigsaw."""

from __future__ import annotations

import random
import re

from beholder.errors import UsageError
from beholder.sample import ImagePart, Part, Sample, TextPart

IMAGE = "<image>"

TEMPLATE = """\
This picture is a jigsaw puzzle. A square photograph was cut into {n}×{n} pieces of equal size, and the pieces were \
shuffled. None was turned. Each piece carries its number, from 1 to {pieces}, in its upper left corner.

Find the arrangement that restores the photograph. Write it as a list of {pieces} piece numbers: the first is the \
number of the piece that belongs in the upper left corner of the photograph, then go on from left to right and row \
by row to the lower right corner. Use each number from 1 to {pieces} exactly once.

You may think first, inside <think> and </think>. Then write the final answer and nothing else, in the form \
<answer>[piece numbers, separated by commas]</answer>."""
"""`{n}` is the number of pieces a side, `{pieces}` how many there are in all (n²). A user's own template may
also hold `{question}`, the question as the data file words it, and `<image>`, the place of the picture
(default: at the end). Other braces stay as they are."""


def question(n: int, template: str = TEMPLATE, own: str = "") -> str:
    """The question about a puzzle of n × n pieces; `own` is what `{question}` stands for."""
    values = {"{n}": str(n), "{pieces}": str(n * n), "{question}": own}
    return re.sub(r"\{(?:n|pieces|question)\}", lambda found: values[found.group()], template)


def prompt(sample: Sample, template: str, order: tuple[int, ...] = ()) -> tuple[Part, ...]:
    """The parts to send: the question, then the picture, unless the template places it with `<image>`.

    Text before the image is how TIR-Bench asks. `order` is not used: no stored answers are shown. Raises
    `UsageError` if the template holds `<image>` more than once.
    """
    if template.count(IMAGE) > 1:
        raise UsageError(f"The prompt template may hold {IMAGE} once; it holds it {template.count(IMAGE)} times.")
    n = sample.metadata["n"]
    own = "".join(part.text for part in sample.parts if isinstance(part, TextPart))
    before, _, after = template.partition(IMAGE)
    parts = (TextPart(question(n, before, own)), ImagePart(0), TextPart(question(n, after, own)))
    return tuple(part for part in parts if not isinstance(part, TextPart) or part.text)


def guess(sample: Sample, rng: random.Random) -> str:
    """A random arrangement in the format that the prompt asks for."""
    numbers = list(range(1, sample.metadata["n"] ** 2 + 1))
    rng.shuffle(numbers)
    return f"<answer>{numbers}</answer>"
