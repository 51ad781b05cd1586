"""The eyes: a glance at one picture, or at several parts of one that are put together in the mind.

A glance sees `GLANCE` pixels on the longer side and what the family's solver makes out there (`glance`, or `solve`
where it needs no other way), which is exactly what `--model static` sees. A picture of which each part was shown by
itself is seen as finely as its parts were.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import PIL.Image

from beholder.models.classical import GLANCE
from beholder.synth.families import solver_of
from beholder.synth.programs.plan import Brought, Case, Step, View, program
from beholder.synth.solvers import GaveUp, Pixels

FINE = 300
"""Pixels a side that a part of a picture has at most, when it is cut to be looked at closely."""


def at_a_glance(picture: PIL.Image.Image) -> Pixels:
    """The picture shrunk to `GLANCE` pixels on its longer side, (height, width, 3); small ones stay as they are."""
    if max(picture.size) > GLANCE:
        picture = picture.copy()
        picture.thumbnail((GLANCE, GLANCE))
    return np.asarray(picture.convert("RGB"))


def look(task: str, pictures: Sequence[Pixels], question: str) -> str | None:
    """What the family's solver makes out at a glance; None if nothing."""
    solver = solver_of(task)
    try:
        return str(getattr(solver, "glance", solver.solve)(list(pictures), question))
    except GaveUp:
        return None


def joined(views: Sequence[View], across: int) -> Pixels | None:
    """The picture whose parts the views are, `across` in a row, row by row; None if there is not a full grid."""
    if len(views) < across or len(views) % across:
        return None
    high, wide = views[0].picture.shape[:2]
    # Parts of a picture that does not divide evenly differ by a pixel.
    parts = [
        view.picture if view.picture.shape[:2] == (high, wide) else cv2.resize(view.picture, (wide, high))
        for view in views
    ]
    rows = [np.hstack(parts[first : first + across]) for first in range(0, len(parts), across)]
    return np.vstack(rows)


def parts_across(view: View, fine: int = FINE) -> int:
    """Into how many columns, and rows, a picture is cut to be seen well: 2 to 4."""
    return min(4, max(2, -(-max(view.size) // fine)))


MOST_SHOWN = 8
"""Pictures that one program shows at most: the sandbox gives no more back."""
PARTS = """
# Cut the picture into {n} x {n} parts and show each by itself, row by row.
width, height = {name}.size
for row in range({first}, {last}):
    for column in range({n}):
        left, top = column * width // {n}, row * height // {n}
        right, bottom = (column + 1) * width // {n}, (row + 1) * height // {n}
        part = {name}.crop((left, top, right, bottom))
        # Equal pictures are shown once: an invisible change of one pixel keeps blank parts apart.
        red, green, blue = part.getpixel((0, 0))
        part.putpixel((0, 0), (red, green, blue ^ (row * {n} + column)))
        part.show()
print("rows {first} to {last} of {n} x {n} parts are shown")
"""


def closer(case: Case, view: View, across: int, done: int = 0, name: str = "") -> Step | None:
    """The call that shows a picture in parts, `done` such calls having been made; None after the last, or without a
    tool for it. `name` is what a program calls the picture, if not by its name in the conversation."""
    said = f"It is too fine to be seen at once. I will look at it in {across} × {across} parts."
    if case.python:
        at_once = max(1, MOST_SHOWN // across)
        first, last = done * at_once, min(across, (done + 1) * at_once)
        main = PARTS.format(n=across, name=name or view.name, first=first, last=last)
        return program("I will look at the other parts too." if done else said, main) if first < across else None
    if "split_grid" in case.tools and not done:
        return Step(said, "split_grid", {"rows": across, "columns": across, "image": view.name})
    return None


def parts_of(brought: Sequence[Brought], across: int) -> Pixels | None:
    """The picture that the latest calls showed in parts, put together; None if there is not a full set of parts."""
    views: tuple[View, ...] = ()
    for call in reversed(brought):
        views = (*call.views, *views)
        if len(views) >= across * across:
            break
    return joined(views, across) if len(views) == across * across else None


def closer_look(task: str, case: Case, brought: Sequence[Brought], across: int) -> str | None:
    """What is seen in a picture that was shown in so many parts across; None if it was not."""
    whole = parts_of(brought, across)
    return None if whole is None else look(task, [whole], case.question)
