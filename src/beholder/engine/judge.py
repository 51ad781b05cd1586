"""A judge, model or rule, that says something of responses; and putting its question about one of them."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from beholder.benchmarks.benchmark import Benchmark, JudgeTask
from beholder.engine.retry import RetryPolicy, answer
from beholder.errors import DataError, Owner, UsageError
from beholder.judges.ask import JudgeReply, ask_judge
from beholder.models.model import Model
from beholder.models.prices import Price, priced
from beholder.sample import Ask, Failure, ImageRef, Message, Part, Response, Sample, Sampling
from beholder.seeds import rng_for
from beholder.store.cache import ResponseCache
from beholder.store.judge_calls import EXTRACTION, Asking

Rule = Callable[[Sample, Response], str]
Pictures = Callable[[Sample], tuple[ImageRef, ...]]
"""The pictures of a sample as they can be loaded; `DataError` where one of them is gone."""


class Judge(msgspec.Struct, frozen=True, kw_only=True):
    """Who judges, and how it is asked: a `model` by the question of `template`, or a `rule` that needs no model.

    `name` is what the user typed. `cache` is the file of answers given earlier, None for none; a model of this machine
    and a rule are never cached; `price` is that of the model. `assumptions` are those of the benchmark that a rule
    rests on.
    """

    task: JudgeTask
    name: str
    model: Model | None = None
    template: str = ""
    rule: Rule | None = None
    assumptions: str = ""
    concurrency: int = 16
    retries: RetryPolicy = RetryPolicy()
    cache: Path | None = None
    price: Price | None = None
    fsync: bool = False

    @property
    def asking(self) -> Asking:
        """What its judge calls are filed under."""
        return asking_of(self.task, self.name, self.template, self.assumptions)

    @property
    def told(self) -> str:
        """The judge in a sentence: `extractor openai/reader`, `judge openai/a (rubric)`."""
        return told(self.task.purpose, self.name)

    async def close(self) -> None:
        """Gives back the connections of its model."""
        if self.model is not None:
            await self.model.close()


def told(purpose: str, name: str) -> str:
    """How sentences call a judge of some purpose."""
    return f"extractor {name}" if purpose == EXTRACTION else f"judge {name} ({purpose})"


def asking_of(task: JudgeTask, name: str, template: str, assumptions: str) -> Asking:
    """What a judge's calls are filed under: its name, and the SHA-256 of what its verdicts rest on.

    That is the template of the question and the task's basis; of a rule, the benchmark's assumptions.
    """
    basis = assumptions if _kind(name) in task.local else task.basis
    text = f"{template}\0{basis}" if basis else template
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Asking(task.purpose, name, digest)


def task_of(found: Benchmark, purpose: str) -> JudgeTask | None:
    """What judges of that purpose are asked in a benchmark; None if it asks no such thing."""
    return next((task for task in found.judge_tasks if task.purpose == purpose), None)


def rule_of(task: JudgeTask, name: str, assumptions: str) -> Rule | None:
    """The rule that stands behind a judge's name, None for a model's. `UsageError` if it cannot work here."""
    kind, _, rest = name.partition("/")
    if kind not in task.local:
        return None
    module, _, function = task.local[kind].partition(":")
    make: Any = getattr(importlib.import_module(module), function)
    rule: Rule = make(rest, assumptions)
    return rule


def _kind(name: str) -> str:
    return name.partition("/")[0]


@contextmanager
def open_asker(
    judge: Judge, pictures: Pictures, say: Callable[[str], None], sleep: Callable[[float], Awaitable[None]]
) -> Iterator[Asker]:
    """An asker with the judge's cache, which is closed in the end. `sleep` waits before a request is sent again."""
    remote = judge.model is not None and judge.model.remote
    cache = ResponseCache(judge.cache) if judge.cache is not None and remote else None
    try:
        yield Asker(judge, pictures, cache, say, sleep)
    finally:
        if cache is not None:
            cache.close()


class Asker:
    """Puts a judge's question about one response after the other."""

    def __init__(
        self,
        judge: Judge,
        pictures: Pictures,
        cache: ResponseCache | None,
        say: Callable[[str], None],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self.judge, self.pictures, self.cache, self.say, self.sleep = judge, pictures, cache, say, sleep

    async def ask(self, sample: Sample, response: Response, number: int) -> JudgeReply[str]:
        """The verdict on a response: "" where that is blank and nobody was asked, None with the `failure`.

        `number` tells the responses to one sample apart. `AuthError` of the judge's server is raised.
        """
        judge, task = self.judge, self.judge.task
        try:
            if judge.rule is not None:
                return JudgeReply(value=await asyncio.to_thread(judge.rule, sample, response))
            reply = await ask_judge(
                lambda prompt, max_tokens: self._send(sample, prompt, max_tokens, number),
                task.prompt(sample, response, judge.template),
                lambda text: task.read(sample, response, text),
                max_tokens=task.max_tokens,
                answer=response.text or "",
            )
        except DataError as error:
            # A picture that was there may be put back; a rule says the same of the same words.
            mendable = judge.rule is None and bool(sample.images)
            return JudgeReply(failure=Failure(Owner.JUDGE, "data", str(error), retryable=mendable))
        return reply if reply.called else msgspec.structs.replace(reply, value="")

    async def _send(self, sample: Sample, prompt: tuple[Part, ...], max_tokens: int, number: int) -> Response:
        judge, model = self.judge, self.judge.model
        assert model is not None
        looks = judge.task.sees_pictures and model.remote  # a fake says the same whatever it is shown
        if looks and not sample.images:
            raise DataError("the judge has to see a picture, and there is none", where=sample.source)
        images = await asyncio.to_thread(self.pictures, sample) if looks else ()
        question = Ask(
            sample=msgspec.structs.replace(sample, images=images, parts=()),
            messages=(Message("user", prompt),),
            sampling=Sampling(temperature=0.0, max_tokens=max_tokens),
        )
        (prepared,) = await asyncio.to_thread(model.prepare, [question])
        known = await asyncio.to_thread(self.cache.get, prepared.request_hash) if self.cache is not None else None
        if known is not None:
            return known
        given = await answer(
            lambda: model.send(prepared),
            judge.retries,
            lambda: rng_for(0, sample.key, number, judge.task.purpose, "retry"),
            self.sleep,
        )
        given = priced(given, judge.price)
        await self._remember(given)
        return given

    async def _remember(self, given: Response) -> None:
        """Puts an answer into the cache. A cache that fails is given up: it must not stop the judging."""
        cache = self.cache
        if cache is None:
            return
        try:
            await asyncio.to_thread(cache.put, [given])
        except UsageError as error:
            if self.cache is not None:
                self.cache = None
                self.say(f"{error} The judging goes on without it.")
