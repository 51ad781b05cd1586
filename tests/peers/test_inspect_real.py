"""With the real inspect-ai: it opens the logs we write, and our tasks in it give the scores that our own runs give."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import made_metaphors
import made_runs
import made_tir
from beholder.benchmarks import benchmark
from beholder.peers import inspect_log
from beholder.peers.exporting import Wanted, export
from scripted_server import Reply, Request, ScriptedServer, completion

pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(importlib.util.find_spec("inspect_ai") is None, reason="needs inspect-ai: make test-models"),
]

ANSWERS = ["B", "The answer is (B).", "Going down twice leads out.", "Answer: A", "", "B or C", "**B**"]


def answer_tfq(request: Request) -> Reply:
    if made_runs.number_of(request) == 5:
        return Reply(b'{"error": {"message": "no such picture"}}', status=400)
    return made_runs.answer_by_prompt(request)


def answer_tir(request: Request) -> Reply:
    return Reply(completion(ANSWERS[sum(request.texts.encode()) % len(ANSWERS)]))


def answer_m3r(request: Request) -> Reply:
    if "Item 1" in request.texts:
        return Reply(completion("There is a metaphor in it, I think."))
    told = {"metaphor": True, "target": "cigarette", "source": "bomb", "sentiment": "negative"}
    return Reply(completion(json.dumps(told)))


CASES: list[tuple[str, Callable[[Path], Path], Callable[[Request], Reply], int]] = [
    ("tfq", lambda folder: made_runs.tfq_data(folder, 8, images=2), answer_tfq, 7),
    ("vl-rewardbench", lambda folder: made_runs.vl_data(folder, 4), made_runs.answer_by_prompt, 20),
    ("tir", lambda folder: made_tir.mazes(folder, 7), answer_tir, 7),
    ("m3r", lambda folder: made_metaphors.m3r_data(folder, 3), answer_m3r, 3),
]


def inspect(*arguments: str, url: str = "") -> str:
    """Calls Inspect's own command line, as a user does."""
    environment = os.environ | {"LOCAL_BASE_URL": url, "LOCAL_API_KEY": "x", "INSPECT_DISPLAY": "plain"}
    command = [sys.executable, "-m", "inspect_ai", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def read_log(file: Path) -> dict[str, Any]:
    """The log as Inspect's own reader has it; in a process of its own, whose warnings are Inspect's."""
    code = (
        "import sys; from inspect_ai.log import read_eval_log; "
        "print(read_eval_log(sys.argv[1]).model_dump_json(exclude={'samples': {'__all__': {'events'}}}))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout, parse_constant=lambda _: None)
    return found


def asked(request: Request) -> str:
    """What a request asks, and of which pictures, and how it is to be decoded."""
    body = request.body
    pictures = [
        part["image_url"]["url"]
        for message in body["messages"]
        for part in (message["content"] if isinstance(message["content"], list) else [])
        if part["type"] == "image_url"
    ]
    return json.dumps([request.texts, pictures, body.get("temperature"), body.get("top_p"), body.get("max_tokens")])


@pytest.mark.parametrize(("name", "make", "script", "answered"), CASES, ids=[case[0] for case in CASES])
def test_inspect_asks_and_scores_as_we_do(
    tmp_path: Path,
    name: str,
    make: Callable[[Path], Path],
    script: Callable[[Request], Reply],
    answered: int,
) -> None:
    data = make(tmp_path / "data")
    task = f"beholder/{name.replace('-', '_')}"
    sampling = benchmark(name).sampling
    with ScriptedServer(script) as server:
        ours = made_runs.run_engine(
            made_runs.plan_for(data, name, seed=0, sampling=sampling), server.url, tmp_path / "runs"
        )
        by_us = sorted(map(asked, server.requests))
        server.requests.clear()
        logs = tmp_path / "logs"
        model = "openai-api/local/test-model"
        options = ["--no-fail-on-error", "--max-retries", "0", "--log-dir", str(logs)]
        inspect("eval", task, "-T", f"data={data}", "--model", model, *options, url=server.url)
        by_inspect = sorted(map(asked, server.requests))
    assert by_inspect == by_us

    (file,) = logs.glob("*.eval")
    log = read_log(file)
    scored = {
        (item.key, item.vote): {label: score.value for label, score in item.scores.items()}
        for item in ours.result.items
        if any(score.outcome.value != "failed" for score in item.scores.values())
    }
    assert len(scored) == answered
    theirs = {(one["id"], one["epoch"] - 1): one for one in log["samples"] if not one["error"]}
    assert theirs.keys() == scored.keys()
    for place, values in scored.items():
        # What we have no value for is NaN there, which is read as None: unscored, not wrong.
        found = {label: score["value"] for label, score in theirs[place]["scores"].items()}
        assert found == values

    again = inspect_log.read(file)
    kept = {(one.id, one.repetition): one.response.text for one in again.answers if one.response.failure is None}
    stored = {(one.key, one.vote): one.response.text for one in made_runs.stored(ours.folder)}
    assert kept == {place: stored[place] for place in kept}
    assert len(kept) == answered


def test_inspect_opens_what_we_write(tmp_path: Path, tfq: Path) -> None:
    with ScriptedServer(answer_tfq) as server:
        run = made_runs.run_engine(made_runs.plan_for(tfq, epochs=2), server.url, tmp_path / "runs").folder
    file = tmp_path / "log.json"
    with file.open("wb") as sink:
        export(Wanted(folder=run), "inspect", sink)
    log = read_log(file)
    assert (log["status"], log["eval"]["model"], len(log["samples"])) == ("success", "openai/test-model", 16)
    failed = [one for one in log["samples"] if one["error"]]
    assert [one["error"]["message"] for one in failed] == ["provider: HTTP 400: no such picture"] * 2
    assert "openai/test-model" in inspect("log", "dump", str(file), "--header-only")
