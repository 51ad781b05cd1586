"""Draws instruments with a straight scale: thermometers and rulers, in plane coordinates."""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec

from beholder.synth.inks import Colour
from beholder.synth.items.instrument_dials import LETTERINGS, Face
from beholder.synth.items.instrument_view import Sheet

PLATES = (
    Face((250, 250, 246), (30, 30, 34), ((200, 20, 28), (20, 60, 170), (24, 110, 50)), (120, 120, 124)),
    Face((244, 234, 206), (52, 40, 30), ((200, 20, 28), (20, 60, 170)), (120, 90, 50)),
    Face((214, 230, 242), (20, 36, 60), ((200, 20, 28), (20, 60, 170)), (60, 90, 130)),
    Face((216, 238, 218), (20, 52, 34), ((200, 20, 28), (20, 60, 170)), (50, 110, 70)),
    Face((228, 196, 150), (50, 30, 14), ((200, 20, 28), (20, 60, 170)), (120, 80, 40)),
    Face((40, 42, 48), (242, 242, 236), ((240, 60, 60), (90, 170, 255)), (150, 150, 156)),
)
RULERS = (
    Face((246, 206, 100), (40, 30, 10), (), (170, 130, 40)),
    Face((232, 200, 150), (50, 30, 14), (), (140, 100, 50)),
    Face((214, 218, 224), (24, 26, 30), (), (130, 134, 140)),
    Face((250, 250, 246), (30, 30, 34), (), (140, 140, 144)),
    Face((180, 220, 240), (16, 40, 70), (), (70, 120, 160)),
    Face((236, 170, 180), (70, 14, 30), (), (160, 80, 90)),
    Face((40, 46, 60), (240, 240, 234), (), (150, 156, 170)),
)
RODS: dict[str, Colour] = {
    "red": (204, 20, 30),
    "blue": (16, 50, 190),
    "green": (10, 120, 40),
    "purple": (110, 20, 150),
    "black": (18, 18, 22),
    "orange": (236, 100, 0),
}


class Strip(msgspec.Struct, frozen=True):
    """A straight scale: the first and the last mark along it, and the line that the marks begin at."""

    first: float
    last: float
    line: float

    def along(self, share: float) -> float:
        """Where a share (0 to 1) of the scale is along it."""
        return self.first + (self.last - self.first) * share


class Side(msgspec.Struct, frozen=True):
    """The marks at one side of a thermometer's tube: their shares of the scale from the bottom, the first of them long,
    how many steps there are from one long mark to the next, the long ones' numbers, and the unit above them."""

    shares: tuple[float, ...]
    every: int
    numbers: tuple[str, ...]
    unit: str
    right: bool


def draw_thermometer(
    sheet: Sheet,
    plate: Face,
    strip: Strip,
    sides: Sequence[Side],
    level: float,
    size: tuple[float, float],
    rng: random.Random,
) -> None:
    """A plate of that width and height with a tube, its bulb below, and marks at one side or both.

    `strip` runs upwards (from a greater y to a smaller one) and its line is the middle of the tube. `level` is the
    share of the scale at which the column ends.
    """
    lettering = rng.choice(LETTERINGS)
    wide, high = size
    x = strip.line
    sheet.box(-wide / 2 - 3, -high / 2 - 3, wide / 2 + 3, high / 2 + 3, plate.edge, corner=0.06 * wide)
    sheet.box(-wide / 2, -high / 2, wide / 2, high / 2, plate.ground, corner=0.05 * wide)
    bore = 0.011 * high
    glass = (226, 232, 238) if plate.ground[0] > 100 else (120, 124, 132)
    bulb = high / 2 - 0.075 * high
    liquid = rng.choice(plate.accents)
    top = strip.last - 0.035 * high
    sheet.disc(x, bulb, 0.042 * high, plate.ink)
    sheet.box(x - bore - 1.5, top - 1.5, x + bore + 1.5, bulb, plate.ink, corner=bore)
    sheet.box(x - bore, top, x + bore, bulb, glass, corner=bore)
    sheet.disc(x, bulb, 0.038 * high, liquid)
    sheet.box(x - bore, strip.along(level), x + bore, bulb, liquid)
    for side in sides:
        toward = 1 if side.right else -1
        near = x + toward * (bore + 4)
        _draw_side(sheet, strip, side, plate, lettering, near, high)
        sheet.write(near + toward * 0.05 * high, -0.455 * high, side.unit, 0.042 * high, plate.ink, lettering)


def _draw_side(sheet: Sheet, strip: Strip, side: Side, plate: Face, lettering: str, near: float, high: float) -> None:
    toward = 1 if side.right else -1
    gap = abs(strip.last - strip.first) * (side.shares[1] - side.shares[0])
    thin = max(1.0, min(0.0035 * high, 0.32 * gap))
    for place, share in enumerate(side.shares):
        y = strip.along(share)
        long = place % side.every == 0
        reach = 0.05 * high if long else 0.028 * high
        sheet.stroke((near, y), (near + toward * reach, y), thin * 1.5 if long else thin, plate.ink)
        if long:
            number = side.numbers[place // side.every]
            sheet.write(near + toward * 0.093 * high, y, number, 0.034 * high, plate.ink, lettering)


def draw_ruler(
    sheet: Sheet,
    plate: Face,
    strip: Strip,
    steps: tuple[int, int],
    unit: str,
    size: tuple[float, float],
    rng: random.Random,
) -> None:
    """A ruler whose marks hang down from its upper edge, the strip's line. `steps`: how many numbered steps it has,
    and how many marks make one. `size` is its length and breadth."""
    lettering = rng.choice(LETTERINGS)
    length, broad = size
    y = strip.line
    sheet.box(-length / 2, y + broad - 4, length / 2 + 3, y + broad + 4, (70, 66, 62), corner=3)
    sheet.box(-length / 2, y, length / 2, y + broad, plate.edge, corner=3)
    sheet.box(-length / 2 + 1.5, y + 1.5, length / 2 - 1.5, y + broad - 1.5, plate.ground, corner=2)
    numbered, every = steps
    marks = numbered * every
    thin = max(1.0, min(1.8, 0.3 * abs(strip.last - strip.first) / marks))
    for place in range(marks + 1):
        x = strip.along(place / marks)
        long = place % every == 0
        middle = every >= 4 and every % 2 == 0 and place % (every // 2) == 0
        reach = 0.36 if long else 0.28 if middle else 0.2
        sheet.stroke((x, y + 1.5), (x, y + reach * broad), thin * 1.3 if long else thin, plate.ink)
        if long:
            sheet.write(x, y + 0.52 * broad, str(place // every), 0.2 * broad, plate.ink, lettering)
    sheet.write(strip.first + 0.04 * length, y + 0.82 * broad, unit, 0.16 * broad, plate.ink, lettering)
    if rng.random() < 0.5:
        sheet.disc(length / 2 - 0.16 * broad, y + 0.8 * broad, 0.06 * broad, plate.edge)


def draw_rod(sheet: Sheet, start: float, end: float, line: float, thick: float, colour: Colour, shape: str) -> None:
    """Something long that lies on the line, from `start` to `end`. Shapes: rod, pencil, bolt."""
    top, bottom = line - thick - 2, line - 2
    middle = (top + bottom) / 2
    if shape == "pencil":
        point = min(1.6 * thick, 0.4 * (end - start))
        lead = 0.45 * point
        half = 2 + 0.2 * thick
        sheet.box(start, top, end - point, bottom, colour)
        wood = [(end - point, top), (end, middle - 2), (end, middle + 2), (end - point, bottom)]
        sheet.polygon(wood, (224, 190, 140))
        tip = [(end - lead, middle - half), (end, middle - 2), (end, middle + 2), (end - lead, middle + half)]
        sheet.polygon(tip, (40, 38, 40))
    elif shape == "bolt":
        head = min(0.7 * thick, 0.3 * (end - start))
        sheet.box(start, top, start + head, bottom, colour)
        sheet.box(start + head - 1, top + 0.22 * thick, end, bottom - 0.22 * thick, colour)
    else:
        sheet.box(start, top, end, bottom, colour)
    lighter = ((colour[0] + 510) // 3, (colour[1] + 510) // 3, (colour[2] + 510) // 3)
    glint = middle - 0.12 * thick
    sheet.stroke((start + 3, glint), (start + 0.55 * (end - start), glint), 2, lighter)
