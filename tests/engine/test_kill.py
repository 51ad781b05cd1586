"""A real run, killed again and again: nothing committed is asked twice, little is lost, and the end is the same."""

from __future__ import annotations

import hashlib
import random
import shutil
import subprocess
import time
from pathlib import Path

import msgspec
import pytest

import made_runs
from beholder.score import ScoredItem
from beholder.store import folder as folders
from beholder.store import reading, schema
from made_runs import answer_by_prompt, beholder, committed, number_of, slowly, tfq_data
from scripted_server import ScriptedServer

CONNECTIONS = 8
LATENCY = 0.1
OPEN_BATCH = 3 * CONNECTIONS
"""Answers that can be in the open batch: it is written 50 ms after its first one, and in that time half of the
connections get an answer. Three times all of them leaves room for a busy machine, and is far less than a round asks."""
ITEMS = 900


def command(server: ScriptedServer, data: Path, runs: Path) -> subprocess.Popen[str]:
    """Begins the run, or goes on with it."""
    if folders.list_runs(runs):
        return beholder("resume", "latest", "--runs-dir", runs)
    where = ("--base-url", server.url, "--data", data, "--runs-dir", runs)
    return beholder("run", "tfq", "--model", "openai/m", *where, "--max-connections", CONNECTIONS, "--no-cache")


def outcome(runs: Path) -> tuple[list[ScoredItem], dict[str, object]]:
    """Items and figures of the one run in a folder."""
    (folder,) = folders.list_runs(runs)
    db = schema.open_to_read(folder / "run.db")
    items = reading.scored_items(db)
    db.close()
    results = msgspec.json.decode((folder / "results.json").read_bytes())
    return items, {name: results[name] for name in ("metrics", "details", "complete")}


def committed_numbers(folder: Path, scratch: Path, number_by_key: dict[str, int]) -> set[int]:
    """Which statements have an answer in the database as the kill left it; looked at in a copy."""
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(folder, scratch)
    return {number_by_key[key] for key, _, _ in committed(scratch / "run.db")}


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_a_killed_run_ends_like_an_undisturbed_one(kills: int, tmp_path: Path) -> None:
    data = tfq_data(tmp_path, ITEMS, images=5)
    samples = made_runs.plan_for(data).samples()
    number_by_key = {sample.key: sample.index for sample in samples}
    rng = random.Random(20_260_000 + kills)

    with ScriptedServer(answer_by_prompt) as server:
        process = command(server, data, tmp_path / "calm")
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, out + err
        assert sorted(map(number_of, server.requests)) == list(range(ITEMS))

    runs = tmp_path / "killed"
    safe: set[int] = set()
    with ScriptedServer(slowly(answer_by_prompt, LATENCY)) as server:
        for _ in range(kills):
            begun = len(server.requests)
            moment = rng.uniform(0.0, 0.5)
            process = command(server, data, runs)
            while len(server.requests) == begun and process.poll() is None:
                time.sleep(0.002)
            time.sleep(moment)
            assert process.poll() is None, "the run was over before it was killed"
            process.kill()
            process.communicate(timeout=60)
            asked = [number_of(request) for request in server.requests[begun:]]
            assert not safe & set(asked), "an answer that was committed was asked for again"
            assert len(asked) == len(set(asked))
            (folder,) = folders.list_runs(runs)
            now = committed_numbers(folder, tmp_path / "copy", number_by_key)
            assert safe <= now, "a committed answer was lost"
            assert len(set(asked) - now) <= CONNECTIONS + OPEN_BATCH
            safe = now
        assert len(safe) > kills  # the kills came late enough to matter, and answers are committed soon
        begun = len(server.requests)
        server.script = answer_by_prompt
        process = command(server, data, runs)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, out + err
        last = {number_of(request) for request in server.requests[begun:]}
        assert last == set(range(ITEMS)) - safe

    assert outcome(runs) == outcome(tmp_path / "calm")
    (folder,) = folders.list_runs(runs)
    assert made_runs.untidy_files(folder) == []
    for blob in (folder / "blobs").glob("??/*"):
        assert hashlib.sha256(blob.read_bytes()).hexdigest() == blob.name or blob.name.startswith(".")
    assert folders.read_info(folder).status == "complete"


def test_a_run_killed_before_it_asked_anything_goes_on(tmp_path: Path) -> None:
    """The folder appears at once and whole: whatever the moment, a resume finds a run or there is none."""
    data = tfq_data(tmp_path, 3)
    runs = tmp_path / "runs"
    with ScriptedServer(slowly(answer_by_prompt, 5.0)) as server:
        process = command(server, data, runs)
        while not folders.list_runs(runs):
            assert process.poll() is None
            time.sleep(0.001)
        process.kill()
        process.communicate(timeout=60)
        (folder,) = folders.list_runs(runs)
        assert committed(folder / "run.db") == set()
        server.script = answer_by_prompt
        process = command(server, data, runs)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, out + err
    assert len(committed(folder / "run.db")) == 3
    assert made_runs.untidy_files(folder) == []
