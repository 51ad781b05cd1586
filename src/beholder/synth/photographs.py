"""The photographs that puzzles are cut from: eleven that ship with the package, or a folder of the user's own."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec
from PIL import Image

from beholder.errors import DataError, UsageError
from beholder.images.load import Image as Published
from beholder.images.load import load, pixels
from beholder.sample import ImageRef

SHIPPED = Path(__file__).parent / "photos"
SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})

SHORTEST_SIDE = 120
"""Pixels. A smaller photograph has too little detail for a puzzle of 36 pieces."""

WORKING_SIDE = 1024
"""Pixels. Larger photographs are scaled down to this longer side before anything is cut from them: a puzzle
picture is smaller still, and a folder of camera originals would otherwise fill the memory."""

NAMED = 5
"""Bad photographs that a message names; of more it says how many."""


class Photo(msgspec.Struct, frozen=True):
    """One photograph. `name` is its path inside the folder; it identifies the photograph in samples and manifests."""

    name: str
    ref: ImageRef


class Photos:
    """A list of photographs in a fixed order (by name), decoded when asked for."""

    def __init__(self, items: tuple[Photo, ...]) -> None:
        self.items = items
        self._places = {photo.name: place for place, photo in enumerate(items)}
        self._digests: dict[int, str] = {}

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
        return _decoded(self.items[place].ref)

    def digest(self, place: int) -> str:
        """SHA-256 of the photograph's file, in hexadecimal; the file is read at the first call only.

        Raises `DataError` as `pixels` does.
        """
        if place not in self._digests:
            self._digests[place] = _checked(self.items[place].ref).sha256
        return self._digests[place]

    def check(self) -> None:
        """Reads every photograph once: its bytes, kind, size, and whether the whole picture is there.

        Raises one `DataError` that names the bad ones. Pixels are not decoded, which would take minutes for a folder of
        camera originals: damage within a JPEG or WebP picture shows only when it is drawn.
        """
        faults = []
        for place in range(len(self)):
            try:
                self.digest(place)
            except DataError as fault:
                faults.append(fault)
        if len(faults) == 1:
            raise faults[0]
        if faults:
            told = "; ".join(f"{fault.where}: {fault.message}" for fault in faults[:NAMED])
            more = f"; and {len(faults) - NAMED:,} more" if len(faults) > NAMED else ""
            raise DataError(
                f"{len(faults):,} photographs cannot be used ({told}{more})",
                where="the folder of photographs",
                mend="Replace or remove them.",
            )


def _checked(ref: ImageRef) -> Published:
    published = load(ref)
    width, height = published.width, published.height
    if min(width, height) < SHORTEST_SIDE:
        raise DataError(
            f"the photograph is too small ({width}×{height} pixels, at least {SHORTEST_SIDE} a side)",
            where=ref.name,
            mend="Remove it from the folder.",
        )
    return published


@lru_cache(maxsize=16)
def _decoded(ref: ImageRef) -> Image.Image:
    image = pixels(_checked(ref))
    if max(image.size) > WORKING_SIDE:
        image = image.copy()
        image.thumbnail((WORKING_SIDE, WORKING_SIDE), Image.Resampling.LANCZOS)
    return image


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
