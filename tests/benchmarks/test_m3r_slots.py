"""When two targets or two sources are the same, and how much they share."""

from __future__ import annotations

import doctest
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beholder.benchmarks.m3r import slots
from beholder.benchmarks.m3r.assumptions import SlotRules
from beholder.benchmarks.m3r.slots import normalised, same, token_f1

RULES = SlotRules()

SAME = [
    ("smoking", "smoking"),
    ("Smoking", "smoking"),
    ("  smoking ", "smoking"),
    ("the gun", "a gun"),
    ("A man in the moon", "man in moon"),
    ("low-carbon life", "low carbon life"),
    ("don't", "dont"),
    ("“gun”", "gun"),
    ("gun.", "gun"),
    ("ＧＵＮ", "gun"),
    ("CO₂", "co2"),
    ("ice\u200bcream", "icecream"),
    ("café", "cafe\u0301"),
    ("STRASSE", "straße"),
    ("吸煙", "吸烟"),
    ("臺灣", "台湾"),
    ("《吸烟》", "吸烟"),
    ("气候 变化", "气候变化"),
    ("AI 模型", "AI模型"),
    ("the", "The"),
    (None, None),
]
DIFFERENT = [
    ("smoking", "gun"),
    ("gun", "guns"),
    ("gun", None),
    (None, ""),
    ("None", None),
    ("?", "!"),
    ("the", "a"),
    ("C++", "C"),
    ("ice cream", "icecream"),
    ("吸烟", "吸"),
    ("caf\u00e9", "cafe"),
    ("now here", "nowhere"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same(a: str | None, b: str | None) -> None:
    assert same(a, b, RULES)
    assert same(b, a, RULES)
    assert token_f1(a, b, RULES) == 1


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_not_the_same(a: str | None, b: str | None) -> None:
    assert not same(a, b, RULES)
    assert not same(b, a, RULES)


OFF = [
    ("case", "Gun", "gun"),
    ("articles", "the gun", "gun"),
    ("punctuation", "gun!", "gun"),
    ("chinese_variants", "吸煙", "吸烟"),
]


@pytest.mark.parametrize(("rule", "a", "b"), OFF)
def test_each_rule_can_be_switched_off(rule: str, a: str, b: str) -> None:
    assert same(a, b, RULES)
    assert not same(a, b, SlotRules(**{rule: False}))


SHARED = [
    ("a polluted river", "the river", 2 / 3),
    ("black black cat", "black cat cat", 2 / 3),
    ("gun", "smoking", 0.0),
    ("gun", None, 0.0),
    (None, "gun", 0.0),
    (None, None, 1.0),
    ("吸烟有害", "吸煙", 2 / 3),
    ("吸烟 kills", "吸烟", 4 / 5),
    ("", "gun", 0.0),
    ("", "", 1.0),
    ("", None, 0.0),
]


@pytest.mark.parametrize(("a", "b", "f1"), SHARED)
def test_token_f1(a: str | None, b: str | None, f1: float) -> None:
    assert token_f1(a, b, RULES) == pytest.approx(f1)
    assert token_f1(b, a, RULES) == pytest.approx(f1)


words = st.one_of(st.none(), st.text(max_size=30), st.text(alphabet="aAn theT.吸煙烟-", max_size=12))


@given(words, words)
def test_any_two_texts(a: str | None, b: str | None) -> None:
    f1 = token_f1(a, b, RULES)
    assert 0 <= f1 <= 1
    assert f1 == token_f1(b, a, RULES)
    assert same(a, a, RULES)
    assert same(a, b, RULES) == same(b, a, RULES)
    if same(a, b, RULES):
        assert f1 == 1


@given(st.text(max_size=40))
def test_what_is_normalised_stays_so(text: str) -> None:
    once = normalised(text, RULES)
    assert normalised(once, RULES) == once


@pytest.mark.parametrize("text", ["\ud800", "\x00", "a\ud800吸煙", "￿"])
def test_text_that_no_file_could_hold_is_compared_all_the_same(text: str) -> None:
    assert same(text, text, RULES)
    assert not same(text, "gun", RULES)


def test_the_examples_in_the_docstrings() -> None:
    assert doctest.testmod(slots).failed == 0


def test_without_opencc_there_is_one_clear_line() -> None:
    program = """
import importlib.util as found, sys
real = found.find_spec
found.find_spec = lambda name, *more: None if name == "opencc" else real(name, *more)
from beholder.benchmarks import benchmark
from beholder.errors import UsageError
try:
    benchmark("m3r")
except UsageError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == ("M3R-Bench compares Chinese words with opencc. Install it: pip install 'beholder[m3r]'\n")
