"""Asks a judge model one question and reads its verdict.

A judge that fails is never a score: an unreachable server, an unreadable reply and a rating out of range all become a
`Failure` whose owner is the judge, and the item stays unjudged.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import msgspec

from beholder.errors import AuthError, Owner, ProviderError
from beholder.extract.extraction import Extraction
from beholder.extract.markup import is_blank
from beholder.extract.outcome import CUT
from beholder.sample import Failure, Response

V = TypeVar("V")
Q = TypeVar("Q")


class JudgeReply(msgspec.Struct, Generic[V], frozen=True, kw_only=True):
    """What came of asking a judge.

    `value` is the verdict, None if there is none. `called` is False where the answer to be judged was blank and the
    judge was not asked: the caller decides what a blank answer is worth. `failure` (owner: judge) says why a called
    judge gave no verdict. `replies` holds every response in order, for the journal; `extraction` is what the last one
    gave.
    """

    value: V | None = None
    called: bool = True
    extraction: Extraction[V] | None = None
    failure: Failure | None = None
    replies: tuple[Response, ...] = ()


async def ask_judge(
    ask: Callable[[Q, int], Awaitable[Response]],
    prompt: Q,
    read: Callable[[str], Extraction[V]],
    *,
    max_tokens: int,
    answer: str,
) -> JudgeReply[V]:
    """Puts `prompt`, in whatever form, to the judge behind `ask(prompt, max_tokens)` and reads its reply with `read`.

    `answer` is the text to be judged; if it is blank the judge is not called. A reply that was cut by the limit of
    tokens before it held a verdict is asked for once more with twice the tokens. Errors of the judge's server become
    the reply's `failure`; `AuthError` is raised, because no later call can succeed either.
    """
    if is_blank(answer):
        return JudgeReply(called=False)
    replies: list[Response] = []
    extraction: Extraction[V] = Extraction(None)
    for limit in (max_tokens, 2 * max_tokens):
        try:
            reply = await ask(prompt, limit)
        except AuthError:
            raise
        except ProviderError as error:
            failure = _failure(error.kind, f"The judge's server failed: {error}", error.status, error.retryable)
            return JudgeReply(failure=failure, replies=tuple(replies))
        replies.append(reply)
        if reply.failure is not None:
            break
        text = reply.text or ""
        extraction = read(text) if not is_blank(text) else Extraction(None)
        if extraction.value is not None or reply.finish not in CUT:
            break
    return _outcome(tuple(replies), extraction)


def _outcome(replies: tuple[Response, ...], extraction: Extraction[V]) -> JudgeReply[V]:
    """The verdict in the last reply, read as `extraction`, or why there is none."""
    reply = replies[-1]
    if (cause := reply.failure) is not None:
        message = f"The judge's server failed: {cause.message}"
        return JudgeReply(failure=_failure(cause.kind, message, cause.status, cause.retryable), replies=replies)
    if extraction.value is not None:
        return JudgeReply(value=extraction.value, extraction=extraction, replies=replies)
    blank = is_blank(reply.text or "")
    if reply.finish in CUT:
        limit = f"{reply.max_tokens} tokens" if reply.max_tokens else "its limit of tokens"
        before = "it said anything" if blank else "it gave a verdict"
        kind, message = "judge_cut", f"The judge was cut off at {limit} before {before}, twice"
    elif blank:
        finish = f" (finish: {reply.finish})" if reply.finish else ""
        kind, message = "judge_empty", f"The judge's reply is empty{finish}"
    else:
        kind = "judge_out_of_range" if "out_of_range" in extraction.flags else "judge_unreadable"
        message = f"The judge's reply holds no verdict: {extraction.reason or 'No verdict could be read.'}"
    return JudgeReply(extraction=None if blank else extraction, failure=_failure(kind, message), replies=replies)


def _failure(kind: str, message: str, status: int | None = None, retryable: bool = False) -> Failure:
    return Failure(owner=Owner.JUDGE, kind=kind, message=message, status=status, retryable=retryable)
