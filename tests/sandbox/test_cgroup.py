"""Control groups: where they can be made, what is written to them, and that none is left behind."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path

import pytest

from beholder.sandbox import cgroup
from beholder.sandbox.cgroup import CONTROLLERS, Hierarchy, hierarchy
from beholder.sandbox.limits import SandboxLimits

LIMITS = SandboxLimits(memory=64 << 20, processes=10, cores=0.5)


def pretend(monkeypatch: pytest.MonkeyPatch, mounts: list[tuple[frozenset[str], Path]], own: dict[str, str]) -> None:
    monkeypatch.setattr(cgroup, "_mounts", lambda: iter(mounts))
    monkeypatch.setattr(cgroup, "_own_groups", lambda: own)


def test_version_1_is_used_below_our_own_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in ("memory/mine", "pids", "cpu,cpuacct/mine"):
        (tmp_path / path).mkdir(parents=True)
    mounts = [
        (frozenset({"memory"}), tmp_path / "memory"),
        (frozenset({"pids"}), tmp_path / "pids"),
        (frozenset({"cpu"}), tmp_path / "cpu,cpuacct"),
        (frozenset({"other"}), tmp_path / "devices"),
    ]
    pretend(monkeypatch, mounts, {"memory": "mine", "pids": "", "cpu": "mine", "": "mine"})
    found = hierarchy()
    assert found.version == 1
    assert found.missing == ()
    assert found.folders["memory"] == tmp_path / "memory" / "mine"


HANDED = [
    # (what each folder from the mount down hands on, our own group, folder that is used, controllers that are missing)
    ({"": "memory pids", "user": "memory pids", "user/app": "", "user/app/own": ""}, "user/app/own", "user", ("cpu",)),
    ({"": "", "user": "", "user/app": "memory pids cpu", "user/app/own": ""}, "user/app/own", "user/app", ()),
    ({"": "", "own": ""}, "own", None, CONTROLLERS),
    ({"": "pids cpu", "own": ""}, "own", None, CONTROLLERS),
    ({"": "memory pids cpu"}, "", "", ()),
]


@pytest.mark.parametrize(("handed", "own", "used", "missing"), HANDED)
def test_version_2_is_used_where_controllers_are_handed_on(
    handed: dict[str, str],
    own: str,
    used: str | None,
    missing: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for path, controllers in handed.items():
        (tmp_path / path).mkdir(parents=True, exist_ok=True)
        (tmp_path / path / "cgroup.subtree_control").write_text(controllers)
        (tmp_path / path / "cgroup.procs").touch()
    pretend(monkeypatch, [(frozenset(), tmp_path)], {"": own})
    found = hierarchy()
    assert found.missing == missing
    assert set(found.folders.values()) == (set() if used is None else {tmp_path / used})


def test_where_nothing_can_be_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pretend(monkeypatch, [(frozenset({"memory"}), tmp_path / "gone")], {"memory": "x"})
    assert hierarchy().folders == {}
    pretend(monkeypatch, [], {})
    assert hierarchy().missing == CONTROLLERS


WRITTEN = {
    1: {
        "memory.limit_in_bytes": "67108864",
        "memory.memsw.limit_in_bytes": "67108864",
        "pids.max": "12",
        "cpu.cfs_period_us": "100000",
        "cpu.cfs_quota_us": "50000",
    },
    2: {
        "memory.max": "67108864",
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "12",
        "cpu.max": "50000 100000",
    },
}


@pytest.mark.parametrize("version", WRITTEN)
def test_what_is_written(version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Path.mkdir

    def make_with_files(path: Path, *arguments: object) -> None:
        made(path)
        for name in WRITTEN[version]:
            (path / name).touch()

    monkeypatch.setattr(Path, "mkdir", make_with_files)
    group = Hierarchy(dict.fromkeys(CONTROLLERS, tmp_path), version).make(LIMITS)
    [folder] = tmp_path.iterdir()
    assert {path.name: path.read_text() for path in folder.iterdir()} == WRITTEN[version]
    assert group.entrances == (str(folder / "cgroup.procs"),)


MEMORY_EVENTS = [
    (1, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n", False),
    (1, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n", True),
    (2, "memory.events", "low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\n", True),
    (2, "memory.events", "low 0\nhigh 0\nmax 9\noom 0\noom_kill 0\n", False),
    (2, "another", "", False),
]


@pytest.mark.parametrize(("version", "name", "text", "ran_out"), MEMORY_EVENTS)
def test_whether_memory_ran_out(version: int, name: str, text: str, ran_out: bool, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    group = cgroup.Group({"memory": tmp_path}, version)
    assert group.ran_out_of_memory() is ran_out


def test_groups_of_processes_that_are_gone_are_removed_and_no_others(tmp_path: Path) -> None:
    space, start = os.stat("/proc/self/ns/pid").st_ino, cgroup._start_of(os.getpid())
    kept = {
        f"beholder-{space}-{os.getpid()}-{start}-0",
        f"beholder-{space + 1}-{2**22 + 5}-77-3",  # of another process namespace: who knows whether it is gone
        "beholder-something",
        "beholder-a-b-c-d",
        "another",
    }
    gone = {
        f"beholder-{space}-{os.getpid()}-1-0",  # of a process that had our number before us
        f"beholder-{space}-{2**22 + 5}-77-3",
    }
    for name in kept | gone:
        (tmp_path / name).mkdir()
    assert Hierarchy(dict.fromkeys(CONTROLLERS, tmp_path), 1).remove_stale() == len(gone)
    assert {path.name for path in tmp_path.iterdir()} == kept


def test_a_process_that_cannot_be_looked_at_may_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / f"beholder-{os.stat('/proc/self/ns/pid').st_ino}-{2**22 + 5}-77-3"
    folder.mkdir()

    def no_more_files(path: Path) -> str:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_text", no_more_files)
        assert not cgroup._is_stale(folder)
    assert cgroup._is_stale(folder)


def test_what_is_left_in_a_stale_group_is_ended() -> None:
    found = hierarchy()
    if not found.folders:
        assert found.remove_stale() == 0
        return
    apart = found.folders["memory"] / f"beholder-test-{os.getpid()}"  # from the tests that run beside this one
    stale = apart / f"beholder-{os.stat('/proc/self/ns/pid').st_ino}-{2**22 + 5}-77-0"
    stale.mkdir(parents=True)
    left = subprocess.Popen(["/bin/sleep", "60"])
    (stale / "cgroup.procs").write_text(str(left.pid))
    try:
        Hierarchy({"memory": apart}, found.version).remove_stale()
        assert left.wait(5) == -9
        Hierarchy({"memory": apart}, found.version).remove_stale()
        assert not stale.exists()
    finally:
        left.kill()
        apart.rmdir()


def test_the_groups_of_this_machine() -> None:
    """Where they can be made, the kernel takes what is written; elsewhere there are none."""
    found = hierarchy()
    if not found.folders:
        assert found.version == 0
        return
    group = found.make(LIMITS)
    try:
        name = "memory.max" if found.version == 2 else "memory.limit_in_bytes"
        folder = found.folders["memory"] / Path(group.entrances[0]).parent.name
        assert (folder / name).read_text().strip() == "67108864"
        assert group.processes() == 0
    finally:
        assert group.remove()
    assert group.remove()  # again: nothing to do


def test_what_our_own_group_leaves_us() -> None:
    bound = cgroup.bound_of_memory()
    assert bound is None or bound > 0
