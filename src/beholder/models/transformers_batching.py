"""Questions that wait, gathered into batches for a model that runs in this process. No torch here.

One thread works for a model: it takes what waits, up to a number, and hands each answer back to whoever waits for it.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from beholder.errors import UsageError

Row = TypeVar("Row")
Reply = TypeVar("Reply")

_GATHER = 0.02
"""Seconds that a batch waits for others after its first question: the engine asks many at nearly the same time."""

_PATIENCE = 10.0
"""Seconds that closing waits for the batch at hand."""


class _Waiting(Generic[Row, Reply]):
    def __init__(self, row: Row, loop: asyncio.AbstractEventLoop) -> None:
        self.row = row
        self.loop = loop
        self.future: asyncio.Future[Reply] = loop.create_future()
        self.dropped = False

    def answer(self, reply: Reply | BaseException) -> None:
        """Called in the working thread."""

        def settle() -> None:
            if self.future.done():  # given up while it was worked on
                return
            if isinstance(reply, BaseException):
                self.future.set_exception(reply)
            else:
                self.future.set_result(reply)

        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(settle)


class Batches(Generic[Row, Reply]):
    """Batches of at most `most` questions, each given to `work(rows, unwanted)`, which returns as many replies.

    `unwanted()` becomes true when nobody waits for any of the batch any more; `work` may return early then. An
    exception of `work` is raised for each question of the batch.
    """

    def __init__(
        self, work: Callable[[Sequence[Row], Callable[[], bool]], Sequence[Reply]], most: int, name: str
    ) -> None:
        self.most = most
        self._work = work
        self._name = name
        self._waiting: deque[_Waiting[Row, Reply]] = deque()
        self._condition = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    async def ask(self, row: Row) -> Reply:
        """The reply to one question. Cancelling it takes the question back."""
        one: _Waiting[Row, Reply] = _Waiting(row, asyncio.get_running_loop())
        with self._condition:
            if self._closed:
                raise RuntimeError(f"{self._name} is closed")
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._waiting.append(one)
            self._condition.notify_all()
        try:
            return await one.future
        finally:
            one.dropped = True

    async def close(self) -> None:
        """Ends the thread; what still waits is not worked on. A batch that cannot be stopped is left to itself."""
        with self._condition:
            self._closed = True
            thread, self._thread = self._thread, None
            self._condition.notify_all()
        if thread is not None:
            await asyncio.to_thread(thread.join, _PATIENCE)

    def _run(self) -> None:
        while batch := self._next():

            def unwanted(batch: list[_Waiting[Row, Reply]] = batch) -> bool:
                return self._closed or all(one.dropped for one in batch)

            try:
                replies: Sequence[Reply | BaseException] = self._work([one.row for one in batch], unwanted)
            except BaseException as error:  # noqa: BLE001 - handed to everybody who waits for this batch
                replies = [error] * len(batch)
            for one, reply in zip(batch, replies, strict=True):
                one.answer(reply)

    def _next(self) -> list[_Waiting[Row, Reply]]:
        """The next batch; empty when there will be none."""
        with self._condition:
            while not self._closed:
                self._condition.wait_for(lambda: self._closed or self._waiting)
                if self.most > 1:
                    self._condition.wait_for(lambda: self._closed or len(self._waiting) >= self.most, _GATHER)
                batch: list[_Waiting[Row, Reply]] = []
                while self._waiting and len(batch) < self.most:
                    one = self._waiting.popleft()
                    if not one.dropped:
                        batch.append(one)
                if batch and not self._closed:
                    return batch
        return []


def in_halves(
    rows: Sequence[Row],
    attempt: Callable[[Sequence[Row]], Sequence[Reply]],
    failed: Callable[[Exception], Reply],
    after_error: Callable[[], None] = lambda: None,
) -> list[Reply]:
    """The replies to all rows: a batch that fails is tried again in two halves, so that a row that fails alone costs
    the others nothing, and a batch that is too large for the memory becomes smaller.

    `failed` makes the reply of a row that fails alone. `UsageError` goes through: it is about them all. `after_error`
    is called once what the attempt has held is let go.
    """
    try:
        return list(attempt(rows))
    except UsageError:
        raise
    except Exception as error:  # noqa: BLE001 - the boundary where a model's fault is classified, once
        if len(rows) == 1:
            return [failed(error)]
    after_error()  # outside the handler: the error's frames hold the batch's memory
    middle = len(rows) // 2
    return [
        *in_halves(rows[:middle], attempt, failed, after_error),
        *in_halves(rows[middle:], attempt, failed, after_error),
    ]
