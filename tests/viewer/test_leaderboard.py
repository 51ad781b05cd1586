"""Leaderboards: who stands where, what is marked, what is left out, and runs of strangers."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from beholder.benchmarks.tables import table, tables
from beholder.engine.selection import Selection
from beholder.errors import UsageError
from beholder.metrics.paired import mcnemar_exact
from beholder.models.fakes import Fake, constant
from beholder.sample import Ask, Response, Sampling
from beholder.score import Metric
from beholder.viewer import board_tests
from beholder.viewer.board_lines import called, sorted_out
from beholder.viewer.board_runs import BoardRun, board_run
from beholder.viewer.board_tests import Contender, pair_tests
from beholder.viewer.compare_data import BoardRow, Leaderboard
from beholder.viewer.leaderboard import board_with, leaderboard
from beholder.viewer.library import Library
from made_runs import plan_for, run_engine, tfq_data, vl_data

ITEMS = 40


def answering(name: str, right: Callable[[int], bool]) -> Fake:
    """A model that is right on some items of `tfq_data`, by their number."""

    def answer(ask: Ask) -> Response:
        number = ask.sample.index
        letter = "TF"[(number + (not right(number))) % 2]
        return Response(text=f"<answer>{letter}</answer>", finish="stop")

    return Fake(name, {}, answer)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four runs over the same items, one over half of them and decoded otherwise, and two of another benchmark."""
    place = tmp_path_factory.mktemp("boards")
    data = tfq_data(place / "tfq", ITEMS, images=ITEMS)
    asked = plan_for(data)
    models = {
        "best": lambda n: n < 38,
        "better": lambda n: n < 30,
        "good": lambda n: n < 22,
        "bad": lambda n: n == 0,
    }
    for name, right in models.items():
        run_engine(asked, "", place / "runs", make_model=lambda name=name, right=right: answering(name, right))  # type: ignore[misc]
    half = plan_for(data, selection=Selection(limit=ITEMS // 2), sampling=Sampling(temperature=0.7, max_tokens=64))
    run_engine(half, "", place / "runs", make_model=lambda: answering("half", lambda n: n < 19))
    pairs = vl_data(place / "vl", 12)
    pairs.write_text(pairs.read_text().replace("mathverse_1", "wildvision-battle_1"))  # 1, 10 and 11
    votes = plan_for(pairs, "vl-rewardbench", votes=3)
    for number in (1, 2):
        words = f"Overall Judgment: Answer {number} is better."
        run_engine(votes, "", place / "runs", make_model=lambda words=words: constant(words))  # type: ignore[misc]
    return place / "runs"


@pytest.fixture
def library(runs: Path, tmp_path: Path) -> Library:
    return Library(runs, cache=tmp_path / "cache")


@pytest.fixture
def changed(runs: Path, tmp_path: Path) -> tuple[Library, Path]:
    """A copy of the runs that a test may change, and the folder of its run `best`."""
    shutil.copytree(runs, tmp_path / "runs")
    (folder,) = [one for one in (tmp_path / "runs").iterdir() if one.name.endswith("_tfq_best")]
    return Library(tmp_path / "runs", cache=tmp_path / "cache"), folder


def rewrite(file: Path, change: Callable[[dict[str, Any]], None]) -> None:
    held = json.loads(file.read_text())
    change(held)
    file.write_text(json.dumps(held))


def line(board: Leaderboard, name: str) -> BoardRow:
    (row,) = [row for row in board.rows if row.name == name]
    return row


def marked(board: Leaderboard, row: BoardRow) -> str:
    return " | ".join(board.notes[number - 1] for number in row.marks)


def test_runs_stand_by_their_figures_with_the_ranks_that_hold(library: Library) -> None:
    board = leaderboard(library, "tfq")
    assert (board.scorer, board.metric, board.title) == ("recipe", "question_accuracy", "TFQ-Bench")
    ranked = {row.name: (row.rank, row.figure.value, row.figure.n) for row in board.rows}
    assert ranked == {
        "best": (1, 38 / 40, 40),
        "half": (1, 19 / 20, 20),
        "better": (3, 30 / 40, 40),
        "good": (4, 22 / 40, 40),
        "bad": (5, 1 / 40, 40),
    }
    # 8 items apart is p = 0.0078 on the same items, which 10 pairs leave significant; `half` has other items
    ranges = {row.name: (row.best, row.worst) for row in board.rows}
    assert ranges == {"best": (1, 2), "half": (1, 3), "better": (2, 3), "good": (4, 4), "bad": (5, 5)}
    assert all(row.run and row.date and not row.source for row in board.rows)
    assert board.notes[-1].startswith("Ranks: of 10 pairs of lines, 6 were compared on the same items")


def test_the_same_items_are_compared_pair_by_pair(library: Library) -> None:
    board = leaderboard(library, "tfq")
    best, good, half = (line(board, name) for name in ("best", "good", "half"))
    lines = [Contender(row.figure, run=row.run, version=library.version(row.run)) for row in (good, best, half)]
    made = pair_tests(library, lines, "recipe", "question_accuracy")
    by_pair = {(test.a, test.b): test for test in made.tests}
    assert made.paired == 1
    assert by_pair[0, 1].p == mcnemar_exact(0, 16)
    assert by_pair[0, 1].difference == pytest.approx(16 / 40)
    assert by_pair[0, 2].p != mcnemar_exact(0, 0)
    assert made.items[0] == made.items[1] != made.items[2]


def test_a_figure_that_is_no_mean_of_the_items_is_not_compared_item_by_item(library: Library) -> None:
    board = leaderboard(library, "vl-rewardbench", "recipe", "position_first_share")
    assert "of 1 pair of lines, 0 were compared on the same items" in board.notes[-1]
    board = leaderboard(library, "vl-rewardbench")
    assert (board.scorer, board.metric) == ("recipe", "overall_all")
    assert "of 1 pair of lines, 1 were compared on the same items" in board.notes[-1]


def test_the_groups_of_judged_pairs_are_compared_item_by_item(library: Library) -> None:
    board = leaderboard(library, "vl-rewardbench", metric="general_all")
    assert [row.figure.n for row in board.rows] == [3, 3]
    assert "of 1 pair of lines, 1 were compared on the same items" in board.notes[-1]


def test_a_figure_of_groups_is_no_mean_of_the_items_even_where_both_are_the_same(library: Library) -> None:
    """All statements of all images right, and 40 images right: no test of 40 items may pass for one of 20 images."""
    row = line(leaderboard(library, "tfq"), "best")
    version = library.version(row.run)
    lines = [Contender(replace(row.figure, n=n), run=row.run, version=version) for n in (ITEMS // 2, ITEMS, 2 * ITEMS)]
    made = pair_tests(library, lines, "recipe", "group_accuracy")
    assert [one is None for one in made.items] == [True, False, False]
    assert made.paired == 1


def test_another_metric_reads_no_run_again(changed: tuple[Library, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    library, _ = changed
    leaderboard(library, "tfq")
    monkeypatch.setattr(board_tests, "_side", None)
    board = leaderboard(library, "tfq", "recipe", "group_accuracy")
    assert "of 10 pairs of lines, 6 were compared on the same items" in board.notes[-1]


def test_what_differs_from_most_runs_is_marked(library: Library) -> None:
    board = leaderboard(library, "tfq")
    assert all(not line(board, name).marks for name in ("best", "better", "good", "bad"))
    said = marked(board, line(board, "half"))
    assert "temperature: 0.0 in most runs, 0.7 in this line" in said
    assert "number of items: 40 in most runs, 20 in this line" in said
    assert "items chosen: " in said
    assert "another denominator: 20, 40 in most runs" in said


def test_the_newest_run_says_which_board_is_shown(library: Library) -> None:
    assert leaderboard(library).benchmark == "vl-rewardbench"
    boards = {one.benchmark: one for one in leaderboard(library).boards}
    assert list(boards) == ["tfq", "vl-rewardbench", "tir", "m3r"]
    assert boards["tfq"].lines == 5 + sum(len(one.rows) for one in tables() if one.benchmark == "tfq")
    assert boards["tir"].lines == 25
    assert "recipe" in boards["tfq"].scorers
    assert "question_accuracy" in boards["tfq"].metrics


# what is asked for, which scorer and metric are shown
CHOICES = [
    (("tfq", "", ""), ("recipe", "question_accuracy")),
    (("tfq", "lenient", ""), ("lenient", "question_accuracy")),
    (("tfq", "", "group_accuracy"), ("recipe", "group_accuracy")),
    (("tir", "", ""), ("official", "all")),  # nobody has run it
    (("vl-rewardbench", "", "overall_decided"), ("recipe", "overall_decided")),
    (("m3r", "", ""), ("rubric", "visual_evidence")),
    (("m3r", "", "mapping_correctness"), ("rubric", "mapping_correctness")),
    (("vl-rewardbench", "official", "macro_decided"), ("official", "macro_decided")),
]


@pytest.mark.parametrize(("asked", "shown"), CHOICES, ids=range(len(CHOICES)))
def test_what_is_not_asked_for_is_chosen(library: Library, asked: tuple[str, str, str], shown: tuple[str, str]) -> None:
    board = leaderboard(library, *asked)
    assert (board.scorer, board.metric) == shown
    assert board.rows


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        (("nothing", "", ""), "There is no leaderboard of 'nothing'. There are: tfq"),
        (("tfq", "x" * 5000, ""), "tfq has no scorer"),
        (("tfq", "", "x"), "tfq has no metric 'x'"),
    ],
)
def test_what_there_is_not_is_named(library: Library, asked: tuple[str, str, str], word: str) -> None:
    with pytest.raises(UsageError, match=word) as told:
        leaderboard(library, *asked)
    assert len(str(told.value)) < 600


def test_published_lines_stand_under_their_own_scorer_and_metric_only(library: Library) -> None:
    board = leaderboard(library, "tfq", "official", "group_accuracy")
    assert len(board.rows) == 5 + 30
    theirs = line(board, "GPT-4o")
    assert (theirs.run, theirs.date, theirs.figure.value, theirs.figure.n) == ("", "2026-02", 0.5, 50)
    assert theirs.source == table("tfq-main").source
    assert "50 images" in marked(board, theirs)
    assert "validates on this test set" in marked(board, line(board, "MetaphorStar-32B"))
    assert "differs from MetaphorStar, main table in: n = 40, not 50" in marked(board, line(board, "best"))
    assert "OUR assumption" in board.notes[-1]
    left = {fact.name: fact.words for fact in leaderboard(library, "tfq").left_out}
    assert left[table("tfq-main").source] == "its figures are group_accuracy by official"


def test_published_lines_can_be_left_out(library: Library) -> None:
    board = board_with(library, (), "tfq", "official", "group_accuracy")
    assert {row.name for row in board.rows} == {"best", "better", "good", "bad", "half"}
    assert "OUR assumption" not in board.notes[-1]
    with pytest.raises(UsageError, match="There are: tfq, vl-rewardbench"):
        board_with(library, (), "tir", "", "")


def test_a_table_without_a_scorer_and_a_derived_figure_say_so(library: Library) -> None:
    board = leaderboard(library, "tir")
    third = line(board, "Qwen3.5-122B-A10B")
    assert "which scorer of ours it corresponds to is not known" in marked(board, third)
    assert "so items were left out" in marked(board, third)
    assert "its provider's code interpreter" in marked(board, line(board, "o3-TU"))
    assert board.parts[:2] == ["color", "refcoco"]
    assert line(board, "o3-TU").parts["maze"].value == 0.425
    derived = leaderboard(library, "m3r")
    assert "derived, not printed: 29.66 of GPT-5.5 + 28.45" in marked(derived, line(derived, "M3R-Reasoner (8B)"))
    assert "derived" not in marked(derived, line(derived, "GPT-5.5"))


def test_a_line_without_the_figure_is_counted_out(library: Library) -> None:
    board = leaderboard(library, "tir", metric="task/ocr")
    assert "Random Guess" not in {row.name for row in board.rows}
    assert [fact.words for fact in board.left_out] == ["1 line without a figure task/ocr"]


def test_the_same_items_from_another_choice_are_no_other_items(changed: tuple[Library, Path]) -> None:
    library, folder = changed
    rewrite(folder / "run.json", lambda info: info["plan"].update(data_sha256="0" * 64, seed=9))
    assert line(leaderboard(library, "tfq"), "best").marks == []


def test_other_code_incomplete_runs_and_failures_are_marked(changed: tuple[Library, Path]) -> None:
    library, folder = changed

    def spoil(results: dict[str, Any]) -> None:
        results["scorer_code"]["recipe"] = "other"
        results["metrics"]["recipe"]["question_accuracy"] |= {"failed": 2, "worst": 0.9, "best": 0.95}

    rewrite(folder / "results.json", spoil)
    rewrite(folder / "run.json", lambda info: info.update(status="incomplete"))
    board = leaderboard(library, "tfq")
    said = marked(board, line(board, "best"))
    assert "scored by other code of recipe than most runs: `beholder rescore` scores it anew" in said
    assert "incomplete: " in said
    assert "2 failed responses in no figure (else 90.0 to 95.0 %)" in said
    assert "another denominator: 42, 40 in most runs" in said


# a change to run.json or results.json; why the run is not on the board
LEFT_OUT: list[tuple[str, Callable[[dict[str, Any]], Any], str]] = [
    ("run.json", lambda info: info.update(status="running"), "it was stopped before its end"),
    ("results.json", lambda results: results.update(metrics={}), "it has no figures yet"),
    (
        "results.json",
        lambda results: results["metrics"].pop("recipe"),
        "no figure question_accuracy by recipe; it has question_accuracy by official",
    ),
    (
        "results.json",
        lambda results: results["metrics"]["recipe"]["question_accuracy"].update(value=None),
        "no figure question_accuracy by recipe",
    ),
]


@pytest.mark.parametrize(("file", "change", "why"), LEFT_OUT, ids=range(len(LEFT_OUT)))
def test_what_cannot_stand_there_is_left_out_with_why(
    changed: tuple[Library, Path], file: str, change: Callable[[dict[str, Any]], Any], why: str
) -> None:
    library, folder = changed
    rewrite(folder / file, change)
    board = leaderboard(library, "tfq")
    assert "best" not in {row.name for row in board.rows}
    (words,) = [fact.words for fact in board.left_out if fact.name == folder.name]
    assert words.startswith(why)


# results.json of a stranger: what becomes of the figure
HOSTILE: list[tuple[dict[str, Any], bool]] = [
    ({"value": 1e308}, False),
    ({"value": -0.1}, False),
    ({"n": -5}, False),
    ({"n": 10**30}, True),
    ({"unit": "<script>"}, False),
    ({"low": -1e9, "high": 2}, True),
    ({"interval": "x" * 100_000, "note": "y" * 100_000}, True),
]


@pytest.mark.parametrize(("change", "stands"), HOSTILE, ids=range(len(HOSTILE)))
def test_figures_of_a_stranger_are_held_to_what_figures_can_be(
    changed: tuple[Library, Path], change: dict[str, Any], stands: bool
) -> None:
    library, folder = changed
    rewrite(folder / "results.json", lambda held: held["metrics"]["recipe"]["question_accuracy"].update(change))
    board = leaderboard(library, "tfq")
    found = [row for row in board.rows if row.run == folder.name]
    assert len(found) == stands
    assert len(json.dumps(board.notes)) < 20_000
    for row in found:
        assert row.figure.low is None or 0 <= row.figure.low <= 1
        assert len(row.figure.interval) <= 200


def test_damaged_runs_do_not_break_a_board(changed: tuple[Library, Path]) -> None:
    library, folder = changed
    (folder / "run.json").write_text("{" * 10_000)
    assert "best" not in {row.name for row in leaderboard(library, "tfq").rows}
    others = sorted(one for one in folder.parent.iterdir() if "_tfq_" in one.name and one != folder)
    (others[0] / "run.db").write_bytes(b"no database")
    (others[1] / "run.db").unlink()
    rewrite(others[2] / "run.json", lambda info: info["plan"].update(tools="x", sampling=[1], selection=7))
    board = leaderboard(library, "tfq")
    assert len(board.rows) == 4
    assert "of 6 pairs of lines, 0 were compared on the same items" in board.notes[-1]


def test_a_large_run_that_cannot_be_indexed_does_not_break_a_board(
    changed: tuple[Library, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    library, folder = changed
    monkeypatch.setattr(board_tests, "MOST_ROWS", 0)
    (folder / "run.db").rename(folder / "other.db")
    (folder / "run.db").symlink_to(folder / "other.db")
    assert "best" in {row.name for row in leaderboard(library, "tfq").rows}
    rewrite(folder / "run.json", lambda info: info["plan"].update(benchmark="/tmp/mine.py:Mine"))
    assert [row.name for row in leaderboard(library, "/tmp/mine.py:Mine").rows] == ["best"]


def test_a_benchmark_that_is_not_known_here_has_a_board_too(changed: tuple[Library, Path]) -> None:
    """A folder may name any benchmark; nothing is loaded or run for that."""
    library, folder = changed

    def rename(info: dict[str, Any]) -> None:
        info["plan"]["benchmark"] = info["settings"]["plan"]["benchmark"] = "/tmp/evil.py:Mine"

    rewrite(folder / "run.json", rename)
    board = leaderboard(library, "/tmp/evil.py:Mine")
    assert [(row.name, row.figure.value) for row in board.rows] == [("best", 38 / 40)]
    assert (board.scorer, board.metric) == ("recipe", "question_accuracy")
    assert board.boards[-1].benchmark == "/tmp/evil.py:Mine"


def test_generated_items_are_not_put_beside_published_figures(changed: tuple[Library, Path]) -> None:
    library, folder = changed
    with closing(sqlite3.connect(folder / "run.db")) as db:
        db.execute("UPDATE samples SET record = json_set(record, '$.split', 'synthetic') WHERE position = 3")
        db.commit()
    asked = ("tfq", "official", "group_accuracy")
    board = leaderboard(library, *asked)
    assert "best" not in {row.name for row in board.rows}
    (words,) = [fact.words for fact in board.left_out if fact.name == folder.name]
    assert words.startswith("its items were generated")
    assert "best" in {row.name for row in board_with(library, (), *asked).rows}
    assert "best" in {row.name for row in leaderboard(library, "tfq").rows}, "no published line stands there"


def test_a_folder_with_nothing_but_begun_runs_has_a_board_without_lines(changed: tuple[Library, Path]) -> None:
    library, folder = changed
    for other in folder.parent.iterdir():
        if other != folder:
            shutil.rmtree(other)
    (folder / "results.json").unlink()
    assert leaderboard(library, "tfq").rows[0].source, "what is published"
    own = board_with(library, (), "", "", "")
    assert (own.benchmark, own.rows) == ("tfq", [])
    assert [fact.words for fact in own.left_out] == ["it has no figures yet"]
    rewrite(folder / "run.json", lambda info: info["plan"].update(benchmark="mine"))
    assert [fact.name for fact in leaderboard(library, "mine").left_out] == [folder.name]
    assert leaderboard(library).benchmark == "tfq", "there are figures"


def made_run(model: str, created: str, tools: str = "", run: str = "r") -> BoardRun:
    return BoardRun(
        id=run,
        version="",
        benchmark="tfq",
        model=model,
        created=created,
        status="complete",
        tools=tools,
        plan={},
        reader="",
        judges="",
        assumptions="",
        code={},
        generated=False,
        metrics={},
        headline=None,
    )


def test_of_many_runs_the_newest_stand_on_a_board_and_the_others_are_counted() -> None:
    figures = {"recipe": {"question_accuracy": Metric(value=0.5, n=10)}}
    runs = [replace(made_run("m", DAY, run=f"r{number}"), metrics=figures) for number in range(103)]
    runs += [made_run("m", DAY, run=f"empty{number}") for number in range(102)]
    stands, left_out = sorted_out(runs, "recipe", "question_accuracy", beside_published=False)
    assert [one.run.id for one in stands] == [f"r{number}" for number in range(100)]
    assert (len(left_out), left_out[99].name) == (102, "empty99")
    assert [fact.name for fact in left_out[100:]] == ["2 older runs", "3 older runs"]
    assert left_out[-1].words == "a board holds the newest 100 that have the figure"


DAY = "2026-12-01T10:15:30+00:00"
# model, time, tools; what it is called
NAMES = [
    ([("a", DAY, ""), ("b", DAY, "")], ["a", "b"]),
    ([("a", DAY, ""), ("a", DAY, "python")], ["a", "a, python tools"]),
    ([("a", DAY, ""), ("a", "2026-12-02T10:15:30", "")], ["a, 2026-12-01 10:15", "a, 2026-12-02 10:15"]),
    ([("a", DAY, ""), ("a", "2026-12-01T10:15:31", "")], ["a, 2026-12-01 10:15:30", "a, 2026-12-01 10:15:31"]),
    ([("a", DAY, ""), ("a", DAY, "")], ["a, r0", "a, r1"]),
    ([("", DAY, "")], ["(no name)"]),
]


@pytest.mark.parametrize(("given", "names"), NAMES, ids=range(len(NAMES)))
def test_runs_of_one_model_are_told_apart(given: list[tuple[str, str, str]], names: list[str]) -> None:
    assert called([made_run(*one, run=f"r{number}") for number, one in enumerate(given)]) == names


def test_a_run_is_read_again_when_it_has_changed(changed: tuple[Library, Path]) -> None:
    library, folder = changed
    before = board_run(folder.name, folder, library.version(folder.name))
    assert before is not None
    assert board_run(folder.name, folder, before.version) is before
    rewrite(folder / "results.json", lambda held: held["metrics"]["recipe"]["question_accuracy"].update(value=0.5))
    after = board_run(folder.name, folder, library.version(folder.name))
    assert after is not None
    figure = after.figure("recipe", "question_accuracy")
    assert figure is not None
    assert figure.value == 0.5
