"""Marks from a page: into the run, beside the scores, and back out; never into a run that is not to be written."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from beholder.errors import UsageError
from beholder.store import marks, schema
from beholder.viewer.library import Library
from beholder.viewer.marking import mark, mark_rows, may_mark, unmark
from beholder.viewer.sample_data import MarkRow
from beholder.viewer.sample_page import sample_page
from made_runs import tfq_data
from report.html_pages import constant_run
from viewer.shown_runs import keys, library_of


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("marked")
    return constant_run(tfq_data(folder / "data", 3), folder / "runs", "<answer>T</answer>", epochs=2)


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "runs" / "run"))


@pytest.fixture
def library(run: Path, tmp_path: Path) -> Iterator[Library]:
    with library_of(tmp_path) as library:
        yield library


def told(rows: list[MarkRow]) -> list[tuple[str, str, str, int, int]]:
    return [(row.scorer, row.label, row.note, row.vote, row.epoch) for row in rows]


def kept(run: Path) -> list[tuple[str, marks.Mark]]:
    with closing(schema.open_to_read(run / "run.db")) as db:
        return marks.all_marks(db)


def test_a_mark_is_kept_shown_and_taken_back(run: Path, library: Library) -> None:
    key, other = keys(run)[:2]
    first = mark(library, "run", key, 0, 1, "strict", "it does say T\x00 \u202e")
    assert told(first) == [("strict", "", "it does say T\x00 \u202e", 0, 1)]
    both = mark(library, "run", key, 0, 0, "label:perception", "")
    assert told(both)[1] == ("", "perception", "", 0, 0)
    mark(library, "run", other, 0, 0, "lenient", "another item")
    assert sample_page(library, "run", key).marks == both
    assert [mark.label for _, mark in kept(run)] == ["", "perception", ""]

    left = unmark(library, "run", key, first[0].number)
    assert left == both[1:]
    assert [key for key, _ in kept(run)] == [key, other]
    with pytest.raises(UsageError, match="no longer there"):
        unmark(library, "run", key, first[0].number)
    with pytest.raises(UsageError, match="no longer there"):
        unmark(library, "run", other, both[1].number)
    assert len(kept(run)) == 2


def test_a_mark_changes_the_version_and_nothing_else(run: Path, library: Library) -> None:
    before, files = library.version("run"), {file.name for file in run.iterdir()}
    mark(library, "run", keys(run)[0], 0, 0, "strict", "")
    assert library.version("run") != before
    assert {file.name for file in run.iterdir()} == files


WRONG = [
    (("nobody", "n", 0, 0), "has no scorer 'nobody'"),
    (("", "n", 0, 0), "has no scorer ''"),
    (("label:", "n", 0, 0), "one word of at most 40 letters"),
    (("label:two words", "n", 0, 0), "one word of at most 40 letters"),
    ((f"label:{'x' * 41}", "n", 0, 0), "one word of at most 40 letters"),
    (("label:<b>", "n", 0, 0), "one word of at most 40 letters"),
    (("strict", "n" * 2_001, 0, 0), "2,001 characters; at most 2,000"),
    (("strict", "n", 1, 0), "no response with vote 1, epoch 0"),
    (("strict", "n", 0, 2), "no response with vote 0, epoch 2"),
]


@pytest.mark.parametrize(("asked", "words"), WRONG)
def test_what_cannot_be_marked_is_said(
    run: Path, library: Library, asked: tuple[str, str, int, int], words: str
) -> None:
    scorer, note, vote, epoch = asked
    with pytest.raises(UsageError, match=words):
        mark(library, "run", keys(run)[0], vote, epoch, scorer, note)
    assert kept(run) == []


@pytest.mark.parametrize("key", ["", "nothing", "a\0b", "\udc80", "' OR 1=1 --", "%"])
def test_an_item_that_is_not_there_is_not_marked(run: Path, library: Library, key: str) -> None:
    with pytest.raises(UsageError, match="has no response"):
        mark(library, "run", key, 0, 0, "strict", "")
    with pytest.raises(UsageError, match="no longer there"):
        unmark(library, "run", key, 1)
    assert kept(run) == []


def test_half_characters_are_kept_in_their_escaped_form(run: Path, library: Library) -> None:
    (row,) = mark(library, "run", keys(run)[0], 0, 0, "strict", "half \ud83d")
    assert row.note == "half \\ud83d"


def test_a_run_that_is_being_written_is_left_alone(run: Path, library: Library) -> None:
    descriptor = os.open(run, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with pytest.raises(UsageError, match="being written by another process"):
            mark(library, "run", keys(run)[0], 0, 0, "strict", "")
        with pytest.raises(UsageError, match="being written by another process"):
            unmark(library, "run", keys(run)[0], 1)
    finally:
        os.close(descriptor)
    assert kept(run) == []


@pytest.mark.parametrize("what", ["run", "run.db"])
def test_a_run_that_may_only_be_read_says_so(
    run: Path, library: Library, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """The rights are played: whoever runs the tests may be allowed everything."""
    refused = run if what == "run" else run / what
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != refused and allowed(path, mode))
    assert not may_mark(run)
    assert not sample_page(library, "run", keys(run)[0]).may_mark
    with pytest.raises(UsageError, match="cannot be written by this user"):
        mark(library, "run", keys(run)[0], 0, 0, "strict", "")
    assert kept(run) == []


def test_nothing_is_written_where_a_link_leads(run: Path, library: Library, tmp_path: Path) -> None:
    key = keys(run)[0]
    mine = shutil.move(run / "run.db", tmp_path / "mine.db")
    (run / "run.db").symlink_to(mine)
    before = Path(mine).read_bytes()
    with pytest.raises(UsageError, match="is a link or no file"):
        mark(library, "run", key, 0, 0, "strict", "")
    assert Path(mine).read_bytes() == before


def test_two_pages_may_mark_at_once(run: Path, library: Library) -> None:
    key = keys(run)[0]
    with ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda number: mark(library, "run", key, 0, 0, "strict", str(number)), range(12)))
    assert sorted(int(mark.note) for _, mark in kept(run)) == list(range(12))


def test_marks_of_a_stranger_are_shown_as_far_as_they_are_there(run: Path) -> None:
    key = keys(run)[0]
    with closing(sqlite3.connect(run / "run.db")) as db, db:
        db.execute("INSERT INTO marks VALUES (?, NULL, -1, NULL, hex(zeroblob(200000)), NULL)", (key,))
        db.executemany("INSERT INTO marks VALUES (?, 0, 0, 'strict', ?, '')", [(key, str(n)) for n in range(700)])
    with closing(schema.open_to_read(run / "run.db")) as db:
        rows = mark_rows(db, key)
        assert (len(rows), rows[-1].note) == (500, "699"), "the newest"
        db.close()
    with closing(sqlite3.connect(run / "run.db")) as db, db:
        db.execute("DELETE FROM marks WHERE scorer IS NOT NULL")
    with closing(schema.open_to_read(run / "run.db")) as db:
        (row,) = mark_rows(db, key)
    assert (row.scorer, row.label, row.created, row.epoch, len(row.note)) == ("", "", "", 0, 2_000)
