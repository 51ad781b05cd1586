"""Runs whose answers an extractor reads, and what is in their databases, for the tests."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from beholder.engine import lifecycle
from beholder.engine.judge import Judge
from beholder.engine.judging import Judging, judge_run
from beholder.engine.lifecycle import Result
from beholder.score import Score
from beholder.store import folder as folders
from made_tir import (
    TIR,
)
from scripted_server import Reply, Request, completion

WRONG = Reply(completion("A"))


def official(result: Result) -> list[Score]:
    return [item.scores["official"] for item in result.items]


def calls(folder: Path) -> list[tuple[Any, ...]]:
    """The judge calls in a run's database, in the order of their rounds and responses."""
    with closing(sqlite3.connect(folder / "run.db")) as db:
        return db.execute(
            "SELECT response, purpose, judge, prompt, answer, failure, replies FROM judge_calls "
            "ORDER BY round, response"
        ).fetchall()


def read_again(folder: Path, extractor: Judge, interrupts: Any = None, said: list[str] | None = None) -> Judging:
    """An extraction alone, without the model."""

    async def whole() -> Judging:
        try:
            return await judge_run(folder, extractor, (said if said is not None else []).append, interrupts)
        finally:
            await extractor.close()

    return asyncio.run(whole())


def finished(folder: Path) -> Result:
    info = folders.read_info(folder)
    return lifecycle.finish(folder, info, lifecycle.plan_of(info), TIR)


def failing(status: int, **more: Any) -> Callable[[Request], Reply]:
    body = json.dumps({"error": {"message": "out of order"}}).encode()
    return lambda request: Reply(body, status=status, **more)


def begun_again(folder: Path, extractor: Judge) -> Result:
    """What `rescore --extractor` does: run.json names the extractor, and it reads what it has not read."""
    info = folders.read_info(folder)
    named = {"extractor": {"model": extractor.name, "template": extractor.template}}

    async def whole() -> Result:
        try:
            return await lifecycle.judge_again(folder, info, lifecycle.plan_of(info), [extractor], named, print)
        finally:
            await extractor.close()

    return asyncio.run(whole())
