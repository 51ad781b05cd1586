"""Having answers read out of responses by an extractor model: those in a run's journal, or those of a file.

In a run, responses come first and are kept first: an extractor that fails costs no answer, and another one can be asked
later (`beholder rescore RUN --extractor MODEL`). Each reading is a judge call in the run's database.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from beholder.benchmarks.benchmark import Answered, Benchmark
from beholder.engine.interrupt import Interrupts
from beholder.engine.reader import Extractor, Reader, open_reader
from beholder.errors import Owner
from beholder.sample import Extracted, Failure, Response, Sample
from beholder.store import judge_calls, reading, schema
from beholder.store.judge_calls import JudgeCall

_AT_ONCE = 64
_HOPELESS = 32

ToRead = tuple[int, Sample, Response]
"""A response with its sample and the number that its reading is filed under."""


class Reading(msgspec.Struct, frozen=True):
    """What an extraction came to: how many responses were read now, how many readings failed, and of these how many may
    be tried again.

    A response that was not read because the extraction ended early (`interrupted`, or hopeless) is in none of them.
    """

    read: int = 0
    failed: int = 0
    retryable: int = 0
    interrupted: bool = False

    def told(self, again: str) -> str:
        """One sentence about the readings that failed, "" if none did. `again` is the command that tries them again."""
        if not self.failed:
            return ""
        words = f"The extractor failed on {self.failed:,} response{'s' if self.failed != 1 else ''}"
        if self.retryable:
            some = f"{self.retryable:,} of them" if self.retryable < self.failed else "them"
            whom = "it" if self.failed == 1 else some
            words += f"; {again} tries {whom} again"
        return f"{words}."


class _Stopped(Exception):
    """A retry's wait was cut short because the extraction is stopping; the response is left for a resume."""


def missing(folder: Path, found: Benchmark, extractor: Extractor) -> list[int]:
    """The row numbers of the responses that this extractor has still to read."""
    with closing(schema.open_to_read(folder / "run.db")) as db:
        done = judge_calls.settled(db, extractor.asking)
        return [number for number in reading.response_numbers(db) if number not in done]


def has_to_ask(folder: Path, found: Benchmark, extractor: Extractor) -> bool:
    """Whether any response is left that this extractor has to be asked about."""
    numbers = missing(folder, found, extractor)
    return any(_in_journal(folder, found, numbers[at : at + _AT_ONCE]) for at in range(0, len(numbers), _AT_ONCE))


async def extract(
    folder: Path,
    found: Benchmark,
    extractor: Extractor,
    say: Callable[[str], None],
    interrupts: Interrupts | None = None,
) -> Reading:
    """Has the extractor read every response of a run that it has not read yet.

    A reading that failed in a way that asking again may mend is tried again; one of another extractor or another
    prompt stays, and no longer counts once this one has read anything, now or earlier. `interrupts`, if given, is told
    what Ctrl-C means meanwhile: the first one waits for what is in flight, the second one drops it. When not one of
    many readings in a row succeeds, the rest is left for a resume. `AuthError` of the extractor's server is raised.
    Whatever ends it, what was read by then is kept.
    """

    async def fetch(numbers: Sequence[int]) -> list[ToRead]:
        return await asyncio.to_thread(_in_journal, folder, found, numbers)

    async def keep(calls: Sequence[JudgeCall]) -> None:
        await asyncio.to_thread(judge_calls.keep, folder, extractor.asking, calls, fsync=extractor.fsync)

    work = _Extraction(extractor, say, fetch, keep)
    with open_reader(found, extractor, say, work.sleep) as reader:
        try:
            if interrupts is not None:
                interrupts.tell = work.interrupted
            numbers = await asyncio.to_thread(missing, folder, found, extractor)
            await keep(())  # what it read earlier counts again, also where nothing is left to be read
            return await work.read_all(reader, numbers)
        finally:
            if interrupts is not None:
                interrupts.tell = None


async def extract_given(
    answered: Sequence[Answered], found: Benchmark, extractor: Extractor, say: Callable[[str], None]
) -> tuple[list[Answered], Reading]:
    """The answers of a file with what the extractor reads out of them, in the same order.

    All that the benchmark's scorer needs are read, also where the file says what was read: no figure mixes two readers.
    When not one of many readings in a row succeeds, the rest fails unasked. `AuthError` is raised. Nothing is stored
    but in the extractor's cache.
    """
    assert found.needs_extraction is not None
    numbers = [at for at, one in enumerate(answered) if found.needs_extraction(one.sample, one.response)]
    read: dict[int, JudgeCall] = {}

    async def fetch(numbers: Sequence[int]) -> list[ToRead]:
        return [(number, answered[number].sample, answered[number].response) for number in numbers]

    async def keep(calls: Sequence[JudgeCall]) -> None:
        read.update((call.response, call) for call in calls)

    work = _Extraction(extractor, say, fetch, keep)
    with open_reader(found, extractor, say, work.sleep) as reader:
        done = await work.read_all(reader, numbers)
    name = extractor.model.name
    unasked = Failure(Owner.JUDGE, "not_asked", "not asked, because all readings before failed", retryable=True)
    given = list(answered)
    for number in numbers:
        call = read.get(number)
        extracted = Extracted(None, name, unasked) if call is None else Extracted(call.answer, name, call.failure)
        one = answered[number]
        response = msgspec.structs.replace(one.response, extracted=extracted)
        given[number] = msgspec.structs.replace(one, response=response)
    left = len(numbers) - len(read)
    return given, msgspec.structs.replace(done, failed=done.failed + left, retryable=done.retryable + left)


class _Extraction:
    """Reads responses in batches: `fetch` gets those with some numbers that have to be read, `keep` stores readings."""

    def __init__(
        self,
        extractor: Extractor,
        say: Callable[[str], None],
        fetch: Callable[[Sequence[int]], Awaitable[list[ToRead]]],
        keep: Callable[[Sequence[JudgeCall]], Awaitable[None]],
    ) -> None:
        self.extractor, self.say, self.fetch, self.keep = extractor, say, fetch, keep
        self.stopping = asyncio.Event()
        self.slots = asyncio.Semaphore(extractor.concurrency)
        self.tasks: list[asyncio.Task[None]] = []
        self.calls: list[JudgeCall] = []

    async def read_all(self, reader: Reader, numbers: Sequence[int]) -> Reading:
        done = Reading()
        for start in range(0, len(numbers), _AT_ONCE):
            batch = await self.fetch(numbers[start : start + _AT_ONCE])
            self.calls = []
            await self._read_batch(reader, batch)
            failures = [call.failure for call in self.calls if call.failure is not None]
            done = Reading(
                done.read + len(self.calls),
                done.failed + len(failures),
                done.retryable + sum(failure.retryable for failure in failures),
                self.stopping.is_set(),
            )
            if done.interrupted:
                break
            if (
                len(failures) >= _HOPELESS
                and len(failures) == len(self.calls)
                and all(one.retryable for one in failures)
            ):
                break  # its server does not work: asking for all the others would take hours
            if len(numbers) > _AT_ONCE:
                place = min(start + _AT_ONCE, len(numbers))
                self.say(f"Answers read by {self.extractor.model.name}: {place:,} of {len(numbers):,}")
        return done

    def interrupted(self) -> None:
        """Ctrl-C once: finish what is in flight. Twice: drop it."""
        if self.stopping.is_set():
            for task in self.tasks:
                task.cancel()
            return
        self.stopping.set()
        self.say("Stopping: waiting for the answers that are being read. Press Ctrl-C again to drop them.")

    async def sleep(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), seconds)
            raise _Stopped

    async def _read_batch(self, reader: Reader, batch: list[ToRead]) -> None:
        """Reads a batch into `calls` and keeps them, also where an error ends it; raises the first error."""
        self.tasks = [asyncio.create_task(self._read_one(reader, *entry)) for entry in batch]
        try:
            if self.tasks:
                await asyncio.wait(self.tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for task in self.tasks:
                task.cancel()
            ended = await asyncio.gather(*self.tasks, return_exceptions=True)
            if self.calls:
                await self.keep(self.calls)
        for error in ended:
            if isinstance(error, Exception):  # not the mark of a task that was cancelled
                raise error

    async def _read_one(self, reader: Reader, number: int, sample: Sample, response: Response) -> None:
        async with self.slots:
            if self.stopping.is_set():
                return
            with contextlib.suppress(_Stopped):
                reply = await reader.read(sample, response, number)
                call = JudgeCall(response=number, answer=reply.value, failure=reply.failure, replies=reply.replies)
                self.calls.append(call)


def _in_journal(folder: Path, found: Benchmark, numbers: Sequence[int]) -> list[ToRead]:
    """Those of the numbered responses of a run that have to be read."""
    assert found.needs_extraction is not None
    wanted = []
    with closing(schema.open_to_read(folder / "run.db")) as db:
        for stored in reading.responses(db, numbers=numbers):
            sample = reading.sample(db, stored.key)
            assert sample is not None
            if found.needs_extraction(sample, stored.response):
                wanted.append((stored.number, sample, stored.response))
    return wanted
