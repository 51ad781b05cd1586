"""Items out of a run's journal with all that an index keeps of them: texts are cut where they are read.

A run may be a stranger's: what no run of ours would hold is a `UsageError`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec

from beholder.errors import UsageError
from beholder.report.annotation_words import in_words
from beholder.sample import MetaphorTarget, PreferenceTarget, Sample
from beholder.score import Outcome
from beholder.store import schema, turns
from beholder.store.folder import Blobs
from beholder.store.reading import target_text
from beholder.tools.diagnosis import BUDGETS
from beholder.trajectory import NO_NEW_EVIDENCE, CallOutcome
from beholder.viewer.item_facts import Judged, Read
from beholder.viewer.run_data import BUDGET, CALL_FAILED, FAILED, STALE, USED_TOOL
from beholder.viewer.texts import told

LONGEST_LINE = 200
"""Characters of a text in the list of samples."""
LONGEST_NAME = 1_000
"""Of a category, a difficulty, a cluster."""
SEARCHED = 20_000
"""Characters of a question and of each answer that a search looks through."""
_LONGEST_RECORD = 16 << 20
_MOST_RESPONSES = 5_000
"""Of one item."""
_LONGEST_READ = 2_000
_BUDGETS = {ended.value for ended in BUDGETS}


class Came(msgspec.Struct, frozen=True):
    """One response: its number in the journal, what its scorers said, its text, and its bits of `Columns.flags`."""

    number: int
    judged: Judged
    text: str
    flags: int


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One item with its responses, by epoch and vote. `question`, `gold` and `name` (its record's id) are lines for the
    list, `words` is what a search looks through besides the answers; `by_answer`: answers that are read differently are
    different answers (the wording of an explanation is not). `picture` is the hash of the first one if it is there."""

    key: str
    position: int
    name: str
    question: str
    gold: str
    words: str
    category: str
    difficulty: str
    cluster: str
    pictures: int
    picture: str | None
    by_answer: bool
    responses: list[Came]


class _Call(msgspec.Struct, frozen=True):
    outcome: str
    flags: tuple[str, ...] = ()


class _Turn(msgspec.Struct, frozen=True):
    observations: tuple[_Call, ...] = ()


class _Conduct(msgspec.Struct, frozen=True):
    attempt: int = 0
    ended: str = ""


class _Record(msgspec.Struct, frozen=True):
    order: tuple[int, ...] = ()
    conduct: _Conduct | None = None


_SAMPLES = "SELECT key, position, RECORD FROM samples WHERE key IN (GIVEN)"
_RESPONSES = (
    "SELECT key, id, epoch, vote, state, substr(text, 1, :searched), RECORD FROM responses "
    "WHERE key IN (GIVEN) AND id <= ? ORDER BY key, epoch, vote"
).replace(":searched", str(SEARCHED))
_SCORES = (
    "SELECT response, scorer, value, outcome, substr(extracted, 1, :longest) FROM scores "
    "WHERE response IN (GIVEN) ORDER BY response, scorer"
).replace(":longest", str(_LONGEST_READ))
_TURNS = (
    "SELECT key, epoch, vote, attempt, RECORD FROM turns WHERE key IN (GIVEN) ORDER BY key, epoch, vote, attempt, turn"
)
_RECORD = f"CASE WHEN length(CAST(record AS BLOB)) <= {_LONGEST_RECORD} THEN record END"
"""A record, NULL where it is too long to be read."""

_samples = msgspec.json.Decoder(Sample)
_records = msgspec.json.Decoder(_Record)
_turns = msgspec.json.Decoder(_Turn)


class JournalItems:
    """Reads items by key. `scorers` are those whose scores are read, `last` is the largest response number."""

    def __init__(self, db: sqlite3.Connection, blobs: Blobs, scorers: Sequence[str], last: int) -> None:
        self._db, self._blobs, self._last = db, blobs, last
        names = {number: name for number, name in db.execute("SELECT id, name FROM scorers") if name in scorers}
        self._names: dict[int, str] = names
        self._has_turns = turns.are_kept(db)
        self._kept: dict[str, bool] = {}
        """Whether the blobs hold a picture."""

    def read(self, keys: Sequence[str]) -> Iterator[Item]:
        """The items with these keys (a few hundred), in their order; without those that are not there. To be used in
        `of_a_run`."""
        responses = self._responses(keys)
        samples = {item.key: item for item in self._samples(keys, responses)}
        yield from (samples[key] for key in keys if key in samples)

    def _samples(self, keys: Sequence[str], responses: dict[str, list[Came]]) -> Iterator[Item]:
        for key, position, record in self._db.execute(_for(_SAMPLES, keys), keys):
            sample = _samples.decode(_there(record))
            yield _item(key, position, sample, self._picture(sample), responses.get(key, []))

    def _responses(self, keys: Sequence[str]) -> dict[str, list[Came]]:
        rows = self._db.execute(_for(_RESPONSES, keys), (*keys, self._last))
        found: dict[str, list[tuple[int, _Record, int, str, turns.Place]]] = {}
        talked = False
        for key, number, epoch, vote, state, text, record in rows:
            read = _records.decode(_there(record))
            flags = FAILED if state != schema.ANSWERED else 0
            if read.conduct is not None:
                talked = True
                flags |= BUDGET if read.conduct.ended in _BUDGETS else 0
            own = found.setdefault(key, [])
            own.append((number, read, flags, text or "", (key, epoch, vote)))
            if len(own) > _MOST_RESPONSES:
                raise ValueError("too many responses to one item")
        scores = self._scores([number for own in found.values() for number, *_ in own])
        calls = self._calls(keys) if talked and self._has_turns else {}
        return {
            key: [
                Came(
                    number,
                    Judged(place[1], record.order, scores.get(number, {})),
                    text,
                    flags | (calls.get((*place, record.conduct.attempt), 0) if record.conduct is not None else 0),
                )
                for number, record, flags, text, place in own
            ]
            for key, own in found.items()
        }

    def _scores(self, numbers: Sequence[int]) -> dict[int, dict[str, Read]]:
        found: dict[int, dict[str, Read]] = {}
        for some in _parts(numbers):
            for number, scorer, value, outcome, answer in self._db.execute(_for(_SCORES, some), some):
                if scorer in self._names:
                    if value is not None and not 0 <= value <= 1:
                        raise ValueError(f"a score of {value:g}")
                    read = Read((value, Outcome(outcome).value), answer)
                    found.setdefault(number, {})[self._names[scorer]] = read
        return found

    def _calls(self, keys: Sequence[str]) -> dict[tuple[str, int, int, int], int]:
        """What the calls of each attempt were like, as bits."""
        rows = self._db.execute(_for(_TURNS, keys), keys)
        return {place: _flags(row[4] for row in own) for place, own in groupby(rows, itemgetter(0, 1, 2, 3))}

    def _picture(self, sample: Sample) -> str | None:
        path = sample.images[0].path if sample.images else None
        sha256 = path.removeprefix("sha256:") if path is not None and path.startswith("sha256:") else ""
        if sha256 not in self._kept:
            if len(self._kept) > 200_000:
                self._kept.clear()
            try:
                self._kept[sha256] = self._blobs.path(sha256).is_file()
            except ValueError:  # not a hash
                self._kept[sha256] = False
        return sha256 if self._kept[sha256] else None


def _flags(records: Iterator[str | None]) -> int:
    """The bits of one conversation, as `report.html_trajectories.FILTERS` tells conversations apart."""
    flags = 0
    for record in records:
        for call in _turns.decode(_there(record)).observations:
            flags |= USED_TOOL
            flags |= 0 if call.outcome in (CallOutcome.EXECUTED, CallOutcome.NOT_RUN) else CALL_FAILED
            flags |= STALE if NO_NEW_EVIDENCE in call.flags else 0
    return flags


def _item(key: str, position: int, sample: Sample, picture: str | None, responses: list[Came]) -> Item:
    gold, shown = in_words(target_text(sample)), [*sample.options]
    if isinstance(sample.target, PreferenceTarget):
        gold = f"stored answer {sample.target.preferred + 1}"
        stored = sample.metadata.get("responses")
        shown += [one for one in stored if isinstance(one, str)] if isinstance(stored, list) else []
    question, name = sample.question, sample.record_id
    return Item(
        key=key,
        position=position,
        name=line(name, LONGEST_LINE),
        question=line(question, LONGEST_LINE),
        gold=line(gold, LONGEST_LINE),
        words="\n".join(line(text, SEARCHED) for text in (question, gold, name, *shown[:20])),
        category=told(sample.category, LONGEST_NAME),
        difficulty=told(sample.difficulty, LONGEST_NAME),
        cluster=told(sample.cluster, LONGEST_NAME),
        pictures=len(sample.images),
        picture=picture,
        by_answer=not isinstance(sample.target, MetaphorTarget),
        responses=responses,
    )


def line(text: str, most: int) -> str:
    """A text in one line of at most so many characters, such as SQLite and JSON can hold."""
    return told(" ".join(text[: 4 * most].replace("\0", " ").split()), most)


@contextmanager
def of_a_run() -> Iterator[None]:
    """Whatever a foreign journal holds is told in one line: SQLite checks neither JSON nor what bytes claim to be."""
    try:
        yield
    except (sqlite3.Error, ValueError, TypeError, AttributeError, LookupError, OverflowError, RecursionError) as error:
        if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            raise UsageError("The run is being written just now. Look again in a moment.") from None
        raise UsageError(f"The run's journal holds what no run of ours does ({error}). Use another copy.") from None


def _there(record: Any) -> str:
    if not isinstance(record, str):
        raise TypeError("a record is too long, or not text")
    return record


def _for(query: str, given: Sequence[object]) -> str:
    """A query with a mark for each of the values that it is about."""
    return query.replace("RECORD", _RECORD).replace("GIVEN", ",".join("?" * len(given)))


def _parts(numbers: Sequence[int], most: int = 10_000) -> Iterator[Sequence[int]]:
    """SQLite takes 32,766 parameters in one statement."""
    return (numbers[start : start + most] for start in range(0, len(numbers), most))
