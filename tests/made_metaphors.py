"""A small M3R-Bench set, a model that answers it from a list, and judges of its explanations."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from beholder.benchmarks import benchmark
from beholder.engine import lifecycle
from beholder.engine.judge import Judge, task_of
from beholder.engine.lifecycle import EngineOptions, Result
from beholder.engine.plan import Plan
from beholder.engine.watch import Watch
from beholder.models.endpoint import Endpoint
from beholder.models.fakes import scripted
from beholder.models.openai import OpenAIModel
from made_runs import QUICK, jpeg, plan_for, write_lines
from scripted_server import Reply, Request, ScriptedServer, completion

M3R = benchmark("m3r")
RUBRIC = task_of(M3R, "rubric")
SLOTS = task_of(M3R, "slots")
QUESTIONS = [
    question["id"] for criterion in json.loads(M3R.assumptions)["criteria"] for question in criterion["questions"]
]
MAPPING = "The cigarette burns down like the fuse of a bomb."


def explanation(number: int) -> dict[str, Any]:
    return {
        "evidence": [{"kind": "visual", "text": f"a cigarette as fuse number {number}", "box": [0.1, 0.1, 0.5, 0.5]}],
        "mapping": MAPPING,
        "sentiment": "A bomb means danger, so the sentiment is negative.",
    }


def metaphor(number: int, **more: Any) -> dict[str, Any]:
    """A record with a text and a picture of its own, fully annotated."""
    return {
        "id": f"m{number}",
        "image": f"images/{number}.jpg",
        "text": f"Item {number}: only a matter of time.",
        "language": "en",
        "metaphor": True,
        "target": "cigarette",
        "source": "bomb",
        "sentiment": "negative",
        "explanation": explanation(number),
        **more,
    }


def m3r_data(folder: Path, number: int) -> Path:
    """A folder with so many metaphors and their pictures."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    for index in range(number):
        (folder / "images" / f"{index}.jpg").write_bytes(jpeg(index))
    write_lines(folder / "records.jsonl", [metaphor(index) for index in range(number)])
    return folder


def said(number: int, **more: Any) -> str:
    """The right answer to that item, as a model writes it; `more` takes the place of some of it."""
    answer = {
        "metaphor": "yes",
        "target": "cigarette",
        "source": "bomb",
        "sentiment": "negative",
        "explanation": explanation(number),
    }
    return json.dumps(answer | more)


def script(path: Path, answers: Sequence[Any]) -> Path:
    """The answers of a model, by position of the item."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(list(answers)))
    return path


def verdict(answer: str = "yes") -> str:
    """What a judge says that answers all questions alike."""
    return json.dumps({name: {"answer": answer, "quote": MAPPING, "region": "centre"} for name in QUESTIONS})


def rates(answer: str = "yes") -> Callable[[Request], Reply]:
    """A judge that says the same of everything."""
    return lambda request: Reply(completion(verdict(answer)))


def item_of(request: Request) -> int:
    """The number of the item that a judge is asked about."""
    return int(request.texts.partition("Item ")[2].partition(":")[0])


def judge_at(server: ScriptedServer | str, *, name: str = "openai/a", **more: Any) -> Judge:
    """A rubric judge behind that server."""
    url = server if isinstance(server, str) else server.url
    model = OpenAIModel(name, Endpoint(base_url=url, max_connections=16))
    return Judge(name=name, model=model, **{"task": RUBRIC, "template": RUBRIC.template, "retries": QUICK, **more})


def named(*judges: Judge) -> dict[str, Any]:
    """What run.json holds of them."""
    rows = [{"purpose": one.task.purpose, "model": one.name, "template": one.template} for one in judges]
    return {"judges": rows}


def carry_out(folder: Path, plan: Plan, answers: Path, *judges: Judge, **options: Any) -> Result:
    """Asks the model what is missing in a run folder, and has the judges look at it."""

    async def whole() -> Result:
        settings = EngineOptions(retries=QUICK, judges=judges, **options)
        try:
            return await lifecycle.carry_out(
                folder, plan, scripted(answers), settings, lambda total, before: Watch(total, before, "lenient")
            )
        finally:
            for one in judges:
                await one.close()

    return asyncio.run(whole())


def run_m3r(here: Path, answers: Sequence[Any], *judges: Judge, **options: Any) -> tuple[Result, Plan, Path]:
    """A new run with one item for each answer: its result, its plan, and the file of answers."""
    plan = plan_for(m3r_data(here / "set", len(answers)), "m3r")
    file = script(here / "answers.json", answers)
    folder = lifecycle.begin(plan, scripted(file), named(*judges) if judges else {}, here / "runs")
    return carry_out(folder, plan, file, *judges, **options), plan, file


def judged_again(folder: Path, *judges: Judge) -> Result:
    """What `rescore --judge` does: run.json names the judges, and they judge what they have not judged yet."""
    from beholder.store import folder as folders

    info = folders.read_info(folder)

    async def whole() -> Result:
        try:
            return await lifecycle.judge_again(folder, info, lifecycle.plan_of(info), judges, named(*judges), print)
        finally:
            for one in judges:
                await one.close()

    return asyncio.run(whole())
