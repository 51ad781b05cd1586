"""Keeps the index of one run up to date: a little at once, much in a thread, and what is there is shown meanwhile."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from beholder.errors import UsageError
from beholder.viewer import index_file
from beholder.viewer.index import Index
from beholder.viewer.indexing import StoppedError, build, grow, reading_run, since
from beholder.viewer.journal_items import of_a_run
from beholder.viewer.library import Opened

AT_ONCE = 1_500
"""Responses that are taken in while the one who asks waits: about a quarter of a second."""
_FIRST_LOOK = 0.4
"""Seconds that the first page waits for the first items."""
_STEPS = 16


class Kept:
    """The index of one run. `turn` lets a few be made at a time, `stop` is set when the viewer ends."""

    def __init__(self, run: Opened, cache: Path, turn: threading.Semaphore, stop: threading.Event) -> None:
        self.run = run
        self.place = index_file.place_of_index(cache, run.folder, run.info.created)
        self.turn, self.stop = turn, stop
        self._lock = threading.Lock()
        self._seen = ""
        """The version of the run that the index is of."""
        self._index: Index | None = None
        self._job: _Job | None = None
        self._failed = ("", "")
        """The version that could not be read, and why: it is not tried again and again. In words alone: an error holds
        on to what was being read, and so would lock the run's database."""

    @property
    def share(self) -> float | None:
        """How much is made, 0..1, while a thread makes it."""
        job = self._job
        return job.share if job is not None and not job.is_done else None

    def current(self, version: str) -> Index:
        """The index of the run in this version, or while that is being made the one before, or as much as there is.

        `UsageError` if the run cannot be read.
        """
        with self._lock:
            if self._job is not None and self._job.is_done:
                self._take_over(self._job)
            is_current = self._index is not None and self._seen == version and self.place.exists()
            if self._job is None and not is_current and self._failed[0] != version:
                self._bring_up_to(version)
            if self._index is not None and self._failed[0] != version:
                return self._index
            shown = self._job.so_far() if self._job is not None else None
            if shown is None and self._job is not None and self._job.done.wait(_FIRST_LOOK):
                self._take_over(self._job)
                shown = self._index
            if self._failed[0] == version:
                raise UsageError(self._failed[1])
            if shown is None:
                raise UsageError("The index of this run is about to be made. Look again.")
            return shown

    def whole(self, version: str) -> Index:
        """The index of the run in this version; waits for it."""
        index = self.current(version)
        while (job := self._job) is not None:
            job.done.wait()
            index = self.current(version)
        return index

    def end(self) -> None:
        """Waits for the thread; `stop` is set."""
        job = self._job
        if job is not None:
            job.join()

    def _take_over(self, job: _Job) -> None:
        """Takes what a job has made."""
        self._job = None
        if not job.error:
            self._open(job.version)
        else:
            self._failed = (job.version, job.error)

    def _open(self, version: str) -> None:
        opened = Index(self.place, leading=self.leading)
        index_file.is_used(self.place)
        if self._index is None or self._index.version != opened.version:
            self._index = opened
        self._seen = version

    @property
    def leading(self) -> list[str]:
        """The headline's scorer, and what stands in for it."""
        found = self.run.found
        return [found.headline[0], *(found.second_headline or ())[:1]]

    def _bring_up_to(self, version: str) -> None:
        """Does what is little at once, and begins a thread for what is much."""
        lacking = self._lacking()
        much = self._is_large() if lacking is None else lacking > AT_ONCE
        job = _Job(self, version, anew=lacking is None)
        if not much:
            job.run()
            self._take_over(job)
            return
        self._job = job
        job.start()
        if self._index is None:
            job.first.wait(_FIRST_LOOK)
            if job.is_done:
                self._take_over(job)

    def _lacking(self) -> int | None:
        """How many items an index that is there lacks; None if it has to be made anew."""
        try:
            if self._index is None:  # what was made before is shown meanwhile
                self._open("")
            with closing(index_file.open_index(self.place)) as file, reading_run(self.run) as db:
                found = since(self.run, db, file)
                return None if found is None else len(found.keys)
        except sqlite3.Error:  # there is none yet, or it is not as we would make it
            return None

    def _is_large(self) -> bool:
        with reading_run(self.run) as db, of_a_run():
            return len(db.execute("SELECT 1 FROM responses LIMIT ?", (AT_ONCE + 1,)).fetchall()) > AT_ONCE


class _Job(threading.Thread):
    """Makes an index, `anew` or by adding to what is there. `error` is what went wrong, "" if nothing did."""

    def __init__(self, kept: Kept, version: str, *, anew: bool) -> None:
        super().__init__(name="index", daemon=True)
        self.version = version
        self.share = 0.0
        self.error = ""
        self.first, self.done = threading.Event(), threading.Event()
        """Set as soon as there is something to show, and when all of it is made or nothing can be."""
        self._kept, self._anew = kept, anew
        self._made: Path | None = None
        self._shown: Index | None = None
        self._shown_at = (0.0, False)

    def run(self) -> None:
        """Carries it out. An error is kept for whoever asks."""
        kept = self._kept
        try:
            if self._anew or not self._has_grown():
                build(kept.run, kept.place, self._told, kept.stop, kept.turn)
        except (sqlite3.Error, OSError) as error:
            self.error = f"The index of {kept.run.id} cannot be written ({error}). Free some space."
        except StoppedError:
            self.error = "The viewer is ending."
        except UsageError as error:
            self.error = str(error)
        except BaseException as error:  # noqa: BLE001 - told to whoever asks for the index
            self.error = f"The index of {kept.run.id} cannot be made ({type(error).__name__}: {error})."
        finally:
            self.done.set()
            self.first.set()

    @property
    def is_done(self) -> bool:
        """Whether it has ended, well or not."""
        return self.done.is_set()

    def _has_grown(self) -> bool:
        try:
            return grow(self._kept.run, self._kept.place, self._told_share, self._kept.stop)
        except sqlite3.OperationalError:
            raise  # a full disk: another file would not mend it
        except sqlite3.DatabaseError:
            return False

    def so_far(self) -> Index | None:
        """What can be shown of an index that is being made; None if there is nothing, as when it has just been put into
        its place."""
        share, made, has_items = self.share, self._made, self.first.is_set()
        if made is not None and (self._shown is None or self._shown_at != (share, has_items)):
            try:
                self._shown = Index(made, leading=self._kept.leading, ready=share)
            except sqlite3.Error:
                return None
            self._shown_at = share, has_items
        return self._shown

    def _told(self, made: Path, share: float | None) -> None:
        self._made = made
        if share is not None:
            self._told_share(share)
            self.first.set()

    def _told_share(self, share: float) -> None:
        """In steps: pages fetch what is there at each of them."""
        self.share = int(share * _STEPS) / _STEPS
