"""Our scorers of TIR-Bench: what they read in responses to each kind of item, and what it is worth."""

from __future__ import annotations

from typing import Any

import pytest
from tir_answers import COUNT, DIGIT, GAUGE, GRID, JIGSAW, NUMBERS, ORDERS, PATCHES, PLACES, SETS, THERMOMETER
from tir_items import KINDS, NINE, TEXT, item, said
from tir_letter_answers import ALL, CHOICES, MAZE, NO_LIST, PAIRS, PLAIN, SEVERAL, SHARE

from beholder.benchmarks.records import Record
from beholder.benchmarks.tir.answers import deterministic
from beholder.benchmarks.tir.answers import lenient as read_leniently
from beholder.benchmarks.tir.answers import strict as read_strictly
from beholder.benchmarks.tir.data import make_sample
from beholder.benchmarks.tir.prompt import gold
from beholder.benchmarks.tir.questions import several
from beholder.benchmarks.tir.score import lenient, strict
from beholder.errors import Owner
from beholder.sample import (
    BooleanTarget,
    ChoiceTarget,
    Failure,
    KeyMaker,
    NumberSetTarget,
    NumberTarget,
    OrderedListTarget,
    PlaceTarget,
    PreferenceTarget,
    Response,
    Target,
    TextTarget,
    Usage,
)
from beholder.score import Outcome

INHERITED: dict[str, Target] = {
    "choice": ChoiceTarget("A"),
    "several": ChoiceTarget("A", several=True),
    "number": NumberTarget("1"),
    "place": PlaceTarget(1, 1),
    "set": NumberSetTarget((1,)),
    "order": OrderedListTarget(tuple(range(1, 10))),
}
TABLES = {
    "choice": CHOICES,
    "several": SEVERAL,
    "number": NUMBERS,
    "place": PLACES,
    "set": SETS,
    "order": ORDERS,
}
ROWS = [(kind, *row) for kind, rows in TABLES.items() for row in rows]


@pytest.mark.parametrize("kind, name, prompt, text, answer", ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS])
def test_lenient_reads_what_a_person_takes(kind: str, name: str, prompt: str, text: str, answer: str | None) -> None:
    sample = item(prompt, INHERITED[kind])
    assert several(prompt) == (kind == "several")
    assert deterministic(sample, said(text)) == answer, read_leniently(sample, said(text))


@pytest.mark.parametrize("kind, name, prompt, text, answer", ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS])
def test_the_gold_never_changes_what_is_read(kind: str, name: str, prompt: str, text: str, answer: str | None) -> None:
    others: dict[str, Target] = {
        "choice": ChoiceTarget("D"),
        "several": ChoiceTarget("BCD", several=True),
        "number": NumberTarget("72.5"),
        "place": PlaceTarget(5, 6),
        "set": NumberSetTarget((2, 6, 7)),
        "order": OrderedListTarget(NINE),
    }
    first, second = item(prompt, INHERITED[kind]), item(prompt, others[kind])
    assert read_leniently(first, said(text)) == read_leniently(second, said(text))
    assert read_strictly(first, said(text)) == read_strictly(second, said(text))


# prompt, response, what `strict` reads
STRICT: list[tuple[str, Target, str, Any]] = [
    (PLAIN, ChoiceTarget("B"), "B", "B"),
    (PLAIN, ChoiceTarget("B"), " B\n", "B"),
    (PLAIN, ChoiceTarget("B"), "<think>A</think>\n\nB", "B"),
    (PLAIN, ChoiceTarget("B"), "It barks.\n<answer>B</answer>", "B"),
    (PLAIN, ChoiceTarget("B"), "It barks.\nAnswer: B", "B"),
    (PLAIN, ChoiceTarget("B"), "b", None),
    (PLAIN, ChoiceTarget("B"), "B.", None),
    (PLAIN, ChoiceTarget("B"), "**B**", None),
    (PLAIN, ChoiceTarget("B"), "B. dog", None),
    (PLAIN, ChoiceTarget("B"), "dog", None),
    (PLAIN, ChoiceTarget("B"), "The answer is B.", None),
    (PLAIN, ChoiceTarget("B"), "Answer: A\nAnswer: B", None),
    (PLAIN, ChoiceTarget("B"), "AB", None),
    (PLAIN, ChoiceTarget("B"), "答案：B", None),
    (MAZE, ChoiceTarget("F"), "F", "F"),
    (MAZE, ChoiceTarget("F"), "No answer", None),
    (SHARE, ChoiceTarget("C"), "C", "C"),
    (SHARE, ChoiceTarget("C"), "81%", None),
    (ALL, ChoiceTarget("AC", True), "AC", "AC"),
    (ALL, ChoiceTarget("AC", True), "CA", "AC"),
    (ALL, ChoiceTarget("AC", True), "A, C", "AC"),
    (PAIRS, ChoiceTarget("CD", True), "CD", "CD"),
    (PAIRS, ChoiceTarget("CD", True), "C, D", None),
    (PAIRS, ChoiceTarget("CD", True), "C and D", None),
    (PAIRS, ChoiceTarget("CD", True), "Answer: CD", "CD"),
    (COUNT, NumberTarget("4"), "4", 4),
    (COUNT, NumberTarget("4"), "4.0", 4),
    (COUNT, NumberTarget("4"), "<answer> 4 </answer>", 4),
    (COUNT, NumberTarget("4"), "Two and two.\nAnswer: 4", 4),
    (COUNT, NumberTarget("4"), "four", None),
    (COUNT, NumberTarget("4"), "4 cars", None),
    (COUNT, NumberTarget("4"), "4.", None),
    (COUNT, NumberTarget("4"), "There are 4.", None),
    (THERMOMETER, NumberTarget("72"), "72", 72),
    (THERMOMETER, NumberTarget("72"), "72.0", None),
    (THERMOMETER, NumberTarget("72"), "72°F", None),
    (GAUGE, NumberTarget("11.0"), "11.0", 11),
    (GAUGE, NumberTarget("11.0"), "11", 11),
    (GAUGE, NumberTarget("11.0"), "11.00", None),
    (GRID, PlaceTarget(2, 3), "[2, 3]", (2, 3)),
    (GRID, PlaceTarget(2, 3), "[2,3]", (2, 3)),
    (GRID, PlaceTarget(2, 3), "Answer: [2, 3]", (2, 3)),
    (GRID, PlaceTarget(2, 3), "<answer>[2, 3]</answer>", (2, 3)),
    (GRID, PlaceTarget(2, 3), "2, 3", None),
    (GRID, PlaceTarget(2, 3), "(2, 3)", None),
    (GRID, PlaceTarget(2, 3), "row 2, column 3", None),
    (PATCHES, NumberSetTarget((7, 11)), "7, 11", (7, 11)),
    (PATCHES, NumberSetTarget((7, 11)), "[11, 7]", (7, 11)),
    (PATCHES, NumberSetTarget((7, 11)), '{"different_patches": [7, 11]}', (7, 11)),
    (PATCHES, NumberSetTarget((7, 11)), '```json\n{\n  "different_patches": [7, 11]\n}\n```', (7, 11)),
    (PATCHES, NumberSetTarget((7, 11)), "7", (7,)),
    (PATCHES, NumberSetTarget((7, 11)), "7, 7, 11", None),
    (PATCHES, NumberSetTarget((7, 11)), "patches 7, 11", None),
    (PATCHES, NumberSetTarget((7, 11)), "7 and 11", None),
    (JIGSAW, OrderedListTarget(NINE), "[4, 1, 8, 9, 3, 6, 2, 7, 5]", NINE),
    (JIGSAW, OrderedListTarget(NINE), "4, 1, 8, 9, 3, 6, 2, 7, 5", NINE),
    (JIGSAW, OrderedListTarget(NINE), "<answer>[4,1,8,9,3,6,2,7,5]</answer>", NINE),
    (JIGSAW, OrderedListTarget(NINE), "[4, 1, 8]", None),
    (JIGSAW, OrderedListTarget(NINE), "[[4, 1, 8], [9, 3, 6], [2, 7, 5]]", None),
    (JIGSAW, OrderedListTarget(NINE), "4 1 8 9 3 6 2 7 5", None),
    (TEXT, TextTarget("OPEN"), "OPEN", "OPEN"),
    (TEXT, TextTarget("OPEN"), "Answer: OPEN", "OPEN"),
    (TEXT, TextTarget("OPEN"), "", None),
]


@pytest.mark.parametrize("prompt, target, text, value", STRICT, ids=[f"{i}-{row[2]!r}" for i, row in enumerate(STRICT)])
def test_strict_takes_the_bare_answer_only(prompt: str, target: Target, text: str, value: Any) -> None:
    found = read_strictly(item(prompt, target), said(text))
    assert found.value == value, found
    score = strict(item(prompt, target), said(text))
    assert (score.outcome is Outcome.SCORED) == (value is not None)
    if value is not None:
        assert lenient(item(prompt, target), said(text)).value == score.value
    else:
        assert score.value == 0
        assert score.reason


# target, response, value under `lenient`, flags
VALUES: list[tuple[str, Target, str, float, tuple[str, ...]]] = [
    (PLAIN, ChoiceTarget("B"), "(B)", 1, ()),
    (PLAIN, ChoiceTarget("B"), "(C)", 0, ()),
    (ALL, ChoiceTarget("ABC", True), "A, B, C", 1, ()),
    (ALL, ChoiceTarget("ABC", True), "BCA", 1, ()),
    (ALL, ChoiceTarget("ABC", True), "Both A and C", 0, ()),
    (ALL, ChoiceTarget("B", True), "B", 1, ()),
    (COUNT, NumberTarget("5"), "5.0", 1, ()),
    (COUNT, NumberTarget("5"), "5 apples", 1, ("unit_ignored",)),
    (COUNT, NumberTarget("5"), "five", 1, ()),
    (COUNT, NumberTarget("5"), "6", 0, ()),
    (GAUGE, NumberTarget("2.5"), "2.50", 1, ()),
    (GAUGE, NumberTarget("2.5"), "5/2", 1, ()),
    (GAUGE, NumberTarget("2.50"), "2.5 kg/cm²", 1, ("unit_ignored",)),
    (GAUGE, NumberTarget("11.1"), "11.1", 1, ()),
    (GAUGE, NumberTarget("11.1"), "11.10001", 0, ()),
    (GAUGE, NumberTarget("11.1"), "11.2", 0, ()),
    (GAUGE, NumberTarget("0.1"), "1e-1", 1, ()),
    (GRID, PlaceTarget(5, 6), "column 6, row 5", 1, ()),
    (GRID, PlaceTarget(5, 6), "[6, 5]", 0, ()),
    (PATCHES, NumberSetTarget((3, 7)), "Image 1 vs image 2: cells 3, 7", 1, ("exact",)),
    (PATCHES, NumberSetTarget((3, 7)), "[3, 7, 8]", 2 / 3, ()),
    (PATCHES, NumberSetTarget((3, 7)), "[8]", 0, ()),
    (PATCHES, NumberSetTarget((3, 7)), "[]", 0, ()),
    (PATCHES, NumberSetTarget((3, 7)), "There are no differences.", 0, ("no_difference",)),
    (PATCHES, NumberSetTarget((3, 7)), "[7, 3, 3]", 1, ("exact",)),
    (PATCHES, NumberSetTarget((7,)), "[7]", 1, ("exact",)),
    (PATCHES, NumberSetTarget((7,)), "7", 1, ("exact",)),
    (PATCHES, NumberSetTarget(()), "[]", 1, ("exact",)),
    (JIGSAW, OrderedListTarget(NINE), str(list(NINE)), 1, ()),
    (JIGSAW, OrderedListTarget(NINE), "[1, 4, 8, 9, 3, 6, 2, 7, 5]", 7 / 9, ()),
    (JIGSAW, OrderedListTarget(NINE), "[1,1,1,1,1,1,1,1,1]", 1 / 9, ("not_a_permutation",)),
    (TEXT, TextTarget("OPEN"), "The sign says **OPEN**.", 1, ()),
    (TEXT, TextTarget("OPEN"), "OPENING", 0, ()),
    (TEXT, TextTarget("mobi"), "automobile", 0, ()),
    (TEXT, TextTarget("营业"), "牌子上写着“正在营业中”", 1, ()),
    (TEXT, TextTarget("OPEN"), "open", 0, ()),
    (TEXT, TextTarget("OPEN"), "<think>OPEN</think>CLOSED", 0, ()),
    (TEXT, TextTarget("OPEN"), "OPEN? <answer>CLOSED</answer>", 0, ()),
    (TEXT, TextTarget("OPEN"), "I'm not sure, but it says OPEN.", 1, ()),
]


@pytest.mark.parametrize(
    "prompt, target, text, value, flags", VALUES, ids=[f"{i}-{row[2][:30]!r}" for i, row in enumerate(VALUES)]
)
def test_lenient_values(prompt: str, target: Target, text: str, value: float, flags: tuple[str, ...]) -> None:
    score = lenient(item(prompt, target), said(text))
    assert score.outcome is Outcome.SCORED
    assert score.value == pytest.approx(value)
    assert score.flags == flags
    assert score.extracted is not None


# text, finish, outcome, a flag that must be there
NOTHING: list[tuple[str | None, str | None, Outcome, str]] = [
    ("", "stop", Outcome.UNPARSED, "empty"),
    ("  \n\u200b", "stop", Outcome.UNPARSED, "empty"),
    (None, "stop", Outcome.UNPARSED, "empty"),
    ("<think>It may well be", "length", Outcome.TRUNCATED, ""),
    ("Let me look at the picture closely and", "length", Outcome.TRUNCATED, ""),
    ("", "length", Outcome.TRUNCATED, "empty"),
    ("I'm sorry, but I can't help with that.", "stop", Outcome.REFUSED, ""),
    ("", "content_filter", Outcome.REFUSED, "empty"),
    ("unknown", "stop", Outcome.UNPARSED, "abstained"),
    ("It cannot be determined.", "stop", Outcome.UNPARSED, "abstained"),
    ("无法确定", "stop", Outcome.UNPARSED, "abstained"),
    ("no answer", "stop", Outcome.UNPARSED, "abstained"),
]


@pytest.mark.parametrize("prompt, target", KINDS, ids=[type(target).__name__ for _, target in KINDS])
@pytest.mark.parametrize("text, finish, outcome, flag", NOTHING, ids=[repr(row[0])[:30] for row in NOTHING])
def test_no_answer(prompt: str, target: Target, text: str | None, finish: str, outcome: Outcome, flag: str) -> None:
    score = lenient(item(prompt, target), said(text, finish))
    assert (score.value, score.outcome) == (0, outcome), score
    assert flag in ("", *score.flags)
    assert score.reason
    assert strict(item(prompt, target), said(text, finish)).value == 0


@pytest.mark.parametrize("prompt, target", KINDS, ids=[type(target).__name__ for _, target in KINDS])
def test_a_failed_call_is_no_answer(prompt: str, target: Target) -> None:
    failed = Response(failure=Failure(Owner.PROVIDER, "timeout", "No reply within 60 s."))
    for scorer in (strict, lenient):
        score = scorer(item(prompt, target), failed)
        assert (score.value, score.outcome, score.owner) == (None, Outcome.FAILED, Owner.PROVIDER)
    assert deterministic(item(prompt, target), failed) is None


def test_a_whole_answer_in_a_cut_text_counts() -> None:
    score = lenient(item(PLAIN, ChoiceTarget("B")), said("The answer is B. It barks and", "length"))
    assert (score.value, score.outcome) == (1, Outcome.SCORED)
    cut = lenient(item(PATCHES, NumberSetTarget((3, 7))), said("<answer>[3, 7", "length"))
    assert (cut.value, cut.outcome) == (0, Outcome.TRUNCATED)
    used_up = Response(text="", usage=Usage(completion_tokens=2048), max_tokens=2048)
    assert lenient(item(COUNT, NumberTarget("4")), used_up).outcome is Outcome.TRUNCATED


def test_reasoning_alone_is_no_answer() -> None:
    score = lenient(item(PLAIN, ChoiceTarget("C")), Response(text=None, reasoning="… so (C)"))
    assert score.outcome is Outcome.UNPARSED
    assert "answer_in_reasoning" in score.flags


def test_the_span_is_where_the_answer_stands() -> None:
    text = "<think>B?</think>The sign reads OPEN today."
    score = lenient(item(TEXT, TextTarget("OPEN")), said(text))
    assert score.span is not None
    assert text[slice(*score.span)] == score.extracted == "OPEN"
    text = "<think>[1, 1]</think>So it is row 5, column 6."
    score = lenient(item(GRID, PlaceTarget(5, 6)), said(text))
    assert score.span is not None
    assert (text[slice(*score.span)], score.extracted) == ("row 5, column 6", "[5, 6]")


def test_a_target_of_another_benchmark_is_refused() -> None:
    for scorer in (strict, lenient):
        with pytest.raises(TypeError, match="no target of TIR-Bench"):
            scorer(item(PLAIN, PreferenceTarget(0)), said("B"))


# what the record says, the response, its value under `lenient`, an outcome
SHORT: list[tuple[str, str, float, Outcome]] = [
    ("Yes", "yes", 1, Outcome.SCORED),
    ("Yes", "**yes**", 1, Outcome.SCORED),
    ("Yes", "Yes, there is.", 1, Outcome.SCORED),
    ("Yes", "It barks.\n\nThe answer is yes.", 1, Outcome.SCORED),
    ("Yes", "No. Yes would need a crossing.", 0, Outcome.SCORED),
    ("Yes", "是的，有一只狗。", 1, Outcome.SCORED),
    ("Yes", "Yes. Wait, no.", 0, Outcome.SCORED),
    ("Yes", "Yes. Wait, let me look again. It is a cat.", 0, Outcome.UNPARSED),
    ("Yes", "Answer: yes\nAnswer: no", 0, Outcome.UNPARSED),
    ("Yes", "A dog is there.", 0, Outcome.UNPARSED),
    ("Yes", "unknown", 0, Outcome.UNPARSED),
    ("no", "There is no doubt: yes, a dog.", 0, Outcome.UNPARSED),
    ("no", "No.", 1, Outcome.SCORED),
    ("No", "There is none. So no.", 1, Outcome.SCORED),
    ("True", "The statement is false.", 0, Outcome.SCORED),
    ("False", "The statement is false.", 1, Outcome.SCORED),
    ("TRUE", "true", 1, Outcome.SCORED),
    ("Red", "red", 1, Outcome.SCORED),
    ("Red", "The answer is **Red**.", 1, Outcome.SCORED),
    ("Red", "The colour is red.", 1, Outcome.SCORED),
    ("Red", "It has a coat.\n\nred", 1, Outcome.SCORED),
    ("Red", "It is reddish.", 0, Outcome.SCORED),
    ("Red", "Answer: red\nAnswer: blue", 0, Outcome.UNPARSED),
    ("a", "a dog", 0, Outcome.SCORED),
    ("a", "a", 1, Outcome.SCORED),
    ("DEAD", "dead", 1, Outcome.SCORED),
    ("DEAD", "I see a DEAD tree.", 0, Outcome.SCORED),
    ("AA", "AA", 1, Outcome.SCORED),
    ("1/2", "0.5", 1, Outcome.SCORED),
    ("1/2", "half", 0, Outcome.UNPARSED),
    ("1/3", "It is 1/3 of it.", 1, Outcome.SCORED),
    ("3,000", "3000", 1, Outcome.SCORED),
    ("3,000", "There are 3,000 of them.", 1, Outcome.SCORED),
    ("31%", "about 31%", 1, Outcome.SCORED),
    ("31%", "31", 1, Outcome.SCORED),
    ("−5", "-5", 1, Outcome.SCORED),
    ("−5", "−5", 1, Outcome.SCORED),
    ("−5", "5", 0, Outcome.SCORED),
]


@pytest.mark.parametrize("written, text, value, outcome", SHORT, ids=[f"{row[0]}-{row[1][:20]!r}" for row in SHORT])
def test_short_answers_are_compared_as_a_whole(written: str, text: str, value: float, outcome: Outcome) -> None:
    fields = {"task": "symbolic", "prompt": "What is it?", "answer": written, "image_1": "7.png"}
    sample = make_sample(Record("d.json, record 1", 0, fields), KeyMaker("tir"), None)
    score = lenient(sample, said(text))
    assert (score.value, score.outcome) == (value, outcome), score
    (perfect,) = gold(sample)
    assert strict(sample, perfect).value == lenient(sample, perfect).value == 1
    assert strict(sample, said(text)).value in (0, value)


# task, question, answer as written, kind of target
GOLDS: list[tuple[str, str, str, Target]] = [
    ("math", ALL, "CA", ChoiceTarget("AC", several=True)),
    ("math", NO_LIST, "D", ChoiceTarget("D")),
    ("math", "Write consecutive letters, such as AB.", "BA", ChoiceTarget("AB", several=True)),
    ("math", NO_LIST, "DEAD", TextTarget("DEAD")),
    ("math", NO_LIST, "BAD", TextTarget("BAD")),
    ("math", PLAIN, "AA", TextTarget("AA")),
    ("math", NO_LIST, "yes", BooleanTarget(True)),
    ("math", NO_LIST, "False", BooleanTarget(False)),
    ("math", NO_LIST, "1/2", NumberTarget("1/2")),
    ("word_search", DIGIT, "3,000", NumberTarget("3,000")),
    ("word_search", GRID, "2,3", PlaceTarget(2, 3)),
    ("ocr", TEXT, "Yes", TextTarget("Yes")),
    ("ocr", TEXT, "1/2", TextTarget("1/2")),
    ("spot_difference", "Find the differences. Answer with a single number.", "7", NumberTarget("7")),
    ("spot_difference", "Count the differences.", "7", NumberTarget("7")),
    ("spot_difference", "Give the total count of the differences.", "7", NumberTarget("7")),
    ("spot_difference", "请给出不同之处的数量。", "7", NumberTarget("7")),
    ("spot_difference", "哪几个格子不同？请输出编号", "3", NumberSetTarget((3,))),
    ("spot_difference", PATCHES, "3", NumberSetTarget((3,))),
]


@pytest.mark.parametrize("task, question, written, target", GOLDS)
def test_the_kind_of_gold(task: str, question: str, written: str, target: Target) -> None:
    fields = {"task": task, "prompt": question, "answer": written, "image_1": "7.png"}
    sample = make_sample(Record("d.json, record 1", 0, fields), KeyMaker("tir"), None)
    assert sample.target == target
    (perfect,) = gold(sample)
    assert strict(sample, perfect).value == lenient(sample, perfect).value == 1


def test_a_gold_of_another_length_is_our_error() -> None:
    with pytest.raises(ValueError, match="9 numbers where 4"):
        lenient(item(JIGSAW, OrderedListTarget((4, 1, 3, 2))), said(str(list(NINE))))
