"""Reaching a server: proxies, certificates, time-outs, broken connections; and what is never told on the way."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from beholder.errors import AuthError, ProviderError, UsageError
from beholder.models.address import environment_proxy, scrub, scrub_url, usable_proxy
from beholder.models.endpoint import Endpoint
from beholder.models.openai import OpenAIModel
from beholder.sample import Ask, BooleanTarget, Message, Response, Sample, TextPart
from scripted_server import Reply, Request, ScriptedServer, completion

PEM = Path(__file__).with_name("loopback.pem")
"""A certificate for 127.0.0.1 that signs itself, with its key."""

PARTS = (TextPart("Is it so?"),)
SAMPLE = Sample(key="k-0", index=0, benchmark="tfq", images=(), parts=PARTS, target=BooleanTarget(True))
ASK = Ask(sample=SAMPLE, messages=(Message("user", PARTS),))
NOWHERE = "http://127.0.0.1:9/v1"


def send(**endpoint: Any) -> Response:
    """One attempt at one question."""

    async def attempt() -> Response:
        model = OpenAIModel("openai/m", Endpoint(**endpoint))
        try:
            return await model.send(model.prepare([ASK])[0])
        finally:
            await model.close()

    return asyncio.run(attempt())


def check(**endpoint: Any) -> None:
    async def attempt() -> None:
        model = OpenAIModel("openai/m", Endpoint(**endpoint))
        try:
            await model.check()
        finally:
            await model.close()

    asyncio.run(attempt())


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY"])
def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with ScriptedServer() as proxy:
        monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
        if name == "HTTP_PROXY":
            monkeypatch.delenv("REQUEST_METHOD", raising=False)
        check(base_url="http://model.invalid/v1")
        assert send(base_url="http://model.invalid/v1").text is not None
        assert [request.path for request in proxy.requests] == ["http://model.invalid/v1/chat/completions"]
        assert proxy.model_lists == 1


@pytest.mark.parametrize("spared", ["127.0.0.1", "10.0.0.1, 127.0.0.1", "*", "127.0.0.1:{port}"])
def test_no_proxy_is_respected(monkeypatch: pytest.MonkeyPatch, spared: str) -> None:
    with ScriptedServer() as proxy, ScriptedServer() as server:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("no_proxy", spared.format(port=server.port))
        send(base_url=server.url)
        assert [request.path for request in server.requests] == ["/v1/chat/completions"]
        assert proxy.requests == []


def test_a_proxy_that_is_named_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer() as proxy:
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
        monkeypatch.setenv("no_proxy", "*")
        address = f"http://me:pw@127.0.0.1:{proxy.port}"
        send(base_url="http://model.invalid/v1", proxy=address)
        (request,) = proxy.requests
        assert request.headers["proxy-authorization"] == "Basic " + base64.b64encode(b"me:pw").decode()


def test_https_has_its_own_proxy_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    assert environment_proxy("https://host/v1") == "http://proxy:3128"
    assert environment_proxy("http://host/v1") is None


def test_a_certificate_is_trusted_only_if_it_is_given() -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(PEM)
    with ScriptedServer(tls=tls) as server:
        assert send(base_url=server.url, ca_file=PEM).text is not None
        with pytest.raises(ProviderError, match="certificate") as caught:
            send(base_url=server.url)
        assert caught.value.kind == "connection"
        with pytest.raises(UsageError, match="certificate"):
            check(base_url=server.url)


def test_a_file_that_holds_no_certificate_is_named(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("not a certificate")
    with pytest.raises(UsageError, match=r"wrong\.pem"):
        check(base_url="https://127.0.0.1:9/v1", ca_file=wrong)


FAULTS: list[tuple[str, Reply, dict[str, Any], str, bool]] = [
    ("slow first byte", Reply(first_byte=5.0), {"first_byte": 0.1}, "timeout", True),
    ("slow body", Reply(body_time=5.0), {"total": 0.15}, "timeout", True),
    ("reset in mid-body", Reply(cut_after=40), {}, "connection", True),
    ("closed without a word", Reply(refuse=True), {}, "connection", True),
    ("invalid JSON", Reply(b"<html>busy</html>"), {}, "broken_body", True),
    ("empty choices", Reply(b'{"choices":[]}'), {}, "empty_choices", True),
    ("500", Reply(b"oops", status=500), {}, "http_500", True),
    ("503 in words of its own", Reply(b'{"detail":"loading"}', status=503), {}, "http_503", True),
    ("400", Reply(b'{"error":{"message":"image too large"}}', status=400), {}, "request", False),
]


@pytest.mark.parametrize(
    ("reply", "endpoint", "kind", "retryable"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS]
)
def test_faults_have_a_kind(reply: Reply, endpoint: dict[str, Any], kind: str, retryable: bool) -> None:
    started = time.monotonic()
    with ScriptedServer(lambda request: reply) as server, pytest.raises(ProviderError) as caught:
        send(base_url=server.url, **endpoint)
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)
    assert "\n" not in str(caught.value)
    assert time.monotonic() - started < 3


def test_a_wait_that_the_server_asks_for_is_kept() -> None:
    reply = Reply(b"{}", status=429, headers=(("Retry-After", "2"),))
    with ScriptedServer(lambda request: reply) as server, pytest.raises(ProviderError) as caught:
        send(base_url=server.url)
    assert (caught.value.kind, caught.value.retry_after) == ("http_429", 2.0)


def test_nobody_there_is_told_within_seconds() -> None:
    with pytest.raises(ProviderError) as caught:
        send(base_url=NOWHERE)
    assert (caught.value.kind, caught.value.retryable) == ("connection", True)
    with pytest.raises(UsageError, match=r"No server answers at http://127\.0\.0\.1:9/v1 .*base-url"):
        check(base_url=NOWHERE)


def test_a_reply_without_end_is_not_read_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beholder.models.openai._BODY_LIMIT", 100_000)
    endless = Reply(completion("x" * 200_000))
    with ScriptedServer(lambda request: endless) as server, pytest.raises(ProviderError, match="larger than") as caught:
        send(base_url=server.url)
    assert not caught.value.retryable


KEY = "sk-very-secret-0123456789"


def quoting(status: int, make: Callable[[Request], bytes]) -> Callable[[Request], Reply]:
    """A server that quotes what it was sent when it complains."""
    return lambda request: Reply(make(request), status=status)


def in_error(request: Request) -> bytes:
    said = f"Incorrect key: {request.headers.get('authorization')} {request.headers.get('x-api-key')} {request.raw!r}"
    return json.dumps({"error": {"message": said, "code": 401 if "401" in request.path else 500}}).encode()


COMPLAINTS = [(status, path) for status in (200, 400, 401, 403, 500) for path in ("v1", "401/v1")]


@pytest.mark.parametrize(("status", "path"), COMPLAINTS)
def test_no_secret_gets_into_an_error(monkeypatch: pytest.MonkeyPatch, status: int, path: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ScriptedServer(quoting(status, in_error)) as server, pytest.raises(ProviderError) as caught:
        send(
            base_url=f"http://127.0.0.1:{server.port}/{path}?api_key=hush-in-the-url",
            headers={"X-Api-Key": "hush-in-a-header"},
            extra_body={"nested": {"access_token": "hush-in-the-body"}},
        )
    told = f"{caught.value} {caught.value!r} {caught.value.args}"
    assert "Incorrect key" in told
    assert KEY not in told
    assert "hush" not in told
    if status in (401, 403) or (status == 200 and path.startswith("401")):
        assert isinstance(caught.value, AuthError)


def test_no_secret_gets_into_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = OpenAIModel(
        "openai/m",
        Endpoint(
            base_url="http://me:hush-user@127.0.0.1:9/v1?token=hush-query",
            headers={"X-Api-Key": "hush-header"},
            extra_body={"top_k": 1, "provider": [{"api_key": "hush-body"}]},
        ),
    )
    (prepared,) = model.prepare([ASK])
    kept = f"{model!r} {model.identity()} {prepared.record!r} {prepared.request_hash}"
    assert KEY not in kept
    assert "hush" not in kept
    assert json.loads(prepared.record)["top_k"] == 1
    assert json.loads(b"".join(prepared.chunks))["provider"] == [{"api_key": "hush-body"}]


def test_a_proxy_that_refuses_does_not_show_its_password() -> None:
    with pytest.raises(ProviderError) as caught:
        send(base_url="http://model.invalid/v1", proxy="http://me:hush@127.0.0.1:9")
    assert "hush" not in str(caught.value)


SCRUBBED = [
    ("http://host/v1", "http://host/v1"),
    ("https://me:pw@host:8000/v1?api_key=abc&x=1", "https://***@host:8000/v1?api_key=***&x=1"),
    ("http://host/v1?access_token=abc&max_tokens=5", "http://host/v1?access_token=***&max_tokens=5"),
    ("http://a@b@host/v1", "http://***@host/v1"),
]


@pytest.mark.parametrize(("url", "scrubbed"), SCRUBBED)
def test_scrubbed_urls(url: str, scrubbed: str) -> None:
    assert scrub_url(url) == scrubbed


def test_scrubbed_bodies() -> None:
    body = {
        "max_tokens": 5,
        "password": "x",
        "list": [{"secret": "x", "plain": "y"}],
        "tokens": [1, 2],
        "authorization": {"scheme": "x", "values": ["x", 7]},
    }
    scrubbed = scrub(body)
    assert scrubbed["max_tokens"] == 5
    assert scrubbed["password"] == "***"
    assert scrubbed["list"] == [{"secret": "***", "plain": "y"}]
    assert scrubbed["tokens"] == [1, 2]
    assert scrubbed["authorization"] == {"scheme": "***", "values": ["***", 7]}
    assert body["password"] == "x"


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000",
        "ftp://host/v1",
        "http://",
        "http://me:hush@",
        "",
        "http:///v1",
        "http://[::1",
        "http://h:99999/v1",
    ],
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(UsageError, match="is not an address") as caught:
        OpenAIModel("openai/m", Endpoint(base_url=url))
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("proxy:3128", "http://proxy:3128"),
        ("http://me:pw@proxy:3128", "http://me:pw@proxy:3128"),
        ("https://proxy", "https://proxy"),
        ("", None),
        (None, None),
    ],
)
def test_proxies_are_written_as_curl_takes_them(given: str | None, used: str | None) -> None:
    assert usable_proxy(given) == used


@pytest.mark.parametrize("proxy", ["socks5://me:hush@host:1", "http://", "http://me:hush@[", "//me:hush@"])
def test_what_is_no_proxy(proxy: str) -> None:
    with pytest.raises(UsageError, match="proxy") as caught:
        OpenAIModel("openai/m", Endpoint(base_url=NOWHERE, proxy=proxy))
    assert "hush" not in str(caught.value)
