"""Reading a reply of OpenAI's Responses API: pure, and tolerant of what later versions add."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from beholder.errors import ProviderError
from beholder.models.chat_body import json_value
from beholder.models.chat_reply import believable_count, is_blocked, shortened
from beholder.models.responses_body import native_message
from beholder.sample import Response, ToolCall, Usage

Item = dict[str, Any]

CODE = "code_interpreter_call"
"""The type of an item that tells of code which the provider ran."""

_MOST_CALLS = 128
_LIMIT = "max_output_tokens"
_TRY_AGAIN = ("server_error", "rate_limit_exceeded", "vector_store_timeout")
_NOT_DONE = ("queued", "in_progress", "cancelled", "failed")


def read_reply(body: bytes) -> Response:
    """The response in a 200 body. Raises `ProviderError` if the body is not a usable reply.

    The text is what the model said last: after the last code that the provider ran, if it ran any.
    """
    reply = decoded(body)
    items = items_of(reply)
    blocked = is_blocked(reply.get("error"))
    parts = stretches(items)
    text, refused = next((said for said in map(said_in, reversed(parts)) if said[0]), (None, False))
    calls = _calls(items)
    finish = "content_filter" if blocked or refused else _finish(reply, calls)
    return Response(
        text=text,
        reasoning=reasoning_in(items),
        finish=finish,
        served_model=_string(reply.get("model")),
        usage=_usage(reply.get("usage")),
        raw=body,
        calls=calls,
        native=_native(items) if calls else "",
    )


def decoded(body: bytes) -> Item:
    """The reply as plain data. Raises `ProviderError` if it is no JSON object."""
    try:
        try:
            reply = msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError):  # half a surrogate pair, which msgspec refuses
            reply = json.loads(body)
    except (ValueError, RecursionError) as error:
        words = shortened(error)
        raise ProviderError(
            f"The server's reply is not a response ({words}).", kind="broken_body", retryable=True
        ) from None
    if not isinstance(reply, dict):
        raise ProviderError("The server's reply is not a response.", kind="broken_body", retryable=True)
    return reply


def items_of(reply: Item) -> list[Item]:
    """The items of a reply's output. Raises `ProviderError` for a reply that says it failed, or holds none."""
    output = reply.get("output")
    output = [item for item in output if isinstance(item, dict)] if isinstance(output, list) else None
    if is_blocked(reply.get("error")):
        return output or []
    error = reply.get("error")
    if error:
        code, words = (error.get("code"), error.get("message")) if isinstance(error, dict) else (None, error)
        retryable = code is None or code in _TRY_AGAIN
        raise ProviderError(
            f"The server answered with an error: {shortened(words)}",
            kind="error_in_body" if retryable else "request",
            retryable=retryable,
        )
    if output is None:
        raise ProviderError("The server's reply holds no output.", kind="empty_choices", retryable=True)
    if reply.get("status") in _NOT_DONE:
        raise ProviderError(
            f"The server sent a response that is not done ({reply['status']}).", kind="not_done", retryable=True
        )
    return output


def stretches(items: Sequence[Item]) -> list[list[Item]]:
    """The items in stretches: what the model thought and said, and the code that was run after it."""
    parts: list[list[Item]] = [[]]
    for item in items:
        if item.get("type") != CODE and parts[-1] and parts[-1][-1].get("type") == CODE:
            parts.append([])
        parts[-1].append(item)
    return parts


def said_in(items: Sequence[Item]) -> tuple[str | None, bool]:
    """What the model said in these items, None if nothing, and whether it is a refusal.

    Where a message is marked as the final answer, comments on the way to it are left out.
    """
    messages = [item for item in items if item.get("type") == "message"]
    messages = [item for item in messages if item.get("phase") == "final_answer"] or messages
    texts = [text for item in messages if (text := _texts(item.get("content"), "output_text", "text"))]
    if texts:
        return "\n".join(texts), False
    refusals = [text for item in messages if (text := _texts(item.get("content"), "refusal", "refusal"))]
    return ("\n".join(refusals), True) if refusals else (None, False)


def reasoning_in(items: Sequence[Item]) -> str | None:
    """The thoughts in these items, as far as they are told: their summary, or the thoughts themselves."""
    thoughts = [item for item in items if item.get("type") == "reasoning"]
    texts = [
        _texts(item.get("content"), "reasoning_text", "text", "\n")
        or _texts(item.get("summary"), "summary_text", "text", "\n")
        for item in thoughts
    ]
    return "\n".join(filter(None, texts)) or None


def _texts(parts: Any, kind: str, field: str, between: str = "") -> str:
    found = [
        part[field]
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, dict) and part.get("type") == kind and isinstance(part.get(field), str)
    ]
    return between.join(found)


def _finish(reply: Item, calls: Sequence[ToolCall]) -> str | None:
    if reply.get("status") == "incomplete":
        details = reply.get("incomplete_details")
        reason = details.get("reason") if isinstance(details, dict) else None
        return "length" if reason == _LIMIT else _string(reason) or "incomplete"
    return "tool_calls" if calls else "stop"


def _calls(items: Sequence[Item]) -> tuple[ToolCall, ...]:
    made = [item for item in items if item.get("type") == "function_call"][:_MOST_CALLS]
    return tuple(
        ToolCall(
            id=_string(item.get("call_id")) or "",
            name=_string(item.get("name")) or "",
            arguments=_arguments(item.get("arguments")),
        )
        for item in made
    )


def _arguments(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value)


def _native(items: Sequence[Item]) -> str:
    try:
        return native_message(items)
    except UnicodeEncodeError:  # half a surrogate pair: what cannot be sent back as it came
        return native_message(msgspec.json.decode(json_value(list(items))))


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _usage(usage: Any) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    asked, written = usage.get("input_tokens_details"), usage.get("output_tokens_details")
    asked, written = (one if isinstance(one, dict) else {} for one in (asked, written))
    return Usage(
        prompt_tokens=believable_count(usage.get("input_tokens")),
        completion_tokens=believable_count(usage.get("output_tokens")),
        reasoning_tokens=believable_count(written.get("reasoning_tokens")),
        cache_read_tokens=believable_count(asked.get("cached_tokens")),
        cache_write_tokens=believable_count(asked.get("cache_write_tokens")),
    )
