"""The photographs that puzzles are cut from: eleven that ship with the package, or a folder of the user's own."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec
from PIL import Image

from beholder.errors import DataError, UsageError
from beholder.images.load import load, pixels
from beholder.sample import ImageRef

SHIPPED = Path(__file__).parent / "photos"
SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})

SHORTEST_SIDE = 120
"""Pixels. A smaller photograph has too little detail for a puzzle of 36 pieces."""

WORKING_SIDE = 1024
"""Pixels. Larger photographs are scaled down to this longer side before anything is cut from them: a puzzle
picture is smaller still, and a folder of camera originals would otherwise fill the memory."""


class Photo(msgspec.Struct, frozen=True):
    """One photograph. `name` is its path inside the folder; it identifies the photograph in samples and manifests."""

    name: str
    ref: ImageRef


class Photos:
    """A list of photographs in a fixed order (by name), decoded when asked for."""

    def __init__(self, items: tuple[Photo, ...]) -> None:
        self.items = items
        self._places = {photo.name: place for place, photo in enumerate(items)}

    def __len__(self) -> int:
        return len(self.items)

    def place(self, name: str) -> int:
        """Where the photograph of that name is in the list, from 0; `DataError` if it is not there."""
        if name not in self._places:
            raise DataError(
                "there is no such photograph",
                where=name,
                mend="Give the folder of photographs that was used before.",
            )
        return self._places[name]

    def pixels(self, place: int) -> Image.Image:
        """The photograph at that place: RGB, upright, its longer side at most `WORKING_SIDE` pixels.

        Raises `DataError` if the file cannot be read as an image or its shorter side is under
        `SHORTEST_SIDE`.
        """
        return _decoded(self.items[place].ref)[0]

    def digest(self, place: int) -> str:
        """SHA-256 of the photograph's file, in hexadecimal."""
        return _decoded(self.items[place].ref)[1]


@lru_cache(maxsize=16)
def _decoded(ref: ImageRef) -> tuple[Image.Image, str]:
    published = load(ref)
    image = pixels(published)
    if min(image.size) < SHORTEST_SIDE:
        raise DataError(
            f"the photograph is too small ({image.width}×{image.height} pixels, at least {SHORTEST_SIDE} a side)",
            where=ref.name,
            mend="Remove it from the folder.",
        )
    if max(image.size) > WORKING_SIDE:
        image = image.copy()
        image.thumbnail((WORKING_SIDE, WORKING_SIDE), Image.Resampling.LANCZOS)
    return image, published.sha256


def shipped_photos() -> Photos:
    """The photographs in the package (origins and terms: `synth/photos/LICENSES.md`)."""
    return photos_in(SHIPPED)


def photos_in(folder: Path) -> Photos:
    """The photographs in a folder and its subfolders, told by their suffix; other files are passed over.

    `UsageError` if the folder is not there or holds none. Hidden files and folders are passed over.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder of photographs.")
    found = []
    for path in folder.rglob("*"):
        inside = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in inside.parts)
        if path.suffix.lower() in SUFFIXES and not hidden and path.is_file():
            # A file name may be no valid text; samples and manifests must be.
            name = inside.as_posix().encode("utf-8", "backslashreplace").decode()
            found.append(Photo(name, ImageRef(name=name, path=str(path))))
    if not found:
        raise UsageError(f"{folder} holds no photographs ({', '.join(sorted(SUFFIXES))}).")
    return Photos(tuple(sorted(found, key=lambda photo: photo.name)))
