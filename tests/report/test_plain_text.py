"""No text can leave `plain` with a control sequence, and none takes more than linear time."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.report.plain_text import plain

ROWS = [
    ("plain", "plain"),
    ("a\tb\nc", "a\tb\nc"),
    ("\x1b[1;31mred\x1b[0m", "red"),
    ("\x1b[2J\x1b[Hx", "x"),
    ("\x1b]0;title\x07x", "x"),
    ("\x1b]8;;http://a\x1b\\text\x1b]8;;\x1b\\", "text"),
    ("\x1b]8;;never ended", ""),
    ("\x9b31mx", "x"),
    ("\x90device control\x9cx", "x"),
    ("\x1b(0lqk", "lqk"),
    ("\x1bcx", "x"),
    ("x\x1b", "x"),
    ("a\rb\x08\x7f\x00", "ab"),
    ("\u202eabc\u202c\u2066d\u2069\u200e\u061c", "abcd"),
    ("\ud83d!", "!"),
    ("[red]x[/red] :warning:", "[red]x[/red] :warning:"),
    ("日本語 🎉 é", "日本語 🎉 é"),
]


@pytest.mark.parametrize(("text", "expected"), ROWS, ids=[ascii(row[0])[:24] for row in ROWS])
def test_control_sequences_go_whole(text: str, expected: str) -> None:
    assert plain(text) == expected


def test_one_line_and_limit() -> None:
    assert plain(" a\n\n b\tc ", one_line=True) == "a b c"
    assert plain("abcdef", limit=4) == "abc…"
    assert plain("abcd", limit=4) == "abcd"
    assert len(plain("\x1b[31m" * 1000 + "x" * 5000, limit=10)) <= 10


@given(st.text(st.characters(codec=None) | st.sampled_from("\x1b\x9b]8;[m\x07\\\n")), st.booleans())
@settings(deadline=None, max_examples=300)
def test_nothing_else_comes_out(text: str, one_line: bool) -> None:
    found = plain(text, one_line=one_line)
    assert "\x1b" not in found
    allowed = "" if one_line else "\n\t"
    assert all(unicodedata.category(char) not in ("Cc", "Cs") or char in allowed for char in found)
    assert plain(found, one_line=one_line) == found, "cleaning twice changes nothing"


@pytest.mark.parametrize("piece", ["\x1b", "\x1b[", "\x1b]", "\x1b[0;", "\x9d", "\u202e", "\x1bP\x1b"])
def test_a_megabyte_takes_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        started = time.thread_time()
        plain(text)
        return time.thread_time() - started

    # Quadratic time takes a hundred times as long; the quickest of a few is what the machine's other work spares.
    small = max(min(seconds(100_000) for _ in range(3)), 1e-3)
    assert min(seconds(1_000_000) for _ in range(3)) < 60 * small
