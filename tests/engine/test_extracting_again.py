"""Several readings of one run: by the same extractor, by another one, and of a run of the older format."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from made_readings import WRONG, begun_again, calls, failing, finished, official, read_again

from beholder.engine import lifecycle
from beholder.engine.judge import Judge
from beholder.engine.judging import Judging, has_to_ask, missing
from beholder.engine.retry import RetryPolicy
from beholder.models.fakes import constant
from beholder.score import Outcome
from beholder.store import folder as folders
from beholder.store import judge_calls, reading, schema
from made_runs import plan_for, stored
from made_tir import (
    READING,
    TIR,
    begin,
    carry_out,
    extractor_at,
    reads_letter,
    record,
    run_tir,
    script,
    tir_data,
)
from scripted_server import Reply, Request, ScriptedServer


def test_the_same_extractor_reads_nothing_twice(tmp_path: Path) -> None:
    with ScriptedServer(reads_letter) as server:
        result, _, _ = run_tir(tmp_path, [record(0), record(1)], ["It is B."] * 2, extractor_at(server))
        assert read_again(result.folder, extractor_at(server)) == Judging(0, 0)
        assert len(server.requests) == 2
        assert missing(result.folder, extractor_at(server).asking) == []
        assert not has_to_ask(result.folder, READING, extractor_at(server).asking)


def test_another_extractor_counts_alone_and_the_first_ones_readings_come_back_unasked(tmp_path: Path) -> None:
    with ScriptedServer(reads_letter) as server:
        result, _, _ = run_tir(tmp_path, [record(0), record(1)], ["It is B."] * 2, extractor_at(server))
        other = extractor_at(server, name="openai/other")
        assert sorted(missing(result.folder, other.asking)) == [1, 2]
        assert has_to_ask(result.folder, READING, other.asking)
        server.script = lambda request: WRONG
        second = begun_again(result.folder, other)
        assert second.complete
        assert second.judges == {"openai/other": 2}
        assert [score.value for score in official(second)] == [0, 0]
        assert [row[2] for row in calls(result.folder)] == ["openai/reader"] * 2 + ["openai/other"] * 2

        server.script = reads_letter
        reworded = extractor_at(server, template="{response}: <response>\n{response}\n</response>")
        third = begun_again(result.folder, reworded)
        assert [score.value for score in official(third)] == [1, 1]
        assert third.judges == {"openai/reader": 2}
        assert len(calls(result.folder)) == 6

        asked = len(server.requests)
        back = begun_again(result.folder, extractor_at(server, name="openai/other"))
        assert [score.value for score in official(back)] == [0, 0]
        assert (back.complete, back.judges) == (True, {"openai/other": 2})
        assert len(server.requests) == asked
        assert len(calls(result.folder)) == 6


def test_readings_come_back_where_some_responses_are_read_by_nobody(tmp_path: Path) -> None:
    """Rotated OCR is never in an extractor's readings, so something is always missing."""
    rows = [record(0), record(1, "ocr", "EXIT", "What?")]
    with ScriptedServer(reads_letter) as server:
        result, _, _ = run_tir(tmp_path, rows, ["It is B.", "EXIT"], extractor_at(server))
        other = Judge(task=READING, name="constant/A", model=constant("A"), template="{response}")
        assert [score.value for score in official(begun_again(result.folder, other))] == [0, 1]
    back = extractor_at("http://127.0.0.1:9/v1")
    assert len(missing(result.folder, back.asking)) == 1
    assert not has_to_ask(result.folder, READING, back.asking)
    assert [score.value for score in official(begun_again(result.folder, back))] == [1, 1]


def test_a_half_finished_second_extractor_leaves_the_run_incomplete_and_never_mixes_two(tmp_path: Path) -> None:
    def one_only(request: Request) -> Reply:
        return reads_letter(request) if "Item 0:" in request.texts else failing(503)(request)

    rows = [record(number) for number in range(3)]
    with ScriptedServer(reads_letter) as server:
        result, plan, file = run_tir(tmp_path, rows, ["It is B."], extractor_at(server))
        assert result.metrics["official"]["all"].value == 1
        server.script = one_only
        other = extractor_at(server, name="openai/other", retries=RetryPolicy(attempts=1))
        half = begun_again(result.folder, other)
        assert not half.complete
        assert half.judges == {"openai/other": 1}
        assert [score.value for score in official(half)] == [1, None, None]
        assert half.metrics["official"]["all"].n == 1, "the first one's readings of the others do not count"
        assert half.message.endswith(f"`{folders.resume_command(result.folder)}` tries them again.")
        assert folders.read_info(result.folder).status == "incomplete"

        server.script = lambda request: WRONG
        whole = carry_out(result.folder, plan, file, extractor_at(server, name="openai/other"))
    assert whole.complete
    assert [score.value for score in official(whole)] == [1, 0, 0]
    assert whole.judges == {"openai/other": 3}


def test_a_second_extractor_that_was_stopped_leaves_no_figure_of_two(tmp_path: Path) -> None:
    rows = [record(number) for number in range(100)]
    with ScriptedServer(reads_letter) as server:
        result, _, _ = run_tir(tmp_path, rows, ["It is B."], extractor_at(server))
        server.script = failing(503)
        half = begun_again(result.folder, extractor_at(server, name="openai/other", retries=RetryPolicy(attempts=1)))
    assert half.judges == {"openai/other": 0}
    assert half.metrics["official"]["all"].value is None
    assert half.found.headline_of(half.metrics) == ("lenient", "all")
    assert not half.complete


def test_an_extractor_that_read_nothing_at_all_changes_no_figure(tmp_path: Path) -> None:
    with ScriptedServer(reads_letter) as server:
        result, _, _ = run_tir(tmp_path, [record(0)], ["It is B."], extractor_at(server))
        before = calls(result.folder)
        server.script = failing(401)
        refused = begun_again(result.folder, extractor_at(server, name="openai/other"))
    assert calls(result.folder) == before
    assert "The extractor openai/other refused the key" in refused.message
    assert refused.judges == {"openai/reader": 1}, "whose figure it is, is said"
    assert official(refused)[0].value == 1
    assert not refused.complete, "run.json names a reader that has not read"


@pytest.mark.parametrize("fsync", [False, True])
def test_readings_are_written_through_if_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fsync: bool
) -> None:
    kept: list[bool] = []
    usual = judge_calls.keep

    def watched(*arguments: Any, fsync: bool = False, **more: Any) -> None:
        kept.append(fsync)
        usual(*arguments, fsync=fsync, **more)

    monkeypatch.setattr(judge_calls, "keep", watched)
    with ScriptedServer(reads_letter) as server:
        run_tir(tmp_path, [record(0)], ["It is B."], extractor_at(server, fsync=fsync))
    assert set(kept) == {fsync}


# readings that fail: for good, for now → what the run says of them
MESSAGES: list[tuple[int, int, str]] = [
    (1, 0, "The extractor failed on 1 response."),
    (3, 0, "The extractor failed on 3 responses."),
    (0, 1, "The extractor failed on 1 response; `RESUME` tries it again."),
    (2, 1, "The extractor failed on 3 responses; `RESUME` tries 1 of them again."),
    (0, 2, "The extractor failed on 2 responses; `RESUME` tries them again."),
]


@pytest.mark.parametrize(("for_good", "for_now", "words"), MESSAGES)
def test_only_what_may_succeed_is_said_to_be_tried_again(
    tmp_path: Path, for_good: int, for_now: int, words: str
) -> None:
    def fails(request: Request) -> Reply:
        number = int(request.texts.partition("Item ")[2].partition(":")[0])
        if number < for_good:
            return failing(404)(request)
        return failing(503)(request) if number < for_good + for_now else reads_letter(request)

    rows = [record(number) for number in range(5)]
    with ScriptedServer(fails) as server:
        extractor = extractor_at(server, retries=RetryPolicy(attempts=1))
        result, _, _ = run_tir(tmp_path, rows, ["It is B."], extractor)
    assert result.message == words.replace("RESUME", folders.resume_command(result.folder))


def test_the_old_scores_of_a_response_that_is_read_anew_are_gone(tmp_path: Path) -> None:
    """A crash between the reading and its scores must not leave scores that were given without it."""
    with ScriptedServer(reads_letter) as server:
        result, _, _ = run_tir(tmp_path, [record(0)], ["It is B."])
        assert official(result)[0].outcome is Outcome.NOT_APPLICABLE
        read_again(result.folder, extractor_at(server))
    with closing(schema.open_to_read(result.folder / "run.db")) as db:
        assert reading.tally(db, len(TIR.scorers)).unscored == 1
    assert official(finished(result.folder))[0].value == 1


# runs of the older format ------------------------------------------------------------------------------------------


def made_old(folder: Path) -> None:
    """A run as format 1 had it: without judge calls."""
    with closing(sqlite3.connect(folder / "run.db")) as db:
        db.execute("DROP TABLE judge_calls")
        db.execute("DROP TABLE turns")
        db.execute("PRAGMA user_version=1")
    info = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(info | {"format": 1}))


def test_a_run_of_the_older_format_is_read_as_it_is_and_brought_up_to_date_when_written_to(tmp_path: Path) -> None:
    result, plan, file = run_tir(tmp_path, [record(0), record(1)], ["It is B.", "It is A."])
    made_old(result.folder)
    before = (result.folder / "run.db").read_bytes()
    info = folders.read_info(result.folder)
    shown = lifecycle.read_result(result.folder, info, plan, TIR)
    assert shown.judges == {}
    assert [item.scores["lenient"].value for item in shown.items] == [1, 0]
    assert [one.response.extracted for one in stored(result.folder)] == [None, None]
    assert (result.folder / "run.db").read_bytes() == before

    with ScriptedServer(reads_letter) as server:
        assert read_again(result.folder, extractor_at(server)) == Judging(2, 0)
    with closing(sqlite3.connect(result.folder / "run.db")) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (schema.FORMAT,)
    assert [score.value for score in official(finished(result.folder))] == [1, 0]
    assert carry_out(result.folder, plan, file).complete


def test_an_older_run_goes_on_without_an_extractor_too(tmp_path: Path) -> None:
    rows = [record(0), record(1)]
    plan = plan_for(tir_data(tmp_path / "set", rows), "tir")
    file = script(tmp_path / "answers.json", ["It is B.", "It is A."])
    folder = begin(plan, file, tmp_path / "runs", with_extractor=False)
    made_old(folder)
    result = carry_out(folder, plan, file)
    assert result.complete
    with closing(schema.open_to_read(folder / "run.db")) as db:
        assert judge_calls.are_kept(db)
