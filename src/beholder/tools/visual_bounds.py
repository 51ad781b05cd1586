"""Which picture a call names, and how large the pictures may be that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta
from PIL.Image import Image

from beholder.tools.boxes import Refused, Size, sized

MOST_PICTURES = 16
"""Pictures that one call may make."""
LONGEST_SIDE = 4096
"""Pixels a side of a picture that a call makes."""
MOST_PIXELS = 16_000_000
"""Pixels of all pictures together that one call makes."""

Pictures = Sequence[Image]
"""All pictures of the conversation, RGB; `image_1` is the first."""

ImageName = Annotated[str, Meta(description="Which picture: image_1, image_2, ...", max_length=40)]


def picture_named(name: str, pictures: Pictures) -> Image:
    """The picture of that name. Raises `Refused` and names those that there are."""
    for number in range(1, len(pictures) + 1):  # not enumerate: each look may decode a picture
        if name == f"image_{number}":
            return pictures[number - 1]
    there = f"There are image_1 to image_{len(pictures)}" if len(pictures) > 1 else "There is only image_1"
    raise Refused(f"There is no picture {name!r}. {there if pictures else 'There are no pictures'}.")


def fits(size: Size) -> bool:
    """If a picture of this size may be made."""
    return max(size) <= LONGEST_SIDE and size[0] * size[1] <= MOST_PIXELS


def check_size(size: Size, *others: Size) -> None:
    """Raises `Refused` if the pictures that a call is about to make are too large or too many."""
    sizes = (size, *others)
    if len(sizes) > MOST_PICTURES:
        raise Refused(f"That would make {len(sizes)} pictures; at most {MOST_PICTURES} can be made by one call.")
    bounds = f"at most {LONGEST_SIDE} pixels a side and {MOST_PIXELS // 1_000_000} million pixels in all can be made"
    for one in sizes:
        if not fits(one):
            raise Refused(f"The result would be {sized(one)}; {bounds}. Crop the picture first, or make it smaller.")
    if (total := sum(width * height for width, height in sizes)) > MOST_PIXELS:
        raise Refused(f"The results would have {total} pixels; {bounds}. Crop the picture first, or make it smaller.")
