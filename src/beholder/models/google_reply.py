"""Reading what `generateContent` answers, its errors too: pure."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from beholder.errors import ProviderError
from beholder.models.chat_reply import believable_count, error_for_status, shortened
from beholder.sample import Response, ToolCall, Usage

_FILTERED = (
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "ESCALATION",
    "MODEL_ARMOR",
)
_FINISH = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "CONTINUATION": "length",
    "UNEXPECTED_TOOL_CALL": "MALFORMED_FUNCTION_CALL",  # to the loop it is the same: a call that nobody can run
} | dict.fromkeys(_FILTERED, "content_filter")
"""The API's word for why an answer ended → the chat wire's, which scorers know. Others stay as they are."""

_NO_ANSWER = {
    "MISSING_THOUGHT_SIGNATURE": "the signature of a thought was missing in the request",
    "PUP_LIMITED_DISABLED": "the account is limited or disabled for breaking the policy on use",
}
"""Ends that say nothing about the model, and why."""

_MOST_CALLS = 128
_DELAY = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s")


def read_content(body: bytes) -> Response:
    """The response in a 200 body. Raises `ProviderError` if it is none."""
    reply = _decoded(body)
    if reply.get("error") is not None:
        raise _error_in_body(reply["error"], body)
    candidates = reply.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    common: dict[str, Any] = {
        "served_model": _string(reply.get("modelVersion")),
        "usage": _usage(reply.get("usageMetadata")),
        "raw": body,
    }
    if not isinstance(first, dict):
        feedback = reply.get("promptFeedback")
        if isinstance(feedback, dict) and feedback.get("blockReason"):
            return Response(finish="content_filter", **common)  # what it says of that is not the model's
        raise ProviderError("The server's reply holds no candidates.", kind="empty_choices", retryable=True)
    reason = _string(first.get("finishReason"))
    if reason in _NO_ANSWER:
        raise ProviderError(f"No answer: {_NO_ANSWER[reason]} ({reason}).", kind="request")
    content = first.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    parts = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    calls = [part["functionCall"] for part in parts if isinstance(part.get("functionCall"), dict)]
    finish = _FINISH.get(reason, reason) if reason else None
    return Response(
        text=_joined(parts, thoughts=False),
        reasoning=_joined(parts, thoughts=True),
        finish="tool_calls" if calls and finish == "stop" else finish,
        calls=tuple(map(_call, calls[:_MOST_CALLS])),
        native=_native(parts) if 0 < len(calls) <= _MOST_CALLS else "",
        **common,
    )


def refusal(status: int, body: bytes, retry_after: str | None) -> tuple[int, str | None]:
    """The status that an answer without success stands for, and the seconds it asks to wait, as text.

    This API says 400 to a key that it does not know (taken as 401, which stops the run), and how long to wait in the
    body (`RetryInfo`) where other servers have a header.
    """
    details = _details(body)
    if status == 400 and any(one.get("reason") == "API_KEY_INVALID" for one in details):
        status = 401
    if retry_after is None:
        delays = [_DELAY.fullmatch(_string(one.get("retryDelay")) or "") for one in details]
        retry_after = next((found[1] for found in delays if found is not None), None)
    return status, retry_after


def _details(body: bytes) -> list[dict[str, Any]]:
    try:
        error = _decoded(body).get("error")
    except ProviderError:
        return []
    details = error.get("details") if isinstance(error, dict) else None
    return [one for one in details if isinstance(one, dict)] if isinstance(details, list) else []


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        try:
            value = msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            value = json.loads(body)  # it takes half a surrogate pair
    except (ValueError, RecursionError) as error:
        raise ProviderError(
            f"The server's reply is not JSON ({shortened(error)}).", kind="broken_body", retryable=True
        ) from None
    if isinstance(value, list) and len(value) == 1:  # errors come so from some addresses
        value = value[0]
    if not isinstance(value, dict):
        raise ProviderError("The server's reply is no object.", kind="broken_body", retryable=True)
    return value


def _error_in_body(error: Any, body: bytes) -> ProviderError:
    code = error.get("code") if isinstance(error, dict) else None
    status, wait = refusal(code if isinstance(code, int) and 400 <= code < 600 else 500, body, None)
    return error_for_status(status, body, wait, 0.0)


def _joined(parts: list[dict[str, Any]], *, thoughts: bool) -> str | None:
    texts = [
        part["text"]
        for part in parts
        if isinstance(part.get("text"), str) and (part.get("thought") is True) == thoughts
    ]
    return "".join(texts) if texts else None


def _call(call: dict[str, Any]) -> ToolCall:
    arguments = call.get("args")
    return ToolCall(
        id=_string(call.get("id")) or "",
        name=_string(call.get("name")) or "",
        arguments="{}" if arguments is None else json.dumps(arguments, ensure_ascii=False),
    )


def _native(parts: list[dict[str, Any]]) -> str:
    return json.dumps({"role": "model", "parts": parts}, separators=(",", ":"))


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _usage(usage: Any) -> Usage:
    """Thoughts are not among the API's tokens of the candidates; ours has all that came out. What the provider's own
    tools put in is not among those of the prompt; ours has all that went in."""
    if not isinstance(usage, dict):
        return Usage()
    prompt = believable_count(usage.get("promptTokenCount"))
    tools = believable_count(usage.get("toolUsePromptTokenCount"))
    said = believable_count(usage.get("candidatesTokenCount"))
    thoughts = believable_count(usage.get("thoughtsTokenCount"))
    return Usage(
        prompt_tokens=_sum(prompt, tools),
        completion_tokens=_sum(said, thoughts),
        reasoning_tokens=thoughts,
        cache_read_tokens=believable_count(usage.get("cachedContentTokenCount")),
    )


def _sum(*counts: int | None) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
