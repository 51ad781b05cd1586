from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.extract.json_value import MAX_DEPTH, find_json

# id, reply, value (None: no value), flag that must be there ("" for none at all)
CASES: list[tuple[str, str, Any, str]] = [
    ("T30-fenced", '```json\n{"score": 1, "why":"…"}\n```', {"score": 1, "why": "…"}, ""),
    ("T30-lead-in", 'Sure! {"score": 1}', {"score": 1}, ""),
    ("T30-python", "{'score': 1}", {"score": 1}, "repaired"),
    ("T30-string", '{"score": "1"}', {"score": "1"}, ""),
    ("object", '{"a": [1, 2.5, -3e2, true, false, null, "x"]}', {"a": [1, 2.5, -300.0, True, False, None, "x"]}, ""),
    ("array", "[1, 2]", [1, 2], ""),
    ("empty-object", "{}", {}, ""),
    ("empty-array", "[ ]", [], ""),
    ("nested", '{"a": {"b": [{"c": 1}]}}', {"a": {"b": [{"c": 1}]}}, ""),
    ("blanks", '\n {\n\t"a" : 1 }\r\n', {"a": 1}, ""),
    ("trailing", 'Here it is:\n{"a": 1}\nHope this helps!', {"a": 1}, ""),
    ("fence-plain", '```\n{"a": 1}\n```', {"a": 1}, ""),
    ("fence-one-line", '```json {"a": 1}```', {"a": 1}, ""),
    ("fence-open", '```json\n{"a": 1}', {"a": 1}, ""),
    ("fence-upper", '```JSON\n{"a": 1}\n```', {"a": 1}, ""),
    ("fence-text-around", 'The verdict:\n```json\n{"a": 1}\n```\nas {"said": 2}', {"a": 1}, ""),
    ("fence-without-json", '```\nprint(1)\n```\n{"a": 1}', {"a": 1}, ""),
    ("fence-in-string", '{"a": "```"}', {"a": "```"}, ""),
    ("tag", '<answer>{"a": 1}</answer>', {"a": 1}, ""),
    ("think", '<think>{"a": 0}</think>{"a": 1}', {"a": 1}, ""),
    ("bold", '**{"a": 1}**', {"a": 1}, ""),
    ("inline-code", '`{"a": 1}`', {"a": 1}, ""),
    ("chinese", '好的：{"分数": 5}', {"分数": 5}, ""),
    ("chinese-fence", '评分如下：\n```json\n{"score": 5, "理由": "很好"}\n```', {"score": 5, "理由": "很好"}, ""),
    ("reference-first", 'As [1] shows: {"a": 1}', {"a": 1}, ""),
    ("example-before", 'Format: {"score": <number>}\n{"score": 3}', {"score": 3}, ""),
    ("latex-before", 'Since \\frac{1}{2} < x: {"a": 1}', {"a": 1}, ""),
    ("set-braces-before", 'The set {1, 2}: {"a": 1}', {"a": 1}, ""),
    ("restated", '{"a": 1} so {"a":1}', {"a": 1}, ""),
    ("revised", '{"a": 1}. Wait, {"a": 2}', {"a": 2}, ""),
    ("corrected", '{"a": 1}\nCorrection: {"a": 2}', {"a": 2}, ""),
    ("escapes", '{"a": "\\n\\t\\"\\\\\\/\\u4e2d"}', {"a": '\n\t"\\/中'}, ""),
    ("surrogate-pair", '{"a": "\\ud83d\\ude00"}', {"a": "😀"}, ""),
    ("lone-surrogate", '{"a": "\\ud800"}', {"a": "\ufffd"}, ""),
    ("braces-in-string", '{"a": "} ] {"}', {"a": "} ] {"}, ""),
    ("apostrophe", '{"a": "it\'s"}', {"a": "it's"}, ""),
    ("python-words", '{"a": True, "b": False, "c": None}', {"a": True, "b": False, "c": None}, "repaired"),
    ("python-dict", "{'a': ['x', \"y\"], 'b': None}", {"a": ["x", "y"], "b": None}, "repaired"),
    ("python-escaped-quote", "{'a': 'it\\'s'}", {"a": "it's"}, "repaired"),
    ("python-inner-double", "{'a': 'say \"yes\"'}", {"a": 'say "yes"'}, "repaired"),
    ("trailing-comma", '{"a": 1,}', {"a": 1}, "repaired"),
    ("trailing-comma-array", "[1, 2, ]", [1, 2], "repaired"),
    ("bare-keys", "{score: 4, why: 'x'}", {"score": 4, "why": "x"}, "repaired"),
    ("typographic", "{“a”: “b”}", {"a": "b"}, "repaired"),
    ("typographic-inner", '{“a”: “it\'s "b"”}', {"a": 'it\'s "b"'}, "repaired"),
    ("raw-line-break", '{"a": "x\ny"}', {"a": "x\ny"}, "repaired"),
    ("raw-tab", '{"a": "x\ty"}', {"a": "x\ty"}, "repaired"),
    ("wrong-escape", '{"a": "\\alpha \\d"}', {"a": "\\alpha \\d"}, "repaired"),
    ("short-unicode-escape", '{"a": "\\u12"}', {"a": "\\u12"}, "repaired"),
    ("duplicate", '{"a": 1, "a": 2}', {"a": 2}, "duplicate_key"),
    ("duplicate-equal", '{"a": 1, "a": 1}', {"a": 1}, ""),
    ("big-int", '{"a": 123456789012345678901234567890}', {"a": 123456789012345678901234567890}, ""),
    ("no-break-space", '{\xa0"a": 1}', {"a": 1}, ""),
    # none
    ("two", '{"a": 1} {"a": 2}', None, "ambiguous"),
    ("two-like-bools", '{"a": 1} {"a": true}', None, "ambiguous"),
    ("two-fences", '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```', None, "ambiguous"),
    ("cut", '{"a": 1', None, "no_json"),
    ("cut-string", '{"a": "x', None, "no_json"),
    ("empty", "", None, "no_json"),
    ("prose", "I cannot evaluate this", None, "no_json"),
    ("scalar", "5", None, "no_json"),
    ("nan", "[NaN]", None, "no_json"),
    ("infinity", '{"a": Infinity}', None, "no_json"),
    ("overflow", '{"a": 1e999}', None, "no_json"),
    ("leading-zero", '{"a": 01}', None, "no_json"),
    ("bare-value", '{"a": yes}', None, "no_json"),
    ("missing-colon", '{"a" 1}', None, "no_json"),
    ("missing-comma", '{"a": 1 "b": 2}', None, "no_json"),
    ("only-comma", "[,]", None, "no_json"),
    ("double-comma", "[1,,2]", None, "no_json"),
    ("crossed", '{"a": [1}]', None, "no_json"),
    ("code", "{'a': __import__('os').system('x')}", None, "no_json"),
    ("placeholder", '{"score": <1-5>}', None, "no_json"),
    ("long-digits", '{"a": ' + "9" * 5000 + "}", None, "no_json"),
]


@pytest.mark.parametrize(("reply", "value", "flag"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_find_json(reply: str, value: Any, flag: str) -> None:
    found = find_json(reply)
    assert found.value == value, found
    assert json.dumps(found.value) == json.dumps(value)  # 1 is not true
    assert list(found.flags) == ([flag] if flag else []), found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None, max_examples=200)
@given(
    st.dictionaries(st.text(), JSON, max_size=4),
    st.booleans(),
    st.sampled_from(["{}", "```json\n{}\n```", "Sure! {}."]),
)
def test_reads_what_json_writes(value: dict[str, Any], ascii_only: bool, frame: str) -> None:
    written = json.dumps(value, ensure_ascii=ascii_only)
    if "```" in written or "think" in written.lower():
        return
    found = find_json(frame.replace("{}", written))
    assert found.value == value
    assert "repaired" not in found.flags


@settings(deadline=None, max_examples=200)
@given(
    st.dictionaries(
        st.text("ab'\"\\ \n中", max_size=5), st.text("ab'\"\\ \n中", max_size=5) | st.integers(), max_size=3
    )
)
def test_reads_what_python_writes(value: dict[str, Any]) -> None:
    assert find_json(repr(value)).value == value


@settings(deadline=None, max_examples=300)
@given(
    st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            [
                "{",
                "}",
                "[",
                "]",
                ",",
                ":",
                '"',
                "'",
                "“",
                "”",
                "\\",
                "\\u",
                "1",
                "-",
                "a",
                "true",
                "None",
                "```",
                "json\n",
                " ",
            ]
        ),
        max_size=16,
    ).map("".join)
)
def test_never_raises_and_the_span_alone_reads_the_same(reply: str) -> None:
    found = find_json(reply)
    if found.value is None:
        assert found.flags
        return
    start, end = found.span or (0, 0)
    assert reply[start] in "{["
    assert reply[end - 1] in "}]"
    assert find_json(reply[start:end]).value == found.value


def test_span_is_in_the_whole_text() -> None:
    reply = '<think>{"a": 0}</think> Sure: {"a": 1}'
    start, end = find_json(reply).span or (0, 0)
    assert reply[start:end] == '{"a": 1}'


@pytest.mark.parametrize(("depth", "readable"), [(MAX_DEPTH, True), (MAX_DEPTH + 1, False), (10_000, False)])
def test_depth_is_bounded(depth: int, readable: bool) -> None:
    found = find_json('{"a":' * depth + "1" + "}" * depth)
    outermost = found.span == (0, 6 * depth + 1)
    assert outermost is readable


PIECES = [
    "[",
    "{",
    "1,",
    "9",
    "-",
    "<answer>",
    " ",
    "\\boxed{",
    '{"',
    "{'",
    '{"a":',
    "[1,",
    "[[1,2],",
    "```",
    '{"a":1},',
    '["',
]
PIECES += ['\\"', '"', "'", "[1,[1,", "{a:", "{}", "[]", '{"a":"\\', "```{", "“", "Wait, {}", '{"a":{"a":1,"a":2},']


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_hostile_lengths_are_read_fast(piece: str) -> None:
    for reply in (piece * (150_000 // len(piece)), "{" + piece * (150_000 // len(piece)) + "}"):
        began = time.process_time()
        find_json(reply)
        assert time.process_time() - began < 20  # what grows with the square takes minutes here
