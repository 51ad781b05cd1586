"""The pictures of a conversation: the sample's own, then those that tools made; `image_1` is the first."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from io import BytesIO
from typing import overload

import msgspec
import PIL.Image

from beholder.images.load import load, pixels
from beholder.sample import ImageRef

MOST_BYTES = 96 << 20
"""Bytes that the new pictures of one conversation may have together, as PNG."""
MOST_PIXELS = 64_000_000
"""Pixels that they may have together: decoded, all of them fit into a fresh sandbox several times over."""
_DECODED_PIXELS = 24_000_000
_COMPRESSION = 3
"""zlib's level for the PNG of a new picture: a third of the time of the usual 6, a few per cent larger."""


class Added(msgspec.Struct, frozen=True):
    """A picture that was added: its PNG bytes and their SHA-256, and the line that tells the model of it."""

    sha256: str
    png: bytes
    told: str


class ConversationPictures(Sequence[PIL.Image.Image]):
    """All pictures of one conversation, upright and in RGB.

    They are kept as they are encoded, and decoded when somebody looks; a few of the last stay decoded. Looking raises
    `DataError` where one of the sample's own cannot be decoded. For several threads.
    """

    def __init__(self, refs: Sequence[ImageRef]) -> None:
        self._own = tuple(refs)
        self._decoded: OrderedDict[int, PIL.Image.Image] = OrderedDict()
        self._seen: set[bytes] = set()
        self._bytes = self._pixels = 0
        self._lock = threading.RLock()
        self.made: tuple[ImageRef, ...] = ()

    def __len__(self) -> int:
        return len(self._own) + len(self.made)

    @overload
    def __getitem__(self, place: int) -> PIL.Image.Image: ...
    @overload
    def __getitem__(self, place: slice) -> list[PIL.Image.Image]: ...
    def __getitem__(self, place: int | slice) -> PIL.Image.Image | list[PIL.Image.Image]:
        if isinstance(place, slice):
            return [self._picture(one) for one in range(*place.indices(len(self)))]
        return self._picture(range(len(self))[place])

    @property
    def made_places(self) -> list[int]:
        """The places, from 0, of the pictures that tools made, oldest first."""
        return list(range(len(self._own), len(self)))

    def check(self) -> None:
        """Decodes the sample's own pictures; `DataError` if one cannot be."""
        with self._lock:
            if not self._seen:
                self._seen = {_digest(self._picture(place)) for place in range(len(self._own))}

    def has_room(self) -> bool:
        """Whether the conversation may have more pictures."""
        return self._bytes < MOST_BYTES and self._pixels < MOST_PIXELS

    def add(self, pictures: Sequence[PIL.Image.Image]) -> tuple[list[Added], bool]:
        """Adds new pictures; whether any of them differs, pixel for pixel, from all that were there."""
        self.check()
        added, new = [], False
        with self._lock:
            for picture in pictures:
                picture = picture if picture.mode == "RGB" else picture.convert("RGB")
                digest = _digest(picture)
                new = new or digest not in self._seen
                self._seen.add(digest)
                buffer = BytesIO()
                picture.save(buffer, "PNG", compress_level=_COMPRESSION)
                png = buffer.getvalue()
                name = f"image_{len(self) + 1}"
                self._keep(len(self), picture)
                self.made = (*self.made, ImageRef(name=name, data=png))
                self._bytes += len(png)
                self._pixels += picture.width * picture.height
                told = f"{name}: {picture.width}x{picture.height} pixels"
                added.append(Added(hashlib.sha256(png).hexdigest(), png, told))
        return added, new

    def _picture(self, place: int) -> PIL.Image.Image:
        with self._lock:
            found = self._decoded.get(place)
            if found is None:
                found = pixels(load((self._own + self.made)[place]))
            self._keep(place, found)
            return found

    def _keep(self, place: int, picture: PIL.Image.Image) -> None:
        self._decoded[place] = picture
        self._decoded.move_to_end(place)
        held = sum(one.width * one.height for one in self._decoded.values())
        while held > _DECODED_PIXELS and len(self._decoded) > 1:
            _, gone = self._decoded.popitem(last=False)
            held -= gone.width * gone.height


def _digest(picture: PIL.Image.Image) -> bytes:
    return hashlib.blake2b(picture.tobytes(), digest_size=16, salt=b"%8d%8d" % picture.size).digest()
