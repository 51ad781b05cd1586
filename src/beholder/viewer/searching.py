"""Finding a text in an index: words and parts of words, in any script. What a person types is text, never syntax.

Each word has to be somewhere in the item: in its question, gold, record id or answers. SQLite's trigrams find any
piece of three characters and more; a shorter word is looked for together with its neighbour, and one that stands alone
in the lines of the list only.
"""

from __future__ import annotations

import sqlite3
from functools import reduce

import msgspec
import numpy as np
from numpy.typing import NDArray

from beholder.viewer.index_file import ADDED
from beholder.viewer.texts import told

LONGEST = 200
"""Characters of a query that are looked at."""
_PIECE = 3
_IN_WORDS = (
    f"SELECT json_group_array(CASE WHEN rowid < {ADDED} THEN rowid "  # noqa: S608 - a number of ours
    f"ELSE (SELECT item FROM responses WHERE number = rowid - {ADDED}) END) FROM words WHERE words MATCH ?"
)
_IN_LINES = (
    "SELECT json_group_array(item) FROM texts "
    "WHERE question LIKE :it ESCAPE '\\' OR gold LIKE :it ESCAPE '\\' OR answer LIKE :it ESCAPE '\\' "
    "OR name LIKE :it ESCAPE '\\'"
)


def matches(db: sqlite3.Connection, text: str, *, searchable: bool) -> NDArray[np.int64]:
    """The numbers of the items in which a text is found, ascending; none of an empty text.

    Without the table of words (`searchable`), the lines of the list are looked through.
    """
    found = [_numbers(db, term, in_words=searchable and len(term) >= _PIECE) for term in terms(text)]
    return reduce(np.intersect1d, found) if found else np.empty(0, dtype=np.int64)


def terms(text: str) -> list[str]:
    """What is looked for: the words of a text, those of one or two letters together with a neighbour.

    >>> terms("the lamp"), terms("a lamp is on"), terms("x")
    (['the', 'lamp'], ['a lamp', 'is on'], ['x'])
    """
    seen = "".join(" " if char < " " or char == "\x7f" else char for char in told(text, LONGEST + 1)[:LONGEST])
    found: list[str] = []
    for word in seen.split():
        if found and len(found[-1]) < _PIECE:
            found[-1] += f" {word}"
        else:
            found.append(word)
    if len(found) > 1 and len(found[-1]) < _PIECE:
        last = found.pop()
        found[-1] += f" {last}"
    return found


def _numbers(db: sqlite3.Connection, term: str, *, in_words: bool) -> NDArray[np.int64]:
    if in_words:
        quoted = term.replace('"', '""')
        (row,) = db.execute(_IN_WORDS, (f'"{quoted}"',))
    else:
        escaped = term.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        (row,) = db.execute(_IN_LINES, {"it": f"%{escaped}%"})
    return np.unique(np.array(msgspec.json.decode(row[0], type=list[int]), dtype=np.int64))
