"""Faults that were found in the engine and the store once, each with what has to happen instead."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections import deque
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from beholder.benchmarks import benchmark
from beholder.engine import rescoring
from beholder.engine.run import Ending
from beholder.errors import UsageError
from beholder.images.load import load
from beholder.models.fakes import scripted
from beholder.sample import ImageRef
from beholder.store import reading, schema
from beholder.store.folder import Blobs
from beholder.store.journal import Journal
from made_runs import plan_for, run_engine, tfq_data
from scripted_server import Reply, Request, ScriptedServer, completion


def test_two_threads_that_hand_in_at_once_still_wake_the_writer() -> None:
    """The scorer appends between the event loop's append and its look at the queue."""
    journal = object.__new__(Journal)
    handed_in = []

    class Racing(deque[Any]):
        def append(self, item: Any) -> None:
            super().append(item)
            if not handed_in:
                handed_in.append(True)
                other = threading.Thread(target=journal._hand_in, args=([],))
                other.start()
                other.join()

    journal._entries = Racing()
    journal._something, journal._full = threading.Event(), threading.Event()
    journal._hand_in([])
    assert len(journal._entries) == 2
    assert journal._something.is_set()


def with_other_code(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "run.db")) as db:
        db.execute("UPDATE scorers SET code = 'older'")
        db.execute("UPDATE scores SET value = 0.25")
        db.execute("DELETE FROM responses WHERE id = 1")
        db.execute("DELETE FROM scores WHERE response = 1")
        db.commit()


def test_a_resume_with_other_scorers_scores_all_answers_again(tmp_path: Path) -> None:
    """Else old scores would pass for the work of the new code."""
    plan = plan_for(tfq_data(tmp_path, 4))
    with ScriptedServer() as server:
        begun = run_engine(plan, server.url, tmp_path / "runs")
        with_other_code(begun.folder)
        with closing(schema.open_to_read(begun.folder / "run.db")) as db:
            assert rescoring.scored_by_other_code(db, benchmark("tfq"))
        done = run_engine(plan, server.url, tmp_path / "runs", folder=begun.folder)
        assert len(server.requests) == 5
    assert all(score.value in (0.0, 1.0) for item in done.result.items for score in item.scores.values())
    assert any("scored again" in line for line in done.said)
    with closing(schema.open_to_read(done.folder / "run.db")) as db:
        assert not rescoring.scored_by_other_code(db, benchmark("tfq"))


def test_rescoring_needs_one_connection_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a network file system the journal is rolled back, and a writer locks every reader out."""
    monkeypatch.setattr(schema, "is_network_filesystem", lambda folder: True)
    with ScriptedServer() as server:
        done = run_engine(plan_for(tfq_data(tmp_path, 5)), server.url, tmp_path / "runs")
    opened = []
    real = schema.open_to_read

    def counted(path: Path) -> sqlite3.Connection:
        opened.append(path)
        return real(path)

    monkeypatch.setattr(rescoring.schema, "open_to_read", counted)
    assert rescoring.rescore(done.folder, benchmark("tfq")) == 5
    assert len(opened) <= 1  # the check of the schema, closed before the writer begins


def test_a_disk_that_fails_while_rescoring_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer() as server:
        done = run_engine(plan_for(tfq_data(tmp_path, 2)), server.url, tmp_path / "runs")

    def full(*arguments: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(rescoring, "insert_scores", full)
    with pytest.raises(UsageError, match=r"run\.db cannot be read or written .*full"):
        rescoring.rescore(done.folder, benchmark("tfq"))
    with closing(schema.open_to_read(done.folder / "run.db")) as db:
        assert len(reading.scored_items(db)) == 2  # nothing was lost


def test_a_hundred_bad_requests_do_not_stop_a_server_that_answers_others(tmp_path: Path) -> None:
    def script(request: Request) -> Reply:
        number = int(request.texts.rpartition("Statement ")[2].split()[0].strip(":."))
        return Reply() if number == 0 else Reply(status=400, body=b'{"error":{"message":"image too large"}}')

    with ScriptedServer(script) as server:
        done = run_engine(plan_for(tfq_data(tmp_path, 130)), server.url, tmp_path / "runs", concurrency=1)
        assert len(server.requests) == 130
    assert done.result.ending is Ending.FINISHED
    assert (done.result.tally.answered, done.result.tally.failed) == (1, 129)


def test_a_server_that_refuses_everything_is_given_up(tmp_path: Path) -> None:
    with ScriptedServer(lambda request: Reply(status=400, body=b"{}")) as server:
        done = run_engine(plan_for(tfq_data(tmp_path, 130)), server.url, tmp_path / "runs", concurrency=1)
        assert len(server.requests) == 100
    assert done.result.ending is Ending.HOPELESS
    assert done.result.metrics == {}


def test_answers_in_flight_are_kept_when_the_key_is_refused(tmp_path: Path) -> None:
    def script(request: Request) -> Reply:
        if request.number == 0:
            return Reply(body=completion("<answer>T</answer>"), first_byte=0.6)
        return Reply(status=401, body=b'{"error":{"message":"no"}}', first_byte=0.2)

    with ScriptedServer(script) as server:
        done = run_engine(plan_for(tfq_data(tmp_path, 6)), server.url, tmp_path / "runs", concurrency=2)
    assert done.result.ending is Ending.REFUSED_KEY
    assert done.result.tally.answered == 1


def test_a_mended_image_shows_in_the_sample(tmp_path: Path) -> None:
    data = tfq_data(tmp_path, 1)
    (image,) = tmp_path.rglob("*.jpg")
    whole = image.read_bytes()
    image.write_bytes(whole[:200])
    plan = plan_for(data)
    with ScriptedServer() as server:
        first = run_engine(plan, server.url, tmp_path / "runs")
        assert (first.result.tally.failed, len(server.requests)) == (1, 0)
        image.write_bytes(whole)
        run_engine(plan, server.url, tmp_path / "runs", folder=first.folder)
    with closing(schema.open_to_read(first.folder / "run.db")) as db:
        (sample,) = reading.samples(db)
    assert sample.images[0].path == f"sha256:{load(ImageRef('x', path=str(image))).sha256}"


def test_an_empty_blob_left_by_a_power_loss_is_written_again(tmp_path: Path) -> None:
    sha256 = "ab" * 32
    blobs = Blobs(tmp_path, fsync=True)
    blobs.path(sha256).parent.mkdir(parents=True)
    blobs.path(sha256).touch()
    blobs.keep(sha256, b"bytes")
    assert blobs.path(sha256).read_bytes() == b"bytes"


def test_a_blob_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*names: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="No space"):
        Blobs(tmp_path).keep("cd" * 32, b"bytes")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_blob_is_the_data_set_s_own_file_where_it_can_be(tmp_path: Path) -> None:
    source = tmp_path / "a.jpg"
    source.write_bytes(b"picture")
    (tmp_path / "link.jpg").symlink_to(source)
    sha256 = "3b98e79264d45b1b9df9d3ca2cb2b6dd94f4cb0d0ea2b8f3dbe51dc5ce1c4b4f"
    blobs = Blobs(tmp_path)
    blobs.keep(sha256, b"picture", str(tmp_path / "link.jpg"))
    assert blobs.path(sha256).samefile(source)
    assert not blobs.path(sha256).is_symlink()
    assert blobs.read(sha256) is None  # its hash is not its name: whoever reads it is not deceived


def test_the_marked_answer_fits_a_text_with_half_a_surrogate_pair(tmp_path: Path) -> None:
    """SQLite holds its escape, which is longer: the span must be counted in what is read back."""
    (tmp_path / "said.json").write_text('["<think>\\ud83d \\ud83d</think><answer>T</answer>"]')
    plan = plan_for(tfq_data(tmp_path, 2))
    done = run_engine(plan, "", tmp_path / "runs", make_model=lambda: scripted(tmp_path / "said.json"))
    with closing(schema.open_to_read(done.folder / "run.db")) as db:
        stored = next(reading.responses(db))
        scores = reading.scores_of(db, stored.number)
    start, end = scores["strict"].span
    assert stored.response.text[start:end] == "T"
