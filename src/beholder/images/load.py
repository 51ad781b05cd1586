"""Published bytes to an `Image`: read within bounds, recognised by content, checked, hashed; and its pixels.

Nothing is decoded here unless the file's structure leaves open whether the whole picture is there, so that an
ordinary JPEG costs little more than its SHA-256.
"""

from __future__ import annotations

import hashlib
import os
import stat
from typing import TYPE_CHECKING

import msgspec

from beholder.errors import DataError
from beholder.images import decode
from beholder.images.header import CUT_SHORT, EXTENSIONS, MIME, Damaged, Header
from beholder.sample import ImageRef

if TYPE_CHECKING:
    import PIL.Image


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What an image may cost before it is refused.

    `max_bytes` of the published file, `max_pixels` of one frame (the default is where Pillow begins to warn;
    Pillow itself refuses twice as many), `max_frames` of an animation.
    """

    max_bytes: int = 64 * 1024 * 1024
    max_pixels: int = 89_478_485
    max_frames: int = 1_000


DEFAULT_LIMITS = Limits()


class Image(msgspec.Struct, frozen=True, kw_only=True):
    """An image as published.

    `data` holds the published bytes, `sha256` their hash in hexadecimal. `width` and `height` are in pixels
    as seen, after EXIF orientation (`exif_orientation`, 1 where none is needed). `format` is recognised from
    the bytes (`JPEG`, `PNG`, `WEBP`, `GIF`, `BMP`, `TIFF`), `mode` is the colour mode as stored
    (`header.Header`), `name` is for messages. `flags`: `exif_applied` (seen otherwise than stored), `alpha`
    (pixels may be transparent), `animated`, `misnamed` (the name's extension says another format).
    """

    sha256: str
    width: int
    height: int
    format: str
    mode: str
    n_bytes: int
    mime: str
    exif_orientation: int
    flags: tuple[str, ...]
    data: bytes
    name: str = ""

    def __repr__(self) -> str:
        size = f"{self.format} {self.width}x{self.height}, {self.n_bytes:,} bytes"
        return f"Image({self.name!r}, {size}, sha256 {self.sha256[:12]})"


def load(ref: ImageRef, limits: Limits = DEFAULT_LIMITS) -> Image:
    """Read and check the image that `ref` points to.

    Raises `DataError` naming the image, what is wrong and the mend: a file that is missing, empty, cut short,
    damaged, of another kind, or beyond `limits`.
    """
    name = _shown(ref.name or ref.path or "embedded image")
    data = _read(ref, name, limits.max_bytes)
    try:
        header = decode.read_header(data)
        _check(header, name, limits)
        if not header.complete:
            decode.decode(data, header)
    except Damaged as error:
        raise _unusable(error, name) from error
    width, height = decode.upright_size(header)
    return Image(
        sha256=hashlib.sha256(data).hexdigest(),
        width=width,
        height=height,
        format=header.format,
        mode=header.mode,
        n_bytes=len(data),
        mime=MIME[header.format],
        exif_orientation=header.orientation,
        flags=_flags(header, ref),
        data=data,
        name=name,
    )


def pixels(image: Image) -> PIL.Image.Image:
    """The image upright, in RGB, 8 bits a channel; how other colour modes become RGB is said in `decode`.

    Raises `DataError` where the bytes cannot be decoded.
    """
    return flattened(image)[0]


def flattened(image: Image) -> tuple[PIL.Image.Image, bool]:
    """`pixels`, and whether any pixel of the image was transparent and so was laid over white."""
    try:
        return decode.decode(image.data, decode.read_header(image.data))
    except Damaged as error:
        raise _unusable(error, image.name) from error


def _read(ref: ImageRef, name: str, max_bytes: int) -> bytes:
    """The bytes of a regular file or those embedded in the record, at most `max_bytes`."""
    if (ref.path is None) == (ref.data is None):
        raise DataError(
            "the record must give either a path or the bytes of the image",
            where=name,
            mend="Correct the image field of this record",
        )
    if ref.path is None:
        data = ref.data or b""
        size = len(data)
    else:
        try:
            data, size = _read_file(ref.path, name, max_bytes)
        except (OSError, ValueError) as error:  # ValueError: a NUL or a lone surrogate in the path
            raise _unreadable(error, name, _shown(ref.path)) from error
    if size > max_bytes:
        raise DataError(
            f"the image has {size:,} bytes, the limit is {max_bytes:,}",
            where=name,
            mend="Store a smaller file, or raise the limit (max_bytes)",
        )
    return data


def _read_file(path: str, name: str, max_bytes: int) -> tuple[bytes, int]:
    """The bytes of a regular file and its size; no bytes if it is larger than `max_bytes`.

    Plain system calls: a file object makes three more, each a switch of threads.
    """
    # Not blocking: opening a pipe would otherwise wait for ever.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise _not_a_file(found.st_mode, name)
        size = found.st_size
        if size > max_bytes:
            return b"", size
        data = os.read(descriptor, size + 1)
        while len(data) <= size and (more := os.read(descriptor, size + 1 - len(data))):
            data += more
        if len(data) != size:
            raise DataError("the image file changed while it was read", where=name, mend="Try again")
        return data, size
    finally:
        os.close(descriptor)


def _check(header: Header, name: str, limits: Limits) -> None:
    """Refuse what would be too much to decode, before it is decoded."""
    size = f"{header.width}x{header.height}"
    if header.width < 1 or header.height < 1:
        raise DataError(f"the image says it is {size} pixels", where=name, mend="Replace the file")
    if header.width * header.height > limits.max_pixels:
        raise DataError(
            f"the image is {size} pixels, the limit is {limits.max_pixels:,} in all",
            where=name,
            mend="Scale it down, or raise the limit (max_pixels) if you trust the file",
        )
    if header.frames > limits.max_frames:
        raise DataError(
            f"the image is an animation of {header.frames:,} frames, the limit is {limits.max_frames:,}",
            where=name,
            mend="Keep the frame that is meant as a still image",
        )


def _flags(header: Header, ref: ImageRef) -> tuple[str, ...]:
    extension = (ref.path or ref.name).rpartition(".")[2].lower()
    flags = {
        "exif_applied": header.orientation != 1,
        "alpha": header.alpha,
        "animated": header.frames > 1,
        "misnamed": EXTENSIONS.get(extension, header.format) != header.format,
    }
    return tuple(flag for flag, holds in flags.items() if holds)


def _unusable(error: Damaged, name: str) -> DataError:
    text = str(error)
    cut = text.startswith(CUT_SHORT)
    return DataError(text, where=name, mend="Fetch the file again" if cut else "Replace the file or drop the record")


def _not_a_file(mode: int, name: str) -> DataError:
    what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
    return DataError(f"the image path is {what}", where=name, mend="Correct the path in the record")


def _unreadable(error: OSError | ValueError, name: str, path: str) -> DataError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return DataError(
            f"the image file {path} does not exist",
            where=name,
            mend="Give the folder that image names are relative to, or add the file",
        )
    if isinstance(error, PermissionError):
        return DataError(f"the image file {path} may not be read", where=name, mend="Change its permissions")
    if isinstance(error, OSError):
        return DataError(f"the image file {path} cannot be read ({error.strerror})", where=name)
    return DataError("the image path cannot be a file name", where=name, mend="Correct the path in the record")


def _shown(name: str) -> str:
    """A name from the data, fit for one line of a terminal: nothing unprintable, at most 200 characters."""
    clean = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name[:201])
    return clean if len(name) <= 200 else clean[:200] + "…"
