"""Texts of a page: cut each and all together, such as JSON can carry, and marked where JavaScript looks."""

from __future__ import annotations

import doctest
from types import ModuleType

import msgspec
import pytest

from beholder.viewer import texts, triplets
from beholder.viewer.texts import LONGEST, Room, told


def marked(text: str, span: tuple[int, int], room: Room | None = None) -> str | None:
    """What a page would set off in a text."""
    shown, (moved,) = (room or Room()).marked(text, [span])
    if moved is None:
        return None
    return shown.encode("utf-16-le")[2 * moved[0] : 2 * moved[1]].decode("utf-16-le")


SPANS = [
    ("The answer is B.", (14, 15), "B"),
    ("😀𝕏 so B 😀", (6, 7), "B"),
    ("😀", (0, 1), "😀"),
    ("\ud83d\ude00 two halves B", (14, 15), "B"),
    ("\ud800 half, then B", (13, 14), "B"),
    ("x" * 300_000 + "B", (300_000, 300_001), "B"),
    ("B" + "x" * 300_000, (0, 1), "B"),
    ("x" * 150_000 + "B" + "x" * 150_000, (150_000, 150_001), None),
    ("none", (2, 2), None),
    ("none", (-1, 2), None),
    ("none", (0, 9), None),
    ("none", (-(2**63), 2**63 - 1), None),
]


@pytest.mark.parametrize(("text", "span", "part"), SPANS, ids=range(len(SPANS)))
def test_a_span_is_where_it_was(text: str, span: tuple[int, int], part: str | None) -> None:
    assert marked(text, span) == part


TEXTS = ["", "plain", "\ud800", "a\udc80b", "\ud83d\ude00", "\x00\x1b[2J\u202e", "é" * 10, "𝕏" * 10]


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_can_be_sent_and_only_half_characters_are_another(text: str) -> None:
    shown = Room().text(text)
    assert msgspec.json.decode(msgspec.json.encode(shown)) == shown
    assert len(shown.encode("utf-16-le")) == len(text.encode("utf-16-le", "surrogatepass"))
    assert shown.replace("\N{REPLACEMENT CHARACTER}", "") in text.encode("utf-16", "surrogatepass").decode(
        "utf-16", "ignore"
    )
    assert told(text, 100) == shown


def test_each_text_and_all_together_are_bounded() -> None:
    room = Room(500_000)
    assert room.text("a" * LONGEST) == "a" * LONGEST
    long = room.text("a" + "b" * 10**6 + "c")
    assert LONGEST < len(long) < LONGEST + 100
    assert (long[0], long[-1], "800,002 characters left out" in long) == ("a", "c", True)
    room.text("d" * LONGEST)
    late = room.text("e" * LONGEST)
    assert len(late) < 2_100, "there is no more room, and yet its beginning and end are there"
    assert room.text("f" * 1_000) == "f" * 1_000


@pytest.mark.parametrize("module", [texts, triplets])
def test_examples(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert (result.failed, result.attempted > 0) == (0, True)
