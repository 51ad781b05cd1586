"""The body of a chat-completions request, in pieces: everything but the pictures is encoded once, nothing is copied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from beholder.images.wire import Sent
from beholder.sample import ImagePart, Message, Part, TextPart, ToolSpec


def splice(
    model: str, messages: Sequence[Message], sent: Mapping[int, Sent], ending: bytes
) -> tuple[tuple[bytes, ...], bytes]:
    """The body in pieces, and the same body with each image's bytes replaced by their SHA-256.

    `sent` has the pictures by their places, which `ImagePart.index` gives. `ending` follows the messages:
    `,"temperature":0` or nothing.
    """
    pieces: list[bytes] = []
    told: list[bytes] = []
    buffer = [b'{"model":' + msgspec.json.encode(model) + b',"messages":[']
    for number, message in enumerate(messages):
        buffer.append((b"," if number else b"") + b'{"role":' + msgspec.json.encode(message.role))
        buffer.append(_tool_fields(message))
        if all(isinstance(part, TextPart) for part in message.parts):
            text = "".join(part.text for part in message.parts if isinstance(part, TextPart))
            content = json_text(text) if text or not message.calls else b"null"
            buffer.append(b',"content":' + content + b"}")
            continue
        buffer.append(b',"content":[')
        for place, part in enumerate(message.parts):
            comma = b"," if place else b""
            if isinstance(part, TextPart):
                buffer.append(comma + b'{"type":"text","text":' + json_text(part.text) + b"}")
            else:
                image = sent[part.index]
                buffer.append(comma + b'{"type":"image_url","image_url":{"url":"')
                before = b"".join(buffer)
                pieces += (before + image.prefix, image.base64)
                told.append(before + b"sha256:" + image.sha256.encode())
                buffer = [b'"}}']
        buffer.append(b"]}")
    buffer.append(b"]" + ending + b"}")
    last = b"".join(buffer)
    return (*pieces, last), b"".join((*told, last))


def _tool_fields(message: Message) -> bytes:
    if message.calls:
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.calls
        ]
        return b',"tool_calls":' + json_value(calls)
    if message.answers:
        return b',"tool_call_id":' + json_value(message.answers)
    return b""


def tool_settings(tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """The settings of a request that offers tools; empty where none are offered."""
    if not tools:
        return {}
    functions = [{"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in tools]
    return {"tools": [{"type": "function", "function": function} for function in functions]}


def pictures_after_tools(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The same conversation for servers that take no images in tool messages.

    A tool's message keeps its text and says where its pictures are; one user message after all tool messages of that
    turn carries them, each group under the id of its call.
    """
    made: list[Message] = []
    waiting: list[TextPart | ImagePart] = []
    for message in messages:
        if message.role == "user" and waiting:  # not two messages of the user in a row: some chat templates refuse that
            message = msgspec.structs.replace(message, parts=(*waiting, *_below(message.parts)))
            waiting = []
        elif message.role != "tool" and waiting:
            made.append(Message("user", tuple(waiting)))
            waiting = []
        if message.role != "tool" or all(isinstance(part, TextPart) for part in message.parts):
            made.append(message)
            continue
        pictures = [part for part in message.parts if isinstance(part, ImagePart)]
        texts = [part for part in message.parts if isinstance(part, TextPart)]
        there = "The picture is" if len(pictures) == 1 else f"The {len(pictures)} pictures are"
        stub = TextPart(f"\n{there} in the next message of the user.")
        made.append(msgspec.structs.replace(message, parts=(*texts, stub)))
        names = ", ".join(f"image_{part.index + 1}" for part in pictures)
        waiting += [TextPart(f"Result of the tool call {message.answers}: {names}"), *pictures]
    if waiting:
        made.append(Message("user", tuple(waiting)))
    return tuple(made)


def _below(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Parts that follow others in one message: text on a line of its own."""
    first = parts[0] if parts else None
    return (TextPart("\n" + first.text), *parts[1:]) if isinstance(first, TextPart) else tuple(parts)


def json_value(value: Any) -> bytes:
    """JSON of any value made of plain data, lone surrogates as `json_text` sends them."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_speakable(value))


def _speakable(value: Any) -> Any:
    if isinstance(value, str):
        return _without_surrogates(value)
    if isinstance(value, dict):
        return {_speakable(key): _speakable(inner) for key, inner in value.items()}
    return [_speakable(inner) for inner in value] if isinstance(value, list) else value


def json_text(text: str) -> bytes:
    """JSON of any text. Lone surrogates cannot be sent as UTF-8; they go out as U+FFFD."""
    try:
        return msgspec.json.encode(text)
    except UnicodeEncodeError:
        return msgspec.json.encode(_without_surrogates(text))


def _without_surrogates(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
