"""Visual search: the sign is found by its colour, shape and edge, cut out and enlarged; its mark is read by eye."""

from __future__ import annotations

from collections.abc import Sequence

from beholder.synth.programs.eyes import closer, look, parts_of
from beholder.synth.programs.plan import Brought, Case, Step, newest, program
from beholder.synth.solvers import GaveUp
from beholder.synth.solvers.visual_search import NAMED, find

ACROSS = 4
AROUND = 8
"""Pixels around the sign that are shown with it."""
LOOK = """
# How much of the scene has that colour at all, and in how many patches?
coloured = _coloured(np.asarray(image_1), {colour!r})
print(image_1.size, "pixels;", sum(1 for _ in _patches(coloured)), "patches could be a {colour} sign")
Image.fromarray(coloured).resize((image_1.width // 4, image_1.height // 4), Image.Resampling.BOX).show()
"""
FIND = """
x, y, inside = find(np.asarray(image_1), {colour!r}, {shape!r}, {edge!r})
high, wide = inside.shape
print(f"the best match is {{wide}} x {{high}} pixels, at ({{x}}, {{y}})")
piece = image_1.crop((x - 8, y - 8, x + wide + 8, y + high + 8))
zoom = 54 / max(wide, high)
piece.resize((round(piece.width * zoom), round(piece.height * zoom)), Image.Resampling.BICUBIC).show()
"""


def next_step(case: Case, brought: Sequence[Brought]) -> Step | None:
    named = NAMED.search(case.question)
    if named is None or len(brought) > 1:
        return None
    colour, shape, edge = named[1], named[2], named[3]
    if case.python:
        if not brought:
            said = f"The sign is too small to be seen. I will first look at what is {colour} in this scene."
            return program(said, LOOK.format(colour=colour), "visual_search._coloured", "visual_search._patches")
        said = f"I will find the {colour} {shape} with a {edge} edge among them, cut it out and enlarge it."
        return program(said, FIND.format(colour=colour, shape=shape, edge=edge), "visual_search.find")
    if not brought:
        return closer(case, case.own[0], ACROSS)
    return _cutting(case, brought, (colour, shape, edge)) if "crop" in case.tools else None


def _cutting(case: Case, brought: Sequence[Brought], named: tuple[str, str, str]) -> Step | None:
    """Cuts out what looks most like the sign in the parts that were shown."""
    scene = parts_of(brought, ACROSS)
    if scene is None:
        return None
    try:
        x, y, inside = find(scene, *named)
    except GaveUp:
        return None
    scale = case.own[0].size[0] / scene.shape[1]
    high, wide = (side * scale for side in inside.shape)
    width, height = case.own[0].size
    left, top = max(0, round(x * scale - wide - AROUND)), max(0, round(y * scale - high - AROUND))
    right, bottom = min(width, round(x * scale + 2 * wide + AROUND)), min(height, round(y * scale + 2 * high + AROUND))
    said = f"This looks like the {named[0]} {named[1]}. I will cut it out and enlarge it."
    return Step(said, "crop", {"box": [left, top, right, bottom], "zoom": 3})


def answer(case: Case, brought: Sequence[Brought]) -> str | None:
    views = newest(brought)
    if len(views) > 1:
        scene = parts_of(brought, ACROSS)
        return None if scene is None else look("visual_search", [scene], case.question)
    return look("visual_search", [views[0].picture], case.question) if views else None
