"""Places for items that are asked about at once, as many as a `Pace` allows at the moment."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

from beholder.engine.pace import Pace
from beholder.errors import ProviderError
from beholder.sample import Response

_BUSY = frozenset({429, 503, 529})


class Slots:
    """Lets workers in, first come first served. A worker that is let in holds its place until it leaves.

    A worker that waits for an item with a place in hand is `idle`. Everything here runs on the event loop; nothing
    polls. `obey` bounds the seconds for which a server that says how long to wait is left alone.
    """

    def __init__(self, pace: Pace, obey: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.pace = pace
        self.idle = 0
        self._obey = obey
        self._clock = clock
        self._held = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    async def enter(self) -> None:
        """Waits for a place."""
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        self._let_in()
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.leave()
            raise

    def leave(self) -> None:
        """Gives a place back."""
        self._held -= 1
        self._let_in()

    def close(self) -> None:
        """Lets everybody in: there is nothing more to be asked."""
        self._closed = True
        self._let_in()

    async def watched(self, send: Callable[[], Awaitable[Response]]) -> Response:
        """Sends, and tells the pace how that went."""
        began = self._clock()
        try:
            response = await send()
        except ProviderError as error:
            if error.status in _BUSY or error.kind == "timeout":
                wait = error.retry_after
                self.pace.refused(began, self._clock(), self._busy, None if wait is None else min(wait, self._obey))
            raise
        self.pace.answered(began, self._clock(), self._busy)
        self._let_in()
        return response

    @property
    def _busy(self) -> int:
        return self._held - self.idle

    def _let_in(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        left_alone = self.pace.closed_until - self._clock()
        while self._waiting and (self._closed or (left_alone <= 0 and self._held < self.pace.limit)):
            place = self._waiting.popleft()
            if not place.done():  # its worker was cancelled
                self._held += 1
                place.set_result(None)
        if self._waiting and left_alone > 0:
            self._timer = asyncio.get_running_loop().call_later(left_alone, self._let_in)
