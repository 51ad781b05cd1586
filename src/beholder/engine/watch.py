"""What is known of a run while it goes on: counts for the progress line. Written by the engine, read by the screen."""

from __future__ import annotations

import time
from collections.abc import Callable

from beholder.engine.pace import Pace
from beholder.sample import Response
from beholder.score import Score
from beholder.store.journal import Entry


class Watch:
    """Live counts of one run. `total` is what a complete run holds, `before` what was answered before this start.

    `headline` names the scorer whose running mean is shown. The means are over single responses; failed ones are not
    in them. `label` says what is counted there (`votes`): the mean need not be the headline metric. `pace` is what
    decides how many are asked about at once, if something does. Attributes are plain numbers: a reader may be a moment
    behind, never wrong.
    """

    def __init__(
        self, total: int, before: int, headline: str, *, label: str = "", say: Callable[[str], None] = print
    ) -> None:
        self.total = total
        self.before = before
        self.headline = headline
        self.label = label
        self.say = say
        self.started = time.monotonic()
        self.done = 0
        self.failed = 0
        self.cached = 0
        self.retries = 0
        self.in_flight = 0
        self.pace: Pace | None = None
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.cost: float | None = None
        self.last_failure = ""
        self.n_scored = 0
        self.sum_scored = 0.0
        self.all_binary = True

    def answered(self, response: Response) -> None:
        """Counts a response that was handed to the journal."""
        self.done += 1
        if response.failure is not None:
            self.failed += 1
            self.last_failure = response.failure.message
        if response.cached:  # paid for by an earlier run
            self.cached += 1
            return
        self.prompt_tokens += response.usage.prompt_tokens or 0
        self.completion_tokens += response.usage.completion_tokens or 0
        if response.usage.cost is not None:
            self.cost = (self.cost or 0.0) + response.usage.cost

    def scored(self, entry: Entry, scores: dict[str, Score]) -> None:
        """Adds a response's headline score to the running mean."""
        score = scores.get(self.headline)
        if score is not None and score.value is not None:
            self.n_scored += 1
            self.sum_scored += score.value
            self.all_binary = self.all_binary and score.value in (0.0, 1.0)

    @property
    def rate(self) -> float:
        """Responses a second since this start."""
        return self.done / max(time.monotonic() - self.started, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """Estimated time to the end; None before the first response."""
        left = self.total - self.before - self.done
        return left / self.rate if self.done else None
