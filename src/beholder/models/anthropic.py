"""Anthropic's Messages API by the official SDK.

The SDK sends and retries nothing of its own; the request is our plain JSON (`anthropic_body`) and what is journaled is
the message as it came, or as it was put together from a stream.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlunsplit

import msgspec

from beholder import __version__
from beholder.errors import ProviderError
from beholder.images.wire import Sent
from beholder.models.address import split_url
from beholder.models.anthropic_body import limit_of, messages_body
from beholder.models.anthropic_reply import CONTEXT_FULL, MessageInPieces, decoded, read_message, status_of
from beholder.models.capabilities import Capabilities
from beholder.models.hosted import Base64Of, HostedModel, Refused
from beholder.models.listing import Listing, lacks, read_listing
from beholder.models.model import Prepared
from beholder.sample import Ask, Response

if TYPE_CHECKING:
    import anthropic

STREAM_ABOVE = 8192
"""Tokens of the longest answer that is waited for in one piece. Longer ones come as a stream, so that no time-out on
the way ends them; the SDK draws the line at 8,192 for some models and at 21,333 for the others."""


class AnthropicModel(HostedModel):
    """One model of Anthropic, or of a server that speaks its Messages API."""

    wire = "anthropic"
    sdk = "anthropic"
    extra = "anthropic"
    key_header = "x-api-key"
    capabilities = Capabilities(tools=True, pictures_in_tool_messages=True, most_pictures=100, longest_side=8000)
    _client: anthropic.AsyncAnthropic | None = None

    def body(self, ask: Ask, sent: dict[int, Sent], base64_of: Base64Of) -> dict[str, Any]:
        return messages_body(self.model, ask, sent, base64_of)

    def limit(self, ask: Ask) -> int:
        return limit_of(ask)

    async def call(self, body: dict[str, Any]) -> bytes:
        import httpx2
        from anthropic import AnthropicError, APIStatusError, AsyncStream

        client = self._open()
        limit = body.get("max_tokens")
        streams = self.endpoint.stream or body.get("stream") or (isinstance(limit, int) and limit > STREAM_ABOVE)
        try:
            if not streams:
                return _without_error((await client.post("/v1/messages", body=body, cast_to=httpx2.Response)).content)
            stream = await client.post(
                "/v1/messages",
                body=body | {"stream": True},
                cast_to=object,
                stream=True,
                stream_cls=AsyncStream[object],
            )
            async with stream:
                return await _message_of(stream)
        except APIStatusError as error:
            status = error.response.status_code
            if status == 200:  # in mid-stream
                raise Refused(status_of(error.body) or 500, _error_text(error.body)) from None
            raise Refused(status, error.response.content, error.response.headers.get("retry-after")) from None
        except (AnthropicError, httpx2.HTTPError) as error:
            raise self.broken(error) from None
        except ValueError as error:  # the SDK's, of an event that is no JSON or no text
            words = self.secrets.hidden(" ".join(str(error).split())[:100])
            raise ProviderError(
                f"The server's stream makes no sense ({words}).", kind="broken_body", retryable=True
            ) from None

    def read(self, reply: bytes) -> Response:
        return read_message(reply)

    async def send(self, prepared: Prepared) -> Response:
        """One attempt. A context that became full is a request that was too long where tools may have filled it, and
        the conversation then goes on with fewer pictures or ends; elsewhere the answer was cut."""
        response = await super().send(prepared)
        if response.finish != CONTEXT_FULL:
            return response
        if prepared.ask.tools:
            raise ProviderError("The context window was full before the answer ended.", kind="request", status=400)
        return msgspec.structs.replace(response, finish="length")

    async def listing(self) -> Listing:
        found = read_listing(*await self._get("/v1/models?limit=1000"))
        if lacks(found, self.model):  # names such as claude-NAME-latest are known and not listed
            status, _ = await self._get(f"/v1/models/{quote(self.model, safe='')}")
            if status != 404:  # nothing is known against it
                return Listing(status)
        return found

    async def _get(self, path: str) -> tuple[int, bytes]:
        import httpx2
        from anthropic import AnthropicError, APIStatusError

        try:
            reply = await self._open().get(path, cast_to=httpx2.Response)
        except APIStatusError as error:
            status = error.response.status_code
            if status in (401, 403):
                raise Refused(status, error.response.content) from None
            return status, b""
        except (AnthropicError, httpx2.HTTPError) as error:
            raise self.broken(error) from None
        return reply.status_code, reply.content

    def _open(self) -> anthropic.AsyncAnthropic:
        if self._client is None:
            from anthropic import AsyncAnthropic, Omit

            from beholder.models.http_client import open_client

            address, query = _address(self.endpoint.base_url)
            headers: dict[str, Any] = {name: Omit() for name in _headers_of_the_environment()}
            headers |= {"User-Agent": f"beholder/{__version__}"} | ({} if self.key else {"Authorization": Omit()})
            self._client = AsyncAnthropic(
                api_key=self.key,  # even if empty: the SDK must not look for another one than that which was named
                base_url=address,
                default_query=query,
                default_headers=headers | self.endpoint.headers,
                max_retries=0,
                open_telemetry=False,
                http_client=open_client(self.endpoint, self.proxy),
            )
        return self._client

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None


async def _message_of(stream: anthropic.AsyncStream[object]) -> bytes:
    """The message that a stream brings, as JSON. A server that streams nothing has answered with the message itself."""
    if stream.response.headers.get("content-type", "").startswith("application/json"):
        return _without_error(await stream.response.aread())
    pieces = MessageInPieces()
    async for event in stream:
        pieces.add(event)
    return pieces.body()


def _without_error(reply: bytes) -> bytes:
    """A reply that is no error. Some servers in between answer 200 and put an error into the body."""
    if b'"error"' in reply[:200]:
        status = status_of(decoded(reply))
        if status is not None:
            raise Refused(status, reply)
    return reply


def _error_text(body: object) -> bytes:
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


def _address(base_url: str) -> tuple[str, dict[str, str]]:
    """The address that the SDK puts its paths behind, and the query that goes with each request."""
    parts = split_url(base_url)
    path = parts.path.rstrip("/").removesuffix("/messages").removesuffix("/v1")
    return urlunsplit((parts.scheme, parts.netloc, path, "", "")), dict(parse_qsl(parts.query, keep_blank_values=True))


def _headers_of_the_environment() -> list[str]:
    """Names of headers that the SDK would send of itself: no option said so, and no journal would know of them."""
    lines = os.environ.get("ANTHROPIC_CUSTOM_HEADERS", "").split("\n")
    return [name.strip() for name, colon, _ in (line.partition(":") for line in lines) if colon and name.strip()]
