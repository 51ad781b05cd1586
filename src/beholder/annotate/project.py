"""An annotation project is a folder in which people decide, several at once, and in which no decision is ever lost.

    PROJECT/
      project.json     the form, and how the project was made
      project.db       items, proposals of models, and every decision with its author, time and history
      images/          the pictures, each once, by the SHA-256 of their bytes
      runs/            the runs of the annotators, where models proposed

A decision names the revision that it was based on. If that no longer holds, it is refused, and kept in the history.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from beholder.annotate import building, decisions, project_db
from beholder.annotate.consensus import ADJUDICATE, CONFIRM, Consensus, renumbered
from beholder.annotate.decisions import Held, InForce
from beholder.annotate.forms import Form, Value, check_form, check_value, tidy
from beholder.annotate.items import (
    DONE,
    OPEN,
    REFUSED,
    SAVE,
    SKIP,
    SKIPPED,
    UNDO,
    Annotator,
    Decision,
    Item,
    KeptApart,
    NewItem,
    Picture,
    Proposal,
    QueueRow,
    ShownProposal,
    Stale,
    author_of,
    note_of,
    person_of,
)
from beholder.annotate.project_db import decoded, writing
from beholder.errors import UsageError
from beholder.images.load import DEFAULT_LIMITS
from beholder.seeds import rng_for
from beholder.store.storable import json_text

FORMAT = 1
FILE = "project.json"
_HASH = re.compile(r"[0-9a-f]{64}\Z")
WAITING = (ADJUDICATE, CONFIRM, OPEN, SKIPPED, DONE)
"""The states of an item, in the order of the queue."""


class Info(msgspec.Struct, frozen=True, kw_only=True):
    """project.json. `annotators` counts the models (their names are in the database alone), `agree` is how many of them
    settle a field, `people` how many persons each item needs. `source` says what the items were made from.
    """

    format: int = FORMAT
    form: Form
    created: str
    seed: int = 0
    people: int = 1
    annotators: int = 0
    agree: int = 0
    source: dict[str, Any] = {}


class Project:
    """An open project. Its methods may be called from several threads, and by several processes on one folder.

    `info` is project.json, `form` the form.
    """

    def __init__(self, folder: Path, info: Info, db: sqlite3.Connection) -> None:
        self.folder = folder
        self.info = info
        self.form = info.form
        self._db = db
        self._lock = threading.RLock()

    @classmethod
    def create(
        cls,
        folder: Path,
        form: Form,
        records: Iterable[NewItem],
        *,
        annotators: Sequence[Annotator] = (),
        apart: Iterable[KeptApart] = (),
        people: int = 1,
        agree: int = 0,
        seed: int = 0,
        source: dict[str, Any] | None = None,
    ) -> Project:
        """Makes a project in a folder that holds none yet, and opens it.

        A record whose pictures cannot be read is kept apart, with those in `apart`. `people` is how many persons each
        item needs where each has their own decision. `UsageError` if there is a project already, or nothing to decide.
        """
        if (folder / FILE).exists():
            raise UsageError(f"{folder} is an annotation project already. Open it, or choose another --out.")
        if people > 1 and form.mode != "each":
            raise UsageError(f"In the form {form.name} all share one decision: --people {people} has no meaning there.")
        info = Info(
            form=form,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            seed=seed,
            people=people,
            annotators=len(annotators),
            agree=agree,
            source=source or {},
        )
        building.build(folder, records, annotators, apart)
        building.write_info(folder / FILE, info)  # last: a project that was not finished does not open
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path) -> Project:
        """Opens a project. `UsageError` if the folder holds none, or one that cannot be read."""
        try:
            info = msgspec.json.decode((folder / FILE).read_bytes(), type=Info)
        except OSError:
            raise UsageError(f"{folder} is not an annotation project (no {FILE}).") from None
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise UsageError(f"{folder / FILE} is damaged ({error}).") from None
        if info.format > FORMAT:
            raise UsageError(f"{folder} was written by a newer Beholder (format {info.format}). Upgrade Beholder.")
        check_form(info.form, FILE)
        return cls(folder, info, project_db.open_to_write(folder / project_db.FILE))

    def close(self) -> None:
        """Closes the database; everything that was saved is on the disk already."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def queue(self, author: str) -> list[QueueRow]:
        """All items: first what people have to decide, then what waits to be confirmed, what is open, what was skipped,
        what is done; in the order of the data within each."""
        with self._lock:
            rows = decisions.queue(self._db, self._person(author_of(author)))
        made = [
            QueueRow(key, position, title, _state(state, in_force), why, revision)
            for key, position, title, state, why, in_force, revision in rows
        ]
        return sorted(made, key=lambda row: (WAITING.index(row.state), row.position))

    def item(self, key: str, author: str) -> Item:
        """An item as this person may see it: without the names of models, and without what others said where each
        person has their own decision. `UsageError` if there is no such item."""
        person = self._person(author_of(author))
        with self._lock:
            return self._item(key, person)

    def save(self, key: str, *, author: str, value: Value, note: str = "", revision: int, action: str = SAVE) -> int:
        """Keeps a decision (`save`), or puts an item off with what was filled in so far (`skip`). Returns its revision.

        `revision` is that of the item as it was read. Raises `Stale` if somebody has decided since; what was to be
        saved is then kept as `refused`. A save that was made already, and only its answer lost, is answered again.
        `UsageError` names all that the form does not allow.
        """
        if action not in (SAVE, SKIP):
            raise UsageError(f"There is no action {action!r:.40}. Choose {SAVE} or {SKIP}.")
        name, said = author_of(author), note_of(note)
        wrong = check_value(self.form, value, complete=action == SAVE)
        if wrong:
            raise UsageError(" ".join(wrong))
        made = Held(revision + 1, name, action, json_text(tidy(self.form, value)), said, action, None)
        person = self._person(name)
        with self._lock:
            with writing(self._db):
                now = self._now(key, person)
                if now == made:
                    return made.revision
                fresh = revision == (now.revision if now is not None else 0)
                refused = msgspec.structs.replace(made, action=REFUSED, in_force="", revision=revision)
                decisions.add(self._db, key, person, made if fresh else refused)
            if not fresh:
                raise Stale(self._item(key, person))
        return made.revision

    def undo(self, key: str, *, author: str, revision: int) -> int:
        """Goes back to what held before the decision that holds now, as a new revision, which is returned.

        Undoing again goes back further. Raises `Stale` if somebody has decided since `revision` was read, `UsageError`
        if there is nothing to undo. An undo that was made already, and only its answer lost, is answered again.
        """
        name = author_of(author)
        person = self._person(name)
        with self._lock:
            with writing(self._db):
                now = self._now(key, person)
                if now is not None and (now.action, now.author, now.revision) == (UNDO, name, revision + 1):
                    return now.revision
                fresh = revision == (now.revision if now is not None else 0)
                if fresh:
                    if now is None or not now.in_force:
                        raise UsageError("There is nothing to undo at this item.")
                    to = decisions.before(self._db, key, person, now.made_at)
                    back = Held(0, "", "", "{}", "", "", 0) if to is None else to
                    made = Held(revision + 1, name, UNDO, back.value, back.note, back.in_force, back.revision)
                    decisions.add(self._db, key, person, made)
            if not fresh:
                raise Stale(self._item(key, person))
        return revision + 1

    def progress(self) -> dict[str, Any]:
        """Counts: `items`, and of these `done`, `skipped`, `open`, `confirm`, `adjudicate`; `kept_apart`; and `people`,
        name → {saved, skipped}. Where each person decides, an item is done when as many have as it needs."""
        saved: Counter[str] = Counter()
        put_off: set[str] = set()
        people: dict[str, dict[str, int]] = {}
        names: dict[str, str] = {}
        with self._lock:
            standing = sorted(decisions.tally(self._db))
        for key, author, action in standing:
            theirs = people.setdefault(names.setdefault(person_of(author), author), {"saved": 0, "skipped": 0})
            if action == SAVE:
                theirs["saved"] += 1
                saved[key] += 1
            else:
                theirs["skipped"] += 1
                put_off.add(key)
        states = [
            DONE if saved[key] >= self.info.people else SKIPPED if key in put_off else state
            for key, state in self._read("SELECT key, state FROM items")
        ]
        counts: dict[str, Any] = {"items": len(states)}
        counts |= {state: states.count(state) for state in reversed(WAITING)}
        return counts | {"kept_apart": len(self.kept_apart()), "people": dict(sorted(people.items()))}

    def item_keys(self) -> list[str]:
        """The keys of all items, in the order of the data."""
        return [key for (key,) in self._read("SELECT key FROM items ORDER BY position")]

    def in_force(self) -> list[InForce]:
        """Every decision that holds, in the order of the data; an item that was undone to nothing has none."""
        with self._lock:
            return decisions.in_force(self._db)

    def history(self, key: str, person: str | None = None) -> tuple[Decision, ...]:
        """All that happened to an item, oldest first; of one person (or of all who share it, ""), or of everybody."""
        with self._lock:
            return decisions.history(self._db, key, person)

    def annotators(self) -> list[Annotator]:
        """The models that proposed, by number. Their names are for reports and releases, never for the page."""
        return [Annotator(*row) for row in self._read("SELECT name, run FROM annotators ORDER BY number")]

    def proposals(self, key: str) -> list[Proposal]:
        """What each annotator says of an item, by number."""
        rows = self._read(
            "SELECT annotator, value, missing, faults FROM proposals WHERE key = ? ORDER BY annotator", (key,)
        )
        return [
            Proposal(number, decoded(value, Value), missing, tuple(faults.split()))
            for number, value, missing, faults in rows
        ]

    def consensus(self, key: str) -> Consensus | None:
        """What the annotators settled, with their own numbers; None where none were asked."""
        return self._stored(key).settled

    def record(self, key: str) -> tuple[dict[str, Any], tuple[Picture, ...]]:
        """What was given of an item, and its pictures."""
        stored = self._stored(key)
        return decoded(stored.record, Value), self._pictures(stored.images)

    def draft(self, key: str) -> tuple[Value, int | None]:
        """What the page fills in before anybody has decided, and the annotator whose explanation that is."""
        stored = self._stored(key)
        return decoded(stored.draft, Value), stored.drafted_by

    def kept_apart(self) -> list[KeptApart]:
        """The records that could not become items."""
        return [KeptApart(*row) for row in self._read("SELECT place, why FROM kept_apart ORDER BY position")]

    def picture(self, sha256: str) -> tuple[bytes, str]:
        """The bytes of a picture and its MIME type. `UsageError` if no item has it, or it is no longer what it was."""
        known = self._read("SELECT mime FROM images WHERE sha256 = ?", (sha256,))
        if not known or not _HASH.match(sha256):
            raise UsageError("No item of this project has such a picture.")
        path = self.folder / building.IMAGES / sha256
        try:
            with path.open("rb") as source:
                data = source.read(DEFAULT_LIMITS.max_bytes + 1)
        except OSError as error:
            raise UsageError(f"The picture {path} cannot be read ({error.strerror or error}).") from None
        if hashlib.sha256(data).hexdigest() != sha256:
            raise UsageError(f"The picture {path} is no longer what it was. Restore it from the data.")
        return data, known[0][0]

    def _item(self, key: str, person: str) -> Item:
        stored = self._stored(key)
        order = list(range(self.info.annotators))
        rng_for(self.info.seed, key, "proposals").shuffle(order)
        given = {proposal.annotator: proposal for proposal in self.proposals(key)}
        shown = [given.get(number, Proposal(number, missing="failed")) for number in order]
        pictures = self._pictures(stored.images)
        now = decisions.held(self._db, key, person)
        decided = now is not None and now.in_force != ""
        made = stored.settled
        return Item(
            key=key,
            position=stored.position,
            record=decoded(stored.record, Value),
            image=pictures[0].sha256 if pictures else "",
            images=pictures,
            proposals=tuple(
                ShownProposal(_letter(place), one.value, one.missing, one.faults) for place, one in enumerate(shown)
            ),
            consensus=renumbered(made, order) if made is not None else None,
            value=decoded(now.value if now is not None and decided else stored.draft, Value),
            state=_state(stored.state, now.in_force if now is not None else ""),
            why=stored.why,
            revision=now.revision if now is not None else 0,
            note=now.note if now is not None and decided else "",
            history=self.history(key, person),
        )

    def _person(self, name: str) -> str:
        """Whose decision it is: the person's own, or everybody's."""
        return person_of(name) if self.form.mode == "each" else ""

    def _now(self, key: str, person: str) -> Held | None:
        self._stored(key)  # an item that is not there is told of
        return decisions.held(self._db, key, person)

    def _stored(self, key: str) -> _Stored:
        rows = self._read(
            "SELECT position, record, images, state, why, consensus, draft, drafted_by FROM items WHERE key = ?", (key,)
        )
        if not rows:
            raise UsageError(f"There is no item {key!r:.80} in this project.")
        return _Stored(*rows[0])

    def _pictures(self, images: str) -> tuple[Picture, ...]:
        hashes = decoded(images, tuple[str, ...])
        return tuple(
            Picture(*self._read("SELECT sha256, mime, width, height FROM images WHERE sha256 = ?", (one,))[0])
            for one in hashes
        )

    def _read(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with self._lock:
            return self._db.execute(query, values).fetchall()


class _Stored(msgspec.Struct, frozen=True):
    """An item's row: JSON as text."""

    position: int
    record: str
    images: str
    state: str
    why: str
    consensus: str | None
    draft: str
    drafted_by: int | None

    @property
    def settled(self) -> Consensus | None:
        return decoded(self.consensus, Consensus) if self.consensus else None


def _state(waiting: str, in_force: str) -> str:
    return DONE if in_force == SAVE else SKIPPED if in_force == SKIP else waiting


def _letter(place: int) -> str:
    """A, B, … Z, AA, …"""
    return (_letter(place // 26 - 1) if place >= 26 else "") + chr(ord("A") + place % 26)
