"""Addresses of servers and proxies: what is asked under a base URL, and how an address is told without its secrets."""

from __future__ import annotations

import hashlib
import re
import urllib.request
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

import yarl

from beholder.errors import UsageError

_SECRET_WORDS = ("key", "token", "secret", "auth", "password", "credential", "cookie")
_HIDDEN = "***"
_ENDINGS = ("com", "us", "cn")
_AZURE = tuple(
    f".{service}.azure.{ending}" for service in ("openai", "cognitiveservices", "services.ai") for ending in _ENDINGS
)


def environment_proxy(base_url: str) -> str | None:
    """The proxy that the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY) names for a URL.

    Looked up once: aiohttp's own `trust_env` looks it up in a thread for every request, a third of a request's cost.
    """
    parts = split_url(base_url)
    if urllib.request.proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    return urllib.request.getproxies().get(parts.scheme)


def usable_proxy(proxy: str | None) -> str | None:
    """A proxy's address with its scheme (`http` where none is written, as curl takes it); None if there is none."""
    if not proxy:
        return None
    address = proxy if "://" in proxy else f"http://{proxy}"
    if not _is_address(address):
        raise UsageError("The proxy is not an address of an HTTP proxy. Give one such as --proxy http://proxy:3128.")
    return address


def chat_url(base_url: str) -> yarl.URL:
    """The chat-completions address under a base URL (`http://host:8000/v1`, with or without a final slash)."""
    return _under(base_url, "/chat/completions")


def models_url(base_url: str) -> yarl.URL:
    """The address that lists a server's models, under the same base URL."""
    return _under(base_url, "/models")


def with_v1(base_url: str) -> str | None:
    """The base URL with `/v1` added; None if it ends so already.

    >>> with_v1("http://host:8000/"), with_v1("http://host:8000/v1/chat/completions")
    ('http://host:8000/v1', None)
    """
    parts = split_url(base_url)
    path = _without_endings(parts.path)
    return None if path.endswith("/v1") else urlunsplit((parts.scheme, parts.netloc, path + "/v1", parts.query, ""))


def is_azure(base_url: str) -> bool:
    """Whether a base URL is one of Azure's: it takes the key in a header of its own, and the name that is asked for is
    that of a deployment, which its list of models does not know."""
    host = (split_url(base_url).hostname or "").rstrip(".")
    return host.endswith(_AZURE)


def key_headers(base_url: str, key: str) -> dict[str, str]:
    """The header in which a server wants its key; none without a key.

    >>> key_headers("https://NAME.openai.azure.com/openai/v1", "k"), key_headers("http://host:8000/v1", "k")
    ({'api-key': 'k'}, {'Authorization': 'Bearer k'})
    """
    if not key:
        return {}
    return {"api-key": key} if is_azure(base_url) else {"Authorization": f"Bearer {key}"}


def redirected_base(asked: yarl.URL, location: str) -> str:
    """The base URL that a redirect of `asked` points to, told without credentials; "elsewhere" if it names none."""
    try:
        target = str(asked.join(yarl.URL(location)))
        parts = urlsplit(target)
    except ValueError:
        return "elsewhere"
    if not location or not _is_address(target):
        return "elsewhere"
    return scrub_url(urlunsplit((parts.scheme, parts.netloc, _without_endings(parts.path), parts.query, "")))


def _under(base_url: str, ending: str) -> yarl.URL:
    parts = split_url(base_url)
    path = parts.path.rstrip("/").removesuffix("/chat/completions") + ending
    return yarl.URL(urlunsplit((parts.scheme, parts.netloc, path, parts.query, "")), encoded=True)


def _without_endings(path: str) -> str:
    return path.rstrip("/").removesuffix("/chat/completions").removesuffix("/responses").removesuffix("/models")


def split_url(base_url: str) -> SplitResult:
    """The parts of a base URL; `UsageError` (which tells no secret of it) if it is none."""
    if not _is_address(base_url):
        raise UsageError(
            f"--base-url {scrub_url(base_url)!r} is not an address. Give one such as http://localhost:8000/v1."
        )
    return urlsplit(base_url)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # half an IPv6 address, a port beyond 65535
        return False


def scrub_url(url: str) -> str:
    """The URL without credentials: user information and secret-looking query values are replaced. Any text is taken.

    A proxy may be written without its scheme; text in which user information cannot be told apart is hidden whole.

    >>> scrub_url("https://me:pw@host/v1?api_key=abc&x=1")
    'https://***@host/v1?api_key=***&x=1'
    >>> scrub_url("me:pw@host:3128"), scrub_url("http://me:p/w@host")
    ('***@host:3128', '***')
    """
    bare = "://" not in url
    try:
        parts = urlsplit("//" + url.lstrip("/") if bare else url)
        whole = (
            bool(parts.hostname) and parts.port != 0 and not (bare and "@" in parts.path + parts.query + parts.fragment)
        )
    except ValueError:
        whole = False
    if not whole:
        before, question, _ = url.partition("?")
        return _HIDDEN if "@" in url else before + (f"?{_HIDDEN}" if question else "")
    host = parts.netloc.rpartition("@")[2]
    netloc = f"{_HIDDEN}@{host}" if "@" in parts.netloc else host
    query = "".join(map(_scrubbed_pair, re.split("([&;])", parts.query)))
    told = urlunsplit((parts.scheme, netloc, parts.path, query, ""))
    return told.removeprefix("//") if bare else told


def _scrubbed_pair(pair: str) -> str:
    name, equals, _ = pair.partition("=")
    return f"{name}={_HIDDEN}" if equals and is_secret(unquote(name)) else pair


def scrub(value: Any, name: str = "") -> Any:
    """A copy of JSON data in which every text under a secret-looking name, at any depth, is replaced by `***`."""
    if is_secret(name) and isinstance(value, str):
        return _HIDDEN
    if isinstance(value, dict):
        return {key: scrub(inner, name if is_secret(name) else str(key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [scrub(inner, name) for inner in value]
    return value


def is_secret(name: str) -> bool:
    """Whether a name (of a header, a field, a query value) is one that credentials are sent under."""
    lowered = name.lower()
    return any(word in lowered for word in _SECRET_WORDS) and "max_" not in lowered and "tokens" not in lowered


def secret_values(query: str) -> list[str]:
    """The values of a URL's query that are sent under secret-looking names."""
    pairs = (pair.partition("=") for pair in re.split("[&;]", query))
    return [value for name, _, value in pairs if is_secret(unquote(name))]


def short_hash(data: bytes) -> str:
    """Twelve hex digits that identify data without showing it."""
    return hashlib.blake2b(data, digest_size=6).hexdigest()


def header_digest(headers: dict[str, str]) -> str:
    """32 hex digits over the names and values of headers, those under secret-looking names left out; "" if none is
    left. Credentials do not choose what answers; other headers (a deployment, a variant) may."""
    told = sorted((name.lower(), value) for name, value in headers.items() if not is_secret(name))
    if not told:
        return ""
    digest = hashlib.blake2b(digest_size=16)
    for name, value in told:
        digest.update(name.encode() + b"\0" + value.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()
