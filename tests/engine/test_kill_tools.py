"""Runs whose model writes code, killed again and again: each ends like an undisturbed one, and nothing is left over."""

from __future__ import annotations

import random
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from beholder.store import folder as folders
from beholder.store import reading, schema, turns
from beholder.synth.dataset import write_dataset
from beholder.synth.generate import SourcePaths, draws_for
from made_runs import beholder

QUICK_FAMILIES = ["color", "rotation_game", "spot_difference", "symbolic"]
"""Their programs are the shortest and take a moment each."""


def command(data: Path, runs: Path) -> subprocess.Popen[str]:
    """Begins the run, or goes on with it."""
    if folders.list_runs(runs):
        return beholder("resume", "latest", "--runs-dir", runs, "--max-connections", 4)
    what = ("--data", data, "--model", "classical-tools", "--tools", "python", "--max-connections", 4)
    return beholder("run", "tir", *what, "--runs-dir", runs)


def outcome(folder: Path) -> dict[str, tuple[str | None, dict[str, float | None], list[list[str]]]]:
    """Of each item: the answer, its scores, and the outcomes of its calls, turn by turn."""
    with closing(schema.open_to_read(folder / "run.db")) as db:
        told = dict(turns.trajectories(db))
        found = {}
        for one in reading.responses(db):
            scores = {name: score.value for name, score in reading.scores_of(db, one.number).items()}
            steps = [
                [observation.outcome.value for observation in turn.observations]
                for turn in told[one.key, one.epoch, one.vote].turns
            ]
            found[one.key] = (one.response.text, scores, steps)
    return found


@pytest.mark.parametrize(
    ("n", "kills"), [pytest.param(2, 2, id="a few"), pytest.param(50, 8, marks=pytest.mark.slow, id="200 items")]
)
def test_a_killed_run_with_tools_ends_like_an_undisturbed_one(n: int, kills: int, tmp_path: Path) -> None:
    data = write_dataset(draws_for(QUICK_FAMILIES, n, 3), tmp_path / "data", SourcePaths(), jobs=2)
    process = command(data, tmp_path / "calm")
    began = time.monotonic()
    out, err = process.communicate(timeout=600)
    whole = time.monotonic() - began
    assert process.returncode == 0, out + err

    runs = tmp_path / "killed"
    rng = random.Random(20_261_130 + n)
    for _ in range(kills):
        process = command(data, runs)
        time.sleep(rng.uniform(0.1, 0.9) * whole * 2 / (kills + 1))
        process.kill()
        process.communicate(timeout=60)
    process = command(data, runs)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, out + err

    (calm,) = folders.list_runs(tmp_path / "calm")
    (folder,) = folders.list_runs(runs)
    assert len(outcome(calm)) == n * len(QUICK_FAMILIES)
    assert outcome(folder) == outcome(calm)
    with closing(schema.open_to_read(folder / "run.db")) as db:
        assert turns.spent(db).abandoned.attempts or kills < 8  # the kills came while conversations were under way
