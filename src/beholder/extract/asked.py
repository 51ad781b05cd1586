"""The bare answer in the three frames that `strict` scorers take where a question asks for no frame of its own.

After the thinking blocks the answer is

- the bare answer and nothing else;
- or in exactly one `<answer>…</answer>` in lower case, other text around it allowed;
- or behind `Answer:` on the last line, and no other line begins so.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from beholder.extract.think import split_thought

_TAG = re.compile(r"<answer>([^<]*)</answer>")
_ANSWER_LINE = re.compile(r"^Answer:", re.MULTILINE)
_NUMBER = r"(?:0|[1-9][0-9]{0,8})"
_NUMBERS = rf"{_NUMBER}(?:[ \t\r\n]*,[ \t\r\n]*{_NUMBER})*"
_LIST = re.compile(rf"\[[ \t\r\n]*({_NUMBERS})?[ \t\r\n]*\]|({_NUMBERS})")
_KEYED = re.compile(
    r"(?:```(?:json)?[ \t\r\n]*)?"
    rf'\{{[ \t\r\n]*"[A-Za-z_ ]{{1,40}}"[ \t\r\n]*:[ \t\r\n]*\[[ \t\r\n]*({_NUMBERS})?[ \t\r\n]*\][ \t\r\n]*\}}'
    r"(?:[ \t\r\n]*```)?"
)


class Bare(NamedTuple):
    """An answer without its frame, and its offset in the text that was given."""

    text: str
    start: int

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.start + len(self.text)


def bare_answer(text: str) -> Bare | None:
    """What stands in one of the frames (see the module); None for an empty answer and for tags that do not pair."""
    thought = split_thought(text)
    answer = thought.answer
    low, high = 0, len(answer)
    if "nswer>" in answer.lower():
        tags = list(_TAG.finditer(answer))
        if len(tags) != 1 or answer.lower().count("nswer>") != 2:
            return None
        low, high = tags[0].span(1)
    else:
        last = answer.rstrip().rfind("\n") + 1
        at = last + len(answer[last:]) - len(answer[last:].lstrip())
        if answer.startswith("Answer:", at) and len(_ANSWER_LINE.findall(answer.lstrip())) == 1:
            low = at + len("Answer:")
    inside = answer[low:high]
    core = inside.strip()
    return Bare(core, thought.start + low + len(inside) - len(inside.lstrip())) if core else None


def exact_list(core: str) -> tuple[int, ...] | None:
    """The whole numbers of a bare answer that is a list and nothing else: `[2, 6, 7]` or `2, 6, 7`; None otherwise.

    >>> exact_list("[4, 1, 3, 2]"), exact_list("4, 1"), exact_list("[]"), exact_list("4 and 1")
    ((4, 1, 3, 2), (4, 1), (), None)
    """
    match = _LIST.fullmatch(core)
    return None if match is None else _numbers(match[1] or match[2])


def exact_keyed_list(core: str) -> tuple[int, ...] | None:
    """The list of a bare answer that is a JSON object with one list, fenced or not: `{"different_patches": [2, 6]}`."""
    match = _KEYED.fullmatch(core)
    return None if match is None else _numbers(match[1])


def _numbers(written: str | None) -> tuple[int, ...]:
    return tuple(int(entry) for entry in written.split(",")) if written else ()
