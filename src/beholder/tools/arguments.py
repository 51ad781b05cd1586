"""The arguments of a tool call, read out of the JSON text that a model wrote.

The text is parsed and checked, never evaluated. What is mended is what stands *around* the value (code fences, stray
quotes and brackets after it, a second layer of JSON quoting) and raw line breaks in strings, which can be read in one
way only. The value itself is never guessed: text that is cut short, two objects in a row, single quotes, `NaN` and
the same name twice are errors, which go back to the model with what was expected.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, TypeVar

import msgspec

from beholder.errors import BeholderError

T = TypeVar("T", bound=msgspec.Struct)

REPAIRED = "repaired"
"""Flag of arguments that were no proper JSON but could be read in one way only."""

LONGEST = 64_000
"""Bytes of UTF-8 that the arguments of an ordinary tool may have."""

_MOST_DIGITS = 300
_FENCED = re.compile(r"\A```[A-Za-z0-9_+-]{0,20}[ \t]*\r?\n?(.*?)\s*```\Z", re.DOTALL)
_HARMLESS_REST = re.compile(r"[\s\"'`}\])]*\Z")
_PLACE = re.compile(r" - at `\$(?P<path>[^`]*)`\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN_WORDS = {
    "float": "number",
    "int": "whole number",
    "str": "string",
    "bool": "true or false",
    "array": "list",
    "null": "null",
}
_TYPE_WORDS = {"number": "number", "integer": "whole number", "string": "string", "boolean": "true or false"}


class MalformedArguments(BeholderError):
    """The arguments are no JSON or do not fit the tool. The text tells the model what is wrong and what is expected."""


def read_arguments(text: str, kind: type[T], *, longest: int = LONGEST) -> tuple[T, tuple[str, ...]]:
    """The arguments as a `kind`, and their flags: `("repaired",)` where the text had to be mended.

    Empty text means `{}`, unflagged: servers write it for a call without arguments. `longest` bounds the text, in bytes
    of UTF-8. Raises `MalformedArguments`.
    """
    try:
        value, repaired = _parse(text, longest)
        if not isinstance(value, dict):
            raise MalformedArguments(f"they are {_called(value)}, not an object")
        arguments = _fitted(value, kind)
    except MalformedArguments as error:
        raise MalformedArguments(f"The arguments cannot be used: {error}. Expected {expected(kind)}.") from None
    return arguments, ((REPAIRED,) if repaired else ())


def canonical_arguments(text: str) -> str:
    """Arguments as text to compare by: the order of the names and the space between them do not matter.

    Text that is no JSON stays as it is, but for the space around it.

    >>> canonical_arguments('{"b": 1,  "a": 2}') == canonical_arguments('{"a":2,"b":1}')
    True
    """
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except (ValueError, RecursionError):
        return text.strip()


def schema_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON Schema of the arguments, for a `ToolSpec`: one self-contained object, as plain as servers like it.

    References are resolved, titles dropped, a list of n values of one type is written as `items` with its length, and
    an argument that may be null is written as one that may be left out.
    """
    schema = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(kind)))  # defaults may be tuples
    plain: dict[str, Any] = _plain(schema, schema.get("$defs", {}))
    plain.pop("description", None)  # the docstring of the class; what the tool does stands in the ToolSpec
    return plain | {"properties": plain.get("properties", {})}


def expected(kind: type[msgspec.Struct]) -> str:
    """What a tool's arguments look like, in one line for a model.

    >>> class Turn(msgspec.Struct):
    ...     degrees: float
    ...     image: str = "image_1"
    >>> expected(Turn)
    'a JSON object with "degrees" (number, required), "image" (string, default "image_1")'
    """
    schema = schema_of(kind)
    required = schema.get("required", ())
    parts = [f'"{name}" ({_described(part, name in required)})' for name, part in schema["properties"].items()]
    return "a JSON object with " + (", ".join(parts) or "nothing in it")


def _parse(text: str, longest: int) -> tuple[Any, bool]:
    """The JSON value in the text, and whether the text had to be mended."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > longest:
        raise MalformedArguments(f"they are {size} bytes long, at most {longest} are read")
    bare = text.strip()
    fenced = _FENCED.match(bare)
    value, mended = _first_value(fenced[1].strip() if fenced else bare)
    repaired = fenced is not None or mended
    if isinstance(value, str):  # quoted twice: a JSON string that holds the JSON object
        value, _ = _first_value(value.strip())
        repaired = True
    return value, repaired


def _first_value(text: str) -> tuple[Any, bool]:
    if not text:
        return {}, False
    try:
        value, end = _STRICT.raw_decode(text)
        raw_breaks = False
    except json.JSONDecodeError:
        value, end = _decoded_with_raw_breaks(text)
        raw_breaks = True
    except RecursionError:
        raise MalformedArguments("they are nested too deeply") from None
    rest = text[end:]
    if not _HARMLESS_REST.match(rest):
        raise MalformedArguments(
            "there is more text after the end of the JSON object; write one object and nothing else"
        )
    return value, raw_breaks or bool(rest)


def _decoded_with_raw_breaks(text: str) -> tuple[Any, int]:
    try:
        return _WITH_RAW_BREAKS.raw_decode(text)
    except json.JSONDecodeError as error:
        if text.startswith(("{", "[")) and error.pos >= len(text.rstrip()):
            raise MalformedArguments("the JSON is cut short") from None
        raise MalformedArguments(
            f"they are not valid JSON (line {error.lineno}, column {error.colno}: {error.msg})"
        ) from None
    except RecursionError:
        raise MalformedArguments("they are nested too deeply") from None


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise MalformedArguments(f"{_shown(twice)} is given twice")
    return members


def _whole_number(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise MalformedArguments(f"a number has more than {_MOST_DIGITS} digits")
    return int(digits)


def _number(written: str) -> int | float:
    """A number with a point or an exponent. JSON Schema counts `3.0` among the whole numbers."""
    value = float(written)
    if not math.isfinite(value):
        raise MalformedArguments("a number is too large")
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _no_constant(word: str) -> Any:
    raise MalformedArguments(f"{word} is not a number; numbers must be finite")


def _decoder(strict: bool) -> json.JSONDecoder:
    return json.JSONDecoder(
        strict=strict,
        object_pairs_hook=_members,
        parse_int=_whole_number,
        parse_float=_number,
        parse_constant=_no_constant,
    )


_STRICT = _decoder(True)
_WITH_RAW_BREAKS = _decoder(False)


def _fitted(value: dict[str, Any], kind: type[T]) -> T:
    if _has_half_character(value):
        raise MalformedArguments("a string holds half of a surrogate pair, which is no character")
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise MalformedArguments(_in_plain_words(str(error))) from None


def _has_half_character(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_half_character(part) for member in value.items() for part in member)
    if isinstance(value, list):
        return any(map(_has_half_character, value))
    return isinstance(value, str) and _SURROGATE.search(value) is not None


def _in_plain_words(message: str) -> str:
    """What msgspec found wrong, with the argument's name first: `"box"[0]: expected a number, got a string`."""
    place = _PLACE.search(message)
    path = place["path"].lstrip(".") if place else ""
    said = message[: place.start()] if place else message
    for word, plain in _PLAIN_WORDS.items():
        said = re.sub(rf"`{word}( \| null)?`", plain, said)
    said = said[:1].lower() + said[1:300].replace("`", '"')
    return f"{path}: {said}" if path else said


def _called(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "a number"


def _shown(name: str) -> str:
    return json.dumps(name[:50])


def _plain(schema: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        target = known[schema["$ref"].rpartition("/")[2]]
        return _plain(target | {key: value for key, value in schema.items() if key not in ("$ref", "$defs")}, known)
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1 and schema.get("default", 0) is None:
        kept = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
        return _plain(choices[0] | kept, known)
    plain: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("title", "$defs"):
            continue
        if key == "properties":
            plain[key] = {name: _plain(part, known) for name, part in value.items()}
        elif key in ("anyOf", "prefixItems"):
            plain[key] = [_plain(part, known) for part in value]
        else:
            plain[key] = _plain(value, known) if isinstance(value, dict) and key != "default" else value
    if "enum" in plain and all(isinstance(value, str) for value in plain["enum"]):
        plain = {"type": "string"} | plain
    places = plain.get("prefixItems")
    if places and all(place == places[0] for place in places) and plain.get("items") is False:
        plain["items"] = places[0]
        del plain["prefixItems"]
    return plain


def _described(part: dict[str, Any], required: bool) -> str:
    words = [_type_words(part)]
    if required:
        words.append("required")
    elif "default" in part:
        words.append(f"default {json.dumps(part['default'])}")
    return ", ".join(words)


def _type_words(part: dict[str, Any], several: bool = False) -> str:
    if "enum" in part:
        return " or ".join(json.dumps(value) for value in part["enum"])
    if part.get("type") == "array":
        items = part.get("items")
        low, high = part.get("minItems"), part.get("maxItems")
        count = f"{low} " if low is not None and low == high else ""
        inside = _type_words(items, several=True) if isinstance(items, dict) else "values"
        return f"{'lists' if several else 'list'} of {count}{inside}"
    word = _TYPE_WORDS.get(part.get("type", ""), "object")
    return f"{word}s" if several and word != "true or false" else word
