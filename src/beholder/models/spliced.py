"""A request body in pieces, written as it is: no piece is copied into another before it reaches the socket."""

from __future__ import annotations

import socket

from aiohttp import AddrInfoType
from aiohttp.abc import AbstractStreamWriter
from aiohttp.payload import Payload

_SEND_BUFFER = 1 << 20


class SplicedPayload(Payload):
    """The body of one request as a tuple of byte strings. It can be written again, for a retry or a redirect."""

    _autoclose = True

    def __init__(self, chunks: tuple[bytes, ...]) -> None:
        super().__init__(chunks, content_type="application/json")
        self._chunks = chunks
        self._size = sum(map(len, chunks))

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return b"".join(self._chunks).decode(encoding, errors)

    async def as_bytes(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        return b"".join(self._chunks)

    async def write(self, writer: AbstractStreamWriter) -> None:
        for chunk in self._chunks:
            await writer.write(chunk)

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        await self.write(writer)


def roomy_socket(address: AddrInfoType) -> socket.socket:
    """A socket whose send buffer takes a picture at once, so that one system call sends a request."""
    family, kind, protocol, _, _ = address
    made = socket.socket(family, kind, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
    return made
