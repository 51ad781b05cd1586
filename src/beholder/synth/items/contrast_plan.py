"""Low-light questions: what is asked, and what has to lie where to make the answer right."""

from __future__ import annotations

import random

import msgspec

from beholder.seeds import rng_for
from beholder.synth.options import ASK_LETTER, lettered
from beholder.synth.silhouettes import KINDS, NAMES

COLUMNS, ROWS = 8, 6
"""Things stand in cells of a grid, each off its middle at random; so they never touch or lie across a middle line."""
CELL = 64
WIDTH, HEIGHT = COLUMNS * CELL, ROWS * CELL
"""Pixels of the picture."""
EDGE_PX = 26
"""By how many pixels the middle of the outermost of four things is farther out than the next one's."""
MOST = 9
"""Most things of the kind that is counted."""
QUESTIONS = ("count", "half", "edge", "most")
SIDES = ("left", "right", "top", "bottom")
HALVES = {"left": "left", "right": "right", "top": "upper", "bottom": "lower"}


class Thing(msgspec.Struct, frozen=True):
    """One silhouette: kind, middle in pixels, size in pixels, turn in degrees clockwise, tint (place in
    `contrast.TINTS`) and
    tone (grey levels, mean of red, green and blue; its lit side is up to a tenth brighter)."""

    kind: str
    x: int
    y: int
    size: int
    turn: int
    tint: int
    tone: float


class Plan(msgspec.Struct, frozen=True):
    """A question, and the kinds that must stand in given cells (column, row) to make its answer right."""

    question: str
    asked: str
    side: str
    options: tuple[str, ...]
    right: int
    cells: tuple[tuple[str, tuple[int, int]], ...]


def question(kind: str, asked: str, side: str, options: tuple[str, ...]) -> str:
    """The question as it is put to a model."""
    names = ", ".join(several for _, several in NAMES.values())
    opening = (
        "The picture is very dark. It shows plain, sharp shapes over a blurred background. Each shape is one of ten"
        f" kinds: {names}."
    )
    if kind == "count":
        return f"{opening} How many {NAMES[asked][1]} are there in the picture? Answer with a whole number."
    if kind == "half":
        return (
            f"{opening} How many {NAMES[asked][1]} are there in the {HALVES[side]} half of the picture? Answer with a"
            " whole number."
        )
    if kind == "edge":
        where = f"nearest to the {side} edge of the picture"
        ask = f"The picture holds one of each of the following. Which of them is {where}?"
    else:
        ask = "Which of the following kinds occurs most often in the picture?"
    return f"{opening} {ask}\n{lettered([NAMES[option][0] for option in options])}\n{ASK_LETTER}"


def counted(things: list[Thing] | tuple[Thing, ...], kind: str, side: str) -> int:
    """How many things of a kind are in a half of the picture ("": anywhere)."""
    return sum(thing.kind == kind and (not side or _in_half(thing.x, thing.y, side)) for thing in things)


def _in_half(x: float, y: float, side: str) -> bool:
    inside: bool = {
        "left": x < WIDTH / 2,
        "right": x > WIDTH / 2,
        "top": y < HEIGHT / 2,
        "bottom": y > HEIGHT / 2,
    }[side]
    return inside


def draw_plan(seed: int, scattered: tuple[int, int]) -> Plan:
    """The question that follows from the seed; `scattered` bounds how many things of other kinds there are."""
    rng = rng_for(seed, "contrast", "question")
    cells = [(column, row) for column in range(COLUMNS) for row in range(ROWS)]
    rng.shuffle(cells)
    kinds = list(KINDS)
    rng.shuffle(kinds)
    others = rng.randint(*scattered)
    kind = rng.choice(QUESTIONS)
    if kind == "count":
        wanted = [kinds[0]] * rng.randint(1, MOST)
        return _planned(kind, kinds[0], "", wanted, kinds[1:], others, cells, rng)
    if kind == "half":
        side = rng.choice(SIDES)
        inside, outside = rng.randint(0, 6), rng.randint(1, 3)
        # Cells of the asked half first, then as many of the other one as are wanted there.
        there = [cell for cell in cells if _in_half(*middle_of(cell), side)]
        beyond = [cell for cell in cells if cell not in there]
        order = there[:inside] + beyond[:outside]
        order += [cell for cell in cells if cell not in order]
        return _planned(kind, kinds[0], side, [kinds[0]] * (inside + outside), kinds[1:], others, order, rng)
    options, right = tuple(kinds[:4]), rng.randrange(4)
    if kind == "edge":
        side = rng.choice(SIDES)
        order = _one_outermost(cells, side, rng)
        wanted = [options[right], *(option for option in options if option != options[right])]
        planned = _planned(kind, "", side, wanted, kinds[4:], others, order, rng)
    else:
        most = rng.randint(3, 5)
        wanted = [options[right]] * most
        for option in options:
            if option != options[right]:
                wanted += [option] * rng.randint(1, most - 1)
        planned = _planned(kind, "", "", wanted, kinds[4:], others // 2, cells, rng)
    return msgspec.structs.replace(planned, options=options, right=right)


def _planned(
    kind: str,
    asked: str,
    side: str,
    wanted: list[str],
    unasked: list[str],
    others: int,
    cells: list[tuple[int, int]],
    rng: random.Random,
) -> Plan:
    """The wanted kinds in the first cells, then `others` of the kinds not asked about."""
    scattered = [rng.choice(unasked) for _ in range(others)]
    placed = tuple(zip(wanted + scattered, cells, strict=False))
    return Plan(question=kind, asked=asked, side=side, options=(), right=-1, cells=placed)


def _one_outermost(cells: list[tuple[int, int]], side: str, rng: random.Random) -> list[tuple[int, int]]:
    """The cells in an order in which the first is farther to that side than the next three, by at least
    a row or column."""
    axis, sign = (0, 1) if side == "left" else (0, -1) if side == "right" else (1, 1) if side == "top" else (1, -1)
    lines = COLUMNS if axis == 0 else ROWS
    outermost = rng.randint(0, lines - 2)
    depth = [(cell[axis] if sign > 0 else lines - 1 - cell[axis]) for cell in cells]
    first = next(cell for cell, line in zip(cells, depth, strict=True) if line == outermost)
    behind = [cell for cell, line in zip(cells, depth, strict=True) if line > outermost][:3]
    chosen = [first, *behind]
    return chosen + [cell for cell in cells if cell not in chosen]


def middle_of(cell: tuple[int, int]) -> tuple[int, int]:
    """The middle of a cell (column, row), in pixels."""
    return cell[0] * CELL + CELL // 2, cell[1] * CELL + CELL // 2
