"""Requests to the viewer as a program sends them."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from running_server import JSON, Reply, request
from served_views import Viewed


def ask(
    viewed: Viewed,
    path: str,
    parameters: dict[str, Any] | str | None = None,
    *,
    method: str = "GET",
    headers: dict[str, str] | None = None,
    body: Any = None,
) -> Reply:
    """One request. `parameters` as a text go as they are."""
    query = parameters if isinstance(parameters, str) else urlencode(parameters or {}, doseq=True)
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    return request(viewed.port, f"{path}?{query}" if query else path, method, headers, sent)


def post(viewed: Viewed, path: str, content: Any, headers: dict[str, str] | None = None) -> Reply:
    return ask(viewed, path, method="POST", headers=JSON | (headers or {}), body=content)
