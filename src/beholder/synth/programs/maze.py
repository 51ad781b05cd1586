"""Maze: a program finds walls and balls, a second one walks each string."""

from __future__ import annotations

from collections.abc import Sequence

from beholder.synth.programs.eyes import closer, closer_look, parts_across
from beholder.synth.programs.plan import Brought, Case, Step, options_of, printed, program

FIND = """
# The lattice has 2n + 1 places a side: cells at odd places, the borders between them at even ones.
walls, start, goal = _read(np.asarray(image_1))
n = len(walls) // 2
print(f"a maze of {n} x {n} cells; red ball in cell {start}, green ball in cell {goal}")
drawn = np.kron(np.where(walls > 0.5, 0, 255), np.ones((8, 8))).astype(np.uint8)
Image.fromarray(drawn).show()
"""
WALK = """
options = {options!r}
right = []
for letter, moves in options.items():
    succeeds = _succeeds(walls, start, goal, moves)
    print(letter, "arrives" if succeeds else "fails")
    if succeeds:
        right.append(letter)
print("result:", " ".join(right) or "none")
"""


def next_step(case: Case, brought: Sequence[Brought]) -> Step | None:
    if not case.python:
        return closer(case, case.own[0], parts_across(case.own[0])) if not brought else None
    if not brought:
        return program("I will find the walls and the two balls first.", FIND, "maze._read", "maze._succeeds")
    if len(brought) == 1:
        strings = {letter: text for letter, text in options_of(case.question).items() if set(text) <= set("UDLR")}
        return program("Now I will walk each string through the walls that were found.", WALK.format(options=strings))
    return None


def answer(case: Case, brought: Sequence[Brought]) -> str | None:
    result = printed(brought)
    if result is None:
        return None if case.python else closer_look("maze", case, brought, parts_across(case.own[0]))
    if result != "none":
        return result if len(result) == 1 else None
    others = [letter for letter, text in options_of(case.question).items() if not set(text) <= set("UDLR")]
    return others[0] if len(others) == 1 else None
