"""Mazes with five strings of moves: which one leads from the red ball to the green ball, if any?

A square maze is drawn with the red ball in its top left cell and the green ball in its bottom right cell. Options A to
E are strings of U, D, L and R; F is always `No answer`. F is right in one item of six, each other letter as often.

The text cannot tell the answer. Six mazes of one size are drawn alike, and with each a walk from corner to corner; the
first five walks are the options, and one of the six mazes, any with equal chance, is the one that is shown. No walk
leads through any of the other five mazes, or all six are drawn again: so the six stay interchangeable. Every string
would end on the green ball if there were no walls.

What a level does (`RULES`): the maze has more cells a side (5–8, 9–14, 15–22, 23–40, 41–62, the sizes of TIR-Bench),
in a picture whose side depends on the level only, so cells get smaller (from 50 to 83 pixels down to 13). At level 1
the six mazes have nothing in common, and a wrong string soon runs into a wall. From level 2 on they are alterations of
one maze, 4, 3, 2 and 2 on the way from corner to corner: the strings share long parts, and a wrong one fails late.

OUR assumptions, where TIR-Bench does not publish its generator: how mazes are grown, some of them with a few loops; how
walks stray into dead ends and back; the colours.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from beholder.errors import UsageError
from beholder.seeds import rng_for
from beholder.synth.inks import Colour
from beholder.synth.item import LEVELS, Item, Sources
from beholder.synth.options import ASK_LETTER, LETTERS, lettered
from beholder.synth.png import encode_png

NO_ANSWER = "No answer"
STRINGS = 5
LONGEST = 700
"""Moves. Mazes with a longer walk are drawn again, all six: a question of many thousand letters tests patience only."""

STEPS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}

Passages = list[set[int]]
"""For each cell, row by row, the cells that can be entered from it."""


class Rule(msgspec.Struct, frozen=True):
    """What a level draws from: cells a side, pixels of the picture a side, and alterations per maze (0: unrelated)."""

    sizes: tuple[int, int]
    side: int
    alterations: int


RULES = {
    1: Rule(sizes=(5, 8), side=440, alterations=0),
    2: Rule(sizes=(9, 14), side=540, alterations=4),
    3: Rule(sizes=(15, 22), side=660, alterations=3),
    4: Rule(sizes=(23, 40), side=780, alterations=2),
    5: Rule(sizes=(41, 62), side=920, alterations=2),
}

THEMES: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((255, 255, 255), (255, 255, 255), (20, 20, 20)),
    ((255, 255, 255), (255, 255, 255), (38, 50, 92)),
    ((250, 247, 240), (255, 252, 244), (84, 64, 52)),
    ((226, 232, 238), (248, 250, 252), (52, 64, 80)),
    ((244, 240, 250), (252, 250, 255), (82, 48, 112)),
    ((232, 244, 246), (244, 252, 253), (16, 84, 104)),
    ((24, 28, 38), (34, 39, 52), (214, 220, 232)),
    ((18, 18, 18), (18, 18, 18), (240, 240, 236)),
    ((255, 255, 255), (238, 238, 236), (104, 108, 114)),
)
"""Page, floor and wall. Neither walls nor floors come near the colours of the balls."""
RED: Colour = (216, 32, 36)
GREEN: Colour = (28, 152, 62)


class Certificate(msgspec.Struct, frozen=True):
    """What was drawn: the maze that is shown and the options.

    `open_right[r][c]` is "1" if one can go from row r, column c to column c + 1, `open_down[r][c]` if to row r + 1;
    rows and columns count from 0 at the top left. `fails_at` has, for each of the strings A to E, the number of the
    first move that runs into a wall, counted from 1, or 0 for the string that succeeds. `shared` is the number of
    alterations of a common maze, 0 if the six mazes were unrelated.
    """

    seed: int
    level: int
    size: int
    open_right: tuple[str, ...]
    open_down: tuple[str, ...]
    strings: tuple[str, ...]
    fails_at: tuple[int, ...]
    shared: int


def make(seed: int, level: int, sources: Sources) -> Item:
    """The maze that follows from a seed and a level (1 to 5); `UsageError` for another level. Needs no sources."""
    if level not in LEVELS:
        raise UsageError(f"Mazes have levels 1 to 5, not {level}.")
    rule = RULES[level]
    size = rng_for(seed, "maze", "size").randint(*rule.sizes)
    mazes, walks = _six(size, rule.alterations, rng_for(seed, "maze", "mazes"))
    shown = rng_for(seed, "maze", "right").randrange(STRINGS + 1)
    maze, strings = mazes[shown], tuple(walks[:STRINGS])
    certificate = Certificate(
        seed=seed,
        level=level,
        size=size,
        open_right=tuple(
            "".join("01"[r * size + c + 1 in maze[r * size + c]] for c in range(size - 1)) for r in range(size)
        ),
        open_down=tuple(
            "".join("01"[(r + 1) * size + c in maze[r * size + c]] for c in range(size)) for r in range(size - 1)
        ),
        strings=strings,
        fails_at=tuple(failing_move(maze, string) for string in strings),
        shared=rule.alterations,
    )
    pixels = _draw(maze, size, rule.side, rng_for(seed, "maze", "looks"))
    return Item(
        task="maze",
        prompt=_prompt(strings),
        answer=LETTERS[shown],
        pictures=(encode_png(pixels),),
        difficulty=level,
        certificate=msgspec.to_builtins(certificate),
    )


def failing_move(maze: Passages, moves: str) -> int:
    """The number of the first move, from 1, that runs into a wall or out of the maze on the way from the first cell;
    0 if none does."""
    size = round(len(maze) ** 0.5)
    row = column = 0
    for number, move in enumerate(moves, start=1):
        down, right = STEPS[move]
        to = (row + down, column + right)
        inside = 0 <= to[0] < size and 0 <= to[1] < size
        if not inside or to[0] * size + to[1] not in maze[row * size + column]:
            return number
        row, column = to
    return 0


def _prompt(strings: Sequence[str]) -> str:
    return (
        "The picture shows a maze of square cells from above. A red ball lies in the cell in the top left corner, a "
        "green ball in the cell in the bottom right corner. A string of letters moves the red ball: U, D, L and R move "
        "it by one cell up, down, to the left and to the right. A move into a wall or out of the maze fails, and the "
        "whole string fails with it. A string succeeds if none of its moves fails and the red ball is in the cell of "
        "the green ball after the last one; it may pass a cell more than once. Which of these strings succeeds? If "
        f"none of them does, the right option is the one that says so.\n{lettered((*strings, NO_ANSWER))}\n{ASK_LETTER}"
    )


# --- mazes and walks -------------------------------------------------------------------------------------------------


def _six(size: int, alterations: int, rng: random.Random) -> tuple[list[Passages], list[str]]:
    """Six mazes, each with a walk from corner to corner that succeeds in none of the others."""
    winding = rng.uniform(0.7, 1.0) if size <= 22 else rng.uniform(0.7, 0.97)
    straying = rng.choice((0.0, 0.04, 0.08))
    loops = round(rng.choice((0.0, 0.0, 0.02, 0.04)) * size * size)
    while True:
        common = _grown(size, winding, rng)
        mazes, walks = [], []
        for _ in range(STRINGS + 1):
            tree = _altered(common, size, alterations, rng) if alterations else _grown(size, winding, rng)
            walks.append(_walk(tree, size, straying, rng))
            mazes.append(_with_loops(tree, size, loops, rng))
        apart = all(
            failing_move(maze, walk)
            for place, maze in enumerate(mazes)
            for other, walk in enumerate(walks)
            if other != place
        )
        if apart and max(map(len, walks)) <= LONGEST:
            return mazes, walks


@lru_cache(maxsize=8)
def _neighbours(size: int) -> tuple[tuple[int, ...], ...]:
    """For each cell, row by row, the cells beside it."""
    return tuple(
        tuple(
            near_row * size + near_column
            for near_row, near_column in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
            if 0 <= near_row < size and 0 <= near_column < size
        )
        for row in range(size)
        for column in range(size)
    )


def _grown(size: int, winding: float, rng: random.Random) -> Passages:
    """A maze with one way between any two cells, grown from a random cell.

    It grows on from the newest cell with probability `winding`, else from any: 1 gives long bends, less more forks.
    """
    beside = _neighbours(size)
    maze: Passages = [set() for _ in range(size * size)]
    seen = [False] * (size * size)
    first = rng.randrange(size * size)
    seen[first] = True
    active = [first]
    while active:
        place = len(active) - 1 if rng.random() < winding else rng.randrange(len(active))
        cell = active[place]
        fresh = [near for near in beside[cell] if not seen[near]]
        if not fresh:
            active.pop(place)
            continue
        to = rng.choice(fresh)
        maze[cell].add(to)
        maze[to].add(cell)
        seen[to] = True
        active.append(to)
    return maze


def _altered(tree: Passages, size: int, times: int, rng: random.Random) -> Passages:
    """A copy with one way between any two cells still, in which the way from corner to corner was closed and opened
    elsewhere `times` times."""
    beside = _neighbours(size)
    maze = [set(near) for near in tree]
    for _ in range(times):
        route = _route(maze)
        # The later of two draws: strings part late rather than early.
        step = max(rng.randrange(len(route) - 1), rng.randrange(len(route) - 1))
        here, there = route[step], route[step + 1]
        maze[here].discard(there)
        maze[there].discard(here)
        side = _reached(maze, 0)
        doors = [
            (cell, near)
            for cell in range(size * size)
            if side[cell]
            for near in beside[cell]
            if not side[near] and (cell, near) != (here, there)
        ]
        # With no other door (the far part is one corner cell), the old one opens again.
        one, other = rng.choice(doors) if doors else (here, there)
        maze[one].add(other)
        maze[other].add(one)
    return maze


def _reached(maze: Passages, start: int) -> list[bool]:
    seen = [False] * len(maze)
    seen[start] = True
    waiting = [start]
    while waiting:
        for near in maze[waiting.pop()]:
            if not seen[near]:
                seen[near] = True
                waiting.append(near)
    return seen


def _route(tree: Passages) -> list[int]:
    """The cells on the only way from the first cell to the last, both included."""
    came: list[int] = [-1] * len(tree)
    waiting = [0]
    while waiting:
        cell = waiting.pop()
        for near in tree[cell]:
            if near != came[cell]:
                came[near] = cell
                waiting.append(near)
    route = [len(tree) - 1]
    while route[-1]:
        route.append(came[route[-1]])
    return route[::-1]


def _walk(tree: Passages, size: int, straying: float, rng: random.Random) -> str:
    """The way from corner to corner in letters; at each cell, with probability `straying`, one or two cells into a side
    passage and back."""
    route = _route(tree)
    walked = [route[0]]
    for place, cell in enumerate(route[:-1]):
        if rng.random() < straying:
            aside = sorted(tree[cell] - set(route[max(0, place - 1) : place + 2]))
            if aside:
                first = rng.choice(aside)
                deeper = sorted(tree[first] - {cell})
                walked += [first, rng.choice(deeper), first, cell] if deeper and rng.random() < 0.5 else [first, cell]
        walked.append(route[place + 1])
    letters = {-size: "U", size: "D", -1: "L", 1: "R"}
    return "".join(letters[to - cell] for cell, to in pairwise(walked))


def _with_loops(tree: Passages, size: int, count: int, rng: random.Random) -> Passages:
    """A copy with up to `count` walls opened, but each corner of four cells keeps one: a maze has no free pillars."""
    maze = [set(near) for near in tree]
    for _ in range(count):
        cell = rng.randrange(size * size)
        other = rng.choice(_neighbours(size)[cell])
        maze[cell].add(other)
        maze[other].add(cell)
        if other not in tree[cell] and any(
            _room(maze, size, corner) for corner in {cell, cell - 1, cell - size, cell - size - 1}
        ):
            maze[cell].discard(other)
            maze[other].discard(cell)
    return maze


def _room(maze: Passages, size: int, corner: int) -> bool:
    """Whether the four cells right of and below a cell, itself included, are one room without an inner wall."""
    if corner < 0 or corner % size == size - 1 or corner // size == size - 1:
        return False
    far = corner + size + 1
    return {corner + 1, corner + size} <= maze[corner] and {corner + 1, corner + size} <= maze[far]


# --- the picture -----------------------------------------------------------------------------------------------------


def _draw(maze: Passages, size: int, side: int, rng: random.Random) -> NDArray[np.uint8]:
    """The picture, (side, side, 3): walls of whole pixels, at least 2 thick, and the two balls."""
    page, floor, wall = rng.choice(THEMES)
    margin = side // 36
    share = rng.uniform(0.08, 0.16) if rng.random() < 0.6 else rng.uniform(0.22, 0.36)
    cell = (side - 2 * margin) * 100 // (100 * size + round(100 * share))
    thick = max(2, round(cell * share))
    cell = (side - 2 * margin - thick) // size
    whole = cell * size + thick
    pixels = np.empty((side, side, 3), dtype=np.uint8)
    pixels[:] = page
    start = (side - whole) // 2
    board = pixels[start : start + whole, start : start + whole]
    inner = cell - thick
    # Walls and cells in turn: even places of the plan are as wide as a wall, odd ones as a passage.
    plan = np.zeros((2 * size + 1, 2 * size + 1), dtype=np.intp)
    for place, passages in enumerate(maze):
        row, column = divmod(place, size)
        plan[2 * row + 1, 2 * column + 1] = 1
        plan[2 * row + 1, 2 * column + 2] = place + 1 in passages
        plan[2 * row + 2, 2 * column + 1] = place + size in passages
    widths = [thick, inner] * size + [thick]
    board[:] = np.array([wall, floor], dtype=np.uint8)[plan].repeat(widths, axis=1).repeat(widths, axis=0)
    reach = inner * rng.randint(56, 74) // 100
    gap = (inner - reach) // 2 + thick
    last = (size - 1) * cell
    _draw_ball(board[gap : gap + reach, gap : gap + reach], _shade(RED, rng))
    _draw_ball(board[last + gap : last + gap + reach, last + gap : last + gap + reach], _shade(GREEN, rng))
    return pixels


def _shade(colour: Colour, rng: random.Random) -> Colour:
    red, green, blue = (max(0, min(255, part + rng.randint(-14, 14))) for part in colour)
    return red, green, blue


def _draw_ball(box: NDArray[np.uint8], colour: Colour) -> None:
    """A ball that fills a square, lit from the upper left, its edge smooth; in whole numbers, alike on any machine."""
    side = box.shape[0]
    fine = np.arange(4 * side) * 2 + 1 - 4 * side  # centres of quarter pixels, in eighths of a pixel from the middle
    inside = (fine[:, None] ** 2 + fine[None, :] ** 2) <= (4 * side) ** 2
    cover = inside.reshape(side, 4, side, 4).sum(axis=(1, 3))[..., None]  # of 16
    middle = np.arange(side) * 2 + 1 - side  # half pixels
    light = (middle[:, None] + side // 3) ** 2 + (middle[None, :] + side // 3) ** 2
    glow = np.clip(100 - light * 260 // (side * side), 0, 100)[..., None]  # per cent
    base = np.array(colour, dtype=np.int64)
    ball = base + (255 - base) * glow * 45 // 10_000
    box[:] = (ball * cover + box.astype(np.int64) * (16 - cover)) // 16
