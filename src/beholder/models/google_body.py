"""A conversation as Google's `generateContent` takes it: plain JSON, in the names of the REST interface. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from beholder.images.header import MIME
from beholder.images.wire import Sent
from beholder.models.chat_body import pictures_after_tools
from beholder.sample import Ask, ImagePart, Message, Part, TextPart, ToolCall, ToolSpec

_Json = dict[str, Any]


def content_body(
    ask: Ask,
    sent: Mapping[int, Sent],
    base64_of: Callable[[int], str],
    *,
    seed: int | None,
    pictures_in_answers: bool,
) -> _Json:
    """The body of a request; the model's name is in the address.

    `pictures_in_answers`: pictures of tools go into the answers of functions, which Gemini 3 and later take. Otherwise
    they follow in a message of the user: beside an answer, in one message with it, Gemini 2 refuses them at times.
    """
    messages = ask.messages if pictures_in_answers else pictures_after_tools(ask.messages)
    writer = _Writer(sent, base64_of)
    body: _Json = {"contents": writer.contents([one for one in messages if one.role != "system"])}
    told = [part for one in messages if one.role == "system" for part in writer.parts(one.parts)]
    if told:
        body["systemInstruction"] = {"parts": told}
    if ask.tools:
        body["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in ask.tools]}]
    wanted = ask.sampling
    settings = {
        "temperature": wanted.temperature,
        "topP": wanted.top_p,
        "maxOutputTokens": wanted.max_tokens,
        "seed": seed,
    }
    # Also where it is empty: the SDK sends one always, and what is sent is what is hashed.
    body["generationConfig"] = {name: value for name, value in settings.items() if value is not None}
    return body


def with_extra(body: _Json, extra: _Json) -> _Json:
    """The body with what a user adds; within `generationConfig` single settings are added, not the whole replaced."""
    extra = {"generationConfig" if name == "generation_config" else name: value for name, value in extra.items()}
    theirs = extra.get("generationConfig")
    if isinstance(theirs, dict):
        extra["generationConfig"] = body["generationConfig"] | theirs
    return body | extra


def _declaration(tool: ToolSpec) -> _Json:
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}


class _Writer:
    """Writes the messages of one conversation. An answer of a tool goes to its call: by the API's id where it gave one,
    by name and order where not."""

    def __init__(self, sent: Mapping[int, Sent], base64_of: Callable[[int], str]) -> None:
        self._sent = sent
        self._base64_of = base64_of
        self._calls: dict[str, _Json] = {}

    def contents(self, messages: Sequence[Message]) -> list[_Json]:
        """One entry for each message; the answers of one turn are one entry, as the API wants them."""
        made: list[_Json] = []
        answering = False
        for message in messages:
            if message.role == "tool":
                part = self._answer(message)
                if answering:
                    made[-1]["parts"].append(part)
                else:
                    made.append({"role": "user", "parts": [part]})
                answering = True
                continue
            answering = False
            content = self._said(message) if message.role == "assistant" else self._asked(message)
            if content is not None:
                made.append(content)
        return made

    def parts(self, parts: Sequence[Part]) -> list[_Json]:
        """Text and pictures; empty texts, which the API refuses, are left out."""
        return [self._part(one) for one in parts if not (isinstance(one, TextPart) and not one.text)]

    def _part(self, part: Part) -> _Json:
        return {"text": part.text} if isinstance(part, TextPart) else self._picture(part)

    def _picture(self, part: ImagePart) -> _Json:
        mime = MIME[self._sent[part.index].format]
        return {"inlineData": {"mimeType": mime, "data": self._base64_of(part.index)}}

    def _asked(self, message: Message) -> _Json:
        return {"role": "user", "parts": self.parts(message.parts) or [{"text": ""}]}

    def _said(self, message: Message) -> _Json | None:
        """The model's message, as the API wrote it where that is known. None if it said nothing at all."""
        native = _native_parts(message)
        if native is not None:
            written = [part["functionCall"] for part in native if _is_call(part)]
            for call, one in zip(message.calls, written, strict=True):
                self._calls[call.id] = {key: one[key] for key in ("id", "name") if isinstance(one.get(key), str)}
            return {"role": "model", "parts": native}
        parts = self.parts(message.parts)
        for call in message.calls:
            self._calls[call.id] = {"id": call.id, "name": call.name}
            parts.append({"functionCall": self._calls[call.id] | {"args": _arguments(call)}})
        return {"role": "model", "parts": parts} if parts else None

    def _answer(self, message: Message) -> _Json:
        text = "".join(part.text for part in message.parts if isinstance(part, TextPart))
        pictures = [self._picture(part) for part in message.parts if isinstance(part, ImagePart)]
        call = self._calls.get(message.answers, {"id": message.answers, "name": "unknown"})
        answer: _Json = {**call, "response": {"output": text}}
        if pictures:
            answer["parts"] = pictures
        return {"functionResponse": answer}


def _native_parts(message: Message) -> list[Any] | None:
    """The parts of a message that this API wrote; None if another did, or its calls are not those that were run."""
    if not message.native:
        return None
    try:
        content = json.loads(message.native)
    except ValueError:
        return None
    parts = content.get("parts") if isinstance(content, dict) else None
    if not isinstance(parts, list) or sum(map(_is_call, parts)) != len(message.calls):
        return None
    return parts


def _is_call(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("functionCall"), dict)


def _arguments(call: ToolCall) -> Any:
    try:
        return json.loads(call.arguments)
    except ValueError:
        return {}
