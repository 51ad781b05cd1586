"""Asking again: which errors, after how long, how often."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

import msgspec

from beholder.errors import AuthError, Owner, ProviderError
from beholder.sample import Failure, Response


class RetryPolicy(msgspec.Struct, frozen=True):
    """At most `attempts` attempts. The wait before the n-th retry is `base`·2ⁿ⁻¹ seconds, at most `cap`, times a random
    factor in [0.5, 1]; a server that says how long to wait is obeyed, up to `obey` seconds.
    """

    attempts: int = 8
    base: float = 0.5
    cap: float = 30.0
    obey: float = 600.0

    def wait(self, retry: int, error: ProviderError, rng: random.Random) -> float:
        """Seconds to wait before retry number `retry` (from 1)."""
        backoff: float = min(self.cap, self.base * 2 ** min(retry - 1, 30)) * (0.5 + rng.random() / 2)
        if error.retry_after is not None:
            return max(min(error.retry_after, self.obey), 0.0) + backoff * 0.1
        return backoff


async def answer(
    send: Callable[[], Awaitable[Response]],
    policy: RetryPolicy,
    rng: Callable[[], random.Random],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Response:
    """One response, after as many attempts as it takes. `attempts` in it counts them all.

    `rng` makes the generator for the jitter, on the first retry only: seeding one for each request would cost more than
    sending it. Provider errors that retries cannot mend become the response's failure; `AuthError` is raised, for the
    run must stop.
    """
    jitter: random.Random | None = None
    for attempt in range(1, policy.attempts + 1):
        try:
            response = await send()
        except AuthError:
            raise
        except ProviderError as error:
            if error.retryable and attempt < policy.attempts:
                jitter = jitter or rng()
                await sleep(policy.wait(attempt, error, jitter))
                continue
            failure = Failure(
                owner=Owner.PROVIDER,
                kind=error.kind,
                message=str(error),
                status=error.status,
                retryable=error.retryable,
            )
            return Response(failure=failure, attempts=attempt)
        return response if attempt == 1 else msgspec.structs.replace(response, attempts=attempt)
    raise AssertionError("unreachable: the last attempt returns")
