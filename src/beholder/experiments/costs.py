"""What answers cost: tokens, turns and calls of each response, and their means over the items of an arm."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from beholder.sample import Response
from beholder.store import reading, schema
from beholder.store.reading import Tally


class Cost(msgspec.Struct, frozen=True):
    """One response. Tokens are those of all its turns, None where the server did not count them.

    They are counted whether or not an earlier run had paid for them: the cost is that of the answer, not of this run.
    A response without tools is one turn.
    """

    key: str
    turns: int
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    epoch: int = 0
    vote: int = 0


class Spent(msgspec.Struct, frozen=True):
    """Means over the items of an arm: turns and calls an item, tokens an item where they are known.

    With several epochs or votes an item's own mean comes first. `items` is what the means are over.
    """

    items: int
    turns: float | None
    calls: float | None
    prompt_tokens: float | None
    completion_tokens: float | None


class Whole(msgspec.Struct, frozen=True):
    """All that a run spent: tokens of every request, also of conversations that failed and of attempts that came to
    nothing (`abandoned`). What came from the cache is not in it: `cached` counts whole answers from there."""

    prompt_tokens: int
    completion_tokens: int
    failed: int
    abandoned: int
    cached: int


def whole_of(tally: Tally) -> Whole:
    """All that a run spent."""
    failed = tally.failed + tally.retryable
    return Whole(tally.prompt_tokens, tally.completion_tokens, failed, tally.abandoned, tally.cached)


def costs_of(run: Path) -> list[Cost]:
    """The costs of all responses of a run folder that did not fail, in data order."""
    with contextlib.closing(schema.open_to_read(run / "run.db")) as db:
        return [
            cost_of(stored.key, stored.response, stored.epoch, stored.vote)
            for stored in reading.responses(db)
            if stored.response.failure is None
        ]


def cost_of(key: str, response: Response, epoch: int = 0, vote: int = 0) -> Cost:
    """What one response cost."""
    conduct, usage = response.conduct, response.usage
    turns, calls = (1, 0) if conduct is None else (conduct.turns, conduct.calls)
    return Cost(key, turns, calls, usage.prompt_tokens, usage.completion_tokens, epoch, vote)


def spent(costs: Iterable[Cost]) -> Spent:
    """The means over items.

    >>> spent([Cost("a", 3, 2, 100, 10), Cost("b", 1, 0, None, None)])
    Spent(items=2, turns=2.0, calls=1.0, prompt_tokens=100.0, completion_tokens=10.0)
    """
    by_item: dict[str, list[Cost]] = {}
    for cost in costs:
        by_item.setdefault(cost.key, []).append(cost)

    def over_items(name: str) -> float | None:
        return _mean(
            [mean for own in by_item.values() if (mean := _mean([getattr(one, name) for one in own])) is not None]
        )

    return Spent(
        items=len(by_item),
        turns=over_items("turns"),
        calls=over_items("calls"),
        prompt_tokens=over_items("prompt_tokens"),
        completion_tokens=over_items("completion_tokens"),
    )


def more_spent(before: Sequence[Cost], after: Sequence[Cost]) -> Spent:
    """What an item costs more, over the items that both arms answered."""
    shared = {cost.key for cost in before} & {cost.key for cost in after}
    a, b = (spent(cost for cost in costs if cost.key in shared) for costs in (before, after))

    def more(left: float | None, right: float | None) -> float | None:
        return None if left is None or right is None else right - left

    return Spent(
        items=len(shared),
        turns=more(a.turns, b.turns),
        calls=more(a.calls, b.calls),
        prompt_tokens=more(a.prompt_tokens, b.prompt_tokens),
        completion_tokens=more(a.completion_tokens, b.completion_tokens),
    )


def for_each(more: Spent, n: int, net: float) -> Spent:
    """The additional cost of all `n` items shared out over the net items gained (more than 0)."""

    def shared_out(value: float | None) -> float | None:
        return None if value is None else value * n / net

    return Spent(
        items=more.items,
        turns=shared_out(more.turns),
        calls=shared_out(more.calls),
        prompt_tokens=shared_out(more.prompt_tokens),
        completion_tokens=shared_out(more.completion_tokens),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
