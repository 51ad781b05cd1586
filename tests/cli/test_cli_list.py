"""`list` and `latest`: the order of runs, and runs that were killed."""

from __future__ import annotations

import fcntl
import json
import os
import re
from pathlib import Path

import pytest
from cli_data import Beholder, run, tfq_data


def made(runs: Path, name: str, created: str, status: str = "complete", order: int = 0) -> Path:
    """A run folder as far as `list` reads it."""
    folder = runs / name
    (folder / "blobs").mkdir(parents=True)
    info = {
        "format": 1,
        "plan": {"benchmark": "tfq"},
        "plan_hash": "0",
        "settings": {"model": name},
        "environment": {},
        "created": created,
        "status": status,
    }
    (folder / "run.json").write_text(json.dumps(info))
    os.utime(folder / "blobs", ns=(order, order))
    return folder


def names(beholder: Beholder, runs: Path) -> list[str]:
    return [row["name"] for row in beholder.json("list", "--runs-dir", runs)["runs"]]


@pytest.mark.parametrize(
    "begun",
    [
        [("b", "2026-01-01T00:00:00+00:00"), ("a", "2026-01-01T00:00:01+00:00")],
        [("b", "2026-01-01T00:00:00+00:00"), ("a", "2026-01-01T00:00:00+00:00")],
        [("b", "2026-01-01T02:00:00+02:00"), ("a", "2026-01-01T00:00:01+00:00")],
        [("x-9", "2026-01-01T00:00:00+00:00"), ("x-10", "2026-01-01T00:00:00+00:00")],
    ],
    ids=["seconds", "one-second", "offsets", "numbered"],
)
def test_runs_are_in_the_order_they_were_begun(
    beholder: Beholder, tmp_path: Path, begun: list[tuple[str, str]]
) -> None:
    for order, (name, created) in enumerate(begun):
        made(tmp_path, name, created, order=order)
    assert names(beholder, tmp_path) == [name for name, _ in begun]


def test_latest_is_the_last_of_several_models(beholder: Beholder, tmp_path: Path) -> None:
    arguments = ("run", "tfq", "--model", "random", "--model", "constant/T", "--data", tfq_data(tmp_path))
    assert beholder(*arguments, "--runs-dir", tmp_path / "runs").code == 0
    assert beholder.json("show", "latest", "--runs-dir", tmp_path / "runs")["model"] == "constant/T"


def test_a_damaged_run_does_not_hide_the_others(beholder: Beholder, tmp_path: Path) -> None:
    made(tmp_path, "good", "2026-01-01T00:00:00+00:00")
    (made(tmp_path, "bad", "") / "run.json").write_bytes(b"[" * 100_000)
    made(tmp_path, "odd", "yesterday")
    assert set(names(beholder, tmp_path)) == {"good", "bad", "odd"}


def test_a_killed_run_is_stopped_and_a_live_one_is_running(beholder: Beholder, tmp_path: Path) -> None:
    folder = made(tmp_path, "killed", "2026-01-01T00:00:00+00:00", "running")
    said = beholder("list", "--runs-dir", tmp_path)
    assert "  killed  stopped " in said.out
    assert re.search(r"beholder resume \S*killed", said.out)
    holder = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(holder, fcntl.LOCK_EX)
        said = beholder("list", "--runs-dir", tmp_path)
        assert "  killed  running " in said.out
        assert "resume" not in said.out
    finally:
        os.close(holder)


def test_show_too_says_that_a_run_was_killed(beholder: Beholder, tmp_path: Path) -> None:
    assert beholder(*run(tfq_data(tmp_path), "--runs-dir", tmp_path / "runs")).code == 0
    (path,) = (tmp_path / "runs").glob("*/run.json")
    path.write_text(path.read_text().replace('"complete"', '"running"'))
    assert ", stopped" in beholder("show", "latest", "--runs-dir", tmp_path / "runs").out


def test_the_families_of_fresh_items_are_listed(beholder: Beholder, tmp_path: Path) -> None:
    from beholder.synth.families import FAMILIES

    listed = beholder.json("list", "--runs-dir", tmp_path / "runs")["families"]
    assert list(listed) == list(FAMILIES)
    shown = beholder("list", "--runs-dir", tmp_path / "runs").out
    assert all(f"  {task:15} {what}" in shown for task, what in listed.items())
