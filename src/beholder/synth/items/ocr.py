"""Rotated OCR: lettering on a sign, a wall or a photograph, in a picture that lies on its side or upside down.

One to three lines of invented text: names of shops, labels, short phrases and codes like those of number plates. Codes
hold no characters that are taken for one another (no O, Q, I, S, Z, B, G, 0 or 1), and always some that mean nothing
upside down. Of several lines the largest is asked for: it is at least 1.6 times as large as the others. The picture is
turned by 90° or 270° (a quarter of the items each) or by 180° (half of them), as in TIR-Bench, section 3.2. OUR
assumptions: the looks and the texts (TIR-Bench took pictures of OCRBench).

Pictures are PNG files, not JPEG: the published scorer compares with other words where an image's name holds "60.jpg" or
"62.jpg".

Level 1 to 5, what it does to a reader or solver:
  size      lettering of 54, 46, 38, 30, 23 pixels an em, or as much as fits
  length    5–10, 7–13, 10–17, 14–23, 18–30 characters in the line that is asked for
  contrast  ink mixed with its ground: 100, 95, 85, 70, 55 % ink
  blur      each pixel is the mean of a square of radius 0, 0.4, 0.6, 0.8, 1 pixel
  noise     up to 0, 6, 12, 18, 24 grey levels, the sum of two even draws
  tilt      at level 4 up to 5°, at level 5 up to 9°, beyond the turn
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from beholder.errors import UsageError
from beholder.seeds import rng_for, seed_for
from beholder.synth.inks import Colour, mixed
from beholder.synth.item import LEVELS, Item, Pixels, Sources
from beholder.synth.png import encode_png
from beholder.synth.typefaces import TYPEFACES, typeface

TASK = "ocr"
SIZES = ((480, 320), (510, 340), (540, 360), (570, 380), (600, 400))
"""Width and height before the turn."""
EMS = (54, 46, 38, 30, 23)
LENGTHS = ((5, 10), (7, 13), (10, 17), (14, 23), (18, 30))
INK_SHARE = (100, 95, 85, 70, 55)
BLUR = (0.0, 0.4, 0.6, 0.8, 1.0)
NOISE = (0, 3, 6, 9, 12)
"""Half of the largest noise."""
TILTS: tuple[tuple[int, ...], ...] = ((0,), (0,), (0,), (-5, -4, -3, 3, 4, 5), (-9, -8, -7, -6, -5, 5, 6, 7, 8, 9))
WIDEST = 84
"""Per cent of the picture's width that a line takes at most."""
SMALLER = (50, 55, 60)
"""Per cent of the largest line's size that the others have."""


def _words(text: str, between: str = " ") -> tuple[str, ...]:
    return tuple(text.split(between))


ADJECTIVES = _words(
    "Red Blue Green Golden Silver Copper Amber Crimson Quiet Brave Clever Gentle Humble Merry Lucky Swift Rustic "
    "Velvet Hidden Wooden Northern Southern Eastern Western Little Grand Modern Ancient Bright Frosty Sunny Windy "
    "Misty Polished Painted Dancing Singing Sleepy Hungry Honest Royal Salty Smoky Spicy Tender Urban Wild Young Old "
    "Fine True Pale Calm Bold Kind Warm Cool Keen Plain Rare"
)
NOUNS = _words(
    "Anchor Acorn Badger Barrel Beacon Bridge Button Candle Castle Cedar Cherry Clover Compass Crane Dragon Eagle "
    "Falcon Feather Fiddle Forest Fountain Fox Garden Harbor Hazel Heron Honey Kettle Key Ladder Lantern Lemon Maple "
    "Meadow Mill Moon Mortar Needle Oak Orchard Otter Owl Pear Pepper Pigeon Pine Plum Quill Rabbit Raven River Robin "
    "Saddle Sparrow Spoon Star Stone Stork Swan Thimble Thistle Tower Trout Turtle Violet Walnut Whale Willow Wolf "
    "Wren Yarrow"
)
TRADES = _words(
    "Bakery Books Cafe Cycles Dairy Drapers Florist Gallery Garage Grocers Hardware Hotel Kitchen Laundry Library "
    "Market Museum Optician Pharmacy Pottery Press Records Repairs School Studio Tailors Tavern Theatre Tools Toys "
    "Travel Works"
)
GOODS = _words(
    "bread butter cheese cider coffee cream eggs figs flour fruit grapes herbs jam juice milk mustard noodles olives "
    "pasta pears pepper plums rice salad soup sugar tea tomatoes vinegar walnuts"
)
TIMES = _words("daily,weekly,today,tonight,tomorrow,every morning,every evening,every Monday,every Friday", ",")
PLACES = _words("Room Gate Platform Dock Shelf Batch Lot Bay Track Locker Depot Unit Aisle Table Floor Zone")
REQUESTS = _words(
    "Please close the,Please mind the,Please ring the,Keep clear of the,Do not lean on the,Follow the,Return the,"
    "Do not feed the,Beware of the,Queue behind the,Ask about the,Never block the,Wipe the,Do not touch the",
    ",",
)
THINGS = _words(
    "door gate bell ramp fence window counter ladder curtain engine horses swans goats turtles exhibits boiler lift "
    "path stairs bench trolley barrier painting fountain"
)
CODE_LETTERS = "ACDEFHJKLMNPRTUVWXY"
CODE_DIGITS = "23456789"
UPRIGHT_ONLY = frozenset("ACDEFJKPRTUVY34")
"""Characters that are none, or not themselves, upside down; a code has at least two of them."""

COLOURS: tuple[tuple[Colour, Colour], ...] = (
    ((248, 244, 232), (36, 38, 52)),
    ((255, 255, 255), (150, 24, 36)),
    ((250, 226, 140), (34, 32, 28)),
    ((214, 234, 222), (18, 66, 46)),
    ((222, 232, 246), (24, 44, 104)),
    ((246, 222, 210), (104, 28, 40)),
    ((236, 226, 246), (70, 30, 100)),
    ((216, 206, 186), (58, 36, 18)),
    ((22, 62, 46), (244, 232, 190)),
    ((24, 34, 72), (246, 246, 250)),
    ((112, 22, 30), (252, 236, 208)),
    ((30, 30, 34), (250, 206, 92)),
    ((20, 78, 92), (236, 250, 246)),
    ((70, 44, 26), (248, 226, 184)),
    ((74, 28, 84), (250, 226, 242)),
    ((40, 54, 62), (180, 236, 210)),
)
"""Ground and ink, at least 145 grey levels apart."""
ASKED = ("What is written in the picture?", "What does the largest line of text in the picture say?")
SURFACES = ("sign on a wall", "sign in a photograph", "photograph", "wall", "planks", "bricks")


class Line(msgspec.Struct, frozen=True):
    """One line of text; `em` is its size in pixels an em."""

    text: str
    em: int


class Certificate(msgspec.Struct, frozen=True):
    """What was drawn: the lines from top to bottom, and which of them (from 0) is asked for.

    `turn` is by how many degrees clockwise the finished picture was turned, `tilt` how much the lettering was turned
    counter-clockwise before. `photo` is the photograph's name, "" if none. `contrast` is the distance of ink and ground
    in grey levels.
    """

    seed: int
    level: int
    lines: tuple[Line, ...]
    asked: int
    turn: int
    tilt: int
    typeface: str
    surface: str
    photo: str
    ground: Colour
    ink: Colour
    contrast: int


class Layout(NamedTuple):
    """Where the lettering stands: its box (left, top, right, bottom) and each line's left end and baseline."""

    box: tuple[int, int, int, int]
    starts: tuple[tuple[int, int], ...]


def make(seed: int, level: int, sources: Sources) -> Item:
    """The picture that follows from the seed; `UsageError` for a level other than 1 to 5."""
    if level not in LEVELS:
        raise UsageError(f"A rotated text has a level from 1 to 5, not {level}.")
    rng = rng_for(seed, TASK, "text")
    face = rng.choice(TYPEFACES)
    lines, asked = _draw_lines(level, face, rng)
    looks = rng_for(seed, TASK, "looks")
    ground, full = looks.choice(COLOURS)
    ink = mixed(full, ground, INK_SHARE[level - 1])
    surface = looks.choice(SURFACES)
    photo = looks.randrange(len(sources.photos)) if "photograph" in surface else -1
    turn = rng_for(seed, TASK, "turn").choice((90, 180, 180, 270))
    certificate = Certificate(
        seed=seed,
        level=level,
        lines=lines,
        asked=asked,
        turn=turn,
        tilt=looks.choice(TILTS[level - 1]),
        typeface=face,
        surface=surface,
        photo=sources.photos.items[photo].name if photo >= 0 else "",
        ground=ground,
        ink=ink,
        contrast=abs(_lightness(ground) - _lightness(ink)),
    )
    picture = _draw_surface(certificate, sources, rng_for(seed, TASK, "surface"))
    _letter(picture, certificate, rng_for(seed, TASK, "place"))
    return Item(
        task=TASK,
        prompt=f"{ASKED[len(lines) > 1]}\nAnswer with the text as printed, nothing else.",
        answer=lines[asked].text,
        pictures=(encode_png(_finish(picture, certificate)),),
        difficulty=level,
        certificate=msgspec.to_builtins(certificate),
        cluster=certificate.photo,
    )


def _draw_lines(level: int, face: str, rng: random.Random) -> tuple[tuple[Line, ...], int]:
    """The lines, their sizes, and which of them is the largest."""
    number = rng.choice((1, 1, 2, 3))
    asked = rng.randrange(number)
    low, high = LENGTHS[level - 1]
    room = SIZES[level - 1][0] * WIDEST // 100
    main = _text(low, high, rng)
    em = _fitting(main, face, EMS[level - 1], room)
    lines = []
    for place in range(number):
        if place == asked:
            lines.append(Line(main, em))
            continue
        other = main
        while main in other:
            other = _text(5, 12 + 3 * level, rng)
        lines.append(Line(other, _fitting(other, face, em * rng.choice(SMALLER) // 100, room)))
    return tuple(lines), asked


def _text(low: int, high: int, rng: random.Random) -> str:
    """A text of `low` to `high` characters."""
    while True:
        text = rng.choice((_shop, _shop, _shop, _label, _phrase, _code))(rng)
        if rng.random() < 0.4:
            text = text.upper()
        if low <= len(text) <= high:
            return text


def _shop(rng: random.Random) -> str:
    first, second = rng.sample(NOUNS, 2)
    adjective, trade = rng.choice(ADJECTIVES), rng.choice(TRADES)
    pattern = rng.choice(("{a} {n}", "{n} & {m}", "{n} {t}", "{a} {n} {t}", "{n} & {m} {t}", "The {a} {n}"))
    return pattern.format(a=adjective, n=first, m=second, t=trade)


def _label(rng: random.Random) -> str:
    number = "".join(rng.choices(CODE_DIGITS, k=rng.randint(2, 4)))
    place = f"{rng.choice(PLACES)} {number}"
    return rng.choice((place, f"{rng.choice(NOUNS)} {place}", f"{rng.choice(ADJECTIVES)} {rng.choice(NOUNS)} {place}"))


def _phrase(rng: random.Random) -> str:
    goods = f"{rng.choice(ADJECTIVES)} {rng.choice(GOODS)}"
    when = rng.choice(TIMES)
    return rng.choice((goods, f"{goods} {when}", f"{rng.choice(REQUESTS)} {rng.choice(THINGS)}"))


def _code(rng: random.Random) -> str:
    """Two or three groups, of letters and of digits in turn, in which not all could be something else upside down."""
    while True:
        kinds = rng.choice(((CODE_LETTERS, CODE_DIGITS), (CODE_DIGITS, CODE_LETTERS))) * 2
        groups = ["".join(rng.choices(kind, k=rng.randint(2, 4))) for kind in kinds[: rng.randint(2, 3)]]
        code = " ".join(groups)
        if sum(character in UPRIGHT_ONLY for character in code) >= 2:
            return code


def _fitting(text: str, face: str, em: int, room: int) -> int:
    """The size, at most `em`, at which the line is no wider than `room` pixels."""
    width = _width(text, face, em)
    while width > room:
        em = min(em - 1, em * room // width)
        width = _width(text, face, em)
    return em


def _advances(text: str, face: str, em: int) -> list[int]:
    """How far each character moves the next one: letters are spaced a little, so that none touch when blurred."""
    font = typeface(face, em)
    between = max(2, em * 9 // 100)
    return [round(font.getlength(character)) + between for character in text]


def _width(text: str, face: str, em: int) -> int:
    return sum(_advances(text, face, em))


def _lightness(colour: Colour) -> int:
    red, green, blue = colour
    return (299 * red + 587 * green + 114 * blue) // 1000


def _draw_surface(certificate: Certificate, sources: Sources, rng: random.Random) -> Image.Image:
    """What is behind the lettering or its sign, before the turn. Under bare lettering it stays near `ground`."""
    size = SIZES[certificate.level - 1]
    if certificate.photo:
        if certificate.surface == "sign in a photograph":
            # Out of focus, as behind a sign that the camera looks at.
            coarse = _photo_part(certificate.photo, (size[0] // 4, size[1] // 4), sources, rng)
            return coarse.resize(size, Image.Resampling.BICUBIC)
        photo = _photo_part(certificate.photo, size, sources, rng)
        # An eighth of the photograph's contrast is left, in the colour of the ground.
        muted = [[min(255, max(0, c + (tone - 128) // 8)) for tone in range(256)] for c in certificate.ground]
        return Image.merge("RGB", [photo.convert("L").point(table) for table in muted])
    if certificate.surface == "sign on a wall":
        return _draw_wall(size, rng.choice(COLOURS)[0], rng.choice(("wall", "planks", "bricks")), rng)
    return _draw_wall(size, certificate.ground, certificate.surface, rng)


def _photo_part(name: str, size: tuple[int, int], sources: Sources, rng: random.Random) -> Image.Image:
    """A random part of the photograph, of the picture's proportions, at least half as large as can be."""
    photo = sources.photos.pixels(sources.photos.place(name))
    width = min(photo.width, photo.height * size[0] // size[1])
    width = rng.randint(width // 2, width)
    height = width * size[1] // size[0]
    left, top = rng.randint(0, photo.width - width), rng.randint(0, photo.height - height)
    return photo.resize(size, Image.Resampling.BILINEAR, box=(left, top, left + width, top + height))


def _draw_wall(size: tuple[int, int], colour: Colour, pattern: str, rng: random.Random) -> Image.Image:
    """A wall of one colour with a slow change of light, in planks or bricks of slightly different shades."""
    width, height = size
    x, y = np.arange(width)[None, :], np.arange(height)[:, None]
    across, down = rng.randint(-12, 12), rng.randint(-12, 12)
    tone = (2 * x - width) * across // width + (2 * y - height) * down // height
    wide, high = rng.randint(36, 64), rng.randint(18, 30)
    if pattern != "wall":
        high = high if pattern == "bricks" else height
        row = y // high
        place = x + (row % 2) * (wide // 2)
        shades = np.array([rng.randint(-5, 5) for _ in range(199)])
        joint = (place % wide < 2) | ((y % high < 2) & (pattern == "bricks"))
        tone = tone + np.where(joint, -9, shades[(place // wide + 31 * row) % 199])
    pixels = np.clip(np.array(colour)[None, None, :] + tone[..., None], 0, 255)
    return Image.fromarray(pixels.astype(np.uint8))


def _letter(picture: Image.Image, certificate: Certificate, rng: random.Random) -> None:
    """Puts the lettering, and the sign if there is one, on the picture."""
    # Turned lettering is drawn twice as large and shrunk: turning blurs what is drawn to size.
    scale = 1 if certificate.tilt == 0 else 2
    lines = tuple(Line(line.text, line.em * scale) for line in certificate.lines)
    size = (picture.width * scale, picture.height * scale)
    layout = _lay_out(lines, certificate, size, rng)
    if certificate.surface.startswith("sign"):
        radius, edge = rng.choice((0, 6, 14)) * scale, 3 * scale
        left, top, right, bottom = layout.box
        sign = Image.new("L", size)
        ImageDraw.Draw(sign).rounded_rectangle(layout.box, radius, fill=255)
        picture.paste(certificate.ground, mask=_shrunk(sign, certificate.tilt, layout, scale))
        if rng.random() < 0.5:
            frame = Image.new("L", size)
            inner = (left + edge, top + edge, right - edge, bottom - edge)
            ImageDraw.Draw(frame).rounded_rectangle(inner, radius, outline=255, width=2 * scale)
            picture.paste(certificate.ink, mask=_shrunk(frame, certificate.tilt, layout, scale))
    text = Image.new("L", size)
    draw = ImageDraw.Draw(text)
    for line, (left, baseline) in zip(lines, layout.starts, strict=True):
        font = typeface(certificate.typeface, line.em)
        for character, advance in zip(line.text, _advances(line.text, certificate.typeface, line.em), strict=True):
            draw.text((left, baseline), character, fill=255, font=font, anchor="ls")
            left += advance
    picture.paste(certificate.ink, mask=_shrunk(text, certificate.tilt, layout, scale))


def _lay_out(lines: Sequence[Line], certificate: Certificate, size: tuple[int, int], rng: random.Random) -> Layout:
    """Stacks the lines, centred or flush left, at a random place where they stay inside even when tilted."""
    widths = [_width(line.text, certificate.typeface, line.em) for line in lines]
    largest = max(line.em for line in lines)
    gap, pad = largest * rng.randint(40, 60) // 100, largest * 7 // 10
    width, height = max(widths), sum(line.em for line in lines) + gap * (len(lines) - 1)
    # Under 10° of tilt a box grows by less than a fifth of its longer side upward, and a little sideways.
    spare_x = size[0] - 4 - width - 2 * pad - (height // 5 if certificate.tilt else 0)
    spare_y = size[1] - 4 - height - 2 * pad - (width // 5 if certificate.tilt else 0)
    left = (size[0] - width) // 2 + rng.randint(-max(0, spare_x // 2), max(0, spare_x // 2))
    top = (size[1] - height) // 2 + rng.randint(-max(0, spare_y // 2), max(0, spare_y // 2))
    centred = rng.random() < 0.6
    starts, y = [], top
    for line, wide in zip(lines, widths, strict=True):
        starts.append((left + ((width - wide) // 2 if centred else 0), y + line.em * 4 // 5))
        y += line.em + gap
    return Layout((left - pad, top - pad, left + width + pad, top + height + pad), tuple(starts))


def _shrunk(layer: Image.Image, tilt: int, layout: Layout, scale: int) -> Image.Image:
    """A layer tilted about the middle of the lettering, at the picture's size."""
    if tilt == 0:
        return layer
    left, top, right, bottom = layout.box
    return layer.rotate(tilt, Image.Resampling.BILINEAR, center=((left + right) / 2, (top + bottom) / 2)).reduce(scale)


def _finish(picture: Image.Image, certificate: Certificate) -> Pixels:
    """Blur, noise, and the turn."""
    if BLUR[certificate.level - 1]:
        picture = picture.filter(ImageFilter.BoxBlur(BLUR[certificate.level - 1]))
    half = NOISE[certificate.level - 1]
    if half:
        # Whole numbers from a fixed generator: the same on every machine. Half of the noise is added, half taken away.
        drawn = np.random.Generator(np.random.PCG64(seed_for(certificate.seed, TASK, "noise")))
        more, less = (
            Image.fromarray(drawn.integers(0, 2 * half, (picture.height, picture.width), dtype=np.uint8, endpoint=True))
            for _ in range(2)
        )
        picture = ImageChops.subtract(
            ImageChops.add(picture, Image.merge("RGB", [more] * 3)), Image.merge("RGB", [less] * 3)
        )
    return np.ascontiguousarray(np.rot90(np.asarray(picture, dtype=np.uint8), -certificate.turn // 90))
