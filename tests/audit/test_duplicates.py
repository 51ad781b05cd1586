"""Which pairs of picture and text are the same pair."""

from __future__ import annotations

import pytest

from beholder.audit.duplicates import COMPARED, Match, Pictured, matches, same_text
from beholder.images.similar import Look

# one text, another, whether they count as the same
TEXTS = [
    ("stuck in the wrong job", "Stuck in the WRONG job!", True),
    ("same fuel.", "ｓａｍｅ　ｆｕｅｌ", True),
    ("节约用水，从我做起", "节约用水从我做起", True),
    ("节约用水从我做起节约用水", "节约用水从我做起", True),
    ("what you see whar you get", "what you see, what you get", True),
    ("mountain dew. do the dew", "mountain dew", True),
    ("mountain dew", "do the dew", False),
    ("free your joints", "same fuel", False),
    ("me", "you", False),
    ("go", "go inside gotham city", False),
    ("!!!", "!!!", True),
    ("!!!", "???", False),
    ("!!!", "same fuel", False),
    ("a", "a", True),
    ("a", "b", False),
]


@pytest.mark.parametrize(("one", "other", "same"), TEXTS)
def test_same_text(one: str, other: str, same: bool) -> None:
    assert same_text(one, other) is same
    assert same_text(other, one) is same


PLAIN = bytes(range(256))
NONE = Look(0, bytes(256))


def item(file: str, pixels: str, text: str, look: Look = NONE) -> Pictured:
    return Pictured(file, pixels, look, text)


LOOK, NEAR, FAR = Look(0b1111, PLAIN), Look(0b1000, PLAIN), Look((1 << 60) - 1, PLAIN)
DRIFTED = Look(0b1000 ^ (0b11111 << 40), PLAIN)  # five bits from NEAR, eight from LOOK

# what it shows, the items, the matches
CASES: list[tuple[str, list[Pictured], list[Match]]] = [
    ("same bytes", [item("f", "p", "x y"), item("f", "p", "X, y")], [Match(1, 0, "bytes", True)]),
    ("same pixels", [item("f", "p", "x y"), item("g", "p", "x y")], [Match(1, 0, "pixels", True)]),
    ("same look", [item("f", "p", "x y", LOOK), item("g", "q", "x y", NEAR)], [Match(1, 0, "look", True)]),
    ("another look", [item("f", "p", "x y", LOOK), item("g", "q", "x y", FAR)], []),
    ("nothing in common but the text", [item("f", "p", "x y"), item("g", "q", "x y")], []),
    ("same bytes, another text", [item("f", "p", "one"), item("f", "p", "two")], [Match(1, 0, "bytes", False)]),
    (
        "a duplicate of the second with that picture",
        [item("f", "p", "one"), item("f", "p", "two"), item("f", "p", "two")],
        [Match(1, 0, "bytes", False), Match(2, 1, "bytes", True)],
    ),
    (
        "the first that stayed counts",
        [item("f", "p", "one"), item("f", "p", "one"), item("f", "p", "one")],
        [Match(1, 0, "bytes", True), Match(2, 0, "bytes", True)],
    ),
    (
        "no chain over what was removed",
        [item("f", "p", "x y", LOOK), item("g", "q", "x y", NEAR), item("h", "r", "x y", DRIFTED)],
        [Match(1, 0, "look", True)],
    ),
    (
        "pixels of one file, bytes of none",
        [item("f", "p", "one"), item("g", "p", "two"), item("g", "p", "two")],
        [Match(1, 0, "pixels", False), Match(2, 1, "bytes", True)],
    ),
]


@pytest.mark.parametrize(("items", "found"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_matches(items: list[Pictured], found: list[Match]) -> None:
    assert list(matches(items)) == found


def test_one_picture_with_many_texts_is_compared_with_a_bounded_number() -> None:
    words = [f"{chr(97 + place % 26)}{chr(97 + place // 26)}" for place in range(COMPARED + 20)]
    items = [item("f", "p", word) for word in words]
    found = list(matches([*items, items[0], items[-1]]))
    assert found[-2] == Match(len(items), 0, "bytes", True)
    assert found[-1] == Match(len(items) + 1, 0, "bytes", False)  # its twin lies beyond: both stay, and are listed
    assert all(match.of == 0 for match in found)
