"""The pipes of a worker: requests in, replies and printed text out. All bounded, none of them ever waits.

Plain descriptors with the loop's own watching: after a reply everything that was printed before it lies in the pipe
already, and is read without waiting for the loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterator

_PIECE = 1 << 18
_MOST_AHEAD = 1 << 20
"""Bytes of replies that are taken in before anybody asks for them."""
_SHORT = 1 << 12
_REST = 0.002
"""After a read of fewer than `_SHORT` bytes a pipe is left alone for so many seconds: whoever writes byte by byte would
else cost us more time than himself."""


class WrittenTooMuch(Exception):
    """More was printed than a call may print."""


class Closed(Exception):
    """The worker's end of a pipe is closed: it has ended, or its code has closed it."""


class Text:
    """What a call has printed: its beginning and its end, and how much there was between."""

    def __init__(self, chars: int, most: int) -> None:
        self._head_size = chars * 3 // 4
        self._tail_size = chars - self._head_size
        self._most = most
        self._head = bytearray()
        self._tail = bytearray()
        self.size = 0

    def add(self, data: bytes) -> None:
        """Raises `WrittenTooMuch`."""
        self.size += len(data)
        if self.size > self._most:
            raise WrittenTooMuch
        room = self._head_size - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room > 0 else data
        if len(self._tail) > 2 * self._tail_size + _PIECE:
            del self._tail[: -self._tail_size]

    def shown(self) -> str:
        """As text; where the middle was left out, a line says so. Bytes that are no UTF-8 are replaced."""
        left_out = self.size - self._head_size - self._tail_size
        if left_out <= 0:
            return (self._head + self._tail).decode("utf-8", "replace")
        head = self._head.decode("utf-8", "replace")
        tail = self._tail[-self._tail_size :].decode("utf-8", "replace")
        return f"{head}\n[… {left_out} bytes left out …]\n{tail}"


class Pipes:
    """The host's ends. `watched` is entered around every exchange; the worker's ends are closed at once.

    `info` is a fourth pipe, by which bubblewrap says what it has started.
    """

    def __init__(self) -> None:
        self._ours: list[int] = []
        self._worker_ends: list[int] = []
        self._stirred, self._writable = asyncio.Event(), asyncio.Event()
        self._ahead = bytearray()
        self._full = False
        self._replies_ended = False
        self._text: Text | None = None
        self._failure: Exception | None = None
        self._resting: dict[int, asyncio.TimerHandle] = {}
        try:
            self.worker_in, self._requests = self._pipe(ours=1)
            self._replies, self.worker_out = self._pipe(ours=0)
            self._printed, self.worker_err = self._pipe(ours=0)
            self.info, self.worker_info = self._pipe(ours=0)
        except OSError:
            self.started()
            self.close()
            raise

    def _pipe(self, ours: int) -> tuple[int, int]:
        """(end to read from, end to write to); `ours` says which of the two we keep."""
        ends = os.pipe()
        self._ours.append(ends[ours])
        self._worker_ends.append(ends[1 - ours])
        os.set_blocking(ends[ours], False)
        return ends

    def started(self) -> None:
        """The worker has its own copies of its ends now."""
        while self._worker_ends:
            os.close(self._worker_ends.pop())

    def close(self) -> None:
        """Closes our ends; who waits for them gets `Closed`. May be called more than once."""
        if self._text is not None:
            self._look_away()
            self._replies_ended = True
            self._stirred.set()
            self._writable.set()
        while self._ours:
            os.close(self._ours.pop())
        self._requests = self._replies = self._printed = self.info = -1

    @contextlib.contextmanager
    def watched(self, text: Text) -> Iterator[None]:
        """While the block runs, printed text goes into `text` and replies are taken in."""
        loop = asyncio.get_running_loop()
        self._text, self._failure = text, None
        loop.add_reader(self._replies, self._take_replies)
        loop.add_reader(self._printed, self._take_text)
        try:
            yield
        finally:
            if self._ours:
                self._look_away()
            self._text = None

    def _look_away(self) -> None:
        loop = asyncio.get_running_loop()
        for timer in self._resting.values():
            timer.cancel()
        self._resting.clear()
        loop.remove_reader(self._replies)
        loop.remove_reader(self._printed)
        loop.remove_writer(self._requests)

    def discard(self) -> bool:
        """Throws away what was printed since the last exchange. False if there are replies that nobody asked for."""
        for _ in range(64):  # a pipe holds far less
            if not _read(self._printed):
                break
        return not self._ahead and not _read(self._replies)

    def settle(self, text: Text) -> None:
        """Takes in what was printed before the last reply, or before the end. Raises `WrittenTooMuch`."""
        while data := _read(self._printed):
            text.add(data)

    async def send(self, data: bytes | memoryview) -> None:
        """Raises `Closed`, `WrittenTooMuch`."""
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._requests, view[:_PIECE]) :]
            except BlockingIOError:
                await self._until_writable()
            except OSError as error:
                raise Closed from error
            self._raise_failure()

    async def line(self, longest: int) -> bytes:
        """The next line of the replies, without its end. Raises `Closed`, `WrittenTooMuch`, and ValueError if it is
        longer than `longest` bytes."""
        while (end := self._ahead.find(b"\n")) < 0:
            if len(self._ahead) > longest:
                raise ValueError(f"a line of more than {longest} bytes")
            await self._more()
        if end > longest:
            raise ValueError(f"a line of more than {longest} bytes")
        line = bytes(self._ahead[:end])
        del self._ahead[: end + 1]
        return line

    async def exactly(self, size: int) -> bytes:
        """The next bytes of the replies. Raises `Closed`, `WrittenTooMuch`."""
        parts = []
        while size:
            if not self._ahead:
                await self._more()
            part = bytes(self._ahead[:size])
            del self._ahead[: len(part)]
            size -= len(part)
            parts.append(part)
        return b"".join(parts)

    async def _more(self) -> None:
        """Waits until there are more replies."""
        before = len(self._ahead)
        if self._full:
            self._full = False
            asyncio.get_running_loop().add_reader(self._replies, self._take_replies)
        while len(self._ahead) == before:
            self._raise_failure()
            if self._replies_ended:
                raise Closed
            self._stirred.clear()
            await self._stirred.wait()

    async def _until_writable(self) -> None:
        loop = asyncio.get_running_loop()
        self._writable.clear()
        loop.add_writer(self._requests, self._writable.set)
        try:
            await self._writable.wait()
        finally:
            if self._ours:
                loop.remove_writer(self._requests)

    def _take_replies(self) -> None:
        loop = asyncio.get_running_loop()
        if len(self._ahead) >= _MOST_AHEAD:
            self._full = True
            loop.remove_reader(self._replies)
            return
        try:
            data = os.read(self._replies, _PIECE)
        except BlockingIOError:
            return
        if data:
            self._ahead += data
            self._rest_after(data, self._replies, self._take_replies)
        else:
            self._replies_ended = True
            loop.remove_reader(self._replies)
        self._stirred.set()

    def _take_text(self) -> None:
        data = _read(self._printed)
        if not data:  # it has closed its text; the replies say whether it has ended
            asyncio.get_running_loop().remove_reader(self._printed)
            return
        self._rest_after(data, self._printed, self._take_text)
        if self._text is not None and self._failure is None:
            try:
                self._text.add(data)
            except WrittenTooMuch as error:
                self._failure = error
                self._stirred.set()

    def _rest_after(self, data: bytes, number: int, take: Callable[[], None]) -> None:
        if len(data) < _SHORT:
            loop = asyncio.get_running_loop()
            loop.remove_reader(number)
            self._resting[number] = loop.call_later(_REST, loop.add_reader, number, take)

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure


def _read(number: int) -> bytes:
    """What is there now; empty also at the end."""
    try:
        return os.read(number, _PIECE)
    except BlockingIOError:
        return b""
