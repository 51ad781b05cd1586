"""A worker's reply, read as if the model had written it: its code shares the process that replies.

What a forged reply can do is lie to the model that forged it. It cannot answer another call (each has a name drawn at
random), nor make the host read, keep or decode more than a true one.
"""

from __future__ import annotations

from typing import Literal

import msgspec
import PIL.Image

from beholder.errors import DataError
from beholder.images.load import Limits, load, pixels
from beholder.sample import ImageRef
from beholder.sandbox.limits import SandboxLimits

LONGEST_HEAD = 4_096
"""Bytes of the line that a reply begins with: an outcome and a few numbers."""


class Forged(Exception):
    """The reply is none that our worker writes. The text says why."""


class Stale(Forged):
    """The reply is one to an earlier call, or to none: something was forged before this call began."""


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line of a reply: the name of the call, the outcome, and the sizes of the PNGs that follow, in bytes."""

    id: str
    outcome: Literal["ok", "error", "memory", "processes"]
    pictures: list[int]


_DECODER = msgspec.json.Decoder(Head)


def read_head(line: bytes, name: str, limits: SandboxLimits) -> Head:
    """The head of the reply to the call `name`. Raises `Forged`, `Stale`."""
    try:
        head = _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise Forged("it is no reply") from None
    if head.id != name:
        raise Stale("it answers another call")
    if len(head.pictures) > limits.pictures:
        raise Forged(f"it has {len(head.pictures)} pictures, at most {limits.pictures} can come back")
    if any(not 0 < size <= limits.picture_bytes for size in head.pictures):
        raise Forged(f"a picture is not between 1 and {limits.picture_bytes} bytes long")
    return head


def read_pictures(encoded: list[bytes], limits: SandboxLimits) -> tuple[PIL.Image.Image, ...]:
    """The pictures of a reply. All headers are checked before the first pixel is decoded. Raises `Forged`."""
    bounds = Limits(max_bytes=limits.picture_bytes, max_pixels=limits.picture_pixels, max_frames=1)
    checked = []
    total = 0
    for data in encoded:
        if not data.startswith(b"\x89PNG\r\n\x1a\n"):
            raise Forged("a picture is not a PNG")
        try:
            image = load(ImageRef("picture", data=data), bounds)
        except DataError as error:
            raise Forged(f"a picture cannot be used ({error.message})") from None
        if max(image.width, image.height) > limits.picture_side:
            raise Forged(f"a picture has more than {limits.picture_side} pixels a side")
        total += image.width * image.height
        checked.append(image)
    if total > limits.pictures_pixels:
        raise Forged(f"the pictures have more than {limits.pictures_pixels} pixels together")
    try:
        return tuple(pixels(image) for image in checked)
    except DataError as error:
        raise Forged(f"a picture cannot be used ({error.message})") from None
