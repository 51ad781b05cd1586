"""The Responses API over a real connection: what arrives, faults, secrets, and the files of containers."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
from pathlib import Path
from typing import Any

import pytest

import made_runs
from beholder.errors import AuthError, ProviderError, UsageError
from beholder.models import responses
from beholder.models.endpoint import Endpoint
from beholder.models.responses import ResponsesModel
from beholder.sample import Ask, BooleanTarget, Message, Response, Sample, TextPart
from scripted_server import Reply, Request, Script, ScriptedServer

PEM = Path(__file__).with_name("loopback.pem")
PARTS = (TextPart("Is it so?"),)
SAMPLE = Sample(key="k-0", index=0, benchmark="tfq", images=(), parts=PARTS, target=BooleanTarget(True))
ASK = Ask(sample=SAMPLE, messages=(Message("user", PARTS),))
CODING = Ask(sample=SAMPLE, messages=(Message("user", PARTS),), provider_tools=True)
PICTURE = made_runs.jpeg(1)


def answer(text: str = "T", *before: dict[str, Any], annotations: list[dict[str, Any]] | None = None) -> bytes:
    """A response with a message, and items before it."""
    content = {"type": "output_text", "text": text, "annotations": annotations or []}
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [content]}
    return json.dumps({"id": "resp_1", "status": "completed", "model": "m-1", "output": [*before, said]}).encode()


def send(asked: Ask = ASK, **endpoint: Any) -> Response:
    async def attempt() -> Response:
        model = ResponsesModel("openai-responses/m", Endpoint(**endpoint))
        try:
            return await model.send(model.prepare([asked])[0])
        finally:
            await model.close()

    return asyncio.run(attempt())


def check(**endpoint: Any) -> None:
    asyncio.run(ResponsesModel("openai-responses/m", Endpoint(**endpoint)).check())


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """The SDK takes a second to load, which is no part of any wait that is measured here."""
    with ScriptedServer(always(answer())) as server:
        send(base_url=server.url)


def always(body: bytes, **more: Any) -> Script:
    return lambda request: Reply(body, **more)


def test_what_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-in-the-environment")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-nobody-named")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Else: where")
    with ScriptedServer(always(answer())) as server:
        response = send(base_url=server.url, headers={"X-Variant": "b"})
    assert (response.text, response.finish, response.raw) == ("T", "stop", answer())
    (request,) = server.requests
    assert request.path == "/v1/responses"
    assert request.headers["authorization"] == "Bearer sk-in-the-environment"
    assert request.headers["x-variant"] == "b"
    assert request.headers["user-agent"].startswith("beholder/")
    assert not {"openai-organization", "x-else"} & set(request.headers)
    content = [{"type": "input_text", "text": "Is it so?"}]
    assert request.body == {"model": "m", "input": [{"role": "user", "content": content}], "store": False}


KEYS: list[tuple[str, str, dict[str, str], dict[str, str]]] = [
    ("no key", "", {}, {}),
    ("key", "sk-1", {}, {"authorization": "Bearer sk-1"}),
    ("header", "sk-1", {"api-key": "k"}, {"api-key": "k"}),
    ("own authorization", "sk-1", {"Authorization": "Token t"}, {"authorization": "Token t"}),
]


@pytest.mark.parametrize(("key", "headers", "arrives"), [row[1:] for row in KEYS], ids=[row[0] for row in KEYS])
def test_one_credential_is_sent(
    monkeypatch: pytest.MonkeyPatch, key: str, headers: dict[str, str], arrives: dict[str, str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with ScriptedServer(always(answer())) as server:
        send(base_url=server.url, headers=headers)
        given = server.requests[0].headers
    assert {name: given[name] for name in ("authorization", "api-key") if name in given} == arrives


def test_a_user_in_the_address_is_sent_as_basic_authentication(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    with ScriptedServer(always(answer())) as server:
        send(base_url=f"http://me:pw@127.0.0.1:{server.port}/v1?tenant=a")
    assert server.requests[0].headers["authorization"] == "Basic " + base64.b64encode(b"me:pw").decode()
    assert server.requests[0].path == "/v1/responses?tenant=a"


def test_through_a_proxy_and_with_certificates_that_are_given() -> None:
    with ScriptedServer(always(answer())) as proxy:
        assert send(base_url="http://model.invalid/v1", proxy=proxy.url.removesuffix("/v1")).text == "T"
        assert proxy.requests[0].path == "http://model.invalid/v1/responses"
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(PEM)
    with ScriptedServer(always(answer()), tls=tls) as server:
        assert send(base_url=server.url, ca_file=PEM).text == "T"
        with pytest.raises(ProviderError, match=r"(?i)certificate"):
            send(base_url=server.url)


FAULTS: list[tuple[str, Reply, dict[str, Any], str, bool]] = [
    ("slow first byte", Reply(first_byte=5.0), {"first_byte": 0.2}, "timeout", True),
    ("slow body", Reply(answer(), body_time=5.0), {"total": 0.3}, "timeout", True),
    ("closed without a word", Reply(refuse=True), {}, "connection", True),
    ("503", Reply(b'{"error":{"message":"busy"}}', status=503), {}, "http_503", True),
    ("429", Reply(b"{}", status=429, headers=(("Retry-After", "2"),)), {}, "http_429", True),
    ("400", Reply(b'{"error":{"message":"image too large"}}', status=400), {}, "request", False),
    ("redirect", Reply(b"", status=307, headers=(("Location", "/v2/responses"),)), {}, "request", False),
    ("no JSON", Reply(b"<html>busy</html>"), {}, "broken_body", True),
]


@pytest.mark.parametrize(
    ("reply", "endpoint", "kind", "retryable"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS]
)
def test_faults_have_a_kind_and_are_not_tried_again_here(
    reply: Reply, endpoint: dict[str, Any], kind: str, retryable: bool
) -> None:
    with ScriptedServer(lambda request: reply) as server, pytest.raises(ProviderError) as caught:
        send(base_url=server.url, **endpoint)
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)
    assert len(server.requests) == 1
    assert caught.value.retry_after == (2.0 if kind == "http_429" else None)
    if reply.status == 307:
        assert f"{server.url[:-3]}/v2 " in str(caught.value)


def test_a_refused_key_is_told_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    words = b'{"error": {"message": "Incorrect API key: sk-very-secret"}}'
    with ScriptedServer(always(words, status=401), models=always(words, status=401)) as server:
        with pytest.raises(AuthError) as caught:
            send(base_url=server.url)
        assert "sk-very" not in str(caught.value)
        with pytest.raises(UsageError, match="OPENAI_API_KEY"):
            check(base_url=server.url)


def test_a_key_that_an_answer_quotes_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    with ScriptedServer(always(answer("You sent sk-very-secret."))) as server:
        response = send(base_url=server.url)
    assert response.text == "You sent ***."
    assert b"sk-very" not in (response.raw or b"")


def test_the_list_of_models_is_looked_at() -> None:
    def under_v1(request: Request) -> Reply:
        return Reply(b'{"data": [{"id": "m"}]}') if request.path.startswith("/v1/") else Reply(b"{}", status=404)

    with ScriptedServer(models=under_v1) as server:
        check(base_url=server.url)
        with pytest.raises(UsageError, match="add /v1"):
            check(base_url=server.url.removesuffix("/v1"))
    with ScriptedServer(models=["other"]) as server, pytest.raises(UsageError, match="serves no model 'm'"):
        check(base_url=server.url)
    with ScriptedServer(models=always(b"{}", status=404)) as server:
        check(base_url=server.url)


def events(*given: dict[str, Any]) -> Reply:
    """A stream of events; each names its type twice, as the API does."""
    pieces = [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in given]
    return Reply("".join(pieces).encode(), headers=(("Content-Type", "text/event-stream"),))


STARTED = {"type": "response.created", "response": {"status": "in_progress", "output": []}}
DELTA = {"type": "response.output_text.delta", "delta": "T"}
DONE = {"type": "response.completed", "response": json.loads(answer())}


def test_a_stream_ends_with_the_whole_response() -> None:
    with ScriptedServer(lambda request: events(STARTED, DELTA, DONE)) as server:
        response = send(base_url=server.url, stream=True)
    assert server.requests[0].body["stream"] is True
    assert (response.text, json.loads(response.raw or b"")) == ("T", json.loads(answer()))
    with ScriptedServer(always(answer())) as server:
        assert send(base_url=server.url, stream=True).text == "T"


BLOCKED = {"code": "image_content_policy_violation", "message": "no"}
REFUSALS: list[tuple[str, Reply, bool]] = [
    ("a status", Reply(json.dumps({"error": {"code": "content_filter"}}).encode(), status=400), False),
    ("a response that failed", Reply(json.dumps({"status": "failed", "error": BLOCKED, "output": []}).encode()), False),
    ("an event", events(STARTED, {"type": "error"} | BLOCKED), True),
    ("an event with the error in it", events(STARTED, {"type": "error", "error": BLOCKED}), True),
]


@pytest.mark.parametrize(("reply", "stream"), [row[1:] for row in REFUSALS], ids=[row[0] for row in REFUSALS])
def test_what_the_rules_forbid_is_a_refusal_however_it_is_told(reply: Reply, stream: bool) -> None:
    with ScriptedServer(lambda request: reply) as server:
        response = send(base_url=server.url, stream=stream)
    assert (response.finish, response.text) == ("content_filter", None)


def test_a_stream_is_understood_where_the_extra_body_asks_for_it() -> None:
    with ScriptedServer(lambda request: events(STARTED, DONE)) as server:
        assert send(base_url=server.url, extra_body={"stream": True}).text == "T"


FAILED = {"status": "failed", "output": [], "error": {"code": "server_error", "message": "x"}}
STREAMS: list[tuple[str, Reply, str, bool]] = [
    (
        "an error that asking again does not mend",
        events({"type": "error", "code": "invalid_image", "message": "x"}),
        "request",
        False,
    ),
    ("cut off", events(STARTED, DELTA), "empty_choices", True),
    ("an error", events(STARTED, {"type": "error", "message": "overloaded"}), "error_in_body", True),
    ("an error of another form", events({"type": "x", "error": {"message": "overloaded"}}), "error_in_body", True),
    ("failed", events({"type": "response.failed", "response": FAILED}), "error_in_body", True),
    ("nonsense", Reply(b"data: {\n\n", headers=(("Content-Type", "text/event-stream"),)), "broken_body", True),
    ("no stream at all", Reply(b"{}", status=400), "request", False),
]


@pytest.mark.parametrize(("reply", "kind", "retryable"), [row[1:] for row in STREAMS], ids=[row[0] for row in STREAMS])
def test_streams_that_bring_no_answer(reply: Reply, kind: str, retryable: bool) -> None:
    with ScriptedServer(lambda request: reply) as server, pytest.raises(ProviderError) as caught:
        send(base_url=server.url, stream=True)
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)


CODE = {
    "type": "code_interpreter_call",
    "id": "ci_1",
    "status": "completed",
    "code": "plot()",
    "container_id": "cntr_1",
    "outputs": [{"type": "logs", "logs": "done"}],
}
CITED = {
    "type": "container_file_citation",
    "container_id": "cntr_1",
    "file_id": "cfile_1",
    "filename": "plot.png",
    "start_index": 0,
    "end_index": 1,
}


def fetched(script: Script, monkeypatch: pytest.MonkeyPatch, **more: Any) -> tuple[ScriptedServer, Response]:
    """An answer that cites a picture, whose fetching is answered by `script`."""
    monkeypatch.setattr(responses, "_WAITS", (0.0, 0.01))
    body = answer("T", CODE, annotations=[CITED])
    with ScriptedServer(lambda request: script(request) if "containers" in request.path else Reply(body)) as server:
        return server, send(CODING, base_url=server.url, **more)


def pictures(response: Response) -> tuple[tuple[bytes, ...], str]:
    (first, _) = (
        ResponsesModel("openai-responses/m", Endpoint(base_url="http://h/v1")).turns_of(response.raw or b"").turns
    )
    return first.calls[0].pictures, first.calls[0].text


def test_a_picture_that_is_cited_is_fetched_with_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    server, response = fetched(always(PICTURE), monkeypatch)
    assert server.requests[1].path == "/v1/containers/cntr_1/files/cfile_1/content"
    assert server.requests[1].headers["authorization"] == "Bearer sk-1"
    assert pictures(response) == ((PICTURE,), "done")
    assert response.text == "T"


def test_a_file_is_tried_again_where_that_can_help(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[Request] = []

    def busy_once(request: Request) -> Reply:
        tries.append(request)
        return Reply(b"{}", status=429) if len(tries) == 1 else Reply(PICTURE)

    _, response = fetched(busy_once, monkeypatch)
    assert pictures(response)[0] == (PICTURE,)


NOT_FETCHED: list[tuple[str, Reply, dict[str, Any], int, str]] = [
    ("gone", Reply(b"{}", status=404), {}, 1, "HTTP 404"),
    ("busy", Reply(b"{}", status=503), {}, 2, "HTTP 503"),
    ("too large", Reply(b"x" * 2000), {}, 2, "larger than"),
    ("too slow", Reply(b"x", first_byte=3.0), {"total": 1.0}, 1, "it took too long"),
    ("elsewhere", Reply(b"", status=302, headers=(("Location", "http://127.0.0.1:9/"),)), {}, 1, "HTTP 302"),
]


@pytest.mark.parametrize(
    ("reply", "endpoint", "tries", "why"), [row[1:] for row in NOT_FETCHED], ids=[row[0] for row in NOT_FETCHED]
)
def test_what_cannot_be_fetched_is_said_and_costs_no_answer(
    reply: Reply, endpoint: dict[str, Any], tries: int, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(responses, "_LARGEST_FILE", 1000)
    server, response = fetched(lambda request: reply, monkeypatch, **endpoint)
    assert response.text == "T"
    kept, text = pictures(response)
    assert kept == ()
    assert why in text
    assert len(server.requests) == 1 + tries
