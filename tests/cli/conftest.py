"""Every test of the command line starts from an empty environment and a terminal of 100 columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_data import Beholder
from extractor_place import Place


@pytest.fixture
def beholder(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Beholder:
    """`beholder("score", "tfq", file)` calls the command line in this process, in an empty folder."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "BEHOLDER_RUNS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    home = tmp_path_factory.mktemp("home")  # nobody's config file, and no file of one's own that was named before
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(home))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path_factory.mktemp("here"))

    def read() -> tuple[str, str]:
        captured = capsys.readouterr()
        return captured.out, captured.err

    return Beholder(read, monkeypatch)


@pytest.fixture
def place(tmp_path: Path, beholder: Beholder) -> Place:
    return Place(tmp_path, beholder)
