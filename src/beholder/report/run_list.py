"""One line for each run, from run.json and results.json alone. Loads nothing heavy: `beholder list` must be quick."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Any

import msgspec

from beholder.errors import UsageError
from beholder.report.figures import interval_of, value_of
from beholder.score import Metric
from beholder.store.folder import RunInfo, list_runs, read_info


class _Results(msgspec.Struct):
    """What is read of results.json; those of older runs do not name their headline."""

    metrics: dict[str, dict[str, Metric]] = {}
    headline: tuple[str, str] | None = None


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
    try:
        results = msgspec.json.decode((folder / "results.json").read_bytes(), type=_Results)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return "no figures yet"
    tried = [(scorer, next(iter(figures))) for scorer, figures in results.metrics.items() if figures]
    leading = results.headline
    if leading is not None:  # what it has no value for, its scorer may have another figure of
        tried.sort(key=lambda figure: figure[0] != leading[0])
        tried.insert(0, leading)
    for scorer, name in tried:
        metric = results.metrics.get(scorer, {}).get(name)
        if metric is not None and metric.value is not None:
            figure = f"{scorer} {name} {value_of(metric)} {interval_of(metric)}".rstrip()
            return f"{figure}, n={metric.n}" + (f", {metric.failed} failed" if metric.failed else "")
    return "nothing could be scored"
