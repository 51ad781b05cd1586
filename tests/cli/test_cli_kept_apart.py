"""Records that cannot be used: a run does not begin, or leaves them out and says so of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_data import Beholder, check_refused

from beholder.benchmarks.m3r.example import write_example
from beholder.store.folder import read_info


@pytest.fixture
def spoiled(tmp_path: Path) -> Path:
    """The example set with four records that cannot be used."""
    folder = write_example(tmp_path / "set")
    file = folder / "records.jsonl"
    records: list[dict[str, Any]] = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    records[1] |= {"metaphor": False, "target": "a thing", "source": None}
    records[3]["sentiment"] = "mixed"
    del records[5]["text"], records[7]["image"]
    file.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return folder


LINES = [
    "records.jsonl, line 2: it is no metaphor but has a target or a source.",
    "records.jsonl, line 4: 'mixed' is no known code of 'sentiment'.",
    "records.jsonl, line 6: there is no text.",
    "records.jsonl, line 8: there is no image.",
]


def test_without_being_asked_to_leave_them_out_no_run_begins(beholder: Beholder, spoiled: Path, tmp_path: Path) -> None:
    said = beholder("run", "m3r", "--data", spoiled, "--model", "random")
    check_refused(said, (LINES[0],))
    assert "beholder audit data m3r" in said.err
    assert "--keep-apart" in said.err


def test_each_is_told_left_out_and_kept_in_run_json(beholder: Beholder, spoiled: Path, tmp_path: Path) -> None:
    runs = tmp_path / "here"
    said = beholder("run", "m3r", "--data", spoiled, "--model", "random", "--keep-apart", "--runs-dir", runs)
    assert said.code == 0
    told = " ".join(said.err.split())
    assert "4 records kept apart" in told
    assert [line for line in LINES if line not in told] == []
    (folder,) = (path for path in runs.iterdir() if path.is_dir())
    info = read_info(folder)
    assert info.plan["n_samples"] == 20
    assert [entry["where"] for entry in info.settings["kept_apart"]] == [line.partition(":")[0] for line in LINES]
    again = beholder("resume", folder)
    assert (again.code, "Nothing to do" in again.err) == (0, True)


def test_a_benchmark_that_stops_at_the_first_such_record_says_so(beholder: Beholder, tmp_path: Path) -> None:
    check_refused(beholder("run", "tfq", "--data", tmp_path, "--model", "random", "--keep-apart"), ("no --keep-apart",))
