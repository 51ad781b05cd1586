"""Whether two pictures look the same, though their bytes differ: re-encoded, resized, converted, turned by EXIF.

A picture's hash says of 63 low frequencies of its brightness (a cosine transform of 32x32 grey values, without the
mean) which are above their median. Pictures are alike where at most `NEAR` bits differ and their 16x16 grey values
correlate by at least `CORRELATED`. Both bounds are OURS, chosen on 90 public advertisements and drawings, 84 of them
different: JPEG down to quality 20, half and quarter size, a palette of 256 colours and another aspect ratio changed 5
bits at most and left a correlation of 0.985; the closest two different pictures were 15 bits apart, and correlated by
0.82. Cut, framed or mirrored pictures are not found, and colour is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
import PIL.Image

NEAR = 7
"""Bits of the hash that may differ. One of its 8 bands of 8 bits is then the same in both: so they are found."""
CORRELATED = 0.95
_SIDE, _KEPT, _SMALL = 32, 8, 16
_MARGIN = 32.0
"""How far above the median a frequency must be: in symmetric pictures half of them are zero but for rounding."""
_BAND = 8
_WAVES = np.cos(np.pi * np.arange(_KEPT)[:, None] * (2 * np.arange(_SIDE)[None, :] + 1) / (2 * _SIDE))


class Look(msgspec.Struct, frozen=True):
    """What of a picture is compared: its hash and its 16x16 grey values, row by row."""

    hash: int
    grey: bytes

    @property
    def flat(self) -> bool:
        """Whether there is nothing to compare: a picture of one colour, whose hash is 0."""
        return self.hash == 0


def look_of(picture: PIL.Image.Image) -> Look:
    """The look of an upright picture (`images.load.pixels`)."""
    grey = picture.convert("L").resize((_SMALL, _SMALL), PIL.Image.Resampling.LANCZOS)
    return Look(perceptual_hash(picture), grey.tobytes())


def perceptual_hash(picture: PIL.Image.Image) -> int:
    """The hash of an upright picture, 63 bits; 0 for a picture of one colour."""
    small = picture.convert("L").resize((_SIDE, _SIDE), PIL.Image.Resampling.LANCZOS)
    frequencies = (_WAVES @ np.asarray(small, dtype=np.float64) @ _WAVES.T).ravel()[1:]
    above = frequencies > np.median(frequencies) + _MARGIN
    return int.from_bytes(np.packbits(above).tobytes(), "big")


def distance(one: int, other: int) -> int:
    """How many bits of two hashes differ.

    >>> distance(0b1010, 0b0110)
    2
    """
    return (one ^ other).bit_count()


def alike(one: Look, other: Look) -> bool:
    """Whether two pictures look the same; never for a flat one, of which there is nothing to see."""
    if one.flat or other.flat or distance(one.hash, other.hash) > NEAR:
        return False
    return _correlation(one.grey, other.grey) >= CORRELATED


class Looks:
    """Pictures under numbers, to find those that look like another one without comparing it with each.

    A picture is compared only with those that share a band of its hash, which is all that can be near.
    """

    def __init__(self) -> None:
        self._looks: dict[int, Look] = {}
        self._bands: dict[tuple[int, int], list[int]] = {}

    def add(self, number: int, look: Look) -> None:
        """Keep a picture under a number. Flat ones are not kept."""
        if not look.flat:
            self._looks[number] = look
            for band in _bands(look.hash):
                self._bands.setdefault(band, []).append(number)

    def find(self, look: Look) -> list[int]:
        """The numbers of the kept pictures that look like this one, ascending."""
        if look.flat:
            return []
        known = self._looks
        near = {
            number
            for band in _bands(look.hash)
            for number in self._bands.get(band, ())
            if distance(known[number].hash, look.hash) <= NEAR
        }
        return sorted(number for number in near if alike(known[number], look))


def _bands(value: int) -> Iterator[tuple[int, int]]:
    for place in range(NEAR + 1):
        yield place, value >> (_BAND * place) & 0xFF


def _correlation(one: bytes, other: bytes) -> float:
    """Pearson's correlation of grey values; 1 where both are the same, 0 where only one of them is even."""
    first, second = (np.frombuffer(grey, dtype=np.uint8).astype(np.float64) for grey in (one, other))
    first, second = first - first.mean(), second - second.mean()
    scale = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / scale if scale else float(one == other)
