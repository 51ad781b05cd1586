"""Asks an extractor model which answer a response gives."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine.retry import RetryPolicy, answer
from beholder.errors import UsageError
from beholder.extract.extraction import Extraction
from beholder.extract.think import split_thought
from beholder.judges.ask import JudgeReply, ask_judge
from beholder.models.model import Model
from beholder.sample import Ask, Message, Response, Sample, Sampling, TextPart
from beholder.seeds import rng_for
from beholder.store.cache import ResponseCache
from beholder.store.judge_calls import EXTRACTION, Asking

MAX_TOKENS = 1024


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


def check_extractor(found: Benchmark) -> None:
    """`UsageError` for a benchmark that no extractor is used with."""
    if found.extraction_prompt is None:
        raise UsageError(f"{found.name} takes no --extractor: its answers are read without a model.")


@contextmanager
def open_reader(
    found: Benchmark, extractor: Extractor, say: Callable[[str], None], sleep: Callable[[float], Awaitable[None]]
) -> Iterator[Reader]:
    """A reader with the extractor's cache, which is closed in the end. `sleep` waits before a request is sent again."""
    cache = ResponseCache(extractor.cache) if extractor.cache is not None and extractor.model.remote else None
    try:
        yield Reader(found, extractor, cache, say, sleep)
    finally:
        if cache is not None:
            cache.close()


class Reader:
    """Puts the extractor's question about one response after the other."""

    def __init__(
        self,
        found: Benchmark,
        extractor: Extractor,
        cache: ResponseCache | None,
        say: Callable[[str], None],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self.found, self.extractor, self.cache, self.say, self.sleep = found, extractor, cache, say, sleep

    async def read(self, sample: Sample, response: Response, number: int) -> JudgeReply[str]:
        """The answer in a response: "" where that is blank and nobody was asked, None with the `failure`.

        `number` tells the responses to one sample apart. `AuthError` of the extractor's server is raised.
        """
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
                self.sleep,
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
        return reply if reply.called else msgspec.structs.replace(reply, value="")

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


def _only_the_answer(text: str) -> Extraction[str]:
    """The extractor's reply without its thinking; all that is left is the answer, as the authors take it."""
    said = split_thought(text).answer.strip()
    return Extraction(said) if said else Extraction(None, reason="The extractor thought, but wrote no answer.")
