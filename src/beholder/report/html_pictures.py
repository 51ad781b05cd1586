"""The pictures of a report: small ones inside the page, large ones beside it, inside it, or nowhere."""

from __future__ import annotations

import base64
import io
import os
import re
import stat
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import PIL.Image

from beholder.errors import DataError, UsageError
from beholder.images.load import DEFAULT_LIMITS, Image, load, pixels
from beholder.images.thumbnail import thumbnail
from beholder.sample import ImageRef
from beholder.store.folder import Blobs

SIDE = 192
"""Pixels on the longer side of a small picture."""
NOT_THERE = -1
"""The place of a picture that no run holds a copy of."""
_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}
_OURS = re.compile(r"beholder-[0-9a-f]{32}\.(png|jpg|gif|webp)")
_HASH = re.compile(r"[0-9a-f]{64}")


class Images(StrEnum):
    """Where the large pictures of a report are."""

    BESIDE = "beside"
    EMBEDDED = "embedded"
    NONE = "none"


class Picture(NamedTuple):
    """A picture as a page holds it.

    `small` is a data address, "" if it cannot be shown; `width` and `height` are its pixels. `large` is the file
    beside the page, as an address relative to it, or the whole picture as a data address.
    """

    small: str = ""
    width: int = 0
    height: int = 0
    large: str = ""


class Pictures:
    """Collects the pictures of a report, each once, and makes them all together.

    `folder` is where large ones go if they lie beside the page; `UsageError` if it leads elsewhere.
    """

    def __init__(self, images: Images, folder: Path) -> None:
        if folder.is_symlink():
            raise UsageError(
                f"{folder} is a link. Choose another --out: large pictures would be written where it leads."
            )
        self._images = images
        self._folder = folder
        self._places: dict[str, int] = {}
        self._copies: list[list[Blobs]] = []
        self._written: set[str] = set()

    def add(self, refs: Sequence[ImageRef], blobs: Blobs) -> list[int]:
        """The places of a sample's pictures in what `make` gives; `NOT_THERE` where this run has no copy."""
        return [] if self._images is Images.NONE else [self._add(ref, blobs) for ref in refs]

    def _add(self, ref: ImageRef, blobs: Blobs) -> int:
        # Only the run's own copies: a run from elsewhere must not choose which files of this machine are shown.
        kind, _, digest = (ref.path or "").partition(":")
        if kind != "sha256" or not _HASH.fullmatch(digest) or not _is_a_picture_file(blobs.path(digest)):
            return NOT_THERE
        if digest not in self._places:
            self._places[digest] = len(self._copies)
            self._copies.append([])
        place = self._places[digest]
        if blobs not in self._copies[place]:
            self._copies[place].append(blobs)
        return place

    def make(self) -> list[Picture]:
        """All pictures that were added, in the order of their places; empty ones for those that cannot be shown."""
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            return list(threads.map(self._made, self._places, self._copies))

    def _made(self, digest: str, copies: Sequence[Blobs]) -> Picture:
        """From the first copy that is whole."""
        for blobs in copies:
            data = blobs.read(digest)
            if data is None:
                continue
            try:
                image = load(ImageRef(name=digest[:12], data=data))
                small = thumbnail(image, SIDE)
                large, mime = (image.data, image.mime) if image.mime in _SUFFIXES else (_as_png(image), "image/png")
            except DataError:
                continue
            with PIL.Image.open(io.BytesIO(small)) as opened:
                width, height = opened.size
            if self._images is Images.EMBEDDED:
                return Picture(_address(small, "image/webp"), width, height, _address(large, mime))
            return Picture(_address(small, "image/webp"), width, height, self._beside(digest, mime, large))
        return Picture()

    def _beside(self, digest: str, mime: str, data: bytes) -> str:
        name = f"beholder-{digest[:32]}{_SUFFIXES[mime]}"
        self._folder.mkdir(parents=True, exist_ok=True)
        place = self._folder / name
        if not _is_whole(place, len(data)):
            temporary = place.with_name(f".{name}.{os.getpid()}")
            temporary.write_bytes(data)
            temporary.replace(place)
        self._written.add(name)
        # `./` keeps a colon in the folder's name from being taken for the end of a scheme.
        return f"./{quote(os.fsencode(self._folder.name))}/{name}"

    def sweep(self) -> None:
        """Removes what an earlier report of the same name left beside it and this one does not use. No other file."""
        if not self._folder.is_dir():
            return
        for entry in self._folder.iterdir():
            if _OURS.fullmatch(entry.name) and entry.name not in self._written:
                entry.unlink()
        if not any(self._folder.iterdir()):
            self._folder.rmdir()


def _is_a_picture_file(path: Path) -> bool:
    """Whether a blob is an ordinary file of a size that an image may have: a foreign run may hold pipes and links."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= DEFAULT_LIMITS.max_bytes


def _is_whole(place: Path, size: int) -> bool:
    return place.is_file() and place.stat().st_size == size


def _as_png(image: Image) -> bytes:
    """A format that browsers show."""
    buffer = io.BytesIO()
    pixels(image).save(buffer, "PNG")
    return buffer.getvalue()


def _address(data: bytes, mime: str) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"
