"""Tools that change where things are in a picture: crop and enlarge, rotate, flip, resize."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from PIL.Image import Resampling, Transpose

from beholder.tools.boxes import BoxGiven, Refused, Size, Units, listed, place_box, sized
from beholder.tools.tool import ToolResult
from beholder.tools.visual_bounds import LONGEST_SIDE, ImageName, Pictures, check_size, picture_named

_QUARTERS_COUNTERCLOCKWISE = {0: None, 90: Transpose.ROTATE_90, 180: Transpose.ROTATE_180, 270: Transpose.ROTATE_270}
_FILLS = {"white": (255, 255, 255), "black": (0, 0, 0)}

Side = Annotated[int, Meta(ge=1, le=LONGEST_SIDE)]


class Crop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `crop`."""

    box: Annotated[BoxGiven, Meta(description="[left, top, right, bottom].")]
    zoom: Annotated[float, Meta(ge=1, le=32, description="How many times the piece is enlarged.")] = 1
    units: Units = "pixels"
    image: ImageName = "image_1"


def crop(asked: Crop, pictures: Pictures) -> ToolResult:
    """Cuts a box out, and enlarges it (bicubic)."""
    picture = picture_named(asked.image, pictures)
    placed = place_box(asked.box, asked.units, picture.size)
    size = _times(placed.size, asked.zoom)
    check_size(size)
    piece = picture.crop(placed.box)
    if size != piece.size:
        piece = piece.resize(size, Resampling.BICUBIC)
    enlarged = f", enlarged {asked.zoom:g} times" if asked.zoom != 1 else ""
    text = f"Cut {listed(placed.box)} (pixels) out of {asked.image}{enlarged}. Result: {sized(size)}."
    return ToolResult(text=" ".join(filter(None, (placed.note, text))), pictures=(piece,), flags=placed.flags)


class Rotate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `rotate`."""

    degrees: Annotated[float, Meta(ge=0, le=360, description="Angle to turn by; the sense is set by direction.")]
    direction: Literal["clockwise", "counterclockwise"]
    fill: Annotated[Literal["white", "black"], Meta(description="Colour of the new corners.")] = "white"
    image: ImageName = "image_1"


def rotate(asked: Rotate, pictures: Pictures) -> ToolResult:
    """Turns the whole picture; the result is large enough to keep its corners. Quarter turns are exact."""
    picture = picture_named(asked.image, pictures)
    clockwise = asked.direction == "clockwise"
    counterclockwise = (-asked.degrees if clockwise else asked.degrees) % 360  # Pillow's sense
    corners = ""
    if counterclockwise in _QUARTERS_COUNTERCLOCKWISE:
        turn = _QUARTERS_COUNTERCLOCKWISE[int(counterclockwise)]
        check_size(picture.size if counterclockwise % 180 == 0 else picture.size[::-1])
        turned = picture.transpose(turn) if turn is not None else picture.copy()
    else:
        check_size(_size_around(picture.size, counterclockwise))
        turned = picture.rotate(counterclockwise, Resampling.BICUBIC, expand=True, fillcolor=_FILLS[asked.fill])
        check_size(turned.size)  # Pillow may add a pixel to what was reckoned
        corners = f" Nothing was cut off; the new corners are {asked.fill}."
    text = (
        f"Rotated {asked.image} by {asked.degrees:g} degrees {asked.direction}. Result: {sized(turned.size)}.{corners}"
    )
    return ToolResult(text=text, pictures=(turned,))


class Flip(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `flip`."""

    swap: Annotated[Literal["left_right", "top_bottom"], Meta(description="Which sides change places.")]
    image: ImageName = "image_1"


def flip(asked: Flip, pictures: Pictures) -> ToolResult:
    """Mirrors the picture."""
    picture = picture_named(asked.image, pictures)
    check_size(picture.size)
    way = Transpose.FLIP_LEFT_RIGHT if asked.swap == "left_right" else Transpose.FLIP_TOP_BOTTOM
    first, second = asked.swap.split("_")
    text = f"Mirrored {asked.image}: {first} and {second} are swapped. Result: {sized(picture.size)}."
    return ToolResult(text=text, pictures=(picture.transpose(way),))


class Resize(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `resize`."""

    width: Annotated[Side, Meta(description="New width in pixels.")] | None = None
    height: Annotated[Side, Meta(description="New height in pixels.")] | None = None
    factor: Annotated[float, Meta(ge=0.01, le=32, description="Scales both sides; give it alone.")] | None = None
    image: ImageName = "image_1"


def resize(asked: Resize, pictures: Pictures) -> ToolResult:
    """Scales the whole picture (Lanczos). With one of width and height the other follows."""
    picture = picture_named(asked.image, pictures)
    size = _asked_size(asked, picture.size)
    check_size(size)
    text = f"Resized {asked.image} from {sized(picture.size)} to {sized(size)}."
    across, down = size[0] / picture.width, size[1] / picture.height
    if not math.isclose(across, down, rel_tol=0.02):
        text += f" The shape changed: widths by {across:.3g}, heights by {down:.3g}."
    return ToolResult(text=text, pictures=(picture.resize(size, Resampling.LANCZOS),))


def _asked_size(asked: Resize, size: Size) -> Size:
    if asked.factor is not None:
        if asked.width is not None or asked.height is not None:
            raise Refused("Give either factor, or width and height, not both.")
        return _times(size, asked.factor)
    if asked.width is not None and asked.height is not None:
        return asked.width, asked.height
    if asked.width is not None:
        return asked.width, max(1, round(size[1] * asked.width / size[0]))
    if asked.height is not None:
        return max(1, round(size[0] * asked.height / size[1])), asked.height
    raise Refused("Give width, height, both, or factor.")


def _times(size: Size, factor: float) -> Size:
    return max(1, round(size[0] * factor)), max(1, round(size[1] * factor))


def _size_around(size: Size, degrees: float) -> Size:
    """The size of the upright box around the turned picture, to a pixel."""
    across, along = abs(math.cos(math.radians(degrees))), abs(math.sin(math.radians(degrees)))
    return math.ceil(size[0] * across + size[1] * along), math.ceil(size[0] * along + size[1] * across)
