"""Copies of a run's pictures for whoever reads an export: each once, named by the SHA-256 of its bytes."""

from __future__ import annotations

import re
import stat
from pathlib import Path

from beholder.errors import DataError, UsageError
from beholder.images.load import DEFAULT_LIMITS, load
from beholder.sample import ImageRef
from beholder.store.folder import Blobs, write_atomically

_HASH = re.compile(r"[0-9a-f]{64}")
_EXTENSIONS = {"JPEG": "jpg", "TIFF": "tif"}


def hash_of(ref: ImageRef) -> str:
    """The SHA-256 by which a run names a picture of its own; "" for one that it holds no copy of."""
    kind, _, digest = (ref.path or "").partition(":")
    return digest if kind == "sha256" and _HASH.fullmatch(digest) else ""


class PictureCopies:
    """Copies pictures out of a run's own folder as they are asked for; nothing that the run names elsewhere.

    `copied` and `missing` count distinct pictures. `UsageError` if the folder to copy to is a link or cannot be made.
    """

    def __init__(self, run: Path, folder: Path) -> None:
        self._blobs = Blobs(run)
        self._folder = folder
        self._names: dict[str, str | None] = {}
        if folder.is_symlink():
            raise UsageError(f"{folder} is a link. Choose another --out: pictures would be written where it leads.")
        folder.mkdir(parents=True, exist_ok=True)

    def name_of(self, digest: str) -> str | None:
        """The name of the copy, `FOLDER/SHA256.EXTENSION`; None where the run has no whole, ordinary picture."""
        if digest not in self._names:
            self._names[digest] = self._copy(digest)
        return self._names[digest]

    @property
    def copied(self) -> int:
        return sum(name is not None for name in self._names.values())

    @property
    def missing(self) -> int:
        return sum(name is None for name in self._names.values())

    def _copy(self, digest: str) -> str | None:
        try:
            found = self._blobs.path(digest).lstat()
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode) or found.st_size > DEFAULT_LIMITS.max_bytes:
            return None  # a foreign run may hold pipes and links
        data = self._blobs.read(digest)
        if data is None:
            return None
        try:
            form = load(ImageRef(digest[:12], data=data)).format
        except DataError:
            return None
        name = f"{digest}.{_EXTENSIONS.get(form, form.lower())}"
        write_atomically(self._folder / name, data)
        return f"{self._folder.name}/{name}"
