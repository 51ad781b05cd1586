from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cli_data import Beholder

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "tests" / "tools" / "trajectories"


def folded(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def test_the_example_of_the_page(beholder: Beholder) -> None:
    page = (
        (ROOT / "docs" / "trajectories.md")
        .read_text(encoding="utf-8")
        .partition("test_cli_imports.py runs this -->")[2]
    )
    block = page.partition("With `--out")[0]
    command, *shown = folded(block)
    assert command == "$ beholder import trajectories tests/tools/trajectories"
    said = beholder("import", "trajectories", EXAMPLES)
    assert said.code == 0, said.err
    assert folded(said.out) == shown


def test_out_has_an_object_for_each_conversation(beholder: Beholder, tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    assert beholder("import", "trajectories", EXAMPLES, "--out", out).code == 0
    rows = [json.loads(line) for line in (out / "trajectories.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["name"] for row in rows] == ["count-discs", "no-picture", "same-picture"]
    first = rows[0]
    assert first["question"] == "How many discs are there?"
    assert [image["name"] for image in first["images"] + first["made"]] == ["image_0.png", "image_1.png"]
    observations = [one for turn in first["trajectory"]["turns"] for one in turn.get("observations", [])]
    assert [one["outcome"] for one in observations] == ["error", "executed"]
    assert observations[1]["images"] == [first["made"][0]["sha256"]]
    assert [one["operations"] for one in first["diagnosis"]["calls"]] == [["crop"], ["crop", "resize", "show", "print"]]
    assert [one["answer_changed"] for one in first["diagnosis"]["calls"]] == [False, True]


def test_out_overwrites_nothing(beholder: Beholder, tmp_path: Path) -> None:
    (tmp_path / "trajectories.jsonl").write_text("mine")
    said = beholder("import", "trajectories", EXAMPLES, "--out", tmp_path)
    assert said.code == 2
    assert "is there already" in said.err
    assert (tmp_path / "trajectories.jsonl").read_text() == "mine"


def test_json(beholder: Beholder) -> None:
    found = beholder.json("import", "trajectories", EXAMPLES)
    assert [run["name"] for run in found["runs"]] == ["count-discs", "no-picture", "same-picture"]
    assert found["tally"]["executed"] == {"count": 4, "of": 6, "share": pytest.approx(4 / 6)}
    assert found["unusable"] == []


def test_one_that_cannot_be_used_does_not_stop_the_others(beholder: Beholder, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "runs", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (tmp_path / "runs" / "count-discs" / "images" / "image_1.png").unlink()
    said = beholder("import", "trajectories", tmp_path / "runs")
    assert said.code == 1
    assert "no-picture" in said.out
    assert "count-discs/conversations.json,message5:thereisnopicture" in "".join(said.out.split())
    said = beholder("import", "trajectories", tmp_path / "runs", "--json")
    assert said.code == 1
    (bad,) = json.loads(said.out)["unusable"]
    assert bad["where"].endswith("message 5")


def test_a_single_file_may_be_given(beholder: Beholder) -> None:
    found = beholder.json("import", "trajectories", EXAMPLES / "no-picture" / "conversations.json")
    assert [run["name"] for run in found["runs"]] == ["no-picture"]


def test_no_conversation_there(beholder: Beholder, tmp_path: Path) -> None:
    said = beholder("import", "trajectories", tmp_path)
    assert said.code == 2
    assert said.error_lines == [
        f"beholder: {tmp_path}: there is no conversations.json in this folder or below it. "
        "Give a folder that holds one."
    ]


def test_text_of_a_conversation_is_not_obeyed_by_the_terminal(beholder: Beholder, tmp_path: Path) -> None:
    evil = "\x1b[2J[bold]x"
    folder = tmp_path / "[red]run"
    folder.mkdir()
    rows = [
        {"from": "human", "value": "?"},
        {"from": "gpt", "value": f'<tool_call>{{"name": {json.dumps(evil)}}}</tool_call>'},
    ]
    (folder / "conversations.json").write_text(json.dumps(rows))
    said = beholder("import", "trajectories", tmp_path)
    assert said.code == 0
    assert "\x1b" not in said.out
    assert "[red]run" in said.out
    assert "[bold]x" in said.out
