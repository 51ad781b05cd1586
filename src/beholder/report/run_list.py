"""One line for each run, from run.json and results.json alone. Loads nothing heavy: `beholder list` must be quick."""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path
from typing import Any

import msgspec

from beholder.errors import UsageError
from beholder.report.figures import interval_of, value_of
from beholder.score import Metric
from beholder.store.folder import LARGEST_INFO, RunInfo, list_runs, read_info
from beholder.store.reading import Tally
from beholder.store.spending import Spending


class Results(msgspec.Struct):
    """What is read of results.json; those of older runs name neither their headline, nor what was spent, nor the code
    of the scores (scorer → hash)."""

    metrics: dict[str, dict[str, Metric]] = {}
    headline: tuple[str, str] | None = None
    tally: Tally | None = None
    spending: Spending | None = None
    scorer_code: dict[str, str] = {}
    complete: bool = False
    details: dict[str, Any] = {}

    @property
    def leading(self) -> tuple[str, str] | None:
        """(scorer, metric) of the first figure that has a value: the headline if it does, else one of its scorer's."""
        tried = [(scorer, name) for scorer, figures in self.metrics.items() for name in list(figures)[:1]]
        if self.headline is not None:  # what it has no value for, its scorer may have another figure of
            scorer = self.headline[0]
            tried.sort(key=lambda figure: figure[0] != scorer)
            tried.insert(0, self.headline)
        known = (one for one in tried if (found := self.figure(*one)) is not None and found.value is not None)
        return next(known, None)

    def figure(self, scorer: str, metric: str) -> Metric | None:
        """A figure, None if it is not there."""
        return self.metrics.get(scorer, {}).get(metric)


_RESULTS = msgspec.json.Decoder(Results)


def read_results(folder: Path) -> Results | None:
    """results.json of a run folder; None if there is none, or none that can be read."""
    file = folder / "results.json"
    try:
        facts = file.stat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > LARGEST_INFO:  # a pipe would be waited for
            return None
        return _RESULTS.decode(file.read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def run_rows(runs_dir: Path) -> list[dict[str, Any]]:
    """Name, benchmark, model, status and headline of every run, oldest first. A damaged run is listed as such."""
    rows = []
    for folder in list_runs(runs_dir):
        try:
            info = read_info(folder)
        except UsageError as error:
            rows.append({"name": folder.name, "status": "damaged", "headline": str(error)})
            continue
        rows.append(
            {
                "name": folder.name,
                "benchmark": info.plan.get("benchmark", ""),
                "model": info.settings.get("model", ""),
                "status": status_of(folder, info),
                "created": info.created,
                "headline": _headline(folder),
            }
        )
    return rows


def status_of(folder: Path, info: RunInfo) -> str:
    """The status in run.json, but `stopped` where it says `running` and no process holds the folder (a killed run).

    Asks for a shared lock, which two readers can have at once, and gives it back.
    """
    if info.status != "running":
        return info.status
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return "running"
    else:
        return "stopped"
    finally:
        os.close(descriptor)


def _headline(folder: Path) -> str:
    results = read_results(folder)
    if results is None:
        return "no figures yet"
    leading = results.leading
    metric = results.figure(*leading) if leading is not None else None
    if leading is None or metric is None:
        return "nothing could be scored"
    figure = f"{leading[0]} {leading[1]} {value_of(metric)} {interval_of(metric)}".rstrip()
    return f"{figure}, n={metric.n}" + (f", {metric.failed} failed" if metric.failed else "")
