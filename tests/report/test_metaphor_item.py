"""`beholder show` of a metaphor: side by side within eighty columns, and what can be done about a judge that failed."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from html_pages import Parsed
from made_metaphor_pages import CASES, MAPPING, metaphor_run
from typer.testing import CliRunner

from beholder.cli.main import app
from beholder.engine.lifecycle import Result
from beholder.report.judged_report import again, failed_lines
from beholder.store.judge_calls import Counted


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return metaphor_run(tmp_path_factory.mktemp("run"))


def shown(result: Result, *name: str) -> str:
    done = CliRunner().invoke(app, ["show", str(result.folder), *name], env={"COLUMNS": "80"})
    assert done.exit_code == 0, done.output
    return done.output


def after(text: str, begin: str) -> list[str]:
    return text[text.index(begin) :].splitlines()


def test_gold_and_answer_stand_side_by_side(result: Result) -> None:
    text = shown(result, str(list(CASES).index("other words")))
    lines = [line.split() for line in after(text, "     label")[:6]]
    assert lines[:5] == [
        ["label", "gold", "answer"],
        ["✓", "metaphor", "yes", "yes"],
        ["✗", "target", "cigarette", "smoking"],
        ["✓", "source", "bomb", "The", "Bomb", "the", "same", "as", "“bomb”"],
        ["✓", "sentiment", "negative", "negative"],
    ]
    assert "gold: metaphor yes, target cigarette, source bomb, sentiment negative" in text
    assert "read 'metaphor yes, target smoking, source The Bomb, sentiment" in text
    stages = " ".join(" ".join(after(text, "  stage")).split())
    assert "left 25, top 25," in stages
    assert "mapping" in stages
    assert all(len(line) <= 80 for line in after(text, "     label")), "nothing is cut or broken by the terminal"


def test_what_every_judge_answered_is_told_once(result: Result) -> None:
    text = shown(result, str(list(CASES).index("other words")))
    words = " ".join(text.split())
    assert "a.json: 83.3 points" in words
    assert "The judges differ in an answer." in words
    assert "Mapping Correctness: 50.0, 0.0" in words
    assert "mc_direction: Is the target spoken of by means of the source, and not the other way round?" in words
    assert f"partly 1: “{MAPPING}”" in words
    assert f"no 2: “{MAPPING}”" in words
    assert f"yes 1, 2: “{MAPPING}”" in words
    assert "mismatch, by the mean over judges: visual evidence met, mapping not" in words


def test_hostile_words_reach_no_terminal(result: Result) -> None:
    text = shown(result, str(list(CASES).index("hostile")))
    assert not {"\x1b", "\x00", "\x9b", "\u202e"} & set(text)
    words = " ".join(text.split())
    assert "names a target or source; they count as wrong." in words
    assert "cannot be drawn" in words
    assert "reaches outside the" in words
    assert "not in the explanation" not in words, "its quotation stands in the evidence"


def test_an_answer_without_an_explanation_has_none(result: Result) -> None:
    text = shown(result, str(list(CASES).index("blank")))
    assert "(none)" in text
    assert "judge 1" not in text


def test_a_judge_that_failed_is_named_with_what_can_be_done(result: Result) -> None:
    place = list(CASES).index("judge failed")
    words = " ".join(shown(result, str(place)).split())
    assert "b.json: failed (owner judge, judge_unreadable): " in words
    assert f"beholder rescore {shlex.quote(str(result.folder))} --judge KIND/NAME" in words
    whole = " ".join(shown(result).split())
    assert f"A judge failed (owner judge) on item {place}. Why: beholder show" in whole
    assert "(rubric): 4 of 5, 1 failed" in whole


def test_figures_name_items_by_their_positions(result: Result) -> None:
    words = " ".join(shown(result).split())
    assert "mapping met, visual evidence not: items 3" in words
    assert "visual evidence met, mapping not: items 2" in words
    assert "The scorers disagree" not in words, "a rubric's points are no other reading of the answer"


def test_only_a_failure_that_may_pass_is_asked_again(result: Result) -> None:
    assert again(result.folder, True).startswith("Ask it again: beholder resume ")
    assert "It is not asked again" in again(result.folder, False)
    retryable = [Counted("rubric", "b", 4, 1, 1)]
    assert "beholder resume" in failed_lines(result.items, retryable, result.folder)[0]
    slots = [Counted("slots", "b", 4, 1, 0)]
    assert "--slot-judge KIND/NAME" in failed_lines(result.items, slots, result.folder)[0]
    assert failed_lines(result.items) == ["A judge failed (owner judge) on item 4."]
    assert failed_lines(result.items[:2]) == []


@pytest.mark.parametrize("task", ["", "source", "annotate"])
def test_a_run_without_judges_can_be_shown(result: Result, tmp_path: Path, task: str) -> None:
    data = result.folder.parent.parent / "set"
    runner, runs = CliRunner(), ["--runs-dir", str(tmp_path)]
    asked = ["run", "m3r", "--data", str(data), "--model", "constant/no idea", *(["--task", task] if task else [])]
    assert runner.invoke(app, [*asked, *runs]).exit_code in (0, 3)
    for command in (
        ["show", "latest"],
        ["show", "latest", "0"],
        ["report", "latest", "--out", str(tmp_path / "x.html")],
    ):
        done = runner.invoke(app, [*command, *runs])
        assert done.exit_code in (0, 3), done.output
        assert "judge 1" not in done.output
    assert len(Parsed(tmp_path / "x.html").data["samples"]) == len(CASES)
