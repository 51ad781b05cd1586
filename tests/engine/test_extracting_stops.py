"""Readings that are cached, interrupted and told of."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_readings import calls, failing, official, read_again

from beholder.engine import judges_of_run
from beholder.engine.judge import Judge
from beholder.engine.judging import Judging, judge_run
from beholder.engine.retry import RetryPolicy
from beholder.engine.run import Ending
from beholder.errors import UsageError
from beholder.models.fakes import constant
from beholder.store.cache import ResponseCache
from made_runs import slowly
from made_tir import (
    READING,
    extractor_at,
    reads_letter,
    record,
    run_tir,
)
from scripted_server import Reply, Request, ScriptedServer

# the cache ---------------------------------------------------------------------------------------------------------


def test_a_reading_is_paid_for_once(tmp_path: Path) -> None:
    cache = tmp_path / "cache.db"
    rows = [record(0), record(1)]
    with ScriptedServer(reads_letter) as server:
        first, _, _ = run_tir(tmp_path / "1", rows, ["It is B.", "It is A."], extractor_at(server, cache=cache))
        assert len(server.requests) == 2
        second, _, _ = run_tir(tmp_path / "2", rows, ["It is B.", "It is A."], extractor_at(server, cache=cache))
        assert len(server.requests) == 2
        assert [score.value for score in official(second)] == [score.value for score in official(first)] == [1, 0]
        assert all(json.loads(row[6])[0]["cached"] for row in calls(second.folder))
        run_tir(tmp_path / "3", rows, ["It is B.", "It is C."], extractor_at(server, cache=cache))
        assert len(server.requests) == 3
        run_tir(tmp_path / "4", rows, ["It is B.", "It is A."], extractor_at(server, cache=None))
        assert len(server.requests) == 5


def test_failures_are_not_cached(tmp_path: Path) -> None:
    cache = tmp_path / "cache.db"
    with ScriptedServer(failing(404)) as server:
        run_tir(tmp_path / "1", [record(0)], ["It is B."], extractor_at(server, cache=cache))
        server.script = reads_letter
        result, _, _ = run_tir(tmp_path / "2", [record(0)], ["It is B."], extractor_at(server, cache=cache))
    assert official(result)[0].value == 1


def test_a_model_on_this_machine_is_not_cached(tmp_path: Path) -> None:
    cache = tmp_path / "cache.db"
    extractor = Judge(task=READING, name="constant/B", model=constant("B"), template=READING.template, cache=cache)
    result, _, _ = run_tir(tmp_path, [record(0)], ["It is A."], extractor)
    assert official(result)[0].value == 1
    assert not cache.exists()


def test_a_cache_that_fails_does_not_stop_the_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: ResponseCache, responses: Any) -> None:
        raise UsageError("the disk is full.")

    monkeypatch.setattr(ResponseCache, "put", full)
    rows = [record(number) for number in range(6)]
    said: list[str] = []
    with ScriptedServer(reads_letter) as server:
        extractor = extractor_at(server, cache=tmp_path / "cache.db")
        result, _, _ = run_tir(tmp_path, rows, ["It is B."], extractor, say=said.append)
    assert result.complete
    assert result.metrics["official"]["all"].value == 1
    assert said == ["the disk is full. The judging goes on without it."]


# stopping ----------------------------------------------------------------------------------------------------------


class Stopper:
    """Stands for the signals: calls `tell` when so many requests have come."""

    def __init__(self, server: ScriptedServer, at: int, times: int = 1) -> None:
        self.server, self.at, self.times = server, at, times
        self.tell: Callable[[], None] | None = None
        self.script = server.script
        self.loop: asyncio.AbstractEventLoop | None = None
        server.script = self.watch

    def watch(self, request: Request) -> Reply:
        if request.number + 1 == self.at and self.tell is not None and self.loop is not None:
            for _ in range(self.times):
                self.loop.call_soon_threadsafe(self.tell)
        return self.script(request)


def stopped(folder: Path, extractor: Judge, stopper: Stopper, said: list[str]) -> Judging:
    async def whole() -> Judging:
        stopper.loop = asyncio.get_running_loop()
        try:
            return await judge_run(folder, extractor, said.append, stopper)  # type: ignore[arg-type]
        finally:
            assert stopper.tell is None, "the signals are given back"
            await extractor.close()

    return asyncio.run(whole())


def test_an_interrupt_waits_for_what_is_in_flight_and_starts_nothing_new(tmp_path: Path) -> None:
    result, _, _ = run_tir(tmp_path, [record(number) for number in range(30)], ["It is B."])
    said: list[str] = []
    with ScriptedServer(slowly(reads_letter, 0.1)) as server:
        stopper = Stopper(server, at=4)
        done = stopped(result.folder, extractor_at(server, concurrency=4), stopper, said)
        assert done.interrupted
        assert 4 <= done.asked == len(server.requests) == len(calls(result.folder)) < 12
        assert any("Ctrl-C again" in text for text in said)
        server.script = reads_letter
        assert read_again(result.folder, extractor_at(server)) == Judging(30 - done.asked, 0)
        assert len(server.requests) == 30, "nothing is asked twice"


def test_a_second_interrupt_drops_what_is_in_flight(tmp_path: Path) -> None:
    result, _, _ = run_tir(tmp_path, [record(number) for number in range(12)], ["It is B."])

    def hangs(request: Request) -> Reply:
        return Reply(reads_letter(request).body, first_byte=0.0 if request.number < 2 else 60.0)

    with ScriptedServer(hangs) as server:
        stopper = Stopper(server, at=6, times=2)
        done = stopped(result.folder, extractor_at(server, concurrency=4), stopper, [])
        assert done == Judging(2, 0, interrupted=True)
        assert len(calls(result.folder)) == 2


def test_an_interrupt_does_not_wait_for_a_retry(tmp_path: Path) -> None:
    result, _, _ = run_tir(tmp_path, [record(0)], ["It is B."])
    with ScriptedServer(failing(503)) as server:
        stopper = Stopper(server, at=1)
        slow = RetryPolicy(attempts=3, base=60.0, cap=60.0)
        done = stopped(result.folder, extractor_at(server, retries=slow), stopper, [])
    assert done == Judging(0, 0, interrupted=True)
    assert calls(result.folder) == []


def test_an_interrupted_run_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(*arguments: Any, **more: Any) -> Judging:
        return Judging(0, 0, interrupted=True)

    monkeypatch.setattr(judges_of_run, "judge_run", at_once)
    result, _, _ = run_tir(tmp_path, [record(0)], ["It is B."], extractor_at("http://127.0.0.1:9/v1"))
    assert result.ending is Ending.INTERRUPTED
    assert f"beholder resume {result.folder}" in result.message
    assert not result.complete


def test_progress_is_said_for_long_runs_only(tmp_path: Path) -> None:
    result, _, _ = run_tir(tmp_path, [record(number) for number in range(70)], ["It is B."])
    said: list[str] = []
    with ScriptedServer(reads_letter) as server:
        assert read_again(result.folder, extractor_at(server), said=said) == Judging(70, 0)
    assert said == ["Answers read by openai/reader: 64 of 70", "Answers read by openai/reader: 70 of 70"]
