"""A JSON object that is cut off, lacks a comma, has comments, or has bare quotation marks inside a string.

What `json_value.find_json` does not take for JSON, because it has to be changed in more than its spelling. Of an object
that is cut off, the members that are complete are kept. One pass, one object: the first that begins with a quoted key.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from beholder.extract.json_value import MAX_DEPTH, find_json

_START = re.compile(r"\{\s{0,40}[\"“]")
_MARK = re.compile(r"\\.|[\"{}\[\],]|//", re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*")
_ENDS = re.compile(r"\s{0,80}(?:[,:}\]]|\Z)")
_NEXT_LINE = re.compile(r"[ \t\r]{0,20}\n\s{0,80}(?=\"[^\"\n]{1,80}\"\s{0,9}:)")
_PAIRS = {"{": "}", "[": "]"}


class Mended(msgspec.Struct, frozen=True):
    """The object, its (start, end) offsets in the text as it was given, and whether it was cut off."""

    value: dict[str, Any]
    start: int
    end: int
    cut: bool


class _Draft:
    """The text of the object as it is rewritten, with what is open at its end."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.open: list[str] = []
        self.kept: tuple[int, tuple[str, ...]] | None = None  # how many pieces are sure, and what is open after them

    def closed(self, *, to_kept: bool) -> str:
        """The draft with everything closed that is open; `to_kept` leaves out the member that is cut off."""
        if to_kept and self.kept is not None:
            pieces, still_open = self.pieces[: self.kept[0]], self.kept[1]
        else:
            pieces, still_open = self.pieces, tuple(self.open)
        return "".join(pieces) + "".join(_PAIRS[mark] for mark in reversed(still_open))


def mended(text: str) -> Mended | None:
    """The object in a text that is no JSON as it stands; None if there is none, or if mending does not help.

    >>> found = mended('{"a": "say "no" now", "b": [1, 2')
    >>> found.value, found.cut
    ({'a': 'say "no" now', 'b': [1]}, True)
    """
    opener = _START.search(text)
    if opener is None:
        return None
    start = opener.start()
    draft = _Draft()
    end, in_string = _rewrite(text.replace("“", '"').replace("”", '"') if "“" in opener[0] else text, start, draft)
    if end < 0:
        return None
    cut = bool(draft.open)
    whole = not in_string and text[:end].rstrip()[-1:] in ('"', "”", "}", "]")
    for to_kept in ([False] if whole else []) + ([True] if cut and draft.kept else []):
        found = find_json(draft.closed(to_kept=to_kept))
        if isinstance(found.value, dict) and found.span is not None and found.span[0] == 0:
            return Mended(found.value, start, end, cut)
    return None


def _rewrite(text: str, start: int, draft: _Draft) -> tuple[int, bool]:
    """Fills the draft; where the object ends (-1: its brackets do not pair), and whether it ends within a string."""
    at, in_string = start, False
    while match := _MARK.search(text, at):
        mark = match[0]
        draft.pieces.append(text[at : match.start()])
        at = match.end()
        if in_string:
            if mark == '"':
                next_line = _NEXT_LINE.match(text, at)
                in_string = not (next_line or _ENDS.match(text, at))
                draft.pieces.append('\\"' if in_string else '",' if next_line else '"')
            else:
                draft.pieces.append(mark)
            continue
        if mark == "//":
            comment = _COMMENT.match(text, match.start())
            at = comment.end() if comment else at
            continue
        if mark == ",":
            draft.kept = (len(draft.pieces), tuple(draft.open))
        elif mark == '"':
            in_string = True
        elif mark in _PAIRS:
            draft.open.append(mark)
            if len(draft.open) > MAX_DEPTH:
                return -1, False
        elif not draft.open or _PAIRS[draft.open.pop()] != mark:
            return -1, False
        draft.pieces.append(mark)
        if not draft.open:
            return at, False
    draft.pieces.append(text[at:])
    return len(text), in_string
