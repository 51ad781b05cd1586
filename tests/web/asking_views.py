"""The viewer over a folder of runs on loopback, and requests to it as a program sends them."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn

from beholder.viewer.library import Library
from beholder.web.app import make_app
from beholder.web.guard import access_for
from beholder.web.serve import listening, server_for
from beholder.web.view_api import router

JSON = {"Content-Type": "application/json"}


@dataclass
class View:
    """A running viewer: its port, its server, and what it has told the terminal."""

    port: int
    server: uvicorn.Server
    library: Library
    said: list[str]


class Reply:
    """What came back; every reply is checked for what must be on each."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()
        assert "default-src 'none'" in self.headers["content-security-policy"]
        assert self.headers["x-content-type-options"] == "nosniff"
        assert "cache-control" in self.headers
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


@contextmanager
def viewing(runs: Path, cache: Path, *, token: str = "") -> Iterator[View]:
    """The viewer over a folder of runs on a free port, in a thread."""
    said: list[str] = []
    with closing(Library(runs, cache=cache)) as library, listening("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        # The page itself is tried in a browser; here any page will do, so that the bundle need not be built.
        app = make_app("annotate", [router(library)])
        server = server_for(app, access_for("127.0.0.1", port, token=token), said.append)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        try:
            yield View(port, server, library, said)
        finally:
            server.should_exit = True
            thread.join(timeout=20)
            assert not thread.is_alive()


def ask(
    view: View,
    path: str,
    parameters: dict[str, Any] | str | None = None,
    *,
    method: str = "GET",
    headers: dict[str, str] | None = None,
    body: Any = None,
) -> Reply:
    """One request. `parameters` as a text go as they are."""
    query = parameters if isinstance(parameters, str) else urlencode(parameters or {}, doseq=True)
    connection = http.client.HTTPConnection("127.0.0.1", view.port, timeout=60)
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    try:
        connection.request(method, f"{path}?{query}" if query else path, body=sent, headers=headers or {})
        return Reply(connection.getresponse())
    finally:
        connection.close()


def post(view: View, path: str, content: Any, headers: dict[str, str] | None = None) -> Reply:
    return ask(view, path, method="POST", headers=JSON | (headers or {}), body=content)
