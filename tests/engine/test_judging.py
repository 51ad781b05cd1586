"""Judges look at journaled responses: what they are asked, what is kept, who counts, what fails."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from made_readings import calls, failing

from beholder.benchmarks.m3r.assumptions import shipped
from beholder.engine import lifecycle
from beholder.engine.judge import Judge, rule_of
from beholder.engine.judges_of_run import have_judged
from beholder.engine.judging import Judging, has_to_ask, judge_run
from beholder.engine.run import Ending
from beholder.errors import DataError, Owner
from beholder.models.fakes import constant
from beholder.sample import Judged, Response, Sample
from beholder.score import Outcome, Score
from beholder.store import folder as folders
from beholder.store import reading, schema
from beholder.store.judge_calls import Counted
from made_metaphors import (
    M3R,
    RUBRIC,
    SLOTS,
    carry_out,
    item_of,
    judge_at,
    judged_again,
    named,
    rates,
    run_m3r,
    said,
    verdict,
)
from made_runs import QUICK, run_engine, stored
from scripted_server import Reply, Request, ScriptedServer, completion


def rubric(result: lifecycle.Result) -> list[Score]:
    return [item.scores["rubric"] for item in result.items]


def values(result: lifecycle.Result) -> list[float | None]:
    return [score.value for score in rubric(result)]


def judged(folder: Path) -> list[list[tuple[str, bool]]]:
    """Of each response: who judged it, and whether a verdict came of it."""
    return [[(one.judge, one.failure is None) for one in row.response.judged] for row in stored(folder)]


def overlapping(**more: Any) -> Judge:
    """The rule judge, as the command line makes it."""
    usual = {"rule": rule_of(RUBRIC, "overlap", M3R.assumptions), "assumptions": M3R.assumptions}
    return Judge(**{"task": RUBRIC, "name": "overlap", **usual, **more})


# what is asked and kept --------------------------------------------------------------------------------------------


def test_several_judges_count_at_the_same_time(tmp_path: Path) -> None:
    with ScriptedServer(rates("yes")) as kind, ScriptedServer(rates("no")) as strict:
        a, b = judge_at(kind), judge_at(strict, name="openai/b")
        result, _, _ = run_m3r(tmp_path, [said(0), said(1)], a, b)
    assert result.complete
    assert values(result) == [0.5, 0.5]
    assert result.judges == {}, "nobody read answers out of the responses"
    assert result.judged == (Counted("rubric", "openai/a", 2, 0, 0), Counted("rubric", "openai/b", 2, 0, 0))
    assert judged(result.folder) == [[("openai/a", True), ("openai/b", True)]] * 2
    assert all(row.response.extracted is None for row in stored(result.folder))
    for _, purpose, _, prompt, answer, failure, replies in calls(result.folder):
        assert (purpose, prompt, failure) == ("rubric", a.asking.prompt, None)
        assert json.loads(answer), "the verdict, in the benchmark's own JSON"
        assert json.loads(replies)[0]["usage"]["completion_tokens"] == 3
    assert result.metrics["lenient"]["joint"].value == 1


def test_the_judge_sees_question_gold_explanation_and_picture(tmp_path: Path) -> None:
    with ScriptedServer(rates()) as server:
        run_m3r(tmp_path, [said(0)], judge_at(server))
    (request,) = server.requests
    assert request.body["temperature"] == 0
    assert request.body["max_tokens"] == RUBRIC.max_tokens
    assert "Item 0: only a matter of time." in request.texts
    assert "fuse number 0" in request.texts
    assert "data:image/jpeg" in json.dumps(request.body)


def test_pictures_are_the_runs_own_copies_where_it_has_them(tmp_path: Path) -> None:
    """A model that looks leaves the pictures in the run; the data may be gone when a judge comes."""
    with ScriptedServer(lambda request: Reply(completion(said(item_of(request))))) as server:
        _, plan, _ = run_m3r(tmp_path, [said(0), said(1)])
        run = run_engine(plan, server.url, tmp_path / "looks")
    shutil.rmtree(tmp_path / "set")
    with ScriptedServer(rates()) as server:
        result = judged_again(run.folder, judge_at(server))
    assert values(result) == [1, 1]
    assert all("data:image/jpeg" in json.dumps(request.body) for request in server.requests)


def test_a_picture_that_is_gone_is_a_failure_and_no_score(tmp_path: Path) -> None:
    result, _, _ = run_m3r(tmp_path, [said(0), said(1)])
    for copy in (result.folder / "blobs").rglob("*"):
        if copy.is_file():
            copy.unlink()
    (tmp_path / "set" / "images" / "1.jpg").write_bytes(b"no picture")
    with ScriptedServer(rates()) as server:
        half = judged_again(result.folder, judge_at(server))
        assert values(half) == [1, None]
        shutil.rmtree(tmp_path / "set")
        gone = judged_again(result.folder, judge_at(server, name="openai/b"))
    assert values(gone) == [None, None]
    assert [score.owner for score in rubric(gone)] == [Owner.JUDGE] * 2
    (row, _) = stored(result.folder)
    (one,) = row.response.judged
    assert one.failure is not None
    assert (one.failure.kind, one.failure.retryable) == ("data", True), "it may be put back"
    assert "neither in the run nor in" in one.failure.message


def test_t19_a_blank_explanation_is_worth_nothing_and_nobody_is_asked(tmp_path: Path) -> None:
    blank = [said(0, explanation={"evidence": [], "mapping": " ", "sentiment": ""}), "", said(2)]
    with ScriptedServer(rates()) as server:
        result, _, _ = run_m3r(tmp_path, blank, judge_at(server))
    assert [item_of(request) for request in server.requests] == [2]
    assert [(score.value, score.outcome) for score in rubric(result)] == [
        (0, Outcome.UNPARSED),
        (0, Outcome.UNPARSED),
        (1, Outcome.SCORED),
    ]
    assert result.complete


def test_two_purposes_do_not_mix(tmp_path: Path) -> None:
    """A judge of slots is asked where the words differ from the gold's, and sees no picture."""
    with ScriptedServer(lambda request: Reply(completion('{"target": {"same": true}}'))) as server:
        slots = judge_at(server, name="openai/s", task=SLOTS, template=SLOTS.template)
        overlap = overlapping()
        result, _, _ = run_m3r(tmp_path, [said(0), said(1, target="a lit cigarette")], overlap, slots)
    assert [item_of(request) for request in server.requests] == [1]
    assert "image" not in json.dumps(server.requests[0].body)
    assert [(one.purpose, one.judge, one.answered) for one in result.judged] == [
        ("rubric", "overlap", 2),
        ("slots", "openai/s", 1),
    ]
    assert result.complete
    assert result.metrics["slots"]["target_judged"].value == 1


def test_a_rule_is_journaled_like_any_judge_and_asks_nobody(tmp_path: Path) -> None:
    cache = tmp_path / "cache.db"
    overlap = overlapping(cache=cache)
    result, _, _ = run_m3r(tmp_path, [said(0)], overlap)
    ((_, _, judge, prompt, answer, failure, replies),) = calls(result.folder)
    assert (judge, prompt, failure, replies) == ("overlap", overlap.asking.prompt, None, "[]")
    assert json.loads(answer)
    assert values(result) == [1]
    assert not cache.exists()


def test_a_rule_that_cannot_use_an_item_fails_on_it(tmp_path: Path) -> None:
    def fussy(sample: Sample, response: Response) -> str:
        if "Item 1" in sample.question:
            raise DataError("no words in it", where=sample.source)
        return verdict_of_overlap(sample, response)

    verdict_of_overlap = rule_of(RUBRIC, "overlap", M3R.assumptions)
    assert verdict_of_overlap is not None
    result, _, _ = run_m3r(tmp_path, [said(0), said(1)], overlapping(rule=fussy))
    assert [(score.value, score.owner) for score in rubric(result)] == [(1, None), (None, Owner.JUDGE)]


def test_a_model_of_this_machine_judges_too(tmp_path: Path) -> None:
    model = constant(verdict("partly"))
    judge = Judge(task=RUBRIC, name="constant/x", model=model, template=RUBRIC.template)
    result, _, _ = run_m3r(tmp_path, [said(0)], judge)
    assert values(result) == [0.5]


# failures ----------------------------------------------------------------------------------------------------------

# what the judge's server does → the kind of failure, whether it is tried again
FAILURES: list[tuple[str, Callable[[Request], Reply], str, bool]] = [
    ("t16 no such model", failing(404), "request", False),
    ("busy", failing(503), "http_503", True),
    ("empty", lambda request: Reply(completion("")), "judge_empty", False),
    ("t28 cut twice", lambda request: Reply(completion("", finish="length")), "judge_cut", False),
    ("t18 out of range", lambda request: Reply(completion(verdict("[[90]]"))), "judge_out_of_range", False),
    ("t18 a number", lambda request: Reply(completion("score: 98989")), "judge_unreadable", False),
    ("t18 an error's text", lambda request: Reply(completion("[ERROR] 429 after 3 tries")), "judge_unreadable", False),
    ("t31 declines", lambda request: Reply(completion("I cannot evaluate this")), "judge_unreadable", False),
]


@pytest.mark.parametrize(("behave", "kind", "again"), [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES])
def test_a_judge_that_fails_is_never_a_score(
    tmp_path: Path, behave: Callable[[Request], Reply], kind: str, again: bool
) -> None:
    with ScriptedServer(behave) as server:
        result, _, _ = run_m3r(tmp_path, [said(0)], judge_at(server))
        (score,) = rubric(result)
        assert (score.value, score.outcome, score.owner) == (None, Outcome.FAILED, Owner.JUDGE)
        assert result.metrics["rubric"]["rubric"].value is None
        assert result.metrics["lenient"]["joint"].value == 1, "the labels are not the judge's"
        (row,) = stored(result.folder)
        (one,) = row.response.judged
        assert one.failure is not None
        assert (one.failure.kind, one.failure.owner, one.failure.retryable) == (kind, Owner.JUDGE, again)
        assert result.complete is (not again)
        more = f"; `{folders.resume_command(result.folder)}` tries it again" if again else ""
        assert result.message == f"The judge openai/a (rubric) failed on 1 response{more}."
        before = len(server.requests)
        server.script = rates()
        assert values(judged_again(result.folder, judge_at(server))) == [1 if again else None]
        assert len(server.requests) == before + again, "only what may succeed is tried again"


def test_t17_the_judge_fails_on_three_of_ten(tmp_path: Path) -> None:
    def three_fail(request: Request) -> Reply:
        return failing(400)(request) if item_of(request) < 3 else rates("yes")(request)

    with ScriptedServer(three_fail) as server:
        result, _, _ = run_m3r(tmp_path, [said(number) for number in range(10)], judge_at(server))
    figure = result.metrics["rubric"]["rubric"]
    assert (figure.value, figure.n, figure.failed) == (1, 7, 3)
    assert (figure.worst, figure.best) == (pytest.approx(0.7), 1)
    assert "7/10 judged" in figure.note


def test_t28_a_verdict_cut_before_it_began_is_asked_for_with_more_room(tmp_path: Path) -> None:
    def cut_once(request: Request) -> Reply:
        short = request.body["max_tokens"] == RUBRIC.max_tokens
        return Reply(completion("", finish="length")) if short else rates()(request)

    with ScriptedServer(cut_once) as server:
        result, _, _ = run_m3r(tmp_path, [said(0)], judge_at(server))
    assert [request.body["max_tokens"] for request in server.requests] == [RUBRIC.max_tokens, 2 * RUBRIC.max_tokens]
    assert values(result) == [1]


def test_a_judge_that_fails_does_not_stop_the_other_one(tmp_path: Path) -> None:
    with ScriptedServer(failing(401)) as refuses, ScriptedServer(rates("yes")) as works:
        a, b = judge_at(refuses), judge_at(works, name="openai/b")
        result, plan, file = run_m3r(tmp_path, [said(0), said(1)], a, b)
        assert "The judge openai/a (rubric) refused the key" in result.message
        assert values(result) == [1, 1]
        assert not result.complete, "run.json names a judge that has not judged"
        refuses.script = rates("no")
        asked = len(works.requests)
        whole = carry_out(result.folder, plan, file, judge_at(refuses), judge_at(works, name="openai/b"))
        assert len(works.requests) == asked
    assert whole.complete
    assert values(whole) == [0.5, 0.5]


def test_a_fault_of_ours_is_not_hidden(tmp_path: Path) -> None:
    def breaks(*arguments: Any) -> Any:
        raise KeyError("broken")

    result, _, _ = run_m3r(tmp_path, [said(0)])
    for judge in (
        overlapping(rule=breaks),
        judge_at("http://127.0.0.1:9/v1", task=msgspec.structs.replace(RUBRIC, prompt=breaks)),
    ):
        with pytest.raises(KeyError, match="broken"):
            judged_again(result.folder, judge)


# who counts --------------------------------------------------------------------------------------------------------


def test_those_that_are_named_count_and_what_others_said_stays(tmp_path: Path) -> None:
    with ScriptedServer(rates("yes")) as kind, ScriptedServer(rates("no")) as strict:
        result, _, _ = run_m3r(tmp_path, [said(0), said(1)], judge_at(kind))
        assert values(result) == [1, 1]

        both = judged_again(result.folder, judge_at(kind), judge_at(strict, name="openai/b"))
        assert len(kind.requests) == 2, "what the first one said is not asked again"
        assert values(both) == [0.5, 0.5]
        assert [one.judge for one in both.judged] == ["openai/a", "openai/b"]

        alone = judged_again(result.folder, judge_at(strict, name="openai/b"))
        assert values(alone) == [0, 0]
        assert judged(result.folder) == [[("openai/b", True)]] * 2

        again = judged_again(result.folder, judge_at(kind), judge_at(strict, name="openai/b"))
        assert values(again) == [0.5, 0.5]
        assert (len(kind.requests), len(strict.requests)) == (2, 2)
        assert again.complete
    assert len(calls(result.folder)) == 4


def test_a_new_judge_that_has_said_nothing_leaves_the_figures_of_the_others(tmp_path: Path) -> None:
    with ScriptedServer(rates("yes")) as server:
        result, _, _ = run_m3r(tmp_path, [said(0)], judge_at(server))
        server.script = failing(401)
        refused = judged_again(result.folder, judge_at(server, name="openai/b"))
    assert values(refused) == [1]
    assert [one.judge for one in refused.judged] == ["openai/a"], "whose figure it is, is said"
    assert not refused.complete


def test_questions_of_another_rubric_are_asked_and_do_not_mix_with_ours(tmp_path: Path) -> None:
    other = json.loads(shipped())
    other["criteria"][0]["questions"][0]["asks"] = "Does it name what is seen?"
    task = next(task for task in M3R.assuming(json.dumps(other)).judge_tasks if task.purpose == "rubric")
    with ScriptedServer(rates("yes")) as server:
        result, _, _ = run_m3r(tmp_path, [said(0)], judge_at(server))
        reworded = judge_at(server, task=task)
        assert has_to_ask(result.folder, task, reworded.asking)
        judged_again(result.folder, reworded)
        assert len(server.requests) == 2
        assert "Does it name what is seen?" in server.requests[1].texts

        weights = json.loads(shipped())
        weights["criteria"][0]["weight"] = 3
        same = next(task for task in M3R.assuming(json.dumps(weights)).judge_tasks if task.purpose == "rubric")
        assert judge_at(server, task=same).asking == judge_at(server).asking, "weights are not asked about"
    assert overlapping(assumptions=json.dumps(weights)).asking != overlapping().asking, "a rule rests on all of them"


# stopping ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [503, 401])
def test_a_resume_asks_about_what_is_left(tmp_path: Path, status: int) -> None:
    """Whatever ends the judging, each verdict was kept before anything else was done with it."""

    def later_fails(request: Request) -> Reply:
        wait = 0.2 if status == 401 else 0.0
        done = request.number < 3
        return rates()(request) if done else Reply(failing(status)(request).body, status=status, first_byte=wait)

    with ScriptedServer(later_fails) as server:
        judge = judge_at(server, concurrency=1, retries=msgspec.structs.replace(QUICK, attempts=1))
        result, plan, file = run_m3r(tmp_path, [said(number) for number in range(8)], judge)
        assert not result.complete
        assert result.tally.unscored == 0
        assert sorted(value is None for value in values(result)) == [False] * 3 + [True] * 5
        asked = len(server.requests)
        server.script = rates()
        whole = carry_out(result.folder, plan, file, judge_at(server))
        assert len(server.requests) == asked + 5
    assert whole.complete
    assert values(whole) == [1] * 8


def test_an_interrupt_waits_for_the_verdicts_in_flight(tmp_path: Path) -> None:
    class Told:
        tell: Callable[[], None] | None = None

    told, words = Told(), []
    result, _, _ = run_m3r(tmp_path, [said(number) for number in range(12)])

    async def stopped(judge: Judge) -> Judging:
        loop = asyncio.get_running_loop()

        def third(request: Request) -> Reply:
            if request.number == 2 and told.tell is not None:
                loop.call_soon_threadsafe(told.tell)
            return Reply(rates()(request).body, first_byte=0.1)

        server.script = third
        try:
            return await judge_run(
                result.folder,
                judge,
                words.append,
                told,
                pictures=lambda sample: (),  # type: ignore[arg-type]
            )
        finally:
            await judge.close()

    sightless = msgspec.structs.replace(RUBRIC, sees_pictures=False, prompt=lambda *of: RUBRIC.prompt(*of)[1:])
    with ScriptedServer() as server:
        done = asyncio.run(stopped(judge_at(server, concurrency=3, task=sightless)))
        assert done.interrupted
        assert 3 <= done.asked == len(server.requests) == len(calls(result.folder)) < 12
    assert words == ["Stopping: waiting for the verdicts that are under way. Press Ctrl-C again to drop them."]


def test_an_interrupt_while_a_judge_has_nothing_left_to_do_stops_the_next_one(tmp_path: Path) -> None:
    class Told:
        def __setattr__(self, name: str, tell: Callable[[], None] | None) -> None:
            if tell is not None and not heard:
                heard.append(True)
                tell()

    heard: list[bool] = []
    with ScriptedServer(rates()) as server:
        result, plan, _ = run_m3r(tmp_path, [said(0)], judge_at(server))
        judges = [judge_at(server), judge_at(server, name="openai/b")]
        ended = asyncio.run(have_judged(result.folder, plan, judges, print, Told()))  # type: ignore[arg-type]
        assert len(server.requests) == 1
    assert ended[0] is Ending.INTERRUPTED


# reading it back ---------------------------------------------------------------------------------------------------


def test_what_counts_is_told_by_the_database_alone(tmp_path: Path) -> None:
    """A packed run, or one of somebody else, is read without its run.json being believed."""
    with ScriptedServer(rates("yes")) as server:
        result, plan, _ = run_m3r(tmp_path, [said(0)], judge_at(server), judge_at(server, name="openai/b"))
    info = folders.read_info(result.folder)
    info.settings["judges"] = [{"purpose": "rubric", "model": "openai/other"}, 7, {"purpose": "nonsense"}]
    shown = lifecycle.read_result(result.folder, info, plan, M3R)
    assert [one.judge for one in shown.judged] == ["openai/a", "openai/b"]
    assert not shown.complete
    info.settings["judges"] = "everybody"
    assert lifecycle.read_result(result.folder, info, plan, M3R).complete
    with closing(schema.open_to_read(result.folder / "run.db")) as db:
        (row,) = reading.responses(db)
    assert [type(one) for one in row.response.judged] == [Judged, Judged]


def test_a_run_is_whole_though_nothing_is_left_to_be_asked_of_a_new_judge(tmp_path: Path) -> None:
    """Then what an earlier one said goes on counting: a resume could not change it."""
    task = msgspec.structs.replace(RUBRIC, needs=lambda sample, response: False)
    found = msgspec.structs.replace(M3R, judge_tasks=(task,))
    with ScriptedServer(rates("yes")) as server:
        result, plan, _ = run_m3r(tmp_path, [said(0)], judge_at(server))
    info = folders.read_info(result.folder)
    info.settings["judges"] = [{"purpose": "rubric", "model": "openai/b", "template": RUBRIC.template}]
    assert lifecycle.read_result(result.folder, info, plan, found).complete
    assert not lifecycle.read_result(result.folder, info, plan, M3R).complete


def test_the_settings_of_a_run_name_its_judges(tmp_path: Path) -> None:
    judge = judge_at("http://127.0.0.1:9/v1")
    assert named(judge)["judges"][0]["template"] == RUBRIC.template
