"""Result files of M3R-Bench: records with what was answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beholder.annotation import read_written
from beholder.benchmarks.benchmark import LoadOptions
from beholder.benchmarks.m3r import BENCHMARK
from beholder.benchmarks.m3r.results import read_results
from beholder.engine.answers import score_answers
from beholder.errors import DataError
from beholder.score import Outcome

GOLD: dict[str, Any] = {
    "id": "1",
    "image": "images/1.png",
    "text": "Smoking kills.",
    "metaphor": True,
    "target": "smoking",
    "source": "gun",
    "sentiment": "negative",
}
LABELS = {name: GOLD[name] for name in ("metaphor", "target", "source", "sentiment")}
BLANK = {"evidence": [], "mapping": "", "sentiment": ""}


def write(folder: Path, *records: dict[str, Any]) -> Path:
    file = folder / "results.jsonl"
    file.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))
    return file


# what is added to the gold, strict, lenient
ANSWERS = [
    ({"prediction": LABELS}, 1.0, 1.0),
    ({"prediction": {**LABELS, "explanation": {"mapping": "It burns."}}}, 1.0, 1.0),
    ({"prediction": {**LABELS, "explanation": None}}, 1.0, 1.0),
    ({"prediction": {**LABELS, "explanation": {"evidence": None, "mapping": "It burns."}}}, 1.0, 1.0),
    ({"prediction": {**LABELS, "explanation": "It burns."}}, 0.0, 1.0),
    ({"prediction": {**LABELS, "metaphor": "yes"}}, 1.0, 1.0),
    ({"prediction": {**LABELS, "sentiment": "neutral"}}, 0.0, 0.0),
    ({"prediction": {**LABELS, "confidence": 0.3}}, 0.0, 1.0),
    ({"prediction": {"metaphor": False}}, 0.0, 0.0),
    ({"prediction": {"target": "smoking"}, "task": "target"}, 1.0, 1.0),
    ({"prediction": {"metaphor": True}, "task": "metaphor"}, 1.0, 1.0),
    ({"response": json.dumps({**LABELS, "metaphor": "yes", "explanation": BLANK})}, 1.0, 1.0),
    ({"response": "Metaphor: yes. Target: smoking. Source: gun. Sentiment: negative."}, 0.0, 1.0),
    ({"response": "yes", "task": "metaphor"}, 0.0, 1.0),
    ({"response": None}, 0.0, 0.0),
    ({"response": ""}, 0.0, 0.0),
]


@pytest.mark.parametrize(("added", "strict", "lenient"), ANSWERS)
def test_answers_are_read_and_scored(added: dict[str, Any], strict: float, lenient: float, tmp_path: Path) -> None:
    (item,) = score_answers(list(read_results(write(tmp_path, GOLD | added))), BENCHMARK.scorers)
    assert (item.scores["strict"].value, item.scores["lenient"].value) == (strict, lenient)
    gold = read_written(item.target)
    assert gold is not None
    assert (gold.metaphor, gold.target, gold.source, gold.sentiment) == tuple(LABELS.values())


def test_an_answer_has_the_key_of_its_record_so_that_it_can_be_paired_with_a_run(tmp_path: Path) -> None:
    task = {"task": "metaphor"}
    file = write(tmp_path, GOLD | task | {"response": "yes"}, GOLD | task | {"id": "2", "prediction": LABELS})
    data = tmp_path / "data.jsonl"
    data.write_text("\n".join(json.dumps(record) for record in (GOLD, GOLD | {"id": "2"})))
    keys = [sample.key for sample in BENCHMARK.load(data, LoadOptions())]
    assert [one.sample.key for one in read_results(file)] == keys
    assert [one.index for one in read_results(file)] == [0, 1]


def test_a_record_without_labels_is_no_record_to_score(tmp_path: Path) -> None:
    bare = {name: value for name, value in GOLD.items() if name not in LABELS}
    with pytest.raises(DataError, match=r"results.jsonl, line 1: it has no label"):
        list(read_results(write(tmp_path, bare | {"prediction": LABELS})))


BAD = [
    ({}, "there is no answer; it has 'id', 'image', 'text'"),
    ({"response": "yes", "prediction": LABELS}, "there is both a response and a prediction"),
    ({"response": 3}, "the response must be text but is a number"),
    ({"prediction": "yes"}, "the prediction must be an object but is text"),
    ({"prediction": None}, "the prediction must be an object but is null"),
    ({"response": "yes", "task": "mood"}, "the task 'mood' is not known. Known: joint, metaphor, target"),
    ({"response": "yes", "task": ["target"]}, r"the task .* is not known"),
    ({"response": "yes", "task": "metaphor"}, "the task is metaphor, but that of the records before is joint"),
    ({"response": "yes", "sentiment": "mixed"}, "mixed"),
    ({"response": "yes", "metaphor": False}, "it is no metaphor but has a target or a source"),
]


@pytest.mark.parametrize(("added", "problem"), BAD)
def test_a_bad_record_is_named_in_one_clear_line(added: dict[str, Any], problem: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=problem) as error:
        list(read_results(write(tmp_path, GOLD | {"response": "yes"}, GOLD | added)))
    assert str(error.value).startswith("results.jsonl, line 2: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["[" * 3000, '{"metaphor": ' * 2000, "\ud800", "\x00" * 50])
def test_hostile_answers_are_scored(text: str, tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    file.write_text(json.dumps(GOLD | {"response": text}) + "\n")
    (item,) = score_answers(list(read_results(file)), BENCHMARK.scorers)
    assert item.scores["strict"].outcome is Outcome.UNPARSED
    assert item.scores["lenient"].value == 0
