"""Proportion: what share of the picture a named object covers.

A photograph is the background. Over it lies one named object: a shape as if cut from coloured paper ("the red star"),
or, where the sources hold masked objects, one of these cut out of its photograph. Six values 8 points apart are drawn
first, then which of them is right; the object is scaled until the share of the pixels it covers lies within a point of
it. What runs over the edge of the picture is not counted, nor are holes.

Levels, 1 to 5: how irregular the outline is (none; up to a tenth of the radius), how much of the photograph shines
through (0, 0, 8, 16, 24 %; through cut-outs 0, 0, 0, 8, 15 %), grain on the shape (0, 0, 0, 8, 14 grey levels), the
width of its edge (3, 3, 2, 2, 1 pixels; cut-outs have a white edge to level 3), other shapes (0, 1, 2, 3, 4), up to
level 3 of another kind and colour, then some of the same kind or colour, and holes from level 4. OUR assumptions, as
TIR-Bench's items are RefCOCO's objects where they stand: pasted objects, shares from 2 to 64 %.
"""

from __future__ import annotations

import math
import random
from functools import lru_cache
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from beholder.errors import DataError, UsageError
from beholder.images.load import load
from beholder.images.load import pixels as decoded
from beholder.sample import ImageRef
from beholder.seeds import rng_for, seed_for
from beholder.synth.item import LEVELS, Item, Sources
from beholder.synth.jpeg import encode_jpeg
from beholder.synth.masks import MaskedObject
from beholder.synth.options import ASK_LETTER, LETTERS, ladder, lettered, shuffled
from beholder.synth.paper_shapes import ALIKE, COLOURS, KINDS, PATTERNS, Look, outline, paper

SIZES = ((480, 360), (360, 480), (420, 420), (480, 320))
"""Width and height in pixels, drawn apart from everything else."""
STEP, COUNT = 8, 6
LOWEST, HIGHEST = 2, 64
"""Points between which the values lie."""
NEAR = 1.0
"""Points by which the true share may differ from the right value."""

_SPRITE = 600
_TRIES = 24
_WELL_SEEN = 6_000


class _Level(NamedTuple):
    """`wobble` in parts of the radius; `through` and `through_cut`: parts of the photograph that shine through a shape
    and a cut-out; `grain` in grey levels; `edge` in pixels; `others`: other shapes, of which `alike` share kind or
    colour with the object; `holes` at most; `kinds` and `patterns` that occur."""

    wobble: float
    through: float
    through_cut: float
    grain: int
    edge: int
    others: int
    alike: int
    holes: int
    kinds: int
    patterns: int


_LEVELS = {
    1: _Level(0.0, 0.0, 0.0, 0, 3, 0, 0, 0, 4, 1),
    2: _Level(0.02, 0.0, 0.0, 0, 3, 1, 0, 0, 8, 2),
    3: _Level(0.05, 0.08, 0.0, 0, 2, 2, 0, 0, 8, 4),
    4: _Level(0.065, 0.16, 0.08, 8, 2, 3, 1, 2, 8, 4),
    5: _Level(0.09, 0.24, 0.15, 14, 1, 4, 2, 3, 8, 4),
}
_WHITE_EDGE_TO = 3


class Certificate(msgspec.Struct, frozen=True, kw_only=True):
    """What was pasted.

    `pixels` of `size` belong to the object; `share` is their part in per cent, `options` the values in per cent and
    `right` the place of the nearest, from 0, which is `margin` points nearer than the next. `object` is what the
    question calls it, `source` the photograph that it was cut from ("" for a shape), `box` where it lies (left, top,
    right, bottom, beyond the picture where it is cut off). `others` are the other shapes, `through` how much of the
    photograph shines through, `holes` how many holes were cut.
    """

    seed: int
    level: int
    size: tuple[int, int]
    photo: str
    object: str
    source: str
    box: tuple[int, int, int, int]
    pixels: int
    share: float
    options: tuple[int, ...]
    right: int
    margin: float
    others: tuple[str, ...]
    through: float
    holes: int


def make(seed: int, level: int, sources: Sources) -> Item:
    """The item that follows from the seed; `UsageError` for a level other than 1 to 5.

    Raises `DataError` if no masked object that is drawn can be made to cover the share.
    """
    if level not in LEVELS:
        raise UsageError(f"A level is 1 to 5, not {level}.")
    settings = _LEVELS[level]
    size = rng_for(seed, "refcoco", "size").choice(SIZES)
    values, place = ladder(LOWEST, HIGHEST, STEP, COUNT, rng_for(seed, "refcoco", "values"))
    rungs = [round(values[0]) + STEP * rung for rung in range(COUNT)]
    options, letter = shuffled(
        f"{rungs[place]}%",
        [f"{value}%" for value in rungs if value != rungs[place]],
        rng_for(seed, "refcoco", "order"),
    )
    share = rungs[place] + rng_for(seed, "refcoco", "share").uniform(-0.6, 0.6)
    photo = rng_for(seed, "refcoco", "photo").randrange(len(sources.photos))
    canvas = _background(sources.photos.pixels(photo), size, rng_for(seed, "refcoco", "crop"))
    shown, object_name, source, others, holes = (
        _cut_out(canvas, seed, level, share, sources.masks) if sources.masks else _shape(canvas, seed, settings, share)
    )
    true = 100 * shown.pixels / (size[0] * size[1])
    near, far = sorted(abs(value - true) for value in rungs)[:2]
    certificate = Certificate(
        seed=seed,
        level=level,
        size=size,
        photo=sources.photos.items[photo].name,
        object=object_name,
        source=source,
        box=shown.box,
        pixels=shown.pixels,
        share=round(true, 3),
        options=tuple(int(option.rstrip("%")) for option in options),
        right=LETTERS.index(letter),
        margin=round(far - near, 3),
        others=others,
        through=settings.through_cut if source else settings.through,
        holes=holes,
    )
    question = (
        f"Which of the values is closest to the share of the picture that is covered by {object_name}? "
        "Its edge belongs to it; holes in it and what lies outside the picture do not count."
    )
    return Item(
        task="refcoco",
        prompt=f"{question}\n{lettered(options)}\n{ASK_LETTER}",
        answer=letter,
        pictures=(encode_jpeg(canvas),),
        suffix=".jpg",
        difficulty=level,
        certificate=msgspec.to_builtins(certificate),
        cluster=certificate.photo,
    )


def _background(picture: Image.Image, size: tuple[int, int], rng: random.Random) -> NDArray[np.uint8]:
    """A part of the photograph, mirrored or not."""
    scale = min(picture.width / size[0], picture.height / size[1]) * rng.uniform(0.7, 1)
    width, height = size[0] * scale, size[1] * scale
    left, top = rng.uniform(0, picture.width - width), rng.uniform(0, picture.height - height)
    part = picture.resize(size, Image.Resampling.BILINEAR, box=(left, top, left + width, top + height))
    pixels = np.array(part, dtype=np.uint8)
    return np.ascontiguousarray(pixels[:, ::-1]) if rng.random() < 0.5 else pixels


def _shape(
    canvas: NDArray[np.uint8], seed: int, level: _Level, share: float
) -> tuple[_Pasted, str, str, tuple[str, ...], int]:
    """Paints the other shapes and then the one that is asked for."""
    looks = _looks(level, rng_for(seed, "refcoco", "looks"))
    for number, look in enumerate(looks[1:]):
        rng = rng_for(seed, "refcoco", "other", number)
        other = _fit(_sprite(look.kind, level, 0, rng), canvas.shape[:2], rng.uniform(2, 5), rng)
        _paint(canvas, other, look, level, seed, rng)
    rng = rng_for(seed, "refcoco", "object")
    holes = rng.randint(1, level.holes) if level.holes else 0
    shown = _fit(_sprite(looks[0].kind, level, holes, rng), canvas.shape[:2], share, rng)
    _paint(canvas, shown, looks[0], level, seed, rng)
    return shown, f"the {looks[0].name}", "", tuple(look.name for look in looks[1:]), holes


def _looks(level: _Level, rng: random.Random) -> list[Look]:
    """The looks of the object and then of the other shapes; no two have the same kind and colours."""
    first = _look(rng.choice(KINDS[: level.kinds]), list(COLOURS), level, rng)
    looks = [first]
    for number in range(level.others):
        kinds = [kind for kind in KINDS[: level.kinds] if kind != first.kind]
        free = [name for name in COLOURS if name not in first.colours]
        if number >= level.alike:
            looks.append(_look(rng.choice(kinds), free, level, rng))
        elif rng.random() < 0.5:
            looks.append(_look(first.kind, free, level, rng))
        else:
            # Of the same paper: the kind alone must tell it from the object.
            unlike = [kind for kind in kinds if not {kind, first.kind} <= ALIKE]
            looks.append(first._replace(kind=rng.choice(unlike)))
    return looks


def _look(kind: str, colours: list[str], level: _Level, rng: random.Random) -> Look:
    pattern = rng.choice(PATTERNS[: level.patterns])
    return Look(kind, tuple(rng.sample(colours, 1 if pattern == "plain" else 2)), pattern)


def _sprite(kind: str, level: _Level, holes: int, rng: random.Random) -> _Sprite:
    """A shape of that kind, turned, stretched and wobbling, with round holes near its middle."""
    turn = rng.uniform(-math.pi, math.pi) if level.wobble else rng.choice((0.0, 0.2, -0.2))
    stretch = 1 + rng.uniform(0, 2 * level.wobble)
    waves = [(count, rng.uniform(0.3, 1) * level.wobble / 2, rng.uniform(0, math.tau)) for count in (3, 5, 8)]
    points = []
    for x, y in outline(kind):
        angle = math.atan2(y, x)
        swell = 1 + sum(height * math.sin(count * angle + start) for count, height, start in waves)
        x, y = x * swell * stretch, y * swell / stretch
        points.append((x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)))
    left, top = min(x for x, _ in points), min(y for _, y in points)
    scale = _SPRITE / max(max(x for x, _ in points) - left, max(y for _, y in points) - top)
    laid = [(scale * (x - left), scale * (y - top)) for x, y in points]
    size = (math.ceil(max(x for x, _ in laid)) + 1, math.ceil(max(y for _, y in laid)) + 1)
    mask = Image.new("L", size)
    draw = ImageDraw.Draw(mask)
    draw.polygon(laid, fill=255)
    middle = (-left * scale, -top * scale)
    room = min(math.dist(point, middle) for point in laid)
    for _ in range(holes):
        away, angle, radius = rng.uniform(0.25, 0.6) * room, rng.uniform(0, math.tau), rng.uniform(0.15, 0.3) * room
        x, y = middle[0] + away * math.cos(angle), middle[1] + away * math.sin(angle)
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=0)
    return _Sprite(mask, middle)


def _paint(
    canvas: NDArray[np.uint8], pasted: _Pasted, look: Look, level: _Level, seed: int, rng: random.Random
) -> None:
    """Lays the paper shape over the canvas, the photograph shining through, and draws its edge within it."""
    top, bottom, left, right = _visible(pasted.cover)
    sheet = paper(look, (right - left, bottom - top), rng)
    if level.grain:
        generator = np.random.Generator(np.random.PCG64(seed_for(seed, "refcoco", "grain", look.name)))
        grain = generator.integers(-level.grain, level.grain + 1, sheet.shape[:2], dtype=np.int16)
        sheet = np.clip(sheet + grain[..., None], 0, 255).astype(np.uint8)
    _blend(canvas[top:bottom, left:right], sheet, pasted.cover[top:bottom, left:right], level.through)
    edge = _edge(pasted.cover >= 128, level.edge)[top:bottom, left:right]
    colour = rng.choice(((16, 16, 20), (250, 250, 250)))
    canvas[top:bottom, left:right][edge] = colour


