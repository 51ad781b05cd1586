"""The pool: how many workers there are, who gets them, what becomes of them when something ends too early."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

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
    return [path for folder in set(sandbox.groups.folders.values()) for path in folder.glob(f"beholder-*-{pid}-*-*")]
