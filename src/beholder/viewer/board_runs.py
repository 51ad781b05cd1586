"""What a leaderboard needs of a run: its figures, and what they were measured under. From run.json and results.json,
with the code of its scores from the journal; a run may be a stranger's, so all of it is bounded."""

from __future__ import annotations

import hashlib
import math
import sqlite3
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from beholder.benchmarks.tir.data import SYNTHETIC
from beholder.errors import UsageError
from beholder.report.run_list import read_results, status_of
from beholder.score import Metric, Metrics
from beholder.store import schema
from beholder.store.folder import RunInfo, read_info
from beholder.viewer.run_rows import LONGEST_NAME, shown

MOST_SCORERS = 40
MOST_METRICS = 400
_LOOKED_AT = 2_000
_GENERATED = (
    "SELECT EXISTS (SELECT 1 FROM (SELECT record FROM samples LIMIT ?) WHERE json_extract(record, '$.split') = ?)"
)


class BoardRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run as a leaderboard sees it.

    `metrics` holds shares only (0..1). `headline` is the (scorer, metric) that its own report leads with, None where it
    has no figure. `plan` is the plan's identity, `reader` the model that read its answers, `judges` those that judged
    them, `assumptions` the digest of a file of its own ("": ours), `code` the hash of the code of each scorer.
    `generated` says that items were made by `beholder synth`.
    """

    id: str
    version: str
    benchmark: str
    model: str
    created: str
    status: str
    tools: str
    plan: dict[str, Any]
    reader: str
    judges: str
    assumptions: str
    code: dict[str, str]
    generated: bool
    metrics: Metrics
    headline: tuple[str, str] | None

    def figure(self, scorer: str, metric: str) -> Metric | None:
        """A figure that has a value; None if there is none."""
        found = self.metrics.get(scorer, {}).get(metric)
        return found if found is not None and found.value is not None else None


def board_run(run: str, folder: Path, version: str) -> BoardRun | None:
    """A run; None if it is damaged. Read again only when it has changed, or when the process that wrote it has gone."""
    found = _read(run, folder, version)
    if found is None or found.status != "running":
        return found
    try:
        status = status_of(folder, _GOES_ON)
    except OSError:  # the folder has just gone
        return None
    return msgspec.structs.replace(found, status=status)


@lru_cache(maxsize=5_000)
def _read(run: str, folder: Path, version: str) -> BoardRun | None:
    try:
        info = read_info(folder)
        results = read_results(folder)
        metrics = {} if results is None else _shares(results.metrics)
        leading = None if results is None else results.leading
        code, generated = ({}, False) if results is None else _in_journal(folder)
        return BoardRun(
            id=run,
            version=version,
            benchmark=_word(info.plan.get("benchmark")),
            model=_word(info.settings.get("model")),
            created=_word(info.created),
            status=_word(info.status),
            tools=_arm(info.plan.get("tools")),
            plan=info.plan,
            reader=_model(info.settings.get("extractor")),
            judges=_word(", ".join(filter(None, map(_model, _rows(info.settings.get("judges")))))),
            assumptions=_digest(info.settings.get("assumptions")),
            code=code if results is None else results.scorer_code or code,
            generated=generated,
            metrics=metrics,
            headline=leading if leading is not None and leading[1] in metrics.get(leading[0], {}) else None,
        )
    except (UsageError, RecursionError):
        return None


def _shares(metrics: Metrics) -> Metrics:
    """The figures that are shares, each within what a figure can be."""
    return {
        scorer: {
            name: kept
            for name, metric in list(figures.items())[:MOST_METRICS]
            if len(name) <= LONGEST_NAME and (kept := _share(metric)) is not None
        }
        for scorer, figures in list(metrics.items())[:MOST_SCORERS]
        if len(scorer) <= LONGEST_NAME
    }


def _share(metric: Metric) -> Metric | None:
    if metric.unit != "share" or not _inside(metric.value) or metric.n < 0 or metric.failed < 0:
        return None
    kept = shown(metric)
    for one, other in (("low", "high"), ("worst", "best")):
        if None in (getattr(kept, one), getattr(kept, other)) or not (
            _inside(getattr(kept, one)) and _inside(getattr(kept, other))
        ):
            kept = msgspec.structs.replace(kept, **{one: None, other: None})
    return kept


def _inside(value: float | None) -> bool:
    return value is None or (math.isfinite(value) and 0 <= value <= 1)


def _in_journal(folder: Path) -> tuple[dict[str, str], bool]:
    """Scorer → hash of its code, and whether items were generated, as the journal has them."""
    try:
        with closing(schema.open_to_read(folder / "run.db")) as db:
            rows = db.execute("SELECT name, code FROM scorers LIMIT ?", (MOST_SCORERS,)).fetchall()
            (generated,) = db.execute(_GENERATED, (_LOOKED_AT, SYNTHETIC)).fetchone()
    except (UsageError, sqlite3.Error):
        return {}, False
    return {str(name): str(code)[:LONGEST_NAME] for name, code in rows}, bool(generated)


def _arm(tools: Any) -> str:
    return _word(tools.get("arm")) if isinstance(tools, dict) else ""


def _model(judge: Any) -> str:
    return _word(judge.get("model")) if isinstance(judge, dict) else ""


def _rows(judges: Any) -> list[Any]:
    return judges[:20] if isinstance(judges, list) else []


def _digest(assumptions: Any) -> str:
    if assumptions is None:
        return ""
    return hashlib.sha256(str(assumptions).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _word(text: Any) -> str:
    return text[:LONGEST_NAME] if isinstance(text, str) else ""


_GOES_ON = RunInfo(format=1, plan={}, plan_hash="", settings={}, environment={}, created="", status="running")
