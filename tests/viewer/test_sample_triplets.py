"""Reasoning triplets of gold and answer: read or not at all, and set side by side."""

from __future__ import annotations

import json
from typing import Any

import pytest

from beholder.sample import BooleanTarget, Sample
from beholder.viewer.triplets import MOST, gold_triplets, said_triplets, side_by_side

CUP = ("cup", "stands on", "table")
LAMP = ("lamp", "lights", "cup")
HAND = ("hand", "holds", "lamp")


def sample(triplets: Any) -> Sample:
    metadata = {"triplets": triplets}
    return Sample(
        key="k", index=0, benchmark="x", images=(), parts=(), target=BooleanTarget(value=True), metadata=metadata
    )


READ = [
    ([list(CUP), list(LAMP)], [CUP, LAMP]),
    ([], []),
    ([dict(zip(("subject", "relation", "object"), CUP, strict=True))], [CUP]),
    (None, []),
    ("cup stands on table", []),
    ({"0": list(CUP)}, []),
    ([list(CUP), ["cup", "on"]], []),
    ([["cup", "on", 3]], []),
    ([["cup", "on", None]], []),
    ([{"subject": "cup", "relation": "on"}], []),
    ([[]] * 3, []),
    ([list(CUP)] * (MOST + 50), [CUP] * MOST),
]


@pytest.mark.parametrize(("written", "read"), READ)
def test_what_is_malformed_holds_no_triplets(written: Any, read: list[tuple[str, str, str]]) -> None:
    assert gold_triplets(sample(written)) == read
    assert said_triplets(json.dumps({"triplets": written})) == read


SAID = ["", "triplets", "[[1, 2, 3]]", '{"triplets": ', '{"triplet": [["a", "b", "c"]]}', "[" * 500]


@pytest.mark.parametrize("text", SAID)
def test_an_answer_without_them_has_none(text: str) -> None:
    assert said_triplets(text) == []


def test_both_sides_stand_beside_each_other_once() -> None:
    said = [(" Cup", "stands  ON", "table\n"), HAND, HAND]
    rows = side_by_side([CUP, LAMP, CUP], said)
    assert [(row.subject, row.role) for row in rows] == [("cup", "both"), ("lamp", "missed"), ("hand", "extra")]
    assert [row.role for row in side_by_side([], [CUP])] == ["extra"]
    assert side_by_side([], []) == []


def test_a_long_word_is_cut() -> None:
    (row,) = side_by_side([("x" * 9_000, "is", "\ud800")], [])
    assert (len(row.subject), row.object) == (500, "\N{REPLACEMENT CHARACTER}")
