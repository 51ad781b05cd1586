"""Instruments: a program finds the marks and the hand and prints where it stands on the scale."""

from __future__ import annotations

from collections.abc import Sequence

from beholder.synth.programs.eyes import closer, closer_look, parts_across
from beholder.synth.programs.plan import Brought, Case, Step, printed, program
from beholder.synth.solvers import instrument as scales

CLOCK = """
# Minutes after 12 o'clock.
print("result:", read_clock(np.asarray(image_1), straighten=True))
"""
SCALE = """
share, steps = {reading}
print(f"{{steps}} steps between marks; the reading lies at {{share:.4f}} of the scale")
print("result:", round(share, 5), steps)
"""
FRONT = """
# The plate as it looks from the front.
picture = np.asarray(image_1)
front, _, _ = straightened(picture, find_plate(picture, straighten=True), {above})
Image.fromarray(front).show()
"""


def next_step(case: Case, brought: Sequence[Brought]) -> Step | None:
    question, picture = case.question, "np.asarray(image_1)"
    if not case.python:
        return closer(case, case.own[0], parts_across(case.own[0])) if not brought else None
    straight = scales._NUMBERED.search(question) is not None or "The column" in question
    if len(brought) > straight:
        return None
    if straight and not brought:
        said = "I will straighten the scale first, so that its marks stand evenly."
        above = 0.0 if "The column" in question else 1.25
        return program(
            said, FRONT.format(above=above), "instrument_strips.straightened", "instrument_strips.find_plate"
        )
    if "shows a clock" in question:
        said = "I will find the marks around the face, and the angles of both hands."
        return program(said, CLOCK, "instrument_dials.read_clock")
    if straight and "The column" in question:
        side = scales._SIDE.search(question)
        said = "Now I will number the marks and find where the column ends."
        reading = f"read_thermometer({picture}, {side[1] if side else ''!r}, straighten=True)"
        return program(said, SCALE.format(reading=reading), "instrument_strips.read_thermometer")
    if straight:
        said = "Now I will number the marks and find both ends of what lies along them."
        reading = f"read_ruler({picture}, straighten=True)"
        return program(said, SCALE.format(reading=reading), "instrument_strips.read_ruler")
    said = "I will find the marks around the face, and the angle of the pointer."
    full = scales._TURN.search(question) is not None
    reading = f"read_pointer({picture}, full={full}, straighten=True)"
    return program(said, SCALE.format(reading=reading), "instrument_dials.read_pointer")


def answer(case: Case, brought: Sequence[Brought]) -> str | None:
    result = printed(brought)
    if result is None:
        return None if case.python else closer_look("instrument", case, brought, parts_across(case.own[0]))
    try:
        numbers = [float(word) for word in result.split()]
    except ValueError:
        return None
    options = scales._OPTION.findall(case.question)
    if "shows a clock" in case.question:
        minutes = round(numbers[0]) % scales.HALF_DAY
        if options:
            return str(min(options, key=lambda one: scales._minutes_apart(scales._minutes(one[1]), minutes))[0])
        return f"{minutes // 60 or 12}{minutes % 60:02d}"
    asked = _asked(case.question)
    if asked is None or len(numbers) != 2 or numbers[1] < 1:
        return None
    reading = asked.reading(numbers[0], round(numbers[1]))
    if options:
        return str(min(options, key=lambda one: abs(float(one[1]) - reading))[0])
    return f"{reading:.1f}" if "decimal" in case.question else str(round(reading))


def _asked(question: str) -> scales._Asked | None:
    """What the question says of the scale."""
    halves = "halfway" in question
    if turn := scales._TURN.search(question):
        return scales._Asked(0.0, float(turn[1]), halves)
    if numbered := scales._NUMBERED.search(question):
        parts = next((parts for name, parts in scales._PARTS.items() if f"in {name}?" in question), None)
        return None if parts is None else scales._Asked(0.0, float(numbered[1]) * parts, halves)
    runs = scales._RUNS.search(question)
    return None if runs is None else scales._Asked(float(runs[1]), float(runs[2]), halves)
