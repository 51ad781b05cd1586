"""`--extractor` of `run` and `rescore`, and the `resume` of a run that has one."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_data import Beholder, check_refused, tfq_data, tree

import made_runs
from beholder.store import judge_calls
from made_runs import slowly
from made_tir import mazes, reads_letter, record, script, tir_data
from scripted_server import Reply, Request, ScriptedServer, completion

GONE = Reply(json.dumps({"error": {"message": "no such model"}}).encode(), status=404)
BUSY = Reply(b"{}", status=503)


class Place:
    """A data set of two mazes, a model's answers (the second is wrong), and a folder of runs."""

    def __init__(self, here: Path, beholder: Beholder) -> None:
        self.data = tir_data(here / "set", [record(0), record(1)])
        self.answers = script(here / "answers.json", ["It is B.", "It is A."])
        self.runs = here / "runs"
        self.beholder = beholder

    def run(self, *more: object) -> list[object]:
        model = f"scripted/{self.answers}"
        return ["run", "tir", "--model", model, "--data", self.data, "--runs-dir", self.runs, *more]

    def at(self, server: ScriptedServer | str, *more: object, name: str = "openai/reader") -> list[object]:
        url = server if isinstance(server, str) else server.url
        return ["--extractor", name, "--extractor-base-url", url, *more]

    @property
    def folder(self) -> Path:
        (folder,) = [entry for entry in self.runs.iterdir() if (entry / "run.json").is_file()]
        return folder

    def info(self) -> Any:
        return json.loads((self.folder / "run.json").read_text())


@pytest.fixture
def place(tmp_path: Path, beholder: Beholder) -> Place:
    return Place(tmp_path, beholder)


def official(found: dict[str, Any]) -> list[float | None]:
    return [item["scores"]["official"]["value"] for item in found["items"]]


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


# rescore -----------------------------------------------------------------------------------------------------------


def test_a_run_that_exists_can_be_read_later(place: Place) -> None:
    place.beholder(*place.run())
    before = (place.folder / "run.db").stat().st_size
    with ScriptedServer(reads_letter) as server:
        said = place.beholder("rescore", place.folder, *place.at(server), "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert official(found) == [1, 0]
    assert found["headline"]["scorer"] == "official"
    assert "Scored 2 responses again, as read by openai/reader; the model was not asked." in said.err
    assert place.info()["settings"]["extractor"]["model"] == "openai/reader"
    assert before > 0
    assert place.beholder.json("show", place.folder)["judges"] == {"openai/reader": 2}
    assert place.beholder("resume", place.folder, "--runs-dir", place.runs).code == 0


def test_another_extractor_takes_the_place_of_the_first_whose_readings_stay(place: Place) -> None:
    with ScriptedServer(reads_letter) as server:
        place.beholder(*place.run(*place.at(server)))
        server.script = lambda request: Reply(completion("B"))
        found = place.beholder.json("rescore", place.folder, *place.at(server, name="openai/other"))
        assert official(found) == [1, 1]
        assert found["judges"] == {"openai/other": 2}
        asked = len(server.requests)
        plain = place.beholder.json("rescore", place.folder)
        assert official(plain) == [1, 1]
        assert len(server.requests) == asked, "a rescore alone asks nobody"
        url = server.url
    back = place.beholder("rescore", place.folder, *place.at(url), "--json")
    assert back.code == 0, "a server that is gone is not needed for what it has read"
    found = json.loads(back.out)
    assert official(found) == [1, 0]
    assert found["judges"] == {"openai/reader": 2}
    assert "as read by openai/reader" in back.err
    assert place.info()["settings"]["extractor"]["model"] == "openai/reader"


def test_a_half_finished_second_extractor_leaves_the_run_incomplete_and_a_resume_goes_on_with_it(place: Place) -> None:
    def half(request: Request) -> Reply:
        return BUSY if "It is A" in request.texts else Reply(completion("B"))

    with ScriptedServer(reads_letter) as server:
        place.beholder(*place.run(*place.at(server)))
        server.script = lambda request: Reply(json.dumps({"error": {"message": "no"}}).encode(), status=401)
        refused = place.beholder("rescore", place.folder, *place.at(server, name="openai/other"), "--json")
        assert refused.code == 4
        assert json.loads(refused.out)["judges"] == {"openai/reader": 2}
        assert "as read by openai/reader" in refused.err

        server.script = half
        said = place.beholder("resume", place.folder, "--runs-dir", place.runs, "--max-retries", 0, "--json")
        assert said.code == 4, said.err
        found = json.loads(said.out)
        assert found["judges"] == {"openai/other": 1}
        assert official(found) == [1, None], "never the first one's reading of the second response"
        assert place.beholder.json("show", place.folder)["complete"] is False

        server.script = lambda request: Reply(completion("B"))
        whole = place.beholder.json("resume", place.folder, "--runs-dir", place.runs)
    assert whole["judges"] == {"openai/other": 2}
    assert official(whole) == [1, 1]
    assert whole["complete"] is True


def test_a_refused_key_of_the_extractor_stops_no_other_model(place: Place) -> None:
    def refuses(request: Request) -> Reply:
        return Reply(b"{}", status=401) if request.body["model"] == "reader" else Reply(completion("It is B."))

    with ScriptedServer(refuses) as server:
        arguments = ["run", "tir", "--model", "openai/one", "--model", "openai/two", "--base-url", server.url]
        more = ["--data", place.data, "--runs-dir", place.runs, "--extractor", "openai/reader", "--json"]
        said = place.beholder(*arguments, *more)
    assert said.code == 4
    assert "was not run" not in said.err
    runs = json.loads(said.out)["runs"]
    assert [run["model"] for run in runs] == ["openai/one", "openai/two"]
    assert [run["tally"]["answered"] for run in runs] == [2, 2]
    assert all("The extractor openai/reader refused the key" in run["message"] for run in runs)


@pytest.mark.parametrize(("options", "fsync"), [([], False), (["--fsync"], True)])
def test_readings_are_written_through_if_asked_for(
    place: Place, monkeypatch: pytest.MonkeyPatch, options: list[str], fsync: bool
) -> None:
    kept: list[bool] = []
    usual = judge_calls.keep

    def watched(*arguments: Any, fsync: bool = False) -> None:
        kept.append(fsync)
        usual(*arguments, fsync=fsync)

    monkeypatch.setattr(judge_calls, "keep", watched)
    with ScriptedServer(lambda request: BUSY) as server:
        place.beholder(*place.run(*place.at(server), "--max-retries", 0, *options))
        assert kept
        assert set(kept) == {fsync}
        kept.clear()
        place.beholder("resume", place.folder, "--runs-dir", place.runs, *options)
        assert kept
        assert set(kept) == {fsync}


def test_a_rescore_whose_extractor_cannot_be_reached_changes_nothing(place: Place) -> None:
    place.beholder(*place.run())
    before = tree(place.runs)
    info = place.info()
    check_refused(
        place.beholder("rescore", place.folder, *place.at("http://127.0.0.1:9/v1")),
        ("No server answers", "--extractor-base-url"),
    )
    assert tree(place.runs) == before
    assert place.info() == info
    assert place.beholder("resume", place.folder, "--runs-dir", place.runs).code == 0


def test_a_rescore_whose_key_is_refused_leaves_every_response_scored(place: Place) -> None:
    place.beholder(*place.run())

    def refuses_second(request: Request) -> Reply:
        return reads_letter(request) if request.number == 0 else Reply(b"{}", status=401, first_byte=0.3)

    with ScriptedServer(refuses_second) as server:
        said = place.beholder("rescore", place.folder, *place.at(server))
    assert said.code == 4
    assert "The extractor openai/reader refused the key" in said.out
    assert "Traceback" not in said.err
    found = place.beholder.json("show", place.folder)
    assert len(found["items"]) == 2
    assert found["tally"]["unscored"] == 0
    assert sorted(value is None for value in official(found)) == [False, True]
    assert found["complete"] is False


def test_a_packed_run_keeps_its_readings(place: Place) -> None:
    with ScriptedServer(reads_letter) as server:
        place.beholder(*place.run(*place.at(server)))
    assert place.beholder("pack", place.folder).code == 0
    packed = place.folder.with_name(place.folder.name + ".beholder.zip")
    assert place.beholder.json("show", packed)["judges"] == {"openai/reader": 2}


def test_a_run_of_somebody_else_names_no_server_for_a_key_of_mine(place: Place, tmp_path: Path) -> None:
    with ScriptedServer(lambda request: BUSY) as server:
        place.beholder(*place.run(*place.at(server), "--max-retries", 0))
        asked = len(server.requests)
        check_refused(
            place.beholder("resume", place.folder, "--runs-dir", tmp_path / "mine"),
            ("lies outside --runs-dir", "names a model to read the answers"),
        )
        assert len(server.requests) == asked


def test_an_extractors_address_with_a_password_is_not_kept(place: Place) -> None:
    with ScriptedServer(lambda request: BUSY) as server:
        url = server.url.replace("http://", "http://me:s3cret@")
        place.beholder(*place.run(*place.at(url), "--max-retries", 0))
        assert "s3cret" not in (place.folder / "run.json").read_text()
        said = place.beholder("resume", place.folder, "--runs-dir", place.runs)
    check_refused(said, ("held credentials, which are not kept", "rescore RUN --extractor openai/reader"))


# what cannot be ----------------------------------------------------------------------------------------------------

NO_SERVER = "http://127.0.0.1:9/v1"
Make = Callable[[Place, Path], list[object]]


def prompt(here: Path, text: str | bytes) -> list[object]:
    (here / "p.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
    return ["--extractor", "constant/B", "--extractor-prompt", here / "p.txt"]


def tfq(here: Path, *more: object) -> list[object]:
    return ["run", "tfq", "--model", "random", "--data", tfq_data(here / "t"), "--runs-dir", here / "runs", *more]


WRONG: list[tuple[str, Make, tuple[str, ...]]] = [
    ("of tfq", lambda p, h: tfq(h, "--extractor", "constant/T"), ("tfq takes no --extractor",)),
    ("no server", lambda p, h: p.run("--extractor", "openai/x"), ("--extractor openai/x needs --extractor-base-url",)),
    ("no name", lambda p, h: p.run("--extractor", "openai"), ("--extractor openai is incomplete", "openai/NAME")),
    ("no kind", lambda p, h: p.run("--extractor", "gpt-4o"), ("no kind of model 'gpt-4o'", "--extractor gpt-4o")),
    ("a guesser", lambda p, h: p.run("--extractor", "random"), ("--extractor random cannot read a text",)),
    ("one that looks", lambda p, h: p.run("--extractor", "classical"), ("--extractor classical cannot read",)),
    ("no answer there", lambda p, h: p.run(*p.at(NO_SERVER)), ("No server answers", "--extractor-base-url")),
    ("no response in it", lambda p, h: p.run(*prompt(h, "{question}")), ("p.txt", "must hold {response}")),
    ("prompt is no text", lambda p, h: p.run(*prompt(h, b"\xff")), ("--extractor-prompt", "p.txt", "cannot be read")),
    (
        "prompt is not there",
        lambda p, h: p.run("--extractor", "constant/B", "--extractor-prompt", h / "no.txt"),
        ("--extractor-prompt", "no.txt", "cannot be read"),
    ),
    ("address alone", lambda p, h: p.run("--extractor-base-url", NO_SERVER), ("goes with --extractor",)),
    ("key alone", lambda p, h: p.run("--extractor-key-env", "K"), ("--extractor-key-env goes with --extractor",)),
    ("prompt alone", lambda p, h: p.run("--extractor-prompt", h / "p"), ("--extractor-prompt goes with",)),
    ("no replay", lambda p, h: p.run("--extractor", f"replay/{h}/no.jsonl"), ("no.jsonl", "cannot be read")),
]


@pytest.mark.parametrize(("make", "words"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_an_extractor_that_cannot_be_is_told_in_one_line_and_nothing_is_written(
    place: Place, tmp_path: Path, make: Make, words: tuple[str, ...]
) -> None:
    arguments = make(place, tmp_path)
    before = tree(tmp_path)
    check_refused(place.beholder(*arguments), words)
    assert tree(tmp_path) == before


RESCORES = [row for row in WRONG if row[0] not in ("of tfq", "one that looks", "no replay")]


@pytest.mark.parametrize(("make", "words"), [row[1:] for row in RESCORES], ids=[row[0] for row in RESCORES])
def test_so_it_is_for_a_rescore(place: Place, tmp_path: Path, make: Make, words: tuple[str, ...]) -> None:
    place.beholder(*place.run())
    arguments = make(place, tmp_path)
    own = arguments[len(place.run()) :]
    before = tree(tmp_path)
    check_refused(place.beholder("rescore", place.folder, *own), words)
    assert tree(tmp_path) == before


def test_a_served_list_without_the_name_is_told_with_the_option(place: Place) -> None:
    with ScriptedServer(models=["other"]) as server:
        check_refused(
            place.beholder(*place.run(*place.at(server))), ("serves no model 'reader'", "Correct --extractor.")
        )


def test_rescore_of_a_benchmark_that_takes_none(beholder: Beholder, tmp_path: Path) -> None:
    beholder(*tfq(tmp_path))
    said = beholder("rescore", "latest", "--runs-dir", tmp_path / "runs", "--extractor", "constant/T")
    check_refused(said, ("tfq takes no --extractor",))
