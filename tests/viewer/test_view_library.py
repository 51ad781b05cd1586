"""The library: which runs there are, how they are found, and where what is made of them is kept."""

from __future__ import annotations

import os
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from beholder.errors import UsageError
from beholder.viewer import cache
from beholder.viewer.library import Library
from viewer.made_folders import info, made


def run(folder: Path, minute: int, **changes: Any) -> Path:
    return made(folder, info(created=f"2026-01-02T03:{minute:02}:00+00:00", **changes))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    run(folder / "a", 1)
    run(folder / "b", 5)
    run(folder / "pair" / "second", 4)
    run(folder / "pair" / "first", 2)
    run(folder / "pair" / ".new-third", 2)
    (folder / "pair" / "experiment.json").write_text("{}")
    run(folder / "other" / "no-experiment", 3)
    run(folder / ".new-c", 3)
    (folder / "data-pins.json").write_text("{}")
    return folder


@pytest.fixture
def library(runs: Path, tmp_path: Path) -> Library:
    return Library(runs, cache=tmp_path / "cache")


def test_runs_and_arms_are_listed_newest_first(library: Library, runs: Path) -> None:
    assert list(library.folders()) == ["b", "pair/second", "pair/first", "a"]
    assert library.folders()["pair/first"] == runs / "pair" / "first"


def test_an_experiment_is_a_folder_of_runs_too(runs: Path, tmp_path: Path) -> None:
    assert list(Library(runs / "pair", cache=tmp_path / "cache").folders()) == ["second", "first"]


def test_a_folder_without_runs_has_none(tmp_path: Path) -> None:
    assert Library(tmp_path / "nothing", cache=tmp_path / "cache").folders() == {}


NAMES = [
    "",
    ".",
    "..",
    "/",
    "../runs/a",
    "a/",
    "./a",
    "pair",
    "pair/../a",
    "other/no-experiment",
    ".new-c",
    "a\0",
    "a\\",
    "%2e",
]


@pytest.mark.parametrize("name", [*NAMES, "/etc/passwd"])
def test_only_what_is_listed_is_a_run(library: Library, name: str) -> None:
    for ask in (library.folder, library.version, library.opened, library.index):
        with pytest.raises(UsageError, match="There is no run"):
            ask(name)


def test_a_run_is_found_when_it_comes_and_not_when_it_has_gone(library: Library, runs: Path) -> None:
    library.folders()
    run(runs / "late", 9)
    assert library.folder("late") == runs / "late"
    (runs / "late").rename(runs / ".late")
    with pytest.raises(UsageError, match="There is no run 'late'"):
        library.folder("late")


def test_a_name_that_no_address_can_hold_is_not_listed(library: Library, runs: Path) -> None:
    made(Path(os.fsdecode(os.fsencode(runs) + b"/\xff")), info())
    assert len(library.folders()) == 4


@pytest.mark.parametrize("name", ["run.json", "results.json", "run.db", "run.db-wal"])
def test_the_version_changes_with_each_file(library: Library, runs: Path, name: str) -> None:
    before = library.version("a")
    assert library.version("a") == before
    (runs / "a" / name).write_text("{} ")
    assert library.version("a") != before


def test_an_empty_log_is_no_change(library: Library, runs: Path) -> None:
    before = library.version("a")
    (runs / "a" / "run.db-wal").touch()
    assert library.version("a") == before


DAMAGED = [
    (b"", "damaged"),
    (b"[" * 100_000, "damaged"),
    (b'{"format": 99}', "damaged"),
    (b'{"format":1,"plan":{},"plan_hash":"","settings":{},"environment":{},"created":""}', "no plan"),
]


@pytest.mark.parametrize(("content", "words"), DAMAGED)
def test_a_damaged_run_is_listed_and_says_so_when_it_is_opened(
    library: Library, runs: Path, content: bytes, words: str
) -> None:
    made(runs / "bad", content)
    assert "bad" in library.folders()
    with pytest.raises(UsageError, match=words):
        library.opened("bad")


def test_a_cache_that_cannot_be_written_is_a_temporary_one(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with closing(Library(tmp_path, cache=tmp_path / "cache" / "viewer")) as library:
        assert library.cache.is_dir()
        assert library.cache.stat().st_mode & 0o777 == 0o700
        assert "until the viewer ends" in library.note
    assert not library.cache.exists()


def test_the_cache_of_another_user_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").mkdir(mode=0o755)
    theirs = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: theirs + 1)
    with closing(Library(tmp_path, cache=tmp_path / "cache")) as library:
        assert library.cache != tmp_path / "cache"
        assert "belongs to another user" in library.note
    assert list((tmp_path / "cache").iterdir()) == []
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o755


def test_the_usual_cache_is_the_users_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with closing(Library(tmp_path)) as library:
        assert library.cache == tmp_path / "beholder" / "viewer"
        assert library.cache.stat().st_mode & 0o777 == 0o700
        assert not library.note
    assert library.cache.is_dir()


def test_what_nobody_uses_is_deleted(tmp_path: Path) -> None:
    ages = {"old.index": 31, "new.index": 29, "old.lock": 31, "broken.1-2.new": 2, "going.1-2.new": 0.5, "else": 99}
    (tmp_path / "indexes").mkdir()
    for name, days in ages.items():
        (tmp_path / "indexes" / name).touch()
        os.utime(tmp_path / "indexes" / name, times=(time.time() - days * 86_400,) * 2)
    Library(tmp_path, cache=tmp_path).close()
    left = {file.name for file in (tmp_path / "indexes").iterdir()}
    assert left == {"new.index", "going.1-2.new", "else"}
    assert cache.UNUSED_DAYS == 30
