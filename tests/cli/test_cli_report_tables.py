"""`beholder report --format`: tables for papers, whatever the models are called."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from cli_data import Beholder, check_refused, run, tfq_data, tree, vlrb_data
from made_boards import CHINESE, FORMULA, HOSTILE, ITEMS, check_latex, check_markdown, tfq_runs

from beholder.report.paper_csv import COLUMNS
from beholder.report.table_formats import in_latex, in_markdown


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tfq_runs(tmp_path_factory.mktemp("tables"))


@pytest.fixture(scope="module")
def names(runs: Path) -> list[str]:
    """The runs, the best first."""
    there = [one.name for one in runs.iterdir() if one.is_dir()]
    return [next(name for name in there if word in name) for word in ("_50-", "HYPERLINK", "7B")]


def rows_of(text: str) -> list[dict[str, str]]:
    assert text.isprintable() or {char for char in text if not char.isprintable()} <= {"\r", "\n"}
    return list(csv.DictReader(io.StringIO(text)))


def test_latex(beholder: Beholder, runs: Path, names: list[str]) -> None:
    said = beholder("report", *names, "--runs-dir", runs, "--format", "latex")
    assert said.code == 0, said.err
    check_latex(said.out, tables=3)
    assert said.out.startswith("% Needs \\usepackage{booktabs, graphicx}\n% Holds more than ASCII")
    assert f"\n{{[}}{in_latex(HOSTILE)[1:]} & 95.8 [79.8, 99.3] &" in said.out
    assert r"95.8 [79.8, 99.3]" in said.out
    assert r"$-$45.8 [" in said.out
    assert r"\textsuperscript{*}" in said.out
    assert "differs from" in said.out
    alone = beholder("report", names[0], "--runs-dir", runs, "--format", "latex")
    check_latex(alone.out, tables=2)
    assert "differs from" not in alone.out
    assert "more than ASCII" not in alone.out


def test_markdown(beholder: Beholder, runs: Path, names: list[str]) -> None:
    said = beholder("report", *names, "--runs-dir", runs, "--format", "md")
    assert said.code == 0, said.err
    check_markdown(said.out, tables=3)
    assert in_markdown(HOSTILE) in said.out
    assert f"| {in_markdown(FORMULA)} | 50.0 \\[31.4, 68.6\\] \\* |" in said.out
    assert CHINESE in said.out
    assert "### TFQ-Bench: question\\_accuracy under each scorer" in said.out


def test_csv_has_a_figure_a_line_with_plain_numbers(beholder: Beholder, runs: Path, names: list[str]) -> None:
    said = beholder("report", *names, "--runs-dir", runs, "--format", "csv")
    assert said.code == 0, said.err
    rows = rows_of(said.out)
    assert list(rows[0]) == list(COLUMNS)
    headline = {
        row["run"]: row
        for row in rows
        if (row["kind"], row["scorer"], row["metric"]) == ("figure", "recipe", "question_accuracy")
    }
    assert set(headline) == {HOSTILE, f"'{FORMULA}", CHINESE}, "a formula is a text"
    assert [float(row["value"]) for row in headline.values()] == pytest.approx([23 / 24, 12 / 24, 8 / 24])
    assert {row["n"] for row in headline.values()} == {str(ITEMS)}
    assert all(0 <= float(row["low"]) < float(row["high"]) <= 1 for row in headline.values())
    differences = [row for row in rows if row["kind"] == "difference"]
    assert [(row["against"], row["test"], row["told_apart"]) for row in differences] == [(HOSTILE, "mcnemar", "-1")] * 2
    assert [float(row["value"]) for row in differences] == pytest.approx([-11 / 24, -15 / 24])
    assert all(float(row["p"]) <= float(row["p_holm"]) <= 0.05 for row in differences)


def test_a_file_is_written_whole(beholder: Beholder, runs: Path, names: list[str], tmp_path: Path) -> None:
    out = tmp_path / "new" / "tables.csv"
    said = beholder("report", names[0], "--runs-dir", runs, "--format", "csv", "--out", out)
    assert (said.code, said.err) == (0, "")
    assert said.out == f"{out} ({out.stat().st_size / 1000:.0f} kB)\n"
    assert out.read_bytes().startswith(b"\xef\xbb\xbfkind,"), "spreadsheets take UTF-8 for what it is by this mark only"
    told = beholder.json("report", names[0], "--runs-dir", runs, "--format", "latex", "--out", tmp_path / "x.tex")
    assert told == {"file": str(tmp_path / "x.tex"), "bytes": (tmp_path / "x.tex").stat().st_size}
    assert not (runs / names[0] / "report.html").exists()


REFUSED: list[tuple[tuple[object, ...], tuple[str, ...]]] = [
    (("--format", "docx"), ("--format", "docx", "latex")),
    (("--format", "md", "--embed"), ("--embed", "about the page")),
    (("--format", "md", "--json"), ("--json", "--out")),
    (("--format", "csv", "--out", "."), ("is a folder",)),
]


@pytest.mark.parametrize(("options", "words"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_is_refused(
    beholder: Beholder, runs: Path, names: list[str], options: tuple[object, ...], words: tuple[str, ...]
) -> None:
    before = tree(runs)
    check_refused(beholder("report", names[0], "--runs-dir", runs, *options), words)
    assert tree(runs) == before


def test_votes_parts_and_runs_of_other_items(beholder: Beholder, tmp_path: Path) -> None:
    """VL-RewardBench has parts that are no categories' names; runs without a common item have no difference."""
    runs = ("--runs-dir", tmp_path / "runs")
    judged = vlrb_data(tmp_path / "vlrb")
    for model in ("constant/Overall Judgment: Answer 1 is better.", "random"):
        assert beholder(*run(judged, *runs, benchmark="vl-rewardbench", model=model)).code == 0
    first, second = sorted(one.name for one in (tmp_path / "runs").iterdir() if one.is_dir())
    said = beholder("report", first, second, *runs, "--format", "md")
    check_markdown(said.out, tables=3)
    assert "| reasoning |" in said.out
    assert "| **overall\\_all** |" in said.out
    data = tfq_data(tmp_path / "tfq")
    for ids in ("q0", "q5"):
        (tmp_path / f"{ids}.txt").write_text(ids)
        assert beholder(*run(data, *runs, "--ids", tmp_path / f"{ids}.txt")).code == 0
    apart = sorted(one.name for one in (tmp_path / "runs").iterdir() if "_tfq_" in one.name)
    said = beholder("report", *apart, *runs, "--format", "md")
    assert said.code == 0, said.err
    assert "no comparison: The runs have no item in common" in said.out
    check_refused(beholder("report", first, apart[0], *runs, "--format", "md"), ("Give runs of one benchmark",))
