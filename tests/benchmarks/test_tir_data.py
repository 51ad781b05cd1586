"""Records of TIR-Bench: what becomes of each kind, and what is refused."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from tir_records import LIST, NINE, OPTIONS, TARGETS, one, record, samples_of, write

from beholder.benchmarks import benchmark
from beholder.benchmarks.records import Record
from beholder.benchmarks.tir.data import SYNTHETIC, load, make_sample
from beholder.benchmarks.tir.extractor import extraction_prompt
from beholder.benchmarks.tir.prompt import TEMPLATE, prompt
from beholder.benchmarks.tir.tasks import TASKS
from beholder.errors import DataError, UsageError
from beholder.sample import (
    ChoiceTarget,
    ImagePart,
    ImageRef,
    KeyMaker,
    OrderedListTarget,
    Response,
    Target,
    TextPart,
)
from beholder.store.journal import Entry, sample_record


def test_a_record_becomes_a_sample(tmp_path: Path) -> None:
    sample = one(tmp_path, task="refcoco", id=12)
    assert sample.parts == (TextPart(OPTIONS), ImagePart(0))
    assert sample.images == (ImageRef("data/refcoco/7.png", path=str(tmp_path / "data/refcoco/7.png")),)
    assert sample.target == ChoiceTarget("B")
    assert sample.options == ("65%", "73%", "81%", "89%")
    assert (sample.category, sample.record_id, sample.difficulty, sample.split) == ("refcoco", "12", "", "")
    assert sample.cluster == "data/refcoco/7.png"
    assert sample.source == "TIR-Bench.json, record 1"
    assert sample.metadata == {
        "task": "refcoco",
        "answer": "B",
        "image_1": "data/refcoco/7.png",
        "difficulty": None,
    }


# what the record writes, what it means
FORMS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("category is the older name of task", {"category": "maze"}, {"category": "maze"}),
    ("task wins", {"task": "color", "category": "maze"}, {"category": "color"}),
    ("metadata is the older name", {"task": "maze", "metadata": {"difficulty": 9}}, {"difficulty": "9"}),
    (
        "metadata wins",
        {"task": "maze", "metadata": {"difficulty": 9}, "meta_data": {"difficulty": 4}},
        {"difficulty": "9"},
    ),
    ("no metadata at all", {"task": "maze", "meta_data": None}, {"difficulty": ""}),
    ("a difficulty in words", {"task": "maze", "meta_data": {"difficulty": "hard"}}, {"difficulty": "hard"}),
    ("a difficulty that is none", {"task": "maze", "meta_data": {"difficulty": True}}, {"difficulty": ""}),
    ("the id is text", {"task": "maze", "id": "m-7"}, {"record_id": "m-7"}),
    ("no id", {"task": "maze", "id": None}, {"record_id": ""}),
    (
        "generated",
        {"task": "maze", "meta_data": {"synthetic": True, "level": 2, "difficulty": 31}},
        {"split": SYNTHETIC, "difficulty": "2"},
    ),
    (
        "generated from a photograph",
        {"task": "maze", "meta_data": {"synthetic": True, "photo": "a.jpg"}},
        {"cluster": "a.jpg"},
    ),
    (
        "synthetic is no word",
        {"task": "maze", "meta_data": {"synthetic": "yes", "level": 2}},
        {"split": "", "difficulty": ""},
    ),
    ("an empty photo", {"task": "maze", "meta_data": {"photo": ""}}, {"cluster": "data/maze/7.png"}),
    ("a photo that is no name", {"task": "maze", "meta_data": {"photo": [1]}}, {"cluster": "data/maze/7.png"}),
]


@pytest.mark.parametrize(("given", "expected"), [row[1:] for row in FORMS], ids=[row[0] for row in FORMS])
def test_old_and_new_forms_of_a_record(tmp_path: Path, given: dict[str, Any], expected: dict[str, Any]) -> None:
    row = record() | {"task": None} | given
    if row["task"] is None:
        del row["task"]
    (sample,) = samples_of(write(tmp_path / "d.json", [row]))
    assert {name: getattr(sample, name) for name in expected} == expected


@pytest.mark.parametrize(("task", "question", "answer", "target"), TARGETS)
def test_the_kind_of_gold_follows_from_task_answer_and_question(
    tmp_path: Path, task: str, question: str, answer: Any, target: Target
) -> None:
    sample = one(tmp_path, task=task, prompt=question, answer=answer)
    assert sample.target == target
    assert sample.metadata["answer"] == (str(answer) if isinstance(answer, list) else answer)


@pytest.mark.parametrize("written", [NINE, str(NINE), "4,1,8, 9 3 6\n2 7 5", "4, 1, 8, 9, 3, 6, 2, 7, 5"], ids=str)
@pytest.mark.parametrize("column", ["meta_data", "metadata"])
def test_a_jigsaw(tmp_path: Path, written: Any, column: str) -> None:
    row = record("jigsaw", prompt="In what order?", answer=written)
    del row["meta_data"]
    (sample,) = samples_of(write(tmp_path / "d.json", [row | {column: {"difficulty": 3}}]))
    assert sample.target == OrderedListTarget(tuple(NINE))
    assert sample.metadata["n"] == sample.metadata["difficulty"] == 3
    assert sample.difficulty == "3"


@pytest.mark.parametrize("n", range(2, 21))
def test_jigsaw_sizes(tmp_path: Path, n: int) -> None:
    order = list(range(1, n * n + 1))
    sample = one(tmp_path, task="jigsaw", answer=order, meta_data={"difficulty": n})
    assert sample.target == OrderedListTarget(tuple(order))


BAD: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("no task", {"task": None}, ("'task' must be text but is null",)),
    ("unknown task", {"task": "sudoku"}, ("no task 'sudoku'", "The tasks are color, refcoco")),
    ("task of old jigsaws", {"task": "Jigsaw"}, ("no task 'Jigsaw'",)),
    ("task too long", {"task": "x" * 10_000}, ("'" + "x" * 40 + "'",)),
    ("task is a list", {"task": ["maze"]}, ("'task'", "a list")),
    ("prompt is missing", {"prompt": None}, ("'prompt' must be text",)),
    ("prompt is a list", {"prompt": ["a"]}, ("'prompt'", "a list")),
    ("answer is null", {"answer": None}, ("'answer' must be", "null")),
    ("answer is true", {"answer": True}, ("'answer'", "true/false")),
    ("answer is an object", {"answer": {"a": 1}}, ("'answer'", "an object")),
    ("answer is empty", {"answer": ""}, ("'answer' is empty", "Mend or remove")),
    ("answer is blank", {"answer": " \n"}, ("'answer' is empty",)),
    ("answer without end", {"answer": "7, " * 9_000}, ("'answer' is too long",)),
    ("metadata is text", {"meta_data": "easy"}, ("'meta_data' must be an object",)),
    ("metadata is a list", {"metadata": [1]}, ("'metadata' must be an object",)),
    ("no picture", {"image_1": None}, ("'image_1' must be",)),
    ("picture is a number", {"image_1": 7}, ("'image_1'", "a number")),
    ("picture outside the folder", {"image_1": "../../secret.png"}, ("leaves the image folder",)),
    ("picture elsewhere", {"image_1": "/etc/passwd"}, ("leaves the image folder",)),
    ("picture on the net", {"image_1": "http://x/1.png"}, ("is an address",)),
    ("second picture outside", {"task": "spot_difference", "answer": "1", "image_2": "../b.png"}, ("leaves",)),
    ("second picture is a list", {"image_2": ["b.png"]}, ("an image must be a path",)),
    (
        "half of a pair",
        {"task": "spot_difference", "answer": "1", "image_1": "data/79_left.png"},
        ("half of a pair", "image_2"),
    ),
    (
        "patches without a number",
        {"task": "spot_difference", "answer": "none"},
        ("'answer' is 'none'", "patch numbers"),
    ),
    ("jigsaw without a size", {"task": "jigsaw", "answer": NINE}, ("pieces a side", "is null")),
    (
        "jigsaw size in words",
        {"task": "jigsaw", "answer": NINE, "meta_data": {"difficulty": "3"}},
        ("2 to 20", "is text"),
    ),
    ("jigsaw size true", {"task": "jigsaw", "answer": [1], "meta_data": {"difficulty": True}}, ("2 to 20",)),
    ("jigsaw of one piece", {"task": "jigsaw", "answer": [1], "meta_data": {"difficulty": 1}}, ("2 to 20", "is 1")),
    ("jigsaw of 21", {"task": "jigsaw", "answer": [1], "meta_data": {"difficulty": 21}}, ("2 to 20", "is 21")),
    ("jigsaw size beyond words", {"task": "jigsaw", "answer": [1], "meta_data": {"difficulty": 10**300}}, ("2 to 20",)),
    (
        "jigsaw of another size",
        {"task": "jigsaw", "answer": NINE, "meta_data": {"difficulty": 4}},
        ("from 1 to 16 once",),
    ),
    (
        "jigsaw with a piece twice",
        {"task": "jigsaw", "answer": [1] * 9, "meta_data": {"difficulty": 3}},
        ("from 1 to 9 once",),
    ),
    (
        "jigsaw in words",
        {"task": "jigsaw", "answer": "first 4, then 1", "meta_data": {"difficulty": 3}},
        ("list of piece numbers",),
    ),
    (
        "jigsaw in rows",
        {"task": "jigsaw", "answer": "[[1,2],[3,4]]", "meta_data": {"difficulty": 2}},
        ("list of piece numbers",),
    ),
]


@pytest.mark.parametrize(("changes", "words"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_bad_record_is_named_in_one_line(tmp_path: Path, changes: dict[str, Any], words: tuple[str, ...]) -> None:
    path = write(tmp_path / "d.json", [record(), record(**changes)])
    with pytest.raises(DataError) as caught:
        samples_of(path)
    message = str(caught.value)
    assert message.startswith("d.json, record 2: ")
    assert len(message) < 700
    assert "\n" not in message
    for word in words:
        assert word in message


def test_an_answer_nested_without_end_is_a_bad_record() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(DataError, match="nested too deeply"):
        make_sample(Record("d.json, record 1", 0, record(answer=nested)), KeyMaker("tir"), None)


def test_two_pictures_are_shown_and_told_apart(tmp_path: Path) -> None:
    changes = {"task": "spot_difference", "prompt": LIST, "answer": "7", "image_1": "d/79_left.png"}
    pair = one(tmp_path, **changes, image_2="d/79_right.png")
    other = one(tmp_path, **changes, image_2="d/80_right.png")
    assert pair.parts == (TextPart(LIST), ImagePart(0), ImagePart(1))
    assert [image.name for image in pair.images] == ["d/79_left.png", "d/79_right.png"]
    assert pair.cluster == "d/79_left.png"
    assert pair.key != other.key
    assert len(one(tmp_path, **changes | {"image_1": "d/79.png"}).images) == 1


def test_the_folder_the_file_and_an_image_folder(tmp_path: Path) -> None:
    write(tmp_path / "set" / "TIR-Bench.json", [record()])
    write(tmp_path / "set" / "other.json", [record(id=8), record(id=9)])
    by_folder = samples_of(tmp_path / "set")
    assert [sample.record_id for sample in by_folder] == ["7"]
    assert samples_of(tmp_path / "set" / "TIR-Bench.json") == by_folder
    assert len(samples_of(tmp_path / "set" / "other.json")) == 2
    (tmp_path / "pictures").mkdir()
    (moved,) = samples_of(tmp_path / "set", images=tmp_path / "pictures")
    assert moved.images[0].path == str(tmp_path / "pictures" / "data/maze/7.png")
    assert moved.key == by_folder[0].key
    with pytest.raises(UsageError, match="image folder is not there"):
        samples_of(tmp_path / "set", images=tmp_path / "gone")
    with pytest.raises(UsageError, match="no such file"):
        samples_of(tmp_path / "nowhere")


def test_all_shards_of_a_parquet_set_are_read_and_pictures_embedded(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    pa = pytest.importorskip("pyarrow")
    for shard, pictures in enumerate([(b"\x89PNG one", b"\x89PNG two"), (b"\x89PNG three",)]):
        rows = [record(image_1={"bytes": data, "path": "7.png"}, image_2=None) for data in pictures]
        rows = [{name: value for name, value in row.items() if name not in ("meta_data", "image_2")} for row in rows]
        parquet.write_table(pa.Table.from_pylist(rows), tmp_path / f"test-{shard:05d}-of-00002.parquet")
    samples = samples_of(tmp_path)
    assert [sample.images[0].data for sample in samples] == [b"\x89PNG one", b"\x89PNG two", b"\x89PNG three"]
    assert len({sample.key.rpartition("-")[0] for sample in samples}) == 3, "the picture is part of the content"
    assert {sample.metadata["image_1"] for sample in samples} == {"7.png"}
    assert b"PNG" not in repr(samples[0].metadata).encode()


def test_the_same_content_twice_keeps_both(tmp_path: Path) -> None:
    first, second = samples_of(write(tmp_path / "d.json", [record(id=1), record(id=2)]))
    assert first.key.rpartition("-")[0] == second.key.rpartition("-")[0]
    assert (first.key[-2:], second.key[-2:]) == ("-0", "-1")


@pytest.mark.parametrize("content", [b"", b"[", b'[{"id": "\xff"}]', b"[" * 100_000, b"[1]", b"[]", b'{"a": 1}'])
def test_a_broken_file_is_a_data_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "d.json").write_bytes(content)
    with pytest.raises(DataError, match=r"d\.json"):
        samples_of(tmp_path / "d.json")


HOSTILE = "{question} {response} <image> \\g<1> \ud800 \x00 \x1b[2J A. \u202e"


@pytest.mark.parametrize("task", TASKS)
def test_any_text_can_be_asked_and_kept(tmp_path: Path, task: str) -> None:
    answer = {"jigsaw": [2, 1, 4, 3], "spot_difference": "1"}.get(task, HOSTILE)
    meta = (
        {"difficulty": 2, "photo": HOSTILE} if task == "jigsaw" else {"difficulty": {"a": [HOSTILE]}, "photo": HOSTILE}
    )
    changes = {"prompt": HOSTILE, "answer": answer, "id": HOSTILE, "image_1": "a\ud800.png", "meta_data": meta}
    sample = one(tmp_path, task=task, **changes)
    assert prompt(sample, TEMPLATE) == (TextPart(HOSTILE), ImagePart(0))
    stored = sample_record(Entry(sample, 0, 0, Response(text="x"), b"", ()))
    assert json.loads(stored)["metadata"]["task"] == task
    assert HOSTILE in extraction_prompt(sample, Response(text="x"))


@pytest.mark.slow
@pytest.mark.parametrize("text", ["A. ", "A ", "1, ", "select ", "how many "])
def test_long_text_takes_linear_time(tmp_path: Path, text: str) -> None:
    begun = time.process_time()
    for task in ("maze", "ocr", "word_search"):
        long = text * (300_000 // len(text))
        assert one(tmp_path, task=task, prompt=long, answer="1 B").parts[0] == TextPart(long)
    assert time.process_time() - begun < 20


def test_the_benchmark_reads_with_this_loader() -> None:
    found = benchmark("tir")
    assert found.load is load
    assert found.sampling.temperature == 0.0
    assert found.sampling.max_tokens == 2048
