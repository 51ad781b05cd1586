"""What becomes of a response: scored, unparsed, refused, truncated or failed, and with which flags."""

from __future__ import annotations

import time
from typing import Any

import pytest
from fragments import HOSTILE, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.errors import Owner
from beholder.extract.extraction import Extraction
from beholder.extract.outcome import settle
from beholder.extract.true_false import lenient, strict
from beholder.sample import Conduct, Failure, Response, Usage
from beholder.score import Outcome

NONE: Extraction[Any] = Extraction(None, reason="No answer.")
SPENT = Usage(completion_tokens=64)

# (name, response, outcome, flags) where nothing was found
NOTHING_FOUND: list[tuple[str, Response, Outcome, set[str]]] = [
    ("T14 empty", Response(text=""), Outcome.UNPARSED, {"empty"}),
    ("T14 None", Response(text=None), Outcome.UNPARSED, {"empty"}),
    ("T14 blanks", Response(text="   \n", finish="stop"), Outcome.UNPARSED, {"empty"}),
    ("T14 zero width", Response(text="\u200b\ufeff"), Outcome.UNPARSED, {"empty"}),
    ("T13 maybe", Response(text="maybe", finish="stop"), Outcome.UNPARSED, set()),
    ("T67 abstained", Response(text="cannot determine"), Outcome.UNPARSED, {"abstained"}),
    ("T67 unknown", Response(text="Unknown."), Outcome.UNPARSED, {"abstained"}),
    ("T23 cut", Response(text="<think>The answer might be A because", finish="length"), Outcome.TRUNCATED, set()),
    ("cut, other word", Response(text="The man", finish="max_tokens"), Outcome.TRUNCATED, set()),
    ("cut, capitals", Response(text="The man", finish="MAX_TOKENS"), Outcome.TRUNCATED, set()),
    ("T24", Response(text="", usage=SPENT, max_tokens=64), Outcome.TRUNCATED, {"empty", "cap_hit"}),
    ("T24 length", Response(finish="length", usage=SPENT, max_tokens=64), Outcome.TRUNCATED, {"empty", "cap_hit"}),
    ("T24 stop", Response(text="", finish="stop", usage=SPENT, max_tokens=64), Outcome.TRUNCATED, {"empty", "cap_hit"}),
    ("cap not hit", Response(text="", usage=SPENT, max_tokens=65), Outcome.UNPARSED, {"empty"}),
    ("cap unknown", Response(text="", usage=SPENT), Outcome.UNPARSED, {"empty"}),
    ("cap, no finish", Response(text="The man", usage=SPENT, max_tokens=64), Outcome.TRUNCATED, {"cap_hit"}),
    ("cap, stopped", Response(text="So", finish="stop", usage=SPENT, max_tokens=64), Outcome.UNPARSED, {"cap_hit"}),
    ("T26", Response(text=None, reasoning="… so (C)"), Outcome.UNPARSED, {"empty", "answer_in_reasoning"}),
    ("T26 cut", Response(reasoning="so", finish="length"), Outcome.TRUNCATED, {"empty", "answer_in_reasoning"}),
    ("blank reasoning", Response(reasoning=" \n"), Outcome.UNPARSED, {"empty"}),
    ("filter", Response(text="", finish="content_filter"), Outcome.REFUSED, {"empty"}),
    ("filter in capitals", Response(text="", finish="SAFETY"), Outcome.REFUSED, {"empty"}),
    ("refusal reason", Response(text="", finish="refusal"), Outcome.REFUSED, {"empty"}),
    ("T54 budget", Response(text="I look closer.", conduct=Conduct(0, 20, 19, "turns")), Outcome.UNPARSED, {"budget"}),
    ("T54 silent", Response(text="", conduct=Conduct(0, 5, 5, "repeats")), Outcome.UNPARSED, {"empty", "budget"}),
    ("answered, with tools", Response(text="So", conduct=Conduct(0, 2, 1, "answered")), Outcome.UNPARSED, set()),
    ("refusal after thinking", Response(text="<think>hm</think>I can't help with that."), Outcome.REFUSED, set()),
]


@pytest.mark.parametrize("name, response, outcome, flags", NOTHING_FOUND, ids=[row[0] for row in NOTHING_FOUND])
def test_without_an_answer(name: str, response: Response, outcome: Outcome, flags: set[str]) -> None:
    got, got_flags, reason = settle(response, NONE)
    assert (got, set(got_flags)) == (outcome, flags), name
    assert reason
    assert len(set(got_flags)) == len(got_flags)


REFUSALS = [
    "I'm sorry, but I can't help with that.",
    "I’m sorry, but I can’t assist with that request.",
    "I am sorry, but I cannot assist with this.",
    "Sorry, I can't help with that.",
    "I'm sorry, I can't identify people in images.",
    "I'm unable to help with identifying the person.",
    "I cannot comply with this request.",
    "I can't assist with that.",
    "I must decline to answer.",
    "I won't be able to help with that.",
    "This request violates our content policy.",
    "I'm sorry, but I can't answer that.",
    "As an AI language model, I cannot engage in political discussions.",
    "I'm not able to help with this image.",
    "**I'm sorry, but I can't provide help with that.**",
    "抱歉，我无法协助处理该请求。",
    "对不起，我不能回答这个问题。",
    "很抱歉，我无法提供帮助。",
    "我无法满足您的请求。",
]
NOT_REFUSALS = [
    "I cannot determine the answer from the image.",
    "I'm sorry, but the image is too dark.",
    "I can't help but notice the irony.",
    "I cannot see the image clearly.",
    "The man can't help with the ladder.",
    "I cannot identify the object in the picture.",
    "The poster says help is on the way.",
    "无法确定",
    "maybe",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_plain_refusals(text: str) -> None:
    assert settle(Response(text=text, finish="stop"), NONE)[0] is Outcome.REFUSED


@pytest.mark.parametrize("text", NOT_REFUSALS)
def test_what_is_no_refusal(text: str) -> None:
    assert settle(Response(text=text, finish="stop"), NONE)[0] is Outcome.UNPARSED


def test_a_complete_answer_is_never_changed() -> None:
    found: Extraction[bool] = Extraction(True, (8, 9), ("unit_ignored",))
    for finish in ("stop", "length", "content_filter", None):
        response = Response(text="<answer>T</answer>", finish=finish, usage=SPENT, max_tokens=64)
        assert settle(response, found)[:2] == (Outcome.SCORED, ("unit_ignored",))
    refusing = Response(text="I'm sorry, but I can't help with that. <answer>T</answer>")
    assert settle(refusing, strict(refusing.text or ""))[0] is Outcome.SCORED


def test_t73_an_answer_cut_off_in_its_tag_is_truncated() -> None:
    for finish, outcome in (("length", Outcome.TRUNCATED), ("stop", Outcome.SCORED)):
        response = Response(text="<answer>T", finish=finish)
        got, flags, _ = settle(response, lenient("<answer>T"))
        assert got is outcome
        assert "unclosed_tag" in flags
    assert settle(Response(text="<answer>T", finish="length"), strict("<answer>T"))[0] is Outcome.TRUNCATED


def test_a_failure_is_failed_whatever_the_text() -> None:
    failure = Failure(Owner.PROVIDER, "http_500", "The server answered 500.", status=500)
    response = Response(text="<answer>T</answer>", failure=failure)
    assert settle(response, strict("<answer>T</answer>")) == (Outcome.FAILED, ("http_500",), "The server answered 500.")


def test_t15_the_same_text_always_ends_the_same_way() -> None:
    response = Response(text="Based on the image, nothing can be said.", finish="stop")
    assert len({settle(response, lenient(response.text or "")) for _ in range(100)}) == 1


@settings(max_examples=300, deadline=None)
@given(texts, st.sampled_from(["stop", "length", "content_filter", None, "STOP"]), texts)
def test_any_response(text: str, finish: str | None, reasoning: str) -> None:
    found = lenient(text)
    outcome, flags, reason = settle(Response(text=text, finish=finish, reasoning=reasoning), found)
    scored = found.value is not None and not (finish == "length" and "unclosed_tag" in found.flags)
    assert (outcome is Outcome.SCORED) == scored
    assert scored or reason
    assert set(found.flags) <= set(flags)


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    began = time.perf_counter()
    settle(Response(text=piece * (200_000 // len(piece))), NONE)
    assert time.perf_counter() - began < 20  # what grows with the square takes minutes here
