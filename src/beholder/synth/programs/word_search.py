"""Word search: characters are read by eye in parts of the grid; the odd one out is found by a program, unread."""

from __future__ import annotations

from collections.abc import Sequence

from beholder.synth.programs.eyes import closer, closer_look, parts_across
from beholder.synth.programs.plan import Brought, Case, Step, printed, program

FINE = 250
ODD = """
cells = _cells(_ink(np.asarray(image_1)))
print(len(cells.crops), "characters in", cells.rows.max() + 1, "rows and", cells.columns.max() + 1, "columns")
odd = _odd_one(cells.crops)
Image.fromarray(255 - (cells.crops[odd] * 255).astype(np.uint8)).resize((96, 128)).show()
print("result:", [int(cells.rows[odd]) + 1, int(cells.columns[odd]) + 1])
"""


def next_step(case: Case, brought: Sequence[Brought]) -> Step | None:
    if case.python and "the different one" in case.question:
        said = "I will cut out every character and find the one that is least like the others."
        entries = ("word_search._cells", "word_search._ink", "word_search._odd_one")
        return None if brought else program(said, ODD, *entries)
    return closer(case, case.own[0], parts_across(case.own[0], FINE), len(brought))


def answer(case: Case, brought: Sequence[Brought]) -> str | None:
    result = printed(brought)
    return result or closer_look("word_search", case, brought, parts_across(case.own[0], FINE))
