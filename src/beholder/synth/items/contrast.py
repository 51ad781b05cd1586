"""Low-light questions: a scene so dark that it has to be brightened before anything can be counted in it.

Plain, sharp silhouettes of ten everyday things (`silhouettes.KINDS`) lie over a blurred photograph or a blurred drawn
room. Then the picture is darkened to a few grey levels, with a sensor's noise, and stored without loss (PNG). Four
questions are equally likely:

- count: how many of one kind there are, 1 to 9, each as likely;
- half: how many of one kind are in one half of the picture, 0 to 6, each as likely; 1 to 3 more of the kind are in the
  other half;
- edge: which of four kinds, each there once, is farthest to the left, right, top or bottom, by at least
  `contrast_plan.EDGE_PX`;
- most: which of four kinds there are most of.

Options are drawn first and put in random order, then which of them is right. Things of other kinds are scattered
between; they never overlap, and none is cut off or lies across the picture's middle lines.

The difference stays in the picture's 8 bits by construction: everywhere inside a thing the mean of its red, green and
blue is at least `Dark.least` grey levels above every pixel of the background within `NEAR` pixels, after rounding and
before the noise, whose standard deviation is at most a third of that. The certificate holds the smallest difference
that was measured. Tones are held in whole `PARTS` of a grey level until the noise has been added.

What a level means: the brightest tone and the least difference sink (44 and 8 grey levels of 255 at level 1, 12 and 3
at level 5), noise grows against them, things get smaller and more numerous.
"""

from __future__ import annotations

import math
import random
from functools import cache
from statistics import NormalDist

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from beholder.errors import UsageError
from beholder.seeds import rng_for, seed_for
from beholder.synth.item import LEVELS, Item, Pixels, Sources
from beholder.synth.items.contrast_plan import (
    CELL,
    HEIGHT,
    WIDTH,
    Plan,
    Thing,
    counted,
    draw_plan,
    middle_of,
    question,
)
from beholder.synth.options import LETTERS
from beholder.synth.png import encode_png
from beholder.synth.silhouettes import silhouette

NEAR = 6
"""Pixels around a thing within which every pixel of the background is darker by the least difference."""
BLUR_PHOTO, BLUR_ROOM = 7, 5
"""Backgrounds are painted at this fraction of the size and enlarged."""
TINTS = (
    (1.0, 1.0, 1.0),
    (1.3, 0.92, 0.78),
    (0.8, 1.18, 1.02),
    (0.84, 0.96, 1.2),
    (1.2, 1.12, 0.68),
    (1.18, 0.82, 1.0),
)
"""Red, green and blue of a thing as shares of its tone; their mean is 1."""
PARTS = 16
"""A tone of 1 in a `Scene` is one of so many parts of a grey level."""

Scene = NDArray[np.int16]
"""(HEIGHT, WIDTH, 3): red, green and blue in `PARTS` of a grey level."""


class Dark(msgspec.Struct, frozen=True):
    """How dark a level is, in grey levels of 255: the brightest tone of a thing (mean of red, green and blue), the
    least difference to the background, and the noise's standard deviation; the sizes of things in pixels; and how many
    things of other kinds there are."""

    brightest: int
    least: int
    noise: float
    sizes: tuple[int, int]
    others: tuple[int, int]


DARK = {
    1: Dark(brightest=44, least=8, noise=0.5, sizes=(44, 52), others=(2, 4)),
    2: Dark(brightest=32, least=7, noise=0.8, sizes=(41, 50), others=(3, 6)),
    3: Dark(brightest=24, least=5, noise=1.0, sizes=(37, 46), others=(4, 8)),
    4: Dark(brightest=17, least=4, noise=1.1, sizes=(34, 43), others=(6, 10)),
    5: Dark(brightest=12, least=3, noise=1.0, sizes=(30, 40), others=(8, 12)),
}


class Certificate(msgspec.Struct, frozen=True):
    """What was drawn: the things, the question (see the module), the kind asked about ("" with options), the side (""
    if none), the kinds offered and which of them is right, from 0 (-1 without options). `photo` is "" for a drawn room.
    `least` is the smallest difference, in grey levels, between any thing and the background near it that was measured
    in the picture without noise, `brightest` the brightest value of any channel in the picture shown.
    """

    seed: int
    level: int
    question: str
    asked: str
    side: str
    options: tuple[str, ...]
    right: int
    things: tuple[Thing, ...]
    photo: str
    least: float
    brightest: int
    noise: float


def make(seed: int, level: int, sources: Sources) -> Item:
    """The dark scene that follows from the seed. `UsageError` for a level not in 1..5; `DataError` if the photograph
    cannot be used."""
    if level not in LEVELS:
        raise UsageError(f"Low-light scenes have levels 1 to 5, not {level}.")
    dark = DARK[level]
    plan = draw_plan(seed, dark.others)
    scene, photo = _background(seed, dark, sources)
    things = _things(plan, scene, dark, seed)
    clear = scene.copy()
    for thing in things:
        _paint(clear, thing)
    least = min(_difference(clear, scene, thing) for thing in things)
    shown = _noisy(clear, dark, seed)
    certificate = Certificate(
        seed=seed,
        level=level,
        question=plan.question,
        asked=plan.asked,
        side=plan.side,
        options=plan.options,
        right=plan.right,
        things=tuple(things),
        photo=photo,
        least=round(least, 2),
        brightest=int(shown.max()),
        noise=dark.noise,
    )
    return Item(
        task="contrast",
        prompt=question(plan.question, plan.asked, plan.side, plan.options),
        answer=LETTERS[plan.right] if plan.options else str(counted(things, plan.asked, plan.side)),
        pictures=(encode_png(shown, grainy=True),),
        difficulty=level,
        certificate=msgspec.to_builtins(certificate),
        cluster=photo,
    )


def _things(plan: Plan, scene: Scene, dark: Dark, seed: int) -> list[Thing]:
    """The things in their places, each as much brighter than the background near it as it must be, or more."""
    rng = rng_for(seed, "contrast", "things")
    things = []
    for kind, cell in plan.cells:
        size = rng.randint(*dark.sizes)
        play = CELL // 2 - _reach(size)
        x, y = (middle + rng.randint(-play, play) for middle in middle_of(cell))
        lowest = int(_sums(scene[_about(x, y, size, NEAR)]).max()) / (3 * PARTS) + dark.least + 1
        tone = lowest + rng.random() ** 2 * max(0.0, dark.brightest - lowest)
        things.append(
            Thing(
                kind=kind,
                x=x,
                y=y,
                size=size,
                turn=rng.randint(-20, 20),
                tint=rng.randrange(len(TINTS)),
                tone=round(tone, 2),
            )
        )
    return things


def _reach(size: int) -> int:
    """Half the side of a silhouette's mask, in pixels; no more than half a cell."""
    return math.ceil(0.6 * size)


def _about(x: int, y: int, size: int, around: int) -> tuple[slice, slice]:
    """Rows and columns of the picture that a thing's mask covers, and so many pixels around it."""
    reach = _reach(size) + around
    return slice(max(0, y - reach), y + reach), slice(max(0, x - reach), x + reach)


def _sums(tones: Scene) -> Scene:
    """Red, green and blue together. Adding the planes is far quicker than a sum along the short axis."""
    return tones[..., 0] + tones[..., 1] + tones[..., 2]


def _paint(scene: Scene, thing: Thing) -> None:
    """Lays a thing over the scene: its tone in its tint, lighter towards the upper left."""
    place = _about(thing.x, thing.y, thing.size, 0)
    mask = silhouette(thing.kind, thing.size, thing.turn)
    tint = np.array(TINTS[thing.tint], dtype=np.float32) * (PARTS * thing.tone)
    below = scene[place].astype(np.float32)
    share = mask[..., None] * np.float32(1 / 255)
    scene[place] = np.rint(below + (_light(len(mask)) * tint - below) * share)


@cache
def _light(side: int) -> NDArray[np.float32]:
    """What a tone is multiplied by, (side, side, 1): 1.1 in the upper left corner, 1 in the lower right."""
    slope = np.linspace(0.05, 0.0, side, dtype=np.float32)
    return 1 + slope[:, None, None] + slope[None, :, None]


def _difference(clear: Scene, scene: Scene, thing: Thing) -> float:
    """The darkest pixel wholly inside a thing less the brightest of the background within `NEAR` pixels of it, as
    means of red, green and blue after rounding."""
    mask = silhouette(thing.kind, thing.size, thing.turn)
    inside = _sums(_rounded(clear[_about(thing.x, thing.y, thing.size, 0)]))[mask == 255]
    outside = _sums(_rounded(scene[_about(thing.x, thing.y, thing.size, NEAR)]))
    return (int(inside.min()) - int(outside.max())) / 3


def _rounded(tones: Scene) -> Scene:
    """In whole grey levels."""
    rounded: Scene = (tones + np.int16(PARTS // 2)) // np.int16(PARTS)
    return rounded


def _background(seed: int, dark: Dark, sources: Sources) -> tuple[Scene, str]:
    """A blurred scene in dark tones, leaving room above for the things; and the photograph's name, "" for a drawn
    room."""
    rng = rng_for(seed, "contrast", "background")
    place = rng.randrange(2 * len(sources.photos))
    if place < len(sources.photos):
        photo = sources.photos.pixels(place)
        name = sources.photos.items[place].name
        box = _part(photo, rng)
        small = photo.resize((WIDTH // BLUR_PHOTO, HEIGHT // BLUR_PHOTO), Image.Resampling.BOX, box=box)
        if rng.random() < 0.5:
            small = small.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    else:
        name, small = "", _room((WIDTH // BLUR_ROOM, HEIGHT // BLUR_ROOM), rng)
    highest = dark.brightest - dark.least - 1 - max(1, dark.brightest // 8)
    exposure = rng.uniform(0.75, 1.0) * highest
    curve = rng.uniform(0.9, 1.3)
    curved = small.point([round(255 * (level / 255) ** curve) for level in range(256)] * 3)
    wide = np.asarray(curved.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC))
    # 255 becomes the exposure; the product of a tone and the factor stays below 2 ** 15.
    factor = np.int16(round(exposure * PARTS * 64 / 255))
    scene: Scene = np.multiply(wide, factor, dtype=np.int16) >> np.int16(6)
    return scene, name


def _part(photo: Image.Image, rng: random.Random) -> tuple[int, int, int, int]:
    """A part of the photograph with the picture's proportions, as large as fits or a little smaller."""
    share = rng.uniform(0.75, 1.0)
    width = int(min(photo.width, photo.height * WIDTH / HEIGHT) * share)
    height = width * HEIGHT // WIDTH
    left, top = rng.randint(0, photo.width - width), rng.randint(0, photo.height - height)
    return left, top, left + width, top + height


def _room(size: tuple[int, int], rng: random.Random) -> Image.Image:
    """A room by night, small: wall and floor, a window or two, a picture, a shelf, a table."""
    width, height = size
    base = [rng.randint(70, 150) for _ in range(3)]
    image = Image.new("RGB", size, (base[0], base[1], base[2]))
    pen = ImageDraw.Draw(image)
    floor = rng.randint(height * 6 // 10, height * 8 // 10)
    wood = rng.randint(50, 110)
    pen.rectangle((0, floor, width, height), fill=(wood + 30, wood + 8, wood - 12))
    for _ in range(rng.randint(1, 2)):
        left, top = rng.randint(2, width - 34), rng.randint(4, floor // 3)
        tall = rng.randint(20, 30)
        pane = (rng.randint(150, 230), rng.randint(160, 235), rng.randint(180, 255))
        pen.rectangle((left, top, left + 28, top + tall), fill=(60, 50, 40))
        pen.rectangle((left + 2, top + 2, left + 12, top + tall - 2), fill=pane)
        pen.rectangle((left + 15, top + 2, left + 26, top + tall - 2), fill=pane)
    for _ in range(rng.randint(1, 3)):
        left, top = rng.randint(0, width - 24), rng.randint(floor // 2, floor - 8)
        shade = rng.randint(30, 120)
        pen.rectangle(
            (left, top, left + rng.randint(14, 34), top + rng.randint(3, 6)), fill=(shade, shade - 8, shade // 2)
        )
    left = rng.randint(8, width - 60)
    top = floor - rng.randint(2, 10)
    leg = rng.randint(40, 100)
    pen.rectangle((left, top, left + 48, top + 5), fill=(leg + 40, leg + 10, leg - 20))
    pen.rectangle((left + 4, top + 5, left + 8, height - 4), fill=(leg + 20, leg, leg - 30))
    pen.rectangle((left + 40, top + 5, left + 44, height - 4), fill=(leg + 20, leg, leg - 30))
    return image


def _noisy(clear: Scene, dark: Dark, seed: int) -> Pixels:
    """The picture shown: with noise of its own in each channel, rounded to whole grey levels."""
    drawn = np.random.Generator(np.random.PCG64(seed_for(seed, "contrast", "noise"))).bytes(clear.size)
    noise = _noise_table(dark.noise).take(np.frombuffer(drawn, dtype=np.uint8)).reshape(clear.shape)
    shown = _rounded(clear + noise)
    return np.asarray(shown.clip(0, 255), dtype=np.uint8)


@cache
def _noise_table(deviation: float) -> Scene:
    """256 equally likely values that are spread as a normal distribution is: a byte drawn evenly picks one."""
    normal = NormalDist(0, PARTS * deviation)
    return np.array([round(normal.inv_cdf((place + 0.5) / 256)) for place in range(256)], dtype=np.int16)
