"""An application on loopback as it is really served, and requests to it as a program sends them."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from fastapi import FastAPI

from beholder.web.guard import access_for
from beholder.web.serve import listening, server_for

JSON = {"Content-Type": "application/json"}


@dataclass
class Running:
    """A server that runs: its port, and what it has told the terminal."""

    port: int
    server: uvicorn.Server
    said: list[str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def running(app: FastAPI, *, token: str = "", names: tuple[str, ...] = ()) -> Iterator[Running]:
    """The application behind the guard, on a free port of loopback, in a thread."""
    said: list[str] = []
    with listening("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        server = server_for(app, access_for("127.0.0.1", port, names=names, token=token), said.append)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        try:
            yield Running(port, server, said)
        finally:
            server.should_exit = True
            thread.join(timeout=20)
            assert not thread.is_alive()


class Reply:
    """What came back; every reply is checked for what must be on each."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()
        policy = self.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert self.headers["x-content-type-options"] == "nosniff"
        assert self.headers["referrer-policy"] == "no-referrer"
        assert "cache-control" in self.headers
        assert "server" not in self.headers
        assert "access-control-allow-origin" not in self.headers
        assert b"Traceback" not in self.body

    def json(self) -> Any:
        assert self.headers["content-type"] == "application/json"
        return json.loads(self.body)

    def sentence(self) -> str:
        told = self.json()["error"]
        assert isinstance(told, str)
        assert "\n" not in told
        assert told
        return told


def request(
    port: int, path: str, method: str = "GET", headers: dict[str, str] | None = None, body: bytes | None = None
) -> Reply:
    """One request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body=body, headers=headers or {})
        return Reply(connection.getresponse())
    finally:
        connection.close()
