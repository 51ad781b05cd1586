"""The page of a comparison: two or more runs of one benchmark, item by item, from their indexes."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path

import msgspec

from beholder.errors import DataError, UsageError
from beholder.metrics.paired import told_apart
from beholder.report.comparison import CategoryRow, Comparison
from beholder.report.figures import count
from beholder.report.html_runs import called, run_names
from beholder.report.paired_tables import deciding_test
from beholder.report.plain_text import plain
from beholder.report.run_differences import run_notes, side_of
from beholder.report.several_runs import MOST_RUNS, Against, Gathered, Several, compare_gathered, gather
from beholder.score import Metric
from beholder.store import schema
from beholder.store.spending import Spent, spending
from beholder.viewer.compare_data import CategoryPairs, ComparePage, ItemRef, Pair, RunCost
from beholder.viewer.index import Index
from beholder.viewer.library import Library, Opened
from beholder.viewer.run_data import Fact, RunRow
from beholder.viewer.run_rows import DAMAGED, run_row

MOST_ITEMS = 1_000
MOST_NOTES = 40
_KEYS_NAMED = 5
_LONGEST_NOTE = 400
_SECONDS = (
    "SELECT sum(coalesce(json_extract(record, '$.conduct.seconds'), json_extract(record, '$.latency'))) "
    "FROM responses WHERE json_extract(record, '$.cached') IS NOT TRUE"
)


class _RefusedError(Exception):
    """These runs are not compared. `missing` are the items that each lacks, `shared` counts those that all have."""

    def __init__(self, why: str, missing: Sequence[Fact] = (), shared: int = 0) -> None:
        super().__init__(why)
        self.missing, self.shared = list(missing), shared


def compare_page(
    library: Library, runs: Sequence[str], scorer: str | None = None, *, intersect: bool = False, seed: int = 0
) -> ComparePage:
    """Compares runs by name; the first is what the others are compared with.

    What cannot be compared is said on the page (`refused`), with the first items that each run lacks. `UsageError` only
    if there is no run of a name. The index of a large run is waited for.
    """
    rows = [run_row(run, library.folder(run), library.version(run)) for run in runs]
    names = run_names(called([(row.model or row.id, row.tools) for row in rows]))
    page = ComparePage(
        runs=rows,
        names=names,
        scorer=scorer or "",
        scorers=[],
        n=0,
        intersected=False,
        refused="",
        missing=[],
        means=[],
        pairs=[],
        categories=[],
        gained=[],
        lost=[],
        agreement=[],
        costs=[],
        notes=[],
    )
    try:
        _check(rows)
        opened = [library.opened(run) for run in runs]
        page = msgspec.structs.replace(page, scorers=list(opened[0].found.scorers))
        return _compared(library, opened, page, intersect=intersect, seed=seed)
    except _RefusedError as refused:
        return msgspec.structs.replace(page, refused=str(refused), missing=refused.missing, n=refused.shared)
    except (UsageError, DataError, LookupError, OSError, sqlite3.Error) as error:  # a stranger's run may hold anything
        said = plain(library.without_paths(str(error)), one_line=True, limit=_LONGEST_NOTE)
        return msgspec.structs.replace(page, refused=said)


def _check(rows: Sequence[RunRow]) -> None:
    """Refuses runs that cannot be compared at all."""
    if len(rows) < 2:
        raise _RefusedError("Choose two or more runs.")
    if len(rows) > MOST_RUNS:
        raise _RefusedError(f"At most {MOST_RUNS} runs can be compared at once.")
    if len({row.id for row in rows}) < len(rows):
        raise _RefusedError("A run is named twice: it cannot differ from itself.")
    for row in rows:
        if row.status == DAMAGED:
            raise _RefusedError(f"{row.id} cannot be read: {row.message}")


def _compared(
    library: Library, opened: Sequence[Opened], page: ComparePage, *, intersect: bool, seed: int
) -> ComparePage:
    found, names = opened[0].found, page.names
    if len({one.plan.benchmark for one in opened}) > 1:
        titles = dict.fromkeys(row.title for row in page.runs)
        raise _RefusedError(f"These are runs of {' and '.join(titles)}. Compare runs of one benchmark.")
    if page.scorer and page.scorer not in found.scorers:
        raise _RefusedError(f"{page.runs[0].title} has no scorer {plain(page.scorer, one_line=True, limit=60)!r}.")
    indexes = [library.index(one.id, whole=True) for one in opened]
    scorer = page.scorer or _leading(opened[0], indexes)
    for name, index in zip(names, indexes, strict=True):
        if scorer not in index.scorers:
            raise _RefusedError(f"{name} has no scores by {scorer}. Choose another scorer, or rescore that run.")
    gathered = gather(index.side(scorer) for index in indexes)
    missing = _missing(gathered, names)
    if missing and (not intersect or not len(gathered.shared)):
        why = "hold the same items" if len(gathered.shared) else "have a single item in common"
        raise _RefusedError(f"The runs do not {why}.", missing, len(gathered.shared))
    several = compare_gathered(gathered, scorer, seed=seed)
    first = several.against[0].comparison
    return msgspec.structs.replace(
        page,
        scorer=scorer,
        n=several.n,
        intersected=bool(missing),
        missing=missing,
        means=several.means,
        pairs=[_pair(one.run, one.comparison, one.holm, one.told_apart) for one in several.against],
        categories=_categories(several),
        gained=_refs(first.gained, indexes[:2]),
        lost=_refs(first.lost, indexes[:2]),
        agreement=several.agreement,
        costs=[
            _cost(place, one, library.version(one.id), mean)
            for place, (one, mean) in enumerate(zip(opened, several.means, strict=True))
        ],
        notes=_notes(opened, names, several),
    )


def _leading(first: Opened, indexes: Sequence[Index]) -> str:
    """The headline's scorer, or what stands in for it where one of the runs is led by another."""
    found = first.found
    leading = {index.columns().scorer for index in indexes}
    if leading == {found.headline[0]} or found.second_headline is None:
        return found.headline[0]
    return found.second_headline[0]


def _missing(gathered: Gathered, names: Sequence[str]) -> list[Fact]:
    """For each run the items that it lacks and another has; the first keys are named."""
    facts = []
    for run, name in enumerate(names):
        lacks = gathered.lacking(run)
        if lacks:
            some = ", ".join(plain(key, one_line=True, limit=60) for key in lacks[:_KEYS_NAMED])
            more = ", …" if len(lacks) > _KEYS_NAMED else ""
            facts.append(Fact(name, f"lacks {count(len(lacks))} of {count(gathered.total)} items: {some}{more}"))
    return facts


def _pair(run: int, one: Comparison, holm: float | None, apart: int) -> Pair:
    paired, cells = one.paired, one.paired.cells
    return Pair(
        a=0,
        b=run,
        n=paired.n,
        failed=paired.failed,
        difference=paired.difference,
        low=paired.low,
        high=paired.high,
        interval=paired.interval,
        p=paired.p_decides,
        test=deciding_test(paired),
        holm=holm,
        told_apart=apart,
        both_right=cells.both_right if cells else None,
        only_a=cells.only_a if cells else None,
        only_b=cells.only_b if cells else None,
        both_wrong=cells.both_wrong if cells else None,
        detectable=one.detectable,
        note=paired.note,
        gained=len(one.gained),
        lost=len(one.lost),
    )


def _categories(several: Several) -> list[CategoryPairs]:
    """Each category with the pair of every run against the first; a p is corrected for the number of categories."""
    by_run: list[tuple[Against, dict[str, CategoryRow]]] = [
        (one, {row.category: row for row in one.comparison.categories}) for one in several.against
    ]
    names = sorted({name for _, rows in by_run for name in rows})
    return [
        CategoryPairs(name=name, pairs=[_category_pair(one, rows[name]) for one, rows in by_run if name in rows])
        for name in names
    ]


def _category_pair(one: Against, row: CategoryRow) -> Pair:
    within = Comparison(
        scorer=one.comparison.scorer, paired=row.paired, categories=[], gained=[], lost=[], detectable=None
    )
    pair = _pair(one.run, within, row.p_holm, told_apart(row.paired, row.p_holm))
    return msgspec.structs.replace(pair, gained=row.n_gained, lost=row.n_lost)


def _refs(keys: Sequence[str], indexes: Sequence[Index]) -> list[ItemRef]:
    """Items with their place in the first two runs."""
    refs = []
    for key in keys[:MOST_ITEMS]:
        places = [index.place_of(key) for index in indexes]
        refs.append(ItemRef(key, [-1 if place is None else place for place in places]))
    return refs


def _cost(place: int, one: Opened, version: str, figure: Metric) -> RunCost:
    """Dollars are None if any request that was paid for has no known price: half a sum would mislead."""
    spent, seconds = _spent(one.folder, version)
    dollars = spent.cost if not spent.unpriced else None
    return RunCost(run=place, figure=figure, dollars=dollars, tokens=spent.tokens, seconds=seconds)


@lru_cache(maxsize=200)
def _spent(folder: Path, version: str) -> tuple[Spent, float | None]:
    """What a run spent, and the seconds of its responses, one after the other."""
    with closing(schema.open_to_read(folder / "run.db")) as db, schema.told_plainly(folder):
        return spending(db).total, db.execute(_SECONDS).fetchone()[0]


def _notes(opened: Sequence[Opened], names: Sequence[str], several: Several) -> list[str]:
    """What a reader of the comparison must know besides."""
    notes = []
    if several.left_out:
        notes.append(f"{count(several.left_out)} items are left out: not all of the runs hold them")
    sides = []
    for one in opened:
        with closing(schema.open_to_read(one.folder / "run.db")) as db:
            # The folder's name alone: a page may go to other people.
            sides.append(side_of(Path(one.folder.name), one.info, one.plan, db, one.found))
    for side, name in zip(sides[1:], names[1:], strict=True):
        notes += run_notes(sides[0], side, several.scorer, (names[0], name))
    said = (plain(note, one_line=True, limit=_LONGEST_NOTE) for note in dict.fromkeys(notes))
    return [f"T{note[1:]}" if note.startswith("the ") else note for note in said][:MOST_NOTES]  # names stay as they are
