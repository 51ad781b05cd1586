"""What goes over the OpenAI wire: bodies, images, headers, and the hash that says two requests are the same."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import made_runs
from beholder.errors import DataError, UsageError
from beholder.images.wire import QWEN_VL
from beholder.models.endpoint import Endpoint
from beholder.models.model import Prepared
from beholder.models.openai import OpenAIModel
from beholder.sample import Ask, BooleanTarget, ImagePart, ImageRef, Message, Part, Response, Sample, Sampling, TextPart
from scripted_server import Reply, Request, ScriptedServer, completion

BYTES = [made_runs.jpeg(seed) for seed in range(3)]
IMAGES = tuple(ImageRef(name=f"{place}.jpg", data=data) for place, data in enumerate(BYTES))
AS_IT_LIKES, FRIENDLY = Sampling(), Reply()
SPOKEN = json.loads(completion("x"))


def ask_for(
    *parts: Part, images: tuple[ImageRef, ...] = (), sampling: Sampling = AS_IT_LIKES, system: str = "", **facts: Any
) -> Ask:
    sample = Sample(key="k-0", index=0, benchmark="tfq", images=images, parts=parts, target=BooleanTarget(True))
    opening = (Message("system", (TextPart(system),)),) if system else ()
    return Ask(sample=sample, messages=(*opening, Message("user", parts)), sampling=sampling, **facts)


def prepare(ask: Ask, name: str = "openai/m", **endpoint: Any) -> Prepared:
    endpoint.setdefault("base_url", "http://127.0.0.1:9/v1")
    return OpenAIModel(name, Endpoint(**endpoint)).prepare([ask])[0]


def exchange(ask: Ask, reply: Reply = FRIENDLY, name: str = "openai/m", **endpoint: Any) -> tuple[Request, Response]:
    """One ask sent to a real server: the request as it came there, and the response as it came back."""
    with ScriptedServer(lambda request: reply) as server:
        endpoint.setdefault("base_url", server.url)

        async def send() -> Response:
            model = OpenAIModel(name, Endpoint(**endpoint))
            try:
                return await model.send(model.prepare([ask])[0])
            finally:
                await model.close()

        response = asyncio.run(send())
        return server.requests[0], response


def url_of(data: bytes, mime: str = "image/jpeg") -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:{mime};base64,{base64.b64encode(data).decode()}"}}


def text_of(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


TRICKY = 'a "quoted" back\\slash,\nnew line, \t tab, \x00 NUL, é, 答案, 🙂, </script>, {"role":"system"}'
A, B = TextPart("first"), TextPart(TRICKY)
PICTURE, OTHER = ImagePart(0), ImagePart(1)

BODIES: list[tuple[str, Ask, dict[str, Any], dict[str, Any]]] = [
    ("only text is a string", ask_for(A), {}, {"messages": [{"role": "user", "content": "first"}]}),
    ("texts are joined", ask_for(A, A), {}, {"messages": [{"role": "user", "content": "firstfirst"}]}),
    ("any text survives", ask_for(B), {}, {"messages": [{"role": "user", "content": TRICKY}]}),
    (
        "a system message",
        ask_for(A, system="Be brief."),
        {},
        {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "first"}]},
    ),
    (
        "image first",
        ask_for(PICTURE, B, images=IMAGES[:1]),
        {},
        {"messages": [{"role": "user", "content": [url_of(BYTES[0]), text_of(TRICKY)]}]},
    ),
    (
        "image last",
        ask_for(B, PICTURE, images=IMAGES[:1]),
        {},
        {"messages": [{"role": "user", "content": [text_of(TRICKY), url_of(BYTES[0])]}]},
    ),
    (
        "images in the order of the parts, one of them twice",
        ask_for(A, OTHER, B, PICTURE, PICTURE, images=IMAGES[:2]),
        {},
        {
            "messages": [
                {
                    "role": "user",
                    "content": [
                        text_of("first"),
                        url_of(BYTES[1]),
                        text_of(TRICKY),
                        url_of(BYTES[0]),
                        url_of(BYTES[0]),
                    ],
                }
            ]
        },
    ),
    (
        "an image alone",
        ask_for(PICTURE, images=IMAGES[:1]),
        {},
        {"messages": [{"role": "user", "content": [url_of(BYTES[0])]}]},
    ),
    (
        "decoding settings",
        ask_for(A, sampling=Sampling(temperature=0.0, top_p=0.9, max_tokens=64)),
        {},
        {
            "messages": [{"role": "user", "content": "first"}],
            "temperature": 0.0,
            "top_p": 0.9,
            "max_tokens": 64,
        },
    ),
    (
        "the other name of the token limit",
        ask_for(A, sampling=Sampling(max_tokens=64)),
        {"max_tokens_field": "max_completion_tokens"},
        {"messages": [{"role": "user", "content": "first"}], "max_completion_tokens": 64},
    ),
    (
        "the extra body is merged, and wins",
        ask_for(A, sampling=Sampling(temperature=0.5)),
        {"extra_body": {"temperature": 1, "chat_template_kwargs": {"enable_thinking": False}, "stop": ["é\n"]}},
        {
            "messages": [{"role": "user", "content": "first"}],
            "temperature": 1,
            "chat_template_kwargs": {"enable_thinking": False},
            "stop": ["é\n"],
        },
    ),
]


@pytest.mark.parametrize(("ask", "endpoint", "expected"), [row[1:] for row in BODIES], ids=[row[0] for row in BODIES])
def test_the_body_is_the_request_that_was_meant(ask: Ask, endpoint: dict[str, Any], expected: dict[str, Any]) -> None:
    request, _ = exchange(ask, **endpoint)
    assert request.body == {"model": "m", **expected}
    assert int(request.headers["content-length"]) == len(request.raw)
    assert request.headers["content-type"] == "application/json"


def test_the_published_bytes_go_out_byte_for_byte(tmp_path: Path) -> None:
    file = tmp_path / "picture.jpg"
    file.write_bytes(BYTES[2])
    request, response = exchange(ask_for(PICTURE, A, images=(ImageRef(name="p", path=str(file)),)))
    url = request.body["messages"][0]["content"][0]["image_url"]["url"]
    assert base64.b64decode(url.partition(",")[2], validate=True) == file.read_bytes()
    (record,) = response.images
    assert (record["n_bytes"], record["flags"], record["format"]) == (len(BYTES[2]), [], "JPEG")


def test_what_had_to_be_changed_is_said_in_the_response() -> None:
    request, response = exchange(ask_for(PICTURE, images=IMAGES[:1]), policy=QWEN_VL)
    assert response.images[0]["flags"] == ["padded", "reencoded"]
    url = request.body["messages"][0]["content"][0]["image_url"]["url"]
    assert len(base64.b64decode(url.partition(",")[2])) == response.images[0]["n_bytes"]


LONELY = [
    ("cut \ud83d", "cut \ufffd"),
    ("\ude00 first", "\ufffd first"),
    ("\ud83d\ude00 as a pair", "\U0001f600 as a pair"),
    ("\udc80\udcff", "\ufffd\ufffd"),
]


@pytest.mark.parametrize(("text", "sent"), LONELY, ids=["high", "low", "a pair in two halves", "bytes in disguise"])
def test_lone_surrogates_go_out_as_the_replacement_character(text: str, sent: str) -> None:
    request, _ = exchange(ask_for(TextPart(text)))
    assert request.body["messages"][0]["content"] == sent


@pytest.mark.parametrize(
    ("base_url", "path"),
    [
        ("{}/v1", "/v1/chat/completions"),
        ("{}/v1/", "/v1/chat/completions"),
        ("{}", "/chat/completions"),
        ("{}/v1/chat/completions", "/v1/chat/completions"),
        ("{}/deployments/x?api-version=2", "/deployments/x/chat/completions?api-version=2"),
    ],
)
def test_addresses(base_url: str, path: str) -> None:
    with ScriptedServer() as server:

        async def send() -> None:
            model = OpenAIModel("openai/m", Endpoint(base_url=base_url.format(server.url.removesuffix("/v1"))))
            await model.check()
            await model.send(model.prepare([ask_for(A)])[0])
            await model.close()

        asyncio.run(send())
        assert [request.path for request in server.requests] == [path]
        assert server.model_lists == 1


def test_the_key_of_the_environment_and_extra_headers_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-12345")
    request, _ = exchange(ask_for(A), key_variable="MY_KEY", headers={"X-Tenant": "red team"})
    assert request.headers["authorization"] == "Bearer sk-12345"
    assert request.headers["x-tenant"] == "red team"
    assert request.headers["user-agent"].startswith("beholder/")


def test_no_key_no_header() -> None:
    request, _ = exchange(ask_for(A))
    assert "authorization" not in request.headers


@pytest.mark.parametrize("name", ["Authorization", "authorization"])
def test_a_header_of_the_user_wins_over_the_key(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-12345")
    request, _ = exchange(ask_for(A), headers={name: "Basic dTpw"})
    assert request.headers["authorization"] == "Basic dTpw"
    assert b"sk-12345" not in request.head


def test_a_key_read_from_a_file_with_a_line_end_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-12345\r\n")
    request, _ = exchange(ask_for(A))
    assert request.headers["authorization"] == "Bearer sk-12345"


@pytest.mark.parametrize(
    ("key", "endpoint", "mend"),
    [
        ("sk-1\nX: y", {}, "line break"),
        ("", {"base_url": "http://me:pw@127.0.0.1:9/v1", "headers": {"authorization": "Basic eA=="}}, "one of the two"),
    ],
)
def test_credentials_that_cannot_be_sent(
    monkeypatch: pytest.MonkeyPatch, key: str, endpoint: dict[str, Any], mend: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError, match=mend) as caught:
        prepare(ask_for(A), **endpoint)
    assert "sk-1" not in str(caught.value)
    assert "pw" not in str(caught.value)


def test_credentials_in_the_url_are_sent_even_beside_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-12345")
    with ScriptedServer() as server:

        async def send() -> None:
            model = OpenAIModel("openai/m", Endpoint(base_url=server.url.replace("//", "//me:secret@")))
            await model.check()
            await model.send(model.prepare([ask_for(A)])[0])
            await model.close()

        asyncio.run(send())
        assert server.requests[0].headers["authorization"] == "Basic " + base64.b64encode(b"me:secret").decode()


def test_each_vote_and_epoch_gets_its_own_seed_and_the_same_one_again() -> None:
    sampling = Sampling(seed=5)
    places = [(epoch, vote) for epoch in range(3) for vote in range(4)]
    bodies = [msgspec.json.decode(prepare(ask_for(A, sampling=sampling, epoch=e, vote=v)).chunks[0]) for e, v in places]
    seeds = [body["seed"] for body in bodies]
    assert len(set(seeds)) == len(places)
    assert all(0 <= seed < 2**31 for seed in seeds)
    again = msgspec.json.decode(prepare(ask_for(A, sampling=sampling, epoch=1, vote=2)).chunks[0])
    assert again["seed"] == seeds[places.index((1, 2))]
    assert "seed" not in msgspec.json.decode(prepare(ask_for(A)).chunks[0])


def test_votes_share_the_encoded_image() -> None:
    asks = [ask_for(PICTURE, A, images=IMAGES[:1], vote=vote) for vote in range(5)]
    model = OpenAIModel("openai/m", Endpoint(base_url="http://127.0.0.1:9/v1"))
    prepared = model.prepare(asks)
    assert [one.ask.vote for one in prepared] == [0, 1, 2, 3, 4]
    longest = [max(one.chunks, key=len) for one in prepared]
    assert all(chunk is longest[0] for chunk in longest)
    assert base64.b64decode(longest[0].rpartition(b",")[2]) == BYTES[0]
    assert len({one.request_hash for one in prepared}) == 5


def test_the_record_of_a_request_names_images_by_hash_only() -> None:
    prepared = prepare(ask_for(PICTURE, B, images=IMAGES[:1]))
    sent = json.loads(b"".join(prepared.chunks))
    recorded = json.loads(prepared.record)
    url = recorded["messages"][0]["content"][0]["image_url"].pop("url")
    sent["messages"][0]["content"][0]["image_url"].pop("url")
    assert url.removeprefix("data:image/jpeg;base64,") == f"sha256:{prepared.images[0]['sha256']}"
    assert recorded == sent
    assert [(blob.sha256, blob.data) for blob in prepared.blobs] == [(prepared.images[0]["image"], BYTES[0])]


PLAIN: dict[str, Any] = {"images": IMAGES[:1], "sampling": Sampling(temperature=0.7)}
URL = "http://127.0.0.1:9/v1"
HASHES: list[tuple[str, Ask, dict[str, Any], bool]] = [
    ("the same again", ask_for(PICTURE, A, **PLAIN), {}, True),
    ("another model", ask_for(PICTURE, A, **PLAIN), {"name": "openai/n"}, False),
    ("another temperature", ask_for(PICTURE, A, **PLAIN | {"sampling": Sampling(temperature=0.8)}), {}, False),
    ("no temperature", ask_for(PICTURE, A, **PLAIN | {"sampling": Sampling()}), {}, False),
    ("another base URL", ask_for(PICTURE, A, **PLAIN), {"base_url": "http://127.0.0.1:8/v1"}, False),
    ("another vote", ask_for(PICTURE, A, vote=1, **PLAIN), {}, False),
    ("another epoch", ask_for(PICTURE, A, epoch=1, **PLAIN), {}, False),
    ("vote and epoch exchanged", ask_for(PICTURE, A, epoch=1, vote=0, **PLAIN), {}, False),
    ("an extra body", ask_for(PICTURE, A, **PLAIN), {"extra_body": {"top_k": 1}}, False),
    ("an extra body that repeats the default", ask_for(PICTURE, A, **PLAIN), {"extra_body": {}}, True),
    ("other image bytes", ask_for(PICTURE, A, **PLAIN | {"images": IMAGES[1:2]}), {}, False),
    (
        "the same bytes under another name",
        ask_for(PICTURE, A, **PLAIN | {"images": (ImageRef("z", data=BYTES[0]),)}),
        {},
        True,
    ),
    ("another wire policy for the image", ask_for(PICTURE, A, **PLAIN), {"policy": QWEN_VL}, False),
    ("the image last", ask_for(A, PICTURE, **PLAIN), {}, False),
    ("another text", ask_for(PICTURE, TextPart("First"), **PLAIN), {}, False),
    ("another order that shows in the text", ask_for(PICTURE, B, order=(1, 0), **PLAIN), {}, False),
    ("a system message", ask_for(PICTURE, A, system="x", **PLAIN), {}, False),
    ("more patience", ask_for(PICTURE, A, **PLAIN), {"total": 5.0, "first_byte": 4.0, "max_connections": 9}, True),
    ("a proxy", ask_for(PICTURE, A, **PLAIN), {"proxy": "http://127.0.0.1:7"}, True),
]


@pytest.mark.parametrize(("ask", "changes", "equal"), [row[1:] for row in HASHES], ids=[row[0] for row in HASHES])
def test_what_makes_a_request_another_one(ask: Ask, changes: dict[str, Any], equal: bool) -> None:
    base = prepare(ask_for(PICTURE, A, **PLAIN), base_url=URL).request_hash
    assert (prepare(ask, **{"base_url": URL, **changes}).request_hash == base) is equal


def test_two_images_exchanged_are_another_request() -> None:
    one = prepare(ask_for(PICTURE, OTHER, A, images=IMAGES[:2])).request_hash
    assert prepare(ask_for(OTHER, PICTURE, A, images=IMAGES[:2])).request_hash != one


def test_vote_one_of_epoch_zero_is_not_vote_zero_of_epoch_one() -> None:
    assert prepare(ask_for(A, vote=1)).request_hash != prepare(ask_for(A, epoch=1)).request_hash


def test_the_hash_depends_on_a_secret_in_the_extra_body_without_showing_it() -> None:
    one, other = (prepare(ask_for(A), extra_body={"user_token": word}) for word in ("abc", "abd"))
    assert one.request_hash != other.request_hash


def test_what_the_server_says_of_itself_is_kept() -> None:
    body = completion("T", reasoning_content="I looked.", finish="length")
    _, response = exchange(ask_for(A, sampling=Sampling(max_tokens=3), order=(1, 0)), Reply(body))
    assert (response.served_model, response.fingerprint) == (SPOKEN["model"], SPOKEN["system_fingerprint"])
    assert (response.text, response.reasoning, response.finish) == ("T", "I looked.", "length")
    assert (response.usage.prompt_tokens, response.usage.completion_tokens) == (10, 3)
    assert (response.max_tokens, response.order, response.raw) == (3, (1, 0), body)
    assert response.latency is not None
    assert response.latency > 0


def test_an_image_that_cannot_be_used_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    missing = ImageRef(name="gone.jpg", path=str(tmp_path / "gone.jpg"))
    with pytest.raises(DataError, match=r"gone\.jpg"):
        prepare(ask_for(PICTURE, A, images=(missing,)))
