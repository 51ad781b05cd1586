"""A run as Inspect's log: its structure, and that it can be imported again with the same scores."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

import made_runs
from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import LoadOptions
from beholder.errors import UsageError
from beholder.peers import inspect_log
from beholder.peers.exporting import FORMATS, Wanted, export
from beholder.peers.importing import Import, Source, write_run
from beholder.peers.matching import match
from beholder.peers.own_samples import samples_of
from scripted_server import Reply, Request, ScriptedServer, completion


def answers(request: Request) -> Reply:
    """Every kind of end that an answer can have."""
    number = made_runs.number_of(request)
    if number == 3:
        return Reply(b'{"error": {"message": "no such picture"}}', status=400)
    if number == 4:
        return Reply(completion("<think>the lamp", finish="length"))
    if number == 5:
        return Reply(completion("<answer>F</answer>", reasoning_content="It is only a lamp."))
    return made_runs.answer_by_prompt(request)


@pytest.fixture
def run(tmp_path: Path, tfq: Path) -> Path:
    with ScriptedServer(answers) as server:
        return made_runs.run_engine(made_runs.plan_for(tfq, epochs=2), server.url, tmp_path / "runs").folder


def written(run: Path, **wanted: Any) -> dict[str, Any]:
    sink = io.BytesIO()
    export(Wanted(folder=run, **wanted), "inspect", sink)
    log: dict[str, Any] = json.loads(sink.getvalue())
    return log


def test_the_log_has_the_parts_that_inspect_wants(run: Path) -> None:
    log = written(run)
    assert (log["version"], log["status"], log["eval"]["task"]) == (2, "success", "beholder/tfq")
    assert (log["eval"]["model"], log["eval"]["config"]) == ("openai/test-model", {"epochs": 2})
    assert log["eval"]["model_generate_config"] == {"temperature": 0.0, "max_tokens": 64}
    assert (log["results"]["total_samples"], log["results"]["completed_samples"]) == (16, 14)
    assert [one["name"] for one in log["results"]["scores"]] == list(benchmark("tfq").scorers)
    assert [(one["epoch"], one["target"]) for one in log["samples"][:4]] == [(1, "T"), (2, "T"), (1, "F"), (2, "F")]
    asked = log["samples"][0]["input"][0]
    assert [part["type"] for part in asked["content"]] == ["text", "text"]
    assert asked["content"][0]["text"] == "[picture 1: images/0.jpg]"
    assert "Statement 0: the lamp stands for hope." in asked["content"][1]["text"]


def test_each_end_of_an_answer_has_its_place(run: Path) -> None:
    by_place = {(one["metadata"]["problem"][:11], one["epoch"]): one for one in written(run)["samples"]}
    refused, cut, thought = (by_place[f"Statement {number}", 1] for number in (3, 4, 5))
    assert refused["error"]["message"] == "provider: HTTP 400: no such picture"
    assert (refused["scores"], refused["output"]["choices"], len(refused["messages"])) == ({}, [], 1)
    assert cut["output"]["choices"][0]["stop_reason"] == "max_tokens"
    assert cut["scores"]["strict"]["metadata"]["outcome"] == "truncated"
    assert thought["messages"][1]["content"][0] == {"type": "reasoning", "reasoning": "It is only a lamp."}
    assert thought["scores"]["lenient"] == {
        "value": 1.0,
        "answer": "F",
        "explanation": thought["scores"]["lenient"]["explanation"],
        "metadata": thought["scores"]["lenient"]["metadata"],
    }


def test_one_epoch_and_the_pictures(run: Path, tmp_path: Path) -> None:
    log = written(run, epoch=1, pictures=tmp_path / "pictures")
    assert [one["epoch"] for one in log["samples"]] == [2] * 8
    named = {part["image"] for one in log["samples"] for part in one["input"][0]["content"] if part["type"] == "image"}
    assert len(named) == 2
    assert all((tmp_path / name).is_file() for name in named)


def test_what_is_written_can_be_imported_again(run: Path, tfq: Path, tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    with file.open("wb") as sink:
        export(Wanted(folder=run), "inspect", sink)
    log = inspect_log.read(file)
    everything = list(benchmark("tfq").load(tfq, LoadOptions()))
    matched = match(log.answers, everything)
    assert (matched.way, matched.left, matched.unanswered) == ("key", [], 0)
    source = Source(peer="inspect", file=file.name, sha256="0" * 64, model="m")
    wanted = Import(
        found=benchmark("tfq"),
        log=log,
        source=source,
        answers=matched.answers,
        data="d",
        data_sha256="1" * 64,
        everything=everything,
    )
    again = write_run(wanted, tmp_path / "again")[0]
    first, second = made_runs.stored(run), made_runs.stored(again.folder)
    for a, b in zip(first, second, strict=True):
        assert (a.key, a.epoch, a.vote, a.response.text, a.response.reasoning, a.response.finish) == (
            b.key,
            b.epoch,
            b.vote,
            b.response.text,
            b.response.reasoning,
            b.response.finish,
        )
    made, _ = samples_of(benchmark("tfq"), log.answers)
    assert [sample.question for sample, _ in made] == [sample.question for sample in everything]


def test_an_imported_run_is_written_without_a_prompt_of_ours(run: Path, tmp_path: Path) -> None:
    info = json.loads((run / "run.json").read_text())
    info["settings"]["plan"]["template"] = "{no placeholder that TFQ-Bench knows}"
    (run / "run.json").write_text(json.dumps(info))
    content = written(run)["samples"][0]["input"][0]["content"]
    assert [part["text"] for part in content] == ["[picture 1: images/0.jpg]", "Statement 0: the lamp stands for hope."]


def test_the_formats_name_it() -> None:
    assert "inspect" in FORMATS
    with pytest.raises(UsageError, match="parquet, inspect"):
        export(Wanted(folder=Path("none")), "tsv", io.BytesIO())
