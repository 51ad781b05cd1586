"""Verdicts on two answers: a table of what judges write, and properties that hold for any text."""

from __future__ import annotations

import json
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from fragments import HOSTILE, texts
from hypothesis import given, settings

from beholder.extract.verdict import lenient, strict

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "cases" / "verdict.json").read_text("utf-8"))

STRICT: list[tuple[str, int | None]] = [
    ("Overall Judgment: Answer 1 is better.", 1),
    ("Overall Judgment: Answer 2 is better.", 2),
    ("Accuracy: both are fine.\n\nOverall Judgment: Answer 2 is better.\n", 2),
    ("Overall Judgment: Answer 1 is better.\r\n \n", 1),
    ("Overall Judgment: Answer 1 is better. It names the dog.", None),
    ("Overall Judgment: Answer 1 is better. Wait, Answer 2 is better.", None),
    ("Overall Judgment: Answer 1 is better.5", None),
    ("Overall Judgment: Answer 1 is better.\n\nThanks.", None),
    ("<think>Overall Judgment: Answer 1 is better.</think>Overall Judgment: Answer 2 is better.", 2),
    ("Therefore, Answer 1 is better. Overall Judgment: Answer 2 is better.", 2),
    ("**Overall Judgment**\nOverall Judgment: Answer 1 is better.", 1),
    ("Overall Judgment: Answer 1 is better", None),
    ("Overall Judgement: Answer 2 is better.", None),
    ("overall judgment: answer 2 is better.", None),
    ("**Overall Judgment:** Answer 2 is better.", None),
    ("Overall Judgment:\nAnswer 2 is better.", None),
    ("Overall Judgment: Answer 1 is significantly better.", None),
    ("Overall Judgment: Answer 2", None),
    ("Overall Judgment: Answer X is better.", None),
    ("Overall Judgment: Answer 12 is better.", None),
    ("Overall Judgment: Answer 3 is better.", None),
    ("Overall Judgment: Answer 1 is better. Overall Judgment: Answer 2 is better.", None),
    ("Overall Judgment: Answer 1 is better. Overall Judgment: Answer 1 is better.", None),
    ("Overall Judgment: Answer 1 is better. Overall Judgement: **Answer 2** is better", None),
    ("Answer 1 is better.", None),
    ("<think>Overall Judgment: Answer 1 is better.", None),
    ("", None),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{i}-{case['text'][:40]!r}" for i, case in enumerate(CASES)])
def test_lenient_reads_like_a_careful_reader(case: dict[str, Any]) -> None:
    found = lenient(case["text"])
    assert found.value == case["value"], found
    assert case.get("flag", "") in ("", *found.flags)
    assert found.value is not None or found.reason


@pytest.mark.parametrize("text, value", STRICT)
def test_strict_takes_the_asked_sentence_only(text: str, value: int | None) -> None:
    found = strict(text)
    assert found.value == value
    if value is not None:
        assert found.span is not None
        assert text[slice(*found.span)] == f"Overall Judgment: Answer {value} is better."


_FIRST = ("1", "one", "a", "first", "一")
_SECOND = ("2", "two", "b", "second", "二")
_TIE = ("tie", "tied", "draw", "neither", "equal", "same", "winner", "preference", "par", "comparable", "identical")
_TIE += ("quality", "好", "平", "不相上下", "同等")


@settings(max_examples=600, deadline=None)
@given(texts)
def test_any_text(text: str) -> None:
    exact, found = strict(text), lenient(text)
    if exact.value is not None:
        assert found.value == exact.value
    for extraction in (exact, found):
        if extraction.value is not None:
            assert extraction.value in (0, 1, 2)
            assert extraction.span is not None
            inner = unicodedata.normalize("NFKC", text[slice(*extraction.span)]).lower()
            # "Answer 1 is worse" names the other answer
            named = _TIE if extraction.value == 0 else _FIRST + _SECOND
            assert any(word in inner for word in named)
        else:
            assert extraction.reason


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    began = time.perf_counter()
    strict(text)
    lenient(text)
    assert time.perf_counter() - began < 20  # what grows with the square takes minutes here
