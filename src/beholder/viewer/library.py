"""The runs of a folder, found by name, each with its index.

A run's name comes from the listing alone: what a page asks for is looked up in it and never joined to a path.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine.lifecycle import benchmark_of, plan_of
from beholder.engine.plan import Plan
from beholder.errors import UsageError
from beholder.store.folder import EXPERIMENT, RunInfo, begun, read_info
from beholder.viewer.cache import cache_folder
from beholder.viewer.index_file import sweep_indexes

if TYPE_CHECKING:
    from beholder.viewer.index import Index
    from beholder.viewer.keeping import Kept

_STATE = ("run.json", "results.json", "run.db", "run.db-wal")
"""The files of a run by which one sees that it has changed."""
_MOST_OPENED = 500
_MOST_INDEXES = 24
"""Indexes that are held open; the others are opened again when somebody looks."""
_MADE_AT_ONCE = 2


class Opened(msgspec.Struct, frozen=True):
    """What run.json says of a run."""

    id: str
    folder: Path
    info: RunInfo
    plan: Plan
    found: Benchmark


class Library:
    """The runs of `runs_dir` and the arms of its experiments. Safe to use from several threads.

    `cache` is where indexes and small pictures are kept: by default the user's cache folder, or a temporary one where
    that cannot be written (then `note` says so).
    """

    def __init__(self, runs_dir: Path, *, cache: Path | None = None) -> None:
        self.runs_dir = runs_dir
        self.cache, self.note = cache_folder(cache)
        self._lock = threading.Lock()
        self._listed: dict[str, Path] = {}
        self._begun: dict[Path, tuple[str, tuple[float, int, str]]] = {}
        """Run folder → what run.json was like, and when the run was begun."""
        self._opened: dict[str, tuple[str, Opened]] = {}
        self._indexes: dict[str, Kept] = {}
        self._turn = threading.Semaphore(_MADE_AT_ONCE)
        self._stop = threading.Event()
        sweep_indexes(self.cache)

    def folders(self) -> dict[str, Path]:
        """Run → its folder, newest first. The arms of an experiment are named `experiment/arm`."""
        found: dict[str, Path] = {}
        for child in _folders_in(self.runs_dir):
            if (child / "run.json").is_file():
                found[child.name] = child
            if (child / EXPERIMENT).is_file():
                arms = (arm for arm in _folders_in(child) if (arm / "run.json").is_file())
                found |= {f"{child.name}/{arm.name}": arm for arm in arms}
        ages = {run: age for run, folder in found.items() if (age := self._age(folder)) is not None}
        listed = {run: found[run] for run in sorted(ages, key=lambda run: (ages[run], run), reverse=True)}
        with self._lock:
            self._listed = listed
            self._begun = {folder: known for folder in listed.values() if (known := self._begun.get(folder))}
        return dict(listed)

    def folder(self, run: str) -> Path:
        """The folder of a run; `UsageError` if there is none of that name."""
        folder = self._listed.get(run)
        if folder is None or not (folder / "run.json").is_file():
            folder = self.folders().get(run)
        if folder is None:
            raise UsageError(f"There is no run {run[:120]!r} here. It may have been renamed or deleted.")
        return folder

    def version(self, run: str) -> str:
        """A word that changes whenever run.json, results.json or the journal do."""
        return version_of(self.folder(run))

    def opened(self, run: str) -> Opened:
        """What run.json says; `UsageError` if it is damaged or of a benchmark that is not known here."""
        folder = self.folder(run)
        now = stamp_of(folder / "run.json")
        with self._lock:
            before, known = self._opened.get(run, ("", None))
        if known is not None and before == now and known.folder == folder:
            return known
        opened = _open(run, folder)
        with self._lock:
            if len(self._opened) >= _MOST_OPENED:
                self._opened.clear()
            self._opened[run] = (now, opened)
        return opened

    def index(self, run: str, *, whole: bool = False) -> Index:
        """The index of a run's samples, up to date.

        A large one is made in a thread. Meanwhile this gives the one before or as much as there is, with `ready` below
        1; `whole` waits for all of it. `UsageError` if the run cannot be read.
        """
        version = self.version(run)
        kept = self._kept_index(self.opened(run))
        return kept.whole(version) if whole else kept.current(version)

    def being_made(self) -> dict[str, float]:
        """Run → how much of its index is made (0..1), for those that are being made now."""
        with self._lock:
            kept = list(self._indexes.values())
        return {one.run.id: share for one in kept if (share := one.share) is not None}

    def without_paths(self, said: str) -> str:
        """What is said of a run as a page shows it: paths begin at the runs folder. Who reads it need not be at this
        machine."""
        for folder in (self.runs_dir.resolve(), self.runs_dir, self.cache):
            said = said.replace(f"{folder}/", "")
        return said

    def close(self) -> None:
        """Ends what is being made, and removes the cache if it was a temporary one."""
        self._stop.set()
        with self._lock:
            kept = list(self._indexes.values())
            self._indexes.clear()
        for one in kept:
            one.end()
        if self.note:
            shutil.rmtree(self.cache, ignore_errors=True)

    def _kept_index(self, opened: Opened) -> Kept:
        from beholder.viewer.keeping import Kept

        with self._lock:
            kept = self._indexes.pop(opened.id, None)
            if kept is None or kept.run.folder != opened.folder or kept.run.info.created != opened.info.created:
                kept = Kept(opened, self.cache, self._turn, self._stop)
            self._indexes[opened.id] = kept  # the last one is the one used last
            for old in list(self._indexes)[:-_MOST_INDEXES]:
                if self._indexes[old].share is None:
                    del self._indexes[old]
        return kept

    def _age(self, folder: Path) -> tuple[float, int, str] | None:
        """When a run was begun, as far as the listing is sorted by it; None if it has just gone."""
        now = stamp_of(folder / "run.json")
        before, age = self._begun.get(folder, ("", None))
        if age is None or before != now:
            try:
                age = begun(folder)
            except OSError:
                return None
            with self._lock:
                self._begun[folder] = (now, age)
        return age


def version_of(folder: Path) -> str:
    """A word for the state of a run folder's files."""
    stamps = "|".join(stamp_of(folder / name) for name in _STATE)
    return hashlib.blake2b(stamps.encode(), digest_size=8).hexdigest()


def stamp_of(file: Path) -> str:
    """What tells one state of a file from another; "" if there is none, or nothing in it."""
    try:
        facts = file.stat()
    except OSError:
        return ""
    return f"{facts.st_ino}-{facts.st_size}-{facts.st_mtime_ns}" if facts.st_size else ""


def _folders_in(folder: Path) -> list[Path]:
    """The folders in a folder that can be named in an address. Hidden ones are being made; links are followed."""
    try:
        names = [entry.name for entry in os.scandir(folder) if not entry.name.startswith(".")]
    except OSError:
        return []
    return [folder / name for name in names if _can_be_named(name)]


def _can_be_named(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _open(run: str, folder: Path) -> Opened:
    info = read_info(folder)
    try:
        plan = plan_of(info)
        found = benchmark_of(info, plan)
    except RecursionError:
        raise UsageError(f"{folder / 'run.json'} is damaged (nested too deep).") from None
    return Opened(run, folder, info, plan, found)
