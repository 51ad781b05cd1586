"""Colour: a program counts pixels or patches; the mask that it shows can be judged by eye too."""

from __future__ import annotations

import re
from collections.abc import Sequence

from beholder.synth.programs.eyes import closer, closer_look
from beholder.synth.programs.plan import (
    Brought,
    Case,
    Step,
    nearest_option,
    newest,
    number,
    options_of,
    printed,
    program,
)
from beholder.synth.solvers.color import NAMED

SHARE = """
# White where {colour} is the nearest of the named colours.
mask = _of(np.asarray(image_1), {colour!r})
Image.fromarray((mask * 255).astype(np.uint8)).show()
print("result:", round(100 * float(mask.mean()), 2))
"""
LARGEST = """
shares = {{colour: share(np.asarray(image_1), colour) for colour in {colours!r}}}
for colour, part in shares.items():
    print(f"{{colour}}: {{100 * part:.1f}} % of the picture")
print("result:", max(shares, key=shares.get))
"""
COUNT = """
print("result:", {counted})
"""


def next_step(case: Case, brought: Sequence[Brought]) -> Step | None:
    if brought:
        return None
    if not case.python:
        return closer(case, case.own[0], 2)
    question = case.question.partition("\n")[0]
    asked = _asked(case)
    if "how many different colours" in question.lower():
        said = "I will group the pixels into shades and count those."
        return program(said, COUNT.format(counted="count_colours(np.asarray(image_1))"), "color.count_colours")
    if "largest share" in question:
        said = "I will measure the share of each colour that is offered."
        colours = [text for text in options_of(case.question).values() if text in NAMED]
        return program(said, LARGEST.format(colours=colours), "color.share")
    if asked is None:
        return None
    if "patches" in question:
        said = f"I will find the {asked} patches and count them."
        counted = f"count_patches(np.asarray(image_1), {asked!r})"
        return program(said, COUNT.format(counted=counted), "color.count_patches")
    said = f"I will mark everything that is {asked} and measure its share."
    return program(said, SHARE.format(colour=asked), "color._of")


def _asked(case: Case) -> str | None:
    question = case.question.partition("\n")[0]
    return next((word for word in re.findall(r"[a-z]+", question) if word in NAMED), None)


def answer(case: Case, brought: Sequence[Brought]) -> str | None:
    if not case.python:
        return closer_look("color", case, brought, 2)
    result = printed(brought)
    value = number(result)
    if value is not None:
        return nearest_option(case.question, value)
    if result is not None:
        return next((letter for letter, text in options_of(case.question).items() if text == result), None)
    views = newest(brought)
    # A mask: the share of white is plain to see.
    return nearest_option(case.question, 100 * float((views[0].picture > 127).mean())) if views else None
