"""What is read out of a message, and how one is put together from a stream."""

from __future__ import annotations

import json
from typing import Any

import pytest
from anthropic_talks import event, message, streamed, text, tool_use
from hypothesis import given
from hypothesis import strategies as st

from beholder.errors import ProviderError
from beholder.models.anthropic_reply import CONTEXT_FULL, MessageInPieces, read_message, status_of

THOUGHT = {"type": "thinking", "thinking": "I see 🙂.", "signature": "c2ln"}
HIDDEN = {"type": "redacted_thinking", "data": "ZW5j"}


def test_an_answer() -> None:
    usage = {
        "input_tokens": 5,
        "cache_read_input_tokens": 100,
        "cache_creation_input_tokens": 20,
        "output_tokens": 30,
        "output_tokens_details": {"thinking_tokens": 12},
    }
    body = message(THOUGHT, text("<answer>"), text("T</answer>"), usage=usage)
    response = read_message(body)
    assert (response.text, response.reasoning, response.finish) == ("<answer>T</answer>", "I see 🙂.", "stop")
    assert (response.served_model, response.raw, response.calls, response.native) == ("claude-served", body, (), "")
    used = response.usage
    assert (used.prompt_tokens, used.cache_read_tokens, used.cache_write_tokens) == (125, 100, 20)
    assert (used.completion_tokens, used.reasoning_tokens) == (30, 12)


def test_calls_and_the_message_as_it_goes_back() -> None:
    blocks = [THOUGHT, HIDDEN, text("I look."), tool_use("c1"), tool_use("c2", {})]
    response = read_message(message(*blocks, stop="tool_use"))
    assert [(one.id, one.name, json.loads(one.arguments)) for one in response.calls] == [
        ("c1", "crop", {"box": [0, 1]}),
        ("c2", "crop", {}),
    ]
    assert (response.finish, response.text) == ("tool_calls", "I look.")
    assert json.loads(response.native) == {"role": "assistant", "content": blocks}


STOPS = [
    ("end_turn", "stop"),
    ("stop_sequence", "stop"),
    ("max_tokens", "length"),
    ("tool_use", "tool_calls"),
    ("refusal", "content_filter"),
    (CONTEXT_FULL, CONTEXT_FULL),
    ("something_new", "something_new"),
    (None, None),
]


@pytest.mark.parametrize(("stop", "finish"), STOPS)
def test_why_it_ended_in_the_words_of_the_chat_wire(stop: str | None, finish: str | None) -> None:
    assert read_message(message(text("T"), stop=stop)).finish == finish


REFUSALS: list[tuple[list[dict[str, Any]], Any, str | None]] = [
    ([text("I began")], {"type": "refusal", "explanation": "No."}, "I began"),
    ([], {"type": "refusal", "explanation": "Answer: F. is not what the model said"}, None),
    ([], {"type": "refusal", "explanation": None}, None),
    ([], None, None),
]


@pytest.mark.parametrize(("blocks", "details", "said"), REFUSALS)
def test_a_refusal_says_what_there_is(blocks: list[dict[str, Any]], details: Any, said: str | None) -> None:
    response = read_message(message(*blocks, stop="refusal", stop_details=details))
    assert (response.text, response.finish) == (said, "content_filter")


NO_ANSWERS: list[tuple[str, bytes, str, bool]] = [
    ("no JSON", b"<html>", "broken_body", True),
    ("no object", b"[]", "broken_body", True),
    ("no content", b'{"type":"message"}', "broken_body", True),
    ("deep", b"[" * 100_000, "broken_body", True),
    ("a pause in tools that are not ours", message(text("Well,"), stop="pause_turn"), "request", False),
]


@pytest.mark.parametrize(
    ("body", "kind", "retryable"), [row[1:] for row in NO_ANSWERS], ids=[row[0] for row in NO_ANSWERS]
)
def test_what_is_no_answer(body: bytes, kind: str, retryable: bool) -> None:
    with pytest.raises(ProviderError) as caught:
        read_message(body)
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)


STRANGE: list[tuple[str, bytes]] = [
    ("blocks that are none", message(5, None, {"type": "text"}, {"type": "new"})),  # type: ignore[arg-type]
    ("usage that is none", message(text("T"), usage=[1])),
    ("half a surrogate pair", b'{"content":[{"type":"text","text":"a\\ud83d"}],"stop_reason":"end_turn"}'),
    ("a call without anything", message({"type": "tool_use"})),
]


@pytest.mark.parametrize("body", [row[1] for row in STRANGE], ids=[row[0] for row in STRANGE])
def test_strange_messages_are_read_all_the_same(body: bytes) -> None:
    assert read_message(body).failure is None


def test_a_flood_of_calls_is_bounded() -> None:
    assert len(read_message(message(*[tool_use(str(place)) for place in range(500)])).calls) == 128


def events(pieces: list[bytes]) -> list[Any]:
    return [json.loads(piece.split(b"data: ")[1]) for piece in pieces]


WHOLE = message(THOUGHT, HIDDEN, text("I löok."), tool_use("c1"), tool_use("c2", {}), stop="tool_use")


@given(st.integers(1, 40))
def test_a_stream_gives_the_message_that_comes_at_once(step: int) -> None:
    pieces = MessageInPieces()
    for one in events(streamed(WHOLE, step=step)):
        pieces.add(one)
    assert json.loads(pieces.body()) == json.loads(WHOLE)


def test_arguments_that_are_no_json_stay_as_the_model_wrote_them() -> None:
    pieces = MessageInPieces()
    for one in events(streamed(message(tool_use("c1"), stop="max_tokens"))):
        cut = one["type"] == "content_block_delta" and "]" in one["delta"]["partial_json"]
        if not cut:
            pieces.add(one)
    response = read_message(pieces.body())
    assert [call.arguments for call in response.calls] == ['{"box": [0, ']
    assert response.finish == "length"


def test_counts_that_come_late_replace_the_early_ones() -> None:
    pieces = MessageInPieces()
    late = {"output_tokens": 9, "input_tokens": None, "cache_read_input_tokens": 4}
    for one in events(
        [*streamed(message(text("T")))[:-2], event("message_delta", delta={"stop_reason": "end_turn"}, usage=late)]
    ):
        pieces.add(one)
    used = read_message(pieces.body()).usage
    assert (used.prompt_tokens, used.completion_tokens, used.cache_read_tokens) == (9, 9, 4)


BROKEN: list[tuple[str, list[Any]]] = [
    ("nothing came", []),
    ("it broke off in the text", events(streamed(WHOLE))[:6]),
    ("it broke off before the end", events(streamed(WHOLE))[:-2]),
    ("a piece of a block that never began",
     [{"type": "content_block_delta", "index": 5, "delta": {"type": "text_delta", "text": "x"}}]),
    ("a block without a number", [{"type": "content_block_start", "content_block": {}}]),
    ("a message that is none", [{"type": "message_start", "message": 5}]),
]  # fmt: skip


@pytest.mark.parametrize("told", [row[1] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_what_breaks_off_is_no_short_answer(told: list[Any]) -> None:
    pieces = MessageInPieces()

    def take() -> bytes:
        for one in told:
            pieces.add(one)
        return pieces.body()

    with pytest.raises(ProviderError) as caught:
        take()
    assert (caught.value.kind, caught.value.retryable) == ("broken_body", True)


ERRORS: list[tuple[Any, int | None]] = [
    ({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}, 529),
    ({"type": "error", "error": {"type": "rate_limit_error"}}, 429),
    ({"type": "error", "error": {"type": "authentication_error"}}, 401),
    ({"type": "error", "error": {"type": "invalid_request_error"}}, 400),
    ({"type": "error", "error": {"type": "something_new"}}, 500),
    ({"type": "error", "error": {"type": ["x"]}}, 500),
    ({"type": "error"}, 500),
    ({"type": "message"}, None),
    (None, None),
]


@pytest.mark.parametrize(("told", "status"), ERRORS)
def test_the_status_that_an_error_stands_for(told: Any, status: int | None) -> None:
    assert status_of(told) == status
