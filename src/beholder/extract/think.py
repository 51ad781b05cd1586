"""Where the thinking ends and the answer begins."""

from __future__ import annotations

import re

import msgspec

from beholder.extract.markup import is_blank


class Thought(msgspec.Struct, frozen=True):
    """A response cut in two.

    `answer` is what stands after the thinking; `start` is its offset: `text[start:start + len(answer)] == answer`.
    `thought` is the content of the thinking blocks, joined by line breaks. `present` says if there is any thinking,
    `closed` is False if the last block never ends (then `answer` is empty: all that follows is thought).
    """

    thought: str
    answer: str
    start: int
    closed: bool
    present: bool


_NAMES = r"think|thinking|thoughts?|reasoning|seed:think"
_ANGLE = re.compile(
    rf"<\s{{0,2}}(?:(?P<close>/)\s{{0,2}})?(?:{_NAMES})\s{{0,2}}>"
    r"|<\|(?:START_THINKING|begin_of_thought|channel\|>analysis<\|message)\|>"
    r"|(?P<close2><\|(?:END_THINKING|end_of_thought|channel\|>final<\|message)\|>)",
    re.IGNORECASE,
)
_OTHER = re.compile(r"◁(?P<close>/)?think▷|\[(?P<close2>/)?THINK\]", re.IGNORECASE)


def _marks(text: str) -> list[tuple[int, int, bool]]:
    """(start, end, closes) of each thinking tag, in order."""
    found: list[tuple[int, int, bool]] = []
    at = text.find("<")
    while at >= 0:
        if match := _ANGLE.match(text, at):
            found.append((at, match.end(), bool(match["close"] or match["close2"])))
        at = text.find("<", at + 1)
    if "◁" in text or "THINK]" in text or "hink]" in text:
        found += [(m.start(), m.end(), bool(m["close"] or m["close2"])) for m in _OTHER.finditer(text)]
        found.sort()
    return found


def split_thought(text: str) -> Thought:
    """Split a response into thought and answer; never raises, linear in the length of the text.

    Known blocks, in any case: `<think>`, `<thinking>`, `<thought>`, `<reasoning>`, `<|START_THINKING|>`,
    `<|begin_of_thought|>`, `◁think▷`, `[THINK]`, and the analysis and final channels of the harmony format. Any
    closing tag ends the thinking, also one that was never opened (chat templates often put the opening tag in the
    prompt). The answer is what follows the last block; if nothing visible follows it, the last visible stretch between
    or before the blocks (models that answer first and then explain).
    """
    marks = _marks(text)
    if not marks:
        return Thought("", text, 0, True, False)
    thoughts, outside, at, closed = _walked(text, marks)
    if not closed:
        return Thought("\n".join(thoughts), "", len(text), False, True)
    first, last = at, len(text)
    if is_blank(text[at:]):
        for low, high in reversed(outside):
            if not is_blank(text[low:high]):
                first, last = low, high
                break
    return Thought("\n".join(thoughts), text[first:last], first, True, True)


def visible_stretches(text: str) -> list[tuple[int, int]]:
    """(start, end) of every stretch of a response that is outside of thinking blocks, in order; some may be blank.

    `split_thought` says what a block is. Never raises, linear in the length of the text.

    >>> text = "Look! <think>Hm.</think> A"
    >>> [text[start:end] for start, end in visible_stretches(text)]
    ['Look! ', ' A']
    """
    marks = _marks(text)
    if not marks:
        return [(0, len(text))]
    _, outside, at, closed = _walked(text, marks)
    return [*outside, (at, len(text))] if closed else outside


def _walked(text: str, marks: list[tuple[int, int, bool]]) -> tuple[list[str], list[tuple[int, int]], int, bool]:
    """The thoughts, the visible stretches before the last tag, where that tag ends, and whether the thinking ends."""
    thoughts: list[str] = []
    outside: list[tuple[int, int]] = []
    inside = marks[0][2]  # a closing tag comes first: the text began inside the block
    at = 0
    for start, end, closes in marks:
        if closes and not inside:
            # Closed twice (nested or stray): what was taken for an answer was thought.
            thoughts.append(text[at:start])
        elif inside:
            thoughts.append(text[at:start])
        else:
            outside.append((at, start))
        inside = not closes
        at = end
    if inside:
        thoughts.append(text[at:])
    return thoughts, outside, at, not inside
