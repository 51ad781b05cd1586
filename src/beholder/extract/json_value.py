"""The JSON object or array in a model's reply.

Models fence it, announce it ("Sure! {…}"), and write it as Python would. A small parser of our own reads strict JSON
and the usual slips (single or typographic quotes, `True`/`None`, bare keys, trailing commas, raw line breaks in
strings) and says when it had to. Nothing is evaluated; depth, size and work are bounded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from beholder.extract.declared import after_revision
from beholder.extract.extraction import Extraction
from beholder.extract.think import split_thought

MAX_DEPTH = 64
MAX_WORK = 50_000
"""Values and string pieces that are looked at in one reply, over all attempts."""
MAX_DIGITS = 300

_SPACE = re.compile(r"[ \t\r\n\xa0]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9A-Za-z_.])")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_FENCE = re.compile(r"```")
_LABEL = re.compile(r"[A-Za-z0-9+-]{0,20}[ \t]*\n?")
_OPENER = re.compile(r"[{\[]")
_STRICT_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
_PYTHON_WORDS: dict[str, Any] = {"True": True, "False": False, "None": None}
_CLOSERS = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_STRING_BODY = {
    closer: re.compile(rf"[^{closer}\\]*(?:\\.[^{closer}\\]*)*{closer}", re.DOTALL) for closer in _CLOSERS.values()
}
_RAW_CONTROL = re.compile(r"[\x00-\x1f]")
_ESCAPE = re.compile(r"\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4})|\\(.)|\"", re.DOTALL)


class _NoValue(Exception):
    """What begins here is no JSON value, not even a mended one."""


class _OutOfWork(Exception):
    """The bound on work was reached."""


def find_json(text: str) -> Extraction[Any]:
    """The one JSON object or array in a reply, after its thinking block.

    Fenced values go before others, objects before arrays (`[1]` may be a reference). Several equal values are one; of
    several different ones the last counts only after a word of revision ("wait", "correction"). Flag with a value:
    `repaired`, `duplicate_key` (the last one stands). Flags without: `no_json`, `ambiguous`, `too_large`.

    >>> find_json("Sure! {'score': 1,}")
    Extraction(value={'score': 1}, span=(6, 19), flags=('repaired',), reason='')
    """
    thought = split_thought(text)
    answer = thought.answer
    reader = _Reader(answer)
    try:
        found = _values_fenced(reader, answer) or _values(reader, 0, len(answer))
    except _OutOfWork:
        return Extraction(None, flags=("too_large",), reason="The reply has too much in it that looks like JSON.")
    found = [one for one in found if isinstance(one.value, dict)] or found
    if not found:
        return Extraction(None, flags=("no_json",), reason="There is no JSON object or array in the reply.")
    kept = [found[position] for position in after_revision(answer, [(one.span or (0, 0))[0] for one in found])]
    start, end = kept[-1].span or (0, 0)
    span = (start + thought.start, end + thought.start)
    last = _canonical(kept[-1].value)
    if any(_canonical(one.value) != last for one in kept[:-1]):
        return Extraction(None, span=span, flags=("ambiguous",), reason="There are several different JSON values.")
    return Extraction(kept[-1].value, span=span, flags=kept[-1].flags)


def _canonical(value: Any) -> str:
    """A value as text to compare by: `1` and `true` differ as JSON, although Python calls them equal."""
    return json.dumps(value, sort_keys=True)


def _values_fenced(reader: _Reader, text: str) -> list[Extraction[Any]]:
    fences = [match.span() for match in _FENCE.finditer(text)]
    found: list[Extraction[Any]] = []
    for position in range(0, len(fences), 2):
        start = fences[position][1]
        label = _LABEL.match(text, start)
        start = label.end() if label else start
        end = fences[position + 1][0] if position + 1 < len(fences) else len(text)
        found += _values(reader, start, end)
    return found


def _values(reader: _Reader, start: int, end: int) -> list[Extraction[Any]]:
    """The outermost JSON objects and arrays that lie wholly in `start`..`end`."""
    found: list[Extraction[Any]] = []
    while opener := _OPENER.search(reader.text, start, end):
        value, stop, flags = reader.read(opener.start(), end)
        if stop:
            found.append(Extraction(value, span=(opener.start(), stop), flags=flags))
        start = stop or opener.end()
    return found


class _Reader:
    """A recursive parser with bounded depth and, over all its attempts on one text, bounded work."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.end = len(text)
        self.work = 0
        self.flags: set[str] = set()

    def read(self, start: int, end: int) -> tuple[Any, int, tuple[str, ...]]:
        """The value that begins at `start`, its end (0 if there is none) and its flags."""
        self.end, self.flags = end, set()
        self._spend(128)
        try:
            value, stop = self._value(start, 0)
        except _NoValue:
            return None, 0, ()
        return value, stop, tuple(sorted(self.flags))

    def _spend(self, characters: int = 0) -> None:
        self.work += 1 + characters // 64
        if self.work > MAX_WORK:
            raise _OutOfWork

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self.text, at, self.end)
        return match.end() if match else at

    def _peek(self, at: int) -> str:
        return self.text[at] if at < self.end else ""

    def _value(self, at: int, depth: int) -> tuple[Any, int]:
        self._spend()
        char = self._peek(at)
        if char == "{" and depth < MAX_DEPTH:
            members: dict[str, Any] = {}
            return members, self._items(at, "}", lambda place: self._member(members, place, depth))
        if char == "[" and depth < MAX_DEPTH:
            items: list[Any] = []
            return items, self._items(at, "]", lambda place: self._element(items, place, depth))
        if char and char in _CLOSERS:
            return self._string(at)
        if number := _NUMBER.match(self.text, at, self.end):
            return _number(number[0]), number.end()
        if word := _WORD.match(self.text, at, self.end):
            if word[0] in _STRICT_WORDS:
                return _STRICT_WORDS[word[0]], word.end()
            if word[0] in _PYTHON_WORDS:
                self.flags.add("repaired")
                return _PYTHON_WORDS[word[0]], word.end()
        raise _NoValue

    def _items(self, at: int, closer: str, read_one: Callable[[int], int]) -> int:
        """Reads what stands between the brackets, item by item; the end of the whole."""
        at = self._skip(at + 1)
        first = True
        while self._peek(at) != closer:
            if not first:
                if self._peek(at) != ",":
                    raise _NoValue
                at = self._skip(at + 1)
                if self._peek(at) == closer:
                    self.flags.add("repaired")
                    break
            at = self._skip(read_one(at))
            first = False
        return at + 1

    def _element(self, items: list[Any], at: int, depth: int) -> int:
        value, at = self._value(at, depth + 1)
        items.append(value)
        return at

    def _member(self, members: dict[str, Any], at: int, depth: int) -> int:
        if self._peek(at) in _CLOSERS:
            key, at = self._string(at)
        elif word := _WORD.match(self.text, at, self.end):
            key, at = word[0], word.end()
            self.flags.add("repaired")
        else:
            raise _NoValue
        at = self._skip(at)
        if self._peek(at) != ":":
            raise _NoValue
        value, at = self._value(self._skip(at + 1), depth + 1)
        if key in members and _canonical(members[key]) != _canonical(value):
            self.flags.add("duplicate_key")
        members[key] = value
        return at

    def _string(self, at: int) -> tuple[str, int]:
        opener = self.text[at]
        match = _STRING_BODY[_CLOSERS[opener]].match(self.text, at + 1, self.end)
        self._spend((match.end() if match else self.end) - at)
        if match is None:
            raise _NoValue
        body = match[0][:-1]
        if opener != '"' or _RAW_CONTROL.search(body):
            self.flags.add("repaired")
        return self._unescaped(body), match.end()

    def _unescaped(self, body: str) -> str:
        def sound(match: re.Match[str]) -> str:
            if match[0] == '"':
                return '\\"'
            if match[1] is None:
                return match[0]
            self.flags.add("repaired")  # an escape that JSON does not have: `\'`, or LaTeX
            return match[1] if match[1] in "'\n" else "\\\\" + match[1]

        if "\\" in body:
            body = json.loads('"' + _ESCAPE.sub(sound, body) + '"', strict=False)
        # A lone surrogate cannot be written to any file: it becomes a replacement character.
        return body.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _number(digits: str) -> int | float:
    if len(digits) > MAX_DIGITS:
        raise _NoValue
    if digits.lstrip("-").isdigit():
        return int(digits)
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise _NoValue
    return value
