"""The Gemini API against a scripted server: what arrives, errors, keys, proxies, time-outs."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from beholder.errors import AuthError, ProviderError, UsageError
from beholder.images.wire import GOOGLE
from beholder.models.endpoint import Endpoint
from beholder.models.google import GoogleModel
from beholder.models.served import SERVED
from beholder.sample import Ask, BooleanTarget, Message, Response, Sample, TextPart
from scripted_server import Reply, Request, ScriptedServer

KEY = "a-key-of-google-0123"
ANSWER = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "T"}]}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 1},
}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.setenv("GOOGLE_API_KEY", "another-key-0123")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_GENAI_API_VERSION", "v9")


def answer(request: Request) -> Reply:
    return Reply(json.dumps(ANSWER).encode())


def error(status: int, message: str = "no", **more: Any) -> Reply:
    return Reply(json.dumps({"error": {"code": status, "message": message, **more}}).encode(), status)


def known(*names: str) -> Callable[[Request], Reply]:
    return lambda request: Reply(json.dumps({"models": [{"name": f"models/{name}"} for name in names]}).encode())


def model_at(server: ScriptedServer, **endpoint: Any) -> GoogleModel:
    url = endpoint.pop("base_url", server.url.removesuffix("/v1"))
    endpoint = {"key_variable": "GEMINI_API_KEY", "connect": 5.0} | endpoint
    return GoogleModel("google/gem", Endpoint(base_url=url, policy=GOOGLE, **endpoint))


def ask() -> Ask:
    sample = Sample(key="k", index=0, benchmark="tfq", images=(), parts=(), target=BooleanTarget(True))
    return Ask(sample=sample, messages=(Message("user", (TextPart("Is it?"),)),))


def send(model: GoogleModel) -> Response:
    async def once() -> Response:
        try:
            return await model.send(model.prepare([ask()])[0])
        finally:
            await model.close()

    return asyncio.run(once())


def check(model: GoogleModel) -> None:
    asyncio.run(model.check())


def test_what_arrives_is_what_was_prepared(caplog: pytest.LogCaptureFixture) -> None:
    with ScriptedServer(answer) as server, caplog.at_level(logging.WARNING):
        model = model_at(server, headers={"X-Team": "vision"}, extra_body={"safetySettings": [{"category": "X"}]})
        prepared = model.prepare([ask()])[0]
        response = send(model)
    (request,) = server.requests
    assert request.path == "/v1/models/gem:generateContent"
    assert request.body == json.loads(b"".join(prepared.chunks))
    assert request.body == json.loads(prepared.record)
    assert (request.headers["x-goog-api-key"], request.headers["x-team"]) == (KEY, "vision")
    assert "beholder/" in request.headers["user-agent"]
    assert response.raw == json.dumps(ANSWER).encode()
    assert response.text == "T"
    assert caplog.records == []


@pytest.mark.parametrize(
    ("reply", "kind", "status", "retryable", "wait"),
    [
        (error(503, "overloaded"), "http_503", 503, True, None),
        (error(429, details=[{"retryDelay": "2.5s"}]), "http_429", 429, True, 2.5),
        (Reply(b"busy", 429, headers=(("Retry-After", "7"),)), "http_429", 429, True, 7.0),
        (Reply(b'"\xff', 500), "broken_body", None, True, None),
        (error(400, "bad picture"), "request", 400, False, None),
        (error(404, "no such model"), "request", 404, False, None),
        (Reply(b"", 302, headers=(("Location", "http://127.0.0.1:9/"),)), "request", 302, False, None),
        (Reply(b"{", 200), "broken_body", None, True, None),
        (Reply(cut_after=10), "connection", None, True, None),
        (Reply(refuse=True), "connection", None, True, None),
    ],
)
def test_failures(reply: Reply, kind: str, status: int | None, retryable: bool, wait: float | None) -> None:
    with ScriptedServer(lambda request: reply) as server, pytest.raises(ProviderError) as raised:
        send(model_at(server))
    found = raised.value
    assert (found.kind, found.status, found.retryable, found.retry_after) == (kind, status, retryable, wait)
    assert len(server.requests) == 1, "the SDK tried again by itself"


@pytest.mark.parametrize(
    "reply",
    [error(401), error(403), error(400, f"API key {KEY} not valid", details=[{"reason": "API_KEY_INVALID"}])],
)
def test_a_refused_key_stops_the_run_and_is_not_told(reply: Reply) -> None:
    with ScriptedServer(lambda request: reply) as server, pytest.raises(AuthError) as raised:
        send(model_at(server))
    assert KEY not in str(raised.value)


def test_time_outs_are_ours() -> None:
    with ScriptedServer(lambda request: Reply(first_byte=5.0)) as server:
        with pytest.raises(ProviderError, match="in time") as raised:
            send(model_at(server, first_byte=0.1))
        assert raised.value.kind == "timeout"
        with pytest.raises(ProviderError, match="in time"):
            send(model_at(server, total=0.1))


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        ({"key_variable": "NOWHERE"}, {"x-goog-api-key": None, "authorization": None}),
        ({"headers": {"Authorization": "Bearer t"}}, {"x-goog-api-key": None, "authorization": "Bearer t"}),
        (
            {"key_variable": "NOWHERE", "headers": {"X-Goog-Api-Key": "mine"}},
            {"x-goog-api-key": "mine", "authorization": None},
        ),
        ({"headers": {"x-goog-api-key": "mine"}}, {"x-goog-api-key": "mine", "authorization": None}),
    ],
)
def test_only_the_credentials_that_were_named_are_sent(endpoint: Any, expected: dict[str, str | None]) -> None:
    with ScriptedServer(answer) as server:
        send(model_at(server, **endpoint))
    headers = server.requests[0].headers
    assert {name: headers.get(name) for name in expected} == expected


def test_the_address_may_hold_a_version_and_a_query() -> None:
    with ScriptedServer(answer) as server:
        base = server.url.removesuffix("/v1")
        send(model_at(server, base_url=f"{base}/gate/v1beta?tenant=a"))
    assert server.requests[0].path == "/gate/v1beta/models/gem:generateContent?tenant=a"


def test_what_would_do_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="Leave --stream out"):
        GoogleModel("google/gem", Endpoint(base_url="http://127.0.0.1:9", stream=True))


def test_a_proxy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(answer) as proxy:
        model = model_at(proxy, base_url="http://gemini.invalid", proxy=f"http://127.0.0.1:{proxy.port}")
        assert send(model).text == "T"
    assert proxy.requests[0].path == "http://gemini.invalid/v1/models/gem:generateContent"


def test_a_file_without_certificates_is_told(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text("nothing")
    with ScriptedServer(answer) as server, pytest.raises(UsageError, match="--ca-file"):
        send(model_at(server, ca_file=file))


@pytest.mark.parametrize(
    ("listed", "asked", "words"),
    [
        (known("gem"), answer, None),
        (known("tuned", "gem"), answer, None),
        (known("other"), lambda request: Reply(b'{"name": "models/gem"}'), None),
        (known("gemma"), lambda request: error(404), "serves no model 'gem'.*gemma"),
        (lambda request: error(404), answer, None),
        (lambda request: Reply(b"hello"), answer, None),
        (lambda request: Reply(b'{"models": 7}'), answer, None),
        (lambda request: error(403), answer, "key is not accepted.*403"),
        (lambda request: error(400, details=[{"reason": "API_KEY_INVALID"}]), answer, "key is not accepted"),
        (lambda request: Reply(refuse=True), answer, "No server answers"),
    ],
)
def test_the_check_asks_for_the_models(listed: Any, asked: Any, words: str | None) -> None:
    with ScriptedServer(asked, models=listed) as server:
        if words is None:
            check(model_at(server))
        else:
            with pytest.raises(UsageError, match=words):
                check(model_at(server))
    assert server.listed[0].headers["x-goog-api-key"] == KEY


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("a", "b", "GEMINI_API_KEY"),
        ("a", None, "GEMINI_API_KEY"),
        (None, "b", "GOOGLE_API_KEY"),
        (None, None, "GEMINI_API_KEY"),
    ],
)
def test_the_other_variable_is_read_where_the_first_is_not_set(
    monkeypatch: pytest.MonkeyPatch, first: str | None, second: str | None, expected: str
) -> None:
    for name, value in (("GEMINI_API_KEY", first), ("GOOGLE_API_KEY", second)):
        monkeypatch.delenv(name)
        if value is not None:
            monkeypatch.setenv(name, value)
    assert SERVED["google"].key_at_hand == expected
