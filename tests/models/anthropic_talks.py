"""Asks, messages and streams of the Messages API, for its tests."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import made_runs
from beholder.models.anthropic import AnthropicModel
from beholder.models.endpoint import Endpoint
from beholder.sample import (
    Ask,
    BooleanTarget,
    ImagePart,
    ImageRef,
    Message,
    Response,
    Sample,
    Sampling,
    TextPart,
    ToolCall,
    ToolSpec,
)
from scripted_server import Reply, Request, ScriptedServer

OWN, NEW = made_runs.jpeg(0), made_runs.jpeg(1)
SPEC = ToolSpec("crop", "Cuts.", {"type": "object", "properties": {"box": {"type": "array"}}})
QUESTION = Message("user", (ImagePart(0), TextPart("Which?")))
ONE, TWO = ToolCall("c1", "crop", '{"box": [0, 1]}'), ToolCall("c2", "crop", "{}")
ASKED = Message("assistant", (TextPart("I look."),), calls=(ONE, TWO))
FIRST = Message("tool", (TextPart("cut"), ImagePart(1)), answers="c1")
SECOND = Message("tool", (TextPart("nothing"),), answers="c2")
AS_IT_LIKES = Sampling()


def ask(
    *messages: Message,
    tools: tuple[ToolSpec, ...] = (),
    sampling: Sampling = AS_IT_LIKES,
    opening: str = "",
    **facts: Any,
) -> Ask:
    """The question, then messages; two pictures, of which the second is one that a tool made."""
    sample = Sample(
        key="k-0",
        index=0,
        benchmark="tir",
        images=(ImageRef(name="0.jpg", data=OWN),),
        parts=QUESTION.parts,
        target=BooleanTarget(True),
    )
    first = (Message("system", (TextPart(opening),)),) if opening else ()
    made = (ImageRef(name="image_2", data=NEW),)
    every = (*first, QUESTION, *messages)
    return Ask(sample=sample, messages=every, tools=tools, made=made, sampling=sampling, **facts)


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def tool_use(call: str = "c1", arguments: Any = None, **more: Any) -> dict[str, Any]:
    given = {"box": [0, 1]} if arguments is None else arguments
    return {"type": "tool_use", "id": call, "name": "crop", "input": given, **more}


def message(*blocks: dict[str, Any], stop: str | None = "end_turn", **more: Any) -> bytes:
    """A whole answer."""
    told = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-served",
        "content": list(blocks),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 3},
    }
    return json.dumps(told | more).encode()


def event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def streamed(whole: bytes, *, step: int = 3) -> list[bytes]:
    """The events that bring a whole answer in small pieces."""
    told = json.loads(whole)
    start = told | {"content": [], "stop_reason": None, "usage": told["usage"] | {"output_tokens": 1}}
    events = [event("message_start", message=start), event("ping")]
    for index, block in enumerate(told["content"]):
        field, kind, words = {
            "text": ("text", "text_delta", block.get("text")),
            "thinking": ("thinking", "thinking_delta", block.get("thinking")),
            "tool_use": ("partial_json", "input_json_delta", json.dumps(block.get("input"))),
        }.get(block["type"], ("", "", ""))
        empty = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}}}
        shell = block | empty.get(block["type"], {})
        events.append(event("content_block_start", index=index, content_block=shell))
        pieces = [words[place : place + step] for place in range(0, len(words), step)]
        events += [event("content_block_delta", index=index, delta={"type": kind, field: piece}) for piece in pieces]
        if "signature" in block:
            delta = {"type": "signature_delta", "signature": block["signature"]}
            events.append(event("content_block_delta", index=index, delta=delta))
        events.append(event("content_block_stop", index=index))
    end = {"stop_reason": told["stop_reason"], "stop_sequence": told["stop_sequence"]}
    events.append(event("message_delta", delta=end, usage={"output_tokens": told["usage"]["output_tokens"]}))
    return [*events, event("message_stop")]


FRIENDLY = Reply(message(text("T")))


def answered(asked: Ask, **endpoint: Any) -> Response:
    """The response of one attempt at an endpoint."""

    async def send() -> Response:
        model = AnthropicModel("anthropic/m", Endpoint(**{"key_variable": "ANTHROPIC_API_KEY"} | endpoint))
        try:
            return await model.send(model.prepare([asked])[0])
        finally:
            await model.close()

    return asyncio.run(send())


def exchange(asked: Ask, reply: Reply = FRIENDLY, **endpoint: Any) -> tuple[Request, Response]:
    """One ask sent to a real server: the request as it came there, and the response as it came back."""
    with ScriptedServer(lambda request: reply) as server:
        response = answered(asked, **{"base_url": server.url.removesuffix("/v1")} | endpoint)
        return server.requests[0], response
