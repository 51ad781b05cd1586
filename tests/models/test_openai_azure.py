"""Azure's endpoints by their base URL: where the key goes, what stays of the query, and the list of models."""

from __future__ import annotations

import asyncio

import pytest

from beholder.models.address import is_azure, key_headers
from beholder.models.endpoint import Endpoint
from beholder.models.openai import OpenAIModel
from beholder.models.responses import ResponsesModel
from beholder.sample import Ask, BooleanTarget, Message, Response, Sample, TextPart
from scripted_server import Reply, Request, ScriptedServer, completion

PARTS = (TextPart("Is it so?"),)
SAMPLE = Sample(key="k-0", index=0, benchmark="tfq", images=(), parts=PARTS, target=BooleanTarget(True))
ASK = Ask(sample=SAMPLE, messages=(Message("user", PARTS),))
RESPONSE = b'{"output": [{"type": "message", "content": [{"type": "output_text", "text": "T"}]}]}'

HOSTS: list[tuple[str, bool]] = [
    ("https://mine.openai.azure.com/openai/v1", True),
    ("https://MINE.OpenAI.Azure.com:443/openai/deployments/d?api-version=2024-10-21", True),
    ("https://mine.cognitiveservices.azure.com/openai/v1", True),
    ("https://mine.services.ai.azure.com/openai/v1", True),
    ("https://mine.openai.azure.us/openai/v1", True),
    ("https://mine.openai.azure.com./openai/v1", True),
    ("https://openai.azure.com.evil.example/openai/v1", False),
    ("https://evil.example/mine.openai.azure.com/v1", False),
    ("https://mine.openai.azure.com@evil.example/v1", False),
    ("https://mineopenai.azure.com/v1", False),
    ("https://api.openai.com/v1", False),
    ("http://localhost:8000/v1", False),
]


@pytest.mark.parametrize(("url", "azure"), HOSTS)
def test_the_host_decides(url: str, azure: bool) -> None:
    assert is_azure(url) is azure
    assert key_headers(url, "k") == ({"api-key": "k"} if azure else {"Authorization": "Bearer k"})
    assert key_headers(url, "") == {}


WAYS: list[tuple[type[OpenAIModel] | type[ResponsesModel], str, str]] = [
    (OpenAIModel, "/openai/v1", "/openai/v1/chat/completions"),
    (
        OpenAIModel,
        "/openai/deployments/d?api-version=2024-10-21",
        "/openai/deployments/d/chat/completions?api-version=2024-10-21",
    ),
    (ResponsesModel, "/openai/v1", "/openai/v1/responses"),
    (ResponsesModel, "/openai/v1/responses?api-version=preview", "/openai/v1/responses?api-version=preview"),
]


@pytest.mark.parametrize(("kind", "path", "asked"), WAYS)
@pytest.mark.parametrize("listed", [Reply(b"{}", status=404), Reply(b'{"data": [{"id": "gpt-9-2031-01-01"}]}')])
def test_on_the_wire(
    kind: type[OpenAIModel] | type[ResponsesModel],
    path: str,
    asked: str,
    listed: Reply,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Through a proxy on loopback, which gets what the host would get."""
    monkeypatch.setenv("AZURE_KEY", "azure-secret-1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-service")
    host = "http://mine.openai.azure.com"

    async def attempt(endpoint: Endpoint) -> Response:
        model = kind("x/my-deployment", endpoint)
        await model.check()
        try:
            return await model.send(model.prepare([ASK])[0])
        finally:
            await model.close()

    def answer(request: Request) -> Reply:
        return Reply(RESPONSE if kind is ResponsesModel else completion("T"))

    with ScriptedServer(answer, models=lambda request: listed) as proxy:
        reach = Endpoint(base_url=host + path, proxy=proxy.url.removesuffix("/v1"), key_variable="AZURE_KEY")
        assert asyncio.run(attempt(reach)).text == "T"
    (request,) = proxy.requests
    assert request.path == host + asked
    assert request.body["model"] == "my-deployment"
    for one in (request, *proxy.listed):
        assert one.headers["api-key"] == "azure-secret-1"
        assert "authorization" not in one.headers


@pytest.mark.parametrize("name", ["api-key", "API-Key"])
def test_elsewhere_a_header_that_is_given_goes_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-service")

    async def attempt(endpoint: Endpoint) -> Response:
        model = OpenAIModel("openai/m", endpoint)
        try:
            return await model.send(model.prepare([ASK])[0])
        finally:
            await model.close()

    with ScriptedServer() as server:
        asyncio.run(attempt(Endpoint(base_url=server.url, headers={name: "gateway-secret"})))
    headers = server.requests[0].headers
    assert headers[name.lower()] == "gateway-secret"
    assert "authorization" not in headers
