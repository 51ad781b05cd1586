"""The list of fonts: made once, made again when it is gone, and nothing else shown in its place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from talk import talk

from beholder.sandbox.bwrap import Bwrap


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The list in a cache of this test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    fonts = Bwrap()._fonts
    assert fonts is not None
    return Path(fonts)


def test_it_is_made_once_and_made_again_when_it_is_gone(kept: Path) -> None:
    made = kept.stat().st_ino
    assert Bwrap()._fonts == str(kept)
    assert kept.stat().st_ino == made
    kept.unlink()
    assert Bwrap()._fonts == str(kept)
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]
    assert kept.stat().st_mode & 0o777 == 0o644


def test_a_link_in_its_place_is_not_followed(kept: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("swordfish")
    kept.unlink()
    kept.symlink_to(secret)
    sandbox = Bwrap()
    [answer] = talk(f"open('/tmp/.matplotlib/{kept.name}').read()[:9]", sandbox=sandbox)
    assert "swordfish" not in answer.text
    assert secret.read_text() == "swordfish"


def test_a_file_of_somebody_else_is_not_shown(kept: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(kept, 54_321, 54_321)
    os.chown(kept.parent, 54_321, 54_321)
    assert Bwrap()._fonts is None


def test_workers_start_when_it_goes_missing(kept: Path) -> None:
    sandbox = Bwrap()
    kept.unlink()
    assert talk("1", sandbox=sandbox)[0].text == "1\n"
