"""The OpenAI-compatible wire (chat completions): vLLM, SGLang, Ollama, OpenAI and everything that speaks like them.

The client is our own thin layer on aiohttp because on this path the client is the bottleneck: the body is spliced from
pieces that are already encoded (an image is turned into base64 once and shared by all votes and retries), and
nothing is parsed or copied that does not have to be.
"""

from __future__ import annotations

import hashlib
import ssl
import time
from typing import Any

import aiohttp
import msgspec
import yarl

from beholder import __version__
from beholder.errors import ProviderError, UsageError
from beholder.images.wire import Sent, sent_record
from beholder.models.address import (
    chat_url,
    environment_proxy,
    header_digest,
    is_azure,
    key_headers,
    models_url,
    redirected_base,
    scrub,
    scrub_url,
    short_hash,
    usable_proxy,
    with_v1,
)
from beholder.models.capabilities import Capabilities
from beholder.models.chat_body import pictures_after_tools, splice, tool_settings
from beholder.models.chat_reply import error_for_status, read_reply, refused_by_rules
from beholder.models.chat_stream import STREAMED, ChatInPieces
from beholder.models.credentials import Secrets, api_key, key_refused
from beholder.models.encoded import EncodedPictures, pictures_of
from beholder.models.endpoint import Endpoint, trusting
from beholder.models.listing import Listing, known_names, lacks, read_listing
from beholder.models.model import Prepared, blob_of
from beholder.models.spliced import SplicedPayload, roomy_socket
from beholder.sample import Ask, Response, Sampling
from beholder.seeds import seed_for

_BODY_LIMIT = 64 << 20


class OpenAIModel:
    """One model behind an OpenAI-compatible endpoint. The connection opens with the first request; close it once."""

    remote = True
    capabilities = Capabilities(tools=True, seed=True, logprobs=True)

    def __init__(self, name: str, endpoint: Endpoint) -> None:
        self.name = name
        self.endpoint = endpoint
        self._model = name.split("/", 1)[1]
        self._url = chat_url(endpoint.base_url)
        self._proxy = usable_proxy(endpoint.proxy or environment_proxy(endpoint.base_url))
        self._key = api_key(endpoint)
        self._secrets = Secrets(endpoint, self._key, self._proxy)
        self._told_body = scrub(endpoint.extra_body)
        self._identity = msgspec.json.encode(self.identity())
        self._encoded = EncodedPictures(endpoint.policy)
        self._session: aiohttp.ClientSession | None = None

    def identity(self) -> dict[str, Any]:
        endpoint = self.endpoint
        header_hash = header_digest(endpoint.headers)
        return {
            "wire": "openai",
            "model": self._model,
            "base_url": scrub_url(endpoint.base_url),
            "extra_body": scrub(endpoint.extra_body),
            "extra_body_hash": short_hash(msgspec.json.encode(endpoint.extra_body, order="deterministic")),
            "headers": sorted(endpoint.headers),
            **({"header_hash": header_hash} if header_hash else {}),
            "image_policy": endpoint.policy.name,
            **({"pictures_in_tool_messages": True} if endpoint.pictures_in_tool_messages else {}),
        }

    def prepare(self, asks: list[Ask]) -> list[Prepared]:
        pairs = pictures_of(asks[0], self._encoded)
        pictures = asks[0].pictures
        sent = {place: one for place, (_, one) in pairs.items()}
        records = tuple(sent_record(one) for one in sent.values())
        blobs = tuple(blob_of(image, pictures[place]) for place, (image, _) in pairs.items())
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

    def _body(self, ask: Ask, sent: dict[int, Sent]) -> tuple[tuple[bytes, ...], bytes]:
        """The HTTP body in pieces, and the same body with each image's bytes replaced by their SHA-256."""
        messages = ask.messages if self.endpoint.pictures_in_tool_messages else pictures_after_tools(ask.messages)
        return splice(self._model, messages, sent, self._settings(ask, self.endpoint.extra_body))

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
        settings.update(tool_settings(ask.tools))
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
        """Asks the server for its list of models. Silence, a refused key and a list without the name are errors."""
        listing = await self.reach()
        # On Azure the name is that of a deployment, and the list is one of models.
        if lacks(listing, self._model) and not is_azure(self.endpoint.base_url):
            words = f"{scrub_url(self.endpoint.base_url)} serves no model {self._model!r}."
            raise UsageError(self._secrets.hidden(f"{words} {known_names(listing, self._model)} Correct --model."))

    async def reach(self) -> Listing:
        """What answers at the endpoint, whatever the model. `UsageError` within seconds if nothing useful can."""
        base_url = self.endpoint.base_url
        try:
            status, body = await self._get(models_url(base_url))
            if status in (401, 403):
                raise UsageError(key_refused(self.endpoint, self._key, status))
            longer = with_v1(base_url) if status == 404 else None
            if longer is not None and (await self._get(models_url(longer)))[0] == 200:
                raise UsageError(
                    f"{scrub_url(base_url)} has no models, {scrub_url(longer)} has: add /v1 to --base-url."
                )
            return read_listing(status, body)
        finally:
            await self.close()  # the run may never begin: nothing stays open until its first request

    async def _get(self, url: yarl.URL) -> tuple[int, bytes]:
        try:
            timeout = aiohttp.ClientTimeout(total=min(8.0, self.endpoint.connect))
            session = self._open()
            async with session.get(url, timeout=timeout, proxy=self._proxy, allow_redirects=False) as reply:
                if 300 <= reply.status < 400:
                    raise UsageError(self._redirected(reply))
                if reply.status == 407 and self._proxy:
                    raise UsageError(self._proxy_refuses("HTTP 407"))
                try:
                    return reply.status, await _bounded_body(reply)
                except ProviderError:  # a list of models beyond all bounds tells nothing; that it answers, does
                    return reply.status, b""
        except (aiohttp.ClientProxyConnectionError, aiohttp.ClientHttpProxyError) as error:
            raise UsageError(self._proxy_refuses(self._words_of(error))) from None
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            way = f" through the proxy {scrub_url(self._proxy)}" if self._proxy else ""
            mend = "correct --base-url or the proxy (--proxy, HTTPS_PROXY, NO_PROXY)" if way else "correct --base-url"
            told = scrub_url(self.endpoint.base_url)
            raise UsageError(
                f"No server answers at {told}{way} ({self._words_of(error)}). Start it, or {mend}."
            ) from None

    def _proxy_refuses(self, reason: str) -> str:
        return (
            f"The proxy {scrub_url(self._proxy or '')} does not let requests through ({reason}). Correct --proxy "
            "(or HTTP_PROXY, HTTPS_PROXY) with its user and password, or name the server in NO_PROXY."
        )

    def _redirected(self, reply: aiohttp.ClientResponse) -> str:
        target = self._secrets.hidden(redirected_base(reply.url, reply.headers.get("Location", "")))
        return f"The server redirects to {target[:300]} (HTTP {reply.status}); give that as --base-url."

    def _words_of(self, error: Exception) -> str:
        if isinstance(error, aiohttp.ClientResponseError):  # its own text quotes the URL of a proxy, password and all
            return self._secrets.hidden(f"HTTP {error.status} {error.message}".strip())
        return self._secrets.hidden(str(error) or type(error).__name__)

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            endpoint = self.endpoint
            verify: ssl.SSLContext | bool = True
            if endpoint.ca_file is not None:
                verify = trusting(endpoint.ca_file)
            agent = f"beholder/{__version__}"
            headers = {"Content-Type": "application/json", "User-Agent": agent, **endpoint.headers}
            headers |= key_headers(endpoint.base_url, self._key)
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
            body_in_pieces = SplicedPayload(self._streamed(prepared.chunks))
            # A redirect is not followed: it would take the key and the headers to an address nobody gave.
            async with self._open().post(
                self._url, data=body_in_pieces, proxy=self._proxy, allow_redirects=False
            ) as reply:
                if 300 <= reply.status < 400:
                    raise ProviderError(self._redirected(reply), kind="request", status=reply.status, retryable=False)
                streamed = (self.endpoint.stream or self.endpoint.extra_body.get("stream")) and reply.status == 200
                body = await (_streamed_body(reply) if streamed else _bounded_body(reply))
                status, wait = reply.status, reply.headers.get("Retry-After")
        except TimeoutError:
            raise ProviderError("The server did not answer in time.", kind="timeout", retryable=True) from None
        except (aiohttp.ClientError, OSError) as error:
            words = self._words_of(error)
            raise ProviderError(f"The connection failed: {words}", kind="connection", retryable=True) from None
        if status != 200:
            body = self._secrets.hidden(body.decode("utf-8", "replace")).encode()
            response = refused_by_rules(status, body)
            if response is None:
                raise error_for_status(status, body, wait, time.time())
            return self._told(response, prepared, started)
        body = self._secrets.hidden_in_answer(body)
        try:
            response = read_reply(body)
        except ProviderError:
            scrubbed = self._secrets.hidden(body.decode("utf-8", "replace")).encode()
            read_reply(scrubbed)  # the same error, told without secrets
            raise
        return self._told(response, prepared, started)

    def _told(self, response: Response, prepared: Prepared, started: float) -> Response:
        """The response with what is known of how it came about."""
        return msgspec.structs.replace(
            response,
            latency=time.monotonic() - started,
            order=prepared.ask.order,
            max_tokens=prepared.ask.sampling.max_tokens,
            request_hash=prepared.request_hash,
            images=prepared.images,
        )

    def _streamed(self, chunks: tuple[bytes, ...]) -> tuple[bytes, ...]:
        """The body that is sent. It asks for a stream, if one is wanted, here only: how an answer comes does not change
        it, so that neither the request's hash nor its record says so."""
        if not self.endpoint.stream or "stream" in self.endpoint.extra_body:
            return chunks
        more = {name: value for name, value in STREAMED.items() if name not in self.endpoint.extra_body}
        return (*chunks[:-1], chunks[-1].removesuffix(b"}") + b"," + msgspec.json.encode(more)[1:])

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


async def _streamed_body(reply: aiohttp.ClientResponse) -> bytes:
    """The completion that comes in pieces as one body, bounded. What comes after the server's last word is not read."""
    pieces, size = ChatInPieces(), 0
    async for piece in reply.content.iter_any():
        size += len(piece)
        if size > _BODY_LIMIT:
            raise ProviderError("The server's reply is larger than 64 MB.", kind="broken_body", retryable=False)
        if pieces.add(piece):
            break
    return pieces.body()


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
