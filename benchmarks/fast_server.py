"""A chat-completions server that costs next to nothing, so that what is measured is the client.

It runs in its own process, reads each request's body without looking into it, waits `--latency` seconds, and answers
with one fixed reply. Prints its port on the first line.

    python benchmarks/fast_server.py --latency 0.5
"""

from __future__ import annotations

import argparse
import asyncio
import json

REPLY = json.dumps(
    {
        "id": "fast",
        "object": "chat.completion",
        "model": "fast",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "<think>It shows what it says.</think><answer>T</answer>"},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 1100, "completion_tokens": 20, "total_tokens": 1120},
    }
).encode()
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(REPLY), REPLY)


class Connection(asyncio.Protocol):
    """One keep-alive connection; requests come one after another."""

    def __init__(self, latency: float) -> None:
        self._latency = latency
        self._head = b""
        self._missing = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self._missing == 0:
            self._head += data
            end = self._head.find(b"\r\n\r\n")
            if end < 0:
                return
            self._missing = _content_length(self._head[:end])
            data, self._head = self._head[end + 4 :], b""
            if self._missing == 0:
                self._answer()
                return
        self._missing -= len(data)
        if self._missing == 0:
            if self._latency:
                asyncio.get_running_loop().call_later(self._latency, self._answer)
            else:
                self._answer()

    def _answer(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(ANSWER)


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        if line[:15].lower() == b"content-length:":
            return int(line[15:])
    return 0


async def serve(latency: float) -> None:
    """Serves on a free loopback port until the process is ended."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(latency), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    asyncio.run(serve(parser.parse_args().latency))
