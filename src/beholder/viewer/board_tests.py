"""Which lines of a leaderboard the data can tell apart: a test for every two of them.

Two runs on the same items are compared item by item, by the test that `report.comparison` uses
(`metrics.ranks.paired_test`), wherever the figure is
the mean of the items' values (over all of them, or over a category). All others are compared as figures over different
items: other figures, other items, and published lines, of which no paper gives the items.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from beholder.errors import DataError, UsageError
from beholder.metrics.intervals import Floats, Integers
from beholder.metrics.ranks import Estimate, PairTest, error_of_interval, independent_p, paired_test
from beholder.report.comparison import ItemValue, item_values
from beholder.score import Metric
from beholder.store import reading, schema
from beholder.viewer.run_figures import MOST_ROWS

if TYPE_CHECKING:
    from beholder.viewer.library import Library

_SAME = 1e-9


class Contender(msgspec.Struct, frozen=True):
    """A line that is tested: its figure, its standard error where that is known (published means of others), and the
    run that it comes from ("" for a published line)."""

    figure: Metric
    error: float | None = None
    run: str = ""
    version: str = ""


class Verdict(msgspec.Struct, frozen=True):
    """The tests of all pairs; `paired` of them on the same items. `unready` runs were still being indexed. `items` has
    for each line a digest of the items that its figure is the mean of, None where it is no such mean."""

    tests: list[PairTest]
    items: list[bytes | None]
    paired: int
    unready: int


class _Items(msgspec.Struct, frozen=True):
    """What the figure of a run is the mean of: a value for each item, in the order of their keys (NaN: no answer), and
    the numbers of their clusters. `digest` is that of the keys."""

    digest: bytes
    values: Floats
    clusters: Integers | None


def pair_tests(library: Library, lines: Sequence[Contender], scorer: str, metric: str) -> Verdict:
    """A test for every two lines, by their places. Computed once for the same runs as they stand."""
    ready = tuple(not line.run or _is_readable(library, line.run) for line in lines)
    return _tested(library, tuple(lines), ready, scorer, metric)


@lru_cache(maxsize=32)
def _tested(
    library: Library, lines: tuple[Contender, ...], ready: tuple[bool, ...], scorer: str, metric: str
) -> Verdict:
    items = [
        _items(library, line, scorer, metric) if line.run and there else None
        for line, there in zip(lines, ready, strict=True)
    ]
    tests, paired = [], 0
    for a, b in itertools.combinations(range(len(lines)), 2):
        left, right = items[a], items[b]
        if left is not None and right is not None and left.digest == right.digest:
            tests.append(PairTest(a, b, *paired_test(left.values, right.values, left.clusters)))
            paired += 1
        else:
            difference = (lines[b].figure.value or 0.0) - (lines[a].figure.value or 0.0)
            tests.append(PairTest(a, b, difference, independent_p(_estimate(lines[a]), _estimate(lines[b]))))
    return Verdict(tests, [None if one is None else one.digest for one in items], paired, ready.count(False))


def _items(library: Library, line: Contender, scorer: str, metric: str) -> _Items | None:
    """The items whose mean the figure is; None if it is no such mean, or if they cannot be read."""
    try:
        values = _values(library, line.run, scorer)
    except (UsageError, DataError, sqlite3.Error, LookupError):  # a stranger's journal may lack anything
        return None
    keys = sorted(values)
    part = metric.partition("/")[2]
    for chosen in (keys, [key for key in keys if part and values[key].category == part]):
        scores = [values[key].value for key in chosen]
        known = [score for score in scores if score is not None]
        if known and abs(math.fsum(known) / len(known) - (line.figure.value or 0.0)) < _SAME:
            digest = hashlib.blake2b("\0".join(chosen).encode("utf-8", "surrogatepass"), digest_size=16).digest()
            return _Items(digest, np.array(scores, dtype=np.float64), _numbered(values[key].cluster for key in chosen))
    return None


def _numbered(names: Iterable[str]) -> Integers | None:
    """The numbers of the items' clusters; None if each item is its own."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(name, len(numbers)) for name in names]
    return None if len(numbers) == len(codes) else np.array(codes, dtype=np.int64)


def _is_readable(library: Library, run: str) -> bool:
    """Whether a run's items can be had now: a large one is indexed first, in a thread."""
    return _is_small(library, run) or library.index(run).ready >= 1


def _values(library: Library, run: str, scorer: str) -> dict[str, ItemValue]:
    """A value for each item: of a small run from its journal, else from its index, which holds no rows in memory."""
    if not _is_small(library, run):
        values: dict[str, ItemValue] = library.index(run).values(scorer)
        return values
    opened = library.opened(run)
    with closing(schema.open_to_read(opened.folder / "run.db")) as db:
        rows = reading.scored_items(db)
    return item_values(rows, scorer, voted=opened.found.answers_shown > 0)


def _is_small(library: Library, run: str) -> bool:
    try:
        with closing(schema.open_to_read(library.folder(run) / "run.db")) as db:
            (responses,) = db.execute("SELECT count(*) FROM responses").fetchone()
    except (UsageError, sqlite3.Error):
        return True  # it cannot be read, which shows where it is
    return bool(responses <= MOST_ROWS)


def _estimate(line: Contender) -> Estimate:
    """A figure with the spread that its interval speaks of. A Wilson interval is that of right/wrong items."""
    figure, error = line.figure, line.error
    if error is None and figure.interval not in ("", "wilson") and figure.low is not None and figure.high is not None:
        error = error_of_interval(figure.low, figure.high)
    return Estimate(figure.value or 0.0, figure.n, error)
