"""The Responses wire: the exact JSON of a conversation, and what is read out of a reply."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

import made_runs
from beholder.errors import ProviderError
from beholder.models.endpoint import Endpoint
from beholder.models.model import Prepared
from beholder.models.responses import ResponsesModel
from beholder.models.responses_reply import read_reply
from beholder.sample import (
    Ask,
    BooleanTarget,
    ImagePart,
    ImageRef,
    Message,
    Sample,
    Sampling,
    TextPart,
    ToolCall,
    ToolSpec,
    Usage,
)

OWN, NEW = (made_runs.jpeg(seed) for seed in range(2))
SPEC = ToolSpec("crop", "Cuts.", {"type": "object", "properties": {"box": {"type": "array"}}})
QUESTION = Message("user", (TextPart("Which?"), ImagePart(0)))
CALL = ToolCall("c1", "crop", '{"box": [0, 0, 1, 1]}')
ANSWERED = Message("tool", (TextPart("cut"), ImagePart(1)), answers="c1")
THOUGHT = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAA"}
CALLED = {
    "id": "fc_1",
    "type": "function_call",
    "call_id": "c1",
    "name": "crop",
    "arguments": '{"box": [0, 0, 1, 1]}',
    "status": "completed",
}


def ask(*messages: Message, tools: tuple[ToolSpec, ...] = (SPEC,), **more: Any) -> Ask:
    sample = Sample(
        key="k-0",
        index=0,
        benchmark="tir",
        images=(ImageRef(name="0.jpg", data=OWN),),
        parts=QUESTION.parts,
        target=BooleanTarget(True),
    )
    made = (ImageRef(name="image_2", data=NEW),) if messages else ()
    return Ask(sample=sample, messages=(QUESTION, *messages), tools=tools, made=made, **more)


def prepare(asked: Ask, **endpoint: Any) -> Prepared:
    return ResponsesModel("openai-responses/m", Endpoint(base_url="http://127.0.0.1:9/v1", **endpoint)).prepare(
        [asked]
    )[0]


def sent(asked: Ask, **endpoint: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(b"".join(prepare(asked, **endpoint).chunks))
    return body


def picture(data: bytes) -> dict[str, Any]:
    return {"type": "input_image", "image_url": f"data:image/jpeg;base64,{base64.b64encode(data).decode()}"}


def text(words: str) -> dict[str, Any]:
    return {"type": "input_text", "text": words}


ASKED = {"role": "user", "content": [text("Which?"), picture(OWN)]}
FUNCTION = {
    "type": "function",
    "name": "crop",
    "description": "Cuts.",
    "parameters": SPEC.parameters,
    "strict": False,
}


def test_a_question_without_tools() -> None:
    sampling = Sampling(temperature=0.5, top_p=0.9, max_tokens=64, seed=3)
    assert sent(ask(tools=(), sampling=sampling), extra_body={"reasoning": {"effort": "low"}}) == {
        "model": "m",
        "input": [ASKED],
        "store": False,
        "temperature": 0.5,
        "top_p": 0.9,
        "max_output_tokens": 64,
        "reasoning": {"effort": "low"},
    }


def test_a_conversation_with_tools_as_it_is_written_without_the_providers_own_items() -> None:
    told = Message("system", (TextPart("Be brief."),))
    said = Message("assistant", (TextPart("I look."),), calls=(CALL,), native='{"role": "model", "parts": []}')
    assert sent(ask(told, said, ANSWERED)) == {
        "model": "m",
        "input": [
            ASKED,
            {"role": "system", "content": [text("Be brief.")]},
            {"role": "assistant", "content": "I look."},
            {"type": "function_call", "call_id": "c1", "name": "crop", "arguments": CALL.arguments},
            {"type": "function_call_output", "call_id": "c1", "output": [text("cut"), picture(NEW)]},
        ],
        "store": False,
        "tools": [FUNCTION],
        "include": ["reasoning.encrypted_content"],
    }


def test_thoughts_go_back_as_they_came_and_calls_as_they_can_be_sent() -> None:
    reply = read_reply(
        json.dumps({"status": "completed", "output": [THOUGHT, CALLED | {"arguments": "{cut"}]}).encode()
    )
    assert reply.calls == (ToolCall("c1", "crop", "{cut"),)
    assert reply.finish == "tool_calls"
    mended = ToolCall("call_1_1", "crop", "{}")
    said = Message("assistant", (TextPart(""),), calls=(mended,), native=reply.native)
    assert sent(ask(said, ANSWERED))["input"][1:3] == [THOUGHT, CALLED | {"call_id": "call_1_1", "arguments": "{}"}]


NOT_OURS = ["{", "[]", '{"output": 3}', '{"output": [{"type": "shell_call"}]}', '{"output": []}', "[" * 100_000]


@pytest.mark.parametrize("native", NOT_OURS)
def test_what_is_no_message_of_this_wire_is_passed_by(native: str) -> None:
    said = Message("assistant", (TextPart("I look."),), calls=(CALL,), native=native)
    assert [item.get("type", item.get("role")) for item in sent(ask(said, ANSWERED))["input"]] == [
        "user",
        "assistant",
        "function_call",
        "function_call_output",
    ]


def test_the_providers_tool_is_part_of_the_request_and_of_its_hash() -> None:
    plain, tooled = prepare(ask(tools=())), prepare(ask(tools=(), provider_tools=True))
    body = json.loads(b"".join(tooled.chunks))
    assert body["tools"] == [{"type": "code_interpreter", "container": {"type": "auto"}}]
    assert body["include"] == ["code_interpreter_call.outputs"]
    assert plain.request_hash != tooled.request_hash


def test_the_journaled_request_holds_neither_pictures_nor_secrets() -> None:
    prepared = prepare(ask(), extra_body={"metadata": {"api_key": "sk-123456789"}})
    assert b"sk-123456789" in prepared.chunks[0]
    assert b"sk-123456789" not in prepared.record
    assert prepared.images[0]["sha256"].encode() in prepared.record
    assert base64.b64encode(OWN) not in prepared.record


def message(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": list(content), **more}


def output_text(words: str) -> dict[str, Any]:
    return {"type": "output_text", "text": words, "annotations": []}


REFUSAL = {"type": "refusal", "refusal": "I will not."}
SUMMARY = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "It is a maze."}]}
OPEN = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "So B."}]}
CODE = {"type": "code_interpreter_call", "status": "completed", "code": "1", "outputs": []}
CUT = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
FILTERED = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}
BLOCKED = {"status": "failed", "error": {"code": "image_content_policy_violation", "message": "no"}, "output": []}

REPLIES: list[tuple[str, dict[str, Any], str | None, str | None, str | None]] = [
    ("text", {"output": [message(output_text("B"))]}, "B", "stop", None),
    ("parts are one text", {"output": [message(output_text("a"), output_text("b"))]}, "ab", "stop", None),
    ("thoughts", {"output": [SUMMARY, OPEN, message(output_text("B"))]}, "B", "stop", "It is a maze.\nSo B."),
    ("refusal", {"output": [message(REFUSAL)]}, "I will not.", "content_filter", None),
    ("cut", {"output": [message(output_text("The ans"))], **CUT}, "The ans", "length", None),
    ("cut while it thought", {"output": [SUMMARY], **CUT}, None, "length", "It is a maze."),
    ("filtered", {"output": [], **FILTERED}, None, "content_filter", None),
    ("blocked", BLOCKED, None, "content_filter", None),
    (
        "comments on the way",
        {"output": [message(output_text("Now"), phase="commentary"), message(output_text("B"), phase="final_answer")]},
        "B",
        "stop",
        None,
    ),
    ("after code", {"output": [message(output_text("I count.")), CODE, message(output_text("B"))]}, "B", "stop", None),
    ("nothing after code", {"output": [message(output_text("I count.")), CODE], **CUT}, "I count.", "length", None),
    ("unknown items", {"output": [{"type": "novelty"}, 3, message(output_text("B"))]}, "B", "stop", None),
]


@pytest.mark.parametrize(
    ("reply", "said", "finish", "reasoning"), [row[1:] for row in REPLIES], ids=[r[0] for r in REPLIES]
)
def test_what_is_read(reply: dict[str, Any], said: str | None, finish: str, reasoning: str | None) -> None:
    body = json.dumps({"status": "completed", "model": "m-1", **reply}).encode()
    response = read_reply(body)
    assert (response.text, response.finish, response.reasoning) == (said, finish, reasoning)
    assert (response.raw, response.served_model, response.native) == (body, "m-1", "")


def test_half_a_surrogate_pair_is_read_and_can_be_sent_on() -> None:
    body = b'{"output": [{"type": "message", "content": [{"type": "output_text", "text": "a\\ud83d"}]}, %s]}'
    response = read_reply(body % json.dumps(CALLED).encode())
    assert response.text == "a\ud83d"
    assert "\ufffd" in response.native


def test_usage() -> None:
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 7},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 15},
    }
    assert read_reply(json.dumps({"output": [], "usage": usage}).encode()).usage == Usage(100, 20, 15, 60, 7)
    assert read_reply(b'{"output": [], "usage": {"input_tokens": -1, "output_tokens_details": 3}}').usage == Usage()


FAULTS: list[tuple[bytes, str, bool]] = [
    (b"<html>", "broken_body", True),
    (b"[]", "broken_body", True),
    (b'{"output": null}', "empty_choices", True),
    (b'{"status": "in_progress", "output": []}', "not_done", True),
    (b'{"status": "failed", "output": [], "error": {"code": "server_error", "message": "x"}}', "error_in_body", True),
    (b'{"status": "failed", "output": [], "error": {"code": "invalid_image", "message": "x"}}', "request", False),
    (b'{"error": "overloaded"}', "error_in_body", True),
    (b"[" * 100_000, "broken_body", True),
]


@pytest.mark.parametrize(("body", "kind", "retryable"), FAULTS, ids=range(len(FAULTS)))
def test_what_is_no_answer(body: bytes, kind: str, retryable: bool) -> None:
    with pytest.raises(ProviderError) as caught:
        read_reply(body)
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)
