"""Where the figures of a run's page come from: what was written at its end, what can be computed, or what is there so
far.

`results.json` is what a run's end left, and holds as long as the journal is the one that it was made from. Else the
figures are computed from the journal, as `beholder show` does, unless the run goes on or is so large that its rows
should not be in memory: then they are provisional, plain means of the verdicts that are there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine import lifecycle
from beholder.engine.judges_of_run import lacks_verdicts
from beholder.engine.lifecycle import Result
from beholder.metrics.intervals import wilson
from beholder.report.figures import counted
from beholder.report.run_list import Results, read_results
from beholder.score import Metric, Metrics, Outcome
from beholder.store import judge_calls, reading, schema
from beholder.store.spending import spending
from beholder.viewer.distributions import Came, outcomes
from beholder.viewer.library import Opened
from beholder.viewer.run_rows import LONGEST_NAME

MOST_ROWS = 20_000
"""Responses of a run whose rows are read into memory."""
RUNNING_MEAN = "mean so far"
"""The metric of provisional figures."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A run as it stands. `result.items` are there only where its rows were read (`with_rows`); `came` is what its
    responses came to under each scorer."""

    result: Result
    provisional: bool
    headline: tuple[str, str]
    came: dict[str, dict[str, Came]]

    @property
    def small(self) -> bool:
        """Whether its rows may be read."""
        return not self.provisional and self.result.tally.answered + self.result.tally.failed <= MOST_ROWS


def standing(opened: Opened, *, running: bool) -> Standing:
    """The figures of a run. `UsageError` or an error of SQLite if its journal cannot be read."""
    with closing(schema.open_to_read(opened.folder / "run.db")) as db:
        (n,) = db.execute("SELECT count(*) FROM responses").fetchone()
        results, came = None if running else _if_current(db, opened, n), outcomes(db, list(opened.found.scorers))
        if results is not None and results.tally is not None:
            result = _from_results(db, opened, results, results.tally)
            return Standing(
                result=result, provisional=False, headline=_headline(opened.found, result.metrics), came=came
            )
        if running or n > MOST_ROWS:
            result = _so_far(db, opened, came)
            leading = _leading_so_far(opened.found, result.metrics)
            return Standing(result=result, provisional=True, headline=leading, came=came)
    result = lifecycle.read_result(opened.folder, opened.info, opened.plan, opened.found)
    result = msgspec.structs.replace(result, metrics=_of(opened.found, result.metrics))
    return Standing(result=result, provisional=False, headline=_headline(opened.found, result.metrics), came=came)


def with_rows(one: Standing) -> Result:
    """The result with its scored rows."""
    if one.result.items or not one.small:
        return one.result
    with closing(schema.open_to_read(one.result.folder / "run.db")) as db:
        return msgspec.structs.replace(one.result, items=reading.scored_items(db))


def _headline(found: Benchmark, metrics: Metrics) -> tuple[str, str]:
    """The benchmark's headline, or where it has no value and nothing stands in for it, a figure of its scorer."""
    scorer, metric = found.headline_of(metrics)
    known = metrics.get(scorer, {}).get(metric)
    if known is not None and known.value is not None:
        return scorer, metric
    others = [(name, other) for name, figures in metrics.items() for other, figure in figures.items() if figure.value]
    return min(others, key=lambda one: one[0] != scorer, default=(scorer, metric))


def _leading_so_far(found: Benchmark, metrics: Metrics) -> tuple[str, str]:
    """The headline's scorer, or the one that stands in for it where it has judged nothing yet."""
    tried = [found.headline[0], *(found.second_headline or ())[:1], *metrics]
    judged = (scorer for scorer in tried if scorer in metrics and metrics[scorer][RUNNING_MEAN].n)
    return next(judged, found.headline[0]), RUNNING_MEAN


def _if_current(db: sqlite3.Connection, opened: Opened, n: int) -> Results | None:
    """results.json, if it was made from the journal as it is.

    A mark makes the journal newer and changes no figure; so where the file is older, it is the number of responses and
    the code of their scores that tell.
    """
    results = read_results(opened.folder)
    if results is None or results.tally is None or not results.metrics:
        return None
    tally = results.tally
    if tally.unscored or tally.answered + tally.failed + tally.retryable != n:
        return None
    if _is_newer(opened.folder):
        return results
    codes = dict(db.execute("SELECT name, code FROM scorers").fetchall())
    return results if results.scorer_code and results.scorer_code == codes else None


def _is_newer(folder: Path) -> bool:
    """Whether results.json was written after the journal."""
    try:
        written = (folder / "results.json").stat().st_mtime_ns
        return all(file.stat().st_mtime_ns <= written for file in folder.glob("run.db*"))
    except OSError:
        return False


def _from_results(db: sqlite3.Connection, opened: Opened, results: Results, tally: reading.Tally) -> Result:
    whole = tally.retryable == 0 and tally.answered + tally.failed == opened.plan.n_asks
    lacking = whole and not results.complete and lacks_verdicts(opened.folder, opened.info.settings, opened.found)
    return _result(
        db,
        opened,
        tally=tally,
        metrics=_of(opened.found, results.metrics),
        details=results.details,
        complete=results.complete,
        spending=results.spending or spending(db),
        unjudged=lacking,
    )


def _so_far(db: sqlite3.Connection, opened: Opened, came: Mapping[str, Mapping[str, Came]]) -> Result:
    """What is there of a run that goes on, or is large and was never finished: plain means, no rows in memory."""
    tally = reading.tally(db, len(opened.found.scorers))
    return _result(
        db,
        opened,
        tally=tally,
        metrics=means_so_far(came),
        details={},
        complete=False,
        spending=spending(db),
        unjudged=False,
    )


def means_so_far(came: Mapping[str, Mapping[str, Came]]) -> Metrics:
    """The mean of every scorer over the responses that it has judged, with Wilson's interval where all are 0 or 1."""
    metrics: Metrics = {}
    for scorer, own in came.items():
        n, total = sum(one.judged for one in own.values()), sum(one.total for one in own.values())
        certain = all(one.total in (0, one.judged) for one in own.values())
        low, high = wilson(round(total), n) if certain else (None, None)
        metrics[scorer] = {
            RUNNING_MEAN: Metric(
                value=total / n if n else None,
                n=n,
                failed=own[Outcome.FAILED].responses if Outcome.FAILED in own else 0,
                low=low,
                high=high,
                interval="" if low is None else "wilson",
                note=f"a plain mean over the {counted(n, 'response')} so far; the run's own figures come with its end",
            )
        }
    return metrics


def _of(found: Benchmark, metrics: Metrics) -> Metrics:
    """The figures by the benchmark's own scorers, with names that a page can hold; a stranger's run may have others."""
    return {
        scorer: {name: figure for name, figure in metrics[scorer].items() if len(name) <= LONGEST_NAME}
        for scorer in found.scorers
        if scorer in metrics
    }


def _result(db: sqlite3.Connection, opened: Opened, **known: Any) -> Result:
    said = judge_calls.counted(db)
    facts = {
        "folder": opened.folder,
        "model": str(opened.info.settings.get("model", "")),
        "found": opened.found,
        "plan": opened.plan,
        "items": [],
        "judges": {one.judge: one.answered for one in said if one.purpose == judge_calls.EXTRACTION},
        "judged": tuple(one for one in said if one.purpose != judge_calls.EXTRACTION),
    }
    return Result(**facts, **known)  # type: ignore[arg-type]
