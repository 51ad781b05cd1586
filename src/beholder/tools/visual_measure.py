"""Tools that tell of a picture and of two: the values of pixels, lengths and angles, and what differs."""

from __future__ import annotations

import math
from typing import Annotated

import msgspec
import numpy as np
import PIL.Image
from msgspec import Meta
from numpy.typing import NDArray
from PIL import ImageChops

from beholder.tools.boxes import Point, PointGiven, Refused, Units, listed, pixel_at, place_points, sized
from beholder.tools.tool import ToolResult
from beholder.tools.visual_bounds import ImageName, Pictures, check_size, picture_named
from beholder.tools.visual_tone import bounding_box

MOST_POINTS = 64


class ReadPixels(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `read_pixels`."""

    points: Annotated[tuple[PointGiven, ...], Meta(min_length=1, max_length=MOST_POINTS, description="[x, y] each.")]
    units: Units = "pixels"
    image: ImageName = "image_1"


def read_pixels(asked: ReadPixels, pictures: Pictures) -> ToolResult:
    """The colours of single pixels."""
    picture = picture_named(asked.image, pictures)
    points = place_points(asked.points, asked.units, picture.size)
    lines = [f"Colours in {asked.image} ({sized(picture.size)}):"]
    for column, row in (pixel_at(point, picture.size) for point in points):
        red, green, blue = picture.getpixel((column, row))  # type: ignore[misc]
        lines.append(f"({column}, {row}): rgb({red}, {green}, {blue}) #{red:02x}{green:02x}{blue:02x}")
    return ToolResult(text="\n".join(lines))


class Measure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `measure`."""

    points: Annotated[
        tuple[PointGiven, ...],
        Meta(min_length=2, max_length=3, description="Two points for a length; three for an angle, vertex second."),
    ]
    units: Units = "pixels"
    image: ImageName = "image_1"


def measure(asked: Measure, pictures: Pictures) -> ToolResult:
    """The length between two points, or the angle (0 to 180 degrees) at the second of three."""
    picture = picture_named(asked.image, pictures)
    points = place_points(asked.points, asked.units, picture.size)
    first, second = points[0], points[1]
    length = math.dist(first, second)
    if len(points) == 2:
        right, down = second[0] - first[0], second[1] - first[1]
        text = f"Length from {_at(first)} to {_at(second)} in {asked.image}: {length:.2f} pixels "
        return ToolResult(text=f"{text}({_way(right, 'right', 'left')}, {_way(down, 'down', 'up')}).")
    third = points[2]
    other = math.dist(third, second)
    if not length or not other:
        raise Refused("An angle needs a vertex (the second point) that differs from both other points.")
    angle = _angle(first, second, third)
    arms = f"its arms are {length:.2f} and {other:.2f} pixels long"
    text = (
        f"Angle at {_at(second)} between {_at(first)} and {_at(third)} in {asked.image}: {angle:.2f} degrees; {arms}."
    )
    return ToolResult(text=text)


def _angle(first: Point, vertex: Point, third: Point) -> float:
    """Degrees, 0 to 180. Made from the cross and the dot product, which is exact near 0 and 180 too."""
    x1, y1, x2, y2 = first[0] - vertex[0], first[1] - vertex[1], third[0] - vertex[0], third[1] - vertex[1]
    return math.degrees(math.atan2(abs(x1 * y2 - y1 * x2), x1 * x2 + y1 * y2))


def _at(point: Point) -> str:
    return f"({point[0]:.6g}, {point[1]:.6g})"


def _way(value: float, ahead: str, back: str) -> str:
    return f"{abs(value):.6g} {ahead if value >= 0 else back}"


class Difference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `difference`."""

    other: Annotated[str, Meta(description="The picture to compare with.", max_length=40)] = "image_2"
    tolerance: Annotated[int, Meta(ge=0, le=254, description="Differences up to this much (of 255) count as none.")] = 0
    gain: Annotated[float, Meta(ge=1, le=64, description="Makes the differences that are shown brighter.")] = 1
    image: ImageName = "image_1"


def difference(asked: Difference, pictures: Pictures) -> ToolResult:
    """How far each pixel's colours lie apart in two pictures of one size; black where they are equal."""
    one, two = picture_named(asked.image, pictures), picture_named(asked.other, pictures)
    names = f"{asked.image} and {asked.other}"
    if one.size != two.size:
        sizes = f"{sized(one.size)} and {sized(two.size)}"
        raise Refused(f"{names} differ in size: {sizes}. Crop or resize one of them first.")
    check_size(one.size)
    apart = ImageChops.difference(one, two)
    values: NDArray[np.uint8] = np.asarray(apart)
    differing = values.max(axis=2) > asked.tolerance
    brighter = apart.point([min(255, round(level * asked.gain)) for level in range(256)] * 3)
    shown = PIL.Image.new("RGB", one.size)
    shown.paste(brighter, mask=PIL.Image.fromarray(differing))
    count = int(np.count_nonzero(differing))
    beyond = f" by more than {asked.tolerance}" if asked.tolerance else ""
    if count:
        text = (
            f"{names} differ{beyond} in {count} of {differing.size} pixels ({100 * count / differing.size:.2f} %), "
            f"within {listed(bounding_box(differing))}; the largest difference is {int(values.max())} of 255."
        )
    else:
        text = f"{names} differ{beyond} in no pixel."
    if asked.gain != 1:
        text += f" Differences are shown {asked.gain:g} times brighter."
    return ToolResult(text=text, pictures=(shown,))
