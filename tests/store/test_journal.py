"""The one writer of a run: what is durable when, in which order, and what survives a fault."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import zlib
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

import made_runs
from beholder.benchmarks import benchmark
from beholder.engine import lifecycle
from beholder.engine.scoring import score_with
from beholder.errors import Owner
from beholder.sample import BooleanTarget, Failure, ImageRef, Response, Sample, TextPart
from beholder.score import Outcome, Score
from beholder.store import reading, schema
from beholder.store.cache import ResponseCache
from beholder.store.journal import Entry, Journal
from made_runs import answer_by_prompt, number_of, plan_for, run_engine, tfq_data
from scripted_server import ScriptedServer

RIGHT = Score(1.0, Outcome.SCORED, "T")
SCORERS = {"strict": "code1", "lenient": "code2"}


def sample(number: int, **facts: object) -> Sample:
    base = Sample(
        key=f"key{number}-0",
        index=number,
        benchmark="tfq",
        images=(),
        parts=(TextPart(f"Statement {number}"),),
        target=BooleanTarget(number % 2 == 0),
    )
    return msgspec.structs.replace(base, **facts)


def entry(number: int, vote: int = 0, epoch: int = 0, **response: object) -> Entry:
    return Entry(sample(number), vote, epoch, Response(**{"text": f"answer {number}", **response}), b"{}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    schema.close_for_good(schema.create(tmp_path / "run.db", fsync=False))
    return tmp_path


def all_right(sample: Sample, response: Response) -> dict[str, Score]:
    return {"strict": RIGHT, "lenient": RIGHT}


def count(folder: Path, table: str = "responses") -> int:
    with closing(sqlite3.connect(folder / "run.db")) as db:
        return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_leaving_waits_until_everything_is_written_and_scored(folder: Path) -> None:
    scored: list[str] = []
    with Journal(folder, SCORERS, all_right, on_scored=lambda one, _: scored.append(one.sample.key)) as journal:
        for number in range(1000):
            journal.put(entry(number))
    assert (count(folder), count(folder, "scores"), count(folder, "samples")) == (1000, 2000, 1000)
    assert scored == [f"key{number}-0" for number in range(1000)]
    assert journal.waiting == 0
    assert not (folder / "run.db-wal").exists()
    with closing(sqlite3.connect(folder / "run.db")) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_rows_are_numbered_in_the_order_given_and_go_on_in_a_second_session(folder: Path) -> None:
    for session in range(2):
        with Journal(folder, SCORERS, all_right) as journal:
            for number in range(300):
                journal.put(entry(session * 300 + 299 - number))
    with closing(sqlite3.connect(folder / "run.db")) as db:
        keys = [key for (key,) in db.execute("SELECT key FROM responses ORDER BY id")]
        ids = [number for (number,) in db.execute("SELECT id FROM responses ORDER BY id")]
    assert keys == [f"key{number}-0" for number in [*range(299, -1, -1), *range(599, 299, -1)]]
    assert ids == list(range(1, 601))


def test_an_answer_is_durable_soon_though_no_more_come(folder: Path) -> None:
    with Journal(folder, SCORERS, all_right) as journal:
        journal.put(entry(0))
        deadline = time.monotonic() + 10
        while journal.waiting:
            assert time.monotonic() < deadline, "the batch stays open"
            time.sleep(0.005)
        assert count(folder) == 1


def test_batches_are_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    write = Journal._write

    def watched(self: Journal, batch: list[Entry], *others: list[object]) -> None:
        sizes.append(len(batch))
        write(self, batch, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(Journal, "_write", watched)
    with Journal(folder, SCORERS, all_right) as journal:
        for number in range(2000):
            journal.put(entry(number))
    assert sum(sizes) == 2000
    assert max(sizes) <= 256
    assert len([size for size in sizes if size]) < 40  # many answers share a commit


def test_scores_follow_the_commit_of_their_answer(folder: Path) -> None:
    seen: list[bool] = []

    def looks(sample: Sample, response: Response) -> dict[str, Score]:
        with closing(sqlite3.connect(folder / "run.db")) as db:
            row = db.execute("SELECT 1 FROM responses WHERE key = ?", (sample.key,)).fetchone()
        seen.append(row is not None)
        return all_right(sample, response)

    with Journal(folder, SCORERS, looks) as journal:
        for number in range(20):
            journal.put(entry(number))
    assert seen == [True] * 20


def test_waiting_and_catching_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = threading.Event()
    write = Journal._write

    def held(self: Journal, batch: list[Entry], *others: list[object]) -> None:
        free.wait(10)
        write(self, batch, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(Journal, "_write", held)
    with Journal(folder, SCORERS, all_right) as journal:
        for number in range(600):
            journal.put(entry(number))
        assert journal.waiting == 600
        waiter = threading.Thread(target=journal.catch_up, args=(300,))
        waiter.start()
        waiter.join(0.1)
        assert waiter.is_alive()
        free.set()
        waiter.join(10)
        assert not waiter.is_alive()
        assert journal.waiting <= 300


ERRORS = [sqlite3.OperationalError("database or disk is full"), OSError(28, "No space"), KeyError("ours")]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_of_the_writer_stops_it_and_is_raised(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fails(self: Journal, batch: list[Entry], *others: list[object]) -> None:
        raise error

    def session() -> None:
        with Journal(folder, SCORERS, all_right) as journal:
            journal.put(entry(1))
            waiter = threading.Thread(target=journal.catch_up, args=(0,), daemon=True)
            waiter.start()
            waiter.join(10)
            assert not waiter.is_alive(), "it waits for what will never be written"
            assert journal.error is error
            with pytest.raises(type(error)):
                journal.put(entry(2))

    with Journal(folder, SCORERS, all_right) as journal:
        journal.put(entry(0))
        journal.catch_up(0)
    monkeypatch.setattr(Journal, "_write", fails)
    with pytest.raises(type(error)) as caught:
        session()
    assert caught.value is error
    assert count(folder) == 1
    assert not (folder / "run.db-wal").exists()


def test_a_real_full_database_keeps_what_was_committed(folder: Path) -> None:
    def session() -> None:
        with Journal(folder, SCORERS, all_right) as journal:
            journal._db.execute("PRAGMA max_page_count=60")
            for number in range(2000):
                journal.put(entry(number, text=f"{number} " * 100))
                if number % 100 == 0:
                    journal.catch_up(0)

    with pytest.raises(sqlite3.OperationalError, match="full"):
        session()
    with closing(sqlite3.connect(folder / "run.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert 0 < count(folder) < 2000


def test_the_same_vote_cannot_be_written_twice(folder: Path) -> None:
    def session() -> None:
        with Journal(folder, SCORERS, all_right) as journal:
            journal.put(entry(0))
            journal.put(entry(0, vote=1))
            journal.put(entry(0, epoch=1))
            journal.catch_up(0)
            journal.put(entry(0, text="again"))

    with pytest.raises(sqlite3.IntegrityError):
        session()
    assert count(folder) == 3


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_answers_survive_when_scoring_crashes(folder: Path) -> None:
    """T56: the thread that scores dies with the first answer; every answer is there, and is scored later."""
    found = benchmark("tfq")

    def dies(sample: Sample, response: Response) -> dict[str, Score]:
        raise RuntimeError("takes its thread with it")

    with Journal(folder, SCORERS, dies) as journal:
        for number in range(20):
            journal.put(entry(number, text="<answer>T</answer>"))
    assert (count(folder), count(folder, "scores")) == (20, 0)
    assert lifecycle.score_missing(folder, found) == 20
    assert lifecycle.score_missing(folder, found) == 0
    with closing(schema.open_to_read(folder / "run.db")) as db:
        values = [item.scores["recipe"].value for item in reading.scored_items(db)]
    assert values == [1.0, 0.0] * 10


def test_t35_a_torn_run_asks_for_the_rest_and_reports_over_all(tmp_path: Path) -> None:
    """Ten items, six of them committed, the log torn in the middle of the next commit."""
    plan = plan_for(tfq_data(tmp_path, 10))
    with ScriptedServer(answer_by_prompt) as server:
        whole = run_engine(plan, server.url, tmp_path / "whole")
        first = run_engine(plan, server.url, tmp_path / "runs").folder
        torn = tmp_path / "runs" / "torn"
        with closing(sqlite3.connect(first / "run.db")) as db:
            db.execute("DELETE FROM responses WHERE id > 6")
            db.execute("DELETE FROM scores WHERE response > 6")
            db.commit()
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("INSERT INTO marks VALUES ('torn', 0, 0, 'strict', 'its commit never reached the disk', '')")
            db.commit()
            shutil.copytree(first, torn)
        (torn / "run.db-shm").unlink()
        log = (torn / "run.db-wal").read_bytes()
        (torn / "run.db-wal").write_bytes(log[:-100])
        asked = len(server.requests)
        done = run_engine(plan, server.url, tmp_path / "runs", folder=torn)
        assert len({number_of(request) for request in server.requests[asked:]}) == 4
        assert len(server.requests) == asked + 4
    assert count(torn, "marks") == 0
    assert done.result.items == whole.result.items
    assert done.result.metrics == whole.result.metrics
    assert done.result.metrics["recipe"]["question_accuracy"].n == 10


CHILD = """
import sys
sys.path[:0] = {path!r}
from pathlib import Path
from test_journal import Journal, SCORERS, all_right, entry
with Journal(Path(sys.argv[1]), SCORERS, all_right, fsync=sys.argv[2] == "True") as journal:
    for number in range(10**9):
        journal.put(entry(number))
        if number % 100 == 99:
            journal.catch_up(0)
            print(number + 1, flush=True)
"""


@pytest.mark.parametrize("fsync", [False, True])
def test_what_was_committed_survives_a_kill(folder: Path, fsync: bool) -> None:
    code = CHILD.format(path=[str(Path(__file__).parent), str(Path(made_runs.__file__).parent)])
    child = subprocess.Popen([sys.executable, "-c", code, str(folder), str(fsync)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    told = 0
    while told < 500:
        told = int(child.stdout.readline())
    os.kill(child.pid, signal.SIGKILL)
    told = max([told, *map(int, child.stdout.read().split())])
    child.wait()
    child.stdout.close()
    assert told <= count(folder) <= told + 100


def test_the_cache_learns_only_what_is_committed(folder: Path) -> None:
    cache = ResponseCache(folder / "cache.db")
    with Journal(folder, SCORERS, all_right, cache=cache) as journal:
        journal.put(entry(0, request_hash="h0"))
        failed = Failure(owner=Owner.PROVIDER, kind="http_500", message="x", retryable=True)
        journal.put(entry(1, request_hash="h1", text=None, failure=failed))
    found = cache.get("h0")
    assert found is not None
    assert (found.text, found.cached) == ("answer 0", True)
    assert cache.get("h1") is None
    cache.close()


def test_embedded_images_are_stored_as_the_hash_of_their_blob(folder: Path) -> None:
    embedded = (ImageRef("a", data=b"bytes"), ImageRef("b", path="/data/b.jpg"))
    with Journal(folder, SCORERS, all_right) as journal:
        journal.put(Entry(sample(0, images=embedded), 0, 0, Response(text="x"), images=("ab" * 32, "cd" * 32)))
        journal.put(Entry(sample(1, images=embedded[1:]), 0, 0, Response(text="x")))
    with closing(schema.open_to_read(folder / "run.db")) as db:
        first, second = reading.samples(db)
    assert [ref.path for ref in first.images] == [f"sha256:{'ab' * 32}", f"sha256:{'cd' * 32}"]
    assert all(ref.data is None for ref in first.images)
    assert [(ref.name, ref.path) for ref in second.images] == [("b", None)]  # no path of this machine


def test_scorers_are_registered_once_with_their_newest_code(folder: Path) -> None:
    for code in ("old", "new"):
        Journal(folder, {"strict": code}, all_right).__enter__().__exit__(None, None, None)
    with closing(sqlite3.connect(folder / "run.db")) as db:
        assert db.execute("SELECT name, code FROM scorers").fetchall() == [("strict", "new")]


def test_the_server_s_body_is_kept_compressed(folder: Path) -> None:
    body = b'{"x": "' + b"same " * 2000 + b'"}'
    with Journal(folder, SCORERS, all_right) as journal:
        journal.put(entry(0, raw=body))
    with closing(sqlite3.connect(folder / "run.db")) as db:
        (raw,) = db.execute("SELECT raw FROM responses").fetchone()
    assert zlib.decompress(raw) == body
    assert len(raw) < 500


def test_score_with_names_the_place_where_a_scorer_broke() -> None:
    def breaks(sample: Sample, response: Response) -> Score:
        raise RecursionError("deep")

    score = score_with({"broken": breaks, "fine": lambda s, r: RIGHT})(sample(0), Response(text="x"))
    assert score["fine"] == RIGHT
    assert (score["broken"].owner, score["broken"].value, score["broken"].flags) == (Owner.US, None, ("scorer_error",))
    assert "test_journal.py" in score["broken"].reason
    assert "RecursionError" in score["broken"].reason
