"""The command line starts quickly: help and `list` load nothing heavy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from beholder.cli.main import COMMANDS

HEAVY = ("numpy", "torch", "aiohttp", "PIL", "rich", "pyarrow", "scipy")
PROGRAM = (
    "import json, sys\n"
    "from beholder.cli.main import run\n"
    "for line in json.loads(sys.argv.pop()):\n"
    "    sys.argv[1:] = line\n"
    "    try:\n"
    "        run()\n"
    "    except SystemExit as ended:\n"
    "        assert not ended.code, line\n"
    f"print('loaded', [name for name in {HEAVY!r} if name in sys.modules])\n"
)


def loaded_by(calls: list[list[str]], folder: Path) -> tuple[str, str]:
    """(all that the calls print, the heavy modules they leave loaded), in one fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, json.dumps(calls)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    out, _, loaded = done.stdout.rpartition("loaded ")
    return out, loaded.strip()


def test_every_help_works_and_loads_nothing_heavy(tmp_path: Path) -> None:
    out, loaded = loaded_by([["--help"], *([name, "--help"] for name in COMMANDS)], tmp_path)
    assert loaded == "[]"
    for name in COMMANDS:
        assert f"Usage: beholder {name}" in out or f" {name} [OPTIONS]" in out
        assert f"\n  {name} " in out, "the list of commands"


def test_list_loads_nothing_heavy(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "2026-01-01T00-00-00_tfq_x"
    folder.mkdir(parents=True)
    info = {
        "format": 1,
        "plan": {"benchmark": "tfq"},
        "plan_hash": "0",
        "settings": {"model": "x"},
        "environment": {},
        "created": "2026-01-01T00:00:00+00:00",
        "status": "complete",
    }
    (folder / "run.json").write_text(json.dumps(info))
    metric = {"value": 0.5, "n": 8, "low": 0.2, "high": 0.8}
    (folder / "results.json").write_text(json.dumps({"metrics": {"recipe": {"question_accuracy": metric}}}))
    out, loaded = loaded_by([["list"], ["list", "--json"], ["--version"]], tmp_path)
    assert loaded == "[]"
    assert "recipe question_accuracy 50.0 % [20.0, 80.0], n=8" in out


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]], ids=str)
def test_without_a_command_the_help_is_printed(arguments: list[str], tmp_path: Path) -> None:
    out, _ = loaded_by([arguments], tmp_path)
    assert "Usage: " in out
    short = [line for line in out.splitlines() if line.startswith("  ") and line.split()[0] in COMMANDS]
    assert len(short) == len(COMMANDS)
    assert not any(line.endswith("...") for line in short), "each command's line is whole at 80 columns"


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    program = "import sys\nsys.argv[1:] = ['list']\nfrom beholder.cli.main import run\nrun()\n"
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == b""
        child.wait(20)
