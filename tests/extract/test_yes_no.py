"""Answers to yes-or-no questions: a table of what models write, and properties that hold for any text."""

from __future__ import annotations

import time

import pytest
from fragments import HOSTILE, texts
from hypothesis import given, settings

from beholder.extract import short_text
from beholder.extract.yes_no import AFFIRMS, lenient, strict

# reply, what `lenient` reads, flag that must be there
LENIENT: list[tuple[str, str | None, str]] = [
    ("Yes", "Yes", ""),
    ("no", "No", ""),
    ("TRUE", "True", ""),
    ("**yes**", "Yes", ""),
    ("Yes, there is a dog.", "Yes", ""),
    ("No. Yes would need a crossing.", "No", ""),
    ("No - the lamp is off.", "No", ""),
    ("There is no doubt: yes, a dog.", None, ""),
    ("No doubt there is a dog.", None, ""),
    ("No one is there.", None, ""),
    ("It barks. The answer is **yes**.", "Yes", ""),
    ("The final answer is: No", "No", ""),
    ("It barks.\n\nYes", "Yes", ""),
    ("It does not bark, so no.", "No", ""),
    ("<answer>yes</answer>", "Yes", ""),
    ("No? <answer>Yes.</answer>", "Yes", ""),
    ("\\boxed{\\text{No}}", "No", ""),
    ("<think>yes</think>no", "No", ""),
    ("<answer>yes", "Yes", "unclosed_tag"),
    ("是的，有一只狗。", "Yes", ""),
    ("不是。", "No", ""),
    ("答案：否", "No", ""),
    ("Yes. Wait, no.", "No", ""),
    ("Yes. Wait, let me look again.", None, "withdrawn"),
    ("Answer: yes\nAnswer: no", None, "ambiguous"),
    ("Yes or no?", None, ""),
    ("The answer is yes or no.", None, ""),
    ("The statement is false.", "False", ""),
    ("A dog.", None, ""),
    ("I cannot determine it.", None, "abstained"),
    ("", None, "empty"),
    ("<think>yes", None, "unclosed_think"),
]


@pytest.mark.parametrize("reply, value, flag", LENIENT, ids=[row[0][:30] for row in LENIENT])
def test_lenient(reply: str, value: str | None, flag: str) -> None:
    found = lenient(reply)
    assert found.value == value, found
    assert flag in ("", *found.flags)
    assert found.value is not None or found.reason


@pytest.mark.parametrize(
    "reply, value",
    [
        ("Yes", "Yes"),
        ("no", "No"),
        ("Answer: True", "True"),
        ("<answer>FALSE</answer>", "False"),
        ("Yes.", None),
        ("**yes**", None),
        ("Yes, it is", None),
        ("是", None),
        ("", None),
    ],
)
def test_strict(reply: str, value: str | None) -> None:
    assert strict(reply).value == value


# reply, what `short_text.lenient` reads
SHORT: list[tuple[str, str | None]] = [
    ("red", "red"),
    ("**Red.**", "Red"),
    ("It is red.", "red"),
    ("The colour of it is red.", "The colour of it is red"),
    ("It shines.\n\nThe answer is **dark red**.", "dark red"),
    ("The answer is red, because it shines.", "red"),
    ("Answer: red (the lower one)", "red"),
    ("<answer>red</answer>", "red"),
    ("$\\boxed{\\text{red}}$", "red"),
    ("It shines.\n\nred", "red"),
    ("Answer: red\nAnswer: blue", None),
    ("unknown", None),
    ("<think>red", None),
    ("", None),
]


@pytest.mark.parametrize("reply, value", SHORT, ids=[row[0][:30] for row in SHORT])
def test_short_text(reply: str, value: str | None) -> None:
    found = short_text.lenient(reply)
    assert found.value == value, found
    assert found.value is None or (found.span is not None and reply[slice(*found.span)] == value)


@settings(max_examples=500, deadline=None)
@given(texts)
def test_any_text(text: str) -> None:
    exact, found = strict(text), lenient(text)
    if exact.value is not None:
        assert (found.value in AFFIRMS) == (exact.value in AFFIRMS)
    for extraction in (exact, found, short_text.strict(text), short_text.lenient(text)):
        if extraction.value is not None:
            assert extraction.span is not None
            assert 0 <= extraction.span[0] < extraction.span[1] <= len(text)
        else:
            assert extraction.reason


@pytest.mark.parametrize("piece", [*HOSTILE, "yes. ", "the answer is no ", "so yes, ", "wait, no. ", "it is "])
def test_hostile_texts_take_linear_time(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    began = time.perf_counter()
    lenient(text)
    short_text.lenient(text)
    assert time.perf_counter() - began < 20  # what grows with the square takes minutes here
