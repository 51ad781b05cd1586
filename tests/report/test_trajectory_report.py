"""Conversations with tools on a terminal and as JSON: what was said and done is told, and nothing of it acts."""

from __future__ import annotations

import io
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from made_conversations import CODE, TALKS, conversations
from rich.console import Console
from typer.testing import CliRunner

from beholder.cli.main import app
from beholder.engine.lifecycle import Result
from beholder.report.html_facts import facts
from beholder.report.html_runs import side_by_side
from beholder.report.run_report import result_summary
from beholder.report.tool_use import tool_use
from beholder.report.trajectory_report import LONGEST, print_tool_use, spread_in_words
from beholder.tools.settings import Budget
from made_runs import plan_for, run_engine, tfq_data
from scripted_server import ScriptedServer


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """A run of one talk of each kind."""
    return conversations(tmp_path_factory.mktemp("talks"))


@pytest.fixture(scope="module")
def probed(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The same talks, the model asked for its answer after each new picture; and few pictures a request."""
    folder = tmp_path_factory.mktemp("probed")
    return conversations(folder, probe=True)


def shown(result: Result, *arguments: object) -> str:
    done = CliRunner().invoke(app, ["show", str(result.folder), *map(str, arguments)], env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    return done.output


def told(result: Result) -> str:
    sink = io.StringIO()
    use = tool_use(result)
    assert use is not None
    print_tool_use(Console(file=sink, width=200), use)
    return sink.getvalue()


ITEMS = [
    (
        "a tool",
        0,
        [
            "2 turns, 1 call: crop ✓",
            "  I look closer at the sign.",
            '  [1] crop image="image_1", box=[40, 30, 200, 150] ✓ [clamped]',
            "      Cropped.",
            "      new picture image_2, 240x180 pixels, SHA-256 ",
            "ended: the model answered; ",
            "the answer:",
            "⟦B⟧",
        ],
    ),
    (
        "code",
        1,
        [
            "3 turns, 2 calls: python ✗ error, python ✓",
            "  states the answer C",
            "      │ raise cv",
            "      NameError: name 'cv' is not defined",
            *(f"      │ {line}".rstrip() for line in CODE.strip().split("\n")),
            "      written: clear.png",
            "new picture image_3, 120x500 pixels",
            "answers on the way: C → B",
            "  the answer, below",
        ],
    ),
    ("no tool", 2, ["1 turn, no calls", "  the answer, below"]),
    (
        "the same call too often",
        3,
        [
            "4 turns, 4 calls: crop ✓ ×3, crop – not run",
            "[clamped, repeated, no new evidence]",
            "ended: the same call came too often; ",
            "put down to tool use: repeated calls ended the conversation",
            "no answer; the last that it said:",
        ],
    ),
    (
        "calls that cannot be",
        4,
        [
            "zoom_in ✗ unknown tool, crop ✗ malformed, python ✗ stopped",
            "[2] crop box 1 2 3 4 ✗ malformed",
            "nothing executed, broken calls",
        ],
    ),
    ("a budget", 5, ["6 calls: crop ✓ ×5, crop – not run", "ended: the budget of turns was used up"]),
    ("a request that failed", 8, ["ended: a request failed", "failed (owner provider, request): HTTP 400"]),
]


@pytest.mark.parametrize(("name", "item", "words"), ITEMS, ids=[row[0] for row in ITEMS])
def test_an_item_is_told_turn_by_turn(talks: Result, name: str, item: int, words: list[str]) -> None:
    text = "\n".join(line.rstrip() for line in shown(talks, item).split("\n"))
    for expected in words:
        assert expected in text, expected
    assert text.index("gold: B") < text.index(words[0]) < text.rindex("official(det)"), "before the verdicts"


def test_nothing_that_was_said_or_printed_acts_on_the_terminal(talks: Result) -> None:
    text = shown(talks, 6)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert text.count("<script>alert(1)</script>") == 3, "said, in the code, printed"


def test_probes_are_told_with_what_was_read(probed: Result) -> None:
    assert "  asked for its answer so far (read as A): A" in shown(probed, 0)
    assert "answers on the way: A → B" in shown(probed, 0)


def test_long_texts_are_cut_on_the_terminal_and_whole_in_json(tmp_path: Path) -> None:
    said = "word " * 1000
    result = conversations(tmp_path, [("maze", [(said, [("crop", "{}")]), ("B", [])])])
    text = shown(result, 0)
    assert "(5,000 characters; --json shows all)" in text
    assert text.count("word") <= LONGEST // 5
    talk = json.loads(shown(result, 0, "--json"))["responses"][0]["conversation"]
    assert talk["trajectory"]["turns"][0]["said"] == said


def test_pictures_left_out_of_a_request_are_named(tmp_path: Path) -> None:
    result = conversations(tmp_path, TALKS[5:6], budget=Budget(turns=6, pictures=1))
    assert "left out of the request: image_2, image_3" in shown(result, 0)


# -- the run -------------------------------------------------------------------------------------------------------


def test_the_figures_of_a_run_are_those_of_its_conversations(talks: Result) -> None:
    use = tool_use(talks)
    assert use is not None
    turns, calls = [2, 3, 1, 4, 3, 6, 2, 2, 1], [1, 2, 0, 4, 3, 6, 1, 1, 1]
    assert (use.turns.mean, use.turns.median, use.turns.most) == (pytest.approx(sum(turns) / 9), 2, 6)
    assert (use.calls.mean, use.calls.median, use.calls.most) == (pytest.approx(sum(calls) / 9), 1, 6)
    assert (use.used.count, use.used.of) == (8, 9)
    assert (use.budget.count, use.budget.of) == (2, 9)
    outcomes = {name: number for name, number in use.tally.outcomes.items() if number}
    others = dict.fromkeys(("malformed", "unknown_tool", "error", "stopped"), 1)
    assert outcomes == {"executed": 13, "not_run": 2, **others}
    assert (use.tally.new_image.count, use.tally.new_image.of) == (10, 13)
    assert use.tally.ended == {"answered": 6, "failed": 1, "repeats": 1, "turns": 1}
    assert use.abandoned.attempts == 0
    assert [(row.task, row.n, row.score, row.scored) for row in use.tasks] == [
        ("color", 3, 0.5, 2),
        ("maze", 2, 1.0, 2),
        ("math", 4, 0.25, 4),
    ]
    assert [round(row.turns, 2) for row in use.tasks] == [2.0, 2.5, 3.25]


def test_the_figures_of_a_run_are_printed(talks: Result) -> None:
    text = told(talks)
    for words in (
        "Tools: visual (native calls)",
        "turns        mean 2.67, median 2, most 6 a conversation",
        "88.9 % (8 of 9) of the conversations have one",
        "outcomes     executed 13, not run 2, malformed 1, unknown tool 1, error 1, stopped 1",
        "76.9 % (10 of 13) of the calls that ran brought a new picture; 23.1 % (3 of 13)",
        "answered 6, failed 1, repeats 1, turns 1; 22.2 % (2 of 9) by a budget",
        "color                 2.00   50.0 %  3",
    ):
        assert words in text, words
    assert "abandoned" not in text
    assert "tools  visual, native calls; at most: turns 6, seconds 1800, repeats 3, malformed 4" in shown(talks)
    assert told(talks).strip() in "\n".join(shown(talks).split("\n"))


def test_abandoned_attempts_are_told_with_what_they_cost(tmp_path: Path) -> None:
    result = conversations(tmp_path, TALKS[:2])
    with closing(sqlite3.connect(result.folder / "run.db")) as db, db:
        key, record = db.execute("SELECT key, record FROM responses ORDER BY id LIMIT 1").fetchone()
        turns = db.execute("SELECT turn, record FROM turns WHERE key = ?", (key,)).fetchall()
        db.execute("UPDATE turns SET attempt = 1 WHERE key = ?", (key,))
        changed = json.loads(record)
        changed["conduct"]["attempt"] = 1
        db.execute("UPDATE responses SET record = ? WHERE key = ?", (json.dumps(changed), key))
        cached = json.loads(turns[0][1]) | {"cached": True}
        rows = [(key, 0, 0, 0, 0, turns[0][1]), (key, 0, 0, 0, 1, json.dumps(cached))]
        db.executemany("INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?, NULL)", rows)
    use = tool_use(result)
    assert use is not None
    lost = use.abandoned
    assert (lost.attempts, lost.turns, lost.prompt_tokens, lost.completion_tokens) == (1, 2, 10, 3)
    assert "abandoned    1 attempt with 2 turns, 10 tokens in, 3 out" in told(result)
    assert "attempt 1 was abandoned after 2 turns, 20 tokens in, 6 out" in shown(result, key)


def test_json_has_the_figures_and_each_conversation(talks: Result) -> None:
    tools = json.loads(shown(talks, "--json"))["tools"]
    assert (tools["arm"], tools["conversations"], tools["tally"]["outcomes"]["executed"]) == ("visual", 9, 13)
    talk = json.loads(shown(talks, 1, "--json"))["responses"][0]["conversation"]
    assert [turn["said"] for turn in talk["trajectory"]["turns"]][:2] == [said for said, _ in TALKS[1][1]][:2]
    assert talk["trajectory"]["ended"] == "answered"
    assert talk["stated"] == [
        {"said": "C", "probed": None},
        {"said": None, "probed": None},
        {"said": "B", "probed": None},
    ]
    assert len(talk["diagnosis"]["calls"]) == 2


def test_a_run_without_tools_says_nothing_of_them(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        result = run_engine(plan_for(tfq_data(tmp_path, 2)), server.url, tmp_path / "runs").result
    assert tool_use(result) is None
    assert result_summary(result)["tools"] is None
    assert not re.search("^tools |^Tools:", shown(result), re.MULTILINE)
    assert json.loads(shown(result, 0, "--json"))["responses"][0]["conversation"] is None


def test_a_run_none_of_whose_conversations_has_ended_has_no_figures(talks: Result, tmp_path: Path) -> None:
    begun = msgspec.structs.replace(talks, folder=tmp_path, items=[])
    with closing(sqlite3.connect(talks.folder / "run.db")) as old, closing(sqlite3.connect(tmp_path / "run.db")) as db:
        old.backup(db)
        with db:
            db.execute("DELETE FROM scores")
            db.execute("DELETE FROM responses")
    assert tool_use(begun) is None


def test_how_a_run_was_made_names_its_tools(talks: Result) -> None:
    assert "visual, native calls; at most: turns 6" in facts(side_by_side([talks]))


def test_a_median_between_two_counts_is_no_whole_number(talks: Result) -> None:
    use = tool_use(talks)
    assert use is not None
    spread = msgspec.structs.replace(use.turns, median=2.5)
    assert spread_in_words(spread) == "mean 2.67, median 2.5, most 6"


def test_what_a_person_says_went_wrong_stands_beside_what_the_record_says(talks: Result) -> None:
    said = shown(talks, 3, "--label", "perception", "--note", "it never saw the sign")
    assert "conversation; labelled by a person: perception (it never saw the sign)" in said
    assert re.search(r"labels +perception 1\n", told(talks))
