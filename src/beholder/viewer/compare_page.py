"""The page of a comparison: two or more runs of one benchmark, item by item, from their indexes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from beholder.errors import UsageError
from beholder.metrics.paired import told_apart
from beholder.report.comparison import CategoryRow, Comparison, ItemValue
from beholder.report.figures import count
from beholder.report.plain_text import plain
from beholder.report.run_differences import plan_differences
from beholder.report.several_runs import MOST_RUNS, Against, Several, compare_several
from beholder.score import Metric
from beholder.store import schema
from beholder.store.spending import spending
from beholder.viewer.compare_data import Agreement, CategoryPairs, ComparePage, ItemRef, Pair, RunCost
from beholder.viewer.index import Index
from beholder.viewer.library import Library, Opened
from beholder.viewer.run_data import Fact, RunRow
from beholder.viewer.run_rows import run_row

MOST_ITEMS = 1_000
MOST_NOTES = 40
_KEYS_NAMED = 5
_LONGEST_NAME = 80
_SECONDS = (
    "SELECT sum(json_extract(record, '$.latency')) FROM responses WHERE json_extract(record, '$.cached') IS NOT TRUE"
)


def compare_page(
    library: Library, runs: Sequence[str], scorer: str | None = None, *, intersect: bool = False, seed: int = 0
) -> ComparePage:
    """Compares runs by name; the first is what the others are compared with.

    What cannot be compared is said on the page (`refused`), with the first items that each run lacks. `UsageError` if
    there is no run of a name, or one cannot be read.
    """
    opened = [library.opened(run) for run in runs]
    rows = [run_row(one.id, one.folder, library.version(one.id)) for one in opened]
    names = _names(rows)
    if refused := _cannot_be(opened, scorer):
        return _refused(rows, names, refused, scorer or "", _scorers(opened))
    indexes = [library.index(run, whole=True) for run in runs]
    chosen = scorer or _headline(opened[0], indexes)
    if lacking := [name for name, index in zip(names, indexes, strict=True) if chosen not in index.scorers]:
        said = f"{lacking[0]} has no scores by {chosen}. Choose another scorer, or rescore that run."
        return _refused(rows, names, said, chosen, _scorers(opened))
    values = [index.values(chosen) for index in indexes]
    missing = _missing(values, names)
    if missing and not intersect:
        shared = len(set(values[0]).intersection(*values[1:]))
        said = "The runs do not hold the same items."
        return _refused(rows, names, said, chosen, _scorers(opened), missing, shared)
    answers = [index.read_answers(chosen) for index in indexes]
    try:
        several = compare_several(values, chosen, intersect=intersect, names=names, answers=answers, seed=seed)
    except UsageError as error:
        return _refused(rows, names, str(error), chosen, _scorers(opened), missing)
    first = several.against[0].comparison
    return ComparePage(
        runs=rows,
        names=names,
        scorer=chosen,
        scorers=_scorers(opened),
        n=several.n,
        intersected=bool(missing),
        refused="",
        missing=missing,
        means=several.means,
        pairs=[_pair(one.run, one.comparison, one.holm, one.told_apart) for one in several.against],
        categories=_categories(several),
        gained=_refs(first.gained, indexes[:2]),
        lost=_refs(first.lost, indexes[:2]),
        agreement=[
            Agreement(a=one.a, b=one.b, n=one.n, same=one.same, kappa=one.kappa, both_wrong_same=one.both_wrong_same)
            for one in several.agreement
        ],
        costs=[_cost(place, one, mean) for place, (one, mean) in enumerate(zip(opened, several.means, strict=True))],
        notes=_notes(opened, names, several),
    )


def _names(rows: Sequence[RunRow]) -> list[str]:
    """What the runs are called: their models; with their tools, or numbered, where one is there more than once."""
    models = [row.model or row.id for row in rows]
    called = [
        f"{model}, {row.tools or 'no tools'}"
        if models.count(model) > 1 and len({one.tools for one in rows}) > 1
        else model
        for model, row in zip(models, rows, strict=True)
    ]
    called = [plain(name, one_line=True, limit=_LONGEST_NAME) or "(no name)" for name in called]
    return [
        f"{name} ({called[: place + 1].count(name)})" if called.count(name) > 1 else name
        for place, name in enumerate(called)
    ]


def _cannot_be(opened: Sequence[Opened], scorer: str | None) -> str:
    """Why these runs cannot be compared at all; "" if they can."""
    if len(opened) < 2:
        return "Choose two or more runs."
    if len(opened) > MOST_RUNS:
        return f"At most {MOST_RUNS} runs can be compared at once."
    if len({one.id for one in opened}) < len(opened):
        return "A run is named twice: it cannot differ from itself."
    titles = dict.fromkeys(one.found.title for one in opened)
    if len({one.found.name for one in opened}) > 1:
        return f"These are runs of {' and '.join(titles)}. Compare runs of one benchmark."
    if scorer and scorer not in opened[0].found.scorers:
        return f"{opened[0].found.title} has no scorer {plain(scorer, one_line=True, limit=60)!r}."
    return ""


def _headline(first: Opened, indexes: Sequence[Index]) -> str:
    """The headline's scorer, or what stands in for it where one of the runs is led by another."""
    found = first.found
    leading = {index.columns().scorer for index in indexes}
    if leading == {found.headline[0]} or found.second_headline is None:
        return found.headline[0]
    return found.second_headline[0]


def _scorers(opened: Sequence[Opened]) -> list[str]:
    return list(opened[0].found.scorers) if opened else []


def _refused(
    rows: list[RunRow],
    names: list[str],
    refused: str,
    scorer: str,
    scorers: list[str],
    missing: Sequence[Fact] = (),
    shared: int = 0,
) -> ComparePage:
    return ComparePage(
        runs=rows,
        names=names,
        scorer=scorer,
        scorers=scorers,
        n=shared,
        intersected=False,
        refused=refused,
        missing=list(missing),
        means=[],
        pairs=[],
        categories=[],
        gained=[],
        lost=[],
        agreement=[],
        costs=[],
        notes=[],
    )


def _missing(values: Sequence[dict[str, ItemValue]], names: Sequence[str]) -> list[Fact]:
    """For each run the items that it lacks and another has; the first keys are named."""
    everything = set[str]().union(*values)
    facts = []
    for own, name in zip(values, names, strict=True):
        lacks = sorted(everything - own.keys())
        if lacks:
            some = ", ".join(plain(key, one_line=True, limit=60) for key in lacks[:_KEYS_NAMED])
            more = ", …" if len(lacks) > _KEYS_NAMED else ""
            facts.append(Fact(name, f"lacks {count(len(lacks))} of {count(len(everything))} items: {some}{more}"))
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
        test=""
        if paired.p_decides is None
        else "exact McNemar"
        if paired.p_flips is None
        else "sign flips over clusters",
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
    return Pair(
        **{name: getattr(pair, name) for name in pair.__struct_fields__} | {"gained": row.n_gained, "lost": row.n_lost}
    )


def _refs(keys: Sequence[str], indexes: Sequence[Index]) -> list[ItemRef]:
    """Items with their place in the first two runs."""
    refs = []
    for key in keys[:MOST_ITEMS]:
        places = [index.place_of(key) for index in indexes]
        refs.append(ItemRef(key, [-1 if place is None else place for place in places]))
    return refs


def _cost(place: int, one: Opened, figure: Metric) -> RunCost:
    """Dollars are None if any request that was paid for has no known price: half a sum would mislead."""
    with closing(schema.open_to_read(one.folder / "run.db")) as db, schema.told_plainly(one.folder):
        spent = spending(db).total
        (seconds,) = db.execute(_SECONDS).fetchone()
    dollars = spent.cost if not spent.unpriced else None
    return RunCost(run=place, figure=figure, dollars=dollars, tokens=spent.tokens, seconds=seconds)


def _notes(opened: Sequence[Opened], names: Sequence[str], several: Several) -> list[str]:
    """What a reader of the comparison must know besides."""
    notes = []
    if several.left_out:
        notes.append(f"{count(several.left_out)} items are left out: not all of the runs hold them.")
    first = opened[0]
    for one, name in zip(opened[1:], names[1:], strict=True):
        differ = plan_differences(first.info.plan, one.info.plan, (names[0], name))
        notes += [f"The runs differ in {plain(words, one_line=True, limit=400)}." for words in differ]
        if one.found.assumptions != first.found.assumptions:
            notes.append(f"{names[0]} and {name} are scored under different assumptions.")
    return notes[:MOST_NOTES]
