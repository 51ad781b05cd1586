"""What changes in the runs, told to pages as it happens: one look a moment for all of them, and only while one listens.

Server-sent events: `runs` with `{"versions": {run: version}, "ready": {run: share}}`, at once and after each change.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

import msgspec
from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from beholder.viewer.library import Library, version_of
from beholder.viewer.run_rows import run_row
from beholder.web.app import as_error

EVERY = 0.7
"""Seconds between two looks. A look asks the file system when files were changed, and reads none."""
HEARTBEAT = 15.0
"""Seconds after which a silent line carries a comment, so that nothing on its way takes it for dead."""
MOST_LISTENERS = 32
_SHARE = 10
"""Times what a look took are waited until the next one, where that is longer: thousands of runs take a while."""

_Line = asyncio.Queue[bytes]


class Live:
    """The listeners to a library, and the one task that looks for all of them."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._told: dict[_Line, bytes] = {}
        """Listener → what was last put on its line."""
        self._seen = b""
        """The last look, while somebody listens."""
        self._looking: asyncio.Task[None] | None = None

    async def answer(self, request: Request) -> Response:
        """An event stream until the page goes or the server ends."""
        if len(self._told) >= MOST_LISTENERS:
            return as_error(f"{MOST_LISTENERS} pages are open already. Close some of them.", 503)
        # The server leaves word of its end (`serve.server_for`); an application without one just ends.
        is_ending: Callable[[], bool] = getattr(request.state, "is_ending", lambda: False)
        line = _Line()
        self._told[line] = self._seen
        if self._seen:
            line.put_nowait(self._seen)
        return _Stream(self._events(line, is_ending), leave=lambda: self._leave(line))

    def _leave(self, line: _Line) -> None:
        self._told.pop(line, None)
        if not self._told and self._looking is not None:
            self._looking.cancel()
            self._looking, self._seen = None, b""

    async def _events(self, line: _Line, is_ending: Callable[[], bool]) -> AsyncIterator[bytes]:
        silent = 0.0
        while not is_ending():
            if self._looking is None:
                self._looking = asyncio.create_task(self._keep_looking())
            elif self._looking.done():
                self._looking.result()  # it ends by a fault of ours only, which the terminal is told
            try:
                news = await asyncio.wait_for(line.get(), EVERY)
            except TimeoutError:
                silent += EVERY
                if silent >= HEARTBEAT:
                    silent = 0.0
                    yield b": nothing new\n\n"
                continue
            silent = 0.0
            yield b"event: runs\ndata: " + news + b"\n\n"

    async def _keep_looking(self) -> None:
        while True:
            begun = time.monotonic()
            self._seen = seen = await run_in_threadpool(state_of, self._library)
            took = time.monotonic() - begun
            for line, told in self._told.items():
                if told != seen:
                    self._told[line] = seen
                    if line.qsize():  # who reads slowly gets the last word only
                        line.get_nowait()
                    line.put_nowait(seen)
            await asyncio.sleep(max(EVERY, _SHARE * took))


class _Stream(StreamingResponse):
    """A stream that says when nobody hears it any more, also if it never began."""

    def __init__(self, events: AsyncIterator[bytes], *, leave: Callable[[], None]) -> None:
        super().__init__(events, media_type="text/event-stream")
        self._leave = leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._leave()


def state_of(library: Library) -> bytes:
    """The version of every run, and how much of which index is made, as JSON in one line."""
    # By the folder and not by the name: a run may go while one looks.
    versions = {run: run_row(run, place, version_of(place)).version for run, place in library.folders().items()}
    return msgspec.json.encode({"versions": versions, "ready": library.being_made()})
