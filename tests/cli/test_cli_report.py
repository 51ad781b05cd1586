"""`beholder report` as it is typed: where the page goes, what it says, what it refuses."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cli_data import CONSTANT, Beholder, check_refused, run, tfq_data, tree, vlrb_data


@pytest.fixture
def runs(beholder: Beholder, tmp_path: Path) -> Path:
    """A folder with two runs of TFQ-Bench and one of VL-RewardBench."""
    folder = tmp_path / "runs"
    data = tfq_data(tmp_path / "tfq")
    for model in (CONSTANT, "random"):
        assert beholder(*run(data, "--runs-dir", folder, model=model)).code == 0
    other = vlrb_data(tmp_path / "vlrb")
    assert beholder(*run(other, "--runs-dir", folder, benchmark="vl-rewardbench", model="random")).code == 0
    return folder


def named(runs: Path, benchmark: str) -> list[str]:
    return sorted(path.name for path in runs.iterdir() if f"_{benchmark}_" in path.name)


def data_of(page: Path) -> dict[str, object]:
    """What the page tells its script."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text())
    assert found is not None
    data = json.loads(found[1])
    assert isinstance(data, dict)
    return data


def test_the_page_lies_in_the_last_run_unless_told_otherwise(beholder: Beholder, runs: Path, tmp_path: Path) -> None:
    names = named(runs, "tfq")
    said = beholder("report", *names, "--runs-dir", runs)
    page = runs / names[-1] / "report.html"
    assert (said.code, said.err) == (0, "")
    assert re.fullmatch(rf"{re.escape(str(page))} \(\d+ kB\)\n", said.out)
    assert len(data_of(page)["runs"]) == 2  # type: ignore[arg-type]
    said = beholder("report", names[0], "--runs-dir", runs, "--out", tmp_path / "new folder" / "page.html")
    assert said.code == 0
    assert data_of(tmp_path / "new folder" / "page.html")["runs"] == [CONSTANT]
    assert beholder("report", "latest", "--runs-dir", runs).code == 0
    assert (runs / named(runs, "vl-rewardbench")[0] / "report.html").is_file()


def test_a_run_with_a_report_is_still_a_run(beholder: Beholder, runs: Path) -> None:
    name = named(runs, "tfq")[0]
    before = beholder("show", name, "--runs-dir", runs).out
    assert beholder("report", name, "--runs-dir", runs).code == 0
    assert beholder("show", name, "--runs-dir", runs).out == before
    assert beholder("rescore", name, "--runs-dir", runs).code == 0


@pytest.mark.parametrize("number", [0, 1, 6, 7])
def test_samples_says_how_many_the_page_holds(beholder: Beholder, runs: Path, number: int) -> None:
    name = named(runs, "tfq")[0]
    assert beholder("report", name, "--runs-dir", runs, "--samples", number).code == 0
    page = runs / name / "report.html"
    assert len(data_of(page)["samples"]) == min(number, 6)  # type: ignore[arg-type]
    assert (f"The first {number} of 6 samples" in page.read_text()) == (number < 6)


def test_large_pictures_lie_beside_inside_or_nowhere(beholder: Beholder, tmp_path: Path) -> None:
    assert beholder("synth", "maze", "--n", 1, "--out", tmp_path / "set").code == 0
    assert (
        beholder(*run(tmp_path / "set", "--runs-dir", tmp_path / "runs", benchmark="tir", model="classical")).code == 0
    )
    (tmp_path / "out").mkdir()
    call = ("report", "latest", "--runs-dir", tmp_path / "runs", "--out", tmp_path / "out" / "page.html")
    for option, beside, embedded in (("", 1, 0), ("--embed", 0, 1), ("--without-images", 0, 0)):
        said = beholder(*call, *filter(None, [option]))
        assert (said.code, said.err) == (0, "")
        assert ("its large pictures in page_images" in said.out) == bool(beside)
        assert len(tree(tmp_path / "out")) == 1 + beside
        page = (tmp_path / "out" / "page.html").read_text()
        assert page.count('<script type="text/plain"') == embedded
        assert page.count("data:image/webp;base64,") == int(option != "--without-images")


def test_a_packed_run_is_opened_too(beholder: Beholder, runs: Path, tmp_path: Path) -> None:
    first, second = named(runs, "tfq")
    packed = tmp_path / "packed.beholder"
    assert beholder("pack", first, "--runs-dir", runs, "--out", packed).code == 0
    said = beholder("report", packed)
    assert (said.code, said.err) == (0, "")
    assert data_of(tmp_path / "packed.html")["runs"] == [CONSTANT]
    assert beholder("report", packed, second, "--runs-dir", runs, "--out", tmp_path / "both.html").code == 0
    assert data_of(tmp_path / "both.html")["runs"] == [CONSTANT, "random"]


def test_scores_by_other_code_are_told(beholder: Beholder, runs: Path) -> None:
    name = named(runs, "tfq")[0]
    with closing(sqlite3.connect(runs / name / "run.db")) as db, db:
        db.execute("UPDATE scorers SET code = 'other' WHERE name = 'strict'")
    said = beholder("report", name, "--runs-dir", runs)
    assert said.code == 0
    assert "the stored scores (strict) are not by the scorers as they are now" in said.err
    assert said.out.count("\n") == 1


def test_what_makes_no_report_is_refused(beholder: Beholder, runs: Path, tmp_path: Path) -> None:
    (tfq, _), (other,) = named(runs, "tfq"), named(runs, "vl-rewardbench")
    (tmp_path / "not a run").write_text("x")
    before = tree(runs)
    cases: list[tuple[list[object], tuple[str, ...]]] = [
        ([tfq, other], ("one benchmark", "tfq, vl-rewardbench")),
        ([tfq, "--embed", "--without-images"], ("--embed and --without-images exclude each other",)),
        ([tfq, "--out", tmp_path], ("is a folder",)),
        ([tfq, "--out", tmp_path / "not a run" / "x.html"], ("cannot be written", "Choose another --out")),
        (["no-such-run"], ("There is no run 'no-such-run'",)),
        ([tmp_path / "not a run"], ("cannot be read as a packed run",)),
        ([tfq, "--samples", "-1"], ("--samples",)),
        ([], ("RUN",)),
    ]
    for arguments, words in cases:
        check_refused(beholder("report", *arguments, "--runs-dir", runs), words)
    assert tree(runs) == before
