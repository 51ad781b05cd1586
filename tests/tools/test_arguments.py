"""Arguments as models write them: what is read, what is mended, what is refused and with which words."""

from __future__ import annotations

import doctest
import json
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta

from beholder.tools import arguments
from beholder.tools.arguments import MalformedArguments, canonical_arguments, expected, read_arguments, schema_of


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool without arguments."""


class Turn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    angle: float = 0
    image: str = "image_1"


class Code(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    code: str


class Point(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    x: float
    y: float


class Everything(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: Annotated[str, Meta(description="A heading.", max_length=5)]
    box: tuple[float, float, float, float]
    way: Literal["left", "right"] = "left"
    count: Annotated[int, Meta(ge=1, le=9)] = 1
    share: Annotated[float, Meta(description="0 to 1.")] | None = None
    at: Point | None = None
    trail: tuple[Point, ...] = ()
    on: bool = False
    pair: tuple[int, str] = (1, "a")


READ: list[tuple[str, dict[str, Any], bool]] = [
    ("{}", {}, False),
    ("", {}, False),
    (" \n", {}, False),
    ('{"angle": 90}', {"angle": 90.0}, False),
    ('\n {"angle": 90} ', {"angle": 90.0}, False),
    ('{"angle": -9e1, "image": "image_2"}', {"angle": -90.0, "image": "image_2"}, False),
    ('{}""', {}, True),  # T51
    ('{"angle": 90}}', {"angle": 90.0}, True),
    ('{"angle": 90}"\n', {"angle": 90.0}, True),
    ('```json\n{"angle": 90}\n```', {"angle": 90.0}, True),
    ('```\n{"angle": 90}```', {"angle": 90.0}, True),
    ("```\n```", {}, True),
    ('{"angle": 90}\n```', {"angle": 90.0}, True),
    (r'"{\"angle\": 90}"', {"angle": 90.0}, True),
    ('{"image": "a\nb"}', {"image": "a\nb"}, True),
    ('{"image": "\\ud83d\\ude00"}', {"image": "😀"}, False),
]


@pytest.mark.parametrize("text, values, repaired", READ)
def test_what_can_be_read_in_one_way_is_read(text: str, values: dict[str, Any], repaired: bool) -> None:
    assert read_arguments(text, Turn) == (Turn(**values), ("repaired",) if repaired else ())


REFUSED = [
    ('{"a":1}{"a":2}', "more text after the end"),  # T51
    ('{"angle":1}{"angle":1}', "more text after the end"),
    ('{"angle": 90,', "cut short"),  # T53
    ('{"angle": 90', "cut short"),
    ("{", "cut short"),
    ('{"image": "im', "not valid JSON"),
    ('{"angle": "ninety"}', "angle: expected number, got string"),  # T53
    ("__import__('os').system('x')", "not valid JSON (line 1, column 1"),  # T53
    ('{"angle": __import__("os")}', "not valid JSON"),
    ("{'angle': 90}", "not valid JSON"),
    ('{"angle": 90} # turn', "more text after the end"),
    ('{"angle": NaN}', "NaN is not a number; numbers must be finite"),
    ('{"angle": -Infinity}', "-Infinity is not a number"),
    ('{"angle": 1e999}', "a number is too large"),
    ('{"angle": ' + "9" * 5000 + "}", "more than 300 digits"),
    ('{"angle": 90, "angle": 45}', '"angle" is given twice'),
    ('{"degrees": 90}', 'object contains unknown field "degrees"'),
    ('{"angle": null}', "angle: expected number, got null"),
    ("[90]", "they are a list, not an object"),
    ("90", "they are a number, not an object"),
    ("null", "they are null, not an object"),
    ('"ninety"', "not valid JSON"),
    (r'"\"{}\""', "they are a string, not an object"),
    ('{"image": "\\ud83d"}', "half of a surrogate pair"),
    ("[" * 60_000, "nested too deeply"),
    ('{"image": "' + "a" * 64_000 + '"}', "64013 bytes long, at most 64000 are read"),
]


@pytest.mark.parametrize("text, wrong", REFUSED, ids=[text[:30] for text, _ in REFUSED])
def test_what_is_guesswork_is_refused_with_what_is_expected(text: str, wrong: str) -> None:
    with pytest.raises(MalformedArguments) as raised:
        read_arguments(text, Turn)
    said = str(raised.value)
    assert said.startswith("The arguments cannot be used: ")
    assert wrong in said
    assert said.endswith(
        'Expected a JSON object with "angle" (number, default 0), "image" (string, default "image_1").'
    )
    assert len(said) < 600


def test_the_bound_on_length_can_be_raised_for_a_tool_that_takes_code() -> None:
    text = json.dumps({"code": "x = 1\n" * 20_000})
    assert read_arguments(text, Code, longest=200_000)[0].code == "x = 1\n" * 20_000
    with pytest.raises(MalformedArguments, match="at most 64000"):
        read_arguments(text, Code)


MISFITS = [
    ({"box": [0, 0, 1]}, "box: expected list of length 4, got 3"),
    ({"box": [0, 0, 1, "b"]}, "box[3]: expected number, got string"),
    ({"way": "up"}, "way: invalid enum value 'up'"),
    ({"count": 10}, "count: expected whole number <= 9"),
    ({"count": 1.5}, "count: expected whole number, got number"),
    ({"on": 1}, "on: expected true or false, got whole number"),
    ({"at": {"x": 1}}, 'at: object missing required field "y"'),
    ({"trail": [{"x": 1, "y": "b"}]}, "trail[0].y: expected number, got string"),
    ({"share": "all"}, "share: expected number, got string"),
    ({"title": "too long"}, "title: expected string of length <= 5"),
]


@pytest.mark.parametrize("change, wrong", MISFITS)
def test_a_misfit_is_named_by_its_place(change: dict[str, Any], wrong: str) -> None:
    with pytest.raises(MalformedArguments) as raised:
        read_arguments(json.dumps({"title": "a", "box": [0, 0, 1, 1]} | change), Everything)
    assert wrong in str(raised.value)


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert read_arguments('{"title": "a", "box": [0, 0.5, 1.0, 1], "count": 3.0}', Everything)[0].count == 3


def test_the_schema_is_one_plain_object() -> None:
    number = {"type": "number"}
    point = {
        "type": "object",
        "properties": {"x": number, "y": number},
        "required": ["x", "y"],
        "additionalProperties": False,
    }
    assert schema_of(Everything) == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "A heading.", "maxLength": 5},
            "box": {"type": "array", "items": number, "minItems": 4, "maxItems": 4},
            "way": {"type": "string", "enum": ["left", "right"], "default": "left"},
            "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
            "share": {"type": "number", "description": "0 to 1."},
            "at": point,
            "trail": {"type": "array", "items": point, "default": []},
            "on": {"type": "boolean", "default": False},
            "pair": {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "items": False,
                "minItems": 2,
                "maxItems": 2,
                "default": [1, "a"],
            },
        },
        "required": ["title", "box"],
        "additionalProperties": False,
    }


def test_a_tool_without_arguments_has_a_schema_too() -> None:
    assert schema_of(Nothing) == {
        "type": "object",
        "properties": {},
        "required": [],
        "additionalProperties": False,
    }
    assert expected(Nothing) == "a JSON object with nothing in it"


def test_what_is_expected_is_told_in_words() -> None:
    assert expected(Everything) == (
        'a JSON object with "title" (string, required), "box" (list of 4 numbers, required), '
        '"way" ("left" or "right", default "left"), "count" (whole number, default 1), "share" (number), '
        '"at" (object), "trail" (list of objects, default []), "on" (true or false, default false), '
        '"pair" (list of 2 values, default [1, "a"])'
    )


def test_the_example_holds() -> None:
    assert doctest.testmod(arguments).failed == 0


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet=st.sampled_from("{}[]\"'`:,\\ \n019.e-+aNnulltrefs\ud800"), max_size=60) | st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read, _ = read_arguments(text, Turn)
    except MalformedArguments as refused:
        read, said = None, str(refused)
    assert isinstance(read, Turn) or "Expected a JSON object" in said


SAME = [
    ('{"a": 1, "b": [2, 3]}', ' {"b":[2,3],"a":1}\n', True),
    ('{"a": 1}', '{"a": 2}', False),
    ('{"a": [1, 2]}', '{"a": [2, 1]}', False),
    ("no JSON", " no JSON\n", True),
    ("[" * 5000, "[" * 5000, True),
    ("9" * 5000, "9" * 5000, True),
]


@pytest.mark.parametrize(("one", "other", "same"), SAME)
def test_arguments_that_mean_the_same_are_written_the_same(one: str, other: str, same: bool) -> None:
    assert (canonical_arguments(one) == canonical_arguments(other)) == same
