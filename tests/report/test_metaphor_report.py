"""What M3R-Bench tells beyond its figures, on a terminal and on a report page."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from beholder.benchmarks.m3r import BENCHMARK
from beholder.benchmarks.m3r.example import write_example
from beholder.cli.main import app
from beholder.report.details_report import print_details
from beholder.report.metaphor_report import agreement_rows, judge_rows, mismatch_rows, print_metaphors

ALPHA = {"value": 0.5, "items": 4}


def kind(number: int, *keys: str) -> dict[str, Any]:
    share = number / 8
    metaphors = {"count": number, "of": 5}
    return {"count": number, "of": 8, "share": share, "low": 0.1, "high": 0.6, "metaphors": metaphors, "keys": keys}


DETAILS: dict[str, Any] = {
    "confusion": {
        scorer: {gold: {"positive": number, "neutral": 0, "negative": 1, "none": 2} for gold in ("positive", "neutral")}
        for number, scorer in enumerate(("strict", "lenient"), start=40)
    },
    "structure": {"strict": {}, "lenient": {"slots_without_metaphor": 3, "box_outside": 1}},
    "assumptions": {"sha256": "0123456789abcdef", "whose": "ours"},
    "mismatch": {
        "judged": 9,
        "shown_from": 50.0,
        "mapping_without_evidence": kind(4, "key-1", "key-2", "key-3", "key-4"),
        "evidence_without_mapping": kind(1, "key-5"),
        "right_labels_wrong_mapping": kind(0),
    },
    "judges": {
        "each": {
            "a[bold]": {"mean": 61.26, "judged": 8, "failed": 1, "quotes": 20, "quotes_not_found": 2},
            "b": {"mean": None, "judged": 0, "failed": 9, "quotes": 0, "quotes_not_found": 0},
        },
        "spread": {"visual_evidence": {"difference": 4.25, "deviation": 3, "items": 4}},
        "agreement": {
            "visual_evidence": {
                "answers": {"raw": {"value": 0.75}, "alpha": ALPHA, "kappa": [{"judges": ["a", "b"], "value": 0.25}]},
                "points": {"alpha": {"value": None, "items": 0, "reason": "no pairs"}},
            }
        },
    },
}


def printed(details: dict[str, Any], width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False)
    print_metaphors(console, details, "lenient")
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_everything_is_told_within_eighty_columns() -> None:
    out = printed(DETAILS)
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.split() == ["positive", "41", "0", "1", "2"] for line in lines), "of the headline's scorer alone"
    words = " ".join(out.split())
    assert "a target or source without a metaphor 3, a box that is no part of the picture 1" in words
    assert "mapping met, visual evidence not 4 of 8 50.0 % [10.0, 60.0] 4 of 5" in words
    assert "mapping met, visual evidence not: key-1, key-2, key-3 and 1 more" in words
    assert "labels right, mapping not met:" not in words, "there is none to list"
    assert "a[bold] 61.3 8, 1 failed 2 of 20" in words
    assert "visual_evidence 4.2 75.0 % 0.50 – 0.25" in words
    assert "(ours, SHA-256 0123456789abcdef…)" in words


def test_without_judges_and_faults_there_is_little_to_tell() -> None:
    out = printed({"structure": {"lenient": {}}, "assumptions": {"sha256": "00", "whose": "changed"}})
    assert out.strip().startswith("The paper's formulas")
    assert "changed ones, not ours" in " ".join(out.split())


def test_why_there_is_no_mismatch_is_said() -> None:
    out = printed(DETAILS | {"mismatch": {"note": "The assumptions have no criteria of these names."}})
    assert "The assumptions have no criteria of these names." in " ".join(out.split())


def test_rows_of_one_judge_have_no_agreement() -> None:
    alone = {"each": {"a": DETAILS["judges"]["each"]["a[bold]"]}}
    assert agreement_rows(alone) == []
    assert judge_rows(alone) == [("a", "61.3", "8, 1 failed", "2 of 20")]
    assert [row[-1] for row in mismatch_rows(DETAILS["mismatch"])] == [
        ["key-1", "key-2", "key-3", "key-4"],
        ["key-5"],
        [],
    ]


def test_the_details_of_the_benchmark_are_printed_by_it() -> None:
    console = Console(file=io.StringIO(), width=80, markup=False)
    print_details(console, DETAILS, BENCHMARK, {"lenient": {}})
    assert "evidence–mapping mismatch" in console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_page_tells_of_the_mismatch_and_lists_the_items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_example(tmp_path / "ex")
    monkeypatch.chdir(tmp_path / "ex")
    judges = ["--judge", "scripted/scripts/judge.json", "--judge", "scripted/scripts/judge-2.json"]
    run = ["run", "m3r", "--data", ".", "--model", "scripted/scripts/model.json", *judges]
    runner = CliRunner()
    assert runner.invoke(app, run).exit_code in (0, 4)
    assert runner.invoke(app, ["run", "m3r", "--data", ".", "--model", "random", "--task", "target"]).exit_code == 0
    folders = [str(path) for path in sorted(Path("runs").iterdir()) if (path / "run.db").exists()]
    done = runner.invoke(app, ["report", *folders, "--out", "page.html"])
    assert done.exit_code == 0, done.output
    page = Path("page.html").read_text()
    for words in ("Metaphors: evidence and mapping", "mapping met, visual evidence not", "weighted kappa"):
        assert words in page
    assert "No judge was asked about the explanations (--judge)." in page
    assert "“joint” by lenient, is not there in every run. Shown here is “right” by lenient." in page
