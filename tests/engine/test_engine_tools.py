"""Whole runs with tools against a real server: turns are kept one by one, a restart begins the sample again."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from beholder.engine.plan import Plan
from beholder.images.wire import QWEN_VL
from beholder.store import reading, schema, turns
from beholder.store.folder import Blobs
from beholder.tools.settings import Arm, Budget, Protocol, ToolSettings
from beholder.trajectory import Ended, Trajectory
from made_runs import beholder, plan_for, run_engine, stored
from made_tir import mazes
from scripted_server import Reply, Request, ScriptedServer, completion

VISUAL = ToolSettings(arm=Arm.VISUAL)


def plan(data: Path, tools: ToolSettings | None = VISUAL, **changes: Any) -> Plan:
    return plan_for(data, "tir", tools=tools, **changes)


def call(name: str, arguments: dict[str, Any], number: int) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": f"c{number}", "type": "function", "function": function}


def crops_twice(request: Request) -> Reply:
    """Crops, crops the crop, and answers."""
    said = sum(message["role"] == "assistant" for message in request.body["messages"])
    if said < 2:
        asked = call("crop", {"image": f"image_{said + 1}", "box": [0, 0, 8 - said, 6]}, said)
        return Reply(completion("I look closer.", finish="tool_calls", tool_calls=[asked]))
    return Reply(completion("B"))


def trajectories(folder: Path) -> list[Trajectory]:
    with closing(schema.open_to_read(folder / "run.db")) as db:
        return [one for _, one in turns.trajectories(db)]


def tally(folder: Path) -> reading.Tally:
    with closing(schema.open_to_read(folder / "run.db")) as db:
        return reading.tally(db, 5)


def test_a_run_with_tools_keeps_every_turn_and_every_picture(tmp_path: Path) -> None:
    with ScriptedServer(crops_twice) as server:
        done = run_engine(plan(mazes(tmp_path / "data", 3)), server.url, tmp_path / "runs")
    assert done.result.complete
    assert [one.response.text for one in stored(done.folder)] == ["B"] * 3
    kept = trajectories(done.folder)
    assert [(len(one.turns), one.ended, one.attempt) for one in kept] == [(3, Ended.ANSWERED, 0)] * 3
    sizes = [observation.text.rpartition(": ")[2] for observation in kept[0].observations]
    assert sizes == ["8x6 pixels", "7x6 pixels"]
    blobs = Blobs(done.folder)
    assert all(blobs.read(sha256) is not None for one in kept[0].observations for sha256 in one.images)
    assert (tally(done.folder).prompt_tokens, tally(done.folder).completion_tokens) == (90, 27)
    assert all(one.response.usage.completion_tokens == 9 for one in stored(done.folder))
    assert done.result.metrics["lenient"]["all"].value == 1.0


def test_the_journaled_request_is_the_last_one(tmp_path: Path) -> None:
    with ScriptedServer(crops_twice) as server:
        done = run_engine(plan(mazes(tmp_path / "data", 1)), server.url, tmp_path / "runs")
    with closing(schema.open_to_read(done.folder / "run.db")) as db:
        (one,) = reading.responses(db)
        record = reading.request_record(db, one.response.request_hash)
    assert record is not None
    roles = [message["role"] for message in json.loads(record)["messages"]]
    assert roles == ["user", "assistant", "tool", "user", "assistant", "tool", "user"]


def says_calls_in_the_text(request: Request) -> Reply:
    said = sum(message["role"] == "assistant" for message in request.body["messages"])
    asked = '{"name": "crop", "arguments": {"box": [0, 0, 8, 6]}}'
    return Reply(completion("B" if said else f"<tool_call>{asked}</tool_call>"))


def test_the_text_protocol_is_journaled_alike(tmp_path: Path) -> None:
    tools = ToolSettings(arm=Arm.VISUAL, protocol=Protocol.TEXT, probe=True)
    with ScriptedServer(says_calls_in_the_text) as server:
        done = run_engine(plan(mazes(tmp_path / "data", 1), tools), server.url, tmp_path / "runs")
    with closing(schema.open_to_read(done.folder / "run.db")) as db:
        (one,) = reading.responses(db)
        record = reading.request_record(db, one.response.request_hash)
    assert one.response.text == "B"
    assert record is not None
    assert [message["role"] for message in json.loads(record)["messages"]] == ["system", "user", "assistant", "user"]


def test_a_picture_that_the_server_would_refuse_is_left_out(tmp_path: Path) -> None:
    def script(request: Request) -> Reply:
        said = sum(message["role"] == "assistant" for message in request.body["messages"])
        asked = call("resize", {"width": 4000, "height": 10}, said)
        return Reply(completion("B") if said else completion(None, finish="tool_calls", tool_calls=[asked]))

    with ScriptedServer(script) as server:
        done = run_engine(
            plan(mazes(tmp_path / "data", 1)), server.url, tmp_path / "runs", endpoint={"policy": QWEN_VL}
        )
    (one,) = stored(done.folder)
    assert one.response.text == "B"
    (kept,) = trajectories(done.folder)
    assert kept.turns[1].evicted == (1,)
    assert b"[image_2 is not shown]" in server.requests[1].raw


@pytest.mark.parametrize(("tools", "requests"), [(VISUAL, 9), (ToolSettings(arm=Arm.VISUAL, probe=True), 15)])
def test_a_repeat_costs_nothing(tools: ToolSettings, requests: int, tmp_path: Path) -> None:
    data = mazes(tmp_path / "data", 3)
    with ScriptedServer(crops_twice) as server:
        for times in range(2):
            done = run_engine(plan(data, tools), server.url, tmp_path / str(times), cache=tmp_path / "cache.db")
            assert len(server.requests) == requests
    assert all(one.response.cached for one in stored(done.folder))
    assert [len(one.turns) for one in trajectories(done.folder)] == [3, 3, 3]
    assert tally(done.folder).completion_tokens == 0


def test_a_sample_whose_request_failed_begins_again_and_its_cost_stays(tmp_path: Path) -> None:
    data = mazes(tmp_path / "data", 2)
    down = [True]

    def script(request: Request) -> Reply:
        said = sum(message["role"] == "assistant" for message in request.body["messages"])
        return Reply(b"", status=503) if down[0] and said == 2 else crops_twice(request)

    with ScriptedServer(script) as server:
        done = run_engine(plan(data), server.url, tmp_path / "runs")
        assert not done.result.complete
        assert [one.response.failure is not None for one in stored(done.folder)] == [True, True]
        down[0] = False
        again = run_engine(plan(data), server.url, tmp_path / "runs", folder=done.folder)
    assert again.result.complete
    assert [(len(one.turns), one.attempt) for one in trajectories(done.folder)] == [(3, 1), (3, 1)]
    counted = tally(done.folder)
    assert (counted.abandoned, counted.completion_tokens) == (2, 2 * 3 * 3 + 2 * 2 * 3)
    with closing(schema.open_to_read(done.folder / "run.db")) as db:
        (one, _) = stored(done.folder)
        (left,) = turns.abandoned(db, (one.key, 0, 0), one.response.conduct)
    assert (len(left.turns), left.ended, left.attempt) == (2, None, 0)


def test_the_plan_knows_the_tools(tmp_path: Path) -> None:
    data = mazes(tmp_path / "data", 1)
    settings: list[ToolSettings | None] = [
        None,
        VISUAL,
        ToolSettings(arm=Arm.ROTATE),
        ToolSettings(arm=Arm.VISUAL, protocol=Protocol.TEXT),
        ToolSettings(arm=Arm.VISUAL, budget=Budget(turns=3)),
        ToolSettings(arm=Arm.VISUAL, placebo=True),
        ToolSettings(arm=Arm.VISUAL, probe=True),
    ]
    identities = [plan(data, tools).identity({}) for tools in settings]
    assert len({json.dumps(one, sort_keys=True) for one in identities}) == len(settings)
    assert "tools" not in identities[0]  # as in runs made before there were tools


def test_tools_for_two_votes_and_epochs(tmp_path: Path) -> None:
    with ScriptedServer(crops_twice) as server:
        done = run_engine(plan(mazes(tmp_path / "data", 2), epochs=2), server.url, tmp_path / "runs")
    places = [(one.epoch, one.response.conduct.turns) for one in stored(done.folder) if one.response.conduct]
    assert places == [(0, 3), (1, 3), (0, 3), (1, 3)]


def test_a_picture_that_cannot_be_read_fails_without_a_conversation(tmp_path: Path) -> None:
    data = mazes(tmp_path / "data", 2)
    (data / "data" / "0.jpg").write_bytes(b"no picture")
    with ScriptedServer(crops_twice) as server:
        done = run_engine(plan(data), server.url, tmp_path / "runs")
    first, second = (one.response for one in stored(done.folder))
    assert first.failure is not None
    assert first.conduct is None
    assert second.text == "B"


@pytest.mark.slow
def test_ctrl_c_or_a_kill_leaves_turns_that_a_resume_counts(tmp_path: Path) -> None:
    """The real command, killed while conversations are under way."""
    data = mazes(tmp_path / "data", 30)
    killed = []

    def script(request: Request) -> Reply:
        if request.number == 45 and killed:
            killed[0].kill()
        return Reply(crops_twice(request).body, first_byte=0.03)

    with ScriptedServer(script) as server:
        where = ("--data", data, "--runs-dir", tmp_path / "runs", "--base-url", server.url, "--no-cache")
        process = beholder("run", "tir", "--model", "openai/m", "--tools", "visual", "--max-connections", 8, *where)
        killed.append(process)
        process.communicate(timeout=60)
        assert process.returncode == -9
        killed.clear()
        again = beholder("resume", "latest", "--runs-dir", tmp_path / "runs", "--json")
        out, err = again.communicate(timeout=60)
        assert again.returncode == 0, out + err
        asked = len(server.requests)
    (folder,) = [one for one in (tmp_path / "runs").iterdir() if (one / "run.json").exists()]
    kept = trajectories(folder)
    assert len(kept) == 30
    assert all((len(one.turns), one.ended) == (3, Ended.ANSWERED) for one in kept)
    counted = tally(folder)
    assert counted.abandoned > 0
    assert 90 < asked < 90 + 45
    assert counted.completion_tokens == 3 * (90 + sum_of_abandoned(folder))


def sum_of_abandoned(folder: Path) -> int:
    with closing(schema.open_to_read(folder / "run.db")) as db:
        return turns.spent(db).abandoned.turns
