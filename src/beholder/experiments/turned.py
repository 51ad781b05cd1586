"""By how much one picture is another one turned, measured from the pixels: what a model saw, whatever code made it.

Both are looked at through the largest disc around the middle, so that corners and their colour do not count; a turned
picture whose canvas was enlarged to keep its corners still shows the same disc at the same size. The original is turned
to every angle and compared; the best match is taken if it is a good one. A picture that was cropped, scaled,
mirrored or drawn upon is no match, and then nothing is said.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import PIL.Image
from numpy.typing import NDArray

Disc = NDArray[np.float32]
"""Grey values inside of the disc, of mean 0 and length 1; all 0 where there is no contrast."""

SIDE = 96
"""Pixels a side to which both pictures are reduced."""
STEP = 5
"""Degrees between the turns that are tried first; then every degree around the best."""
LEAST_MATCH = 0.9
"""Correlation of a match. OUR assumption; turning and saving a photograph again leaves about 0.98."""
LEAST_LEAD = 0.02
"""By how much the best turn must beat those 20 degrees or more away: a picture that looks the same from all sides
shows no turn."""
_FAR = 20
_COARSE = range(0, 360, STEP)


class Original:
    """A picture, ready to be compared with others."""

    def __init__(self, picture: PIL.Image.Image) -> None:
        self._square = _middle(picture, min(picture.size))
        self._size = min(picture.size)
        self._turns: dict[int, Disc] = {}
        self._coarse = np.stack([self._turned(turn) for turn in _COARSE])

    def turn_of(self, picture: PIL.Image.Image) -> int | None:
        """By how many degrees clockwise, 0 to 359, the picture is this one turned; None if it does not show that.

        It may have this picture's size or more of a margin; a smaller picture is none of it.
        """
        if min(picture.size) < self._size - 2:
            return None
        seen = _disc(_middle(picture, self._size))
        coarse = dict(zip(_COARSE, (self._coarse @ seen).tolist(), strict=True))
        near = max(coarse, key=coarse.__getitem__)
        close = [turn % 360 for turn in range(near - STEP + 1, near + STEP)]
        fine = {turn: float(self._turned(turn) @ seen) for turn in close}
        best = max(fine, key=fine.__getitem__)
        others = [match for turn, match in coarse.items() if _apart(turn, best) >= _FAR]
        clear = fine[best] >= LEAST_MATCH and fine[best] >= max(others) + LEAST_LEAD
        return best if clear else None

    def _turned(self, turn: int) -> Disc:
        if turn not in self._turns:
            # Pillow turns counter-clockwise for positive angles.
            self._turns[turn] = _disc(self._square.rotate(-turn, PIL.Image.Resampling.BILINEAR))
        return self._turns[turn]


def _middle(picture: PIL.Image.Image, size: int) -> PIL.Image.Image:
    """The square of that size around the middle, grey, reduced to SIDE."""
    left, top = (picture.width - size) / 2, (picture.height - size) / 2
    box = (left, top, left + size, top + size)
    return picture.convert("L").resize((SIDE, SIDE), PIL.Image.Resampling.BOX, box=box)


def _disc(square: PIL.Image.Image) -> Disc:
    values = np.asarray(square, dtype=np.float32)[_inside()]
    values = values - values.mean()
    length = float(np.linalg.norm(values))
    return values / length if length > 1e-6 else np.zeros_like(values)


@lru_cache(maxsize=1)
def _inside() -> NDArray[np.bool_]:
    steps = 2 * np.arange(SIDE) - SIDE + 1
    inside: NDArray[np.bool_] = steps[:, None] ** 2 + steps[None, :] ** 2 <= (SIDE - 6) ** 2
    return inside


def _apart(one: float, other: float) -> float:
    """Degrees between two angles, 0 to 180."""
    return abs((one - other + 180) % 360 - 180)
