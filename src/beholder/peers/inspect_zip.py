"""The entries of an Inspect `.eval` file: a zip archive of JSON, each packed by Zstandard, deflate or not at all.

Names in the archive only say which entry is which; none becomes a path. What an entry says of its size is not believed:
unpacking stops at a bound.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from beholder.errors import DataError, UsageError
from beholder.peers.peer_log import MOST_ANSWERS

LARGEST_ENTRY = 256 << 20
LARGEST_TOTAL = 4 << 30
_SAMPLE = re.compile(r"samples/[^/]+\.json")
_ZSTANDARD = 93
_BLOCK = 1 << 20
_LOCAL_HEADER = 30
_UNREADABLE = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError, NotImplementedError)


class EvalEntries:
    """An `.eval` file that is read entry by entry. `UsageError` if it is no such archive."""

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            self._archive = zipfile.ZipFile(file)
        except _UNREADABLE as error:
            raise UsageError(f"{file}: this is not an Inspect log ({_reason(error)}).") from None
        # The last entry of a name counts, as for every reader of zip files.
        self._entries = {info.filename: info for info in self._archive.infolist()}
        self._total = 0

    def close(self) -> None:
        """Closes the file."""
        self._archive.close()

    def header(self) -> bytes:
        """The header, or what was written of it when the run began, if it was stopped."""
        for name in ("header.json", "_journal/start.json"):
            if name in self._entries:
                return self._read(name)
        raise UsageError(f"{self._file}: this is not an Inspect log: there is no header.json in it.")

    def samples(self) -> Iterator[tuple[str, bytes]]:
        """Each sample's entry: a name for messages, and its JSON."""
        names = [name for name in self._entries if _SAMPLE.fullmatch(name)]
        if len(names) > MOST_ANSWERS:
            raise UsageError(f"{self._file}: it holds more than {MOST_ANSWERS:,} samples.")
        for number, name in enumerate(names, start=1):
            yield f"{self._file.name}, entry {number}", self._read(name)

    def _read(self, name: str) -> bytes:
        info = self._entries[name]
        where = f"{self._file.name}, {name[:60]!r}"
        try:
            with self._archive.open(info) if info.compress_type != _ZSTANDARD else self._zstandard(info) as stream:
                pieces, size = [], 0
                while piece := stream.read(_BLOCK):
                    size += len(piece)
                    self._total += len(piece)
                    if size > LARGEST_ENTRY or self._total > LARGEST_TOTAL:
                        raise DataError("it unpacks to more than a log can have; it was not read", where=where)
                    pieces.append(piece)
        except _UNREADABLE as error:
            raise DataError(
                f"it cannot be unpacked ({_reason(error)})", where=where, mend="Get the file again."
            ) from None
        data = b"".join(pieces)
        if zlib.crc32(data) != info.CRC:  # Python's own check is not made of what zstandard unpacks
            raise DataError("its content is damaged", where=where, mend="Get the file again.")
        return data

    def _zstandard(self, info: zipfile.ZipInfo) -> _Plain:
        """The unpacked stream of an entry that Python's own `zipfile` cannot unpack."""
        try:
            import zstandard
        except ImportError:
            raise UsageError(
                f"{self._file}: its entries are packed by Zstandard, and reading them needs zstandard: "
                "pip install 'beholder[inspect]'. Or write it as JSON: inspect log convert FILE --to json."
            ) from None
        if info.flag_bits & 1:
            raise RuntimeError("it is encrypted")
        packed = self._packed(info)
        try:
            stream = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(packed, read_across_frames=True)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None
        return _Plain(stream)

    def _packed(self, info: zipfile.ZipInfo) -> bytes:
        if info.compress_size > LARGEST_ENTRY:
            raise ValueError("it is too large")
        with self._file.open("rb") as source:
            source.seek(info.header_offset)
            header = source.read(_LOCAL_HEADER)
            if len(header) < _LOCAL_HEADER or not header.startswith(b"PK\x03\x04"):
                raise ValueError("its header is damaged")
            source.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), 1)
            return source.read(info.compress_size)


class _Plain:
    """A stream of zstandard's whose errors are those that one expects of damaged data."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def __enter__(self) -> _Plain:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._stream.close()

    def read(self, size: int) -> bytes:
        import zstandard

        try:
            return self._stream.read(size)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__)[:120]
