"""What is sent to generateContent: the exact JSON, conversations with tools and pictures too."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

import made_runs
from beholder.images.wire import GOOGLE
from beholder.models.endpoint import Endpoint
from beholder.models.google import GoogleModel, address_of
from beholder.models.model import Prepared
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
)

OWN, NEW, NEWER = (made_runs.jpeg(seed) for seed in range(3))
SPEC = ToolSpec("crop", "Cuts.", {"type": "object", "properties": {"box": {"type": "array"}}})
NOTHING = Sampling()
QUESTION = Message("user", (TextPart("Which?"), ImagePart(0)))
ONE, TWO = ToolCall("call_1_1", "crop", '{"box": [0, 0, 1, 1]}'), ToolCall("g2", "turn", "{}")
CALLED_ONE = {"functionCall": {"name": "crop", "args": {"box": [0, 0, 1, 1]}}, "thoughtSignature": "c2ln"}
CALLED_TWO = {"functionCall": {"id": "g2", "name": "turn", "args": {}}}
PARTS = [{"text": "Hm.", "thought": True}, {"text": "I look."}, CALLED_ONE, CALLED_TWO]
NATIVE = json.dumps({"role": "model", "parts": PARTS})
ASKED = Message("assistant", (TextPart("I look."),), calls=(ONE, TWO), native=NATIVE)
FIRST = Message("tool", (TextPart("cut"), ImagePart(1)), answers="call_1_1")
SECOND = Message("tool", (TextPart("turned"), ImagePart(2)), answers="g2")

NATIVE_ANSWERS = [
    {
        "functionResponse": {
            "name": "crop",
            "response": {"output": "cut\nThe picture is in the next message of the user."},
        }
    },
    {
        "functionResponse": {
            "id": "g2",
            "name": "turn",
            "response": {"output": "turned\nThe picture is in the next message of the user."},
        }
    },
]


def picture(data: bytes) -> dict[str, Any]:
    return {"inlineData": {"mimeType": "image/jpeg", "data": base64.b64encode(data).decode()}}


def ask(*messages: Message, sampling: Sampling = NOTHING, tools: tuple[ToolSpec, ...] = ()) -> Ask:
    sample = Sample(
        key="k-0",
        index=0,
        benchmark="tir",
        images=(ImageRef(name="0.jpg", data=OWN),),
        parts=QUESTION.parts,
        target=BooleanTarget(True),
    )
    made = (ImageRef(name="image_2", data=NEW), ImageRef(name="image_3", data=NEWER))
    return Ask(sample=sample, messages=messages or (QUESTION,), sampling=sampling, tools=tools, made=made)


def prepare(asked: Ask, **endpoint: Any) -> Prepared:
    where = Endpoint(base_url="http://127.0.0.1:9", policy=GOOGLE, **endpoint)
    return GoogleModel("google/gemini-test", where).prepare([asked])[0]


def sent(asked: Ask, **endpoint: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(b"".join(prepare(asked, **endpoint).chunks))
    return body


def test_a_question_with_a_picture_and_all_settings() -> None:
    sampling = Sampling(temperature=0.0, top_p=0.5, max_tokens=64, seed=7)
    body = sent(ask(Message("system", (TextPart("Be brief."),)), QUESTION, sampling=sampling, tools=(SPEC,)))
    seed = body["generationConfig"].pop("seed")
    assert isinstance(seed, int)
    assert body == {
        "contents": [{"role": "user", "parts": [{"text": "Which?"}, picture(OWN)]}],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "crop", "description": "Cuts.", "parametersJsonSchema": SPEC.parameters}
                ]
            }
        ],
        "generationConfig": {"temperature": 0.0, "topP": 0.5, "maxOutputTokens": 64},
    }


def test_nothing_is_sent_that_was_not_asked_for() -> None:
    assert sent(ask()) == {
        "contents": [{"role": "user", "parts": [{"text": "Which?"}, picture(OWN)]}],
        "generationConfig": {},
    }


def test_the_models_message_goes_back_as_it_was_and_pictures_follow_the_answers() -> None:
    body = sent(ask(QUESTION, ASKED, FIRST, SECOND, tools=(SPEC,)))
    assert body["contents"][1:] == [
        {"role": "model", "parts": PARTS},
        {"role": "user", "parts": NATIVE_ANSWERS},
        {
            "role": "user",
            "parts": [
                {"text": "Result of the tool call call_1_1: image_2"},
                picture(NEW),
                {"text": "Result of the tool call g2: image_3"},
                picture(NEWER),
            ],
        },
    ]


def test_pictures_lie_in_the_answers_where_the_model_takes_them() -> None:
    body = sent(ask(QUESTION, ASKED, FIRST, SECOND), pictures_in_tool_messages=True)
    assert body["contents"][2:] == [
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "crop", "response": {"output": "cut"}, "parts": [picture(NEW)]}},
                {
                    "functionResponse": {
                        "id": "g2",
                        "name": "turn",
                        "response": {"output": "turned"},
                        "parts": [picture(NEWER)],
                    }
                },
            ],
        }
    ]


@pytest.mark.parametrize(
    "native",
    [
        "",
        "no JSON",
        "[]",
        json.dumps({"role": "assistant", "content": []}),
        json.dumps({"parts": [CALLED_ONE]}),
        json.dumps({"parts": [{"functionCall": "crop"}, CALLED_TWO]}),
    ],
)
def test_a_message_of_another_wire_is_written_from_its_calls(native: str) -> None:
    message = Message("assistant", ASKED.parts, calls=ASKED.calls, native=native)
    contents = sent(ask(QUESTION, message, FIRST))["contents"]
    assert contents[1] == {
        "role": "model",
        "parts": [
            {"text": "I look."},
            {"functionCall": {"id": "call_1_1", "name": "crop", "args": {"box": [0, 0, 1, 1]}}},
            {"functionCall": {"id": "g2", "name": "turn", "args": {}}},
        ],
    }
    answer = contents[2]["parts"][0]["functionResponse"]
    assert (answer["id"], answer["name"]) == ("call_1_1", "crop")


def test_a_model_that_said_nothing_leaves_no_empty_message() -> None:
    said = sent(ask(QUESTION, Message("assistant", (TextPart(""),)), Message("user", (TextPart("Again."),))))
    assert [one["role"] for one in said["contents"]] == ["user", "user"]


@pytest.mark.parametrize("name", ["generationConfig", "generation_config"])
def test_settings_of_the_extra_body_are_added_to_ours(name: str) -> None:
    extra = {name: {"thinkingConfig": {"includeThoughts": True}, "topP": 1}, "safetySettings": []}
    body = sent(ask(sampling=Sampling(temperature=0.5, top_p=0.1)), extra_body=extra)
    assert body["generationConfig"] == {"temperature": 0.5, "topP": 1, "thinkingConfig": {"includeThoughts": True}}
    assert body["safetySettings"] == []
    assert "generation_config" not in body


def test_what_is_journaled_has_hashes_for_pictures_and_no_secrets() -> None:
    prepared = prepare(ask(), extra_body={"labels": {"api_key": "hush-hush-hush"}})
    record = json.loads(prepared.record)
    assert record["contents"][0]["parts"][1]["inlineData"]["data"].startswith("sha256:")
    assert record["labels"] == {"api_key": "***"}


def test_everything_that_is_sent_is_in_the_hash() -> None:
    asks = [
        ask(),
        ask(sampling=Sampling(temperature=0.0)),
        ask(tools=(SPEC,)),
        ask(QUESTION, ASKED, FIRST),
        ask(QUESTION, ASKED, SECOND),
    ]
    hashes = [prepare(one).request_hash for one in asks]
    hashes += [prepare(asks[0], extra_body={"x": 1}).request_hash]
    hashes += [prepare(asks[0], pictures_in_tool_messages=True).request_hash]
    assert len(set(hashes)) == len(hashes)


@pytest.mark.parametrize(
    ("base_url", "expected"),
    [
        ("http://h:1", ("http://h:1", "v1", {})),
        ("http://h:1/v1beta/", ("http://h:1", "v1beta", {})),
        ("http://h:1/gate/v1alpha/models", ("http://h:1/gate", "v1alpha", {})),
        ("http://h:1/vision?x=1", ("http://h:1/vision", "v1", {"x": "1"})),
    ],
)
def test_the_version_may_stand_in_the_address(base_url: str, expected: tuple[str, str, dict[str, str]]) -> None:
    assert address_of(base_url) == expected
