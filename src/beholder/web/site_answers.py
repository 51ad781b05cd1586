"""What a site holds of several runs: comparisons, what changed between two, and the leaderboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

import msgspec

from beholder.report.several_runs import MOST_RUNS
from beholder.viewer.compare_data import Board, ComparePage, Leaderboard
from beholder.viewer.compare_page import compare_page
from beholder.viewer.leaderboard import leaderboard
from beholder.viewer.library import Library
from beholder.web.site_files import Files, request_of

MOST_WITH_ALL_SCORERS = 4
"""Of so many runs, comparisons are there under each scorer; of more, under the usual one only."""
MOST_METRICS = 20
"""Metrics of a leaderboard, under each scorer: the usual one and the first others."""


def write_comparisons(files: Files, library: Library) -> None:
    """Of each benchmark, comparisons of all runs, each of them as the first, and of each pair; and what changed."""
    for of, runs in enumerate(_by_benchmark(files, library).values()):
        first = runs[:MOST_RUNS]
        for number, chosen in enumerate(orders(first)):
            name = f"compare-{of}-{number}"
            _write_comparison(files, library, chosen, name, all_scorers=len(first) <= MOST_WITH_ALL_SCORERS)
        for number, (run, against) in enumerate(permutations(first, 2)):
            _write_changes(files, library, run, against, f"changes-{of}-{number}")


def orders(runs: Sequence[str]) -> Iterator[list[str]]:
    """What is compared: all runs with each as the first, and each pair both ways.

    >>> list(orders(["a", "b"])), len(list(orders(["a", "b", "c"])))
    ([['a', 'b'], ['b', 'a']], 9)
    """
    if len(runs) > 2:
        yield from ([first, *(run for run in runs if run != first)] for first in runs)
    yield from map(list, permutations(runs, 2))


def _write_comparison(files: Files, library: Library, runs: list[str], name: str, *, all_scorers: bool) -> None:
    usual = compare_page(library, runs)
    others = [scorer for scorer in usual.scorers if scorer != usual.scorer] if all_scorers else []
    held = [usual.scorer, *others]

    def write(page: ComparePage, file: str, asked: list[str]) -> None:
        """With those scorers to choose from that the folder holds."""
        shown = msgspec.structs.replace(page, scorers=[one for one in page.scorers if one in held])
        files.answer(f"{name}-{file}.json", shown, *asked)

    for place, scorer in enumerate(held):
        page = compare_page(library, runs, scorer=scorer) if place else usual
        asked = [scorer] if place else ["", scorer]
        plain = [request_of("api/compare", {"run": runs, "scorer": one}) for one in asked]
        of_all = [request_of("api/compare", {"run": runs, "scorer": one, "intersect": "1"}) for one in asked]
        if page.refused and page.missing:  # the page offers to compare what all have
            write(page, f"{place}", plain)
            write(compare_page(library, runs, scorer=scorer or None, intersect=True), f"{place}-all", of_all)
        else:
            write(page, f"{place}", plain + of_all)


def _write_changes(files: Files, library: Library, run: str, against: str, name: str) -> None:
    """Which samples of a run are better or worse than in another, under each scorer that both have."""
    here, there = library.index(run, whole=True), library.index(against, whole=True)
    n = files.manifest.runs[run].n
    for place, scorer in enumerate(one for one in here.scorers if one in there.scorers):
        found = here.changes(there, scorer)
        shown = msgspec.structs.replace(
            found, gained=[at for at in found.gained if at < n], lost=[at for at in found.lost if at < n]
        )
        request = request_of("api/changes", {"run": run, "against": against, "scorer": scorer})
        files.answer(f"{name}-{place}.json", shown, request)


def write_boards(files: Files, library: Library) -> None:
    """The leaderboards of the benchmarks of these runs, under each scorer and the first metrics."""
    usual = [leaderboard(library, benchmark) for benchmark in _by_benchmark(files, library)]
    boards = [_narrowed(page) for page in usual]
    for number, (page, board) in enumerate(zip(usual, boards, strict=True)):
        name = page.benchmark
        asked = [_board(name), _board(name, page.scorer), _board(name, page.scorer, page.metric)]
        asked += [_board()] if number == 0 else []
        files.answer(f"board-{number}.json", msgspec.structs.replace(page, boards=boards), *asked)
        for place, (scorer, metric) in enumerate(product(board.scorers, ["", *board.metrics])):
            if (request := _board(name, scorer, metric)) not in files.manifest.files:
                found = leaderboard(library, name, scorer, metric)
                files.answer(f"board-{number}-{place}.json", msgspec.structs.replace(found, boards=boards), request)


def _by_benchmark(files: Files, library: Library) -> dict[str, list[str]]:
    """Benchmark → its runs, in their order."""
    found: dict[str, list[str]] = {}
    for run in files.manifest.order:
        found.setdefault(library.opened(run).found.name, []).append(run)
    return found


def _narrowed(page: Leaderboard) -> Board:
    """What there is to choose from, as far as the folder holds it."""
    board = next(one for one in page.boards if one.benchmark == page.benchmark)
    metrics = [page.metric, *(one for one in board.metrics if one != page.metric)]
    return msgspec.structs.replace(board, metrics=metrics[:MOST_METRICS])


def _board(benchmark: str = "", scorer: str = "", metric: str = "") -> str:
    return request_of("api/leaderboard", {"benchmark": benchmark, "scorer": scorer, "metric": metric})
