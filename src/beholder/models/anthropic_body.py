"""The body of a Messages request: pure.

What its API wants otherwise than the chat wire: system messages stand apart, roles take turns, a tool's answer is a
block of the user's message (before all others), no text may be blank, and a limit on the answer must be given.

Prompt caching. OUR choice: breakpoints are set in conversations with tools and nowhere else. There each turn repeats
all that went before; it is read from the cache at a tenth of its price, against a quarter more for what is new, so that
it pays from the second turn on. One breakpoint stands after the tools and the system message, which all conversations
of a run share; one, which moves, at the end of the last message. Votes of one item share their picture too, but are
sent at the same time: none could read what another one is still writing, and each would pay the quarter more. A
breakpoint before which there is less than the model's minimum (1,024 to 4,096 tokens) is passed by without harm by the
API.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from beholder.images.header import MIME
from beholder.images.wire import Sent
from beholder.sample import Ask, Message, Part, TextPart, ToolCall

DEFAULT_MAX_TOKENS = 8192
"""The limit that is sent where none is set. OUR choice: the API takes no request without one."""

_CACHED = {"cache_control": {"type": "ephemeral"}}
_BY_USER = ("user", "tool")

Block = dict[str, Any]


def messages_body(model: str, ask: Ask, sent: Mapping[int, Sent], base64_of: Callable[[int], str]) -> dict[str, Any]:
    """The request as plain JSON. `sent` describes the pictures by their places; their text is had from `base64_of`."""

    def image(place: int) -> Block:
        media_type = MIME[sent[place].format]
        return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": base64_of(place)}}

    messages = _in_turn([message for message in ask.messages if message.role != "system"], image)
    system = [block for message in ask.messages if message.role == "system" for block in _blocks(message.parts, image)]
    tools = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.parameters} for tool in ask.tools
    ]
    if tools:
        _mark_last(system or tools)
        _mark_last(messages[-1]["content"] if messages else [])
    body: dict[str, Any] = {"model": model, "max_tokens": limit_of(ask), "messages": messages}
    if system:
        body["system"] = system
    if ask.sampling.temperature is not None:
        body["temperature"] = ask.sampling.temperature
    if ask.sampling.top_p is not None:
        body["top_p"] = ask.sampling.top_p
    if tools:
        body["tools"] = tools
    elif called := sorted({call.name for message in ask.messages for call in message.calls}):
        # No more calls are wanted, but the API takes none of the past without the tools that they called.
        body["tools"] = [{"name": name, "input_schema": {"type": "object"}} for name in called]
        body["tool_choice"] = {"type": "none"}
    return body


def limit_of(ask: Ask) -> int:
    """The limit on the answer's tokens that is sent."""
    return ask.sampling.max_tokens or DEFAULT_MAX_TOKENS


def _mark_last(blocks: list[Block]) -> None:
    if blocks:
        blocks[-1] = blocks[-1] | _CACHED


def _in_turn(messages: Sequence[Message], image: Callable[[int], Block]) -> list[dict[str, Any]]:
    """The messages, those of one side that follow one another as one; answers of tools come first in theirs."""
    made: list[dict[str, Any]] = []
    for message in messages:
        role = "user" if message.role in _BY_USER else message.role
        blocks = _assistants(message, image) if role == "assistant" else _users(message, image)
        if not blocks:
            continue  # nothing was said, and a message without content is refused
        if made and made[-1]["role"] == role:
            made[-1]["content"] += blocks
        else:
            made.append({"role": role, "content": blocks})
    for one in made:
        one["content"].sort(key=lambda block: block["type"] != "tool_result")
    return made


def _users(message: Message, image: Callable[[int], Block]) -> list[Block]:
    blocks = _blocks(message.parts, image)
    if message.role != "tool":
        return blocks
    return [{"type": "tool_result", "tool_use_id": message.answers, "content": blocks}]


def _assistants(message: Message, image: Callable[[int], Block]) -> list[Block]:
    """An assistant's message: as the API wrote it where that is known, with its thoughts; else from its parts."""
    own = _own_blocks(message)
    if own is not None:
        return own
    return _blocks(message.parts, image) + [_call(call) for call in message.calls]


def _own_blocks(message: Message) -> list[Block] | None:
    """The blocks of `Message.native`; None if they are not ours, or other calls were answered than stand in them.

    Only two things are changed, for the API takes neither back: blank text, and arguments that are no object.
    """
    try:
        native = json.loads(message.native) if message.native else None
    except (ValueError, RecursionError):
        return None
    blocks = native.get("content") if isinstance(native, dict) else None
    if not isinstance(blocks, list) or not all(isinstance(block, dict) and "type" in block for block in blocks):
        return None
    if [block.get("id") for block in blocks if block["type"] == "tool_use"] != [call.id for call in message.calls]:
        return None
    kept = [block for block in blocks if block["type"] != "text" or str(block.get("text", "")).strip()]
    return [block if isinstance(block.get("input", {}), dict) else block | {"input": {}} for block in kept]


def _call(call: ToolCall) -> Block:
    """A call that was written elsewhere. What is no object could not be sent: `tools.exchange` has seen to that."""
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        arguments = {}
    return {
        "type": "tool_use",
        "id": call.id,
        "name": call.name,
        "input": arguments if isinstance(arguments, dict) else {},
    }


def _blocks(parts: Sequence[Part], image: Callable[[int], Block]) -> list[Block]:
    """The parts as blocks; texts that follow one another are one, and blank ones are left out."""
    blocks: list[Block] = []
    for part in parts:
        if not isinstance(part, TextPart):
            blocks.append(image(part.index))
        elif blocks and blocks[-1]["type"] == "text":
            blocks[-1]["text"] += part.text
        else:
            blocks.append({"type": "text", "text": part.text})
    return [block for block in blocks if block["type"] != "text" or block["text"].strip()]
