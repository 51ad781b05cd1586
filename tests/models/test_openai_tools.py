"""Tool calls on the OpenAI wire: the exact JSON of a conversation, and what is read out of a reply."""

from __future__ import annotations

import base64
import json
from typing import Any

import msgspec
import pytest

import made_runs
from beholder.models.chat_body import pictures_after_tools
from beholder.models.chat_reply import read_reply
from beholder.models.endpoint import Endpoint
from beholder.models.model import Prepared
from beholder.models.openai import OpenAIModel
from beholder.sample import (
    Ask,
    BooleanTarget,
    ImagePart,
    ImageRef,
    Message,
    Sample,
    TextPart,
    ToolCall,
    ToolSpec,
)
from scripted_server import completion

OWN, NEW, NEWER = (made_runs.jpeg(seed) for seed in range(3))
SPEC = ToolSpec("crop", "Cuts.", {"type": "object", "properties": {"box": {"type": "array"}}})
QUESTION = Message("user", (TextPart("Which?"), ImagePart(0)))
ONE, TWO = ToolCall("c1", "crop", '{"box": [0, 0, 1, 1]}'), ToolCall("c2", "crop", "{}")
ASKED = Message("assistant", (TextPart("I look."),), calls=(ONE, TWO))
FIRST = Message("tool", (TextPart("cut"), ImagePart(1)), answers="c1")
SECOND = Message("tool", (TextPart("cut again"), ImagePart(2)), answers="c2")
WORDS_ONLY = Message("tool", (TextPart("nothing"),), answers="c2")


def ask(*messages: Message, tools: tuple[ToolSpec, ...] = (SPEC,)) -> Ask:
    sample = Sample(
        key="k-0",
        index=0,
        benchmark="tir",
        images=(ImageRef(name="0.jpg", data=OWN),),
        parts=QUESTION.parts,
        target=BooleanTarget(True),
    )
    made = (ImageRef(name="image_2", data=NEW), ImageRef(name="image_3", data=NEWER))
    return Ask(sample=sample, messages=(QUESTION, *messages), tools=tools, made=made if messages else ())


def prepare(asked: Ask, **endpoint: Any) -> Prepared:
    return OpenAIModel("openai/m", Endpoint(base_url="http://127.0.0.1:9/v1", **endpoint)).prepare([asked])[0]


def sent(asked: Ask, **endpoint: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(b"".join(prepare(asked, **endpoint).chunks))
    return body


def picture(data: bytes) -> dict[str, Any]:
    url = f"data:image/jpeg;base64,{base64.b64encode(data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


TOLD_CALLS = [
    {"id": "c1", "type": "function", "function": {"name": "crop", "arguments": '{"box": [0, 0, 1, 1]}'}},
    {"id": "c2", "type": "function", "function": {"name": "crop", "arguments": "{}"}},
]


def test_tools_are_offered_in_the_wires_form() -> None:
    assert sent(ask()) == {
        "model": "m",
        "messages": [{"role": "user", "content": [text("Which?"), picture(OWN)]}],
        "tools": [
            {
                "type": "function",
                "function": {"name": "crop", "description": "Cuts.", "parameters": SPEC.parameters},
            }
        ],
    }
    assert "tools" not in sent(ask(tools=()))


def test_two_calls_in_one_turn_are_answered_before_one_message_with_both_pictures() -> None:  # T50
    assert sent(ask(ASKED, FIRST, SECOND))["messages"][1:] == [
        {"role": "assistant", "tool_calls": TOLD_CALLS, "content": "I look."},
        {"role": "tool", "tool_call_id": "c1", "content": "cut\nThe picture is in the next message of the user."},
        {"role": "tool", "tool_call_id": "c2", "content": "cut again\nThe picture is in the next message of the user."},
        {
            "role": "user",
            "content": [
                text("Result of the tool call c1: image_2"),
                picture(NEW),
                text("Result of the tool call c2: image_3"),
                picture(NEWER),
            ],
        },
    ]


def test_servers_that_take_pictures_from_tools_get_them_there() -> None:
    messages = sent(ask(ASKED, FIRST, SECOND), pictures_in_tool_messages=True)["messages"]
    assert messages[2] == {"role": "tool", "tool_call_id": "c1", "content": [text("cut"), picture(NEW)]}
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool"]


MOVED: list[tuple[str, list[Message], list[str]]] = [
    ("nothing to move", [ASKED, WORDS_ONLY], ["assistant", "tool"]),
    ("one of two has a picture", [ASKED, FIRST, WORDS_ONLY], ["assistant", "tool", "tool", "user"]),
    ("the next turn", [ASKED, FIRST, ASKED, SECOND], ["assistant", "tool", "user", "assistant", "tool", "user"]),
    ("a question follows", [ASKED, FIRST, QUESTION], ["assistant", "tool", "user"]),
]


@pytest.mark.parametrize(("messages", "roles"), [row[1:] for row in MOVED], ids=[row[0] for row in MOVED])
def test_where_pictures_go(messages: list[Message], roles: list[str]) -> None:
    moved = pictures_after_tools(messages)
    assert [message.role for message in moved] == roles
    assert not any(isinstance(part, ImagePart) for message in moved if message.role == "tool" for part in message.parts)
    places = [part.index for message in messages for part in message.parts if isinstance(part, ImagePart)]
    assert [part.index for message in moved for part in message.parts if isinstance(part, ImagePart)] == places


def test_a_call_without_words_has_no_content() -> None:
    silent = Message("assistant", (TextPart(""),), calls=(ONE,))
    assert sent(ask(silent, WORDS_ONLY))["messages"][1]["content"] is None


def test_half_a_surrogate_pair_in_a_call_can_be_sent() -> None:
    odd = msgspec.structs.replace(ASKED, calls=(ToolCall("c\ud800", "crop", '{"a": "\ud83d"}'),))
    assert "�" in sent(ask(odd, WORDS_ONLY))["messages"][1]["tool_calls"][0]["function"]["arguments"]


def test_the_request_hash_knows_tools_calls_and_pictures() -> None:  # T37
    hashes = {
        prepare(one).request_hash
        for one in (
            ask(),
            ask(tools=()),
            ask(tools=(msgspec.structs.replace(SPEC, description="Cuts out."),)),
            ask(ASKED, FIRST, SECOND),
            ask(ASKED, FIRST, msgspec.structs.replace(SECOND, parts=(TextPart("cut again"), ImagePart(1)))),
            ask(msgspec.structs.replace(ASKED, calls=(ONE, msgspec.structs.replace(TWO, name="zoom"))), FIRST, SECOND),
        )
    }
    assert len(hashes) == 6


def test_the_journaled_request_names_pictures_by_hash() -> None:
    record = json.loads(prepare(ask(ASKED, FIRST, SECOND)).record)
    urls = [part["image_url"]["url"] for part in record["messages"][-1]["content"] if part["type"] == "image_url"]
    assert all(url.startswith("sha256:") for url in urls)
    assert len(urls) == 2


def reply(*tool_calls: Any, content: str | None = None, finish: str = "tool_calls") -> bytes:
    return completion(content, finish=finish, tool_calls=list(tool_calls))


def call(arguments: Any, **more: Any) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": "crop", "arguments": arguments}} | more


READ: list[tuple[str, bytes, list[tuple[str, str, str]]]] = [
    ("one", reply(call('{"a": 1}')), [("c1", "crop", '{"a": 1}')]),
    ("two", reply(call("{}"), call("{}", id="c2")), [("c1", "crop", "{}"), ("c2", "crop", "{}")]),
    ("T51 as it was written", reply(call('{}""')), [("c1", "crop", '{}""')]),
    ("arguments as an object", reply(call({"a": 1})), [("c1", "crop", '{"a": 1}')]),
    ("no arguments", reply(call(None)), [("c1", "crop", "")]),
    ("no id", reply(call("{}", id=None)), [("", "crop", "{}")]),
    ("no name", reply({"id": "c1", "function": {"arguments": "{}"}}), [("c1", "", "{}")]),
    ("no function", reply({"id": "c1"}, "nonsense", None), []),
    ("no calls", completion("B", tool_calls=None), []),
    ("calls that are no list", completion("B", tool_calls={"id": "c1"}), []),
]


@pytest.mark.parametrize(("body", "expected"), [row[1:] for row in READ], ids=[row[0] for row in READ])
def test_calls_are_read_out_of_a_reply(body: bytes, expected: list[tuple[str, str, str]]) -> None:
    assert [(one.id, one.name, one.arguments) for one in read_reply(body).calls] == expected


def test_a_flood_of_calls_is_bounded() -> None:
    assert len(read_reply(reply(*[call("{}")] * 5000)).calls) == 128
