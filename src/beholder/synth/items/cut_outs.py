"""Objects cut out of photographs along their masks, to be pasted into another one (`refcoco`)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from beholder.errors import DataError
from beholder.images.load import load
from beholder.images.load import pixels as decoded
from beholder.sample import ImageRef
from beholder.seeds import rng_for
from beholder.synth.items.pasting import Pasted, Sprite, blend, edge, fit, paste, visible
from beholder.synth.masks import MaskedObject
from beholder.synth.masks_raster import Mask, largest_piece

NEAR = 0.4
"""Points by which a cut-out's share may miss the one that was drawn."""
LARGEST_SCALE = 3.0
"""How many times as large as in its photograph, in length, an object is shown at most."""
IN_ONE_PIECE = 0.8
"""The part of an object that its largest piece must hold. The rest is left out."""
_MOST = 2_000
"""Objects that are looked at for one item."""
_NO_ARTICLE = re.compile(
    r"(?:an?|the|this|that|these|those|his|her|their|its|my|our|your|one|two|three|four|five|some|many|several|both|all"
    r"|no|people)\b|.*(?<![su])s$",
    re.IGNORECASE,
)
"""Names that have an article or the like, and those that look like a plural (not "glass" or "bus")."""


class CutOut(NamedTuple):
    """A pasted object: where it lies, what the question calls it, and the photograph that it is from."""

    shown: Pasted
    name: str
    source: str


def cut_out(
    canvas: NDArray[np.uint8],
    seed: int,
    share: float,
    most: float,
    masks: tuple[MaskedObject, ...],
    through: float,
    white: int,
) -> CutOut:
    """Pastes the first object drawn that could cover `most` per cent of the picture so that it covers `share`.

    Which object is taken depends on the largest value among the options, not on the right one: a large object must not
    tell a large share. `through` of the picture shines through it; its edge is `white` pixels wide. `DataError` if no
    object serves, or one that is drawn does not fit its photograph.
    """
    rng = rng_for(seed, "refcoco", "cut-out")
    order = rng.sample(range(len(masks)), min(len(masks), _MOST))
    area = canvas.shape[0] * canvas.shape[1]
    for masked in (masks[place] for place in order):
        if _usable_pixels(masked) * LARGEST_SCALE**2 < most / 100 * area:
            continue
        sprite, picture = _object(masked)
        largest = fit(sprite, canvas.shape[:2], most, rng)
        if largest.box[2] - largest.box[0] > LARGEST_SCALE * sprite.mask.width:
            continue
        shown = fit(sprite, canvas.shape[:2], share, rng)
        if all(abs(100 * laid.pixels / area - wanted) <= NEAR for laid, wanted in ((largest, most), (shown, share))):
            break
    else:
        raise DataError(
            f"none of {len(order)} objects can cover {most} % of a picture: each would be enlarged more than "
            f"{LARGEST_SCALE:g} times, or is in several pieces",
            where=masks[order[-1]].image.name,
            mend="Give more objects, or larger ones.",
        )
    above = Image.new("RGB", (canvas.shape[1], canvas.shape[0]))
    paste(above, picture, shown.box)
    blend(canvas, np.asarray(above), shown.cover, through)
    if white:
        canvas[edge(shown.cover >= 128, white)] = (250, 250, 250)
    return CutOut(shown, f"the pasted cut-out of {with_article(masked.name)}", masked.image.name)


def with_article(name: str) -> str:
    """The name with "a" or "an" before it, unless it has an article or the like, or looks like a plural.

    >>> with_article("elephant"), with_article("wine glass"), with_article("scissors")
    ('an elephant', 'a wine glass', 'scissors')
    """
    if _NO_ARTICLE.match(name):
        return name
    return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"


@lru_cache(maxsize=100_000)
def _usable_pixels(masked: MaskedObject) -> int:
    """The pixels of an object's largest piece; 0 if too much of it lies in others."""
    mask = masked.mask()
    if not mask.any():
        raise _unfit(masked, mask)
    largest = int(np.count_nonzero(largest_piece(mask)))
    return largest if largest >= IN_ONE_PIECE * np.count_nonzero(mask) else 0


def _object(masked: MaskedObject) -> tuple[Sprite, Image.Image]:
    """The object's largest piece and its photograph, both cut to its box; its anchor is where it is thickest."""
    picture, mask = _photograph(masked.image), masked.mask()
    if mask.shape != (picture.height, picture.width):
        raise _unfit(masked, mask)
    mask = largest_piece(mask)
    top, bottom, left, right = visible(mask.astype(np.uint8))
    cut = Image.fromarray(mask[top:bottom, left:right].astype(np.uint8) * 255)
    thick = np.asarray(cut.filter(ImageFilter.BoxBlur(max(1, min(cut.size) // 6))))
    row, column = divmod(int(thick.argmax()), cut.width)
    return Sprite(cut, (column + 0.5, row + 0.5)), picture.crop((left, top, right, bottom))


def _unfit(masked: MaskedObject, mask: Mask) -> DataError:
    picture = _photograph(masked.image)
    return DataError(
        f"the mask of {masked.name!r} is {mask.shape[1]}×{mask.shape[0]} pixels with {int(mask.sum())} inside, "
        f"the photograph {picture.width}×{picture.height}",
        where=masked.image.name,
        mend="Give the photographs that the masks were made for.",
    )


@lru_cache(maxsize=8)
def _photograph(ref: ImageRef) -> Image.Image:
    return decoded(load(ref))
