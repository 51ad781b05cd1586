"""A sheet of 640 × 480 points that the posters of the example set are drawn on, and which knows where its parts are.

A part's box is where the pixels changed while it was drawn: nobody types it a second time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from PIL import Image, ImageChops, ImageDraw

from beholder.annotation import Box
from beholder.synth.photographs import shipped_photos
from beholder.synth.png import encode_png
from beholder.synth.typefaces import typeface

Point = tuple[float, float]
Colour = str | tuple[int, int, int] | tuple[int, int, int, int]

WIDTH, HEIGHT = 640, 480
_FINER = 2
"""Drawn so many times larger and scaled down at the end, so that edges are smooth."""


class Canvas:
    """One picture while it is drawn. Places and lengths are in points from the upper left corner; a colour of four
    numbers ends in its opacity (0..255)."""

    def __init__(self, top: Colour, bottom: Colour | None = None) -> None:
        self._image = Image.new("RGB", (WIDTH * _FINER, HEIGHT * _FINER), top)
        self._pen = ImageDraw.Draw(self._image, "RGBA")
        self.parts: dict[str, Box] = {}
        if bottom is not None:
            self._shade(bottom)

    def _shade(self, bottom: Colour) -> None:
        wide, high = self._image.size
        mask = Image.linear_gradient("L").resize((1, high)).resize((wide, high), Image.Resampling.NEAREST)
        self._image.paste(Image.new("RGB", (wide, high), bottom), (0, 0), mask)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """What is drawn inside is the part of that name; its box goes into `parts`, as shares of the sheet."""
        before = self._image.copy()
        yield
        changed = ImageChops.difference(before, self._image).getbbox()
        assert changed is not None, f"nothing was drawn for {name}"
        self._keep(name, *changed)

    def _keep(self, name: str, left: float, top: float, right: float, bottom: float) -> None:
        assert name not in self.parts, f"{name} is drawn twice"
        wide, high = self._image.size
        edges = (left / wide, top / high, right / wide, bottom / high)
        first, second, third, fourth = (round(min(max(edge, 0.0), 1.0), 4) for edge in edges)
        self.parts[name] = (first, second, third, fourth)

    def rect(self, left: float, top: float, right: float, bottom: float, fill: Colour, *, round_by: float = 0) -> None:
        """A rectangle, its corners rounded by a radius."""
        box = _scaled([(left, top), (right, bottom)])
        if round_by:
            self._pen.rounded_rectangle(box, round_by * _FINER, fill=fill)
        else:
            self._pen.rectangle(box, fill=fill)

    def oval(self, x: float, y: float, across: float, down: float, fill: Colour) -> None:
        """An ellipse around (x, y) with half its width and half its height."""
        self._pen.ellipse(_scaled([(x - across, y - down), (x + across, y + down)]), fill=fill)

    def disc(self, x: float, y: float, radius: float, fill: Colour) -> None:
        """A filled circle."""
        self.oval(x, y, radius, radius, fill)

    def ring(self, x: float, y: float, radius: float, width: float, fill: Colour) -> None:
        """A circle's line of that width, whose outer edge has the radius."""
        box = _scaled([(x - radius, y - radius), (x + radius, y + radius)])
        self._pen.ellipse(box, outline=fill, width=round(width * _FINER))

    def slice(self, x: float, y: float, radius: float, start: float, end: float, fill: Colour) -> None:
        """A piece of a pie, in degrees clockwise from the right."""
        self._pen.pieslice(_scaled([(x - radius, y - radius), (x + radius, y + radius)]), start, end, fill=fill)

    def shape(self, points: Sequence[Point], fill: Colour) -> None:
        """A filled polygon."""
        self._pen.polygon(_scaled(points), fill=fill)

    def blob(self, points: Sequence[Point], fill: Colour) -> None:
        """A filled shape with a smooth closed edge through the points."""
        self.shape(_smooth([points[-1], *points, points[0], points[1]]), fill)

    def line(self, points: Sequence[Point], width: float, fill: Colour) -> None:
        """A line of straight pieces with round ends and joints."""
        self._pen.line(_scaled(points), fill=fill, width=round(width * _FINER), joint="curve")
        if len(fill) != 4:  # two half-transparent layers would show
            for x, y in points:
                self.disc(x, y, width / 2, fill)

    def curve(self, points: Sequence[Point], width: float, fill: Colour) -> None:
        """A smooth line through the points."""
        self.line(_smooth([points[0], *points, points[-1]]), width, fill)

    def text(
        self,
        x: float,
        y: float,
        said: str,
        size: float,
        fill: Colour,
        *,
        face: str = "DejaVuSans-Bold",
        anchor: str = "mm",
    ) -> None:
        """One line of letters, its middle at (x, y) unless `anchor` says otherwise (as Pillow's)."""
        font = typeface(face, round(size * _FINER))
        self._pen.text((x * _FINER, y * _FINER), said, fill=fill, font=font, anchor=anchor)

    def photograph(
        self, name: str, left: float, top: float, width: float, seen: dict[str, tuple[float, float, float, float]]
    ) -> None:
        """A shipped photograph, `width` points wide. `seen` names what it shows: parts in shares of the photograph."""
        photos = shipped_photos()
        photo = photos.pixels(photos.place(name))
        high = width * photo.height / photo.width
        size = (round(width * _FINER), round(high * _FINER))
        self._image.paste(photo.resize(size, Image.Resampling.BICUBIC), (round(left * _FINER), round(top * _FINER)))
        for part, (x, y, right, bottom) in seen.items():
            edges = (left + x * width, top + y * high, left + right * width, top + bottom * high)
            self._keep(part, *(edge * _FINER for edge in edges))

    def png(self) -> bytes:
        """The finished picture as a PNG file of 640 × 480 pixels."""
        return encode_png(np.asarray(self._image.reduce(_FINER)))


def around(x: float, y: float, radius: float, degrees: float) -> Point:
    """The point at a distance from (x, y), in degrees clockwise from the right."""
    angle = math.radians(degrees)
    return x + radius * math.cos(angle), y + radius * math.sin(angle)


def _scaled(points: Sequence[Point]) -> list[Point]:
    return [(x * _FINER, y * _FINER) for x, y in points]


def _smooth(points: Sequence[Point], steps: int = 16) -> list[Point]:
    """The Catmull-Rom curve through all points but the first and the last."""
    found = []
    for a, b, c, d in zip(points, points[1:], points[2:], points[3:], strict=False):
        for step in range(steps):
            t = step / steps
            found.append((_spline(a[0], b[0], c[0], d[0], t), _spline(a[1], b[1], c[1], d[1], t)))
    return [*found, points[-2]]


def _spline(a: float, b: float, c: float, d: float, t: float) -> float:
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
