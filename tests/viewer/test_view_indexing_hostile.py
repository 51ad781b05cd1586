"""A run may be a stranger's: its index is made, or it is said in a sentence why there is none."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from beholder.errors import UsageError
from beholder.viewer import indexing, keeping
from beholder.viewer.journal_items import of_a_run
from viewer.indexed_runs import change, copied, library_of, plain_run, rows_of, votes_run


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plain_run(tmp_path_factory.mktemp("plain"))


@pytest.fixture(params=["at once", "in threads"])
def how(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Little is made while one waits, much in a thread."""
    if request.param == "in threads":
        monkeypatch.setattr(keeping, "AT_ONCE", 0)
        monkeypatch.setattr(indexing, "AT_ONCE", 5)


BROKEN: dict[str, tuple[str, ...]] = {
    "a record that is no JSON": ("UPDATE samples SET record = '{'",),
    "a record of another kind": ("UPDATE samples SET record = '[1]'",),
    "a record nested without end": ("UPDATE samples SET record = replace(hex(zeroblob(100000)), '00', '[')",),
    "a response that is no JSON": ("UPDATE responses SET record = 'x'",),
    "an order that is none": ('UPDATE responses SET record = \'{"order": "x"}\'',),
    "an outcome that there is not": ("UPDATE scores SET outcome = 'splendid'",),
    "a score beyond all": ("UPDATE scores SET value = 9e999",),
    "no table of scores": ("DROP TABLE scores",),
    "a trigger": ("CREATE TRIGGER t AFTER INSERT ON marks BEGIN SELECT 1; END",),
}


@pytest.mark.usefixtures("how")
@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_run_says_so(plain: Path, tmp_path: Path, kind: str) -> None:
    change(copied(plain, tmp_path), *BROKEN[kind])
    with library_of(tmp_path) as library:
        for _ in range(2):
            with pytest.raises(UsageError):
                library.index("run", whole=True)
    assert not list((tmp_path / "cache").rglob("*.new"))


def test_votes_that_are_no_verdicts_are_refused(tmp_path: Path) -> None:
    change(votes_run(tmp_path), "UPDATE scores SET value = 0.5")
    with library_of(tmp_path) as library, pytest.raises(UsageError, match="no run of ours"):
        library.index(next(iter(library.folders())))


@pytest.mark.parametrize("name", ["gone", "junk", "link"])
def test_a_run_without_a_journal_says_so(plain: Path, tmp_path: Path, name: str) -> None:
    run = copied(plain, tmp_path)
    (run / "run.db").unlink()
    if name == "junk":
        (run / "run.db").write_bytes(b"SQLite format 3\0" + b"junk" * 4_000)
    if name == "link":
        (run / "run.db").symlink_to(plain / "run.db")
    with library_of(tmp_path) as library, pytest.raises(UsageError, match=r"run\.db"):
        library.index("run")


ODD: dict[str, tuple[str, ...]] = {
    "positions": (
        "UPDATE samples SET position = CASE position % 3 WHEN 0 THEN -1 WHEN 1 THEN 9223372036854775807 "
        "ELSE position END",
    ),
    "epochs": ("UPDATE responses SET epoch = -9223372036854775807, vote = id + 9223372036854770000",),
    "long texts": ("UPDATE responses SET text = replace(hex(zeroblob(2000000)), '00', 'wide ')",),
    "binary texts": ("UPDATE responses SET text = char(0, 1, 8238, 55357, 27) || text || char(0)",),
    "long names": (
        "UPDATE samples SET record = json_set(record, '$.category', replace(hex(zeroblob(500000)), '00', 'k'), "
        "'$.cluster', replace(hex(zeroblob(500000)), '00', 'c'), '$.record_id', "
        "replace(hex(zeroblob(99)), '00', 'i '))",
    ),
    "many categories": ("UPDATE samples SET record = json_set(record, '$.category', 'kind ' || position)",),
    "keys": ("UPDATE responses SET key = char(0) || key || '\"%'", "UPDATE samples SET key = char(0) || key || '\"%'"),
    "endless answers": ("UPDATE scores SET extracted = replace(hex(zeroblob(1000000)), '00', 'x')",),
    "blobs of elsewhere": (
        "UPDATE samples SET record = json_set(record, '$.images[0].path', 'sha256:../../../etc/passwd')",
    ),
    "orders": ("UPDATE responses SET record = json_set(record, '$.order', json('[99999999999999999999, -1, 5]'))",),
    "scorers": (
        "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) "
        "INSERT INTO scorers SELECT i, 'scorer ' || i, 'code' FROM n",
    ),
    "marks": (
        "INSERT INTO marks VALUES (NULL, NULL, NULL, NULL, NULL, NULL)",
        "INSERT INTO marks (key) VALUES (char(0))",
    ),
    "no samples": ("DELETE FROM samples",),
    "no responses": ("DELETE FROM responses",),
    "nothing": ("DELETE FROM samples", "DELETE FROM responses", "DELETE FROM scores", "DELETE FROM scorers"),
}


@pytest.mark.parametrize("kind", ODD)
def test_an_odd_run_is_indexed(plain: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beholder.viewer.index.MOST_NAMES", 5)
    change(copied(plain, tmp_path), *ODD[kind])
    with library_of(tmp_path) as library:
        index = library.index("run")
        columns, rows = index.columns(), rows_of(index)
        assert index.n == columns.n == len(rows) == (0 if kind in ("no samples", "nothing") else 24)
        assert all(len(letters) == index.n for letters in columns.buckets.values())
        assert all(0 <= number < len(columns.categories) <= 6 for number in columns.category)
        assert len(columns.scorers) <= 24
        assert all(max(map(len, (row.question, row.gold, row.answer, row.id, row.category))) <= 200 for row in rows)
        assert all(index.place_of(row.key) == row.place for row in rows)
        assert index.search("lamp").places == list(range(index.n))
        for scorer in columns.scorers:
            assert len(index.side(scorer).keys) <= index.n


def test_a_journal_that_is_being_written_is_told_apart_from_a_damaged_one(tmp_path: Path) -> None:
    writer = sqlite3.connect(tmp_path / "run.db", isolation_level=None)
    writer.execute("CREATE TABLE responses (id)")
    writer.execute("BEGIN EXCLUSIVE")
    with (
        closing(writer),
        closing(sqlite3.connect(tmp_path / "run.db", timeout=0)) as reader,
        pytest.raises(UsageError, match=r"being written just now\. Look again"),
        of_a_run(),
    ):
        reader.execute("SELECT * FROM responses")
