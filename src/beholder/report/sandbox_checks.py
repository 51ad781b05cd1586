"""The sandbox in `beholder doctor`: a worker is really started, and tries from inside what it must not be able to."""

from __future__ import annotations

import json
import shutil
import sys
import time
from typing import Any

from beholder.errors import UsageError
from beholder.report.checkup import Check
from beholder.sandbox.backends import backend
from beholder.sandbox.bwrap import Bwrap
from beholder.sandbox.engines import ENGINES
from beholder.sandbox.limits import SandboxLimits
from beholder.sandbox.pool import SandboxPool, most_workers
from beholder.sandbox.seccomp import filter_for

_PROBES = """\
import ctypes, importlib.util, json, os, socket
def reaches(*address):
    try:
        socket.create_connection(address, 0.2).close()
    except PermissionError:
        return False
    except OSError:
        return "not refused"
    return True
def writes(path):
    try:
        open(path, "w").close()
    except OSError:
        return False
    return True
print(json.dumps({
    "user": os.getuid(),
    "network": reaches("192.0.2.1", 9),
    "etc": os.path.exists("/etc"),
    "homes": [path for path in ("/root", "/home") if os.path.exists(path)],
    "writes": [path for path in ("/a", "/dev/a", "/packages/a", "/python/a") if writes(path)],
    "filter": ctypes.CDLL(None).prctl(21, 0, 0, 0, 0),
    "process": os.getpid(),
    "missing": [name for name in ("cv2", "matplotlib") if importlib.util.find_spec(name) is None],
}))
"""
_FILTERED = 2
_WITHOUT = "runs without the Python tool work; it refuses to start"


async def sandbox_checks(limits: SandboxLimits = SandboxLimits()) -> list[Check]:  # noqa: B008 - frozen
    """Which sandbox works, what it keeps apart, which limits hold, and what else there is."""
    try:
        sandbox = backend()
        assert isinstance(sandbox, Bwrap)
        begun = time.perf_counter()
        async with SandboxPool(sandbox, limits, concurrency=1, spares=1) as pool:
            milliseconds = (time.perf_counter() - begun) * 1e3
            conversation = pool.conversation()
            answer = await conversation.call(_PROBES, ())
            await conversation.close()
    except UsageError as error:
        return [Check("sandbox", "note", f"{error}. Now {_WITHOUT}"), _others()]
    way = (
        "as root, each worker with a user of its own" if sandbox.users else "in a user namespace, as you without rights"
    )
    found = f"bwrap works ({sandbox.program}), {way}; started in {milliseconds:.0f} ms"
    return [Check("sandbox", "ok", found), isolation(answer.text), limits_in_force(sandbox, limits), _others()]


def isolation(told: str) -> Check:
    """What the probes inside found. Anything that is not as it must be is a failure."""
    try:
        seen: dict[str, Any] = json.loads(told)
    except ValueError:
        return Check("sandbox isolation", "fail", f"the probes did not run: {told[:200]}")
    wrong = [
        text
        for holds, text in (
            (seen["user"] == 0, "the code is root"),
            (seen["network"] is not False, "the network can be asked for"),
            (seen["etc"] or seen["homes"], "folders of this machine are there"),
            (seen["writes"], f"it can write to {', '.join(map(str, seen['writes']))}"),
            (seen["process"] > 2, "it shares a process namespace"),
            (filter_for() and seen["filter"] != _FILTERED, "system calls are not filtered"),
        )
        if holds
    ]
    if wrong:
        return Check("sandbox isolation", "fail", f"{'; '.join(wrong)}. Do not run the Python tool here")
    found = f"user {seen['user']}, no network, no file of this machine but Python's own, processes of its own"
    if seen["missing"]:
        found += f"; {' and '.join(seen['missing'])} cannot be imported: pip install 'beholder[tools]'"
    if not filter_for():
        return Check(
            "sandbox isolation", "note", f"{found}; weaker here: system calls are filtered on x86_64 and aarch64"
        )
    return Check("sandbox isolation", "note" if seen["missing"] else "ok", f"system calls filtered, {found}")


def limits_in_force(sandbox: Bwrap, limits: SandboxLimits) -> Check:
    """Which limits the kernel holds for the sandbox as a whole, and what that leaves."""
    groups = sandbox.groups
    room = most_workers(limits, 1_000_000)
    sizes = (
        f"memory {limits.memory >> 20} MiB, {limits.processes} processes, {limits.cores:g} core, "
        f"{limits.call_seconds:g} s a call; room for {room} workers"
    )
    weaker = {
        "memory": "memory is bounded for each process alone",
        "pids": "processes are counted by user",
        "cpu": "no share of the processor is kept from it",
    }
    if not groups.missing:
        return Check("sandbox limits", "ok", f"control groups (version {groups.version}): {sizes}")
    kind = (
        f"control groups (version {groups.version}) for {', '.join(sorted(groups.folders))}" if groups.folders else ""
    )
    said = kind or "no control group can be made here; each process has limits of its own"
    return Check(
        "sandbox limits", "note", f"{said}: {sizes}; weaker here: {', '.join(weaker[name] for name in groups.missing)}"
    )


def _others() -> Check:
    if not sys.platform.startswith("linux"):
        return Check("other sandboxes", "note", "bwrap is for Linux; --sandbox docker:IMAGE is untested")
    there = [name for name in ENGINES if shutil.which(name)]
    found = (
        f"{' and '.join(there)} can be named with --sandbox (not tried here)" if there else "neither docker nor podman"
    )
    return Check("other sandboxes", "ok", found)
