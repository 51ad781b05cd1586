"""The pictures of a conversation: the sample's own, then those that tools made; `image_1` is the first."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from io import BytesIO

import msgspec
import PIL.Image

from beholder.images.load import load, pixels
from beholder.sample import ImageRef

_COMPRESSION = 3
"""zlib's level for the PNG of a new picture: a third of the time of the usual 6, a few per cent larger."""


class Added(msgspec.Struct, frozen=True):
    """A picture that was added: its PNG bytes and their SHA-256, and the line that tells the model of it."""

    sha256: str
    png: bytes
    told: str


class ConversationPictures:
    """Holds the pictures of one conversation, decoded when a tool first asks for them."""

    def __init__(self, refs: Sequence[ImageRef]) -> None:
        self._refs = tuple(refs)
        self._pictures: list[PIL.Image.Image] = []
        self._seen: set[bytes] = set()
        self._places: dict[str, int] = {}
        self.made: tuple[ImageRef, ...] = ()

    @property
    def made_places(self) -> list[int]:
        """The places, from 0, of the pictures that tools made, oldest first."""
        return list(range(len(self._refs), len(self._refs) + len(self.made)))

    def all(self) -> list[PIL.Image.Image]:
        """All pictures, upright and in RGB. Raises `DataError` if one of the sample's cannot be decoded."""
        if not self._pictures:
            self._pictures = [pixels(load(ref)) for ref in self._refs]
            self._seen |= {_digest(picture) for picture in self._pictures}
        return list(self._pictures)

    def add(self, pictures: Sequence[PIL.Image.Image]) -> tuple[list[Added], bool]:
        """Adds new pictures; whether any of them differs, pixel for pixel, from all that were there."""
        self.all()
        added, new = [], False
        for picture in pictures:
            picture = picture if picture.mode == "RGB" else picture.convert("RGB")
            digest = _digest(picture)
            new = new or digest not in self._seen
            self._seen.add(digest)
            buffer = BytesIO()
            picture.save(buffer, "PNG", compress_level=_COMPRESSION)
            png = buffer.getvalue()
            sha256 = hashlib.sha256(png).hexdigest()
            place = len(self._refs) + len(self.made)
            name = f"image_{place + 1}"
            self._pictures.append(picture)
            self.made = (*self.made, ImageRef(name=name, data=png))
            added.append(Added(sha256, png, f"{name}: {picture.width}x{picture.height} pixels"))
        return added, new


def _digest(picture: PIL.Image.Image) -> bytes:
    return hashlib.blake2b(picture.tobytes(), digest_size=16, salt=b"%8d%8d" % picture.size).digest()
