"""Costs: a response without tools is one turn; means are over items; what no server counted stays unknown."""

from __future__ import annotations

import pytest

from beholder.experiments.costs import Cost, Spent, cost_of, spent
from beholder.sample import Conduct, Response, Usage

TALK = Conduct(attempt=0, turns=4, calls=6, ended="answered")
COSTS = [
    ("at once", Response(text="A", usage=Usage(100, 5)), (1, 0, 100, 5)),
    ("with tools", Response(text="A", usage=Usage(900, 80), conduct=TALK), (4, 6, 900, 80)),
    ("from the cache", Response(text="A", usage=Usage(100, 5), cached=True), (1, 0, 100, 5)),
    ("not counted", Response(text="A", conduct=TALK), (4, 6, None, None)),
]


@pytest.mark.parametrize(("name", "response", "expected"), COSTS, ids=[row[0] for row in COSTS])
def test_what_one_response_cost(
    name: str, response: Response, expected: tuple[int, int, int | None, int | None]
) -> None:
    assert cost_of("k", response) == Cost("k", *expected)


SPENT = [
    ("nothing", [], Spent(0, None, None, None, None)),
    ("two items", [Cost("a", 1, 0, 10, 1), Cost("b", 3, 2, 30, 5)], Spent(2, 2.0, 1.0, 20.0, 3.0)),
    ("an item's own mean first", [Cost("a", 1, 0, 10, 1), Cost("a", 3, 2, 30, 3), Cost("b", 4, 3, 40, 4)],
     Spent(2, 3.0, 2.0, 30.0, 3.0)),
    ("one not counted", [Cost("a", 1, 0, None, None), Cost("b", 3, 2, 30, 5)], Spent(2, 2.0, 1.0, 30.0, 5.0)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "costs", "expected"), SPENT, ids=[row[0] for row in SPENT])
def test_means_over_items(name: str, costs: list[Cost], expected: Spent) -> None:
    assert spent(costs) == expected
