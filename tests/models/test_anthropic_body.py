"""What is sent to the Messages API: the exact JSON of questions and of conversations with tools."""

from __future__ import annotations

import base64
import json
from typing import Any

import msgspec
import pytest
from anthropic_talks import ASKED, FIRST, NEW, ONE, OWN, SECOND, SPEC, ask, text, tool_use

from beholder.models.anthropic import AnthropicModel
from beholder.models.anthropic_body import DEFAULT_MAX_TOKENS
from beholder.models.endpoint import Endpoint
from beholder.models.model import Prepared
from beholder.sample import Ask, ImagePart, Message, Sampling, TextPart, ToolCall

CACHED = {"cache_control": {"type": "ephemeral"}}


def prepare(asked: Ask, **endpoint: Any) -> Prepared:
    return AnthropicModel("anthropic/m", Endpoint(base_url="http://127.0.0.1:9", **endpoint)).prepare([asked])[0]


def sent(asked: Ask, **endpoint: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(b"".join(prepare(asked, **endpoint).chunks))
    return body


def picture(data: bytes) -> dict[str, Any]:
    told = base64.b64encode(data).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": told}}


QUESTION = [picture(OWN), text("Which?")]
PLAIN = {"model": "m", "max_tokens": DEFAULT_MAX_TOKENS, "messages": [{"role": "user", "content": QUESTION}]}
TOOL = {"name": "crop", "description": "Cuts.", "input_schema": SPEC.parameters}

BODIES: list[tuple[str, Ask, dict[str, Any], dict[str, Any]]] = [
    ("a question, without any caching", ask(), {}, PLAIN),
    ("decoding", ask(sampling=Sampling(temperature=0.0, top_p=0.9, max_tokens=64, seed=5)), {},
     PLAIN | {"max_tokens": 64, "temperature": 0.0, "top_p": 0.9}),
    ("a system message", ask(opening="Be brief."), {}, PLAIN | {"system": [text("Be brief.")]}),
    ("the extra body wins", ask(), {"extra_body": {"max_tokens": 9, "thinking": {"type": "adaptive"}}},
     PLAIN | {"max_tokens": 9, "thinking": {"type": "adaptive"}}),
    ("tools: what all conversations share, and the whole so far", ask(tools=(SPEC,)), {},
     PLAIN | {"messages": [{"role": "user", "content": [QUESTION[0], text("Which?", **CACHED)]}],
              "tools": [TOOL | CACHED]}),
    ("tools and a system message, which comes after them", ask(tools=(SPEC,), opening="Be brief."), {},
     PLAIN | {"messages": [{"role": "user", "content": [QUESTION[0], text("Which?", **CACHED)]}],
              "tools": [TOOL], "system": [text("Be brief.", **CACHED)]}),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "endpoint", "body"), [row[1:] for row in BODIES], ids=[row[0] for row in BODIES])
def test_the_body_is_the_request_that_was_meant(asked: Ask, endpoint: dict[str, Any], body: dict[str, Any]) -> None:
    assert sent(asked, **endpoint) == body


RESULTS = [
    {"type": "tool_result", "tool_use_id": "c1", "content": [text("cut"), picture(NEW)]},
    {"type": "tool_result", "tool_use_id": "c2", "content": [text("nothing")]},
]
CALLS = [tool_use("c1"), tool_use("c2", {})]
THOUGHTS = [
    {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"},
    {"type": "redacted_thinking", "data": "ZW5j"},
]


def native(*blocks: dict[str, Any]) -> Message:
    return msgspec.structs.replace(ASKED, native=json.dumps({"role": "assistant", "content": blocks}))


ASSISTANTS: list[tuple[str, Message, list[dict[str, Any]]]] = [
    ("built from its parts", ASKED, [text("I look."), *CALLS]),
    ("no words", msgspec.structs.replace(ASKED, parts=(TextPart(" \n"),)), CALLS),
    ("as it was written, thoughts and their signatures", native(*THOUGHTS, text("I look."), *CALLS),
     [*THOUGHTS, text("I look."), *CALLS]),
    ("blank text is not taken back", native(*THOUGHTS, text(" "), *CALLS), [*THOUGHTS, *CALLS]),
    ("arguments that are no object are not taken back", native(CALLS[0], tool_use("c2", "{nonsense")), CALLS),
    ("other calls than were answered", native(*THOUGHTS, CALLS[0]), [text("I look."), *CALLS]),
    ("of another wire", msgspec.structs.replace(ASKED, native='[{"type":"reasoning"}]'), [text("I look."), *CALLS]),
    ("nonsense", msgspec.structs.replace(ASKED, native='{"content":[5]}'), [text("I look."), *CALLS]),
    ("no JSON", msgspec.structs.replace(ASKED, native="["), [text("I look."), *CALLS]),
]  # fmt: skip


@pytest.mark.parametrize(("said", "blocks"), [row[1:] for row in ASSISTANTS], ids=[row[0] for row in ASSISTANTS])
def test_a_turn_goes_back_and_its_results_follow(said: Message, blocks: list[dict[str, Any]]) -> None:
    messages = sent(ask(said, FIRST, SECOND, tools=(SPEC,)))["messages"]
    assert messages == [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": blocks},
        {"role": "user", "content": [RESULTS[0], RESULTS[1] | CACHED]},
    ]


def test_messages_of_one_side_are_one_with_the_results_first() -> None:
    unreadable, closing = Message("user", (TextPart("Unreadable."),)), Message("user", (TextPart("And?"),))
    messages = sent(ask(ASKED, FIRST, unreadable, SECOND, closing))["messages"]
    assert [one["role"] for one in messages] == ["user", "assistant", "user"]
    assert messages[-1]["content"] == [*RESULTS, text("Unreadable."), text("And?")]


def test_calls_of_the_past_are_sent_with_the_names_of_their_tools_where_none_may_be_called() -> None:
    body = sent(ask(ASKED, FIRST, SECOND))
    assert body["tools"] == [{"name": "crop", "input_schema": {"type": "object"}}]
    assert body["tool_choice"] == {"type": "none"}
    assert "cache_control" not in json.dumps(body)


def test_a_message_without_content_is_left_out() -> None:
    """As an empty turn of the text protocol is: the two messages of the user around it become one."""
    messages = sent(ask(Message("assistant", (TextPart(""),)), Message("user", (TextPart("Go on."),))))["messages"]
    assert messages == [{"role": "user", "content": [*QUESTION, text("Go on.")]}]


def test_arguments_that_are_no_json_are_sent_as_none() -> None:
    odd = msgspec.structs.replace(ASKED, calls=(ToolCall("c1", "crop", "{nonsense"),))
    assert sent(ask(odd, FIRST))["messages"][1]["content"][1]["input"] == {}


def test_half_a_surrogate_pair_can_be_sent() -> None:
    assert sent(ask(Message("user", (TextPart("a\ud83d"),))))["messages"][0]["content"][-1] == text("a�")


def test_the_record_names_pictures_by_hash_and_hides_secrets() -> None:
    prepared = prepare(ask(ASKED, FIRST, SECOND), extra_body={"metadata": {"token": "hush-hush"}})
    record = json.loads(prepared.record)
    assert record["messages"][0]["content"][0]["source"]["data"] == f"sha256:{prepared.images[0]['sha256']}"
    assert record["messages"][2]["content"][0]["content"][1]["source"]["data"].startswith("sha256:")
    assert record["metadata"] == {"token": "***"}
    assert b"hush-hush" in b"".join(prepared.chunks)


def test_the_hash_knows_what_can_change_an_answer_and_nothing_else() -> None:
    base = prepare(ask()).request_hash
    same = [
        prepare(ask(), stream=True),
        prepare(ask(), first_byte=4.0),
        prepare(ask(sampling=Sampling(max_tokens=DEFAULT_MAX_TOKENS))),
    ]
    others = [
        prepare(ask(vote=1)),
        prepare(ask(sampling=Sampling(max_tokens=9))),
        prepare(ask(tools=(SPEC,))),
        prepare(ask(), headers={"anthropic-beta": "x"}),
        prepare(ask(ASKED, FIRST, SECOND)),
        prepare(ask(native(*THOUGHTS, *CALLS), FIRST, SECOND)),
        prepare(ask(msgspec.structs.replace(ASKED, calls=(ONE,)), FIRST)),
        prepare(ask(Message("user", (ImagePart(1),)))),
    ]
    assert {one.request_hash for one in same} == {base}
    assert len({base, *(one.request_hash for one in others)}) == len(others) + 1
