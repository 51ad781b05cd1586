"""Data sets before they are trusted: gold that a scorer does not find right, pictures that are missing, duplicates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import made_runs
from beholder.audit.records import DataAudit, audit_records, errata_of
from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import LoadOptions
from beholder.errors import DataError, UsageError
from beholder.sample import Response
from beholder.score import Outcome, Score
from beholder.synth.dataset import write_dataset
from beholder.synth.generate import draws_for

TIR = benchmark("tir")
OPTIONS = "Which way leads out?\nA. RR\nB. DD\nC. LL"
SEVERAL = "Which are true? Select more than one option.\nA. RR\nB. DD\nC. LL"


def record(task: str, answer: Any, question: str = OPTIONS, image: str = "data/0.jpg", **more: Any) -> dict[str, Any]:
    base = {"id": 1, "task": task, "prompt": question, "answer": answer, "image_1": image, "image_2": None}
    return {**base, "meta_data": {}, **more}


def tir_set(folder: Path, *rows: dict[str, Any], pictures: int = 1) -> Path:
    (folder / "data").mkdir(parents=True)
    for number in range(pictures):
        (folder / "data" / f"{number}.jpg").write_bytes(made_runs.jpeg(number))
    (folder / "TIR-Bench.json").write_text(json.dumps(rows))
    return folder


def audited(folder: Path, *rows: dict[str, Any], pictures: int = 1) -> DataAudit:
    return audit_records(TIR, tir_set(folder, *rows, pictures=pictures), LoadOptions())


OCR_OF_THEIRS = "data/ocr/160.jpg"

# record, the scorers under which its own gold is not right, words of the first reason
ERRATA: list[tuple[str, dict[str, Any], set[str], str]] = [
    ("a letter", record("maze", "B"), set(), ""),
    ("letters", record("math", "AC", SEVERAL), set(), ""),
    ("a number", record("instrument", "2.50", "What does it read?"), set(), ""),
    ("a place", record("word_search", "[2, 3]", "In which row and column is q?"), set(), ""),
    ("text", record("ocr", "HOTEL", "What is written?"), set(), ""),
    ("patches", record("spot_difference", "2, 7", "Output the list of patch indices."), set(), ""),
    (
        "two letters where one may be chosen",
        record("math", "AC"),
        {"official(det)", "strict", "lenient"},
        "characters",
    ),
    ("gold that stops the authors' program", record("color", "b, c"), {"official", "official(det)"}, "would stop"),
    ("a letter that the authors do not have", record("color", "K", "Which?"), {"official", "official(det)"}, "A to J"),
    (
        "a gold that is written into their code",
        record("ocr", "HOTEL", "What is written?", OCR_OF_THEIRS),
        {"official", "official(det)"},
        "'mobi' is not in the response",
    ),
    (
        "one patch, written without brackets",
        record("spot_difference", "7", "Output the list of patch indices."),
        {"official(det)"},
        "",
    ),
    ("three numbers for a place", record("word_search", "[1, 2, 3]", "In which row and column is q?"), set(), ""),
]


@pytest.mark.parametrize(("row", "scorers", "reason"), [case[1:] for case in ERRATA], ids=[case[0] for case in ERRATA])
def test_gold_that_is_not_right_under_a_scorer_is_listed(
    tmp_path: Path, row: dict[str, Any], scorers: set[str], reason: str
) -> None:
    found = audited(tmp_path / "set", record("maze", "A"), row).errata
    assert {erratum.scorer for erratum in found} == scorers
    assert len(found) == len(scorers)
    for erratum in found:
        assert (erratum.where, erratum.category) == ("TIR-Bench.json, record 2", row["task"])
        assert erratum.value == 0
        assert erratum.gold
        assert erratum.reason
    if scorers:
        assert reason in found[0].reason


def test_generated_items_have_no_errata(tmp_path: Path) -> None:
    tasks = ("jigsaw", "maze", "spot_difference", "word_search")
    folder = write_dataset(draws_for(tasks, 2, 3), tmp_path / "made")
    audit = audit_records(TIR, folder, LoadOptions())
    assert (audit.errata, audit.unreadable, audit.duplicates) == ((), (), ())
    assert audit.records == 8
    assert audit.categories == dict.fromkeys(tasks, 2)
    assert audit.images >= 8
    assert "8 of these 8 items were generated" in audit.differences[0]


def test_the_other_benchmarks_too(tmp_path: Path) -> None:
    tfq = audit_records(benchmark("tfq"), made_runs.tfq_data(tmp_path / "t", 6, images=2), LoadOptions())
    assert (tfq.records, tfq.images, tfq.errata, tfq.unreadable) == (6, 6, (), ())
    vl = audit_records(benchmark("vl-rewardbench"), made_runs.vl_data(tmp_path / "v", 5), LoadOptions())
    assert (vl.records, vl.images, vl.errata, vl.duplicates) == (5, 5, (), ())
    assert any("1250 items" in sentence for sentence in vl.differences)


def test_a_scorer_that_fails_or_cannot_judge(tmp_path: Path) -> None:
    """A scorer that breaks on the gold is an erratum without a value; one that cannot judge it is none."""

    def breaks(sample: Any, response: Response) -> Score:
        raise ZeroDivisionError

    def waits(sample: Any, response: Response) -> Score:
        return Score(None, Outcome.NOT_APPLICABLE)

    def half(sample: Any, response: Response) -> Score:
        return Score(0.5, Outcome.SCORED, "DD")

    found = msgspec.structs.replace(TIR, scorers={"breaks": breaks, "waits": waits, "half": half})
    folder = tir_set(tmp_path / "set", record("maze", "B"))
    (sample,) = found.load(folder, LoadOptions())
    first, second = errata_of(found, sample)
    assert (first.scorer, first.value) == ("breaks", None)
    assert "ZeroDivisionError" in first.reason
    assert (second.scorer, second.value, second.reason) == ("half", 0.5, "It reads 'DD'.")


def test_an_item_has_one_line_a_scorer_though_its_gold_has_several_forms(tmp_path: Path) -> None:
    def never(sample: Any, response: Response) -> Score:
        return Score(0.0, Outcome.SCORED, str(response.order))

    vl = msgspec.structs.replace(benchmark("vl-rewardbench"), scorers={"never": never})
    audit = audit_records(vl, made_runs.vl_data(tmp_path, 3), LoadOptions())
    assert [erratum.where for erratum in audit.errata] == [f"vl.jsonl, line {number}" for number in (1, 2, 3)]


# pictures ----------------------------------------------------------------------------------------------------------

PICTURES: list[tuple[str, bytes | None, str]] = [
    ("missing", None, "does not exist"),
    ("empty", b"", ""),
    ("no picture", b"these are words", "no image format"),
    ("cut off", made_runs.jpeg(1)[:40], ""),
]


@pytest.mark.parametrize(("content", "words"), [row[1:] for row in PICTURES], ids=[row[0] for row in PICTURES])
def test_a_picture_that_cannot_be_used_is_listed(tmp_path: Path, content: bytes | None, words: str) -> None:
    folder = tir_set(tmp_path / "set", record("maze", "B"), record("maze", "A", image="data/x.jpg"))
    if content is not None:
        (folder / "data" / "x.jpg").write_bytes(content)
    audit = audit_records(TIR, folder, LoadOptions())
    (problem,) = audit.unreadable
    assert (problem.where, problem.image) == ("TIR-Bench.json, record 2", "data/x.jpg")
    assert words in problem.problem
    assert (audit.records, audit.images) == (2, 2)


def test_both_pictures_of_a_pair_are_looked_at_in_the_folder_that_is_given(tmp_path: Path) -> None:
    pair = record("spot_difference", "2, 7", "List them.", "data/0.jpg", image_2="data/1.jpg")
    folder = tir_set(tmp_path / "set", pair, pictures=1)
    audit = audit_records(TIR, folder, LoadOptions())
    assert audit.images == 2
    assert [problem.image for problem in audit.unreadable] == ["data/1.jpg"]
    (tmp_path / "elsewhere").mkdir()
    moved = audit_records(TIR, folder, LoadOptions(images=tmp_path / "elsewhere"))
    assert len(moved.unreadable) == 2


# records -----------------------------------------------------------------------------------------------------------


def test_the_same_content_under_several_ids_is_named(tmp_path: Path) -> None:
    rows = [record("maze", "B", id=1), record("maze", "A"), record("maze", "B", id=3), record("maze", "B", id=4)]
    audit = audited(tmp_path / "set", *rows)
    assert audit.duplicates == (tuple(f"TIR-Bench.json, record {number}" for number in (1, 3, 4)),)


def test_counts_and_what_differs_from_the_public_set(tmp_path: Path) -> None:
    audit = audited(tmp_path / "set", record("maze", "B"), record("maze", "A"), record("ocr", "EXIT"))
    assert audit.categories == {"maze": 2, "ocr": 1}
    assert audit.differences[0].startswith("This is not the whole of TIR-Bench: 3 of 1,215 items")
    assert json.loads(msgspec.json.encode(audit))["categories"] == {"maze": 2, "ocr": 1}


def test_records_that_cannot_be_used_are_listed_and_the_others_checked(tmp_path: Path) -> None:
    rows = [record("maze", "B"), record("maze", ""), record("cat", "B"), record("color", "K", "Which?")]
    audit = audited(tmp_path / "set", *rows)
    assert [(bad.where, bad.problem) for bad in audit.unusable] == [
        ("TIR-Bench.json, record 2", "column 'answer' is empty"),
        ("TIR-Bench.json, record 3", "there is no task 'cat' in TIR-Bench"),
    ]
    assert audit.unusable[0].mend == "Mend or remove this record."
    assert (audit.records, audit.stopped, audit.broken) == (2, False, True)
    assert {erratum.where for erratum in audit.errata} == {"TIR-Bench.json, record 4"}


def test_nothing_but_records_that_cannot_be_used(tmp_path: Path) -> None:
    audit = audited(tmp_path / "set", record("maze", ""))
    assert (audit.records, audit.differences, len(audit.unusable), audit.stopped) == (0, (), 1, False)


def test_a_run_still_stops_at_the_first_record_that_cannot_be_used(tmp_path: Path) -> None:
    folder = tir_set(tmp_path / "set", record("maze", "B"), record("maze", ""))
    with pytest.raises(DataError, match=r"TIR-Bench\.json, record 2: .*'answer' is empty"):
        list(TIR.load(folder, LoadOptions()))
    told: list[DataError] = []
    assert len(list(TIR.load(folder, LoadOptions(on_error=told.append)))) == 1
    assert len(told) == 1


def test_a_benchmark_that_does_not_go_on_says_where_it_stopped(tmp_path: Path) -> None:
    file = made_runs.tfq_data(tmp_path, 4, images=1)
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:3], "{}", lines[3]]))
    audit = audit_records(benchmark("tfq"), file, LoadOptions())
    assert (audit.records, audit.stopped, audit.broken) == (3, True, True)
    assert [bad.where for bad in audit.unusable] == [f"{file.name}, line 4"]
    assert not audit_records(benchmark("vl-rewardbench"), made_runs.vl_data(tmp_path / "v", 5), LoadOptions()).broken


def test_data_that_is_not_there_is_no_audit(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        audit_records(TIR, tmp_path / "gone", LoadOptions())
