"""Jigsaw: pieces of a photograph in a shuffled order.

A square of a photograph is cut into n × n pieces, which are shuffled and laid out again with thin lines between them.
Each piece carries its number in its upper left corner: number k is the k-th piece of the shuffled picture in reading
order, from 1. The answer lists, for each place of the restored picture in reading order, the number of the piece that
belongs there.

Levels 1 to 5 are n = 3 to 7 pieces a side, 9 to 49 pieces; TIR-Bench (its generator is not published) has 3 to 6.
Smaller pieces have shorter borders, and there are more of them to choose from. `difficulty` is n, as in TIR-Bench.
Pieces are never turned. OUR assumptions: the look of the numbers and lines, the size of the picture, and that a
picture already in order is never shown. A number hides a few pixels inside its piece but none within `LABEL_INSET` of
its edges, which are what shows that two pieces fit.

Every random choice follows from the item's seed, so the same seed gives the same pixels on any machine that decodes
and scales the photograph alike, and the same bytes with the same version of zlib.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from beholder.errors import DataError, UsageError
from beholder.seeds import rng_for
from beholder.synth.digits import draw_number
from beholder.synth.item import LEVELS, Item, Sources
from beholder.synth.photographs import Photos
from beholder.synth.png import encode_png

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
TELLABLE_APART = 1.0
"""Root mean square difference, in grey levels, between two pieces averaged to 8 × 8 cells."""

Pixels = NDArray[np.uint8]

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

    `box` is (left, top, right, bottom) in pixels of the photograph as `Photos.pixels` gives it; `curve` is
    the gamma, contrast and brightness applied to it. `permutation[k]` is the place in the restored picture,
    from 0, of the piece with number k + 1. `closest` is the difference of the two most similar pieces (see
    `TELLABLE_APART`).
    """

    seed: int
    level: int
    n: int
    photo: str
    box: tuple[int, int, int, int]
    mirrored: bool
    curve: tuple[float, float, float]
    permutation: tuple[int, ...]
    closest: float


def make(seed: int, level: int, sources: Sources) -> Item:
    """The puzzle of level + 2 pieces a side (3 to 7) that follows from the seed.

    A photograph too plain for that size is passed over for the next. `UsageError` for another level; `DataError` if a
    photograph cannot be read, or none has a part whose pieces can be told apart.
    """
    if level not in SIZES:
        raise UsageError(f"A jigsaw has level 1 to 5, not {level}.")
    photos, n = sources.photos, SIZES[level]
    turns = list(range(len(photos)))
    rng_for(seed, "jigsaw", "photo").shuffle(turns)
    photo, box, closest = _choose_part(photos, turns, n, seed)
    looks = rng_for(seed, "jigsaw", "looks")
    mirrored = looks.random() < 0.5
    curve = (
        round(looks.uniform(0.85, 1.18), 3),
        round(looks.uniform(0.88, 1.12), 3),
        round(looks.uniform(-12, 12), 1),
    )
    certificate = Certificate(
        seed=seed,
        level=level,
        n=n,
        photo=photos.items[photo].name,
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
        pictures=(encode_png(lay_out(restored(certificate, photos), certificate.permutation)),),
        difficulty=n,
        cluster=certificate.photo,
        certificate=msgspec.to_builtins(certificate),
    )


def _choose_part(
    photos: Photos, turns: Sequence[int], n: int, seed: int
) -> tuple[int, tuple[int, int, int, int], float]:
    """The first photograph, in this order, that has a part fit for n × n pieces; the last one's error if none has."""
    for place in turns[:-1]:
        try:
            return place, *_choose_box(photos, place, n, rng_for(seed, "jigsaw", "crop"))
        except TooPlainError:
            continue
    return turns[-1], *_choose_box(photos, turns[-1], n, rng_for(seed, "jigsaw", "crop"))


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
    square = picture.resize((SIDE, SIDE), Image.Resampling.BILINEAR, box=certificate.box)
    if certificate.mirrored:
        square = square.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return np.asarray(square.point(_curve_table(certificate.curve) * 3), dtype=np.uint8)


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


def _choose_box(photos: Photos, place: int, n: int, rng: random.Random) -> tuple[tuple[int, int, int, int], float]:
    """A square part of the photograph whose pieces differ: the first clearly good one, else the best of those tried."""
    picture = photos.pixels(place)
    best: tuple[int, int, int, int] = (0, 0, 0, 0)
    best_closest = -1.0
    shorter = min(picture.size)
    lowest = min(max(SMALLEST_CROP, round(0.55 * shorter)), shorter)
    for _ in range(CROPS_TRIED):
        side = rng.randint(lowest, shorter)
        left, top = rng.randint(0, picture.width - side), rng.randint(0, picture.height - side)
        box = (left, top, left + side, top + side)
        closest = _closest_pieces(picture, box, n)
        if closest > best_closest:
            best, best_closest = box, closest
        if closest >= CLEARLY_DIFFERENT:
            break
    if best_closest < TELLABLE_APART:
        raise TooPlainError(
            f"each of {CROPS_TRIED} parts that were tried has two pieces nobody could tell apart ({n}×{n})",
            where=photos.items[place].name,
            mend="Remove this photograph or ask for fewer pieces.",
        )
    return best, best_closest


def _closest_pieces(picture: Image.Image, box: tuple[int, int, int, int], n: int) -> float:
    """How much the two most similar pieces differ: two equal ones would make two answers right."""
    # Whole numbers: a sum of floats may differ in the last bit from machine to machine, and with it the crop chosen.
    cells = np.asarray(picture.resize((8 * n, 8 * n), Image.Resampling.BOX, box=box), dtype=np.int64)
    pieces = cells.reshape(n, 8, n, 8, 3).transpose(0, 2, 1, 3, 4).reshape(n * n, -1)
    squares = (pieces**2).sum(axis=1)
    apart = squares[:, None] + squares[None, :] - 2 * pieces @ pieces.T
    np.fill_diagonal(apart, apart.max())
    return math.sqrt(int(apart.min()) / pieces.shape[1])


def _curve_table(curve: tuple[float, float, float]) -> list[int]:
    gamma, contrast, brightness = curve
    levels = ((255 * (level / 255) ** gamma - 128) * contrast + 128 + brightness for level in range(256))
    return [min(255, max(0, round(level))) for level in levels]


def _shuffled(count: int, rng: random.Random) -> tuple[int, ...]:
    """A permutation of 0 … count - 1 other than the identity, all of them equally likely."""
    order = list(range(count))
    while order == sorted(order):
        rng.shuffle(order)
    return tuple(order)
