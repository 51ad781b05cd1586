"""A conversation with tools: the model asks for calls, they are run, it is told what they brought, until it answers.

The loop owns the order of things and the budgets; how a request is sent and where a turn is kept is its partners'
business. Whatever the model asks for, a conversation ends within its budget and with a response to be scored: the last
thing it said if it never answered.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from beholder.sample import Ask, Conduct, ImagePart, Message, Response, TextPart, ToolCall, ToolSpec, Usage
from beholder.tools.exchange import Exchange, NativeExchange, TextExchange
from beholder.tools.pictures import ConversationPictures
from beholder.tools.settings import Budget, Protocol, ToolSettings
from beholder.tools.tool import ToolResult, Toolset
from beholder.trajectory import NO_NEW_EVIDENCE, CallOutcome, Ended, Observation, Turn

PROBE = "What is your answer so far? Give only the answer, in the form that was asked for. Do not call a tool now."
"""Asked out of band after each new picture, with `--probe`; OUR words."""
UNREADABLE = "Your tool call could not be read by the server. Write it again, with arguments that are valid JSON."
REPEATED = "repeated"
_MALFORMED_FINISH = re.compile(r"malformed.{0,3}function.{0,3}call", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context.{0,3}(?:length|window|size)|too many (?:images|tokens)|maximum.{0,40}(?:tokens|images|length)"
    r"|(?:prompt|input|request).{0,20}too (?:long|large)|at most \d+ image",
    re.IGNORECASE,
)
_BAD_REQUEST = (400, 413, 422)


class Partners(msgspec.Struct, frozen=True):
    """Whom the loop works with.

    `speak` sends one ask and gives the model's response; a failure comes back in it. `keep_picture` stores the bytes of
    a PNG under its SHA-256. `keep_turn` stores a turn by its number (from 0), with all responses that it took.
    """

    speak: Callable[[Ask], Awaitable[Response]]
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
        self.turns: list[Turn] = []
        self.calls_made: Counter[tuple[str, str]] = Counter()
        self.n_calls = 0
        self.unusable_in_a_row = 0
        self.evicted: set[int] = set()
        self.began = partners.clock()

    async def go_on(self) -> Response:
        while True:
            if self._out_of_time():
                return self._end(Ended.SECONDS)
            response = await self._speak()
            if response.failure is not None:
                return self._end(Ended.FAILED, response)
            said, calls = self.exchange.read(response, len(self.turns))
            broken = not calls and bool(_MALFORMED_FINISH.search(response.finish or ""))
            if not calls and not broken:
                self._keep(_turn(response, said, (), self.evicted), (response,))
                return self._end(Ended.ANSWERED, response)
            ended = self._budget_hit(response)
            first = len(self.ask.pictures)
            observations = self._unreadable() if broken else await self._run_all(calls, ended)
            ended = ended or self._ended_by_calls()
            turn = _turn(response, said, observations, self.evicted)
            messages = (*self.ask.messages, *self.exchange.go_on(response, observations, first))
            self.ask = msgspec.structs.replace(self.ask, messages=messages, made=self.pictures.made)
            responses: tuple[Response, ...] = (response,)
            if self.settings.probe and ended is None and _brings_something(turn):
                probed = await self.partners.speak(self._closing_ask(PROBE))
                turn = msgspec.structs.replace(turn, probe=probed.text, probe_usage=probed.usage)
                responses = (response, probed)
            self._keep(turn, responses)
            if ended is not None:
                return self._end(ended, response)

    async def _speak(self) -> Response:
        """The next response. Where the server says that the request is too long, old pictures are left out of it."""
        self._evict_beyond(self.budget.pictures)
        while True:
            response = await self.partners.speak(self._shown_ask())
            failure = response.failure
            shown = [place for place in self.pictures.made_places if place not in self.evicted]
            too_long = (
                failure is not None and failure.status in _BAD_REQUEST and bool(_TOO_LONG.search(failure.message))
            )
            if not too_long or len(shown) < 2:
                return response
            self._evict_beyond(len(shown) // 2)

    def _evict_beyond(self, most: int | None) -> None:
        places = self.pictures.made_places
        if most is not None:
            self.evicted |= set(places[: max(0, len(places) - most)])

    def _shown_ask(self) -> Ask:
        if not self.evicted:
            return self.ask
        messages = tuple(without_pictures(message, self.evicted) for message in self.ask.messages)
        return msgspec.structs.replace(self.ask, messages=messages)

    def _closing_ask(self, words: str) -> Ask:
        ask = self._shown_ask()
        return msgspec.structs.replace(ask, messages=(*ask.messages, Message("user", (TextPart(words),))), tools=())

    def _out_of_time(self) -> bool:
        return self.budget.seconds is not None and self.partners.clock() - self.began >= self.budget.seconds

    def _budget_hit(self, response: Response) -> Ended | None:
        """What would keep the model from seeing the results of the calls that it asks for now."""
        if len(self.turns) + 1 >= self.budget.turns:
            return Ended.TURNS
        written = _added([*(turn.usage for turn in self.turns), response.usage]).completion_tokens or 0
        if self.budget.tokens is not None and written >= self.budget.tokens:
            return Ended.TOKENS
        return Ended.SECONDS if self._out_of_time() else None

    async def _run_all(self, calls: Sequence[ToolCall], ended: Ended | None) -> tuple[Observation, ...]:
        observations = []
        for number, call in enumerate(calls):
            if ended is not None or number >= self.budget.calls or self._out_of_time():
                text = "Not run: the budget of this conversation is used up."
                if ended is None and number >= self.budget.calls:
                    text = f"Not run: at most {self.budget.calls} calls are run in one turn."
                observations.append(Observation(call, CallOutcome.NOT_RUN, text))
                continue
            observations.append(await self._run(call))
        self.n_calls += len(observations)
        return tuple(observations)

    async def _run(self, call: ToolCall) -> Observation:
        began = self.partners.clock()
        same = call.name, _canonical(call.arguments)
        self.calls_made[same] += 1
        result = await self._result(call)
        flags = (*result.flags, REPEATED) if self.calls_made[same] > 1 else result.flags
        text = result.text
        images: tuple[str, ...] = ()
        if result.pictures:
            added, new = await asyncio.to_thread(self.pictures.add, result.pictures)
            for one in added:
                await self.partners.keep_picture(one.sha256, one.png)
            text = "\n".join(filter(None, (result.text, *(one.told for one in added))))
            images = tuple(one.sha256 for one in added)
            flags = flags if new else (*flags, NO_NEW_EVIDENCE)
        unusable = result.outcome in (CallOutcome.MALFORMED, CallOutcome.UNKNOWN_TOOL)
        self.unusable_in_a_row = self.unusable_in_a_row + 1 if unusable else 0
        seconds = self.partners.clock() - began
        return Observation(call, result.outcome, text, images, tuple(dict.fromkeys(flags)), seconds)

    async def _result(self, call: ToolCall) -> ToolResult:
        names = [spec.name for spec in self.toolset.specs]
        if call.name not in names:
            told = f"There is no tool {call.name[:80]!r}. The tools are: {', '.join(names)}."
            return ToolResult(text=told, outcome=CallOutcome.UNKNOWN_TOOL)
        pictures = await asyncio.to_thread(self.pictures.all)
        return await self.toolset.call(call.name, call.arguments, pictures)

    def _unreadable(self) -> tuple[Observation, ...]:
        self.unusable_in_a_row += 1
        return (Observation(ToolCall("", "", ""), CallOutcome.MALFORMED, UNREADABLE),)

    def _ended_by_calls(self) -> Ended | None:
        if self.unusable_in_a_row >= self.budget.malformed:
            return Ended.MALFORMED
        return Ended.REPEATS if max(self.calls_made.values(), default=0) >= self.budget.repeats else None

    def _keep(self, turn: Turn, responses: tuple[Response, ...]) -> None:
        self.partners.keep_turn(len(self.turns), turn, responses)
        self.turns.append(turn)

    def _end(self, ended: Ended, response: Response | None = None) -> Response:
        turns = self.turns
        conduct = Conduct(
            attempt=self.attempt,
            turns=len(turns),
            calls=self.n_calls,
            ended=ended.value,
            seconds=round(self.partners.clock() - self.began, 3),
        )
        last = response or Response()
        text = last.text
        if ended not in (Ended.ANSWERED, Ended.FAILED):
            text = next((turn.said for turn in reversed(turns) if turn.said.strip()), "")
        latencies = [turn.latency for turn in turns if turn.latency is not None]
        return msgspec.structs.replace(
            last,
            text=text,
            usage=_added([turn.usage for turn in turns]),
            latency=sum(latencies) if latencies else None,
            attempts=max(1, sum(turn.attempts for turn in turns)),
            cached=bool(turns) and all(turn.cached for turn in turns),
            # The limit holds for one message; the usage is that of all of them.
            max_tokens=last.max_tokens if len(turns) == 1 else None,
            raw=None,
            calls=(),
            conduct=conduct,
        )


def _turn(response: Response, said: str, observations: tuple[Observation, ...], evicted: set[int]) -> Turn:
    return Turn(
        text=response.text,
        said=said,
        reasoning=response.reasoning,
        finish=response.finish,
        observations=observations,
        usage=response.usage,
        latency=response.latency,
        attempts=response.attempts,
        served_model=response.served_model,
        request_hash=response.request_hash,
        cached=response.cached,
        evicted=tuple(sorted(evicted)),
    )


def _brings_something(turn: Turn) -> bool:
    return any(one.images and NO_NEW_EVIDENCE not in one.flags for one in turn.observations)


def without_pictures(message: Message, evicted: set[int]) -> Message:
    """The message with a word in place of each picture that is left out."""
    if not any(isinstance(part, ImagePart) and part.index in evicted for part in message.parts):
        return message
    parts = tuple(
        TextPart(f"\n[image_{part.index + 1} is not shown any more]\n")
        if isinstance(part, ImagePart) and part.index in evicted
        else part
        for part in message.parts
    )
    return msgspec.structs.replace(message, parts=parts)


def _canonical(arguments: str) -> str:
    """Arguments that mean the same, written the same."""
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments.strip()


def _added(usages: Sequence[Usage]) -> Usage:
    def total(values: list[int | None]) -> int | None:
        known = [value for value in values if value is not None]
        return sum(known) if known else None

    return Usage(
        prompt_tokens=total([usage.prompt_tokens for usage in usages]),
        completion_tokens=total([usage.completion_tokens for usage in usages]),
        reasoning_tokens=total([usage.reasoning_tokens for usage in usages]),
    )
