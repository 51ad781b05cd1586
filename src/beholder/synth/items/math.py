"""Math (`math`): drawn geometry that needs a measurement or an auxiliary line, with an exact answer.

Ten kinds with six options each. Four ask for a lettered point of the picture: a mirror image, half a turn, a segment
carried on, two segments carried on until they meet. Six ask for a number: an angle whose corner may be out of sight,
the ratio of two lengths or of two areas, a height upon a side of known length, a value read off a curve, an area on a
grid. The options' values are drawn first (or the letters), then which is right, then a figure that fits it. TIR-Bench
(section on math) takes 120 items from the web, MathVista and its own drawings; these kinds and their looks are OUR
assumption.

What a level means (1 to 5):

- the picture grows from 400 to 640 pixels a side, so that a look at a fixed size loses more of it;
- neighbouring options come closer (`STEPS`): from 15 to 4 degrees, from 0.5 to 0.1 in a ratio, from 2 to 0.4 cm, from
  1 to 0.2 on a curve, from 5 to 0.5 grid squares; lettered points from 70 to 36 pixels apart;
- strokes and letters get smaller (4 to 2, 22 to 18 pixels) and paler (full ink to 70 %);
- from level 2 on, pale grey strokes lie under the figure, up to seven;
- an angle's sides begin farther from its corner, and paths have more bends.

Every figure is turned at random. The certificate holds the figure as it was drawn; the right option is exact to a
hundredth of a pixel, the nearest wrong one a whole step away.
"""

from __future__ import annotations

import math
import random

import msgspec

from beholder.errors import UsageError
from beholder.seeds import rng_for
from beholder.synth.item import LEVELS, Item, Sources
from beholder.synth.items.charted import Curve, GridArea, draw_curve, draw_grid_area, plan_curve, plan_grid_area
from beholder.synth.items.figure import PAPERS, Figure
from beholder.synth.items.lettered_points import (
    Lettered,
    Plan,
    Pointed,
    Sheet,
    draw_lettered,
    plan_extension,
    plan_half_turn,
    plan_meeting,
    plan_mirror,
)
from beholder.synth.items.measured import (
    Angle,
    Areas,
    Height,
    Lengths,
    draw_measured,
    plan_angle,
    plan_areas,
    plan_height,
    plan_lengths,
)
from beholder.synth.options import ASK_LETTER, LETTERS, lettered

Drawn = Pointed | Angle | Lengths | Areas | Height | Curve | GridArea

SHEETS: dict[int, Sheet] = {
    1: Sheet(400, apart=70, beside=44, width=4, letters=22, clutter=0, strength=1.0, gaps=(0, 0), bends=(0, 0)),
    2: Sheet(460, apart=58, beside=37, width=3.4, letters=21, clutter=1, strength=0.95, gaps=(10, 40), bends=(0, 1)),
    3: Sheet(520, apart=50, beside=31, width=3, letters=20, clutter=3, strength=0.9, gaps=(25, 90), bends=(1, 2)),
    4: Sheet(580, apart=42, beside=26, width=2.4, letters=19, clutter=5, strength=0.8, gaps=(40, 140), bends=(2, 3)),
    5: Sheet(640, apart=36, beside=21, width=2, letters=18, clutter=7, strength=0.7, gaps=(60, 200), bends=(2, 4)),
}
POINT_KINDS: dict[str, tuple[Plan, str]] = {
    "mirror": (plan_mirror, "Which of the lettered points is the mirror image of the red point in the blue line?"),
    "half_turn": (
        plan_half_turn,
        "The red point is turned about the blue point by 180 degrees. Which of the lettered points does it come to?",
    ),
    "extension": (
        plan_extension,
        "The red segment is extended straight on. Through which of the lettered points does it pass?",
    ),
    "meeting": (
        plan_meeting,
        "The red segment and the blue segment are extended straight on until they meet. "
        "At which of the lettered points do they meet?",
    ),
}
ASK_POINT = "Answer with the letter of the right point."


class Scale(msgspec.Struct, frozen=True):
    """A number's options: the value of one grain, the least and greatest option and the steps between neighbouring
    options for each level, in grains; how an option is written; and the question."""

    grain: float
    lowest: int
    highest: int
    steps: tuple[int, int, int, int, int]
    form: str
    ask: str


STEPS: dict[str, Scale] = {
    "angle": Scale(
        1,
        12,
        165,
        (15, 10, 7, 5, 4),
        "{:.0f}°",
        "The red segment and the blue segment are parts of the two sides of an angle, whose corner is where they meet "
        "when they are extended. How large is the angle?",
    ),
    "lengths": Scale(
        0.1,
        4,
        34,
        (5, 4, 3, 2, 1),
        "{:.1f}",
        "How many times as long as the blue line is the red line, each measured along all its bends?",
    ),
    "areas": Scale(
        0.1,
        4,
        34,
        (5, 4, 3, 2, 1),
        "{:.1f}",
        "How many times as large as the area of the blue shape is the area of the red shape?",
    ),
    "height": Scale(
        0.1,
        30,
        160,
        (20, 15, 10, 6, 4),
        "{:.1f} cm",
        "The blue side of the triangle is {side} cm long. How far is the red corner from the straight line through the "
        "blue side?",
    ),
    "curve": Scale(
        0.1,
        5,
        75,
        (10, 8, 6, 4, 2),
        "{:.1f}",
        "The ticks on both axes are 1 apart. What is the value of y on the red curve at x = {x:g}?",
    ),
    "grid_area": Scale(
        0.5,
        20,
        100,
        (10, 8, 6, 3, 1),
        "{:.1f}",
        "Each square of the grid has an area of 1. What is the area of the polygon?",
    ),
}
CHOICES = 6
DRAWS = 3000
"""How often a figure is laid out anew before we give up; nearly all succeed within a few dozen."""


class Certificate(msgspec.Struct, frozen=True):
    """What was drawn: the options' values (empty where they are points of the figure), the right letter, the figure."""

    seed: int
    level: int
    options: tuple[float, ...]
    answer: str
    figure: Drawn


def make(seed: int, level: int, sources: Sources) -> Item:
    """The item that follows from the seed. The sources are not used. `UsageError` for a level not in 1 to 5."""
    if level not in LEVELS:
        raise UsageError(f"Math items have levels 1 to 5, not {level}.")
    sheet = SHEETS[level]
    question = rng_for(seed, "math", "question", level)
    lots = rng_for(seed, "math", "figure", level)
    kind = question.choice([*sorted(POINT_KINDS), *sorted(STEPS)])
    place = question.randrange(CHOICES)
    options: tuple[float, ...] = ()
    plan: Drawn
    if kind in POINT_KINDS:
        layout, ask = POINT_KINDS[kind]
        plan = _point(layout, place, sheet, lots)
        lines = [ask, ASK_POINT]
    else:
        scale = STEPS[kind]
        options = _values(scale, level, question)
        given = _given(kind, options, level, question)
        plan = _number(kind, options[place], given, sheet, lots)
        lines = [scale.ask.format(side=given.side, x=given.x)]
        lines += [lettered([scale.form.format(option) for option in options]), ASK_LETTER]
    looks = rng_for(seed, "math", "looks", level)
    paper = looks.choice(PAPERS)
    figure = Figure(sheet.side, paper)
    match plan:
        case Lettered():
            draw_lettered(figure, plan, sheet, paper, looks)
        case Curve():
            draw_curve(figure, plan, sheet, paper, looks)
        case GridArea():
            draw_grid_area(figure, plan, sheet, paper, looks)
        case _:
            draw_measured(figure, plan, sheet, paper, looks)
    certificate = Certificate(seed, level, options, LETTERS[place], plan)
    return Item(
        task="math",
        prompt="\n".join(lines),
        answer=certificate.answer,
        pictures=(figure.png(),),
        difficulty=level,
        certificate=msgspec.to_builtins(certificate),
    )


def _values(scale: Scale, level: int, rng: random.Random) -> tuple[float, ...]:
    """Six values in equal steps, in random order."""
    step = scale.steps[level - 1]
    first = rng.randint(scale.lowest, scale.highest - step * (CHOICES - 1))
    values = [round((first + step * i) * scale.grain, 1) for i in range(CHOICES)]
    rng.shuffle(values)
    return tuple(values)


def _point(layout: Plan, place: int, sheet: Sheet, lots: random.Random) -> Pointed:
    for _ in range(DRAWS):
        plan = layout(place, sheet, lots)
        if plan is not None:
            return plan
    raise RuntimeError(f"no room for a figure by {layout.__name__} in {DRAWS} draws")


class Given(msgspec.Struct, frozen=True):
    """What else a question says: the length of a side in cm; where a curve is read, with where its x axis starts."""

    side: int = 0
    x: float = 0.0
    first: int = 0


def _given(kind: str, options: tuple[float, ...], level: int, rng: random.Random) -> Given:
    """Drawn from the options alone, not from which of them is right."""
    if kind == "height":
        # The triangle is neither flat nor needle-like, whichever option is right.
        least, most = math.ceil(max(options) / 1.6), math.floor(min(options) / 0.25)
        return Given(side=rng.randint(least, min(most, least + 8)))
    if kind == "curve":
        first = rng.choice((-4, -3, -2, -1))
        return Given(x=_abscissa(first, level, rng), first=first)
    return Given()


def _number(kind: str, value: float, given: Given, sheet: Sheet, lots: random.Random) -> Drawn:
    for _ in range(DRAWS):
        plan: Drawn | None
        if kind == "angle":
            plan = plan_angle(value, sheet, lots)
        elif kind == "lengths":
            plan = plan_lengths(value, sheet, lots)
        elif kind == "areas":
            plan = plan_areas(value, sheet, lots)
        elif kind == "height":
            plan = plan_height(value, sheet, lots, given.side)
        elif kind == "curve":
            plan = plan_curve(value, sheet, lots, given.x, given.first)
        else:
            plan = plan_grid_area(value, sheet, lots)
        if plan is not None:
            return plan
    raise RuntimeError(f"no room for a figure of kind {kind} with a value of {value} in {DRAWS} draws")


def _abscissa(first: int, level: int, rng: random.Random) -> float:
    """Where a curve is read: on a tick, from level 2 on halfway, from level 4 on anywhere between two ticks."""
    whole = rng.randrange(first + 1, first + 7)
    tenths = (0, 5, 5, rng.choice((2, 3, 7, 8)), rng.choice((1, 3, 4, 6, 7, 9)))[level - 1]
    return round(whole + tenths / 10, 1)
