"""The body of a request to OpenAI's Responses API: a conversation as input items, tools, the limits. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from beholder.images.wire import Sent
from beholder.models.hosted import Base64Of
from beholder.sample import Ask, Message, Part, TextPart

_NATIVE = ("reasoning", "message", "function_call")
"""Types of the items that go back as they came."""


def responses_body(model: str, ask: Ask, sent: Mapping[int, Sent], base64_of: Base64Of) -> dict[str, Any]:
    """The request as plain JSON.

    Nothing is stored with the provider, so that thoughts have to be carried along: where tools are offered they are
    asked for in encrypted form. There is no seed on this wire.
    """
    items = [item for message in ask.messages for item in _items(message, sent, base64_of)]
    body: dict[str, Any] = {"model": model, "input": items, "store": False}
    sampling = ask.sampling
    if sampling.temperature is not None:
        body["temperature"] = sampling.temperature
    if sampling.top_p is not None:
        body["top_p"] = sampling.top_p
    if sampling.max_tokens is not None:
        body["max_output_tokens"] = sampling.max_tokens
    if ask.tools:
        # Strict schemas, the wire's default, must name every field as required; ours have defaults.
        body["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
                "strict": False,
            }
            for tool in ask.tools
        ]
        body["include"] = ["reasoning.encrypted_content"]
    elif ask.provider_tools:
        body["tools"] = [{"type": "code_interpreter", "container": {"type": "auto"}}]
        body["include"] = ["code_interpreter_call.outputs"]
    return body


def native_message(items: Sequence[Mapping[str, Any]]) -> str:
    """The items of an answer as `Message.native` keeps them."""
    return msgspec.json.encode({"output": [item for item in items if item.get("type") in _NATIVE]}).decode()


def _items(message: Message, sent: Mapping[int, Sent], base64_of: Base64Of) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [
            {
                "type": "function_call_output",
                "call_id": message.answers,
                "output": _content(message.parts, sent, base64_of),
            }
        ]
    if message.role != "assistant":
        return [{"role": message.role, "content": _content(message.parts, sent, base64_of)}]
    native = _from_native(message)
    if native is not None:
        return native
    text = "".join(part.text for part in message.parts if isinstance(part, TextPart))
    said = [{"role": "assistant", "content": text}] if text or not message.calls else []
    calls = [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
        for call in message.calls
    ]
    return [*said, *calls]


def _content(parts: Sequence[Part], sent: Mapping[int, Sent], base64_of: Base64Of) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, TextPart):
            content.append({"type": "input_text", "text": part.text})
        else:
            url = sent[part.index].prefix.decode("ascii") + base64_of(part.index)
            content.append({"type": "input_image", "image_url": url})
    return content


def _from_native(message: Message) -> list[dict[str, Any]] | None:
    """The assistant's own items; None where they are not of this wire.

    Its calls go back under the ids, names and arguments of `Message.calls`, which are fit to be sent.
    """
    try:
        native = msgspec.json.decode(message.native) if message.native else None
    except (msgspec.DecodeError, RecursionError):
        return None
    items = native.get("output") if isinstance(native, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) and item.get("type") in _NATIVE for item in items):
        return None
    made = [item for item in items if item["type"] == "function_call"]
    if len(made) != len(message.calls):
        return None
    for item, call in zip(made, message.calls, strict=True):
        item |= {"call_id": call.id, "name": call.name, "arguments": call.arguments}
    return items
