"""`--extractor` of `run`, and the `resume` of a run that has one."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest
from extractor_place import BUSY, GONE, Place, official

import made_runs
from made_runs import slowly
from made_tir import mazes, reads_letter, script
from scripted_server import Reply, Request, ScriptedServer, completion

# run ---------------------------------------------------------------------------------------------------------------


def test_a_run_with_an_extractor_has_the_authors_figure(place: Place) -> None:
    with ScriptedServer(reads_letter) as server:
        found = place.beholder.json(*place.run(*place.at(server)))
    assert found["headline"] == {"scorer": "official", "metric": "all"}
    assert official(found) == [1, 0]
    assert found["metrics"]["official"]["all"]["value"] == 0.5
    assert found["judges"] == {"openai/reader": 2}
    assert found["complete"] is True
    assert len(server.requests) == 2
    assert server.model_lists == 1, "a wrong URL would have shown before the run"
    kept = place.info()["settings"]["extractor"]
    assert kept["model"] == "openai/reader"
    assert kept["endpoint"]["base_url"] == server.url
    assert "{response}" in kept["template"]


def test_the_report_of_a_run_names_who_read_the_answers(place: Place) -> None:
    with ScriptedServer(reads_letter) as server:
        said = place.beholder(*place.run(*place.at(server)))
    assert said.code == 0, said.err
    assert "headline by official" in said.out
    assert "Answers read by openai/reader (2)" in " ".join(said.out.split())
    shown = place.beholder("show", place.folder)
    assert "read   by openai/reader" in shown.out
    assert "headline by official" in shown.out
    item = place.beholder.json("show", place.folder, 0)
    assert item["responses"][0]["response"]["extracted"] == {"answer": "B", "by": "openai/reader"}


def test_without_an_extractor_ours_leads_and_the_run_is_complete(place: Place) -> None:
    said = place.beholder(*place.run())
    assert said.code == 0
    assert "headline by lenient" in said.out
    assert "extractor" not in place.info()["settings"]


def test_several_models_are_read_by_one_extractor(place: Place) -> None:
    with ScriptedServer(reads_letter) as server:
        found = place.beholder.json(*place.run("--model", "constant/It is B.", *place.at(server)))
    assert [official(run) for run in found["runs"]] == [[1, 0], [1, 1]]
    assert [run["judges"] for run in found["runs"]] == [{"openai/reader": 2}] * 2


def test_the_second_run_pays_for_no_reading(place: Place) -> None:
    with ScriptedServer(reads_letter) as server:
        place.beholder(*place.run(*place.at(server)))
        again = place.beholder.json(*place.run(*place.at(server)))
        assert len(server.requests) == 2
        assert official(again) == [1, 0]
        place.beholder(*place.run(*place.at(server), "--no-cache"))
        assert len(server.requests) == 4


def test_a_model_on_this_machine_may_read_too(place: Place) -> None:
    found = place.beholder.json(*place.run("--extractor", "constant/B"))
    assert official(found) == [1, 1]
    assert place.info()["settings"]["extractor"]["endpoint"] is None


def test_the_extractor_is_at_the_models_server_unless_it_has_one(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def both(request: Request) -> Reply:
        return Reply(completion("It is B.")) if request.body["model"] == "vlm" else reads_letter(request)

    with ScriptedServer(both) as server, ScriptedServer(reads_letter) as other:
        arguments = [
            "run",
            "tir",
            "--model",
            "openai/vlm",
            "--data",
            place.data,
            "--runs-dir",
            place.runs,
            "--no-cache",
        ]
        here = [*arguments, "--base-url", server.url, "--extractor", "openai/reader"]
        assert official(place.beholder.json(*here)) == [1, 1]
        assert {request.body["model"] for request in server.requests} == {"vlm", "reader"}
        there = [*here, "--extractor-base-url", other.url]
        assert official(place.beholder.json(*there)) == [1, 1]
        assert len(other.requests) == 2
        monkeypatch.setenv("OPENAI_BASE_URL", other.url)
        assert place.beholder.json(*place.run("--extractor", "openai/reader", "--no-cache"))["complete"]
        assert len(other.requests) == 4


# options about keys → the key that the extractor's server gets
KEYS: list[tuple[str, list[str], bool, str | None]] = [
    ("the usual one", [], True, "Bearer usual"),
    ("one of its own", ["--extractor-key-env", "READER_KEY"], True, "Bearer of the reader"),
    ("the model's, at the model's server", ["--api-key-env", "MODEL_KEY"], False, "Bearer of the model"),
    ("never the model's elsewhere", ["--api-key-env", "MODEL_KEY"], True, "Bearer usual"),
    ("both", ["--api-key-env", "MODEL_KEY", "--extractor-key-env", "READER_KEY"], True, "Bearer of the reader"),
]


@pytest.mark.parametrize(("options", "elsewhere", "key"), [row[1:] for row in KEYS], ids=[row[0] for row in KEYS])
def test_which_key_goes_where(
    place: Place, monkeypatch: pytest.MonkeyPatch, options: list[str], elsewhere: bool, key: str
) -> None:
    for name, value in (("OPENAI_API_KEY", "usual"), ("MODEL_KEY", "of the model"), ("READER_KEY", "of the reader")):
        monkeypatch.setenv(name, value)
    with ScriptedServer(reads_letter) as server, ScriptedServer() as models:
        where = (
            ["--extractor-base-url", server.url, "--base-url", models.url] if elsewhere else ["--base-url", server.url]
        )
        said = place.beholder(*place.run("--extractor", "openai/reader", *where, *options))
    assert said.code == 0, said.err
    assert {request.headers.get("authorization") for request in (*server.requests, *server.listed)} == {key}
    stored = (place.folder / "run.json").read_text()
    assert not any(secret in stored for secret in ("usual", "of the model", "of the reader"))


def test_a_prompt_of_ones_own(place: Place, tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("Read this: {response} | {question}")
    with ScriptedServer(lambda request: Reply(completion("B"))) as server:
        said = place.beholder(*place.run(*place.at(server, "--extractor-prompt", tmp_path / "p.txt")))
    assert said.code == 0, said.err
    assert sorted(request.texts for request in server.requests)[0].startswith("Read this: It is A. | Item 1: Which")


# failures ----------------------------------------------------------------------------------------------------------


def test_t16_an_extractor_that_never_answers_gives_no_figure_of_the_authors(place: Place) -> None:
    with ScriptedServer(lambda request: GONE) as server:
        said = place.beholder(*place.run(*place.at(server)))
    assert said.code == 3
    assert "headline by lenient" in said.out
    assert "The extractor failed on 2 responses" in said.out
    assert "– failed" in said.out
    assert "Traceback" not in said.err
    shown = place.beholder.json("show", place.folder)
    assert official(shown) == [None, None]
    assert shown["items"][0]["scores"]["official"]["owner"] == "judge"
    assert shown["metrics"]["lenient"]["all"]["value"] == 0.5


def test_failures_that_may_pass_leave_the_run_incomplete_and_a_resume_reads_on(place: Place) -> None:
    def half(request: Request) -> Reply:
        return BUSY if "It is A" in request.texts else reads_letter(request)

    with ScriptedServer(half) as server:
        said = place.beholder(*place.run(*place.at(server), "--max-retries", 0, "--json"))
        assert said.code == 4, said.err
        found = json.loads(said.out)
        assert official(found) == [1, None]
        assert found["complete"] is False
        assert place.info()["status"] == "incomplete"
        before = len(server.requests)
        server.script = reads_letter
        resumed = place.beholder.json("resume", place.folder, "--runs-dir", place.runs)
        assert len(server.requests) == before + 1
    assert resumed["complete"] is True
    assert official(resumed) == [1, 0]
    again = place.beholder("resume", place.folder, "--runs-dir", place.runs)
    assert "Nothing to do" in again.err
    assert again.code == 0


def test_a_refused_key_keeps_the_answers_and_says_what_to_mend(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READER_KEY", "old")

    def refuses(request: Request) -> Reply:
        allowed = request.headers.get("authorization") == "Bearer new"
        return reads_letter(request) if allowed else Reply(b"{}", status=401)

    with ScriptedServer(refuses) as server:
        said = place.beholder(*place.run(*place.at(server, "--extractor-key-env", "READER_KEY")))
        assert said.code == 4
        assert "refused the key" in said.out
        assert f"beholder resume {place.folder}" in said.out
        assert "Traceback" not in said.err
        assert "never retrieved" not in said.err
        monkeypatch.setenv("NEW_KEY", "new")
        resumed = place.beholder.json(
            "resume", place.folder, "--runs-dir", place.runs, "--extractor-key-env", "NEW_KEY"
        )
    assert official(resumed) == [1, 0]


@pytest.mark.slow
def test_ctrl_c_while_answers_are_read(tmp_path: Path) -> None:
    data, runs = mazes(tmp_path / "set", 60), tmp_path / "runs"
    answers = script(tmp_path / "answers.json", ["It is B."])
    with ScriptedServer(slowly(reads_letter, 0.3)) as server:
        process = made_runs.beholder(
            *("run", "tir", "--model", f"scripted/{answers}", "--data", data, "--runs-dir", runs),
            *("--extractor", "openai/reader", "--extractor-base-url", server.url, "--max-connections", "16"),
        )
        deadline = time.monotonic() + 60
        while len(server.requests) < 16:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        assert "Traceback" not in out + err
        assert "beholder resume" in out
        read = len(server.requests)
        assert read < 60
        process = made_runs.beholder("resume", "latest", "--runs-dir", runs, "--json")
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert len(server.requests) == 60
    assert json.loads(out)["metrics"]["official"]["all"]["n"] == 60
