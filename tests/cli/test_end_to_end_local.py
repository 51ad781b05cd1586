"""Real items, a real (tiny, random) model, the real command: behind `transformers serve`, and in Beholder itself."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import beholder
from beholder.store import reading, schema

pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch: make test-models"),
]

PHOTOS = Path(beholder.__file__).parent / "synth" / "photos"
STATEMENTS = (
    ("coffee.jpg", "There is a cup in the picture.", "T"),
    ("coffee.jpg", "The picture shows a dog.", "F"),
    ("chelsea.jpg", "There is a cat in the picture.", "T"),
    ("chelsea.jpg", "The animal is swimming.", "F"),
    ("coins.jpg", "There are coins in the picture.", "T"),
    ("coins.jpg", "All of the coins are square, which suggests that they were cut by hand.", "F"),
)
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
TIMEOUT = 240


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the items in `data` and the model in `models/tiny`."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))
    from tiny_model import write_tiny_model

    made = tmp_path_factory.mktemp("place")
    (made / "data" / "images").mkdir(parents=True)
    rows = []
    for picture, statement, answer in STATEMENTS:
        shutil.copy(PHOTOS / picture, made / "data" / "images" / picture)
        rows.append({"images": [f"images/{picture}"], "problem": f"<image>{statement}", "answer": answer})
    (made / "data" / "tfq.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    write_tiny_model(made / "models" / "tiny")
    return made


@dataclass(frozen=True)
class Server:
    """`transformers serve` in a process of its own."""

    url: str
    log: Path

    def n_asked(self) -> int:
        """How many chat requests it has answered."""
        return self.log.read_text(errors="replace").count('"POST /v1/chat/completions HTTP/1.1" 200')


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[Server]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = place / "serve.log"
    command = [str(Path(sys.executable).parent / "transformers"), "serve", str(place / "models" / "tiny")]
    command += ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    with log.open("wb") as opened:
        process = subprocess.Popen(command, stdout=opened, stderr=opened, env={**os.environ, **OFFLINE})
    try:
        began = time.monotonic()
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=5).close()
                break
            except (urllib.error.URLError, OSError):
                assert process.poll() is None, log.read_text(errors="replace")[-3000:]
                assert time.monotonic() - began < TIMEOUT, "transformers serve does not answer"
                time.sleep(0.5)
        yield Server(f"http://127.0.0.1:{port}/v1", log)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "beholder", *map(str, arguments)]


def environment() -> dict[str, str]:
    return {**os.environ, **OFFLINE, "COLUMNS": "200"}


def beholder_says(place: Path, *arguments: object, code: int = 0) -> str:
    done = subprocess.run(
        command(*arguments), cwd=place, env=environment(), capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    assert done.returncode == code, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout + done.stderr


def run_of(place: Path, name: str) -> Path:
    (run,) = (place / name).glob("*_tfq_*")
    return run


def texts(run: Path) -> dict[str, tuple[str | None, str | None, int | None, int | None]]:
    """Of each answer: text, finish, tokens in, tokens out."""
    with closing(schema.open_to_read(run / "run.db")) as db:
        return {
            one.key: (
                one.response.text,
                one.response.finish,
                one.response.usage.prompt_tokens,
                one.response.usage.completion_tokens,
            )
            for one in reading.responses(db)
        }


ASKED = ("run", "tfq", "--data", "data", "--max-tokens", 16, "--temperature", 0)


def test_a_model_behind_transformers_serve(place: Path, server: Server) -> None:
    """Stopped by a budget of tokens, resumed, each question asked once; answers and scores in the journal."""
    model = f"openai/{place / 'models' / 'tiny'}"
    where = ("--runs-dir", "served")
    how = ("--model", model, "--base-url", server.url, "--max-connections", 1)
    beholder_says(place, *ASKED, *how, *where, "--max-tokens-total", 900, code=4)
    run = run_of(place, "served")
    begun = texts(run)
    assert 0 < len(begun) < len(STATEMENTS)
    assert server.n_asked() == len(begun)
    said = beholder_says(place, "resume", run, *where, "--max-tokens-total", 100_000)
    assert server.n_asked() == len(STATEMENTS)
    assert "6 answered, 0 failed" in said
    told = texts(run)
    assert begun.items() <= told.items()
    assert all((prompt or 0) > 300 and 0 < (made or 0) <= 16 for _, _, prompt, made in told.values())
    results = json.loads((run / "results.json").read_text())
    assert results["complete"]
    assert results["metrics"]["recipe"]["question_accuracy"]["n"] == len(STATEMENTS)
    assert "Nothing to do" in beholder_says(place, "resume", run, *where)
    beholder_says(place, "report", run)
    page = (run / "report.html").read_text()
    assert "The animal is swimming." in page


def test_the_same_model_run_here_answers_the_same(place: Path, server: Server) -> None:
    """Greedy, the same weights, template and pictures: token for token what `transformers serve` says."""
    beholder_says(
        place,
        *ASKED,
        "--model",
        f"openai/{place / 'models' / 'tiny'}",
        "--base-url",
        server.url,
        "--runs-dir",
        "served_again",
    )
    for batch_size in (1, 4):
        name = f"here_{batch_size}"
        said = beholder_says(
            place,
            *ASKED,
            *("--model", "transformers/models/tiny", "--device", "cpu"),
            *("--batch-size", batch_size, "--runs-dir", name),
        )
        assert "6 answered, 0 failed" in said
        ours, theirs = texts(run_of(place, name)), texts(run_of(place, "served_again"))
        assert {key: one[0] for key, one in ours.items()} == {key: one[0] for key, one in theirs.items()}
        assert {key: one[2] for key, one in ours.items()} == {key: one[2] for key, one in theirs.items()}
    assert len({one[0] for one in ours.values()}) > 1


def test_what_a_run_here_leaves_behind(place: Path) -> None:
    """Versions, options, the prompt as it was written; votes that differ; a second run from the cache."""
    votes = ("--model", "transformers/models/tiny", "--votes", 3, "--temperature", 2, "--seed", 7)
    how = ("run", "tfq", "--data", "data", "--limit", 2, "--max-tokens", 16, *votes, "--runs-dir", "votes")
    assert "from cache" not in beholder_says(place, *how)
    run = run_of(place, "votes")
    info: dict[str, Any] = json.loads((run / "run.json").read_text())
    assert {"torch", "transformers"} <= info["environment"]["packages"].keys()
    assert info["settings"]["local"]["device"] == "auto"
    assert info["plan"]["model"]["wire"] == "transformers"
    assert info["plan"]["model"]["dtype"] == "float32"
    with closing(schema.open_to_read(run / "run.db")) as db:
        answers = {(one.key, one.vote): one.response.text for one in reading.responses(db)}
    assert len(answers) == 6
    assert len(set(answers.values())) >= 4
    key = next(iter(answers))[0]
    shown = beholder_says(place, "show", run, key, "--prompt")
    assert "sent as user:" in shown
    assert "6 from cache" in beholder_says(place, *how)


def test_tools_in_the_text_of_messages(place: Path) -> None:
    """The model calls no tool, being random; that the conversation is held at all is what is looked at."""
    model = ("--model", "transformers/models/tiny", "--runs-dir", "tools")
    refused = beholder_says(place, *ASKED, *model, "--tools", "rotate", code=2)
    assert "transformers/models/tiny takes no tool calls. Use --tool-protocol text" in refused
    said = beholder_says(place, *ASKED, *model, "--tools", "rotate", "--tool-protocol", "text")
    assert "6 answered, 0 failed" in said
    with closing(schema.open_to_read(run_of(place, "tools") / "run.db")) as db:
        conducts = [one.response.conduct for one in reading.responses(db)]
    assert [one.turns for one in conducts if one is not None] == [1] * 6


def test_ctrl_c_keeps_what_is_answered_and_a_resume_goes_on(place: Path) -> None:
    from tiny_model import write_tiny_model

    write_tiny_model(place / "models" / "endless", endless=True)
    arguments = ("run", "tfq", "--data", "data", "--max-tokens", 400, "--temperature", 0)
    here = ("--model", "transformers/models/endless", "--runs-dir", "stopped")
    process = subprocess.Popen(
        command(*arguments, *here), cwd=place, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    began = time.monotonic()
    while n_answered(place / "stopped") == 0:
        assert process.poll() is None
        assert time.monotonic() - began < TIMEOUT
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130, output.decode()[-2000:]
    run = run_of(place, "stopped")
    kept = texts(run)
    assert 0 < len(kept) < len(STATEMENTS)
    beholder_says(place, "resume", run, "--runs-dir", "stopped", "--batch-size", 6)
    whole = texts(run)
    assert kept.items() <= whole.items()
    assert {one[1] for one in whole.values()} == {"length"}
    assert {one[3] for one in whole.values()} == {400}


def n_answered(runs: Path) -> int:
    """Answers in the only run's journal; 0 while there is none."""
    for file in runs.glob("*_tfq_*/run.db"):
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10)) as db:
            try:
                return int(db.execute("SELECT count(*) FROM responses").fetchone()[0])
            except sqlite3.OperationalError:  # the tables are not there yet
                return 0
    return 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--model", "transformers/models/none"), "there is no folder models/none"),
        (("--model", "transformers/data"), "holds no config.json"),
        (("--model", "transformers/models/tiny", "--max-pixels", 100), "knows no bounds on pixels"),
        (("--model", "transformers/models/tiny", "--device", "cuda"), "finds no such device here"),
        (("--model", "random", "--dtype", "float16"), "go with transformers/PATH or vllm/PATH"),
        (("--model", "vllm/models/tiny"), "needs vllm: pip install vllm"),
    ],
)
def test_what_cannot_work_is_one_line_and_leaves_no_folder(
    place: Path, options: tuple[object, ...], message: str
) -> None:
    said = beholder_says(place, *ASKED, *options, "--runs-dir", "wrong", code=2)
    assert message in said
    assert "Traceback" not in said
    assert not [*(place / "wrong").glob("*_tfq_*")]
