"""How an instrument is seen: drawn flat on a sheet, then looked at from an angle, under a lamp, with a noisy camera.

Plane coordinates are pixels of the picture when it is seen straight from the front, from its centre, x to the right
and y down. The camera stands `DISTANCE` picture sides away. The drawing is made at `FINER` times the size.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from beholder.seeds import rng_for, seed_for
from beholder.synth.inks import Colour
from beholder.synth.item import Pixels
from beholder.synth.typefaces import typeface

FINER = 2
DISTANCE = 2.2

Floats = NDArray[np.float64]


class Glare(msgspec.Struct, frozen=True):
    """A soft bright ellipse: centre and half axes in pixels of the picture, turn in degrees, and the share of white in
    its middle."""

    x: float
    y: float
    long: float
    short: float
    turn: float
    strength: float


class View(msgspec.Struct, frozen=True):
    """The picture's size; the sheet's turn in its plane (`roll`) and out of it (`tilt` about the x axis, `slant` about
    the y axis), in degrees; glares; shading (share lost at the darkest corner, direction in degrees); noise (standard
    deviation in grey levels)."""

    width: int
    height: int
    roll: float
    tilt: float
    slant: float
    glares: tuple[Glare, ...]
    shade: float
    shade_from: float
    noise: float


class Hardness(msgspec.Struct, frozen=True):
    """What one level does to the view: the greatest roll and tilt (degrees), glare, shading and noise."""

    roll: float
    tilt: float
    glare: float
    shade: float
    noise: float


HARDNESS = {
    1: Hardness(roll=0.0, tilt=0.0, glare=0.0, shade=0.0, noise=0.0),
    2: Hardness(roll=3.0, tilt=8.0, glare=0.0, shade=0.12, noise=1.5),
    3: Hardness(roll=5.0, tilt=20.0, glare=0.4, shade=0.2, noise=3.0),
    4: Hardness(roll=7.0, tilt=26.0, glare=0.5, shade=0.25, noise=4.5),
    5: Hardness(roll=8.0, tilt=30.0, glare=0.6, shade=0.3, noise=6.0),
}


def draw_view(width: int, height: int, level: int, rng: random.Random) -> View:
    """A view of that size, as hard as the level says."""
    hard = HARDNESS[level]
    around = rng.uniform(0, 360)
    lean = rng.uniform(0.6, 1.0) * hard.tilt
    glares = []
    if hard.glare:
        for strength in (hard.glare,) if level < 5 else (hard.glare, hard.glare / 2):
            longest = rng.uniform(0.25, 0.45) * min(width, height)
            glares.append(
                Glare(
                    x=round(rng.uniform(0.25, 0.75) * width, 1),
                    y=round(rng.uniform(0.2, 0.7) * height, 1),
                    long=round(longest, 1),
                    short=round(longest * rng.uniform(0.3, 0.7), 1),
                    turn=round(rng.uniform(0, 180), 1),
                    strength=round(rng.uniform(0.7, 1.0) * strength, 3),
                )
            )
    return View(
        width=width,
        height=height,
        roll=round(rng.uniform(-hard.roll, hard.roll), 2),
        tilt=round(lean * math.sin(math.radians(around)), 2),
        slant=round(lean * math.cos(math.radians(around)), 2),
        glares=tuple(glares),
        shade=hard.shade,
        shade_from=round(rng.uniform(0, 360), 1),
        noise=hard.noise,
    )


def homography(view: View) -> Floats:
    """(3, 3): plane coordinates (x, y, 1) to the picture's pixels from its centre, up to scale."""
    roll, tilt, slant = (math.radians(angle) for angle in (view.roll, view.tilt, view.slant))
    in_plane = np.array([[math.cos(roll), -math.sin(roll), 0], [math.sin(roll), math.cos(roll), 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, math.cos(tilt), -math.sin(tilt)], [0, math.sin(tilt), math.cos(tilt)]])
    about_y = np.array([[math.cos(slant), 0, math.sin(slant)], [0, 1, 0], [-math.sin(slant), 0, math.cos(slant)]])
    turned = about_x @ about_y @ in_plane
    distance = DISTANCE * max(view.width, view.height)
    seen: Floats = np.array([distance * turned[0], distance * turned[1], turned[2]])
    seen[:, 2] = (0, 0, distance)
    return seen


def project(view: View, x: float, y: float) -> tuple[float, float]:
    """Where a point of the plane is in the picture, in pixels from the upper left corner."""
    across, down, depth = homography(view) @ (x, y, 1.0)
    return across / depth + view.width / 2, down / depth + view.height / 2


def apart(view: View, one: tuple[float, float], other: tuple[float, float]) -> float:
    """Pixels in the picture between two points of the plane."""
    return math.dist(project(view, *one), project(view, *other))


class Sheet:
    """A transparent sheet that an instrument is drawn on, in plane coordinates."""

    def __init__(self, width: int, height: int) -> None:
        # The fourth band is the coverage. Everything drawn is opaque, so the colours are weighted by it already, and
        # "RGBX" keeps Pillow from weighting them again, which takes longer than the view itself.
        self.image = Image.new("RGBX", (width * FINER, height * FINER), (0, 0, 0, 0))
        self._pen = ImageDraw.Draw(self.image)
        self._middle = (width * FINER / 2, height * FINER / 2)

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return self._middle[0] + x * FINER, self._middle[1] + y * FINER

    def polygon(self, corners: Sequence[tuple[float, float]], colour: Colour) -> None:
        self._pen.polygon([self._at(x, y) for x, y in corners], fill=(*colour, 255))

    def stroke(self, start: tuple[float, float], end: tuple[float, float], width: float, colour: Colour) -> None:
        """A straight line with flat ends."""
        length = math.dist(start, end) or 1.0
        off_x, off_y = (start[1] - end[1]) * width / 2 / length, (end[0] - start[0]) * width / 2 / length
        (x0, y0), (x1, y1) = start, end
        self.polygon(
            [(x0 + off_x, y0 + off_y), (x1 + off_x, y1 + off_y), (x1 - off_x, y1 - off_y), (x0 - off_x, y0 - off_y)],
            colour,
        )

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        left, top = self._at(x - radius, y - radius)
        right, bottom = self._at(x + radius, y + radius)
        self._pen.ellipse((left, top, right, bottom), fill=(*colour, 255))

    def arc(self, radius: float, start: float, end: float, width: float, colour: Colour, x: float, y: float) -> None:
        """Part of a ring about (x, y), inwards from `radius`; angles in degrees clockwise from the top."""
        left, top = self._at(x - radius, y - radius)
        right, bottom = self._at(x + radius, y + radius)
        self._pen.arc((left, top, right, bottom), start - 90, end - 90, fill=(*colour, 255), width=round(width * FINER))

    def box(self, left: float, top: float, right: float, bottom: float, colour: Colour, *, corner: float = 0.0) -> None:
        x0, y0 = self._at(left, top)
        x1, y1 = self._at(right, bottom)
        self._pen.rounded_rectangle((x0, y0, x1, y1), radius=corner * FINER, fill=(*colour, 255))

    def write(self, x: float, y: float, text: str, size: float, colour: Colour, face: str) -> None:
        """Text with its middle at (x, y), `size` pixels an em."""
        letters = typeface(face, max(6, round(size * FINER)))
        self._pen.text(self._at(x, y), text, font=letters, fill=(*colour, 255), anchor="mm")


def photograph(sheet: Sheet, ground: Pixels, view: View, seed: int) -> Pixels:
    """The sheet over the ground as the camera sees it, (height, width, 3)."""
    seen = np.asarray(_seen(sheet.image, view), dtype=np.float32)
    picture = seen[..., :3] + ground * (1 - seen[..., 3:] / 255)
    gain, white = _light(view)
    if view.noise:
        grain = np.random.Generator(np.random.PCG64(seed_for(seed, "instrument", "noise")))
        white += np.float32(view.noise) * grain.standard_normal((view.height, view.width), dtype=np.float32)
    picture *= gain[..., None]
    picture += white[..., None]
    return np.asarray(np.clip(picture, 0, 255, out=picture), dtype=np.uint8)


def _seen(image: Image.Image, view: View) -> Image.Image:
    if not (view.roll or view.tilt or view.slant):
        return image.reduce(FINER)
    middle = np.array([[1, 0, view.width / 2], [0, 1, view.height / 2], [0, 0, 1]])
    finer = np.diag([FINER, FINER, 1.0])
    back = finer @ middle @ np.linalg.inv(middle @ homography(view))
    eight = tuple(float(value) for value in (back / back[2, 2]).ravel()[:8])
    # Two drawn pixels a pixel seen: interpolating between them averages the edges as well.
    size = (view.width, view.height)
    return image.transform(size, Image.Transform.PERSPECTIVE, eight, Image.Resampling.BILINEAR)


def _light(view: View) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What each pixel is multiplied by, and what is added to it, (height, width) each."""
    across = np.arange(view.width, dtype=np.float32)[None, :]
    down = np.arange(view.height, dtype=np.float32)[:, None]
    toward = math.radians(view.shade_from)
    reach = abs(math.cos(toward)) * view.width + abs(math.sin(toward)) * view.height
    along = (across - view.width / 2) * math.cos(toward) + (down - view.height / 2) * math.sin(toward)
    gain = (1 - view.shade * (0.5 + along / reach)).astype(np.float32)
    white: NDArray[np.float32] = np.full_like(gain, 0.5)
    for glare in view.glares:
        turn = math.radians(glare.turn)
        along = ((across - glare.x) * math.cos(turn) + (down - glare.y) * math.sin(turn)) / glare.long
        aside = ((down - glare.y) * math.cos(turn) - (across - glare.x) * math.sin(turn)) / glare.short
        veil = (glare.strength * np.exp(-((along**2 + aside**2) ** 2))).astype(np.float32)
        gain *= 1 - veil
        white = white * (1 - veil) + 255 * veil
    return gain, white


GROUNDS: tuple[Colour, ...] = (
    (188, 170, 148),
    (150, 116, 84),
    (206, 206, 200),
    (132, 144, 152),
    (170, 186, 172),
    (120, 128, 112),
    (196, 180, 186),
    (112, 98, 104),
    (150, 168, 190),
)
"""Colours of walls and tables: none as light as a white face, none as dark as a black one."""


UNLIKE = 60
"""Grey levels of the channel that differs most."""


def difference(one: Colour, other: Colour) -> int:
    """By how much the channel that differs most differs."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def draw_ground(width: int, height: int, seed: int, plate: Colour | None) -> Pixels:
    """A wall or table, (height, width, 3): plain, boarded or tiled, softly uneven, and clearly unlike the plate that
    is to lie on it."""
    rng = rng_for(seed, "instrument", "ground")
    unlike = [ground for ground in GROUNDS if plate is None or difference(ground, plate) >= UNLIKE]
    colour = np.array(rng.choice(unlike), dtype=np.float32)
    across = np.arange(width, dtype=np.float32)[None, :]
    down = np.arange(height, dtype=np.float32)[:, None]
    pattern = rng.choice(("plain", "boards", "tiles", "weave"))
    step = rng.randint(46, 90)
    tone: NDArray[np.float32] = (
        8 * np.sin(across / rng.uniform(60, 160) + rng.uniform(0, 6)) * np.sin(down / rng.uniform(60, 160))
    )
    if pattern == "boards":
        tone += 3 * np.sin(down / rng.uniform(3, 6) + 2 * np.sin(across / rng.uniform(50, 120)))
        tone -= 22 * (down % step < 2)
    elif pattern == "tiles":
        tone += 10 * ((down % step < 3) | (across % step < 3))
    elif pattern == "weave":
        tone += 4 * np.sin(across * 0.9) * np.sin(down * 0.9)
    return np.asarray(np.clip(colour + tone[..., None], 0, 255), dtype=np.uint8)
