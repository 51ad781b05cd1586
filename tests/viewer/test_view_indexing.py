"""An index keeps up with its run, is made anew when it must be, and survives whatever the run or its own file holds."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from beholder.engine import lifecycle
from beholder.errors import UsageError
from beholder.store.marks import Mark, add_mark
from beholder.viewer import index_file, indexing, keeping
from beholder.viewer.index import Index
from beholder.viewer.run_data import MARKED
from viewer.indexed_runs import (
    change,
    columns_of,
    copied,
    epochs_run,
    items_of,
    items_scored,
    library_of,
    plain_run,
    rows_of,
    votes_run,
)

EARLY = "SELECT r.id FROM responses r JOIN samples s ON s.key = r.key WHERE (s.position + r.epoch) % 3 = 0"
"""Responses that came first; with several epochs, items came in part."""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plain_run(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def epochs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return epochs_run(tmp_path_factory.mktemp("epochs"))


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return votes_run(tmp_path_factory.mktemp("votes"))


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is much, and done in threads, a few items at a time."""
    monkeypatch.setattr(keeping, "AT_ONCE", 0)
    monkeypatch.setattr(indexing, "AT_ONCE", 5)
    monkeypatch.setattr(indexing, "_FIRST", 3)
    monkeypatch.setattr(keeping, "_STEPS", 1_000)


class Growing:
    """A run of which the journal holds some responses only, until they come."""

    def __init__(self, run: Path) -> None:
        self.run = run
        with closing(sqlite3.connect(run / "run.db", isolation_level=None)) as db:
            # As a run writes them: numbers rise as responses come.
            early = [number for (number,) in db.execute(EARLY)]
            late = [n for (n,) in db.execute("SELECT id FROM responses") if n not in early]
            for new, old in enumerate([*early, *late], start=1_000):
                db.execute("UPDATE responses SET id = ? WHERE id = ?", (new, old))
                db.execute("UPDATE scores SET response = ? WHERE response = ?", (new, old))
            self.first_late = 1_000 + len(early)
            self._responses = db.execute("SELECT * FROM responses WHERE id >= ?", (self.first_late,)).fetchall()
            self._scores = db.execute("SELECT * FROM scores WHERE response >= ?", (self.first_late,)).fetchall()
            db.execute("DELETE FROM responses WHERE id >= ?", (self.first_late,))
            db.execute("DELETE FROM scores WHERE response >= ?", (self.first_late,))
            self._samples = db.execute(f"SELECT * FROM samples WHERE key NOT IN ({KEYS})").fetchall()
            db.execute(f"DELETE FROM samples WHERE key NOT IN ({KEYS})")

    def come(self) -> None:
        """The other responses come, without scores."""
        self._insert("samples", self._samples)
        self._insert("responses", self._responses)

    def are_scored(self) -> None:
        self._insert("scores", self._scores)

    def _insert(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        with closing(sqlite3.connect(self.run / "run.db", isolation_level=None)) as db:
            for row in rows:
                db.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)


KEYS = "SELECT key FROM responses"


def same(index: Index, other: Index, searches: tuple[str, ...]) -> None:
    """Two indexes say the same."""
    assert columns_of(index) == columns_of(other)
    assert rows_of(index) == rows_of(other)
    for scorer in index.scorers:
        assert items_of(index.side(scorer)) == items_of(other.side(scorer))
    for text in searches:
        assert index.search(text).places == other.search(text).places
        assert index.search(text).places


@pytest.mark.parametrize("how", ["at once", "in threads"])
@pytest.mark.parametrize("kind", ["plain", "epochs"])
def test_an_index_grows_with_its_run(kind: str, how: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    growing = Growing(copied(request.getfixturevalue(kind), tmp_path))
    if how == "in threads":
        request.getfixturevalue("threads")
    with library_of(tmp_path) as library:
        first = library.index("run", whole=True)
        build = first.version.partition("-")[0]
        assert first.n < 24
        assert "-" not in first.columns().buckets["strict"]
        growing.come()
        second = library.index("run", whole=True)
        assert second.n > first.n or kind == "epochs"
        assert second.version != first.version
        growing.are_scored()
        third = library.index("run", whole=True)
        assert third.version.partition("-")[0] == build  # it was added to, not made anew
        assert third.version != second.version
        assert [row.index for row in rows_of(third)] == list(range(third.n))
        with library_of(tmp_path, "another cache") as fresh:
            same(third, fresh.index("run", whole=True), ("lamp", "seen" if kind == "plain" else "hope", "answer"))


def test_items_without_a_score_have_no_letter_yet(plain: Path, tmp_path: Path) -> None:
    growing = Growing(copied(plain, tmp_path))
    with library_of(tmp_path) as library:
        growing.come()
        columns = library.index("run").columns()
        assert columns.buckets["strict"].count("-") == 16
        assert len(library.index("run").side("strict").keys) == 8


def test_a_response_that_comes_later_is_found_with_what_was_there(epochs: Path, tmp_path: Path) -> None:
    run = copied(epochs, tmp_path)
    change(run, "UPDATE responses SET text = 'a zebra' WHERE id NOT IN (" + EARLY + ")")
    growing = Growing(run)
    with library_of(tmp_path) as library:
        assert library.index("run").search("zebra").places == []
        growing.come()
        assert library.index("run").search("zebra").places == list(range(8))
        assert library.index("run").search("zebra Statement 4").places == [4]
        assert library.index("run").search("zebra nothing").places == []


def test_more_votes_change_what_votes_come_to(votes: Path, tmp_path: Path) -> None:
    run = copied(votes, tmp_path)
    kept = shutil.copy(run / "run.db", tmp_path / "kept.db")
    change(
        run,
        "DELETE FROM scores WHERE response IN (SELECT id FROM responses WHERE vote > 0)",
        "DELETE FROM responses WHERE vote > 0",
    )
    with library_of(tmp_path) as library:
        assert items_of(library.index("run").side("recipe")) == items_scored(run, "recipe", voted=True)
        shutil.copy(kept, run / "run.db")
        assert items_of(library.index("run").side("recipe")) == items_scored(run, "recipe", voted=True)


def test_a_run_that_was_scored_again_is_read_again(plain: Path, tmp_path: Path) -> None:
    run = copied(plain, tmp_path)
    with library_of(tmp_path) as library:
        opened, before = library.opened("run"), library.index("run")
        change(run, "UPDATE scores SET value = 0.25, outcome = 'scored'")
        lifecycle.finish(run, opened.info, opened.plan, opened.found)
        changed = library.index("run")
        assert set(changed.columns().buckets["strict"]) == {"P"}
        assert set(changed.side("strict").scores.tolist()) == {0.25}
        lifecycle.finish(run, opened.info, opened.plan, opened.found, again=True)
        same(library.index("run"), before, ("lamp",))


def test_marks_come_and_go_alone(plain: Path, tmp_path: Path) -> None:
    run = copied(plain, tmp_path)
    with library_of(tmp_path) as library:
        index = library.index("run")
        add_mark(run, index.key_at(4), Mark("strict", "", "2026", 0, 0))
        marked = library.index("run")
        assert [place for place, flags in enumerate(marked.columns().flags) if flags & MARKED] == [4]
        assert marked.version.partition("-")[0] == index.version.partition("-")[0]
        change(run, "DELETE FROM marks")
        assert not any(flags & MARKED for flags in library.index("run").columns().flags)


def test_what_has_not_changed_is_not_made_again(plain: Path, tmp_path: Path) -> None:
    run = copied(plain, tmp_path)
    with library_of(tmp_path) as library:
        index = library.index("run")
        assert library.index("run") is index
        (run / "results.json").touch()  # the time alone: it may have been scored again
        assert library.index("run").version != index.version
    with library_of(tmp_path) as library:
        before = [file.stat().st_ino for file in library.cache.rglob("*.index")]
        library.index("run")
        assert [file.stat().st_ino for file in library.cache.rglob("*.index")] == before


def test_an_index_that_is_looked_at_is_not_swept(plain: Path, tmp_path: Path) -> None:
    copied(plain, tmp_path)
    with library_of(tmp_path) as library:
        library.index("run")
        (file,) = library.cache.rglob("*.index")
        os.utime(file, times=(0, 0))
    with library_of(tmp_path, "another cache") as library:
        shutil.copytree(tmp_path / "cache" / "indexes", library.cache / "indexes")
        os.utime(library.cache / "indexes" / file.name, times=(0, 0))
        library.index("run")
        assert (library.cache / "indexes" / file.name).stat().st_mtime > 0


def test_an_index_is_shown_while_it_is_made(plain: Path, tmp_path: Path, threads: None) -> None:
    copied(plain, tmp_path)
    with library_of(tmp_path) as library:
        with library._turn, library._turn:  # nobody else's turn comes
            empty = library.index("run")
            assert (empty.n, empty.ready, library.being_made()) == (0, 0.0, {"run": 0.0})
            assert empty.columns().buckets["strict"] == ""
            assert empty.rows([0]).rows == []
            assert empty.search("lamp").places == []
        whole = library.index("run", whole=True)
        assert (whole.n, whole.ready, library.being_made()) == (24, 1.0, {})


def test_what_there_is_of_an_index_is_its_first_items(
    plain: Path, tmp_path: Path, threads: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied(plain, tmp_path)
    go_on, take = threading.Event(), indexing.Taking.take

    def slowly(taking: indexing.Taking, keys: Any) -> None:
        if taking._n >= 8:
            assert go_on.wait(20)
        take(taking, keys)

    monkeypatch.setattr(indexing.Taking, "take", slowly)
    with library_of(tmp_path) as library:
        library.index("run")
        while (some := library.index("run")).n < 8:
            pass
        assert 0 < some.ready < 1
        assert some.rows(range(99)).rows[0].question.startswith("Statement")
        assert some.search("lamp").places == list(range(some.n))
        go_on.set()
        whole = library.index("run", whole=True)
        assert some.n == 8  # what was opened stays as it was
        assert some.rows([0]).rows
        assert [row.index for row in rows_of(whole)] == list(range(24))


@pytest.mark.parametrize(("at_once", "items"), [(12, 2), (3, 1)])
def test_items_with_many_responses_are_read_a_few_at_a_time(
    votes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int, items: int
) -> None:
    """Memory would grow with the votes of a run."""
    monkeypatch.setattr(indexing, "AT_ONCE", at_once)  # five responses an item
    taken: list[int] = []
    take = indexing.Taking.take
    monkeypatch.setattr(indexing.Taking, "take", lambda taking, keys: (taken.append(len(keys)), take(taking, keys)))
    copied(votes, tmp_path)
    with library_of(tmp_path) as library:
        assert library.index("run", whole=True).n == 6
    assert (max(taken), sum(taken)) == (items, 6)


def test_the_index_before_is_shown_while_a_new_one_is_made(plain: Path, tmp_path: Path, threads: None) -> None:
    run = copied(plain, tmp_path)
    with library_of(tmp_path) as library:
        index = library.index("run", whole=True)
        with library._turn, library._turn:
            (run / "results.json").touch()
            assert library.index("run") is index
            assert library.being_made() == {"run": 0.0}
        assert library.index("run", whole=True).version != index.version


def test_the_end_of_the_viewer_does_not_wait_for_an_index(plain: Path, tmp_path: Path, threads: None) -> None:
    copied(plain, tmp_path)
    with library_of(tmp_path) as library, library._turn, library._turn:
        library.index("run")
        library._stop.set()
    assert not list((tmp_path / "cache").rglob("*.new"))


def test_two_servers_at_once_do_not_spoil_each_others_file(epochs: Path, tmp_path: Path, threads: None) -> None:
    growing = Growing(copied(epochs, tmp_path))
    with library_of(tmp_path) as one, library_of(tmp_path) as other, ThreadPoolExecutor(6) as pool:

        def all_look() -> list[Index]:
            return list(pool.map(lambda library: library.index("run", whole=True), [one, other] * 6))

        all_look()
        growing.come()
        all_look()
        growing.are_scored()
        found = all_look()
        with library_of(tmp_path, "another cache") as fresh:
            for index in found:
                same(index, fresh.index("run", whole=True), ("lamp",))
    assert not list((tmp_path / "cache").rglob("*.new"))
    (file,) = (tmp_path / "cache").rglob("*.index")
    with closing(index_file.open_index(file)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


FILES: dict[str, Callable[[Path], object]] = {
    "junk": lambda file: file.write_bytes(b"junk" * 4_000),
    "empty": lambda file: file.write_bytes(b""),
    "cut": lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "gone": lambda file: file.unlink(),
    "another format": lambda file: in_file(
        file, "UPDATE state SET record = replace(record, '\"format\":1', '\"format\":9')"
    ),
    "no state": lambda file: in_file(file, "DELETE FROM state"),
    "no table": lambda file: in_file(file, "DROP TABLE items"),
    "a gap": lambda file: in_file(file, "DELETE FROM items WHERE id = 3"),
}


def in_file(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute(statement)


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_not_as_we_make_it_is_made_anew(plain: Path, tmp_path: Path, kind: str) -> None:
    copied(plain, tmp_path)
    with library_of(tmp_path) as library:
        library.index("run")
        (file,) = library.cache.rglob("*.index")
    FILES[kind](file)
    with library_of(tmp_path) as library, library_of(tmp_path, "another cache") as fresh:
        same(library.index("run"), fresh.index("run"), ("lamp",))


def test_damage_that_shows_late_is_told_and_mended(plain: Path, tmp_path: Path) -> None:
    copied(plain, tmp_path)
    with library_of(tmp_path) as library:
        index = library.index("run")
        (file,) = library.cache.rglob("*.index")
        with file.open("r+b") as there:
            there.seek(4096)
            there.write(b"\xff" * (file.stat().st_size - 4096))
        with pytest.raises(UsageError, match="look again"):
            [index.search("lamp"), index.side("strict"), rows_of(index)]
        assert library.index("run").search("lamp").places == list(range(24))
