"""Having answers read out of responses by an extractor model, after the responses are in the journal.

Responses come first and are kept first: an extractor that fails costs no answer, and another one can be asked later
(`beholder rescore RUN --extractor MODEL`). Each reading is a judge call in the run's database.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine.interrupt import Interrupts
from beholder.engine.retry import RetryPolicy, answer
from beholder.errors import UsageError
from beholder.extract.extraction import Extraction
from beholder.extract.think import split_thought
from beholder.judges.ask import ask_judge
from beholder.models.model import Model
from beholder.sample import Ask, Message, Response, Sample, Sampling, TextPart
from beholder.seeds import rng_for
from beholder.store import judge_calls, reading, schema
from beholder.store.cache import ResponseCache
from beholder.store.judge_calls import EXTRACTION, Asking, JudgeCall

MAX_TOKENS = 1024
_AT_ONCE = 64
_HOPELESS = 32


class Extractor(msgspec.Struct, frozen=True, kw_only=True):
    """Who reads the answers, and how it is asked. `cache` is the file of answers given earlier, None for none."""

    model: Model
    template: str
    concurrency: int = 16
    retries: RetryPolicy = RetryPolicy()
    cache: Path | None = None
    fsync: bool = False

    @property
    def asking(self) -> Asking:
        """What its judge calls are filed under."""
        return asking_of(self.model.name, self.template)


def asking_of(model: str, template: str) -> Asking:
    """What the judge calls of an extractor are filed under: its name, and the SHA-256 of the prompt's template."""
    digest = hashlib.sha256(template.encode("utf-8", "surrogatepass")).hexdigest()
    return Asking(EXTRACTION, model, digest)


class Reading(msgspec.Struct, frozen=True):
    """What an extraction came to: how many responses were read now, how many readings failed, and of these how many may
    be tried again.

    A response that was not read because the extraction ended early (`interrupted`, or hopeless) is in none of them.
    """

    read: int = 0
    failed: int = 0
    retryable: int = 0
    interrupted: bool = False


class _Stopped(Exception):
    """A retry's wait was cut short because the extraction is stopping; the response is left for a resume."""


def check_extractor(found: Benchmark) -> None:
    """`UsageError` for a benchmark that no extractor is used with."""
    if found.extraction_prompt is None:
        raise UsageError(f"{found.name} takes no --extractor: its answers are read without a model.")


def missing(folder: Path, found: Benchmark, extractor: Extractor) -> list[int]:
    """The row numbers of the responses that this extractor has still to read."""
    with closing(schema.open_to_read(folder / "run.db")) as db:
        done = judge_calls.settled(db, extractor.asking)
        return [number for number in reading.response_numbers(db) if number not in done]


def has_to_ask(folder: Path, found: Benchmark, extractor: Extractor) -> bool:
    """Whether any response is left that this extractor has to be asked about."""
    numbers = missing(folder, found, extractor)
    return any(_to_read(folder, found, numbers[at : at + _AT_ONCE]) for at in range(0, len(numbers), _AT_ONCE))


async def extract(
    folder: Path,
    found: Benchmark,
    extractor: Extractor,
    say: Callable[[str], None],
    interrupts: Interrupts | None = None,
) -> Reading:
    """Has the extractor read every response that it has not read yet.

    A reading that failed in a way that asking again may mend is tried again; one of another extractor or another
    prompt stays, and no longer counts once this one has read anything, now or earlier. `interrupts`, if given, is told
    what Ctrl-C means meanwhile: the first one waits for what is in flight, the second one drops it. When not one of
    many readings in a row succeeds, the rest is left for a resume. `AuthError` of the extractor's server is raised.
    Whatever ends it, what was read by then is kept.
    """
    cache = ResponseCache(extractor.cache) if extractor.cache is not None and extractor.model.remote else None
    try:
        work = _Extraction(folder, found, extractor, say, cache)
        if interrupts is not None:
            interrupts.tell = work.interrupted
        return await work.read_all()
    finally:
        if interrupts is not None:
            interrupts.tell = None
        if cache is not None:
            cache.close()


class _Extraction:
    def __init__(
        self,
        folder: Path,
        found: Benchmark,
        extractor: Extractor,
        say: Callable[[str], None],
        cache: ResponseCache | None,
    ) -> None:
        self.folder, self.found, self.extractor, self.say = folder, found, extractor, say
        self.cache = cache
        self.stopping = asyncio.Event()
        self.slots = asyncio.Semaphore(extractor.concurrency)
        self.tasks: list[asyncio.Task[None]] = []
        self.calls: list[JudgeCall] = []

    async def read_all(self) -> Reading:
        numbers = await asyncio.to_thread(missing, self.folder, self.found, self.extractor)
        await self._keep(())  # what it read earlier counts again, also where nothing is left to be read
        done = Reading()
        for start in range(0, len(numbers), _AT_ONCE):
            batch = await asyncio.to_thread(_to_read, self.folder, self.found, numbers[start : start + _AT_ONCE])
            self.calls = []
            await self._read_batch(batch)
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

    async def _read_batch(self, batch: list[tuple[int, Sample, Response]]) -> None:
        """Reads a batch into `calls` and keeps them, also where an error ends it; raises the first error."""
        self.tasks = [asyncio.create_task(self._read_one(*entry)) for entry in batch]
        try:
            if self.tasks:
                await asyncio.wait(self.tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for task in self.tasks:
                task.cancel()
            ended = await asyncio.gather(*self.tasks, return_exceptions=True)
            if self.calls:
                await self._keep(self.calls)
        for error in ended:
            if isinstance(error, Exception):  # not the mark of a task that was cancelled
                raise error

    async def _keep(self, calls: Sequence[JudgeCall]) -> None:
        fsync, asking = self.extractor.fsync, self.extractor.asking
        await asyncio.to_thread(judge_calls.keep, self.folder, asking, calls, fsync=fsync)

    async def _read_one(self, number: int, sample: Sample, response: Response) -> None:
        async with self.slots:
            if not self.stopping.is_set():
                with contextlib.suppress(_Stopped):
                    self.calls.append(await self._read(number, sample, response))

    async def _read(self, number: int, sample: Sample, response: Response) -> JudgeCall:
        assert self.found.extraction_prompt is not None
        extractor = self.extractor

        async def ask(prompt: str, max_tokens: int) -> Response:
            question = Ask(
                sample=msgspec.structs.replace(sample, images=(), parts=()),
                messages=(Message("user", (TextPart(prompt),)),),
                sampling=Sampling(temperature=0.0, max_tokens=max_tokens),
            )
            (prepared,) = await asyncio.to_thread(extractor.model.prepare, [question])
            known = await asyncio.to_thread(self.cache.get, prepared.request_hash) if self.cache is not None else None
            if known is not None:
                return known
            given = await answer(
                lambda: extractor.model.send(prepared),
                extractor.retries,
                lambda: rng_for(0, sample.key, number, "extraction", "retry"),
                self._sleep,
            )
            await self._remember(given)
            return given

        reply = await ask_judge(
            ask,
            self.found.extraction_prompt(sample, response, extractor.template),
            _only_the_answer,
            max_tokens=MAX_TOKENS,
            answer=response.text or "",
        )
        return JudgeCall(
            response=number,
            answer=reply.value if reply.called else "",
            failure=reply.failure,
            replies=reply.replies,
        )

    async def _remember(self, given: Response) -> None:
        """Puts an answer into the cache. A cache that fails is given up: it must not stop an extraction."""
        cache = self.cache
        if cache is None:
            return
        try:
            await asyncio.to_thread(cache.put, [given])
        except UsageError as error:
            if self.cache is not None:
                self.cache = None
                self.say(f"{error} The extraction goes on without it.")

    async def _sleep(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), seconds)
            raise _Stopped


def _to_read(folder: Path, found: Benchmark, numbers: list[int]) -> list[tuple[int, Sample, Response]]:
    assert found.needs_extraction is not None
    wanted = []
    with closing(schema.open_to_read(folder / "run.db")) as db:
        for stored in reading.responses(db, numbers=numbers):
            sample = reading.sample(db, stored.key)
            assert sample is not None
            if found.needs_extraction(sample, stored.response):
                wanted.append((stored.number, sample, stored.response))
    return wanted


def _only_the_answer(text: str) -> Extraction[str]:
    """The extractor's reply without its thinking; all that is left is the answer, as the authors take it."""
    said = split_thought(text).answer.strip()
    return Extraction(said) if said else Extraction(None, reason="The extractor thought, but wrote no answer.")
