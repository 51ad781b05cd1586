"""The index of a run's samples: what the list of samples shows, filters and searches, without reading the run."""

from __future__ import annotations

import math
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from beholder.errors import UsageError
from beholder.report.run_agreement import numbered
from beholder.report.several_runs import Side
from beholder.viewer import index_file
from beholder.viewer.run_data import LETTERS, Changes, Columns, Places, Row, Rows
from beholder.viewer.searching import LONGEST, matches
from beholder.viewer.taking import CATEGORY, DIFFICULTY
from beholder.viewer.texts import told

MOST_ROWS = 300
MOST_NAMES = 2_000
"""Categories (and difficulties) that have a name of their own in `columns`; a foreign run may hold any number."""
_OTHERS = "(other names)"
_SHORT = 200
_NOT_APPLICABLE = LETTERS[-1]
_FACTS = (
    "SELECT json_group_array(id), json_group_array(position), json_group_array(letters), json_group_array(category), "
    "json_group_array(difficulty), json_group_array(flags) FROM items"
)
"""In one row: fetching each item by itself lets every other thread in between, 157,201 times."""
_ROWS = (
    "SELECT i.id, i.key, i.position, t.name, n.name, t.question, t.gold, t.answer, t.pictures, t.picture FROM items i "
    "JOIN texts t ON t.item = i.id JOIN names n ON n.kind = 'category' AND n.number = i.category WHERE i.id IN (GIVEN)"
)
_NAMED = "SELECT json_group_array(id), json_group_array(key), json_group_array(cluster) FROM items"
_SIDE = "SELECT item, value, answer FROM verdicts WHERE scorer = ? AND item <= ?"
_CHANGES = (
    "SELECT count(*), (SELECT count(*) FROM verdicts WHERE scorer = :here AND item <= :n), "
    "(SELECT count(*) FROM other.verdicts WHERE scorer = :there), "
    "json_group_array(i.id) FILTER (WHERE a.value > b.value), json_group_array(i.id) FILTER (WHERE a.value < b.value) "
    "FROM items i JOIN verdicts a ON a.scorer = :here AND a.item = i.id JOIN other.verdicts b ON b.scorer = :there "
    "AND b.item = coalesce((SELECT id FROM other.items o WHERE o.id = i.id AND o.key = i.key), "
    "(SELECT id FROM other.items o WHERE o.key = i.key)) WHERE i.id <= :n"
)
"""Two runs of the same data mostly have the same numbers: a look by number is quicker than one by key."""


class Index:
    """What a run's index held when it was opened; what is added later is in the next one. Safe to use from threads.

    Items are known by their place: data order, from 0. `ready` is below 1 while the index is being made: then only the
    first items are in it. `version` is another whenever anything in it is.
    """

    def __init__(self, place: Path, *, leading: Sequence[str], ready: float = 1.0) -> None:
        self.ready = ready
        self._place, self._leading = place, leading
        self._lock = threading.Lock()
        self._db = index_file.open_index(place)
        self._state = index_file.read_state(self._db)
        (row,) = self._all(_FACTS)
        numbers, positions, letters, *facts = map(msgspec.json.decode, row)
        # Numbers of items count from 1 without a gap; those that came while a run went on are not in data order.
        if numbers != list(range(1, len(numbers) + 1)):
            raise sqlite3.DatabaseError("items are missing")
        self.n = len(numbers)
        self.scorers = list(self._state.scorers)
        self.version = f"{self._state.build}-{self._state.changes}-{self.n}"
        self._order: NDArray[np.int64] = np.argsort(np.array(positions, dtype=np.int64), kind="stable")
        self._place_of = np.empty(self.n, dtype=np.int64)
        self._place_of[self._order] = np.arange(self.n)
        self._letters = np.frombuffer("".join(letters).encode(), dtype=np.uint8).reshape(self.n, len(self.scorers))
        self._category, self._difficulty, self._flags = (np.array(fact, dtype=np.int32) for fact in facts)

    def __del__(self) -> None:
        if hasattr(self, "_db"):
            self._db.close()

    def columns(self) -> Columns:
        """What the items can be filtered by."""
        order = self._order
        letters = self._letters[order]
        buckets = {scorer: letters[:, place].tobytes().decode() for place, scorer in enumerate(self.scorers)}
        return Columns(
            version=self.version,
            ready=self.ready,
            n=self.n,
            scorers=self.scorers,
            scorer=self._leading_scorer(buckets),
            buckets=buckets,
            categories=self._names(CATEGORY),
            category=np.minimum(self._category[order], MOST_NAMES).tolist(),
            difficulties=self._names(DIFFICULTY),
            difficulty=np.minimum(self._difficulty[order], MOST_NAMES).tolist(),
            flags=self._flags[order].tolist(),
            searchable=self._state.searchable,
        )

    def rows(self, places: Sequence[int]) -> Rows:
        """Items for the list, in the order asked for, at most 300; places where there is none are left out."""
        asked = [place for place in places if 0 <= place < self.n][:MOST_ROWS]
        numbers = [int(self._order[place]) + 1 for place in asked]
        found = {row[0]: row[1:] for row in self._all(_for(_ROWS, numbers), *numbers)}
        rows = []
        for place, number in zip(asked, numbers, strict=True):
            key, position, name, category, question, gold, answer, pictures, picture = found[number]
            rows.append(
                Row(
                    place=place,
                    key=key,
                    index=position,
                    id=name,
                    category=told(category, _SHORT),
                    question=question,
                    gold=gold,
                    answer=answer,
                    pictures=pictures,
                    picture=picture,
                )
            )
        return Rows(version=self.version, rows=rows)

    def search(self, text: str) -> Places:
        """The items in which a text is found (see `searching`), or that has it as its key."""
        place = self.place_of(told(text.strip(), LONGEST))
        if place is not None:  # somebody has pasted a key
            return Places(version=self.version, places=[place])
        with self._lock, _told_plainly(self._place):
            found = matches(self._db, text, self._state)
        return Places(version=self.version, places=self._in_order(found))

    def changes(self, other: Index, scorer: str = "") -> Changes:
        """Which items are better or worse here than in the other index, as `report.comparison.compare` counts them.

        `UsageError` if one of the two lacks the scorer, or has just been made anew.
        """
        scorer = scorer or self.columns().scorer
        here, there = self._number_of(scorer), other._number_of(scorer)
        with self._lock, _told_plainly(self._place, other._place):
            try:
                self._db.execute("ATTACH ? AS other", (f"{other._place.resolve().as_uri()}?mode=ro",))
            except sqlite3.OperationalError:  # it was being made, and has been put into its place
                raise UsageError("The index of the other run has just been made. Look again.") from None
            try:
                row = self._db.execute(_CHANGES, {"here": here, "there": there, "n": self.n}).fetchone()
            finally:
                self._db.execute("DETACH other")
        both, mine, theirs, gained, lost = row
        return Changes(
            gained=self._places(gained), lost=self._places(lost), only_here=mine - both, only_there=theirs - both
        )

    def side(self, scorer: str) -> Side:
        """The items with a score in columns, in data order, to compare them with those of other runs."""
        verdicts = self._all(_SIDE, self._number_of(scorer), self.n)
        ids, keys, clusters = map(_listed, self._all(_NAMED)[0])
        names = self._every_name(CATEGORY)
        numbers = np.array([row[0] for row in verdicts], dtype=np.int64) - 1
        order = np.argsort(self._place_of[numbers])
        at = np.argsort(ids)[numbers[order]].tolist()
        scores = np.array([math.nan if row[1] is None else row[1] for row in verdicts], dtype=np.float64)
        return Side(
            [keys[row] for row in at],
            scores[order],
            [clusters[row] or keys[row] for row in at],
            [names[number] for number in self._category[numbers[order]].tolist()],
            numbered([row[2] for row in verdicts])[order],
        )

    def place_of(self, key: str) -> int | None:
        """The place of an item, None if it is not there."""
        rows = self._all("SELECT id FROM items WHERE key = ?", key)
        return int(self._place_of[rows[0][0] - 1]) if rows and rows[0][0] <= self.n else None

    def key_at(self, place: int) -> str:
        """The key of an item; `UsageError` if there is no such place."""
        if not 0 <= place < self.n:
            raise UsageError(f"There is no item {place} in this run.")
        return str(self._all("SELECT key FROM items WHERE id = ?", int(self._order[place]) + 1)[0][0])

    def _in_order(self, numbers: NDArray[np.int64]) -> list[int]:
        """The places of items by number, ascending."""
        places = self._place_of[numbers[numbers <= self.n] - 1]
        places.sort()
        listed: list[int] = places.tolist()
        return listed

    def _places(self, numbers: str) -> list[int]:
        return self._in_order(np.array(msgspec.json.decode(numbers, type=list[int]), dtype=np.int64))

    def _number_of(self, scorer: str) -> int:
        if scorer not in self.scorers:
            known = ", ".join(self.scorers) or "none yet"
            raise UsageError(f"No scorer {scorer[:60]!r} has judged this run. There are: {known[:400]}.")
        return self.scorers.index(scorer)

    def _leading_scorer(self, letters: dict[str, str]) -> str:
        """The headline's scorer, or what stands in for it where it could not judge everything; else the first one."""
        there = [scorer for scorer in self._leading if scorer in letters]
        judged = [scorer for scorer in there if _NOT_APPLICABLE not in letters[scorer]]
        return next(iter([*judged, *there, *self.scorers]), "")

    def _names(self, kind: str) -> list[str]:
        """The names of a kind by number; one for all those beyond the first thousands."""
        names = [told(name, _SHORT) for name in self._every_name(kind)[: MOST_NAMES + 1]]
        return [*names[:MOST_NAMES], _OTHERS] if len(names) > MOST_NAMES else names

    def _every_name(self, kind: str) -> list[str]:
        return [name for (name,) in self._all("SELECT name FROM names WHERE kind = ? ORDER BY number", kind)]

    def _all(self, query: str, *values: object) -> list[Any]:
        with self._lock, _told_plainly(self._place):
            return self._db.execute(query, values).fetchall()


@contextmanager
def _told_plainly(*places: Path) -> Iterator[None]:
    """An index that turns out to be damaged is deleted, so that it is made anew; of two, both are."""
    try:
        yield
    except sqlite3.OperationalError:
        raise  # it may be in use, or the disk full: nothing that another file would mend
    except sqlite3.DatabaseError:
        for place in places:
            place.unlink(missing_ok=True)
        raise UsageError("The index of this run was damaged. It is made anew: look again.") from None


def _for(query: str, given: Sequence[object]) -> str:
    return query.replace("GIVEN", ",".join("?" * len(given)))


def _listed(array: str) -> list[Any]:
    listed: list[Any] = msgspec.json.decode(array)
    return listed
