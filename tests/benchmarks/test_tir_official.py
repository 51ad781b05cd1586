"""The authors' scoring of TIR-Bench, letters, numbers and whole figures: each surprise as a row."""

from __future__ import annotations

import doctest
import random
from typing import Any

import Levenshtein
import pytest
from authors_records import COLOURS, CRASH, NINE, PLAIN, SHARES, STARS, no, not_asked
from msgspec import UNSET

from beholder.benchmarks.tir import official
from beholder.benchmarks.tir.official import ExpressionTimeout, Record, TooLarge, Verdict, judge, nearest_letter


def test_examples_in_the_documentation() -> None:
    done = doctest.testmod(official)
    assert done.attempted > 0
    assert done.failed == 0


# One letter --------------------------------------------------------------------------------------------------------

ONE_LETTER = [
    # (prompt, what was extracted, the letter that the authors make of it, flag)
    (PLAIN, "C", "C", None),
    *((PLAIN, text, "B", None) for text in STARS[1:]),
    (PLAIN, STARS[0], "A", "looked_up"),
    (PLAIN, "", "A", "looked_up"),
    (PLAIN, None, "A", "looked_up"),
    (PLAIN, "None", "A", "default_letter"),
    (PLAIN, "No", "A", "default_letter"),
    (PLAIN, "no answer", "A", "default_letter"),
    (PLAIN, "unknown", "A", "default_letter"),
    (PLAIN, "cannot determine", "A", "default_letter"),
    (PLAIN, "N/A", "A", "nearest_letter"),
    (PLAIN, "b", "A", "default_letter"),
    (PLAIN, "Answer: C", "A", "nearest_letter"),
    (PLAIN, "(C)", "C", "nearest_letter"),
    (PLAIN, "C or B", "B", "nearest_letter"),
    (PLAIN, "The correct option is C", "C", "nearest_letter"),
    (PLAIN, "K", "A", "default_letter"),
    (PLAIN, "Ｂ", "A", "default_letter"),
    (PLAIN, "10", "D", "looked_up"),
    (PLAIN, "1", "D", "looked_up"),
    ("A.Red B.Blue", "Blue", "B", "looked_up"),
    ("A Red B Blue", "Blue", "B", "looked_up"),
    ("ARed BBlue", "Blue", "B", "looked_up"),
    # `b` is found behind C, and nothing is found behind a letter and C
    ("A. red B. green C. blue", "b", "C", "looked_up"),
    # the search goes on with the letter that it found: Blue -> B, and `D. B` begins Black
    (COLOURS, "Blue", "D", "looked_up"),
    (COLOURS.removesuffix(" D. Black"), "Blue", "B", "looked_up"),
    # no answer at all: A, then `B. A` begins Apple
    ("A. Pear B. Apple", "", "B", "looked_up"),
    # the second H: J is found, and then `H. J`
    ("H. June J. July", "July", "H", "looked_up"),
    ("H. June J. July", "J", "J", None),
    (SHARES, "31%", "A", "default_letter"),
    (SHARES, "C: 31%", "C", "nearest_letter"),
    (SHARES, "C", "C", None),
    # a prompt that is no text
    (["B. Blue"], "Blue", "B", "looked_up"),
    ({"B. Blue": 1}, "Blue", "B", "looked_up"),
    ([["B. Blue"]], "Blue", "B", "nearest_letter"),
]


@pytest.mark.parametrize("prompt, extracted, letter, flag", ONE_LETTER)
@pytest.mark.parametrize("task", ["maze", "refcoco"])
def test_one_letter(prompt: Any, extracted: Any, letter: str, flag: str | None, task: str) -> None:
    for gold in "ABCDEFGHIJ":
        verdict = judge(Record(task=task, answer=gold, prompt=prompt, extracted=extracted), not_asked)
        assert verdict.value == float(gold == letter)
        assert verdict.extracted == letter
        assert verdict.flags == ((flag,) if flag else ())


def test_a_gold_that_is_no_option_letter_is_never_met() -> None:
    for gold in ("K", "a", "é", "中"):
        assert judge(Record(task="maze", answer=gold, extracted=gold), not_asked).value == 0


def test_nearest_letter_is_the_first_with_the_least_edit_distance() -> None:
    draw = random.Random(5)
    letters = [*"ABCDEFGHIJH"]
    for _ in range(5000):
        text = "".join(draw.choices("ABCDEFGHIJKabh 1中\ud800", k=draw.choice((0, 1, 1, 2, 3, 9, 70, 200))))
        distances = [Levenshtein.distance(text, letter) for letter in letters]  # the package that the authors import
        assert nearest_letter(text) == letters[distances.index(min(distances))]


SEVERAL_LETTERS = [
    ("AB", "AB", 1),
    ("AB", "BA", 1),
    ("AB", "*B*A*", 1),
    ("AB", "A, B", 0),
    ("AB", "A B", 0),
    ("AB", "ab", 0),
    ("AB", "Extracted answer: AB", 0),
    ("AB", "", 0),
    ("AB", None, 0),
    ("ABC", "A, B, C", 0),
    ("ABC", "BCA", 1),
    ("ABC", "Both A and C", 0),
    ("True", "True", 1),
    ("True", "true", 0),
    (True, "True", 1),
    (None, "None", 1),
    (None, None, 0),
    ("中国", "国中", 1),
    ("nan", "nan", 1),
]


@pytest.mark.parametrize("gold, extracted, value", SEVERAL_LETTERS)
def test_several_letters(gold: Any, extracted: Any, value: int) -> None:
    assert judge(Record(task="symbolic", answer=gold, prompt=PLAIN, extracted=extracted), not_asked).value == value


# Numbers -----------------------------------------------------------------------------------------------------------

NUMBERS = [
    # (gold, extracted): equal once letters, blanks, `*` and `:` are dropped
    ("3", "3"),
    (3, "3"),
    ("3", "The answer is 3"),
    ("3", "Extracted answer: 3"),
    ("12", "1 2"),
    ("12", "1 apple, and 2".replace(",", "")),
    ("3", "３"),
    ("３", "3"),
    ("1_000", "1000"),
    ("1000", "1_000"),
    (" 5 ", "5"),
    ("-5", "- 5"),
    ("+5", "5"),
    ("0", "-0"),
    ("2.5", "2.50"),
    (2.5, "2.5 cm"),
    ("2.5", "０２.５"),
    ("1e2", "100"),
    ("1e400", "1" + "0" * 400),
    ("1.0", "1"),
    ("2.5", "2.5e"),
]
NOT_PLAINLY_EQUAL: list[tuple[Any, str | None, str]] = [
    # (gold, extracted, the gold that math-verify is shown)
    ("3", "3.0", "3"),
    ("3", "3,000", "3"),
    ("3", "6/2", "3"),
    ("3", "3%", "3"),
    ("970", "970円", "970"),
    ("3", "3 or 4", "3"),
    ("3", "34", "3"),
    ("7", "[7]", "7"),
    ("3", "", "3"),
    ("3", None, "3"),
    ("5", "five", "5"),
    ("2.5", "5/2", "2.5"),
    ("2.5", "2,5", "2.5"),
    ("2.39", "2.39 cm (or 23.9 mm)", "2.39"),
    ("-inf", "-inf", "-inf"),
    ("3", "7" * 5000, "3"),
    ("3", "\ud8003", "3"),
    # a number is left of the answer: then the gold is shown as that kind of number
    (" 0５ ", "6", "5"),
    (" 0５ ", "10/2", " 0５ "),
    ("1_000", "1", "1000"),
    ("1e2", "1e2", "100.0"),
    ("1e2", "1/1", "1e2"),
    ("2.50", "3", "2.5"),
    ("2.50", "nan", "2.50"),
    ("7" * 5000, "3", "inf"),
    ("7" * 5000, "3.", "inf"),
    ("7" * 5000, "[3]", "7" * 5000),
]


@pytest.mark.parametrize("task", [*NINE, "word_search", "spot_difference"])
def test_numbers_that_are_plainly_equal(task: str) -> None:
    for gold, extracted in NUMBERS:
        if task in NINE or official.classify_gold(str(gold)) == "whole":
            verdict = judge(Record(task=task, answer=gold, extracted=extracted), not_asked)
            assert (verdict.value, verdict.flags) == (1, ()), (gold, extracted)


@pytest.mark.parametrize("gold, extracted, shown", NOT_PLAINLY_EQUAL)
def test_other_numbers_are_left_to_math_verify(gold: str, extracted: str | None, shown: str) -> None:
    asked: list[tuple[str, str]] = []

    def agree(answer: str, wanted: str) -> bool:
        asked.append((answer, wanted))
        return True

    assert judge(Record(task="math", answer=gold, extracted=extracted), agree).flags == ("by_expression",)
    assert asked == [(extracted or "", shown)]
    assert judge(Record(task="math", answer=gold, extracted=extracted), no).value == 0
    assert judge(Record(task="math", answer=gold, extracted=extracted), lambda *_: None).value == 0


def test_math_verify_sees_the_answer_with_its_words_but_without_asterisks() -> None:
    asked: list[tuple[str, str]] = []
    judge(
        Record(task="math", answer=7.5, extracted=" Extracted answer: **15/2** kg "),
        lambda answer, gold: bool(asked.append((answer, gold))),
    )
    assert asked == [("Extracted answer: 15/2 kg", "7.5")]


def test_too_large_counts_0_and_a_timeout_passes_through() -> None:
    def too_large(answer: str, gold: str) -> bool:
        raise TooLarge("It is too large.")

    def timeout(answer: str, gold: str) -> bool:
        raise ExpressionTimeout("It took too long.")

    tower = Record(task="math", answer="5", extracted="\\boxed{5^{5^{5^{5^5}}}}")
    assert judge(tower, too_large) == Verdict(0.0, "\\boxed{5^{5^{5^{5^5}}}}", ("too_large",), "It is too large.")
    with pytest.raises(ExpressionTimeout):
        judge(tower, timeout)


KINDS = [
    ("A", "letters"),
    ("é中", "letters"),
    ("nan", "letters"),
    ("inf", "letters"),
    ("72", "whole"),
    ("１２", "whole"),
    ("1_000", "whole"),
    (" 5 ", "whole"),
    ("-5", "whole"),
    ("2.5", "decimal"),
    ("1e5", "decimal"),
    ("-inf", "decimal"),
    ("7" * 4301, "decimal"),
    ("", "other"),
    (" ", "other"),
    ("1,2", "other"),
    ("[7]", "other"),
    ("A B", "other"),
    ("½", "other"),
    ("²", "other"),
    ("\ud800", "other"),
]


@pytest.mark.parametrize("gold, kind", KINDS)
def test_kinds_of_gold(gold: str, kind: str) -> None:
    assert official.classify_gold(gold) == kind


# Where their program stops -----------------------------------------------------------------------------------------

STOPS = [
    (Record(task="ocr", answer="x", model_response=None, image_1=""), "TypeError"),
    (Record(task="ocr", answer="x", model_response=[], image_1=""), "IndexError"),
    (Record(task="maze", answer="A", prompt=PLAIN), "AssertionError"),
    *((Record(task="maze", answer="A", prompt=PLAIN, extracted=odd), "AttributeError") for odd in (3, ["A"], {}, 0.5)),
    *((Record(task=task, answer="[1, 2]", extracted=False), "AttributeError") for task in ("jigsaw", "word_search")),
    (Record(task="maze", answer="A", extracted="the first"), "KeyError"),
    (Record(task="maze", answer="A", prompt=None, extracted="the first"), "TypeError"),
    (Record(task="maze", answer="[7]", prompt=PLAIN, extracted="7"), "KeyError"),
    (Record(task="maze", answer="", prompt=PLAIN, extracted="7"), "KeyError"),
    (Record(task="maze", prompt=PLAIN, extracted="7"), "KeyError"),
    (Record(task="quiz", answer="A", prompt=PLAIN, extracted="A"), "KeyError"),
    (Record(task=["maze"], answer="A", prompt=PLAIN, extracted="A"), "KeyError"),
    (Record(task=UNSET, answer="A", prompt=PLAIN, extracted="A"), "KeyError"),
    (Record(task="maze", answer=10**5000, extracted="A"), "ValueError"),
]


@pytest.mark.parametrize("record, exception", STOPS)
def test_where_the_authors_program_stops(record: Record, exception: str) -> None:
    verdict = judge(record, not_asked)
    assert (verdict.value, verdict.flags) == (0.0, CRASH)
    assert verdict.reason.startswith(f"The authors' program would stop here with {exception}: ")


def test_an_unusable_gold_with_a_question_id_is_wrong_and_no_stop() -> None:
    verdict = judge(Record(task="maze", answer="[7]", extracted="[7]", question_id=4), not_asked)
    assert (verdict.value, verdict.flags) == (0.0, ())


def test_a_letter_as_extracted_needs_no_prompt() -> None:
    assert judge(Record(task="maze", answer="A", extracted="A"), not_asked).value == 1


# Whole figures -----------------------------------------------------------------------------------------------------


def mean(task: str, rows: list[tuple[Any, str | None]], difficulty: Any = UNSET) -> tuple[list[float], float]:
    values = [
        judge(Record(task=task, answer=gold, extracted=extracted, difficulty=difficulty), no).value
        for gold, extracted in rows
    ]
    return [round(value, 3) for value in values], sum(values) / len(values)


def test_aggregates_that_the_authors_code_gives() -> None:
    order = "1, 2, 3, 4, 5, 6, 7, 8, 9"
    rows = [(order, "2, 1, 3, 4, 5, 6, 7, 8, 9"), (order, "no idea"), (order, ",".join("1" * 9))]
    assert mean("jigsaw", rows, 3)[0] == [0.778, 0, 0.111]
    assert mean("spot_difference", [("1, 2, 3", "1, 2"), ("1, 2", "3, 4"), ("1, 2", "2, 3")])[0] == [0.667, 0, 0.333]
    assert mean("spot_difference", [("1, 2", "1, 2"), ("1, 2", "1"), ("1, 2", "3")]) == ([1, 0.5, 0], 0.5)
