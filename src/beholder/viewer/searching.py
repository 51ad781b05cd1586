"""Finding a text in an index: words and parts of words, in any script. What a person types is text, never syntax.

Each word has to be somewhere in the item: in its question, gold, record id or answers. SQLite's trigrams find any
piece of three characters and more. A shorter word is looked for in the lines of the list only; one of a Latin script,
where such words are everywhere, together with its neighbour if it has one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from functools import reduce

import msgspec
import numpy as np
from numpy.typing import NDArray

from beholder.viewer.index_file import ADDED, State
from beholder.viewer.texts import told

LONGEST = 200
"""Characters of a query that are looked at."""
_PIECE = 3
_IN_WORDS = "SELECT json_group_array(rowid) FROM words WHERE words MATCH ?"
_IN_ADDED_WORDS = (
    f"SELECT json_group_array(coalesce(item, words.rowid)) FROM words "  # noqa: S608 - a number of ours
    f"LEFT JOIN responses ON number = words.rowid - {ADDED} WHERE words MATCH ?"
)
_IN_LINES = (
    "SELECT json_group_array(item) FROM texts "
    "WHERE question LIKE :it ESCAPE '\\' OR gold LIKE :it ESCAPE '\\' OR answer LIKE :it ESCAPE '\\' "
    "OR name LIKE :it ESCAPE '\\'"
)


def matches(db: sqlite3.Connection, text: str, state: State) -> NDArray[np.int64]:
    """The numbers of the items in which a text is found, ascending; none of an empty text.

    Without the table of words (`searchable`), the lines of the list are looked through.
    """
    wanted = terms(text)
    long = [term for term in wanted if state.searchable and len(term) >= _PIECE]
    found = [_in_lines(db, term) for term in wanted if term not in long]
    if state.added:  # what is known of an item may be in several places
        found += [_in_words(db, [term], _IN_ADDED_WORDS) for term in long]
    elif long:
        found.append(_in_words(db, long, _IN_WORDS))
    return reduce(np.intersect1d, found) if found else np.empty(0, dtype=np.int64)


def terms(text: str) -> list[str]:
    """What is looked for: the words of a text, those of one or two letters together with a neighbour.

    >>> terms("the lamp"), terms("a lamp is on"), terms("x"), terms("灯塔 lamp")
    (['the', 'lamp'], ['a lamp', 'is on'], ['x'], ['灯塔', 'lamp'])
    """
    seen = "".join(" " if char < " " or char == "\x7f" else char for char in told(text, LONGEST + 1)[:LONGEST])
    found: list[str] = []
    for word in seen.split():
        if found and _is_a_piece(found[-1]):
            found[-1] += f" {word}"
        else:
            found.append(word)
    if len(found) > 1 and _is_a_piece(found[-1]):
        last = found.pop()
        found[-1] += f" {last}"
    return found


def _is_a_piece(term: str) -> bool:
    return len(term) < _PIECE and term.isascii()


def _in_words(db: sqlite3.Connection, wanted: list[str], query: str) -> NDArray[np.int64]:
    """Where all the terms are. In quotes, nothing in them is syntax; side by side, each has to be there."""
    quoted = " ".join('"{}"'.format(term.replace('"', '""')) for term in wanted)
    return _numbers(db.execute(query, (quoted,)))


def _in_lines(db: sqlite3.Connection, term: str) -> NDArray[np.int64]:
    escaped = term.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return _numbers(db.execute(_IN_LINES, {"it": f"%{escaped}%"}))


def _numbers(rows: Iterable[tuple[str]]) -> NDArray[np.int64]:
    ((listed,),) = rows
    return np.unique(np.array(msgspec.json.decode(listed, type=list[int]), dtype=np.int64))
