"""Texts as a page holds them: bounded each and all together, and such as JSON can carry."""

from __future__ import annotations

from beholder.report.html_texts import Span, in_utf16, shortened

LONGEST = 200_000
"""Characters of one text."""
_ALL = 3_000_000
_SHORTEST = 2_000


def told(text: str, most: int) -> str:
    """A text of at most so many characters; a lone surrogate, which JSON cannot carry, becomes U+FFFD.

    >>> told("a" * 9, 4), told("\\ud800 x", 9) == "\\N{REPLACEMENT CHARACTER} x"
    ('aaa…', True)
    """
    return _sound(text if len(text) <= most else f"{text[: most - 1]}…")


class Room:
    """How many characters the long texts of one page may still have together.

    Where there are too many, each has its beginning and its end.
    """

    def __init__(self, characters: int = _ALL) -> None:
        self._left = characters

    def text(self, text: str, most: int = LONGEST) -> str:
        """The text, or its beginning and its end."""
        return self.marked(text, [], most)[0]

    def marked(self, text: str, spans: list[Span | None], most: int = LONGEST) -> tuple[str, list[Span | None]]:
        """The text, and where parts of it are then, in UTF-16 units as JavaScript counts; None for one left out."""
        longest = min(most, max(self._left, _SHORTEST))
        short, _ = shortened(text, None, longest)
        self._left -= len(short)
        moved = [shortened(text, span, longest)[1] for span in spans]
        return _sound(short), [None if span is None else in_utf16(short, span) for span in moved]


def _sound(text: str) -> str:
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
