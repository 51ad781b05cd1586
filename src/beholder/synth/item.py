"""What a family makes: one item with its pictures, its answer and what was drawn for it; and what it may draw from."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from beholder.synth.masks import MaskedObject
from beholder.synth.photographs import Photos

Pixels = NDArray[np.uint8]
"""RGB pixels, (height, width, 3)."""

LEVELS = (1, 2, 3, 4, 5)
DEFAULT_LEVEL = 3


class Sources(msgspec.Struct, frozen=True):
    """What items may be made from: photographs, and the user's objects in photographs with exact masks, if any."""

    photos: Photos
    masks: tuple[MaskedObject, ...] = ()


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One generated item, in terms of the public TIR-Bench record.

    `task` is the code name, `prompt` the question as it is put to a model, `answer` the gold as the record writes it
    (`"B"`, `"17"`, `"2.5"`, `"[2, 3]"`, `"7, 11, 12"`, plain text for OCR). `pictures` are one or two encoded images,
    with the file name's end in `suffix`. `cluster` names what the item shares with others (the photograph), "" if
    nothing. `difficulty` is what `meta_data.difficulty` says: the level, 1 to 5, but for jigsaw the pieces a side.
    `certificate` holds everything that was drawn, as plain JSON data: seed, level and enough to check the answer
    without looking at the pictures.
    """

    task: str
    prompt: str
    answer: str
    pictures: tuple[bytes, ...]
    difficulty: int
    certificate: dict[str, Any]
    suffix: str = ".png"
    cluster: str = ""


class Make(Protocol):
    """Makes the item that follows from a seed and a level (1 to 5), from nothing else but the sources.

    Raises `UsageError` for another level, `DataError` if the sources cannot be used.
    """

    def __call__(self, seed: int, level: int, sources: Sources) -> Item: ...
