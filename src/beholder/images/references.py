"""Where a question's text wants its images.

`<image>` stands for the next image in turn: the k-th of them is image k, whatever numbered references come
between. `<image 2>`, `<image2>` and `<image_2>` stand for that image, counted from 1; capitals do not matter.
OUR assumptions where data sets are silent: an image that is referred to twice is shown twice; images that the
text never refers to come first, in their order; text is kept to the last blank, only the references
themselves go.
"""

from __future__ import annotations

import re

from beholder.errors import DataError
from beholder.sample import ImagePart, Part, TextPart

_REFERENCE = re.compile(r"<image(?:[ _]?([0-9]+))?>", re.IGNORECASE | re.ASCII)


def split_references(text: str, n_images: int) -> tuple[Part, ...]:
    """The parts of a prompt, in order, from a text with references to `n_images` images.

    No part's text holds a reference, and none is empty. Raises `DataError` for a reference beyond the
    record's images: a model must not be asked about a picture that it does not get.

    >>> split_references("compare <image 2> with <image 1>", 2)
    (TextPart(text='compare '), ImagePart(index=1), TextPart(text=' with '), ImagePart(index=0))
    """
    parts: list[Part] = []
    mentioned: set[int] = set()
    in_turn = end = 0
    for found in _REFERENCE.finditer(text):
        digits = found[1]
        if digits is None:
            index, in_turn = in_turn, in_turn + 1
        else:
            # Longer numbers are beyond any record; `int` refuses thousands of digits.
            index = int(digits) - 1 if len(digits) <= 9 else n_images
        if not 0 <= index < n_images:
            raise _beyond(found[0], n_images)
        if found.start() > end:
            parts.append(TextPart(text[end : found.start()]))
        parts.append(ImagePart(index))
        mentioned.add(index)
        end = found.end()
    if end < len(text):
        parts.append(TextPart(text[end:]))
    unmentioned = [ImagePart(index) for index in range(n_images) if index not in mentioned]
    return (*unmentioned, *parts)


def _beyond(reference: str, n_images: int) -> DataError:
    shown = reference if len(reference) <= 20 else reference[:20] + "…"
    has = "1 image" if n_images == 1 else f"{n_images} images"
    return DataError(
        f"the text refers to {shown}, the record has {has} (counted from 1)",
        mend="Add the missing image or correct the text",
    )
