"""`beholder leaderboard`: what the page shows, in the terminal and as tables."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import pytest
from cli_data import Beholder, check_refused
from made_boards import CHINESE, FORMULA, HOSTILE, check_latex, check_markdown, tfq_runs

from beholder.report.plain_text import plain


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tfq_runs(tmp_path_factory.mktemp("board"))


def test_the_terminal_has_ranks_figures_and_notes(beholder: Beholder, runs: Path) -> None:
    said = beholder("leaderboard", runs)
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0] == "TFQ-Bench: question_accuracy by recipe"
    assert lines[1].split() == ["rank", "question_accuracy", "95", "%", "n", "perception", "notes"]
    assert lines[2].startswith(f"1        {plain(HOSTILE, one_line=True)[:20]}")
    assert any(line.startswith(f"2 [2–3]  {FORMULA}") and "50.0 %" in line for line in lines)
    assert any(line.startswith("3 [2–3]") for line in lines if CHINESE in line)
    assert "1  Ranks: of 3 pairs of lines, 3 were compared on the same items" in said.out
    assert "Not on this board:" in said.out
    assert beholder("leaderboard", "--runs-dir", runs).out == said.out


def test_published_lines_are_there_unless_they_are_left_out(beholder: Beholder, runs: Path) -> None:
    asked = ("leaderboard", runs, "--scorer", "official", "--metric", "group_accuracy")
    said = beholder(*asked)
    assert "MetaphorStar-32B (2026-02)" in said.out
    assert "OUR assumption" in said.out
    assert "GPT-4o" not in beholder(*asked, "--no-published").out
    check_refused(beholder("leaderboard", runs, "--benchmark", "tir", "--no-published"), ("no leaderboard of 'tir'",))
    elsewhere = beholder("leaderboard", runs, "--benchmark", "tir")
    assert "o3-TU (2025-11)" in elsewhere.out


def test_json_is_the_page(beholder: Beholder, runs: Path) -> None:
    board = beholder.json("leaderboard", runs)
    assert [row["name"] for row in board["rows"]] == [HOSTILE, FORMULA, CHINESE]
    assert [(row["rank"], row["best"], row["worst"]) for row in board["rows"]] == [(1, 1, 1), (2, 2, 3), (3, 2, 3)]
    assert {fact["words"] for fact in board["left_out"]} == {"its figures are group_accuracy by official"}
    assert {one["benchmark"] for one in board["boards"]} >= {"tfq", "tir"}


def test_csv_has_plain_numbers_and_no_formula(beholder: Beholder, runs: Path) -> None:
    said = beholder("leaderboard", runs, "--format", "csv")
    rows = [row for row in csv.DictReader(io.StringIO(said.out)) if row["rank"]]
    assert [row["name"] for row in rows] == [HOSTILE, f"'{FORMULA}", CHINESE]
    assert [float(row["value"]) for row in rows] == pytest.approx([23 / 24, 12 / 24, 8 / 24])
    assert [(row["rank_best"], row["rank_worst"], row["n"]) for row in rows] == [
        ("1", "1", "24"),
        ("2", "3", "24"),
        ("2", "3", "24"),
    ]


@pytest.mark.parametrize("board", [(), ("--benchmark", "tir"), ("--scorer", "official", "--metric", "group_accuracy")])
def test_latex_and_markdown(beholder: Beholder, runs: Path, board: tuple[str, ...]) -> None:
    check_latex(beholder("leaderboard", runs, *board, "--format", "latex").out, tables=1)
    check_markdown(beholder("leaderboard", runs, *board, "--format", "md").out, tables=1)


def test_a_wide_terminal_shows_the_parts(beholder: Beholder, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("leaderboard", runs, "--benchmark", "vl-rewardbench")
    assert "Its 3 parts are in --format csv" in beholder(*asked).out
    monkeypatch.setenv("COLUMNS", "160")
    wide = beholder(*asked).out
    assert "hallucination" in wide.splitlines()[1]
    assert "parts are in" not in wide


def test_without_runs_there_is_what_is_published(beholder: Beholder, tmp_path: Path) -> None:
    said = beholder("leaderboard", "--runs-dir", tmp_path / "none")
    assert said.code == 0
    assert "MetaphorStar" in said.out
    check_refused(beholder("leaderboard", tmp_path / "none"), ("is no folder",))
    check_refused(beholder("leaderboard", tmp_path, "--no-published"), ("There is no leaderboard",))


def test_a_name_that_controls_a_terminal_does_not(beholder: Beholder, runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs, tmp_path / "runs")
    for folder in (tmp_path / "runs").iterdir():
        file = folder / "run.json"
        file.write_text(file.read_text().replace("=HYPERLINK", "\\u001b[2J\\u202eHYPERLINK"))
    for form in ("table", "md", "latex", "csv"):
        said = beholder("leaderboard", tmp_path / "runs", "--format", form)
        assert said.code == 0, said.err
        assert "HYPERLINK" in said.out
        assert not {"\x1b", "\u202e"} & set(said.out)
