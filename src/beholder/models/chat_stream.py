"""A chat completion that comes as a stream, put together into the JSON of one that comes at once: pure.

So the journal and everything that reads an answer know one form only. OUR choice of what is an end: a finish reason, or
the `[DONE]` of the server; a stream that stops before either broke off, and is no short answer.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from beholder.errors import ProviderError
from beholder.models.chat_reply import text_of
from beholder.models.sse import EventReader, TooLong

STREAMED: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}
"""What a request says besides to have its answer streamed."""

_OF_THE_REPLY = ("id", "created", "model", "system_fingerprint", "service_tier")
_OF_THE_MESSAGE = ("content", "reasoning_content", "reasoning", "refusal")


class ChatInPieces:
    """Takes the bytes of a stream as they come. A plain JSON body, of a server that streams nothing, is given back."""

    def __init__(self) -> None:
        self._events = EventReader()
        self._plain: bytearray | None = None
        self._began = False
        self._done = False
        self._whole: Any = None
        self._facts: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._calls: list[dict[str, Any]] = []
        self._last_at: dict[int, dict[str, Any]] = {}
        self._logprobs: list[Any] = []
        self._choice = False
        self._finish: Any = None

    def add(self, piece: bytes) -> bool:
        """Takes the next bytes; True once the server has said all. Raises `ProviderError` for what is no stream."""
        if not self._began:
            piece = piece.lstrip()
            if not piece:
                return False
            self._began = True
            self._plain = bytearray() if piece.startswith(b"{") else None
        if self._plain is not None:
            self._plain += piece
            return False
        try:
            self._take(self._events.feed(piece))
        except TooLong:
            raise _senseless("an event is larger than 16 MB") from None
        return self._done

    def body(self) -> bytes:
        """The completion as JSON. Raises `ProviderError` (retryable) if the stream broke off before its end."""
        if self._plain is not None:
            return bytes(self._plain)
        if not self._done:
            self._take(self._events.end())
        if self._whole is not None:
            return json.dumps(self._whole).encode()
        if self._finish is None and not self._done:
            raise ProviderError("The answer broke off before its end.", kind="broken_body", retryable=True)
        return json.dumps(self._facts | {"object": "chat.completion", "choices": self._choices()}).encode()

    def _choices(self) -> list[dict[str, Any]]:
        if not self._choice:
            return []
        message: dict[str, Any] = {"role": "assistant", "content": None}
        message |= {name: "".join(texts) for name, texts in self._texts.items()}
        if self._calls:
            message["content"] = message["content"] or None
            message["tool_calls"] = [_told(call) for call in self._calls]
        logprobs = {"logprobs": {"content": self._logprobs}} if self._logprobs else {}
        return [{"index": 0, "message": message, "finish_reason": self._finish} | logprobs]

    def _take(self, events: list[bytes]) -> None:
        for data in events:
            if self._done:
                return
            if data.strip() == b"[DONE]":
                self._done = True
            elif data.strip():
                self._take_chunk(_decoded(data))

    def _take_chunk(self, chunk: Any) -> None:
        if not isinstance(chunk, dict):
            return
        if chunk.get("error") is not None or chunk.get("object") == "error":
            self._whole, self._done = {"error": chunk.get("error") or chunk}, True
            return
        for name in _OF_THE_REPLY:
            if chunk.get(name) is not None:
                self._facts.setdefault(name, chunk[name])
        if isinstance(chunk.get("usage"), dict):
            self._facts["usage"] = chunk["usage"]  # some servers count along: the last one is the sum
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and choice.get("index", 0) in (0, None):
                if isinstance(choice.get("message"), dict) and not choice.get("delta"):
                    self._whole, self._done = chunk, True  # the whole answer as one event
                    return
                self._take_choice(choice)

    def _take_choice(self, choice: dict[str, Any]) -> None:
        self._choice = True
        if choice.get("finish_reason") is not None:
            self._finish = choice["finish_reason"]
        logprobs = choice.get("logprobs")
        if isinstance(logprobs, dict) and isinstance(logprobs.get("content"), list):
            self._logprobs += logprobs["content"]
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return
        for name in _OF_THE_MESSAGE:
            text = text_of(delta.get(name))
            if text is not None:
                self._texts.setdefault(name, []).append(text)
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                self._take_call(call)

    def _take_call(self, call: dict[str, Any]) -> None:
        """A piece of a call: it belongs to the one at its `index`, unless it has another id than that one.

        Some servers number none, or give several whole calls the number 0.
        """
        place, identity = call.get("index"), call.get("id")
        place = place if isinstance(place, int) else -1
        known = self._last_at.get(place)
        if known is None or (identity and known["id"] and identity != known["id"]):
            known = {"id": None, "name": None, "arguments": []}
            self._calls.append(known)
            self._last_at[place] = known
        function = call.get("function")
        function = function if isinstance(function, dict) else {}
        known["id"] = known["id"] or identity
        known["name"] = known["name"] or function.get("name")
        arguments = function.get("arguments")
        if arguments is not None:
            known["arguments"].append(arguments if isinstance(arguments, str) else json.dumps(arguments))


def _told(call: dict[str, Any]) -> dict[str, Any]:
    function = {"name": call["name"], "arguments": "".join(call["arguments"])}
    return {"id": call["id"], "type": "function", "function": function}


def _decoded(data: bytes) -> Any:
    try:
        try:
            return msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return json.loads(data)  # half a surrogate pair: the other half may come with the next piece
    except (ValueError, RecursionError):
        raise _senseless("an event is no JSON") from None


def _senseless(why: str) -> ProviderError:
    return ProviderError(f"The server's stream cannot be read: {why}.", kind="broken_body", retryable=True)
