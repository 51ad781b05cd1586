"""Conversations made on the spot: a model that says what a script tells it, and partners that remember."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Sequence

import msgspec
import PIL.Image

from beholder.sample import (
    Ask,
    BooleanTarget,
    ImagePart,
    ImageRef,
    Message,
    Response,
    Sample,
    TextPart,
    ToolCall,
    Usage,
)
from beholder.tools.loop import Partners, converse, opening
from beholder.tools.settings import Arm, Budget, ToolSettings, specs_of
from beholder.tools.tool import Toolset
from beholder.tools.toolset import open_toolset
from beholder.trajectory import Turn

VISUAL = ToolSettings(arm=Arm.VISUAL)
CROP = '{"box": [0, 0, 8, 8]}'

Say = Callable[[Ask], Response] | Response


def png(width: int = 16, height: int = 12, colour: str = "red") -> bytes:
    """A picture that is no plain colour: its left upper pixel is black."""
    picture = PIL.Image.new("RGB", (width, height), colour)
    picture.putpixel((0, 0), (0, 0, 0))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def question(images: int = 1) -> Ask:
    """A question about pictures."""
    sample = Sample(
        key="k-0",
        index=0,
        benchmark="tir",
        images=tuple(ImageRef(name=f"{place}.png", data=png(16 + place)) for place in range(images)),
        parts=(TextPart("Which?"),),
        target=BooleanTarget(True),
    )
    parts = (TextPart("Which?"), *(ImagePart(place) for place in range(images)))
    return Ask(sample=sample, messages=(Message("user", parts),))


def calls(*asked: tuple[str, str], text: str = "", tokens: int = 5) -> Response:
    """A response that asks for (name, arguments) to be run."""
    made = tuple(ToolCall(f"c{number}", name, arguments) for number, (name, arguments) in enumerate(asked))
    return Response(text=text, calls=made, finish="tool_calls", usage=Usage(10, tokens))


def says(text: str) -> Response:
    """A response that asks for nothing."""
    return Response(text=text, finish="stop", usage=Usage(10, 5))


class Talk(msgspec.Struct):
    """What came of a conversation: the response, the turns and pictures that were kept, the asks that were sent.

    `kept` has the responses of each turn; `early` the turns as they were first kept, before their calls were run.
    """

    response: Response
    turns: list[Turn]
    pictures: dict[str, bytes]
    asks: list[Ask]
    kept: list[tuple[Response, ...]]
    early: list[Turn]
    aside: list[Ask]


def talk(
    script: Sequence[Say] | Callable[[int, Ask], Response],
    settings: ToolSettings = VISUAL,
    *,
    ask: Ask | None = None,
    toolset: Toolset | None = None,
    clock: Callable[[], float] | None = None,
    attempt: int = 0,
) -> Talk:
    """Holds a conversation with a model that plays a script: one entry for each request, the last one for ever."""
    first = opening(ask or question(), settings, specs_of(settings))
    turns: list[Turn] = []
    pictures: dict[str, bytes] = {}
    asks: list[Ask] = []
    kept: list[tuple[Response, ...]] = []
    early: list[Turn] = []
    asides: list[Ask] = []

    async def speak(sent: Ask, aside: bool) -> Response:
        number = len(asks)
        asks.append(sent)
        if aside:
            asides.append(sent)
        if callable(script):
            return script(number, sent)
        entry = script[min(number, len(script) - 1)]
        return entry(sent) if callable(entry) else entry

    async def keep_picture(sha256: str, data: bytes) -> None:
        pictures[sha256] = data

    def keep_turn(number: int, turn: Turn, responses: tuple[Response, ...]) -> None:
        if number == len(turns):
            early.append(turn)
            turns.append(turn)
            kept.append(responses)
        else:
            assert number == len(turns) - 1
            turns[-1] = turn
            kept[-1] += responses

    partners = Partners(speak, keep_picture, keep_turn, **({} if clock is None else {"clock": clock}))
    tools = toolset or open_toolset(settings, None)
    response = asyncio.run(converse(first, tools, settings, partners, attempt=attempt))
    return Talk(response, turns, pictures, asks, kept, early, asides)


def budget(**limits: int | float | None) -> ToolSettings:
    """Visual tools under other limits than the usual ones."""
    return msgspec.structs.replace(VISUAL, budget=Budget(**limits))  # type: ignore[arg-type]
