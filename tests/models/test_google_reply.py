"""What is read out of an answer of generateContent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from beholder.errors import AuthError, ProviderError
from beholder.models.google_reply import read_content, refusal
from beholder.sample import ToolCall, Usage


def reply(parts: list[Any] | None, reason: str | None = "STOP", **more: Any) -> bytes:
    candidate: dict[str, Any] = {"index": 0}
    if parts is not None:
        candidate["content"] = {"role": "model", "parts": parts}
    if reason is not None:
        candidate["finishReason"] = reason
    return json.dumps({"candidates": [candidate], "modelVersion": "gemini-test-001", **more}).encode()


def test_text_thoughts_and_tokens() -> None:
    usage = {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 60,
        "toolUsePromptTokenCount": 5,
        "candidatesTokenCount": 7,
        "thoughtsTokenCount": 30,
        "totalTokenCount": 142,
    }
    body = reply([{"text": "Hm, ", "thought": True}, {"text": "T"}, {"text": "rue"}], usageMetadata=usage)
    response = read_content(body)
    assert (response.text, response.reasoning, response.finish) == ("True", "Hm, ", "stop")
    assert response.usage == Usage(prompt_tokens=105, completion_tokens=37, reasoning_tokens=30, cache_read_tokens=60)
    assert (response.served_model, response.raw, response.native) == ("gemini-test-001", body, "")


def test_calls_with_and_without_id_and_the_message_as_it_was() -> None:
    parts = [
        {"text": "I look.", "thoughtSignature": "YQ=="},
        {"functionCall": {"name": "crop", "args": {"box": [1]}}, "thoughtSignature": "Yg=="},
        {"functionCall": {"id": "x", "name": "turn"}},
    ]
    response = read_content(reply(parts))
    assert response.calls == (ToolCall("", "crop", '{"box": [1]}'), ToolCall("x", "turn", "{}"))
    assert response.finish == "tool_calls"
    assert json.loads(response.native) == {"role": "model", "parts": parts}


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("CONTINUATION", "length"),
        ("SAFETY", "content_filter"),
        ("RECITATION", "content_filter"),
        ("BLOCKLIST", "content_filter"),
        ("PROHIBITED_CONTENT", "content_filter"),
        ("SPII", "content_filter"),
        ("IMAGE_SAFETY", "content_filter"),
        ("MALFORMED_FUNCTION_CALL", "MALFORMED_FUNCTION_CALL"),
        ("UNEXPECTED_TOOL_CALL", "MALFORMED_FUNCTION_CALL"),
        ("OTHER", "OTHER"),
        ("SOMETHING_NEW", "SOMETHING_NEW"),
        (None, None),
    ],
)
def test_why_it_ended(reason: str | None, finish: str | None) -> None:
    response = read_content(reply(None, reason))
    assert (response.finish, response.text, response.calls) == (finish, None, ())


def test_a_blocked_prompt_is_a_refusal() -> None:
    body = json.dumps(
        {
            "promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "Answer: F."},
            "usageMetadata": {"promptTokenCount": 9},
        }
    ).encode()
    response = read_content(body)
    assert (response.finish, response.text, response.usage.prompt_tokens) == ("content_filter", None, 9)


@pytest.mark.parametrize(
    ("body", "kind", "retryable"),
    [
        (b"", "broken_body", True),
        (b"<html>", "broken_body", True),
        (b"[1, 2]", "broken_body", True),
        (b"{" * 100_000, "broken_body", True),
        (b"{}", "empty_choices", True),
        (b'{"candidates": []}', "empty_choices", True),
        (b'{"candidates": [7]}', "empty_choices", True),
        (b'{"promptFeedback": {}}', "empty_choices", True),
        (reply(None, "MISSING_THOUGHT_SIGNATURE"), "request", False),
        (reply(None, "PUP_LIMITED_DISABLED"), "request", False),
        (b'{"error": {"code": 503, "message": "overloaded"}}', "http_503", True),
        (b'{"error": {"code": 400, "message": "no"}}', "request", False),
        (b'{"error": "what"}', "http_500", True),
    ],
)
def test_what_is_no_answer(body: bytes, kind: str, retryable: bool) -> None:
    with pytest.raises(ProviderError) as raised:
        read_content(body)
    assert (raised.value.kind, raised.value.retryable) == (kind, retryable)


@pytest.mark.parametrize(
    "parts",
    [
        [None, 7, {"text": 3}, {"functionCall": "crop"}, {"inlineData": {"data": "x"}}],
        {"text": "T"},
        [{"functionCall": {"name": 1, "args": 2, "id": 3}}],
        [{"text": "\ud83d"}],
    ],
)
def test_odd_parts_are_read_past(parts: Any) -> None:
    assert read_content(reply(parts)).failure is None


def test_more_calls_than_anybody_runs_are_cut_and_not_sent_back_as_they_were() -> None:
    response = read_content(reply([{"functionCall": {"name": "crop", "args": {}}}] * 200))
    assert (len(response.calls), response.native) == (128, "")


KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.07s"}


@pytest.mark.parametrize(
    ("status", "body", "header", "expected"),
    [
        (400, {"error": {"details": [KEY]}}, None, (401, None)),
        (400, {"error": {"message": "bad"}}, None, (400, None)),
        (429, {"error": {"details": [{}, RETRY]}}, None, (429, "34.07")),
        (429, [{"error": {"details": [RETRY]}}], None, (429, "34.07")),
        (429, {"error": {"details": [RETRY]}}, "3", (429, "3")),
        (429, {"error": {"details": [{"retryDelay": "soon"}, 7]}}, None, (429, None)),
        (429, {"error": {"details": [{"retryDelay": ["1s"]}]}}, None, (429, None)),
        (503, "no object", None, (503, None)),
    ],
)
def test_refusals(status: int, body: Any, header: str | None, expected: tuple[int, str | None]) -> None:
    assert refusal(status, json.dumps(body).encode(), header) == expected


def test_a_refused_key_in_a_body_of_200_stops_the_run() -> None:
    with pytest.raises(AuthError):
        read_content(json.dumps({"error": {"code": 400, "details": [KEY]}}).encode())
