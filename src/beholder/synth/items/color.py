"""Colour: what share of a picture is of a colour, how many colours or patches there are, which colour is the main one.

Every picture is painted in flat colours, pixel by pixel, without blended edges, so that each answer can be checked by
counting pixels. The four kinds are equally likely and all have four options:

- `share`: the share of the picture that a named colour covers. The values are drawn first, then which is right; the
  picture is made to fit: a smooth field is cut where exactly that share of its pixels lies below.
- `colours`: how many different colours there are, the background included.
- `patches`: how many separate patches a named colour has.
- `dominant`: a photograph is repainted by lightness, one flat colour for each of a few ranges of grey; the ranges are
  chosen so that one colour covers the largest share.

Levels, 1 to 5: the values of a share stand 20, 15, 10, 7, 5 points apart (the true share lies within half a point of
the right one); the main colour leads by 20, 14, 10, 7, 5 points; there are more colours (2 to 7 at level 1, 6 to 14 at
level 5) and more patches (2 to 7; 12 to 23), closer together. From level 3 the other colours are those nearest in hue.
Levels 4 and 5 have a grain (up to 5 and 10 grey levels) and colours that occur once. OUR assumptions throughout:
TIR-Bench takes its hundred items from ColorBench.
"""

from __future__ import annotations

import random
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from beholder.errors import UsageError
from beholder.seeds import rng_for, seed_for
from beholder.synth.fields import areas, cut, field, patch, places, waves
from beholder.synth.item import LEVELS, Item, Sources
from beholder.synth.options import ASK_LETTER, LETTERS, ladder, lettered
from beholder.synth.photographs import Photos
from beholder.synth.png import encode_png

KINDS = ("share", "colours", "patches", "dominant")
SIZES = ((400, 300), (300, 400), (340, 340), (380, 320))
"""Width and height in pixels, drawn apart from everything else."""

PALETTE: dict[str, tuple[int, int, int]] = {
    "red": (212, 38, 40),
    "orange": (250, 140, 22),
    "yellow": (250, 220, 50),
    "green": (46, 148, 62),
    "turquoise": (60, 196, 190),
    "blue": (34, 82, 200),
    "purple": (122, 48, 160),
    "pink": (246, 142, 184),
    "brown": (116, 70, 32),
    "grey": (142, 142, 142),
    "black": (26, 26, 30),
    "white": (246, 246, 242),
}
UNNAMED = ((168, 222, 140), (150, 196, 246), (24, 40, 96), (236, 208, 168), (186, 150, 220), (110, 24, 48))
"""Colours that are only counted, never named."""
NEAREST = {
    "red": ("orange", "pink", "brown"),
    "orange": ("yellow", "red", "brown"),
    "yellow": ("orange", "white", "green"),
    "green": ("turquoise", "blue", "brown"),
    "turquoise": ("green", "blue", "grey"),
    "blue": ("purple", "turquoise", "black"),
    "purple": ("blue", "pink", "red"),
    "pink": ("purple", "red", "white"),
    "brown": ("red", "orange", "black"),
    "grey": ("black", "white", "turquoise"),
    "black": ("grey", "brown", "blue"),
    "white": ("grey", "yellow", "pink"),
}
"""For each colour the three that are most like it."""
SHADE = 7
"""Grey levels by which a colour is lighter or darker in one picture than in another, at most."""


class _Level(NamedTuple):
    step: int
    lead: int
    others: int
    like: int
    grain: int
    colours: tuple[int, int]
    cells: int
    once: int
    patches: tuple[int, int]
    strewn: int
    gap: int
    blur: int


# step, lead: points. others: colours beside the one asked for; like: how many of them are near in hue.
# colours, patches: the smallest option, from and to. cells: areas of a `colours` picture for each colour;
# once: colours that have one area only. strewn: patches of other colours. gap: pixels between patches, at least.
_LEVELS = {
    1: _Level(20, 20, 2, 0, 0, (2, 4), 2, 0, (2, 4), 3, 16, 5),
    2: _Level(15, 14, 3, 0, 0, (3, 5), 2, 0, (3, 6), 6, 12, 4),
    3: _Level(10, 10, 4, 1, 0, (4, 7), 3, 1, (5, 9), 12, 9, 3),
    4: _Level(7, 7, 5, 2, 5, (5, 9), 3, 3, (8, 14), 20, 7, 2),
    5: _Level(5, 5, 6, 3, 10, (6, 11), 4, 5, (12, 20), 30, 5, 1),
}
LOWEST, HIGHEST = 5, 85
"""Points between which the values of a share lie."""


class Certificate(msgspec.Struct, frozen=True, kw_only=True):
    """What was painted.

    `names` and `rgb` are the colours of the picture, `pixels` how many pixels each covers before grain, `patches` how
    many separate patches each has (kind `patches`; the background and a colour that was not used have none). `asked`
    is the place among them of the colour that the question names, -1 if none. `right` is the place of the right
    option, from 0. `margin` says by how much it is right: how many points farther from the true share the next value
    is, how far off the next count is, or by how many points the main colour leads.
    """

    seed: int
    level: int
    kind: str
    size: tuple[int, int]
    options: tuple[str, ...]
    right: int
    asked: int
    names: tuple[str, ...]
    rgb: tuple[tuple[int, int, int], ...]
    pixels: tuple[int, ...]
    patches: tuple[int, ...] = ()
    photo: str = ""
    margin: float


class _Painted(NamedTuple):
    """Labels of the pixels, the colours they stand for, the question and its options."""

    labels: NDArray[np.intp]
    names: list[str]
    question: str
    options: list[str]
    right: int
    asked: int = -1
    patches: tuple[int, ...] = ()
    photo: str = ""


def make(seed: int, level: int, sources: Sources) -> Item:
    """The item that follows from the seed; `UsageError` for a level other than 1 to 5."""
    if level not in LEVELS:
        raise UsageError(f"A level is 1 to 5, not {level}.")
    kind = rng_for(seed, "color", "kind").choice(KINDS)
    size = rng_for(seed, "color", "size").choice(SIZES)
    rng = rng_for(seed, "color", kind)
    if kind == "share":
        painted = _share(rng, _LEVELS[level], size)
    elif kind == "colours":
        painted = _colours(rng, _LEVELS[level], size)
    elif kind == "patches":
        painted = _patches(rng, _LEVELS[level], size)
    else:
        painted = _dominant(rng, _LEVELS[level], size, sources.photos)
    rgb = _shades(painted.names, rng_for(seed, "color", "shade"))
    picture: NDArray[np.uint8] = np.array(rgb, dtype=np.uint8).take(painted.labels, axis=0)
    if kind != "colours":
        picture = _grained(picture, _LEVELS[level].grain, seed)
    certificate = Certificate(
        seed=seed,
        level=level,
        kind=kind,
        size=size,
        options=tuple(painted.options),
        right=painted.right,
        asked=painted.asked,
        names=tuple(painted.names),
        rgb=rgb,
        pixels=tuple(int(count) for count in np.bincount(painted.labels.ravel(), minlength=len(rgb))),
        patches=painted.patches,
        photo=painted.photo,
        margin=0.0,
    )
    return Item(
        task="color",
        prompt=f"{painted.question}\n{lettered(painted.options)}\n{ASK_LETTER}",
        answer=LETTERS[painted.right],
        pictures=(encode_png(picture),),
        difficulty=level,
        certificate=msgspec.to_builtins(msgspec.structs.replace(certificate, margin=_margin(certificate))),
        cluster=painted.photo,
    )


def _grained(picture: NDArray[np.uint8], grain: int, seed: int) -> NDArray[np.uint8]:
    if not grain:
        return picture
    generator = np.random.Generator(np.random.PCG64(seed_for(seed, "color", "grain")))
    grains = generator.integers(-grain, grain + 1, picture.shape[:2], dtype=np.int16)
    grained: NDArray[np.uint8] = np.clip(picture + grains[..., None], 0, 255).astype(np.uint8)
    return grained


def _margin(made: Certificate) -> float:
    if made.kind in ("colours", "patches"):
        return 1.0
    whole = sum(made.pixels)
    shares = dict(zip(made.names, (100 * count / whole for count in made.pixels), strict=True))
    if made.kind == "share":
        true = shares[made.names[made.asked]]
        near, far = sorted(abs(float(option.rstrip("%")) - true) for option in made.options)[:2]
        return round(far - near, 2)
    first, second = sorted(shares.values(), reverse=True)[:2]
    return round(first - second, 2)


def _shades(names: list[str], rng: random.Random) -> tuple[tuple[int, int, int], ...]:
    """The colours of one picture, each a little lighter or darker than in the palette."""
    rgb = []
    for name in names:
        red, green, blue = PALETTE[name] if name in PALETTE else UNNAMED[int(name)]
        shade = rng.randint(-SHADE, SHADE)
        rgb.append((min(255, red + shade), min(255, green + shade), min(255, blue + shade)))
    return tuple(rgb)


def _beside(asked: str, count: int, like: int, rng: random.Random) -> list[str]:
    """`count` other colours, `like` of them near in hue, in random order."""
    near = list(NEAREST[asked])[:like]
    rest = [name for name in PALETTE if name != asked and name not in near]
    others = near + rng.sample(rest, count - len(near))
    rng.shuffle(others)
    return others


def _share(rng: random.Random, level: _Level, size: tuple[int, int]) -> _Painted:
    values, right = ladder(LOWEST, HIGHEST, level.step, 4, rng)
    options = [round(values[0]) + level.step * place for place in range(4)]
    share = 10 * options[right] + rng.randint(-4, 4)  # in thousandths
    asked = rng.choice(list(PALETTE))
    others = _beside(asked, level.others, level.like, rng)
    target = cut(field(size, rng), [share, 1000 - share]) == 0
    labels = 1 + cut(field(size, rng), [rng.randint(2, 6) for _ in others], ~target)
    labels[target] = 0
    question = (
        "The picture is painted in a few colours. "
        f"Which of the values is closest to the share of the picture's area that is {asked}?"
    )
    return _Painted(labels, [asked, *others], question, [f"{value}%" for value in options], right, asked=0)


def _colours(rng: random.Random, level: _Level, size: tuple[int, int]) -> _Painted:
    first, right = rng.randint(*level.colours), rng.randrange(4)
    options = [first + place for place in range(4)]
    count = options[right]
    names = rng.sample([*PALETTE, *(str(number) for number in range(len(UNNAMED)))], count)
    once = min(level.once, count - 2)
    cells = level.cells * (count - once) + once
    # Each colour has one area, and those that may have more share the rest.
    colour_of = list(range(count)) + [rng.randrange(once, count) for _ in range(cells - count)]
    rng.shuffle(colour_of)
    question = (
        "The picture is painted in flat colours. How many different colours are there in it? "
        "Count each shade once, the background included."
    )
    labels = np.array(colour_of, dtype=np.intp)[areas(size, cells, rng)]
    return _Painted(labels, names, question, [str(option) for option in options], right)


def _patches(rng: random.Random, level: _Level, size: tuple[int, int]) -> _Painted:
    first, right = rng.randint(*level.patches), rng.randrange(4)
    options = [first + place for place in range(4)]
    asked = rng.choice(list(PALETTE))
    others = _beside(asked, level.others, level.like, rng)
    # The background must not look like the patches, nor be one of the colours near in hue.
    plain = [place for place, name in enumerate(others) if name not in NEAREST[asked]]
    background = 1 + rng.choice(plain) if plain else len(others)
    colours = [place for place in range(1, len(others) + 1) if place != background]
    strewn = [0] * options[right] + [rng.choice(colours) for _ in range(level.strewn + rng.randint(0, 3))]
    rng.shuffle(strewn)
    image = Image.new("L", size, background)
    draw = ImageDraw.Draw(image)
    for colour, box in zip(strewn, places(size, len(strewn), level.gap, rng), strict=True):
        patch(draw, box, colour, rng)
    names = [asked, *others]
    question = f"How many separate {asked} patches are there in the picture? No two patches touch."
    counts = tuple(strewn.count(place) for place in range(len(names)))
    labels = np.asarray(image).astype(np.intp)
    return _Painted(labels, names, question, [str(option) for option in options], right, asked=0, patches=counts)


def _dominant(rng: random.Random, level: _Level, size: tuple[int, int], photos: Photos) -> _Painted:
    place = rng.randrange(len(photos))
    picture = photos.pixels(place)
    scale = min(picture.width / size[0], picture.height / size[1]) * rng.uniform(0.65, 1)
    width, height = size[0] * scale, size[1] * scale
    left, top = rng.uniform(0, picture.width - width), rng.uniform(0, picture.height - height)
    grey = picture.resize(size, Image.Resampling.BILINEAR, box=(left, top, left + width, top + height)).convert("L")
    lightness = np.asarray(grey.filter(ImageFilter.BoxBlur(level.blur)), dtype=np.int64)
    # The waves part what the photograph leaves evenly black or white.
    tone = (lightness << 20) + 4 * waves(size, 60, rng)
    # The main colour is drawn last: it must not be the one that the others are like.
    hub = rng.choice(list(PALETTE))
    names = [hub, *_beside(hub, max(3, level.others - 1), level.like, rng)]
    rng.shuffle(names)
    options, right = names[:4], rng.randrange(4)
    names.insert(0, names.pop(right))
    # The second of the others comes as near to the main colour as the lead lets it.
    shares = [10_000] + [rng.randint(4500, 9000) for _ in names[2:]]
    rng.shuffle(shares)
    second = (1000 - 10 * level.lead) / (1 + sum(shares) / 10_000)
    weights = [round(second + 10 * level.lead), *(round(second * share / 10_000) for share in shares)]
    order = list(range(len(names)))
    rng.shuffle(order)
    ranges = cut(tone, [weights[colour] for colour in order])
    labels = np.array(order, dtype=np.intp)[ranges]
    question = (
        "A photograph was repainted in a few colours, each pixel in one of them. "
        "Which of these colours covers the largest share of the picture?"
    )
    return _Painted(labels, names, question, options, right, photo=photos.items[place].name)
