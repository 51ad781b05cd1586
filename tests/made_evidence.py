"""A run with tools whose model rests on what it is shown in a known way, for replays with observations withheld."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from beholder.engine.plan import Plan
from beholder.store import folder as folders
from beholder.tools.settings import Arm, Protocol, ToolSettings
from made_runs import EngineRun, plan_for, run_engine
from made_tir import record, tir_data
from scripted_server import Reply, Request, completion

VISUAL = ToolSettings(arm=Arm.VISUAL)
IN_TEXT = ToolSettings(arm=Arm.VISUAL, protocol=Protocol.TEXT)
RESTS_ON = ("pictures", "text", "nothing", "both")
"""What the model's answer to item N rests on: entry N modulo 4. Without it, it is wrong."""
CROP: dict[str, Any] = {"box": [0, 0, 16, 12]}
READ: dict[str, Any] = {"points": [[3, 3]]}


def data(folder: Path, number: int, lonely: bool = False) -> Path:
    """So many mazes whose right answer is B; `lonely` adds an item of another task."""
    rows = [record(index) for index in range(number)]
    return tir_data(folder, [*rows, record(number, "visual_search")] if lonely else rows)


def item_of(request: Request) -> int:
    found = re.search(r"Item (\d+):", request.texts)
    assert found is not None
    return int(found[1])


def pictures_of(request: Request) -> list[str]:
    """The addresses of all pictures in a request, in order."""
    contents = [message["content"] for message in request.body["messages"] if isinstance(message["content"], list)]
    return [part["image_url"]["url"] for content in contents for part in content if part["type"] == "image_url"]


def sees(request: Request) -> set[str]:
    """What a request shows besides the question: `pictures` that are not the item's own, printed `text`."""
    own, *new = pictures_of(request)
    seen = {"pictures"} if any(url != own for url in new) else set()
    return seen | ({"text"} if re.search(r"rgb\(\d", request.texts) else set())


def rests_on_what_it_sees(request: Request) -> Reply:
    """Crops and reads a pixel at once, then answers: B if it sees what the item needs, else A."""
    said = [message for message in request.body["messages"] if message["role"] == "assistant"]
    item = item_of(request)
    need = RESTS_ON[item % 4]
    words = "The answer is B." if need == "nothing" else "I look closer."
    if not said:
        asked = [("crop", CROP), ("read_pixels", READ)]
        if "tools" in request.body:
            calls = [
                {"id": f"c{place}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
                for place, (name, arguments) in enumerate(asked)
            ]
            return Reply(completion(words, finish="tool_calls", tool_calls=calls))
        if "<tool_call>" in request.texts:  # the text protocol's instructions
            written = [json.dumps({"name": name, "arguments": arguments}) for name, arguments in asked]
            return Reply(completion(words + "".join(f"\n<tool_call>{one}</tool_call>" for one in written)))
        return Reply(completion("A"))
    needed: dict[str, set[str]] = {"pictures": {"pictures"}, "text": {"text"}, "both": {"pictures", "text"}}
    return Reply(completion("B" if needed.get(need, set()) <= sees(request) else "A"))


def plan(place: Path, tools: ToolSettings | None = VISUAL, **changes: Any) -> Plan:
    return plan_for(place, "tir", tools=tools, **changes)


def source_run(where: Path, url: str, number: int = 8, **changes: Any) -> EngineRun:
    """A whole run with tools, over fresh data beside it."""
    lonely = changes.pop("lonely", False)
    done = run_engine(plan(data(where / "set", number, lonely), **changes), url, where / "runs")
    info = folders.read_info(done.folder)
    # What `beholder run` keeps, so that a command can ask the same model again.
    info.settings |= {"endpoint": {"base_url": url}, "cache": False}
    folders.write_info(done.folder, info)
    return done
