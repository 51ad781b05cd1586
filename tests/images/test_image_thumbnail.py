"""Thumbnails for reports."""

from __future__ import annotations

from io import BytesIO

import PIL.Image
import pytest
from made_images import embedded, oriented, photo, red_left, saved

from beholder.errors import UsageError
from beholder.images.load import load
from beholder.images.thumbnail import thumbnail


def opened(data: bytes) -> PIL.Image.Image:
    picture = PIL.Image.open(BytesIO(data))
    picture.load()
    return picture


@pytest.mark.parametrize(
    ("size", "side", "expected"),
    [
        ((600, 300), 256, (256, 128)),
        ((30, 20), 256, (30, 20)),
        ((3000, 1), 100, (100, 1)),
        ((9, 9), 1, (1, 1)),
    ],
)
def test_thumbnails_keep_the_shape_and_never_enlarge(
    size: tuple[int, int], side: int, expected: tuple[int, int]
) -> None:
    small = opened(thumbnail(load(embedded(saved(photo(*size), "PNG"))), side))
    assert (small.format, small.size) == ("WEBP", expected)


def test_thumbnails_are_upright() -> None:
    small = opened(thumbnail(load(embedded(saved(red_left(64, 32), "JPEG", exif=oriented(6))))))
    top = small.getpixel((16, 8))
    assert small.size == (32, 64)
    assert isinstance(top, tuple)
    assert top[0] > 200 > 60 > top[2]


def test_the_same_image_gives_the_same_thumbnail() -> None:
    data = saved(photo(300, 200), "JPEG")
    assert thumbnail(load(embedded(data, "a"))) == thumbnail(load(embedded(data, "b")))
    assert thumbnail(load(embedded(data)), 64) != thumbnail(load(embedded(data)), 65)


def test_the_side_is_bounded() -> None:
    image = load(embedded(saved(photo(), "PNG")))
    for side in (0, -1, 5000):
        with pytest.raises(UsageError, match="1 to 4096"):
            thumbnail(image, side)
