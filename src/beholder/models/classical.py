"""`classical` and `static`: plain computer vision that answers from the picture's pixels and the question.

`classical` shows that a family can be solved from what is in the picture, and gives the experiments a competent player
offline. `static` is the same vision held to one glance: it gets each picture shrunk to `GLANCE` pixels on its longer
side and may not change it (no crop, turn, brightening or rearranging). What it reaches says how much of a family can be
had without thinking with images. Both see neither the source photographs nor the gold. Where they find nothing to go by
they say so, which counts as no answer. A solver that breaks is our failure, not an answer.
"""

from __future__ import annotations

import asyncio
from typing import Any

from beholder.errors import Owner, UsageError
from beholder.images.load import load, pixels
from beholder.models.capabilities import EVERYTHING
from beholder.models.fakes import local_request_hash
from beholder.models.model import Prepared, blob_of
from beholder.sample import Ask, Failure, Response, Sample
from beholder.synth.families import FAMILIES, solver_of

GLANCE = 224
"""Pixels on the longer side of what `static` sees; the input size of many vision encoders."""
NOTHING_FOUND = "I cannot tell."


class ClassicalModel:
    """The classical solvers as a model. Their work is done in threads, so that the event loop stays free."""

    remote = False
    capabilities = EVERYTHING

    def __init__(self, name: str, benchmark: str) -> None:
        if benchmark != "tir":
            raise UsageError(f"The {name} solver cannot answer {benchmark!r}; it knows tir. Choose another --model.")
        need_opencv(name)
        self.name = name
        self._at_a_glance = name == "static"

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
        ask: Ask = prepared.ask
        try:
            text = solved(ask.sample, at_a_glance=self._at_a_glance)
        except Exception as error:  # noqa: BLE001 - the boundary where a solver's fault is classified, once
            said = f"The {self.name} solver broke on this picture ({type(error).__name__}). Please report it."
            failure = Failure(owner=Owner.US, kind="solver", message=said)
            return Response(failure=failure, request_hash=prepared.request_hash, order=ask.order)
        return Response(text=text, finish="stop", request_hash=prepared.request_hash, order=ask.order)

    async def close(self) -> None:
        """Nothing to close."""


def need_opencv(name: str) -> None:
    """`UsageError` that tells how to install OpenCV, for a model of that name, if it is not there."""
    try:
        import cv2  # noqa: F401
    except ImportError:
        raise UsageError(f"--model {name} needs OpenCV: pip install 'beholder[tools]'.") from None


def solved(sample: Sample, *, at_a_glance: bool = False) -> str:
    """What classical vision answers to a TIR-Bench sample; `NOTHING_FOUND` if it gives up."""
    import numpy

    from beholder.synth.solvers import GaveUp

    task = str(sample.metadata.get("task", ""))
    if task not in FAMILIES:
        return NOTHING_FOUND
    solver = solver_of(task)
    solve = getattr(solver, "glance", solver.solve) if at_a_glance else solver.solve
    question = sample.question
    pictures = []
    for ref in sample.images:
        picture = pixels(load(ref))
        if at_a_glance and max(picture.size) > GLANCE:
            picture = picture.copy()
            picture.thumbnail((GLANCE, GLANCE))
        pictures.append(numpy.asarray(picture))
    try:
        return str(solve(pictures, question))
    except GaveUp:
        return NOTHING_FOUND
