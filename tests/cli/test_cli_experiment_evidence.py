"""`beholder experiment evidence`: whole experiments by the real command, killed and resumed, on good runs and bad."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cli_data import Beholder, check_refused

import made_runs
from beholder.store import schema
from made_evidence import data, rests_on_what_it_sees
from made_runs import committed
from made_tir import record, tir_data
from scripted_server import Reply, Request, ScriptedServer, completion

N = 8
"""Items of the source run: two of each kind of `made_evidence.RESTS_ON`."""


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(rests_on_what_it_sees) as running:
        yield running


def run(beholder: Beholder, where: Path, server: ScriptedServer, *more: object, lonely: bool = False) -> Path:
    """A run over eight mazes (and an item of another task), with visual tools unless `more` says otherwise."""
    place = data(where / "set", N, lonely)
    before = runs_in(where)
    said = beholder(
        *("run", "tir", "--model", "openai/m", "--data", place, "--runs-dir", where / "runs"),
        *("--base-url", server.url, *(more or ("--tools", "visual"))),
    )
    assert said.code == 0, said.err
    (made,) = runs_in(where) - before
    return made


def runs_in(where: Path) -> set[Path]:
    return {file.parent for file in (where / "runs").glob("*/run.json")}


def evidence(beholder: Beholder, where: Path, source: Path, *more: object) -> Any:
    found = beholder.json("experiment", "evidence", source, "--runs-dir", where / "runs", *more)
    return found | found["outcome"]


def values(found: Any, unstated: bool = False) -> dict[str, float]:
    (table,) = (one for one in found["tables"] if one["unstated"] == unstated)
    return {arm["name"]: arm["accuracy"]["value"] for arm in table["arms"]}


@pytest.mark.parametrize("protocol", ["native", "text"])
def test_each_arm_scores_what_the_model_rests_on(
    protocol: str, beholder: Beholder, server: ScriptedServer, tmp_path: Path
) -> None:
    source = run(beholder, tmp_path, server, "--tools", "visual", "--tool-protocol", protocol)
    found = evidence(beholder, tmp_path, source)
    assert values(found) == {
        "source": 1.0,
        "full": 1.0,
        "no-images": 0.5,
        "no-text": 0.5,
        "neither": 0.25,
        "swapped": 1.0,
    }
    assert values(found, unstated=True)["neither"] == 0.0
    assert (found["n_items"], found["n_stated"], found["same_answers"], found["both_answers"]) == (8, 2, 8, 8)
    assert [arm["complete"] for arm in found["arms"]] == [True] * 5
    assert found["resume"] is None


def test_a_person_reads_tables_of_80_columns(
    beholder: Beholder, server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    source = run(beholder, tmp_path, server, "--tools", "visual", lonely=True)
    plain = run(beholder, tmp_path, server, "--tools", "none", lonely=True)
    made = beholder(
        *("experiment", "evidence", source.name, "--runs-dir", tmp_path / "runs"),
        *("--placebo", "--baseline", plain.name),
    )
    assert made.code == 0, made.err
    lines = made.out.splitlines()
    assert [line for line in lines if len(line) > 80 and "Folder: " not in line and "Evidence: " not in line] == []
    for words in (
        "not in `swapped`: 1 item without a partner in the category",
        "a turn that is kept states the answer already in 2 of 9 items",
        "placebo: 2.0 turns and 2.0 calls on average in 9 conversations",
        "Live, with tools that bring nothing (n=9, p=",
        "under `swapped`, 8 of 8 items got observations of one with the same right",
        "By task, lenient",
        "With all withheld, on the 9 items of both (p=",
    ):
        assert words in made.out
    shown = beholder("experiment", "show", "--runs-dir", tmp_path / "runs")
    assert (shown.code, shown.out) == (0, made.out)


@pytest.mark.slow
def test_a_repeat_costs_nothing_and_another_seed_swaps_otherwise(
    beholder: Beholder, server: ScriptedServer, tmp_path: Path
) -> None:
    source = run(beholder, tmp_path, server)
    first = evidence(beholder, tmp_path, source)
    asked = len(server.requests)
    again = evidence(beholder, tmp_path, source)
    assert len(server.requests) == asked
    assert first["tables"] == again["tables"]
    evidence(beholder, tmp_path, source, "--seed", 5)
    assert asked < len(server.requests) <= asked + N  # only the swap differs


def test_an_arm_is_an_ordinary_run(beholder: Beholder, server: ScriptedServer, tmp_path: Path) -> None:
    source = run(beholder, tmp_path, server)
    folder = Path(evidence(beholder, tmp_path, source)["folder"])
    shown = beholder("show", folder / "no-text")
    assert shown.code == 0, shown.err
    assert f"no-text, of the conversations in {source.name}" in " ".join(shown.out.split())
    assert beholder("show", folder / "no-text", "0").code == 0
    assert beholder("rescore", folder / "no-text").code == 0
    assert beholder("report", folder / "no-text").code == 0
    compared = beholder.json("compare", folder / "full", folder / "neither")
    assert "the runs differ in replay.condition: full in A, neither in B" in compared["notes"]
    asked = len(server.requests)
    assert beholder("resume", folder / "no-text", "--runs-dir", folder).code == 0
    assert len(server.requests) == asked


def test_what_differs_about_a_baseline_is_told(beholder: Beholder, server: ScriptedServer, tmp_path: Path) -> None:
    source = run(beholder, tmp_path, server)
    options = ("--tools", "none", "--temperature", "0.7", "--limit", 6)
    before = runs_in(tmp_path)
    said = beholder(
        *("run", "tir", "--model", "constant/A", "--data", tmp_path / "set", "--runs-dir", tmp_path / "runs", *options)
    )
    assert said.code == 0, said.err
    (other,) = runs_in(tmp_path) - before
    found = evidence(beholder, tmp_path, source, "--baseline", other)
    assert found["notes"] == [
        "the baseline differs in model: openai/m in the arms, constant/A in the baseline",
        "the baseline differs in temperature: 0.0 in the source run, 0.7 in the baseline",
    ]
    assert "on the 6 items of both" in found["sentences"][-1]
    assert "(constant/A)" in found["sentences"][-1]


def test_another_model_is_told(beholder: Beholder, server: ScriptedServer, tmp_path: Path) -> None:
    source = run(beholder, tmp_path, server)
    server.script = lambda request: Reply(rests_on_what_it_sees(request).body.replace(b"served-model", b"other-model"))
    found = evidence(beholder, tmp_path, source, "--model", "openai/n")
    told = "The source run was answered by served-model, the arms by other-model"
    assert any(note.startswith(told) for note in found["notes"])
    assert all(arm["model"] == "openai/n" for arm in found["arms"])


@pytest.mark.parametrize(
    ("tools", "families"),
    [("visual", ("contrast",)), pytest.param("both", ("jigsaw", "instrument", "ocr"), marks=pytest.mark.slow)],
)
def test_withheld_observations_take_the_classical_solver_back_to_one_glance(
    tools: str, families: tuple[str, ...], beholder: Beholder, tmp_path: Path
) -> None:
    place, runs = tmp_path / "set", tmp_path / "runs"
    assert beholder("synth", *families, "--n", 2, "--out", place, "--seed", 3).code == 0
    for name, *more in (("classical-tools", "--tools", tools, "--max-connections", 2), ("static",)):
        said = beholder("run", "tir", "--model", name, "--data", place, "--runs-dir", runs, *more)
        assert said.code == 0, said.err
    source, static = (next(runs.glob(f"*_{name}")) for name in ("classical-tools", "static"))
    found = evidence(beholder, tmp_path, source, "--baseline", static)
    told = values(found)
    assert told["full"] == told["source"]
    assert told["neither"] < told["full"]
    against = found["against_baseline"]
    assert (against["gained"], against["lost"]) == ([], [])
    n = sum(task["n"] for task in found["tasks"])
    told = (
        f"With all withheld, on the {n} items of both (p=1), every item has the score of the run without tools (static"
    )
    assert f"{told})." in found["sentences"]
    assert found["notes"] == ["the baseline differs in model: classical-tools in the arms, static in the baseline"]


@pytest.mark.slow
def test_an_experiment_that_was_killed_ends_like_an_undisturbed_one(
    beholder: Beholder, server: ScriptedServer, tmp_path: Path
) -> None:
    source = run(beholder, tmp_path, server)
    calm = evidence(beholder, tmp_path, source, "--no-cache")
    killed: list[Any] = []
    begun = len(server.requests)

    def script(request: Request) -> Reply:
        if killed and request.number == begun + 2 * N + 4:  # in the middle of the third arm
            killed[0].kill()
        return Reply(rests_on_what_it_sees(request).body, first_byte=0.05)

    server.script = script
    process = made_runs.beholder(
        *("experiment", "evidence", source, "--runs-dir", tmp_path / "runs", "--no-cache", "--max-connections", 1)
    )
    killed.append(process)
    process.communicate(timeout=60)
    assert process.returncode == -9
    killed.clear()
    folder = max((tmp_path / "runs").glob("*experiment-evidence*"))
    there = {file.parent.name for file in folder.glob("*/run.db")}
    assert there == {"full", "no-images", "no-text"}
    half = committed(folder / "no-text" / "run.db")
    assert len(half) < N
    asked = len(server.requests)
    again = beholder.json("experiment", "resume", folder, "--runs-dir", tmp_path / "runs")["outcome"]
    assert len(server.requests) - asked == (N - len(half)) + 2 * N
    assert again["tables"] == calm["tables"]
    assert again["sentences"] == calm["sentences"]


def spoil_run(how: str, source: Path, where: Path) -> None:
    if how == "turns":
        with closing(schema.open_to_write(source / "run.db")) as db:
            db.execute("UPDATE turns SET record = replace(record, 'I look', 'I stare')")
    elif how == "gone":
        shutil.rmtree(source)
    elif how == "picture":
        next(file for file in source.glob("blobs/??/*") if file.read_bytes().startswith(b"\x89PNG")).unlink()
    elif how == "data":
        (where / "set" / "TIR-Bench.json").write_text("[]")


CHANGED = [
    ("turns", "replay.turns_sha256"),
    ("gone", "must be where it was"),
    ("picture", "a picture that a tool made is missing"),
    ("data", "data_sha256"),
]


@pytest.mark.parametrize(("how", "words"), CHANGED)
def test_a_source_run_that_changed_is_refused_when_the_experiment_goes_on(
    how: str, words: str, beholder: Beholder, server: ScriptedServer, tmp_path: Path
) -> None:
    source = run(beholder, tmp_path, server)
    server.script = lambda request: Reply(b"", status=401)
    stopped = beholder("experiment", "evidence", source, "--runs-dir", tmp_path / "runs", "--no-cache")
    assert stopped.code == 4, stopped
    server.script = rests_on_what_it_sees
    spoil_run(how, source, tmp_path)
    said = beholder("experiment", "resume", "latest", "--runs-dir", tmp_path / "runs")
    assert said.code == 2
    assert words in said.err.splitlines()[-1]


def no_calls(request: Request) -> Reply:
    return Reply(completion("B"))


def test_a_run_that_cannot_be_replayed_is_refused(beholder: Beholder, server: ScriptedServer, tmp_path: Path) -> None:
    def refusal(source: Path, *more: object) -> Any:
        said = beholder("experiment", "evidence", source, "--runs-dir", tmp_path / "runs", *more)
        return said._replace(err="\n".join(line for line in said.err.splitlines() if "Asking" not in line))

    plain = run(beholder, tmp_path, server, "--tools", "none")
    check_refused(refusal(plain), ("without tools",))
    server.script = no_calls
    silent = run(beholder, tmp_path, server, "--tools", "visual", "--no-cache")
    check_refused(refusal(silent), ("no conversation with a call that was run",))
    server.script = rests_on_what_it_sees
    good = run(beholder, tmp_path, server, "--tools", "visual", "--no-cache")
    check_refused(refusal(good, "--baseline", good), ("--baseline", "without tools"))
    other = tmp_path / "other"
    tir_data(other, [record(index, "color") for index in (20, 21)])
    before = runs_in(tmp_path)
    said = beholder("run", "tir", "--model", "constant/A", "--data", other, "--runs-dir", tmp_path / "runs")
    assert said.code == 0, said.err
    (elsewhere,) = runs_in(tmp_path) - before
    check_refused(refusal(good, "--baseline", elsewhere), ("--baseline", "none of the items that are replayed"))
    for picture in good.glob("blobs/??/*"):
        if picture.read_bytes().startswith(b"\x89PNG"):
            picture.write_bytes(b"forged")
    check_refused(refusal(good), ("8 left out", "cannot be read"))
    assert not list((tmp_path / "runs").glob("*experiment*"))


def test_a_foreign_run_does_not_choose_where_a_key_goes(
    beholder: Beholder, server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = run(beholder, tmp_path, server)
    info = json.loads((source / "run.json").read_text())
    info["settings"]["endpoint"]["base_url"] = "http://elsewhere.example/v1"
    (source / "run.json").write_text(json.dumps(info))
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    said = beholder("experiment", "evidence", source, "--runs-dir", tmp_path / "mine")
    check_refused(said, ("would send your key to http://elsewhere.example/v1",))


def test_the_command_is_light(beholder: Beholder) -> None:
    said = beholder("experiment", "evidence", "--help")
    assert said.code == 0
    assert "--placebo" in said.out
