"""Which lines of a leaderboard the data can tell apart: a test for every two of them.

Two runs on the same items are compared item by item, by the test that `report.comparison` uses
(`metrics.ranks.paired_test`), wherever the figure is the mean of the items' values (over all of them, or over a
category). All others are compared as figures over different items: other figures, other items, and published lines, of
which no paper gives the items.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from beholder.errors import DataError, UsageError
from beholder.metrics.intervals import Floats, Integers
from beholder.metrics.ranks import Estimate, PairTest, error_of_interval, independent_p, paired_test
from beholder.report.comparison import item_values, shared_items
from beholder.report.several_runs import Side, side_of_values
from beholder.score import Metric
from beholder.store import reading, schema
from beholder.viewer.run_figures import MOST_ROWS

if TYPE_CHECKING:
    from beholder.viewer.library import Library

_SAME = 1e-9
_UNREADABLE = (UsageError, DataError, sqlite3.Error, LookupError, OSError)
"""What a stranger's journal leads to, which may lack anything."""


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
    """What figures of a run are means of, in the order of the items' keys.

    A hash of each key, the item's value (NaN: no answer), the number of its cluster, and that of its category (their
    names are in `named`). A few bytes an item, so that many runs can be kept.
    """

    keys: Integers
    values: Floats
    clusters: Integers
    categories: Integers
    named: list[str]


class _Mean(msgspec.Struct, frozen=True):
    """The items that a figure is the mean of; `digest` is that of their keys, `clusters` None if each is its own."""

    digest: bytes
    values: Floats
    clusters: Integers | None


def pair_tests(library: Library, lines: Sequence[Contender], scorer: str, metric: str) -> Verdict:
    """A test for every two lines, by their places. Computed once for the same runs as they stand."""
    ready = tuple(not line.run or _is_readable(library, line) for line in lines)
    return _tested(library, tuple(lines), ready, scorer, metric)


@lru_cache(maxsize=32)
def _tested(
    library: Library, lines: tuple[Contender, ...], ready: tuple[bool, ...], scorer: str, metric: str
) -> Verdict:
    means = [
        _mean(library, line, scorer, metric) if line.run and there else None
        for line, there in zip(lines, ready, strict=True)
    ]
    tests, paired = [], 0
    for a, b in itertools.combinations(range(len(lines)), 2):
        left, right = means[a], means[b]
        if left is not None and right is not None and left.digest == right.digest:
            tests.append(PairTest(a, b, *paired_test(left.values, right.values, left.clusters)))
            paired += 1
        else:
            difference = (lines[b].figure.value or 0.0) - (lines[a].figure.value or 0.0)
            tests.append(PairTest(a, b, difference, independent_p(_estimate(lines[a]), _estimate(lines[b]))))
    return Verdict(tests, [None if one is None else one.digest for one in means], paired, ready.count(False))


def _mean(library: Library, line: Contender, scorer: str, metric: str) -> _Mean | None:
    """The items whose mean the figure is, all of them or those of a category; None if it is no such mean.

    A figure of fewer than the items is one of groups of them (whole images), even where its value is the same.
    """
    kept = _kept if _is_small(library, line.run, line.version) else _kept_large
    items = kept(library, line.run, line.version, scorer)
    if items is None:
        return None
    chosen: list[slice | NDArray[np.bool_]] = [slice(None)]
    part = metric.partition("/")[2] or metric.rpartition("_")[0]  # task/maze; reasoning_all
    if part in items.named:
        chosen.append(items.categories == items.named.index(part))
    for members in chosen:
        values = items.values[members]
        known = values[~np.isnan(values)]
        if not 0 < len(known) <= line.figure.n:
            continue
        if abs(math.fsum(known) / len(known) - (line.figure.value or 0.0)) < _SAME:
            clusters = items.clusters[members]
            digest = hashlib.blake2b(items.keys[members].tobytes(), digest_size=16).digest()
            return _Mean(digest, values, None if len(np.unique(clusters)) == len(clusters) else clusters)
    return None


def _items(library: Library, run: str, version: str, scorer: str) -> _Items | None:
    """The items of a run; None if they cannot be read."""
    try:
        side = _side(library, run, version, scorer)
    except _UNREADABLE:
        return None
    order = sorted(range(len(side.keys)), key=side.keys.__getitem__)
    items = shared_items(*([column[row] for row in order] for column in (side.keys, side.clusters, side.categories)))
    hashes = np.array([_hashed(key) for key in items.keys], dtype=np.int64)
    return _Items(hashes, side.scores[np.array(order, dtype=np.int64)], items.clusters, items.categories, items.named)


_kept = lru_cache(maxsize=200)(_items)
_kept_large = lru_cache(maxsize=16)(_items)
"""More than a board has lines, as it needs all of them for another metric; of the large ones what memory allows."""


def _hashed(key: str) -> int:
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def _is_readable(library: Library, line: Contender) -> bool:
    """Whether a run's items can be had now: a large one is indexed first, in a thread."""
    try:
        return _is_small(library, line.run, line.version) or library.index(line.run).ready >= 1
    except _UNREADABLE:
        return True  # there is nothing to wait for


def _side(library: Library, run: str, version: str, scorer: str) -> Side:
    """The items of a small run from its journal, else from its index, which holds no rows in memory."""
    if not _is_small(library, run, version):
        return library.index(run).side(scorer)
    opened = library.opened(run)
    with closing(schema.open_to_read(opened.folder / "run.db")) as db:
        rows = reading.scored_items(db)
    return side_of_values(item_values(rows, scorer, voted=opened.found.answers_shown > 0), {})


@lru_cache(maxsize=1_000)
def _is_small(library: Library, run: str, version: str) -> bool:
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
