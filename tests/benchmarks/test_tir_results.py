"""The authors' response file: its forms, what is odd in it, and `beholder score tir` on it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import Answered, LoadOptions
from beholder.benchmarks.tir import results
from beholder.benchmarks.tir.data import load
from beholder.benchmarks.tir.results import read_results
from beholder.engine.answers import is_plain, score_answers
from beholder.errors import DataError, UsageError
from beholder.sample import ChoiceTarget, Extracted, TextTarget
from beholder.score import Outcome, Score

TIR = benchmark("tir")
MISSING = object()


def item(task: str = "maze", **changes: Any) -> dict[str, Any]:
    """An item of a response file; a change to MISSING removes the field."""
    base = {
        "id": 7,
        "task": task,
        "prompt": "Which way leads out?\nA. RR\nB. DD\nC. LL",
        "answer": "B",
        "image_1": f"data/{task}/7.png",
        "image_2": None,
        "meta_data": {},
        "model_response": "It is B.",
        "extracted_answer": "B",
    }
    return {name: value for name, value in {**base, **changes}.items() if value is not MISSING}


def ocr(response: Any, **changes: Any) -> dict[str, Any]:
    return item("ocr", answer="OPEN", model_response=response, extracted_answer=MISSING, **changes)


ITEMS = [item(id=1), ocr("It says OPEN.", id=2), item(id=3, model_response="C", extracted_answer="C")]
NUMBERED = {str(number): entry for number, entry in enumerate(ITEMS)}


def answered(path: Path, value: Any, **dump: Any) -> list[Answered]:
    path.write_text(value if isinstance(value, str) else json.dumps(value, **dump), encoding="utf-8")
    return list(read_results(path))


def scores_of(tmp_path: Path, entry: dict[str, Any]) -> dict[str, Score]:
    (row,) = score_answers(answered(tmp_path / "r.json", {"0": entry}), TIR.scorers)
    return row.scores


FORMS: list[tuple[str, str, str]] = [
    ("one line", "r.json", json.dumps(NUMBERED)),
    ("indented by four", "r.json", json.dumps(NUMBERED, indent=4)),
    ("indented, other keys", "r.json", json.dumps({f"x{number}": one for number, one in NUMBERED.items()}, indent=2)),
    ("in any order of keys", "r.json", json.dumps(dict(zip("201", ITEMS, strict=True)))),
    ("byte order mark", "r.json", "\ufeff" + json.dumps(NUMBERED)),
    ("blank lines before", "r.json", "\n\n  " + json.dumps(NUMBERED, indent=1)),
    ("raw characters", "r.json", json.dumps(NUMBERED, ensure_ascii=False)),
    ("a list", "r.json", json.dumps(ITEMS)),
    ("a list, indented", "R.JSON", json.dumps(ITEMS, indent=4)),
    ("JSON lines", "r.jsonl", "".join(json.dumps(one) + "\n" for one in ITEMS)),
    ("a number JSON lacks", "r.json", json.dumps(NUMBERED | {"0": ITEMS[0] | {"true_false": float("nan")}})),
    ("half a surrogate pair", "r.json", json.dumps(NUMBERED | {"0": ITEMS[0] | {"note": "\ud83d"}})),
]


@pytest.mark.parametrize(("name", "text"), [row[1:] for row in FORMS], ids=[row[0] for row in FORMS])
def test_each_form_of_the_file_gives_the_same_answers(tmp_path: Path, name: str, text: str) -> None:
    found = answered(tmp_path / name, text)
    assert [one.index for one in found] == [0, 1, 2]
    assert [one.sample.record_id for one in found] == ["1", "2", "3"]
    assert [one.response.text for one in found] == ["It is B.", "It says OPEN.", "C"]
    assert [one.response.extracted for one in found] == [Extracted("B", "file"), None, Extracted("C", "file")]
    assert [one.sample.target for one in found] == [ChoiceTarget("B"), TextTarget("OPEN"), ChoiceTarget("B")]
    assert all(one.sample.images == () and one.vote == 0 for one in found)
    assert not is_plain(tmp_path / name, TIR)


def test_an_item_of_the_file_is_the_item_of_the_data(tmp_path: Path) -> None:
    """The same keys, so that a file can be compared with a run; equal items are numbered."""
    rows = [*ITEMS, ITEMS[0]]
    found = answered(tmp_path / "r.json", {str(number): one for number, one in enumerate(rows)})
    (tmp_path / "TIR-Bench.json").write_text(json.dumps(rows))
    data = list(load(tmp_path / "TIR-Bench.json", LoadOptions()))
    assert [one.sample.key for one in found] == [sample.key for sample in data]
    assert [one.sample.key[-2:] for one in found] == ["-0", "-0", "-1", "-2"], "the id is not part of the content"
    assert found[0].sample.source == "r.json, item '0'"
    assert found[0].sample.cluster == data[0].cluster


def test_items_without_a_picture_are_each_their_own_cluster(tmp_path: Path) -> None:
    found = answered(tmp_path / "r.json", [item(id=number, image_1=None, prompt=f"Q{number}") for number in range(3)])
    assert len({one.sample.cluster for one in found}) == 3


# response, extracted answer → what is read, and the official score's value, outcome and flags
ODD: list[tuple[str, dict[str, Any], str | None, Any, tuple[float | None, str, str]]] = [
    ("as it should be", item(), "It is B.", "B", (1.0, "scored", "")),
    ("not extracted", item(extracted_answer=MISSING), "It is B.", MISSING, (None, "n/a", "")),
    ("extracted nothing", item(extracted_answer=None), "It is B.", None, (0.0, "scored", "")),
    ("nothing is A", item(extracted_answer=None, answer="A"), "It is B.", None, (1.0, "scored", "")),
    ("extracted blank", item(extracted_answer=" "), "It is B.", " ", (0.0, "scored", "")),
    ("extracted with stars", item(extracted_answer="**B**"), "It is B.", "**B**", (1.0, "scored", "")),
    ("extracted a list", item(extracted_answer=["B"]), "It is B.", None, (0.0, "scored", "authors_crash")),
    ("extracted a number", item(extracted_answer=2), "It is B.", None, (0.0, "scored", "authors_crash")),
    ("extracted true", item(extracted_answer=True), "It is B.", None, (0.0, "scored", "authors_crash")),
    ("extracted an object", item(extracted_answer={}), "It is B.", None, (0.0, "scored", "authors_crash")),
    ("no response", item(model_response=None), None, "B", (1.0, "scored", "")),
    ("an empty response", item(model_response=""), "", "B", (1.0, "scored", "")),
    ("a list of responses", item(model_response=["It is C.", "B"]), "It is C.", "B", (1.0, "scored", "")),
    ("a list of nothing", item(model_response=[]), None, "B", (1.0, "scored", "")),
    ("a list of no texts", item(model_response=[3]), None, "B", (1.0, "scored", "")),
    ("a number for a response", item(model_response=7), None, "B", (1.0, "scored", "")),
    ("gold that stops them", item(answer="b, c"), "It is B.", "B", (0.0, "scored", "authors_crash")),
    ("such gold, with a number", item(answer="b, c", question_id=3), "It is B.", "B", (0.0, "scored", "")),
    ("such gold, no number in it", item(answer="b, c", question_id=None), "It is B.", "B", (0.0, "scored", "")),
    ("such gold, an odd number", item(answer="b, c", question_id=[{}]), "It is B.", "B", (0.0, "scored", "")),
    ("ocr", ocr("It says OPEN."), "It says OPEN.", MISSING, (1.0, "scored", "")),
    ("ocr, other case", ocr("It says open."), "It says open.", MISSING, (0.0, "scored", "")),
    ("ocr, a list", ocr(["OPEN"]), "OPEN", MISSING, (1.0, "scored", "")),
    ("ocr, an empty list", ocr([]), None, MISSING, (0.0, "scored", "authors_crash")),
    ("ocr, null", ocr(None), None, MISSING, (0.0, "scored", "authors_crash")),
    ("ocr, a number", ocr(7), None, MISSING, (0.0, "scored", "authors_crash")),
    ("ocr, an object", ocr({"OPEN": 1}), None, MISSING, (1.0, "scored", "")),
    ("ocr, a list in a list", ocr([["OPEN"]]), None, MISSING, (1.0, "scored", "")),
    ("ocr, no picture", ocr("OPEN", image_1=None), "OPEN", MISSING, (0.0, "scored", "authors_crash")),
    ("ocr, gold of theirs", ocr("mobi", image_1="data/ocr/160.jpg"), "mobi", MISSING, (1.0, "scored", "fixed_gold")),
]


@pytest.mark.parametrize(
    ("entry", "text", "extracted", "official"), [row[1:] for row in ODD], ids=[row[0] for row in ODD]
)
def test_what_is_odd_reaches_the_authors_rule_as_it_is(
    tmp_path: Path, entry: dict[str, Any], text: str | None, extracted: Any, official: tuple[float | None, str, str]
) -> None:
    (one,) = answered(tmp_path / "r.json", {"0": entry})
    assert one.response.text == text
    assert one.response.extracted == (None if extracted is MISSING else Extracted(extracted, "file"))
    value, outcome, flag = official
    scores = scores_of(tmp_path, entry)
    found = scores["official"]
    assert (found.value, found.outcome) == (value, outcome), found
    assert flag == "" or flag in found.flags
    assert ("authors_crash" in found.flags) is (flag == "authors_crash")
    for ours in ("strict", "lenient"):
        assert scores[ours].outcome is not Outcome.FAILED, scores[ours]
        assert text or scores[ours].value == 0


def test_a_question_id_is_kept(tmp_path: Path) -> None:
    rows = {"0": item(question_id="q7"), "1": item(question_id=None), "2": item()}
    found = [one.sample.metadata for one in answered(tmp_path / "r.json", rows)]
    assert [one.get("question_id", MISSING) for one in found] == ["q7", None, MISSING]
    reason = scores_of(tmp_path, item(answer="b, c", question_id=3))["official"].reason
    assert reason.startswith("The gold is neither letters nor a number")


def test_a_crash_of_theirs_says_what_it_would_be(tmp_path: Path) -> None:
    for entry, words in ((item(extracted_answer=[1]), "AttributeError"), (ocr(None), "TypeError"), (ocr([]), "Index")):
        reason = scores_of(tmp_path, entry)["official"].reason
        assert reason.startswith("The authors' program would stop here with ")
        assert words in reason


BAD: list[tuple[str, Any, tuple[str, ...]]] = [
    ("no response field", {"0": item(), "k": item(model_response=MISSING)}, ("item 'k'", "'model_response'", "'task'")),
    ("no response in a list", [item(), item(model_response=MISSING)], ("r.json, record 2", "'model_response'")),
    ("an empty item", {"0": {}}, ("item '0'", "the fields are: none", "response file of TIR-Bench")),
    ("an item is text", {"0": item(), "1": "x"}, ("item '1'", "must be an object but is text")),
    ("an item is null", {"0": None}, ("item '0'", "is null")),
    ("one item, not wrapped", item(), ("item 'id'", "is a number")),
    ("no items", {}, ("there are no items",)),
    ("no records", [], ("r.json",)),
    ("a number", 7, ("r.json",)),
    ("text", '"x"', ("r.json",)),
    ("cut off", json.dumps(NUMBERED)[:-9], ("r.json", "not valid JSON", "Get the whole file")),
    ("lines in braces", "{\n", ("r.json", "not valid JSON")),
    ("two values", json.dumps(NUMBERED) * 2, ("r.json", "not valid JSON")),
    ("nested without end", '{"0": ' + "[" * 100_000, ("r.json", "not valid JSON")),
    ("no TIR-Bench task", {"0": item("dog")}, ("item '0'", "no task 'dog'")),
    ("no gold", {"0": item(answer="")}, ("item '0'", "'answer' is empty")),
    ("no question", {"0": item(prompt=MISSING)}, ("item '0'", "no column 'prompt'")),
    ("a jigsaw without a size", {"0": item("jigsaw", answer="1, 2")}, ("item '0'", "pieces a side")),
    ("a long name", {"k" * 10_000: 1}, ("item 'kkkk",)),
    ("a name with a line break", {"a\nb": 1}, ("item 'a\\nb'",)),
]


@pytest.mark.parametrize(("value", "words"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_file_that_is_none_is_named_in_one_line(tmp_path: Path, value: Any, words: tuple[str, ...]) -> None:
    with pytest.raises(DataError) as caught:
        answered(tmp_path / "r.json", value)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 700
    for word in words:
        assert word in message


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_bytes(b'{"0": "\xff"}')
    with pytest.raises(DataError, match=r"r\.json.*not valid JSON"):
        list(read_results(tmp_path / "r.json"))


def test_a_file_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"gone\.json.*no such file"):
        list(read_results(tmp_path / "gone.json"))
    with pytest.raises(UsageError, match="Known endings"):
        answered(tmp_path / "r.txt", NUMBERED)
    monkeypatch.setattr(results, "_LARGEST", 100)
    with pytest.raises(UsageError, match="larger than"):
        answered(tmp_path / "r.json", NUMBERED)


def test_long_texts_are_read_and_scored(tmp_path: Path) -> None:
    for text in ("B" * 1_000_000, "\x00" * 200_000, "1, " * 60_000, "\\boxed{" * 30_000, "\ud800" * 30_000):
        scores = scores_of(tmp_path, item(model_response=text, extracted_answer=text))
        assert all(score.outcome is not Outcome.FAILED for score in scores.values()), scores


# the command line --------------------------------------------------------------------------------------------------


def score(file: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """The command itself, in a process of its own: the comparison of expressions is a process too."""
    command = [sys.executable, "-W", "error", "-m", "beholder", "score", "tir", str(file), *more]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def write(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value, indent=4), encoding="utf-8")
    return path


def test_a_file_with_extracted_answers_end_to_end(tmp_path: Path) -> None:
    number = item("instrument", prompt="What does it read?", answer="3", extracted_answer="6/2", model_response="6/2")
    crash = item("contrast", id=9, extracted_answer=["B"])
    done = score(write(tmp_path / "r.json", NUMBERED | {"3": number, "4": crash}), "--json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    found = json.loads(done.stdout)
    assert found["headline"] == {"scorer": "official", "metric": "all"}
    assert [one["index"] for one in found["items"]] == [0, 1, 2, 3, 4]
    official = [one["scores"]["official"] for one in found["items"]]
    assert [one["value"] for one in official] == [1, 1, 0, 1, 0]
    assert official[3]["flags"] == ["by_expression"]
    assert official[4]["flags"] == ["authors_crash"]
    assert found["metrics"]["official"]["all"]["value"] == pytest.approx(3 / 5)
    assert found["metrics"]["official"]["task/maze"]["value"] == 0.5
    assert found["metrics"]["lenient"]["all"]["value"] == pytest.approx(4 / 5)
    assert found["details"]["extraction"]["compared"] == 4
    assert found["details"]["published"]["complete"] == []
    assert "This is not the whole of TIR-Bench: 5 of 1,215 items" in done.stderr


def test_without_extracted_answers_ours_leads(tmp_path: Path) -> None:
    bare = {name: {k: v for k, v in one.items() if k != "extracted_answer"} for name, one in NUMBERED.items()}
    found = json.loads(score(write(tmp_path / "r.json", bare), "--json").stdout)
    assert found["headline"] == {"scorer": "lenient", "metric": "all"}
    assert found["metrics"]["official"]["all"] == {
        "value": None,
        "n": 0,
        "failed": 0,
        "low": None,
        "high": None,
        "note": "2 of 3 responses have no extracted answer, so there is no figure",
    }
    assert "macro" not in found["metrics"]["official"]
    assert found["metrics"]["official"]["task/ocr"]["value"] == 1.0
    assert found["metrics"]["lenient"]["all"]["value"] == pytest.approx(2 / 3)
    assert "extraction" not in found["details"]
    shown = score(tmp_path / "r.json")
    assert "headline by lenient" in shown.stdout
    assert "Answers read by" not in shown.stdout
    assert "ublished" not in shown.stdout, "published figures stand only beside the official ones"


def test_one_answer_that_nobody_read_leaves_no_official_figure(tmp_path: Path) -> None:
    rows = NUMBERED | {"3": item("color", extracted_answer=MISSING)}
    found = json.loads(score(write(tmp_path / "r.json", rows), "--json").stdout)
    assert found["headline"]["scorer"] == "lenient"
    assert found["metrics"]["official"]["all"]["note"].startswith("1 of 4 responses")
    assert "task/color" not in found["metrics"]["official"]


def test_the_table_says_who_read_the_answers(tmp_path: Path) -> None:
    shown = score(write(tmp_path / "r.json", NUMBERED))
    assert shown.returncode == 0, shown.stderr
    words = " ".join(shown.stdout.split())
    assert "headline by official" in words
    assert "Answers read by the file; of 2, our own extraction agrees on 100.0 % with the same text" in words
    assert "No task has as many items as the published one" in words


def test_plain_lines_may_hold_an_extracted_answer(tmp_path: Path) -> None:
    write(tmp_path / "TIR-Bench.json", [item(id="m1"), ocr("", id="o1"), item("math", id="m2", answer="A")])
    lines = [
        {"key": "m1", "response": "It is B.", "extracted_answer": "B"},
        {"key": "o1", "response": "OPEN"},
        {"key": "m2", "response": "none of them", "extracted_answer": None},
    ]
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = json.loads(score(file, "--data", str(tmp_path / "TIR-Bench.json"), "--json").stdout)
    assert found["headline"] == {"scorer": "official", "metric": "all"}
    assert [one["scores"]["official"]["value"] for one in found["items"]] == [1, 1, 1]
    assert [one["key"] for one in found["items"]] == ["m1", "o1", "m2"]
    file.write_text(json.dumps({"key": "m1", "response": "x", "extracted_answer": [2, 1]}) + "\n")
    refused = score(file, "--data", str(tmp_path / "TIR-Bench.json"))
    assert refused.returncode == 2
    assert "mine.jsonl, line 1" in refused.stderr
    assert "`extracted_answer` is not text" in refused.stderr
