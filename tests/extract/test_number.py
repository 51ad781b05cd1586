from __future__ import annotations

import re
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from number_cases import COUNTS, PERCENTAGES, PLAIN, STRICT

from beholder.extract.number import lenient, strict
from beholder.extract.number_words import han_value, words_value

_PARTS = (
    "5|12|-3|1,234|2.5|1/2|five|twenty-one|三|十二|%| |\n|. |, | or | and |the answer is |Answer: |<answer>|</answer>|"
    "\\boxed{|}|^|$|**|= |+ | Wait, |not |more than |- |Step |2nd|k|cm| apples|\\frac{1}{2}|<think>|</think>|答案|个|"
    "Total: |so |e5| of |万|1. |½|百分之|x|\\pi|(|)|\ud800|\x00"
)
FRAGMENTS = st.sampled_from(re.split(r"\|", _PARTS))
TEXTS = st.one_of(st.text(max_size=60), st.lists(FRAGMENTS, max_size=12).map("".join))


@pytest.mark.parametrize(("reply", "value", "flag"), [case[1:] for case in PLAIN], ids=[case[0] for case in PLAIN])
def test_lenient(reply: str, value: float | None, flag: str | None) -> None:
    found = lenient(reply)
    assert found.value == value, found
    if flag is not None:
        assert list(found.flags) == ([flag] if flag else []), found
    assert value is not None or found.reason


@pytest.mark.parametrize(("reply", "value"), [case[1:] for case in COUNTS], ids=[case[0] for case in COUNTS])
def test_lenient_for_counts(reply: str, value: float | None) -> None:
    assert lenient(reply, count=True).value == value


@pytest.mark.parametrize(("reply", "value"), [case[1:] for case in PERCENTAGES], ids=[case[0] for case in PERCENTAGES])
def test_lenient_for_percentages(reply: str, value: float | None) -> None:
    assert lenient(reply, percent=True).value == value


@pytest.mark.parametrize(("reply", "value"), [case[1:] for case in STRICT], ids=[case[0] for case in STRICT])
def test_strict(reply: str, value: float | None) -> None:
    assert strict(reply).value == value


def test_whole_numbers_stay_exact() -> None:
    found = lenient(str(2**80 + 1))
    assert found.value == 2**80 + 1
    assert isinstance(found.value, int)
    assert isinstance(lenient("5.0").value, int)


def test_span_points_into_the_whole_text() -> None:
    reply = "<think>7</think> The answer is 1,234 cm."
    start, end = lenient(reply).span or (0, 0)
    assert reply[start:end] == "1,234"
    start, end = strict("<think>7</think>\n<answer>-5</answer>").span or (0, 0)
    assert "<think>7</think>\n<answer>-5</answer>"[start:end] == "-5"


@settings(deadline=None, max_examples=300)
@given(TEXTS, st.booleans(), st.booleans())
def test_never_raises_and_the_span_alone_reads_the_same(reply: str, percent: bool, count: bool) -> None:
    found = lenient(reply, percent=percent, count=count)
    strict(reply)
    if found.value is None:
        assert found.flags
        return
    start, end = found.span or (0, 0)
    assert lenient(reply[start:end], percent=percent, count=count).value == found.value


@settings(deadline=None, max_examples=200)
@given(
    st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False).map(lambda x: format(x, "f"))),
    st.sampled_from(["{}", "<answer>{}</answer>", "<think>3</think>{}", "\n{} ", "<answer>3</answer></think>{}"]),
    st.booleans(),
)
def test_what_strict_accepts_lenient_reads_the_same(number: int | str, frame: str, plus: bool) -> None:
    reply = frame.format(f"+{number}" if plus and not str(number).startswith("-") else number)
    found = strict(reply)
    if found.value is not None:
        assert lenient(reply).value == found.value
    else:
        assert found.flags == ("too_large",)


@settings(deadline=None, max_examples=200)
@given(
    st.integers(0, 10**9), st.sampled_from(["The answer is {}.", "Answer: {:,}", "**{}**", "\\boxed{{{}}}", "共有{}个"])
)
def test_reads_what_was_written(number: int, frame: str) -> None:
    assert lenient(frame.format(number)).value == number


PIECES = [
    "[",
    "{",
    "1,",
    "9",
    "-",
    "<answer>",
    "</answer>",
    " ",
    "\\boxed{",
    "}",
    " 1 ",
    "1 of ",
    "5^",
    "10^{",
    "Wait, ",
]
PIECES += [
    "the answer is ",
    "answer to ",
    "so ",
    "total of ",
    "in total ",
    "three ",
    "一",
    "百分之",
    "**",
    "**1**",
    "\n",
    "1\n",
]
PIECES += [
    "1. a\n",
    "= ",
    "1 = ",
    "1 + ",
    "\\frac{",
    "\\frac{1}{",
    "1/",
    "1e",
    "\t",
    "no, ",
    "$",
    "1,234,",
    "not ",
    "<think>",
]
PIECES += ["</think>", "unknown "]


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_hostile_lengths_are_read_fast(piece: str) -> None:
    reply = piece * (150_000 // len(piece))
    began = time.process_time()
    lenient(reply)
    strict(reply)
    assert time.process_time() - began < 20  # what grows with the square takes minutes here


def test_works_in_a_thread() -> None:
    seen: list[tuple[str, ...]] = []
    thread = threading.Thread(target=lambda: seen.append(lenient("\\boxed{5^{5^{5^{5^5}}}}").flags))
    thread.start()
    thread.join(5)
    assert seen == [("too_large",)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("one", 1),
        ("nineteen", 19),
        ("ninety-nine", 99),
        ("three hundred", 300),
        ("two thousand and five", 2005),
        ("one million two hundred thousand", 1200000),
        ("a dozen", 12),
        ("two three", None),
        ("twenty twelve", None),
        ("zero five", None),
        ("hundred", None),
        ("thousand million", None),
    ],
)
def test_english_words(text: str, value: int | None) -> None:
    assert words_value(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[
            ("零", 0),
            ("两", 2),
            ("十", 10),
            ("十二", 12),
            ("二十", 20),
            ("九十九", 99),
            ("一百", 100),
            ("一百零五", 105),
        ],
        *[
            ("一百二十", 120),
            ("一千零一", 1001),
            ("两万", 20000),
            ("三万五千", 35000),
            ("一亿", 10**8),
            ("二〇二四", 2024),
        ],
        *[("三四", None), ("一百五", None), ("百", None), ("十百", None), ("万", None), ("一" * 50, None)],
    ],
)
def test_chinese_numerals(text: str, value: int | None) -> None:
    assert han_value(text) == value
