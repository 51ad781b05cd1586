"""What a model is to the engine: prepare a request (in a thread), send it (on the event loop), nothing else."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from beholder.images.load import Image
from beholder.models.capabilities import Capabilities
from beholder.sample import Ask, ImageRef, Response


class Blob(msgspec.Struct, frozen=True):
    """The published bytes of one image, by their SHA-256; `path` is the file they were read from, if they were."""

    sha256: str
    data: bytes
    path: str | None = None


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """A request ready to be sent.

    `request_hash` covers everything that could change the answer: wire, base URL, model, sampling, the messages, the
    bytes of each image as sent, vote and epoch. `chunks` are pieces of the HTTP body (images are shared between votes,
    so pieces are joined only when sent). `record` is the request as it is journaled: images by hash, no secrets.
    `images` describes what was sent for each image; `blobs` are published bytes to keep.
    """

    ask: Ask
    request_hash: str
    chunks: tuple[bytes, ...] = ()
    record: bytes = b""
    images: tuple[dict[str, Any], ...] = ()
    blobs: tuple[Blob, ...] = ()


def blob_of(image: Image, ref: ImageRef) -> Blob:
    """What a run keeps of a loaded image."""
    return Blob(image.sha256, image.data, ref.path)


class Model(Protocol):
    """A model under evaluation, or a fake that stands in for one.

    `name` is what the user typed (`openai/qwen2.5-vl`). `identity()` is the part of the plan that the model fixes: two
    runs with equal identities ask the same thing of the same model. `remote` says if answers cost something, so
    that the response cache and retries apply. `capabilities` is what it can be asked for.
    """

    name: str
    remote: bool
    capabilities: Capabilities

    def identity(self) -> dict[str, Any]: ...

    def prepare(self, asks: list[Ask]) -> list[Prepared]:
        """Requests for the asks of one sample (they share its images). Called in a thread.

        Raises `DataError` if an image cannot be sent.
        """
        ...

    async def check(self) -> None:
        """Fails within seconds with `UsageError` if the model cannot be reached at all."""
        ...

    async def send(self, prepared: Prepared) -> Response:
        """One attempt. Raises `ProviderError`; retries are the engine's business."""
        ...

    async def close(self) -> None: ...
