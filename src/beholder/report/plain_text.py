"""Text from models and data, made safe for a terminal."""

from __future__ import annotations

import re
import unicodedata

# Whole escape sequences go, not only their first byte: `ESC [ 2 J` must not leave `[2J` behind.
_ESCAPES = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, screen
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)?"  # OSC, DCS: titles, links
    "|\x1b[ -/]*[0-~]?"
)
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")

_UNSEEN = frozenset(("Cc", "Cf", "Zs", "Zl", "Zp"))


def plain(text: str, *, one_line: bool = False, limit: int | None = None) -> str:
    """The text without terminal control sequences, control characters and direction overrides.

    Newlines and tabs stay unless `one_line`; longer text than `limit` characters ends in `…`.

    >>> plain("a\\x1b[2Jb\\x1b]0;title\\x07c\\u202ed")
    'abcd'
    """
    if limit is not None:
        text = text[: limit * 4 + 64]
    cleaned = "".join(
        char
        for char in _ESCAPES.sub("", text)
        if char in "\n\t" or (unicodedata.category(char) not in ("Cc", "Cs") and char not in _BIDI)
    )
    if one_line:
        cleaned = " ".join(cleaned.split())
    return cleaned if limit is None or len(cleaned) <= limit else cleaned[: limit - 1] + "…"


def seen(text: str) -> str:
    """The characters of a text that leave a mark: no blanks, no control and formatting characters.

    >>> seen(" a\u200b b "), seen("\u200b \x07")
    ('ab', '')
    """
    return "".join(char for char in text if unicodedata.category(char) not in _UNSEEN)
