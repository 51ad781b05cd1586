"""Tools that take a picture apart in a grid, and put pieces together."""

from __future__ import annotations

from itertools import accumulate
from typing import Annotated

import msgspec
import PIL.Image
from msgspec import Meta
from PIL.Image import Image

from beholder.tools.boxes import Box, Refused, Size, listed, sized
from beholder.tools.tool import ToolResult
from beholder.tools.visual_bounds import MOST_PICTURES, ImageName, Pictures, check_size, picture_named

MOST_ROWS = 16
WHITE = (255, 255, 255)

Rows = Annotated[int, Meta(ge=1, le=MOST_ROWS)]


class SplitGrid(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `split_grid`."""

    rows: Rows
    columns: Rows
    image: ImageName = "image_1"


def split_grid(asked: SplitGrid, pictures: Pictures) -> ToolResult:
    """The tiles of a grid, row by row from the upper left."""
    picture = picture_named(asked.image, pictures)
    boxes = tile_boxes(picture.size, asked.rows, asked.columns)
    check_size(*((box[2] - box[0], box[3] - box[1]) for box in boxes))
    lines = [f"Split {asked.image} into {asked.rows} rows and {asked.columns} columns, row by row from the upper left:"]
    lines += [f"tile {number}: {listed(box)}" for number, box in enumerate(boxes, 1)]
    return ToolResult(text="\n".join(lines), pictures=tuple(picture.crop(box) for box in boxes))


class ArrangeTiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `arrange_tiles`."""

    rows: Rows
    columns: Rows
    order: Annotated[
        tuple[int, ...],
        Meta(
            max_length=MOST_ROWS**2,
            description="Tile numbers, from 1 (upper left, row by row), in the order in which they fill the places.",
        ),
    ] = ()
    images: Annotated[
        tuple[ImageName, ...], Meta(max_length=MOST_PICTURES, description="Pictures to use as tiles; replaces image.")
    ] = ()
    image: ImageName = "image_1"


def arrange_tiles(asked: ArrangeTiles, pictures: Pictures) -> ToolResult:
    """Fills the places of a grid with the tiles of one picture, or with several pictures; empty places are white."""
    places = asked.rows * asked.columns
    if asked.images:
        tiles = [picture_named(name, pictures) for name in asked.images]
        source = ", ".join(asked.images)
        if len(tiles) > places:
            raise Refused(f"{len(tiles)} pictures do not fit into {places} places ({asked.rows} x {asked.columns}).")
    else:
        picture = picture_named(asked.image, pictures)
        if not asked.order:
            raise Refused(f"Give order, the numbers 1 to {places} in the order wanted; or images, several pictures.")
        tiles = [picture.crop(box) for box in tile_boxes(picture.size, asked.rows, asked.columns)]
        source = f"the tiles of {asked.image}"
    order = asked.order or tuple(range(1, len(tiles) + 1))
    _check_order(order, len(tiles))
    arranged, even = _laid_out([tiles[number - 1] for number in order], asked.columns)
    text = (
        f"Arranged {source} in {asked.rows} rows and {asked.columns} columns, "
        f"in the order {listed(order)}. Result: {sized(arranged.size)}."
    )
    if not even:
        text += " The tiles differ in size, so that there are white margins."
    return ToolResult(text=text, pictures=(arranged,))


def tile_boxes(size: Size, rows: int, columns: int) -> list[Box]:
    """The boxes of a grid's tiles, row by row; where pixels do not divide evenly, tiles differ by one pixel.

    >>> tile_boxes((5, 2), 1, 2)
    [(0, 0, 2, 2), (2, 0, 5, 2)]
    """
    if columns > size[0] or rows > size[1]:
        raise Refused(f"The picture is {sized(size)}; it has no {rows} rows and {columns} columns.")
    across = [size[0] * column // columns for column in range(columns + 1)]
    down = [size[1] * row // rows for row in range(rows + 1)]
    return [
        (across[column], down[row], across[column + 1], down[row + 1])
        for row in range(rows)
        for column in range(columns)
    ]


def _check_order(order: tuple[int, ...], count: int) -> None:
    if sorted(order) == list(range(1, count + 1)):
        return
    missing = sorted(set(range(1, count + 1)) - set(order))
    said = f"; missing: {', '.join(map(str, missing[:20]))}" if missing else ""
    raise Refused(f"order must have each number from 1 to {count} once; it has {len(order)} numbers{said}.")


def _laid_out(tiles: list[Image], columns: int) -> tuple[Image, bool]:
    """The tiles in rows, each in the upper left of its place, and whether they fill all places.

    A row is as high as its highest tile, a column as wide as its widest.
    """
    grid = [tiles[start : start + columns] for start in range(0, len(tiles), columns)]
    heights = [max(tile.height for tile in row) for row in grid]
    widths = [max(row[column].width for row in grid if column < len(row)) for column in range(len(grid[0]))]
    size = sum(widths), sum(heights)
    check_size(size)
    canvas = PIL.Image.new("RGB", size, WHITE)
    lefts, tops = [0, *accumulate(widths)], [0, *accumulate(heights)]
    for row, top in zip(grid, tops, strict=False):
        for tile, left in zip(row, lefts, strict=False):
            canvas.paste(tile, (left, top))
    even = sum(tile.width * tile.height for tile in tiles) == size[0] * size[1]
    return canvas, even
