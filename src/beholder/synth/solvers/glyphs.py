"""Characters told by their shape: crops of ink compared with the characters of the shipped typefaces.

A crop is stretched to one size, so that its scale does not matter; its proportions are compared apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from beholder.synth.typefaces import TYPEFACES, typeface

Floats = NDArray[np.float32]

INNER, BORDER = 20, 2
"""Pixels a side that a crop's ink is stretched to, and of empty border around it: without one a bar would be blank."""
FULL = INNER + 2 * BORDER
EM = 64
"""Pixels an em that the templates are drawn at."""
HALF_OR_MORE = [0] * 128 + [255] * 128
BASELINE = EM * 3 // 2
RISE, FALL = 0.84, 0.28
"""How far above and below the baseline the slice of a line reaches that holds every character, in ems."""


class Templates(NamedTuple):
    """The characters of every typeface, n = typefaces × tilts × characters, one after the other.

    `shapes` is (n, features) of the ink's own box, `slices` the same of the line's whole height over the ink's width;
    each row has mean 0 and length 1. `widths`, `heights`, `bottoms` (of the ink; how far its lower edge lies below the
    baseline), `lefts` and `rights` (empty space before and after the ink) are in ems.
    """

    shapes: Floats
    slices: Floats
    widths: Floats
    heights: Floats
    bottoms: Floats
    lefts: Floats
    rights: Floats

    def part(self, first: int, last: int) -> Templates:
        """The templates from one place to before another."""
        return Templates(*(column[first:last] for column in self))


@lru_cache(maxsize=32)
def templates(alphabet: str, tilts: tuple[int, ...] = (0,), soft: float = 0.0) -> Templates:
    """The templates of the characters of `alphabet` in all typefaces, in all tilts (degrees) one after the other.

    `soft` blurs them by that radius in pixels at `EM`, as lettering in a small or blurred picture is once enlarged.
    """
    shapes, slices, measures = [], [], []
    rise, fall = BASELINE - round(RISE * EM), BASELINE + round(FALL * EM)
    for face in TYPEFACES:
        font = typeface(face, EM)
        for tilt in tilts:
            for character in alphabet:
                tile = Image.new("L", (EM * 7 // 4, EM * 2))
                ImageDraw.Draw(tile).text((EM // 2, BASELINE), character, fill=255, font=font, anchor="ls")
                if tilt:
                    tile = tile.rotate(tilt, Image.Resampling.BICUBIC)
                if soft:
                    tile = tile.filter(ImageFilter.GaussianBlur(soft))
                left, top, right, bottom = tile.point(HALF_OR_MORE).getbbox() or (0, 0, 1, 1)
                ink = np.asarray(tile, dtype=np.float32) / np.float32(255)
                shapes.append(shape_of(ink[top:bottom, left:right]))
                slices.append(shape_of(ink[rise:fall, left:right]))
                after = font.getlength(character) - (right - EM // 2)
                measures.append((right - left, bottom - top, bottom - BASELINE, left - EM // 2, after))
    columns = np.array(measures, dtype=np.float32).T / EM
    return Templates(np.stack(shapes), np.stack(slices), *columns)


def shape_of(ink: Floats) -> Floats:
    """A crop of ink, (height, width) from 0 for paper to 1 for full ink, as features of mean 0 and length 1."""
    # Shrinking by area keeps thin strokes; enlarging must not leave steps.
    way = cv2.INTER_AREA if min(ink.shape) >= INNER else cv2.INTER_LINEAR
    stretched = cv2.copyMakeBorder(
        cv2.resize(ink, (INNER, INNER), interpolation=way), BORDER, BORDER, BORDER, BORDER, cv2.BORDER_CONSTANT
    )
    # A little blur forgives a stroke that is a pixel off.
    return _normal(np.asarray(cv2.GaussianBlur(stretched, (0, 0), 0.8), dtype=np.float32).ravel())


def turned(shape: Floats, tilt: float) -> Floats:
    """A shape turned counter-clockwise by some degrees."""
    turn = cv2.getRotationMatrix2D(((FULL - 1) / 2, (FULL - 1) / 2), tilt, 1)
    image = cv2.warpAffine(shape.reshape(FULL, FULL), turn, (FULL, FULL), borderMode=cv2.BORDER_REPLICATE)
    return _normal(np.asarray(image, dtype=np.float32).ravel())


def _normal(features: Floats) -> Floats:
    features = features - features.mean()
    return np.asarray(features / max(float(np.linalg.norm(features)), 1e-6), dtype=np.float32)


def unlikeness(crops: Sequence[Floats], known: Templates, weight: float = 0.35) -> Floats:
    """How unlike each crop is to each template, (crops, templates): 0 for equal, about 1 for nothing in common.

    One less the correlation of the shapes, and `weight` times the difference of the proportions' logarithms.
    """
    shapes = np.stack([shape_of(crop) for crop in crops])
    proportions = np.log([crop.shape[0] / crop.shape[1] for crop in crops]).astype(np.float32)
    return unlike_shapes(shapes, proportions, known, weight)


def unlike_shapes(shapes: Floats, proportions: Floats, known: Templates, weight: float = 0.35) -> Floats:
    """The same from the crops' shapes, (n, features), and the logarithms of their heights over their widths, (n,)."""
    differences = np.abs(proportions[:, None] - np.log(known.heights / known.widths)[None, :])
    return np.asarray(1 - shapes @ known.shapes.T + weight * differences, dtype=np.float32)
