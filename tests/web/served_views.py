"""Runs of every kind to look at in the viewer, hostile ones among them, and a real server of them on loopback."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from running_server import Running, running

from beholder.store import marks
from beholder.viewer.library import Library
from beholder.web.app import make_app
from beholder.web.view_api import router
from report.html_pages import HOSTILE, constant_run, hostile_answer, hostile_statements, served_run


@dataclass
class Viewed(Running):
    """A folder of runs that a server on loopback gives out."""

    library: Library

    def at(self, page: str) -> str:
        """The address of a page, such as `run?run=NAME`."""
        return f"{self.url}/#/{page}"


@contextmanager
def viewing(runs: Path, cache: Path, *, token: str = "") -> Iterator[Viewed]:
    """The viewer over a folder of runs."""
    with (
        closing(Library(runs, cache=cache)) as library,
        running(make_app("view", [router(library)]), token=token) as server,
    ):
        yield Viewed(server.port, server.server, server.said, library)


def hostile_runs(folder: Path) -> Path:
    """A folder of runs with each hostile text wherever text can be: in folder and model names, data, answers, reasons
    of failures, and marks. The first run has all of them, the second the same items for a comparison."""
    runs = folder / "runs"
    data = hostile_statements(folder / "data")
    made = served_run(data, runs, hostile_answer, name=HOSTILE["image"])
    other = constant_run(data, runs, "<think>seen</think><answer>T</answer>")
    keys = [json.loads(line)["key"] for line in _samples(made)]
    for number, (key, text) in enumerate(zip(keys, HOSTILE.values(), strict=True)):
        noted = text.encode(errors="replace").decode().replace("\0", "")[:500]
        marks.add_mark(made, key, marks.Mark("strict", noted, "2026-12-01T10:00:00+00:00", 0, 0))
        if number % 7 == 0:
            marks.add_mark(made, key, marks.label_mark("perception", noted, "2026-12-01T10:00:00+00:00", 0, 0))
    made.rename(runs / "<img src=x onerror=alert(20)> ‮gpj &run=x#")
    other.rename(runs / "%2e%2e%2fetc ' OR 1=1 --")
    return runs


def _samples(run: Path) -> list[str]:
    with closing(sqlite3.connect(run / "run.db")) as db:
        return [str(row[0]) for row in db.execute("SELECT record FROM samples ORDER BY position")]
