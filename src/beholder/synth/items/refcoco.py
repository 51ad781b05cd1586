"""Proportion: what share of the picture a named object covers.

A photograph is the background. Over it lies one named object: a shape as if cut from coloured paper ("the red star"),
or, where the sources hold masked objects, one of these cut out of its photograph (`cut_outs`). Six values 8 points
apart are drawn first, then which of them is right; the object is scaled until the share of the pixels it covers lies
within a point of it. What runs over the edge of the picture is not counted, nor are holes.

Other shapes lie beside it from level 2, smaller or larger as far as there is room, and pierced like it. No shape
touches another or shows in its holes. What lies on top or is largest does not tell which shape is meant: the object is
the largest in about 7 of 10 items, as it covers a quarter of the picture on average and leaves larger ones little room.

Levels, 1 to 5: how irregular the outline is (none; up to a tenth of the radius), how much of the photograph shines
through (0, 0, 8, 16, 24 %; through cut-outs 0, 0, 0, 8, 15 %), grain on the shape (0, 0, 0, 8, 14 grey levels), the
width of its edge (3, 3, 2, 2, 1 pixels; cut-outs have a white edge to level 3), other shapes (0, 1, 2, 3, 4), up to
level 3 of another kind and colour, then some of the same kind or of the same paper, and holes from level 4. OUR
assumptions, as TIR-Bench's items are RefCOCO's objects where they stand: pasted objects, shares from 2 to 64 % of
shapes at level 1, to 46 % of others and of cut-outs.
"""

from __future__ import annotations

import math
import random
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from beholder.errors import UsageError
from beholder.seeds import rng_for, seed_for
from beholder.synth.item import LEVELS, Item, Sources
from beholder.synth.items.cut_outs import cut_out
from beholder.synth.items.pasting import Pasted, Room, Sprite, blend, edge, fit, visible
from beholder.synth.jpeg import encode_jpeg
from beholder.synth.options import ASK_LETTER, LETTERS, ladder, lettered, shuffled
from beholder.synth.paper_shapes import ALIKE, COLOURS, KINDS, PATTERNS, Look, outline, paper

SIZES = ((480, 360), (360, 480), (420, 420), (480, 320))
CUT_OUT_SIZES = ((320, 240), (240, 320), (280, 280), (320, 212))
"""Width and height in pixels, drawn apart from everything else. With cut-outs pictures are smaller, as objects in
photographs are seldom large, and are not to be enlarged much."""
STEP, COUNT = 8, 6
LOWEST = 2
HIGHEST = (64, 46, 46, 46, 46)
"""Points between which the values lie; by level, as other shapes need room. Of cut-outs always the last."""
NEAR = 1.0
"""Points by which the true share may differ from the right value."""

_SPRITE = 600
_SMALL, _LARGE = 2, 60
"""Per cent of the picture that another shape is to cover, before room is looked for."""


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
    right, bottom, beyond the picture where it is cut off). `others` are the other shapes that found room, with their
    pixels in the picture, `through` how much of the photograph shines through, `holes` how many holes the object has.
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
    other_pixels: tuple[int, ...]
    through: float
    holes: int


class _Laid(NamedTuple):
    """The object as it lies in the picture, what the question calls it, and what lies beside it."""

    shown: Pasted
    name: str
    source: str = ""
    others: tuple[str, ...] = ()
    other_pixels: tuple[int, ...] = ()
    holes: int = 0


def make(seed: int, level: int, sources: Sources) -> Item:
    """The item that follows from the seed; `UsageError` for a level other than 1 to 5.

    Raises `DataError` if no masked object that is drawn can be made to cover the share.
    """
    if level not in LEVELS:
        raise UsageError(f"A level is 1 to 5, not {level}.")
    settings = _LEVELS[level]
    size = rng_for(seed, "refcoco", "size").choice(CUT_OUT_SIZES if sources.masks else SIZES)
    highest = HIGHEST[-1] if sources.masks else HIGHEST[level - 1]
    values, place = ladder(LOWEST, highest, STEP, COUNT, rng_for(seed, "refcoco", "values"))
    rungs = [round(values[0]) + STEP * rung for rung in range(COUNT)]
    options, letter = shuffled(
        f"{rungs[place]}%",
        [f"{value}%" for value in rungs if value != rungs[place]],
        rng_for(seed, "refcoco", "order"),
    )
    share = rungs[place] + rng_for(seed, "refcoco", "share").uniform(-0.6, 0.6)
    photo = rng_for(seed, "refcoco", "photo").randrange(len(sources.photos))
    canvas = _background(sources.photos.pixels(photo), size, rng_for(seed, "refcoco", "crop"))
    if sources.masks:
        white = settings.edge if level <= _WHITE_EDGE_TO else 0
        cut = cut_out(canvas, seed, share, rungs[-1], sources.masks, settings.through_cut, white)
        laid = _Laid(cut.shown, cut.name, cut.source)
    else:
        laid = _shapes(canvas, seed, settings, share)
    true = 100 * laid.shown.pixels / (size[0] * size[1])
    near, far = sorted(abs(value - true) for value in rungs)[:2]
    certificate = Certificate(
        seed=seed,
        level=level,
        size=size,
        photo=sources.photos.items[photo].name,
        object=laid.name,
        source=laid.source,
        box=laid.shown.box,
        pixels=laid.shown.pixels,
        share=round(true, 3),
        options=tuple(int(option.rstrip("%")) for option in options),
        right=LETTERS.index(letter),
        margin=round(far - near, 3),
        others=laid.others,
        other_pixels=laid.other_pixels,
        through=settings.through_cut if laid.source else settings.through,
        holes=laid.holes,
    )
    return Item(
        task="refcoco",
        prompt=f"{_question(laid)}\n{lettered(options)}\n{ASK_LETTER}",
        answer=letter,
        pictures=(encode_jpeg(canvas),),
        suffix=".jpg",
        difficulty=level,
        certificate=msgspec.to_builtins(certificate),
        cluster=certificate.source or certificate.photo,
    )


def _question(laid: _Laid) -> str:
    if laid.source:
        return (
            f"How much of the picture does {laid.name} cover? Every part of the cut-out counts, its edge too; "
            "openings in it and what lies outside the picture do not. Which of the values is closest?"
        )
    return (
        f"Which of the values is closest to the share of the picture that is covered by {laid.name}? "
        "Its edge belongs to it; holes in it and what lies outside the picture do not count."
    )


def _background(picture: Image.Image, size: tuple[int, int], rng: random.Random) -> NDArray[np.uint8]:
    """A part of the photograph, mirrored or not."""
    scale = min(picture.width / size[0], picture.height / size[1]) * rng.uniform(0.7, 1)
    width, height = size[0] * scale, size[1] * scale
    left, top = rng.uniform(0, picture.width - width), rng.uniform(0, picture.height - height)
    part = picture.resize(size, Image.Resampling.BILINEAR, box=(left, top, left + width, top + height))
    pixels = np.array(part, dtype=np.uint8)
    return np.ascontiguousarray(pixels[:, ::-1]) if rng.random() < 0.5 else pixels


def _shapes(canvas: NDArray[np.uint8], seed: int, level: _Level, share: float) -> _Laid:
    """Lays down the shape that is asked for, then the others where there is room, and paints them all."""
    looks = _looks(level, rng_for(seed, "refcoco", "looks"))
    rng = rng_for(seed, "refcoco", "object")
    holes = rng.randint(1, level.holes) if level.holes else 0
    sprite = _sprite(looks[0].kind, level, holes, rng)
    shown = fit(sprite, canvas.shape[:2], share, rng)
    _paint(canvas, shown, looks[0], level, seed, rng)
    room = Room((canvas.shape[1], canvas.shape[0]))
    room.take(sprite, shown.box)
    others = []
    for number, look in enumerate(looks[1:]):
        rng = rng_for(seed, "refcoco", "other", number)
        wanted = rng.uniform(_SMALL, _LARGE)
        sprite = _sprite(look.kind, level, rng.randint(1, level.holes) if level.holes else 0, rng)
        # A shape that is told from the object by its kind or its paper alone is seen whole.
        other = room.find(sprite, wanted, rng, over=number >= level.alike)
        if other is not None:
            _paint(canvas, other, look, level, seed, rng)
            others.append((look.name, other.pixels))
    names, pixels = tuple(name for name, _ in others), tuple(pixels for _, pixels in others)
    return _Laid(shown, f"the {looks[0].name}", "", names, pixels, holes)


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


def _sprite(kind: str, level: _Level, holes: int, rng: random.Random) -> Sprite:
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
    whole = mask.copy()
    middle = (-left * scale, -top * scale)
    room = min(math.dist(point, middle) for point in laid)
    for _ in range(holes):
        away, angle, radius = rng.uniform(0.25, 0.6) * room, rng.uniform(0, math.tau), rng.uniform(0.15, 0.3) * room
        x, y = middle[0] + away * math.cos(angle), middle[1] + away * math.sin(angle)
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=0)
    return Sprite(mask, middle, whole if holes else None)


def _paint(canvas: NDArray[np.uint8], pasted: Pasted, look: Look, level: _Level, seed: int, rng: random.Random) -> None:
    """Lays the paper shape over the canvas, the photograph shining through, and draws its edge within it."""
    top, bottom, left, right = visible(pasted.cover)
    sheet = paper(look, (right - left, bottom - top), rng)
    if level.grain:
        generator = np.random.Generator(np.random.PCG64(seed_for(seed, "refcoco", "grain", look.name)))
        grain = generator.integers(-level.grain, level.grain + 1, sheet.shape[:2], dtype=np.int16)
        sheet = np.clip(sheet + grain[..., None], 0, 255).astype(np.uint8)
    blend(canvas[top:bottom, left:right], sheet, pasted.cover[top:bottom, left:right], level.through)
    rim = edge(pasted.cover >= 128, level.edge)[top:bottom, left:right]
    canvas[top:bottom, left:right][rim] = rng.choice(((16, 16, 20), (250, 250, 250)))
