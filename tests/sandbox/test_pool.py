"""The pool: how many workers there are, who gets them, what becomes of them when something ends too early."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import PIL.Image
import pytest
from talk import LIMITS, talk

from beholder.errors import UsageError
from beholder.sandbox import process
from beholder.sandbox.backends import backend
from beholder.sandbox.bwrap import Bwrap
from beholder.sandbox.launch import Backend, Launch, SandboxBroken
from beholder.sandbox.limits import SandboxLimits
from beholder.sandbox.pool import FRESH, SandboxPool, most_workers


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or has only its parent's look at its exit status to wait for."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True
    return "State:\tZ" in status or "State:\tX" in status


def assert_all_end(pids: tuple[int, ...] | list[int]) -> None:
    until = time.monotonic() + 5
    while not all(map(has_ended, pids)) and time.monotonic() < until:
        time.sleep(0.01)
    assert [pid for pid in pids if not has_ended(pid)] == []


def test_spares_are_started_ahead_and_closed_with_the_pool() -> None:
    async def run() -> tuple[list[int], int, tuple[int, ...]]:
        async with SandboxPool(backend(), LIMITS, concurrency=3, spares=2) as pool:
            numbers = []
            conversation = pool.conversation()
            await conversation.call("1", ())
            async with asyncio.timeout(20):
                while len(pool.pids) < 3:  # noqa: ASYNC110 - nothing tells when a spare is there
                    await asyncio.sleep(0.01)
            numbers.append(len(pool.pids))
            pids = pool.pids
            for _ in range(2):
                await pool.conversation().call("1", ())
            numbers.append(len(pool.pids))
            return numbers, pool.capacity, pids

    numbers, capacity, pids = asyncio.run(run())
    assert numbers == [3, 3]
    assert capacity == 3
    assert_all_end(pids)


def test_a_conversation_without_a_call_takes_no_worker() -> None:
    async def run() -> tuple[int, ...]:
        async with SandboxPool(backend(), LIMITS, concurrency=2, spares=0) as pool:
            before = pool.pids
            await pool.conversation().close()
            assert pool.pids == before
            return before

    assert_all_end(asyncio.run(run()))


def test_no_more_conversations_than_workers_run_at_once() -> None:
    async def run() -> list[str]:
        order = []
        async with SandboxPool(backend(), LIMITS, concurrency=1, spares=1) as pool:
            first, second = pool.conversation(), pool.conversation()
            await first.call("x = 1", ())
            waiting = asyncio.create_task(second.call("'x' in globals()", ()))
            await asyncio.sleep(0.3)
            order.append("waits" if not waiting.done() else "runs")
            await first.close()
            order.append((await waiting).text)
            await second.close()
        return order

    assert asyncio.run(run()) == ["waits", "False\n"]


def test_many_conversations_that_begin_at_once_share_what_there_is() -> None:
    async def one(pool: SandboxPool, number: int) -> str:
        conversation = pool.conversation()
        answer = await conversation.call(f"print({number})", ())
        await conversation.close()
        return answer.text

    async def run() -> list[str]:
        async with SandboxPool(backend(), LIMITS, concurrency=3, spares=2) as pool:
            return await asyncio.gather(*(one(pool, number) for number in range(9)))

    assert asyncio.run(run()) == [f"{number}\n" for number in range(9)]


def test_how_many_workers_fit_into_memory() -> None:
    assert most_workers(SandboxLimits(memory=1 << 20), 5) == 5
    assert most_workers(SandboxLimits(memory=1 << 60), 5) == 1


def test_two_conversations_share_nothing() -> None:
    async def run() -> list[str]:
        async with SandboxPool(backend(), LIMITS, concurrency=2) as pool:
            first, second = pool.conversation(), pool.conversation()
            texts = [(await first.call("import os\nx = 1\nopen('/tmp/a', 'w').close()\nos.getuid()", ())).text]
            look = "import os\nprint('x' in globals(), os.path.exists('/tmp/a'))\nos.getuid()"
            texts.append((await second.call(look, ())).text)
            await first.close()
            await second.close()
        return texts

    mine, other = asyncio.run(run())
    assert other.startswith("False False\n")
    if os.geteuid() == 0:
        assert mine.split()[-1] != other.split()[-1]  # each worker is a user of its own


def test_a_cancelled_call_ends_its_process() -> None:
    async def run() -> int:
        async with SandboxPool(backend(), LIMITS, spares=0) as pool:
            [pid] = pool.pids
            conversation = pool.conversation()
            call = asyncio.create_task(conversation.call("while True: pass", ()))
            await asyncio.sleep(0.3)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert_all_end([pid])
            after = await conversation.call("1", ())
            assert after.text == f"{FRESH}\n1\n"
            await conversation.close()
            return pid

    asyncio.run(run())


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def groups_now() -> list[Path]:
    return groups_of(os.getpid())


def test_who_is_cancelled_while_a_process_ends_does_not_keep_it_from_being_cleared_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def run() -> None:
        async with SandboxPool(backend(), LIMITS, spares=0) as pool:
            await asyncio.to_thread(int)  # its thread, and what it opens
            for worker in list(pool._spare):
                await pool._end(worker)
            pool._spare.clear()
            before = descriptors(), groups_now(), set(process._slots)
            for _ in range(3):
                ends = asyncio.Event()
                real = process.Worker.end

                async def end(worker: process.Worker, ends: asyncio.Event = ends, real: Any = real) -> None:
                    ends.set()
                    await real(worker)

                conversation = pool.conversation()
                with monkeypatch.context() as patch:
                    patch.setattr(process.Worker, "end", end)
                    call = asyncio.create_task(conversation.call("while True: print('x' * 100_000)", ()))
                    await ends.wait()
                    await asyncio.sleep(0)
                    call.cancel()
                    with pytest.raises(asyncio.CancelledError):
                        await call
                await conversation.close()
            async with asyncio.timeout(10):
                while (descriptors(), groups_now(), set(process._slots)) != before:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
            assert not pool._in_use
            assert not pool._room.locked()

    asyncio.run(run())


def test_a_place_is_free_when_its_process_has_ended_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = threading.Event()
    real = process.Worker._clean_up

    def clean_up(worker: process.Worker) -> None:
        may_end.wait(10)
        real(worker)

    async def run() -> None:
        async with SandboxPool(backend(), LIMITS, spares=0) as pool:
            conversation = pool.conversation()
            await conversation.call("1", ())
            monkeypatch.setattr(process.Worker, "_clean_up", clean_up)
            closing = asyncio.create_task(conversation.close())
            await asyncio.sleep(0.05)
            closing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await closing
            assert pool._room.locked()
            may_end.set()
            async with asyncio.timeout(10):
                await pool._room.acquire()
            assert not pool._in_use

    asyncio.run(run())


def test_calls_of_one_conversation_wait_for_each_other() -> None:
    async def run() -> list[str]:
        async with SandboxPool(backend(), LIMITS, concurrency=2, spares=0) as pool:
            conversation = pool.conversation()
            calls = (conversation.call(code, ()) for code in ("import time\ntime.sleep(0.3)\nx = 1\nx", "x + 1"))
            answers = await asyncio.gather(*calls)
            assert len(pool._in_use) == 1
            await conversation.close()
            assert not pool._in_use
            return [answer.text for answer in answers]

    assert asyncio.run(run()) == ["1\n", "2\n"]


def test_no_two_workers_of_any_pool_are_the_same_user() -> None:
    async def run() -> list[str]:
        async with SandboxPool(backend(), LIMITS, spares=0) as one, SandboxPool(backend(), LIMITS, spares=0) as other:
            conversations = one.conversation(), other.conversation()
            users = [(await conversation.call("import os\nos.getuid()", ())).text for conversation in conversations]
            for conversation in conversations:
                await conversation.close()
            return users

    mine, other = asyncio.run(run())
    assert mine != other or os.geteuid() != 0
    if os.geteuid() == 0:
        code = "from beholder.sandbox.backends import backend; print(backend().users[0])"
        drawn = {subprocess.check_output([sys.executable, "-c", code]) for _ in range(3)}
        assert len(drawn) > 1


def test_a_worker_that_dies_between_calls_is_replaced_and_gets_all_pictures() -> None:
    async def run() -> str:
        picture = PIL.Image.new("RGB", (3, 2))
        async with SandboxPool(backend(), LIMITS, spares=0) as pool:
            conversation = pool.conversation()
            await conversation.call("1", (picture,))
            os.kill(pool.pids[0], signal.SIGKILL)
            assert_all_end(pool.pids)
            await asyncio.sleep(0.1)
            answer = await conversation.call("image_1.size, image_2.size", (picture, picture))
            await conversation.close()
            return answer.text

    assert asyncio.run(run()) == f"{FRESH}\n((3, 2), (3, 2))\n"


class Lazy(Sequence[PIL.Image.Image]):
    """Pictures that are decoded when somebody looks, as those of a conversation; who looks, and what is still held."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._given: list[weakref.ref[PIL.Image.Image]] = []
        self.held: list[int] = []
        self.threads: set[str] = set()

    def __len__(self) -> int:
        return self._number

    def __getitem__(self, place: Any) -> Any:
        self.held.append(sum(given() is not None for given in self._given))
        self.threads.add(threading.current_thread().name)
        picture = PIL.Image.new("RGB", (30, 20 + place))
        self._given.append(weakref.ref(picture))
        return picture


def test_pictures_are_handed_over_one_by_one_and_not_decoded_in_the_loop() -> None:
    lazy = Lazy(5)

    async def run() -> str:
        async with SandboxPool(backend(), LIMITS, spares=0) as pool:
            conversation = pool.conversation()
            await conversation.call("import os\nos._exit(0)", lazy)
            answer = await conversation.call("image_1.size, image_5.size", lazy)
            await conversation.close()
            return answer.text

    assert asyncio.run(run()) == f"{FRESH}\n((30, 20), (30, 24))\n"
    assert len(lazy.held) == 10
    assert max(lazy.held) == 0
    assert threading.main_thread().name not in lazy.threads


def test_the_time_that_pictures_take_to_decode_is_not_the_calls() -> None:
    class Slow(Lazy):
        def __getitem__(self, place: Any) -> Any:
            time.sleep(0.5)
            return super().__getitem__(place)

    [answer] = talk("image_3.size", pictures=Slow(3), limits=msgspec.structs.replace(LIMITS, call_seconds=1.0))
    assert answer.outcome == "ok"


def test_a_large_picture_goes_in() -> None:
    [answer] = talk(
        "image_1.size, image_1.getpixel((3999, 2999))", pictures=[PIL.Image.new("RGB", (4000, 3000), "red")]
    )
    assert answer.text == "((4000, 3000), (255, 0, 0))\n"


class Odd:
    """A backend that starts something else."""

    name = "bwrap"

    def __init__(self, *command: str) -> None:
        self.command = command

    def launch(self, slot: int, limits: SandboxLimits, info: int) -> Launch:
        return Launch(command=self.command, setup={})


BROKEN = [
    (("/nowhere/bwrap",), "No such file"),
    (("/bin/sh", "-c", "echo no namespaces for you >&2; exit 1"), "no namespaces for you"),
    (("/bin/sh", "-c", "exit 7"), "exit status 7"),
    (("/bin/sh", "-c", "echo hello; sleep 60"), "something else"),
    (("/bin/sh", "-c", "sleep 60"), "not ready within"),
    (("/bin/sh", "-c", "yes >&2"), "y y y"),
    (("/bin/sh", "-c", "yes | tr -d '\\n'"), "does not start"),
]


@pytest.mark.parametrize(("command", "said"), BROKEN)
def test_a_sandbox_that_does_not_start_is_one_clear_line(command: tuple[str, ...], said: str) -> None:
    async def run() -> None:
        await SandboxPool(Odd(*command), SandboxLimits(start_seconds=1.0)).start()

    with pytest.raises(UsageError, match=said) as raised:
        asyncio.run(run())
    assert "\n" not in str(raised.value)
    assert "Mend: install bubblewrap" in str(raised.value)


def test_a_start_that_fails_leaves_nothing(tmp_path: Path) -> None:
    class Leaving(Odd):
        def launch(self, slot: int, limits: SandboxLimits, info: int) -> Launch:
            if not self.command:
                raise SandboxBroken("not here")
            (tmp_path / "made").mkdir()
            return Launch(command=self.command, setup={}, folder=str(tmp_path / "made"))

    async def run() -> None:
        before = descriptors(), set(process._slots)
        for command in ((), ("/nowhere/bwrap",)):
            with pytest.raises(UsageError):
                await SandboxPool(Leaving(*command), LIMITS).start()
            assert (descriptors(), process._slots) == before
            assert os.listdir(tmp_path) == []

    asyncio.run(run())


def test_a_worker_that_kept_rights_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "rights_left", lambda *_, **__: "capabilities")
    with pytest.raises(UsageError, match="keeps rights that it must not have \\(capabilities\\)"):
        talk("1")


def test_what_counts_as_rights() -> None:
    own = process.rights_left(os.getpid(), os.geteuid(), filtered=True)
    assert "new privileges" in own
    assert "all system calls" in own
    assert "user" in process.rights_left(os.getpid(), 4711, filtered=False)
    assert "nothing can be said" in process.rights_left(2**22 + 1, 0, filtered=False)


class Failing:
    """A backend that works once."""

    name = "bwrap"

    def __init__(self, real: Backend) -> None:
        self._real = real
        self.launches = 0

    def launch(self, slot: int, limits: SandboxLimits, info: int) -> Launch:
        self.launches += 1
        if self.launches > 1:
            raise SandboxBroken("no more")
        return self._real.launch(slot, limits, info)


def test_a_pool_that_cannot_start_another_worker_says_so_to_who_asks() -> None:
    async def run() -> None:
        async with SandboxPool(Failing(backend()), LIMITS, concurrency=3, spares=2) as pool:
            first, second = pool.conversation(), pool.conversation()
            assert (await first.call("1", ())).outcome == "ok"
            with pytest.raises(SandboxBroken, match="no more"):
                await second.call("1", ())
            assert (await first.call("2", ())).outcome == "ok"
            await first.close()

    asyncio.run(run())


def test_a_closed_pool_starts_nothing() -> None:
    async def run() -> None:
        pool = SandboxPool(backend(), LIMITS, spares=0)
        await pool.start()
        pids = pool.pids
        await pool.close()
        await pool.close()
        assert_all_end(pids)
        with pytest.raises(SandboxBroken, match="closed"):
            await pool.conversation().call("1", ())

    asyncio.run(run())


def test_grandchildren_that_are_left_do_not_cost_the_process() -> None:
    code = "import os, time\nif os.fork() == 0:\n    os.fork()\n    time.sleep(99)\ntime.sleep(0.1)\nx = 1"
    first, second = talk(code, "x")
    assert (first.outcome, first.alive, second.text) == ("ok", True, "1\n")


def test_nothing_outlives_us_when_we_are_killed(tmp_path: Path) -> None:
    program = textwrap.dedent("""\
        import asyncio, json, os, sys
        from beholder.sandbox.backends import backend
        from beholder.sandbox.pool import SandboxPool
        HOLD_ON = "import ctypes, os\\nctypes.CDLL(None).prctl(1, 0)\\nos.fork() or os.setsid()\\nwhile True: pass"
        async def main():
            async with SandboxPool(backend(), concurrency=3, spares=1) as pool:
                first, second = pool.conversation(), pool.conversation()
                await second.call("1", ())
                call = asyncio.create_task(first.call(HOLD_ON, ()))
                await asyncio.sleep(1)
                while len(pool.pids) < 3:
                    await asyncio.sleep(0.01)
                print(json.dumps(pool.pids), flush=True)
                await call
        asyncio.run(main())
    """)
    running = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=tmp_path)
    assert running.stdout is not None
    pids = json.loads(running.stdout.readline())
    assert len(pids) == 3
    running.kill()
    running.wait()
    running.stdout.close()
    assert_all_end(pids)
    # The next one clears up what control groups were left, once the kernel has seen the last process off.
    until = time.monotonic() + 30
    while (left := groups_of(running.pid)) and time.monotonic() < until:
        backend()
        time.sleep(0.2)
    assert left == []


def groups_of(pid: int) -> list[Path]:
    sandbox = backend()
    assert isinstance(sandbox, Bwrap)
    return [path for folder in sandbox.groups.places for path in folder.glob(f"beholder-*-{pid}-*-*")]
