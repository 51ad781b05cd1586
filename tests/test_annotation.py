"""Annotations: which rules of the structure they break, and reading what was written."""

from __future__ import annotations

import pytest

from beholder.annotation import (
    Annotation,
    Box,
    Evidence,
    Explanation,
    is_inside,
    read_written,
    structure_faults,
    written,
)

FAULTS: list[tuple[Annotation, tuple[str, ...]]] = [
    (Annotation(), ()),
    (Annotation(metaphor=True, target="a", source="b"), ()),
    (Annotation(metaphor=True), ()),  # not said is not None
    (Annotation(target="a", source=None), ()),
    (Annotation(metaphor=False, target=None, source=None), ()),
    (Annotation(metaphor=False, target="a"), ("slots_without_metaphor",)),
    (Annotation(metaphor=False, target=None, source=""), ("slots_without_metaphor",)),
    (Annotation(metaphor=True, target="a", source=None), ("metaphor_without_slots",)),
    (
        Annotation(metaphor=False, source="b", explanation=Explanation((Evidence("visual", "a", (0, 0, 2, 1)),))),
        ("slots_without_metaphor", "box_outside"),
    ),
]


@pytest.mark.parametrize(("annotation", "faults"), FAULTS)
def test_rules_of_the_structure(annotation: Annotation, faults: tuple[str, ...]) -> None:
    assert structure_faults(annotation) == faults
    assert read_written(written(annotation)) == annotation


BOXES: list[tuple[Box, bool]] = [
    ((0, 0, 1, 1), True),
    ((0.2, 0.2, 0.1, 0.9), False),
    ((0.2, 0.2, 0.2, 0.9), False),
    ((-0.1, 0, 1, 1), False),
    ((0, 0, 1, 1.01), False),
    ((float("nan"), 0, 1, 1), False),
]


@pytest.mark.parametrize(("box", "inside"), BOXES)
def test_a_box_is_a_part_of_the_picture(box: Box, inside: bool) -> None:
    assert is_inside(box) is inside


@pytest.mark.parametrize(
    "text",
    [None, "", "{", "[]", '{"metaphor": "yes"}', '{"target": 1}', '{"sentiment": "mixed"}', "[" * 100_000, "\ud800"],
)
def test_what_is_no_annotation_is_not_read_as_one(text: str | None) -> None:
    assert read_written(text) is None
