"""Runs of every kind to look at in the viewer, hostile ones among them, and a real server of them on loopback."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from beholder.store import marks
from beholder.viewer.library import Library
from beholder.web.app import make_app
from beholder.web.guard import access_for
from beholder.web.serve import listening, server_for
from beholder.web.view_api import router
from report.html_pages import HOSTILE, constant_run, hostile_answer, hostile_statements, served_run


@dataclass
class Viewed:
    """A folder of runs that a server on loopback gives out, and what the server has told the terminal."""

    url: str
    port: int
    library: Library
    said: list[str] = field(default_factory=list)

    def at(self, page: str) -> str:
        """The address of a page, such as `run?run=NAME`."""
        return f"{self.url}/#/{page}"


@contextmanager
def viewing(runs: Path, cache: Path, *, token: str = "", names: tuple[str, ...] = ()) -> Iterator[Viewed]:
    """The viewer over a folder of runs on a free port, in a thread."""
    told: list[str] = []
    with closing(Library(runs, cache=cache)) as library, listening("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        access = access_for("127.0.0.1", port, names=names, token=token)
        server = server_for(make_app("view", [router(library)]), access, told.append)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        try:
            yield Viewed(f"http://127.0.0.1:{port}", port, library, told)
        finally:
            server.should_exit = True
            thread.join(timeout=20)
            assert not thread.is_alive()


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
