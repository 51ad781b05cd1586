"""Requests to a served project as a program sends them, and what must be on every reply."""

from __future__ import annotations

import json
from typing import Any

from running_server import JSON, Reply, request
from served_projects import NAMES, Served

AUTHOR = {"X-Author": "Ada"}
KEY = "one-0"


def ask(
    served: Served, path: str, method: str = "GET", headers: dict[str, str] | None = None, body: bytes | None = None
) -> Reply:
    """One request; no reply names a model that proposed."""
    reply = request(served.port, path, method, headers, body)
    assert not any(name.partition("/")[2].encode() in reply.body for name in NAMES)
    return reply


def put(served: Served, content: Any, headers: dict[str, str] | None = None, key: str = KEY) -> Reply:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return ask(served, f"/api/items/{key}", "PUT", AUTHOR | JSON | (headers or {}), body)


def unchanged(served: Served) -> None:
    assert served.project.item(KEY, "Ada").revision == 0
    assert served.project.history(KEY) == ()
