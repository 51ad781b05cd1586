"""Credentials go to the address that was given and nowhere else: not along a redirect, not into words, not to disk."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.errors import ProviderError, UsageError
from beholder.models.address import scrub_url
from beholder.models.endpoint import Endpoint
from beholder.models.openai import OpenAIModel
from beholder.sample import Ask, BooleanTarget, Message, Response, Sample, TextPart
from scripted_server import Reply, Request, ScriptedServer, completion

PARTS = (TextPart("Is it so?"),)
SAMPLE = Sample(key="k-0", index=0, benchmark="tfq", images=(), parts=PARTS, target=BooleanTarget(True))
ASK = Ask(sample=SAMPLE, messages=(Message("user", PARTS),))
KEY = "sk-very/secret-0123456789"


def send(**endpoint: Any) -> Response:
    async def attempt() -> Response:
        model = OpenAIModel("openai/m", Endpoint(**endpoint))
        try:
            return await model.send(model.prepare([ASK])[0])
        finally:
            await model.close()

    return asyncio.run(attempt())


def check(**endpoint: Any) -> None:
    asyncio.run(OpenAIModel("openai/m", Endpoint(**endpoint)).check())


def told_by(act: Callable[..., Any], **endpoint: Any) -> str:
    with pytest.raises((ProviderError, UsageError)) as caught:
        act(**endpoint)
    return f"{caught.value} {caught.value!r}"


SCRUBBED = [
    ("me:hush@127.0.0.1:9001", "***@127.0.0.1:9001"),
    ("hush@proxy", "***@proxy"),
    ("//me:hush@proxy:1", "***@proxy:1"),
    ("http:me:hush@proxy", "***@proxy"),
    ("proxy:3128", "proxy:3128"),
    ("localhost,10.0.0.1,.example.org", "localhost,10.0.0.1,.example.org"),
    ("http://me:hu/sh@proxy", "***"),
    ("http://me:hu?sh@proxy", "***"),
    ("http://me:hush@", "***"),
    ("http://me:hush@[", "***"),
    ("localhost?api_key=hush@x", "***"),
    ("localhost?api_key=hush", "localhost?api_key=***"),
    ("me:12?hush@host", "***"),
    ("[::1?api_key=hush", "[::1?***"),
    ("http://host/v1?a=1;api%5Fkey=hush", "http://host/v1?a=1;api%5Fkey=***"),
    ("http://host/users/a@b", "http://host/users/a@b"),
    ("", ""),
]


@pytest.mark.parametrize(("url", "scrubbed"), SCRUBBED)
def test_any_form_of_a_url_is_told_without_its_secrets(url: str, scrubbed: str) -> None:
    assert scrub_url(url) == scrubbed


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ahm:/@?#[].%&=1\n", max_size=20))
def test_no_user_information_outlives_the_scrubbing(text: str) -> None:
    told = scrub_url(text)
    if "://" not in text and "/" not in text:
        assert "@" not in told or told.startswith("***@")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ScriptedServer() as other:

        def elsewhere(request: Request) -> Reply:
            path = request.path.partition("?")[0]
            target = f"http://me:hush-user@127.0.0.1:{other.port}{path}?token=hush-query"
            return Reply(b"", status=status, headers=(("Location", target),))

        with ScriptedServer(elsewhere, models=elsewhere) as server:
            reach = {"base_url": server.url, "headers": {"X-Api-Key": "hush-header"}}
            with pytest.raises(ProviderError, match="redirects to") as caught:
                send(**reach)
            assert (caught.value.kind, caught.value.retryable) == ("request", False)
            for told in (str(caught.value), told_by(check, **reach)):
                assert f"redirects to http://***@127.0.0.1:{other.port}/v1?token=***" in told
                assert "give that as --base-url" in told
                assert "hush" not in told
        assert other.requests == []
        assert other.model_lists == 0


@pytest.mark.parametrize("location", [None, "", "http://[::1", "file:///etc/passwd", "/v2/chat/completions"])
def test_a_redirect_to_nowhere_is_one_line(location: str | None) -> None:
    headers = (("Location", location),) if location is not None else ()
    with ScriptedServer(lambda request: Reply(b"", status=302, headers=headers)) as server:
        told = told_by(send, base_url=server.url)
        target = f"http://127.0.0.1:{server.port}/v2" if location and "v2" in location else "elsewhere"
    assert f"redirects to {target} (HTTP 302)" in told


REFUSING = Reply(b"who are you?", status=407)


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("form", ["http://me:hush-pw@{}", "me:hush-pw@{}"])
def test_a_proxy_that_asks_for_a_password_is_named(scheme: str, form: str) -> None:
    def refuse(request: Request) -> Reply:
        return REFUSING

    # For https the proxy is asked for a tunnel, which the scripted server takes for a chat request.
    with ScriptedServer(refuse, models=refuse) as proxy:
        proxy_url = form.format(f"127.0.0.1:{proxy.port}")
        told = told_by(check, base_url=f"{scheme}://model.invalid/v1", proxy=proxy_url)
    assert "hush" not in told
    assert f"The proxy http://***@127.0.0.1:{proxy.port}" in told
    assert "--proxy" in told
    assert "NO_PROXY" in told


def test_a_proxy_that_is_not_there_is_named() -> None:
    told = told_by(check, base_url="http://model.invalid/v1", proxy="me:hush-pw@127.0.0.1:9")
    assert "The proxy http://***@127.0.0.1:9 does not let requests through" in told
    assert "hush" not in told


def test_a_server_silent_behind_a_proxy_names_both() -> None:
    with ScriptedServer(models=lambda request: Reply(refuse=True)) as proxy:
        told = told_by(check, base_url="http://model.invalid/v1", proxy=f"me:hush-pw@127.0.0.1:{proxy.port}")
    assert "No server answers at http://model.invalid/v1 through the proxy http://***@127.0.0.1" in told
    assert "the proxy (--proxy" in told
    assert "hush" not in told


def echo(request: Request) -> Reply:
    said = {"authorization": request.headers.get("authorization"), "x": request.headers.get("x-api-key")}
    body = json.loads(completion(f"<answer>T</answer> {said['authorization']}")) | {"debug": said}
    return Reply(json.dumps(body).replace("/secret", "\\/secret").encode())


def test_an_answer_that_echoes_the_key_is_kept_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ScriptedServer(echo) as server:
        response = send(base_url=server.url, headers={"X-Api-Key": "hush-in-a-header"})
    assert response.text == "<answer>T</answer> Bearer ***"
    assert response.raw is not None
    assert b"0123456789" not in response.raw
    assert b"hush" not in response.raw
    assert json.loads(response.raw)["debug"] == {"authorization": "Bearer ***", "x": "***"}


def test_a_key_that_guards_nothing_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    body = completion("The street is EMPTY.")
    with ScriptedServer(lambda request: Reply(body)) as server:
        assert send(base_url=server.url).raw == body


@pytest.mark.parametrize("url", ["localhost/v1?api_key=hush", "ftp://me:hush@host/v1", "me:hush@host"])
def test_a_malformed_base_url_is_told_without_its_secrets(url: str) -> None:
    told = told_by(check, base_url=url)
    assert "is not an address" in told
    assert "hush" not in told


VARIANTS: list[tuple[str, dict[str, str], dict[str, str], bool]] = [
    ("another value", {"X-Variant": "A"}, {"X-Variant": "B"}, False),
    ("the same", {"X-Variant": "A"}, {"X-Variant": "A"}, True),
    ("two that run together", {"A": "b", "C": "d"}, {"A": "bC", "C": "d"}, False),
    ("another key", {"X-Api-Key": "one"}, {"X-Api-Key": "two"}, True),
    ("another login", {"Authorization": "one"}, {"Authorization": "two"}, True),
    ("another key beside a value", {"X": "A", "Cookie": "1"}, {"X": "A", "Cookie": "2"}, True),
]


@pytest.mark.parametrize(("one", "other", "equal"), [row[1:] for row in VARIANTS], ids=[row[0] for row in VARIANTS])
def test_a_header_that_may_choose_what_answers_makes_another_request(
    one: dict[str, str], other: dict[str, str], equal: bool
) -> None:
    models = [OpenAIModel("openai/m", Endpoint(base_url="http://h/v1", headers=headers)) for headers in (one, other)]
    identities = [model.identity() for model in models]
    assert (identities[0] == identities[1]) is equal
    hashes = [model.prepare([ASK])[0].request_hash for model in models]
    assert (hashes[0] == hashes[1]) is equal
