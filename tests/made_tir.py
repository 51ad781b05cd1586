"""A small TIR-Bench set, a model that answers it from a list, and an extractor that reads the answers."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from beholder.benchmarks import benchmark
from beholder.engine import lifecycle
from beholder.engine.judge import Judge
from beholder.engine.lifecycle import EngineOptions, Result
from beholder.engine.plan import Plan
from beholder.engine.watch import Watch
from beholder.models.endpoint import Endpoint
from beholder.models.fakes import scripted
from beholder.models.openai import OpenAIModel
from made_runs import QUICK, jpeg, plan_for
from scripted_server import Reply, Request, ScriptedServer, completion

TIR = benchmark("tir")
READING = TIR.judge_tasks[0]
OPTIONS = "Which way leads out?\nA. RR\nB. DD\nC. LL"


def record(number: int, task: str = "maze", answer: str = "B", question: str = OPTIONS, **more: Any) -> dict[str, Any]:
    """A record with a question and a picture of its own."""
    return {
        "id": number,
        "task": task,
        "prompt": f"Item {number}: {question}",
        "answer": answer,
        "image_1": f"data/{number}.jpg",
        "image_2": None,
        "meta_data": {},
        **more,
    }


def tir_data(folder: Path, rows: Sequence[dict[str, Any]]) -> Path:
    """A TIR-Bench folder of these records, with pictures."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    for row in rows:
        (folder / row["image_1"]).write_bytes(jpeg(int(row["id"])))
    (folder / "TIR-Bench.json").write_text(json.dumps(rows))
    return folder


def mazes(folder: Path, number: int) -> Path:
    """So many mazes; the right answer is always B."""
    return tir_data(folder, [record(index) for index in range(number)])


def script(path: Path, answers: Sequence[Any]) -> Path:
    """The answers of a model, by position of the item."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(list(answers)))
    return path


def response_in(request: Request) -> str:
    """The model's response that an extractor was shown."""
    found = re.search(r"<response>\n(.*)\n</response>", request.texts, re.DOTALL)
    assert found is not None
    return found[1]


def reads_letter(request: Request) -> Reply:
    """An extractor that reads the letter of `It is B.`"""
    found = re.search(r"It is (\w)", response_in(request))
    return Reply(completion(found[1] if found else "None"))


def extractor_at(server: ScriptedServer | str, *, name: str = "openai/reader", **more: Any) -> Judge:
    url = server if isinstance(server, str) else server.url
    model = OpenAIModel(name, Endpoint(base_url=url, max_connections=16))
    return Judge(task=READING, name=name, model=model, **{"template": READING.template, "retries": QUICK, **more})


def begin(plan: Plan, answers: Path, runs: Path, *, with_extractor: bool = True) -> Path:
    """A run folder whose settings name an extractor, as `beholder run --extractor` makes it."""
    settings = {"extractor": {"model": "openai/reader", "template": READING.template}} if with_extractor else {}
    return lifecycle.begin(plan, scripted(answers), settings, runs)


def carry_out(
    folder: Path,
    plan: Plan,
    answers: Path,
    extractor: Judge | None = None,
    say: Callable[[str], None] = lambda text: None,
    **options: Any,
) -> Result:
    """Asks the model what is missing in a run folder, and has the extractor read it."""

    async def whole() -> Result:
        settings = EngineOptions(retries=QUICK, judges=() if extractor is None else (extractor,), **options)
        try:
            return await lifecycle.carry_out(
                folder,
                plan,
                scripted(answers),
                settings,
                lambda total, before: Watch(total, before, "lenient", say=say),
            )
        finally:
            if extractor is not None:
                await extractor.close()

    return asyncio.run(whole())


def run_tir(
    here: Path,
    rows: Sequence[dict[str, Any]],
    answers: Sequence[Any],
    extractor: Judge | None = None,
    **options: Any,
) -> tuple[Result, Plan, Path]:
    """A new run: its result, its plan, and the file of answers."""
    plan = plan_for(tir_data(here / "set", rows), "tir", **options.pop("plan", {}))
    file = script(here / "answers.json", answers)
    folder = begin(plan, file, here / "runs", with_extractor=extractor is not None)
    return carry_out(folder, plan, file, extractor, **options), plan, file
