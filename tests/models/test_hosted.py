"""What the adapters on a provider's SDK share: the HTTP client, its bounds and its proxy; an SDK that is missing."""

from __future__ import annotations

import base64
import ssl
import zlib
from pathlib import Path
from typing import Any

import pytest
from anthropic_talks import FRIENDLY, answered, ask, exchange, message, text

from beholder.errors import ProviderError, UsageError
from beholder.models import http_client
from beholder.models.anthropic import AnthropicModel
from beholder.models.endpoint import Endpoint
from scripted_server import Reply, ScriptedServer

PEM = Path(__file__).with_name("loopback.pem")


def fault(reply: Reply, **endpoint: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        exchange(ask(), reply, **endpoint)
    return caught.value


@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_without_end_is_not_read(monkeypatch: pytest.MonkeyPatch, stream: bool) -> None:
    monkeypatch.setattr(http_client, "BODY_LIMIT", 1000)
    told = (("Content-Type", "text/event-stream"),)
    error = fault(Reply(b": " + b"x" * 2000, headers=told), stream=stream)
    assert (error.kind, error.retryable) == ("broken_body", False)
    assert "larger" in str(error)


def test_a_packed_reply_is_refused_and_not_unpacked() -> None:
    packed = zlib.compress(message(text("T")))
    error = fault(Reply(packed, headers=(("Content-Encoding", "deflate"),)))
    assert (error.kind, "compressed" in str(error)) == ("broken_body", True)
    assert exchange(ask())[0].headers["accept-encoding"] == "identity"


def test_a_missing_sdk_is_told_with_its_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("no_such_sdk", "no_such_house.sdk"):
        monkeypatch.setattr(AnthropicModel, "sdk", module)
        with pytest.raises(UsageError, match=r"pip install 'beholder\[anthropic\]'"):
            AnthropicModel("anthropic/m", Endpoint(base_url="http://127.0.0.1:9"))


def test_a_proxy_is_used_and_its_password_sent_there_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with ScriptedServer(lambda request: FRIENDLY) as proxy:
        address = f"http://me:pw@127.0.0.1:{proxy.port}"
        assert answered(ask(), base_url="http://model.invalid", proxy=address).text == "T"
        (request,) = proxy.requests
        assert request.path == "http://model.invalid/v1/messages"
        assert request.headers["proxy-authorization"] == "Basic " + base64.b64encode(b"me:pw").decode()


def test_the_proxy_of_the_environment_is_used_unless_it_is_told_not_to(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(lambda request: FRIENDLY) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        exchange(ask())
        assert proxy.requests == []
        monkeypatch.setenv("no_proxy", "")
        answered(ask(), base_url="http://model.invalid")
        assert len(proxy.requests) == 1


def test_a_certificate_is_trusted_only_if_it_is_given(tmp_path: Path) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(PEM)
    with ScriptedServer(lambda request: FRIENDLY, tls=tls) as server:
        assert answered(ask(), base_url=server.url, ca_file=PEM).text == "T"
        with pytest.raises(ProviderError, match=r"(?i)certificate") as caught:
            answered(ask(), base_url=server.url)
        assert caught.value.kind == "connection"
        assert len(server.requests) == 1
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("not a certificate")
    with pytest.raises(UsageError, match=r"wrong\.pem"):
        answered(ask(), base_url="https://127.0.0.1:9", ca_file=wrong)


def test_nothing_that_is_no_failure_of_the_connection_is_taken_for_one() -> None:
    model = AnthropicModel("anthropic/m", Endpoint(base_url="http://127.0.0.1:9"))
    told = model.broken(RuntimeError("what is this?"))
    assert isinstance(told, ProviderError)
    assert (told.kind, str(told)) == ("connection", "The connection failed: what is this?")
    wrapped = RuntimeError("Connection error.")
    wrapped.__cause__ = ProviderError("too large", kind="broken_body")
    assert model.broken(wrapped) is wrapped.__cause__
