"""The engine: prepared requests go out, responses go to the journal, and nothing that is finished is ever lost.

One event loop sends; feeder threads prepare; the journal's threads write and score. The loop never decodes an image,
writes a file or runs a scorer.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine.budget import Purse
from beholder.engine.feed import Feeder, Gate, Ready
from beholder.engine.interrupt import Interrupts
from beholder.engine.pace import Pace
from beholder.engine.plan import Plan
from beholder.engine.retry import RetryPolicy, answer
from beholder.engine.scoring import score_with, scorer_code
from beholder.engine.slots import Slots
from beholder.engine.watch import Watch
from beholder.errors import AuthError, Owner
from beholder.models.capabilities import check_needs
from beholder.models.model import Model, Prepared
from beholder.models.prices import Price, priced
from beholder.sample import Response
from beholder.seeds import rng_for
from beholder.store.cache import ResponseCache
from beholder.store.folder import Blobs, resume_command
from beholder.store.journal import Entry, Journal
from beholder.store.storable import storable

if TYPE_CHECKING:
    from beholder.engine.conversing import Conversing
    from beholder.engine.provider_work import Recounting
    from beholder.models.provider_work import TellsOfItsWork
    from beholder.sandbox.pool import SandboxPool

_IN_MEMORY = 256 << 20
_UNCOMMITTED = 4096
_HOPELESS = 100
_LAST_ANSWERS = 5.0


class Ending(StrEnum):
    """Why the engine stopped."""

    FINISHED = "finished"
    BUDGET = "budget"
    INTERRUPTED = "interrupted"
    REFUSED_KEY = "refused key"
    HOPELESS = "hopeless"


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One run's work: what to ask, of whom, and where to keep it. `skip` is what is answered already.

    `concurrency` is how many items are asked about at once; with a `pace` that is the most, and the pace decides.
    `drain` is how many seconds a first Ctrl-C waits for answers in flight. With tools, `sandboxes` is where code of the
    model runs, and `attempts` numbers the next attempt at what was begun and not finished. `price` is that of the
    model; when the `purse` is used up nothing more is begun, and what is in flight is waited for.
    """

    plan: Plan
    found: Benchmark
    model: Model
    folder: Path
    skip: set[tuple[str, int, int]]
    cache: ResponseCache | None
    retries: RetryPolicy = RetryPolicy()
    concurrency: int = 64
    pace: Pace | None = None
    fsync: bool = False
    drain: float = 30.0
    sandboxes: SandboxPool | None = None
    price: Price | None = None
    purse: Purse | None = None
    attempts: dict[tuple[str, int, int], int] = {}


class _Stopped(Exception):
    """A retry's wait was cut short because the run is stopping; the item is left for a resume."""


async def execute(job: Job, watch: Watch, interrupts: Interrupts | None = None) -> tuple[Ending, str]:
    """Asks everything that is not answered yet. Returns why it stopped, with one line for the user.

    `interrupts`, if given, is told what Ctrl-C means while the engine asks. Raises the journal's error if the disk is
    full, and whatever the data stream raised.
    """
    run = _Run(job, watch)
    if interrupts is not None:
        interrupts.tell = run.interrupted
    try:
        return await run.execute()
    finally:
        if interrupts is not None:
            interrupts.tell = None


class _Run:
    def __init__(self, job: Job, watch: Watch) -> None:
        self.job = job
        self.watch = watch
        watch.pace = job.pace
        self.loop = asyncio.get_running_loop()
        self.queue: asyncio.Queue[Ready | BaseException | None] = asyncio.Queue()
        self.delivered: deque[Ready | BaseException | None] = deque()
        self.collecting = False
        self.slots = Slots(job.pace, job.retries.obey) if job.pace is not None else None
        self.gate = Gate(items=2 * job.concurrency + 16, n_bytes=_IN_MEMORY)
        self.stopping = asyncio.Event()
        self.ending = Ending.FINISHED
        self.message = ""
        self.failures_in_a_row = 0
        self.any_answer = False
        self.items_in_flight = 0
        self.fault: BaseException | None = None
        self.workers: list[asyncio.Task[None]] = []

    async def execute(self) -> tuple[Ending, str]:
        job = self.job
        scorers = scorer_code(job.found)
        cache = job.cache if job.model.remote else None
        with Journal(
            job.folder,
            scorers,
            score_with(job.found.scorers),
            cache=cache,
            on_scored=self.watch.scored,
            warn=self.watch.say,
            fsync=job.fsync,
        ) as journal:
            self.journal = journal
            blobs = Blobs(job.folder, fsync=job.fsync)
            self.conversing = self._conversing(journal, blobs, cache) if job.plan.tools is not None else None
            feeder = Feeder(
                job.plan.samples(),
                lambda sample: job.plan.asks(sample, job.skip),
                job.model,
                blobs,
                cache,
                self.gate,
                self._deliver,
            )
            feeder.start()
            self.workers = [asyncio.create_task(self._work()) for _ in range(job.concurrency)]
            try:
                await self._until_done()
            finally:
                await asyncio.to_thread(feeder.stop)
            if self.fault is not None:
                raise self.fault
        return self.ending, self.message

    def _conversing(self, journal: Journal, blobs: Blobs, cache: ResponseCache | None) -> Conversing | Recounting:
        from beholder.engine.conversing import Conversing
        from beholder.engine.provider_work import Recounting
        from beholder.tools.settings import Arm

        job = self.job
        assert job.plan.tools is not None
        if job.plan.tools.arm is Arm.PROVIDER:
            check_needs(job.model.name, job.model.capabilities, job.plan.needs)  # a plan may come from a run.json
            return Recounting(cast("TellsOfItsWork", job.model), self._send, blobs, journal, job.attempts)
        return Conversing(job.model, job.plan.tools, self._send, cache, blobs, journal, job.sandboxes, job.attempts)

    def _deliver(self, item: Ready | BaseException | None) -> None:
        """Called in feeder threads. The loop is woken once for all that has gathered, not once for each item."""
        self.delivered.append(item)
        if not self.collecting:
            self.collecting = True
            self.loop.call_soon_threadsafe(self._collect)

    def _collect(self) -> None:
        self.collecting = False  # first: what is delivered from here on wakes the loop again
        while self.delivered:
            self.queue.put_nowait(self.delivered.popleft())

    async def _until_done(self) -> None:
        everything = asyncio.gather(*self.workers, return_exceptions=True)
        stopped = asyncio.create_task(self.stopping.wait())
        try:
            waited: set[asyncio.Future[Any]] = {everything, stopped}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if self.ending is Ending.INTERRUPTED and not everything.done():
                what = f"{self.watch.in_flight} answers in flight"
                if self.conversing is not None:
                    what = "the conversations that are under way; what they still ask is sent"
                self.watch.say(
                    f"Stopping: waiting up to {self.job.drain:.0f} s for {what}. Press Ctrl-C again to drop them."
                )
                await asyncio.wait({everything}, timeout=self.job.drain)
            elif self.ending is Ending.BUDGET:
                await everything  # what is in flight is paid for; Ctrl-C drops it
            elif self.fault is None and not everything.done():
                await asyncio.wait({everything}, timeout=_LAST_ANSWERS)  # they are on their way, and may cost money
        finally:
            self.stopping.set()
            stopped.cancel()
            for worker in self.workers:
                worker.cancel()
            await everything

    async def _work(self) -> None:
        try:
            while (item := await self._next()) is not None:
                try:
                    response, record = await self._within_budget(item)
                except _Stopped:
                    return
                finally:
                    self.gate.leave(item.weight)
                    if self.slots is not None:
                        self.slots.leave()
                self._keep(item, response, record)
                if self.journal.waiting > _UNCOMMITTED:
                    await asyncio.to_thread(self.journal.catch_up, _UNCOMMITTED // 2)
        except Exception as error:  # noqa: BLE001 - a fault of ours: stops the run and is raised when it has ended
            self._stop(Ending.FINISHED, "", fault=error)

    async def _next(self) -> Ready | None:
        """The next item, with a place to be asked in; None when there are no more or the run is stopping."""
        if self.slots is None:
            return await self._from_queue()
        await self.slots.enter()
        self.slots.idle += 1
        item = await self._from_queue()
        self.slots.idle -= 1
        if item is None:
            self.slots.close()  # the others need no place to learn it, nor wait for a server that is left alone
        return item

    async def _from_queue(self) -> Ready | None:
        item = await self.queue.get()
        if isinstance(item, BaseException):
            self._stop(Ending.FINISHED, "", fault=item)
            return None
        if item is None:
            self.queue.put_nowait(None)  # the last word is for every worker
        elif self.stopping.is_set():
            self.gate.leave(item.weight)
            return None
        return item

    async def _within_budget(self, item: Ready) -> tuple[Response, bytes]:
        """What comes of an item; `_Stopped` if there is no money left to begin with it."""
        purse = self.job.purse
        if purse is None or item.response is not None:
            return await self._response_to(item)
        if purse.used_up(self.items_in_flight):
            self._stop(Ending.BUDGET, purse.told(resume_command(self.job.folder)))
            raise _Stopped
        self.items_in_flight += 1
        try:
            return await self._response_to(item)
        finally:
            self.items_in_flight -= 1
            purse.ended()

    async def _response_to(self, item: Ready) -> tuple[Response, bytes]:
        """What comes of an item, and the request as it is journaled."""
        unusable = item.response is not None and item.response.failure is not None
        if self.conversing is None or unusable:
            response, record = item.response or await self._send(item.prepared), item.prepared.record
        else:
            response, record = await self.conversing.hold(item)
        if response.failure is not None:
            ask = item.prepared.ask
            response = msgspec.structs.replace(
                response,
                order=ask.order,
                request_hash=response.request_hash or item.prepared.request_hash,
                images=response.images or item.prepared.images,
            )
        return response, record

    async def _send(self, prepared: Prepared) -> Response:
        job, ask = self.job, prepared.ask
        self.watch.in_flight += 1
        try:
            response = await answer(
                lambda: self._attempt(prepared),
                job.retries,
                lambda: rng_for(job.plan.seed, ask.sample.key, ask.epoch, ask.vote, "retry"),
                self._sleep,
            )
        except AuthError as error:
            self._stop(
                Ending.REFUSED_KEY,
                f"{str(error).rstrip('.')}. Check the API key and run `{resume_command(job.folder)}`.",
            )
            raise _Stopped from None
        finally:
            self.watch.in_flight -= 1
        response = priced(response, job.price)
        if job.purse is not None:
            job.purse.pay(response.usage, counts=job.model.remote and response.failure is None)
        return response

    def _attempt(self, prepared: Prepared) -> Awaitable[Response]:
        if self.slots is None:
            return self.job.model.send(prepared)
        return self.slots.watched(lambda: self.job.model.send(prepared))

    async def _sleep(self, seconds: float) -> None:
        self.watch.retries += 1
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), seconds)
            raise _Stopped

    def _keep(self, item: Ready, response: Response, record: bytes) -> None:
        ask = item.prepared.ask
        kept = storable(response.text)
        if kept != response.text:  # scored as it will be read back, so that spans fit
            response = msgspec.structs.replace(response, text=kept)
        try:
            self.journal.put(Entry(ask.sample, ask.vote, ask.epoch, response, record, item.images))
        except Exception as error:  # noqa: BLE001 - the writer's own error, raised again when the run ends
            self._stop(Ending.FINISHED, "", fault=error)
            return
        self.watch.answered(response)
        failure = response.failure
        if failure is None:
            self.failures_in_a_row = 0
            self.any_answer = True
        elif failure.owner is Owner.PROVIDER and (failure.retryable or not self.any_answer):
            # A server that answers others refuses single requests for good reasons: those do not count.
            self.failures_in_a_row += 1
            if self.failures_in_a_row >= _HOPELESS:
                self._stop(
                    Ending.HOPELESS,
                    f"The last {_HOPELESS} requests all failed ({failure.message}), so the run was stopped.",
                )

    def _stop(self, ending: Ending, message: str, fault: BaseException | None = None) -> None:
        if not self.stopping.is_set():
            self.ending, self.message, self.fault = ending, message, fault
            self.stopping.set()
            self.queue.put_nowait(None)  # wakes the workers that wait for an item
            if self.slots is not None:
                self.slots.close()  # and those that wait for a place

    def interrupted(self) -> None:
        """Ctrl-C once: finish what is in flight. Twice: drop it. SIGTERM: like the first Ctrl-C."""
        if self.stopping.is_set():
            for worker in self.workers:
                worker.cancel()
        self._stop(Ending.INTERRUPTED, "")
