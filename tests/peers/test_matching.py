"""Which item an answer of a log belongs to: by key, id, position or question, and never by a guess."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import peer_files
import pytest

from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import LoadOptions
from beholder.errors import UsageError
from beholder.peers.matching import match
from beholder.peers.peer_log import PeerAnswer
from beholder.sample import Response, Sample, TextPart

PROMPT = "Is this true?\n\nStatement {}:  the lamp\nstands for hope."


def answer(**facts: Any) -> PeerAnswer:
    return PeerAnswer(where="line", response=Response(text="T"), **facts)


@pytest.fixture
def lamps(tmp_path: Path) -> list[Sample]:
    return list(benchmark("tfq").load(peer_files.lamps(tmp_path), LoadOptions()))


def test_each_way_finds_its_item(lamps: list[Sample], tmp_path: Path) -> None:
    mazes = list(benchmark("tir").load(peer_files.mazes(tmp_path), LoadOptions()))
    cases: list[tuple[str, PeerAnswer, list[Sample], Sample]] = [
        ("key", answer(id=lamps[3].key), lamps, lamps[3]),
        ("id", answer(id=4), mazes, mazes[4]),
        ("id", answer(id="4"), mazes, mazes[4]),
        ("index", answer(index=5), lamps, lamps[5]),
        ("question", answer(question=PROMPT.format(6)), lamps, lamps[6]),
        ("question", answer(question=lamps[7].question), lamps, lamps[7]),
    ]
    for way, one, data, expected in cases:
        for by in (way, "auto"):
            matched = match([one], data, by)
            assert (matched.way, matched.left, matched.unanswered) == (way, [], 9)
            assert [sample.key for sample, _ in matched.answers] == [expected.key]


@pytest.mark.parametrize(
    ("by", "facts", "reason"),
    [
        ("key", {"id": "x"}, "the data has no item whose key is 'x'"),
        ("id", {}, "it has no id"),
        ("index", {}, "it has no position"),
        ("index", {"index": 10}, "the data has no item whose index is '10'"),
        # Inspect counts from 1: an item found by its number must have been asked that item's question.
        ("index", {"index": 3, "question": PROMPT.format(2)}, "it was asked another question"),
        ("question", {}, "the log does not hold its question"),
        ("question", {"question": "What is it?"}, "no question of the data stands in its prompt"),
        ("auto", {"question": "What is it?"}, "the data has no item whose key is 'None'"),
    ],
)
def test_what_does_not_match_is_left_with_its_reason(
    lamps: list[Sample], by: str, facts: dict[str, Any], reason: str
) -> None:
    matched = match([answer(**facts)], lamps, by)
    ((_, found),) = matched.left
    assert reason in found or by == "auto"
    assert matched.answers == []


def test_two_answers_to_one_place_are_not_both_taken(lamps: list[Sample]) -> None:
    matched = match([answer(index=1), answer(index=1), answer(index=1, repetition=1)], lamps, "index")
    ((_, reason),) = matched.left
    assert reason == "line answers the same item"
    assert [one.repetition for one in matched.answers[0][1]] == [0, 1]


def test_a_question_of_several_items_is_not_guessed(lamps: list[Sample]) -> None:
    ((_, reason),) = match([answer(question=PROMPT.format(1))], [*lamps, lamps[1]], "question").left
    assert reason == "2 items of the data have its question"


def test_the_longest_question_in_a_prompt_counts(tmp_path: Path) -> None:
    data = peer_files.tfq_data(tmp_path / "more", 12)
    items = list(benchmark("tfq").load(data, LoadOptions()))
    found = match([answer(question=PROMPT.format(11))], items, "question")
    assert [sample.index for sample, _ in found.answers] == [11]


def test_questions_that_begin_alike_are_told_apart_in_any_order(lamps: list[Sample]) -> None:
    both = f"{lamps[2].question} {lamps[3].question} and more"
    longer = msgspec.structs.replace(lamps[1], key="longer", parts=(TextPart(f"{lamps[1].question} And for peace."),))
    data = [*lamps, longer]
    for prompt, expected in ((both, lamps[2]), (f"{longer.question} T or F?", longer), (lamps[1].question, lamps[1])):
        ((sample, _),) = match([answer(question=prompt)], data, "question").answers
        assert sample.key == expected.key


def test_an_unknown_way_is_refused(lamps: list[Sample]) -> None:
    with pytest.raises(UsageError, match="Choose auto, key, id, index, question"):
        match([], lamps, "luck")
