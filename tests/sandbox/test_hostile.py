"""Code that attacks: it is contained, it ends, it comes back to the model, and the conversation goes on."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_scripts import PROCESS, REPLIES, RESOURCES, SCRIPTS, Hostile

from beholder.sandbox import bwrap
from beholder.sandbox.backends import backend
from beholder.sandbox.bwrap import Bwrap
from beholder.sandbox.cgroup import Hierarchy
from beholder.sandbox.limits import SandboxLimits
from beholder.sandbox.pool import SandboxPool
from beholder.tools.python_tool import PythonTool
from beholder.tools.tool import ToolResult

LIMITS = SandboxLimits(memory=256 << 20, call_seconds=3.0, cpu_seconds=20, tmp_bytes=32 << 20, processes=24)
LONGEST = 30.0
"""Seconds for the call, the end of the process, a new one, and a call to that."""
SECRET = "swordfish-4711"


class Surroundings:
    """What a script would reach if it got out, and whether it did."""

    def __init__(self, folder: Path) -> None:
        folder.chmod(0o777)
        self.canary = folder / "canary"
        self.secret = folder / "secret"
        self.socket = folder / "socket"
        self.canary.write_text("sings")
        self.secret.write_text(SECRET)
        self.canary.chmod(0o666)
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self.tcp.getsockname()[1]
        self.unix = socket.socket(socket.AF_UNIX)
        self.unix.bind(str(self.socket))
        self.socket.chmod(0o777)
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract.bind(f"\0beholder-{self.port}")
        for listener in (self.unix, self.abstract):
            listener.listen()
        for listener in (self.tcp, self.unix, self.abstract):
            listener.setblocking(False)

    def into(self, code: str) -> str:
        """The code with the real names in it."""
        names = {"PORT": self.port, "CANARY": self.canary, "SECRET": self.secret, "SOCKET": self.socket}
        for name, value in names.items():
            code = code.replace(name, str(value))
        return code

    def assert_untouched(self) -> None:
        assert self.canary.read_text() == "sings"
        assert self.secret.read_text() == SECRET
        assert sorted(path.name for path in self.canary.parent.iterdir()) == ["canary", "secret", "socket"]
        for listener in (self.tcp, self.unix, self.abstract):
            with pytest.raises(BlockingIOError):
                listener.accept()

    def close(self) -> None:
        for listener in (self.tcp, self.unix, self.abstract):
            listener.close()


@pytest.fixture
def around(monkeypatch: pytest.MonkeyPatch) -> Iterator[Surroundings]:
    monkeypatch.setenv("BEHOLDER_TEST_KEY", SECRET)
    with tempfile.TemporaryDirectory(prefix="bh-") as folder:  # a Unix socket needs a short path
        surroundings = Surroundings(Path(folder))
        yield surroundings
        surroundings.close()


class Watch:
    """The process namespaces of a test's sandboxes. They are held open, or the kernel would give their numbers away."""

    def __init__(self) -> None:
        self._held: dict[str, int] = {}

    def note(self, pids: tuple[int, ...]) -> None:
        for pid in pids:
            path = f"/proc/{pid}/ns/pid"
            space = os.readlink(path)
            if space not in self._held:
                self._held[space] = os.open(path, os.O_RDONLY)

    def left(self) -> list[str]:
        """The processes of this machine that live in one of them."""
        left = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(process / "ns/pid") in self._held:
                    left.append((process / "status").read_text())
            except OSError:
                continue
        return left

    def assert_nothing_left(self, sandbox: Bwrap) -> None:
        """No process is left in any of the namespaces, and no control group of ours."""
        assert self._held, "the test must note down where its processes were"
        until = time.monotonic() + 3
        while self.left() and time.monotonic() < until:  # the kernel takes a moment to clear up a fork bomb
            time.sleep(0.01)
        assert self.left() == []
        for folder in sandbox.groups.places:
            assert list(folder.glob(f"beholder-*-{os.getpid()}-*-*")) == []

    def close(self) -> None:
        for number in self._held.values():
            os.close(number)


@pytest.fixture
def watch() -> Iterator[Watch]:
    watching = Watch()
    yield watching
    watching.close()


async def attack(sandbox: Bwrap, code: str, watch: Watch) -> tuple[ToolResult, ToolResult]:
    """What the code brings, and what a harmless call in the same conversation brings after it."""
    async with SandboxPool(sandbox, LIMITS, concurrency=1, spares=0) as pool:
        watch.note(pool.pids)
        tool = PythonTool(pool)
        first = await tool.run(json.dumps({"code": code}), [])
        second = await tool.run(json.dumps({"code": "print(6 * 7)"}), [])
        watch.note(pool.pids)
        await tool.close()
    return first, second


SLOW = {
    "large_power",
    "fork_bomb_that_goes_on",
    "memory_of_children",
    "deep_recursion_unbounded",
    "thread_bomb",
    "slow_regex",
    "catch_everything",
    "ignore_signals",
    "half_a_reply_and_wait",
    "picture_that_never_comes",
    "replaced_reply",
    "finalizer",
    "read_the_requests",
    "fill_tmp_by_many",
    "noise_picture",
    "huge_picture",
    "sleep_for_ever",
    "memory_python",
    "kill_itself",
    "close_replies",
    "output_raw",
    "output_error",
    "output_short_of_stopping",
    "many_files_in_many_folders",
    "replaced_pil",
    "unshare_mounts",
    "ptrace",
    "perf",
    "userfaultfd",
    "io_uring",
    "keyctl",
    "kexec",
    "load_module",
    "swap",
    "reboot",
    "open_by_handle",
    "set_clock",
    "read_other_memory",
    "bpf",
    "udp",
    "vsock",
    "dns",
    "http",
}
"""Scripts that are left to the slow lane: others that run into the same bound, or filter, are in the fast one."""


@pytest.mark.parametrize(
    "script",
    [pytest.param(one, id=one.name, marks=[pytest.mark.slow] if one.name in SLOW else []) for one in SCRIPTS],
)
def test_a_hostile_script_is_contained(script: Hostile, around: Surroundings, watch: Watch) -> None:
    sandbox = backend("bwrap")
    assert isinstance(sandbox, Bwrap)
    assert_contained(sandbox, script, around, watch)


@pytest.mark.slow
@pytest.mark.parametrize("script", [*RESOURCES, *PROCESS, *REPLIES], ids=lambda script: script.name)
def test_a_hostile_script_is_contained_without_control_groups(
    script: Hostile, around: Surroundings, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bwrap, "hierarchy", lambda: Hierarchy({}, 0))
    sandbox = backend("bwrap")
    assert isinstance(sandbox, Bwrap)
    assert sandbox.groups.missing
    assert_contained(sandbox, script, around, watch)


def assert_contained(sandbox: Bwrap, script: Hostile, around: Surroundings, watch: Watch) -> None:
    begun = time.monotonic()
    first, second = asyncio.run(attack(sandbox, around.into(script.code), watch))
    assert time.monotonic() - begun < LONGEST
    watch.assert_nothing_left(sandbox)
    around.assert_untouched()
    assert first.outcome in script.outcomes.split()
    assert script.said in first.text
    assert SECRET not in first.text
    assert len(first.text) < 2 * LIMITS.output_chars
    assert len(first.pictures) <= LIMITS.pictures
    assert second.outcome == "executed"
    assert "42" in second.text


def test_the_table_is_a_table() -> None:
    names = [script.name for script in SCRIPTS]
    assert set(names) > SLOW
    assert len(set(names)) == len(names) >= 40
