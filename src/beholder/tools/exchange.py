"""How tool calls are written and answered: as the wire's own tool calls, or in the text of messages."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Protocol

import msgspec

from beholder.sample import Ask, ImagePart, Message, Part, Response, TextPart, ToolCall, ToolSpec
from beholder.tools.text_protocol import instructions, observation_text, read_calls
from beholder.trajectory import Observation

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")


class Exchange(Protocol):
    """One way to write calls. Pure: messages in, messages out."""

    def open(self, ask: Ask, specs: tuple[ToolSpec, ...]) -> Ask:
        """The ask that offers the tools."""
        ...

    def read(self, response: Response, turn: int) -> tuple[str, tuple[ToolCall, ...]]:
        """What the model said besides its calls, and the calls; each has an id that no other call of the turn has.

        `turn` is the number of the turn.
        """
        ...

    def go_on(self, response: Response, observations: Sequence[Observation], first: int) -> tuple[Message, ...]:
        """The messages that follow: the model's own, and what its calls brought. New pictures have the places from
        `first` on, in order."""
        ...


class NativeExchange:
    """The tool calls of the wire."""

    def open(self, ask: Ask, specs: tuple[ToolSpec, ...]) -> Ask:
        return msgspec.structs.replace(ask, tools=specs)

    def read(self, response: Response, turn: int) -> tuple[str, tuple[ToolCall, ...]]:
        calls: list[ToolCall] = []
        for number, call in enumerate(response.calls, start=1):
            taken = {one.id for one in calls}
            usable = call.id and call.id not in taken
            calls.append(call if usable else msgspec.structs.replace(call, id=f"call_{turn + 1}_{number}"))
        return response.text or "", tuple(calls)

    def go_on(self, response: Response, observations: Sequence[Observation], first: int) -> tuple[Message, ...]:
        calls = tuple(_sendable(one.call) for one in observations if one.call.id)
        messages = [Message("assistant", (TextPart(response.text or ""),), calls=calls, native=response.native)]
        for one in observations:
            pictures = tuple(ImagePart(first + number) for number in range(len(one.images)))
            first += len(pictures)
            told = TextPart(one.text or "(no output)")
            if one.call.id:
                messages.append(Message("tool", (told, *pictures), answers=one.call.id))
            else:  # the server could not read the call: there is none that a tool's message could answer
                messages.append(Message("user", (told,)))
        return tuple(messages)


class TextExchange:
    """Calls written in the text, for models and servers without tool calls of their own."""

    def open(self, ask: Ask, specs: tuple[ToolSpec, ...]) -> Ask:
        told = Message("system", (TextPart(instructions(specs)),))
        return msgspec.structs.replace(ask, messages=(told, *ask.messages))

    def read(self, response: Response, turn: int) -> tuple[str, tuple[ToolCall, ...]]:
        said, calls = read_calls(response.text or "")
        named = tuple(
            msgspec.structs.replace(call, id=f"call_{turn + 1}_{number}") for number, call in enumerate(calls, start=1)
        )
        return said, named

    def go_on(self, response: Response, observations: Sequence[Observation], first: int) -> tuple[Message, ...]:
        parts: list[Part] = []
        for one in observations:
            parts.append(TextPart(observation_text((one,))))
            parts += [ImagePart(first + number) for number in range(len(one.images))]
            first += len(one.images)
        return Message("assistant", (TextPart(response.text or ""),)), Message("user", tuple(parts))


def _sendable(call: ToolCall) -> ToolCall:
    """The call as it may stand in a later request.

    Servers refuse a conversation whose arguments are no JSON object, or whose names have other signs than these. The
    journal has the call as the model wrote it, and the tool's answer says what was wrong.
    """
    try:
        fits = isinstance(json.loads(call.arguments, parse_constant=_refused), dict)
    except (ValueError, RecursionError):
        fits = False
    name = _UNSAFE.sub("_", call.name)[:64] or "unknown"
    return msgspec.structs.replace(call, name=name, arguments=call.arguments if fits else "{}")


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
