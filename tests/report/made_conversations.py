"""Runs with tools, made against a scripted server: each item's turns are a list, each call's result is played."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import PIL.Image
import PIL.ImageDraw
import pytest

from beholder.engine import conversing
from beholder.engine.lifecycle import Result
from beholder.models.endpoint import Endpoint
from beholder.models.openai import OpenAIModel
from beholder.sample import ToolSpec
from beholder.tools.settings import Arm, Budget, ToolSettings
from beholder.tools.tool import ToolResult
from beholder.trajectory import CallOutcome
from made_runs import plan_for, run_engine
from made_tir import record
from report.html_pages import HOSTILE
from scripted_server import Reply, Request, ScriptedServer, completion

Turn = tuple[str, Sequence[tuple[str, str]]]
"""What the model says, and its calls as (tool, arguments)."""

CROP = json.dumps({"image": "image_1", "box": [40, 30, 200, 150]})
CODE = """from PIL import ImageOps

def clearer(picture):
    # a comment that is long enough to reach past the edge of a narrow screen, so that it has to scroll by itself
    return ImageOps.autocontrast(picture.convert("L"))

for name in ("image_1",):
    clearer(globals()[name]).save("clear.png")
"""
HOSTILE_TALK = "\n".join(text for name, text in HOSTILE.items() if name != "long word")


def drawn(number: int, colour: str = "steelblue", size: tuple[int, int] = (400, 300)) -> PIL.Image.Image:
    """A picture that can be told from others by its number and colour."""
    picture = PIL.Image.new("RGB", size, colour)
    draw = PIL.ImageDraw.Draw(picture)
    for place in range(number % 9 + 1):
        draw.rectangle((20 + 38 * place, 40, 46 + 38 * place, 40 + 20 * (place + 1)), fill="gold", outline="black")
    draw.text((20, size[1] - 30), f"picture {number}", fill="white")
    return picture


class PlayedTools:
    """Tools whose results are what the script of the test says: `play(name, arguments, pictures)`."""

    specs = tuple(
        ToolSpec(name=name, description="A tool.", parameters={"type": "object"})
        for name in ("crop", "rotate", "python")
    )

    waited = 0.0

    def __init__(self, play: Callable[[str, str, Sequence[PIL.Image.Image]], ToolResult]) -> None:
        self._play = play

    async def call(self, name: str, arguments: str, pictures: Sequence[PIL.Image.Image]) -> ToolResult:
        return self._play(name, arguments, pictures)

    async def close(self) -> None:
        """Nothing to close."""


def play(name: str, arguments: str, pictures: Sequence[PIL.Image.Image]) -> ToolResult:
    """What the tools of these runs bring."""
    if name == "crop":
        if not arguments.startswith("{"):
            told = "The arguments cannot be used: they are no JSON. Expected {image, box}."
            return ToolResult(text=told, outcome=CallOutcome.MALFORMED)
        number = int((re.findall(r"\d+", arguments) or ["1"])[-1])
        return ToolResult(text="Cropped.", pictures=(drawn(number, "seagreen", (240, 180)),), flags=("clamped",))
    if name == "rotate":
        return ToolResult(text="Rotated by 0 degrees.", pictures=(pictures[0],))
    if "raise" in arguments:
        lines = "\n".join(f'  File "<code>", line {number}, in <module>' for number in range(14))
        return ToolResult(text=f"Traceback:\n{lines}\nNameError: name 'cv' is not defined", outcome=CallOutcome.ERROR)
    if "while True" in arguments:
        return ToolResult(text="Stopped after 10 s.", outcome=CallOutcome.STOPPED)
    if "hostile" in arguments:
        return ToolResult(text=HOSTILE_TALK, pictures=(drawn(5, "crimson"),), flags=("clamped",))
    made = (drawn(3, "dimgray"), drawn(4, "darkslateblue", (120, 500)))
    return ToolResult(text="mean 127.4\nwritten: clear.png", pictures=made)


def python(code: str) -> tuple[str, str]:
    return "python", json.dumps({"code": code})


TALKS: tuple[tuple[str, Sequence[Turn]], ...] = (
    ("maze", [("I look closer at the sign.", [("crop", CROP)]), ("B", [])]),
    (
        "maze",
        [
            ("The answer is C, I think. I make it clearer.", [python("raise cv")]),
            ("Once more, without OpenCV.", [python(CODE)]),
            ("Now it can be seen. B", []),
        ],
    ),
    ("color", [("B", [])]),
    ("color", [("Again.", [("crop", CROP)])] * 9),
    (
        "math",
        [
            ("", [("zoom_in", "{}"), ("crop", "box 1 2 3 4")]),
            ("I compute it.", [python("while True: pass")]),
            ("Then I guess: A", []),
        ],
    ),
    ("math", [(f"Look at part {turn}.", [("crop", json.dumps({"part": turn}))]) for turn in range(12)]),
    ("math", [(HOSTILE_TALK, [("python", json.dumps({"code": f"# hostile\n{HOSTILE_TALK}"}))]), ("B", [])]),
    ("math", [("I turn it.", [("rotate", '{"degrees": 0}')]), ("C", [])]),
    ("color", [("Wait.", [("crop", CROP)]), ("FAIL", [])]),
)
"""Each item's task and turns; the right answer is always B."""


def conversation_script(talks: Sequence[tuple[str, Sequence[Turn]]]) -> Callable[[Request], Reply]:
    """A model that says what the list says, by the number of the item and of the turn."""

    def reply(request: Request) -> Reply:
        found = re.search(r"Item (\d+):", json.dumps(request.body["messages"][0]))
        assert found is not None
        messages = request.body["messages"]
        if "answer so far" in str(messages[-1]["content"]):
            return Reply(completion("A" if len(messages) < 6 else "B"))
        turns = talks[int(found[1])][1]
        said, calls = turns[min(sum(one["role"] == "assistant" for one in messages), len(turns) - 1)]
        if said == "FAIL":
            return Reply(status=400, body=b'{"error": {"message": "the server is out of order"}}')
        asked = [
            {"id": f"call_{place}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for place, (name, arguments) in enumerate(calls)
        ]
        if asked:
            return Reply(completion(said, finish="tool_calls", tool_calls=asked))
        return Reply(completion(said))

    return reply


def conversations_data(folder: Path, talks: Sequence[tuple[str, Sequence[Turn]]]) -> Path:
    """TIR-Bench data with a picture of its own for each talk."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    rows = [record(number, task=task, answer="B") for number, (task, _) in enumerate(talks)]
    for row in rows:
        drawn(int(row["id"])).save(folder / row["image_1"], quality=92)
    (folder / "TIR-Bench.json").write_text(json.dumps(rows))
    return folder


def conversations(
    folder: Path, talks: Sequence[tuple[str, Sequence[Turn]]] = TALKS, name: str = "talker", **settings: Any
) -> Result:
    """A run in which each item is talked about as the list says."""
    settings = {"arm": Arm.VISUAL, "budget": Budget(turns=6, repeats=3), **settings}
    with pytest.MonkeyPatch.context() as patch, ScriptedServer(conversation_script(talks)) as server:
        patch.setattr(conversing, "open_toolset", lambda settings, pool: PlayedTools(play))
        plan = plan_for(conversations_data(folder / "set", talks), "tir", tools=ToolSettings(**settings))
        return run_engine(
            plan,
            server.url,
            folder / "runs",
            make_model=lambda: OpenAIModel(f"openai/{name}", Endpoint(base_url=server.url, max_connections=4)),
        ).result
