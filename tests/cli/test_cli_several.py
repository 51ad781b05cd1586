"""Several models in one run: each result when it is there, a refused key, and what `--json` says of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_data import Beholder, tfq_data

from beholder.cli import carry_out
from scripted_server import Reply, Request, ScriptedServer

REFUSED_KEY = Reply(b'{"error": "bad key"}', status=401)


def test_a_result_is_printed_before_the_next_model_is_asked(
    beholder: Beholder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed: list[str] = []
    begin = carry_out.run_one

    async def run_one(*arguments: object) -> object:
        printed.append(capsys.readouterr().out)
        return await begin(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(carry_out, "run_one", run_one)
    arguments = ("run", "tfq", "--model", "random", "--model", "constant/T", "--data", tfq_data(tmp_path))
    assert beholder(*arguments, "--runs-dir", tmp_path / "runs").code == 0
    assert ["· random ·" in text for text in printed] == [False, True]


def test_a_refused_key_is_not_tried_again(beholder: Beholder, tmp_path: Path) -> None:
    asked: list[str] = []

    def script(request: Request) -> Reply:
        asked.append(request.body["model"])
        return REFUSED_KEY

    with ScriptedServer(script) as server:
        said = beholder(
            "run",
            "tfq",
            *("--model", "openai/one", "--model", "openai/two", "--model", "random", "--base-url", server.url),
            *("--data", tfq_data(tmp_path), "--runs-dir", tmp_path / "runs", "--max-connections", 1, "--json"),
        )
    assert said.code == 4
    assert set(asked) == {"one"}
    assert "openai/two was not run: the endpoint has refused the API key" in said.err
    assert [one["model"] for one in json.loads(said.out)["runs"]] == ["openai/one", "random"]


def test_json_says_why_a_run_is_incomplete_and_how_to_go_on(beholder: Beholder, tmp_path: Path) -> None:
    with ScriptedServer(lambda request: REFUSED_KEY if request.number else Reply()) as server:
        said = beholder(
            "run",
            *("tfq", "--model", "openai/one", "--base-url", server.url, "--max-connections", 1),
            *("--data", tfq_data(tmp_path), "--runs-dir", tmp_path / "runs", "--json"),
        )
    found = json.loads(said.out)
    assert "refused the API key" in found["message"]
    assert found["resume"] == f"beholder resume {found['folder']} --runs-dir {Path(found['folder']).parent}"
    assert found["failures"] == []


def test_json_counts_failures_by_reason(beholder: Beholder, tmp_path: Path) -> None:
    busy = Reply(b'{"error": {"message": "busy"}}', status=400)
    with ScriptedServer(lambda request: busy if "umbrella" in request.texts else Reply()) as server:
        found = beholder.json(
            "run",
            *("tfq", "--model", "openai/one", "--base-url", server.url),
            *("--data", tfq_data(tmp_path), "--runs-dir", tmp_path / "runs"),
        )
    (failure,) = found["failures"]
    assert (failure["owner"], failure["status"], failure["count"]) == ("provider", 400, 1)
    assert "busy" in failure["message"]
    assert (found["message"], found["resume"], found["noise"]) == ("", None, None)


def test_json_holds_the_noise_of_epochs(beholder: Beholder, tmp_path: Path) -> None:
    arguments = ("run", "tfq", "--model", "random", "--data", tfq_data(tmp_path), "--epochs", 3)
    found = beholder.json(*arguments, "--runs-dir", tmp_path / "runs")
    assert found["noise"]["items"] == 6
    assert found["noise"]["within"] >= 0
