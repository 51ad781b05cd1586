"""Our scorers of TIR-Bench on any text at all: nothing breaks, contradicts itself or takes long."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tir_answers import THERMOMETER
from tir_items import KINDS, item, said
from tir_letter_answers import MAZE, SHARE

from beholder.benchmarks.tir.answers import deterministic
from beholder.benchmarks.tir.score import lenient, strict
from beholder.sample import (
    ChoiceTarget,
    NumberTarget,
    Target,
    TextTarget,
)
from beholder.score import Outcome

PIECES = [
    *("A", "B", "(C)", "D. owl", "dog", "No answer", "point C", "81%", "5", "2.5", "11.1 kg/cm^2", "72°F (22°C)"),
    *("[5, 6]", "row 5, column 6", "第5行，第6列", "patches 2, 6 and 7", '{"different_patches": [2, 6]}', "[]"),
    *("4, 1, 8, 9, 3, 6, 2, 7, 5", "OPEN", "答案：", "Answer: ", "The answer is ", "<answer>", "</answer>", "<think>"),
    *("</think>", "\\boxed{", "}", "```json\n", "```", "\n", " or ", " and ", ", ", "Wait, ", "not ", "**", "无法确定"),
    *("unknown", "\ud800", "\x00", "\u2028", "İ", "①", "1-20", "(", "]", "{", "there is no answer", "1e999", "9" * 400),
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=10).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join),
    st.text(max_size=60),
)


@settings(deadline=None, max_examples=400)
@given(TEXTS, st.sampled_from([*KINDS, (MAZE, ChoiceTarget("F")), (SHARE, ChoiceTarget("C"))]))
def test_any_text(text: str, kind: tuple[str, Target]) -> None:
    sample = item(*kind)
    exact, found = strict(sample, said(text)), lenient(sample, said(text))
    for score in (exact, found):
        assert score.value is not None
        assert 0 <= score.value <= 1
        assert score.span is None or 0 <= score.span[0] <= score.span[1] <= len(text)
    if exact.outcome is Outcome.SCORED and not isinstance(kind[1], TextTarget):
        assert (found.outcome, found.value, found.extracted) == (Outcome.SCORED, exact.value, exact.extracted)
    if exact.value == 1:
        assert found.value == 1
    if not isinstance(kind[1], TextTarget):
        read = deterministic(sample, said(text))
        assert (read is None) == (found.extracted is None) or found.outcome is Outcome.TRUNCATED


HOSTILE = [
    "A. cat ",
    "[1,",
    "(1,2)",
    "row 1 ",
    "patch 1\n",
    "patch 2 differs. ",
    "1, ",
    "1-2 ",
    "point A, ",
    "72°F (22°C) ",
]
HOSTILE += [
    "[]",
    "<answer>",
    "the answer is 1 ",
    "\\boxed{1}",
    "{",
    "wait, ",
    "OPEN ",
    "OP",
    " ",
    "\n",
    "cm^2 ",
    "no answer\n",
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_hostile_lengths_are_read_fast(piece: str) -> None:
    text = piece * (40_000 // len(piece))
    began = time.process_time()
    for prompt, target in (*KINDS, (THERMOMETER, NumberTarget("72"))):
        strict(item(prompt, target), said(text))
        lenient(item(prompt, target), said(text))
    assert time.process_time() - began < 30  # what grows with the square takes minutes here
