"""The page of one run: its figures with their denominators, what became of the responses, how it was asked and made."""

from __future__ import annotations

import shlex
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from functools import lru_cache
from typing import Any

import msgspec

from beholder.engine.lifecycle import Result
from beholder.report.costs import cost_in_words
from beholder.report.figures import count, percent
from beholder.report.judged_report import judged_lines
from beholder.report.parts import drawn, part_label
from beholder.report.run_differences import code_notes
from beholder.report.run_facts import failure_counts, plan_facts
from beholder.report.run_report import how_to_resume, noise_in_words
from beholder.report.terminal import notes
from beholder.score import Metrics
from beholder.store import schema
from beholder.viewer.board_runs import board_run
from beholder.viewer.distributions import bars, histograms
from beholder.viewer.journal_items import of_a_run
from beholder.viewer.library import Library, Opened
from beholder.viewer.published import published_beside
from beholder.viewer.run_data import Fact, FailureRow, MetricRow, RunPage, RunRow
from beholder.viewer.run_figures import Standing, standing, with_rows
from beholder.viewer.run_rows import RUNNING, cut, run_row, shown
from beholder.viewer.tools_of_run import MOST_DIAGNOSED, tool_facts

MOST_METRICS = 2_000
MOST_FACTS = 60
LONGEST_PROMPT = 100_000
LONGEST_FACT = 2_000
_PATIENCE = (2.0, 5.0)
"""The page of a run that goes on is made anew after so many seconds, and after so many times what it took to make."""

_latest: dict[tuple[Library, str], tuple[float, RunPage]] = {}
_lock = threading.Lock()


def run_page(library: Library, run: str) -> RunPage:
    """The page of a run. `UsageError` if it cannot be read.

    It is made once for each version of the run; while the run goes on, not more often than is worth its making.
    """
    row = run_row(run, library.folder(run), library.version(run))
    place = (library, run)
    with _lock:
        due, page = _latest.get(place, (0.0, None))
    if row.status == RUNNING and page is not None and page.row.status == RUNNING and time.monotonic() < due:
        return msgspec.structs.replace(page, row=row)
    begun = time.monotonic()
    page = _page(library, run, row)
    ended = time.monotonic()
    with _lock:
        _latest.pop(place, None)
        if row.status == RUNNING:
            _latest[place] = (ended + max(_PATIENCE[0], _PATIENCE[1] * (ended - begun)), page)
    return page


@lru_cache(maxsize=24)
def _page(library: Library, run: str, row: RunRow) -> RunPage:
    with of_a_run():
        return _page_of(library.opened(run), row)


def _page_of(opened: Opened, row: RunRow) -> RunPage:
    stands = standing(opened, running=row.status == RUNNING)
    result, found = stands.result, opened.found
    scorer, metric = stands.headline
    names = _names(result.metrics, scorer, metric)
    parts, title = drawn(found, metric, names)
    tally = result.tally
    with closing(schema.open_to_read(opened.folder / "run.db")) as db:
        codes = dict(db.execute("SELECT name, code FROM scorers").fetchall())
        distributions = histograms(db)
    diagnosed = opened.plan.tools is not None and tally.answered + tally.failed <= MOST_DIAGNOSED
    rows = with_rows(stands) if diagnosed or opened.plan.epochs > 1 else result
    return RunPage(
        row=row,
        paper=found.paper,
        scorers=list(found.scorers),
        scorer=scorer,
        metric=metric,
        metrics=[
            MetricRow(
                name=cut(name, 200),
                part=cut(part_label(metric, name), 200) if name in parts else "",
                figures={one: shown(own[name]) for one, own in result.metrics.items() if name in own},
            )
            for name in names
        ],
        chart_title=title if parts else "",
        bars=bars(stands.came),
        failures=_failures(opened) if tally.failed or tally.retryable else [],
        histograms=distributions,
        plan=_facts(plan_facts(opened.info, opened.plan)),
        prompt=cut(opened.plan.template, LONGEST_PROMPT),
        made_with=_facts(_made_with(opened)),
        counts=_facts(_counts(rows, stands)),
        tools=_facts(tool_facts(rows)),
        published=published_beside(result, scorer, metric, board_run(opened.id, opened.folder, row.version)),
        notes=[cut(words, LONGEST_FACT) for words in _notes(opened, stands, codes)][:MOST_FACTS],
        provisional=stands.provisional,
        resume=(how_to_resume(result) or "") if row.status != RUNNING else "",
    )


def _names(metrics: Metrics, scorer: str, metric: str) -> list[str]:
    """The metrics of a run, the headline first, then those of its scorer."""
    scorers = sorted(metrics, key=lambda name: name != scorer)
    found = dict.fromkeys(name for one in scorers for name in metrics[one])
    return sorted(found, key=lambda name: name != metric)[:MOST_METRICS]


def _failures(opened: Opened) -> list[FailureRow]:
    return [
        FailureRow(
            owner=cut(str(row["owner"]), 40),
            kind=cut(str(row["kind"]), 80),
            status=row["status"] if isinstance(row["status"], int) else None,
            count=row["count"],
            message=cut(str(row["message"] or ""), 300),
        )
        for row in failure_counts(opened.folder)[:MOST_FACTS]
    ]


def _made_with(opened: Opened) -> Iterator[tuple[str, str]]:
    info, made = opened.info, opened.info.environment
    yield "begun", info.created
    yield "ended", info.finished
    yield "Beholder", str(made.get("beholder", "?"))
    yield "Python", str(made.get("python", ""))
    packages = made.get("packages")
    if isinstance(packages, dict):
        yield "packages", ", ".join(f"{name} {version}" for name, version in packages.items())
    yield "plan", info.plan_hash


def _counts(result: Result, stands: Standing) -> Iterator[tuple[str, str]]:
    tally = result.tally
    planned = result.plan.n_asks
    yield "answered", f"{count(tally.answered)} of {count(planned)}"
    yield "failed", count(tally.failed + tally.retryable)
    if tally.retryable:
        yield "to be asked again", count(tally.retryable)
    if tally.prompt_tokens or tally.completion_tokens:
        yield "tokens", f"{count(tally.prompt_tokens)} in, {count(tally.completion_tokens)} out"
    for words in cost_in_words(result.spending):
        yield "cost", words.removeprefix("cost ")
    yield "requests", count(tally.attempts)
    if tally.cached:
        yield "from cache", count(tally.cached)
    if tally.cut:
        yield "cut by the token limit", f"{count(tally.cut)} ({percent(tally.cut / max(tally.answered, 1))})"
    if tally.abandoned:
        yield "abandoned attempts", count(tally.abandoned)
    for name, number in result.judges.items():
        yield "answers read by", f"{name} ({count(number)})"
    if result.plan.epochs > 1 and stands.small and (noise := noise_in_words(result)):
        yield "sampling noise", noise


def _notes(opened: Opened, stands: Standing, codes: dict[str, str]) -> list[str]:
    """What has to be known about the figures, the items and the code that scored them."""
    result, found = stands.result, opened.found
    said = [result.message] if result.message else []
    if stands.provisional and not stands.small:
        said.append("The figures are provisional: plain means over the verdicts that are there.")
    if not result.metrics:
        said.append("No response could be scored, so no figure is shown.")
    said += code_notes(codes, list(found.scorers), found, f"beholder rescore {shlex.quote(opened.folder.name)}")
    said += found.notices(opened.plan.n_samples) if found.notices is not None else []
    said += judged_lines(result.judged, unfinished=result.unjudged)
    return said + notes(result.metrics)


def _facts(facts: Any) -> list[Fact]:
    return [Fact(name, cut(words, LONGEST_FACT)) for name, words in facts if words][:MOST_FACTS]
