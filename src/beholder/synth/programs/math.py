"""Math: a program measures what has a number; for a lettered point, the figure is shown in parts and looked at."""

from __future__ import annotations

from collections.abc import Sequence

from beholder.synth.programs.eyes import closer, closer_look, parts_across
from beholder.synth.programs.plan import Brought, Case, Step, nearest_option, number, printed, program
from beholder.synth.solvers.math import PLACE, POINTS, SIDE

NO_LETTERS = frozenset({"lettered_points"})
"""What reads letters needs typefaces, which the sandbox may not have."""
MEASURE = """
picture = np.asarray(image_1)
{lines}
print("result:", round(value, 4))
"""
HEIGHT = """seen = Seen(picture)
base = seen.line("blue")
value = distance(base, seen.dot("red")) / base.length * {side}"""
SEEN = "seen = Seen(picture)\nvalue = "


def next_step(case: Case, brought: Sequence[Brought]) -> Step | None:
    if not case.python or any(words in case.question for words in POINTS):
        return closer(case, case.own[0], parts_across(case.own[0]), len(brought))
    if brought:
        return None
    said, lines, entries = _measuring(case.question)
    return program(said, MEASURE.format(lines=lines), *entries, without=NO_LETTERS)


def _measuring(question: str) -> tuple[str, str, tuple[str, ...]]:
    """What is said, the lines that measure, and the functions that they need."""
    if "How large is the angle" in question:
        return (
            "I will fit a line to each stroke and take the angle.",
            "value = angle(Seen(picture))",
            ("math.angle", "math.Seen"),
        )
    if "How many times as long" in question:
        ratio = 'path_length(seen.stroke("red")) / path_length(seen.stroke("blue"))'
        return "I will measure both lines along their bends.", SEEN + ratio, ("math.path_length", "math.Seen")
    if "How many times as large" in question:
        ratio = '(seen.stroke("red") > SOLID).sum() / (seen.stroke("blue") > SOLID).sum()'
        return "I will count the pixels of both.", SEEN + ratio, ("math.Seen",)
    side, place = SIDE.search(question), PLACE.search(question)
    if side is not None:
        lines = HEIGHT.format(side=side[1])
        return "I will measure the height against the blue side.", lines, ("math.distance", "math.Seen")
    if place is not None:
        lines = f"value = read_curve(picture, {place[1]})"
        return "I will find the axes and their ticks, and follow the red curve.", lines, ("ruled.read_curve",)
    return (
        "I will measure the area in squares of the grid.",
        "value = squares_inside(picture)",
        ("ruled.squares_inside",),
    )


def answer(case: Case, brought: Sequence[Brought]) -> str | None:
    value = number(printed(brought))
    if value is not None:
        return nearest_option(case.question, value)
    return closer_look("math", case, brought, parts_across(case.own[0]))
