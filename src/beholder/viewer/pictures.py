"""The pictures of a run: the run's own copies by their hash, as they were published, and small ones of them.

A run may be a stranger's. A picture is named by 64 hexadecimal digits and read from the run's own blobs alone, never
through a link, nor from what is no ordinary file; and what is read has that hash. Small ones are kept in the library's
cache by the hash of what they were made from.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import re
import stat
import threading
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from beholder.errors import DataError, UsageError
from beholder.images.decode import read_header, upright_size
from beholder.images.header import Damaged
from beholder.images.load import DEFAULT_LIMITS, load
from beholder.images.shown import as_shown
from beholder.images.thumbnail import thumbnail
from beholder.sample import ImageRef
from beholder.viewer.cache import sweep
from beholder.viewer.library import Library

SIDE = 256
"""Pixels on the longer side of a small picture."""
_MOST_KEPT = 512_000_000
"""Bytes of small pictures in the cache, of all runs together."""
_SWEPT_EVERY = 2_000
_DAY = 86_400
_HASH = re.compile(r"[0-9a-f]{64}")
_made = itertools.count()
_decoding = threading.BoundedSemaphore(2)
"""A large picture takes hundreds of megabytes while it is decoded, and a list asks for many at once."""


def picture(library: Library, run: str, sha256: str) -> tuple[bytes, str]:
    """A picture and its MIME type: the published bytes where browsers show them, else a PNG.

    `UsageError` if the run keeps no such picture, `DataError` if it cannot be read.
    """
    data = _read(library.folder(run), sha256)
    with _decoding:
        return as_shown(data)


def small(library: Library, run: str, sha256: str) -> bytes:
    """The picture as a small WebP, upright. Errors as in `picture`."""
    folder = library.folder(run)
    if not is_kept(folder, sha256):
        raise _not_there()
    thumbs = library.cache / "thumbs"
    place = thumbs / sha256[:2] / f"{sha256}.webp"
    with contextlib.suppress(OSError):  # not made yet, or swept just now
        if time.time() - place.stat().st_mtime > _DAY:
            os.utime(place)  # it is in use
        return place.read_bytes()
    data = _read(folder, sha256)
    with _decoding:
        made = thumbnail(load(ImageRef(name=sha256[:12], data=data)), SIDE)
    with contextlib.suppress(OSError):  # a full disk: it is made again next time
        _keep(place, made)
        if next(_made) % _SWEPT_EVERY == 0:
            sweep_small(thumbs)
    return made


def is_kept(folder: Path, sha256: str) -> bool:
    """Whether a run folder has an ordinary file for the picture, of a size that pictures have."""
    descriptor = _opened(folder, sha256)
    if descriptor is not None:
        os.close(descriptor)
    return descriptor is not None


@lru_cache(maxsize=5_000)
def size_of(folder: Path, sha256: str) -> tuple[int, int]:
    """Width and height in pixels as seen. Errors as in `picture`."""
    try:
        return upright_size(read_header(_read(folder, sha256)))
    except Damaged as error:
        raise DataError(str(error), where="picture") from None


def _read(folder: Path, sha256: str) -> bytes:
    descriptor = _opened(folder, sha256)
    if descriptor is None:
        raise _not_there()
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(DEFAULT_LIMITS.max_bytes + 1)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise UsageError("The run's copy of this picture is no longer what it was. Restore it from the data.")
    return data


def _opened(folder: Path, sha256: str) -> int | None:
    """A descriptor of a blob; None if there is none, a link leads to it, or it is no ordinary file of a picture's size.

    Never waits: a pipe opens at once.
    """
    if not _HASH.fullmatch(sha256):
        return None
    try:
        with _folder(folder / "blobs") as blobs, _folder(sha256[:2], blobs) as shelf:
            descriptor = os.open(sha256, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=shelf)
    except OSError:
        return None
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_size <= DEFAULT_LIMITS.max_bytes:
        return descriptor
    os.close(descriptor)
    return None


@contextlib.contextmanager
def _folder(place: Path | str, inside: int | None = None) -> Iterator[int]:
    descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=inside)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _not_there() -> UsageError:
    return UsageError("The run keeps no such picture.")


def _keep(place: Path, data: bytes) -> None:
    """Puts a small picture into the cache in one step: another server may read it meanwhile."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = place.with_name(f".{place.name}.{os.getpid()}-{threading.get_ident():x}")
    temporary.write_bytes(data)
    temporary.replace(place)


def sweep_small(thumbs: Path, most: int = _MOST_KEPT) -> None:
    """Deletes what was not used for long; beyond so many bytes, what was used longest ago, down to four fifths."""
    sweep(thumbs, "*/*")
    found = []
    for file in thumbs.glob("*/*"):
        with contextlib.suppress(OSError):
            facts = file.stat()
            found.append((facts.st_mtime, facts.st_size, file))
    total = sum(size for _, size, _ in found)
    if total <= most:
        return
    for _, size, file in sorted(found):
        file.unlink(missing_ok=True)
        total -= size
        if total <= most * 4 // 5:
            return
