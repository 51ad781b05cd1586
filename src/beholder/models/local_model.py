"""What the models that run in this process have in common: their folder, preparing, hashing, batches, answers."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import metadata
from importlib.util import find_spec
from typing import Any

import msgspec

from beholder.errors import UsageError
from beholder.models.capabilities import Capabilities
from beholder.models.chat_body import json_text, json_value
from beholder.models.local import (
    Decoding,
    Generated,
    LocalOptions,
    Row,
    decoding,
    folder_digest,
    json_of,
    model_folder,
    own_decoding,
    picture_parts,
    picture_record,
    pictures_by_place,
    request_record,
)
from beholder.models.model import Prepared, blob_of
from beholder.models.transformers_batching import Batches
from beholder.sample import Ask, Failure, Message, Response, Usage


class LocalModel(ABC):
    """A model of a local folder. Its weights are read with the first question; close it once.

    `needed` run it, `heeded` may change what it answers: `packages` are those of both that are installed. Their
    versions are part of what a cached answer is found by, not of the plan.
    """

    capabilities = Capabilities(seed=True)
    remote = True  # an answer takes time on a machine that has better to do: it is kept in the response cache
    wire: str
    needed: tuple[str, ...]
    heeded: tuple[str, ...]
    install: str

    def __init__(self, name: str, options: LocalOptions, seed: int, *, at_once: int) -> None:
        self.folder = model_folder(name)
        for package in self.needed:
            if find_spec(package) is None:
                raise UsageError(f"--model {name} needs {package}: {self.install}.")
        self.name = name
        self.options = options
        self._seed = seed
        self._digest = folder_digest(self.folder)
        self.own_decoding = own_decoding(self.folder)
        versions = _versions((*self.needed, *self.heeded))
        self.packages = tuple(versions)
        self._hashed = msgspec.json.encode([self.identity(), versions], order="deterministic")
        self._batches: Batches[Row, Generated | Failure] = Batches(self._work, options.batch_size or at_once, name)
        self._weights: Any = None

    @property
    def device(self) -> str:
        """Where it runs."""
        return self.options.device

    @abstractmethod
    def written(self, messages: Sequence[Message]) -> str:
        """The conversation as the chat template writes it; "" if the model's engine does that. Raises `DataError`."""

    @abstractmethod
    def load(self) -> Any:
        """The weights, ready to answer: `answer(rows, unwanted)`. `UsageError` if they cannot be read."""

    @abstractmethod
    async def check(self) -> None:
        """`UsageError` within seconds if the folder cannot be used."""

    def identity(self) -> dict[str, Any]:
        config = json_of(self.folder, "config.json")
        text = config.get("text_config")
        of_text = text.get("dtype", text.get("torch_dtype")) if isinstance(text, dict) else None
        own = config.get("dtype", config.get("torch_dtype")) or of_text or "auto"
        return {
            "wire": self.wire,
            "model": self.folder.resolve().name,
            "folder_digest": self._digest,
            "dtype": own if self.options.dtype == "auto" else self.options.dtype,
            **self.options.pixels,
            **({"trust_remote_code": True} if self.options.trust_remote_code else {}),
        }

    def prepare(self, asks: list[Ask]) -> list[Prepared]:
        images = pictures_by_place(asks[0])
        pictures = asks[0].pictures
        records = tuple(map(picture_record, images.values()))
        blobs = tuple(blob_of(image, pictures[place]) for place, image in images.items())
        prepared = []
        for ask in asks:
            prompt = self.written(ask.messages)
            told = {**({"prompt": prompt} if prompt else {}), "decoding": _told(self._decoding(ask))}
            record = request_record(self.name, ask, images, told)
            prepared.append(
                Prepared(
                    ask=ask,
                    request_hash=self._hash(ask, record),
                    chunks=(json_text(prompt), *(images[part.index].data for part in picture_parts(ask.messages))),
                    record=record,
                    images=records,
                    blobs=blobs,
                )
            )
        return prepared

    def _decoding(self, ask: Ask) -> Decoding:
        return decoding(ask, self.own_decoding, self._seed)

    def _hash(self, ask: Ask, record: bytes) -> str:
        digest = hashlib.blake2b(self._hashed, digest_size=16)
        digest.update(f"\0{self.device}\0{ask.epoch}\0{ask.vote}\0".encode() + record)
        return digest.hexdigest()

    async def send(self, prepared: Prepared) -> Response:
        ask = prepared.ask
        prompt = msgspec.json.decode(prepared.chunks[0])
        row = Row(ask.messages, prompt, prepared.chunks[1:], self._decoding(ask))
        reply = await self._batches.ask(row)
        if isinstance(reply, Failure):
            return Response(failure=reply)
        return Response(
            text=reply.text,
            finish=reply.finish,
            served_model=self.folder.resolve().name,
            fingerprint=self._digest,
            usage=Usage(prompt_tokens=reply.prompt_tokens, completion_tokens=len(reply.tokens)),
            latency=reply.seconds,
            order=ask.order,
            max_tokens=ask.sampling.max_tokens,
            request_hash=prepared.request_hash,
            images=prepared.images,
            raw=json_value({"text": reply.marked, "tokens": list(reply.tokens), "finish": reply.finish}),
        )

    def _work(self, rows: Sequence[Row], unwanted: Callable[[], bool]) -> list[Generated | Failure]:
        """Called in the thread of the batches, which alone touches the weights."""
        if self._weights is None:
            try:
                self._weights = self.load()
            except UsageError as error:
                self._weights = error
        if isinstance(self._weights, UsageError):
            raise self._weights
        answers: list[Generated | Failure] = self._weights.answer(rows, unwanted)
        return answers

    async def close(self) -> None:
        """Ends the batch at hand and lets the weights go."""
        await self._batches.close()
        self._weights = None


def _versions(packages: Sequence[str]) -> dict[str, str]:
    """The versions of those that are installed."""
    versions = {}
    for package in packages:
        with suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return versions


def _told(how: Decoding) -> dict[str, Any]:
    """How it is decoded, as journaled: what plays no part is left out."""
    if how.temperature == 0:
        return {"temperature": 0, "limit": how.limit}
    told: dict[str, Any] = msgspec.to_builtins(how)
    return told
