"""Option letters, one and several: tables of what models write, and properties that hold for any text."""

from __future__ import annotations

import json
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from fragments import HOSTILE, texts
from hypothesis import given, settings

from beholder.extract.choice import lenient, lenient_multi, strict, strict_multi

_FOLDER = Path(__file__).parent / "cases"
CASES: list[dict[str, Any]] = json.loads((_FOLDER / "choice.json").read_text("utf-8"))
SEVERAL: list[dict[str, Any]] = json.loads((_FOLDER / "choice_multi.json").read_text("utf-8"))

STRICT: list[tuple[str, str | None]] = [
    ("B", "B"),
    (" B\n", "B"),
    ("<answer>C</answer>", "C"),
    ("<think>A</think> <answer> C </answer>", "C"),
    ("The fish swims.\nAnswer: C", "C"),
    ("Answer: D", "D"),
    ("<think>(A)</think>B", "B"),
    ("thoughts…</think>\nB", "B"),
    ("b", None),
    ("A.", None),
    (" (A) ", None),
    ("Ⓑ", None),
    ("答案：C。", None),
    ("Answer: **D**", None),
    ("**Answer: D**", None),
    ("Answer: A\nAfter checking, I need to correct this.\nAnswer: B", None),
    ("Answer: A\nbecause it purrs", None),
    ("ANSWER: A", None),
    ("ANSWER: AB", None),
    ("Answer: AB", None),
    ("The correct answer is B.", None),
    ("<answer>A</answer><answer>B</answer>", None),
    ("<answer>A</answer> <ANSWER>B</ANSWER>", None),
    ("<answer>A", None),
    ("<Answer>A</Answer>", None),
    ("E", None),
    ("A cat is here.", None),
    ("", None),
    ("<think>A", None),
]

STRICT_SEVERAL: list[tuple[str, str | None]] = [
    ("A", "A"),
    ("AC", "AC"),
    ("CA", "AC"),
    ("A, C", "AC"),
    ("A,C,D", "ACD"),
    ("<answer>B, D</answer>", "BD"),
    ("Both.\nAnswer: B, D", "BD"),
    ("A, A", None),
    ("AA", None),
    ("A and C", None),
    ("A, E", None),
    ("a, c", None),
    ("A,", None),
    ("", None),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{i}-{case['text'][:32]!r}" for i, case in enumerate(CASES)])
def test_lenient_reads_like_a_careful_reader(case: dict[str, Any]) -> None:
    found = lenient(case["text"], case.get("letters", "ABCD"), case.get("options"))
    assert found.value == case["value"], found
    assert case.get("flag", "") in ("", *found.flags)
    assert found.value is not None or found.reason


@pytest.mark.parametrize("case", SEVERAL, ids=[f"{i}-{case['text'][:32]!r}" for i, case in enumerate(SEVERAL)])
def test_lenient_multi_reads_sets_of_letters(case: dict[str, Any]) -> None:
    found = lenient_multi(case["text"], "ABCD", case.get("options"))
    assert found.value == (None if case["value"] is None else tuple(case["value"])), found
    assert case.get("flag", "") in ("", *found.flags)


@pytest.mark.parametrize("text, value", STRICT)
def test_strict_takes_the_asked_format_only(text: str, value: str | None) -> None:
    found = strict(text, "ABCD")
    assert found.value == value
    if value is not None:
        assert found.span is not None
        assert text[slice(*found.span)] == value


@pytest.mark.parametrize("text, value", STRICT_SEVERAL)
def test_strict_multi_takes_the_asked_format_only(text: str, value: str | None) -> None:
    found = strict_multi(text, "ABCD")
    assert found.value == (None if value is None else tuple(value))


def test_letters_that_are_no_options_are_not_read() -> None:
    assert lenient("Answer: E", "ABCD").value is None
    assert lenient("Answer: E", "ABCDE").value == "E"
    assert lenient("Answer: A", "").value is None


OPTIONS = {"A": "cat", "B": "dog", "C": "no answer"}


@settings(max_examples=600, deadline=None)
@given(texts)
def test_any_text(text: str) -> None:
    exact, found = strict(text, "ABC"), lenient(text, "ABC", OPTIONS)
    if exact.value is not None:
        assert found.value == exact.value
    for extraction in (exact, found):
        if extraction.value is not None:
            assert extraction.value in ("A", "B", "C")
            assert extraction.span is not None
            inner = unicodedata.normalize("NFKC", text[slice(*extraction.span)])
            assert extraction.value in inner.upper() or OPTIONS[extraction.value] in inner.lower()
        else:
            assert extraction.reason


@settings(max_examples=400, deadline=None)
@given(texts)
def test_any_text_with_several_letters(text: str) -> None:
    exact, found = strict_multi(text, "ABC"), lenient_multi(text, "ABC", OPTIONS)
    if exact.value is not None:
        assert found.value == exact.value
    for extraction in (exact, found):
        if extraction.value is not None:
            assert list(extraction.value) == sorted(set(extraction.value))
            assert extraction.span is not None
            inner = unicodedata.normalize("NFKC", text[slice(*extraction.span)])
            by_letter = all(letter in inner.upper() for letter in extraction.value)
            assert by_letter or OPTIONS[extraction.value[0]] in inner.lower()


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    began = time.perf_counter()
    strict(text, "ABCD")
    lenient(text, "ABCD", OPTIONS)
    lenient_multi(text, "ABCD")
    assert time.perf_counter() - began < 20  # what grows with the square takes minutes here
