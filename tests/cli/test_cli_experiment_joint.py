"""`experiment joint` against a real server and offline: five arms over the same items, their table, carrying on."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from cli_data import Beholder, check_refused

from beholder.annotation import LABELS
from beholder.benchmarks.m3r.example import RECORDS, write_example
from scripted_server import Reply, Request, ScriptedServer, completion

_FIRST_LABEL = re.compile(r'\{\s*"(metaphor|target|source|sentiment)"')


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_example(tmp_path_factory.mktemp("example") / "set")


def task_of(request: Request) -> str:
    """What a request asks for, by the form of answer that it shows."""
    if '"explanation"' in request.texts:
        return "joint"
    return str(_FIRST_LABEL.findall(request.texts)[-1])


class Model:
    """Knows the answers, and counts what it is asked. Asked jointly it overlooks every target, asked alone none."""

    def __init__(self, data: Path) -> None:
        lines = (data / RECORDS).read_text(encoding="utf-8").splitlines()
        self.records = [json.loads(line) for line in lines]
        self.asked: Counter[str] = Counter()

    def __call__(self, request: Request) -> Reply:
        (record,) = [one for one in self.records if one["text"] in request.texts]
        task = task_of(request)
        self.asked[task] += 1
        said = {label: record[label] for label in LABELS} | {"metaphor": "yes" if record["metaphor"] else "no"}
        if task != "joint":
            return Reply(completion(json.dumps({task: said[task]})))
        if record["metaphor"]:
            said["target"] = "something else"
        return Reply(completion(json.dumps(said | {"explanation": record["explanation"]}, ensure_ascii=False)))


def test_five_arms_and_their_difference(
    beholder: Beholder, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    model, runs = Model(data), tmp_path / "runs"
    with ScriptedServer(model) as server:
        served = ("--model", "openai/m", "--base-url", server.url)
        said = beholder("experiment", "joint", *served, "--data", data, "--runs-dir", runs)
    assert said.code == 0, said.err
    assert model.asked == dict.fromkeys(("joint", *LABELS), 24)
    assert "asking alone does better on target and all four together; no difference" in " ".join(said.out.split())
    assert all(len(line) <= 80 for line in said.out.splitlines() if not line.startswith(("Folder", "Figure")))

    found: Any = beholder.json("experiment", "show", "--runs-dir", runs)
    assert found["kind"] == "joint"
    assert [(arm["name"], arm["complete"]) for arm in found["arms"]] == [(name, True) for name in ("joint", *LABELS)]
    outcome = found["outcome"]
    by_label = {one["label"]: one for one in outcome["labels"]}
    shares = {label: (one["joint"]["value"], one["alone"]["value"]) for label, one in by_label.items()}
    assert shares == {"metaphor": (1, 1), "target": (0, 1), "source": (1, 1), "sentiment": (1, 1)}
    assert by_label["target"]["better"] == -1
    assert by_label["target"]["p_holm"] == pytest.approx(4 * 2 / 2**12)
    assert len(by_label["target"]["comparison"]["lost"]) == 12
    assert (outcome["whole"]["joint"]["value"], outcome["whole"]["alone"]["value"]) == (0.5, 1)
    assert (outcome["price_joint"]["requests"], outcome["price_alone"]["requests"]) == (1, 4)
    assert (outcome["price_joint"]["prompt_tokens"], outcome["price_alone"]["prompt_tokens"]) == (10, 40)
    assert outcome["contradictions"] == {"n": 24, "joint": 0, "alone": 0}
    assert (Path(found["folder"]) / "figure.svg").is_file()


def test_an_arm_that_is_missing_is_begun_by_a_resume(beholder: Beholder, tmp_path: Path, data: Path) -> None:
    runs = tmp_path / "runs"
    model = f"scripted/{data / 'scripts' / 'model.json'}"
    said = beholder("experiment", "joint", "--model", model, "--data", data, "--limit", 6, "--runs-dir", runs)
    assert said.code == 0, said.err
    (folder,) = runs.glob("*_experiment-joint_*")
    before = beholder.json("experiment", "show", folder)["outcome"]
    shutil.rmtree(folder / "source")
    part = beholder.json("experiment", "show", folder)
    assert part["missing"] == ["source has not begun"]
    assert [one["label"] for one in part["outcome"]["labels"]] == ["metaphor", "target", "sentiment"]
    assert part["outcome"]["whole"] is None
    said = beholder("experiment", "resume", folder)
    assert said.code == 0, said.err
    assert "Arm 4 of 5, source: source alone" in said.err
    assert "Arm 3 of 5" not in said.err
    assert beholder.json("experiment", "show", folder)["outcome"] == before


def test_records_without_labels_are_refused(beholder: Beholder, tmp_path: Path, data: Path) -> None:
    record = json.loads((data / RECORDS).read_text(encoding="utf-8").splitlines()[0])
    bare = {"image": str(data / record["image"]), "text": record["text"]}
    (tmp_path / "bare.jsonl").write_text(json.dumps(bare))
    said = beholder("experiment", "joint", "--model", "constant/x", "--data", tmp_path / "bare.jsonl")
    check_refused(said, ("bare.jsonl",))
