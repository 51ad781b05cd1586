"""Jigsaw: pieces of a photograph in a shuffled order.

A square of a photograph is cut into n × n pieces, which are shuffled and laid out again with thin lines between them.
Each piece carries its number in its upper left corner: number k is the k-th piece of the shuffled picture in reading
order, from 1. The answer lists, for each place of the restored picture in reading order, the number of the piece that
belongs there.

Levels 1 to 5 are n = 3 to 7 pieces a side, 9 to 49 pieces; TIR-Bench (its generator is not published) has 3 to 6.
Smaller pieces have shorter borders, and there are more of them to choose from. `difficulty` is n, as in TIR-Bench.
Pieces are never turned. OUR assumptions: the look of the numbers and lines, the size of the picture, and that a
picture already in order is never shown. No two pieces are so alike that nobody could tell which goes where: the most
similar two differ by `TELLABLE_APART` or more, in the tones that are shown and where no number hides them. A number
hides a few pixels inside its piece but none within `LABEL_INSET` of its edges, which are what shows that two pieces
fit.

Every random choice follows from the item's seed, so the same seed gives the same pixels on any machine that decodes
and scales the photograph alike, and the same bytes with the same version of zlib.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import cache

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from beholder.errors import DataError, UsageError
from beholder.seeds import rng_for
from beholder.synth.digits import draw_number, number_mask
from beholder.synth.item import LEVELS, Item, Pixels, Sources
from beholder.synth.photographs import Photos
from beholder.synth.png import encode_png
from beholder.synth.tones import Curve, tone_table

SIZES = {level: level + 2 for level in LEVELS}
"""Level → pieces a side."""
SIDE = 420
"""Pixels a side of the cut square; every size divides it."""
GAP = 2
"""Pixels between pieces and around the picture, in `GAP_COLOUR`: they are added and hide nothing."""
GAP_COLOUR = (255, 255, 255)
LABEL_INSET = 6
SMALLEST_CROP = 240
"""Pixels of the photograph that a crop has a side, at least (or the whole shorter side)."""
CROPS_TRIED = 12
CLEARLY_DIFFERENT = 6.0
TELLABLE_APART = 4.0
"""Root mean square difference, in grey levels, between two pieces as they are shown, averaged to `CELLS` × `CELLS`
cells, without the cells that a number may touch. OUR assumption: less than that nobody could see."""
CELLS = 8

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of a photograph as `Photos.pixels` gives it."""

QUESTION = """\
This picture is a jigsaw puzzle. A square photograph was cut into {n}×{n} pieces of equal size, and the pieces were \
shuffled. None was turned. Each piece carries its number, from 1 to {pieces}, in its upper left corner.

Which arrangement restores the photograph? The first number is that of the piece that belongs in the upper left corner \
of the photograph; then go on from left to right and row by row to the lower right corner. Use each number from 1 to \
{pieces} exactly once.

Answer with the list of the {pieces} piece numbers, such as [2, 1, 3]."""


class TooPlainError(DataError):
    """A photograph has no part whose pieces can be told apart: two of them are alike, so two answers would be right."""


class Certificate(msgspec.Struct, frozen=True):
    """What was drawn for one puzzle: enough to make it again and to check its answer.

    `curve` is the gamma, contrast and brightness applied to the part of the photograph in `box`. `permutation[k]` is
    the place in the restored picture, from 0, of the piece with number k + 1. `closest` is the difference of the two
    most similar pieces (see `TELLABLE_APART`).
    """

    seed: int
    level: int
    n: int
    photo: str
    box: Box
    mirrored: bool
    curve: Curve
    permutation: tuple[int, ...]
    closest: float


def make(seed: int, level: int, sources: Sources) -> Item:
    """The puzzle of level + 2 pieces a side (3 to 7) that follows from the seed.

    A photograph too plain for that size is passed over for the next. `UsageError` for another level; `DataError` if a
    photograph cannot be read, or none has a part whose pieces can be told apart.
    """
    if level not in SIZES:
        raise UsageError(f"A jigsaw has level 1 to 5, not {level}.")
    n = SIZES[level]
    looks = rng_for(seed, "jigsaw", "looks")
    mirrored = looks.random() < 0.5
    curve = (
        round(looks.uniform(0.85, 1.18), 3),
        round(looks.uniform(0.88, 1.12), 3),
        round(looks.uniform(-12, 12), 1),
    )
    photo, box, square, closest = _choose_part(sources.photos, n, mirrored, curve, seed)
    certificate = Certificate(
        seed=seed,
        level=level,
        n=n,
        photo=photo,
        box=box,
        mirrored=mirrored,
        curve=curve,
        permutation=_shuffled(n * n, rng_for(seed, "jigsaw", "pieces")),
        closest=round(closest, 2),
    )
    return Item(
        task="jigsaw",
        prompt=QUESTION.format(n=n, pieces=n * n),
        answer=str(list(answer_of(certificate.permutation))),
        pictures=(encode_png(lay_out(square, certificate.permutation), grainy=True),),
        difficulty=n,
        cluster=certificate.photo,
        certificate=msgspec.to_builtins(certificate),
    )


def answer_of(permutation: Sequence[int]) -> tuple[int, ...]:
    """The answer to a shuffle: for each place of the restored picture, the number of the piece that goes there.

    >>> answer_of([2, 0, 1])  # piece 1 belongs on the third place, piece 2 on the first, piece 3 on the second
    (2, 3, 1)
    """
    numbers = [0] * len(permutation)
    for piece, place in enumerate(permutation):
        numbers[place] = piece + 1
    return tuple(numbers)


def restored(certificate: Certificate, photos: Photos) -> Pixels:
    """The square before it was cut, (SIDE, SIDE, 3), made again from the photograph."""
    picture = photos.pixels(photos.place(certificate.photo))
    return _square(picture, certificate.box, certificate.mirrored, certificate.curve)


def _square(picture: Image.Image, box: Box, mirrored: bool, curve: Curve) -> Pixels:
    square = picture.resize((SIDE, SIDE), Image.Resampling.BILINEAR, box=box)
    return np.asarray(_in_the_look(square, mirrored, curve), dtype=np.uint8)


def _in_the_look(image: Image.Image, mirrored: bool, curve: Curve) -> Image.Image:
    if mirrored:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return image.point(tone_table(curve) * 3)


def lay_out(square: Pixels, permutation: Sequence[int]) -> Pixels:
    """The picture that is shown: the pieces of the square in their shuffled order, numbered, with lines between.

    (SIDE, SIDE, 3) in; (SIDE + (n + 1)·GAP, the same, 3) out.
    """
    n = round(len(permutation) ** 0.5)
    side = square.shape[0] // n
    total = n * side + (n + 1) * GAP
    shown = np.empty((total, total, 3), dtype=np.uint8)
    shown[:] = GAP_COLOUR
    for piece, place in enumerate(permutation):
        top, left = (GAP + step * (side + GAP) for step in divmod(piece, n))
        row, column = (step * side for step in divmod(place, n))
        tile = shown[top : top + side, left : left + side]
        tile[:] = square[row : row + side, column : column + side]
        draw_number(tile[LABEL_INSET:, LABEL_INSET:], piece + 1)
    return shown


def _choose_part(photos: Photos, n: int, mirrored: bool, curve: Curve, seed: int) -> tuple[str, Box, Pixels, float]:
    """The first photograph, in an order that follows from the seed, with a part fit for n × n pieces: its name, the
    part, the part as it will be cut, and its closest pieces."""
    turns = list(range(len(photos)))
    rng_for(seed, "jigsaw", "photo").shuffle(turns)
    for place in turns:
        picture = photos.pixels(place)
        box = _choose_box(picture, n, mirrored, curve, rng_for(seed, "jigsaw", "crop"))
        square = _square(picture, box, mirrored, curve)
        closest = closest_pieces(square, n)
        if closest >= TELLABLE_APART:
            return photos.items[place].name, box, square, closest
    raise TooPlainError(
        f"each of {CROPS_TRIED} parts that were tried has two pieces nobody could tell apart ({n}×{n})",
        where=photos.items[turns[-1]].name,
        mend="Remove this photograph or ask for fewer pieces.",
    )


def _choose_box(picture: Image.Image, n: int, mirrored: bool, curve: Curve, rng: random.Random) -> Box:
    """A square part of the photograph whose pieces differ: the first clearly good one, else the best of those tried.

    Each is judged by its cells as they are roughly, taken from the photograph itself: a tenth of the work of making the
    square.
    """
    best, best_closest = (0, 0, 0, 0), -1.0
    shorter = min(picture.size)
    lowest = min(max(SMALLEST_CROP, round(0.55 * shorter)), shorter)
    for _ in range(CROPS_TRIED):
        side = rng.randint(lowest, shorter)
        left, top = rng.randint(0, picture.width - side), rng.randint(0, picture.height - side)
        box = (left, top, left + side, top + side)
        cells = picture.resize((CELLS * n, CELLS * n), Image.Resampling.BOX, box=box, reducing_gap=2.0)
        closest = _closest(_in_the_look(cells, mirrored, curve), n)
        if closest > best_closest:
            best, best_closest = box, closest
        if closest >= CLEARLY_DIFFERENT:
            break
    return best


def closest_pieces(square: Pixels, n: int) -> float:
    """How much the two most similar of n × n pieces differ, in grey levels (see `TELLABLE_APART`)."""
    return _closest(Image.fromarray(square).resize((CELLS * n, CELLS * n), Image.Resampling.BOX), n)


def _closest(cells: Image.Image, n: int) -> float:
    # Whole numbers: a sum of floats may differ in the last bit from machine to machine, and with it the crop chosen.
    tones = np.asarray(cells, dtype=np.int64).reshape(n, CELLS, n, CELLS, 3).transpose(0, 2, 1, 3, 4)
    pieces = tones.reshape(n * n, CELLS, CELLS, 3)[:, _in_sight(n)].reshape(n * n, -1)
    squares = (pieces**2).sum(axis=1)
    apart = squares[:, None] + squares[None, :] - 2 * pieces @ pieces.T
    np.fill_diagonal(apart, apart.max())
    return math.sqrt(int(apart.min()) / pieces.shape[1])


@cache
def _in_sight(n: int) -> NDArray[np.bool_]:
    """Which cells of a piece, (CELLS, CELLS), no number from 1 to n² touches."""
    height, width = number_mask(n * n).shape
    seen = np.ones((CELLS, CELLS), dtype=np.bool_)
    rows, columns = (
        slice(LABEL_INSET * CELLS * n // SIDE, -(-(LABEL_INSET + length) * CELLS * n // SIDE))
        for length in (height, width)
    )
    seen[rows, columns] = False
    return seen


def _shuffled(count: int, rng: random.Random) -> tuple[int, ...]:
    """A permutation of 0 … count - 1 other than the identity, all of them equally likely."""
    order = list(range(count))
    while order == sorted(order):
        rng.shuffle(order)
    return tuple(order)
