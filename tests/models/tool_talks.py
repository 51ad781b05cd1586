"""Conversations of the tool-using solvers: the real loop and visual tools, and a stand-in for the sandbox."""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
import PIL.Image

from beholder.benchmarks import benchmark
from beholder.models import make_model
from beholder.sample import Ask, ImagePart, ImageRef, Message, Response, Sample, TextPart, ToolSpec
from beholder.tools.loop import Partners, converse, opening
from beholder.tools.settings import Arm, Protocol, ToolSettings
from beholder.tools.tool import ToolResult
from beholder.tools.visual import call_visual, visual_specs
from beholder.trajectory import CallOutcome, Turn

TIR = benchmark("tir")
PYTHON = ToolSpec("python", "Run Python code.", {"type": "object"})
ROTATE = tuple(spec for spec in visual_specs() if spec.name == "rotate")
ARMS = {
    "visual": visual_specs(),
    "python": (PYTHON,),
    "both": (*visual_specs(), PYTHON),
    "rotate": ROTATE,
}

STAND_IN = """
import contextlib, io, json, sys
sys.modules["beholder"] = None  # as in the sandbox
import PIL.Image

folder = sys.argv[1]
work = json.load(open(folder + "/work.json"))
variables = {"__name__": "__main__"}
for number in range(1, work["pictures"] + 1):
    variables[f"image_{number}"] = PIL.Image.open(f"{folder}/{number}.png").convert("RGB")
shown = []
PIL.Image.Image.show = lambda picture, *args, **named: shown.append(picture.convert("RGB"))
for program in work["programs"]:
    shown.clear()
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            exec(compile(program, "<call>", "exec"), variables)
        error = ""
    except Exception as fault:
        error = f"{type(fault).__name__}: {fault}"
unequal = list({picture.tobytes(): picture for picture in shown}.values())[:8]
for number, picture in enumerate(unequal):
    picture.save(f"{folder}/made_{number}.png")
print(json.dumps({"text": said.getvalue() + error, "failed": bool(error), "made": len(unequal)}))
"""


class StandIn:
    """Tools of a conversation. Programs run in a plain process, all so far again for each call, so variables last."""

    waited = 0.0

    def __init__(self, specs: Sequence[ToolSpec]) -> None:
        self.specs = tuple(specs)
        self.programs: list[str] = []

    async def call(self, name: str, arguments: str, pictures: Sequence[PIL.Image.Image]) -> ToolResult:
        if name != "python":
            return call_visual(name, arguments, pictures)
        self.programs.append(json.loads(arguments)["code"])
        return await asyncio.to_thread(self._run, pictures)

    def _run(self, pictures: Sequence[PIL.Image.Image]) -> ToolResult:
        with tempfile.TemporaryDirectory() as folder:
            for number, picture in enumerate(pictures, 1):
                picture.save(f"{folder}/{number}.png", compress_level=1)
            work = {"pictures": len(pictures), "programs": self.programs}
            Path(folder, "work.json").write_text(json.dumps(work))
            command = [sys.executable, "-c", STAND_IN, folder]
            done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
            told = json.loads(done.stdout)
            made = tuple(PIL.Image.open(f"{folder}/made_{number}.png").convert("RGB") for number in range(told["made"]))
        outcome = CallOutcome.ERROR if told["failed"] else CallOutcome.EXECUTED
        return ToolResult(text=told["text"], pictures=made, outcome=outcome)

    async def close(self) -> None:
        """Nothing to close."""


class Talk(msgspec.Struct):
    """What came of a conversation, and the ask that led to the last response."""

    response: Response
    turns: list[Turn]
    last: Ask


def question(sample: Sample, after: str = "") -> Ask:
    parts = (TextPart(sample.question + after), *(ImagePart(place) for place in range(len(sample.images))))
    return Ask(sample=sample, messages=(Message("user", parts),))


def talk(name: str, sample: Sample, arm: str, *, after: str = "", text: bool = False) -> Talk:
    """The conversation of a model about a sample, with the tools of an arm."""
    settings = ToolSettings(arm=Arm.VISUAL, protocol=Protocol.TEXT if text else Protocol.NATIVE)
    model = make_model(name, TIR, seed=0, endpoint=None)
    tools = StandIn(ARMS[arm])
    turns: list[Turn] = []
    asks: list[Ask] = []

    async def speak(ask: Ask, aside: bool) -> Response:
        assert not aside
        asks.append(ask)
        (prepared,) = model.prepare([ask])
        return await model.send(prepared)

    async def keep_picture(sha256: str, png: bytes) -> None:
        return None

    def keep_turn(number: int, turn: Turn, responses: tuple[Response, ...]) -> None:
        turns[number:] = [turn]  # a turn is kept again when its calls are done

    partners = Partners(speak, keep_picture, keep_turn)
    ask = opening(question(sample, after), settings, tools.specs)
    response = asyncio.run(converse(ask, tools, settings, partners))
    assert response.failure is None, response.failure
    return Talk(response, turns, asks[-1])


def value(sample: Sample, text: str | None) -> float:
    """What `strict` gives an answer."""
    return TIR.scorers["strict"](sample, Response(text=text, finish="stop")).value or 0.0


def withheld(ask: Ask, *, pictures: bool, text: bool) -> Ask:
    """The ask with the observations' pictures replaced by the unchanged first one, or their text by a placeholder."""
    first = ask.sample.images[0]
    made = tuple(ImageRef(ref.name, first.path, first.data) for ref in ask.made) if pictures else ask.made
    messages = []
    for message in ask.messages:
        if message.role == "tool" and text:
            kept = tuple(part for part in message.parts if isinstance(part, ImagePart))
            message = msgspec.structs.replace(message, parts=(TextPart("[the output is not shown]"), *kept))
        messages.append(message)
    return msgspec.structs.replace(ask, messages=tuple(messages), made=made, tools=())


def png(picture: PIL.Image.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()
