"""`beholder export`: where it writes, what it says, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_data import Beholder, check_refused, run, tfq_data


@pytest.fixture
def made(beholder: Beholder, tmp_path: Path) -> Path:
    """The data of a run that is the latest."""
    data = tfq_data(tmp_path)
    assert beholder(*run(data)).code == 0
    return data


def test_json_lines_on_standard_output(beholder: Beholder, made: Path) -> None:
    said = beholder("export", "latest")
    assert (said.code, said.err) == (0, "6 rows.\n")
    assert [json.loads(line)["record_id"] for line in said.out.splitlines()] == [f"q{number}" for number in range(6)]


@pytest.mark.parametrize(
    ("form", "begins"), [("jsonl", b'{"key"'), ("csv", b'\xef\xbb\xbf"key","record_id"'), ("parquet", b"PAR1")]
)
def test_a_file(beholder: Beholder, made: Path, tmp_path: Path, form: str, begins: bytes) -> None:
    out = tmp_path / f"answers.{form}"
    said = beholder("export", "latest", "--format", form, "--out", out)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"{out}: 6 rows, ")
    assert out.read_bytes().startswith(begins)
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_the_lines_are_scored_as_the_run_was(beholder: Beholder, made: Path, tmp_path: Path) -> None:
    beholder("export", "latest", "--out", tmp_path / "a.jsonl")
    again = beholder.json("score", "tfq", tmp_path / "a.jsonl", "--data", made)
    first = beholder.json("show", "latest")
    assert again["metrics"] == first["metrics"]


def test_a_packed_run(beholder: Beholder, made: Path, tmp_path: Path) -> None:
    packed = tmp_path / "run.zip"
    assert beholder("pack", "latest", "--out", packed).code == 0
    said = beholder("export", packed)
    assert (said.code, said.out.count("\n")) == (0, 6)


def test_pictures_beside_the_file(beholder: Beholder, tmp_path: Path) -> None:
    data = tfq_data(tmp_path)
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps({"index": n, "response": "<answer>T</answer>"}) + "\n" for n in range(6)))
    assert beholder(*run(data, model=f"replay/{answers}")).code == 0
    said = beholder("export", "latest", "--images", "--out", tmp_path / "out.jsonl")
    assert said.code == 0
    assert "3 pictures in" in said.out
    assert len(list((tmp_path / "out_images").iterdir())) == 3


REFUSED = [
    (("--format", "xml"), ("--format 'xml' is none", "jsonl, csv, parquet")),
    (("--images",), ("give --out the name of a file",)),
    (("--out", "nowhere/a.jsonl"), ("the folder nowhere does not exist",)),
    (("--out", "/dev/null"), ("--out /dev/null is a folder or a device",)),
    (("--epoch", "1"), ("There is no repetition 1: the run has 1",)),
    (("--out", "runs"), ("--out runs is a folder or a device",)),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED)
def test_refusals(beholder: Beholder, made: Path, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    check_refused(beholder("export", "latest", *arguments), words)


def test_no_such_run(beholder: Beholder) -> None:
    check_refused(beholder("export", "nothing"), ("There is no run 'nothing'",))
