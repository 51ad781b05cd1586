"""Small data sets made on the spot, and whole runs over them: in this process, or by the real command."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import random
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import PIL.Image

from beholder.benchmarks import benchmark
from beholder.engine import lifecycle
from beholder.engine.lifecycle import EngineOptions, Result
from beholder.engine.plan import Plan, make_plan
from beholder.engine.retry import RetryPolicy
from beholder.engine.selection import Selection
from beholder.engine.watch import Watch
from beholder.models.endpoint import Endpoint
from beholder.models.model import Model
from beholder.models.openai import OpenAIModel
from beholder.sample import Sampling
from beholder.store import reading, schema
from scripted_server import Reply, Request, completion

QUICK = RetryPolicy(attempts=4, base=0.01, cap=0.05)
"""Retries as they are, with waits that a test can afford."""


def jpeg(seed: int) -> bytes:
    """A small JPEG; another seed gives other bytes."""
    small = PIL.Image.frombytes("RGB", (4, 3), random.Random(seed).randbytes(36))
    buffer = io.BytesIO()
    small.resize((32, 24)).save(buffer, "JPEG")
    return buffer.getvalue()


def tfq_data(
    folder: Path, number: int, images: int = 1, images_of: list[str] | None = None, **columns: list[Any]
) -> Path:
    """A TFQ-Bench file of `number` statements about `images` pictures, each statement with its own number in it.

    `images_of` names other pictures, one for each statement; `columns` are further columns.
    """
    (folder / "images").mkdir(parents=True, exist_ok=True)
    for index in range(images):
        (folder / "images" / f"{index}.jpg").write_bytes(jpeg(index))
    records = [
        {
            "images": [images_of[index] if images_of else f"images/{index % images}.jpg"],
            "problem": f"<image>Statement {index}: the lamp stands for hope.",
            "answer": "TF"[index % 2],
            **{name: values[index] for name, values in columns.items()},
        }
        for index in range(number)
    ]
    return write_lines(folder / "tfq.jsonl", records)


def vl_data(folder: Path, number: int) -> Path:
    """A VL-RewardBench file of `number` comparisons, each about a picture of its own."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    records = []
    for index in range(number):
        (folder / "images" / f"{index}.jpg").write_bytes(jpeg(index))
        records.append(
            {
                "id": f"mathverse_{index}",
                "image": f"images/{index}.jpg",
                "query": f"Statement {index}: what is drawn?",
                "response": ["A tree stands there.", f"A house with {index} windows."],
                "human_ranking": [0, 1] if index % 3 else [1, 0],
            }
        )
    return write_lines(folder / "vl.jsonl", records)


def write_lines(file: Path, records: list[Any]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def number_of(request: Request) -> int:
    """The number of the statement that a request is about."""
    found = re.search(r"Statement (\d+):", request.texts)
    assert found is not None
    return int(found[1])


def answer_by_prompt(request: Request) -> Reply:
    """An answer that depends on the text of the prompt and on nothing else; some of them cannot be read."""
    draw = hashlib.sha256(request.texts.encode()).digest()[0] % 10
    text = "It depends." if draw == 0 else f"<think>seen</think><answer>{'TF'[draw % 2]}</answer>"
    if "Overall Judgment" in request.texts:
        text = f"Overall Judgment: Answer {1 + draw % 2} is better."
    return Reply(completion(text))


def slowly(script: Callable[[Request], Reply], seconds: float) -> Callable[[Request], Reply]:
    """The same answers, each after so many seconds."""
    return lambda request: Reply(script(request).body, first_byte=seconds)


def plan_for(data: Path, name: str = "tfq", **changes: Any) -> Plan:
    """A plan over a data file, as `beholder run` would make it."""
    settings: dict[str, Any] = {
        "images": None,
        "categories": None,
        "template": None,
        "sampling": Sampling(temperature=0.0, max_tokens=64),
        "votes": None,
        "epochs": 1,
        "order": "random",
        "seed": 7,
        "selection": Selection(),
    }
    return make_plan(benchmark(name), data, **settings | changes)


@dataclass
class EngineRun:
    """A run that was carried out in this process: what came of it, and what was seen and said meanwhile."""

    result: Result
    watch: Watch
    said: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return self.result.folder


def run_engine(
    plan: Plan,
    url: str,
    runs: Path,
    *,
    folder: Path | None = None,
    concurrency: int = 4,
    endpoint: dict[str, Any] | None = None,
    make_model: Callable[[], Model] | None = None,
    **options: Any,
) -> EngineRun:
    """Carries a plan out in a new folder, or goes on in `folder`; `make_model` makes another model than `openai`."""
    seen: list[Watch] = []
    said: list[str] = []

    def make_watch(total: int, before: int) -> Watch:
        seen.append(Watch(total, before, benchmark(plan.benchmark).headline[0], say=said.append))
        return seen[0]

    async def whole() -> Result:
        reach = Endpoint(base_url=url, max_connections=concurrency, **endpoint or {})
        model = make_model() if make_model is not None else OpenAIModel("openai/test-model", reach)
        place = folder or lifecycle.begin(plan, model, {}, runs)
        settings = EngineOptions(concurrency=concurrency, **{"retries": QUICK, **options})
        return await lifecycle.carry_out(place, plan, model, settings, make_watch)

    return EngineRun(asyncio.run(whole()), seen[0], said)


def stored(folder: Path) -> list[reading.StoredResponse]:
    """All responses in a run folder, in data order."""
    with closing(schema.open_to_read(folder / "run.db")) as db:
        return list(reading.responses(db))


def committed(database: Path) -> set[tuple[str, int, int]]:
    """(key, epoch, vote) of all answers in a run database."""
    with closing(sqlite3.connect(database)) as db:
        return set(db.execute("SELECT key, epoch, vote FROM responses WHERE state = 0"))


def untidy_files(folder: Path) -> list[str]:
    """Files that do not belong in a run folder at rest; hidden ones may be left by a kill."""
    expected = re.compile(r"run\.(json|db)|results\.json|blobs/[0-9a-f]{2}/[0-9a-f]{64}|(.*/)?\.[^/]*")
    names = [str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()]
    return [name for name in names if not expected.fullmatch(name)]


def beholder(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Starts the real command, its output captured."""
    command = [sys.executable, "-m", "beholder", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
