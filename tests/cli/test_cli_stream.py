"""`--stream`: kept in run.json, taken up by a resume; no part of what makes two runs the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import made_runs
from beholder.cli.endpoint import StoredEndpoint, endpoint_again, settings_of
from beholder.models.endpoint import Endpoint
from scripted_server import Reply, Request, ScriptedServer

GIVEN: dict[str, Any] = {
    "base_url": None,
    "key_variable": None,
    "headers": [],
    "extra_body": None,
    "proxy": None,
    "ca_file": None,
    "max_connections": None,
}


@pytest.mark.parametrize("stream", [False, True])
def test_a_resume_asks_as_the_run_did(stream: bool) -> None:
    kept = settings_of(Endpoint(base_url="http://127.0.0.1:9/v1", stream=stream))
    again = endpoint_again(msgspec.convert(kept, StoredEndpoint), **GIVEN)
    assert again.stream is stream


def test_a_run_of_before_there_were_streams_is_not_streamed() -> None:
    assert StoredEndpoint(base_url="http://127.0.0.1:9/v1").stream is False


def streaming(request: Request) -> Reply:
    told = {"choices": [{"index": 0, "delta": {"content": "<answer>T</answer>"}, "finish_reason": "stop"}]}
    return Reply(b"data: " + json.dumps(told).encode() + b"\n\ndata: [DONE]\n\n")


def test_the_command_streams_and_a_second_run_without_finds_the_answers_in_the_cache(tmp_path: Path) -> None:
    data = made_runs.tfq_data(tmp_path, 3)
    with ScriptedServer(streaming) as server:
        common = ("run", "tfq", "--data", data, "--model", "openai/m", "--base-url", server.url)
        folders = ("--runs-dir", tmp_path / "runs")
        for more in (("--stream",), ()):
            done = made_runs.beholder(*common, *folders, *more)
            _, words = done.communicate(timeout=60)
            assert done.returncode == 0, words
        assert [request.body["stream"] for request in server.requests] == [True] * 3
    first, second = sorted((tmp_path / "runs").glob("*/run.json"))
    plans = [json.loads(file.read_text()) for file in (first, second)]
    assert [plan["settings"]["endpoint"]["stream"] for plan in plans] == [True, False]
    assert plans[0]["plan"] == plans[1]["plan"]
