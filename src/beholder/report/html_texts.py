"""Text from models and data as a page holds it: bounded, and nothing in it that hides or moves what is seen."""

from __future__ import annotations

import re

from beholder.report.plain_text import plain
from beholder.score import Score

Span = tuple[int, int]
"""(start, end) of a part of a text."""
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def shown(text: str, scores: dict[str, Score], longest: int) -> tuple[str, list[int] | None]:
    """The text as a page holds it, and where in it the answer stands that was read, in UTF-16 units as JavaScript has.

    What cannot be seen, or would change the order of what is seen, is shown as a sign of the same length.
    """
    span = next((score.span for score in reversed(scores.values()) if score.span is not None), None)
    text, span = shortened(text, span, longest)
    text = _HIDDEN.sub(_sign, text)
    return text, None if span is None else list(in_utf16(text, span))


def shortened(text: str, span: Span | None, longest: int) -> tuple[str, Span | None]:
    """The beginning and the end of a text of more than `longest` characters (the answer is mostly at the end), with a
    note between them; and where the span is then. None for one that is left out, or that the text does not have.

    >>> shortened("so, wait, no, then: B", (20, 21), 8)
    ('so, \\n[… 13 characters left out …]\\nn: B', (37, 38))
    """
    if span is not None and not 0 <= span[0] < span[1] <= len(text):
        span = None
    if len(text) <= longest:
        return text, span
    head, tail = longest // 2, len(text) - longest // 2
    gap = f"\n[… {tail - head:,} characters left out …]\n"
    if span is not None and span[1] > head:
        moved = head + len(gap) - tail
        span = (span[0] + moved, span[1] + moved) if span[0] >= tail else None
    return text[:head] + gap + text[tail:], span


def in_utf16(text: str, span: Span) -> Span:
    """A span in characters as one in UTF-16 units, which JavaScript counts.

    >>> in_utf16("so 😀 B", (5, 6))
    (6, 7)
    """
    start, end = (len(text[:place].encode("utf-16-le", "surrogatepass")) // 2 for place in span)
    return start, end


def _sign(found: re.Match[str]) -> str:
    char = ord(found[0])
    return " " if char == 0x0D else chr(0x2400 + char) if char < 0x20 else "\N{REPLACEMENT CHARACTER}"


def line(text: str, limit: int) -> str:
    """The text in one line, of at most so many characters."""
    return plain(text, one_line=True, limit=limit)
