"""The authors' scoring: equal to the plain regular expressions on any text, and linear on hostile ones."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.benchmarks.tfq.official import is_right, official, read_answer
from beholder.sample import BooleanTarget, Response, Sample
from beholder.score import Outcome


def by_regular_expressions(text: str) -> str | None:
    """The three rules in their plain form; quadratic where tags stay open."""
    tagged = re.findall(r"<answer>(.*?)</answer>", text, re.DOTALL)
    if tagged:
        return str(tagged[-1]).strip()
    after = re.search(r"Answer:\s*([TF])", text)
    if after:
        return after[1]
    alone = re.findall(r"\b([TF])\b", text)
    return alone[-1] if alone else None


WORDS = [
    "<answer>",
    "</answer>",
    "<answer",
    "answer>",
    "</",
    "Answer:",
    "answer:",
    "True",
    "False",
    "é",
    "Ｔ",
]
PIECES = st.sampled_from([*WORDS, *"TFt_-. \n\u00a0\u2003\x1c\u200b\ud800\0"])
TEXTS = st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=40)


@given(TEXTS)
@settings(deadline=None, max_examples=1500)
def test_reads_as_the_regular_expressions_do(text: str) -> None:
    reading = read_answer(text)
    assert (reading.answer if reading else None) == by_regular_expressions(text)
    if reading:
        assert text[reading.start : reading.end].strip() == reading.answer


HOSTILE = {
    "open tags": "<answer>" * 100_000,
    "open tags after a pair": "<answer>T</answer>" + "<answer>" * 100_000,
    "half tags": "<answer" * 100_000,
    "answer colons": "Answer:" * 100_000,
    "answer colons and space": "Answer: \n" * 100_000,
    "space": "Answer:" + " " * 1_000_000,
    "letters": "T " * 300_000,
    "closes": "<answer>" + "</answer>" * 100_000,
    "nul and surrogates": "\0\ud800" * 300_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_read_in_linear_time(text: str) -> None:
    start = time.perf_counter()
    read_answer(text)
    assert time.perf_counter() - start < 20  # what grows with the square takes minutes here


COMPARISONS = [
    ("T", "T", True),
    ("t", "T", True),
    ("T", "t", True),
    ("T", " T", False),
    ("T", "T\n", False),
    ("F", "T", False),
    ("", "", False),
    (None, "T", False),
    ("True", "True", True),
]


@pytest.mark.parametrize(("answer", "gold", "right"), COMPARISONS)
def test_comparison(answer: str | None, gold: str, right: bool) -> None:
    assert is_right(answer, gold) is right


def sample(**metadata: str) -> Sample:
    return Sample(key="k", index=0, benchmark="tfq", images=(), parts=(), target=BooleanTarget(True), metadata=metadata)


def test_gold_is_compared_as_written() -> None:
    """The authors do not trim the gold, so a stray space makes every answer wrong."""
    right = Response(text="<answer>T</answer>")
    assert official(sample(), right).value == 1
    assert official(sample(gold="t"), right).value == 1
    assert official(sample(gold="T "), right).value == 0
    assert official(sample(gold="T "), right).outcome is Outcome.SCORED
