"""Runs of strangers, which may hold anything: every answer is a page or a sentence, and the server goes on."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from asking_views import ask, post
from made_hostile_runs import ALL, spoilt, told
from served_views import Viewed, viewing

from made_runs import tfq_data
from report.html_pages import constant_run

QUICK = (
    "run.db: bytes",
    "run.db: trigger",
    "run.db: text that is none",
    "run.db: values without end",
    "run.json: deep inside",
    "run.json: benchmark that is a file",
    "run.json: data that is a pipe",
    "results.json: pipe",
    "results.json: names with controls",
)
"""Those that the fast lane looks at too."""
LARGEST = 6 << 20
"""Bytes of an answer about six statements, whatever the run holds."""
SLOW = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in ALL]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("good")
    return constant_run(tfq_data(here / "data", 6, images=2), here / "runs", "<think>x</think><answer>T</answer>")


@pytest.fixture(scope="module")
def view(good: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Viewed]:
    here = tmp_path_factory.mktemp("viewed")
    shutil.copytree(good, here / "runs" / "good")
    with viewing(here / "runs", here / "cache") as running:
        yield running


def requests(run: str, key: str, sha256: str) -> list[tuple[str, dict[str, object]]]:
    """Everything that can be asked about a run."""
    return [
        ("/api/runs", {}),
        ("/api/run", {"run": run}),
        ("/api/columns", {"run": run}),
        ("/api/rows", {"run": run, "places": "0,1,2,5,999999999"}),
        ("/api/search", {"run": run, "text": "lamp"}),
        ("/api/search", {"run": run, "text": '"* OR NEAR('}),
        ("/api/changes", {"run": run, "against": "good", "scorer": "lenient"}),
        ("/api/changes", {"run": "good", "against": run}),
        ("/api/sample", {"run": run, "key": key}),
        ("/api/compare", {"run": ["good", run]}),
        ("/api/compare", {"run": [run, "good"], "intersect": "1"}),
        ("/api/leaderboard", {"benchmark": "tfq"}),
        (f"/images/{sha256}", {"run": run}),
        (f"/images/{sha256}.webp", {"run": run}),
    ]


@pytest.mark.parametrize("name", SLOW)
def test_every_answer_is_a_page_or_a_sentence(view: Viewed, good: Path, name: str) -> None:
    run = f"spoilt {list(ALL).index(name)}"
    folder = spoilt(good, view.library.runs_dir, ALL[name], run)
    try:
        with closing(sqlite3.connect(good / "run.db")) as db:
            key, record = db.execute("SELECT key, record FROM samples").fetchone()
        sha256 = json.loads(record)["images"][0].get("path", "").removeprefix("sha256:") or "0" * 64
        for path, parameters in requests(run, key, sha256):
            reply = ask(view, path, parameters)
            assert reply.status == 200 or 400 <= reply.status < 500, (path, reply.status, view.said)
            assert len(reply.body) < LARGEST, path
            assert b"root:x:0" not in reply.body
            if reply.status != 200:
                assert str(view.library.runs_dir) not in reply.sentence(), path
        mark = {"run": run, "key": key, "scorer": "strict", "note": "x"}
        marked = post(view, "/api/mark", mark)
        assert marked.status == 200 or 400 <= marked.status < 500
        assert ask(view, "/api/run", {"run": "good"}).status == 200
        assert view.said == [], "nothing is a fault of ours"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        view.said.clear()


def test_a_stranger_s_run_runs_nothing(view: Viewed, good: Path, tmp_path: Path) -> None:
    """A file of this machine that a run names as its benchmark, its data or its model is neither run nor read."""
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\nBENCHMARK = None\n")
    for number, (place, value) in enumerate(
        [
            ("settings.plan.benchmark", f"{trap}:BENCHMARK"),
            ("settings.model", f"{trap}:BENCHMARK"),
            ("settings.plan.data", str(trap)),
        ]
    ):
        folder = spoilt(good, view.library.runs_dir, told(place, value), f"trap {number}")
        for path, parameters in requests(folder.name, "nothing", "0" * 64):
            assert ask(view, path, parameters).status < 500
        shutil.rmtree(folder)
    assert not (tmp_path / "sprung").exists()
