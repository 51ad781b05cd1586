"""A run stops when it has used up what it may spend, loses nothing, and goes on with a higher limit."""

from __future__ import annotations

import msgspec
import pytest

from beholder.engine.budget import Limits, Purse
from beholder.sample import Usage

SPENT: list[tuple[Limits, list[Usage], int, bool]] = [
    # limits, what each finished item used, items in flight, whether it is used up
    (Limits(), [Usage(prompt_tokens=10**9, completion_tokens=1, cost=1e6)], 0, False),
    (Limits(cost=1.0), [], 64, False),
    (Limits(cost=0.0), [], 0, True),
    (Limits(cost=1.0), [Usage(cost=0.25)] * 3, 0, False),
    (Limits(cost=1.0), [Usage(cost=0.25)] * 3, 1, True),
    (Limits(cost=1.0), [Usage(cost=0.25)] * 4, 0, True),
    (Limits(cost=1.0), [Usage(prompt_tokens=5, completion_tokens=5)] * 9, 9, False),
    (Limits(tokens=100), [Usage(prompt_tokens=20, completion_tokens=5)] * 3, 0, False),
    (Limits(tokens=100), [Usage(prompt_tokens=20, completion_tokens=6)] * 3, 0, True),
    (Limits(tokens=100), [Usage(prompt_tokens=20)] * 3, 1, False),
    (Limits(cost=1.0, tokens=10), [Usage(prompt_tokens=11, cost=0.0)], 0, True),
]


@pytest.mark.parametrize(("limits", "items", "in_flight", "used_up"), SPENT)
def test_the_purse(limits: Limits, items: list[Usage], in_flight: int, used_up: bool) -> None:
    purse = Purse(limits)
    for usage in items:
        purse.pay(usage)
        purse.ended()
    assert bool(purse.used_up(in_flight)) is used_up
    assert bool(purse.reason) is used_up


UNTOLD: list[tuple[Limits, Usage, bool, str]] = [
    # limits, what an answer used, whether a server gave it, which limit cannot be kept
    (Limits(cost=1.0), Usage(), True, "--max-cost"),
    (Limits(cost=1.0), Usage(prompt_tokens=5, completion_tokens=1), True, "--max-cost"),
    (Limits(cost=1.0), Usage(prompt_tokens=5, cost=0.1), True, "--max-cost"),
    (Limits(tokens=100), Usage(prompt_tokens=5), True, "--max-tokens-total"),
    (Limits(tokens=100), Usage(prompt_tokens=5, completion_tokens=1), True, ""),
    (Limits(cost=1.0), Usage(prompt_tokens=5, completion_tokens=1, cost=0.0), True, ""),
    (Limits(cost=1.0), Usage(), False, ""),
]


@pytest.mark.parametrize(("limits", "usage", "served", "option"), UNTOLD)
def test_a_limit_that_cannot_be_kept_stops(limits: Limits, usage: Usage, served: bool, option: str) -> None:
    purse = Purse(limits)
    purse.pay(usage, counts=served)
    purse.ended()
    assert bool(purse.used_up(0)) is bool(option)
    if option:
        assert f"so {option} cannot be kept" in purse.told("beholder resume x")


def test_what_earlier_starts_spent_counts_but_is_not_in_the_mean() -> None:
    purse = Purse(Limits(cost=10.0), cost=9.0)
    purse.pay(Usage(cost=0.1))
    purse.ended()
    assert purse.used_up(8) == ""
    assert "$9.1000 of --max-cost 10" in purse.used_up(9)


def test_a_judge_has_a_mean_of_its_own() -> None:
    purse = Purse(Limits(tokens=1000))
    purse.pay(Usage(prompt_tokens=500, completion_tokens=100))
    purse.ended()
    assert purse.used_up(0)
    purse.begin()
    assert purse.used_up(0) == ""
    purse.pay(msgspec.structs.replace(Usage(), prompt_tokens=10))
    purse.ended()
    assert purse.used_up(30) == ""
