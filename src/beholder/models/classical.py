"""`classical`: plain computer vision that solves the synthetic families from the picture's pixels.

It shows that a family can be solved from what is in the picture, and gives the experiments a competent player
offline. It sees neither the source photograph nor the gold; where no solver exists it says so.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from beholder.errors import Owner, UsageError
from beholder.images.load import load, pixels
from beholder.models.fakes import local_request_hash
from beholder.models.model import Prepared, blob_of
from beholder.sample import Ask, Failure, Response
from beholder.synth.solve_jigsaw import find_size, solve

Solver = Callable[[Any], str]


def _solve_jigsaw(picture: Any) -> str:
    n = find_size(picture)
    if n is None:
        raise ValueError("the picture shows no grid of pieces")
    order = solve(picture, n)
    return f"<answer>{json.dumps(list(order))}</answer>"


SOLVERS: dict[str, Solver] = {"jigsaw": _solve_jigsaw}
"""Benchmark → solver: RGB pixels of the first image, (height, width, 3) → answer in the asked format."""


class ClassicalModel:
    """The classical solver as a model. Its work is done in threads, so that the event loop stays free."""

    name = "classical"
    remote = False

    def __init__(self, benchmark: str) -> None:
        if benchmark not in SOLVERS:
            raise UsageError(
                f"The classical solver cannot answer {benchmark!r}; it knows {', '.join(SOLVERS)}. "
                "Choose another --model."
            )
        self._solver = SOLVERS[benchmark]

    def identity(self) -> dict[str, Any]:
        return {"wire": "fake", "model": self.name}

    def prepare(self, asks: list[Ask]) -> list[Prepared]:
        images = [load(ref) for ref in asks[0].sample.images]
        blobs = tuple(map(blob_of, images, asks[0].sample.images))
        return [Prepared(ask=ask, request_hash=local_request_hash(self.name, ask), blobs=blobs) for ask in asks]

    async def check(self) -> None:
        """It is always there."""

    async def send(self, prepared: Prepared) -> Response:
        return await asyncio.to_thread(self._answer, prepared)

    def _answer(self, prepared: Prepared) -> Response:
        import numpy

        ask: Ask = prepared.ask
        picture = numpy.asarray(pixels(load(ask.sample.images[0])))
        try:
            text = self._solver(picture)
        except ValueError as error:
            failure = Failure(owner=Owner.US, kind="solver", message=f"The classical solver gave up: {error}")
            return Response(failure=failure, request_hash=prepared.request_hash)
        return Response(text=text, finish="stop", request_hash=prepared.request_hash, order=ask.order)

    async def close(self) -> None:
        """Nothing to close."""
