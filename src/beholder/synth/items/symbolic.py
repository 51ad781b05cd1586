"""Symbolic reasoning (`symbolic`): how many corners, crossings, nested shapes, segments, circles or regions there are.

One figure on plain or squared paper, and five neighbouring whole numbers to choose from. The five numbers are drawn
first, then which of them is right, then a figure with exactly that count, so that neither the numbers nor their order
tell anything. TIR-Bench (section on symbolic reasoning) takes its 50 items from the web and from a collection of simple
counting tasks; the six kinds here and their looks are OUR assumption.

What a level means (1 to 5):

- the picture grows from 400 to 640 pixels a side, so that a look at a fixed size loses more of it;
- the counts grow (`COUNTS`), and with them the figure's density;
- things that must be told apart come closer: `Room.apart` falls from 34 to 18 pixels and the least angle between lines
  that cross or at a corner from 36 to 22 degrees;
- strokes get thinner (4 to 2 pixels) and paler (full ink to 70 %);
- from level 3 on, half of the pictures are on squared paper whose lines are far paler than any stroke.

What must be counted is always clear: the certificate states the least distances and angles of its figure.
"""

from __future__ import annotations

import random

import msgspec

from beholder.errors import UsageError
from beholder.seeds import rng_for
from beholder.synth.inks import Colour
from beholder.synth.item import LEVELS, Item, Sources
from beholder.synth.items.counted_lines import (
    PAIRS,
    Crossings,
    Regions,
    Segments,
    draw_crossings,
    draw_regions,
    draw_segments,
    plan_crossings,
    plan_regions,
    plan_segments,
)
from beholder.synth.items.counted_shapes import (
    SHAPES,
    Circles,
    Corners,
    Nested,
    Room,
    draw_circles,
    draw_corners,
    draw_nested,
    plan_circles,
    plan_corners,
    plan_nested,
)
from beholder.synth.items.figure import PAPERS, Figure, tint
from beholder.synth.options import ASK_LETTER, LETTERS, lettered

Drawn = Corners | Crossings | Nested | Segments | Circles | Regions

ROOMS: dict[int, Room] = {
    1: Room(side=400, apart=34, angle=36, width=4, strength=1.0),
    2: Room(side=460, apart=29, angle=32, width=3.4, strength=0.95),
    3: Room(side=520, apart=25, angle=28, width=3, strength=0.9),
    4: Room(side=580, apart=21, angle=25, width=2.4, strength=0.8),
    5: Room(side=640, apart=18, angle=22, width=2, strength=0.7),
}
COUNTS: dict[str, tuple[tuple[int, int], ...]] = {
    "corners": ((3, 9), (5, 12), (8, 17), (11, 22), (14, 28)),
    "crossings": ((1, 7), (2, 9), (4, 12), (6, 15), (8, 19)),
    "nested": ((2, 8), (4, 11), (6, 14), (8, 18), (10, 22)),
    "segments": ((3, 9), (5, 12), (7, 15), (9, 19), (12, 24)),
    "circles": ((2, 7), (3, 9), (5, 12), (7, 15), (9, 18)),
    "regions": ((3, 9), (5, 13), (8, 18), (12, 24), (16, 30)),
}
"""Kind → for each level the least and the greatest number among the options."""
CHOICES = 5
DRAWS = 400
"""How often a figure is laid out anew before we give up; nearly all succeed within a few."""
SQUARED_FROM = 3


class Certificate(msgspec.Struct, frozen=True):
    """What was drawn: the numbers offered, the letter of the right one, and the figure whose parts it counts."""

    seed: int
    level: int
    options: tuple[int, ...]
    answer: str
    figure: Drawn


def make(seed: int, level: int, sources: Sources) -> Item:
    """The item that follows from the seed. The sources are not used. `UsageError` for a level not in 1 to 5."""
    if level not in LEVELS:
        raise UsageError(f"Symbolic items have levels 1 to 5, not {level}.")
    question = rng_for(seed, "symbolic", "question", level)
    kind = question.choice(sorted(COUNTS))
    low, high = COUNTS[kind][level - 1]
    first = question.randint(low, high - CHOICES + 1)
    options = list(range(first, first + CHOICES))
    question.shuffle(options)
    place = question.randrange(CHOICES)
    detail = _detail(kind, level, question)
    room = ROOMS[level]
    plan = _plan(kind, options[place], room, detail, rng_for(seed, "symbolic", "figure", level))
    looks = rng_for(seed, "symbolic", "looks", level)
    paper = looks.choice(PAPERS)
    figure = Figure(room.side, paper)
    if level >= SQUARED_FROM and looks.random() < 0.5:
        line = tint((120, 140, 175), paper, 0.22)
        figure.grid(looks.uniform(18, 30), line, (looks.uniform(0, 30), looks.uniform(0, 30)))
    _draw(figure, plan, room, paper, looks)
    certificate = Certificate(seed, level, tuple(options), LETTERS[place], plan)
    return Item(
        task="symbolic",
        prompt="\n".join((ask(plan), lettered([str(option) for option in options]), ASK_LETTER)),
        answer=certificate.answer,
        pictures=(figure.png(),),
        difficulty=level,
        certificate=msgspec.to_builtins(certificate),
    )


def _detail(kind: str, level: int, rng: random.Random) -> int:
    """What the question names besides the kind, drawn before the count: which colours, or how many sides."""
    if kind == "crossings":
        return rng.randrange(len(PAIRS))
    if kind == "regions":
        return rng.choice((0, 4))
    # So many triangles as a high level asks for would lie too close: their sides are near the middle.
    return rng.choice(sorted(SHAPES)) if level <= 3 else rng.choice((0, 4, 5, 6))


def _plan(kind: str, count: int, room: Room, detail: int, rng: random.Random) -> Drawn:
    for _ in range(DRAWS):
        plan: Drawn | None
        if kind == "corners":
            plan = plan_corners(count, room, rng)
        elif kind == "crossings":
            plan = plan_crossings(count, room, rng, PAIRS[detail])
        elif kind == "nested":
            plan = plan_nested(count, room, rng, detail)
        elif kind == "segments":
            plan = plan_segments(count, room, rng)
        elif kind == "circles":
            plan = plan_circles(count, room, rng)
        else:
            plan = plan_regions(count, room, rng, detail)
        if plan is not None:
            return plan
    raise RuntimeError(f"no room for a figure of kind {kind} with a count of {count} in {DRAWS} draws")


def _draw(figure: Figure, plan: Drawn, room: Room, paper: Colour, rng: random.Random) -> None:
    match plan:
        case Corners():
            draw_corners(figure, plan, room, paper, rng)
        case Crossings():
            draw_crossings(figure, plan, room, paper, rng)
        case Nested():
            draw_nested(figure, plan, room, paper, rng)
        case Segments():
            draw_segments(figure, plan, room, paper, rng)
        case Circles():
            draw_circles(figure, plan, room, paper, rng)
        case Regions():
            draw_regions(figure, plan, room, paper, rng)


def ask(plan: Drawn) -> str:
    """The question about a figure, without its options."""
    match plan:
        case Corners():
            return "How many corners does the polygon in the picture have?"
        case Crossings():
            one, other = plan.colours
            return (
                f"At how many points do the {one} line and the {other} line cross each other? "
                "Points where a line crosses itself do not count."
            )
        case Nested():
            return (
                f"How many {SHAPES[plan.sides]} are nested in one another in the picture? "
                "Count every one, from the outermost to the innermost."
            )
        case Segments():
            return (
                "How many straight line segments are drawn in the picture? "
                "A segment that crosses others goes on straight and counts once."
            )
        case Circles():
            return "How many circles are drawn in the picture?"
        case Regions():
            shape = "square" if plan.sides else "circle"
            return f"Into how many regions do the straight lines divide the inside of the {shape}?"
