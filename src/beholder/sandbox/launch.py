"""What a sandbox has to be for the pool: something that can be started and gives three pipes."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from typing import Any, Protocol

import msgspec

from beholder.errors import BeholderError
from beholder.sandbox.cgroup import Group, wait_and_remove
from beholder.sandbox.limits import SandboxLimits

START = """\
import json, sys, types
sources, setup = json.loads(sys.stdin.buffer.readline())
for name in ("beholder", "beholder.sandbox"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = []
for name, source in sources.items():
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(source, name, "exec"), module.__dict__)
    if hasattr(module, "give_up_rights"):
        module.give_up_rights(setup)
module.main(setup)
"""
"""What the interpreter inside is started with: it takes the worker's sources, and what to set up, from its input. The
first source gives up all rights before another one is looked at."""


_TO_STOP = 5.0
"""Seconds for the command that ends a container."""


class SandboxBroken(BeholderError):
    """The sandbox could not be started: our fault or the machine's, never the model's."""


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """How to start one process.

    `command` is run with standard input, output and error as pipes. `setup` goes to `worker.main`. `uid` is the user
    that the process must have become, None where that is not looked at. `group` is its control group. `stop` is a
    command that ends what killing the started process would leave behind (a container). `folder` is where the command
    is started; it was made for it, and is removed when it has ended.
    """

    command: tuple[str, ...]
    setup: dict[str, Any]
    uid: int | None = None
    group: Group | None = None
    stop: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    folder: str | None = None

    def clear_up(self) -> None:
        """Removes what was made for the process, once it has ended or where it could not be started. May block."""
        if self.group is not None:
            wait_and_remove(self.group)
        if self.stop:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(  # noqa: S603 - our own command
                    self.stop, capture_output=True, timeout=_TO_STOP, check=False, stdin=subprocess.DEVNULL
                )
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


class Backend(Protocol):
    """A way to run Python apart."""

    name: str

    def launch(self, slot: int, limits: SandboxLimits, info: int) -> Launch:
        """The command for the worker of a slot (from 0; no two workers that run have the same).

        `info` is the number of a pipe to which bubblewrap writes what it has started. Raises `SandboxBroken`.
        """
        ...


def rlimits(limits: SandboxLimits) -> dict[str, int]:
    """The limits that each process has by itself, by their names in `resource`."""
    return {
        "RLIMIT_AS": limits.memory + _LIBRARIES,
        "RLIMIT_CPU": limits.cpu_seconds,
        "RLIMIT_NPROC": limits.processes,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_FSIZE": limits.tmp_bytes,
        "RLIMIT_CORE": 1,  # not 0: only this one keeps the kernel from starting the program that takes core dumps
        "RLIMIT_MEMLOCK": 0,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_SIGPENDING": 256,
    }


_LIBRARIES = 512 << 20
"""Addresses that loaded libraries and threads reserve without using the memory."""


def setup_of(limits: SandboxLimits, **more: Any) -> dict[str, Any]:
    """What every worker is told; `more` is what the backend adds to it or says otherwise."""
    told = {
        "rlimits": rlimits(limits),
        "uid": None,
        "seccomp": "",
        "alone": True,
        "path": [],
        "folder": "/tmp",  # noqa: S108 - of the sandbox
        "limits": msgspec.to_builtins(limits),
    }
    return told | more
