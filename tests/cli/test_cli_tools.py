"""The options about tools: what is refused, and that a run with them opens again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cli_data import Beholder

from made_tir import mazes

WRONG: list[tuple[str, list[Any], str]] = [
    ("an unknown arm", ["--tools", "scissors"], "Choose none, visual, python, both, rotate"),
    ("an unknown protocol", ["--tools", "visual", "--tool-protocol", "xml"], "Choose native or text"),
    ("an unknown place", ["--tools", "visual", "--tool-images", "nowhere", "--base-url", "http://127.0.0.1:9/v1"],
     "Choose user or tool"),
    ("probes without tools", ["--probe"], "--probe is about tools"),
    ("a placebo without tools", ["--placebo"], "--placebo is about tools"),
    ("text reading without visual tools", ["--tools", "python", "--ocr"], "--ocr is one of the visual tools"),
    ("an unknown sandbox", ["--tools", "python", "--sandbox", "cardboard"], "write bwrap, docker:IMAGE"),
    ("a container without a name", ["--tools", "python", "--sandbox", "docker"], "docker:IMAGE"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "words"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_cannot_be_is_refused_in_a_line(
    beholder: Beholder, tmp_path: Path, options: list[Any], words: str
) -> None:
    said = beholder("run", "tir", "--data", mazes(tmp_path / "data", 1), "--model", "classical-tools", *options)
    assert said.code == 2
    assert words in said.err
    assert len(said.err.strip().splitlines()) == 1
    assert not list((tmp_path / "runs").glob("2*"))


def test_large_limits_can_be_read_again(beholder: Beholder, tmp_path: Path) -> None:
    limits = ("--max-tool-tokens", 50_000, "--max-turns", 9_999, "--max-repeats", 9_999, "--max-pictures", 9_999)
    model = ("--model", "bad-tools/malformed", "--tools", "visual")
    ran = beholder("run", "tir", "--data", mazes(tmp_path / "data", 2), *model, *limits)
    assert ran.code == 0, ran.err
    for command in (("show", "latest"), ("rescore", "latest"), ("resume", "latest")):
        assert beholder(*command).code == 0


def test_no_protection_is_said_loudly(beholder: Beholder, tmp_path: Path) -> None:
    model = ("--model", "bad-tools/malformed", "--tools", "python", "--sandbox", "none")
    ran = beholder("run", "tir", "--data", mazes(tmp_path / "data", 1), *model)
    assert ran.code == 0, ran.err
    assert ran.err.count("NO SANDBOX") == 1
