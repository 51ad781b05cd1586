"""`bad-tools/KIND`: users of tools that go wrong in one known way each, so that a diagnosis can be shown to tell them
apart. They never look at a picture, and each reply follows from the conversation alone.

- `wrong-direction` means to turn the picture by an option's angle and turns it the other way; then says that option.
- `useless` makes calls that bring nothing new: turns by 0°, crops the whole picture, shows it as it is; then guesses.
- `never-stops` crops a little less each time and never answers.
- `malformed` writes broken JSON, a missing argument, an unknown tool, in turn, and never answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from beholder.errors import UsageError
from beholder.models.classical import NOTHING_FOUND
from beholder.models.classical_tools import conversation_hash
from beholder.models.fakes import Fake
from beholder.models.model import Prepared
from beholder.sample import Ask, Response, ToolCall

_DEGREES = re.compile(r"^([A-J])[.:)] {0,4}(\d{1,3}) {0,4}°", re.MULTILINE)
_LETTER = re.compile(r"^([A-J])\. ", re.MULTILINE)
LITTLE = 2
"""Calls that `wrong-direction` and `useless` make before they answer."""


class BadToolUser(Fake):
    """A fake whose requests are told apart by the whole conversation."""

    def prepare(self, asks: list[Ask]) -> list[Prepared]:
        return [Prepared(ask=ask, request_hash=conversation_hash(self.name, ask)) for ask in asks]


def bad_tool_user(kind: str) -> BadToolUser:
    """`bad-tools/KIND`. `UsageError` names the kinds if there is no such one."""
    if kind not in BAD_KINDS:
        raise UsageError(f"There is no kind of bad tool user {kind[:40]!r}. Known: {', '.join(BAD_KINDS)}.")
    act = BAD_KINDS[kind]

    def answer(ask: Ask) -> Response:
        done = sum(message.role == "assistant" for message in ask.messages)
        wish = act(ask, done) if ask.tools else None
        if wish is None:
            return Response(text=_guess(ask), finish="stop")
        said, tool, arguments = wish
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        return Response(text=said, calls=(ToolCall(f"call_{done + 1}", tool, written),), finish="tool_calls")

    return BadToolUser(f"bad-tools/{kind}", {"kind": kind}, answer)


_Wish = tuple[str, str, dict[str, Any] | str]
"""What is said, the tool, and its arguments: an object, or text that is none."""


def _tools(ask: Ask) -> set[str]:
    return {tool.name for tool in ask.tools}


def _guess(ask: Ask) -> str:
    """The first option, where there are options."""
    found = _LETTER.search(ask.sample.question) or _DEGREES.search(ask.sample.question)
    return str(found[1]) if found else NOTHING_FOUND


def _wrong_direction(ask: Ask, done: int) -> _Wish | None:
    """Options in degrees are asked for clockwise; other pictures are turned by a quarter, the wrong way too."""
    angles = [int(degrees) for _, degrees in _DEGREES.findall(ask.sample.question)] or [90, 180]
    if done >= min(LITTLE, len(angles)):
        return None
    angle = angles[done]
    said = f"I will turn the picture clockwise by {angle}°."
    if "rotate" in _tools(ask):
        return said, "rotate", {"degrees": angle, "direction": "counterclockwise"}
    if "python" in _tools(ask):
        return said, "python", {"code": f"image_1.rotate({angle}, expand=True).show()  # clockwise\n"}
    return None


def _useless(ask: Ask, done: int) -> _Wish | None:
    if done >= LITTLE:
        return None
    said = "I will look at the picture more closely."
    tools = _tools(ask)
    if "crop" in tools and done == 0:
        return said, "crop", {"box": [0, 0, 1, 1], "units": "fraction"}
    if "rotate" in tools:
        return said, "rotate", {"degrees": 0, "direction": "clockwise"}
    return (said, "python", {"code": "image_1.show()\n"}) if "python" in tools else None


def _never_stops(ask: Ask, done: int) -> _Wish | None:
    said = "I am not sure yet. I will look once more."
    inset = done % 40 + 1
    tools = _tools(ask)
    if "crop" in tools:
        return said, "crop", {"box": [inset, inset, inset + 40, inset + 40]}
    if "python" in tools:
        return said, "python", {"code": f"image_1.crop(({inset}, {inset}, {inset + 40}, {inset + 40})).show()\n"}
    return said, "rotate", {"degrees": inset, "direction": "clockwise"}


def _malformed(ask: Ask, done: int) -> _Wish | None:
    name = ask.tools[0].name
    ways: list[_Wish] = [
        ("I will call a tool.", name, '{"box": [10, 10, '),
        ("I will call a tool.", name, "{}"),
        ("I will call a tool.", "enhance_image", {"image": "image_1"}),
        ("I will call a tool.", name, "box=(10, 10, 50, 50)"),
    ]
    return ways[done % len(ways)]


BAD_KINDS: dict[str, Callable[[Ask, int], _Wish | None]] = {
    "wrong-direction": _wrong_direction,
    "useless": _useless,
    "never-stops": _never_stops,
    "malformed": _malformed,
}
"""Kind → what it does next."""
