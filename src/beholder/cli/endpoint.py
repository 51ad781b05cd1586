"""From options to an endpoint, and from an endpoint to what run.json may hold of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from beholder.errors import UsageError
from beholder.models.openai import Endpoint, scrub, scrub_url


def make_endpoint(
    *,
    base_url: str,
    key_variable: str,
    headers: list[str],
    extra_body: str | None,
    proxy: str | None,
    ca_file: Path | None,
    max_connections: int,
    timeout: float,
    connect_timeout: float,
    max_tokens_field: str,
) -> Endpoint:
    """The endpoint that the options describe. `UsageError` names the option that cannot be read."""
    if ca_file is not None and not ca_file.is_file():
        raise UsageError(f"--ca-file {ca_file} does not exist.")
    return Endpoint(
        base_url=base_url,
        key_variable=key_variable,
        headers=dict(map(_header, headers)),
        extra_body=_json_object(extra_body) if extra_body else {},
        proxy=proxy,
        ca_file=ca_file,
        max_connections=max_connections,
        first_byte=timeout,
        total=timeout * 2,
        connect=connect_timeout,
        max_tokens_field=max_tokens_field,
    )


def settings_of(endpoint: Endpoint) -> dict[str, Any]:
    """What run.json keeps so that a resume can reach the same endpoint: everything but secrets."""
    return {
        "base_url": scrub_url(endpoint.base_url),
        "key_variable": endpoint.key_variable,
        "header_names": sorted(endpoint.headers),
        "extra_body": scrub(endpoint.extra_body),
        "proxy": scrub_url(endpoint.proxy) if endpoint.proxy else None,
        "ca_file": str(endpoint.ca_file) if endpoint.ca_file else None,
        "max_connections": endpoint.max_connections,
        "timeout": endpoint.first_byte,
        "connect_timeout": endpoint.connect,
        "max_tokens_field": endpoint.max_tokens_field,
    }


def endpoint_again(
    settings: dict[str, Any],
    *,
    base_url: str | None,
    headers: list[str],
    extra_body: str | None,
    proxy: str | None,
    max_connections: int | None,
) -> Endpoint:
    """The endpoint of a run to be resumed. What was scrubbed from run.json has to be given again; it is named."""
    url = base_url or settings["base_url"]
    stored_proxy = proxy or settings.get("proxy")
    for option, value, given in (("--base-url", url, base_url), ("--proxy", stored_proxy or "", proxy)):
        if given is None and "***" in value:
            raise UsageError(f"The run's {option} held credentials, which are not kept. Give {option} again.")
    missing = [name for name in settings.get("header_names", []) if name not in dict(map(_header, headers))]
    if missing:
        raise UsageError(
            f"The run sent the header {missing[0]}, whose value is not kept. Give --header '{missing[0]}: …' again."
        )
    body = settings.get("extra_body") or {}
    if extra_body is None and "***" in str(body):
        raise UsageError("The run's --extra-body held a secret, which is not kept. Give --extra-body again.")
    return make_endpoint(
        base_url=url,
        key_variable=settings["key_variable"],
        headers=headers,
        extra_body=extra_body if extra_body is not None else msgspec.json.encode(body).decode() if body else None,
        proxy=stored_proxy,
        ca_file=Path(settings["ca_file"]) if settings.get("ca_file") else None,
        max_connections=max_connections or settings["max_connections"],
        timeout=settings["timeout"],
        connect_timeout=settings["connect_timeout"],
        max_tokens_field=settings["max_tokens_field"],
    )


def default_base_url() -> str | None:
    """OPENAI_BASE_URL, as OpenAI's own tools read it."""
    return os.environ.get("OPENAI_BASE_URL") or None


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip() or any(char in text for char in "\r\n\0"):
        raise UsageError(f"--header {name!r} is not a header. Write --header 'Name: value'.")
    return name.strip(), value.strip()


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise UsageError(f"--extra-body is not JSON ({error}). Write --extra-body '{{\"top_k\": 1}}'.") from None
    if not isinstance(value, dict):
        raise UsageError("--extra-body must be a JSON object, such as '{\"top_k\": 1}'.")
    return value
