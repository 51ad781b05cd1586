"""Completion: a script for each shell, and what is completed; nothing heavy is loaded for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_data import Beholder

from beholder.benchmarks import BENCHMARKS
from beholder.cli.main import COMMANDS

PROGRAM = (
    "import atexit, sys\n"
    "heavy = ('numpy', 'torch', 'aiohttp', 'PIL', 'rich', 'pyarrow', 'scipy', 'sqlite3')\n"
    "atexit.register(lambda: print('loaded', [name for name in heavy if name in sys.modules]))\n"
    "sys.argv = ['beholder']\n"
    "from beholder.cli.main import run\n"
    "run()\n"
)


def completed(line: str, folder: Path) -> list[str]:
    """What bash is told for a line that ends where the cursor is."""
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1), "_BEHOLDER_COMPLETE": "complete_bash"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=folder,
        env={**os.environ, **words, "XDG_STATE_HOME": str(folder / "state")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    *found, loaded = done.stdout.splitlines()
    assert loaded == "loaded []", "nothing heavy"
    assert done.stderr == ""
    return found


LINES = [
    ("beholder re", ["rescore", "report", "resume"]),
    ("beholder run t", ["tfq", "tir"]),
    ("beholder run tfq --max-conn", ["--max-connections"]),
    ("beholder run tfq --model cl", ["classical", "classical-tools"]),
    ("beholder run tfq --model openai-", ["openai-responses/"]),
    ("beholder show ", ["latest", "2026-02_b", "2026-01_a"]),
    ("beholder compare 2026-01", ["2026-01_a"]),
    ("beholder compare 2026-01_a l", ["latest"]),
    ("beholder experiment to", ["tools"]),
    ("beholder completion ", ["bash", "zsh", "fish"]),
]


@pytest.mark.parametrize(("line", "names"), LINES, ids=[line for line, _ in LINES])
def test_names_are_completed(line: str, names: list[str], tmp_path: Path) -> None:
    for name in ("2026-01_a", "2026-02_b", ".hidden"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    found = completed(line, tmp_path)
    assert sorted(found) == sorted(names) if "show" not in line else found == names


def test_commands_and_benchmarks_are_all_there(tmp_path: Path) -> None:
    assert sorted(completed("beholder ", tmp_path)) == sorted(COMMANDS)
    assert completed("beholder run ", tmp_path) == list(BENCHMARKS)


def test_a_broken_config_file_does_not_disturb(tmp_path: Path) -> None:
    (tmp_path / "beholder.toml").write_text("[")
    assert completed("beholder run t", tmp_path) == ["tfq", "tir"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed(shell: str, beholder: Beholder, tmp_path: Path) -> None:
    said = beholder("completion", shell)
    assert said.code == 0
    assert f"complete_{shell}" in said.out
    program = shutil.which(shell)
    if program is not None:
        (tmp_path / "script").write_text(said.out)
        subprocess.run([program, "-n", str(tmp_path / "script")], check=True, timeout=20)


def test_bash_completes_with_it(beholder: Beholder, tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    (tmp_path / "script").write_text(beholder("completion", "bash").out)
    command = "source ./script; COMP_WORDS=(beholder run t); COMP_CWORD=2; _beholder_completion beholder"
    command += "; echo ${COMPREPLY[@]}"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [bash, "-c", command],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stdout.split() == ["tfq", "tir"]


def test_another_shell_is_told(beholder: Beholder) -> None:
    said = beholder("completion", "csh")
    assert (said.code, said.err) == (2, "beholder: There is no script for 'csh'. Choose bash, zsh, fish.\n")
