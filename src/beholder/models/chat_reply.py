"""Reading a chat-completions reply: pure, tolerant of servers, hostile to nothing but nonsense."""

from __future__ import annotations

import email.utils
import json
from typing import Any

import msgspec

from beholder.errors import AuthError, ProviderError
from beholder.sample import Response, ToolCall, Usage

_RETRYABLE_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_MESSAGE_LIMIT = 300
_BLOCKED_CODES = ("content_filter", "_policy", "policy_violation", "policyviolation")
"""How the codes of errors end that say that the provider's rules forbid an answer."""
_BLOCKED_WORDS = ("content filtering policy", "content management policy", "violating our usage policy")
"""What such errors say (Anthropic's, Azure's, OpenAI's) whose codes say only that the request is no good."""
_BLOCKED_STATUS = (400, 403)
_MOST_CALLS = 128


class _Message(msgspec.Struct):
    content: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    refusal: Any = None
    tool_calls: Any = None


class _Choice(msgspec.Struct):
    message: _Message | None = None
    finish_reason: Any = None


class _Reply(msgspec.Struct):
    choices: list[_Choice] | None = None
    model: Any = None
    system_fingerprint: Any = None
    usage: Any = None
    error: Any = None


_decoder = msgspec.json.Decoder(_Reply, strict=False)


def read_reply(body: bytes) -> Response:
    """The response in a 200 body. Raises `ProviderError` (retryable) if the body is not a usable reply."""
    reply = _decode(body)
    if reply.error is not None:
        if is_blocked(reply.error):
            return blocked_response(body)
        raise _error_in_body(reply.error)
    if not reply.choices or reply.choices[0].message is None:
        raise ProviderError("The server's reply holds no choices.", kind="empty_choices", retryable=True)
    choice = reply.choices[0]
    message = choice.message
    assert message is not None
    text = text_of(message.content)
    finish = choice.finish_reason if isinstance(choice.finish_reason, str) else None
    if not text and isinstance(message.refusal, str) and message.refusal:
        text, finish = message.refusal, "content_filter"
    reasoning = message.reasoning_content if message.reasoning_content is not None else message.reasoning
    return Response(
        text=text,
        reasoning=text_of(reasoning),
        finish=finish,
        served_model=_string(reply.model),
        fingerprint=_string(reply.system_fingerprint),
        usage=_usage(reply.usage),
        raw=body,
        calls=_calls(message.tool_calls),
    )


def _decode(body: bytes) -> _Reply:
    try:
        try:
            return _decoder.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            # msgspec refuses half a surrogate pair, which servers that cut a text inside an emoji do send.
            return msgspec.convert(json.loads(body), _Reply, strict=False)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        words = " ".join(str(error).split())[:_MESSAGE_LIMIT]
        raise ProviderError(
            f"The server's reply is not a chat completion ({words}).", kind="broken_body", retryable=True
        ) from None


def is_blocked(error: Any, status: int = 200) -> bool:
    """Whether an error says that the provider's rules forbid an answer: then the model refused, and nothing failed.

    Providers answer so before the model has said a word: Azure, Anthropic and OpenAI with 400, OpenRouter with 403,
    which is a refused key or account unless it names the input that was flagged.
    """
    if not isinstance(error, dict):
        return False
    inner, more = error.get("innererror"), error.get("metadata")
    if isinstance(more, dict) and "flagged_input" in more:
        return True
    if status in (401, 403) or error.get("code") in (401, 403):
        return False
    codes = (error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, dict) else None)
    if any(isinstance(code, str) and code.lower().endswith(_BLOCKED_CODES) for code in codes):
        return True
    words = str(error.get("message"))[:2000].lower()
    return any(one in words for one in _BLOCKED_WORDS)


def blocked_response(body: bytes) -> Response:
    """The answer that such an error is: none, by the provider's filter. Its words are not the model's, and no text."""
    return Response(finish="content_filter", raw=body)


def refused_by_rules(status: int, body: bytes) -> Response | None:
    """The refusal that an answer without success stands for; None if it is a failure."""
    if status not in _BLOCKED_STATUS:
        return None
    try:
        decoded = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return blocked_response(body) if isinstance(decoded, dict) and is_blocked(decoded.get("error"), status) else None


def error_for_status(status: int, body: bytes, retry_after: str | None, now: float) -> ProviderError:
    """The error that a non-200 answer means. `now` is the time (seconds since 1970) for dated Retry-After headers."""
    words = _server_words(body)
    if status in (401, 403):
        return AuthError(
            f"The server refused the API key (HTTP {status}): {words}", kind=f"http_{status}", status=status
        )
    return ProviderError(
        f"HTTP {status}: {words}",
        kind=f"http_{status}" if status in _RETRYABLE_STATUS or status >= 500 else "request",
        status=status,
        retryable=status in _RETRYABLE_STATUS or status >= 500,
        retry_after=seconds_to_wait(retry_after, now),
    )


def seconds_to_wait(header: str | None, now: float) -> float | None:
    """The seconds a Retry-After header asks for (a number or an HTTP date); None if absent or unreadable.

    >>> seconds_to_wait("2", 0.0), seconds_to_wait("Thu, 01 Jan 1970 00:01:00 GMT", 0.0), seconds_to_wait("soon", 0.0)
    (2.0, 60.0, None)
    """
    if not header:
        return None
    try:
        wait = float(header)
    except ValueError:
        try:
            wait = email.utils.parsedate_to_datetime(header).timestamp() - now
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, wait) if wait == wait and wait != float("inf") else None


def _error_in_body(error: Any) -> ProviderError:
    """Some gateways answer 200 with an `error` object; its code decides if asking again can help."""
    code = error.get("code") if isinstance(error, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    status = code if isinstance(code, int) else None
    if status in (401, 403):
        return AuthError(f"The server refused the API key: {shortened(message)}", kind=f"http_{status}", status=status)
    retryable = status is None or status in _RETRYABLE_STATUS or status >= 500
    return ProviderError(
        f"The server answered with an error: {shortened(message)}",
        kind="error_in_body" if retryable else "request",
        status=status,
        retryable=retryable,
    )


def _server_words(body: bytes) -> str:
    try:
        decoded = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return shortened(body.decode("utf-8", "replace")) or "(empty body)"
    if isinstance(decoded, list) and len(decoded) == 1:  # Google's, from some addresses
        decoded = decoded[0]
    if isinstance(decoded, dict):
        error = decoded.get("error", decoded.get("message", decoded.get("detail", decoded)))
        return shortened(error.get("message", error) if isinstance(error, dict) else error)
    return shortened(decoded)


def shortened(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= _MESSAGE_LIMIT else text[:_MESSAGE_LIMIT] + "…"


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def text_of(content: Any) -> str | None:
    """Content is a string, null, or (some servers) a list of parts whose texts are joined."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
        return "".join(texts) if texts else None
    return None


def _calls(calls: Any) -> tuple[ToolCall, ...]:
    """The tool calls in a message. Servers differ: arguments are text or an object, an id may be missing (then "")."""
    made: list[ToolCall] = []
    for call in calls[:_MOST_CALLS] if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            continue
        arguments = function.get("arguments")
        if not isinstance(arguments, str):
            arguments = "" if arguments is None else json.dumps(arguments)
        identity, name = call.get("id"), function.get("name")
        made.append(
            ToolCall(
                id=identity if isinstance(identity, str) else "",
                name=name if isinstance(name, str) else "",
                arguments=arguments,
            )
        )
    return tuple(made)


def _usage(usage: Any) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("completion_tokens_details")
    asked = usage.get("prompt_tokens_details")
    return Usage(
        prompt_tokens=believable_count(usage.get("prompt_tokens")),
        completion_tokens=believable_count(usage.get("completion_tokens")),
        reasoning_tokens=believable_count(details.get("reasoning_tokens")) if isinstance(details, dict) else None,
        cache_read_tokens=believable_count(asked.get("cached_tokens")) if isinstance(asked, dict) else None,
    )


def believable_count(value: Any) -> int | None:
    """A believable number of tokens; the journal adds them up in 64 bits, which a server must not be able to break."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40 else None
