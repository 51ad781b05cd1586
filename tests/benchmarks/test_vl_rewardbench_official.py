"""The authors' reading of a judgement, bug for bug, and in linear time."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from beholder.benchmarks.vl_rewardbench import official

CASES = json.loads(Path(__file__).with_name("vl_rewardbench_verdicts.json").read_text(encoding="utf-8"))

# The pattern as the authors publish it: the yardstick that the linear reading must equal.
NAIVE = r"(?:Overall Judgment|Therefore)\s*.*\s*-*\s*Answer\s*(\d+)\s*is\s*(?:the\s*)?(?:slightly\s*)?better"


def naive(text: str) -> int | None:
    found = re.search(NAIVE, text.replace("\n", "").replace("*", ""), re.IGNORECASE)
    return int(found[1]) if found else None


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_reads_what_the_authors_code_reads(case):
    assert official.read_verdict(case["text"]).number == case["official"]
    assert naive(case["text"]) == case["official"]


WORDS = "Overall Judgment|overall judgment|Therefore|THEREFORE|Answer|answer|Anſwer"
FILLING = "is|İs|ıs|the|slightly|better|bet"
MARKS = "1|2|12|٣|²|-|--| |  |\n|\r|\t|*|**|\x00|\x1c|\u2028|\ud800|:|.|not"
VERDICTS = "Answer 1 is better|Answer 2 is the better|Overall Judgment: Answer 1 is slightly better"
PIECES = st.sampled_from("|".join([WORDS, FILLING, MARKS, VERDICTS]).split("|"))


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
@example("Therefore Answer 1 is better Overall Judgment")
def test_equals_the_published_pattern(text):
    reading = official.read_verdict(text)
    assert reading.number == naive(text)
    if reading.span:
        assert naive("Therefore" + text[slice(*reading.span)]) == reading.number
        assert text[slice(*reading.span)].strip("\n*") == text[slice(*reading.span)]


def test_folding_follows_the_case_rules_of_re():
    characters = "".join(map(chr, range(0x110000)))
    folded = official._folded(characters)
    assert len(folded) == len(characters)
    for letter in set("overall judgment therefore answer is the slightly better") - {" "}:
        places = {found.start() for found in re.finditer(letter, characters, re.IGNORECASE)}
        assert places == {found.start() for found in re.finditer(letter, folded)}, letter


HOSTILE = {
    "blanks after the opening": "Therefore" + " " * 1_000_000,
    "blanks inside the verdict": "Therefore Answer" + " " * 500_000 + "1" + " " * 500_000,
    "hyphens": "Overall Judgment" + " -" * 500_000,
    "openings": "Therefore " * 100_000,
    "answers": "Therefore " + "Answer 1 is the slightly " * 40_000,
    "answers without number": "Therefore " + "Answer " * 140_000,
    "deleted characters": "Therefore" + "\n*" * 500_000 + "Answer 1 is better",
    "digits": "Therefore Answer " + "1" * 1_000_000,
    "is the": "Therefore Answer 1 is" + " the" * 250_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_megabyte_of_anything_is_read_at_once(text):
    began = time.perf_counter()
    official.read_verdict(text)
    assert time.perf_counter() - began < 10  # the published pattern needs hours on the first of these


@pytest.mark.parametrize(
    ("text", "crash", "number"),
    [
        (None, True, None),
        (f"Therefore Answer {'1' * 4301} is better", True, None),
        (f"Therefore Answer {'0' * 4299}2 is better", False, 2),
        (f"Therefore Answer {'1' * 4301} is better. Answer 2 is better", False, 2),
    ],
    ids=["no text", "too many digits", "as many digits as int reads", "only the last verdict is converted"],
)
def test_what_makes_their_code_raise_is_flagged(text, crash, number):
    reading = official.read_verdict(text)
    assert (reading.crash, reading.number) == (crash, number)
    if text is not None:
        if crash:
            with pytest.raises(ValueError, match="4300 digits"):
                naive(text)
        else:
            assert naive(text) == number


@pytest.mark.parametrize(
    ("random_number", "ranking", "number", "agrees"),
    [
        (0, [0, 1], 1, True),
        (0, [0, 1], 2, False),
        (0, [1, 0], 1, False),
        (0, [1, 0], 2, True),
        (1, [0, 1], 1, False),
        (1, [0, 1], 2, True),
        (1, [1, 0], 1, True),
        (1, [1, 0], 2, False),
        (7, [0, 1], 1, False),  # anything but 0 is "swapped"
        (0, [0, 1], 3, True),  # any number but the rejected one agrees
        (1, [0, 1], 12, True),
    ],
)
def test_truth_table_of_agreement(random_number, ranking, number, agrees):
    assert official.agrees(number, official.rejected_position(random_number, ranking)) is agrees
