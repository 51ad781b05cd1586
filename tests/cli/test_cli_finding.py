"""Commands about runs where there are experiments: their arms are runs, and what is said names them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cli_data import Beholder, check_refused

from made_tir import mazes
from scripted_server import Reply, ScriptedServer, completion


@pytest.fixture
def experiment(beholder: Beholder, tmp_path: Path) -> Path:
    """An experiment with two arms that are begun, and one that is not."""
    chosen = ("--model", "constant/A", "--arms", "none,visual", "--no-repeat", "--runs-dir", tmp_path / "runs")
    said = beholder("experiment", "tools", "--data", mazes(tmp_path / "set", 2), *chosen)
    assert said.code == 0, said.err
    (file,) = (tmp_path / "runs").glob("*/experiment.json")
    told = json.loads(file.read_text())
    file.write_text(json.dumps(told | {"arms": [*told["arms"], told["arms"][1] | {"name": "rotate"}]}))
    return file.parent


COMMANDS = [("show",), ("report",), ("resume",), ("rescore",), ("experiment", "evidence")]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_where_only_experiments_lie_latest_names_them(
    beholder: Beholder, experiment: Path, command: tuple[str, ...]
) -> None:
    said = beholder(*command, "latest", "--runs-dir", experiment.parent)
    check_refused(said, (experiment.name, "beholder experiment show", f"{experiment}/none"))


@pytest.mark.parametrize("command", [one for one in COMMANDS if one != ("report",)], ids=" ".join)
@pytest.mark.parametrize("by_name", [True, False])
def test_an_experiment_in_place_of_a_run_names_its_arms(
    beholder: Beholder, experiment: Path, command: tuple[str, ...], by_name: bool
) -> None:
    given = experiment.name if by_name else experiment
    said = beholder(*command, given, "--runs-dir", experiment.parent)
    check_refused(said, ("is an experiment", f"{experiment}/none, {experiment}/visual."))


def test_an_experiment_without_arms_is_told_so(beholder: Beholder, experiment: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "experiment.json").write_bytes((experiment / "experiment.json").read_bytes())
    check_refused(beholder("show", bare), ("none of whose arms has begun",))


def test_latest_is_a_run_where_there_is_one(beholder: Beholder, experiment: Path, tmp_path: Path) -> None:
    data, runs = tmp_path / "set", experiment.parent
    assert beholder("run", "tir", "--data", data, "--model", "constant/B", "--runs-dir", runs).code == 0
    assert beholder.json("show", "latest", "--runs-dir", runs)["model"] == "constant/B"


def test_experiments_are_listed_with_their_arms(beholder: Beholder, experiment: Path) -> None:
    said = beholder("list", "--runs-dir", experiment.parent)
    assert "  none but those of the experiments" in said.out
    assert f"  {experiment.name}  tools  constant/A  2 of 3 arms complete\n" in said.out
    (row,) = beholder.json("list", "--runs-dir", experiment.parent)["experiments"]
    assert [(arm["name"], arm["status"]) for arm in row["arms"]] == [
        ("none", "complete"),
        ("visual", "complete"),
        ("rotate", "not begun"),
    ]
    assert (row["kind"], row["model"], row["complete"]) == ("tools", "constant/A", 2)
    (experiment / "experiment.json").write_bytes(b"[" * 100_000)
    assert f"  {experiment.name}  damaged\n" in beholder("list", "--runs-dir", experiment.parent).out


@pytest.mark.parametrize(("arm", "asked"), [("visual", 0), ("visual-again", 2)])
def test_resuming_an_arm_uses_the_cache_of_the_runs_but_not_for_a_repeat(
    beholder: Beholder, tmp_path: Path, arm: str, asked: int
) -> None:
    runs = tmp_path / "runs"
    with ScriptedServer(lambda request: Reply(completion("A"))) as server:
        served = ("--model", "openai/m", "--base-url", server.url, "--runs-dir", runs)
        chosen = ("--arms", "none,visual", "--data", mazes(tmp_path / "set", 2))
        said = beholder("experiment", "tools", *served, *chosen)
        assert said.code == 0, said.err
        (experiment,) = (file.parent for file in runs.glob("*/experiment.json"))
        with closing(sqlite3.connect(experiment / arm / "run.db")) as db, db:
            db.execute("DELETE FROM scores")
            db.execute("DELETE FROM responses")
        before = len(server.requests)
        said = beholder("resume", experiment / arm, "--runs-dir", runs)
        assert said.code == 0, said.err
        assert len(server.requests) - before == asked
    assert not (experiment / ".cache.db").exists()
