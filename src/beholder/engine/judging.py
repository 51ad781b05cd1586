"""Having judges look at responses: those in a run's journal, or those of a file.

In a run, responses come first and are kept first: a judge that fails costs no answer, and another one can be asked
later (`beholder rescore RUN --judge MODEL`, or `--extractor`). What a judge says of a response is kept as a judge call
in the run's database before it counts for anything.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from beholder.benchmarks.benchmark import Answered, JudgeTask
from beholder.engine.budget import Purse
from beholder.engine.interrupt import Interrupts
from beholder.engine.judge import Asker, Judge, Pictures, open_asker
from beholder.errors import Owner
from beholder.judges.ask import JudgeReply
from beholder.sample import Extracted, Failure, Judged, Response, Sample
from beholder.store import judge_calls, reading, schema
from beholder.store.judge_calls import EXTRACTION, Asking, JudgeCall

_AT_ONCE = 64
_HOPELESS = 32
_NOTHING = "The {} was asked nothing: no response here is of the kind that it judges."

ToJudge = tuple[int, Sample, Response]
"""A response with its sample and the number that its verdict is filed under."""


class Judging(msgspec.Struct, frozen=True):
    """What one judge's work came to: about how many responses it was asked now, on how many of them it failed, and how
    many of these may be tried again.

    A response of a run that it was not asked about because the work ended early (`interrupted`, or hopeless) is in none
    of them.
    """

    asked: int = 0
    failed: int = 0
    retryable: int = 0
    interrupted: bool = False

    def told(self, judge: Judge, again: str) -> str:
        """One sentence about the judge's failures, "" without any. `again` is the command that tries them again."""
        if not self.failed:
            return ""
        whom = "extractor" if judge.task.purpose == EXTRACTION else judge.told
        words = f"The {whom} failed on {self.failed:,} response{'s' if self.failed != 1 else ''}"
        if self.retryable:
            some = f"{self.retryable:,} of them" if self.retryable < self.failed else "them"
            words += f"; {again} tries {'it' if self.failed == 1 else some} again"
        return f"{words}."


class _Stopped(Exception):
    """A retry's wait was cut short because the judging is stopping; the response is left for a resume."""


def missing(folder: Path, asking: Asking) -> list[int]:
    """The row numbers of the responses about which this judge may still have to be asked."""
    with closing(schema.open_to_read(folder / "run.db")) as db:
        done = judge_calls.settled(db, asking)
        return [number for number in reading.response_numbers(db) if number not in done]


def has_to_ask(folder: Path, task: JudgeTask, asking: Asking) -> bool:
    """Whether any response is left about which this judge has to be asked."""
    numbers = missing(folder, asking)
    return any(_in_journal(folder, task, numbers[at : at + _AT_ONCE]) for at in range(0, len(numbers), _AT_ONCE))


async def judge_run(
    folder: Path,
    judge: Judge,
    say: Callable[[str], None],
    interrupts: Interrupts | None = None,
    *,
    together: Sequence[Asking] = (),
    pictures: Pictures = lambda sample: sample.images,
    purse: Purse | None = None,
) -> Judging:
    """Has a judge look at every response of a run about which it has not been asked yet.

    What failed in a way that asking again may mend is tried again. `together` are all judges of this purpose that count
    at the same time; what others say stays, and no longer counts once this one has said anything, now or earlier.
    `interrupts`, if given, is told what Ctrl-C means meanwhile: the first one waits for what is in flight, the second
    one drops it. A `purse` that is used up stops it like the first Ctrl-C. When the judge fails on many in a row, the
    rest is left for a resume. `AuthError` of the judge's server is raised. Whatever ends it, what was said by then is
    kept.
    """

    async def fetch(numbers: Sequence[int]) -> list[ToJudge]:
        return await asyncio.to_thread(_in_journal, folder, judge.task, numbers)

    async def keep(calls: Sequence[JudgeCall]) -> None:
        await asyncio.to_thread(
            judge_calls.keep, folder, judge.asking, calls, together=tuple(together), fsync=judge.fsync
        )

    work = _Work(judge, say, fetch, keep, purse)
    with open_asker(judge, pictures, say, work.sleep) as asker:
        try:
            if interrupts is not None:
                interrupts.tell = work.interrupted
            if purse is not None:
                purse.begin()
            numbers = await asyncio.to_thread(missing, folder, judge.asking)
            await keep(())  # what it said earlier counts again, also where nothing is left to be asked
            done = await work.judge_all(asker, numbers)
            if not done.asked and not done.interrupted and not await asyncio.to_thread(_has_said, folder, judge.asking):
                say(_NOTHING.format(judge.told))
            return done
        finally:
            if interrupts is not None:
                interrupts.tell = None


async def judge_given(
    answered: Sequence[Answered], judge: Judge, say: Callable[[str], None]
) -> tuple[list[Answered], Judging]:
    """The answers of a file with what the judge says of them, in the same order.

    It is asked about all that its task needs; an extractor also where the file says what was read: no figure mixes two
    readers. When it fails on many in a row, the rest fails unasked. `AuthError` is raised. Nothing is stored but in the
    judge's cache.
    """
    numbers = [at for at, one in enumerate(answered) if judge.task.needs(one.sample, one.response)]
    said: dict[int, JudgeCall] = {}

    async def fetch(numbers: Sequence[int]) -> list[ToJudge]:
        return [(number, answered[number].sample, answered[number].response) for number in numbers]

    async def keep(calls: Sequence[JudgeCall]) -> None:
        said.update((call.response, call) for call in calls)

    work = _Work(judge, say, fetch, keep)
    with open_asker(judge, lambda sample: sample.images, say, work.sleep) as asker:
        done = await work.judge_all(asker, numbers)
    if not numbers:
        say(_NOTHING.format(judge.told))
    message = f"not asked, because all {'readings' if judge.task.purpose == EXTRACTION else 'verdicts'} before failed"
    unasked = Failure(Owner.JUDGE, "not_asked", message, retryable=True)
    given = list(answered)
    for number in numbers:
        call = said.get(number) or JudgeCall(response=number, failure=unasked)
        one = answered[number]
        given[number] = msgspec.structs.replace(one, response=with_verdict(one.response, judge.asking, call))
    left = len(numbers) - len(said)
    return given, Judging(len(numbers), done.failed + left, done.retryable + left)


def with_verdict(response: Response, asking: Asking, call: JudgeCall) -> Response:
    """The response with what a judge said of it, where the benchmark's scorers look for that."""
    if asking.purpose == EXTRACTION:
        return msgspec.structs.replace(response, extracted=Extracted(call.answer, asking.judge, call.failure))
    judged = Judged(asking.purpose, asking.judge, call.answer, call.failure)
    return msgspec.structs.replace(response, judged=(*response.judged, judged))


class _Work:
    """Judges responses in batches: `fetch` gets those with some numbers that need it, `keep` stores what was said."""

    def __init__(
        self,
        judge: Judge,
        say: Callable[[str], None],
        fetch: Callable[[Sequence[int]], Awaitable[list[ToJudge]]],
        keep: Callable[[Sequence[JudgeCall]], Awaitable[None]],
        purse: Purse | None = None,
    ) -> None:
        self.judge, self.say, self.fetch, self.keep, self.purse = judge, say, fetch, keep, purse
        self.in_flight = 0
        self.stopping = asyncio.Event()
        self.slots = asyncio.Semaphore(judge.concurrency)
        self.tasks: list[asyncio.Task[None]] = []
        self.calls: list[JudgeCall] = []

    async def judge_all(self, asker: Asker, numbers: Sequence[int]) -> Judging:
        done = Judging(interrupted=self.stopping.is_set())
        for start in range(0, len(numbers), _AT_ONCE):
            batch = await self.fetch(numbers[start : start + _AT_ONCE])
            self.calls = []
            await self._judge_batch(asker, batch)
            failures = [call.failure for call in self.calls if call.failure is not None]
            done = Judging(
                done.asked + len(self.calls),
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
                break  # its server does not work: asking about all the others would take hours
            if len(numbers) > _AT_ONCE:
                place = min(start + _AT_ONCE, len(numbers))
                what = "Answers read" if self.judge.task.purpose == EXTRACTION else "Responses judged"
                self.say(f"{what} by {self.judge.name}: {place:,} of {len(numbers):,}")
        return done

    def interrupted(self) -> None:
        """Ctrl-C once: finish what is in flight. Twice: drop it."""
        if self.stopping.is_set():
            for task in self.tasks:
                task.cancel()
            return
        self.stopping.set()
        what = "answers that are being read" if self.judge.task.purpose == EXTRACTION else "verdicts that are under way"
        self.say(f"Stopping: waiting for the {what}. Press Ctrl-C again to drop them.")

    async def sleep(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), seconds)
            raise _Stopped

    async def _judge_batch(self, asker: Asker, batch: list[ToJudge]) -> None:
        """Judges a batch into `calls` and keeps them, also where an error ends it; raises the first error."""
        self.tasks = [asyncio.create_task(self._judge_one(asker, *entry)) for entry in batch]
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

    async def _judge_one(self, asker: Asker, number: int, sample: Sample, response: Response) -> None:
        async with self.slots:
            if self.stopping.is_set():
                return
            if self.purse is not None and self.purse.used_up(self.in_flight):
                self.stopping.set()
                return
            with contextlib.suppress(_Stopped):
                reply = await self._paid(asker.ask(sample, response, number))
                call = JudgeCall(response=number, answer=reply.value, failure=reply.failure, replies=reply.replies)
                self.calls.append(call)

    async def _paid(self, asking: Awaitable[JudgeReply[str]]) -> JudgeReply[str]:
        """The judge's reply, which is paid for out of the purse."""
        self.in_flight += 1
        try:
            reply = await asking
        finally:
            self.in_flight -= 1
        if self.purse is not None and reply.replies:
            for one in reply.replies:
                if not one.cached:
                    served = self.judge.model is not None and self.judge.model.remote
                    self.purse.pay(one.usage, counts=served and one.failure is None)
            self.purse.ended()
        return reply


def _has_said(folder: Path, asking: Asking) -> bool:
    with closing(schema.open_to_read(folder / "run.db")) as db:
        return judge_calls.has_said(db, asking)


def _in_journal(folder: Path, task: JudgeTask, numbers: Sequence[int]) -> list[ToJudge]:
    """Those of the numbered responses of a run that need to be judged."""
    wanted = []
    with closing(schema.open_to_read(folder / "run.db")) as db:
        for stored in reading.responses(db, numbers=numbers):
            sample = reading.sample(db, stored.key)
            assert sample is not None
            if task.needs(sample, stored.response):
                wanted.append((stored.number, sample, stored.response))
    return wanted
