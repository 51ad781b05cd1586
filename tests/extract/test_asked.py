from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beholder.extract.asked import bare_answer, exact_keyed_list, exact_list

# reply, its bare answer
BARE: list[tuple[str, str | None]] = [
    ("B", "B"),
    (" 4\n", "4"),
    ("<think>7</think>\n 4", "4"),
    ("7?</think>4", "4"),
    ("It is a dog.\n<answer> B </answer>\nDone.", "B"),
    ("It is a dog.\nAnswer: B", "B"),
    ("Answer: B\n", "B"),
    ("\n  Answer: [2, 3]", "[2, 3]"),
    ("It is a dog.", "It is a dog."),
    ("Answer: A\nAnswer: B", "Answer: A\nAnswer: B"),
    ("Answer: A\nbecause it purrs", "Answer: A\nbecause it purrs"),
    ("answer: B", "answer: B"),
    ("<answer>A</answer><answer>B</answer>", None),
    ("<answer>A</answer> <ANSWER>B</ANSWER>", None),
    ("<answer>B", None),
    ("<answer></answer>", None),
    ("</answer>B", None),
    ("Answer:", None),
    ("", None),
    ("<think>B", None),
]


@pytest.mark.parametrize("reply, core", BARE, ids=[repr(row[0]) for row in BARE])
def test_bare_answer(reply: str, core: str | None) -> None:
    found = bare_answer(reply)
    assert (found.text if found else None) == core
    if found is not None:
        assert reply[slice(*found.span)] == core


@pytest.mark.parametrize(
    "core, values",
    [
        ("[4, 1]", (4, 1)),
        ("[4,1]", (4, 1)),
        ("[ 4 ,\n 1 ]", (4, 1)),
        ("4, 1", (4, 1)),
        ("4", (4,)),
        ("[]", ()),
        ("[4, 1", None),
        ("4, 1]", None),
        ("4 1", None),
        ("4, 1,", None),
        ("[4, [1]]", None),
        ("04", None),
        ("-4", None),
        ("4.0", None),
        ("1234567890", None),
        ("", None),
    ],
)
def test_exact_list(core: str, values: tuple[int, ...] | None) -> None:
    assert exact_list(core) == values


@pytest.mark.parametrize(
    "core, values",
    [
        ('{"different_patches": [2, 6]}', (2, 6)),
        ('```json\n{"different_patches": [2, 6]}\n```', (2, 6)),
        ('{ "a" : [ ] }', ()),
        ('{"a": [2], "b": [6]}', None),
        ('{"a": 2}', None),
        ("{'a': [2]}", None),
        ("[2]", None),
    ],
)
def test_exact_keyed_list(core: str, values: tuple[int, ...] | None) -> None:
    assert exact_keyed_list(core) == values


@given(st.text(max_size=80), st.sampled_from(["{}", "<answer>{}</answer>", "why\nAnswer: {}", "<think>x</think>{}"]))
def test_the_span_holds_the_answer(text: str, frame: str) -> None:
    reply = frame.replace("{}", text)
    found = bare_answer(reply)
    if found is not None:
        assert reply[slice(*found.span)] == found.text == found.text.strip() != ""
