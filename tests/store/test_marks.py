"""What people say of samples: kept beside the scores, never in place of one."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from beholder.store import reading, schema
from beholder.store.marks import Mark, add_mark, all_marks, label_mark, marks, numbered, take_back


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    schema.close_for_good(schema.create(tmp_path / "run.db", fsync=False))
    return tmp_path


FIRST = Mark(scorer="strict", note="it does say T \x00 '", created="2026-12-01", vote=1, epoch=0)
SECOND = Mark(scorer="lenient", note="", created="2026-11-01", vote=0, epoch=0)
LABEL = label_mark("tool_use", "turned the wrong way", "2026-12-02", 0, 1)


def test_marks_stand_beside_the_scores_in_the_order_they_came(folder: Path) -> None:
    for mark in (FIRST, SECOND, LABEL):
        add_mark(folder, "0abc_def-0", mark)
    with closing(schema.open_to_read(folder / "run.db")) as db:
        assert marks(db, "0abc_def-0") == [FIRST, SECOND, LABEL]
        assert marks(db, "1abc_def-0") == []
        assert all_marks(db) == [("0abc_def-0", mark) for mark in (FIRST, SECOND, LABEL)]
        assert reading.scored_items(db) == []


def test_a_label_is_no_mark_on_a_scorer() -> None:
    assert (FIRST.label, LABEL.label) == ("", "tool_use")
    assert SECOND.told == "lenient is wrong here (vote 0, epoch 0)"
    assert LABEL.told == "labelled tool_use (vote 0, epoch 1): turned the wrong way"


def test_a_mark_is_taken_back_by_its_number_and_sample(folder: Path) -> None:
    for mark in (FIRST, SECOND):
        add_mark(folder, "0abc_def-0", mark)
    with closing(schema.open_to_read(folder / "run.db")) as db:
        (number, first), (last, second) = numbered(db, "0abc_def-0", 9)
        assert (first, second) == (FIRST, SECOND)
        assert numbered(db, "0abc_def-0", 1) == [(last, SECOND)], "the newest"
    assert not take_back(folder, "1abc_def-0", number)
    assert take_back(folder, "0abc_def-0", number)
    assert not take_back(folder, "0abc_def-0", number)
    with closing(schema.open_to_read(folder / "run.db")) as db:
        assert marks(db, "0abc_def-0") == [SECOND]
    assert not (folder / "run.db-wal").exists()
