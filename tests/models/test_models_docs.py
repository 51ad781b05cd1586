"""docs/models.md says of each kind of model what its class says, and shows options that there are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import typer

from beholder.benchmarks import benchmark
from beholder.cli.main import app
from beholder.models import KINDS, make_model
from beholder.models.capabilities import Capabilities
from beholder.models.endpoint import Endpoint
from beholder.models.served import SERVED

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text()
COLUMNS = {
    "tools": "tools",
    "pictures in tool messages": "pictures_in_tool_messages",
    "most pictures": "most_pictures",
    "system role": "system_role",
    "seed": "seed",
    "logprobs": "logprobs",
    "longest side": "longest_side",
    "provider's tools": "provider_tools",
}


def table(first: str) -> dict[str, dict[str, str]]:
    """The rows of the table whose second column is called so, by their kinds."""
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("|")
    ]
    start = next(number for number, cells in enumerate(lines) if cells[1] == first)
    rows: dict[str, dict[str, str]] = {}
    for cells in lines[start + 2 :]:
        if cells[0] == "kind":
            break
        rows[cells[0]] = dict(zip(lines[start], cells, strict=True))
    return rows


def rest(kind: str, folder: Path) -> str:
    """What has to stand behind a kind for a model of it to be made."""
    if kind in ("random", "classical", "static", "classical-tools"):
        return ""
    if kind in ("transformers", "vllm"):
        (folder / "config.json").write_text("{}")
        return f"/{folder}"
    if kind in ("replay", "scripted"):
        file = folder / "answers"
        file.write_text('{"key": "k-0", "response": "T"}' if kind == "replay" else '["T"]')
        return f"/{file}"
    return "/useless"


def told(can: Capabilities) -> dict[str, str]:
    words = {True: "yes", False: "no"}
    values = {column: getattr(can, field) for column, field in COLUMNS.items()}
    return {column: words[value] if isinstance(value, bool) else str(value or "–") for column, value in values.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_kind_can_do(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beholder.models.local_model.find_spec", lambda package: True)
    found = benchmark("tir")
    model = make_model(kind + rest(kind, tmp_path), found, seed=0, endpoint=Endpoint(base_url="http://h/v1"))
    assert table("tools")[kind] == {"kind": kind, **told(model.capabilities)}


def test_no_kind_is_told_of_that_is_none() -> None:
    assert list(table("tools")) == list(KINDS)


def test_where_a_kind_is_reached() -> None:
    rows = table("address")
    assert list(rows) == list(SERVED)
    for kind, service in SERVED.items():
        row = rows[kind]
        assert row["address"] == (f"`{service.base_url}`" if service.base_url else "none: give `--base-url`")
        assert (row["its variable"], row["key"]) == (f"`{service.url_variable}`", f"`{service.key_variable}`")


def test_the_options_that_are_shown_exist() -> None:
    commands: Any = typer.main.get_command(app)
    known = {option for one in commands.get_command(None, "run").params for option in one.opts}
    shown = re.findall(r"^    beholder run .*(?:\\\n.*)*", PAGE, re.MULTILINE)
    assert len(shown) > 8
    assert {option for line in shown for option in re.findall(r" (--[a-z-]+)", line)} <= known
