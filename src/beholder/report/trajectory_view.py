"""A trajectory as a reader wants it, for the terminal and for pages alike: turns, calls, pictures with their names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from beholder.report.pictures_in_code import PicturesInCode
from beholder.report.plain_text import plain
from beholder.report.stated_answers import Stated
from beholder.sample import ToolCall
from beholder.tools.diagnosis import CallDiagnosis, Diagnosis
from beholder.tools.text_protocol import PYTHON
from beholder.trajectory import CallOutcome, Observation, Trajectory, Turn

_TOLD = re.compile(r"image_(?P<number>\d{1,9}): (?P<width>\d{1,9})x(?P<height>\d{1,9}) pixels")
_NAME = re.compile(r"image_(\d{1,9})")
_SIGNS = {CallOutcome.EXECUTED: "✓", CallOutcome.NOT_RUN: "– not run"}
_CALLS_NAMED = 8
_ANSWERS = 12
_LONGEST_READ = 400_000
"""Characters of arguments that are looked into for code and names of pictures."""


class ShownPicture(msgspec.Struct, frozen=True):
    """A picture of the conversation: its number (`image_1` has 1), its hash (`None`: one of the sample's own), and its
    size in words where the record tells it."""

    number: int
    sha256: str | None = None
    size: str = ""

    @property
    def name(self) -> str:
        """What the model knows it by."""
        return f"image_{self.number}"


class ShownCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call: the tool, its `code` if it is Python or else its `arguments` in one line, and what it brought.

    `text` is what the model was told, without the lines that name the new `pictures`. `before` is the picture that the
    call was about, None where that is not known or the conversation had none. `answer_changed` is said of the last call
    of its turn.
    """

    number: int
    tool: str
    code: str | None
    arguments: str
    outcome: CallOutcome
    flags: tuple[str, ...]
    text: str
    pictures: tuple[ShownPicture, ...]
    before: ShownPicture | None
    seconds: float
    answer_changed: bool | None


class ShownTurn(msgspec.Struct, frozen=True):
    """A message of the model with its calls, the answers that it and the probe after it state, and the pictures that
    its request left out."""

    number: int
    turn: Turn
    calls: tuple[ShownCall, ...]
    stated: Stated
    evicted: tuple[str, ...]


class View(msgspec.Struct, frozen=True):
    """A whole trajectory with its diagnosis."""

    turns: tuple[ShownTurn, ...]
    trajectory: Trajectory
    diagnosis: Diagnosis

    @property
    def calls(self) -> Iterator[ShownCall]:
        """All calls, in order."""
        return (call for turn in self.turns for call in turn.calls)

    @property
    def summary(self) -> str:
        """The whole in a line: `3 turns, 2 calls: python ✓, python ✗ error`."""
        calls = list(self.calls)
        counts = f"{_counted(len(self.turns), 'turn')}, {_counted(len(calls), 'call') if calls else 'no calls'}"
        return f"{counts}: {calls_in_words(calls)}" if calls else counts


def answers_in_words(view: View) -> str:
    """The answers that were stated, by the model or when it was asked, in order: `C → B → B`; "" if they are fewer."""
    answers = [answer for turn in view.turns for answer in (turn.stated.said, turn.stated.probed) if answer is not None]
    shown = [plain(answer, one_line=True, limit=30) for answer in answers]
    if len(shown) > _ANSWERS:
        shown = [*shown[: _ANSWERS // 2], "…", *shown[-_ANSWERS // 2 :]]
    return " → ".join(shown) if len(shown) > 1 else ""


def cost_in_words(diagnosis: Diagnosis) -> str:
    """Its seconds and tokens, as far as they are on record."""
    seconds = f"{diagnosis.seconds:.1f} s" if diagnosis.seconds is not None else ""
    tokens = f"{diagnosis.tokens:,} tokens in and out" if diagnosis.tokens else ""
    return ", ".join(filter(None, (seconds, tokens)))


def turn_facts(shown: ShownTurn) -> str:
    """What is on record of a turn's own request: `1.2 s · 40 tokens written · from cache`."""
    usage, latency = shown.turn.usage, shown.turn.latency
    facts = [
        f"{latency:.1f} s" if latency is not None and latency >= 0.05 else "",
        f"{usage.completion_tokens:,} tokens written" if usage.completion_tokens else "",
        "from cache" if shown.turn.cached else "",
        f"left out of the request: {', '.join(shown.evicted)}" if shown.evicted else "",
    ]
    return " · ".join(filter(None, facts))


def view_of(trajectory: Trajectory, diagnosis: Diagnosis, stated: Sequence[Stated], own_pictures: int) -> View:
    """The trajectory of a sample that has so many pictures of its own, with its diagnosis and its stated answers."""
    known = [ShownPicture(number) for number in range(1, own_pictures + 1)]
    code = PicturesInCode()
    judged = iter(diagnosis.calls)
    turns = []
    for number, (turn, answers) in enumerate(zip(trajectory.turns, stated, strict=True), start=1):
        calls = []
        for place, one in enumerate(turn.observations):
            last = place == len(turn.observations) - 1
            shown = _call(one, next(judged), known, _before(one.call, known, code), is_last=last)
            known += shown.pictures
            calls.append(shown)
        evicted = tuple(f"image_{place + 1}" for place in turn.evicted)
        turns.append(ShownTurn(number, turn, tuple(calls), answers, evicted))
    return View(tuple(turns), trajectory, diagnosis)


def outcome_in_words(outcome: CallOutcome) -> str:
    """`✓`, or what went wrong.

    >>> outcome_in_words(CallOutcome.UNKNOWN_TOOL)
    '✗ unknown tool'
    """
    return _SIGNS.get(outcome) or f"✗ {outcome.value.replace('_', ' ')}"


def calls_in_words(calls: Sequence[ShownCall]) -> str:
    """The calls in a line; equal ones in a row are counted, and those beyond the first eight."""
    grouped: list[tuple[str, int]] = []
    for call in calls:
        words = f"{call.tool[:40] or '(no name)'} {outcome_in_words(call.outcome)}"
        if grouped and grouped[-1][0] == words:
            grouped[-1] = (words, grouped[-1][1] + 1)
        else:
            grouped.append((words, 1))
    said = [words if number == 1 else f"{words} ×{number}" for words, number in grouped[:_CALLS_NAMED]]
    more = sum(number for _, number in grouped[_CALLS_NAMED:])
    return ", ".join([*said, *([f"and {more} more"] if more else [])])


def _call(
    one: Observation, judged: CallDiagnosis, known: list[ShownPicture], before: ShownPicture | None, *, is_last: bool
) -> ShownCall:
    arguments = _arguments(one.call.arguments)
    code = arguments.get("code") if one.call.name == PYTHON and arguments is not None else None
    text, pictures = _text_and_pictures(one, len(known))
    return ShownCall(
        number=judged.number,
        tool=one.call.name,
        code=code if isinstance(code, str) else None,
        arguments=one.call.arguments if arguments is None else _in_one_line(arguments),
        outcome=one.outcome,
        flags=one.flags,
        text=text,
        pictures=pictures,
        before=before,
        seconds=one.seconds,
        answer_changed=judged.answer_changed if is_last else None,
    )


def _arguments(text: str) -> dict[str, Any] | None:
    """The arguments as far as they are plain JSON; None otherwise, and then they are shown as they were written."""
    if len(text) > _LONGEST_READ:
        return None
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def _in_one_line(arguments: dict[str, Any]) -> str:
    try:
        return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    except RecursionError:
        return "…"


def _text_and_pictures(one: Observation, known: int) -> tuple[str, tuple[ShownPicture, ...]]:
    """What the model was told apart from its last lines, one for each new picture: they name it and tell its size."""
    lines = one.text.split("\n")
    cut = max(0, len(lines) - len(one.images))
    sizes = []
    for number, line in enumerate(lines[cut:], start=known + 1):
        told = _TOLD.fullmatch(line)
        if told is None or int(told["number"]) != number:  # a trajectory from elsewhere tells of them otherwise
            sizes, cut = [""] * len(one.images), len(lines)
            break
        sizes.append(f"{told['width']}x{told['height']}")
    sizes += [""] * (len(one.images) - len(sizes))
    pictures = [
        ShownPicture(number, sha256, size)
        for number, (sha256, size) in enumerate(zip(one.images, sizes, strict=True), start=known + 1)
    ]
    return "\n".join(lines[:cut]).rstrip("\n"), tuple(pictures)


def _before(call: ToolCall, known: list[ShownPicture], code: PicturesInCode) -> ShownPicture | None:
    """The picture that code uses first, or that another call names first: where it names none, it is the tools' own
    default, the first one."""
    if call.name == PYTHON:
        number = code.used_first(call, len(known))
        return known[number - 1] if number is not None else None
    for found in _NAME.finditer(call.arguments[:_LONGEST_READ]):
        if 1 <= int(found[1]) <= len(known):
            return known[int(found[1]) - 1]
    return known[0] if known else None


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
