"""`beholder view`: what it shows, where, to whom, and how it ends."""

from __future__ import annotations

import http.client
import signal
import socket
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from cli_data import Beholder

from beholder.viewer.library import Library
from beholder.web.guard import Access
from made_runs import beholder as started
from viewer.made_folders import info, made


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two runs, and an experiment with an arm."""
    for number, name in enumerate(("old", "new & better", "tools/python"), start=1):
        made(tmp_path / "runs" / name, info(created=f"2026-01-0{number}T00:00:00+00:00"))
    (tmp_path / "runs" / "tools" / "experiment.json").write_text('{"kind": "tools", "arms": [{"name": "python"}]}')
    return tmp_path / "runs"


class Shown:
    """What would have been served."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folders: list[Path] = []
        self.access: list[Access] = []
        self.opened: list[str] = []
        real = Library.__init__

        def noting(library: Library, runs_dir: Path, **more: object) -> None:
            self.folders.append(runs_dir.resolve())
            real(library, runs_dir, **more)  # type: ignore[arg-type]

        monkeypatch.setattr(Library, "__init__", noting)
        monkeypatch.setattr("beholder.web.serve.run", lambda app, access, *more: self.access.append(access))
        monkeypatch.setattr("webbrowser.open", self.opened.append)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    return Shown(monkeypatch)


def address(out: str) -> str:
    """The address in the line that is printed."""
    (line,) = (line for line in out.splitlines() if " Open http" in line)
    return line.rpartition(" ")[2]


# (what is named, the folder whose runs are shown, the run whose page is opened)
SHOWN: list[tuple[list[str], str, str]] = [
    (["--runs-dir", "RUNS"], "", ""),
    (["RUNS"], "", ""),
    (["RUNS/old"], "", "old"),
    (["RUNS/new & better"], "", "new & better"),
    (["old", "--runs-dir", "RUNS"], "", "old"),
    (["latest", "--runs-dir", "RUNS"], "", "new & better"),
    (["RUNS/tools"], "tools", ""),
    (["tools", "--runs-dir", "RUNS"], "tools", ""),
    (["RUNS/tools/python"], "tools", "python"),
    (["tools/python", "--runs-dir", "RUNS"], "tools", "python"),
]


@pytest.mark.parametrize(("arguments", "folder", "run"), SHOWN, ids=[" ".join(one[0]) for one in SHOWN])
def test_runs_an_experiment_or_one_run(
    beholder: Beholder, shown: Shown, runs: Path, arguments: list[str], folder: str, run: str
) -> None:
    named = [argument.replace("RUNS", str(runs)) for argument in arguments]
    code, out, _ = beholder("view", *named, "--port", "0")
    assert code == 0
    assert shown.folders == [runs / folder]
    page = urlsplit(address(out)).fragment
    assert page == "" if not run else page.startswith("/run?")
    assert parse_qs(page.partition("?")[2]) == ({"run": [run]} if run else {})
    assert out.endswith("The server has ended.\n")
    assert shown.opened == []


def test_what_is_shown_is_counted(beholder: Beholder, shown: Shown, runs: Path) -> None:
    out = beholder("view", runs, "--port", "0")[1]
    assert f"2 runs and 1 experiment in {runs}. Open http://127.0.0.1:" in out
    assert not shown.access[0].token


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_without_runs_is_a_page_and_no_error(
    beholder: Beholder, shown: Shown, tmp_path: Path, there: bool
) -> None:
    runs = tmp_path / "none"
    if there:
        runs.mkdir()
    code, out, _ = beholder("view", "--runs-dir", runs, "--port", "0")
    assert code == 0
    assert "0 runs in" in out


WRONG: list[tuple[list[str], str]] = [
    (["nothing"], "no run 'nothing'"),
    (["FILE"], "is a file"),
    (["--token", "a b"], "--token"),
    (["--port", "70000"], "65535"),
    (["--host", "no.such.host.invalid"], "--port"),
]


@pytest.mark.parametrize(("arguments", "told"), WRONG, ids=[" ".join(one[0]) for one in WRONG])
def test_what_cannot_be_shown_is_one_line(
    beholder: Beholder, shown: Shown, runs: Path, tmp_path: Path, arguments: list[str], told: str
) -> None:
    (tmp_path / "file").write_text("x")
    named = [str(tmp_path / "file") if argument == "FILE" else argument for argument in arguments]
    code, _, err = beholder("view", *named, "--runs-dir", runs)
    assert code == 2
    assert told in err
    assert err.count("\n") == 1
    assert shown.access == []


def test_others_need_a_token_and_are_told_of(beholder: Beholder, shown: Shown, runs: Path) -> None:
    out = beholder("view", runs, "--port", "0", "--allow-host", "lab.example", "--browser")[1]
    assert len(shown.access[0].token) >= 32
    assert "Who has this address can read and mark." in out
    assert shown.opened == [address(out)]
    assert shown.opened[0].endswith(f"/?token={shown.access[0].token}")


def test_one_page_goes_to_whoever_has_the_token(beholder: Beholder, shown: Shown, runs: Path) -> None:
    out = beholder("view", runs / "old", "--port", "0", "--token", "secret")[1]
    assert "/?token=secret#/run?run=old" in out


@pytest.mark.slow
def test_it_serves_until_ctrl_c_though_a_page_listens(runs: Path, tmp_path: Path) -> None:
    with started("view", runs, "--port", "0", cwd=tmp_path) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().rstrip("/\n").rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/api/runs")
        assert connection.getresponse().read().count(b'"id"') == 3
        connection.close()
        with socket.create_connection(("127.0.0.1", port), timeout=20) as page:
            page.sendall(f"GET /api/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            assert b"text/event-stream" in page.recv(4096)
            begun = time.monotonic()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
            assert time.monotonic() - begun < 15
    assert (process.returncode, err) == (0, "")
    assert out.endswith("The server has ended.\n")
