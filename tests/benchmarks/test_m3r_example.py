"""The example set: what is in it, where its boxes come from, and that its scripts do what they say."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner

from beholder.annotation import SENTIMENTS, TEXTUAL, VISUAL, structure_faults
from beholder.benchmarks.benchmark import LoadOptions
from beholder.benchmarks.m3r.assumptions import assumptions_of, shipped
from beholder.benchmarks.m3r.data import load
from beholder.benchmarks.m3r.example import DRAWINGS, RECORDS, example_items, write_example
from beholder.benchmarks.m3r.example_canvas import Canvas
from beholder.benchmarks.m3r.example_scripts import BROKEN, DISSENT, INVENTED, MODEL
from beholder.cli.main import app
from beholder.errors import UsageError
from beholder.sample import MetaphorTarget


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_example(tmp_path_factory.mktemp("example") / "m3r")


@pytest.fixture(scope="module")
def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / RECORDS).read_text(encoding="utf-8").splitlines()]


def script(folder: Path, name: str) -> list[str]:
    return json.loads((folder / "scripts" / f"{name}.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def test_half_are_metaphors_and_half_of_the_texts_are_chinese_in_each_half(records: list[dict[str, Any]]) -> None:
    counts = Counter((record["language"], record["metaphor"]) for record in records)
    assert counts == {(language, metaphor): 6 for language in ("en", "zh") for metaphor in (True, False)}


@pytest.mark.parametrize(
    ("column", "value"), [("language", "en"), ("language", "zh"), ("metaphor", True), ("metaphor", False)]
)
def test_every_sentiment_is_in_each_half(records: list[dict[str, Any]], column: str, value: object) -> None:
    assert {record["sentiment"] for record in records if record[column] == value} == set(SENTIMENTS)


def test_every_drawing_is_used_once() -> None:
    assert sorted(item.draw for item in example_items()) == sorted(DRAWINGS)


def test_our_loader_reads_all_of_it(folder: Path) -> None:
    samples = list(load(folder, LoadOptions()))
    assert len(samples) == 24
    assert len({sample.key for sample in samples}) == len({sample.cluster for sample in samples}) == 24
    for sample in samples:
        assert sample.metadata["example"] is True
        assert isinstance(sample.target, MetaphorTarget)
        assert structure_faults(sample.target.annotation) == ()


def test_evidence_quotes_the_text_and_boxes_what_is_seen(records: list[dict[str, Any]]) -> None:
    for record in records:
        pieces = record["explanation"]["evidence"]
        assert 2 <= len(pieces) <= 4
        assert {piece["kind"] for piece in pieces} == {VISUAL, TEXTUAL}
        for piece in pieces:
            assert ("box" in piece) == (piece["kind"] == VISUAL)
            assert piece["kind"] == VISUAL or piece["text"] in record["text"]
        assert record["explanation"]["mapping"]
        assert record["explanation"]["sentiment"]


def test_a_chinese_item_is_explained_in_chinese(records: list[dict[str, Any]]) -> None:
    for record in records:
        reasons = record["explanation"]
        said = reasons["mapping"] + reasons["sentiment"] + "".join(piece["text"] for piece in reasons["evidence"])
        assert said.isascii() == (record["language"] == "en")


def test_a_box_is_where_the_part_was_drawn() -> None:
    sheet = Canvas("#ffffff")
    sheet.rect(0, 0, 640, 10, "#000000")
    with sheet.part("square"):
        sheet.rect(160, 120, 320, 240, "#ff0000")
    assert sheet.parts["square"] == pytest.approx((0.25, 0.25, 0.5, 0.5), abs=0.002)


def test_a_part_that_draws_nothing_is_refused() -> None:
    sheet = Canvas("#ffffff")
    with pytest.raises(AssertionError, match="nothing was drawn for ghost"), sheet.part("ghost"):
        sheet.rect(10, 10, 20, 20, "#ffffff")


def test_the_same_bytes_again(folder: Path, tmp_path: Path) -> None:
    again = write_example(tmp_path / "again")
    files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
    assert [(folder / file).read_bytes() for file in files] == [(again / file).read_bytes() for file in files]


def test_pictures_are_of_one_size(folder: Path) -> None:
    for path in (folder / "images").iterdir():
        with Image.open(path) as picture:
            assert picture.size == (640, 480)


@pytest.mark.parametrize("name", [*(f"annotator-{number}" for number in range(1, 6)), "model", "judge", "judge-2"])
def test_a_script_has_an_answer_for_each_item(folder: Path, name: str) -> None:
    assert len(script(folder, name)) == 24


def test_the_scripts_speak_of_drawings_that_are_there() -> None:
    assert set(MODEL) == set(DRAWINGS)
    assert set(DISSENT) < set(DRAWINGS)


def labels_by_annotator(folder: Path, draw: str) -> list[dict[str, Any] | None]:
    """What the five say of an item; None for what is no JSON."""
    place = [item.draw for item in example_items()].index(draw)
    said: list[dict[str, Any] | None] = []
    for number in range(1, 6):
        try:
            said.append(json.loads(script(folder, f"annotator-{number}")[place]))
        except json.JSONDecodeError:
            said.append(None)
    return said


@pytest.mark.parametrize(
    ("draw", "label", "votes"),
    [
        ("cigarette_bomb", "metaphor", {"yes": 5}),
        ("egg_timer", "metaphor", {"no": 3, "yes": 2}),
        ("rocket_on_pad", "metaphor", {"no": 3, "yes": 2}),
        ("dried_plant", "metaphor", {"yes": 2, "no": 2, None: 1}),
        ("book_boat", "metaphor", {"yes": 4, None: 1}),
        ("iceberg_debt", "target", {"loan": 3, "debt": 2}),
        ("phone_leash", "source", {"主人": 2, "牵引绳": 2, "宠物": 1}),
        ("hourglass_forest", "target", {"forest": 2, "nature": 2, "time": 1}),
        ("head_machine", "sentiment", {"neutral": 3, "positive": 2}),
        ("clock_cake", "sentiment", {"neutral": 2, "positive": 2, "negative": 1}),
        ("visitors_chart", "target", {None: 4, "museum": 1}),
    ],
)
def test_annotators_divide(folder: Path, draw: str, label: str, votes: dict[str | None, int]) -> None:
    assert Counter(said and said[label] for said in labels_by_annotator(folder, draw)) == votes


def test_the_judges_answer_the_questions_of_our_assumptions(folder: Path) -> None:
    asked = {question.id for criterion in assumptions_of(shipped()).criteria for question in criterion.questions}
    for reply in script(folder, "judge-2"):
        verdict = json.loads(reply)
        assert set(verdict) == asked
        assert {entry["answer"] for entry in verdict.values()} <= {"yes", "partly", "no"}


def test_the_first_judge_fails_twice(folder: Path) -> None:
    faults = []
    for reply in script(folder, "judge"):
        try:
            answers = [entry["answer"] for entry in json.loads(reply).values()]
        except json.JSONDecodeError:
            faults.append("unreadable")
        else:
            faults += ["out of range" for answer in answers if answer not in ("yes", "partly", "no")]
    assert sorted(faults) == ["out of range", "unreadable"]


@pytest.mark.parametrize(("judge", "invented"), [("judge", []), ("judge-2", [INVENTED])])
def test_judges_quote_what_the_model_wrote_but_for_one_invention(folder: Path, judge: str, invented: list[str]) -> None:
    found = []
    for item, answer, reply in zip(example_items(), script(folder, "model"), script(folder, judge), strict=True):
        reasons = json.loads(answer)["explanation"]
        said = [*(piece["text"] for piece in reasons["evidence"]), reasons["mapping"], reasons["sentiment"]]
        if item.draw != BROKEN:
            entries = [entry for entry in json.loads(reply).values() if entry["answer"] != "no"]
            found += [item.draw] if {entry["quote"] for entry in entries} - set(said) - {""} else []
            assert all(entry["quote"] for entry in entries), f"a quotation is missing of {item.draw}"
    assert found == invented


def test_a_folder_that_is_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is there already"):
        write_example(tmp_path)
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(UsageError, match="cannot be written"):
        write_example(file / "set")


def test_command(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["example", "m3r", "--out", str(tmp_path / "set")])
    assert done.exit_code == 0, done.output
    assert "an example, not the benchmark" in done.output
    assert "not the benchmark" in (tmp_path / "set" / "README.txt").read_text()
    assert not [path for path in tmp_path.iterdir() if path.name != "set"]


def test_command_for_another_benchmark() -> None:
    done = CliRunner().invoke(app, ["example", "tir", "--out", "nowhere"])
    assert isinstance(done.exception, UsageError)
