"""The authors' scoring of TIR-Bench where the answer is a list, a place or a text."""

from __future__ import annotations

import math
from typing import Any

import pytest
from authors_records import CRASH, ORDER, no, not_asked
from msgspec import UNSET

from beholder.benchmarks.tir.official import Record, judge

# Lists and places --------------------------------------------------------------------------------------------------

PLACES = [
    ("[17, 1]", "[17, 1]", 1),
    ("[17, 1]", "17,1", 1),
    ("[17, 1]", "17 \n, 1", 1),
    ("[17, 1]", "(17,１)", 1),
    ("[17, 1]", "017, 01", 1),
    ("[17, 1]", "row 17, column 1", 0),
    ("[17, 1]", "17，1", 0),
    ("[17, 1]", "17 1", 0),
    ("[17, 1]", "row17,1", 0),
    ("[17, 1]", "17,1th", 0),
    ("[17, 1]", "第17,1", 0),
    ("[17, 1]", "", 0),
    ("[17, 1]", None, 0),
    ("[1, 2]", "[1, 2, 3]", 1),
    ([1, 2], "[1, 2]", 1),
    ("(5,6)", "row 5, column 6", 0),
    ("(5,6)", "column 6, row 5", 0),
    ("(5,6)", "5 and 6", 0),
    ("(5,6)", "12, 5, 6", 0),
    ("(5,6)", "5, 6, 12", 1),
    ("none", "none", 0),
    ("(5,6)", "7" * 5000 + ", 6", 0),
    ("7" * 5000 + ", 6", "7" * 5000 + ", 6", 0),
]


@pytest.mark.parametrize("gold, extracted, value", PLACES)
def test_word_search(gold: Any, extracted: Any, value: int) -> None:
    assert judge(Record(task="word_search", answer=gold, extracted=extracted), not_asked).value == value


SPOTS = [
    ("2, 6, 7, 11", "2, 6, 7, 11", 1.0),
    ("2, 6, 7, 11", "11 7 6 2 2", 1.0),
    ("2, 6, 7, 11", "[2, 6, 7, 11]", 1.0),
    ("2, 6", "patches 2 and 6 of 12", 2 / 3),
    ([3, 7], "Image 1 vs image 2: cells 3, 7", 0.5),
    ("2, 6", "-2.6", 1.0),
    ("2, 6", "０2x６", 1.0),
    ("2, 6", "", 0.0),
    ("[]", "", 1.0),
    ("[]", None, 1.0),
    ("none", "no difference", 1.0),
    ("[]", "1", 0.0),
    ("2, 6", "7" * 4301, 0.0),
    ("2, 6", "2, 6, " + "0" * 4299 + "1", 2 / 3),
]


@pytest.mark.parametrize("gold, extracted, value", SPOTS)
def test_spot_difference(gold: Any, extracted: Any, value: float) -> None:
    assert judge(Record(task="spot_difference", answer=gold, extracted=extracted), not_asked).value == value


def test_a_single_patch_is_a_number() -> None:
    assert judge(Record(task="spot_difference", answer="7", extracted="7"), not_asked).value == 1
    assert judge(Record(task="spot_difference", answer="7", extracted="[7]"), no).value == 0


JIGSAWS = [
    (3, ORDER, ORDER, 9, ()),
    (3, ORDER, "4 1 8\n9，3,6 ２ 7 5", 9, ()),
    (3, ORDER, "1, 4, 8, 9, 3, 6, 2, 7, 5", 7, ()),
    (3, ORDER, "I give up", 0, ()),
    (3, ORDER, "", 0, ()),
    (3, ORDER, None, 0, ()),
    (3, ORDER, ",".join("1" * 9), 1, ("not_a_permutation",)),
    (3, ORDER, "3×3 pieces: 4, 1, 8, 9, 3, 6, 2, 7, 5", 9, ()),
    (3, ORDER, "9 9, 4, 1, 8, 9, 3, 6, 2, 7, 5", 0, ()),
    (3, ORDER, "[4, 1, 8], [9, 3, 6], [2, 7, 5]", 0, ()),
    (3, ORDER, "[1,2,3],[4,5,6],[7,8,9]", 0, ()),
    (3, ORDER, "4; 1; 8; 9; 3; 6; 2; 7; 5", 0, ()),
    (3, ORDER, "4, 1, 8, 9, 3, 6, 2, 7, **5**", 9, ()),
    (3, ORDER, "1 1 1 1 1 1 1 1 1; " + ORDER, 1, ("not_a_permutation",)),
    (3, [4, 1, 8, 9, 3, 6, 2, 7, 5], ORDER, 9, ()),
    (3, ORDER, "4, 1, 8, 9, 3, 6, 2, 7, " + "0" * 4301, 0, ()),
    (4, ORDER, ORDER, 0, ()),
    (-3, ORDER, ORDER, 9, ()),
    (3.0, ORDER, ORDER, 9, ()),
    ("3", ORDER, ORDER, 0, ()),
    (None, ORDER, ORDER, 0, ()),
    (UNSET, ORDER, ORDER, 0, ()),
    ([3], ORDER, ORDER, 0, ()),
    (0, ORDER, ORDER, 0, ()),
    (math.inf, ORDER, ORDER, 0, ()),
    (math.nan, ORDER, ORDER, 0, ()),
    (10**4000, ORDER, ORDER, 0, ()),
    (3, "[[4, 1, 8], [9, 3, 6], [2, 7, 5]]", ORDER, 0, ()),
]


@pytest.mark.parametrize("n, gold, extracted, hits, flags", JIGSAWS)
def test_jigsaw(n: Any, gold: Any, extracted: Any, hits: int, flags: tuple[str, ...]) -> None:
    verdict = judge(Record(task="jigsaw", answer=gold, extracted=extracted, difficulty=n), not_asked)
    assert verdict.value == hits / 9
    assert verdict.flags == flags


# OCR ---------------------------------------------------------------------------------------------------------------

TEXTS = [
    # (gold, response, image, value, flags)
    ("WONDERS", "It says WONDERS.", "data/ocr/1.jpg", 1, ()),
    ("WONDERS", "It says Wonders.", "data/ocr/1.jpg", 0, ()),
    ("mobi", "automobile", "data/ocr/1.jpg", 1, ()),
    ("mobi", ["automobile"], "data/ocr/1.jpg", 1, ()),
    ("mobi", ["auto", "mobi"], "data/ocr/1.jpg", 0, ()),
    ("mobi", [["mobi"]], "data/ocr/1.jpg", 1, ()),
    ("mobi", {"mobi": 0}, "data/ocr/1.jpg", 1, ()),
    ("mobi", {"text": "mobi"}, "data/ocr/1.jpg", 0, ()),
    (7, "17", "data/ocr/1.jpg", 1, ()),
    ("", "anything", "data/ocr/1.jpg", 1, ("empty_gold",)),
    ("", "", "data/ocr/1.jpg", 1, ("empty_gold",)),
    ("x", "", "data/ocr/1.jpg", 0, ()),
    ("x", "mobi", "data/ocr/60.jpg", 1, ("fixed_gold",)),
    ("x", "x", "data/ocr/60.jpg", 0, ("fixed_gold",)),
    ("x", "mobi", "data/ocr/160.jpg", 1, ("fixed_gold",)),
    ("x", "aires", "data/ocr/62.jpg", 1, ("fixed_gold",)),
    ("x", "aires", "data/ocr/162.jpg", 1, ("fixed_gold",)),
    ("x", "mobi", "60.jpg/62.jpg", 0, ("fixed_gold",)),
    ("x", "mobi", "data/ocr/60.png", 0, ()),
    ("x", "mobi", ["60.jpg"], 1, ("fixed_gold",)),
    ("x", "x", ["data/60.jpg"], 1, ()),
    ("x", None, "data/ocr/1.jpg", 0, CRASH),
    ("", None, "data/ocr/1.jpg", 0, CRASH),
    ("x", [], "data/ocr/1.jpg", 0, CRASH),
    ("x", [None], "data/ocr/1.jpg", 0, CRASH),
    ("1", 1, "data/ocr/1.jpg", 0, CRASH),
    ("x", "x", None, 0, CRASH),
    ("x", "x", UNSET, 0, CRASH),
    ("x", UNSET, "data/ocr/1.jpg", 0, CRASH),
    (UNSET, "x", "data/ocr/1.jpg", 0, CRASH),
]


@pytest.mark.parametrize("gold, response, image, value, flags", TEXTS)
def test_ocr(gold: Any, response: Any, image: Any, value: int, flags: tuple[str, ...]) -> None:
    record = Record(task="ocr", answer=gold, model_response=response, image_1=image)
    verdict = judge(record, not_asked)
    assert (verdict.value, verdict.flags) == (value, flags)
