"""The entry point: terminals that cannot show a character, databases that break, Ctrl-C."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from cli_data import Beholder, run, tfq_data, tfq_rows

from beholder.report import run_list


def test_an_ascii_terminal_gets_escapes(beholder: Beholder, tmp_path: Path) -> None:
    rows = [row | {"problem": "<image>Ein Schiff läuft aus … 船"} for row in tfq_rows()]
    assert beholder(*run(tfq_data(tmp_path, rows), "--runs-dir", tmp_path / "runs")).code == 0
    done = subprocess.run(
        [sys.executable, "-m", "beholder", "show", "latest", "0", "--runs-dir", str(tmp_path / "runs")],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"Ein Schiff l\\xe4uft aus" in done.stdout
    assert b"\\u8239" in done.stdout


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (sqlite3.OperationalError("disk I/O\nerror"), 2, "beholder: a database cannot be read or written (disk I/O"),
        (KeyboardInterrupt(), 130, "beholder: interrupted"),
    ],
    ids=["sqlite", "ctrl-c"],
)
def test_what_reaches_the_entry_point_becomes_one_line(
    beholder: Beholder, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, line: str
) -> None:
    def broken(folder: Path) -> None:
        raise error

    monkeypatch.setattr(run_list, "list_runs", broken)
    said = beholder("list")
    assert said.code == code
    assert said.out == ""
    assert len([text for text in said.error_lines if text]) == 1
    assert said.err.strip().startswith(line)


def test_a_fault_of_ours_is_not_hidden(beholder: Beholder, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(folder: Path) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(run_list, "list_runs", broken)
    with pytest.raises(ZeroDivisionError):
        beholder("list")
