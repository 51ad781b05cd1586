"""`bad-tools/KIND`: users of tools that go wrong in one known way each, so that a diagnosis can be shown to tell them
apart. Each reply follows from the conversation alone, and none knows the gold.

- `wrong-direction` turns the picture the wrong way round: where the question lists angles and says in which sense, by
  the angle that `static` takes for the right one; then it answers another option, as that one did not look upright.
  It turns other pictures by quarters, against what it says.
- `useless` makes calls that bring nothing new: turns by 0°, crops the whole picture, shows it as it is; then guesses.
- `never-stops` crops a little less each time and never answers.
- `malformed` writes broken JSON, a missing argument, an unknown tool, in turn, and never answers.

Only the first one ever looks at a picture, once and at a glance.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

from beholder.benchmarks.tir.rotation import angles_of, sense_of
from beholder.errors import UsageError
from beholder.images.load import load
from beholder.models.classical import NOTHING_FOUND, need_opencv, solved
from beholder.models.classical_tools import conversation_hash
from beholder.models.fakes import Fake
from beholder.models.model import Prepared, blob_of
from beholder.sample import Ask, Response, ToolCall

_LETTER = re.compile(r"^([A-J])\. ", re.MULTILINE)
LITTLE = 2
"""Calls that `wrong-direction` and `useless` make before they answer, where no estimate tells the one to make."""


class BadToolUser(Fake):
    """A fake whose requests are told apart by the whole conversation. It may look at pictures, so it works in threads,
    and its run keeps them."""

    def prepare(self, asks: list[Ask]) -> list[Prepared]:
        images = [load(ref) for ref in asks[0].sample.images]
        blobs = tuple(map(blob_of, images, asks[0].sample.images))
        return [Prepared(ask=ask, request_hash=conversation_hash(self.name, ask), blobs=blobs) for ask in asks]

    async def send(self, prepared: Prepared) -> Response:
        return await asyncio.to_thread(self.reply, prepared)


def bad_tool_user(kind: str) -> BadToolUser:
    """`bad-tools/KIND`. `UsageError` names the kinds if there is no such one, and what it lacks to look at pictures."""
    if kind not in BAD_KINDS:
        raise UsageError(f"There is no kind of bad tool user {kind[:40]!r}. Known: {', '.join(BAD_KINDS)}.")
    if kind == WRONG_DIRECTION:
        need_opencv(f"bad-tools/{kind}")
    act, conclude = BAD_KINDS[kind]

    def answer(ask: Ask) -> Response:
        done = sum(message.role == "assistant" for message in ask.messages)
        wish = act(ask, done) if ask.tools else None
        if wish is None:
            return Response(text=conclude(ask, done), finish="stop")
        said, tool, arguments = wish
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        return Response(text=said, calls=(ToolCall(f"call_{done + 1}", tool, written),), finish="tool_calls")

    return BadToolUser(f"bad-tools/{kind}", {"kind": kind}, answer)


_Wish = tuple[str, str, dict[str, Any] | str]
"""What is said, the tool, and its arguments: an object, or text that is none."""


def _tools(ask: Ask) -> set[str]:
    return {tool.name for tool in ask.tools}


def _guess(ask: Ask, done: int) -> str:
    """The first option, where there are options."""
    found = _LETTER.search(ask.sample.question)
    return str(found[1]) if found else next(iter(angles_of(ask.sample.question)), NOTHING_FOUND)


def _estimated(ask: Ask) -> str | None:
    """The option that `static` takes for the right one, where the options are angles and the sense is said."""
    options = angles_of(ask.sample.question)
    if len(options) < 2 or sense_of(ask.sample.question) is None:
        return None
    letter = solved(ask.sample, at_a_glance=True)
    return letter if letter in options else next(iter(options))


def _wrong_direction(ask: Ask, done: int) -> _Wish | None:
    """One turn by the estimated angle, or else by a quarter and then by a half, the wrong way round."""
    if done >= LITTLE:
        return None
    letter = _estimated(ask)
    angles = [angles_of(ask.sample.question)[letter]] if letter is not None else [90.0, 180.0]
    if done >= len(angles):
        return None
    meant, made = "clockwise", "counterclockwise"
    if sense_of(ask.sample.question) == -1:
        meant, made = made, meant
    said = f"I will turn the picture {meant} by {angles[done]:g}°."
    if "rotate" in _tools(ask):
        return said, "rotate", {"degrees": angles[done], "direction": made}
    if "python" in _tools(ask):
        degrees = angles[done] if made == "counterclockwise" else -angles[done]  # Pillow's sense
        return said, "python", {"code": f"image_1.rotate({degrees:g}, expand=True).show()  # {meant}\n"}
    return None


def _another_option(ask: Ask, done: int) -> str:
    """After a turn the option that follows on the estimated one, without one the estimated option itself."""
    letter = _estimated(ask)
    if letter is None:
        return _guess(ask, done)
    options = list(angles_of(ask.sample.question))
    return options[(options.index(letter) + (done > 0)) % len(options)]


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


WRONG_DIRECTION = "wrong-direction"
BAD_KINDS: dict[str, tuple[Callable[[Ask, int], _Wish | None], Callable[[Ask, int], str]]] = {
    WRONG_DIRECTION: (_wrong_direction, _another_option),
    "useless": (_useless, _guess),
    "never-stops": (_never_stops, _guess),
    "malformed": (_malformed, _guess),
}
"""Kind → what it does next, and what it answers; both are told how many messages it has written."""
