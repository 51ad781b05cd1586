"""`--json` on every command that prints results, and the exit codes as docs/cli.md has them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from cli_data import Beholder, run, tfq_data

from beholder.cli import exits
from beholder.cli.main import COMMANDS, app
from beholder.cli.own import leaves
from beholder.cli.settings import options_of

WITHOUT = {
    "annotate.open": "serves pages until it is stopped",
    "completion": "prints a script",
    "demo": "a show for people; what it makes are runs, and `list --json` names them",
    "export": "writes data in formats of its own",
    "view": "serves pages until it is stopped",
}
"""Command → why it has no `--json`."""
PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"


def commands() -> Iterator[tuple[str, Any]]:
    root: Any = typer.main.get_command(app)
    for name in COMMANDS:
        command = root.get_command(None, name)
        for leaf in leaves(command):
            yield (name if leaf is command else f"{name}.{leaf.name}"), leaf


def test_every_command_that_prints_results_has_json() -> None:
    lacking = {name for name, command in commands() if "json" not in options_of(command)}
    assert lacking <= set(WITHOUT), "give it --json, or say here why not"


def test_the_exit_codes_are_those_of_the_page() -> None:
    _, _, table = PAGE.read_text().partition("## Exit codes")
    told = [int(code) for code in re.findall(r"^\| (\d+) \|", table.partition("\n## ")[0], re.MULTILINE)]
    there = [value for name, value in vars(exits).items() if name.isupper()]
    assert told == sorted(there)


@pytest.mark.parametrize(
    "line", [("pack", "latest"), ("report", "latest"), ("list",), ("config", "show"), ("doctor",)], ids=str
)
def test_json_is_one_object_and_nothing_else(line: tuple[str, ...], beholder: Beholder, tmp_path: Path) -> None:
    assert beholder(*run(tfq_data(tmp_path))).code == 0
    found = beholder.json(*line)
    assert isinstance(found, dict | list)
    if "file" in found:
        assert Path(found["file"]).stat().st_size == found["bytes"]


def test_synth_and_example_tell_their_folder(beholder: Beholder, tmp_path: Path) -> None:
    made = beholder.json("synth", "color", "--n", 2, "--out", tmp_path / "fresh", "--jobs", 1)
    assert (made["items"], Path(made["manifest"]).is_file()) == (2, True)
    drawn = beholder.json("example", "m3r", "--out", tmp_path / "m3r")
    assert drawn["items"] == 24
    assert json.loads(Path(drawn["model"]).read_text())
