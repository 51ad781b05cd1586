from __future__ import annotations

import doctest
import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from beholder.sample import ToolCall, ToolSpec
from beholder.tools import text_protocol
from beholder.tools.text_protocol import MOST_CALLS, instructions, observation_text, read_calls
from beholder.trajectory import CallOutcome, Observation

CROP = ToolSpec("crop", "Cuts a box out of a picture.", {"type": "object", "properties": {"box": {"type": "array"}}})
PYTHON = ToolSpec("python", "Runs Python.", {"type": "object", "properties": {"code": {"type": "string"}}})
TURN = '<tool_call>{"name": "rotate", "arguments": {"degrees": 90}}</tool_call>'
FENCED = "<code>\n```python\nx = 1\nprint(x)\n```\n</code>"
TWO_LINES = "x = 1\nprint(x)"


def code(text: str) -> tuple[str, str]:
    return "python", json.dumps({"code": text})


# id, message, what is left of it, its calls as (name, arguments)
CASES: list[tuple[str, str, str, list[tuple[str, str]]]] = [
    ("none", "The answer is 4.", "The answer is 4.", []),
    ("empty", "", "", []),
    ("one", f"I turn it. {TURN}", "I turn it.", [("rotate", '{"degrees": 90}')]),
    (
        "text-after",
        f"I turn it. {TURN} Then I read it.",
        "I turn it.  Then I read it.",
        [("rotate", '{"degrees": 90}')],
    ),
    ("kept-as-written", '<tool_call>{"name":"a","arguments":{"x" :1.50}}</tool_call>', "", [("a", '{"x" :1.50}')]),
    ("fence-inside", '<tool_call>\n```json\n{"name": "a"}\n```\n</tool_call>', "", [("a", "{}")]),
    ("fence-one-line", '<tool_call>```json {"name": "a"}```</tool_call>', "", [("a", "{}")]),
    ("capitals", '<TOOL_CALL>{"name": "a"}</Tool_Call >', "", [("a", "{}")]),
    ("parameters", '<tool_call>{"name": "a", "parameters": {"b": 1}}</tool_call>', "", [("a", '{"b": 1}')]),
    ("no-arguments", '<tool_call>{"name": "a", "arguments": null}</tool_call>', "", [("a", "null")]),
    ("quoted-arguments", '<tool_call>{"name": "a", "arguments": "{}"}</tool_call>', "", [("a", '"{}"')]),
    ("raw-break", '<tool_call>{"name": "a", "arguments": {"b": "c\nd"}}</tool_call>', "", [("a", '{"b": "c\nd"}')]),
    ("bracket-too-many", '<tool_call>{"name": "a", "arguments": {}}}</tool_call>', "", [("a", "{}")]),
    ("bracket-forgotten", '<tool_call>{"name": "a", "arguments": {}</tool_call>', "", [("a", "{}")]),
    ("list", '<tool_call>[{"name": "a"}, {"name": "b"}]</tool_call>', "", [("a", "{}"), ("b", "{}")]),
    ("lines", '<tool_call>\n{"name": "a"}\n{"name": "b"}\n</tool_call>', "", [("a", "{}"), ("b", "{}")]),
    ("several", f"{TURN}\nand\n{FENCED}", "and", [("rotate", '{"degrees": 90}'), code(TWO_LINES)]),
    ("unclosed", 'Look. <tool_call>{"name": "a"}', "Look.", [("a", "{}")]),
    ("unclosed-talk", '<tool_call>{"name": "a"}\nNow I wait.', "Now I wait.", [("a", "{}")]),
    ("unclosed-two", '<tool_call>{"name": "a"}<tool_call>{"name": "b"}', "", [("a", "{}"), ("b", "{}")]),
    ("unclosed-then-other", f'<tool_call>{{"name": "a"}}\n{FENCED}', "", [("a", "{}"), code(TWO_LINES)]),
    ("cut-short", '<tool_call>{"name": "a", "arguments": {"b": 1', "", [("a", '{"name": "a", "arguments": {"b": 1')]),
    ("single-quotes", "<tool_call>{'name': 'a'}</tool_call>", "", [("a", "{'name': 'a'}")]),
    ("comma-forgotten", '<tool_call>{"name": "a" "b": 1}</tool_call>', "", [("a", '{"name": "a" "b": 1}')]),
    ("name-twice", '<tool_call>{"name": "a", "name": "b"}</tool_call>', "", [("a", '{"name": "a", "name": "b"}')]),
    ("name-no-text", '<tool_call>{"name": 5}</tool_call>', "", [("", '{"name": 5}')]),
    ("no-json", "<tool_call>crop(1, 2)</tool_call>", "", [("", "crop(1, 2)")]),
    ("second-broken", '<tool_call>{"name": "a"}\n{oops}</tool_call>', "", [("a", "{}"), ("", "{oops}")]),
    ("nothing-in-it", "<tool_call></tool_call>", "", [("", "")]),
    (
        "tag-in-string",
        '<tool_call>{"name": "a", "arguments": {"b": "<code>"}}</tool_call>',
        "",
        [("a", '{"b": "<code>"}')],
    ),
    ("code", FENCED, "", [code(TWO_LINES)]),
    ("code-py", "<code>\n```py\nprint(1)\n```\n</code>", "", [code("print(1)")]),
    ("code-no-name", "<code>\n```\nprint(1)\n```\n</code>", "", [code("print(1)")]),
    ("code-one-line", "<code>```python print(1)```</code>", "", [code("print(1)")]),
    ("code-glued", "<code>```print(1)```</code>", "", [code("print(1)")]),
    ("code-no-fence", "<code>\nprint(1)\n</code>", "", [code("print(1)")]),
    ("code-in-line", "See: <code>```python\nprint(1)\n```</code>", "See:", [code("print(1)")]),
    ("code-windows", "<code>\r\n```python\r\nprint(1)\r\n```\r\n</code>", "", [code("print(1)")]),
    ("code-indented", "  <code>\n  ```python\n  if x:\n    y\n  ```\n  </code>", "", [code("if x:\n  y")]),
    ("code-stopped", "Look:\n<code>\n```python\nprint(1)\n```\n", "Look:", [code("print(1)")]),
    ("code-cut-short", "<code>\n```python\nprint(1", "", [code("print(1")]),
    ("code-then-talk", "<code>\n```python\nprint(1)\n```\nIt is 1.", "It is 1.", [code("print(1)")]),
    ("code-two-fences", "<code>\n```python\na\n```\nthen\n```python\nb\n```\n</code>", "", [code("a\nb")]),
    ("code-two", f"{FENCED}\n{FENCED}", "", [code(TWO_LINES), code(TWO_LINES)]),
    ("code-tag-in-string", '<code>\n```python\nprint("<tool_call>")\n```\n</code>', "", [code('print("<tool_call>")')]),
    ("html", "The value is <code>42</code> pixels.", "The value is <code>42</code> pixels.", []),
    ("spoken-of", "I would write `<tool_call>` here.", "I would write `<tool_call>` here.", []),
    ("spoken-of-bare", "A <tool_call> is not needed.", "A <tool_call> is not needed.", []),
    ("closing-alone", "</code> The answer is 4.", "</code> The answer is 4.", []),
    ("thought", f"<think>{TURN}</think>The answer is 4.", f"<think>{TURN}</think>The answer is 4.", []),
    ("thought-open", f"<think>Shall I? {TURN}", f"<think>Shall I? {TURN}", []),
    (
        "before-thought",
        f"{TURN}<think>Hm.</think> Let me see.",
        "<think>Hm.</think> Let me see.",
        [("rotate", '{"degrees": 90}')],
    ),
    (
        "between-thoughts",
        f"<think>a</think>I turn. {TURN}<think>b</think>\n{FENCED}",
        "<think>a</think>I turn. <think>b</think>",
        [("rotate", '{"degrees": 90}'), code(TWO_LINES)],
    ),
    (
        "before-a-thought-that-stays-open",
        f"{TURN}<think>And {TURN}",
        f"<think>And {TURN}",
        [("rotate", '{"degrees": 90}')],
    ),
    ("after-thought", f"<think>{TURN}</think>\n{FENCED}", f"<think>{TURN}</think>", [code(TWO_LINES)]),
]


@pytest.mark.parametrize(("text", "left", "calls"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_case(text: str, left: str, calls: list[tuple[str, str]]) -> None:
    said, found = read_calls(text)
    assert [(call.name, call.arguments) for call in found] == calls
    assert said == left


def test_ids_count_on_from_the_number() -> None:
    _, calls = read_calls(f"{TURN} {FENCED} {TURN}", number=7)
    assert [call.id for call in calls] == ["call_7", "call_8", "call_9"]


def test_a_deeply_nested_object_is_a_broken_call() -> None:
    deep = '{"name": "a", "arguments": ' + "[" * 100_000
    assert read_calls(f"<tool_call>{deep}</tool_call>")[1] == (ToolCall("call_1", "a", deep),)


# What a model may have around a call, and calls as models write them with what has to be read out of them.
_TALK = st.text(st.characters(exclude_characters="<>`\"'“‘◁▷[]{}\r"), max_size=30).map(lambda text: f"{text}\n")
_WORDS = st.text(st.characters(exclude_characters="<", exclude_categories=["Cs"]), max_size=9)
_JSON_CALL = st.builds(
    lambda name, value: (
        f'<tool_call>{{"name": {json.dumps(name)}, "arguments": {json.dumps(value)}}}</tool_call>',
        (name, json.dumps(value)),
    ),
    st.text("abcdef_", min_size=1, max_size=10),
    st.dictionaries(_WORDS, st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), _WORDS)),
)
_CODE_CALL = st.sampled_from([(FENCED, code(TWO_LINES)), ("<code>\nprint(1)\n</code>", code("print(1)"))])


@given(st.lists(st.tuples(_TALK, st.one_of(_JSON_CALL, _CODE_CALL)), max_size=6), _TALK)
def test_calls_are_found_in_order(pieces: list[tuple[str, tuple[str, tuple[str, str]]]], last: str) -> None:
    text = "".join(f"{talk}{call}\n" for talk, (call, _) in pieces) + last
    said, calls = read_calls(text)
    assert [(call.name, call.arguments) for call in calls] == [wanted for _, (_, wanted) in pieces]
    assert said.split() == "".join([talk for talk, _ in pieces] + [last]).split()


_PIECES = [
    *("<tool_call>", "</tool_call>", "<code>", "</code>", "<CODE >", "<think>", "</think>", "```", "```python\n", "\n"),
    *('{"name": "a"', ', "arguments": ', "{}", "}", "[", "]", '"', "'", "`", "\\", "print(1)", " ", "\t", "x", "1e999"),
    *("9" * 5000, "\x00", "\ud800", "\u2028", "<|START_THINKING|>", '"name": "b"', "🙂", "</", "<"),
]


@given(st.one_of(st.lists(st.sampled_from(_PIECES), max_size=16).map("".join), st.text(max_size=60)))
@example("<tool_call>" + "[" * 5)
@example('<tool_call>{"name": "a", "arguments": {"n": ' + "9" * 5000 + "}}")
@settings(max_examples=400)
def test_any_text_is_read(text: str) -> None:
    said, calls = read_calls(text)
    assert [call.id for call in calls] == [f"call_{number + 1}" for number in range(len(calls))]
    assert len(said) <= len(text)
    for call in calls:
        # As they stand in the text; or the code of a block; or none were written.
        assert call.arguments in text or call.arguments == "{}" or set(json.loads(call.arguments)) == {"code"}
    if "<" not in text:
        assert (said, calls) == (text.strip(), ())


@pytest.mark.parametrize("piece", _PIECES, ids=lambda piece: repr(piece[:20]))
@pytest.mark.parametrize("frame", ["{}", "<tool_call>{}", "<code>{}", "<code>```python\n{}</code>", "{}<tool_call>x"])
def test_long_texts_are_read_fast(piece: str, frame: str) -> None:
    text = frame.replace("{}", piece * (150_000 // len(piece)))
    began = time.process_time()
    read_calls(text)
    assert time.process_time() - began < 10  # what grows with the square takes minutes here


def test_instructions_name_each_tool_and_both_ways_to_call() -> None:
    told = instructions([CROP, PYTHON])
    for spec in (CROP, PYTHON):
        assert spec.name in told
        assert spec.description in told
        assert json.dumps(spec.parameters, sort_keys=True) in told
    _, calls = read_calls(told)
    assert [call.name for call in calls] == ["the tool", "python"]  # the examples are in the very form that is read


def test_instructions_speak_of_code_only_where_there_is_the_python_tool() -> None:
    assert "<code>" not in instructions([CROP])
    assert instructions([]) == ""


def test_observations_are_told_in_order() -> None:
    told = observation_text(
        [
            Observation(ToolCall("call_1", "crop", "{}"), CallOutcome.EXECUTED, "image_3: 40x30 pixels\n"),
            Observation(ToolCall("call_2", "", "?"), CallOutcome.MALFORMED, "This is no JSON."),
            Observation(ToolCall("call_3", "a\n" * 90, "{}"), CallOutcome.UNKNOWN_TOOL, ""),
        ]
    )
    first, second, third = told.split("\n\n")
    assert first == "Result of call_1 (crop):\nimage_3: 40x30 pixels"
    assert second == "Result of call_2 (no tool), not run: malformed:\nThis is no JSON."
    assert third.startswith("Result of call_3 (a a a ")
    assert third.endswith("not run: there is no such tool:\n(no output)")


@pytest.mark.parametrize("outcome", CallOutcome)
def test_every_outcome_can_be_told(outcome: CallOutcome) -> None:
    told = observation_text([Observation(ToolCall("call_1", "crop", "{}"), outcome, "so it is")])
    assert told.startswith("Result of call_1 (crop)")
    assert told.endswith("so it is")


def test_examples_in_the_docstrings() -> None:
    assert doctest.testmod(text_protocol) == doctest.TestResults(failed=0, attempted=1)


def test_no_message_has_more_calls_than_one_with_native_calls() -> None:
    many = "".join(f'<tool_call>{{"name": "a{number}"}}</tool_call>' for number in range(MOST_CALLS + 40))
    left, calls = read_calls(many, 5)
    assert (left, len(calls)) == ("", MOST_CALLS)
    assert (calls[0].id, calls[-1].id, calls[-1].name) == ("call_5", f"call_{MOST_CALLS + 4}", f"a{MOST_CALLS - 1}")
