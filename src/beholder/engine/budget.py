"""Where a run stops because it has used up what it may spend."""

from __future__ import annotations

import msgspec

from beholder.sample import Usage


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a run may spend in all, judges and earlier starts included. None: no limit.

    `cost` is in US dollars, `tokens` counts those in and out as the servers count them.
    """

    cost: float | None = None
    tokens: int | None = None


UNLIMITED = Limits()


class Purse:
    """What has been spent so far, against the limits. For one thread.

    Answers that came from the cache cost nothing. What is in flight is reckoned at the mean of what came before, so
    that a run goes over its limits by no more than that mean is off; only the very first requests go out unreckoned.
    An answer whose cost or tokens nobody counted ends it: a limit that cannot be kept is not passed over in silence.
    """

    def __init__(self, limits: Limits, *, cost: float = 0.0, tokens: int = 0) -> None:
        self.limits = limits
        self.cost = cost
        self.tokens = tokens
        self.reason = ""
        self.uncounted = 0
        self.begin()

    def begin(self) -> None:
        """A new kind of request begins (a judge's, after the model's): its mean is its own."""
        self._before = self.cost, self.tokens
        self._ended = 0

    def pay(self, usage: Usage, *, counts: bool = False) -> None:
        """Adds what one request used; `counts` says that it is an answer of a server, which has to count tokens."""
        lacks = usage.completion_tokens is None or usage.prompt_tokens is None
        self.uncounted += counts and (lacks or (self.limits.cost is not None and usage.cost is None))
        self.cost += usage.cost or 0.0
        self.tokens += (usage.prompt_tokens or 0) + (usage.completion_tokens or 0)

    def ended(self) -> None:
        """Counts an item that was asked and is answered: the mean is over these."""
        self._ended += 1

    def used_up(self, in_flight: int) -> str:
        """Why nothing more may be begun while so many items are being asked; "" if there is room for one more.

        What it says last stays in `reason`.
        """
        self.reason = self._reason(in_flight)
        return self.reason

    def told(self, resume: str) -> str:
        """Why it stopped and how it goes on, in one line; `resume` is the command."""
        if self.uncounted:
            return f"Stopped: {self.reason}. Run it again without; what was answered is in the response cache."
        return f"The budget is used up: {self.reason}. `{resume}` with a higher limit goes on."

    def _reason(self, in_flight: int) -> str:
        if self.uncounted:
            option = "--max-tokens-total" if self.limits.cost is None else "--max-cost"
            return f"the server does not say how many tokens its answers took, so {option} cannot be kept"
        share = (in_flight + 1) / self._ended if self._ended else 0.0
        cost = self.cost + share * (self.cost - self._before[0])
        tokens = self.tokens + share * (self.tokens - self._before[1])
        if self.limits.cost is not None and (cost > self.limits.cost or self.cost >= self.limits.cost):
            return f"${self.cost:,.4f} of --max-cost {self.limits.cost:g} are spent, and the rest is in flight"
        if self.limits.tokens is not None and (tokens > self.limits.tokens or self.tokens >= self.limits.tokens):
            return f"{self.tokens:,} of --max-tokens-total {self.limits.tokens:,} are used, and the rest is in flight"
        return ""
