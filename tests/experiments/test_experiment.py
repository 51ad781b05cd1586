"""The folder of an experiment: complete at once, found by name, begun arm by arm; hostile and damaged files refused."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from beholder.benchmarks import benchmark
from beholder.errors import UsageError
from beholder.experiments.experiment import (
    FILE,
    FORMAT,
    begin_arm,
    create,
    find,
    is_begun,
    list_experiments,
    missing,
    read,
    read_arms,
    resume_command,
)
from beholder.models import make_model
from beholder.store.folder import read_info
from made_experiments import experiment
from made_tir import mazes


def model():
    return make_model("random", benchmark("tir"), seed=7, endpoint=None)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    asked = experiment(tmp_path)
    folder = create(tmp_path / "runs", asked, "openai/some model")
    found = read(folder)
    assert folder.name.endswith("_experiment-tools_some-model")
    assert found == msgspec.structs.replace(asked, created=found.created)


def test_two_of_one_second_get_two_folders(tmp_path: Path) -> None:
    asked = experiment(tmp_path)
    folders = [create(tmp_path / "runs", asked, "m") for _ in range(3)]
    assert len(set(folders)) == 3
    assert list_experiments(tmp_path / "runs") == sorted(folders)


def test_experiments_are_found_by_path_name_and_time(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    with pytest.raises(UsageError, match="holds no experiments yet"):
        find("latest", runs)
    older = create(runs, experiment(tmp_path), "a")
    older = older.rename(runs / "2001-01-01T00-00-00_experiment-tools_a")
    newer = create(runs, experiment(tmp_path), "b")
    assert find("latest", runs) == newer
    assert find(older.name, runs) == find(str(older), runs) == older
    with pytest.raises(UsageError, match=f"no experiment 'x'. The newest are .*{newer.name}"):
        find("x", runs)


def test_an_arm_is_a_run_folder_with_its_own_plan(tmp_path: Path) -> None:
    asked = experiment(tmp_path)
    folder = create(tmp_path / "runs", asked, "m")
    arm = asked.arms[1]
    (folder / arm.name).mkdir()  # a process was killed between claiming the name and filling the folder
    assert not is_begun(folder, arm)
    assert begin_arm(folder, arm, model()) == folder / "visual"
    assert is_begun(folder, arm)
    info = read_info(folder / "visual")
    assert info.settings["cache"] is True
    assert info.plan["tools"]["arm"] == "visual"
    assert list(missing(asked, read_arms(folder, asked))) == ["none has not begun", "visual has 0 of 2 responses"]


def test_an_arm_is_not_begun_on_other_data(tmp_path: Path) -> None:
    asked = experiment(tmp_path)
    folder = create(tmp_path / "runs", asked, "m")
    mazes(tmp_path / "set", 3)
    with pytest.raises(UsageError, match=r"data has changed since the experiment began: data_sha256: .*new experiment"):
        begin_arm(folder, asked.arms[0], model())
    assert not (folder / "none").exists()


def test_the_command_that_continues_it_can_be_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = create(Path("runs"), experiment(tmp_path), "m")
    assert resume_command(folder) == f"beholder experiment resume {folder}"
    assert resume_command(Path("other runs/x")) == "beholder experiment resume 'other runs/x' --runs-dir 'other runs'"


DAMAGED = [
    ("not an object", "[]", "is damaged"),
    ("cut short", '{"format": 1, "ki', "is damaged"),
    ("no arms", None, "no arms"),
    ("two of one name", None, "two of one name"),
    ("a newer one", None, "newer Beholder"),
    ("a path for a name", None, "is damaged"),
    ("a hidden name", None, "is damaged"),
]


@pytest.mark.parametrize(("what", "text", "words"), DAMAGED, ids=[row[0] for row in DAMAGED])
def test_what_is_no_experiment_is_refused(tmp_path: Path, what: str, text: str | None, words: str) -> None:
    folder = create(tmp_path / "runs", experiment(tmp_path), "m")
    told = json.loads((folder / FILE).read_text())
    arms = told["arms"]
    match what:
        case "no arms":
            told["arms"] = []
        case "two of one name":
            told["arms"] = [arms[0], arms[0]]
        case "a newer one":
            told = {"format": FORMAT + 1, "whatever": True}
        case "a path for a name":
            arms[1]["name"] = "../../elsewhere"
        case "a hidden name":
            arms[1]["name"] = ".new"
    (folder / FILE).write_text(json.dumps(told) if text is None else text)
    with pytest.raises(UsageError, match=words):
        read(folder)


def test_a_folder_without_the_file_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not the folder of an experiment"):
        read(tmp_path)
