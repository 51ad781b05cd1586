"""The worker processes of a run: bounded by memory, a few started ahead, one for each conversation that asks for it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path

import msgspec
import PIL.Image

from beholder.errors import UsageError
from beholder.sandbox.cgroup import bound_of_memory
from beholder.sandbox.launch import Backend, SandboxBroken
from beholder.sandbox.limits import SandboxLimits
from beholder.sandbox.process import Answer, Worker

LOST = "The Python process was ended; the variables of earlier calls are lost."
FRESH = "[A new Python process was started; the variables of earlier calls are lost.]"

_SHARE_OF_MEMORY = 0.8


class SandboxPool:
    """Workers for at most `concurrency` conversations at once, fewer where memory does not reach for so many.

    `spares` are started ahead, so that a conversation's first call need not wait for a start. Use it as
    `async with SandboxPool(…) as pool`, or `start` and `close` it.
    """

    def __init__(
        self,
        backend: Backend,
        limits: SandboxLimits = SandboxLimits(),  # noqa: B008 - frozen
        *,
        concurrency: int = 1,
        spares: int = 2,
    ) -> None:
        self.backend = backend
        self.limits = limits
        self.capacity = most_workers(limits, concurrency)
        self._wanted_spares = spares
        self._room = asyncio.Semaphore(self.capacity)
        self._in_use: set[Worker] = set()
        self._taking = 0
        self._spare: deque[Worker] = deque()
        self._starting: set[asyncio.Task[Worker]] = set()
        self._ending: dict[Worker, asyncio.Task[None]] = {}
        self._closed = False

    async def __aenter__(self) -> SandboxPool:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Starts the first worker. Raises `UsageError` with the mend if none can be started here."""
        try:
            self._spare.append(await Worker.start(self.backend, self.limits))
        except SandboxBroken as error:
            raise UsageError(without_sandbox(self.backend.name, str(error))) from error
        self._refill()

    def conversation(self) -> Conversation:
        """A conversation that has no worker yet: it takes one at its first call."""
        return Conversation(self)

    async def take(self) -> Worker:
        """A fresh worker; waits while all that there may be are in use. Raises `SandboxBroken`."""
        await self._room.acquire()
        self._taking += 1
        try:
            if self._closed:
                raise SandboxBroken("the pool of sandboxes is closed")
            worker = await self._next_worker()
        except BaseException:
            self._room.release()
            raise
        finally:
            self._taking -= 1
        self._in_use.add(worker)
        self._refill()
        return worker

    async def give_back(self, worker: Worker) -> None:
        """Ends a worker that was taken: no other conversation may have what this one left in it.

        Its room is free when it has ended, even if whoever gives it back is cancelled before that.
        """
        await self._end(worker)

    async def close(self) -> None:
        """Ends all workers. May be called more than once."""
        self._closed = True
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.gather(*map(self._end, {*self._spare, *self._in_use, *self._ending}))
        self._spare.clear()

    @property
    def pids(self) -> tuple[int, ...]:
        """The worker processes that there are now, as this machine numbers them."""
        return tuple(worker.pid for worker in (*self._spare, *self._in_use) if worker.pid is not None)

    async def _next_worker(self) -> Worker:
        while True:
            while self._spare:
                worker = self._spare.popleft()
                if worker.alive:
                    return worker
                await self._end(worker)
            if not self._starting:
                return await Worker.start(self.backend, self.limits)
            # Others wait for it too: whoever is late looks again.
            await asyncio.wait((next(iter(self._starting)),))

    def _refill(self) -> None:
        """Starts workers ahead, in the background."""
        if self._closed:
            return
        room = self.capacity - len(self._in_use) - self._taking
        while len(self._spare) + len(self._starting) < min(self._wanted_spares, room):
            task = asyncio.create_task(Worker.start(self.backend, self.limits))
            self._starting.add(task)
            task.add_done_callback(self._started)

    def _started(self, task: asyncio.Task[Worker]) -> None:
        self._starting.discard(task)
        if not task.cancelled() and task.exception() is None:  # if it failed, who needs it tries again and is told
            self._spare.append(task.result())

    async def _end(self, worker: Worker) -> None:
        if worker not in self._ending:
            self._ending[worker] = asyncio.create_task(self._end_and_make_room(worker))
        await asyncio.shield(self._ending[worker])

    async def _end_and_make_room(self, worker: Worker) -> None:
        try:
            await worker.end()
        finally:
            del self._ending[worker]
            if worker in self._in_use:
                self._in_use.discard(worker)
                self._room.release()
            self._refill()


class Conversation:
    """What holds a worker from its first call to its end, and gets a fresh one when that was ended."""

    def __init__(self, pool: SandboxPool) -> None:
        self._pool = pool
        self._worker: Worker | None = None
        self._had_one = False
        self._one_at_a_time = asyncio.Lock()
        self.waited = 0.0
        """Seconds that calls have waited for a process: for one to be free, or to be started."""

    async def call(self, code: str, pictures: Sequence[PIL.Image.Image]) -> Answer:
        """Runs code in the conversation's process. Raises `SandboxBroken` if there is none and none can be started.

        After a process was ended, the first text of the next one says that variables are lost. Where an earlier call
        has left a forged reply behind, this one is run again in a fresh process: nothing outside can have changed.
        """
        async with self._one_at_a_time:
            used = self._worker is not None
            answer = await self._call_once(code, pictures)
            if answer.outcome == "stale" and used:
                answer = await self._call_once(code, pictures)
            return answer

    async def _call_once(self, code: str, pictures: Sequence[PIL.Image.Image]) -> Answer:
        before = ""
        if self._worker is not None and not self._worker.alive:
            await self.close()
        if self._worker is None:
            began = time.monotonic()
            try:
                self._worker = await self._pool.take()
            finally:
                self.waited += time.monotonic() - began
            before = f"{FRESH}\n" if self._had_one else ""
            self._had_one = True
        try:
            answer = await self._worker.call(code, pictures)
        finally:
            if self._worker is not None and not self._worker.alive:
                await self.close()
        return msgspec.structs.replace(answer, text=before + answer.text) if before else answer

    async def close(self) -> None:
        """Ends the conversation's process. May be called more than once."""
        worker, self._worker = self._worker, None
        if worker is not None:
            await self._pool.give_back(worker)


def most_workers(limits: SandboxLimits, concurrency: int) -> int:
    """How many workers may run at once: no more than fit into 80 % of the memory that is free now, at least one."""
    return max(1, min(concurrency, int(_available_memory() * _SHARE_OF_MEMORY) // limits.memory))


def without_sandbox(name: str, why: str) -> str:
    """The line that is said where the Python tool cannot be used."""
    mend = {
        "bwrap": "install bubblewrap (pip install 'beholder[tools]', or your system's package)",
        "docker": "start the Docker service and name an image (--sandbox docker:IMAGE)",
        "podman": "install podman and name an image (--sandbox podman:IMAGE)",
    }.get(name, "see the message")
    return (
        f"Python cannot run in the sandbox `{name}`: {why}. Mend: {mend}; `beholder doctor` shows what works here. "
        "Or leave the Python tool out (--tools visual)"
    )


def _available_memory() -> int:
    """Bytes that can be used before the machine, or the control group we are in, runs out."""
    free = 1 << 62
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    bound = bound_of_memory()
    return free if bound is None else min(free, bound)
