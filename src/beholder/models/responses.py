"""OpenAI's Responses API by the official SDK, with the provider's own code interpreter as a tool.

The request is our plain JSON (`responses_body`); the SDK sends it, adds nothing that the options do not say, and
retries nothing.
"""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlunsplit

import yarl

from beholder import __version__
from beholder.errors import ProviderError, UsageError
from beholder.images.wire import Sent
from beholder.models.address import is_azure, key_headers, models_url, redirected_base, scrub_url, split_url, with_v1
from beholder.models.capabilities import Capabilities
from beholder.models.chat_body import json_value
from beholder.models.chat_reply import shortened
from beholder.models.hosted import Base64Of, HostedModel, Refused
from beholder.models.listing import Listing, read_listing
from beholder.models.provider_work import ProviderWork
from beholder.models.responses_body import responses_body
from beholder.models.responses_reply import read_reply
from beholder.models.responses_work import File, files_wanted, with_files, work_in
from beholder.sample import Ask, Response

if TYPE_CHECKING:
    import openai

_LARGEST_FILE = 8 << 20
"""Bytes of the largest file that is fetched from a container."""
_FETCHING = 60.0
"""Seconds for all files of an answer."""
_LAST_EVENTS = ("response.completed", "response.incomplete", "response.failed")
_WAITS = (0.0, 1.0, 3.0)
"""Seconds before each attempt at a file."""


class ResponsesModel(HostedModel):
    """One model behind OpenAI's Responses API, or a server that speaks it."""

    wire = "openai-responses"
    sdk = "openai"
    extra = "openai"
    capabilities = Capabilities(tools=True, pictures_in_tool_messages=True, logprobs=True, provider_tools=True)
    _client: openai.AsyncOpenAI | None = None

    def body(self, ask: Ask, sent: dict[int, Sent], base64_of: Base64Of) -> dict[str, Any]:
        return responses_body(self.model, ask, sent, base64_of)

    def read(self, reply: bytes) -> Response:
        return read_reply(reply)

    def turns_of(self, raw: bytes) -> ProviderWork:
        """What happened inside the answer whose body this is: the code that was run for it. Pure."""
        return work_in(raw, self.endpoint.base_url)

    async def call(self, body: dict[str, Any]) -> bytes:
        import httpx2
        from openai import APIConnectionError, APIError, APIStatusError, OpenAIError

        began = time.monotonic()
        try:
            reply = await (self._streamed(body) if self.endpoint.stream or body.get("stream") else self._whole(body))
        except APIStatusError as error:
            raise self._refused(error.response) from None
        except APIConnectionError as error:
            raise self.broken(error) from None
        except APIError as error:  # an event of a stream
            return json_value({"error": error.body or error.message})
        except (OpenAIError, httpx2.HTTPError) as error:
            raise self.broken(error) from None
        except ValueError as error:  # the SDK's, of an event that is no JSON
            words = self.secrets.hidden(shortened(error))
            raise ProviderError(
                f"The server's stream makes no sense ({words}).", kind="broken_body", retryable=True
            ) from None
        if not any(isinstance(tool, dict) and tool.get("type") == "code_interpreter" for tool in body.get("tools", ())):
            return reply
        # The answer is there and paid for: fetching must not use up the time of the attempt, and so lose it.
        left = self.endpoint.total - (time.monotonic() - began)
        return await self._with_pictures(reply, min(_FETCHING, left / 2))

    async def _whole(self, body: dict[str, Any]) -> bytes:
        import httpx2

        client, options = self._open(), self._options()
        return (await client.post("/responses", body=body, cast_to=httpx2.Response, options=options)).content

    async def _streamed(self, body: dict[str, Any]) -> bytes:
        """The response that a stream ends with, as JSON; one that is an error where that is an event; `{}` if it ends
        without either.

        A server that streams nothing has answered with the response itself.
        """
        from openai import AsyncStream

        stream = await self._open().post(
            "/responses",
            body=body | {"stream": True},
            cast_to=object,
            options=self._options(),
            stream=True,
            stream_cls=AsyncStream[object],
        )
        async with stream:
            if stream.response.headers.get("content-type", "").startswith("application/json"):
                return await stream.response.aread()
            async for event in stream:
                if not isinstance(event, dict):
                    continue
                if event.get("type") == "error":
                    return json_value({"error": event})
                if event.get("type") in _LAST_EVENTS:
                    return json_value(event.get("response"))
        return b"{}"

    async def _with_pictures(self, reply: bytes, seconds: float) -> bytes:
        """The reply, and in it the files of the container that hold its pictures."""
        try:
            wanted = files_wanted(reply, self.endpoint.base_url)
        except ProviderError:  # no usable reply: `read` says so
            return reply
        files: dict[File, bytes | str] = dict.fromkeys(wanted, "it took too long")
        try:
            async with asyncio.timeout(seconds):
                for file in wanted:
                    files[file] = await self._fetched(file)
        except TimeoutError:
            pass  # those that are there are kept, of the others it is said
        return with_files(reply, files)

    async def _fetched(self, file: File) -> bytes | str:
        """The bytes of a file, or why there are none."""
        import httpx2
        from openai import APIStatusError, OpenAIError

        source = self._open().containers.files.content.with_streaming_response
        headers = self._options().get("headers")
        why = ""
        for wait in _WAITS:
            await asyncio.sleep(wait)
            try:
                async with source.retrieve(file.file, container_id=file.container, extra_headers=headers) as response:
                    return await _bounded(response.iter_bytes())
            except APIStatusError as error:
                why = f"HTTP {error.status_code}"
                if error.status_code < 500 and error.status_code not in (408, 409, 429):
                    break
            except (OpenAIError, httpx2.HTTPError, ProviderError) as error:
                why = str(self.broken(error)) or "no answer in time"
        return why

    async def listing(self) -> Listing:
        base_url = self.endpoint.base_url
        status, body = await self._get(str(models_url(base_url)))
        longer = with_v1(base_url) if status == 404 else None
        if longer is not None and (await self._get(str(models_url(longer))))[0] == 200:
            raise UsageError(f"{scrub_url(base_url)} has no models, {scrub_url(longer)} has: add /v1 to --base-url.")
        # Azure lists models, and is asked for deployments, whose names are the user's own.
        return Listing(status) if is_azure(base_url) else read_listing(status, body)

    async def _get(self, url: str) -> tuple[int, bytes]:
        import httpx2
        from openai import APIStatusError, OpenAIError

        try:
            reply = await self._open().get(url, cast_to=httpx2.Response, options=self._options())
        except APIStatusError as error:
            refused = self._refused(error.response)
            if isinstance(refused, ProviderError) or refused.status in (401, 403):
                raise refused from None
            return refused.status, b""
        except (OpenAIError, httpx2.HTTPError) as error:
            raise self.broken(error) from None
        return reply.status_code, reply.content

    def _refused(self, reply: Any) -> Refused | ProviderError:
        """What a status means that is no success. A redirect is told of: following it would carry the key away."""
        if not 300 <= reply.status_code < 400:
            return Refused(reply.status_code, reply.content, reply.headers.get("retry-after"))
        base = redirected_base(yarl.URL(str(reply.url)), reply.headers.get("location", ""))
        return ProviderError(
            f"The server redirects to {self.secrets.hidden(base)[:300]} (HTTP {reply.status_code}); give that as "
            "--base-url.",
            kind="request",
            status=reply.status_code,
        )

    def _open(self) -> openai.AsyncOpenAI:
        if self._client is None:
            from openai import AsyncOpenAI, Omit

            from beholder.models.http_client import open_client

            address, query = _address(self.endpoint.base_url)
            # A name that is left out is not looked for in the environment either: what is sent is what the options say.
            headers: dict[str, Any] = dict.fromkeys(_of_the_environment(), Omit())
            headers |= {"User-Agent": f"beholder/{__version__}"} | key_headers(self.endpoint.base_url, self.key)
            own = {name.lower() for name in self.endpoint.headers}
            headers = {name: value for name, value in headers.items() if name.lower() not in own}
            self._client = AsyncOpenAI(
                api_key="not sent: see the headers",
                base_url=address,
                default_query=query,
                default_headers=headers | self.endpoint.headers,
                max_retries=0,
                http_client=open_client(self.endpoint, self.proxy),
            )
        return self._client

    def _options(self) -> openai.RequestOptions:
        """What goes with each request: that nothing is sent in Authorization, unless a key of ours or the user's is."""
        from openai import Omit

        sent = [*key_headers(self.endpoint.base_url, self.key), *self.endpoint.headers]
        return {} if any(name.lower() == "authorization" for name in sent) else {"headers": {"Authorization": Omit()}}

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None


async def _bounded(pieces: Any) -> bytes:
    """A file's bytes; `ProviderError` for one that is too large to be a picture of an answer."""
    held, size = [], 0
    async for piece in pieces:
        size += len(piece)
        if size > _LARGEST_FILE:
            raise ProviderError(f"it is larger than {_LARGEST_FILE >> 20} MB", kind="broken_body")
        held.append(piece)
    return b"".join(held)


def _address(base_url: str) -> tuple[str, dict[str, str]]:
    """The address that the SDK puts its paths behind, and the query that goes with each request."""
    parts = split_url(base_url)
    path = parts.path.rstrip("/").removesuffix("/responses")
    return urlunsplit((parts.scheme, parts.netloc, path, "", "")), dict(parse_qsl(parts.query, keep_blank_values=True))


def _of_the_environment() -> list[str]:
    """Names of headers that the SDK would send of itself."""
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    named = [name.strip() for name, colon, _ in (line.partition(":") for line in lines) if colon and name.strip()]
    return ["OpenAI-Organization", "OpenAI-Project", *named]
