"""Proportion: a program marks the named object and counts its pixels; the mask can be judged by eye too."""

from __future__ import annotations

import re
from collections.abc import Sequence

from beholder.synth.programs.eyes import closer, closer_look
from beholder.synth.programs.plan import Brought, Case, Step, nearest_option, newest, number, printed, program

_NAME = re.compile(r"covered by the ([^?\n]{1,120})\?")
MARK = """
mask = {found}
Image.fromarray((mask * 255).astype(np.uint8)).show()
print("result:", round(100 * float(mask.mean()), 2))
"""


def next_step(case: Case, brought: Sequence[Brought]) -> Step | None:
    if brought:
        return None
    if not case.python:
        return closer(case, case.own[0], 2)
    name = _NAME.search(case.question)
    if name is None or "cut-out" in name[1]:
        said = "I will look for what the white edge encloses and measure it."
        return program(said, MARK.format(found="_edged(np.asarray(image_1))"), "refcoco._edged")
    said = f"I will mark the {name[1]} by its colours and measure its share."
    return program(said, MARK.format(found=f"find(np.asarray(image_1), {name[1]!r})"), "refcoco.find")


def answer(case: Case, brought: Sequence[Brought]) -> str | None:
    if not case.python:
        return closer_look("refcoco", case, brought, 2)
    value = number(printed(brought))
    if value is None and (views := newest(brought)):
        value = 100 * float((views[0].picture > 127).mean())
    return None if value is None else nearest_option(case.question, value)
