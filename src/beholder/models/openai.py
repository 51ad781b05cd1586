"""The OpenAI-compatible wire (chat completions): vLLM, SGLang, Ollama, OpenAI and everything that speaks like them.

The client is our own thin layer on aiohttp because on this path the client is the bottleneck: the body is spliced from
pieces that are already encoded (an image is turned into base64 once and shared by all votes and retries), and
nothing is parsed or copied that does not have to be.
"""

from __future__ import annotations

import hashlib
import os
import ssl
import time
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

import aiohttp
import msgspec
import yarl

from beholder import __version__
from beholder.errors import ProviderError, UsageError
from beholder.images.load import load
from beholder.images.wire import OPENAI_COMPATIBLE, Sent, WirePolicy, encode, sent_record
from beholder.models.chat_reply import error_for_status, read_reply
from beholder.models.model import Prepared, blob_of
from beholder.models.spliced import SplicedPayload, roomy_socket
from beholder.sample import Ask, Response, Sampling, TextPart
from beholder.seeds import seed_for

_SECRET_WORDS = ("key", "token", "secret", "auth", "password", "credential", "cookie")
_BODY_LIMIT = 64 << 20


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where a model is served and how to reach it. Times are in seconds.

    `first_byte` bounds the wait for the answer to begin (without streaming that is the whole generation), `total` the
    whole attempt. `key_variable` names the environment variable that holds the API key.
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


class OpenAIModel:
    """One model behind an OpenAI-compatible endpoint. The connection opens with the first request; close it once."""

    remote = True

    def __init__(self, name: str, endpoint: Endpoint) -> None:
        self.name = name
        self.endpoint = endpoint
        self._model = name.split("/", 1)[1]
        self._url = chat_url(endpoint.base_url)
        self._proxy = usable_proxy(endpoint.proxy or environment_proxy(endpoint.base_url))
        self._key = _api_key(endpoint)
        self._secrets = _secrets_of(endpoint, self._key, self._proxy)
        self._told_body = scrub(endpoint.extra_body)
        self._identity = msgspec.json.encode(self.identity())
        self._session: aiohttp.ClientSession | None = None

    def identity(self) -> dict[str, Any]:
        endpoint = self.endpoint
        return {
            "wire": "openai",
            "model": self._model,
            "base_url": scrub_url(endpoint.base_url),
            "extra_body": scrub(endpoint.extra_body),
            "extra_body_hash": short_hash(msgspec.json.encode(endpoint.extra_body, order="deterministic")),
            "headers": sorted(endpoint.headers),
            "image_policy": endpoint.policy.name,
        }

    def prepare(self, asks: list[Ask]) -> list[Prepared]:
        images = [load(ref) for ref in asks[0].sample.images]
        sent = [encode(image, self.endpoint.policy, len(images)) for image in images]
        records = tuple(sent_record(one) for one in sent)
        blobs = tuple(map(blob_of, images, asks[0].sample.images))
        prepared = []
        for ask in asks:
            chunks, skeleton = self._body(ask, sent)
            prepared.append(
                Prepared(
                    ask=ask,
                    request_hash=self._hash(ask, skeleton),
                    chunks=chunks,
                    record=self._record(ask, skeleton),
                    images=records,
                    blobs=blobs,
                )
            )
        return prepared

    def _body(self, ask: Ask, sent: list[Sent]) -> tuple[tuple[bytes, ...], bytes]:
        """The HTTP body in pieces, and the same body with each image's bytes replaced by their SHA-256."""
        pieces: list[bytes] = []
        told: list[bytes] = []
        opening = b'{"model":' + msgspec.json.encode(self._model) + b',"messages":['
        buffer = [opening]
        for number, message in enumerate(ask.messages):
            buffer.append((b"," if number else b"") + b'{"role":' + msgspec.json.encode(message.role))
            if all(isinstance(part, TextPart) for part in message.parts):
                text = "".join(part.text for part in message.parts if isinstance(part, TextPart))
                buffer.append(b',"content":' + _json_text(text) + b"}")
                continue
            buffer.append(b',"content":[')
            for place, part in enumerate(message.parts):
                comma = b"," if place else b""
                if isinstance(part, TextPart):
                    buffer.append(comma + b'{"type":"text","text":' + _json_text(part.text) + b"}")
                else:
                    image = sent[part.index]
                    buffer.append(comma + b'{"type":"image_url","image_url":{"url":"')
                    before = b"".join(buffer)
                    pieces += (before + image.prefix, image.base64)
                    told.append(before + b"sha256:" + image.sha256.encode())
                    buffer = [b'"}}']
            buffer.append(b"]}")
        buffer.append(b"]" + self._settings(ask, self.endpoint.extra_body) + b"}")
        ending = b"".join(buffer)
        return (*pieces, ending), b"".join((*told, ending))

    def _record(self, ask: Ask, skeleton: bytes) -> bytes:
        """The request as it is journaled: the skeleton without the secrets of the extra body."""
        if self._told_body == self.endpoint.extra_body:
            return skeleton
        ending = self._settings(ask, self.endpoint.extra_body) + b"}"
        return skeleton.removesuffix(ending) + self._settings(ask, self._told_body) + b"}"

    def _settings(self, ask: Ask, extra_body: dict[str, Any]) -> bytes:
        settings: dict[str, Any] = {}
        sampling: Sampling = ask.sampling
        if sampling.temperature is not None:
            settings["temperature"] = sampling.temperature
        if sampling.top_p is not None:
            settings["top_p"] = sampling.top_p
        if sampling.max_tokens is not None:
            settings[self.endpoint.max_tokens_field] = sampling.max_tokens
        if sampling.seed is not None:
            # One seed for all votes would make a server repeat itself; each vote gets its own, named one.
            settings["seed"] = seed_for(sampling.seed, ask.sample.key, ask.epoch, ask.vote, "decode") % 2**31
        settings.update(extra_body)
        encoded = msgspec.json.encode(settings)
        return b"," + encoded[1:-1] if settings else b""

    def _hash(self, ask: Ask, skeleton: bytes) -> str:
        digest = hashlib.blake2b(self._identity, digest_size=16)
        digest.update(b"\0" + skeleton + b"\0%d\0%d" % (ask.epoch, ask.vote))
        return digest.hexdigest()

    async def check(self) -> None:
        """Asks the server for its list of models; any HTTP answer will do, silence will not."""
        url = yarl.URL(models_url(self.endpoint.base_url), encoded=True)
        try:
            timeout = aiohttp.ClientTimeout(total=min(8.0, self.endpoint.connect))
            async with self._open().get(url, timeout=timeout, proxy=self._proxy) as reply:
                await reply.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            reason = str(error) or type(error).__name__
            raise UsageError(
                f"No server answers at {scrub_url(self.endpoint.base_url)} ({reason}). Start it, or correct --base-url."
            ) from None
        finally:
            await self.close()  # the run may never begin: nothing stays open until its first request

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            endpoint = self.endpoint
            verify: ssl.SSLContext | bool = True
            if endpoint.ca_file is not None:
                verify = _trusting(endpoint.ca_file)
            agent = f"beholder/{__version__}"
            headers = {"Content-Type": "application/json", "User-Agent": agent, **endpoint.headers}
            if self._key:
                headers["Authorization"] = f"Bearer {self._key}"
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=endpoint.max_connections, ssl=verify, ttl_dns_cache=300, socket_factory=roomy_socket
                ),
                timeout=aiohttp.ClientTimeout(
                    total=endpoint.total, sock_connect=endpoint.connect, sock_read=endpoint.first_byte
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=headers,
            )
        return self._session

    async def send(self, prepared: Prepared) -> Response:
        started = time.monotonic()
        try:
            body_in_pieces = SplicedPayload(prepared.chunks)
            async with self._open().post(self._url, data=body_in_pieces, proxy=self._proxy) as reply:
                body = await _bounded_body(reply)
                status, wait = reply.status, reply.headers.get("Retry-After")
        except TimeoutError:
            raise ProviderError("The server did not answer in time.", kind="timeout", retryable=True) from None
        except (aiohttp.ClientError, OSError) as error:
            words = self._scrubbed(str(error) or type(error).__name__)
            raise ProviderError(f"The connection failed: {words}", kind="connection", retryable=True) from None
        if status != 200:
            scrubbed = self._scrubbed(body.decode("utf-8", "replace")).encode()
            raise error_for_status(status, scrubbed, wait, time.time())
        try:
            response = read_reply(body)
        except ProviderError:
            read_reply(self._scrubbed(body.decode("utf-8", "replace")).encode())  # the same error, told without secrets
            raise
        return msgspec.structs.replace(
            response,
            latency=time.monotonic() - started,
            order=prepared.ask.order,
            max_tokens=prepared.ask.sampling.max_tokens,
            request_hash=prepared.request_hash,
            images=prepared.images,
        )

    def _scrubbed(self, words: str) -> str:
        """Servers like to quote the key they refuse; it must not reach a log or a journal."""
        for secret in self._secrets:
            words = words.replace(secret, "***")
        return words

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


def _api_key(endpoint: Endpoint) -> str:
    """The key to send; none where the URL or a header of the user's brings other credentials."""
    key = os.environ.get(endpoint.key_variable, "").strip()
    in_url = "@" in _split(endpoint.base_url).netloc
    in_header = any(name.lower() == "authorization" for name in endpoint.headers)
    if in_url and in_header:
        raise UsageError("--base-url holds credentials and --header sets Authorization. Give one of the two.")
    if not key.isprintable():
        raise UsageError(f"The API key in {endpoint.key_variable} holds a line break or a control character.")
    return "" if in_url or in_header else key


def _secrets_of(endpoint: Endpoint, key: str, proxy: str | None) -> tuple[str, ...]:
    """Every text that must not be told: the key, and what else is sent under a secret-looking name; longest first."""
    found = [key, *_secret_texts(endpoint.headers), *_secret_texts(endpoint.extra_body)]
    found += [value.split()[-1] for value in found if value.split()]  # the key in `Bearer KEY`
    for url in filter(None, (endpoint.base_url, proxy)):
        parts = urlsplit(url)
        found += [parts.password or ""]
        found += [
            value for name, _, value in (pair.partition("=") for pair in parts.query.split("&")) if _is_secret(name)
        ]
    return tuple(sorted({secret for secret in found if secret}, key=len, reverse=True))


def _secret_texts(value: Any, name: str = "") -> list[str]:
    if isinstance(value, str):
        return [value] if _is_secret(name) else []
    if isinstance(value, dict):
        return [
            text for key, inner in value.items() for text in _secret_texts(inner, name if _is_secret(name) else key)
        ]
    return [text for inner in value for text in _secret_texts(inner, name)] if isinstance(value, list) else []


def _trusting(ca_file: Path) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=str(ca_file))
    except OSError as error:
        raise UsageError(f"--ca-file {ca_file} holds no certificates ({error}). Give a PEM file.") from None


async def _bounded_body(reply: aiohttp.ClientResponse) -> bytes:
    """The whole body, bounded: a server must not be able to fill our memory."""
    if (
        reply.content_length is not None
        and reply.content_length <= _BODY_LIMIT
        and not reply.headers.get("Content-Encoding")
    ):
        return await reply.read()
    pieces, size = [], 0
    async for piece in reply.content.iter_any():
        size += len(piece)
        if size > _BODY_LIMIT:
            raise ProviderError("The server's reply is larger than 64 MB.", kind="broken_body", retryable=False)
        pieces.append(piece)
    return b"".join(pieces)


def _json_text(text: str) -> bytes:
    """JSON of any text. Lone surrogates cannot be sent as UTF-8; they go out as U+FFFD."""
    try:
        return msgspec.json.encode(text)
    except UnicodeEncodeError:
        return msgspec.json.encode(text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))


def environment_proxy(base_url: str) -> str | None:
    """The proxy that the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY) names for a URL.

    Looked up once: aiohttp's own `trust_env` looks it up in a thread for every request, a third of a request's cost.
    """
    parts = _split(base_url)
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
    parts = _split(base_url)
    path = parts.path.rstrip("/")
    if not path.endswith("/chat/completions"):
        path += "/chat/completions"
    return yarl.URL(urlunsplit((parts.scheme, parts.netloc, path, parts.query, "")), encoded=True)


def models_url(base_url: str) -> str:
    """The address that lists a server's models, under the same base URL."""
    parts = _split(base_url)
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    return urlunsplit((parts.scheme, parts.netloc, path + "/models", parts.query, ""))


def _split(base_url: str) -> SplitResult:
    if not _is_address(base_url):
        raise UsageError(
            f"--base-url {base_url.rpartition('@')[2]!r} is not an address. Give one such as http://localhost:8000/v1."
        )
    return urlsplit(base_url)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # half an IPv6 address, a port beyond 65535
        return False


def scrub_url(url: str) -> str:
    """The URL without credentials: user information and secret-looking query values are replaced.

    >>> scrub_url("https://me:pw@host/v1?api_key=abc&x=1")
    'https://***@host/v1?api_key=***&x=1'
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    netloc = f"***@{host}" if "@" in parts.netloc else host
    pairs = []
    for pair in parts.query.split("&") if parts.query else []:
        name, equals, _ = pair.partition("=")
        pairs.append(f"{name}=***" if equals and _is_secret(name) else pair)
    return urlunsplit((parts.scheme, netloc, parts.path, "&".join(pairs), ""))


def scrub(value: Any, name: str = "") -> Any:
    """A copy of JSON data in which every text under a secret-looking name, at any depth, is replaced by `***`."""
    if _is_secret(name) and isinstance(value, str):
        return "***"
    if isinstance(value, dict):
        return {key: scrub(inner, name if _is_secret(name) else str(key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [scrub(inner, name) for inner in value]
    return value


def _is_secret(name: str) -> bool:
    lowered = name.lower()
    return any(word in lowered for word in _SECRET_WORDS) and "max_" not in lowered and "tokens" not in lowered


def short_hash(data: bytes) -> str:
    """Twelve hex digits that identify data without showing it."""
    return hashlib.blake2b(data, digest_size=6).hexdigest()
