"""Writes items into an index: what they are judged to be, their lines in the list, and the words to search."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

from beholder.benchmarks.benchmark import Benchmark
from beholder.report.annotation_words import in_words
from beholder.store.folder import Blobs
from beholder.viewer.index_file import ADDED, State
from beholder.viewer.item_facts import (
    Rules,
    answer_of,
    common_answer,
    do_disagree,
    is_split,
    leading_scorer,
    standing,
)
from beholder.viewer.journal_items import LONGEST_LINE, Came, Item, JournalItems, line, of_a_run
from beholder.viewer.library import Opened
from beholder.viewer.run_data import DISAGREE, SPLIT

CATEGORY, DIFFICULTY = "category", "difficulty"
_WORDS = 60_000
"""Characters of an item and its answers together that a search looks through."""
_WHOLE_ANSWER = 120
"""Longer answers are told apart by their beginning and a hash."""
_ANSWERS_SHOWN = 4


class _Judged(NamedTuple):
    """What is written of an item besides itself: its letters, (scorer, value, answer), its flags, the answer shown."""

    letters: str
    verdicts: list[tuple[int, float | None, str | None]]
    flags: int
    answer: str


class _Written:
    """Rows of a few hundred items, for each table."""

    def __init__(self) -> None:
        self.items: list[tuple[Any, ...]] = []
        self.texts: list[tuple[Any, ...]] = []
        self.verdicts: list[tuple[Any, ...]] = []
        self.responses: list[tuple[Any, ...]] = []
        self.words: list[tuple[int, str]] = []

    def write(self, file: sqlite3.Connection, *, searchable: bool) -> None:
        """Writes them. Words come last: each statement that may have to be undone would make SQLite write out what it
        has gathered of them so far, which takes a hundred times as long."""
        file.executemany("INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?)", self.items)
        file.executemany("INSERT OR REPLACE INTO texts VALUES (?, ?, ?, ?, ?, ?, ?)", self.texts)
        file.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?)", self.verdicts)
        file.executemany("INSERT OR REPLACE INTO responses VALUES (?, ?, ?)", self.responses)
        if searchable:
            file.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", self.words)


class Taking:
    """Takes items of a run into the file of an index, inside the caller's transaction."""

    def __init__(self, run: Opened, db: sqlite3.Connection, file: sqlite3.Connection, state: State) -> None:
        self._file = file
        self._items = JournalItems(db, Blobs(run.folder), tuple(state.scorers), state.last)
        self._rules = rules_of(run.found, state)
        self._searchable = state.searchable
        (self._n,) = file.execute("SELECT count(*) FROM items").fetchone()
        self._names: dict[str, dict[str, int]] = {CATEGORY: {}, DIFFICULTY: {}}
        for kind, name, known in file.execute("SELECT kind, name, number FROM names"):
            self._names[kind][name] = known

    def take(self, keys: Sequence[str]) -> None:
        """Reads these items and writes them anew. `UsageError` if the run holds what none of ours does."""
        with of_a_run():
            taken = [(item, self._judged(item)) for item in self._items.read(keys)]
        known = dict(self._file.execute(_for(_KNOWN, keys), keys))
        rows = _Written()
        for item, judged in taken:
            number = known.get(item.key)
            if number is None:
                self._n += 1
                number = self._n
                rows.words.append((number, "\n".join((item.words, *map(_searched, item.responses)))[:_WORDS]))
            else:
                rows.words += self._words_since(item)
            self._add(rows, number, item, judged)
        rows.write(self._file, searchable=self._searchable)

    def _judged(self, item: Item) -> _Judged:
        responses = [one.judged for one in item.responses]
        leading = leading_scorer(responses, self._rules)
        letters, verdicts = [], []
        for place, scorer in enumerate(self._rules.scorers):
            letter, value = standing(responses, scorer, self._rules)
            letters.append(letter)
            if any(scorer in one.scores for one in responses):
                verdicts.append((place, value, _told_apart(common_answer(responses, scorer))))
        flags = _flags(item, leading, self._rules)
        return _Judged("".join(letters), verdicts, flags, self._answer(item, leading))

    def _add(self, rows: _Written, number: int, item: Item, judged: _Judged) -> None:
        category, difficulty = self._named(CATEGORY, item.category), self._named(DIFFICULTY, item.difficulty)
        rows.items.append(
            (number, item.position, item.key, judged.letters, category, difficulty, judged.flags, item.cluster)
        )
        rows.texts.append((number, item.name, item.question, item.gold, judged.answer, item.pictures, item.picture))
        rows.verdicts += [(place, number, value, answer) for place, value, answer in judged.verdicts]
        rows.responses += [
            (one.number, number, bool(one.judged.scores) or not self._rules.scorers) for one in item.responses
        ]

    def _answer(self, item: Item, leading: str | None) -> str:
        """What the list shows as the answer: what the leading scorer read, or how the first text begins."""
        read: dict[str, None] = {}
        if leading is not None and leading not in self._rules.others:
            answers = (answer_of(one.judged, leading) for one in item.responses)
            read = dict.fromkeys(answer for answer in answers if answer is not None)
        if not read:
            return line(next((one.text for one in item.responses if one.text), ""), LONGEST_LINE)
        more = " · …" if len(read) > _ANSWERS_SHOWN else ""
        return line(" · ".join(map(in_words, list(read)[:_ANSWERS_SHOWN])) + more, LONGEST_LINE)

    def _words_since(self, item: Item) -> list[tuple[int, str]]:
        """What has come to an item that is there is searched by itself: what is in the table of words stays."""
        numbers = [one.number for one in item.responses]
        there = {number for (number,) in self._file.execute(_for(_THERE, numbers), numbers)}
        return [(ADDED + one.number, _searched(one)) for one in item.responses if one.number not in there]

    def _named(self, kind: str, name: str) -> int:
        """The number of a category or difficulty."""
        names = self._names[kind]
        number = names.get(name)
        if number is None:
            number = names[name] = len(names)
            self._file.execute("INSERT INTO names VALUES (?, ?, ?)", (kind, number, name))
        return number


_KNOWN = "SELECT key, id FROM items WHERE key IN (GIVEN)"
_THERE = "SELECT number FROM responses WHERE number IN (GIVEN)"


def rules_of(found: Benchmark, state: State) -> Rules:
    """How the items of a run are judged."""
    return Rules(
        scorers=tuple(state.scorers),
        leading=(found.headline[0], *(found.second_headline or ())[:1]),
        others=found.other_questions,
        planned=state.planned,
        voted=found.answers_shown > 0,
    )


def _flags(item: Item, leading: str | None, rules: Rules) -> int:
    flags = 0
    for one in item.responses:
        flags |= one.flags
        flags |= DISAGREE if do_disagree(one.judged, rules.others) else 0
    judged = [one.judged for one in item.responses]
    if leading is not None and len(judged) > 1 and is_split(judged, leading, by_answer=item.by_answer):
        flags |= SPLIT
    return flags


def _searched(response: Came) -> str:
    return " ".join(response.text.replace("\0", " ").split())


def _told_apart(answer: str | None) -> str | None:
    """An answer by which equal ones are found: itself where it is short."""
    if answer is None or len(answer) <= _WHOLE_ANSWER:
        return answer
    return f"{answer[:40]}…{hashlib.blake2b(answer.encode('utf-8', 'replace'), digest_size=12).hexdigest()}"


def _for(query: str, given: Sequence[object]) -> str:
    return query.replace("GIVEN", ",".join("?" * len(given)))
