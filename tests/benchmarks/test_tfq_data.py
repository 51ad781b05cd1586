"""TFQ data, result files, categories and notices."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from beholder.benchmarks.benchmark import LoadOptions
from beholder.benchmarks.tfq import BENCHMARK
from beholder.benchmarks.tfq.data import load, notices
from beholder.benchmarks.tfq.results import read_results
from beholder.benchmarks.tfq.tagger import tag
from beholder.errors import BeholderError, DataError, UsageError
from beholder.sample import BooleanTarget, ImagePart, Sample, TextPart

CAT, DOG = b"\xff\xd8cat", b"\xff\xd8dog"


def row(problem: str = "There is a cat.", answer: Any = "T", images: Any = ("cat.jpg",), **more: Any) -> dict[str, Any]:
    return {"images": list(images), "problem": f"<image>{problem}", "answer": answer, **more}


def as_json(folder: Path, rows: Sequence[Any], name: str = "tfq.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(list(rows)), "utf-8")
    return path


def read(path: Path, **options: Any) -> list[Sample]:
    return list(load(path, LoadOptions(**options)))


def test_public_parquet_layout(tmp_path: Path) -> None:
    def shown(data: bytes) -> list[dict[str, Any]]:
        return [{"bytes": data, "path": None}]

    rows = [
        {"images": shown(CAT), "problem": "<image>A cat sits.", "answer": "T"},
        {"images": shown(CAT), "problem": "<image>The cat symbolizes pride.", "answer": "F"},
        {"images": shown(DOG), "problem": "<image>A dog sits.", "answer": "T"},
        {"images": shown(CAT), "problem": "<image>A cat sits.", "answer": "T"},
    ]
    (tmp_path / "data").mkdir()
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "data" / "test-00000-of-00001.parquet")
    samples = read(tmp_path)
    assert [sample.images[0].data for sample in samples] == [CAT, CAT, DOG, CAT]
    assert samples[0].images[0] is samples[1].images[0]  # consecutive rows share the bytes
    assert samples[0].parts == (ImagePart(0), TextPart("A cat sits."))
    assert [sample.target for sample in samples] == [BooleanTarget(v) for v in (True, False, True, True)]
    assert [sample.group for sample in samples] == ["images 1", "images 1", "images 2", "images 3"]
    cat, dog = (hashlib.sha256(data).hexdigest() for data in (CAT, DOG))
    assert [sample.cluster for sample in samples] == [cat, cat, dog, cat]
    assert samples[3].key == samples[0].key[:-1] + "1"
    assert [sample.category for sample in samples] == [
        "perception",
        "implication",
        "perception",
        "perception",
    ]
    assert samples[2].source == "test-00000-of-00001.parquet, record 3"
    assert samples[2].metadata == {"gold": "T", "grouping": "consecutive", "category_from": "tagger"}


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_json_with_an_image_folder(tmp_path: Path, suffix: str) -> None:
    rows = [
        row(),
        row("It is black.", "f "),
        row(images=["b/dog.jpg"], id=7, category="c", difficulty="hard"),
    ]
    path = tmp_path / f"tfq.{suffix}"
    path.write_text(json.dumps(rows) if suffix == "json" else "\n".join(map(json.dumps, rows)), "utf-8")
    samples = read(path)
    assert [sample.images[0].path for sample in samples][::2] == [
        str(tmp_path / "cat.jpg"),
        str(tmp_path / "b/dog.jpg"),
    ]
    assert [sample.group for sample in samples] == ["images 1", "images 1", "images 2"]
    assert [sample.cluster for sample in samples] == ["cat.jpg", "cat.jpg", "b/dog.jpg"]
    assert samples[1].target == BooleanTarget(False)
    assert samples[1].metadata["gold"] == "f "
    assert (samples[2].record_id, samples[2].category, samples[2].difficulty) == ("7", "c", "hard")
    assert samples[2].metadata["category_from"] == "column"
    (tmp_path / "pictures").mkdir()
    moved = read(path, images=tmp_path / "pictures")
    assert moved[0].images[0].path == str(tmp_path / "pictures" / "cat.jpg")
    assert [sample.key for sample in moved] == [sample.key for sample in samples]
    with pytest.raises(UsageError, match="image folder is not there"):
        read(path, images=tmp_path / "absent")


def test_single_image_column_and_problem_without_reference(tmp_path: Path) -> None:
    path = as_json(tmp_path, [{"image": "cat.jpg", "problem": "A cat.", "answer": "T"}])
    assert read(path)[0].parts == (ImagePart(0), TextPart("A cat."))


def test_groups_by_image_url_as_the_authors_do(tmp_path: Path) -> None:
    rows = [row(Image_URL="u1"), row("b", Image_URL="u2"), row("c", Image_URL="u1"), row("d", Image_URL=None)]
    assert [sample.group for sample in read(as_json(tmp_path, rows))] == ["u1", "u2", "u1", ""]


BAD_ROWS = [
    (
        "T20-empty-gold",
        row(answer=""),
        "tfq.json, record 2: column 'answer' must be T or F but is ''. Write T or F",
    ),
    ("T20-null-gold", row(answer=None), "tfq.json, record 2: column 'answer' must be T or F but is null"),
    ("gold-word", row(answer="True"), "column 'answer' must be T or F but is 'True'"),
    ("gold-boolean", row(answer=True), "column 'answer' must be T or F but is true/false"),
    (
        "no-gold",
        {"images": ["a.jpg"], "problem": "p"},
        "there is no column 'answer'; the columns are: 'images'",
    ),
    ("no-problem", {"images": ["a.jpg"], "answer": "T"}, "there is no column 'problem'"),
    ("number-problem", {"images": ["a.jpg"], "answer": "T", "problem": 3}, "column 'problem' must be text"),
    ("empty-problem", row("  "), "the statement is empty"),
    ("no-image-column", {"problem": "p", "answer": "T"}, "there is no column 'images'"),
    ("no-images", row(images=[]), "there is no image. A statement cannot be judged blind"),
    (
        "null-images",
        {"images": None, "problem": "p", "answer": "T"},
        "column 'images' must be a list but is null",
    ),
    ("escaping-image", row(images=["../../secret.png"]), "leaves the image folder"),
    ("category-number", row(category=3), "column 'category' must be text"),
    ("list-row", [], "a record must be an object"),
    ("T87-reference", {"images": ["a.jpg"], "problem": "<image 3> p", "answer": "T"}, ""),
]


@pytest.mark.parametrize(("bad", "message"), [case[1:] for case in BAD_ROWS], ids=[case[0] for case in BAD_ROWS])
def test_bad_rows_are_named(tmp_path: Path, bad: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(as_json(tmp_path, [row(), bad]))
    assert message in str(caught.value)
    assert "record 2" in str(caught.value)


CATEGORY_FILES = [
    ("by-index.json", '{"0": "seen", "1": "meant"}', ["seen", "meant", ""]),
    ("by-id.csv", "id,category\nq1,seen\nq2, meant \n\n", ["seen", "meant", ""]),
    ("by-index.csv", "index,category\n2,seen\n", ["", "", "seen"]),
    ("no-heading.csv", "q3,seen\n", ["", "", "seen"]),
]


@pytest.mark.parametrize(("name", "text", "categories"), CATEGORY_FILES, ids=[case[0] for case in CATEGORY_FILES])
def test_category_files(tmp_path: Path, name: str, text: str, categories: list[str]) -> None:
    ids = {} if name == "by-index.json" else {"id": True}
    rows = [row(str(n), **({"id": f"q{n}"} if ids else {}), category="from the data") for n in (1, 2, 3)]
    file = tmp_path / "c" / name
    file.parent.mkdir()
    file.write_text(text, "utf-8-sig")
    samples = read(as_json(tmp_path, rows), categories=file)
    assert [sample.category for sample in samples] == categories
    assert {sample.metadata["category_from"] for sample in samples} == {"file"}


def test_category_file_by_key(tmp_path: Path) -> None:
    path = as_json(tmp_path, [row("1"), row("2")])
    second = read(path)[1].key
    file = tmp_path / "categories" / "c.json"
    file.parent.mkdir()
    file.write_text(json.dumps({second: "meant"}), "utf-8")
    assert [sample.category for sample in read(path, categories=file)] == ["", "meant"]


BAD_CATEGORY_FILES = [
    ("c.json", "[]", "must be a JSON object"),
    ("c.json", '{"0": 1}', "must be a JSON object"),
    ("c.json", "{}", "names no category"),
    ("c.json", '{"q99": "seen"}', "none of its 1 names"),
    ("c.csv", "0,a\n0,b\n", "row 2: '0' is named a second time"),
    ("c.csv", "0,a,b\n", "row 1: must have 2 columns"),
    ("c.csv", 'id,category\n"0' + "x" * 200_000, "not valid CSV"),
    ("c.csv", b"\xff\xfe", "is not UTF-8"),
]


@pytest.mark.parametrize(("name", "data", "message"), BAD_CATEGORY_FILES)
def test_bad_category_files(tmp_path: Path, name: str, data: str | bytes, message: str) -> None:
    file = tmp_path / name
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(UsageError, match=message):
        read(as_json(tmp_path, [row()]), categories=file)


STATEMENTS = [
    ("A man in an iron mask holds a sign.", "perception"),
    ("There are two theme park rides.", "perception"),
    ("The expression on her face is sad.", "perception"),
    ("The image is simple.", "perception"),
    ("The image implies that work never ends.", "implication"),
    ("The bare tree is a metaphor for old age.", "implication"),
    ("THE SHADOW REPRESENTS FEAR", "implication"),
    ("The cartoon criticizes the use of phones.", "implication"),
    ("", "perception"),
]


@pytest.mark.parametrize(("statement", "category"), STATEMENTS)
def test_tagger(statement: str, category: str) -> None:
    assert tag(statement) == category


def test_notices(tmp_path: Path) -> None:
    assert "13,607 of the 14,099 rows" in notices(14_099)[0]
    assert "492 rows) is held out" in notices(14_099)[0]
    assert "training set" in notices(13_607)[0]
    assert notices(492) == notices(0) == notices([]) == []
    told = " ".join(notices(read(as_json(tmp_path, [row("1"), row("2")]))))
    assert "our assumption" in told
    assert "our keyword rules" in told
    named = [row("1", Image_URL="u", category="c"), row("2", Image_URL="v", category="c")]
    assert notices(read(as_json(tmp_path, named))) == []
    nameless = [row("1", Image_URL=None, category="c"), row("2", Image_URL=None, category="c")]
    assert notices(read(as_json(tmp_path, nameless))) == [
        "No row has an Image_URL: all rows form one group, as in the authors' code."
    ]


def result(output: Any = "<answer>T</answer>", gold: Any = "T", **more: Any) -> dict[str, Any]:
    return {"Model_Output": output, "Ground_Truth": gold, **more}


def test_the_authors_result_file(tmp_path: Path) -> None:
    rows = [
        result(Question_ID=3, Question="A cat.", Image_URL="u1", extra={"a": 1}),
        result("F", "f", Question_ID="x-4", Question="It means war.", Image_URL="u1"),
        result(None),
        result({"text": "T"}, Image_URL=None),
        result("\ud83d <answer>T</answer>", "T "),
    ]
    answered = list(read_results(as_json(tmp_path, rows, "results.json")))
    assert [one.index for one in answered] == [0, 1, 2, 3, 4]
    first, second, null, thing, last = answered
    assert (first.sample.record_id, second.sample.record_id, null.sample.record_id) == ("3", "x-4", "")
    assert [one.sample.group for one in answered] == ["u1", "u1", "", "", ""]
    assert first.response.text == "<answer>T</answer>"
    assert (second.sample.target, second.sample.metadata["gold"]) == (BooleanTarget(False), "f")
    assert second.sample.category == "implication"
    assert null.response.text is None
    assert (thing.response.text, thing.sample.metadata["output_kind"]) == (None, "an object")
    assert len({one.sample.key for one in answered}) == 5
    official = [BENCHMARK.scorers["official"](one.sample, one.response) for one in answered]
    assert [score.value for score in official] == [1, 1, 0, 0, 0]
    assert "authors_crash" in official[2].flags
    assert last.sample.metadata["gold"] == "T "


BAD_RESULTS = [
    ({"Ground_Truth": "T"}, "there is no column 'Model_Output'; the columns are: 'Ground_Truth'"),
    ({"Model_Output": "T"}, "there is no column 'Ground_Truth'"),
    (result(gold=""), "column 'Ground_Truth' must be T or F but is ''. Write T or F"),
    (result(gold="Yes"), "column 'Ground_Truth' must be T or F but is 'Yes'"),
    (result(gold=1), "column 'Ground_Truth' must be T or F but is a number"),
    (result(Question=5), "column 'Question' must be text"),
    (result(Question_ID=[1]), "column 'Question_ID' must be text or a number"),
    ("text", "a record must be an object"),
]


@pytest.mark.parametrize(("bad", "message"), BAD_RESULTS)
def test_bad_results_are_named(tmp_path: Path, bad: Any, message: str) -> None:
    with pytest.raises(BeholderError) as caught:
        list(read_results(as_json(tmp_path, [result(), bad], "results.json")))
    assert str(caught.value).startswith(f"results.json, record 2: {message}")
