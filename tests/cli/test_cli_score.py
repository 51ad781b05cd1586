"""`beholder score`: the table for a person, and the one JSON object for a program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_data import Beholder, better, judgement, tfq_data, tfq_results, vlrb_data, write_lines

SCORERS = {"recipe", "official", "strict", "lenient"}
LINK = "\x1b]8;;http://x\x07link\x1b]8;;\x07"
HOSTILE = ["\ud83d", "\x00", LINK, "[red]<answer>T</answer>[/]", "\u202eT", "T" * 70_000]


def check_object(found: dict[str, Any], benchmark: str, *, votes: bool) -> None:
    """The shape that docs/formats.md promises."""
    assert found["benchmark"] == benchmark
    assert set(found["metrics"]) == SCORERS
    for figures in found["metrics"].values():
        assert figures
        for metric in figures.values():
            assert {"value", "n", "failed", "low", "high"} <= set(metric)
            assert isinstance(metric["n"], int)
            assert metric["value"] is None or 0 <= metric["value"] <= 1
    for item in found["items"]:
        assert isinstance(item["index"], int)
        assert isinstance(item["key"], str)
        assert ("vote" in item) is votes
        assert set(item["scores"]) == SCORERS
        for score in item["scores"].values():
            assert {"value", "outcome", "extracted", "flags"} <= set(score)
            assert isinstance(score["flags"], list)


def test_tfq_as_json(beholder: Beholder, tmp_path: Path) -> None:
    file = tfq_results(tmp_path / "r.json", ["<answer>T</answer>", "T", "<answer>True</answer>", "", None, "maybe"])
    found = beholder.json("score", "tfq", file)
    check_object(found, "tfq", votes=False)
    assert [item["index"] for item in found["items"]] == list(range(6)), "items in file order"
    assert [item["scores"]["lenient"]["value"] for item in found["items"]] == [1, 0, 1, 0, 0, 0]
    assert [item["scores"]["strict"]["extracted"] for item in found["items"]] == ["T", None, None, None, None, None]
    assert found["metrics"]["recipe"]["question_accuracy"] | {"low": 0, "high": 0} == {
        "value": pytest.approx(1 / 6),
        "n": 6,
        "failed": 0,
        "low": 0,
        "high": 0,
        "worst": pytest.approx(1 / 6),
        "best": pytest.approx(1 / 6),
        "interval": "cluster bootstrap",
        "note": "only 3 clusters: the interval is too narrow",
    }
    assert found["headline"] == {"scorer": "recipe", "metric": "question_accuracy"}


def test_vl_rewardbench_as_json(beholder: Beholder, tmp_path: Path) -> None:
    rows = [judgement(item, better(1 + vote % 2), vote % 2) for vote in range(5) for item in range(4)]
    found = beholder.json("score", "vl-rewardbench", write_lines(tmp_path / "r.jsonl", rows))
    check_object(found, "vl-rewardbench", votes=True)
    assert [item["index"] for item in found["items"]] == list(range(20)), "items in file order"
    assert [item["vote"] for item in found["items"]] == [vote for vote in range(5) for _ in range(4)]
    assert [item["order"] for item in found["items"][:5]] == [[0, 1]] * 4 + [[1, 0]]
    # Every vote prefers stored answer 1, shown first or second: right wherever [0, 1] is the ranking.
    assert found["metrics"]["recipe"]["overall_all"]["value"] == 0.75
    assert found["metrics"]["recipe"]["reasoning_all"] | {"low": None, "high": None} == {
        "value": 0.0,
        "n": 1,
        "failed": 0,
        "low": None,
        "high": None,
        "worst": 0.0,
        "best": 0.0,
        "interval": "wilson",
    }


def test_plain_answers_as_json(beholder: Beholder, tmp_path: Path) -> None:
    answers = [{"key": "q3", "response": "<answer>T</answer>"}, {"index": 0, "response": "no idea"}]
    said = beholder("score", "tfq", write_lines(tmp_path / "a.jsonl", answers), "--data", tfq_data(tmp_path), "--json")
    found = json.loads(said.out)
    check_object(found, "tfq", votes=False)
    assert [item["scores"]["strict"]["value"] for item in found["items"]] == [1, 0]
    assert "4 items" in said.err
    assert "no answer" in said.err


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:12])
def test_json_survives_any_text(beholder: Beholder, tmp_path: Path, text: str) -> None:
    file = tmp_path / "r.json"
    record = {
        "Model_Output": text,
        "Ground_Truth": "T",
        "Question_ID": text[:99],
        "Question": text[:99],
        "Image_URL": text[:99],
        "extra": float("nan"),
    }
    file.write_text(json.dumps([record]), encoding="utf-8")
    said = beholder("score", "tfq", file, "--json")
    assert said.code == 0, said.err
    assert said.out.isascii()
    check_object(json.loads(said.out), "tfq", votes=False)


def test_nothing_but_the_object_on_standard_output(beholder: Beholder, tmp_path: Path) -> None:
    said = beholder("score", "tfq", tfq_results(tmp_path / "r.json", ["T"] * 6, urls=False), "--json")
    assert json.loads(said.out)
    assert said.out.count("\n") == 1
    assert "No row has an Image_URL" in said.err


def test_the_table_begins_with_the_headline_and_tells_each_denominator(beholder: Beholder, tmp_path: Path) -> None:
    file = tfq_results(tmp_path / "r.json", ["<answer>T</answer>", "T", "<answer>True</answer>", "", "x", "maybe"])
    said = beholder("score", "tfq", file)
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0].startswith("TFQ-Bench")
    assert "6 responses to 6 items" in said.out
    headline = next(place for place, line in enumerate(lines) if line.startswith("question_accuracy"))
    assert "headline by recipe" in lines[headline]
    assert [line.split()[0] for line in lines[headline + 1 : headline + 5]] == [
        "recipe",
        "official",
        "strict",
        "lenient",
    ]
    assert all("n=6" in line for line in lines[headline + 1 : headline + 5])
    group = next(line for line in lines if line.startswith("group_accuracy"))
    assert group.split()[-1] == "3"
    answered = next(line for line in lines if line.startswith("answered_true"))
    assert answered.split()[-1] == "1–3", "the scorers read different numbers of answers"
    assert "keyword rules" in said.err, "whose categories these are"
    assert "disagree on 1 of 6 responses" in said.out


@pytest.mark.parametrize("columns", [80, 140])
@pytest.mark.parametrize("benchmark", ["tfq", "vl-rewardbench"])
def test_tables_fit_the_terminal(
    beholder: Beholder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: int, benchmark: str
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    if benchmark == "tfq":
        file = tfq_results(tmp_path / "r.json", ["<answer>T</answer>", "T"] * 30)
    else:
        rows = [judgement(item, better(1), vote % 2) for item in range(4) for vote in range(5)]
        file = write_lines(tmp_path / "r.jsonl", rows)
    out = beholder("score", benchmark, file).out
    row = next(line for line in out.splitlines() if line.startswith(("gold_true", "hallucination_decided")))
    assert len(row.rstrip()) <= columns
    assert row.count("%") == 4, "all four scorers on one line"


def test_all_metrics_gives_every_figure_a_line(beholder: Beholder, tmp_path: Path) -> None:
    rows = [judgement(item, better(1), vote % 2) for item in range(4) for vote in range(5)]
    file = write_lines(tmp_path / "r.jsonl", rows)
    found = beholder.json("score", "vl-rewardbench", file)
    said = beholder("score", "vl-rewardbench", file, "--all-metrics")
    figures = sum(len(metrics) for metrics in found["metrics"].values())
    table = said.out.partition("\n\n")[0].splitlines()
    assert table[1].split()[:3] == ["metric", "scorer", "value"]
    assert sum("%" in line and "note" not in line for line in table[2:]) == figures


def test_the_order_that_was_assumed_is_said(beholder: Beholder, tmp_path: Path) -> None:
    answers = [
        {"key": "RLHF-V-2", "response": better(1)},
        {"key": "mathverse_3", "response": better(1), "order": [1, 0]},
    ]
    file = write_lines(tmp_path / "a.jsonl", answers)
    said = beholder("score", "vl-rewardbench", file, "--data", vlrb_data(tmp_path), "--json")
    assert [item["scores"]["strict"]["value"] for item in json.loads(said.out)["items"]] == [1, 1]
    assert "OUR assumption" in said.err


def test_empty_and_null_answers_stay_in_the_denominator(beholder: Beholder, tmp_path: Path) -> None:
    found = beholder.json("score", "tfq", tfq_results(tmp_path / "r.json", ["", "  \n", "\u200b", None, 7, {"a": 1}]))
    for figures in found["metrics"].values():
        assert (figures["question_accuracy"]["value"], figures["question_accuracy"]["n"]) == (0.0, 6)
        assert figures["empty_rate"]["value"] == 1.0


def test_the_same_file_gives_the_same_bytes(beholder: Beholder, tmp_path: Path) -> None:
    file = tfq_results(tmp_path / "r.json", ["<answer>T</answer>", "T", "F"] * 5)
    assert beholder("score", "tfq", file, "--json").out == beholder("score", "tfq", file, "--json").out


def test_an_item_keeps_the_name_that_the_user_s_file_gives_it(beholder: Beholder, tmp_path: Path) -> None:
    data = tfq_data(tmp_path)
    answers = tmp_path / "mine.jsonl"
    answers.write_text('{"key": "q2", "response": "<answer>T</answer>"}\n{"index": 0, "response": "T"}\n')
    found = json.loads(beholder("score", "tfq", answers, "--data", data, "--json").out)
    assert [item["index"] for item in found["items"]] == [0, 1]
    assert found["items"][0]["key"] == "q2"
    assert len(found["items"][1]["key"]) > 10  # a line that names a position only: the content key
