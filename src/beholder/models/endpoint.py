"""Where a model is served, and how to get there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from beholder.images.wire import OPENAI_COMPATIBLE, WirePolicy


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where a model is served and how to reach it. Times are in seconds.

    `first_byte` bounds the wait for the answer to begin (without streaming that is the whole generation), `total` the
    whole attempt. `key_variable` names the environment variable that holds the API key. `pictures_in_tool_messages`
    says that the server takes images in the messages of tools; others get them in a user's message after these.
    """

    base_url: str
    key_variable: str = "OPENAI_API_KEY"
    headers: dict[str, str] = {}
    extra_body: dict[str, Any] = {}
    proxy: str | None = None
    ca_file: Path | None = None
    max_connections: int = 64
    connect: float = 10.0
    first_byte: float = 600.0
    total: float = 1200.0
    max_tokens_field: str = "max_tokens"
    policy: WirePolicy = OPENAI_COMPATIBLE
    pictures_in_tool_messages: bool = False
