"""An extractor reads answers out of journaled responses: what it is asked, what is kept, what fails."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from made_readings import calls, failing, finished, official, read_again

from beholder.benchmarks.tir.extractor import extraction_prompt
from beholder.engine.judging import Judging, judge_run
from beholder.engine.retry import RetryPolicy
from beholder.engine.run import Ending
from beholder.errors import AuthError, Owner
from beholder.sample import Extracted, Response
from beholder.score import Outcome
from beholder.store import folder as folders
from beholder.store import reading, schema
from made_runs import QUICK, plan_for, slowly, stored, untidy_files
from made_tir import (
    READING,
    begin,
    carry_out,
    extractor_at,
    mazes,
    reads_letter,
    record,
    response_in,
    run_tir,
    script,
)
from scripted_server import Reply, Request, ScriptedServer, completion

# what is asked and kept --------------------------------------------------------------------------------------------


def test_readings_are_judge_calls_and_the_authors_scorer_scores_them(tmp_path: Path) -> None:
    rows = [record(0), record(1), record(2, "instrument", "3", "What does it read?"), record(3, "ocr", "EXIT", "What?")]
    answers = ["It is B.", "It is A.", "It is 3 o'clock", "It says EXIT."]
    with ScriptedServer(reads_letter) as server:
        result, _, _ = run_tir(tmp_path, rows, answers, extractor_at(server))
    assert result.complete
    assert result.judges == {"openai/reader": 3}
    assert [score.value for score in official(result)] == [1, 0, 1, 1]
    assert result.metrics["official"]["all"].value == 0.75
    assert result.found.headline_of(result.metrics) == ("official", "all")
    assert result.details["extraction"]["compared"] == 3
    assert sorted(map(response_in, server.requests)) == sorted(answers[:3]), "rotated OCR is not read"
    assert [response.response.extracted for response in stored(result.folder)] == [
        Extracted("B", "openai/reader"),
        Extracted("A", "openai/reader"),
        Extracted("3", "openai/reader"),
        None,
    ]
    for _, purpose, judge, prompt, _, failure, replies in calls(result.folder):
        assert (purpose, judge, failure) == ("extraction", "openai/reader", None)
        assert prompt == extractor_at("http://x/v1").asking.prompt
        (reply,) = json.loads(replies)
        assert reply["finish"] == "stop"
        assert reply["usage"]["completion_tokens"] == 3
    with closing(sqlite3.connect(result.folder / "run.db")) as db:
        kept = [row[0] for row in db.execute("SELECT record FROM responses")]
    assert not any("extracted" in text for text in kept), "a reading is never part of the response"
    assert untidy_files(result.folder) == []


def test_the_extractor_sees_question_and_response_but_no_picture_and_no_gold(tmp_path: Path) -> None:
    with ScriptedServer(reads_letter) as server:
        run_tir(tmp_path, [record(0, answer="C")], ["It is A, {question} \\ud800\nreally."], extractor_at(server))
    (request,) = server.requests
    assert request.body["model"] == "reader"
    assert request.body["temperature"] == 0
    assert request.body["max_tokens"] == READING.max_tokens
    assert "image" not in json.dumps(request.body)
    assert "Item 0: Which way leads out?\nA. RR\nB. DD\nC. LL" in request.texts
    assert response_in(request) == "It is A, {question} \\ud800\nreally."
    assert "the letter of the chosen option" in request.texts
    assert request.texts == extraction_prompt(
        stored_sample(tmp_path), Response(text="It is A, {question} \\ud800\nreally.")
    )


def stored_sample(tmp_path: Path) -> Any:
    (folder,) = folders.list_runs(tmp_path / "runs")
    with closing(schema.open_to_read(folder / "run.db")) as db:
        return next(reading.samples(db))


def test_a_prompt_of_ones_own(tmp_path: Path) -> None:
    with ScriptedServer(lambda request: Reply(completion("B"))) as server:
        extractor = extractor_at(server, template="Q: {question} R: {response}")
        result, _, _ = run_tir(tmp_path, [record(0)], ["It is B."], extractor)
    assert server.requests[0].texts.startswith("Q: Item 0: Which way")
    assert server.requests[0].texts.endswith("R: It is B.")
    assert calls(result.folder)[0][3] == extractor.asking.prompt != extractor_at(server).asking.prompt


# what the extractor says, what is read
REPLIES: list[tuple[str, str, str]] = [
    ("a letter", "B", "B"),
    ("with a line end", " B\n", "B"),
    ("with its label", "Extracted answer: B", "Extracted answer: B"),
    ("with thinking", "<think>A or C?</think>\nB", "B"),
    ("with thinking, no opening", "is it A?</think>B", "B"),
    ("none", "None", "None"),
    ("half a surrogate pair", "B \ud83d", "B \\ud83d"),
    ("a null", "B\x00", "B\x00"),
    ("long", "B" * 50_000, "B" * 50_000),
]


@pytest.mark.parametrize(("said", "kept"), [row[1:] for row in REPLIES], ids=[row[0] for row in REPLIES])
def test_what_the_extractor_says_is_the_answer(tmp_path: Path, said: str, kept: str) -> None:
    with ScriptedServer(lambda request: Reply(completion(said))) as server:
        result, _, _ = run_tir(tmp_path, [record(0)], ["It is B."], extractor_at(server))
    (response,) = stored(result.folder)
    assert response.response.extracted == Extracted(kept, "openai/reader")
    assert official(result)[0].outcome is Outcome.SCORED
    assert result.complete


BLANK = ["", " \n", "\u200b", None]


@pytest.mark.parametrize("text", BLANK, ids=ascii)
def test_t19_a_blank_answer_is_not_sent(tmp_path: Path, text: str | None) -> None:
    answer = {"text": text} if text is not None else {"reasoning": "so it is B"}
    with ScriptedServer(reads_letter) as server:
        result, _, _ = run_tir(tmp_path, [record(0), record(1, answer="A")], [answer, answer], extractor_at(server))
    assert server.requests == []
    assert [row[4:] for row in calls(result.folder)] == [("", None, "[]")] * 2
    assert [score.value for score in official(result)] == [0, 1], "the authors take an empty answer for A"
    assert result.complete


def test_a_response_that_failed_is_not_sent(tmp_path: Path) -> None:
    with ScriptedServer(reads_letter) as server:
        result, _, _ = run_tir(tmp_path, [record(0), record(1)], ["It is B.", {"error": "boom"}], extractor_at(server))
    assert len(server.requests) == 1
    assert [score.outcome for score in official(result)] == [Outcome.SCORED, Outcome.FAILED]
    assert official(result)[1].owner is not Owner.JUDGE


def test_every_epoch_is_read(tmp_path: Path) -> None:
    with ScriptedServer(reads_letter) as server:
        result, _, _ = run_tir(
            tmp_path, [record(0)], ["It is B."], extractor_at(server), plan={"epochs": 3}, cache=None
        )
    assert len(server.requests) == 3
    assert [row[0] for row in calls(result.folder)] == [1, 2, 3]


def test_not_more_are_asked_at_once_than_allowed(tmp_path: Path) -> None:
    rows = [record(number) for number in range(12)]
    with ScriptedServer(slowly(reads_letter, 0.02)) as server:
        run_tir(tmp_path, rows, ["It is B."], extractor_at(server, concurrency=3))
    assert len(server.requests) == 12
    assert server.busiest <= 3


# failures ----------------------------------------------------------------------------------------------------------

FAILURES: list[tuple[str, Callable[[Request], Reply], str, bool]] = [
    ("no such model", failing(404), "request", False),
    ("refused", failing(400), "request", False),
    ("out of order", failing(503), "http_503", True),
    ("too many requests", failing(429), "http_429", True),
    ("empty", lambda request: Reply(completion("")), "judge_empty", False),
    ("only thinking", lambda request: Reply(completion("<think>it is B</think>")), "judge_unreadable", False),
    ("no JSON", lambda request: Reply(b"<html>"), "broken_body", True),
    ("gone", lambda request: Reply(refuse=True), "connection", True),
]


@pytest.mark.parametrize(("behave", "kind", "again"), [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES])
def test_t16_a_failed_reading_is_the_judges_and_costs_no_answer(
    tmp_path: Path, behave: Callable[[Request], Reply], kind: str, again: bool
) -> None:
    with ScriptedServer(behave) as server:
        result, _, _ = run_tir(tmp_path, [record(0)], ["It is B."], extractor_at(server))
        (score,) = official(result)
        assert (score.value, score.outcome, score.owner) == (None, Outcome.FAILED, Owner.JUDGE)
        assert score.flags == (kind,)
        with closing(schema.open_to_read(result.folder / "run.db")) as db:
            reason = reading.scores_of(db, 1)["official"].reason
        assert reason.startswith("The extractor openai/reader gave no answer: ")
        assert result.items[0].scores["lenient"].value == 1
        assert result.metrics["official"]["all"].value is None
        assert result.found.headline_of(result.metrics) == ("lenient", "all")
        assert result.complete is (not again)
        assert result.ending is Ending.FINISHED
        again_words = f"; `{folders.resume_command(result.folder)}` tries it again" if again else ""
        assert result.message == f"The extractor failed on 1 response{again_words}."
        (reading_of,) = stored(result.folder)
        assert reading_of.response.text == "It is B."
        assert reading_of.response.extracted is not None
        assert reading_of.response.extracted.failure is not None
        assert reading_of.response.extracted.failure.retryable is again

        before = len(server.requests)
        server.script = reads_letter
        assert read_again(result.folder, extractor_at(server)) == Judging(int(again), 0)
        assert len(server.requests) == before + again, "only what may succeed is tried again"
    assert finished(result.folder).complete
    assert official(finished(result.folder))[0].value == (1 if again else None)


def test_t17_some_readings_failed(tmp_path: Path) -> None:
    def three_fail(request: Request) -> Reply:
        number = int(request.texts.partition("Item ")[2].partition(":")[0])
        return failing(400)(request) if number < 3 else reads_letter(request)

    rows = [record(number) for number in range(10)]
    with ScriptedServer(three_fail) as server:
        result, _, _ = run_tir(tmp_path, rows, ["It is B."] * 8 + ["It is A."] * 2, extractor_at(server))
    figure = result.metrics["official"]["all"]
    assert (figure.n, figure.failed) == (7, 3)
    assert figure.value == pytest.approx(5 / 7)
    assert (figure.worst, figure.best) == (pytest.approx(5 / 10), pytest.approx(8 / 10))
    assert result.metrics["lenient"]["all"].n == 10


def test_t28_a_reading_cut_before_it_began_is_asked_for_with_more_room(tmp_path: Path) -> None:
    def cut_once(request: Request) -> Reply:
        if request.body["max_tokens"] == READING.max_tokens:
            return Reply(completion("", finish="length"))
        return Reply(completion("B"))

    with ScriptedServer(cut_once) as server:
        result, _, _ = run_tir(tmp_path, [record(0)], ["It is B."], extractor_at(server))
    assert [request.body["max_tokens"] for request in server.requests] == [READING.max_tokens, 2 * READING.max_tokens]
    assert official(result)[0].value == 1
    assert [reply["finish"] for reply in json.loads(calls(result.folder)[0][6])] == ["length", "stop"]


def test_a_server_that_is_busy_for_a_moment_is_asked_again(tmp_path: Path) -> None:
    def busy_first(request: Request) -> Reply:
        return failing(503)(request) if request.number < 2 else reads_letter(request)

    with ScriptedServer(busy_first) as server:
        result, _, _ = run_tir(tmp_path, [record(0)], ["It is B."], extractor_at(server))
    assert result.complete
    assert json.loads(calls(result.folder)[0][6])[0]["attempts"] == 3


def test_a_resume_reads_what_failed_and_asks_the_model_nothing(tmp_path: Path) -> None:
    with ScriptedServer(failing(503)) as server:
        result, plan, file = run_tir(tmp_path, [record(0), record(1)], ["It is B."] * 2, extractor_at(server))
        assert not result.complete
        assert folders.read_info(result.folder).status == "incomplete"
        server.script = reads_letter
        asked = len(server.requests)
        again = carry_out(result.folder, plan, file, extractor_at(server))
        assert len(server.requests) == asked + 2
    assert again.complete
    assert again.message == ""
    assert [score.value for score in official(again)] == [1, 1]
    assert folders.read_info(result.folder).status == "complete"
    assert [(one.key, one.response.attempts) for one in stored(result.folder)] == [
        (item.key, 1) for item in again.items
    ]


def test_a_server_that_never_works_is_not_asked_for_everything(tmp_path: Path) -> None:
    plan = plan_for(mazes(tmp_path / "set", 80), "tir")
    file = script(tmp_path / "answers.json", ["It is B."])
    with ScriptedServer(failing(503)) as server:
        extractor = extractor_at(server, retries=RetryPolicy(attempts=1))
        result = carry_out(begin(plan, file, tmp_path / "runs"), plan, file, extractor)
        assert len(server.requests) == 64
        assert not result.complete
        assert result.tally.answered == 80
        server.script = reads_letter
        assert read_again(result.folder, extractor) == Judging(80, 0)
    assert finished(result.folder).complete


def test_a_refused_key_stops_the_reading_and_keeps_what_was_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Sixteen readings are refused at once; one refusal is told, and none is left for the event loop to complain of."""

    def refuses_later(request: Request) -> Reply:
        if request.number < 5:
            return reads_letter(request)
        return Reply(failing(401)(request).body, status=401, first_byte=0.3)

    rows = [record(number) for number in range(40)]
    with caplog.at_level(logging.WARNING), ScriptedServer(refuses_later) as server:
        result, plan, file = run_tir(tmp_path, rows, ["It is B."], extractor_at(server))
        gc.collect()
        assert caplog.records == []
        assert result.ending is Ending.FINISHED, "the model's own key was not refused"
        assert "The extractor openai/reader refused the key" in result.message
        assert "beholder resume" in result.message
        assert not result.complete
        assert len(calls(result.folder)) == 5
        assert result.tally.unscored == 0, "what was read has its scores"
        assert result.metrics["lenient"]["all"].value == 1
        with pytest.raises(AuthError):
            read_again(result.folder, extractor_at(server))
        server.script = reads_letter
        again = carry_out(result.folder, plan, file, extractor_at(server))
    assert again.complete
    assert again.metrics["official"]["all"].n == 40


def test_a_fault_of_ours_is_not_hidden(tmp_path: Path) -> None:
    def breaks(*arguments: Any) -> str:
        raise KeyError("broken")

    import msgspec

    task = msgspec.structs.replace(READING, prompt=breaks)
    with ScriptedServer(reads_letter) as server:
        result, _, _ = run_tir(tmp_path, [record(0)], ["It is B."])

        async def whole() -> Judging:
            broken = msgspec.structs.replace(extractor_at(server), task=task)
            try:
                return await judge_run(result.folder, broken, print)
            finally:
                await broken.close()

        with pytest.raises(KeyError, match="broken"):
            asyncio.run(whole())


def test_a_run_without_an_extractor_is_complete_without_readings(tmp_path: Path) -> None:
    result, _, _ = run_tir(tmp_path, [record(0)], ["It is B."])
    assert result.complete
    assert result.judges == {}
    assert result.found.headline_of(result.metrics) == ("lenient", "all")


def test_an_empty_run_has_nothing_to_read(tmp_path: Path) -> None:
    plan = plan_for(mazes(tmp_path / "set", 1), "tir")
    file = script(tmp_path / "answers.json", ["It is B."])
    folder = begin(plan, file, tmp_path / "runs")
    assert read_again(folder, extractor_at("http://127.0.0.1:9/v1"), SimpleNamespace(tell=None)) == Judging(0, 0)
    assert QUICK.attempts > 1
    assert READING.max_tokens == 1024
