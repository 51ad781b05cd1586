"""Answers that somebody already has, in our plain JSON lines: matched with the data, or refused with line and mend."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import LoadOptions
from beholder.cli import main
from beholder.engine.answers import PlainAnswers, is_plain, read_plain, score_answers
from beholder.errors import BeholderError, DataError, UsageError
from beholder.sample import Extracted
from beholder.score import Outcome
from made_runs import tfq_data, vl_data, write_lines

NOTHING_SAID = LoadOptions()


def read(tmp_path: Path, lines: list[Any], name: str = "tfq", number: int = 4, **columns: list[Any]) -> PlainAnswers:
    data = tfq_data(tmp_path, number, **columns) if name == "tfq" else vl_data(tmp_path, number)
    return read_plain(write_lines(tmp_path / "answers.jsonl", lines), benchmark(name), data, NOTHING_SAID)


def keys(tmp_path: Path, number: int = 4, **columns: list[Any]) -> list[str]:
    data = tfq_data(tmp_path, number, **columns)
    return [sample.key for sample in benchmark("tfq").load(data, NOTHING_SAID)]


def test_answers_are_found_by_key_record_id_or_index_and_keep_file_order(tmp_path: Path) -> None:
    names = ["red", "green", "blue", "black"]
    by_key = keys(tmp_path, id=names)
    lines = [
        {"key": "blue", "response": "one"},
        {"key": by_key[3], "response": "two", "finish": "length", "reasoning": "hm"},
        {"index": 0, "response": None},
        {"key": "green", "response": "four", "completion_tokens": 9, "max_tokens": 9},
    ]
    found = read(tmp_path, lines, id=names)
    assert [one.sample.index for one in found.answered] == [2, 3, 0, 1]
    assert [one.index for one in found.answered] == [0, 1, 2, 3]
    assert [one.response.text for one in found.answered] == ["one", "two", None, "four"]
    assert (found.answered[1].response.finish, found.answered[1].response.reasoning) == ("length", "hm")
    assert (found.answered[3].response.usage.completion_tokens, found.answered[3].response.max_tokens) == (9, 9)
    assert found.unanswered == 0
    assert not found.assumed_order


def test_items_without_an_answer_are_counted(tmp_path: Path) -> None:
    found = read(tmp_path, [{"index": 1, "response": "x"}, {"index": 1, "vote": 1, "response": "y"}])
    assert found.unanswered == 3
    assert [one.vote for one in found.answered] == [0, 1]


def test_groups_are_as_large_as_in_the_data_not_in_the_file(tmp_path: Path) -> None:
    found = read(tmp_path, [{"index": 1, "response": "x"}], Image_URL=list("aaab"))
    assert found.group_sizes == {"a": 3}
    assert read(tmp_path, [{"index": 1, "response": "x"}], "vl-rewardbench").group_sizes is None


def test_two_of_an_images_three_statements_are_no_right_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`beholder score`: what the file leaves out does not make the image easier."""
    data = tfq_data(tmp_path, 4, Image_URL=list("aaab"))
    lines = [{"index": n, "response": f"<answer>{'TF'[n % 2]}</answer>"} for n in (0, 1, 3)]
    file = write_lines(tmp_path / "answers.jsonl", lines)
    monkeypatch.setattr(sys, "argv", ["beholder", "score", "tfq", str(file), "--data", str(data), "--json"])
    with contextlib.suppress(SystemExit):
        main.run()
    figures = json.loads(capsys.readouterr().out)["metrics"]
    for scorer in benchmark("tfq").scorers:
        group = figures[scorer]["group_accuracy"]
        assert (group["value"], group["n"], group["failed"], group["worst"]) == (1.0, 1, 1, 0.5)
        assert "1 of 2 groups are incomplete" in group["note"]


def test_orders_given_and_assumed(tmp_path: Path) -> None:
    lines = [{"index": 0, "response": "x", "order": [1, 0]}, {"index": 1, "response": "x", "order": ["0", "1"]}]
    found = read(tmp_path, lines, "vl-rewardbench")
    assert [one.response.order for one in found.answered] == [(1, 0), (0, 1)]
    assert not found.assumed_order
    found = read(tmp_path, [*lines, {"index": 2, "response": "x"}], "vl-rewardbench")
    assert found.answered[2].response.order == (0, 1)
    assert found.assumed_order


SAID = {"index": 1, "response": "a"}
BAD: list[tuple[str, list[Any], str]] = [
    ("T34 the same key twice", [SAID, {"index": 2, "response": "b"}, SAID], "line 1 and .*line 3 both answer"),
    ("the same item by two names", [SAID, {"key": "@1", "response": "b"}], "line 1 and .*line 2 both answer"),
    ("the same vote twice", [{"index": 1, "vote": 2, "response": "a"}] * 2, "vote 2"),
    ("an unknown key", [{"key": "nobody", "response": "a"}], "line 1.*no item 'nobody'.*--data"),
    ("an index beyond the data", [{"index": 99, "response": "a"}], "line 1.*no item 99"),
    ("neither key nor index", [{"index": 0, "response": "a"}, {"response": "b"}], "line 2.*neither `key` nor `index`"),
    ("a key that is null", [{"key": None, "response": "b"}], "line 1"),
    ("a key that is true", [{"key": True, "response": "b"}], "line 1"),
    ("a key that is a list", [{"key": ["a"], "response": "b"}], "line 1"),
    ("a response that is a number", [{"index": 0, "response": 5}], "line 1.*not text"),
    ("a vote that is text", [{"index": 0, "response": "a", "vote": "1"}], "line 1.*`vote`"),
    ("a vote below 0", [{"index": 0, "response": "a", "vote": -1}], "line 1.*`vote`"),
    ("a vote that is true", [{"index": 0, "response": "a", "vote": True}], "line 1.*`vote`"),
    ("an order of other things", [{"index": 0, "response": "a", "order": [0, 1]}], "line 1.*`order`"),
    ("a line that is no object", ["x"], "line 1"),
]


@pytest.mark.parametrize(("lines", "words"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_bad_lines_name_their_place_and_the_mend(lines: list[Any], words: str, tmp_path: Path) -> None:
    if lines[-1] == {"key": "@1", "response": "b"}:
        lines = [*lines[:-1], {"key": keys(tmp_path)[1], "response": "b"}]
    with pytest.raises(BeholderError, match=words) as caught:
        read(tmp_path, lines)
    assert "answers.jsonl" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("order", [[0], [0, 0], [1, 2], "01", [True, False], [0, 1, 2], {}, 5, [0.0, 1.0]])
def test_an_order_must_arrange_the_stored_answers(order: Any, tmp_path: Path) -> None:
    with pytest.raises(BeholderError, match=r"line 1.*`order`.*\[0, 1\]"):
        read(tmp_path, [{"index": 0, "response": "x", "order": order}], "vl-rewardbench")


def test_an_id_that_several_items_share_cannot_name_one(tmp_path: Path) -> None:
    ids = ["same", "same", "other", "last"]
    with pytest.raises(UsageError, match=r"line 1: 'same' names several items"):
        read(tmp_path, [{"key": "same", "response": "x"}], id=ids)
    found = read(tmp_path, [{"key": key, "response": "x"} for key in keys(tmp_path, id=ids)], id=ids)
    assert found.unanswered == 0
    assert [one.sample.index for one in found.answered] == [0, 1, 2, 3]


def test_equal_records_have_keys_of_their_own(tmp_path: Path) -> None:
    """T34, first half: what the data repeats is kept, with an occurrence number."""
    data = tfq_data(tmp_path, 2)
    line = data.read_text().splitlines()[0]
    data.write_text(f"{line}\n{line}\n")
    first, second = [sample.key for sample in benchmark("tfq").load(data, NOTHING_SAID)]
    assert (first[:-1], first[-1], second[-1]) == (second[:-1], "0", "1")


PLAIN = [
    ({"key": "a", "response": "x"}, True),
    ({"index": 1, "response": None}, True),
    ({"key": "a", "response": ["x", "y"]}, False),
    ({"key": "a"}, False),
    ({"response": "x"}, False),
    ({"id": "a", "output": ["x"], "meta": {}}, False),
]


@pytest.mark.parametrize(("record", "plain"), PLAIN)
def test_what_is_a_plain_file(record: dict[str, Any], plain: bool, tmp_path: Path) -> None:
    assert is_plain(write_lines(tmp_path / "x.jsonl", [record]), benchmark("tfq")) is plain


def test_a_file_that_is_no_list_of_records_is_left_to_the_benchmarks_own_reader(tmp_path: Path) -> None:
    file = tmp_path / "authors.json"
    file.write_text('{\n  "0": {"model_response": "B"}\n}')
    assert not is_plain(file, benchmark("tir"))
    without = msgspec.structs.replace(benchmark("tir"), read_results=None)
    with pytest.raises(DataError, match=r"authors\.json"):
        is_plain(file, without)


EXTRACTED: list[tuple[dict[str, Any], Extracted | None]] = [
    ({}, None),
    ({"extracted_answer": "T"}, Extracted("T", "file")),
    ({"extracted_answer": ""}, Extracted("", "file")),
    ({"extracted_answer": None}, Extracted(None, "file")),
]


@pytest.mark.parametrize(("more", "extracted"), EXTRACTED)
def test_what_somebody_read_out_of_a_response(
    more: dict[str, Any], extracted: Extracted | None, tmp_path: Path
) -> None:
    (one,) = read(tmp_path, [{"index": 0, "response": "x", **more}]).answered
    assert one.response.extracted == extracted


@pytest.mark.parametrize("value", [[1, 2], 3, True, {"a": 1}], ids=str)
def test_what_was_read_must_be_text(value: Any, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 2: its `extracted_answer` is not text"):
        read(tmp_path, [{"index": 0, "response": "x"}, {"index": 1, "response": "x", "extracted_answer": value}])


def test_a_json_list_is_plain_too(tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    file.write_text(json.dumps([{"index": 0, "response": "<answer>T</answer>"}]))
    assert is_plain(file, benchmark("tfq"))
    found = read_plain(file, benchmark("tfq"), tfq_data(tmp_path / "data", 2), NOTHING_SAID)
    assert (len(found.answered), found.unanswered) == (1, 1)


def test_rows_of_scores_come_in_file_order_with_the_facts_of_their_items(tmp_path: Path) -> None:
    lines = [
        {"index": 2, "response": "<think>a</think><answer>T</answer>"},
        {"index": 0, "response": "maybe"},
        {"index": 1, "response": None},
    ]
    found = read(tmp_path, lines, category=["a", "b", "c", "d"])
    rows = score_answers(found.answered, benchmark("tfq").scorers)
    assert [(row.index, row.category, row.target) for row in rows] == [(0, "c", "T"), (1, "a", "T"), (2, "b", "F")]
    assert [row.scores["strict"].value for row in rows] == [1.0, 0.0, 0.0]
    assert [row.scores["strict"].outcome for row in rows] == [Outcome.SCORED, Outcome.UNPARSED, Outcome.UNPARSED]
    assert [row.key for row in rows] == [one.sample.key for one in found.answered]


def test_a_verdict_is_mapped_back_by_the_order_that_was_shown(tmp_path: Path) -> None:
    says_one = "Overall Judgment: Answer 1 is better."
    orders = [[0, 1], [1, 0]]
    lines = [{"index": 1, "vote": vote, "response": says_one, "order": orders[vote]} for vote in range(2)]
    found = read(tmp_path, lines, "vl-rewardbench")
    rows = score_answers(found.answered, benchmark("vl-rewardbench").scorers)
    assert [row.scores["strict"].value for row in rows] == [1.0, 0.0]  # item 1 prefers the first stored answer
    assert [row.order for row in rows] == [(0, 1), (1, 0)]
