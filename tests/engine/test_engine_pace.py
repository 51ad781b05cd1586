"""`--max-connections auto` in the engine: places that come and go, Ctrl-C, refusals, the same results as ever."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

import made_runs
from beholder.cli.endpoint import stored_settings
from beholder.engine.lifecycle import pace_for
from beholder.engine.pace import AUTO, MOST, Pace
from beholder.engine.retry import RetryPolicy
from beholder.engine.slots import Slots
from beholder.errors import ProviderError
from beholder.models.fakes import constant
from beholder.models.model import Model
from beholder.report.progress import ProgressLine
from beholder.report.terminal import make_console
from beholder.sample import Response
from beholder.store import folder as folders
from made_runs import answer_by_prompt, beholder, committed, number_of, slowly, stored, tfq_data
from scripted_server import Reply, Request, ScriptedServer


def test_places_are_given_in_turn_and_never_more_than_the_pace_allows() -> None:
    async def go() -> tuple[list[int], int]:
        slots, order, inside, most = Slots(Pace(first=2), 600), [], 0, 0

        async def worker(number: int) -> None:
            nonlocal inside, most
            await slots.enter()
            order.append(number)
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1
            slots.leave()

        await asyncio.gather(*map(worker, range(20)))
        return order, most

    assert asyncio.run(go()) == (list(range(20)), 2)


def test_a_worker_that_is_cancelled_gives_its_place_on() -> None:
    async def go() -> None:
        slots = Slots(Pace(first=1), 600)
        await slots.enter()
        first, second = asyncio.create_task(slots.enter()), asyncio.create_task(slots.enter())
        await asyncio.sleep(0)
        slots.leave()
        first.cancel()  # it has been let in and does not know it yet
        await asyncio.wait_for(second, 5)

    asyncio.run(go())


@pytest.mark.parametrize("closed", [False, True])
def test_nobody_is_let_in_while_the_server_is_left_alone(closed: bool) -> None:
    async def go() -> float:
        slots = Slots(Pace(first=4), obey=0.2)

        async def busy() -> Response:
            raise ProviderError("busy", kind="http_429", status=429, retryable=True, retry_after=3600.0)

        await slots.enter()
        with pytest.raises(ProviderError):
            await slots.watched(busy)
        slots.leave()
        began = time.monotonic()
        waiting = asyncio.create_task(slots.enter())
        await asyncio.sleep(0.01)
        assert not waiting.done()
        if closed:
            slots.close()
        await asyncio.wait_for(waiting, 5)
        return time.monotonic() - began

    assert (asyncio.run(go()) < 0.15) == closed


@pytest.mark.parametrize(
    ("concurrency", "model", "paced"),
    [(AUTO, "openai/m", True), (AUTO, "google/m", True), (16, "openai/m", False), (AUTO, "constant/T", False)],
)
def test_only_a_server_is_paced(concurrency: int, model: str, paced: bool) -> None:
    stand_in: Model = constant("T")
    stand_in.name = model
    assert (pace_for(concurrency, stand_in) is not None) == paced


def refusing(number: int) -> tuple[ScriptedServer, list[int]]:
    """A server that answers 429 to what comes while `number` are open, and how often it did."""
    refused: list[int] = []

    def script(request: Request) -> Reply:
        if server._open > number:
            refused.append(request.number)
            return Reply(b'{"error": "slow down"}', 429)
        return slowly(answer_by_prompt, 0.03)(request)

    server = ScriptedServer(script)
    return server, refused


def test_the_results_are_those_of_a_fixed_number(tmp_path: Path) -> None:
    plan = made_runs.plan_for(tfq_data(tmp_path, 120))
    server, refused = refusing(12)
    with server:
        paced = made_runs.run_engine(plan, server.url, tmp_path / "auto", concurrency=AUTO)
    assert refused, "it never came to the limit of the server"
    with ScriptedServer(answer_by_prompt) as server:
        fixed = made_runs.run_engine(plan, server.url, tmp_path / "fixed")
    assert paced.result.complete
    assert paced.watch.pace is not None
    assert paced.watch.pace.limit < 24
    assert paced.result.metrics == fixed.result.metrics
    texts = [[one.response.text for one in stored(run.folder)] for run in (paced, fixed)]
    assert texts[0] == texts[1]


def test_it_grows_to_what_is_needed_and_the_line_says_so(tmp_path: Path) -> None:
    plan = made_runs.plan_for(tfq_data(tmp_path, 400))
    with ScriptedServer(slowly(answer_by_prompt, 0.2)) as server:
        paced = made_runs.run_engine(plan, server.url, tmp_path / "runs", concurrency=AUTO)
    assert paced.watch.pace is not None
    assert 32 <= paced.watch.pace.limit <= MOST
    line = ProgressLine(paced.watch, make_console(), "test").line().plain
    assert f"{paced.watch.pace.limit} at once" in line


def test_a_refused_key_ends_a_paced_run_at_once(tmp_path: Path) -> None:
    plan = made_runs.plan_for(tfq_data(tmp_path, 60))
    with ScriptedServer(lambda request: Reply(b"{}", 401)) as server:
        paced = made_runs.run_engine(plan, server.url, tmp_path / "runs", concurrency=AUTO)
    assert not paced.result.complete
    assert len(server.requests) <= 8


def test_the_end_does_not_wait_for_a_server_that_is_left_alone(tmp_path: Path) -> None:
    plan = made_runs.plan_for(tfq_data(tmp_path, 1))
    busy = Reply(b"{}", 429, headers=(("Retry-After", "20"),))
    with ScriptedServer(lambda request: busy) as server:
        once = RetryPolicy(attempts=1)
        paced = made_runs.run_engine(plan, server.url, tmp_path / "runs", concurrency=AUTO, retries=once)
    assert paced.watch.pace is not None
    assert paced.watch.pace.closed_until > time.monotonic()


@pytest.mark.slow
def test_ctrl_c_loses_nothing_and_a_resume_is_paced_too(tmp_path: Path) -> None:
    data, runs = tfq_data(tmp_path, 40), tmp_path / "runs"
    with ScriptedServer(slowly(answer_by_prompt, 0.25)) as server:
        options = ("--base-url", server.url, "--data", data, "--runs-dir", runs, "--max-connections", "auto")
        process = beholder("run", "tfq", "--model", "openai/m", *options)
        while len(server.requests) < 10:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 130, out + err
        (folder,) = folders.list_runs(runs)
        assert len(committed(folder / "run.db")) == len(server.requests) < 40
        settings = json.loads((folder / "run.json").read_text())["settings"]
        assert settings["max_connections"] == "auto"
        assert stored_settings(settings, folder).connections == AUTO
        process = beholder("resume", "latest", "--runs-dir", runs)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 0, out + err
    assert "at once" in err
    assert set(Counter(map(number_of, server.requests)).values()) == {1}


@pytest.mark.parametrize("text", ["0", "4097", "many", "-3", "1.5"])
def test_what_is_no_number_of_connections(text: str, tmp_path: Path) -> None:
    process = beholder("run", "tfq", "--model", "random", "--data", tmp_path, f"--max-connections={text}")
    _, err = process.communicate(timeout=30)
    assert process.returncode == 2
    assert "auto" in err
    assert "Traceback" not in err
