"""Streaming on the chat wire: events cut anywhere give one ordinary completion; what breaks off is no answer."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beholder.errors import AuthError, ProviderError
from beholder.models.chat_reply import read_reply
from beholder.models.chat_stream import ChatInPieces
from beholder.models.endpoint import Endpoint
from beholder.models.openai import OpenAIModel
from beholder.models.sse import LONGEST, EventReader, TooLong
from beholder.sample import Ask, BooleanTarget, Message, Response, Sample, Sampling, TextPart
from scripted_server import Reply, ScriptedServer, completion

PARTS = (TextPart("Is it so?"),)
SAMPLE = Sample(key="k-0", index=0, benchmark="tfq", images=(), parts=PARTS, target=BooleanTarget(True))
ASK = Ask(sample=SAMPLE, messages=(Message("user", PARTS),), sampling=Sampling(max_tokens=64))
DONE = b"data: [DONE]\n\n"


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    """One event of a stream."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    told = {"id": "x", "object": "chat.completion.chunk", "model": "served-model", "choices": choices, **more}
    return b"data: " + json.dumps(told).encode() + b"\n\n"


def call(index: int | None, arguments: str, **more: Any) -> dict[str, Any]:
    function = {"arguments": arguments} | ({"name": more.pop("name")} if "name" in more else {})
    return {"tool_calls": [({} if index is None else {"index": index}) | more | {"function": function}]}


USAGE = {"prompt_tokens": 10, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}
SPOKEN = b"".join(
    [
        b": keep-alive\n\n",
        chunk({"role": "assistant", "content": ""}, system_fingerprint="fp_1"),
        chunk({"reasoning_content": "I see"}),
        chunk({"reasoning_content": " é🙂."}),
        b"event: message\r\nid: 7\r\nretry: 5\r\n" + chunk({"content": "答"}).replace(b"\n", b"\r\n"),
        b": \r\r" + chunk({"content": "案 <answer>T</answer>"}).replace(b"\n", b"\r"),
        chunk({}, "stop"),
        chunk(None, usage=USAGE),
        DONE,
    ]
)
CALLED = b"".join(
    [
        chunk({"role": "assistant", "content": None}),
        chunk(call(0, "", id="c1", name="crop", type="function")),
        chunk(call(0, '{"box": [0,')),
        chunk(call(1, "", id="c2", name="zoom")),
        chunk(call(0, " 1]}", id=None, name=None)),
        chunk(call(1, "{}")),
        chunk({}, "tool_calls"),
        DONE,
    ]
)
HALVES = (
    b'data: {"choices":[{"index":0,"delta":{"content":"\\ud83d"},"finish_reason":null}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{"content":"\\ude42"},"finish_reason":"stop"}]}\n\n'
)


def put_together(pieces: list[bytes]) -> Response:
    taken = ChatInPieces()
    for piece in pieces:
        if taken.add(piece):
            break
    return read_reply(taken.body())


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


@given(st.sampled_from([SPOKEN, CALLED, HALVES, completion("plain")]), st.lists(st.integers(0, 10_000), max_size=30))
def test_any_cut_of_the_bytes_gives_the_same_response(data: bytes, places: list[int]) -> None:
    assert put_together(cut(data, places)) == put_together([data])


@pytest.mark.parametrize("data", [SPOKEN, CALLED, HALVES])
def test_byte_by_byte(data: bytes) -> None:
    assert put_together([data[place : place + 1] for place in range(len(data))]) == put_together([data])


def test_what_is_put_together_is_an_ordinary_completion() -> None:
    response = put_together([SPOKEN])
    assert (response.text, response.reasoning, response.finish) == ("答案 <answer>T</answer>", "I see é🙂.", "stop")
    assert (response.served_model, response.fingerprint) == ("served-model", "fp_1")
    assert (response.usage.prompt_tokens, response.usage.completion_tokens, response.usage.cache_read_tokens) == (
        (10, 3, 4)
    )
    assert json.loads(response.raw or b"") == {
        "id": "x",
        "object": "chat.completion",
        "model": "served-model",
        "system_fingerprint": "fp_1",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "答案 <answer>T</answer>",
                    "reasoning_content": "I see é🙂.",
                },
                "finish_reason": "stop",
            }
        ],
        "usage": USAGE,
    }
    assert put_together([HALVES]).text == "🙂"


def test_calls_are_put_together_by_their_index() -> None:
    response = put_together([CALLED])
    assert [(one.id, one.name, one.arguments) for one in response.calls] == [
        ("c1", "crop", '{"box": [0, 1]}'),
        ("c2", "zoom", "{}"),
    ]
    assert (response.text, response.finish) == (None, "tool_calls")


STRANGE_CALLS: list[tuple[str, list[dict[str, Any]], list[tuple[str, str]]]] = [
    ("all have the number 0", [call(0, "{}", id="a", name="f"), call(0, "[]", id="b", name="f")],
     [("a", "{}"), ("b", "[]")]),
    ("no numbers", [call(None, "{}", id="a", name="f"), call(None, "[]", id="b", name="f")],
     [("a", "{}"), ("b", "[]")]),
    ("no numbers, in pieces", [call(None, "{", id="a", name="f"), call(None, "}")], [("a", "{}")]),
    ("id and name each time", [call(0, "{", id="a", name="f"), call(0, "}", id="a", name="f")], [("a", "{}")]),
    ("nonsense", [{"tool_calls": ["x", {"function": 5, "index": 0}]}, {"tool_calls": 5}], [("", "")]),
]  # fmt: skip


@pytest.mark.parametrize(("deltas", "calls"), [row[1:] for row in STRANGE_CALLS], ids=[row[0] for row in STRANGE_CALLS])
def test_calls_as_servers_send_them(deltas: list[dict[str, Any]], calls: list[tuple[str, str]]) -> None:
    response = put_together([*map(chunk, deltas), chunk({}, "tool_calls")])
    assert [(one.id, one.arguments) for one in response.calls] == calls


ENDS: list[tuple[str, bytes, str | None, str | None]] = [
    (
        "text in parts",
        chunk({"content": [{"type": "thinking"}, {"type": "text", "text": "T"}]}) + chunk({}, "stop"),
        "T",
        "stop",
    ),
    ("a finish and no last word", chunk({"content": "T"}, "stop"), "T", "stop"),
    ("a last word and no finish", chunk({"content": "T"}) + DONE, "T", None),
    ("no empty line at the end", chunk({"content": "T"}, "stop").rstrip(), "T", "stop"),
    ("nothing counts after the last word", chunk({"content": "T"}, "stop") + DONE + chunk({"content": "F"}),
     "T", "stop"),
    ("another choice is not ours", chunk({"content": "T"}, "stop")
     + b'data: {"choices":[{"index":1,"delta":{"content":"F"}}]}\n\n', "T", "stop"),
    ("the whole answer as one event", b"data: " + completion("T") + b"\n\n", "T", "stop"),
    ("the whole answer as one event of several lines",
     b"data: " + json.dumps(json.loads(completion("T")), indent=1).replace("\n", "\ndata: ").encode() + b"\n\n",
     "T", "stop"),
    ("plain JSON", b"\n " + completion("T"), "T", "stop"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "text", "finish"), [row[1:] for row in ENDS], ids=[row[0] for row in ENDS])
def test_where_an_answer_ends(data: bytes, text: str | None, finish: str | None) -> None:
    response = put_together([data])
    assert (response.text, response.finish) == (text, finish)


FAULTS: list[tuple[str, bytes, str, bool]] = [
    ("choices that are none", b'data: {"choices": 5}\n\n' + DONE, "empty_choices", True),
    ("it breaks off", chunk({"content": "<answer>T</answer>"}), "broken_body", True),
    ("it says nothing", b"", "broken_body", True),
    ("only comments", b": hello\n\n", "broken_body", True),
    ("only the last word", DONE, "empty_choices", True),
    ("an event is no JSON", b"data: <html>\n\n", "broken_body", True),
    ("half a plain JSON", completion("T")[:40], "broken_body", True),
    ("an error in mid-stream", chunk({"content": "T"}) + b'data: {"error": {"message": "busy", "code": 503}}\n\n',
     "error_in_body", True),
    ("an error that will not go away", b'data: {"error": {"message": "no", "code": 400}}\n\n', "request", False),
    ("an error in an older form", b'data: {"object": "error", "message": "no", "code": 400}\n\n', "request", False),
    ("an error with a name", b'event: error\ndata: {"error": "busy"}\n\n', "error_in_body", True),
    ("an error as plain JSON", b'{"error": {"message": "busy"}}', "error_in_body", True),
]  # fmt: skip


@pytest.mark.parametrize(("data", "kind", "retryable"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_what_is_no_answer(data: bytes, kind: str, retryable: bool) -> None:
    with pytest.raises(ProviderError) as caught:
        put_together([data])
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)


def test_a_refused_key_in_a_stream_stops_the_run() -> None:
    with pytest.raises(AuthError):
        put_together([b'data: {"error": {"message": "no", "code": 401}}\n\n'])


@pytest.mark.parametrize("piece", [b"x" * (1 << 20), b"data: " + b"x" * (1 << 20) + b"\n", b"data:\n" * (1 << 17)])
def test_an_event_without_an_end_is_bounded(piece: bytes) -> None:
    reader = EventReader()

    def feed_on() -> None:
        for _ in range(LONGEST // (1 << 20) + 2):
            reader.feed(piece)

    with pytest.raises(TooLong):
        feed_on()


def send(reply: Reply, **endpoint: Any) -> tuple[Any, Response]:
    """One attempt at a real server: the body that came there, and the response."""
    with ScriptedServer(lambda request: reply) as server:

        async def attempt() -> Response:
            model = OpenAIModel("openai/m", Endpoint(base_url=server.url, **{"stream": True, **endpoint}))
            try:
                return await model.send(model.prepare([ASK])[0])
            finally:
                await model.close()

        response = asyncio.run(attempt())
        return server.requests[0].body, response


EVENTS = (("Content-Type", "text/event-stream"),)
ASKED = {"model": "m", "messages": [{"role": "user", "content": "Is it so?"}], "max_tokens": 64}
STREAMED = {"stream": True, "stream_options": {"include_usage": True}}
BODIES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, STREAMED),
    ({"stream": False}, {}),
    ({"extra_body": {"stream": True}, "stream": False}, {"stream": True}),
    ({"extra_body": {"stream_options": None}}, {"stream": True, "stream_options": None}),
]


@pytest.mark.parametrize(("endpoint", "more"), BODIES)
def test_the_request_asks_for_a_stream(endpoint: dict[str, Any], more: dict[str, Any]) -> None:
    body, response = send(Reply(completion("T") if not more else SPOKEN, headers=EVENTS), **endpoint)
    assert body == ASKED | more
    assert response.finish == "stop"
    assert response.max_tokens == 64


def test_it_changes_no_answer_and_so_no_hash_and_no_record() -> None:
    plain, streamed = (
        OpenAIModel("openai/m", Endpoint(base_url="http://127.0.0.1:9/v1", stream=stream)) for stream in (False, True)
    )
    assert plain.identity() == streamed.identity()
    assert plain.prepare([ASK]) == streamed.prepare([ASK])


def test_a_server_that_streams_nothing_is_understood() -> None:
    assert send(Reply(completion("<answer>T</answer>")))[1].text == "<answer>T</answer>"


WIRE_FAULTS: list[tuple[Reply, dict[str, Any], str]] = [
    (Reply(SPOKEN, headers=EVENTS, body_time=5.0), {"first_byte": 0.1}, "timeout"),
    (Reply(SPOKEN, headers=EVENTS, cut_after=200), {}, "connection"),
    (Reply(b'{"error": {"message": "slow down"}}', status=429), {}, "http_429"),
]


@pytest.mark.parametrize(("reply", "endpoint", "kind"), WIRE_FAULTS, ids=[row[2] for row in WIRE_FAULTS])
def test_faults_on_the_wire(reply: Reply, endpoint: dict[str, Any], kind: str) -> None:
    with pytest.raises(ProviderError) as caught:
        send(reply, **endpoint)
    assert (caught.value.kind, caught.value.retryable) == (kind, True)


def test_a_slow_answer_is_no_time_out_while_pieces_come() -> None:
    """Each half comes within the bound; both together do not."""
    reply = Reply(SPOKEN, headers=EVENTS, first_byte=0.3, body_time=0.3)
    assert send(reply, first_byte=0.5)[1].finish == "stop"


def test_the_key_is_not_told_where_a_stream_quotes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-12345678")
    data = chunk({"content": "sk-123"}) + chunk({"content": "45678"}, "stop") + DONE
    assert send(Reply(data, headers=EVENTS))[1].text == "***"
