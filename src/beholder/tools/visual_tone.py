"""Tools that change the values of pixels, not their places: adjust, equalize, threshold, edges, colour mask.

Luminance is the usual weighting of red, green and blue, 0.299, 0.587 and 0.114 (ITU-R BT.601), as Pillow makes it.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import numpy as np
import PIL.Image
from msgspec import Meta
from numpy.typing import NDArray
from PIL import ImageColor
from PIL.Image import Image

from beholder.tools.boxes import Refused, listed
from beholder.tools.tool import ToolResult
from beholder.tools.visual_bounds import ImageName, Pictures, check_size, picture_named

Mask = NDArray[np.bool_]
"""(height, width)."""
ColorName = Annotated[str, Meta(description="A name such as red, or #rrggbb.", max_length=40)]


class Adjust(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `adjust`."""

    brightness: Annotated[float, Meta(ge=0, le=8, description="Multiplies all values. 1 changes nothing.")] = 1
    contrast: Annotated[
        float, Meta(ge=0, le=8, description="Stretches values away from middle grey. 1 changes nothing.")
    ] = 1
    gamma: Annotated[
        float, Meta(ge=0.1, le=10, description="Above 1 lightens dark parts, below 1 darkens. 1 changes nothing.")
    ] = 1
    image: ImageName = "image_1"


def adjust(asked: Adjust, pictures: Pictures) -> ToolResult:
    """Brightness, then contrast about 127.5, then gamma; the same curve for red, green and blue."""
    picture = picture_named(asked.image, pictures)
    check_size(picture.size)
    levels = np.arange(256) * asked.brightness
    levels = np.clip((levels - 127.5) * asked.contrast + 127.5, 0, 255)
    levels = 255 * (levels / 255) ** (1 / asked.gamma)
    curve = [round(float(level)) for level in levels]
    settings = f"brightness {asked.brightness:g}, contrast {asked.contrast:g}, gamma {asked.gamma:g}"
    return ToolResult(text=f"Adjusted {asked.image}: {settings}.", pictures=(picture.point(curve * 3),))


class Equalize(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `equalize`."""

    image: ImageName = "image_1"


def equalize(asked: Equalize, pictures: Pictures) -> ToolResult:
    """Spreads the luminance over the whole range; colours keep their tint."""
    picture = picture_named(asked.image, pictures)
    check_size(picture.size)
    luminance, blue, red = picture.convert("YCbCr").split()
    curve, low, high = _equalizing(luminance.histogram())
    spread = PIL.Image.merge("YCbCr", (luminance.point(curve), blue, red)).convert("RGB")
    text = f"Equalized the histogram of {asked.image}: its luminance ran from {low} to {high} (of 0 to 255)."
    return ToolResult(text=text, pictures=(spread,))


def _equalizing(histogram: list[int]) -> tuple[list[int], int, int]:
    """The curve that spreads the values evenly, and the lowest and highest value that occur.

    A value becomes the share of pixels up to it, counted so that the lowest is 0 and the highest 255.
    """
    up_to = np.cumsum(histogram)
    present = np.flatnonzero(histogram)
    low, high = int(present[0]), int(present[-1])
    if low == high:
        return list(range(256)), low, high
    first, last = up_to[low], up_to[-1]
    curve = np.clip(np.rint((up_to - first) * 255 / (last - first)), 0, 255)
    return [int(value) for value in curve], low, high


class Threshold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `threshold`."""

    level: Annotated[int, Meta(ge=0, le=254, description="Luminance; left out, Otsu's method chooses it.")] | None = (
        None
    )
    image: ImageName = "image_1"


def threshold(asked: Threshold, pictures: Pictures) -> ToolResult:
    """White where the luminance is above the level, black elsewhere."""
    picture = picture_named(asked.image, pictures)
    check_size(picture.size)
    grey = picture.convert("L")
    level = otsu_level(grey.histogram()) if asked.level is None else asked.level
    above = np.asarray(grey) > level
    how = "chosen by Otsu's method" if asked.level is None else "as asked"
    text = f"Thresholded {asked.image} at luminance {level} ({how}). White: {_share(above)}."
    return ToolResult(text=text, pictures=(_drawn(above),))


def otsu_level(histogram: list[int]) -> int:
    """The level that best parts the values up to it from those above it (least variance within the two classes).

    Of equally good levels the middle one, so that it lies between two clear humps; for one value only, that value.
    """
    counts = np.array(histogram, dtype=np.float64)
    values = np.arange(counts.size)
    below, total = np.cumsum(counts), counts.sum()
    mass_below, mass = np.cumsum(counts * values), (counts * values).sum()
    above = total - below
    both = (below > 0) & (above > 0)
    if not both.any():
        return int(values[counts > 0][0])
    apart = np.zeros(counts.size)
    difference = mass_below[both] / below[both] - (mass - mass_below[both]) / above[both]
    apart[both] = below[both] * above[both] * difference**2
    best = np.flatnonzero(apart == apart.max())
    return int(best[(best.size - 1) // 2])


class Edges(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `edges`."""

    low: Annotated[int, Meta(ge=0, le=1000, description="Gradient from which an edge may go on.")] = 100
    high: Annotated[int, Meta(ge=0, le=1000, description="Gradient from which an edge begins.")] = 200
    image: ImageName = "image_1"


def edges(asked: Edges, pictures: Pictures) -> ToolResult:
    """Canny's edges of the luminance (Sobel 3x3), white on black. Needs OpenCV."""
    import cv2

    picture = picture_named(asked.image, pictures)
    check_size(picture.size)
    if asked.low > asked.high:
        raise Refused(f"low ({asked.low}) must not be above high ({asked.high}).")
    found: Mask = cv2.Canny(np.asarray(picture.convert("L")), asked.low, asked.high) > 0
    text = f"Edges of {asked.image} (Canny, thresholds {asked.low} and {asked.high}), white on black. "
    return ToolResult(text=f"{text}Edge pixels: {_share(found)}.", pictures=(_drawn(found),))


class ColorMask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `color_mask`."""

    color: ColorName
    tolerance: Annotated[
        int, Meta(ge=0, le=255, description="How far each of red, green and blue (0 to 255) may be off.")
    ] = 40
    image: ImageName = "image_1"


def color_mask(asked: ColorMask, pictures: Pictures) -> ToolResult:
    """White where the colour is near the one asked for; counts those pixels and says where they lie."""
    picture = picture_named(asked.image, pictures)
    check_size(picture.size)
    color = read_color(asked.color)
    bands = (np.asarray(band) for band in picture.split())
    near: Mask = np.ones((picture.height, picture.width), dtype=bool)
    for band, value in zip(bands, color, strict=True):
        near &= (band >= max(0, value - asked.tolerance)) & (band <= min(255, value + asked.tolerance))
    text = f"Pixels of {asked.image} within {asked.tolerance} of rgb{color}, white on black: {_share(near)}."
    if near.any():
        text += f" They lie within {listed(bounding_box(near))}."
    return ToolResult(text=text, pictures=(_drawn(near),))


def read_color(written: str) -> tuple[int, int, int]:
    """Red, green and blue, 0 to 255, of a colour's name or code. Raises `Refused`."""
    try:
        red, green, blue = ImageColor.getrgb(written.strip())[:3]
    except ValueError:
        red = green = blue = -1
    if not 0 <= min(red, green, blue) <= max(red, green, blue) <= 255:
        raise Refused(f"There is no colour {written!r}. Give a name such as red, or #rrggbb.")
    return red, green, blue


def bounding_box(mask: Mask) -> tuple[int, int, int, int]:
    """(left, top, right, bottom) around what is true; there must be something."""
    columns, rows = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _share(mask: Mask) -> str:
    """`1200 of 12000 pixels (10.00 %)`."""
    count = int(np.count_nonzero(mask))
    return f"{count} of {mask.size} pixels ({count / mask.size:.2%})".replace("%", " %")


def _drawn(mask: Mask) -> Image:
    white: NDArray[Any] = np.where(mask, np.uint8(255), np.uint8(0))
    return PIL.Image.fromarray(white).convert("RGB")
