"""Tasks, languages and assumptions of a run, and what resume, rescore and compare make of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_data import Beholder, check_refused
from judge_place import LOOSE, JudgePlace, at, lines, rubric

from beholder.benchmarks.m3r.assumptions import shipped
from made_metaphors import rates, said, script, verdict
from scripted_server import Reply, Request, ScriptedServer, completion


@pytest.fixture
def place(tmp_path: Path, beholder: Beholder) -> JudgePlace:
    return JudgePlace(tmp_path, beholder)


# tasks, languages, assumptions -------------------------------------------------------------------------------------


def test_another_task_asks_another_thing_and_is_another_plan(place: JudgePlace) -> None:
    asked: list[str] = []

    def answers(request: Request) -> Reply:
        asked.append(request.texts)
        return Reply(completion('{"target": "cigarette"}'))

    with ScriptedServer(answers) as server:
        arguments = ["run", "m3r", "--model", "openai/m", "--base-url", server.url, "--data", place.data]
        found = place.beholder.json(*arguments, "--runs-dir", place.runs, "--task", "target")
    assert rubric(found, "lenient") == [1, 1]
    assert not any("explanation" in text for text in asked)
    info = place.info()
    assert info["plan"]["task"] == "target"
    assert "task   target" in place.beholder("show", place.folder).out
    info["settings"]["plan"]["task"] = "source"
    info["status"] = "incomplete"
    (place.folder / "run.json").write_text(json.dumps(info))
    told = place.beholder("resume", place.folder, "--runs-dir", place.runs)
    check_refused(told, ("another plan", "task: target in the run, source now"))


def test_a_run_without_a_task_is_the_plan_that_it_was(place: JudgePlace) -> None:
    place.beholder(*place.run())
    assert "task" not in place.info()["plan"]


@pytest.mark.parametrize(("language", "word"), [("en", "metaphor"), ("zh", "隐喻")])
def test_all_items_may_be_asked_in_one_language(place: JudgePlace, language: str, word: str) -> None:
    with ScriptedServer(lambda request: Reply(completion(said(0)))) as server:
        arguments = ["run", "m3r", "--model", "openai/m", "--base-url", server.url, "--data", place.data]
        told = place.beholder(*arguments, "--runs-dir", place.runs, "--language", language)
        assert told.code == 0, told.err
        assert all(word in request.texts for request in server.requests)


def lenient_judge(path: Path) -> Path:
    """Assumptions under which half an answer is worth as much as a whole one."""
    other = json.loads(shipped())
    other["answers"]["partly"] = 100
    path.write_text(json.dumps(other))
    return path


def test_a_run_keeps_the_assumptions_that_it_was_scored_under(place: JudgePlace, tmp_path: Path) -> None:
    partly = script(tmp_path / "partly.json", [verdict("partly")])
    other = lenient_judge(tmp_path / "other.json")
    judged = place.run("--judge", f"scripted/{partly}")
    found = place.beholder.json(*judged, "--assumptions", other)
    assert rubric(found) == [1, 1]
    assert place.info()["settings"]["assumptions"] == other.read_text()
    other.unlink()
    shown = place.beholder("show", place.folder)
    assert "under  assumptions of a file of its own" in shown.out
    assert "not by the scorers as they are now" not in shown.err
    assert rubric(place.beholder.json("rescore", place.folder)) == [1, 1], "the run holds them itself"
    assert "Nothing to do" in place.beholder("resume", place.folder, "--runs-dir", place.runs).err

    ours = place.beholder.json("rescore", place.folder, "--assumptions", "ours")
    assert rubric(ours) == [0.5, 0.5]
    assert "assumptions" not in place.info()["settings"]
    back = place.beholder.json("rescore", place.folder, "--assumptions", lenient_judge(tmp_path / "again.json"))
    assert rubric(back) == [1, 1]
    assert place.info()["settings"]["assumptions"]


def test_a_run_under_other_questions_is_judged_anew_by_a_resume(place: JudgePlace, tmp_path: Path) -> None:
    other = json.loads(shipped())
    other["criteria"][0]["questions"][0]["asks"] = "Does it name what is seen?"
    (tmp_path / "other.json").write_text(json.dumps(other))
    with ScriptedServer(rates()) as server:
        place.beholder(*place.run(*at(server)))
        told = place.beholder("rescore", place.folder, "--assumptions", tmp_path / "other.json")
        assert told.code == 4
        assert len(server.requests) == 2, "a rescore alone asks nobody"
        resumed = place.beholder.json("resume", place.folder, "--runs-dir", place.runs)
        assert all("Does it name what is seen?" in request.texts for request in server.requests[2:])
        assert len(server.requests) == 4
    assert rubric(resumed) == [1, 1]
    assert resumed["complete"] is True


def test_a_run_that_is_complete_but_for_other_questions_is_not_said_to_have_everything(place: JudgePlace) -> None:
    """As after an upgrade that words a question of the rubric anew: run.json says that the run is complete."""
    with ScriptedServer(rates()) as server:
        place.beholder(*place.run(*at(server)))
        other = json.loads(shipped())
        other["criteria"][0]["questions"][0]["asks"] = "Does it name what is seen?"
        info = place.info()
        info["settings"]["assumptions"] = json.dumps(other)
        (place.folder / "run.json").write_text(json.dumps(info))
        told = place.beholder("resume", place.folder, "--runs-dir", place.runs)
    assert (told.code, len(server.requests)) == (0, 4), told.err
    assert "Nothing to do" not in told.err


def test_runs_under_different_assumptions_are_compared_with_a_word_of_that(place: JudgePlace, tmp_path: Path) -> None:
    place.beholder(*place.run("--judge", "overlap"))
    first = place.folder
    other = lenient_judge(tmp_path / "other.json")
    place.beholder(*place.run("--judge", "overlap", "--assumptions", other))
    (second,) = [one for one in place.runs.iterdir() if (one / "run.json").is_file() and one != first]
    notes = place.beholder.json("compare", first, second, "--scorer", "rubric")["notes"]
    assert any("scored under different assumptions" in note for note in notes)
    assert not any("as they are now" in note for note in notes)
    assert place.beholder("report", first, second, "--out", tmp_path / "page.html").code == 0
    assert "scored under different assumptions" in (tmp_path / "page.html").read_text()


def test_a_rule_judges_under_the_assumptions_of_the_run(place: JudgePlace, tmp_path: Path) -> None:
    """A threshold that nothing reaches: the rule finds no evidence any more, and a resume has it judge again."""
    answers = script(tmp_path / "loose.json", [said(0, explanation=LOOSE)])
    arguments = ["--model", f"scripted/{answers}", "--data", place.data, "--limit", 1, "--runs-dir", place.runs]
    other = json.loads(shipped())
    other["overlap_from"] = 1.0
    (tmp_path / "other.json").write_text(json.dumps(other))
    (before,) = rubric(place.beholder.json("run", "m3r", *arguments, "--judge", "overlap"))
    told = place.beholder("rescore", place.folder, "--assumptions", tmp_path / "other.json", "--json")
    assert told.code == 4, "the rule has still to judge under them"
    assert "Some responses have still to be judged: `beholder resume " in json.loads(told.out)["message"]
    (after,) = rubric(place.beholder.json("resume", place.folder, "--runs-dir", place.runs))
    assert before is not None
    assert after is not None
    assert after < before


def test_answers_of_a_file_are_scored_under_other_assumptions(place: JudgePlace, tmp_path: Path) -> None:
    partly = script(tmp_path / "partly.json", [verdict("partly")])
    arguments = ["score", "m3r", lines(tmp_path / "a.jsonl"), "--data", place.data, "--judge", f"scripted/{partly}"]
    assert rubric(place.beholder.json(*arguments)) == [0.5, 0.5]
    other = lenient_judge(tmp_path / "other.json")
    assert rubric(place.beholder.json(*arguments, "--assumptions", other)) == [1, 1]


def test_a_run_whose_assumptions_cannot_be_used_is_told_in_one_line(place: JudgePlace) -> None:
    place.beholder(*place.run())
    info = place.info()
    for text, words in ((7, ("not text",)), ("{}", ("file of assumptions cannot be used",))):
        info["settings"]["assumptions"] = text
        (place.folder / "run.json").write_text(json.dumps(info))
        check_refused(place.beholder("show", place.folder), words)
