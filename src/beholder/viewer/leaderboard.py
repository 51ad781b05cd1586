"""Leaderboards: runs and published figures of one benchmark, under one scorer and one metric, with ranks that hold.

Nothing is mixed without a word: a line that was measured otherwise than the rest carries the numbers of notes that say
how (`board_marks`), and what cannot stand there is listed with why. Ranks come with the range that the data cannot tell
apart (`metrics.ranks`, `board_tests`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from beholder.benchmarks import BENCHMARKS
from beholder.benchmarks import benchmark as find_benchmark
from beholder.benchmarks.tables import Table, figure_of, standard_error, tables
from beholder.errors import UsageError
from beholder.metrics.ranks import Standing, standings
from beholder.report.figures import counted
from beholder.viewer.board_lines import Part, PublishedLine, Stands, board_parts, called, published_lines, sorted_out
from beholder.viewer.board_marks import Notes, against_table, of_line, of_run, of_table, usual
from beholder.viewer.board_runs import BoardRun, board_run
from beholder.viewer.board_tests import Contender, Verdict, pair_tests
from beholder.viewer.compare_data import Board, BoardRow, Leaderboard
from beholder.viewer.library import Library, version_of

MOST_NAMES = 1_000
"""Scorers and metrics that a board can be asked for; a stranger's runs may have any number."""


def leaderboard(library: Library, benchmark: str = "", scorer: str = "", metric: str = "") -> Leaderboard:
    """The leaderboard of a benchmark, with all published tables.

    "" takes the benchmark with the newest run that has figures, and its headline's scorer and metric (or what its runs
    lead with, where none has a figure there). `UsageError` if there is no such benchmark, scorer or metric.
    """
    return board_with(library, tables(), benchmark, scorer, metric)


def board_with(library: Library, known: Sequence[Table], benchmark: str, scorer: str, metric: str) -> Leaderboard:
    """`leaderboard` with these published tables only."""
    runs = _runs(library)
    boards = _boards(runs, known)
    with_figures = [run.benchmark for run in runs if run.headline is not None]
    name = benchmark or next(iter([*with_figures, *(board.benchmark for board in boards)]), "")
    board = next((one for one in boards if one.benchmark == name), None)
    if board is None:
        there = ", ".join(one.benchmark for one in boards) or "none, for there are no runs"
        asked = f"There is no leaderboard of {name[:60]!r}." if name else "There is no leaderboard."
        raise UsageError(f"{asked} There are: {there}.")
    own, here = [run for run in runs if run.benchmark == name], [one for one in known if one.benchmark == name]
    chosen = _chosen(name, own, here, scorer, metric)
    for what, wanted, of in (("scorer", scorer, board.scorers), ("metric", metric, board.metrics)):
        if wanted and wanted not in of:
            raise UsageError(f"{name} has no {what} {wanted[:60]!r} on any line. There are: {', '.join(of[:40])}.")
    return _board(library, board, boards, own, here, *chosen)


def _runs(library: Library) -> list[BoardRun]:
    """The runs of a library that can be read, newest first."""
    found = (board_run(run, folder, version_of(folder)) for run, folder in library.folders().items())
    return [run for run in found if run is not None and run.benchmark]


def _boards(runs: Sequence[BoardRun], known: Sequence[Table]) -> list[Board]:
    """One for each benchmark that has a run or a published table: ours first, in their order."""
    names = dict.fromkeys(
        [
            *(name for name in BENCHMARKS if name in {table.benchmark for table in known}),
            *(name for name in BENCHMARKS if name in {run.benchmark for run in runs}),
            *(run.benchmark for run in runs),
        ]
    )
    boards = []
    for name in names:
        own, there = [run for run in runs if run.benchmark == name], [one for one in known if one.benchmark == name]
        scorers = dict.fromkeys([scorer for run in own for scorer in run.metrics])
        scorers |= dict.fromkeys(table.scorer for table in there if table.scorer)
        metrics = dict.fromkeys(metric for run in own for figures in run.metrics.values() for metric in figures)
        metrics |= dict.fromkeys(metric for table in there for metric in table.metrics)
        boards.append(
            Board(
                benchmark=name,
                title=BENCHMARKS[name][1].partition(":")[0] if name in BENCHMARKS else name,
                scorers=list(scorers)[:MOST_NAMES],
                metrics=list(metrics)[:MOST_NAMES],
                lines=len(own) + sum(len(table.rows) for table in there),
            )
        )
    return boards


def _chosen(name: str, runs: Sequence[BoardRun], known: Sequence[Table], scorer: str, metric: str) -> tuple[str, str]:
    """The scorer and the metric of a board: what is asked for, and for the rest the nearest to the usual ones that has
    a figure."""
    usual_scorer, usual_metric = _usual(name, runs, known)
    if not scorer and not metric:
        return usual_scorer, usual_metric
    there = list(_with_figures(runs, known))
    if scorer and not metric:
        metrics = [one for by, one in there if by == scorer]
        return scorer, usual_metric if usual_metric in metrics or not metrics else metrics[0]
    if metric and not scorer:
        scorers = [by for by, one in there if one == metric]
        return usual_scorer if usual_scorer in scorers or not scorers else scorers[0], metric
    return scorer, metric


def _usual(name: str, runs: Sequence[BoardRun], known: Sequence[Table]) -> tuple[str, str]:
    """The headline, if any run has it; else what most runs lead with; else what is published."""
    headline = find_benchmark(name).headline if name in BENCHMARKS else None
    if headline is not None and any(run.figure(*headline) is not None for run in runs):
        return headline
    led = Counter(run.headline for run in runs if run.headline is not None)
    if led:
        return max(led, key=lambda one: led[one])
    largest = max((table for table in known if table.scorer), key=lambda table: len(table.rows), default=None)
    return (largest.scorer, largest.metrics[0]) if largest is not None else headline or ("", "")


def _with_figures(runs: Sequence[BoardRun], known: Sequence[Table]) -> Iterable[tuple[str, str]]:
    """The pairs of scorer and metric under which any line has a figure."""
    for run in runs:
        for scorer, figures in run.metrics.items():
            yield from ((scorer, name) for name, figure in figures.items() if figure.value is not None)
    for table in known:
        yield from ((table.scorer, name) for name in table.metrics if table.scorer)


def _board(
    library: Library,
    board: Board,
    boards: list[Board],
    own: Sequence[BoardRun],
    known: Sequence[Table],
    scorer: str,
    metric: str,
) -> Leaderboard:
    lines, not_here = published_lines(known, board.benchmark, scorer, metric)
    stands, left_out = sorted_out(own, scorer, metric, beside_published=bool(lines))
    contenders = [Contender(figure, run=run.id, version=run.version) for run, figure in stands]
    contenders += [Contender(one.figure, standard_error(one.table, one.line, metric)) for one in lines]
    verdict = pair_tests(library, contenders, scorer, metric)
    places = standings([one.figure.value or 0.0 for one in contenders], verdict.tests)
    parts, notes = board_parts(board.benchmark, scorer, metric, stands, lines), Notes()
    marks = _marks_of_runs(stands, lines, verdict, scorer, metric)
    rows = _run_rows(stands, places[: len(stands)], parts, marks, notes)
    rows += _published_rows(lines, places[len(stands) :], parts, metric, notes)
    notes.number(_how_ranked(verdict, bool(lines)))
    return Leaderboard(
        benchmark=board.benchmark,
        title=board.title,
        scorer=scorer,
        metric=metric,
        parts=[part.label for part in parts],
        rows=sorted(rows, key=lambda row: (row.rank, row.source != "", row.name)),
        notes=notes.words,
        left_out=[*left_out, *not_here],
        boards=boards,
    )


def _marks_of_runs(
    stands: Sequence[Stands], lines: Sequence[PublishedLine], verdict: Verdict, scorer: str, metric: str
) -> list[list[str]]:
    """What each run's line must be read with: how it differs from most runs, and from the published tables here."""
    against = usual(stands, called([one.run for one in stands]), verdict.items)
    beside = {one.table.name: one.table for one in lines}.values()
    return [
        [
            *(of_run(run, figure, items, scorer, against) if against is not None else ()),
            *filter(None, (against_table(run, figure, metric, table) for table in beside)),
        ]
        for (run, figure), items in zip(stands, verdict.items[: len(stands)], strict=True)
    ]


def _run_rows(
    stands: Sequence[Stands], places: Sequence[Standing], parts: Sequence[Part], marks: list[list[str]], notes: Notes
) -> list[BoardRow]:
    names = called([one.run for one in stands])
    return [
        BoardRow(
            rank=place.rank,
            best=place.best,
            worst=place.worst,
            name=name,
            run=run.id,
            source="",
            date=run.created[:10],
            figure=figure,
            parts={part.label: found for part in parts if (found := run.figure(part.scorer, part.metric)) is not None},
            marks=notes.numbers(said),
        )
        for (run, figure), place, name, said in zip(stands, places, names, marks, strict=True)
    ]


def _published_rows(
    lines: Sequence[PublishedLine], places: Sequence[Standing], parts: Sequence[Part], metric: str, notes: Notes
) -> list[BoardRow]:
    return [
        BoardRow(
            rank=place.rank,
            best=place.best,
            worst=place.worst,
            name=line.model,
            run="",
            source=table.source,
            date=table.date,
            figure=figure,
            parts={part.label: found for part in parts if (found := figure_of(table, line, part.metric)) is not None},
            marks=notes.numbers([of_table(table), *of_line(table, line, metric)]),
        )
        for (table, line, figure), place in zip(lines, places, strict=True)
    ]


def _how_ranked(verdict: Verdict, any_published: bool) -> str:
    """How the ranks were made: the note at the end, which is about all lines."""
    pairs = len(verdict.tests)
    words = (
        f"Ranks: of {counted(pairs, 'pair')} of lines, {verdict.paired} were compared on the same items, the others as "
        "figures over different items; Holm's correction over all pairs, at 5 %. A range holds the ranks that cannot "
        "be told apart."
    )
    if any_published:
        words += (
            " Published figures carry no interval: theirs is that of as many independent items, right or wrong, which "
            "is OUR assumption."
        )
    if verdict.unready:
        words += f" {counted(verdict.unready, 'run')} still being indexed: not yet compared item by item."
    return words
