"""An item in words, and what was sent about it: for the terminal and for pages alike."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

from beholder.report import item_words
from beholder.report.item_words import gold_in_words, options_in_words, question_in_words, sent_in_words
from beholder.report.sent_prompt import Sent, sent_messages
from beholder.sample import ChoiceTarget, ImagePart, NumberTarget, Part, PreferenceTarget, Sample, Target, TextPart


def sample(target: Target, question: str = "Which?", options: tuple[str, ...] = ()) -> Sample:
    parts: tuple[Part, ...] = (ImagePart(0), TextPart(question))
    return Sample(key="k", index=0, benchmark="x", images=(), parts=parts, target=target, options=options)


GOLDS = [
    (ChoiceTarget("B"), "Which?", ("dog", "cat"), ["A. dog", "B. cat"], "B. cat"),
    (
        ChoiceTarget("AC", several=True),
        "Which?",
        ("dog", "cat", "cow"),
        ["A. dog", "B. cat", "C. cow"],
        "A. dog; C. cow",
    ),
    (ChoiceTarget("B"), "Which?\nA. dog\nB. cat", ("dog", "cat"), [], "B"),
    (ChoiceTarget("Z"), "Which?", ("dog", "cat"), ["A. dog", "B. cat"], "Z"),
    (ChoiceTarget("A"), "Which?", (), [], "A"),
    (ChoiceTarget("A"), "Which?", ("x",) * 27, [], "A"),
    (NumberTarget("72"), "How many?", (), [], "72"),
    (PreferenceTarget(1), "Better?", (), [], "stored answer 2"),
]


@pytest.mark.parametrize(("target", "question", "options", "shown", "gold"), GOLDS)
def test_options_and_gold(target: Target, question: str, options: tuple[str, ...], shown: list[str], gold: str) -> None:
    found = sample(target, question, options)
    assert options_in_words(found) == shown
    assert gold_in_words(found) == gold
    assert question_in_words(found) == f"[image 1] {question}"


SENT = [
    ({"width": 4, "height": 3, "format": "PNG", "n_bytes": 9}, "sent as 4x3 PNG, 9 bytes: the published bytes"),
    ({"reasons": ["a", "b"], "flags": ["c"]}, "sent as NonexNone None, None bytes: a; b"),
    ({"reasons": 3, "flags": ["c"]}, "sent as NonexNone None, None bytes: the published bytes"),
]


@pytest.mark.parametrize(("record", "words"), SENT)
def test_how_a_picture_was_sent(record: dict[str, Any], words: str) -> None:
    assert sent_in_words(record) == words


IMAGE = {"type": "image_url", "image_url": {"url": "sha256:ab"}}
BLOCK = {"type": "image", "source": {"type": "base64", "data": "sha256:ab"}}
CALL = {"function": {"name": "crop", "arguments": '{"x": 1}'}}
REQUESTS: list[tuple[Any, list[tuple[str, str]]]] = [
    ({"messages": [{"role": "user", "content": "Is it?"}]}, [("user", "Is it?")]),
    (
        {"messages": [{"role": "user", "content": [IMAGE, {"type": "text", "text": "Is it?"}]}]},
        [("user", "[image sha256:ab]\nIs it?")],
    ),
    (
        {"messages": [{"role": "assistant", "content": None, "tool_calls": [CALL]}, {"role": "tool", "content": "ok"}]},
        [("assistant", '[calls crop {"x": 1}]'), ("tool", "ok")],
    ),
    (
        {
            "system": [{"type": "text", "text": "Be short."}],
            "messages": [
                {"role": "user", "content": [BLOCK, {"type": "text", "text": "Is it?"}]},
                {"role": "assistant", "content": [{"type": "tool_use", "name": "crop", "input": {"x": 1}}]},
                {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "ok"}]}]},
            ],
        },
        [
            ("system", "Be short."),
            ("user", "[image sha256:ab]\nIs it?"),
            ("assistant", '[calls crop {"x":1}]\n'),
            ("user", "ok\n"),
        ],
    ),
    ({"contents": [{"parts": [{"text": "Is it?"}]}]}, []),
    (None, []),
    ([], []),
]


@pytest.mark.parametrize(("request_body", "messages"), REQUESTS, ids=range(len(REQUESTS)))
def test_the_messages_of_a_request(request_body: Any, messages: list[tuple[str, str]]) -> None:
    assert sent_messages(request_body) == [Sent(role, text) for role, text in messages]


def test_examples() -> None:
    assert doctest.testmod(item_words) == (0, 2)
