"""Opening a run database: ours to write, anybody's to read; a foreign one is refused before anything in it can act."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import made_runs
from beholder.benchmarks import benchmark
from beholder.engine import lifecycle
from beholder.errors import UsageError
from beholder.store import reading, schema
from made_runs import answer_by_prompt, plan_for, run_engine, tfq_data
from scripted_server import ScriptedServer

OURS = schema.TABLES


@pytest.fixture
def database(tmp_path: Path) -> Path:
    schema.close_for_good(schema.create(tmp_path / "run.db", fsync=False))
    return tmp_path / "run.db"


def test_a_fresh_database_opens(database: Path) -> None:
    with closing(schema.open_to_read(database)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (schema.FORMAT,)
        assert {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")} == set(OURS)


FOREIGN: list[tuple[str, str, str]] = [
    ("a trigger", "CREATE TRIGGER t AFTER INSERT ON scores BEGIN DELETE FROM responses; END", "trigger t"),
    ("a view", "CREATE VIEW v AS SELECT load_extension('/tmp/evil.so')", "view v"),
    ("a view for a table", "DROP TABLE marks; CREATE VIEW marks AS SELECT randomblob(9) AS key", "view marks"),
    ("another table", "CREATE TABLE more (x)", "table more"),
    ("a full-text table", "CREATE VIRTUAL TABLE f USING fts5(x)", "table f"),
    ("an index with an expression", "CREATE INDEX i ON marks (abs(vote))", "index i"),
    ("a missing table", "DROP TABLE scores", "table scores"),
    ("a missing column", "ALTER TABLE responses DROP COLUMN raw", "table responses"),
    ("one column more", "ALTER TABLE samples ADD COLUMN extra TEXT", "table samples"),
    ("another name for a column", "ALTER TABLE marks RENAME COLUMN note TO notes", "table marks"),
    (
        "a computed column",
        f"DROP TABLE marks; CREATE TABLE marks ({OURS['marks']}, evil TEXT AS (hex(key))) STRICT",
        "table marks",
    ),
    (
        "a check that runs code",
        f"DROP TABLE marks; CREATE TABLE marks ({OURS['marks']}, CHECK (length(note) < 5)) STRICT",
        "table marks",
    ),
    ("a table without types", f"DROP TABLE marks; CREATE TABLE marks ({OURS['marks']})", "table marks"),
    ("the older format with a newer table", "PRAGMA user_version=1", "table judge_calls"),
    ("the second format with a newer table", "PRAGMA user_version=2", "table turns"),
    ("the newer format without it", "DROP TABLE judge_calls", "table judge_calls"),
    ("the newest format without turns", "DROP TABLE turns", "table turns"),
    ("a newer format", f"PRAGMA user_version={schema.FORMAT + 1}", "newer Beholder"),
]


@pytest.mark.parametrize(("statements", "named"), [row[1:] for row in FOREIGN], ids=[row[0] for row in FOREIGN])
@pytest.mark.parametrize("opener", [schema.open_to_read, schema.open_to_write], ids=["to read", "to write"])
def test_a_foreign_database_is_refused(
    database: Path, statements: str, named: str, opener: Callable[[Path], sqlite3.Connection]
) -> None:
    with closing(sqlite3.connect(database)) as db:
        db.executescript(statements)
    before = database.read_bytes()
    with pytest.raises(UsageError, match=named) as caught:
        opener(database)
    assert "\n" not in str(caught.value)
    assert database.read_bytes() == before


@pytest.mark.parametrize(
    ("version", "statements"), [(1, "DROP TABLE judge_calls; DROP TABLE turns"), (2, "DROP TABLE turns")]
)
def test_an_older_format_is_read_as_it_is_and_gets_the_new_tables_when_written_to(
    database: Path, version: int, statements: str
) -> None:
    with closing(sqlite3.connect(database)) as db:
        db.executescript(f"{statements}; PRAGMA user_version={version}")
    before = database.read_bytes()
    with closing(schema.open_to_read(database)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (version,)
        assert reading.scored_items(db) == []
    assert database.read_bytes() == before
    schema.close_for_good(schema.open_to_write(database))
    with closing(schema.open_to_read(database)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (schema.FORMAT,)
        assert {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")} == set(OURS)
    schema.close_for_good(schema.open_to_write(database))


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\0" + b"\xff" * 200, b"\0" * 5000])
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "run.db").write_bytes(content)
    with pytest.raises(UsageError, match=r"run\.db"):
        schema.open_to_read(tmp_path / "run.db")


def test_a_folder_without_a_database(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds no run\.db"):
        schema.open_to_read(tmp_path / "run.db")


def test_a_database_opened_to_read_cannot_be_written(database: Path) -> None:
    with closing(schema.open_to_read(database)) as db, pytest.raises(sqlite3.OperationalError, match="readonly"):
        db.execute("INSERT INTO marks VALUES ('k', 0, 0, 's', 'n', 'c')")


def test_a_run_in_a_read_only_folder_can_be_read(database: Path) -> None:
    database.chmod(0o444)
    database.parent.chmod(0o555)
    try:
        with closing(schema.open_to_read(database)) as db:
            assert reading.scored_items(db) == []
    finally:
        database.parent.chmod(0o755)


def test_looking_at_a_killed_run_changes_nothing(database: Path, tmp_path: Path) -> None:
    with closing(schema.open_to_write(database)) as db:
        db.execute("INSERT INTO marks VALUES ('k', 0, 0, 's', 'n', 'c')")
        killed = tmp_path / "killed"
        killed.mkdir()
        for name in ("run.db", "run.db-wal"):
            (killed / name).write_bytes((tmp_path / name).read_bytes())
    before = {name: (killed / name).read_bytes() for name in ("run.db", "run.db-wal")}
    with closing(schema.open_to_read(killed / "run.db")) as db:
        assert db.execute("SELECT count(*) FROM marks").fetchone() == (1,)
    assert {name: (killed / name).read_bytes() for name in before} == before


def test_closing_while_somebody_reads_leaves_a_whole_log(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "_PATIENCE_WITH_READERS", 0.05)
    writer = schema.open_to_write(database)
    reader = schema.open_to_read(database)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM marks").fetchone()
    writer.execute("INSERT INTO marks VALUES ('k', 0, 0, 's', 'n', 'c')")
    writer.execute("PRAGMA busy_timeout=50")
    schema.close_for_good(writer)
    reader.close()
    with closing(schema.open_to_read(database)) as db:
        assert db.execute("SELECT count(*) FROM marks").fetchone() == (1,)
    schema.close_for_good(schema.open_to_write(database))
    assert not database.with_name("run.db-wal").exists()


def test_closing_waits_for_one_who_reads_for_a_moment(database: Path) -> None:
    writer, reader = schema.open_to_write(database), schema.open_to_read(database)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM marks").fetchone()
    writer.execute("INSERT INTO marks VALUES ('k', 0, 0, 's', 'n', 'c')")
    writer.execute("PRAGMA busy_timeout=10")
    leaves = threading.Timer(0.2, reader.close)
    leaves.start()
    schema.close_for_good(writer)
    leaves.join()
    assert not database.with_name("run.db-wal").exists()


@pytest.mark.parametrize(("fsync", "level"), [(False, 1), (True, 2)])
def test_how_durable_a_commit_is(database: Path, fsync: bool, level: int) -> None:
    with closing(schema.open_to_write(database, fsync=fsync)) as db:
        assert db.execute("PRAGMA synchronous").fetchone() == (level,)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA trusted_schema").fetchone() == (0,)


MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
server:/export /data nfs4 rw,vers=4.2 0 0
/dev/sdb1 /data/local xfs rw 0 0
//host/share /mnt/my\\040share cifs rw 0 0
me@host: /home/me/remote fuse.sshfs rw 0 0
tmpfs /data/local/tmp tmpfs rw 0 0
a line that is cut
"""
PLACES = [
    ("/runs", False),
    ("/data/runs", True),
    ("/data", True),
    ("/database/runs", False),
    ("/data/local/runs", False),
    ("/data/local/tmp/x", False),
    ("/mnt/my share/runs", True),
    ("/home/me/remote/x", True),
    ("/home/me/remoteness", False),
]


@pytest.mark.parametrize(("place", "network"), PLACES)
def test_network_file_systems(place: str, network: bool) -> None:
    assert schema.is_network_filesystem(Path(place), MOUNTS) is network


def test_on_a_network_file_system_no_log_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole run and a rescore in the mode that needs no shared memory."""
    monkeypatch.setattr(schema, "is_network_filesystem", lambda folder: True)
    plan = plan_for(tfq_data(tmp_path, 40))
    with ScriptedServer(answer_by_prompt) as server:
        done = run_engine(plan, server.url, tmp_path / "runs", concurrency=16)
    with closing(schema.open_to_write(done.folder / "run.db")) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert done.result.complete
    assert lifecycle.rescore(done.folder, benchmark("tfq")) == 40
    assert made_runs.untidy_files(done.folder) == []


def test_a_process_that_is_refused_the_log_tries_again(tmp_path: Path) -> None:
    """SQLite does not wait here, however long the connection's time-out."""
    file = tmp_path / "new.db"
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE one (x)")
        other.execute("BEGIN EXCLUSIVE")
        with closing(sqlite3.connect(file, isolation_level=None, timeout=0)) as db:
            release = threading.Timer(0.2, lambda: other.execute("COMMIT"))
            release.start()
            schema.choose_journal(db, tmp_path)
            release.join()
            assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


DAMAGE = [
    "UPDATE samples SET record = 'no JSON'",
    "UPDATE samples SET record = '{}'",
    "UPDATE responses SET record = '{\"usage\": 5}'",
    "UPDATE responses SET record = 'no JSON'",
    'UPDATE responses SET record = \'{"order": "abc"}\'',
    "UPDATE responses SET raw = x'00ff00ff'",
    "UPDATE responses SET raw = zeroblob(1000)",
    "UPDATE requests SET record = x'789c'",
    "UPDATE scores SET outcome = 'perfect'",
    "UPDATE scores SET owner = 'nobody'",
]


@pytest.mark.parametrize("statement", DAMAGE)
def test_damaged_rows_are_told_in_one_line(tmp_path: Path, statement: str) -> None:
    plan = plan_for(tfq_data(tmp_path, 2))
    with ScriptedServer() as server:
        folder = run_engine(plan, server.url, tmp_path / "runs").folder
    with closing(sqlite3.connect(folder / "run.db")) as db:
        db.execute(statement)
        db.commit()

    def read_all() -> None:
        with closing(schema.open_to_read(folder / "run.db")) as db:
            for one in reading.responses(db, with_raw=True):
                reading.scores_of(db, one.number)
                reading.request_record(db, one.response.request_hash)
            list(reading.samples(db))
            reading.scored_items(db)
            reading.tally(db, 4)

    with pytest.raises(UsageError, match="cannot be read") as caught:
        read_all()
    assert "\n" not in str(caught.value)


def test_columns_hold_what_their_types_say(database: Path) -> None:
    with closing(sqlite3.connect(database)) as db:
        for values in ("'k', 'no number', 'x'", "x'00ff', 1, 'x'", "'k', 1, x'00ff'"):
            with pytest.raises(sqlite3.IntegrityError):
                db.execute(f"INSERT INTO samples VALUES ({values})")


def test_a_record_that_swells_is_refused(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import zlib

    monkeypatch.setattr(reading, "_LONGEST", 1000)
    with closing(sqlite3.connect(database)) as db:
        db.execute("INSERT INTO requests VALUES ('small', ?)", (zlib.compress(b"x" * 1000),))
        db.execute("INSERT INTO requests VALUES ('bomb', ?)", (zlib.compress(b"x" * 1001),))
        db.commit()
    with closing(schema.open_to_read(database)) as db:
        assert reading.request_record(db, "small") == b"x" * 1000
        assert reading.request_record(db, "none") is None
        with pytest.raises(UsageError, match="too long"):
            reading.request_record(db, "bomb")
