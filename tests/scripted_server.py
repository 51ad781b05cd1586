"""A real HTTP server on loopback that misbehaves exactly as told. Every engine and wire test talks to one."""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


def completion(text: str | None, *, finish: str = "stop", **message: Any) -> bytes:
    """The body of a well-formed chat completion."""
    return json.dumps(
        {
            "id": "x",
            "object": "chat.completion",
            "model": "served-model",
            "system_fingerprint": "fp_1",
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
            ],
            "usage": {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13},
        }
    ).encode()


@dataclass(frozen=True)
class Reply:
    """What to answer. `first_byte` and `body_time` are seconds; `cut_after` resets the connection after that many bytes
    of the body; `refuse` closes the connection without a word."""

    body: bytes = field(default_factory=lambda: completion("<think>x</think><answer>T</answer>"))
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    first_byte: float = 0.0
    body_time: float = 0.0
    cut_after: int | None = None
    refuse: bool = False


@dataclass(frozen=True)
class Request:
    """A request as it came: its number from 0, path (the whole URL if the client takes us for a proxy), headers
    (lower-case names), the JSON body decoded and as sent, the lines before it as sent."""

    number: int
    path: str
    headers: dict[str, str]
    body: Any
    raw: bytes = b""
    head: bytes = b""

    @property
    def texts(self) -> str:
        """All prompt text of a chat request."""
        parts = []
        for message in self.body["messages"]:
            content = message["content"]
            if isinstance(content, str):
                parts.append(content)
            else:
                parts += [part["text"] for part in content if part["type"] == "text"]
        return "\n".join(parts)


Script = Callable[[Request], Reply]


class ScriptedServer:
    """Runs in a thread of its own. `requests` holds every chat request; `busiest` the most that were open at once.

    `port` 0 takes a free one; a server that died can be started again on its old port. `tls` makes it speak HTTPS.
    `models` says what the list of models is: ids, or a script of its own (whose requests have
    no body); `listed` holds those requests.
    """

    def __init__(
        self,
        script: Script = lambda request: Reply(),
        port: int = 0,
        tls: ssl.SSLContext | None = None,
        models: Sequence[str] | Script = (),
    ) -> None:
        self.script = script
        self.models = models
        self.listed: list[Request] = []
        self.tls = tls
        self.requests: list[Request] = []
        self.model_lists = 0
        self.busiest = 0
        self._open = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self.port = port

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        assert self._ready.wait(10), "the scripted server did not start"
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._main())
        self._loop.close()

    async def _main(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._talk, "127.0.0.1", self.port, limit=64 << 20, ssl=self.tls)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        for listening in server.sockets:
            self._loop.remove_reader(listening.fileno())
        for _ in range(3):  # a connection just accepted gets as far as `_talk`: cut off before, it would stay open
            await asyncio.sleep(0)
        server.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # lets the aborted connections close their sockets

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one_request(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()

    async def _one_request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        path = lines[0].split()[1]
        if path.partition("?")[0].endswith("/models"):
            self.model_lists += 1
            self.listed.append(Request(len(self.listed), path, headers, None, raw, head))
            return await self._send(writer, self._list(self.listed[-1]))
        self._open += 1
        self.busiest = max(self.busiest, self._open)
        request = Request(len(self.requests), path, headers, json.loads(raw) if raw else None, raw, head)
        self.requests.append(request)
        try:
            return await self._send(writer, self.script(request))
        finally:
            self._open -= 1

    def _list(self, request: Request) -> Reply:
        if callable(self.models):
            return self.models(request)
        entries = [{"id": name, "object": "model"} for name in self.models]
        return Reply(json.dumps({"object": "list", "data": entries}).encode())

    async def _send(self, writer: asyncio.StreamWriter, reply: Reply) -> bool:
        if reply.refuse:
            return False
        await asyncio.sleep(reply.first_byte)
        head = f"HTTP/1.1 {reply.status} Scripted\r\n"
        if not any(name.lower() == "content-type" for name, _ in reply.headers):
            head += "Content-Type: application/json\r\n"
        head += f"Content-Length: {len(reply.body)}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in reply.headers)
        writer.write(head.encode() + b"\r\n")
        if reply.cut_after is not None:
            writer.write(reply.body[: reply.cut_after])
            await writer.drain()
            await asyncio.sleep(0.02)
            return False
        if reply.body_time:
            half = len(reply.body) // 2
            writer.write(reply.body[:half])
            await writer.drain()
            await asyncio.sleep(reply.body_time)
            writer.write(reply.body[half:])
        else:
            writer.write(reply.body)
        await writer.drain()
        return True
