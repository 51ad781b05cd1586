"""Where the thinking ends: blocks of many models, unclosed and unopened ones, and properties."""

from __future__ import annotations

import doctest
import time

import pytest
from fragments import HOSTILE, texts
from hypothesis import given, settings

from beholder.extract import think
from beholder.extract.markup import plain
from beholder.extract.think import split_thought, visible_stretches

# (text, thought, answer, closed, present)
CASES: list[tuple[str, str, str, bool, bool]] = [
    ("B", "", "B", True, False),
    ("", "", "", True, False),
    ("<think>a</think>B", "a", "B", True, True),
    ("<think>\na\n</think>\n\nB", "\na\n", "\n\nB", True, True),
    ("<think></think>B", "", "B", True, True),
    ("<thinking>(A)</thinking>B", "(A)", "B", True, True),
    ("<thought>A</thought>B", "A", "B", True, True),
    ("<reasoning>A</reasoning>B", "A", "B", True, True),
    ("<THINK>A</Think>B", "A", "B", True, True),
    ("< think >A</ think>B", "A", "B", True, True),
    ("<|START_THINKING|>A<|END_THINKING|>B", "A", "B", True, True),
    ("<|begin_of_thought|>A<|end_of_thought|>B", "A", "B", True, True),
    ("<|channel|>analysis<|message|>A<|end|><|channel|>final<|message|>B", "A<|end|>", "B", True, True),
    ("◁think▷A◁/think▷B", "A", "B", True, True),
    ("[THINK]A[/THINK]B", "A", "B", True, True),
    ("thoughts…</think>\nB", "thoughts…", "\nB", True, True),
    ("◁/think▷B", "", "B", True, True),
    (
        "<think>so <answer>T</answer>?</think><answer>F</answer>",
        "so <answer>T</answer>?",
        "<answer>F</answer>",
        True,
        True,
    ),
    ("<think>The answer might be A because", "The answer might be A because", "", False, True),
    ("B <think>or", "or", "", False, True),
    ("<think>a</think>B<think>c", "a\nc", "", False, True),
    ("<think>a</think>B<think>c</think>D", "a\nc", "D", True, True),
    ("<think>a</think>B<think>c</think>\n", "a\nc", "B", True, True),
    ("B<think>why</think>", "why", "B", True, True),
    ("<think>a<think>b</think>c</think>D", "a\nb\nc", "D", True, True),
    ("<think>a</thinking>B", "a", "B", True, True),
    ("I think </ that", "", "I think </ that", True, False),
    ("<thinker>a</thinker>", "", "<thinker>a</thinker>", True, False),
]


@pytest.mark.parametrize("text, thought, answer, closed, present", CASES)
def test_splits(text: str, thought: str, answer: str, closed: bool, present: bool) -> None:
    found = split_thought(text)
    assert (found.thought, found.answer, found.closed, found.present) == (thought, answer, closed, present)
    assert text[found.start : found.start + len(found.answer)] == answer


@settings(max_examples=500, deadline=None)
@given(texts)
def test_any_text(text: str) -> None:
    found = split_thought(text)
    assert text[found.start : found.start + len(found.answer)] == found.answer
    assert found.present or (found.answer == text and found.closed)
    assert found.closed or found.answer == ""


@settings(max_examples=500, deadline=None)
@given(texts)
def test_plain_text_keeps_every_offset(text: str) -> None:
    shown = plain(text)
    assert len(shown) == len(text)
    assert len(shown.lower()) == len(text)


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    began = time.perf_counter()
    split_thought(text)
    plain(text)
    assert time.perf_counter() - began < 20  # what grows with the square takes minutes here


STRETCHES = [
    ("B", ["B"]),
    ("", [""]),
    ("a<think>b</think>c", ["a", "c"]),
    ("a<think>b</think>c<think>d</think>", ["a", "c", ""]),
    ("a<think>b</think>c<think>d", ["a", "c"]),
    ("a</think>b", ["b"]),
    ("a<think>b</think>c</think>d", ["a", "d"]),
]


@pytest.mark.parametrize(("text", "wanted"), STRETCHES)
def test_every_stretch_outside_of_thinking(text: str, wanted: list[str]) -> None:
    assert [text[start:end] for start, end in visible_stretches(text)] == wanted


@given(texts)
@settings(max_examples=300)
def test_the_answer_is_one_of_the_visible_stretches(text: str) -> None:
    found = split_thought(text)
    places = visible_stretches(text)
    assert places == sorted(places)
    if found.closed:
        assert (found.start, found.start + len(found.answer)) in places


def test_examples_in_the_docstrings() -> None:
    assert doctest.testmod(think) == doctest.TestResults(failed=0, attempted=2)
