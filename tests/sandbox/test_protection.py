"""Each protection by itself: a test that fails when it is taken away, even where another one would still hold."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hostile_scripts import WORKER
from talk import LIMITS, talk

from beholder.sandbox import process
from beholder.sandbox.backends import backend
from beholder.sandbox.bwrap import Bwrap
from beholder.sandbox.limits import SandboxLimits
from beholder.sandbox.pool import SandboxPool

TICKING = """\
import threading, time
longest = 0
def tick():
    global longest
    last = time.monotonic()
    while True:
        time.sleep(0.001)
        now = time.monotonic()
        longest, last = max(longest, now - last), now
threading.Thread(target=tick, daemon=True).start()
time.sleep(0.05)
"""


@pytest.mark.parametrize("by", ["signal", "freezing"])
def test_nothing_of_the_code_goes_on_between_calls(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = backend()
    assert isinstance(sandbox, Bwrap)
    if by == "signal":
        sandbox.groups.freezer = None
    elif sandbox.groups.freezer is None:
        pytest.skip("no group of version 2 can be made here")
    else:
        send = process._signal
        others = lambda handle, number: send(handle, number) if number != signal.SIGSTOP else None  # noqa: E731
        monkeypatch.setattr(process, "_signal", others)
    _, between = talk(TICKING, "time.sleep(0.05)\nround(longest, 1) >= 0.5", sandbox=sandbox, pause=0.6)
    assert between.text == "True\n"


def test_processes_that_are_left_behind_a_forged_reply_are_noticed() -> None:
    sandbox = backend()
    assert isinstance(sandbox, Bwrap)
    if not sandbox.groups.folders:
        pytest.skip("no control group can be made here")
    child = "if os.fork() == 0:\n    os.setsid()\n    while True: pass\n"
    reply = 'os.write(pipe, (\'{"id":"%s","outcome":"ok","pictures":[]}\\n\' % name).encode())\n'
    left, after = talk(WORKER + child + reply + "import time\nwhile True: time.sleep(1)", "1", sandbox=sandbox)
    assert (left.outcome, left.reason) == ("forged", "processes went on after the reply")
    assert after.text.endswith("1\n")


INSIDE = [
    # (what the code looks at, what it sees)
    ("os.getsid(0) > 0", "True"),  # 0: a session that began outside
    (
        "[os.statvfs(path).f_blocks * os.statvfs(path).f_frsize for path in ('/tmp', '/dev/shm')]",
        "[33554432, 16777216]",
    ),
    ("resource.getrlimit(resource.RLIMIT_CPU)", "(17, 17)"),
    ("resource.getrlimit(resource.RLIMIT_FSIZE)", "(33554432, 33554432)"),
    ("resource.getrlimit(resource.RLIMIT_CORE)", "(1, 1)"),
    ("resource.getrlimit(resource.RLIMIT_NOFILE)", "(99, 99)"),
    ("resource.getrlimit(resource.RLIMIT_NPROC)", "(23, 23)"),
    ("resource.getrlimit(resource.RLIMIT_MEMLOCK)", "(0, 0)"),
    ("resource.getrlimit(resource.RLIMIT_AS)[1] >> 20", str(384 + 512)),
]


def test_what_the_code_sees_of_its_limits() -> None:
    limits = SandboxLimits(memory=384 << 20, cpu_seconds=17, tmp_bytes=32 << 20, open_files=99, processes=23)
    answers = talk("import os, resource", *(look for look, _ in INSIDE), limits=limits)
    for (look, seen), answer in zip(INSIDE, answers[1:], strict=True):
        assert seen in answer.text, look


def test_what_the_kernel_says_of_a_worker() -> None:
    """From outside: namespaces of its own, a session that is not ours."""

    async def run() -> tuple[dict[str, bool], int]:
        async with SandboxPool(backend(), LIMITS, spares=0) as pool:
            [pid] = pool.pids
            kinds = ("cgroup", "ipc", "mnt", "net", "pid", "uts")
            shared = {
                kind: os.readlink(f"/proc/{pid}/ns/{kind}") == os.readlink(f"/proc/self/ns/{kind}") for kind in kinds
            }
            return shared, os.getsid(pid)

    shared, session = asyncio.run(run())
    assert not any(shared.values()), shared
    assert session != os.getsid(0)


def test_the_groups_of_users_that_we_are_in_are_left() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can be in any group, and leave it")
    before = os.getgroups()
    os.setgroups([54_321])
    try:
        [answer] = talk("import os\nos.getgroups()")
    finally:
        os.setgroups(before)
    assert answer.text == "[]\n"


@pytest.mark.slow
def test_an_ordinary_user_is_protected_too() -> None:
    """The hostile scripts of the fast lane once more as nobody in particular, where the other tests run as root."""
    if os.geteuid() != 0:
        pytest.skip("the other tests have run as an ordinary user")
    python = f"/usr/bin/python{sysconfig.get_python_version()}"
    paths = [path for path in sys.path if path.endswith(("site-packages", "src"))]
    user = 54_321
    readable = [python, *paths, os.path.join(os.path.dirname(__file__), "conftest.py")]
    look = ["/bin/sh", "-c", 'for path; do test -r "$path" || exit 1; done', "sh", *readable]
    if subprocess.run(look, user=user, group=user, extra_groups=[], check=False).returncode != 0:
        pytest.skip("another user cannot read Python and its packages here")
    with TemporaryDirectory(prefix="bh-") as home:
        os.chown(home, user, user)
        command = [python, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", f"{home}/t"]
        ran = subprocess.run(
            [
                *command,
                str(Path(__file__).with_name("test_hostile.py")),
                "-m",
                "not slow",
            ],
            user=user,
            group=user,
            extra_groups=[],
            check=False,
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[2],
            env={"HOME": home, "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(paths), "PYTHONDONTWRITEBYTECODE": "1"},
        )
    assert ran.returncode == 0, ran.stdout[-3000:]
    assert " passed" in ran.stdout
