"""Areas of exact size and free form, in whole numbers: the same on any machine.

A field gives each pixel a whole number. Cut at the right value, it parts the picture into bands that cover exactly the
shares one asks for. Sizes are (width, height), arrays (height, width).
"""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

Field = NDArray[np.int64]


def cut(field: Field, weights: list[int], where: NDArray[np.bool_] | None = None) -> NDArray[np.intp]:
    """Bands of a field, from 0, that cover the pixels `where` (all) in proportion to the weights; 0 elsewhere."""
    where = np.ones(field.shape, dtype=np.bool_) if where is None else where
    values = field[where]
    ends = [sum(weights[: place + 1]) * len(values) // sum(weights) for place in range(len(weights) - 1)]
    ends = [min(end, len(values) - 1) for end in ends]
    cuts = np.partition(values, ends)[ends]
    labels = np.zeros(field.shape, dtype=np.intp)
    labels[where] = np.searchsorted(cuts, values, side="right")
    return labels


def field(size: tuple[int, int], rng: random.Random) -> Field:
    """A field whose low parts are blots, discs, boxes, lozenges or wavy stripes."""
    style = rng.randrange(5)
    if style == 0:
        return waves(size, 80, rng) * 2 + waves(size, 36, rng)
    if style == 4:
        return _stripes(size, rng)
    x, y = _grid(size)
    low = np.full((size[1], size[0]), 1 << 42, dtype=np.int64)
    for left, top, right, bottom in places(size, rng.randint(5, 12), 4, rng):
        across, down, weight = np.abs(2 * x - left - right), np.abs(2 * y - top - bottom), rng.randint(6, 14)
        if style == 1:
            away = across**2 + down**2
        else:
            away = (np.maximum(across, down) if style == 2 else across + down) ** 2
        np.minimum(low, away * weight, out=low)
    # The waves part pixels that are equally far away, such as those along the side of a box.
    return (low << 20) + waves(size, 60, rng)


def _stripes(size: tuple[int, int], rng: random.Random) -> Field:
    x, y = _grid(size)
    along, across = rng.choice(((1, 0), (0, 1), (1, 1), (1, -1), (2, 1), (1, -2)))
    period = rng.randint(60, 130) << 12
    # Never none: pixels of one straight stripe all have the same number, and could not be parted.
    swing = rng.choice((1, 24, 48))
    place = ((along * x + across * y) << 12) + waves(size, 90, rng) * swing // 256
    stripes: Field = np.abs(2 * (place % period) - period)
    return stripes


def _grid(size: tuple[int, int]) -> tuple[Field, Field]:
    return np.arange(size[0], dtype=np.int64)[None, :], np.arange(size[1], dtype=np.int64)[:, None]


def waves(size: tuple[int, int], cell: int, rng: random.Random) -> Field:
    """A smooth field of hills about `cell` pixels wide, 0 to 2^20."""
    columns, rows = size[0] // cell + 2, size[1] // cell + 2
    heights = np.array([rng.getrandbits(20) for _ in range(columns * rows)], dtype=np.int64).reshape(rows, columns)
    for side in (size[1], size[0]):  # down, then across
        place, part = np.divmod(np.arange(side, dtype=np.int64), cell)
        part = part * 1024 // cell
        ease = (part**2 * (3072 - 2 * part) >> 20)[:, None]
        heights = (heights[place] * (1024 - ease) + heights[place + 1] * ease >> 10).T
    return heights


def areas(size: tuple[int, int], count: int, rng: random.Random) -> NDArray[np.intp]:
    """The picture parted into `count` areas of visible size, numbered from 0."""
    style = rng.randrange(4)
    if style == 0:
        weights = [rng.randint(3, 9) for _ in range(count)]
        slope = rng.choice((0, 3000)) * (_grid(size)[0] + _grid(size)[1])
        return cut(waves(size, 110, rng) + slope, weights)
    if style == 1:
        return _tiles(size, count, rng)
    boxes = places(size, count if style == 2 else count - 1, 6, rng)
    if style == 2:
        x, y = _grid(size)
        away = np.stack([(2 * x - box[0] - box[2]) ** 2 + (2 * y - box[1] - box[3]) ** 2 for box in boxes])
        nearest: NDArray[np.intp] = away.argmin(axis=0)
        return nearest
    image = Image.new("L", size, 0)
    for number, box in enumerate(boxes, start=1):
        patch(ImageDraw.Draw(image), box, number, rng)
    return np.asarray(image).astype(np.intp)


def _tiles(size: tuple[int, int], count: int, rng: random.Random) -> NDArray[np.intp]:
    """The picture cut into `count` rectangles, the largest one in two each time."""
    tiles = [(0, 0, *size)]
    while len(tiles) < count:
        largest = max(range(len(tiles)), key=lambda place: _area(tiles[place]))
        left, top, right, bottom = tiles.pop(largest)
        part = rng.randint(35, 65)
        if right - left > bottom - top:
            middle = left + (right - left) * part // 100
            tiles += [(left, top, middle, bottom), (middle, top, right, bottom)]
        else:
            middle = top + (bottom - top) * part // 100
            tiles += [(left, top, right, middle), (left, middle, right, bottom)]
    number_of = np.zeros((size[1], size[0]), dtype=np.intp)
    for number, (left, top, right, bottom) in enumerate(tiles):
        number_of[top:bottom, left:right] = number
    return number_of


def _area(box: tuple[int, int, int, int]) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def places(size: tuple[int, int], count: int, gap: int, rng: random.Random) -> list[tuple[int, int, int, int]]:
    """Boxes for patches in the cells of a grid, at least `gap` pixels apart."""
    columns = 2
    while columns * max(1, round(columns * size[1] / size[0])) < count:
        columns += 1
    rows = -(-count // columns)
    cell = (size[0] // columns, size[1] // rows)
    boxes = []
    for place in rng.sample(range(columns * rows), count):
        row, column = divmod(place, columns)
        width, height = (max(10, round((side - gap) * rng.randint(55, 100) / 100)) for side in cell)
        width, height = min(width, 2 * height), min(height, 2 * width)
        left = column * cell[0] + gap // 2 + rng.randint(0, cell[0] - gap - width)
        top = row * cell[1] + gap // 2 + rng.randint(0, cell[1] - gap - height)
        boxes.append((left, top, left + width - 1, top + height - 1))
    return boxes


def patch(draw: ImageDraw.ImageDraw, box: tuple[int, int, int, int], colour: int, rng: random.Random) -> None:
    """A patch that reaches the four sides of its box."""
    left, top, right, bottom = box
    across, down = rng.randint(left, right), rng.randint(top, bottom)
    shape = rng.randrange(4)
    if shape == 0:
        draw.ellipse(box, fill=colour)
    elif shape == 1:
        draw.rounded_rectangle(box, radius=min(right - left, bottom - top) // 4, fill=colour)
    elif shape == 2:
        draw.polygon([(left, bottom), (right, bottom), (across, top)], fill=colour)
    else:
        middle = ((left + right) // 2, (top + bottom) // 2)
        corners = [(left, (top + middle[1]) // 2), (middle[0], top), (right, (down + middle[1]) // 2)]
        draw.polygon([*corners, ((across + middle[0]) // 2, bottom)], fill=colour)
