"""A run is a folder: run.json (what was asked), run.db (what came of it), blobs/ (each image once, by hash)."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shlex
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from beholder.errors import UsageError
from beholder.store import schema

EXPERIMENT = "experiment.json"
"""What makes a folder that of an experiment: the runs in it are its arms."""
LARGEST_INFO = 64 << 20
"""Bytes of a run.json that is read."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class RunInfo(msgspec.Struct, kw_only=True):
    """run.json. `plan` is the identity of the run (`plan_hash` its digest); `settings` is what else a resume needs to
    ask again (paths, endpoint, template text); `environment` records versions. `status` is `running`, `incomplete` or
    `complete`.
    """

    format: int
    plan: dict[str, Any]
    plan_hash: str
    settings: dict[str, Any]
    environment: dict[str, Any]
    created: str
    status: str = "running"
    finished: str = ""


def new_folder_name(benchmark: str, model: str, now: datetime) -> str:
    """A folder name that sorts by time and is safe on any file system: `2026-12-01T10-15-02_tfq_gpt-5`."""
    last = model.rstrip("/").rsplit("/", 1)[-1] if "/" in model else model
    safe = _UNSAFE.sub("-", last).strip("-.")[:60] or "model"
    return f"{now:%Y-%m-%dT%H-%M-%S}_{benchmark}_{safe}"


def create_run(runs_dir: Path, name: str, info: RunInfo, *, fsync: bool) -> Path:
    """Makes a run folder, complete at once: it is built under a hidden name and renamed. Returns its path."""
    building: Path | None = None
    try:
        runs_dir.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=".new-", dir=runs_dir))
        building.chmod(0o755)
        (building / "blobs").mkdir()
        write_info(building, info)
        connection = schema.create(building / "run.db", fsync=fsync)
        schema.close_for_good(connection)
        for attempt in range(1, 1000):
            folder = runs_dir / (name if attempt == 1 else f"{name}-{attempt}")
            try:
                folder.mkdir()  # claims the name; renaming onto an empty folder is atomic
            except FileExistsError:
                continue
            building.rename(folder)
            return folder
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"No run folder can be made in {runs_dir} ({reason}). Choose another --runs-dir.") from None
    finally:
        if building is not None:  # gone already if all went well
            shutil.rmtree(building, ignore_errors=True)
    raise UsageError(f"{runs_dir} already holds 999 runs named {name}. Choose another --runs-dir.")


def write_info(folder: Path, info: RunInfo) -> None:
    """Writes run.json in one step: a reader sees the old file or the new one."""
    write_atomically(folder / "run.json", msgspec.json.format(msgspec.json.encode(info), indent=2))


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file under a temporary name and renames it, so that nobody ever sees half of it.

    A device or a pipe (`/dev/stdout`) is written to: a file must not take its place.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        path.write_bytes(data)
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("wb") as sink:
        sink.write(data)
        sink.flush()
        os.fsync(sink.fileno())
    temporary.replace(path)


def read_info(folder: Path) -> RunInfo:
    """run.json of a run folder; `UsageError` if it is not one or was written by a newer Beholder."""
    path = folder / "run.json"
    try:
        info = msgspec.json.decode(_info_bytes(folder), type=RunInfo)
    except OSError:
        raise UsageError(f"{folder} is not a run folder (no run.json). `beholder list` shows the runs.") from None
    except (msgspec.DecodeError, ValueError, RecursionError) as error:  # a stranger's may hold anything
        raise UsageError(f"{path} is damaged ({error}).") from None
    if info.format > schema.FORMAT:
        raise UsageError(
            f"{folder} was written by a newer Beholder (format {info.format}). Upgrade Beholder to open it."
        )
    return info


def _info_bytes(folder: Path) -> bytes:
    """run.json, `ValueError` if it is larger than any of ours can be."""
    path = folder / "run.json"
    if path.stat().st_size > LARGEST_INFO:
        raise ValueError(f"it has more than {LARGEST_INFO >> 20} MB")
    return path.read_bytes()


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds the folder for one writer; a second one is told so at once. The lock dies with the process."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"{folder} is being written by another process. Wait for it, or stop it first.") from None
        yield
    finally:
        os.close(descriptor)


def find_run(name: str, runs_dir: Path) -> Path:
    """A run folder by path, by name under `runs_dir`, or `latest`."""
    if name == "latest":
        folders = list_runs(runs_dir)
        if not folders:
            raise UsageError(f"{runs_dir} holds no runs yet. Start one with `beholder run`.")
        return folders[-1]
    for candidate in (Path(name), runs_dir / name):
        if (candidate / "run.json").is_file():
            return candidate
    known = ", ".join(folder.name for folder in list_runs(runs_dir)[-3:])
    raise UsageError(f"There is no run {name!r}.{f' The newest are {known}.' if known else ''}")


def list_runs(runs_dir: Path) -> list[Path]:
    """The run folders under a directory, in the order they were begun, oldest first."""
    if not runs_dir.is_dir():
        return []
    return sorted(
        (child for child in runs_dir.iterdir() if not child.name.startswith(".") and (child / "run.json").is_file()),
        key=begun,
    )


class _Begun(msgspec.Struct):
    created: str


def begun(folder: Path) -> tuple[float, int, str]:
    """When a run was begun. `created` has whole seconds; within one, the folder of the blobs tells, which is made with
    the run and which neither a mark nor a rescore touches.
    """
    try:
        created = datetime.fromisoformat(_BEGUN.decode(_info_bytes(folder)).created).timestamp()
    except (OSError, ValueError, OverflowError, RecursionError):  # a damaged run.json
        created = (folder / "run.json").stat().st_mtime
    blobs = folder / "blobs"
    return created, (blobs if blobs.is_dir() else folder).stat().st_mtime_ns, folder.name


_BEGUN = msgspec.json.Decoder(_Begun)


def resume_command(folder: Path) -> str:
    """The command that continues a run, as it can be pasted into a shell.

    The folder of the runs is named where it is not the one that `beholder resume` looks at by itself.
    """
    parent = folder.resolve().parent
    usual = Path(os.environ.get("BEHOLDER_RUNS") or "runs").resolve()
    where = "" if parent == usual else f" --runs-dir {shlex.quote(str(folder.parent))}"
    return f"beholder resume {shlex.quote(str(folder))}{where}"


class Blobs:
    """The images of a run, each once, named by the SHA-256 of their bytes. Safe to use from several threads.

    Where the file system allows it, a blob is a hard link to the data set's own file: it costs no space and next to no
    time (design note 011). Whoever reads a blob checks its hash (`read`), so a file that was changed in place shows.
    """

    def __init__(self, folder: Path, *, fsync: bool = False) -> None:
        self._folder = folder / "blobs"
        self._fsync = fsync
        self._kept: set[str] = set()
        self._folders: set[str] = set()

    def keep(self, sha256: str, data: bytes, source: str | None = None) -> None:
        """Stores the bytes unless they are there already. `source` is the file they were just read from, if any."""
        if sha256 in self._kept:
            return
        path = str(self.path(sha256))
        folder = os.path.dirname(path)
        if folder not in self._folders:
            os.makedirs(folder, exist_ok=True)
            self._folders.add(folder)
        linked = source is not None and _link(source, path)
        if not linked and not _holds(path, len(data)):
            self._write(os.path.join(folder, f".{sha256}.{threading.get_ident():x}"), path, data)
        if self._fsync:
            _sync(folder)
        self._kept.add(sha256)

    def _write(self, temporary: str, path: str, data: bytes) -> None:
        try:
            with open(temporary, "wb") as sink:
                sink.write(data)
                if self._fsync:
                    sink.flush()
                    os.fsync(sink.fileno())
            os.replace(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise

    def read(self, sha256: str) -> bytes | None:
        """The bytes of a blob, or None if it is missing or no longer what it was."""
        try:
            data = self.path(sha256).read_bytes()
        except OSError:
            return None
        return data if hashlib.sha256(data).hexdigest() == sha256 else None

    def path(self, sha256: str) -> Path:
        """Where the blob lies. Only a hash can name one: nothing from a data set ever becomes a path."""
        if len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef"):
            raise ValueError(f"not a SHA-256: {sha256!r}")
        return self._folder / sha256[:2] / sha256


def _holds(path: str, size: int) -> bool:
    """Whether a file of that size is there: a power loss can leave an empty one behind."""
    try:
        return os.stat(path).st_size == size
    except OSError:
        return False


def _sync(folder: str) -> None:
    """Makes the names in a folder survive a power loss."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _link(source: str, target: str) -> bool:
    """Makes `target` a hard link to `source`; False if it cannot be one (another file system, no permission)."""
    try:
        if os.path.islink(source):  # hub caches: the link's own file is what has to be kept
            source = os.path.realpath(source)
        os.link(source, target)
    except OSError:  # also if it is there already: then its size is looked at
        return False
    return True
