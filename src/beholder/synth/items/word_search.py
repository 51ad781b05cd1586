"""Word search: a dense grid of letters or digits, and what stands where in it.

One of four questions. `count`: how often does a character occur (some of these grids are fields of another shape than
a square). `place`: where does the one target stand. `odd`: where does the one character stand that differs from all
others. `word`: where does a short word or number begin that is written from left to right. Grids are of capital
letters, small letters or digits, never mixed; I, i, j and l are left out, so nothing can be confused but by looking
badly. Around the target stand characters that resemble it, and words that differ from it by one character.

The answers are uniform whatever the question says: a count over `COUNTS[level]`, a row over the grid's rows, a column
over its columns (of a word: those where one of five characters may begin, however long this one is).

Level 1 to 5, what it does to a reader or solver:
  grid      8, 12, 18, 24, 32 characters a side: more to look through, and the picture's size
  cell      60, 46, 36, 32, 28 pixels: smaller characters (an em is two thirds of it)
  word      3, 4, 4, 5, 5 characters: more to compare
  alike     pairs that differ at a glance, by a part, by a stroke (`PAIRS`)
  jitter    0, 3, 5, 8, 10 % of a cell off the middle, so rows and columns stand less straight
  tilt      characters turned by up to 4° (level 4) and 8° (level 5)
  contrast  ink mixed with paper: 100, 90, 80, 60, 45 % ink
  looks     from level 3 several inks, at level 5 two typefaces in one grid (never where the odd one out is asked)
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from beholder.errors import UsageError
from beholder.seeds import rng_for
from beholder.synth.inks import Colour, mixed
from beholder.synth.item import LEVELS, Item, Pixels, Sources
from beholder.synth.png import encode_png
from beholder.synth.typefaces import TYPEFACES, typeface

TASK = "word_search"
SIDES = (8, 12, 18, 24, 32)
CELLS = (60, 46, 36, 32, 28)
MARGIN = 24
COUNTS = ((3, 14), (4, 23), (6, 37), (8, 49), (10, 69))
"""Lowest and highest count, by level."""
JITTER = (0.0, 0.03, 0.05, 0.08, 0.10)
TILTS: tuple[tuple[int, ...], ...] = ((0,), (0,), (0,), (-4, -2, 0, 2, 4), (-8, -4, 0, 4, 8))
INK_SHARE = (100, 90, 80, 60, 45)

ALPHABETS = {
    "capital letter": "ABCDEFGHJKLMNOPQRSTUVWXYZ",
    "small letter": "abcdefghkmnopqrstuvwxyz",
    "digit": "0123456789",
}
EASY = ("AM", "XH", "KS", "TW", "LB", "ZN", "DJ", "ks", "xm", "tw", "zp", "ag", "48", "72", "15", "34", "06")
MEDIUM = ("HN", "KX", "UV", "PB", "LT", "DB", "TY", "nm", "uv", "ce", "kh", "oa", "25", "17", "35", "49", "23")
HARD = ("EF", "OQ", "CG", "PR", "MN", "VY", "bd", "pq", "bh", "hn", "gq", "vy", "68", "38", "98", "56")
PAIRS = ((EASY,), (MEDIUM,), (MEDIUM, HARD), (HARD,), (HARD,))
"""The kinds of pairs of look-alikes, by level."""
WORDS = (
    "ACORN AMBER APPLE ARROW BADGE BEACH BELL BOAT BREAD BRUSH CAMEL CANOE CEDAR CHESS CLOUD COMB CROWN DESK DOVE "
    "DRUM EAGLE EAR EGG ELBOW FAN FENCE FERN FLUTE FOX FROG GATE GLOVE GOAT GRAPE HARP HAT HAWK HORSE JAR KEY "
    "LAMB LEAF LEMON MAP MELON MOON MOUSE NEST NUT OAK OCEAN OTTER OWL PEAR PEN PLUM QUEEN RAFT ROBE ROPE SALT SHEEP "
    "SHELL SPOON STAR STORM SUN SWAN TABLE TENT THORN TOWEL TREE TOAST VASE WAGON WATCH WHALE WOLF YARN ZEBRA"
)
LENGTHS = (3, 4, 4, 5, 5)
"""Characters of a word or number, by level. One length a level: every column is possible in which it fits."""

Question = Literal["count", "place", "odd", "word"]
Grid = list[list[str]]

THEMES: tuple[tuple[Colour, tuple[Colour, ...]], ...] = (
    ((250, 246, 236), ((40, 44, 60), (120, 36, 40), (20, 72, 92), (70, 50, 20))),
    ((255, 255, 255), ((20, 20, 24), (30, 40, 120), (130, 20, 50), (10, 80, 50))),
    ((228, 240, 246), ((16, 50, 80), (80, 30, 90), (20, 70, 60), (90, 40, 20))),
    ((240, 234, 248), ((58, 30, 92), (20, 50, 96), (110, 24, 70), (30, 60, 50))),
    ((232, 244, 226), ((24, 62, 40), (70, 56, 10), (20, 56, 84), (96, 30, 40))),
    ((252, 232, 216), ((98, 40, 20), (60, 30, 70), (20, 64, 74), (40, 40, 40))),
    ((28, 32, 44), ((238, 236, 226), (250, 214, 140), (170, 226, 240), (246, 190, 190))),
    ((20, 54, 52), ((236, 244, 232), (246, 220, 150), (180, 232, 220), (250, 204, 180))),
    ((66, 24, 44), ((252, 232, 226), (250, 214, 160), (220, 214, 250), (206, 236, 214))),
    ((30, 38, 82), ((240, 240, 250), (252, 224, 150), (180, 236, 226), (250, 196, 210))),
)
"""Paper and inks that stand out from it: at least 145 grey levels lighter or darker."""
SHAPES = ("disc", "diamond", "heart", "triangle", "hexagon", "plus", "ring")


class Certificate(msgspec.Struct, frozen=True):
    """What was drawn: `grid` is one string a row, a space where the field's shape leaves a cell empty.

    `target` is the character or the word asked for (of `odd`: the one that differs); `alike` the character that was
    set around it as a look-alike, "" for a word. `at` is the target's row and column, from 1; (0, 0) for a count.
    """

    seed: int
    level: int
    question: Question
    target: str
    alike: str
    at: tuple[int, int]
    grid: tuple[str, ...]
    shape: str
    typefaces: tuple[str, ...]
    paper: Colour
    inks: tuple[Colour, ...]


class Looks(NamedTuple):
    """How a grid is drawn."""

    typefaces: tuple[str, ...]
    paper: Colour
    inks: tuple[Colour, ...]
    ground: str


def make(seed: int, level: int, sources: Sources) -> Item:
    """The grid and its question that follow from the seed; `UsageError` for a level other than 1 to 5."""
    if level not in LEVELS:
        raise UsageError(f"A word search has a level from 1 to 5, not {level}.")
    rng = rng_for(seed, TASK, "question")
    question: Question = rng.choices(("count", "place", "odd", "word"), (8, 4, 3, 5))[0]
    shape = "square"
    if question == "count" and rng.random() < 0.4:
        shape = rng.choice(SHAPES)
    field = _field(shape, SIDES[level - 1])
    if question == "word":
        target, at, grid = _draw_word(level, rng)
        alike = ""
    else:
        target, alike = _draw_pair(level, rng)
        grid, at = _draw_characters(question, target, alike, level, field, rng)
    looks = _draw_looks(question, level, rng_for(seed, TASK, "looks"))
    certificate = Certificate(
        seed=seed,
        level=level,
        question=question,
        target=target,
        alike=alike,
        at=at,
        grid=tuple("".join(row) for row in grid),
        shape=shape,
        typefaces=looks.typefaces,
        paper=looks.paper,
        inks=looks.inks,
    )
    return Item(
        task=TASK,
        prompt=_prompt(question, target),
        answer=_answer(certificate),
        pictures=(encode_png(_draw(certificate.grid, field, level, looks, rng_for(seed, TASK, "jitter"))),),
        difficulty=level,
        certificate=msgspec.to_builtins(certificate),
    )


def _prompt(question: Question, target: str) -> str:
    kind = next((kind for kind, alphabet in ALPHABETS.items() if target[0] in alphabet), "")
    if question == "count":
        return f"How many times does the {kind} {target} occur in the picture?\nAnswer with a whole number."
    thing, part = ("number", "digit") if kind == "digit" else ("word", "letter")
    asked = {
        "place": f"The {kind} {target} occurs exactly once in the grid. In which row and column does it stand?",
        "odd": "All characters of the grid are the same but one. In which row and column does the different one stand?",
        "word": f"The {thing} {target} is written once in the grid, horizontally from left to right. "
        f"In which row and column does its first {part} stand?",
    }[question]
    return f"{asked}\nAnswer as [row, column], counted from 1 at the top left."


def _answer(certificate: Certificate) -> str:
    if certificate.question == "count":
        return str(sum(row.count(certificate.target) for row in certificate.grid))
    return str(list(certificate.at))


def _draw_pair(level: int, rng: random.Random) -> tuple[str, str]:
    """The target and its look-alike. The kind of character is drawn first, so that none is rare."""
    alphabet = rng.choice(tuple(ALPHABETS.values()))
    pair = list(rng.choice([pair for pair in rng.choice(PAIRS[level - 1]) if pair[0] in alphabet]))
    rng.shuffle(pair)
    return pair[0], pair[1]


def _draw_characters(
    question: Question, target: str, alike: str, level: int, field: NDArray[np.bool_], rng: random.Random
) -> tuple[Grid, tuple[int, int]]:
    """The grid for a count or a place: look-alikes alone, or with other characters among them."""
    side = len(field)
    cells = [(int(row), int(column)) for row, column in np.argwhere(field)]
    grid = [[" "] * side for _ in range(side)]
    mixed = question != "odd" and rng.random() < 0.5
    share = rng.uniform(0.2, 0.45)
    others = _alphabet(target).replace(target, "").replace(alike, "")
    for row, column in cells:
        grid[row][column] = rng.choice(others) if mixed and rng.random() >= share else alike
    number = rng.randint(*COUNTS[level - 1]) if question == "count" else 1
    chosen = rng.sample(cells, number)
    for row, column in chosen:
        grid[row][column] = target
    return grid, (0, 0) if question == "count" else (chosen[0][0] + 1, chosen[0][1] + 1)


def _alphabet(character: str) -> str:
    return next(alphabet for alphabet in ALPHABETS.values() if character in alphabet)


def _draw_word(level: int, rng: random.Random) -> tuple[str, tuple[int, int], Grid]:
    """The word or number, where it begins (from 1), and a grid that holds it once, in no direction a second time."""
    side = SIDES[level - 1]
    length = LENGTHS[level - 1]
    if rng.random() < 0.5:
        target = rng.choice([word for word in WORDS.split() if len(word) == length])
    else:
        target = "".join(rng.sample(ALPHABETS["digit"], length))
    alphabet = _alphabet(target[0])
    grid = [[rng.choice(alphabet) for _ in range(side)] for _ in range(side)]
    for _ in range(side * level // 4 + 2):
        row, column = rng.randrange(side), rng.randrange(side - length + 1)
        grid[row][column : column + length] = _one_changed(target, alphabet, rng)
    row, column = rng.randrange(side), rng.randrange(side - length + 1)
    grid[row][column : column + length] = target
    planted = {(row, column + step) for step in range(length)}
    while strays := _strays(grid, target, planted):
        for stray_row, stray_column in strays:
            grid[stray_row][stray_column] = rng.choice(alphabet)
    return target, (row + 1, column + 1), grid


def _one_changed(word: str, alphabet: str, rng: random.Random) -> list[str]:
    """The word with one character replaced, by a look-alike if it has one."""
    place = rng.randrange(len(word))
    alike = [pair.replace(word[place], "") for pair in (*HARD, *MEDIUM) if word[place] in pair]
    return [*word[:place], rng.choice(alike or alphabet.replace(word[place], "")), *word[place + 1 :]]


def _strays(grid: Grid, word: str, planted: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """For each place, in all eight directions, where the word stands by chance: one cell that the planted one lacks."""
    side, reach = len(grid), len(word) - 1
    starts = [(row, column) for row in range(side) for column in range(side) if grid[row][column] == word[0]]
    found = []
    for row, column in starts:
        for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
            if not (0 <= row + reach * down < side and 0 <= column + reach * right < side):
                continue
            cells = [(row + step * down, column + step * right) for step in range(reach + 1)]
            if all(grid[r][c] == character for (r, c), character in zip(cells, word, strict=True)):
                found += [cell for cell in cells if cell not in planted][:1]
    return found


def _field(shape: str, side: int) -> NDArray[np.bool_]:
    """Which cells of the square hold a character, (side, side). Whole numbers only: no rounding decides a cell."""
    step = np.arange(side, dtype=np.int64) * 2 - (side - 1)
    x, y = np.abs(step)[None, :], step[:, None]
    half = side
    masks = {
        "square": (x < half) & (np.abs(y) < half),
        "disc": x**2 + y**2 <= half**2,
        "diamond": x + np.abs(y) <= half,
        "triangle": 2 * x <= y + half,
        "hexagon": (10 * x + 6 * np.abs(y) <= 10 * half) & (np.abs(y) < half),
        "plus": (5 * x <= 2 * half) | (5 * np.abs(y) <= 2 * half),
        "ring": (x**2 + y**2 <= half**2) & (9 * (x**2 + y**2) >= half**2),
        "heart": _heart(x, y, half),
    }
    return np.asarray(masks[shape])


def _heart(x: NDArray[np.int64], y: NDArray[np.int64], half: int) -> NDArray[np.bool_]:
    """(u² + v² − 1)³ ≤ u²·v³ with v upward, u and v in units of 5/6 of the half side; multiplied out."""
    u, v, unit = 6 * x, -6 * y + half, 5 * half
    return np.asarray((u**2 + v**2 - unit**2) ** 3 <= u**2 * v**3 * unit)


def _draw_looks(question: Question, level: int, rng: random.Random) -> Looks:
    paper, inks = rng.choice(THEMES)
    alone = level < 3 or question == "odd" or rng.random() < 0.5
    number = 1 if alone else rng.randint(2, 3)
    faces = rng.sample(TYPEFACES, 2 if level == 5 and question != "odd" else 1)
    share = INK_SHARE[level - 1]
    chosen = rng.sample(inks, number)
    return Looks(
        typefaces=tuple(faces),
        paper=paper,
        inks=tuple(mixed(ink, paper, share) for ink in chosen),
        ground=rng.choice(("plain", "plain", "rows", "columns", "chequers")),
    )


def _draw(grid: Sequence[str], field: NDArray[np.bool_], level: int, looks: Looks, rng: random.Random) -> Pixels:
    """The picture, (side·cell + 2·MARGIN, the same, 3)."""
    side, cell = SIDES[level - 1], CELLS[level - 1]
    total = side * cell + 2 * MARGIN
    reach = round(JITTER[level - 1] * cell)
    cover = np.zeros((total, total), dtype=np.uint8)
    for row, characters in enumerate(grid):
        for column, character in enumerate(characters):
            if character != " ":
                top = MARGIN + row * cell + rng.randint(-reach, reach)
                left = MARGIN + column * cell + rng.randint(-reach, reach)
                tile = cover[top : top + cell, left : left + cell]
                stamp = _stamp(rng.choice(looks.typefaces), cell, character, rng.choice(TILTS[level - 1]))
                np.maximum(tile, stamp, out=tile)
    inks = np.array([[rng.choice(looks.inks) for _ in range(side)] for _ in range(side)], dtype=np.uint8)
    paper = np.clip(np.array(looks.paper, dtype=np.int16) + _ground(looks, field)[..., None], 0, 255)
    # Pillow blends bytes in whole numbers, several times as fast as the same sums over arrays.
    shown = _cells_to_pixels(paper.astype(np.uint8), looks.paper, cell)
    shown.paste(_cells_to_pixels(inks, looks.inks[0], cell), mask=Image.fromarray(cover))
    return np.asarray(shown, dtype=np.uint8)


def _ground(looks: Looks, field: NDArray[np.bool_]) -> NDArray[np.int16]:
    """By how many grey levels each cell's paper is lighter or darker: stripes or chequers inside the field."""
    row, column = np.indices(field.shape)
    tone = 10 if sum(looks.paper) < 384 else -10
    turn = {"plain": row * 0, "rows": row, "columns": column, "chequers": row + column}[looks.ground]
    return np.asarray(np.where(field, tone * (turn % 2), 0), dtype=np.int16)


def _cells_to_pixels(colours: Pixels, margin: Colour, cell: int) -> Image.Image:
    """A picture of squares, from one colour a cell, with a margin around."""
    side = len(colours) * cell
    picture = Image.new("RGB", (side + 2 * MARGIN, side + 2 * MARGIN), margin)
    picture.paste(Image.fromarray(colours).resize((side, side), Image.Resampling.NEAREST), (MARGIN, MARGIN))
    return picture


@lru_cache(maxsize=4096)
def _stamp(face: str, cell: int, character: str, tilt: int) -> NDArray[np.uint8]:
    """One character's coverage, 0 to 255, in a square of a cell: the middle of its line is the cell's middle."""
    scale = 1 if tilt == 0 else 4
    em = cell * 2 // 3 * scale
    # Half the height of capitals and digits, or of small letters without ascender, below the middle.
    drop = em * 27 // 100 if character.islower() else em * 36 // 100
    tile = Image.new("L", (cell * scale, cell * scale))
    middle = cell * scale // 2
    ImageDraw.Draw(tile).text((middle, middle + drop), character, fill=255, font=typeface(face, em), anchor="ms")
    if tilt:
        tile = tile.rotate(tilt, Image.Resampling.BICUBIC).reduce(scale)
    return np.asarray(tile, dtype=np.uint8)
