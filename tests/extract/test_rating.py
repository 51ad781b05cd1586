from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.extract.rating import read_rating

# id, reply, low, high, value (None: no rating), flag that must be there ("" for none at all)
CASES: list[tuple[str, str, float, float, float | None, str]] = [
    ("T18-scale", "[[90]]", 0, 1, None, "out_of_range"),
    ("T18-huge", "score: 98989", 0, 5, None, "out_of_range"),
    ("T18-error", "[ERROR] 429 after 3 tries", 0, 5, None, "no_rating"),
    ("T18-error-wide", "[ERROR] 429 after 3 tries", 0, 1000, None, "no_rating"),
    ("T30-fenced", '```json\n{"score": 1, "why":"…"}\n```', 0, 1, 1, ""),
    ("T30-lead-in", 'Sure! {"score": 1}', 0, 1, 1, ""),
    ("T30-python", "{'score': 1}", 0, 1, 1, "repaired"),
    ("T30-string", '{"score": "1"}', 0, 1, 1, "repaired"),
    ("T31", "I cannot evaluate this", 0, 1, None, "no_rating"),
    ("json-fraction", '{"score": 0.75}', 0, 1, 0.75, ""),
    ("json-case", '{"Score": 4}', 1, 5, 4, ""),
    ("json-nested", '{"result": {"score": 3, "why": "x"}}', 0, 5, 3, ""),
    ("json-in-list", '[{"score": 3}]', 0, 5, 3, ""),
    ("json-other-key", '{"rating": 3}', 0, 5, None, "no_rating"),
    ("json-two-keys-agree", '{"a": {"score": 3}, "b": {"score": 3.0}}', 0, 5, 3, ""),
    ("json-two-keys", '{"a": {"score": 3}, "b": {"score": 4}}', 0, 5, None, "ambiguous"),
    ("json-duplicate", '{"score": 3, "score": 4}', 0, 5, None, "ambiguous"),
    ("json-two-objects", '{"score": 3} {"score": 4}', 0, 5, None, "ambiguous"),
    ("json-revised", '{"score": 3}. Wait, {"score": 4}', 0, 5, 4, ""),
    ("json-true", '{"score": true}', 0, 1, None, "no_rating"),
    ("json-null", '{"score": null}', 0, 1, None, "no_rating"),
    ("json-word", '{"score": "good"}', 0, 1, None, "no_rating"),
    ("json-list", '{"score": [1]}', 0, 1, None, "no_rating"),
    ("json-string-scale", '{"score": "4/5"}', 0, 5, 4, "repaired"),
    ("json-string-other-scale", '{"score": "4/10"}', 0, 5, None, "other_scale"),
    ("json-string-unit", '{"score": "4 points"}', 0, 5, None, "no_rating"),
    ("json-above", '{"score": 6}', 1, 5, None, "out_of_range"),
    ("json-below", '{"score": 0}', 1, 5, None, "out_of_range"),
    ("json-negative", '{"score": -1}', 0, 5, None, "out_of_range"),
    ("json-edge-low", '{"score": 1}', 1, 5, 1, ""),
    ("json-edge-high", '{"score": 5}', 1, 5, 5, ""),
    ("json-just-above", '{"score": 1.0000001}', 0, 1, None, "out_of_range"),
    ("json-cut", '{"score": 1', 0, 10, None, "no_rating"),
    ("json-cut-later", '{"score": 1, "why": "the ans', 0, 10, 1, ""),
    ("json-huge", '{"score": ' + "9" * 5000 + "}", 0, 5, None, "no_rating"),
    ("json-and-prose", 'It deserves score: 2 at first sight.\n{"score": 3}', 0, 5, 3, ""),
    ("json-think", '<think>{"score": 1}</think>{"score": 0}', 0, 1, 0, ""),
    ("json-python-none", "{'score': None}", 0, 1, None, "no_rating"),
    ("json-chinese", '好的，评分如下：{"score": 4, "理由": "合理"}', 1, 5, 4, ""),
    ("bare", "4", 1, 5, 4, ""),
    ("bare-blank", " 4\n", 1, 5, 4, ""),
    ("bare-bold", "**4**", 1, 5, 4, ""),
    ("bare-stop", "4.", 1, 5, 4, ""),
    ("bare-scale", "4/5", 1, 5, 4, ""),
    ("bare-above", "7", 1, 5, None, "out_of_range"),
    ("bare-boxless-prose", "4 of the 5 criteria hold.", 0, 10, None, "no_rating"),
    ("bare-sentence", "The answer names 3 objects.", 1, 5, None, "no_rating"),
    ("bare-full-width", "４", 1, 5, 4, ""),
    ("brackets", "[[4]]", 1, 5, 4, ""),
    ("brackets-rating", "Rating: [[4]]", 1, 5, 4, ""),
    ("brackets-prose", "The answer is helpful. Rating: [[7]].", 1, 10, 7, ""),
    ("brackets-agree", "[[4]] and again [[4]]", 1, 5, 4, ""),
    ("brackets-two", "[[4]] or [[5]]", 1, 5, None, "ambiguous"),
    ("brackets-letter", "[[A]]", 1, 5, None, "no_rating"),
    ("brackets-scale", "[[4/5]]", 1, 5, 4, ""),
    ("key", "Score: 4", 1, 5, 4, ""),
    ("key-lower", "score: 4", 1, 5, 4, ""),
    ("key-equals", "score = 4", 1, 5, 4, ""),
    ("key-arrow", "Score -> 4", 1, 5, 4, ""),
    ("key-bold", "**Score:** 4", 1, 5, 4, ""),
    ("key-bold-name", "**Score**: 4", 1, 5, 4, ""),
    ("key-bold-all", "**Score: 4**", 1, 5, 4, ""),
    ("key-heading", "### Score\n\nscore: 4", 1, 5, 4, ""),
    ("key-next-line", "Score:\n4", 1, 5, 4, ""),
    ("key-quoted", '"score": 4,', 1, 5, 4, ""),
    ("key-brackets", "Score: [[4]]", 1, 5, 4, ""),
    ("key-bracket", "Score: [4]", 1, 5, 4, ""),
    ("key-range-told", "Score (0-5): 4", 0, 5, 4, ""),
    ("key-scale", "Score: 4/5", 1, 5, 4, ""),
    ("key-scale-spaced", "Score: 4 / 5", 1, 5, 4, ""),
    ("key-out-of", "I would give it a score of 4 out of 5.", 1, 5, 4, ""),
    ("key-other-scale", "Score: 4/10", 1, 5, None, "other_scale"),
    ("key-percent", "Score: 85%", 0, 100, 85, ""),
    ("key-percent-other", "Score: 85%", 0, 1, None, "other_scale"),
    ("key-range", "Score: 3-4", 1, 5, None, "ambiguous"),
    ("key-or", "Score: 3 or 4", 1, 5, None, "ambiguous"),
    ("key-negative", "Score: -1", 0, 5, None, "out_of_range"),
    ("key-decimal", "Score: 3.5", 1, 5, 3.5, ""),
    ("key-is", "The score is 4 because all parts are right.", 1, 5, 4, ""),
    ("key-then-prose", "Score: 4\nThe answer names 3 of 4 objects.", 1, 5, 4, ""),
    ("key-after-prose", "It names 3 of 4 objects.\nScore: 4", 1, 5, 4, ""),
    ("key-twice", "Score: 3\nScore: 4", 1, 5, None, "ambiguous"),
    ("key-twice-agree", "Score: 4 ... so the score is 4", 1, 5, 4, ""),
    ("key-final", "Score: 3 for style. Final score: 4", 1, 5, 4, ""),
    ("key-revised", "Score: 3\nWait, I made a mistake. Score: 4", 1, 5, 4, ""),
    ("key-no-value", "The score should reflect 3 things.", 1, 5, None, "no_rating"),
    ("key-word", "Score: high", 1, 5, None, "no_rating"),
    ("key-inside-word", "Underscore: 4, and no more.", 1, 5, None, "no_rating"),
    ("key-full-width", "score：４", 1, 5, 4, ""),
    ("key-joined", "Score: 4abc", 1, 5, None, "no_rating"),
    ("key-long-digits", "Score: " + "1" * 5000, 1, 5, None, "no_rating"),
    ("empty", "", 0, 1, None, "no_rating"),
    ("blank", " \n\u200b", 0, 1, None, "no_rating"),
    ("html-error", "<html><body>502 Bad Gateway</body></html>", 0, 1000, None, "no_rating"),
    ("json-error", '{"error": {"code": 429, "message": "slow down"}}', 0, 1000, None, "no_rating"),
    ("refusal", "I'm sorry, but I can't rate image 3.", 0, 5, None, "no_rating"),
    ("chinese-refusal", "抱歉，我无法评分。", 0, 5, None, "no_rating"),
]


@pytest.mark.parametrize(
    ("reply", "low", "high", "value", "flag"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_read_rating(reply: str, low: float, high: float, value: float | None, flag: str) -> None:
    found = read_rating(reply, low, high)
    assert found.value == value, found
    assert list(found.flags) == ([flag] if flag else []), found
    assert value is not None or found.reason


@pytest.mark.parametrize(
    ("reply", "key", "value"),
    [
        ('{"rating": 3}', "rating", 3),
        ('{"overall_score": 3, "score": 5}', "overall_score", 3),
        ("Overall score: 3", "overall_score", 3),
        ("评分：3", "评分", 3),
        ("a.b: 3", "a.b", 3),
        ("aXb: 3", "a.b", None),
    ],
)
def test_other_keys(reply: str, key: str, value: float | None) -> None:
    assert read_rating(reply, 0, 5, key).value == value


def test_span_is_in_the_whole_text() -> None:
    reply = "<think>Score: 1</think>\nScore: 4"
    start, end = read_rating(reply, 1, 5).span or (0, 0)
    assert reply[start:end] == "4"
    assert start > 20


PARTS = [
    "score",
    "Score: ",
    "4",
    "5",
    "-1",
    "/5",
    "[[",
    "]]",
    "{",
    "}",
    '"score": ',
    ",",
    " ",
    "\n",
    "Final ",
    "%",
    "to ",
    "Wait, ",
]
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from([*PARTS, "\ud800", "<think>", "</think>", "９"]), max_size=12).map("".join),
)


@settings(deadline=None, max_examples=300)
@given(TEXTS, st.integers(-2, 2), st.integers(2, 6))
def test_never_raises_and_never_leaves_the_range(reply: str, low: int, high: int) -> None:
    found = read_rating(reply, low, high)
    if found.value is None:
        assert found.flags
    else:
        assert low <= found.value <= high
        assert found.span is not None
        assert any(char.isdecimal() for char in reply[slice(*found.span)])


@settings(deadline=None, max_examples=100)
@given(
    st.integers(-100, 200),
    st.sampled_from(['{"score": %d}', "Score: %d", "[[%d]]", "%d", "```json\n{'score': %d}\n```", "**Score:** %d/5"]),
)
def test_out_of_range_is_never_clamped(number: int, frame: str) -> None:
    found = read_rating(frame % number, 1, 5)
    assert found.value == (number if 1 <= number <= 5 else None)


PIECES = [
    "[",
    "{",
    "1,",
    "9",
    "-",
    "<answer>",
    " ",
    "\\boxed{",
    "score",
    "score: ",
    "score: 4 ",
    "[[",
    "[[4]]",
    "[[4",
    '"score": ',
]
PIECES += ["score (", "score: 4/", "final ", "final score is ", "Wait, score: 4 ", "*", "score\n"]


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_hostile_lengths_are_read_fast(piece: str) -> None:
    reply = piece * (150_000 // len(piece))
    began = time.process_time()
    read_rating(reply, 0, 5)
    assert time.process_time() - began < 20  # what grows with the square takes minutes here
