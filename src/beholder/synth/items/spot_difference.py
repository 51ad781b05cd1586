"""Two versions of one picture, cut by thin white lines into numbered patches: in which patches do they differ?

The picture is a part of a photograph or a drawn scene of shapes. The patches that are to differ are drawn first, all
places being equally likely; then something is changed inside each: a small shape added, a spot copied from elsewhere,
recoloured, mirrored, or smoothed away. Two neighbours may share one change that reaches across their line. A change
keeps `CLEAR` pixels away from every other line, and counts only if enough pixels differ clearly in each of its patches
(`RULES`), or something stronger is drawn. Each change is made in one of the two versions, either with equal chance.
Before that, `DECOYS` changes of the same look are made in both, so that nothing seen in one version alone tells that
the other differs.

Three kinds of question, as in TIR-Bench: two pictures, whose differing patches are to be listed (40 of 100 items
there), and one picture with both versions side by side, to be listed or counted (here 30 of 100 each). A list has 2 to
6 patches, a count is 2 to 8, each number equally often for every grid of 3 to 6 rows and 3 to 6 columns. TIR-Bench took
its pairs from the web; how the pairs are made is OUR assumption.

What a level does: changes get smaller (from 44–58 pixels to 17–24) and fainter (`contrast`, `opacity`), and from level
4 on one version is a little brighter or darker as a whole and grainy, well under the contrast of a change.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from beholder.errors import UsageError
from beholder.seeds import rng_for, seed_for
from beholder.synth.inks import Colour
from beholder.synth.item import LEVELS, Item, Pixels, Sources
from beholder.synth.jpeg import encode_jpeg

WIDTH, HEIGHT = 600, 480
"""Pixels of one version at every level; any grid divides it evenly."""
LINE = 2
DECOYS = range(3, 9)
BAND = 16
"""Pixels of white between two versions side by side."""
CLEAR = 10
"""Pixels from a change to the lines it does not cross: a JPEG block that holds part of it ends short of them."""
GRIDS = (3, 4, 5, 6)
LISTED = range(2, 7)
COUNTED = range(2, 9)
KINDS = ("two pictures",) * 4 + ("list",) * 3 + ("count",) * 3

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of one version; right and bottom are outside."""


class Rule(msgspec.Struct, frozen=True):
    """What a level draws from.

    `sizes`: pixels of a change a side (twice as long where it crosses a line). `contrast`: grey levels by which a pixel
    must change, in the channel that changes most, to count. `opacity`: per cent, of shapes. `shift`: grey levels by
    which one version is brighter or darker, at most; `grain`: the standard deviation of its noise in grey levels,
    which is nowhere more than three of them. `fewest`: pixels that have to change by `contrast` in each patch of a
    change, so that one who knows where to look sees it. That is 30 per cent of the smallest square to level 3, and
    about half of it above, where changes are small.
    """

    sizes: tuple[int, int]
    contrast: int
    opacity: int
    fewest: int
    shift: int = 0
    grain: float = 0.0


RULES = {
    1: Rule(sizes=(44, 58), contrast=60, opacity=100, fewest=580),
    2: Rule(sizes=(34, 48), contrast=52, opacity=100, fewest=346),
    3: Rule(sizes=(26, 38), contrast=44, opacity=90, fewest=202),
    4: Rule(sizes=(20, 30), contrast=38, opacity=75, fewest=180, shift=5, grain=1.5),
    5: Rule(sizes=(17, 24), contrast=32, opacity=60, fewest=150, shift=8, grain=2.5),
}


class Change(msgspec.Struct, frozen=True):
    """One change: how it was made, in which of the versions (1, 2; both for a decoy), the box it lies in, the patches
    (numbers from 1) that it changes, and in how many pixels of each by at least the level's contrast."""

    how: str
    versions: tuple[int, ...]
    box: Box
    patches: tuple[int, ...]
    clear_pixels: tuple[int, ...]


class Certificate(msgspec.Struct, frozen=True):
    """What was drawn. `photo` is "" for a drawn scene. The global shift, in grey levels, and the grain are in the
    second version. Pixels outside the changes' boxes are the same in both versions but for these two and the JPEG."""

    seed: int
    level: int
    kind: str
    rows: int
    columns: int
    photo: str
    changes: tuple[Change, ...]
    decoys: tuple[Change, ...]
    contrast: int
    shift: int
    grain: float


def make(seed: int, level: int, sources: Sources) -> Item:
    """The pair that follows from a seed and a level (1 to 5).

    `UsageError` for another level; `DataError` if a photograph cannot be read.
    """
    if level not in LEVELS:
        raise UsageError(f"Spot the difference has levels 1 to 5, not {level}.")
    rule = RULES[level]
    form = rng_for(seed, "spot_difference", "form")
    kind, rows, columns = form.choice(KINDS), form.choice(GRIDS), form.choice(GRIDS)
    count = form.choice(COUNTED if kind == "count" else LISTED)
    patches = sorted(form.sample(range(rows * columns), count))
    photo, base = _base(sources, rng_for(seed, "spot_difference", "base"))
    both = rng_for(seed, "spot_difference", "decoys")
    with_decoys = sorted(both.sample(range(rows * columns), both.choice(DECOYS)))
    decoys = tuple(_change([base], site, (rows, columns), rule, both) for site in _sites(with_decoys, columns, both))
    work = rng_for(seed, "spot_difference", "changes")
    first, second = base.copy(), base
    changes = tuple(
        _change([first, second], site, (rows, columns), rule, work) for site in _sites(patches, columns, work)
    )
    shift = work.randint(-rule.shift, rule.shift)
    shown = [_ruled(version, rows, columns) for version in (first, _worn(second, shift, rule.grain, seed))]
    if kind != "two pictures":
        shown = [np.concatenate([shown[0], np.full((HEIGHT, BAND, 3), 255, dtype=np.uint8), shown[1]], axis=1)]
    numbers = [patch + 1 for patch in patches]
    certificate = Certificate(
        seed=seed,
        level=level,
        kind=kind,
        rows=rows,
        columns=columns,
        photo=photo,
        changes=changes,
        decoys=decoys,
        contrast=rule.contrast,
        shift=shift,
        grain=rule.grain,
    )
    return Item(
        task="spot_difference",
        prompt=_prompt(kind, rows, columns),
        answer=str(count) if kind == "count" else ", ".join(map(str, numbers)),
        pictures=tuple(encode_jpeg(pixels) for pixels in shown),
        difficulty=level,
        certificate=msgspec.to_builtins(certificate),
        suffix=".jpg",
        cluster=photo,
    )


def _prompt(kind: str, rows: int, columns: int) -> str:
    two = kind == "two pictures"
    what = (
        "There are two pictures, the left one first, of the same size and of the same scene"
        if two
        else "The picture shows two versions of the same scene, of the same size, side by side"
    )
    one = "picture" if two else "version"
    asked = (
        f"In how many patches do the two {one}s differ? Answer with a whole number."
        if kind == "count"
        else f"In which patches do the two {one}s differ? Answer with the list of patch numbers in ascending order, "
        "such as [3, 7]."
    )
    return (
        f"{what}. Thin white lines divide each {one} into {rows} rows and {columns} columns, that is {rows * columns} "
        "patches. They are numbered row by row from the top, each row from left to right, starting with 1. A patch of "
        f"the left {one} belongs to the patch with the same number of the right {one}. In some patches something was "
        "changed, added or removed. If that reaches across a line, each patch that it lies in counts. A slight "
        f"difference in brightness or grain all over does not count. {asked}"
    )


# --- what is shown before anything is changed ------------------------------------------------------------------------


def _base(sources: Sources, rng: random.Random) -> tuple[str, Pixels]:
    """The name of the photograph, or "" for a drawn scene, and (HEIGHT, WIDTH, 3) pixels of it."""
    if rng.random() < 0.25 or not len(sources.photos):
        return "", _scene(rng)
    place = rng.randrange(len(sources.photos))
    picture = sources.photos.pixels(place)
    # The widest part with the shape 5 : 4, in units of both.
    unit = min(picture.width // 5, picture.height // 4)
    unit = rng.randint(unit * 6 // 10, unit)
    width, height = 5 * unit, 4 * unit
    left, top = rng.randint(0, picture.width - width), rng.randint(0, picture.height - height)
    part = picture.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC, box=(left, top, left + width, top + height))
    if rng.random() < 0.5:
        part = part.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return sources.photos.items[place].name, np.array(part, dtype=np.uint8)


def _scene(rng: random.Random) -> Pixels:
    """Shapes of many colours on a ground that shades from one colour into another."""
    ends = np.array([[rng.randint(90, 235) for _ in range(3)] for _ in range(2)])
    down = np.arange(HEIGHT)[:, None]
    ground = (ends[0] * (HEIGHT - 1 - down) + ends[1] * down) // (HEIGHT - 1)
    picture = Image.fromarray(np.broadcast_to(ground[:, None], (HEIGHT, WIDTH, 3)).astype(np.uint8))
    for _ in range(rng.randint(40, 90)):
        side = rng.randint(14, 90)
        size = (side, max(12, side * rng.randint(40, 100) // 100))
        colour = tuple(rng.randint(10, 250) for _ in range(3))
        place = (rng.randint(-side // 2, WIDTH - side // 2), rng.randint(-side // 2, HEIGHT - side // 2))
        picture.paste(colour, place, _form(size, rng))
    return np.array(picture, dtype=np.uint8)


def _form(size: tuple[int, int], rng: random.Random) -> Image.Image:
    """The cover, 0 to 255, of a shape that fills a box: at least half of it."""
    width, height = size[0] * 4, size[1] * 4
    cover = Image.new("L", (width, height), 0)
    draw = ImageDraw.Draw(cover)
    box = (0, 0, width - 1, height - 1)
    form = rng.choice(("ellipse", "box", "rounded", "diamond", "hexagon", "blob"))
    if form == "ellipse":
        draw.ellipse(box, fill=255)
    elif form == "box":
        draw.rectangle(box, fill=255)
    elif form == "rounded":
        draw.rounded_rectangle(box, radius=min(width, height) // 4, fill=255)
    else:
        corners = {
            "diamond": ((50, 0), (100, 50), (50, 100), (0, 50)),
            "hexagon": ((25, 0), (75, 0), (100, 50), (75, 100), (25, 100), (0, 50)),
            "blob": tuple(
                (x + rng.randint(0, 12) * (1 if x < 50 else -1), y + rng.randint(0, 12) * (1 if y < 50 else -1))
                for x, y in ((30, 0), (70, 0), (100, 30), (100, 70), (70, 100), (30, 100), (0, 70), (0, 30))
            ),
        }[form]
        draw.polygon([(x * (width - 1) // 100, y * (height - 1) // 100) for x, y in corners], fill=255)
    return cover.reduce(4)


# --- the changes -----------------------------------------------------------------------------------------------------


def _sites(patches: Sequence[int], columns: int, rng: random.Random) -> list[tuple[int, ...]]:
    """The patches, each once, alone or in pairs of neighbours that will share a change."""
    left = list(patches)
    sites: list[tuple[int, ...]] = []
    while left:
        patch = left.pop(0)
        beside = [near for near in left if near == patch + columns or (near == patch + 1 and near % columns)]
        if beside and rng.random() < 0.5:
            partner = rng.choice(beside)
            left.remove(partner)
            sites.append((patch, partner))
        else:
            sites.append((patch,))
    return sites


def _change(
    versions: Sequence[Pixels], site: tuple[int, ...], grid: tuple[int, int], rule: Rule, rng: random.Random
) -> Change:
    """Changes one of the versions in place, clearly so in each patch of the site; what is yet to be both is one."""
    chosen = rng.randrange(len(versions))
    pixels = versions[chosen]
    shown_in = (1, 2) if len(versions) == 1 else (chosen + 1,)
    box = _box(site, grid, rule, rng)
    left, top, right, bottom = box
    before = pixels[top:bottom, left:right].copy()
    size = (right - left, bottom - top)
    hows = list(_WAYS)
    rng.shuffle(hows)
    for how in [*hows, *hows, *CORNERS]:
        if isinstance(how, str):
            cover = np.asarray(_form(size, rng), dtype=np.int64)[..., None]
            after, name = _WAYS[how](pixels, box, rng), how
            weight = cover * (rule.opacity if how == "shape" else 100)
        else:
            # A pixel can be near one of the eight corners of the colour cube at most: over the whole box, one of them
            # differs clearly from at least seven pixels in eight.
            after, name = np.array(how), "shape"
            weight = np.full((*before.shape[:2], 1), 255 * rule.opacity)
        mixed = ((after * weight + before * (25_500 - weight)) // 25_500).astype(np.uint8)
        clear = tuple(_clear(before, mixed, box, patch, grid, rule.contrast) for patch in site)
        if min(clear) >= rule.fewest:
            pixels[top:bottom, left:right] = mixed
            numbers = tuple(patch + 1 for patch in site)
            return Change(how=name, versions=shown_in, box=box, patches=numbers, clear_pixels=clear)
    raise AssertionError("no colour differs from the picture")  # see the comment above


def _box(site: tuple[int, ...], grid: tuple[int, int], rule: Rule, rng: random.Random) -> Box:
    """Where a change lies: inside its patch, or about halfway across the line between two."""
    rows, columns = grid
    height, width = HEIGHT // rows, WIDTH // columns
    top, left = site[0] // columns * height, site[0] % columns * width
    high, wide = rng.randint(*rule.sizes), rng.randint(*rule.sizes)
    x = left + rng.randint(CLEAR, width - CLEAR - wide)
    y = top + rng.randint(CLEAR, height - CLEAR - high)
    if len(site) == 2 and site[1] == site[0] + 1:
        x, wide = left + width - wide, 2 * wide
    elif len(site) == 2:
        y, high = top + height - high, 2 * high
    return x, y, x + wide, y + high


def _clear(before: Pixels, after: Pixels, box: Box, patch: int, grid: tuple[int, int], contrast: int) -> int:
    """In how many pixels of a patch the change is clear; those that a line will hide do not count."""
    rows, columns = grid
    height, width = HEIGHT // rows, WIDTH // columns
    differs = np.abs(before.astype(np.int16) - after).max(axis=2) >= contrast
    top, left = patch // columns * height + LINE - box[1], patch % columns * width + LINE - box[0]
    inside = differs[max(0, top) : top + height - 2 * LINE, max(0, left) : left + width - 2 * LINE]
    return int(np.count_nonzero(inside))


CORNERS: tuple[Colour, ...] = tuple((r, g, b) for r in (250, 5) for g in (250, 5) for b in (250, 5))


def _cut(pixels: Pixels, box: Box) -> NDArray[np.int64]:
    left, top, right, bottom = box
    return pixels[top:bottom, left:right].astype(np.int64)


def _add(pixels: Pixels, box: Box, rng: random.Random) -> NDArray[np.int64]:
    return np.array([rng.randint(0, 255) for _ in range(3)], dtype=np.int64)


def _copy(pixels: Pixels, box: Box, rng: random.Random) -> NDArray[np.int64]:
    """A spot of the same size from elsewhere."""
    wide, high = box[2] - box[0], box[3] - box[1]
    x, y = rng.randint(0, WIDTH - wide), rng.randint(0, HEIGHT - high)
    return _cut(pixels, (x, y, x + wide, y + high))


def _recolour(pixels: Pixels, box: Box, rng: random.Random) -> NDArray[np.int64]:
    """Its channels exchanged, or tinted."""
    spot = _cut(pixels, box)
    if rng.random() < 0.5:
        return np.take(spot, rng.choice(((1, 2, 0), (2, 0, 1), (2, 1, 0), (1, 0, 2))), axis=2)
    tint = np.array([rng.choice((0, 128, 255)) for _ in range(3)], dtype=np.int64)
    return np.asarray((spot * 45 + tint * 55) // 100)


def _mirror(pixels: Pixels, box: Box, rng: random.Random) -> NDArray[np.int64]:
    spot = _cut(pixels, box)
    return spot[:, ::-1] if rng.random() < 0.5 else spot[::-1]


def _smooth_away(pixels: Pixels, box: Box, rng: random.Random) -> NDArray[np.int64]:
    """Filled in from its four edges, the nearer the more."""
    spot = _cut(pixels, box)
    high, wide = spot.shape[:2]
    x, y = np.arange(wide)[None, :, None], np.arange(high)[:, None, None]
    across = (spot[:, :1] * (wide - 1 - x) + spot[:, -1:] * x) // (wide - 1)
    along = (spot[:1] * (high - 1 - y) + spot[-1:] * y) // (high - 1)
    return np.asarray((across + along) // 2)


_WAYS: dict[str, Callable[[Pixels, Box, random.Random], NDArray[np.int64]]] = {
    "shape": _add,
    "copy": _copy,
    "recolour": _recolour,
    "mirror": _mirror,
    "smooth away": _smooth_away,
}


# --- the two versions as they are shown ------------------------------------------------------------------------------


def _worn(pixels: Pixels, shift: int, grain: float, seed: int) -> Pixels:
    """A little brighter or darker as a whole, and grainy."""
    if not shift and not grain:
        return pixels
    noise = np.random.Generator(np.random.PCG64(seed_for(seed, "spot_difference", "noise")))
    # One value a pixel for all channels: grain, not specks of colour.
    specks = np.clip(noise.standard_normal((HEIGHT, WIDTH, 1), dtype=np.float32), -3, 3) * grain
    return np.asarray(
        np.clip(pixels.astype(np.int16) + shift + np.rint(specks).astype(np.int16), 0, 255), dtype=np.uint8
    )


def _ruled(pixels: Pixels, rows: int, columns: int) -> Pixels:
    ruled = pixels.copy()
    for row in range(1, rows):
        middle = row * HEIGHT // rows
        ruled[middle - LINE // 2 : middle + LINE // 2] = 255
    for column in range(1, columns):
        middle = column * WIDTH // columns
        ruled[:, middle - LINE // 2 : middle + LINE // 2] = 255
    return ruled
