"""Items of TIR-Bench of each kind, and what a model said of them, for the tests of our scorers."""

from __future__ import annotations

from tir_answers import COUNT, GRID, JIGSAW, PATCHES
from tir_letter_answers import ALL, PLAIN

from beholder.benchmarks.tir.questions import options_of
from beholder.sample import (
    ChoiceTarget,
    NumberSetTarget,
    NumberTarget,
    OrderedListTarget,
    PlaceTarget,
    Response,
    Sample,
    Target,
    TextPart,
    TextTarget,
)

TEXT = "What is written in the picture?"
NINE = (4, 1, 8, 9, 3, 6, 2, 7, 5)


def item(prompt: str, target: Target, n: int = 3) -> Sample:
    return Sample(
        key="k",
        index=0,
        benchmark="tir",
        images=(),
        parts=(TextPart(prompt),),
        target=target,
        options=tuple(options_of(prompt).values()),
        metadata={"task": "ocr" if prompt == TEXT else "", "n": n},
    )


def said(text: str | None, finish: str | None = "stop") -> Response:
    return Response(text=text, finish=finish)


KINDS: list[tuple[str, Target]] = [
    (PLAIN, ChoiceTarget("A")),
    (ALL, ChoiceTarget("AC", True)),
    (COUNT, NumberTarget("5")),
    (GRID, PlaceTarget(5, 6)),
    (PATCHES, NumberSetTarget((3, 7))),
    (JIGSAW, OrderedListTarget(NINE)),
    (TEXT, TextTarget("OPEN")),
]
