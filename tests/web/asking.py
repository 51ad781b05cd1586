"""Requests to a server as a program sends them, and what must be on every reply."""

from __future__ import annotations

import http.client
import json
from typing import Any

from served_projects import NAMES, Served

AUTHOR = {"X-Author": "Ada"}
JSON = {"Content-Type": "application/json"}
KEY = "one-0"


class Reply:
    """What came back; every reply of this server is checked for what must be on each."""

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
        assert b"Traceback" not in self.body
        assert not any(name.partition("/")[2].encode() in self.body for name in NAMES)

    def json(self) -> Any:
        assert self.headers["content-type"] == "application/json"
        return json.loads(self.body)

    def sentence(self) -> str:
        told = self.json()["error"]
        assert isinstance(told, str)
        assert "\n" not in told
        return told


def ask(
    served: Served, path: str, method: str = "GET", headers: dict[str, str] | None = None, body: bytes | None = None
) -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
    try:
        connection.request(method, path, body=body, headers=headers or {})
        return Reply(connection.getresponse())
    finally:
        connection.close()


def put(served: Served, content: Any, headers: dict[str, str] | None = None, key: str = KEY) -> Reply:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return ask(served, f"/api/items/{key}", "PUT", AUTHOR | JSON | (headers or {}), body)


def unchanged(served: Served) -> None:
    assert served.project.item(KEY, "Ada").revision == 0
    assert served.project.history(KEY) == ()
