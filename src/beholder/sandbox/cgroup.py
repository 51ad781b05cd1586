"""Control groups: the kernel's bounds for all processes of one sandbox together.

One group for each sandbox and hierarchy, below the group that we are in ourselves: what bounds us bounds it too.
Version 1 is used where its folders can be written (often in containers and virtual machines), version 2 where a
folder of the systemd user's tree is ours and hands on the controllers. Groups of a process that was killed are removed
by the next one, with what is still in them (a kill can catch bubblewrap half-way, and leave a part of it waiting).

Where version 2 is there, if only beside version 1, a group of it within the group freezes the worker between calls: no
signal wakes what is frozen, but it can be killed. Bubblewrap stays out of it, or it would not see the worker end.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from beholder.sandbox.limits import SandboxLimits

CONTROLLERS = ("memory", "pids", "cpu")
_PREFIX = "beholder-"
_PERIOD = 100_000
"""Microseconds over which processor time is counted."""
_OWN_PROCESSES = 2
"""Of bubblewrap, beside those that the model's code may have."""
_PROCESSES, _FREEZE = "cgroup.procs", "cgroup.freeze"
_INNER = "worker"
_numbers = count()


class Hierarchy:
    """Folders in which groups can be made: controller to folder. In version 2 it is one folder for all.

    `freezer` is a folder of version 2 whose groups can be frozen, None where there is none.
    """

    def __init__(self, folders: dict[str, Path], version: int, freezer: Path | None = None) -> None:
        self.folders = folders
        self.version = version
        self.freezer = freezer

    @property
    def places(self) -> set[Path]:
        """All folders in which groups are made."""
        return {*self.folders.values(), *([self.freezer] if self.freezer else [])}

    @property
    def missing(self) -> tuple[str, ...]:
        """The controllers that do not work here."""
        return tuple(name for name in CONTROLLERS if name not in self.folders)

    def make(self, limits: SandboxLimits) -> Group:
        """A new group with these limits. Raises OSError."""
        name = f"{_own_prefix()}{next(_numbers)}"
        folders = {controller: folder / name for controller, folder in self.folders.items()}
        group = Group(folders, self.version, self.freezer / name / _INNER if self.freezer else None)
        try:
            group.create(limits)
        except OSError:
            group.remove()
            raise
        return group

    def remove_stale(self) -> int:
        """Removes the groups of processes that are gone, and ends what is left in them. How many folders that were."""
        stale = [path for folder in self.places for path in folder.glob(f"{_PREFIX}*") if _is_stale(path)]
        left = [path for path in stale if not _remove_folder(path)]
        for path in left:
            _end_all_in(path)
        return len(stale) - sum(not _removed_soon(path) for path in left)


class Group:
    """The folders of one group."""

    def __init__(self, folders: dict[str, Path], version: int, freezer: Path | None = None) -> None:
        self._folders = folders
        self._version = version
        self._freezer = freezer
        self._holds = False

    @property
    def entrances(self) -> tuple[str, ...]:
        """The files that a process writes its number to, to enter."""
        return tuple(str(folder / _PROCESSES) for folder in sorted(set(self._folders.values())))

    def create(self, limits: SandboxLimits) -> None:
        """Makes the folders and writes the limits."""
        for folder in set(self._folders.values()):
            folder.mkdir()
        if self._freezer is not None:
            self._freezer.mkdir(parents=True)
        for controller, name, value in _settings(self._version, limits):
            if controller not in self._folders:
                continue
            file = self._folders[controller] / name
            if file.exists():  # kernels without swap accounting lack its files
                file.write_text(value)

    def hold(self, pid: int) -> None:
        """From now on `freeze` is for this process, and for those that it starts."""
        if self._freezer is not None:
            with contextlib.suppress(OSError):  # some containers let us make groups, and enter none
                (self._freezer / _PROCESSES).write_text(str(pid))
                self._holds = True

    def freeze(self, frozen: bool) -> None:
        """Keeps the held processes from running, or lets them run; nothing where that cannot be done."""
        if self._freezer is not None and self._holds:
            (self._freezer / _FREEZE).write_text(str(int(frozen)))

    def processes(self) -> int:
        """How many processes are in the group, bubblewrap's own included."""
        folders = [next(iter(self._folders.values()))]
        if self._freezer is not None and self._version == 2:  # what is held lies in a group of its own
            folders.append(self._freezer)
        return sum(len((folder / _PROCESSES).read_text().split()) for folder in folders)

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel has ended a process of the group for lack of memory."""
        if "memory" not in self._folders:
            return False
        file = self._folders["memory"] / ("memory.events" if self._version == 2 else "memory.oom_control")
        try:
            words = dict(line.split() for line in file.read_text().splitlines())
        except (OSError, ValueError):
            return False
        return int(words.get("oom_kill", 0)) > 0

    def remove(self) -> bool:
        """Removes the folders; False where a process is still in one of them."""
        folders = {*self._folders.values(), *([self._freezer.parent] if self._freezer else [])}
        removed = [_remove_folder(folder) for folder in folders]
        return all(removed)


def hierarchy() -> Hierarchy:
    """What can be used here; its `folders` are empty where nothing can."""
    mounts = list(_mounts())
    own = _own_groups()
    folders = {}
    for kinds, mount in mounts:
        for controller in CONTROLLERS:
            if controller in kinds and (path := own.get(controller)) is not None:
                folder = mount / path
                if _can_make_groups(folder):
                    folders[controller] = folder
    unified = next((mount for kinds, mount in mounts if not kinds), None)
    path = own.get("")
    if folders:
        beside = unified / path if unified is not None and path is not None else None
        return Hierarchy(folders, 1, beside if beside and _can_freeze(beside) else None)
    if unified is not None and path is not None:
        found = _handed_on(unified, path)
        if found is not None:
            folder, controllers = found
            return Hierarchy(dict.fromkeys(controllers, folder), 2, folder if _can_freeze(folder) else None)
    return Hierarchy({}, 0)


def bound_of_memory() -> int | None:
    """Bytes that the control group we are in leaves us; None where there is no bound."""
    own = _own_groups()
    for kinds, mount in _mounts():
        path = own.get("memory" if "memory" in kinds else "")
        if path is None or (kinds and "memory" not in kinds):
            continue
        names = ("memory.limit_in_bytes", "memory.usage_in_bytes") if kinds else ("memory.max", "memory.current")
        try:
            most, used = ((mount / path / name).read_text().strip() for name in names)
        except (OSError, ValueError):
            continue
        if most.isdecimal() and int(most) < 1 << 60:
            return max(0, int(most) - int(used))
    return None


def wait_and_remove(group: Group, seconds: float = 2.0) -> bool:
    """Removes a group whose processes are just ending."""
    until = time.monotonic() + seconds
    while not group.remove():
        if time.monotonic() > until:
            return False
        time.sleep(0.005)
    return True


def _own_prefix() -> str:
    """What the names of our groups begin with: our process namespace, our number in it, and when we began.

    Without the namespace, a Beholder in a container would look to one outside as if it were gone.
    """
    return f"{_PREFIX}{_namespace()}-{os.getpid()}-{_start_of(os.getpid())}-"


def _namespace() -> int:
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return 0


def _is_stale(path: Path) -> bool:
    """Whether a group is of a process of our namespace that is gone."""
    parts = path.name.removeprefix(_PREFIX).split("-")
    if len(parts) != 4 or not all(part.isdecimal() for part in parts):
        return False
    namespace, pid, start, _ = parts
    return int(namespace) == _namespace() and _start_of(int(pid)) not in (start, None)


def _end_all_in(path: Path) -> None:
    for folder in (path / _INNER, path):
        with contextlib.suppress(OSError):
            for number in (folder / _PROCESSES).read_text().split():
                if int(number) > 1:  # 0: one that is not to be seen from our namespace
                    os.kill(int(number), signal.SIGKILL)


def _remove_folder(path: Path) -> bool:
    for folder in (path / _INNER, path):
        try:
            folder.rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            return False
    return True


def _removed_soon(path: Path, seconds: float = 0.2) -> bool:
    """Removes a folder whose processes are just ending; the next start tries again."""
    until = time.monotonic() + seconds
    while not _remove_folder(path):
        if time.monotonic() > until:
            return False
        time.sleep(0.005)
    return True


def _settings(version: int, limits: SandboxLimits) -> list[tuple[str, str, str]]:
    """(controller, file, value), in the order in which the kernel takes them."""
    memory, processes = str(limits.memory), str(limits.processes + _OWN_PROCESSES)
    share = str(max(1_000, int(limits.cores * _PERIOD)))
    if version == 2:
        return [
            ("memory", "memory.max", memory),
            ("memory", "memory.swap.max", "0"),
            ("memory", "memory.oom.group", "1"),
            ("pids", "pids.max", processes),
            ("cpu", "cpu.max", f"{share} {_PERIOD}"),
        ]
    return [
        ("memory", "memory.limit_in_bytes", memory),
        ("memory", "memory.memsw.limit_in_bytes", memory),
        ("pids", "pids.max", processes),
        ("cpu", "cpu.cfs_period_us", str(_PERIOD)),
        ("cpu", "cpu.cfs_quota_us", share),
    ]


def _mounts() -> Iterator[tuple[frozenset[str], Path]]:
    """(controllers of version 1, or none for version 2; where it is mounted)."""
    try:
        lines = Path("/proc/self/mounts").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, place, kind, options, *_ = line.split()
        if kind == "cgroup":
            yield frozenset(options.split(",")) & frozenset(CONTROLLERS) or frozenset(("other",)), Path(place)
        elif kind == "cgroup2":
            yield frozenset(), Path(place)


def _own_groups() -> dict[str, str]:
    """Controller to the path of our own group, relative to the mount; of version 2 under the empty name."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return {}
    groups = {}
    for line in lines:
        _, kinds, path = line.split(":", 2)
        for kind in kinds.split(","):
            groups[kind] = path.lstrip("/")
    return groups


def _handed_on(mount: Path, path: str) -> tuple[Path, tuple[str, ...]] | None:
    """The nearest folder at or above our own group that is ours and hands controllers on to its children."""
    folder = mount / path
    while folder.is_relative_to(mount):
        try:
            handed = (folder / "cgroup.subtree_control").read_text().split()
        except OSError:
            handed = []
        useful = tuple(name for name in CONTROLLERS if name in handed)
        if "memory" in useful and _can_make_groups(folder) and os.access(folder / _PROCESSES, os.W_OK):
            return folder, useful
        folder = folder.parent
    return None


def _can_make_groups(folder: Path) -> bool:
    """Tried out: root may write to a folder of a file system that is mounted read-only, says `access`."""
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        return False
    trial = folder / f"{_own_prefix()}{next(_numbers)}"
    try:
        trial.mkdir()
        trial.rmdir()
    except OSError:
        return False
    return True


def _can_freeze(folder: Path) -> bool:
    """Tried out, too: kernels before 5.2 have no file for it, and the uppermost group has none."""
    trial = folder / f"{_own_prefix()}{next(_numbers)}"
    try:
        trial.mkdir()
        return (trial / _FREEZE).exists()
    except OSError:
        return False
    finally:
        _remove_folder(trial)


def _start_of(pid: int) -> str | None:
    """When a process began, in the kernel's ticks. With the pid it names a process for good.

    Empty if there is none; None if it cannot be told, for too many open files or whatever: then it may be there.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    except OSError:
        return None
    return stat.rpartition(")")[2].split()[19]
