"""Draws instruments with a round face: clocks, gauges and the dials of kitchen scales.

Lengths are shares of the face's radius. Angles are degrees clockwise from the top of the face. Marks reach inwards
from `RIM`; the numbers stand inside them, the pointer's tip ends among them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import msgspec

from beholder.synth.inks import Colour
from beholder.synth.items.instrument_view import Sheet

RIM = 0.95
SHORT, MIDDLE, LONG = 0.895, 0.875, 0.835
"""Inner ends of short, middling and long marks."""
TIP = 0.82
"""Where a gauge's pointer ends."""
MINUTE_TIP, HOUR_TIP, SECOND_TIP = 0.80, 0.48, 0.84


class Face(msgspec.Struct, frozen=True):
    """Colours that go together: the face, what is printed on it, and what may point on it."""

    ground: Colour
    ink: Colour
    accents: tuple[Colour, ...]
    edge: Colour


_DARK = ((190, 24, 24), (24, 24, 28), (18, 62, 150), (200, 84, 0))
_LIGHT = ((255, 120, 40), (250, 250, 250), (255, 214, 60), (255, 90, 90))
FACES = (
    Face((250, 250, 247), (30, 30, 34), _DARK, (46, 46, 50)),
    Face((246, 238, 214), (52, 40, 30), _DARK, (70, 50, 34)),
    Face((250, 228, 150), (40, 36, 20), ((190, 24, 24), (24, 24, 28), (18, 62, 150)), (60, 50, 20)),
    Face((208, 228, 242), (20, 36, 60), _DARK, (30, 50, 80)),
    Face((212, 236, 216), (20, 52, 34), ((190, 24, 24), (24, 24, 28), (18, 62, 150)), (24, 66, 40)),
    Face((246, 220, 222), (70, 24, 34), ((150, 16, 40), (24, 24, 28), (18, 62, 150)), (90, 30, 40)),
    Face((222, 222, 226), (26, 26, 30), _DARK, (50, 50, 56)),
    Face((34, 36, 40), (240, 240, 234), _LIGHT, (214, 214, 218)),
    Face((26, 44, 92), (238, 242, 250), _LIGHT, (220, 226, 240)),
    Face((18, 84, 88), (236, 250, 246), _LIGHT, (210, 236, 232)),
    Face((96, 24, 34), (250, 238, 230), ((255, 255, 255), (255, 214, 60)), (236, 210, 204)),
)
RINGS: tuple[Colour, ...] = (
    (40, 42, 46),
    (178, 182, 188),
    (192, 154, 76),
    (168, 34, 40),
    (30, 76, 140),
    (36, 110, 70),
    (232, 232, 230),
    (110, 74, 44),
)
ZONES: tuple[Colour, ...] = ((70, 170, 80), (236, 180, 40), (206, 50, 44))
LETTERINGS = ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSerif")
ROMAN = ("XII", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI")


class Dial(msgspec.Struct, frozen=True):
    """A round face: its middle and radius in plane coordinates, and the colours."""

    x: float
    y: float
    radius: float
    face: Face
    lettering: str

    def at(self, angle: float, share: float) -> tuple[float, float]:
        """The point of the plane at that angle and share of the radius."""
        turn = math.radians(angle)
        return self.x + math.sin(turn) * share * self.radius, self.y - math.cos(turn) * share * self.radius


def draw_face(sheet: Sheet, dial: Dial, ring: Colour) -> None:
    """The ring about the face, a thin edge, and the bare face."""
    darker = (ring[0] * 3 // 5, ring[1] * 3 // 5, ring[2] * 3 // 5)
    sheet.disc(dial.x, dial.y, 1.15 * dial.radius, darker)
    sheet.disc(dial.x, dial.y, 1.135 * dial.radius, ring)
    sheet.disc(dial.x, dial.y, 1.03 * dial.radius, dial.face.edge)
    sheet.disc(dial.x, dial.y, dial.radius, dial.face.ground)


def draw_marks(sheet: Sheet, dial: Dial, angles: Sequence[float], long_every: int, middle_every: int) -> None:
    """The marks in order: every `long_every`-th is long and every `middle_every`-th (0: none) middling."""
    gap = abs(angles[1] - angles[0]) * math.pi / 180 * dial.radius
    thin = max(1.0, min(0.012 * dial.radius, 0.3 * gap))
    for place, angle in enumerate(angles):
        if place % long_every == 0:
            inner, width = LONG, max(1.6 * thin, min(0.02 * dial.radius, 0.4 * gap))
        elif middle_every and place % middle_every == 0:
            inner, width = MIDDLE, thin
        else:
            inner, width = SHORT, thin
        sheet.stroke(dial.at(angle, inner), dial.at(angle, RIM), width, dial.face.ink)


def draw_numbers(sheet: Sheet, dial: Dial, angles: Sequence[float], texts: Sequence[str], share: float) -> None:
    """The numbers at long marks, in a circle at that share of the radius."""
    longest = max(map(len, texts))
    size = dial.radius * min(0.17, 0.135 * 12 / max(12, len(texts)) * 3.4 / max(3.4, longest))
    for angle, text in zip(angles, texts, strict=True):
        sheet.write(*dial.at(angle, share), text, size, dial.face.ink, dial.lettering)


def draw_zones(sheet: Sheet, dial: Dial, start: float, sweep: float, rng: random.Random) -> None:
    """Three coloured arcs inside the marks, as on gauges that warn."""
    bounds = (0.0, rng.uniform(0.35, 0.6), rng.uniform(0.68, 0.85), 1.0)
    colours = list(ZONES) if rng.random() < 0.7 else list(reversed(ZONES))
    for colour, low, high in zip(colours, bounds, bounds[1:], strict=False):
        sheet.arc(
            0.828 * dial.radius,
            start + low * sweep,
            start + high * sweep,
            0.03 * dial.radius,
            colour,
            dial.x,
            dial.y,
        )


def draw_pointer(sheet: Sheet, dial: Dial, angle: float, width: float, colour: Colour, shape: str) -> None:
    """A pointer of that width at the hub (share of the radius), with a tail and a cap. Shapes: taper, bar, arrow."""
    aside = angle + 90
    half = width / 2

    def beside(share: float, off: float) -> tuple[float, float]:
        (x, y), (dx, dy) = dial.at(angle, share), dial.at(aside, off)
        return x + dx - dial.x, y + dy - dial.y

    if shape == "taper":
        tip = max(0.004, half / 6)
        sheet.polygon([beside(-0.2, half), beside(TIP, tip), beside(TIP, -tip), beside(-0.2, -half)], colour)
    elif shape == "bar":
        sheet.polygon(
            [beside(-0.18, half / 2), beside(TIP, half / 2), beside(TIP, -half / 2), beside(-0.18, -half / 2)], colour
        )
    else:
        slim = half / 2.5
        sheet.polygon([beside(-0.15, slim), beside(0.7, slim), beside(0.7, -slim), beside(-0.15, -slim)], colour)
        sheet.polygon([beside(0.66, half), beside(TIP, 0.003), beside(TIP, -0.003), beside(0.66, -half)], colour)
    sheet.disc(dial.x, dial.y, max(0.06, width) * dial.radius, colour)
    sheet.disc(dial.x, dial.y, max(0.025, width / 3) * dial.radius, dial.face.ground)


def draw_hand(sheet: Sheet, dial: Dial, angle: float, tip: float, width: float, colour: Colour, tail: float) -> None:
    """A clock's hand: widest a third of the way out, with a blunt end."""
    turn = math.radians(angle)
    along, aside = (math.sin(turn), -math.cos(turn)), (math.cos(turn), math.sin(turn))

    def beside(share: float, off: float) -> tuple[float, float]:
        reach, shift = share * dial.radius, off * dial.radius / 2
        return dial.x + along[0] * reach + aside[0] * shift, dial.y + along[1] * reach + aside[1] * shift

    outline = [(-tail, 0.8 * width), (tip * 0.4, width), (tip, 0.5 * width)]
    right = [beside(share, off) for share, off in outline]
    left = [beside(share, -off) for share, off in reversed(outline)]
    sheet.polygon(right + left, colour)


def draw_clock(
    sheet: Sheet, dial: Dial, hour: int, minute: int, second: int | None, level: int, rng: random.Random
) -> None:
    """A clock. From level 4 on it may lack minute marks and numbers, and has a second hand."""
    draw_face(sheet, dial, rng.choice(RINGS))
    bare = level >= 4 and rng.random() < 0.5
    count = 12 if bare else 60
    draw_marks(sheet, dial, [360 / count * place for place in range(count)], 1 if bare else 5, 0)
    style = rng.choice(("arabic", "arabic", "roman", "four") if level < 4 else ("arabic", "roman", "four", "none"))
    hours = range(0, 12, 3 if style == "four" else 1)
    if style != "none":
        texts = [ROMAN[place] if style == "roman" else str(place or 12) for place in hours]
        draw_numbers(sheet, dial, [30.0 * place for place in hours], texts, 0.72)
    if rng.random() < 0.5:
        name = rng.choice(("NORDLYS", "Meridian", "QUARTZ", "Alba", "TEMPO"))
        sheet.write(*dial.at(0, 0.4), name, 0.075 * dial.radius, dial.face.ink, dial.lettering)
    colour = dial.face.ink if rng.random() < 0.6 else rng.choice(dial.face.accents)
    slim = 1.0 - 0.1 * (level - 1)
    draw_hand(sheet, dial, 30 * hour + minute / 2, HOUR_TIP, 0.11 * slim, colour, 0.12)
    draw_hand(sheet, dial, 6 * minute, MINUTE_TIP, 0.065 * slim, colour, 0.14)
    if second is not None:
        thin = rng.choice([accent for accent in dial.face.accents if accent != colour])
        sheet.stroke(dial.at(6 * second + 180, 0.2), dial.at(6 * second, SECOND_TIP), 0.014 * dial.radius, thin)
        sheet.disc(dial.x, dial.y, 0.045 * dial.radius, thin)
    else:
        sheet.disc(dial.x, dial.y, 0.07 * dial.radius, colour)
    sheet.disc(dial.x, dial.y, 0.02 * dial.radius, dial.face.ground)


def draw_scale_body(sheet: Sheet, dial: Dial, rng: random.Random) -> None:
    """The case of a kitchen scale behind its dial: a pan on top, a body, feet."""
    body = rng.choice(((226, 226, 222), (170, 40, 44), (70, 120, 130), (90, 94, 100), (232, 200, 120), (120, 150, 110)))
    darker = (body[0] * 3 // 4, body[1] * 3 // 4, body[2] * 3 // 4)
    r, x, y = dial.radius, dial.x, dial.y
    sheet.box(x - 0.9 * r, y + 1.15 * r, x - 0.55 * r, y + 1.4 * r, (50, 50, 54), corner=0.05 * r)
    sheet.box(x + 0.55 * r, y + 1.15 * r, x + 0.9 * r, y + 1.4 * r, (50, 50, 54), corner=0.05 * r)
    sheet.box(x - 0.25 * r, y - 1.5 * r, x + 0.25 * r, y - 1.1 * r, darker)
    sheet.polygon(
        [
            (x - 1.3 * r, y - 1.62 * r),
            (x + 1.3 * r, y - 1.62 * r),
            (x + 1.0 * r, y - 1.4 * r),
            (x - 1.0 * r, y - 1.4 * r),
        ],
        (196, 200, 206),
    )
    sheet.box(x - 1.35 * r, y - 1.66 * r, x + 1.35 * r, y - 1.58 * r, (222, 225, 230), corner=0.04 * r)
    sheet.box(x - 1.3 * r, y - 1.25 * r, x + 1.3 * r, y + 1.3 * r, darker, corner=0.22 * r)
    sheet.box(x - 1.26 * r, y - 1.22 * r, x + 1.26 * r, y + 1.25 * r, body, corner=0.2 * r)
