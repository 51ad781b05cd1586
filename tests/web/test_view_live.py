"""What changes in the runs, as it happens: one look for all who listen, and none where nobody does."""

from __future__ import annotations

import fcntl
import http.client
import json
import os
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from asking_views import ask
from served_views import Viewed, viewing

from beholder.viewer.library import Library
from beholder.web import live


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "EVERY", 0.05)
    monkeypatch.setattr(live, "HEARTBEAT", 0.2)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    made(tmp_path / "runs" / "one")
    return tmp_path / "runs"


@pytest.fixture
def view(runs: Path, tmp_path: Path) -> Iterator[Viewed]:
    with viewing(runs, tmp_path / "cache") as running:
        yield running


def made(folder: Path, **changes: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    facts = {"format": 1, "plan": {}, "plan_hash": "", "settings": {}, "environment": {}, "created": "2026-01-01"}
    (folder / "run.json").write_text(json.dumps(facts | {"status": "complete"} | changes))
    return folder


@contextmanager
def listening_to(view: Viewed) -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", view.port, timeout=20)
    try:
        connection.request("GET", "/api/live")
        response = connection.getresponse()
        assert response.getheader("content-type", "").startswith("text/event-stream")
        assert response.getheader("cache-control") == "no-store"
        yield response
    finally:
        connection.close()


def next_event(events: http.client.HTTPResponse) -> dict[str, Any]:
    """The next event's data; comments are passed by."""
    while True:
        line = events.readline()
        assert line, "the stream has ended"
        if line.startswith(b"data: "):
            found: dict[str, Any] = json.loads(line[6:])
            return found


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 15
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_what_there_is_comes_at_once_and_then_what_changes(view: Viewed, runs: Path) -> None:
    with listening_to(view) as events:
        first = next_event(events)
        assert (list(first["versions"]), first["ready"]) == (["one"], {})
        made(runs / "two")
        assert set(next_event(events)["versions"]) == {"one", "two"}
        made(runs / "one", status="incomplete")
        assert next_event(events)["versions"]["one"] != first["versions"]["one"]
        assert ask(view, "/api/runs").json()["runs"][0]["version"] in json.dumps(next_version(view))


def next_version(view: Viewed) -> dict[str, Any]:
    with listening_to(view) as events:
        return next_event(events)


def test_a_run_that_goes_while_it_is_read_takes_nothing_else_along(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Library.folders

    def and_then_it_goes(library: Library) -> dict[str, Path]:
        found = real(library)
        shutil.rmtree(runs / "two", ignore_errors=True)
        return found

    monkeypatch.setattr(Library, "folders", and_then_it_goes)
    with viewing(runs, tmp_path / "cache") as view:
        for path in ("/api/runs", "/api/leaderboard"):
            made(runs / "two")
            assert ask(view, path).status == 200, path
        made(runs / "two")
        with listening_to(view) as events:
            until(lambda: "two" not in next_event(events)["versions"])
        assert view.said == []


def test_a_process_that_is_gone_shows_though_no_file_has_changed(view: Viewed, runs: Path) -> None:
    held = os.open(made(runs / "one", status="running"), os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    with listening_to(view) as events:
        going = next_event(events)["versions"]["one"]
        os.close(held)
        assert next_event(events)["versions"]["one"] == f"{going}-stopped"


def test_a_silent_line_carries_a_comment(view: Viewed) -> None:
    with listening_to(view) as events:
        next_event(events)
        assert events.readline() == b"\n"
        assert events.readline() == b": nothing new\n"


def test_nobody_listens_nobody_looks(view: Viewed, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[float] = []
    real = live.state_of
    monkeypatch.setattr(live, "state_of", lambda library: looks.append(time.monotonic()) or real(library))  # type: ignore[func-returns-value]
    time.sleep(0.2)
    assert looks == []
    with listening_to(view) as one, listening_to(view) as other:
        next_event(one)
        next_event(other)
        begun, before = time.monotonic(), len(looks)
        time.sleep(0.5)
        assert len(looks) - before <= (time.monotonic() - begun) / live.EVERY + 2, "one look for both"
    time.sleep(0.5)  # until the server has seen that both have gone
    seen = len(looks)
    time.sleep(0.3)
    assert len(looks) == seen
    with listening_to(view) as again:
        assert next_event(again)["versions"]


def test_there_are_so_many_listeners_and_no_more(view: Viewed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_LISTENERS", 2)
    with listening_to(view) as one:
        with listening_to(view) as other:
            next_event(one), next_event(other)
            refused = ask(view, "/api/live")
            assert refused.status == 503
            assert "2 pages" in refused.sentence()

        def is_free() -> bool:
            connection = http.client.HTTPConnection("127.0.0.1", view.port, timeout=20)
            connection.request("GET", "/api/live")
            status = connection.getresponse().status
            connection.close()
            return status == 200

        until(is_free)


def test_a_reader_that_does_not_read_holds_up_nobody(view: Viewed, runs: Path) -> None:
    with socket.create_connection(("127.0.0.1", view.port)) as idle:
        idle.sendall(f"GET /api/live HTTP/1.1\r\nHost: 127.0.0.1:{view.port}\r\n\r\n".encode())
        with listening_to(view) as events:
            next_event(events)
            for number in range(5):
                made(runs / f"run {number}")
                assert f"run {number}" in next_event(events)["versions"]


def test_the_server_ends_although_pages_listen(runs: Path, tmp_path: Path) -> None:
    with viewing(runs, tmp_path / "cache") as view, listening_to(view) as one, listening_to(view) as other:
        next_event(one), next_event(other)
        begun = time.monotonic()
        view.server.should_exit = True
        while one.readline():
            pass
        while other.readline():
            pass
        assert time.monotonic() - begun < 2.5, "before the server gives up waiting for them (3 seconds)"


def test_a_fault_of_ours_is_told_and_ends_the_stream(view: Viewed, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(library: object) -> bytes:
        raise KeyError("a mistake")

    monkeypatch.setattr(live, "state_of", breaks)
    connection = http.client.HTTPConnection("127.0.0.1", view.port, timeout=20)
    connection.request("GET", "/api/live")
    with pytest.raises(http.client.IncompleteRead):
        connection.getresponse().read()
    connection.close()
    until(lambda: any("a mistake" in line for line in view.said))
    assert ask(view, "/api/runs").status == 200
