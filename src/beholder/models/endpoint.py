"""Where a model is served, and how to get there."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

import msgspec

from beholder.errors import UsageError
from beholder.images.wire import OPENAI_COMPATIBLE, WirePolicy


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where a model is served and how to reach it. Times are in seconds.

    `first_byte` bounds the wait for the answer to begin (without streaming that is the whole generation), `total` the
    whole attempt. `stream`: the answer is asked for in pieces as it is made, and `first_byte` bounds the wait for each;
    it changes how an answer comes, not what it is. `key_variable` names the environment variable that holds the API
    key. `pictures_in_tool_messages` says that the server takes images in the messages of tools; others get them in a
    user's message after these.
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
    stream: bool = False


def trusting(ca_file: Path) -> ssl.SSLContext:
    """What checks a server's certificate against those in a PEM file. `UsageError` if there are none in it."""
    try:
        return ssl.create_default_context(cafile=str(ca_file))
    except OSError as error:
        raise UsageError(f"--ca-file {ca_file} holds no certificates ({error}). Give a PEM file.") from None
