"""The tool that draws on a picture: lines and boxes, to check what lies where."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta
from PIL import ImageDraw

from beholder.tools.boxes import (
    CLAMPED,
    BoxGiven,
    Point,
    Refused,
    Size,
    Units,
    check_point_units,
    listed,
    place_box,
    scale_point,
    sized,
)
from beholder.tools.tool import ToolResult
from beholder.tools.visual_bounds import ImageName, Pictures, check_size, picture_named
from beholder.tools.visual_tone import ColorName, read_color

MOST_MARKS = 32


class Draw(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `draw`."""

    lines: Annotated[tuple[BoxGiven, ...], Meta(max_length=MOST_MARKS, description="[x1, y1, x2, y2] each.")] = ()
    boxes: Annotated[
        tuple[BoxGiven, ...], Meta(max_length=MOST_MARKS, description="[left, top, right, bottom] each.")
    ] = ()
    color: ColorName = "red"
    width: Annotated[int, Meta(ge=1, le=100, description="Of the strokes, in pixels.")] = 3
    units: Units = "pixels"
    image: ImageName = "image_1"


def draw(asked: Draw, pictures: Pictures) -> ToolResult:
    """Draws lines and the outlines of boxes on a copy. Box strokes lie inside the box; what lies outside is cut off."""
    picture = picture_named(asked.image, pictures)
    check_size(picture.size)
    if not asked.lines and not asked.boxes:
        raise Refused("Give lines, boxes, or both.")
    color = read_color(asked.color)
    lines = _placed_lines(asked, picture.size)
    boxes = [place_box(box, asked.units, picture.size) for box in asked.boxes]
    marked = picture.copy()
    pen = ImageDraw.Draw(marked)
    for start, end in lines:
        pen.line([start, end], fill=color, width=asked.width)
    for placed in boxes:
        left, top, right, bottom = placed.box
        pen.rectangle((left, top, right - 1, bottom - 1), outline=color, width=min(asked.width, *placed.size))
    cut = [line for line, given in zip(lines, asked.lines, strict=True) if not _same(line, given, asked, picture.size)]
    notes = [placed.note for placed in boxes if placed.note]
    if cut:
        notes.append(f"{len(cut)} of the lines reached outside the picture ({sized(picture.size)}) and were cut to it.")
    drawn = [f"line {listed((*start, *end))}" for start, end in lines] + [f"box {listed(one.box)}" for one in boxes]
    text = f"Drew on a copy of {asked.image} in {asked.color.strip()}, {asked.width} wide: {', '.join(drawn)}."
    return ToolResult(text=" ".join((*notes, text)), pictures=(marked,), flags=(CLAMPED,) if notes else ())


def _placed_lines(asked: Draw, size: Size) -> list[tuple[Point, Point]]:
    """The lines in pixels, cut to the picture. Raises `Refused` for one that does not touch it."""
    check_point_units([point for line in asked.lines for point in (line[:2], line[2:])], asked.units, size)
    placed = []
    for line in asked.lines:
        start, end = (scale_point(point, asked.units, size) for point in (line[:2], line[2:]))
        cut = _cut_to(start, end, size)
        if cut is None:
            raise Refused(f"The line {listed(line)} lies outside the picture, which is {sized(size)}.")
        placed.append(cut)
    return placed


def _cut_to(start: Point, end: Point, size: Size) -> tuple[Point, Point] | None:
    """The piece of a line that lies in the picture, or None: the shares of its length at which it enters and leaves."""
    enters, leaves = 0.0, 1.0
    for from_, to, length in zip(start, end, size, strict=True):
        run = to - from_
        if run == 0:
            if not 0 <= from_ <= length:
                return None
            continue
        at_borders = sorted((-from_ / run, (length - from_) / run))
        enters, leaves = max(enters, at_borders[0]), min(leaves, at_borders[1])
    if enters > leaves:
        return None
    return _along(start, end, enters, size), _along(start, end, leaves, size)


def _along(start: Point, end: Point, share: float, size: Size) -> Point:
    if share in (0, 1):  # untouched ends stay exactly as they were
        return end if share else start
    x, y = (from_ + share * (to - from_) for from_, to in zip(start, end, strict=True))
    return min(max(x, 0), size[0]), min(max(y, 0), size[1])


def _same(line: tuple[Point, Point], given: BoxGiven, asked: Draw, size: Size) -> bool:
    return line == (scale_point(given[:2], asked.units, size), scale_point(given[2:], asked.units, size))
