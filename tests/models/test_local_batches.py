"""Questions of many askers become batches: bounded, each answer to its own asker, nobody hurt by another's fault."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence

import pytest

from beholder.errors import UsageError
from beholder.models.transformers_batching import Batches, in_halves


class Recorder:
    """Work that doubles numbers and keeps the batches that it was given."""

    def __init__(self, hold: threading.Event | None = None) -> None:
        self.batches: list[list[int]] = []
        self.begun = threading.Event()
        self.cut_short = 0
        self._hold = hold

    def __call__(self, rows: Sequence[int], unwanted: Callable[[], bool]) -> list[int]:
        self.batches.append(list(rows))
        self.begun.set()
        while self._hold is not None and not self._hold.is_set():
            if unwanted():
                self.cut_short += 1
                break
            time.sleep(0.002)
        return [2 * row for row in rows]


async def asked(batches: Batches[int, int], rows: Sequence[int]) -> list[int]:
    try:
        return await asyncio.wait_for(asyncio.gather(*map(batches.ask, rows)), 10)
    finally:
        await batches.close()


@pytest.mark.parametrize(("most", "sizes"), [(1, [1] * 7), (3, [3, 3, 1]), (50, [7])])
def test_what_waits_is_worked_on_together_up_to_a_number(most: int, sizes: list[int]) -> None:
    work = Recorder()
    assert asyncio.run(asked(Batches(work, most, "test"), range(7))) == [0, 2, 4, 6, 8, 10, 12]
    assert [len(batch) for batch in work.batches] == sizes
    assert sorted(row for batch in work.batches for row in batch) == [*range(7)]


def test_a_question_that_was_taken_back_is_not_worked_on() -> None:
    hold = threading.Event()
    work = Recorder(hold)

    async def scenario() -> int:
        batches = Batches(work, 1, "test")
        first = asyncio.create_task(batches.ask(1))
        await asyncio.to_thread(work.begun.wait, 5)
        second, third = asyncio.create_task(batches.ask(2)), asyncio.create_task(batches.ask(3))
        await asyncio.sleep(0.01)
        second.cancel()
        await asyncio.sleep(0)
        hold.set()
        try:
            return await first + await third
        finally:
            await batches.close()

    assert asyncio.run(scenario()) == 8
    assert work.batches == [[1], [3]]
    assert work.cut_short == 0


def test_a_batch_that_nobody_waits_for_is_cut_short() -> None:
    work = Recorder(threading.Event())

    async def scenario() -> None:
        batches = Batches(work, 2, "test")
        tasks = [asyncio.create_task(batches.ask(row)) for row in (1, 2)]
        await asyncio.to_thread(work.begun.wait, 5)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await batches.close()

    asyncio.run(scenario())
    assert work.cut_short == 1


def test_closing_cuts_the_batch_at_hand_short_and_begins_no_other() -> None:
    work = Recorder(threading.Event())

    async def scenario() -> None:
        batches = Batches(work, 1, "test")
        tasks = [asyncio.create_task(batches.ask(row)) for row in (1, 2)]
        await asyncio.to_thread(work.begun.wait, 5)
        await batches.close()
        with pytest.raises(RuntimeError, match="test is closed"):
            await batches.ask(3)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(scenario())
    assert work.batches == [[1]]
    assert work.cut_short == 1


def test_an_error_of_the_work_reaches_everybody_who_waits() -> None:
    def work(rows: Sequence[int], unwanted: Callable[[], bool]) -> list[int]:
        raise UsageError("the folder is gone")

    async def scenario() -> list[int | BaseException]:
        batches: Batches[int, int] = Batches(work, 4, "test")
        try:
            return await asyncio.gather(*map(batches.ask, range(4)), return_exceptions=True)
        finally:
            await batches.close()

    assert [str(error) for error in asyncio.run(scenario())] == ["the folder is gone"] * 4


class Attempts:
    """An attempt that fails where told, and keeps the sizes that it was given."""

    def __init__(self, *, largest: int = 100, broken: Sequence[int] = ()) -> None:
        self.sizes: list[int] = []
        self.freed = 0
        self._largest, self._broken = largest, broken

    def __call__(self, rows: Sequence[int]) -> list[str]:
        self.sizes.append(len(rows))
        if len(rows) > self._largest:
            raise MemoryError("too many")
        if set(rows) & set(self._broken):
            raise ValueError("a broken one")
        return [f"answer {row}" for row in rows]

    def free(self) -> None:
        self.freed += 1


@pytest.mark.parametrize(
    ("largest", "broken", "sizes", "failures"),
    [
        (100, [], [8], []),
        (4, [], [8, 4, 4], []),
        (2, [], [8, 4, 2, 2, 4, 2, 2], []),
        (100, [5], [8, 4, 4, 2, 1, 1, 2], [5]),
        (100, [0, 7], [8, 4, 2, 1, 1, 2, 4, 2, 2, 1, 1], [0, 7]),
        (0, [], [8, 4, 2, 1, 1, 2, 1, 1, 4, 2, 1, 1, 2, 1, 1], [*range(8)]),
    ],
)
def test_halves(largest: int, broken: list[int], sizes: list[int], failures: list[int]) -> None:
    """A batch that fails is halved until it goes; only rows that fail alone fail."""
    attempt = Attempts(largest=largest, broken=broken)
    replies = in_halves(range(8), attempt, lambda error: f"failed: {error}", attempt.free)
    assert attempt.sizes == sizes
    assert [row for row, reply in enumerate(replies) if reply.startswith("failed: ")] == failures
    assert [reply for reply in replies if reply.startswith("answer")] == [
        f"answer {row}" for row in range(8) if row not in failures
    ]
    assert attempt.freed == (len(sizes) - 1) // 2  # once for each batch that was split in two


def test_what_is_about_all_rows_is_not_tried_again() -> None:
    calls = []

    def attempt(rows: Sequence[int]) -> list[str]:
        calls.append(len(rows))
        raise UsageError("there is no such device")

    with pytest.raises(UsageError, match="no such device"):
        in_halves(range(8), attempt, str)
    assert calls == [8]
