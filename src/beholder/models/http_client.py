"""The HTTP client that is given to a provider's SDK: our proxy, certificates and time-outs, and a bound on each reply.

Imported with the first request only: `httpx2` comes with the SDKs. No redirect is followed (it would take the key to an
address nobody gave), and nothing of it is taken from the environment: what is sent is what the options say.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator

import httpx2

from beholder.errors import ProviderError
from beholder.models.endpoint import Endpoint, trusting

BODY_LIMIT = 64 << 20
"""Bytes of the largest reply that is read."""


def open_client(endpoint: Endpoint, proxy: str | None) -> httpx2.AsyncClient:
    """A client for one endpoint, through `proxy` if there is one. Close it once. `UsageError` for a bad --ca-file.

    `Endpoint.connect` bounds the making of a connection and `first_byte` the wait for each piece of a reply; the bound
    on a whole attempt is `HostedModel.send`'s.
    """
    limits = httpx2.Limits(max_connections=endpoint.max_connections, max_keepalive_connections=endpoint.max_connections)
    transport = _Bounded(
        verify=trusting(endpoint.ca_file) if endpoint.ca_file is not None else True,
        limits=limits,
        proxy=httpx2.Proxy(proxy) if proxy else None,
        socket_options=_keep_alive(),
    )
    return httpx2.AsyncClient(
        transport=transport,
        timeout=httpx2.Timeout(endpoint.first_byte, connect=endpoint.connect, pool=None),
        follow_redirects=False,
        trust_env=False,
        headers={"Accept-Encoding": "identity"},  # a small reply can unpack to one that fills the memory
    )


def failure_of(error: Exception) -> ProviderError | TimeoutError | Exception:
    """What lies behind an SDK's error about a connection: a time-out, a bound of ours, or the client's own error."""
    behind: BaseException | None = error
    while behind is not None:
        if isinstance(behind, ProviderError | TimeoutError | httpx2.HTTPError):
            return TimeoutError() if isinstance(behind, httpx2.TimeoutException) else behind
        behind = behind.__cause__
    return error


class _Bounded(httpx2.AsyncHTTPTransport):
    """The usual transport, whose replies end with an error where they are too large to be answers."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            await response.aclose()
            raise ProviderError("The server's reply is compressed, which nobody asked for.", kind="broken_body")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _BoundedStream(response.stream)
        return response


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._stream:
            size += len(piece)
            if size > BODY_LIMIT:
                raise ProviderError("The server's reply is larger than 64 MB.", kind="broken_body")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


def _keep_alive() -> list[tuple[int, int, int]]:
    """A connection on which a long answer is waited for is not given up by what lies between."""
    options = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
    if hasattr(socket, "TCP_KEEPIDLE"):
        options.append((socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60))
    return options
