"""A picture of lines, shapes and letters, and the plane geometry that `symbolic` and `math` make their figures from.

Points are (x, y) in pixels of the finished picture, x to the right and y downwards, (0, 0) its upper left corner. The
figure is drawn at `SCALE` times its size and averaged down, so that edges are smooth.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

from beholder.synth.inks import Colour
from beholder.synth.png import encode_png
from beholder.synth.typefaces import typeface

Point = tuple[float, float]

SCALE = 3
PAPERS: tuple[Colour, ...] = ((255, 255, 255), (252, 250, 243), (246, 249, 252), (250, 247, 250), (247, 250, 245))
INKS: tuple[Colour, ...] = (
    (25, 25, 30),
    (30, 50, 110),
    (110, 30, 40),
    (20, 85, 70),
    (85, 40, 110),
    (120, 70, 15),
)
"""Dark colours for outlines: at least 130 levels darker than any paper in one channel."""


class Figure:
    """A square picture of `side` pixels that can be drawn on."""

    def __init__(self, side: int, paper: Colour) -> None:
        self.side = side
        self._image = Image.new("RGB", (side * SCALE, side * SCALE), paper)
        self._draw = ImageDraw.Draw(self._image)

    def line(
        self, points: Sequence[Point], colour: Colour, width: float, *, closed: bool = False, round_ends: bool = True
    ) -> None:
        """A chain of straight strokes with round joints; its ends are round too unless told otherwise."""
        chain = [*points, points[0]] if closed else list(points)
        for start, end in itertools.pairwise(chain):
            self._stroke(start, end, colour, width)
        for joint in chain if round_ends or closed else chain[1:-1]:
            self.dot(joint, width / 2, colour)

    def _stroke(self, start: Point, end: Point, colour: Colour, width: float) -> None:
        length = math.dist(start, end)
        if length == 0:
            return
        across = ((start[1] - end[1]) / length * width / 2, (end[0] - start[0]) / length * width / 2)
        corners = [
            (start[0] + across[0], start[1] + across[1]),
            (end[0] + across[0], end[1] + across[1]),
            (end[0] - across[0], end[1] - across[1]),
            (start[0] - across[0], start[1] - across[1]),
        ]
        self.polygon(corners, colour)

    def polygon(self, points: Sequence[Point], colour: Colour) -> None:
        """A filled polygon."""
        self._draw.polygon([_enlarged(point) for point in points], fill=colour)

    def dot(self, centre: Point, radius: float, colour: Colour) -> None:
        """A filled disc."""
        (x, y), r = _enlarged(centre), radius * SCALE
        self._draw.ellipse((x - r, y - r, x + r, y + r), fill=colour)

    def ring(self, centre: Point, radius: float, colour: Colour, width: float) -> None:
        """The outline of a circle; `radius` goes to the middle of the stroke."""
        (x, y), r = _enlarged(centre), (radius + width / 2) * SCALE
        self._draw.ellipse((x - r, y - r, x + r, y + r), outline=colour, width=round(width * SCALE))

    def grid(self, pitch: float, colour: Colour, start: Point = (0.0, 0.0)) -> None:
        """Squared paper: thin lines all over the picture."""
        for place in np.arange(start[0] % pitch, self.side, pitch).tolist():
            self._stroke((place, 0), (place, self.side), colour, 1)
        for place in np.arange(start[1] % pitch, self.side, pitch).tolist():
            self._stroke((0, place), (self.side, place), colour, 1)

    def text(self, centre: Point, text: str, colour: Colour, face: str, size: float) -> None:
        """A line of text with the middle of its inked box at `centre`; `size` is the em in pixels."""
        font = typeface(face, round(size * SCALE))
        left, top, right, bottom = font.getbbox(text)
        x, y = _enlarged(centre)
        self._draw.text((x - (left + right) / 2, y - (top + bottom) / 2), text, fill=colour, font=font)

    def png(self) -> bytes:
        """The finished picture."""
        return encode_png(np.asarray(self._image.reduce(SCALE), dtype=np.uint8))


def _enlarged(point: Point) -> Point:
    return point[0] * SCALE - 0.5, point[1] * SCALE - 0.5


def shade(colour: Colour, rng: random.Random, spread: int = 14) -> Colour:
    """The colour a little lighter, darker or turned, so that no two pictures look quite the same."""
    red, green, blue = (max(0, min(255, channel + rng.randint(-spread, spread))) for channel in colour)
    return red, green, blue


def tint(colour: Colour, paper: Colour, strength: float) -> Colour:
    """A mix of paper (0) and colour (1)."""
    red, green, blue = (round(p + (c - p) * strength) for c, p in zip(colour, paper, strict=True))
    return red, green, blue


def rounded(point: Point) -> Point:
    """To hundredths of a pixel: figures are drawn from what their certificate says."""
    return round(point[0], 2), round(point[1], 2)


def away(start: Point, angle: float, distance: float) -> Point:
    """The point at `distance` from `start` in the direction `angle`, in radians from the x axis towards y."""
    return start[0] + math.cos(angle) * distance, start[1] + math.sin(angle) * distance


def between(start: Point, end: Point, share: float) -> Point:
    """The point at `share` of the way."""
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def meeting(a: Point, b: Point, c: Point, d: Point) -> tuple[float, float] | None:
    """Where the lines ab and cd meet, as shares of the way from a to b and from c to d; None if they are parallel."""
    abx, aby, cdx, cdy = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
    cross = abx * cdy - aby * cdx
    if cross == 0:
        return None
    acx, acy = c[0] - a[0], c[1] - a[1]
    return (acx * cdy - acy * cdx) / cross, (acx * aby - acy * abx) / cross


def crossing(a: Point, b: Point, c: Point, d: Point) -> Point | None:
    """The point where the segments ab and cd cross, if they do."""
    shares = meeting(a, b, c, d)
    if shares is None or not (0 <= shares[0] <= 1 and 0 <= shares[1] <= 1):
        return None
    return between(a, b, shares[0])


def distance_to_segment(point: Point, a: Point, b: Point) -> float:
    """The distance from a point to the nearest point of the segment ab."""
    abx, aby = b[0] - a[0], b[1] - a[1]
    square = abx * abx + aby * aby
    share = 0.0 if square == 0 else ((point[0] - a[0]) * abx + (point[1] - a[1]) * aby) / square
    return math.dist(point, between(a, b, max(0.0, min(1.0, share))))


def segments_apart(a: Point, b: Point, c: Point, d: Point) -> float:
    """The distance between the segments ab and cd, 0 if they cross."""
    if crossing(a, b, c, d) is not None:
        return 0.0
    return min(
        distance_to_segment(a, c, d),
        distance_to_segment(b, c, d),
        distance_to_segment(c, a, b),
        distance_to_segment(d, a, b),
    )


def angle_between(a: Point, b: Point, c: Point, d: Point) -> float:
    """The acute angle between the lines ab and cd, in degrees, 0 to 90."""
    turn = math.degrees(math.atan2(b[1] - a[1], b[0] - a[0]) - math.atan2(d[1] - c[1], d[0] - c[0])) % 180
    return min(turn, 180 - turn)


def corner(before: Point, at: Point, after: Point) -> float:
    """The angle of a corner in degrees, 0 (a spike) to 180 (straight on)."""
    turn = math.degrees(
        math.atan2(before[1] - at[1], before[0] - at[0]) - math.atan2(after[1] - at[1], after[0] - at[0])
    )
    turn %= 360
    return min(turn, 360 - turn)
