"""What decides how many are asked at once: a made-up server, a clock of its own, every call in order."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable

import pytest

from beholder.engine.pace import Pace

Server = Callable[[float, int], float | None]
"""From the time and how many are in flight (this one too) to the seconds an answer takes; None: 429."""


class World:
    """Asks a server as often as the pace allows, in simulated time; refused requests are sent again after 0.5 s."""

    def __init__(self, server: Server, pace: Pace | None = None) -> None:
        self.server = server
        self.pace = pace or Pace()
        self.now = 0.0
        self.events: list[tuple[float, int, float]] = []
        self.retries: list[float] = []
        self.limits: list[int] = []
        self.answers = self.refusals = 0
        self.most = 0

    def ask(self, number: int, want: int = 10_000) -> list[int]:
        """Answers `number` more; `want` is the most that there is to ask at once. Returns the limits on the way."""
        goal, since = self.answers + number, len(self.limits)
        while self.answers < goal:
            busy = len(self.events) + len(self.retries)
            free = min(self.pace.limit, want) - busy
            ripe = [one for one in self.retries if one <= self.now]
            if ripe:
                self.retries.remove(ripe[0])
                self.send(busy)
            elif free > 0 and self.now >= self.pace.closed_until:
                self.send(busy + 1)
            else:
                self.wait()
            self.limits.append(self.pace.limit)
        return self.limits[since:]

    def send(self, busy: int) -> None:
        seconds = self.server(self.now, len(self.events) + 1)
        self.most = max(self.most, len(self.events) + 1)
        if seconds is None:
            self.refusals += 1
            self.pace.refused(self.now, self.now, busy)
            self.retries.append(self.now + 0.5)
        else:
            heapq.heappush(self.events, (self.now + seconds, self.answers + len(self.events), self.now))

    def wait(self) -> None:
        wakes = [one for one in (*self.retries, self.pace.closed_until) if one > self.now]
        if self.events and self.events[0][0] <= min(wakes, default=float("inf")):
            self.now, _, began = heapq.heappop(self.events)
            self.answers += 1
            self.pace.answered(began, self.now, len(self.events) + len(self.retries) + 1)
        else:
            self.now = min(wakes)


def steady(now: float, busy: int) -> float:
    return 0.1


def slots(number: int, seconds: float = 0.1) -> Server:
    return lambda now, busy: seconds * max(1.0, busy / number)


def refusing(number: int) -> Server:
    return lambda now, busy: 0.1 if busy <= number else None


def test_it_begins_with_few_and_doubles_while_answers_take_as_long() -> None:
    world = World(steady)
    limits = world.ask(2000)
    assert limits[0] == 8
    assert list(dict.fromkeys(limits)) == [8, 16, 32, 64, 128, 256]


@pytest.mark.parametrize("number", [4, 16, 48, 100])
def test_a_queue_stops_it_near_what_the_server_works_on(number: int) -> None:
    world = World(slots(number))
    world.ask(4000)
    settled = world.ask(4000)
    assert number <= sum(settled) / len(settled) <= 2 * number
    assert max(settled) <= 2 * number + 2


@pytest.mark.parametrize("number", [1, 5, 32, 100])
def test_refusals_keep_it_below_what_is_refused(number: int) -> None:
    world = World(refusing(number))
    world.ask(3000)
    before, began = world.refusals, world.now
    world.ask(3000)
    assert (world.refusals - before) / 3000 < 0.1
    assert 3000 / (world.now - began) > 0.6 * number / 0.1


def test_a_burst_of_refusals_is_one() -> None:
    pace = Pace(first=64)
    for _ in range(40):
        pace.refused(began=1.0, now=2.0, busy=64)
    assert pace.limit == 32
    pace.refused(began=2.5, now=2.6, busy=60)
    assert pace.limit == 32, "what is under way is not down to the new limit yet"
    pace.refused(began=3.0, now=3.1, busy=30)
    assert pace.limit == 16


def test_it_never_leaves_its_bounds() -> None:
    pace = Pace(first=8, most=20)
    for turn in range(60):
        pace.refused(began=turn, now=turn + 0.5, busy=1)
        assert pace.limit >= 1
    assert pace.limit == 1
    assert max(World(steady, Pace(most=20)).ask(2000)) == 20
    assert Pace(most=4).limit == 4


def test_a_server_that_says_how_long_to_wait_is_left_alone() -> None:
    pace = Pace()
    pace.refused(began=0.0, now=1.0, busy=8, retry_after=20.0)
    pace.refused(began=0.0, now=2.0, busy=8, retry_after=5.0)
    assert pace.closed_until == 21.0


def test_it_does_not_grow_where_there_is_not_so_much_to_ask() -> None:
    assert set(World(steady).ask(1000, want=5)) == {8}


def test_it_grows_again_when_the_server_takes_more() -> None:
    world = World(slots(16))
    world.ask(2000)
    world.server = slots(200)
    assert max(world.ask(20_000)) > 100


def test_it_shrinks_when_the_server_becomes_slower_under_load() -> None:
    world = World(slots(100))
    world.ask(4000)
    assert world.pace.limit > 60
    world.server = slots(10)
    world.ask(20_000)  # each measuring round brings it a quarter down
    assert max(world.ask(2000)) <= 30


def test_longer_items_are_not_taken_for_a_queue() -> None:
    world = World(slots(100))
    world.ask(4000)
    world.server = slots(100, seconds=0.4)
    world.ask(20_000)
    settled = world.ask(4000)
    assert sum(settled) / len(settled) > 60


@pytest.mark.parametrize("seed", range(5))
def test_uneven_answers_do_not_hold_it_down(seed: int) -> None:
    draw = random.Random(seed)
    world = World(lambda now, busy: draw.expovariate(5.0) * max(1.0, busy / 64))
    world.ask(6000)
    settled = world.ask(6000)
    assert 40 <= sum(settled) / len(settled) <= 160


def test_the_same_calls_give_the_same_limits() -> None:
    assert World(refusing(20)).ask(3000) == World(refusing(20)).ask(3000)
