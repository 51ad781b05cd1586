"""`experiment rotation` against a real server, with pictures and code in the sandbox: six arms and their tables."""

from __future__ import annotations

import json
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_data import Beholder, check_refused
from rich.console import Console

from beholder.cli.experiment_rotation import fresh_items
from beholder.errors import UsageError
from beholder.experiments.experiment import read
from beholder.synth.photographs import SHIPPED
from made_tir import mazes
from scripted_server import Reply, Request, ScriptedServer, completion

ITEMS = 3


def call(name: str, arguments: str) -> Reply:
    function = {"name": name, "arguments": arguments}
    asked = {"id": "c1", "type": "function", "function": function}
    return Reply(completion("I turn it.", finish="tool_calls", tool_calls=[asked]))


def turning(data: Path) -> Callable[[Request], Reply]:
    """A model that knows the answers. With P1 it answers right at once; with P2 it turns the picture the wrong way
    round, and answers wrong; with P3 it fumbles a call, turns it upright, and answers right."""
    known = {record["prompt"]: record["answer"] for record in json.loads((data / "TIR-Bench.json").read_text())}

    def script(request: Request) -> Reply:
        asked = next(prompt for prompt in known if prompt in request.texts)
        right = known[asked]
        (degrees,) = re.findall(rf"^{right}\. (\d+)°", asked, re.MULTILINE)
        (tool,) = [one["function"]["name"] for one in request.body["tools"]]
        said = sum(message["role"] == "assistant" for message in request.body["messages"])
        hint, each = "Hint:" in request.texts, "each option" in request.texts
        if (hint and said == 0) or (each and said == 1):
            direction = "counterclockwise" if hint else "clockwise"
            if tool == "rotate":
                return call(tool, json.dumps({"degrees": int(degrees), "direction": direction}))
            return call(tool, json.dumps({"code": f"image_1.rotate({degrees if hint else '-' + degrees}).show()"}))
        if each and said == 0:
            return call(tool, '{"degrees": ' if tool == "rotate" else json.dumps({"code": "image_1.rotate("}))
        return Reply(completion("ABCDEF"["ABCDEF".index(right) - 1] if hint else right))

    return script


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return fresh_items(tmp_path / "runs", ITEMS, 4, Console(quiet=True))


@pytest.mark.slow
def test_six_arms_and_what_failed_at_what(
    beholder: Beholder, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    runs = tmp_path / "runs"
    with ScriptedServer(turning(data)) as server:
        served = ("--model", "openai/m", "--base-url", server.url)
        said = beholder("experiment", "rotation", *served, "--n", ITEMS, "--seed", 4, "--runs-dir", runs)
    assert said.code == 0, said.err
    assert f"{ITEMS} fresh items in {data}" in said.err
    assert "items are few: the paper has 75" in said.err
    assert all(len(line) <= 80 for line in said.out.splitlines() if line.startswith(("arm", "tool P", "code P", "GPT")))
    assert "o3                   0.33" in said.out
    assert f"openai/m · {ITEMS} items\n" in said.out  # each of its own photograph

    found: Any = beholder.json("experiment", "show", "--runs-dir", runs)
    arms = {arm["name"]: arm for arm in found["outcome"]["arms"]}
    assert list(arms) == [
        f"{interface}-{prompt}" for interface in ("rotate", "python") for prompt in ("P1", "P2", "P3")
    ]
    for interface in ("rotate", "python"):
        first, hint, each = (arms[f"{interface}-{prompt}"] for prompt in ("P1", "P2", "P3"))
        assert (first["items"]["not used"], first["not_used_right"], first["spent"]["calls"]) == (ITEMS, ITEMS, 0)
        # right turns are 180 (both ways are one), 165 (the other way, 195, is an option too) and 305 degrees
        told = {fate: count for fate, count in hint["items"].items() if count}
        assert told == {"answer": 1, "angle": 1, "direction": 1}
        assert (each["items"]["used, right"], each["syntax"], each["calls"]) == (ITEMS, ITEMS, 2 * ITEMS)
        assert [arm["score"]["value"] for arm in (first, hint, each)] == [1, 0, 1]
    assert {one["name"] for one in found["outcome"]["contrasts"]} >= {"code − tool, P1", "P3 − P1, tool"}

    figure = ET.fromstring((Path(found["folder"]) / "figure.svg").read_text())
    assert len([one for one in figure.iter() if one.tag.endswith("rect")]) == 2 + 6  # the legend and the bars
    (plan,) = [arm.plan for arm in read(Path(found["folder"])).arms if arm.name == "python-P3"]
    assert plan.tools is not None
    assert (plan.tools.arm, plan.template.partition("\n")[0]) == ("python", "{question}")


def test_own_prompts_and_data(beholder: Beholder, tmp_path: Path, data: Path) -> None:
    prompts = tmp_path / "prompts.json"
    prompts.write_text(json.dumps({"P2": "{question} Turn it!"}))
    options = ("--prompts", prompts, "--limit", 1, "--runs-dir", tmp_path / "runs", "--data", data)
    said = beholder("experiment", "rotation", "--model", "constant/A", *options)
    assert said.code == 0, said.err
    (folder,) = (tmp_path / "runs").glob("*_experiment-rotation_*")
    asked = read(folder)
    assert {arm.plan.template for arm in asked.arms if arm.facts["prompt"] == "P2"} == {"{question} Turn it!"}
    assert {arm.plan.n_samples for arm in asked.arms} == {1}


def test_a_conversation_that_failed_counts_nowhere(beholder: Beholder, tmp_path: Path, data: Path) -> None:
    answered = []

    def script(request: Request) -> Reply:
        if sum(message["role"] == "assistant" for message in request.body["messages"]) == 0:
            return call("rotate", '{"degrees": ')
        if not answered or request.texts.splitlines()[:3] == answered[0]:
            answered[:] = [request.texts.splitlines()[:3]]
            return Reply(b'{"error": {"message": "no"}}', status=400)
        return Reply(completion("A"))

    runs = tmp_path / "runs"
    with ScriptedServer(script) as server:
        served = ("--model", "openai/m", "--base-url", server.url, "--max-connections", 1)
        said = beholder("experiment", "rotation", *served, "--data", data, "--limit", 2, "--runs-dir", runs)
    found: Any = beholder.json("experiment", "show", "--runs-dir", runs)
    first = found["outcome"]["arms"][0]
    assert (first["score"]["n"], first["score"]["failed"]) == (1, 1), said.err
    assert (first["calls"], first["syntax"], first["calls_an_item"], first["spent"]["calls"]) == (1, 1, 1, 1)


def test_fresh_items_of_own_photographs(beholder: Beholder, tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    shutil.copy(SHIPPED / "camera.jpg", photos / "mine.jpg")
    options = ("--model", "constant/A", "--n", 1, "--photos", photos, "--runs-dir", tmp_path / "runs")
    said = beholder("experiment", "rotation", *options)
    assert said.code == 0, said.err
    assert "1 fresh item in " in said.err
    assert "1 item is few: the paper has 75" in said.err
    assert "constant/A · 1 item\n" in said.out
    (folder,) = (tmp_path / "runs").glob("rotation-1-0-*")
    (record,) = json.loads((folder / "TIR-Bench.json").read_text())
    assert "mine.jpg" in json.dumps(record)
    check_refused(beholder("experiment", "rotation", *options, "--data", folder), ("--n makes fresh items",))
    check_refused(
        beholder("experiment", "rotation", "--model", "constant/A", "--data", folder, "--photos", photos),
        ("--photos is for fresh items",),
    )


def test_only_rotation_items_are_asked(beholder: Beholder, tmp_path: Path) -> None:
    said = beholder("experiment", "rotation", "--model", "constant/A", "--data", mazes(tmp_path / "set", 2))
    check_refused(said, ("No item",))
    said = beholder("experiment", "rotation", "--model", "constant/A", "--data", tmp_path / "set", "--n", 5)
    check_refused(said, ("--n makes fresh items", "--limit"))


def test_fresh_items_are_made_once_and_never_replaced(tmp_path: Path, data: Path) -> None:
    file = data / "TIR-Bench.json"
    made = file.stat().st_mtime_ns
    assert fresh_items(tmp_path / "runs", ITEMS, 4, Console(quiet=True)) == data
    assert file.stat().st_mtime_ns == made
    file.write_text("[]")
    with pytest.raises(UsageError, match="is there already"):
        fresh_items(tmp_path / "runs", ITEMS, 4, Console(quiet=True))
