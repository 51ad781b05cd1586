"""True/false answers: a table of what models write, and properties that hold for any text."""

from __future__ import annotations

import json
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from fragments import HOSTILE, texts
from hypothesis import given, settings

from beholder.extract.true_false import lenient, strict

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "cases" / "true_false.json").read_text("utf-8"))

STRICT: list[tuple[str, bool | None]] = [
    ("<answer>T</answer>", True),
    ("<answer>F</answer>", False),
    ("<think>why</think> <answer>T</answer>", True),
    ("<think>why</think>\n<answer>\n F \n</answer>\n", False),
    ("The sign is red. <answer>T</answer>", True),
    ("<think>maybe <answer>T</answer>?</think><answer>F</answer>", False),
    ("so <answer>T</answer>?</think><answer>F</answer>", False),
    ("<answer>True</answer>", None),
    ("<answer>T.</answer>", None),
    ("<answer>**T**</answer>", None),
    ("<ANSWER>T</ANSWER>", None),
    ("<answer> t </answer>", None),
    ("<answer>T or F</answer>", None),
    ("<answer></answer>", None),
    ("<answer>T", None),
    ("T</answer>", None),
    ("T", None),
    ("Answer:T.", None),
    ("Answer: The statement is false", None),
    ("<answer>T</answer><answer>F</answer>", None),
    ("<answer>T</answer><answer>T</answer>", None),
    ("<answer>T</answer> <ANSWER>F</ANSWER>", None),
    ("<answer><answer>T</answer>", None),
    ("<think>x <answer>T</answer>", None),
    ("maybe", None),
    ("", None),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{i}-{case['text'][:32]!r}" for i, case in enumerate(CASES)])
def test_lenient_reads_like_a_careful_reader(case: dict[str, Any]) -> None:
    found = lenient(case["text"])
    assert found.value is case["value"], found
    assert case.get("flag", "") in ("", *found.flags)
    assert found.value is not None or found.reason


@pytest.mark.parametrize("text, value", STRICT)
def test_strict_takes_the_asked_format_only(text: str, value: bool | None) -> None:
    found = strict(text)
    assert found.value is value, found
    assert found.value is not None or found.reason
    if value is not None:
        assert found.span is not None
        assert text[slice(*found.span)] == ("T" if value else "F")


def test_the_spans_point_into_the_text_that_was_given() -> None:
    text = "<think>false?</think>\n**Answer：** the statement is **not correct**."
    found = lenient(text)
    assert found.value is False
    assert found.span is not None
    assert text[slice(*found.span)] == "correct"


_WORDS = ("t", "f", "true", "false", "correct", "accurate", "right", "wrong", "valid")
_WORDS += ("对", "错", "正确", "真", "假", "准确", "成立", "属实", "不符")


@settings(max_examples=600, deadline=None)
@given(texts)
def test_any_text(text: str) -> None:
    exact, found = strict(text), lenient(text)
    if exact.value is not None:
        assert found.value is exact.value
    for extraction in (exact, found):
        if extraction.value is not None:
            assert extraction.span is not None
            start, end = extraction.span
            assert 0 <= start < end <= len(text)
            inner = unicodedata.normalize("NFKC", text[start:end]).lower()
            assert any(word in inner for word in _WORDS)
        else:
            assert extraction.reason
    assert lenient(text) == found


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    began = time.perf_counter()
    strict(text)
    lenient(text)
    assert time.perf_counter() - began < 20  # what grows with the square takes minutes here
