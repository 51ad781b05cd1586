"""Asking a server of the Messages API: headers and keys, streams, faults, what is never told, and the first check."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from anthropic_talks import FRIENDLY, SPEC, answered, ask, event, exchange, message, streamed, text, tool_use

from beholder.errors import AuthError, ProviderError, UsageError
from beholder.models.anthropic import STREAM_ABOVE, AnthropicModel
from beholder.models.anthropic_reply import CONTEXT_FULL
from beholder.models.endpoint import Endpoint
from beholder.sample import Sampling
from scripted_server import Reply, Request, ScriptedServer

EVENTS = (("Content-Type", "text/event-stream"),)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_what_is_sent_is_what_was_prepared() -> None:
    asked = ask(tools=(SPEC,))
    request, response = exchange(asked)
    model = AnthropicModel("anthropic/m", Endpoint(base_url="http://127.0.0.1:9"))
    assert request.body == json.loads(b"".join(model.prepare([asked])[0].chunks))
    assert (request.path, response.text, response.max_tokens) == ("/v1/messages", "T", 8192)
    assert request.headers["user-agent"].startswith("beholder/")
    assert "anthropic-version" in request.headers
    assert [image["format"] for image in response.images] == ["JPEG"]


ADDRESSES = [
    ("{}", "/v1/messages"),
    ("{}/", "/v1/messages"),
    ("{}/v1", "/v1/messages"),
    ("{}/v1/messages", "/v1/messages"),
    ("{}/proxy/anthropic?team=red", "/proxy/anthropic/v1/messages?team=red"),
]


@pytest.mark.parametrize(("base_url", "path"), ADDRESSES)
def test_addresses(base_url: str, path: str) -> None:
    with ScriptedServer(lambda request: FRIENDLY) as server:
        answered(ask(), base_url=base_url.format(server.url.removesuffix("/v1")))
        assert [request.path for request in server.requests] == [path]


def test_the_named_key_is_sent_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-another")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-of-another")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Hidden: one\nX-Other: two")
    monkeypatch.setenv("MY_KEY", "sk-12345678")
    request, _ = exchange(ask(), key_variable="MY_KEY", headers={"X-Tenant": "red"})
    assert b"sk-12345678" in request.head
    assert request.headers["x-tenant"] == "red"
    for other in (b"of-another", b"X-Hidden", b"X-Other"):
        assert other not in request.head


def test_no_key_is_sent_where_none_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-another")
    request, _ = exchange(ask(), key_variable="MY_KEY")
    assert "authorization" not in request.headers
    assert "x-api-key" not in request.headers


def test_a_header_of_the_user_stands_in_for_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-12345678")
    request, _ = exchange(ask(), headers={"Authorization": "Bearer mine"})
    assert request.headers["authorization"] == "Bearer mine"
    assert b"sk-12345678" not in request.head
    request, _ = exchange(ask(), headers={"X-Api-Key": "mine"})
    assert request.headers["x-api-key"] == "mine"
    assert b"sk-12345678" not in request.head


WHOLE = message({"type": "thinking", "thinking": "Hm.", "signature": "s"}, text("<answer>T</answer>"))
STREAM = Reply(b"".join(streamed(WHOLE)), headers=EVENTS)
IN_PIECES: list[tuple[str, Sampling, dict[str, Any], bool]] = [
    ("as it likes", Sampling(), {}, False),
    ("long answers", Sampling(max_tokens=STREAM_ABOVE + 1), {}, True),
    ("just not long", Sampling(max_tokens=STREAM_ABOVE), {}, False),
    ("asked for", Sampling(), {"stream": True}, True),
    ("asked for by the extra body", Sampling(), {"extra_body": {"stream": True}}, True),
    ("long by the extra body", Sampling(), {"extra_body": {"max_tokens": 32_000}}, True),
]


@pytest.mark.parametrize(
    ("sampling", "endpoint", "pieces"), [row[1:] for row in IN_PIECES], ids=[row[0] for row in IN_PIECES]
)
def test_what_comes_as_a_stream(sampling: Sampling, endpoint: dict[str, Any], pieces: bool) -> None:
    request, response = exchange(ask(sampling=sampling), STREAM if pieces else Reply(WHOLE), **endpoint)
    assert request.body.get("stream", False) is pieces
    assert (response.text, response.reasoning, response.finish) == ("<answer>T</answer>", "Hm.", "stop")
    assert json.loads(response.raw or b"") == json.loads(WHOLE)


def test_a_server_that_streams_nothing_is_understood() -> None:
    told = (("Content-Type", "application/json"),)
    assert exchange(ask(), Reply(WHOLE, headers=told), stream=True)[1].text == "<answer>T</answer>"


def failing(kind: str) -> bytes:
    return json.dumps({"type": "error", "error": {"type": kind, "message": "so it is"}}).encode()


def cut_stream(*more: bytes) -> Reply:
    return Reply(b"".join([*streamed(WHOLE)[:6], *more]), headers=EVENTS)


OVERLOADED = b"event: error\ndata: " + failing("overloaded_error") + b"\n\n"
REFUSED = b"event: error\ndata: " + failing("invalid_request_error") + b"\n\n"
FAULTS: list[tuple[str, Reply, dict[str, Any], str, bool]] = [
    ("slow first byte", Reply(WHOLE, first_byte=5.0), {"first_byte": 0.2}, "timeout", True),
    ("slow body", Reply(WHOLE, body_time=5.0), {"total": 0.3}, "timeout", True),
    ("reset in mid-body", Reply(WHOLE, cut_after=40), {}, "connection", True),
    ("closed without a word", Reply(refuse=True), {}, "connection", True),
    ("no JSON", Reply(b"<html>busy</html>"), {}, "broken_body", True),
    ("500", Reply(b"oops", status=500), {}, "http_500", True),
    ("429", Reply(failing("rate_limit_error"), status=429), {}, "http_429", True),
    ("529", Reply(failing("overloaded_error"), status=529), {}, "http_529", True),
    ("400", Reply(failing("invalid_request_error"), status=400), {}, "request", False),
    ("a redirect", Reply(status=307, headers=(("Location", "http://127.0.0.1:9/"),)), {}, "request", False),
    ("an error under 200", Reply(failing("overloaded_error")), {}, "http_529", True),
    ("a stream that breaks off", cut_stream(), {"stream": True}, "broken_body", True),
    ("a stream that is reset", Reply(STREAM.body, headers=EVENTS, cut_after=400), {"stream": True}, "connection", True),
    ("a stream that stops", Reply(STREAM.body, headers=EVENTS, body_time=5.0), {"stream": True, "first_byte": 0.2},
     "timeout", True),
    ("an error in mid-stream", cut_stream(OVERLOADED), {"stream": True}, "http_529", True),
    ("a refusal in mid-stream", cut_stream(REFUSED), {"stream": True}, "request", False),
    ("an event that is no JSON", cut_stream(b"event: x\ndata: {oops\n\n"), {"stream": True}, "broken_body", True),
    ("429 before a stream", Reply(failing("rate_limit_error"), status=429), {"stream": True}, "http_429", True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "endpoint", "kind", "retryable"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS]
)
def test_faults_on_the_wire(reply: Reply, endpoint: dict[str, Any], kind: str, retryable: bool) -> None:
    with pytest.raises(ProviderError) as caught:
        exchange(ask(), reply, **endpoint)
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)


def test_the_wait_that_a_server_asks_for_is_known() -> None:
    with pytest.raises(ProviderError) as caught:
        exchange(ask(), Reply(failing("rate_limit_error"), status=429, headers=(("Retry-After", "7"),)))
    assert caught.value.retry_after == 7.0


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_stops_the_run(status: int) -> None:
    with pytest.raises(AuthError):
        exchange(ask(), Reply(failing("authentication_error"), status=status))


def test_no_secret_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-12345678")
    with pytest.raises(AuthError) as caught:
        exchange(ask(), Reply(b'{"error": {"message": "bad key sk-12345678"}}', status=401))
    assert "sk-12345678" not in str(caught.value)
    for reply in (Reply(message(text("it is sk-12345678"))), Reply(failing("sk-12345678"))):
        try:
            told = repr(exchange(ask(), reply)[1])
        except ProviderError as error:
            told = repr(error)
        assert "sk-12345678" not in told


def test_a_full_context_is_the_conversations_end_with_tools_and_a_cut_without() -> None:
    full = Reply(message(text("and so"), stop=CONTEXT_FULL))
    response = exchange(ask(), full)[1]
    assert (response.text, response.finish) == ("and so", "length")
    with pytest.raises(ProviderError, match="context window") as caught:
        exchange(ask(tools=(SPEC,)), full)
    assert (caught.value.status, caught.value.retryable) == (400, False)


def test_a_picture_that_the_rules_forbid_is_a_refusal() -> None:
    error = {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"}
    body = json.dumps({"type": "error", "error": error}).encode()
    for reply, endpoint in (
        (Reply(body, status=400), {}),
        (Reply(body), {}),
        (Reply(body, status=400), {"stream": True}),
    ):
        response = exchange(ask(), reply, **endpoint)[1]
        assert (response.finish, response.text) == ("content_filter", None)
        assert response.request_hash


def test_calls_come_back() -> None:
    (one,) = exchange(ask(tools=(SPEC,)), Reply(message(tool_use("c1"), stop="tool_use")))[1].calls
    assert (one.id, one.name, json.loads(one.arguments)) == ("c1", "crop", {"box": [0, 1]})


def check(server: ScriptedServer, name: str = "anthropic/claude-a", **endpoint: Any) -> None:
    async def attempt() -> None:
        await AnthropicModel(name, Endpoint(base_url=server.url, **endpoint)).check()

    asyncio.run(attempt())


def test_a_name_that_is_listed_is_good() -> None:
    with ScriptedServer(models=["claude-a", "claude-b"]) as server:
        check(server)
        assert ([one.path for one in server.listed], server.requests) == (["/v1/models?limit=1000"], [])


@pytest.mark.parametrize(("status", "good"), [(200, True), (405, True), (404, False)])
def test_a_name_that_is_not_listed_is_asked_for(status: int, good: bool) -> None:
    """Names that stand for the newest of a line are known to the server and not in its list."""
    with ScriptedServer(lambda request: Reply(b"{}", status=status), models=["claude-a-1"]) as server:
        if good:
            check(server, "anthropic/claude/latest")
        else:
            with pytest.raises(UsageError, match="claude-a-1"):
                check(server, "anthropic/claude/latest")
        assert [one.path for one in server.requests] == ["/v1/models/claude%2Flatest"]


LISTS: list[tuple[str, Reply, str | None]] = [
    ("no list of models", Reply(b"", status=404), None),
    ("a refused key", Reply(failing("authentication_error"), status=401), "not accepted"),
    ("silence", Reply(first_byte=5.0), "No server answers"),
    ("a broken connection", Reply(refuse=True), "No server answers"),
]


@pytest.mark.parametrize(("reply", "words"), [row[1:] for row in LISTS], ids=[row[0] for row in LISTS])
def test_what_the_check_says(reply: Reply, words: str | None) -> None:
    def script(request: Request) -> Reply:
        return reply

    with ScriptedServer(models=script) as server:
        if words is None:
            check(server)
        else:
            with pytest.raises(UsageError, match=words):
                check(server, connect=0.5)


def test_pings_keep_an_answer_alive() -> None:
    """The wait is for each piece: a stream may take longer than `first_byte` in all."""
    reply = Reply(event("ping") + STREAM.body, headers=EVENTS, first_byte=0.3, body_time=0.3)
    assert exchange(ask(), reply, stream=True, first_byte=0.5)[1].finish == "stop"
