"""`experiment tools` against a real server: arms, repeat, cache, kills and failures, what is shown, what is refused."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cli_data import Beholder, Said, check_refused, tree

import made_runs
from beholder.experiments.experiment import Experiment, read
from made_runs import slowly
from made_tir import mazes, reads_letter
from scripted_server import Reply, Request, ScriptedServer, completion

CROP = {"box": [0, 0, 8, 6]}


def uses_tools(request: Request) -> Reply:
    """Answers A at once; where there are tools, crops, and answers B, which is right."""
    if "tools" not in request.body:
        return Reply(completion("A"))
    if not any(message["role"] == "assistant" for message in request.body["messages"]):
        function = {"name": "crop", "arguments": json.dumps(CROP)}
        asked = {"id": "c1", "type": "function", "function": function}
        return Reply(completion("I look closer.", finish="tool_calls", tool_calls=[asked]))
    return Reply(completion("B"))


class Place:
    """A data set of four mazes, a folder of runs, and the command line."""

    def __init__(self, here: Path, beholder: Beholder) -> None:
        self.data = mazes(here / "set", 4)
        self.runs = here / "runs"
        self.beholder = beholder

    def arguments(self, server: ScriptedServer, *more: object) -> list[object]:
        served = ["--model", "openai/m", "--base-url", server.url, "--data", self.data, "--runs-dir", self.runs]
        return ["experiment", "tools", *served, "--arms", "none,visual", *more]

    def start(self, server: ScriptedServer, *more: object) -> Said:
        return self.beholder(*self.arguments(server, *more))

    def go_on(self, *more: object) -> Said:
        return self.beholder("experiment", "resume", "latest", "--runs-dir", self.runs, *more)

    def shown(self) -> Any:
        return self.beholder.json("experiment", "show", "latest", "--runs-dir", self.runs)

    @property
    def folder(self) -> Path:
        (folder,) = [entry for entry in self.runs.iterdir() if (entry / "experiment.json").is_file()]
        return folder


@pytest.fixture
def place(tmp_path: Path, beholder: Beholder) -> Place:
    return Place(tmp_path, beholder)


def test_arms_are_runs_and_the_outcome_says_what_they_support(place: Place) -> None:
    with ScriptedServer(uses_tools) as server:
        said = place.start(server)
    assert said.code == 0, said.err
    for words in ("Arm 1 of 3, none: no tools", "Arm 3 of 3, visual-again", "openai/m  4/4"):
        assert words in said.err
    for words in ("Gain over none", "+100.0", "Noise: visual run again", "Cost of the gain", "visual gained"):
        assert words in said.out
    found = place.shown()
    assert [(arm["name"], arm["complete"]) for arm in found["arms"]] == [
        ("none", True),
        ("visual", True),
        ("visual-again", True),
    ]
    assert (found["kind"], found["missing"], found["resume"]) == ("tools", [], None)
    (gain,) = found["outcome"]["gains"]["lenient"]
    assert gain["comparison"]["paired"]["difference"] == 1
    assert len(gain["comparison"]["gained"]) == 4
    assert (gain["more"]["turns"], gain["more"]["prompt_tokens"]) == (1, 10)
    assert found["outcome"]["noise"]["lenient"]["changed"] == 0
    # Four items are too few for any verdict, whatever they gain.
    assert (gain["verdict"], gain["p_holm"], gain["a_net_item"]) == ("undecided", pytest.approx(0.125), None)
    assert found["outcome"]["arms"][1]["whole"]["failed"] == 0
    assert place.beholder("show", place.folder / "none").code == 0
    compared = place.beholder.json("compare", place.folder / "none", place.folder / "visual", "--scorer", "lenient")
    assert compared["gained"] == gain["comparison"]["gained"]


def test_only_the_repeat_really_asks_again(place: Place) -> None:
    with ScriptedServer(uses_tools) as server:
        place.start(server)
        assert Counter("tools" in one.body for one in server.requests) == {False: 4, True: 2 * 8}
        server.requests.clear()
        said = place.start(server)
        assert Counter("tools" in one.body for one in server.requests) == {True: 8}
        server.requests.clear()
        place.start(server, "--no-repeat", "--no-cache")
        assert Counter("tools" in one.body for one in server.requests) == {False: 4, True: 8}
    assert said.code == 0


def test_a_killed_experiment_begins_what_is_missing(place: Place) -> None:
    with ScriptedServer(uses_tools) as server:
        place.start(server, "--no-cache")
        for name in ("visual", "visual-again"):  # as if the process had died before them
            (place.folder / name).rename(place.runs.parent / name)
        half = place.shown()
        assert half["missing"] == ["visual has not begun", "visual-again has not begun"]
        assert half["outcome"]["gains"] == {"lenient": []}
        assert half["outcome"]["repeat"] == "not begun"
        assert half["resume"].startswith(f"beholder experiment resume {place.folder}")
        server.requests.clear()
        said = place.go_on()
        assert said.code == 0, said.err
        assert len(server.requests) == 16
    assert place.shown()["missing"] == []


def test_failures_leave_it_incomplete_and_only_they_are_asked_again(place: Place) -> None:
    def fails_with_tools(request: Request) -> Reply:
        return Reply(status=500) if "tools" in request.body and "Item 2:" in request.texts else uses_tools(request)

    with ScriptedServer(fails_with_tools) as server:
        said = place.start(server, "--max-retries", 0)
        assert said.code == 4
        assert "Continue with: beholder experiment resume" in said.out
        assert "visual has 3 of 4 responses; visual-again has 3 of 4 responses" in " ".join(said.out.split())
        server.script = uses_tools
        server.requests.clear()
        said = place.go_on()
        assert said.code == 0, said.err
        assert len(server.requests) == 4  # two turns in each of the two arms
        assert all("Item 2:" in one.texts for one in server.requests)


def test_a_finished_one_is_only_read(place: Place) -> None:
    with ScriptedServer(uses_tools) as server:
        place.start(server)
    before = tree(place.folder)
    said = place.go_on()  # the server is gone
    assert said.code == 0
    assert "Nothing to do" in said.err
    assert "Gain over none" in said.out
    assert tree(place.folder) == before


def test_a_server_that_has_moved_goes_on(place: Place) -> None:
    with ScriptedServer(uses_tools) as server:
        place.start(server, "--no-repeat")
        (place.folder / "visual").rename(place.runs.parent / "visual")
    with ScriptedServer(uses_tools) as server:
        assert place.go_on("--base-url", server.url).code == 0
        assert len(server.requests) == 8
    plans = [json.loads((place.folder / name / "run.json").read_text())["plan"] for name in ("none", "visual")]
    assert plans[0]["model"] == plans[1]["model"]


def test_changed_data_is_refused(place: Place) -> None:
    with ScriptedServer(uses_tools) as server:
        place.start(server, "--no-repeat")
        (place.folder / "visual").rename(place.runs.parent / "visual")
        mazes(place.data, 5)
        said = place.go_on()
    assert said.code == 2
    assert "data_sha256" in said.err


def test_a_refused_key_stops_all_arms(place: Place) -> None:
    with ScriptedServer(lambda request: Reply(status=401)) as server:
        said = place.start(server)
    assert said.code == 4
    assert "Check the API key and run `beholder experiment resume " in said.err
    assert not (place.folder / "visual").exists()


def test_no_answer_at_all_is_no_score(place: Place) -> None:
    with ScriptedServer(lambda request: Reply(b"{}", status=404)) as server:
        said = place.start(server, "--max-retries", 0)
    assert said.code == 3
    assert "none has responses without a score" in said.out


def test_another_model_may_answer_without_tools(place: Place) -> None:
    with ScriptedServer(uses_tools) as server:
        said = place.start(server, "--plain-model", "constant/B", "--no-repeat")
        assert all("tools" in one.body for one in server.requests)
    assert said.code == 0
    assert "none (constant/B)" in said.out
    assert "answered by another model, constant/B" in said.out
    assert [arm.model for arm in read(place.folder).arms] == ["constant/B", "openai/m"]


def test_options_reach_the_arms(place: Place) -> None:
    with ScriptedServer(uses_tools) as server:
        options = ("--limit", 2, "--tool-protocol", "text", "--max-turns", 3, "--temperature", "0.7", "--seed", 5)
        assert place.start(server, *options).code == 0
        assert all(one.body["temperature"] == 0.7 for one in server.requests)
    none, visual, again = read(place.folder).arms
    assert none.plan.tools is None
    assert visual.plan.tools is not None
    assert (visual.plan.tools.protocol, visual.plan.tools.budget.turns) == ("text", 3)
    assert msgspec.structs.replace(visual.plan, tools=None) == none.plan
    assert again.plan == visual.plan
    assert (none.plan.seed, none.plan.n_samples, none.plan.selection.limit) == (5, 2, 2)
    assert [arm.settings["cache"] for arm in (none, visual, again)] == [True, True, False]


def test_an_extractor_reads_the_answers_of_all_arms(place: Place) -> None:
    def says_it_in_words(request: Request) -> Reply:
        reply = uses_tools(request)
        return Reply(reply.body.replace(b'"content": "B"', b'"content": "It is B."'))

    with ScriptedServer(says_it_in_words) as server, ScriptedServer(reads_letter) as reader:
        told = ("--extractor", "openai/reader", "--extractor-base-url", reader.url)
        assert place.start(server, *told, "--no-cache").code == 0
        assert len(reader.requests) == 3 * 4
        (place.folder / "visual").rename(place.runs.parent / "visual")
        assert place.go_on().code == 0
    found = place.shown()["outcome"]
    assert found["scorers"] == ["official", "lenient"]
    assert [found["gains"][scorer][0]["net_items"] for scorer in found["scorers"]] == [4, 4]


def test_json_is_one_object(place: Place) -> None:
    with ScriptedServer(uses_tools) as server:
        found = place.beholder.json(*place.arguments(server))
    assert found == place.shown()


def test_tables_fit_80_columns(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with ScriptedServer(uses_tools) as server:
        said = place.start(server, "--plain-model", "constant/B")
    lines = said.out.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("arm "))
    table = lines[start : start + 4]
    assert [line.split()[0] for line in table] == ["arm", "none", "visual", "visual-again"]
    assert all(len(line) <= 80 for line in table)


REFUSED = [
    ("unknown arm", ["--arms", "none,eyes"], ("--arms", "'eyes'", "visual")),
    ("no arm without tools", ["--arms", "visual,python"], ("give none first",)),
    ("only none", ["--arms", "none"], ("at least one arm with tools",)),
    ("an arm twice", ["--arms", "none,visual,visual"], ("twice",)),
    ("unknown model", ["--plain-model", "nobody"], ("no kind of model 'nobody'",)),
    ("unknown protocol", ["--tool-protocol", "morse"], ("--tool-protocol 'morse'",)),
    ("nothing left", ["--where", "category=ocr"], ("No item",)),
    ("no such data", ["--data", "nowhere"], ("nowhere",)),
]


@pytest.mark.parametrize(("name", "options", "words"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_cannot_be_is_refused_before_anything_is_made(
    place: Place, name: str, options: list[str], words: tuple[str, ...]
) -> None:
    with ScriptedServer(uses_tools) as server:
        check_refused(place.start(server, *options), words)
    assert not place.runs.exists() or not any((entry / "experiment.json").is_file() for entry in place.runs.iterdir())


def test_a_server_that_is_not_there_is_refused(place: Place) -> None:
    with ScriptedServer(uses_tools) as server:
        pass
    said = place.start(server)
    assert said.code == 2
    assert not any((entry / "experiment.json").is_file() for entry in place.runs.glob("*"))


def test_what_is_no_experiment_is_told(place: Place) -> None:
    for command in ("show", "resume"):
        said = place.beholder("experiment", command, "nothing", "--runs-dir", place.runs)
        check_refused(said, ("no experiment 'nothing'",))


def test_an_unknown_kind_is_told(place: Place) -> None:
    with ScriptedServer(uses_tools) as server:
        place.start(server, "--no-repeat")
    found = read(place.folder)
    other = msgspec.structs.replace(found, kind="other")
    (place.folder / "experiment.json").write_bytes(msgspec.json.encode(other))
    said = place.beholder("experiment", "show", "--runs-dir", place.runs)
    check_refused(said, ("unknown kind, 'other'",))


def test_somebody_elses_experiment_chooses_no_key(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(uses_tools) as server:
        place.start(server, "--no-repeat")
    (place.folder / "visual").rename(tmp_path / "visual")
    told = json.loads((place.folder / "experiment.json").read_text())
    for arm in told["arms"]:
        arm["settings"]["endpoint"]["base_url"] = "http://elsewhere.invalid/v1"
    (place.folder / "experiment.json").write_text(json.dumps(told))
    assert isinstance(read(place.folder), Experiment)
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    said = place.beholder("experiment", "resume", place.folder, "--runs-dir", tmp_path / "mine")
    check_refused(said, ("lies outside --runs-dir", "would send your key"))


def start_process(place: Place, server: ScriptedServer) -> subprocess.Popen[str]:
    return made_runs.beholder(*place.arguments(server, "--max-connections", 1, "--no-cache"), cwd=place.runs.parent)


def wait_for(server: ScriptedServer, number: int) -> None:
    patience = time.monotonic() + 60
    while len(server.requests) < number:
        assert time.monotonic() < patience, "the requests did not come"
        time.sleep(0.01)


def values(found: Any) -> dict[str, float]:
    return {arm["name"]: arm["scores"]["lenient"]["value"] for arm in found["outcome"]["arms"]}


@pytest.mark.slow
@pytest.mark.parametrize("requests", [2, 6, 14])
def test_killed_anywhere_it_comes_to_the_same(place: Place, requests: int) -> None:
    with ScriptedServer(slowly(uses_tools, 0.05)) as server:
        process = start_process(place, server)
        wait_for(server, requests)
        process.kill()
        process.communicate(timeout=60)
        said = place.go_on()
    assert said.code == 0, said.err
    assert values(place.shown()) == {"none": 0, "visual": 1, "visual-again": 1}


@pytest.mark.slow
def test_an_interrupt_ends_all_arms_and_says_how_to_go_on(place: Place) -> None:
    with ScriptedServer(slowly(uses_tools, 0.05)) as server:
        process = start_process(place, server)
        wait_for(server, 6)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "Continue with: beholder experiment resume" in out
        assert "visual-again has not begun" in " ".join(out.split())
        assert place.go_on().code == 0
