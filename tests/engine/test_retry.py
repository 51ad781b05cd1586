"""Asking again, with a fake clock."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest

from beholder.engine.retry import RetryPolicy, answer
from beholder.errors import AuthError, Owner, ProviderError
from beholder.sample import Response

OK = Response(text="T")


def error(kind: str = "http_500", *, retryable: bool = True, wait: float | None = None) -> ProviderError:
    return ProviderError("why", kind=kind, status=500, retryable=retryable, retry_after=wait)


def play(script: list[Response | ProviderError], attempts: int = 8) -> tuple[Response, list[float]]:
    """The response that a script of attempts leads to, and the waits between them."""
    waits: list[float] = []
    remaining = iter(script)

    async def send() -> Response:
        step = next(remaining)
        if isinstance(step, ProviderError):
            raise step
        return step

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    response = asyncio.run(answer(send, RetryPolicy(attempts=attempts), lambda: random.Random(1), sleep))
    return response, waits


def test_429_with_retry_after_then_500_then_ok() -> None:
    response, waits = play([error("http_429", wait=2.0), error(), OK])
    assert response.text == "T"
    assert response.attempts == 3
    assert len(waits) == 2
    assert waits[0] >= 2.0


def test_a_reset_and_empty_choices_then_ok() -> None:
    response, waits = play([error("connection"), error("empty_choices"), OK])
    assert (response.text, response.attempts, len(waits)) == ("T", 3, 2)


def test_a_bad_request_is_not_asked_again() -> None:
    response, waits = play([error("request", retryable=False)])
    assert waits == []
    assert response.failure is not None
    assert (response.failure.owner, response.failure.kind, response.failure.retryable) == (
        Owner.PROVIDER,
        "request",
        False,
    )


def test_after_the_last_attempt_it_is_a_failure_that_a_resume_may_ask_again() -> None:
    response, waits = play([error()] * 3, attempts=3)
    assert len(waits) == 2
    assert response.attempts == 3
    assert response.failure is not None
    assert response.failure.retryable


def test_a_refused_key_is_raised_at_once() -> None:
    with pytest.raises(AuthError):
        play([AuthError("no", kind="http_401", status=401)])


@pytest.mark.parametrize("retry", [1, 2, 5, 20, 10_000])
def test_waits_grow_and_are_capped(retry: int) -> None:
    policy = RetryPolicy(base=0.5, cap=30.0)
    wait: Callable[[int], float] = lambda number: policy.wait(number, error(), random.Random(0))  # noqa: E731
    assert 0 < wait(retry) <= 30.0
    assert wait(1) <= 0.5


def test_a_server_that_asks_for_an_hour_is_obeyed_up_to_the_limit() -> None:
    policy = RetryPolicy(obey=600.0)
    assert 600.0 <= policy.wait(1, error(wait=3600.0), random.Random(0)) < 601.0


def test_the_jitter_depends_only_on_its_seed() -> None:
    waits = [RetryPolicy().wait(3, error(), random.Random(seed)) for seed in (1, 1, 2)]
    assert waits[0] == waits[1] != waits[2]
