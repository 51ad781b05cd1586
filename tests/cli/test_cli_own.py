"""Benchmarks and models of one's own from the shell: the documented example, and a hostile run folder."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import PIL.Image
import pytest
from cli_data import CONSTANT, Beholder, run, tfq_data

from beholder.benchmarks import own
from report.html_pages import Parsed

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
PAGE = EXAMPLES.parent / "own-benchmark.md"


@pytest.fixture
def pets(beholder: Beholder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, the present one, with the example's files and its data."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    own.forget()
    place = tmp_path / "pets"
    place.mkdir()
    monkeypatch.chdir(place)
    for file in EXAMPLES.glob("*.py"):
        shutil.copy(file, place)
    rows: list[dict[str, Any]] = []
    for number in range(8):
        cat = number % 2 == 0
        PIL.Image.new("RGB", (32, 24), (200, 10, 10) if cat else (10, 10, 200)).save(place / f"{number}.png")
        row = {"id": str(number), "picture": f"{number}.png", "ask": "Which animal is it?"}
        rows.append({**row, "animals": ["cat", "dog"], "right": "cat" if cat else "dog"})
    rows.append({"id": "8", "picture": "0.png", "ask": "How many animals are there?", "right": 2})
    (place / "pets.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return place


ASKED = ("run", "own_benchmark.py", "--data", "pets.jsonl", "--model", "own_model.py:Glance")


def test_the_example_is_short_and_the_page_shows_it() -> None:
    text = (EXAMPLES / "own_benchmark.py").read_text()
    assert len(text.splitlines()) < 60
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    for file in EXAMPLES.glob("*.py"):
        assert file.read_text() in blocks, f"{PAGE.name} shows {file.name} as it is"


def test_the_example_runs_and_every_command_opens_its_run(beholder: Beholder, pets: Path) -> None:
    first = beholder.json(*ASKED)
    figures = first["metrics"]["exact"]
    assert first["benchmark"] == "pets"
    assert (figures["accuracy"]["value"], figures["accuracy"]["n"]) == (pytest.approx(8 / 9), 9)
    assert first["metrics"]["near"]["accuracy"]["value"] == pytest.approx(8.5 / 9)
    assert {"accuracy/which", "accuracy/how many"} < set(figures)
    run_a = first["folder"]
    assert beholder(*ASKED[:-1], "random", "--model", CONSTANT).code == 0
    for line in (
        ("show", run_a),
        ("show", run_a, "8"),
        ("rescore", run_a),
        ("resume", run_a),
        ("compare", run_a, "latest"),
        ("report", run_a, "latest"),
        ("list",),
        ("audit", "data", "pets", "pets.jsonl"),
        ("audit", "data", "own_benchmark.py:PETS", "pets.jsonl"),
    ):
        said = beholder(*line)
        assert said.code == 0, (line, said.err)
        assert not said.err.count("not by the scorers as they are now")
    assert "The gold is right under every scorer." in said.out
    (page,) = (pets / "runs").glob("*/report.html")
    samples = Parsed(page).data["samples"]
    assert [(one["q"], one["g"]) for one in samples[:2]] == [
        ("Which animal is it?\nA. cat\nB. dog", "A. cat"),
        ("Which animal is it?\nA. cat\nB. dog", "B. dog"),
    ]
    shown = beholder("show", run_a, "0").out
    assert "  A. cat\n  B. dog\n" in shown
    assert "gold: A. cat" in shown
    assert "imported" not in beholder.json("show", run_a, "0")
    assert (pets / run_a / "blobs").is_dir()
    assert any((pets / run_a / "blobs").iterdir()), "the pictures are kept for reports"
    written = (pets / run_a / "run.json").read_text()
    assert str(pets) not in written, "no path of this machine"


def test_answers_that_exist_are_scored_by_the_file(beholder: Beholder, pets: Path) -> None:
    (pets / "answers.jsonl").write_text('{"key": "0", "response": "A cat."}\n{"key": "1", "response": "cat"}\n')
    said = beholder.json("score", "own_benchmark.py", "answers.jsonl", "--data", "pets.jsonl")
    assert said["metrics"]["exact"]["accuracy"]["value"] == 0.5


def test_a_changed_file_is_said_and_has_to_be_named_again(beholder: Beholder, pets: Path) -> None:
    folder = beholder.json(*ASKED)["folder"]
    file = pets / "own_benchmark.py"
    file.write_text(file.read_text().replace("1: 0.5", "1: 0.25"))
    said = beholder("show", folder)
    assert said.code == 2
    assert "has changed since you named it, so it is not run. Name it again with --own" in said.err
    said = beholder("show", folder, "--own", "own_benchmark.py")
    assert said.code == 0
    assert "(exact, near) are not by the scorers as they are now" in said.err
    again = beholder.json("rescore", folder)
    assert again["metrics"]["near"]["accuracy"]["value"] == pytest.approx(8.25 / 9)


def test_an_interrupted_run_of_an_own_model_is_resumed(beholder: Beholder, pets: Path) -> None:
    broken = pets / "own_model.py"
    text = broken.read_text()
    broken.write_text(text.replace('return "1"', 'raise TimeoutError("the weights are busy")'))
    said = beholder(*ASKED, "--max-retries", "0", "--json")
    assert said.code == 4
    done = json.loads(said.out)
    assert done["metrics"]["exact"]["accuracy"]["failed"] == 1
    shown = beholder("show", done["folder"])
    assert "owner provider, own_model" in shown.out
    assert "TimeoutError: the weights are busy" in shown.out
    assert beholder("resume", done["folder"], "--max-retries", "0").code == 4, "it fails as before, and is asked again"
    broken.write_text(text)
    assert "has changed since you named it" in beholder("resume", done["folder"]).err
    said = beholder("resume", done["folder"], "--own", "own_model.py")
    assert said.code == 2, "another code is another model"
    assert "This run was made with another plan: model.code" in said.err


def test_a_fault_in_the_file_is_one_line(beholder: Beholder, pets: Path) -> None:
    (pets / "own_benchmark.py").write_text("import nothing_of_this_name\n")
    said = beholder(*ASKED)
    assert (said.code, len(said.error_lines)) == (2, 1)
    assert "own_benchmark.py, line 1 cannot be run: ModuleNotFoundError" in said.err


def hostile(pets: Path, folder: str, trace: Path) -> None:
    """Makes run.json of a run name a file that leaves a trace if it is run."""
    evil = pets / folder / "evil.py"
    evil.write_text(
        f"import pathlib\npathlib.Path({str(trace)!r}).touch()\n"
        "from beholder import own_benchmark\nPETS = own_benchmark(name='evil')\n"
        "class Glance:\n    def answer(self, question): return 'owned'\n"
    )
    info = json.loads((pets / folder / "run.json").read_text())
    for text in (info["settings"]["plan"], info["plan"]):
        text["benchmark"] = str(evil)
    info["settings"]["model"] = f"{evil}:Glance"
    info["settings"]["own"] = [str(evil)]
    (pets / folder / "run.json").write_text(json.dumps(info))


@pytest.mark.parametrize("benchmark", ["evil", "tfq"])
def test_a_run_folder_of_somebody_else_has_no_file_run(
    benchmark: str, beholder: Beholder, tmp_path: Path, pets: Path
) -> None:
    """Neither by the name of its benchmark, nor by that of its model, nor by a list that it brings along."""
    data = tfq_data(tmp_path)
    folder = beholder.json(*run(data, "--limit", "2"))["folder"]
    trace = tmp_path / "trace"
    hostile(pets, folder, trace)
    info_file = pets / folder / "run.json"
    info = json.loads(info_file.read_text())
    if benchmark == "tfq":  # then only the model is evil, and an answer is missing
        info["settings"]["plan"]["benchmark"] = info["plan"]["benchmark"] = "tfq"
        info_file.write_text(json.dumps(info))
        with closing(sqlite3.connect(pets / folder / "run.db")) as db, db:
            db.execute("DELETE FROM scores")
            db.execute("DELETE FROM responses")
    for place in ("own-files.json", "beholder/own-files.json"):
        file = pets / "runs" / place
        file.parent.mkdir(exist_ok=True)
        evil = str(pets / folder / "evil.py")
        file.write_text(json.dumps({"files": {evil: "0" * 64}, "benchmarks": {evil: evil, "evil": f"{evil}:PETS"}}))
    for line in (
        ("show", folder),
        ("show", folder, "0"),
        ("resume", folder),
        ("rescore", folder),
        ("report", folder),
        ("compare", folder, folder),
        ("list",),
    ):
        said = beholder(*line)
        assert not trace.exists(), line
        if benchmark == "evil" and line != ("list",):
            assert (said.code, "There is no benchmark" in said.err) == (2, True), (line, said.err)
        if line[0] == "resume" and benchmark == "tfq":
            assert "that you have not named yourself" in said.err


@pytest.mark.parametrize(
    "text",
    [
        '[run]\nmodel = "evil.py:Glance"\n',
        '[run]\nown = "evil.py"\n',
        '[show]\nown = ["evil.py"]\n',
    ],
)
def test_a_config_file_of_somebody_else_has_no_file_run(text: str, beholder: Beholder, pets: Path) -> None:
    (pets / "evil.py").write_text("import pathlib\npathlib.Path('trace').touch()\nclass Glance:\n    answer = print\n")
    (pets / "beholder.toml").write_text(text)
    command = "show" if "[show]" in text else "run"
    assert beholder(command, *(("latest",) if command == "show" else ASKED[1:4])).code == 2
    assert beholder("--config", "beholder.toml", command, *ASKED[1:4]).code == 2
    assert not (pets / "trace").exists()


def test_completing_a_line_runs_nothing(beholder: Beholder, pets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (pets / "evil.py").write_text("import pathlib\npathlib.Path('trace').touch()\n")
    monkeypatch.setenv("_BEHOLDER_COMPLETE", "complete_bash")
    for words in ("beholder run evil.py --model ", "beholder run tfq --model evil.py:X --da"):
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
        beholder()
    assert not (pets / "trace").exists()
