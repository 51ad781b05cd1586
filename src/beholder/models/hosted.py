"""What the models behind a provider's own SDK have in common: preparing, hashing, sending, telling no secret.

A provider's adapter says how a conversation is written as plain JSON (`body`), sends it (`call`), and reads the reply
(`read`); all else is here. Retries are the engine's, never the SDK's.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import importlib.util
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import msgspec

from beholder.errors import ProviderError, UsageError
from beholder.images.wire import Sent, sent_record
from beholder.models.address import environment_proxy, header_digest, scrub, scrub_url, short_hash, usable_proxy
from beholder.models.capabilities import Capabilities
from beholder.models.chat_body import json_value
from beholder.models.chat_reply import error_for_status, refused_by_rules
from beholder.models.credentials import Secrets, api_key, key_refused
from beholder.models.encoded import EncodedPictures, pictures_of
from beholder.models.endpoint import Endpoint
from beholder.models.listing import Listing, known_names, lacks
from beholder.models.model import Prepared, blob_of
from beholder.sample import Ask, Response
from beholder.seeds import seed_for

Base64Of = Callable[[int], str]
"""The base64 text of the picture at a place (`ImagePart.index`); in what is journaled, `sha256:` and its hash."""


class Refused(Exception):
    """An answer with an HTTP status that is no success, as an adapter's `call` found it."""

    def __init__(self, status: int, body: bytes, retry_after: str | None = None) -> None:
        super().__init__(f"HTTP {status}")
        self.status, self.body, self.retry_after = status, body, retry_after


_LONGEST_CHECK = 8.0
"""Seconds for the list of models."""


class HostedModel(ABC):
    """One model behind a provider's own SDK. Nothing is opened before the first request; close it once.

    `sdk` is the SDK's module and `extra` the extra of Beholder that brings it; without it there is no such model.
    `key_header` is the header for keys that the API has of its own, if there is one.
    """

    remote = True
    wire: str
    capabilities: Capabilities
    sdk: str = ""
    extra: str = ""
    key_header: str = ""

    def __init__(self, name: str, endpoint: Endpoint) -> None:
        if self.sdk and not _is_there(self.sdk):
            kind = name.partition("/")[0]
            raise UsageError(f"{kind}/NAME needs the extra: pip install 'beholder[{self.extra}]'")
        self.name = name
        self.endpoint = endpoint
        self.model = name.split("/", 1)[1]
        self.proxy = usable_proxy(endpoint.proxy or environment_proxy(endpoint.base_url))
        self.key = api_key(endpoint, self.key_header)
        self.secrets = Secrets(endpoint, self.key, self.proxy)
        self._identity = msgspec.json.encode(self.identity())
        self._encoded = EncodedPictures(endpoint.policy)

    @abstractmethod
    def body(self, ask: Ask, sent: dict[int, Sent], base64_of: Base64Of) -> dict[str, Any]:
        """The request as the provider's plain JSON, `extra_body` left out. Pure.

        `sent` describes the pictures by their places; their text is had from `base64_of`.
        """

    @abstractmethod
    async def call(self, body: dict[str, Any]) -> bytes:
        """Sends a request by the SDK and gives the reply's JSON as it came.

        Raises `Refused` for a status that is no success, `ProviderError` where there is no reply, `TimeoutError`; what
        else the SDK or its client raises is `broken`'s to tell apart. The bound on the whole attempt is kept by `send`.
        """

    @abstractmethod
    def read(self, reply: bytes) -> Response:
        """The response in a reply. Pure. Raises `ProviderError` if it is none."""

    @abstractmethod
    async def listing(self) -> Listing:
        """What the server says of its models. Raises as `call` does."""

    async def close(self) -> None:  # noqa: B027 - an adapter that keeps nothing open has nothing to close
        """Closes the SDK's client, if there is one."""

    def identity(self) -> dict[str, Any]:
        endpoint = self.endpoint
        header_hash = header_digest(endpoint.headers)
        return {
            "wire": self.wire,
            "model": self.model,
            "base_url": scrub_url(endpoint.base_url),
            "extra_body": scrub(endpoint.extra_body),
            "extra_body_hash": short_hash(msgspec.json.encode(endpoint.extra_body, order="deterministic")),
            "headers": sorted(endpoint.headers),
            **({"header_hash": header_hash} if header_hash else {}),
            "image_policy": endpoint.policy.name,
        }

    def prepare(self, asks: list[Ask]) -> list[Prepared]:
        pairs = pictures_of(asks[0], self._encoded)
        sent = {place: one for place, (_, one) in pairs.items()}
        records = tuple(sent_record(one) for one in sent.values())
        pictures = asks[0].pictures
        blobs = tuple(blob_of(image, pictures[place]) for place, (image, _) in pairs.items())
        prepared = []
        for ask in asks:
            body = self.body(ask, sent, lambda place: sent[place].base64.decode("ascii"))
            skeleton = self.body(ask, sent, lambda place: f"sha256:{sent[place].sha256}")
            prepared.append(
                Prepared(
                    ask=ask,
                    request_hash=self._hash(ask, self.merged(skeleton, self.endpoint.extra_body)),
                    chunks=(json_value(self.merged(body, self.endpoint.extra_body)),),
                    record=json_value(self.merged(skeleton, scrub(self.endpoint.extra_body))),
                    images=records,
                    blobs=blobs,
                )
            )
        return prepared

    def merged(self, body: dict[str, Any], extra: dict[str, Any]) -> dict[str, Any]:
        """The request with what the user adds to it."""
        return body | extra

    def limit(self, ask: Ask) -> int | None:
        """The limit on the answer's tokens that is sent."""
        return ask.sampling.max_tokens

    def seed(self, ask: Ask) -> int | None:
        """The seed to send: one for each vote, so that a server does not repeat itself; None if none is set."""
        if ask.sampling.seed is None:
            return None
        return seed_for(ask.sampling.seed, ask.sample.key, ask.epoch, ask.vote, "decode") % 2**31

    def _hash(self, ask: Ask, skeleton: dict[str, Any]) -> str:
        digest = hashlib.blake2b(self._identity, digest_size=16)
        digest.update(b"\0" + json_value(skeleton) + b"\0%d\0%d" % (ask.epoch, ask.vote))
        return digest.hexdigest()

    def broken(self, error: Exception) -> Exception:
        """What an error of the SDK, or of the client it was given, means: a time-out, or a connection that failed.

        The words of the SDK are often only "Connection error."; what they stand for is told, without secrets.
        """
        from beholder.models.http_client import failure_of

        behind = failure_of(error)
        if isinstance(behind, ProviderError | TimeoutError | UsageError):
            return behind
        words = self.secrets.hidden(str(behind) or type(behind).__name__)
        return ProviderError(f"The connection failed: {words}", kind="connection", retryable=True)

    async def send(self, prepared: Prepared) -> Response:
        started = time.monotonic()
        try:
            async with asyncio.timeout(self.endpoint.total):
                reply = await self.call(msgspec.json.decode(b"".join(prepared.chunks)))
        except TimeoutError:
            raise ProviderError("The server did not answer in time.", kind="timeout", retryable=True) from None
        except Refused as error:
            words = self.secrets.hidden(error.body.decode("utf-8", "replace")).encode()
            response = refused_by_rules(error.status, words)
            if response is None:
                raise error_for_status(error.status, words, error.retry_after, time.time()) from None
        else:
            response = self._read(self.secrets.hidden_in_answer(reply))
        return msgspec.structs.replace(
            response,
            latency=time.monotonic() - started,
            order=prepared.ask.order,
            max_tokens=self.limit(prepared.ask),
            request_hash=prepared.request_hash,
            images=prepared.images,
        )

    def _read(self, reply: bytes) -> Response:
        try:
            return self.read(reply)
        except ProviderError:
            self.read(self.secrets.hidden(reply.decode("utf-8", "replace")).encode())  # the same, told without secrets
            raise

    async def check(self) -> None:
        """Asks for the list of models. Silence, a refused key and a list without the name are errors."""
        told = scrub_url(self.endpoint.base_url)
        if self.sdk:
            await asyncio.to_thread(importlib.import_module, self.sdk)  # a second or so, no part of the wait
        try:
            async with asyncio.timeout(min(_LONGEST_CHECK, self.endpoint.connect)):
                listing = await self.listing()
        except Refused as error:
            if error.status not in (401, 403):
                return  # it answers; what it thinks of its list of models does not matter
            raise UsageError(key_refused(self.endpoint, self.key, error.status, self.key_header)) from None
        except (ProviderError, TimeoutError) as error:
            words = self.secrets.hidden(str(error) or "no answer in time")
            raise UsageError(f"No server answers at {told} ({words}). Correct --base-url or the proxy.") from None
        finally:
            await self.close()  # the run may never begin: nothing stays open until its first request
        if lacks(listing, self.model):
            words = f"{told} serves no model {self.model!r}. {known_names(listing, self.model)}"
            raise UsageError(self.secrets.hidden(f"{words} Correct --model."))


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # not even the package that it would lie in
        return False
