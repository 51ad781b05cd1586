"""References to images in a question's text."""

from __future__ import annotations

import doctest
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.errors import DataError
from beholder.images import references
from beholder.images.references import split_references
from beholder.sample import ImagePart, TextPart

CASES: list[tuple[str, str, int, list[str | int]]] = [
    ("T47", "compare <image 2> with <image 1>", 2, ["compare ", 1, " with ", 0]),
    ("in turn", "<image>\n<image>\nWhich is older?", 2, [0, "\n", 1, "\nWhich is older?"]),
    ("first", "<image>What is it?", 1, [0, "What is it?"]),
    ("last", "What is it? <image>", 1, ["What is it? ", 0]),
    ("only", "<image>", 1, [0]),
    ("no reference", "What is it?", 2, [0, 1, "What is it?"]),
    ("no image", "What is it?", 0, ["What is it?"]),
    ("nothing", "", 0, []),
    ("image without text", "", 1, [0]),
    ("some not mentioned", "see <image 2>", 3, [0, 2, "see ", 1]),
    ("all ways of writing", "<image 1><image2><image_3><IMAGE 4>", 4, [0, 1, 2, 3]),
    ("shown twice", "<image 1> or again <image 1>", 1, [0, " or again ", 0]),
    ("turn and number", "<image> <image 1> <image>", 2, [0, " ", 0, " ", 1]),
    ("leading zero", "<image 02>!", 2, [0, 1, "!"]),
    ("blanks are kept", "  a  <image>  b\n\n", 1, ["  a  ", 0, "  b\n\n"]),
    (
        "not references",
        "<img> <images> <image-1> < image > <image  1> <image a>",
        0,
        ["<img> <images> <image-1> < image > <image  1> <image a>"],
    ),
    ("nested", "<im<image>age>", 1, ["<im", 0, "age>"]),
    ("other digits", "<image ２>", 1, [0, "<image ２>"]),
    ("lone surrogate and NUL", "a\ud800<image>\0", 1, ["a\ud800", 0, "\0"]),
]


@pytest.mark.parametrize(("text", "n_images", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_references_become_parts_in_order(text: str, n_images: int, expected: list[str | int]) -> None:
    parts = tuple(TextPart(e) if isinstance(e, str) else ImagePart(e) for e in expected)
    assert split_references(text, n_images) == parts


BEYOND = [
    ("T87", "see <image 3>", 2, "refers to <image 3>, the record has 2 images"),
    ("no image at all", "<image>", 0, "refers to <image>, the record has 0 images"),
    ("one too many in turn", "<image> <image>", 1, "the record has 1 image "),
    ("counted from 1", "<image 0>", 1, "counted from 1"),
    ("huge number", f"<image {'9' * 10_000}>", 1, "<image 9999999999999…"),
]


@pytest.mark.parametrize(("text", "n_images", "says"), [c[1:] for c in BEYOND], ids=[c[0] for c in BEYOND])
def test_a_reference_beyond_the_record_is_a_data_error(text: str, n_images: int, says: str) -> None:
    with pytest.raises(DataError, match=re.escape(says)) as caught:
        split_references(text, n_images)
    assert len(str(caught.value)) < 200


PIECES = st.lists(
    st.sampled_from(["<image>", "<image 1>", "<image_2>", "<image3>", "<", ">", "image", "<image", " ", "\n", "x"])
    | st.text(max_size=5),
    max_size=12,
)


@settings(deadline=None, max_examples=300)
@given(PIECES)
def test_only_the_references_go(pieces: list[str]) -> None:
    text = "".join(pieces)
    n_images = 3 + len(pieces)
    parts = split_references(text, n_images)
    texts = [part.text for part in parts if isinstance(part, TextPart)]
    assert "".join(texts) == re.sub(r"(?i)<image(?:[ _]?[0-9]+)?>", "", text)
    assert all(texts)
    assert not any(re.search("(?i)<image>", piece) for piece in texts)
    assert {part.index for part in parts if isinstance(part, ImagePart)} == set(range(n_images))


def test_a_megabyte_of_almost_references_is_read_in_no_time() -> None:
    text = "<image 1" * 130_000
    assert split_references(text, 0) == (TextPart(text),)


def test_the_example_holds() -> None:
    assert doctest.testmod(references) == doctest.TestResults(failed=0, attempted=1)
