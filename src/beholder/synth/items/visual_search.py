"""One small sign among hundreds in a large scene, and a question about it that asks for a closer look.

The scene is a photograph, or a wall of many, with small signs strewn over it like enamel pins. A sign has a shape, a
colour, an edge of another colour, and a mark: a digit, a letter, an arrow, a coloured dot, or a number of dots. The
question names one sign by its shape, colour and edge, which no other sign has all three of, and asks for its mark;
four options. What tells the right option is the sign alone: options are drawn first, then which is right, and the
signs of a scene, the one in question among them, carry each option equally often. Its place is uniform over the scene.

TIR-Bench (section on Visual Search) takes such questions from HR-Bench and from photographs and paintings. OUR
assumption is everything that is drawn: real scenes would need people to ask about them.

| level | scene       | signs | sign's size | near misses | ground                       |
|-------|-------------|-------|-------------|-------------|------------------------------|
| 1     | 1280 × 720  | 40    | 34 to 40 px | 20 %        | one photograph, pale         |
| 2     | 2560 × 1440 | 120   | 28 to 33 px | 30 %        | one photograph, pale         |
| 3     | 3840 × 2160 | 240   | 23 to 27 px | 40 %        | wall of photographs          |
| 4     | 3840 × 2160 | 400   | 19 to 22 px | 50 %        | wall of photographs          |
| 5     | 3840 × 2160 | 640   | 16 to 18 px | 60 %        | wall of photographs          |

A near miss has two of the three features that the sign in question is named by; the other signs have at most one.
A larger scene shrinks the sign more before a model sees it; more signs and near misses make it harder to find; a
smaller sign has a smaller mark. Size is that of a round sign; one with points is up to half as large again.
"""

from __future__ import annotations

import itertools
import random
from functools import lru_cache

import msgspec
import numpy as np
from PIL import Image, ImageDraw

from beholder.errors import UsageError
from beholder.seeds import rng_for
from beholder.synth.item import LEVELS, Item, Sources
from beholder.synth.jpeg import encode_jpeg
from beholder.synth.options import ASK_LETTER, LETTERS, lettered
from beholder.synth.photographs import Photos
from beholder.synth.typefaces import typeface

FINE = 4
"""Signs are drawn so many times larger and scaled down."""

COLOURS = {
    "red": (205, 40, 45),
    "orange": (240, 130, 30),
    "green": (30, 135, 65),
    "blue": (40, 85, 195),
    "purple": (130, 55, 160),
}
EDGES = {"white": (250, 250, 250), "yellow": (252, 226, 60), "light blue": (110, 220, 245)}
RIM = (16, 16, 20)
"""A thin dark line around the edge, so that the edge is seen on any ground: edges are light."""
RIM_SHARE = 1.12
DOTS = {"white": (250, 250, 250), "black": (18, 18, 18), "yellow": (252, 226, 60), "light blue": (110, 220, 245)}
INK = {"orange": (18, 18, 18)}
"""The colour of other marks than single dots, where white is not plain enough."""

SHAPES = {
    "circle": [(0.5, step * 7.5) for step in range(48)],
    "square": [(0.62, 45.0 + 90 * step) for step in range(4)],
    "diamond": [(0.63, 90.0 * step) for step in range(4)],
    "triangle": [(0.86, 90.0 + 120 * step) for step in range(3)],
    "star": [(0.76 if step % 2 == 0 else 0.45, 90.0 + 36 * step) for step in range(10)],
}
"""Corners as (distance from the middle in sizes, degrees counter-clockwise from right)."""
INNER = {"circle": 0.77, "square": 0.75, "diamond": 0.75, "triangle": 0.74, "star": 0.72}
"""What is left of a shape, lengthwise, inside its edge: an edge about a ninth of the size wide."""

DIGITS, CAPITALS = "234679", "ACEHKLSTVZ"
"""No two of them are alike when they are small."""
DIRECTIONS = {"right": 0.0, "up": 90.0, "left": 180.0, "down": 270.0}
ARROW = [(0.28, 0.0), (0.02, 0.26), (0.02, 0.1), (-0.26, 0.1), (-0.26, -0.1), (0.02, -0.1), (0.02, -0.26)]
LAYOUTS = {
    1: [(0.0, 0.0)],
    2: [(-0.14, 0.0), (0.14, 0.0)],
    3: [(0.0, -0.13), (-0.14, 0.11), (0.14, 0.11)],
    4: [(-0.13, -0.13), (0.13, -0.13), (-0.13, 0.13), (0.13, 0.13)],
    5: [(-0.15, -0.15), (0.15, -0.15), (0.0, 0.0), (-0.15, 0.15), (0.15, 0.15)],
}
QUESTIONS = {
    "digit": "Which digit is printed on it?",
    "letter": "Which letter is printed on it?",
    "direction": "In which direction does the arrow on it point?",
    "dot": "Which colour is the dot in its middle?",
    "count": "How many small dots are on it?",
}


class Knobs(msgspec.Struct, frozen=True):
    """What a level sets: the scene, how many signs of what size, the percentage of near misses, the ground."""

    width: int
    height: int
    signs: int
    sizes: tuple[int, int]
    near: int
    wall: bool


KNOBS = {
    1: Knobs(1280, 720, 40, (34, 40), 20, False),
    2: Knobs(2560, 1440, 120, (28, 33), 30, False),
    3: Knobs(3840, 2160, 240, (23, 27), 40, True),
    4: Knobs(3840, 2160, 400, (19, 22), 50, True),
    5: Knobs(3840, 2160, 640, (16, 18), 60, True),
}


class Sign(msgspec.Struct, frozen=True, array_like=True):
    """One sign: what it looks like, the option it carries, its size and the place of its middle in pixels."""

    shape: str
    colour: str
    edge: str
    value: str
    size: int
    x: int
    y: int


class Certificate(msgspec.Struct, frozen=True):
    """What was drawn for one item: `kind` of mark, the options in the order of their letters, the signs.

    The first sign is the one in question: no other has its shape, colour and edge. The ground shows `photos`, in the
    order in which they were drawn; one for a plain ground.
    """

    seed: int
    level: int
    kind: str
    options: tuple[str, ...]
    signs: tuple[Sign, ...]
    photos: tuple[str, ...]


def make(seed: int, level: int, sources: Sources) -> Item:
    """The item that follows from a seed and a level, 1 to 5.

    `UsageError` for another level; `DataError` if a photograph cannot be read.
    """
    if level not in LEVELS:
        raise UsageError(f"A visual search has a level from 1 to 5, not {level}.")
    certificate = draw(seed, level, sources.photos)
    target = certificate.signs[0]
    article = "an" if target.colour == "orange" else "a"
    return Item(
        task="visual_search",
        prompt="The picture is a large scene with many small signs in it. Exactly one of them is "
        f"{article} {target.colour} {target.shape} with a {target.edge} edge. {QUESTIONS[certificate.kind]}\n"
        f"{lettered(certificate.options)}\n{ASK_LETTER}",
        answer=LETTERS[certificate.options.index(target.value)],
        pictures=(encode_jpeg(np.asarray(scene(certificate, sources.photos))),),
        difficulty=level,
        certificate=msgspec.to_builtins(certificate),
        suffix=".jpg",
        cluster="" if KNOBS[level].wall else certificate.photos[0],
    )


def draw(seed: int, level: int, photos: Photos) -> Certificate:
    """Every choice of an item."""
    knobs = KNOBS[level]
    quiz = rng_for(seed, "visual_search", "options")
    kind = quiz.choice(list(QUESTIONS))
    options = _options(kind, quiz)
    right = quiz.choice(options)
    ground = rng_for(seed, "visual_search", "photographs")
    shown = ground.sample(range(len(photos)), min(len(photos), 12 if knobs.wall else 1))
    return Certificate(
        seed=seed,
        level=level,
        kind=kind,
        options=tuple(options),
        signs=_signs(options, right, knobs, rng_for(seed, "visual_search", "signs")),
        photos=tuple(photos.items[place].name for place in shown),
    )


def _options(kind: str, rng: random.Random) -> list[str]:
    """Four marks of a kind, in random order."""
    lowest = rng.randint(1, 2)
    everything = {
        "digit": list(DIGITS),
        "letter": list(CAPITALS),
        "direction": list(DIRECTIONS),
        "dot": list(DOTS),
        "count": [str(lowest + more) for more in range(4)],
    }
    return rng.sample(everything[kind], 4)


def _signs(options: list[str], right: str, knobs: Knobs, rng: random.Random) -> tuple[Sign, ...]:
    """The sign in question, then the others: a drawn share of near misses, the options dealt out evenly."""
    shapes, colours, edges = list(SHAPES), list(COLOURS), list(EDGES)
    target = (rng.choice(shapes), rng.choice(colours), rng.choice(edges))
    values = options * (knobs.signs // len(options))
    values.remove(right)
    rng.shuffle(values)
    near = (knobs.signs - 1) * knobs.near // 100
    looks = [target]
    while len(looks) < knobs.signs:
        look = (rng.choice(shapes), rng.choice(colours), rng.choice(edges))
        shared = sum(one == other for one, other in zip(look, target, strict=True))
        if (shared == 2) if len(looks) <= near else (shared < 2):
            looks.append(look)
    places = _places(knobs, rng)
    return tuple(
        Sign(*look, value, rng.randint(*knobs.sizes), x, y)
        for look, value, (x, y) in zip(looks, [right, *values], places, strict=True)
    )


def _places(knobs: Knobs, rng: random.Random) -> list[tuple[int, int]]:
    """Places all over the scene, none nearer to another than two signs side by side need."""
    apart = 2 * knobs.sizes[1]
    margin = knobs.sizes[1]
    taken: dict[tuple[int, int], list[tuple[int, int]]] = {}
    places: list[tuple[int, int]] = []
    while len(places) < knobs.signs:
        x, y = rng.randint(margin, knobs.width - margin), rng.randint(margin, knobs.height - margin)
        column, row = x // apart, y // apart
        around = [taken.get((column + i, row + j), []) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        if all((x - a) ** 2 + (y - b) ** 2 >= apart**2 for cell in around for a, b in cell):
            taken.setdefault((column, row), []).append((x, y))
            places.append((x, y))
    return places


def scene(certificate: Certificate, photos: Photos) -> Image.Image:
    """The picture that is shown."""
    knobs = KNOBS[certificate.level]
    rng = rng_for(certificate.seed, "visual_search", "ground")
    ground = [photos.pixels(photos.place(name)) for name in certificate.photos]
    picture = _wall(ground, knobs, rng) if knobs.wall else _pale(ground[0], knobs, rng)
    tint = rng_for(certificate.seed, "visual_search", "tint")
    for sign in certificate.signs:
        _paint(picture, sign, certificate.kind, tint)
    return picture


def _pale(photo: Image.Image, knobs: Knobs, rng: random.Random) -> Image.Image:
    """A part of a photograph over the whole scene, half way to white."""
    picture = _part(photo, knobs.width, knobs.height, rng)
    return picture.point([128 + level // 2 for level in range(256)] * 3)


def _wall(photos: list[Image.Image], knobs: Knobs, rng: random.Random) -> Image.Image:
    """Photographs side by side in rows of different heights, thin gaps between them."""
    shade = rng.randint(20, 235)
    picture = Image.new("RGB", (knobs.width, knobs.height), (shade, shade, shade))
    turns = itertools.cycle(photos)
    top = 0
    while top < knobs.height:
        height = rng.randint(330, 520)
        if knobs.height - top - height < 200:
            height = knobs.height - top
        left = 0
        while left < knobs.width:
            width = rng.randint(2 * height // 3, 5 * height // 3)
            if knobs.width - left - width < 200:
                width = knobs.width - left
            part = _part(next(turns), width - 6, height - 6, rng)
            gamma = rng.uniform(0.8, 1.25)
            picture.paste(part.point([round(255 * (level / 255) ** gamma) for level in range(256)] * 3), (left, top))
            left += width
        top += height
    return picture


def _part(photo: Image.Image, width: int, height: int, rng: random.Random) -> Image.Image:
    """A part of a photograph, as large as the proportions allow or down to half that, scaled to width × height."""
    largest = min(photo.width * 1000 // width, photo.height * 1000 // height)
    scale = rng.randint(largest // 2, largest)
    across, down = width * scale // 1000, height * scale // 1000
    left, top = rng.randint(0, photo.width - across), rng.randint(0, photo.height - down)
    part = photo.resize((width, height), Image.Resampling.BILINEAR, box=(left, top, left + across, top + down))
    return part.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if rng.random() < 0.5 else part


def _paint(picture: Image.Image, sign: Sign, kind: str, rng: random.Random) -> None:
    rim, edge, inner = (_shape(sign.shape, sign.size, share) for share in (RIM_SHARE, 1.0, INNER[sign.shape]))
    mark = _mark(kind, sign.value, sign.size)
    ink = DOTS[sign.value] if kind == "dot" else INK.get(sign.colour, (250, 250, 250))
    body = tuple(min(255, max(0, level + rng.randint(-10, 10))) for level in COLOURS[sign.colour])
    corner = (sign.x - sign.size, sign.y - sign.size)
    for colour, mask in ((RIM, rim), (EDGES[sign.edge], edge), (body, inner), (ink, mark)):
        picture.paste(colour, corner, mask)


def _canvas(size: int) -> Image.Image:
    """An empty mask with room for any shape of that size around its middle, `FINE` times larger."""
    side = 2 * size * FINE
    return Image.new("L", (side, side))


def _shrunk(mask: Image.Image) -> Image.Image:
    return mask.resize((mask.width // FINE, mask.height // FINE), Image.Resampling.BOX)


@lru_cache(maxsize=1024)
def _shape(shape: str, size: int, share: float) -> Image.Image:
    """The mask of a shape, lengthwise so many times its size, (2·size, 2·size)."""
    mask = _canvas(size)
    middle, unit = mask.width / 2, share * size * FINE
    corners = [
        (middle + unit * reach * _cos(degrees), middle - unit * reach * _cos(degrees - 90))
        for reach, degrees in SHAPES[shape]
    ]
    ImageDraw.Draw(mask).polygon(corners, fill=255)
    return _shrunk(mask)


@lru_cache(maxsize=512)
def _mark(kind: str, value: str, size: int) -> Image.Image:
    """The mask of a mark, (2·size, 2·size)."""
    mask = _canvas(size)
    pen, middle, unit = ImageDraw.Draw(mask), mask.width / 2, size * FINE
    if kind in ("digit", "letter"):
        font = typeface("DejaVuSans-Bold", round(0.6 * unit))
        left, top, right, bottom = font.getbbox(value)
        pen.text((round(middle - (left + right) / 2), round(middle - (top + bottom) / 2)), value, fill=255, font=font)
    elif kind == "direction":
        cos, sin = _cos(DIRECTIONS[value]), _cos(DIRECTIONS[value] - 90)
        pen.polygon([(middle + unit * (x * cos + y * sin), middle + unit * (y * cos - x * sin)) for x, y in ARROW], 255)
    else:
        dots, radius = (LAYOUTS[1], 0.17) if kind == "dot" else (LAYOUTS[int(value)], 0.08)
        for x, y in dots:
            across, down, reach = middle + unit * x, middle + unit * y, unit * radius
            pen.ellipse((across - reach, down - reach, across + reach, down + reach), fill=255)
    return _shrunk(mask)


def _cos(degrees: float) -> float:
    """The cosine, rounded so that it does not depend on the machine."""
    return round(float(np.cos(np.deg2rad(degrees))), 9)
