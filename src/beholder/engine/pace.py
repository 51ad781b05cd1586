"""How many items are asked about at once where the server decides it: `--max-connections auto`.

The rule, in plain words. Begin with few (8). When a round of answers is in (twice as many as are asked at once, at most
16 or that number), look at how long they took on average:

- As long as an unhurried server takes, or up to half more: nothing queues. Ask more at once: twice as many at first,
  later an eighth more.
- Longer: requests queue at the server, and more of them would only wait longer. Ask as many fewer as the time has grown
  beyond that half (half as many at most), and grow in small steps from then on.
- "Busy" (429, 503, 529) or no answer in time: half as many, at once, whatever the round. A burst of refusals is one
  refusal: those count no more that were sent before the cut, nor those that come before it has taken effect. How many
  were too many is remembered: up to nine tenths of it, growth goes half of the way in each round; beyond, it creeps.
- A server that says how long to wait (Retry-After) is left alone for so long.
- Every 16 rounds half as many are asked for a round, so that what "unhurried" means follows the items and the server.
- Where fewer are asked than may be (the items come slowly), nothing is learnt about the limit, and it does not grow.

The cuts are those of TCP (additive increase, multiplicative decrease; the memory of what was too much is like CUBIC's),
the look at the time taken is that of TCP Vegas and of gradient limiters, the round with half as many that of BBR. OUR
choice are the numbers. The pace decides only when a question is put, never what comes of it.
"""

from __future__ import annotations

AUTO = 0
"""Stands for `auto` where a number of connections is kept."""
USUAL = 64
"""At once, where `auto` was asked for and there is no server that could be overrun."""

MOST = 256
"""At once, at the very most, where the server decides."""

_FIRST = 8
_HOLDS = 1.5
_CAREFUL = 0.9
_MEASURE_EVERY = 16
_CREEP_EVERY = 8


class Pace:
    """How many may be asked about at once (`limit`, 1 to `most`), and from when on (`closed_until`, by the clock).

    Nothing in it looks at a clock or draws: it is told times, in seconds, and the same calls give the same limits.
    `busy` is how many are under way, the one that is told of included.
    """

    def __init__(self, first: int = _FIRST, most: int = MOST) -> None:
        self.most = most
        self.limit = min(first, most)
        self.closed_until = float("-inf")
        self._starting = True
        self._unhurried: float | None = None
        self._refused_at: int | None = None
        self._cut = float("-inf")
        self._since_measuring = self._since_creeping = 0
        self._before_measuring: int | None = None
        self._since, self._answers, self._seconds, self._busiest = float("-inf"), 0, 0.0, 0

    def answered(self, began: float, now: float, busy: int) -> None:
        """An answer came to what was sent at `began`."""
        self._busiest = max(self._busiest, busy)
        if began < self._since:
            return  # it was under way with more or fewer beside it
        self._answers += 1
        self._seconds += now - began
        if self._answers >= max(self.limit, min(16, 2 * self.limit)):
            self._end_round(now)

    def refused(self, began: float, now: float, busy: int, retry_after: float | None = None) -> None:
        """The server was too busy for what was sent at `began`, or did not answer it in time."""
        if retry_after is not None:
            self.closed_until = max(self.closed_until, now + retry_after)
        if began < self._cut or busy > self.limit:
            return  # of the same burst
        self._refused_at = max(2, busy)
        self._starting = False
        self._before_measuring = None
        self._cut = now
        self._set(self.limit // 2, now)

    def _end_round(self, now: float) -> None:
        mean = self._seconds / self._answers
        if self._before_measuring is not None:
            self._unhurried = mean
            limit, self._before_measuring = self._before_measuring, None
            self._since_measuring = 0
            self._set(limit, now)
            return
        if self._unhurried is None:
            self._unhurried = mean
        elif mean < self._unhurried:
            self._unhurried = (self._unhurried + mean) / 2  # half of the way: one lucky round is no measure
        held = _HOLDS * self._unhurried / mean if mean > 0 else 1.0
        self._since_measuring += 1
        self._since_creeping += 1
        if held < 1:
            self._starting = False
            self._set(int(self.limit * max(0.5, held)), now)
        elif self._busiest < self.limit:
            self._begin_round(now)
        elif not self._starting and self._since_measuring >= _MEASURE_EVERY and self.limit > 1:
            self._before_measuring = self.limit
            self._set(self.limit // 2, now)
        else:
            self._set(self._grown(), now)

    def _grown(self) -> int:
        if self._starting:
            return self.limit * 2
        if self._refused_at is not None:
            careful = int(self._refused_at * _CAREFUL)
            if self.limit < careful:
                return self.limit + (careful - self.limit + 1) // 2
            if self.limit < self._refused_at:
                return self._crept()
            self._refused_at = None  # the server takes more than it did
        return self.limit + max(1, self.limit // 8)

    def _crept(self) -> int:
        if self._since_creeping < _CREEP_EVERY:
            return self.limit
        self._since_creeping = 0
        return self.limit + max(1, self.limit // 32)

    def _set(self, limit: int, now: float) -> None:
        self.limit = max(1, min(self.most, limit))
        self._begin_round(now)

    def _begin_round(self, now: float) -> None:
        self._since, self._answers, self._seconds, self._busiest = now, 0, 0.0, 0
