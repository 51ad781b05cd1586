"""A conversation with tools: the model asks for calls, they are run, it is told what they brought, until it answers.

The loop owns the order of things and the budgets; how a request is sent and where a turn is kept is its partners'
business. Whatever the model asks for, a conversation ends within its budget and with a response to be scored: the last
thing it said if it never answered.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import msgspec

from beholder.errors import DataError, Owner
from beholder.sample import (
    Ask,
    Conduct,
    Failure,
    ImagePart,
    Message,
    Response,
    TextPart,
    ToolCall,
    ToolSpec,
    Usage,
)
from beholder.tools.exchange import Exchange, NativeExchange, TextExchange
from beholder.tools.pictures import ConversationPictures
from beholder.tools.running import CallRunner
from beholder.tools.settings import Budget, Protocol, ToolSettings
from beholder.tools.tool import Toolset
from beholder.trajectory import NO_NEW_EVIDENCE, Ended, Observation, Turn

N = TypeVar("N", int, float)

PROBE = "What is your answer so far? Give only the answer, in the form that was asked for. Do not call a tool now."
"""Asked out of band after each new picture, with `--probe`; OUR words."""
UNREADABLE = "Your tool call could not be read by the server. Write it again, with arguments that are valid JSON."
UNSENDABLE = "unsendable_picture"
_MALFORMED_FINISH = re.compile(r"malformed.{0,3}function.{0,3}call", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context.{0,3}(?:length|window|size)|too many (?:images|tokens)|maximum.{0,40}(?:tokens|images|length)"
    r"|(?:prompt|input|request).{0,20}too (?:long|large)|at most \d+ image",
    re.IGNORECASE,
)


class Partners(msgspec.Struct, frozen=True):
    """Whom the loop works with.

    `speak` sends one ask and gives the model's response; a failure comes back in it, with the kind `UNSENDABLE` where a
    picture that a tool made does not fit the server's limits. True as second argument says that the ask is aside, no
    part of the conversation. `keep_picture` stores the bytes of a PNG under its SHA-256. `keep_turn` stores a turn by
    its number (from 0) with the responses that came since it was last stored: once when the model has spoken, and
    again when its calls are done. `clock` gives seconds.
    """

    speak: Callable[[Ask, bool], Awaitable[Response]]
    keep_picture: Callable[[str, bytes], Awaitable[None]]
    keep_turn: Callable[[int, Turn, tuple[Response, ...]], None]
    clock: Callable[[], float] = time.monotonic


def opening(ask: Ask, settings: ToolSettings, specs: tuple[ToolSpec, ...]) -> Ask:
    """The first ask of a conversation in which these tools may be called."""
    return _exchange(settings).open(ask, specs)


async def converse(
    ask: Ask, toolset: Toolset, settings: ToolSettings, partners: Partners, *, attempt: int = 0
) -> Response:
    """The response that a conversation leads to. `ask` is what `opening` made; `attempt` numbers it.

    The response's text is the model's answer; where a budget ended the conversation, the last text that is not empty.
    Its failure is that of the request that failed. The toolset is closed whatever happens.
    """
    try:
        return await _Conversation(ask, toolset, settings, partners, attempt).go_on()
    finally:
        await toolset.close()


def _exchange(settings: ToolSettings) -> Exchange:
    return TextExchange() if settings.protocol is Protocol.TEXT else NativeExchange()


class _Conversation:
    def __init__(self, ask: Ask, toolset: Toolset, settings: ToolSettings, partners: Partners, attempt: int) -> None:
        self.ask = ask
        self.toolset = toolset
        self.settings = settings
        self.budget: Budget = settings.budget
        self.partners = partners
        self.attempt = attempt
        self.exchange = _exchange(settings)
        self.pictures = ConversationPictures(ask.sample.images)
        self.runner = CallRunner(toolset, self.pictures, self.budget, partners.keep_picture, partners.clock)
        self.turns: list[Turn] = []
        self.hidden: set[int] = set()
        self.attempts_in_vain = 0
        self.began = partners.clock()

    async def go_on(self) -> Response:
        while True:
            if self._out_of_time():
                return self._end(Ended.SECONDS)
            response = await self._speak()
            if response.failure is not None:
                # A context that is full is the model's own doing, once it has said something.
                self.attempts_in_vain += response.attempts
                full = self.turns and _is_too_long(response)
                return self._end(Ended.CONTEXT) if full else self._end(Ended.FAILED, response)
            said, calls = self.exchange.read(response, len(self.turns))
            turn = _turn(response, said, self.hidden)
            broken = not calls and bool(_MALFORMED_FINISH.search(response.finish or ""))
            # Before the tools are run: what was said has been paid for.
            self.partners.keep_turn(len(self.turns), turn, (response,))
            if not calls and not broken:
                self.turns.append(turn)
                return self._end(Ended.ANSWERED, response)
            ended = self._budget_hit(turn)
            try:
                observations = await self._observed(calls, ended)
            except DataError as error:
                self.turns.append(turn)
                failure = Failure(owner=Owner.DATA, kind="image", message=str(error))
                return self._end(Ended.FAILED, Response(failure=failure))
            turn = await self._told(response, msgspec.structs.replace(turn, observations=observations), ended)
            self.turns.append(turn)
            ended = ended or self.runner.ended
            if ended is not None:
                return self._end(ended, response)

    async def _observed(self, calls: Sequence[ToolCall], ended: Ended | None) -> tuple[Observation, ...]:
        if not calls:
            return self.runner.unreadable(UNREADABLE)
        return await self.runner.run_turn(calls, lambda: ended is not None or self._out_of_time())

    async def _told(self, response: Response, turn: Turn, ended: Ended | None) -> Turn:
        """Adds the turn to the conversation, asks aside for the answer so far where that is wanted, and keeps it."""
        messages = self.exchange.go_on(response, turn.observations, len(self.ask.pictures))
        self.ask = msgspec.structs.replace(self.ask, messages=(*self.ask.messages, *messages), made=self.pictures.made)
        aside: tuple[Response, ...] = ()
        if self.settings.probe and ended is None and self.runner.ended is None and _brings_something(turn):
            probed = await self.partners.speak(self._closing_ask(PROBE), True)
            turn = msgspec.structs.replace(
                turn,
                probe=probed.text if probed.failure is None else None,
                probe_failed=probed.failure.message if probed.failure is not None else "",
                probe_usage=probed.usage,
                probe_cached=probed.cached,
            )
            aside = (probed,)
        self.partners.keep_turn(len(self.turns), turn, aside)
        return turn

    async def _speak(self) -> Response:
        """The next response. Where the server or its limits refuse the request, new pictures are left out of it."""
        self._hide_beyond(self.budget.pictures)
        while True:
            response = await self.partners.speak(self._shown_ask(), False)
            shown = [place for place in self.pictures.made_places if place not in self.hidden]
            if response.failure is None or not shown:
                return response
            if response.failure.kind == UNSENDABLE:
                self.hidden.add(shown[-1])  # one that was just made: the earlier ones could be sent
            elif _is_too_long(response):
                self._hide_beyond(len(shown) // 2)
            else:
                return response
            self.attempts_in_vain += response.attempts

    def _hide_beyond(self, most: int | None) -> None:
        places = self.pictures.made_places
        if most is not None:
            self.hidden |= set(places[: max(0, len(places) - most)])

    def _shown_ask(self) -> Ask:
        if not self.hidden:
            return self.ask
        messages = tuple(without_pictures(message, self.hidden) for message in self.ask.messages)
        return msgspec.structs.replace(self.ask, messages=messages)

    def _closing_ask(self, words: str) -> Ask:
        ask = self._shown_ask()
        return msgspec.structs.replace(ask, messages=(*ask.messages, Message("user", (TextPart(words),))), tools=())

    def _seconds(self) -> float:
        """Since the question, less what calls waited for a free sandbox: that depends on other conversations."""
        return self.partners.clock() - self.began - self.toolset.waited

    def _out_of_time(self) -> bool:
        return self.budget.seconds is not None and self._seconds() >= self.budget.seconds

    def _budget_hit(self, turn: Turn) -> Ended | None:
        """What would keep the model from seeing the results of the calls that it asks for now."""
        if len(self.turns) + 1 >= self.budget.turns:
            return Ended.TURNS
        written = _added([one.usage for one in (*self.turns, turn)]).completion_tokens or 0
        if self.budget.tokens is not None and written >= self.budget.tokens:
            return Ended.TOKENS
        return Ended.SECONDS if self._out_of_time() else None

    def _end(self, ended: Ended, response: Response | None = None) -> Response:
        turns = self.turns
        conduct = Conduct(
            attempt=self.attempt,
            turns=len(turns),
            calls=self.runner.n_calls,
            ended=ended.value,
            seconds=round(self._seconds(), 3),
        )
        last = response or Response()
        text = last.text
        if ended not in (Ended.ANSWERED, Ended.FAILED):
            text = next((turn.said for turn in reversed(turns) if turn.said.strip()), "")
        latencies = [turn.latency for turn in turns if turn.latency is not None]
        return msgspec.structs.replace(
            last,
            text=text,
            finish=last.finish or ("length" if _used_its_limit(last) else None),
            usage=_added([turn.usage for turn in turns]),
            latency=sum(latencies) if latencies else None,
            attempts=max(1, sum(turn.attempts for turn in turns) + self.attempts_in_vain),
            cached=bool(turns) and all(turn.cached for turn in turns),
            # The limit holds for one message; the usage is that of all of them.
            max_tokens=last.max_tokens if len(turns) == 1 else None,
            raw=None,
            calls=(),
            native="",
            conduct=conduct,
        )


def _is_too_long(response: Response) -> bool:
    """Whether the server refused the request because there is too much in it."""
    failure = response.failure
    if failure is None or failure.status not in (400, 413, 422):
        return False
    return failure.status == 413 or bool(_TOO_LONG.search(failure.message))


def _used_its_limit(response: Response) -> bool:
    written = response.usage.completion_tokens
    return written is not None and bool(response.max_tokens) and written >= (response.max_tokens or 0)


def _turn(response: Response, said: str, hidden: set[int]) -> Turn:
    return Turn(
        text=response.text,
        said=said,
        reasoning=response.reasoning,
        finish=response.finish,
        usage=response.usage,
        latency=response.latency,
        attempts=response.attempts,
        served_model=response.served_model,
        request_hash=response.request_hash,
        cached=response.cached,
        evicted=tuple(sorted(hidden)),
    )


def _brings_something(turn: Turn) -> bool:
    return any(one.images and NO_NEW_EVIDENCE not in one.flags for one in turn.observations)


def without_pictures(message: Message, evicted: set[int]) -> Message:
    """The message with a word in place of each picture that is left out."""
    if not any(isinstance(part, ImagePart) and part.index in evicted for part in message.parts):
        return message
    parts = tuple(
        TextPart(f"\n[image_{part.index + 1} is not shown]\n")
        if isinstance(part, ImagePart) and part.index in evicted
        else part
        for part in message.parts
    )
    return msgspec.structs.replace(message, parts=parts)


def _added(usages: Sequence[Usage]) -> Usage:
    def total(values: Sequence[N | None]) -> N | None:
        known = [value for value in values if value is not None]
        return sum(known[1:], start=known[0]) if known else None

    return Usage(
        prompt_tokens=total([usage.prompt_tokens for usage in usages]),
        completion_tokens=total([usage.completion_tokens for usage in usages]),
        reasoning_tokens=total([usage.reasoning_tokens for usage in usages]),
        cache_read_tokens=total([usage.cache_read_tokens for usage in usages]),
        cache_write_tokens=total([usage.cache_write_tokens for usage in usages]),
        cost=total([usage.cost for usage in usages]),
    )
