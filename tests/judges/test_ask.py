from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from beholder.errors import AuthError, Owner, ProviderError, UsageError
from beholder.extract.extraction import Extraction
from beholder.extract.rating import read_rating
from beholder.judges import JudgeReply, ask_judge
from beholder.sample import Failure, Response


class Judge:
    """A judge that gives prepared replies in order and remembers what it was asked."""

    def __init__(self, replies: Sequence[Response | Exception]) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, prompt: str, max_tokens: int) -> Response:
        self.asked.append((prompt, max_tokens))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


def unit_rating(text: str) -> Extraction[float]:
    return read_rating(text, 0, 1)


def judged(judge: Judge, answer: str = "a cat") -> JudgeReply[float]:
    return asyncio.run(ask_judge(judge, "How good is it?", unit_rating, max_tokens=100, answer=answer))


def said(text: str | None, finish: str = "stop") -> Response:
    return Response(text=text, finish=finish, max_tokens=100)


@pytest.mark.parametrize("text", ['{"score": 1}', "Sure! {'score': '1'}", "Score: 1"])
def test_a_verdict_is_read(text: str) -> None:
    judge = Judge([said(text)])
    reply = judged(judge)
    assert (reply.value, reply.failure, reply.called) == (1, None, True)
    assert reply.extraction is not None
    assert reply.replies == (said(text),)
    assert judge.asked == [("How good is it?", 100)]


@pytest.mark.parametrize("answer", ["", "  \n\t", "\u200b", "\ufeff \u200b\n"], ids=repr)
def test_t19_a_blank_answer_is_not_put_to_the_judge(answer: str) -> None:
    judge = Judge([])
    reply = judged(judge, answer)
    assert judge.asked == []
    assert reply == JudgeReply(called=False)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[[90]]", "judge_out_of_range"),
        ("score: 98989", "judge_out_of_range"),
        ("[ERROR] 429 after 3 tries", "judge_unreadable"),
        ("I cannot evaluate this", "judge_unreadable"),
        ('{"score": null}', "judge_unreadable"),
        ('{"score": 0} {"score": 1}', "judge_unreadable"),
        ("", "judge_empty"),
        (" \n", "judge_empty"),
        (None, "judge_empty"),
    ],
)
def test_t18_t31_an_unusable_reply_is_the_judges_failure(text: str | None, kind: str) -> None:
    judge = Judge([said(text)])
    reply = judged(judge)
    assert reply.value is None
    assert reply.failure is not None
    assert (reply.failure.owner, reply.failure.kind) == (Owner.JUDGE, kind)
    assert "\n" not in reply.failure.message
    assert len(judge.asked) == len(reply.replies) == 1


def test_t28_a_reply_cut_before_any_text_is_asked_for_once_more() -> None:
    judge = Judge([said("", "length"), said("Score: 1")])
    reply = judged(judge)
    assert [limit for _, limit in judge.asked] == [100, 200]
    assert reply.value == 1
    assert [one.text for one in reply.replies] == ["", "Score: 1"]


def test_t28_but_only_once() -> None:
    judge = Judge([said(None, "length"), said(" ", "length"), said("Score: 1")])
    reply = judged(judge)
    assert len(judge.asked) == len(reply.replies) == 2
    assert reply.value is None
    assert reply.failure is not None
    assert reply.failure.kind == "judge_cut"
    assert reply.failure.owner is Owner.JUDGE


def test_a_reply_cut_before_its_verdict_is_asked_for_once_more() -> None:
    judge = Judge([said('{"why": "The picture', "length"), said("Score: 1")])
    reply = judged(judge)
    assert [limit for _, limit in judge.asked] == [100, 200]
    assert reply.value == 1
    twice = judged(Judge([said("", "length"), said("The answer is", "max_tokens")]))
    assert twice.failure is not None
    assert (twice.failure.kind, "before it gave a verdict, twice" in twice.failure.message) == ("judge_cut", True)


def test_a_verdict_that_was_cut_is_not_asked_for_again() -> None:
    judge = Judge([said("Score: 1. That is", "length")])
    assert (judged(judge).value, len(judge.asked)) == (1, 1)


def test_a_blocked_reply_names_its_cause() -> None:
    reply = judged(Judge([said("", "content_filter")]))
    assert reply.failure is not None
    assert "content_filter" in reply.failure.message


def test_t16_a_failed_response_is_the_judges() -> None:
    cause = Failure(owner=Owner.PROVIDER, kind="http_404", message="no such model", status=404)
    reply = judged(Judge([Response(failure=cause)]))
    assert reply.value is None
    assert reply.failure is not None
    assert (reply.failure.owner, reply.failure.kind, reply.failure.status) == (Owner.JUDGE, "http_404", 404)
    assert "no such model" in reply.failure.message
    assert reply.replies == (Response(failure=cause),)


def test_t16_a_raised_provider_error_is_the_judges() -> None:
    error = ProviderError("the server closed the connection", kind="connection", retryable=True)
    reply = judged(Judge([said("", "length"), error]))
    assert reply.failure is not None
    assert (reply.failure.owner, reply.failure.kind, reply.failure.retryable) == (Owner.JUDGE, "connection", True)
    assert "closed the connection" in reply.failure.message
    assert len(reply.replies) == 1


@pytest.mark.parametrize(
    "error", [AuthError("the key was refused", kind="http_401", status=401), UsageError("no such judge")]
)
def test_what_no_later_call_can_mend_is_raised(error: Exception) -> None:
    with pytest.raises(type(error)):
        judged(Judge([error]))


def test_a_fault_in_the_reader_is_not_hidden() -> None:
    def broken(text: str) -> Extraction[float]:
        raise KeyError(text)

    with pytest.raises(KeyError):
        asyncio.run(ask_judge(Judge([said("Score: 1")]), "?", broken, max_tokens=5, answer="x"))
