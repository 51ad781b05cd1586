"""What answers cost: tokens, turns and calls of each response, and their means over the items of an arm."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from beholder.sample import Response
from beholder.store import reading, schema


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


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
