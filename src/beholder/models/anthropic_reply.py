"""Reading what the Messages API answers, at once or event by event: pure."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from beholder.errors import ProviderError
from beholder.models.chat_reply import believable_count, shortened
from beholder.sample import Response, ToolCall, Usage

CONTEXT_FULL = "model_context_window_exceeded"
"""Why an answer ended that filled what the model can hold. `AnthropicModel.send` says what that means."""

_FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}
"""The API's word for why an answer ended → the chat wire's, which scorers know. Others stay as they are."""

_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The kind of an error → the status with which it comes where it comes before the answer has begun."""

_MOST_CALLS = 128


def status_of(error: Any) -> int | None:
    """The HTTP status that an error in a body of 200, or in mid-stream, stands for; None if the body holds no error.

    What is not known is the server's own fault (500), so that it is asked again.
    """
    if not isinstance(error, dict) or error.get("type") != "error":
        return None
    told = error.get("error")
    kind = told.get("type") if isinstance(told, dict) else None
    return _STATUS.get(kind, 500) if isinstance(kind, str) else 500


def read_message(body: bytes) -> Response:
    """The response in a message. Raises `ProviderError` if it is none, or no answer."""
    message = decoded(body)
    content = message.get("content")
    if not isinstance(content, list):
        raise ProviderError("The server's reply is not a message (no content).", kind="broken_body", retryable=True)
    blocks = [block for block in content if isinstance(block, dict)]
    reason = message.get("stop_reason")
    if reason == "pause_turn":
        raise ProviderError(
            "The provider paused in the middle of its own tools (pause_turn), and Beholder does not go on with these. "
            "Leave them out of --extra-body.",
            kind="request",
        )
    calls = tuple(map(_call, [block for block in blocks if block.get("type") == "tool_use"][:_MOST_CALLS]))
    return Response(
        text=_joined(blocks, "text", "text"),  # why it refused is told by others than the model: no text
        reasoning=_joined(blocks, "thinking", "thinking"),
        finish=_FINISH.get(reason, reason) if isinstance(reason, str) else None,
        served_model=_string(message.get("model")),
        usage=_usage(message.get("usage")),
        raw=body,
        calls=calls,
        native=_native(content) if calls else "",
    )


def decoded(body: bytes) -> dict[str, Any]:
    """The JSON object in a reply. Raises `ProviderError` (retryable) if it is none."""
    try:
        try:
            value = msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            value = json.loads(body)  # it takes half a surrogate pair
    except (ValueError, RecursionError) as error:
        raise ProviderError(
            f"The server's reply is not a message ({shortened(error)}).", kind="broken_body", retryable=True
        ) from None
    if not isinstance(value, dict):
        raise ProviderError("The server's reply is not a message.", kind="broken_body", retryable=True)
    return value


def _joined(blocks: list[dict[str, Any]], kind: str, field: str) -> str | None:
    texts = [block[field] for block in blocks if block.get("type") == kind and isinstance(block.get(field), str)]
    return "".join(texts) if texts else None


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _call(block: dict[str, Any]) -> ToolCall:
    arguments = block.get("input")
    return ToolCall(
        id=_string(block.get("id")) or "",
        name=_string(block.get("name")) or "",
        arguments=arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False),
    )


def _native(content: list[Any]) -> str:
    return json.dumps({"role": "assistant", "content": content}, ensure_ascii=True, separators=(",", ":"))


def _usage(usage: Any) -> Usage:
    """`input_tokens` is what was neither read from the cache nor written to it; ours is the sum of the three."""
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("output_tokens_details")
    plain = believable_count(usage.get("input_tokens"))
    read = believable_count(usage.get("cache_read_input_tokens"))
    written = believable_count(usage.get("cache_creation_input_tokens"))
    return Usage(
        prompt_tokens=plain + (read or 0) + (written or 0) if plain is not None else None,
        completion_tokens=believable_count(usage.get("output_tokens")),
        reasoning_tokens=believable_count(details.get("thinking_tokens")) if isinstance(details, dict) else None,
        cache_read_tokens=read,
        cache_write_tokens=written,
    )


class MessageInPieces:
    """Puts a message together from the events of a stream: the JSON of an answer that comes at once.

    Arguments of a call that are no JSON stay text, as the model wrote them.
    """

    def __init__(self) -> None:
        self._message: dict[str, Any] | None = None
        self._blocks: dict[int, dict[str, Any]] = {}
        self._texts: dict[tuple[int, str], list[str]] = {}

    def add(self, event: Any) -> None:
        """Takes the next event. Raises `ProviderError` (retryable) if it makes no sense there."""
        if not isinstance(event, dict):
            return
        try:
            self._add(event)
        except (KeyError, TypeError, AttributeError, ValueError):
            raise ProviderError(
                f"The server's stream makes no sense ({shortened(event)[:100]}).", kind="broken_body", retryable=True
            ) from None

    def _add(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "message_start":
            self._message = dict(event["message"])
        elif kind == "content_block_start":
            self._blocks[int(event["index"])] = dict(event["content_block"])
        elif kind == "content_block_delta":
            self._change(int(event["index"]), event["delta"])
        elif kind == "message_delta" and self._message is not None:
            told = {name: value for name, value in (event.get("usage") or {}).items() if value is not None}
            self._message |= {name: value for name, value in event["delta"].items() if value is not None}
            self._message["usage"] = (self._message.get("usage") or {}) | told  # the counts are totals

    def _change(self, index: int, delta: dict[str, Any]) -> None:
        block = self._blocks[index]
        kind = delta.get("type")
        if kind == "signature_delta":
            block["signature"] = delta["signature"]
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or []), delta["citation"]]
        elif kind in ("text_delta", "thinking_delta", "input_json_delta"):
            field = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}[kind]
            self._texts.setdefault((index, field), []).append(str(delta[field]))

    def body(self) -> bytes:
        """The message as JSON. Raises `ProviderError` (retryable) if the stream broke off before its end."""
        if self._message is None or not isinstance(self._message.get("stop_reason"), str):
            raise ProviderError("The answer broke off before its end.", kind="broken_body", retryable=True)
        for (index, field), pieces in self._texts.items():
            block, text = self._blocks[index], "".join(pieces)
            if field == "partial_json":
                block["input"] = _arguments(text) if text else block.get("input", {})
            else:
                block[field] = str(block.get(field) or "") + text
        self._texts.clear()
        content = [block for _, block in sorted(self._blocks.items())]
        return json.dumps(self._message | {"content": content}).encode()


def _arguments(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
