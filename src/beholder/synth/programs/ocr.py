"""Rotated text: the picture is turned until it can be read, and then looked at in parts."""

from __future__ import annotations

from collections.abc import Sequence

from beholder.synth.programs.eyes import closer, parts_of
from beholder.synth.programs.plan import Brought, Case, Step, View, program
from beholder.synth.solvers import Pixels
from beholder.synth.solvers import ocr as reader

TURNS = (180, 90, 270)
"""Half of the pictures of this kind stand on their heads."""
SURE = 0.16
"""A line's mean cost a character (`reader.Reading`) up to which it makes sense; upside down it costs more."""
TURN = """
# Three ways it may have been turned; the numbers are degrees counter-clockwise.
for degrees in (180, 90, 270):
    turned = image_1.rotate(degrees, expand=True)
    print("turned by", degrees, "now", turned.size)
    turned.show()
"""
UPRIGHT = "upright = image_1.rotate({degrees}, expand=True)\n"
CLOSE = 2


def read(picture: Pixels) -> list[reader.Reading]:
    """The lines that a glance makes out in a picture, taken as upright."""
    return reader._readings(picture, (0,))


def chosen(readings: Sequence[reader.Reading]) -> str | None:
    """The largest of the lines that are read with some certainty, as the solver chooses it."""
    return reader._largest(list(readings)) if readings else None


def _worth(readings: Sequence[reader.Reading]) -> float:
    return sum(reading.worth for reading in readings)


def next_step(case: Case, brought: Sequence[Brought]) -> Step | None:
    turned = _turned(case, brought)
    if case.python:
        if not brought:
            said = "The text does not stand upright. I will turn the picture in three ways and see which can be read."
            return program(said, TURN)
        return _closer(case, turned) if len(brought) == 1 and len(turned) == len(TURNS) else None
    if "rotate" not in case.tools or len(brought) > len(turned):
        return None
    if len(turned) < len(TURNS) and not any(line.cost <= SURE for lines in turned.values() for line in lines):
        degrees = TURNS[len(turned)]
        said = f"I cannot read it this way. I will turn the picture by {degrees}°."
        return Step(said, "rotate", {"degrees": degrees, "direction": "counterclockwise"})
    return _closer(case, turned)


def _closer(case: Case, turned: dict[int, list[reader.Reading]]) -> Step | None:
    """Shows the turned picture that makes most sense in parts."""
    degrees = max(turned, key=lambda place: _worth(turned[place]))
    width, height = case.own[0].size if degrees == 180 else case.own[0].size[::-1]
    name = f"image_{len(case.own) + list(turned).index(degrees) + 1}"
    step = closer(case, View(case.own[0].picture, name, (width, height)), CLOSE, name="upright" if case.python else "")
    if step is None:
        return None
    said = (
        f"Turned by {degrees}° it makes most sense. I will look at it in {CLOSE} × {CLOSE} parts to read every letter."
    )
    arguments = step.arguments
    if case.python:
        arguments = {"code": UPRIGHT.format(degrees=degrees) + step.arguments["code"]}
    return step._replace(said=said, arguments=arguments)


def _turned(case: Case, brought: Sequence[Brought]) -> dict[int, list[reader.Reading]]:
    """What is read in each turned picture, by the degrees; parts of one are smaller."""
    whole = sorted(case.own[0].size)
    views = [view for call in brought for view in call.views if sorted(view.size) == whole]
    return {degrees: read(view.picture) for degrees, view in zip(TURNS, views, strict=False)}


def answer(case: Case, brought: Sequence[Brought]) -> str | None:
    best = max(_turned(case, brought).values(), key=_worth, default=[])
    parts = parts_of(brought, CLOSE)
    close = read(parts) if parts is not None else []
    return chosen(close if _worth(close) >= _worth(best) else best)
