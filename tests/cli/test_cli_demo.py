"""`demo`: the data of an earlier demo is used again or left alone, never removed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cli_data import Beholder

from beholder.cli.demo import fresh_puzzles
from beholder.errors import UsageError
from beholder.synth.photographs import SHIPPED


def inodes(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_ino for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_demo_runs_twice_on_the_same_files(beholder: Beholder, tmp_path: Path) -> None:
    for time in (1, 2):
        said = beholder("demo", "--n", 4, "--runs-dir", tmp_path)
        assert said.code == 0, said.err
        assert "B against A, scorer strict, 4 items" in said.out
        folder = tmp_path / "demo-jigsaw-4-2026"
        if time == 1:
            files = inodes(folder)
    assert inodes(folder) == files
    assert beholder.json("show", "latest", "--runs-dir", tmp_path)["model"] == "classical"


def test_what_is_not_the_data_set_is_refused_and_kept(tmp_path: Path) -> None:
    folder = fresh_puzzles(tmp_path, 4, 7, None)
    picture = next((folder / "data" / "jigsaw").iterdir())
    picture.write_bytes(picture.read_bytes() + b"x")
    files = inodes(folder)
    with pytest.raises(UsageError, match="is there already"):
        fresh_puzzles(tmp_path, 4, 7, None)
    assert inodes(folder) == files


def test_other_photographs_make_another_folder(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    shipped = sorted(SHIPPED.glob("*.jpg"))
    shutil.copy(shipped[0], photos / "one.jpg")
    first = fresh_puzzles(tmp_path, 2, 7, photos)
    assert fresh_puzzles(tmp_path, 2, 7, photos) == first
    shutil.copy(shipped[1], photos / "one.jpg")
    second = fresh_puzzles(tmp_path, 2, 7, photos)
    assert len({first, second, fresh_puzzles(tmp_path, 2, 7, None)}) == 3
