"""What must be sent and never told: the API key, and everything else that goes out under a secret-looking name."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote, urlsplit

from beholder.errors import UsageError
from beholder.models.address import is_secret, scrub_url, secret_values, split_url
from beholder.models.endpoint import Endpoint

_KEY_HEADERS = ("authorization", "api-key")
_SHORTEST = 8
"""Characters of the shortest secret that is looked for in answers. Local servers are given keys such as `EMPTY` and
`ollama`, which guard nothing and are words of an honest answer."""


def brings_credentials(headers: Iterable[str], own: str = "") -> bool:
    """Whether one of the headers (their names) is one that a key is sent in: then no other key goes with it.

    `own` is the header for keys that a wire has besides the usual ones, in lower case.
    """
    return any(name.lower() in (*_KEY_HEADERS, own) for name in headers)


def api_key(endpoint: Endpoint, own: str = "") -> str:
    """The key to send; none where the URL or a header of the user's (`own` too) brings other credentials."""
    key = os.environ.get(endpoint.key_variable, "").strip()
    in_url = "@" in split_url(endpoint.base_url).netloc
    in_header = any(name.lower() == "authorization" for name in endpoint.headers)
    if in_url and in_header:
        raise UsageError("--base-url holds credentials and --header sets Authorization. Give one of the two.")
    if not key.isprintable():
        raise UsageError(f"The API key in {endpoint.key_variable} holds a line break or a control character.")
    return "" if in_url or brings_credentials(endpoint.headers, own) else key


def key_refused(endpoint: Endpoint, key: str, status: int, own: str = "") -> str:
    """What to say to a person whose key a server does not accept."""
    told, variable = scrub_url(endpoint.base_url), endpoint.key_variable
    if key:
        return f"The key is not accepted by {told} (HTTP {status}). Correct {variable}, or --api-key-env."
    if "@" in told or brings_credentials(endpoint.headers, own):
        return f"The key is not accepted by {told} (HTTP {status}). Correct the credentials in --base-url or --header."
    return f"The key is not accepted by {told} (HTTP {status}): {variable} is not set. Set it, or --api-key-env."


class Secrets:
    """Every text that must not be told: the key, and what else is sent under a secret-looking name; longest first."""

    def __init__(self, endpoint: Endpoint, key: str, proxy: str | None) -> None:
        found = [key, *_secret_texts(endpoint.headers), *_secret_texts(endpoint.extra_body)]
        found += [value.split()[-1] for value in found if value.split()]  # the key in `Bearer KEY`
        for url in filter(None, (endpoint.base_url, proxy)):
            parts = urlsplit(url)
            user = parts.netloc.rpartition("@")[0]
            found += [parts.password or parts.username or "", *secret_values(parts.query)]
            if user:  # as it stands in the URL, and as Basic authentication sends it
                found += [user, base64.b64encode(unquote(user).encode("utf-8", "surrogatepass")).decode()]
        found += [unquote(text) for text in found]
        found += [form for text in found for form in (json.dumps(text)[1:-1], text.replace("/", "\\/"))]
        self._texts = tuple(sorted(filter(None, set(found)), key=len, reverse=True))
        self._bytes = tuple(text.encode("utf-8", "surrogatepass") for text in self._texts if len(text) >= _SHORTEST)

    def hidden(self, words: str) -> str:
        """Words about a failure, without secrets: servers like to quote the key they refuse."""
        for secret in self._texts:
            words = words.replace(secret, "***")
        return words

    def hidden_in_answer(self, body: bytes) -> bytes:
        """A successful answer without secrets of 8 characters or more; nearly always the very same bytes."""
        for secret in self._bytes:
            if secret in body:
                body = body.replace(secret, b"***")
        return body


def _secret_texts(value: Any, name: str = "") -> list[str]:
    if isinstance(value, str):
        return [value] if is_secret(name) else []
    if isinstance(value, dict):
        return [text for key, inner in value.items() for text in _secret_texts(inner, name if is_secret(name) else key)]
    return [text for inner in value for text in _secret_texts(inner, name)] if isinstance(value, list) else []
