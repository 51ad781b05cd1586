"""Replies of chat-completions servers, as real ones send them, and what each means."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.errors import AuthError, ProviderError
from beholder.models.chat_reply import error_for_status, read_reply, refused_by_rules, seconds_to_wait
from beholder.sample import Usage


def reply(**message: Any) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()


READ = [
    ("plain text", reply(content="B"), ("B", None, "stop")),
    ("empty text", reply(content=""), ("", None, "stop")),
    (
        "null content with a reasoning channel",
        reply(content=None, reasoning_content="so (C)"),
        (None, "so (C)", "stop"),
    ),
    ("the other name of that channel", reply(content="C", reasoning="hm"), ("C", "hm", "stop")),
    ("no content at all", reply(), (None, None, "stop")),
    (
        "content in parts",
        reply(content=[{"type": "text", "text": "A"}, {"type": "text", "text": "B"}]),
        ("AB", None, "stop"),
    ),
    ("parts without text", reply(content=[{"type": "image"}]), (None, None, "stop")),
    ("content of another type", reply(content=5), (None, None, "stop")),
    ("a refusal in its own field", reply(content=None, refusal="I cannot."), ("I cannot.", None, "content_filter")),
    ("half a surrogate pair", b'{"choices":[{"message":{"content":"a\\ud83d"}}]}', ("a\ud83d", None, None)),
    (
        "finish reason of another type",
        b'{"choices":[{"message":{"content":"a"},"finish_reason":7}]}',
        ("a", None, None),
    ),
]


@pytest.mark.parametrize(("body", "expected"), [row[1:] for row in READ], ids=[row[0] for row in READ])
def test_what_is_read(body: bytes, expected: tuple[str | None, str | None, str | None]) -> None:
    response = read_reply(body)
    assert (response.text, response.reasoning, response.finish) == expected
    assert response.raw == body


BROKEN = [
    ("not JSON", b"<html>502</html>", "broken_body", True),
    ("cut JSON", b'{"choices":[{"message":{"con', "broken_body", True),
    ("empty body", b"", "broken_body", True),
    ("a list", b"[]", "broken_body", True),
    ("deep nesting", b"[" * 100_000, "broken_body", True),
    ("empty choices", b'{"choices":[]}', "empty_choices", True),
    ("no choices", b"{}", "empty_choices", True),
    ("choice without message", b'{"choices":[{}]}', "empty_choices", True),
    ("overload told in a 200", b'{"error":{"message":"overloaded","code":529}}', "error_in_body", True),
    ("bad request told in a 200", b'{"error":{"message":"too large","code":400}}', "request", False),
]


@pytest.mark.parametrize(("body", "kind", "retryable"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_what_cannot_be_read(body: bytes, kind: str, retryable: bool) -> None:
    with pytest.raises(ProviderError) as caught:
        read_reply(body)
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)


def test_a_refused_key_told_in_a_200_stops_the_run() -> None:
    with pytest.raises(AuthError):
        read_reply(b'{"error":{"message":"bad key","code":401}}')


def test_usage_counts_only_whole_numbers() -> None:
    body = json.dumps(
        {
            "choices": [{"message": {"content": "x"}}],
            "usage": {
                "prompt_tokens": 12,
                "completion_tokens": "many",
                "completion_tokens_details": {"reasoning_tokens": 4},
            },
        }
    ).encode()
    assert read_reply(body).usage == Usage(prompt_tokens=12, completion_tokens=None, reasoning_tokens=4)


@pytest.mark.parametrize("number", [-1, True, 2.5, "7", None, 2**40, 2**63, 10**30])
def test_no_server_can_make_a_count_that_breaks_the_sums(number: Any) -> None:
    body = json.dumps({"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": number}}).encode()
    assert read_reply(body).usage == Usage()


RULES: list[tuple[str, int, Any, bool]] = [
    ("Azure", 400, {"code": "content_filter", "message": "filtered", "status": 400}, True),
    ("Azure's older form", 400, {"code": None, "innererror": {"code": "ResponsibleAIPolicyViolation"}}, True),
    ("OpenAI", 400, {"code": "content_policy_violation", "message": "no"}, True),
    ("OpenAI's words", 400, {"code": "invalid_prompt", "message": "flagged as violating our usage policy."}, True),
    (
        "Anthropic",
        400,
        {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"},
        True,
    ),
    ("OpenRouter", 403, {"code": 403, "message": "flagged", "metadata": {"flagged_input": "a gun"}}, True),
    ("an account", 403, {"message": "This account was disabled for violating our usage policy."}, False),
    ("a bad picture", 400, {"code": "invalid_prompt", "message": "image too large"}, False),
    ("a fault", 500, {"code": "content_filter"}, False),
    ("text", 400, "content_filter", False),
    ("odd types", 400, {"code": [], "message": None, "innererror": 5, "metadata": "x"}, False),
]


@pytest.mark.parametrize(("status", "error", "refused"), [row[1:] for row in RULES], ids=[row[0] for row in RULES])
def test_what_the_providers_rules_forbid_is_a_refusal_and_no_failure(status: int, error: Any, refused: bool) -> None:
    body = json.dumps({"error": error}).encode()
    response = refused_by_rules(status, body)
    assert (response is not None) is refused
    if response is not None:
        assert (response.finish, response.text, response.raw) == ("content_filter", None, body)
        assert read_reply(body).finish == "content_filter"


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff", b"[" * 100_000, b'{"error":null}'])
def test_what_is_no_error_at_all_is_no_refusal(body: bytes) -> None:
    assert refused_by_rules(400, body) is None


STATUSES = [(429, True), (500, True), (502, True), (503, True), (529, True), (408, True), (599, True)]
STATUSES += [(400, False), (404, False), (413, False), (422, False)]


@pytest.mark.parametrize(("status", "retryable"), STATUSES)
def test_which_statuses_are_asked_again(status: int, retryable: bool) -> None:
    error = error_for_status(status, b'{"error":{"message":"why"}}', None, 0.0)
    assert error.retryable is retryable
    assert error.status == status
    assert "why" in str(error)


@pytest.mark.parametrize("status", [401, 403])
def test_refused_keys(status: int) -> None:
    assert isinstance(error_for_status(status, b"no", None, 0.0), AuthError)


WAITS = [
    ("2", 2.0),
    ("0", 0.0),
    ("-5", 0.0),
    ("1.5", 1.5),
    ("", None),
    (None, None),
    ("soon", None),
    ("nan", None),
    ("inf", None),
]


@pytest.mark.parametrize(("header", "seconds"), WAITS)
def test_retry_after(header: str | None, seconds: float | None) -> None:
    assert seconds_to_wait(header, 0.0) == seconds


def test_a_dated_retry_after_counts_from_now() -> None:
    assert seconds_to_wait("Thu, 01 Jan 1970 00:02:00 GMT", 60.0) == 60.0


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.recursive(
            st.none() | st.integers() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["choices", "message", "content", "error", "usage", "model", "x"]),
                    inner,
                    max_size=4,
                )
            ),
        ).map(lambda value: json.dumps(value).encode()),
    )
)
def test_no_body_raises_anything_but_a_provider_error(body: bytes) -> None:
    try:
        read_reply(body)
    except ProviderError:
        return


@settings(max_examples=200, deadline=None)
@given(st.integers(400, 599), st.binary(max_size=300), st.text(max_size=20))
def test_every_error_answer_is_one_line(status: int, body: bytes, wait: str) -> None:
    words = str(error_for_status(status, body, wait, 0.0))
    assert "\n" not in words
    assert len(words) < 500
