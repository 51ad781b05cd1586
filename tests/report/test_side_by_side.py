"""Several runs in one table: the same scorer for all, a line for each task, what is missing left empty."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from beholder.engine.judge import Judge
from beholder.engine.lifecycle import Result
from beholder.models.fakes import constant
from beholder.report.side_by_side import print_side_by_side
from made_tir import READING, record, run_tir

ROWS = [record(0), record(1), record(2, "ocr", "EXIT", "What is written?")]


def printed(*results: Result, width: int = 100) -> list[list[str]]:
    sink = io.StringIO()
    print_side_by_side(Console(file=sink, width=width, markup=False, highlight=False, emoji=False), results)
    assert max(map(len, sink.getvalue().splitlines())) <= width
    return [line.split() for line in sink.getvalue().splitlines() if line.strip()]


def run(here: Path, *answers: str, reader: Judge | None = None) -> Result:
    return run_tir(here, ROWS, answers, reader)[0]


def test_tasks_are_lines_and_runs_are_columns(tmp_path: Path) -> None:
    lines = printed(run(tmp_path / "1", "B", "A", "EXIT"), run(tmp_path / "2", "B", "B", "no"))
    assert lines[0][0] == "lenient"
    assert [line for line in lines if line[0] == "ocr"] == [["ocr", "100.0", "%", "0.0", "%", "1"]]
    assert [line for line in lines if line[0] == "maze"] == [["maze", "50.0", "%", "100.0", "%", "2"]]
    assert [line for line in lines if line[0] == "all"] == [["all", "66.7", "%", "66.7", "%", "3"]]
    assert [line[0] for line in lines[1:3]] == ["ocr", "maze"], "in the order of the paper"
    assert any(line[:2] == ["95", "%"] for line in lines)


def test_runs_with_the_authors_figure_are_shown_under_it_and_mixed_ones_under_ours(tmp_path: Path) -> None:
    reader = Judge(name="constant/B", task=READING, template="{response}", model=constant("B"))
    read = run(tmp_path / "1", "A", "A", "EXIT", reader=reader)
    plain = run(tmp_path / "2", "A", "A", "EXIT")
    assert printed(read, read)[0][0] == "official"
    assert [line for line in printed(read) if line[0] == "maze"] == [["maze", "100.0", "%", "2"]]
    mixed = printed(read, plain)
    assert mixed[0][0] == "lenient"
    assert [line for line in mixed if line[0] == "maze"] == [["maze", "0.0", "%", "0.0", "%", "2"]]


def test_a_run_without_figures_has_empty_cells(tmp_path: Path) -> None:
    whole = run(tmp_path / "1", "B", "B", "EXIT")
    nothing = msgspec.structs.replace(whole, metrics={}, model="x\x1b[2J")
    lines = printed(whole, nothing)
    assert [line for line in lines if line[0] == "all"] == [["all", "100.0", "%", "3"]]
    assert "\x1b" not in str(lines)


@pytest.mark.parametrize("width", [60, 80, 140])
def test_three_runs_fit(tmp_path: Path, width: int) -> None:
    whole = run(tmp_path / "1", "B", "B", "EXIT")
    lines = printed(whole, whole, whole, width=width)
    assert [line for line in lines if line[0] == "all"] == [["all", *["100.0", "%"] * 3, "3"]]
