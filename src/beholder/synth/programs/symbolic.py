"""Symbolic: a program counts what is asked for. With visual tools alone, the figure is looked at in parts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from beholder.synth.programs.eyes import closer, closer_look, parts_across
from beholder.synth.programs.plan import Brought, Case, Step, nearest_option, number, printed, program

_COLOURS = re.compile(r"the ([a-z]{1,12}) line and the ([a-z]{1,12}) line")
PIECES = """
# Each closed outline parts one more piece off the paper; the paper around all of them does not count.
picture = np.asarray(image_1)
Image.fromarray(((coverage(picture) <= SOLID) * 255).astype(np.uint8)).show()
print("result:", len(pieces(coverage(picture) <= SOLID, 10)) - 1)
"""
COUNT = """
print("result:", {counted})
"""


def next_step(case: Case, brought: Sequence[Brought]) -> Step | None:
    if brought:
        return None
    if not case.python:
        return closer(case, case.own[0], parts_across(case.own[0]))
    colours = _COLOURS.search(case.question)
    picture = "np.asarray(image_1)"
    if colours is not None:
        said = f"I will separate the {colours[1]} from the {colours[2]} strokes and count where they meet."
        counted = f"count_crossings({picture}, {colours.groups()!r})"
        return program(said, COUNT.format(counted=counted), "symbolic.count_crossings")
    if "corners" in case.question:
        said = "I will trace the outline and count its corners."
        return program(said, COUNT.format(counted=f"count_corners({picture})"), "symbolic.count_corners")
    if "segments" in case.question:
        said = "Each segment has two free ends: I will count the ends."
        return program(said, COUNT.format(counted=f"count_segments({picture})"), "symbolic.count_segments")
    if "circles" in case.question and "nested" not in case.question:
        said = "I will let each stroke vote for the circles that it may belong to."
        counted = f"len(find_circles(coverage({picture})))"
        return program(said, COUNT.format(counted=counted), "circles.find_circles", "strokes.coverage")
    said = "I will count the pieces of paper between the strokes."
    return program(said, PIECES, "strokes.pieces", "strokes.coverage", "strokes.SOLID")


def answer(case: Case, brought: Sequence[Brought]) -> str | None:
    counted = number(printed(brought))
    if counted is not None:
        return nearest_option(case.question, counted)
    return None if case.python else closer_look("symbolic", case, brought, parts_across(case.own[0]))
